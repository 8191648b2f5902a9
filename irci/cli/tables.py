"""--table: what it is refused with."""

from irci.base.errors import UsageError
from irci.options.conditions import in_words, lacking
from irci.options.given import Given
from irci.options.tables import TABLES
from irci.output.kinds import printed_name


def check_tables(given: Given) -> None:
    """Raise UsageError for a table that these options do not make, saying which would."""
    for kind in given["tables"]:
        lacks = lacking(given.values, TABLES[given.command.name][kind])
        if lacks:
            what = in_words(lacks, given.spelling)
            raise UsageError(f"--table {printed_name(kind)} takes {what}{' ' if what.endswith('.') else ''}.")

"""One row a kind of table, in a file for each subject: `KindOfTable` says what stands in a row.

Pictures stand below one another in the order of the rows.
"""

from irci.output.kinds import judgments, parts, runs, sizes
from irci.output.kinds.kind import OF_EVERY_ESTIMATE as OF_EVERY_ESTIMATE
from irci.output.kinds.kind import Kind as Kind
from irci.output.kinds.kind import KindOfTable as KindOfTable
from irci.output.kinds.kind import stem as stem

KINDS: dict[Kind, KindOfTable] = runs.KINDS | parts.KINDS | judgments.KINDS | sizes.KINDS


def printed_name(kind: Kind) -> str:
    """The first cell of rows that are no estimates, before _MEASURE; the word for the kind on the command line."""
    return KINDS[kind].printed or kind


def title(kind: Kind, measure: str = "MEASURE") -> str:
    """The name of a table of this kind: means, or error_rate_map."""
    of = KINDS[kind]
    return of.title or printed_name(kind) + f"_{measure}" * of.of_measure

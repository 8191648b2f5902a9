"""Tables and their layouts: what each is refused with, and how a paper's table is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from irci.base.choices import FOR_READING, IN_WIDE, Format, why_no_notes
from irci.base.errors import UsageError
from irci.options.conditions import in_words, lacking
from irci.options.given import Given
from irci.options.tables import TABLES
from irci.output.kinds import printed_name

if TYPE_CHECKING:
    from irci.output.formats import Writer
    from irci.output.report import Report

# What prints other rows than means of runs, or leaves those out.
WITHOUT_A_PLACE = ("per_topic", "no_summary", "meta", "validate", "type_one", "show_width", "tables")
FOR_PAPERS = tuple(form for form in IN_WIDE if form in FOR_READING)


def check_tables(given: Given) -> None:
    """Raise UsageError for a table that these options do not make, saying which would."""
    for kind in given["tables"]:
        lacks = lacking(given.values, TABLES[given.command.name][kind])
        if lacks:
            what = in_words(lacks, given.spelling)
            raise UsageError(f"--table {printed_name(kind)} takes {what}{' ' if what.endswith('.') else ''}.")


def check_layout(given: Given) -> None:
    """Raise UsageError for sentences that a format has no place for, and for what a paper's table has none for."""
    if given["explain"] and (reason := why_no_notes(given["output_format"])):
        raise UsageError(f"--explain {reason}.")
    if given.option("layout") != "wide":
        _refuse(given, "limits", message="{} is for --layout wide.")
        return
    form = _form(given)
    if form not in IN_WIDE:
        raise UsageError(f"--layout wide is for {', '.join(IN_WIDE[:-1])} and {IN_WIDE[-1]}.")
    _refuse(given, *WITHOUT_A_PLACE, message="--layout wide has one row per run: leave out {}.")
    if form in FOR_PAPERS:
        _refuse(given, "power", "equivalence", message="--layout wide shows {} in tsv and csv alone.")
    else:
        _refuse(
            given,
            "limits",
            message="{} is for --layout wide in " + f"{', '.join(FOR_PAPERS[:-1])} and {FOR_PAPERS[-1]}.",
        )
    if given.option("all_pairs") and not given["ranks"]:
        raise UsageError("--layout wide shows all pairs by letters: add --ranks.")


def _refuse(given: Given, *names: str, message: str) -> None:
    """Refuse options that were given and have no place; {} in the message stands for the option as it is spelled."""
    for name in names:
        if given.has(name):
            raise UsageError(message.format(given.spelling(name)))


def chosen_writer(given: Given, report: Report) -> Writer:
    """What writes the tables in the layout and format asked for."""
    if given.option("layout") == "wide":
        from irci.output import wide

        assert report.caption is not None
        return wide.writer(_form(given), _digits(given), given["limits"], report.caption)
    from irci.output.formats import writer

    return writer(given["output_format"], given["digits"])


def wide_table(given: Given, report: Report) -> str:
    """A paper's table for a page, or nothing if another is asked for."""
    if given.option("layout") != "wide":
        return ""
    from irci.output.wide import as_html

    assert report.caption is not None
    return as_html(report.tables, report.signature, _digits(given), given["limits"], report.caption)


def explanation(given: Given, report: Report) -> Sequence[str]:
    """The result in plain words; what columns mean is for the rows that have them."""
    return report.sentences if given.option("layout") == "wide" else report.explanation


def _digits(given: Given) -> int:
    from irci.output.wide import DIGITS

    return given["digits"] if given.has("digits") else DIGITS


def _form(given: Given) -> Format:
    """The format; the one that only a line an estimate has gives way if nobody asked for it."""
    form: Format = given["output_format"]
    return "table" if form == "text" and not given.has("output_format") else form

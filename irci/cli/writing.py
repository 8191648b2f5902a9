"""How a report becomes the text that is written, and where it goes; what of layouts and tables cannot be is refused before."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import click

import irci
from irci.base.choices import FOR_READING, IN_WIDE, OF_PAPERS, Format, Layout, why_no_notes
from irci.base.errors import ConditionHolds, ConditionUntold, UsageError, logger
from irci.base.names import first_names, plural
from irci.cli.console import TYPED, WARNINGS
from irci.options.given import Given
from irci.options.option import either, in_words, lacking
from irci.options.tables import TABLES, is_aside
from irci.options.types import STANDARD_STREAM
from irci.output.files import write_file
from irci.output.kinds import KINDS, printed_name
from irci.output.report import Report

if TYPE_CHECKING:
    from irci.output.formats import Writer
    from irci.output.page import Question

PAIR = 2  # runs
MANY_ROWS = 200  # more than a terminal keeps in sight
AT_ONCE = 10_000  # pieces


def write(given: Given, report: Report) -> None:
    """Draw a report if asked to, write its files, and print it, or write it to a file: as the options say.

    Names go out with the bytes they came in with.
    """
    report = as_printed(given, report)
    layout = layout_of(given, report)
    if given["plot"] is not None:
        from irci.output.plots import draw

        kind = given["plot"].rpartition(".")[2].lower()
        write_file(given["plot"], draw(report, kind, given["plot_width"]))
    for path, text in report.files.items():
        _write(path, [_encoded(text)])
    if is_terminal() and not given["explain"]:
        for sentence in report.conclusion:
            logger.info(sentence)
    _write(given["output"], _in_chunks(_pieces(given, report, layout)))
    tell_how_to_see_less(given, report)
    tell_baseline(given, report)
    if layout != "wide":
        tell_which_to_report(given, report)
    tell_inconclusive(given, report)
    if report.failures:
        raise ConditionHolds(*report.failures, *report.untold)
    if report.untold:
        raise ConditionUntold(*report.untold)


def as_printed(given: Given, report: Report) -> Report:
    """A report without the tables that a plain call leaves out where people read it; a page has them all."""
    form = given["output_format"]
    if given["tables"] or form not in FOR_READING or form == "html":
        return report._replace(remarks=())
    left = [table for table in report.tables if not is_aside(given.command.name, table, report.tables)]
    return report._replace(tables=left or report.tables)


def is_terminal() -> bool:
    """True if somebody reads standard error."""
    return sys.stderr.isatty()


def tell_baseline(given: Given, report: Report) -> None:
    """With which run others were compared, where that is the first of several: of `runs/*`, the first by name."""
    if given.is_with_first and len(report.runs) > PAIR:
        told = f"compared with {report.signature['baseline']}, the first of {len(report.runs)} runs"
        logger.info(f"{told} (--baseline NAME: with another)")


def tell_which_to_report(given: Given, report: Report) -> None:
    """Which of several rows of a pair to report, unless the sentences say so, or one source alone is shown."""
    if given.command.name != "map-ci" or given["explain"]:
        return
    from irci.studies.compare.sentences import which_to_report

    if told := which_to_report(report.tables):
        logger.info(told)


def tell_inconclusive(given: Given, report: Report) -> None:
    """Tell how many pairs --fail-if lets pass, though neither run is shown to be better."""
    if not given.option("fail_if") or report.failures or report.untold:
        return
    verdicts = [row["verdict"] for table in report.tables for row in table.rows if row.get("verdict")]
    if inconclusive := verdicts.count("inconclusive"):
        of_all = f"{inconclusive} of {plural(len(verdicts), 'difference')}"
        logger.info(
            f"passes, though for {of_all} it is not shown which run is better (to fail there: --fail-if worse,inconclusive)"
        )


def tell_how_to_see_less(given: Given, report: Report) -> None:
    """On a terminal, what would print less than so many rows."""
    rows = sum(len(table.rows) for table in report.tables)
    if rows <= MANY_ROWS or not _is_shown(given):
        return
    kinds = list(dict.fromkeys(table.kind for table in report.tables))
    fewest = min(kinds, key=lambda kind: sum(len(table.rows) for table in report.tables if table.kind == kind))
    options = ["-o FILE", "--format html -o FILE for a page"]
    if len(kinds) > 1:
        options.insert(0, f"--table {printed_name(fewest)}")
    elif given.option("all_pairs"):
        options.insert(0, "--ranks --table rank")
    if given.option("all_pairs"):
        options.insert(0, "--baseline NAME in place of --all-pairs")
    logger.info(f"{rows:,} rows; to see less: {either(options)}")


def _pieces(given: Given, report: Report, layout: Layout) -> Iterator[str]:
    """The report in the format wanted. A page has the sentences whether they are asked for or not."""
    if given["output_format"] == "html":
        from irci.output.page import page

        return page(
            report, asked(given), given["digits"], wide_table(given, report), long=given.option("layout") != "wide"
        )
    notes = [*report.remarks, *(explanation(report, layout) if given["explain"] else ())]
    if given["output"] != STANDARD_STREAM and given["output_format"] in FOR_READING:
        notes.append(made_by(given))
    return chosen_writer(given, report, layout)(report.tables, report.signature, notes)


def made_by(given: Given) -> str:
    """The version and the options typed, without files: irci 0.1.0 compare -m map."""
    from irci.options.lines import quoted

    context = click.get_current_context()
    left_out = {*given["files"], given["output"], "-o", "--output"}
    words = [word for word in context.meta[TYPED] if word not in left_out]
    return " ".join(["irci", irci.__version__, str(context.command.name), *map(quoted, words)])


def asked(given: Given) -> Question:
    """The request, for a page: the question, the line to type again, whom to cite, and what has been warned of."""
    from irci.options.citations import bibtex
    from irci.options.lines import quoted
    from irci.output.page import Question

    context, command = click.get_current_context(), given.command
    meta = context.meta
    return Question(
        question=command.question,
        line=" ".join(["irci", str(context.command.name), *map(quoted, meta[TYPED])]),
        citations=bibtex(command.typed or command.name, given.values, irci.__version__),
        warnings=tuple(meta[WARNINGS]),
        collection=collection_of(given),
    )


def collection_of(given: Given) -> str:
    """The names of the files that runs were judged by: of judgments, of scores, or of the list of collections."""
    told = given["files"] if given.option("scores") else given["files"][:1]
    paths = [given.option("collections")] if given.option("collections") else told
    return first_names(
        ["standard input" if path == STANDARD_STREAM else os.path.basename(path) or path for path in paths]
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def write_text(path: str, text: str) -> None:
    """Write a text to a file, completely or not at all, or to standard output."""
    _write(path, [_encoded(text)])


def _in_chunks(pieces: Iterator[str]) -> Iterator[bytes]:
    while text := "".join(islice(pieces, AT_ONCE)):
        yield _encoded(text)


def _write(path: str, chunks: Iterable[bytes]) -> None:
    if path == STANDARD_STREAM:
        for chunk in chunks:
            click.echo(chunk, nl=False)
    else:
        whole = io.BytesIO()
        whole.writelines(chunks)
        write_file(path, whole.getvalue())


WIDE_FROM = 3  # measures
# What prints other rows than means of runs, or leaves those out.
WITHOUT_A_PLACE = ("per_topic", "no_summary", "meta", "validate", "tables")
FOR_PAPERS = tuple(form for form in IN_WIDE if form in FOR_READING)


def check_tables(given: Given) -> None:
    """Raise UsageError for a table that these options do not make, saying which would."""
    for kind in given["tables"]:
        lacks = lacking(given.values, TABLES[given.command.name][kind])
        if lacks:
            options = [[part for part in group if part != "compare"] for group in lacks]
            what = in_words(options, given.spelling)
            raise UsageError(f"--table {printed_name(kind)} takes {what}{' ' if what.endswith('.') else ''}.")


def check_layout(given: Given) -> None:
    """Raise UsageError for sentences that a format has no place for, and for what a paper's table has none for."""
    if given["explain"] and (reason := why_no_notes(given["output_format"])):
        raise UsageError(f"--explain {reason}.")
    if asked_layout(given) != "wide":
        _refuse(given, "limits", message="{} is for --layout wide.")
        return
    form = _form(given)
    if form not in IN_WIDE:
        raise UsageError(f"--layout wide is for {', '.join(IN_WIDE[:-1])} and {IN_WIDE[-1]}.")
    _refuse(given, *WITHOUT_A_PLACE, message="--layout wide has one row per run: leave out {}.")
    if form in FOR_PAPERS:
        instead = "leave it out here, and print its table beside (--table difference)"
        _refuse(given, "power", "margin", message=f"--layout wide shows {{}} in tsv and csv alone: {instead}.")
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


def chosen_writer(given: Given, report: Report, layout: Layout) -> Writer:
    """The function that writes the tables in a layout, in the format asked for."""
    if layout == "wide":
        from irci.output import wide

        assert report.caption is not None
        return wide.writer(_form(given), _digits(given), given["limits"], report.caption)
    from irci.output.formats import writer

    # Columns stand below one another where somebody looks at them.
    form: Format = "table" if _is_shown(given) and not given.has("output_format") else given["output_format"]
    return writer(form, given["digits"], tuple(report.sources))


def _is_shown(given: Given) -> bool:
    return bool(given["output"] == STANDARD_STREAM and sys.stdout.isatty())


def wide_table(given: Given, report: Report) -> str:
    """A paper's table for a page, if it is asked for, or if measures are several and it leaves nothing out; or none."""
    asked_for = asked_layout(given) == "wide"
    has_means = report.caption is not None and any(KINDS[table.kind].cell == "score" for table in report.tables)
    if not asked_for and not (
        has_means and len(report.measures) >= WIDE_FROM and not any(map(given.has, WITHOUT_A_PLACE))
    ):
        return ""
    from irci.output.wide import as_html

    assert report.caption is not None
    return as_html(report.tables, report.signature, _digits(given), given["limits"] or "brackets", report.caption)


def explanation(report: Report, layout: Layout) -> Sequence[str]:
    """The result in plain words; what columns mean is for the rows that have them."""
    return report.sentences if layout == "wide" else report.explanation


def layout_of(given: Given, report: Report) -> Layout:
    """The layout asked for, or that which the format has for this report."""
    return asked_layout(given) or report.layout_in(given["output_format"])


def asked_layout(given: Given) -> Layout | None:
    """The layout asked for, by name or by how it shows limits."""
    layout: Layout | None = given.option("layout")
    has_limits = given.has("limits") and given["output_format"] in OF_PAPERS
    return layout or ("wide" if has_limits else None)


def _digits(given: Given) -> int:
    from irci.output.wide import DIGITS

    return given["digits"] if given.has("digits") else DIGITS


def _form(given: Given) -> Format:
    """The format of a paper's table: text is aligned."""
    form: Format = given["output_format"]
    return "table" if form == "text" else form

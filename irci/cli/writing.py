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
from irci.options.call import Call
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


def write(call: Call, report: Report) -> None:
    """Draw a report if asked to, write its files, and print it, or write it to a file: as the options say.

    Names go out with the bytes they came in with.
    """
    report = as_printed(call, report)
    layout = layout_of(call, report)
    if call["plot"] is not None:
        from irci.output.plots import draw

        kind = call["plot"].rpartition(".")[2].lower()
        write_file(call["plot"], draw(report, kind, call["plot_width"]))
    for path, text in report.files.items():
        _write(path, [_encoded(text)])
    if is_terminal() and not call["explain"]:
        for sentence in report.conclusion:
            logger.info(sentence)
    _write(call["output"], _in_chunks(_pieces(call, report, layout)))
    tell_how_to_see_less(call, report)
    tell_baseline(call, report)
    if layout != "wide":
        tell_which_to_report(call, report)
    tell_inconclusive(call, report)
    if report.failures:
        raise ConditionHolds(*report.failures, *report.untold)
    if report.untold:
        raise ConditionUntold(*report.untold)


def as_printed(call: Call, report: Report) -> Report:
    """A report without the tables that a plain call leaves out where people read it; a page has them all."""
    form = call["output_format"]
    if call["tables"] or form not in FOR_READING or form == "html":
        return report._replace(remarks=())
    left = [table for table in report.tables if not is_aside(call.command.name, table, report.tables)]
    return report._replace(tables=left or report.tables)


def is_terminal() -> bool:
    """True if somebody reads standard error."""
    return sys.stderr.isatty()


def tell_baseline(call: Call, report: Report) -> None:
    """With which run others were compared, where that is the first of several: of `runs/*`, the first by name."""
    if call.is_with_first and len(report.runs) > PAIR:
        told = f"compared with {report.signature['baseline']}, the first of {len(report.runs)} runs"
        logger.info(f"{told} (--baseline NAME: with another)")


def tell_which_to_report(call: Call, report: Report) -> None:
    """Which of several rows of a pair to report, unless the sentences say so, or one source alone is shown."""
    if call.command.name != "map-ci" or call["explain"]:
        return
    from irci.compare.sentences import which_to_report

    if told := which_to_report(report.tables):
        logger.info(told)


def tell_inconclusive(call: Call, report: Report) -> None:
    """Tell how many pairs --fail-if lets pass, though neither run is shown to be better."""
    if not call.option("fail_if") or report.failures or report.untold:
        return
    verdicts = [row["verdict"] for table in report.tables for row in table.rows if row.get("verdict")]
    if inconclusive := verdicts.count("inconclusive"):
        of_all = f"{inconclusive} of {plural(len(verdicts), 'difference')}"
        logger.info(
            f"passes, though for {of_all} it is not shown which run is better (to fail there: --fail-if worse,inconclusive)"
        )


def tell_how_to_see_less(call: Call, report: Report) -> None:
    """On a terminal, what would print less than so many rows."""
    rows = sum(len(table.rows) for table in report.tables)
    if rows <= MANY_ROWS or not _is_shown(call):
        return
    kinds = list(dict.fromkeys(table.kind for table in report.tables))
    fewest = min(kinds, key=lambda kind: sum(len(table.rows) for table in report.tables if table.kind == kind))
    options = ["-o FILE", "--format html -o FILE for a page"]
    if len(kinds) > 1:
        options.insert(0, f"--table {printed_name(fewest)}")
    elif call.option("all_pairs"):
        options.insert(0, "--ranks --table rank")
    if call.option("all_pairs"):
        options.insert(0, "--baseline NAME in place of --all-pairs")
    logger.info(f"{rows:,} rows; to see less: {either(options)}")


def _pieces(call: Call, report: Report, layout: Layout) -> Iterator[str]:
    """The report in the format wanted. A page has the sentences whether they are asked for or not."""
    if call["output_format"] == "html":
        from irci.output.page import page

        return page(report, asked(call), call["digits"], wide_table(call, report), long=call.option("layout") != "wide")
    notes = [*report.remarks, *(explanation(report, layout) if call["explain"] else ())]
    if call["output"] != STANDARD_STREAM and call["output_format"] in FOR_READING:
        notes.append(made_by(call))
    return chosen_writer(call, report, layout)(report.tables, report.signature, notes)


def made_by(call: Call) -> str:
    """The version and the options typed, without files: irci 0.1.0 compare -m map."""
    from irci.options.lines import quoted

    context = click.get_current_context()
    left_out = {*call["files"], call["output"], "-o", "--output"}
    words = [word for word in context.meta[TYPED] if word not in left_out]
    return " ".join(["irci", irci.__version__, str(context.command.name), *map(quoted, words)])


def asked(call: Call) -> Question:
    """The request, for a page: the question, the line to type again, whom to cite, and what has been warned of."""
    from irci.options.citations import bibtex
    from irci.options.lines import quoted
    from irci.output.page import Question

    context, command = click.get_current_context(), call.command
    meta = context.meta
    return Question(
        question=command.question,
        line=" ".join(["irci", str(context.command.name), *map(quoted, meta[TYPED])]),
        citations=bibtex(command.typed or command.name, call.values, irci.__version__),
        warnings=tuple(meta[WARNINGS]),
        collection=collection_of(call),
    )


def collection_of(call: Call) -> str:
    """The names of the files that runs were judged by: of judgments, of scores, or of the list of collections."""
    told = call["files"] if call.option("scores") else call["files"][:1]
    paths = [call.option("collections")] if call.option("collections") else told
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


def check_tables(call: Call) -> None:
    """Raise UsageError for a table that these options do not make, saying which would."""
    for kind in call["tables"]:
        lacks = lacking(call.values, TABLES[call.command.name][kind])
        if lacks:
            options = [[part for part in group if part != "compare"] for group in lacks]
            what = in_words(options, call.spelling)
            raise UsageError(f"--table {printed_name(kind)} takes {what}{' ' if what.endswith('.') else ''}.")


def check_layout(call: Call) -> None:
    """Raise UsageError for sentences that a format has no place for, and for what a paper's table has none for."""
    if call["explain"] and (reason := why_no_notes(call["output_format"])):
        raise UsageError(f"--explain {reason}.")
    if asked_layout(call) != "wide":
        _refuse(call, "limits", message="{} is for --layout wide.")
        return
    form = _form(call)
    if form not in IN_WIDE:
        raise UsageError(f"--layout wide is for {', '.join(IN_WIDE[:-1])} and {IN_WIDE[-1]}.")
    _refuse(call, *WITHOUT_A_PLACE, message="--layout wide has one row per run: leave out {}.")
    if form in FOR_PAPERS:
        instead = "leave it out here, and print its table beside (--table difference)"
        _refuse(call, "power", "margin", message=f"--layout wide shows {{}} in tsv and csv alone: {instead}.")
    else:
        _refuse(
            call,
            "limits",
            message="{} is for --layout wide in " + f"{', '.join(FOR_PAPERS[:-1])} and {FOR_PAPERS[-1]}.",
        )
    if call.option("all_pairs") and not call["ranks"]:
        raise UsageError("--layout wide shows all pairs by letters: add --ranks.")


def _refuse(call: Call, *names: str, message: str) -> None:
    """Refuse options that were given and have no place; {} in the message stands for the option as it is spelled."""
    for name in names:
        if call.has(name):
            raise UsageError(message.format(call.spelling(name)))


NO_WIDE_TABLE = "--layout wide is for means of runs over the same topics, which are not printed here."


def chosen_writer(call: Call, report: Report, layout: Layout) -> Writer:
    """The function that writes the tables in a layout, in the format asked for."""
    if layout == "wide":
        from irci.output import wide

        if report.caption is None:
            raise UsageError(NO_WIDE_TABLE)
        return wide.writer(_form(call), _digits(call), call["limits"], report.caption)
    from irci.output.formats import writer

    # Columns stand below one another where somebody looks at them.
    form: Format = "table" if _is_shown(call) and not call.has("output_format") else call["output_format"]
    return writer(form, call["digits"], tuple(report.sources))


def _is_shown(call: Call) -> bool:
    return bool(call["output"] == STANDARD_STREAM and sys.stdout.isatty())


def wide_table(call: Call, report: Report) -> str:
    """A paper's table for a page, if it is asked for, or if measures are several and it leaves nothing out; or none."""
    asked_for = asked_layout(call) == "wide"
    has_means = report.caption is not None and any(KINDS[table.kind].cell == "score" for table in report.tables)
    if not asked_for and not (
        has_means and len(report.measures) >= WIDE_FROM and not any(map(call.has, WITHOUT_A_PLACE))
    ):
        return ""
    from irci.output.wide import as_html

    if report.caption is None:
        raise UsageError(NO_WIDE_TABLE)
    return as_html(report.tables, report.signature, _digits(call), call["limits"] or "brackets", report.caption)


def explanation(report: Report, layout: Layout) -> Sequence[str]:
    """The result in plain words; what columns mean is for the rows that have them."""
    return report.sentences if layout == "wide" else report.explanation


def layout_of(call: Call, report: Report) -> Layout:
    """The layout asked for, or that which the format has for this report."""
    return asked_layout(call) or report.layout_in(call["output_format"])


def asked_layout(call: Call) -> Layout | None:
    """The layout asked for, by name or by how it shows limits."""
    layout: Layout | None = call.option("layout")
    has_limits = call.has("limits") and call["output_format"] in OF_PAPERS
    return layout or ("wide" if has_limits else None)


def _digits(call: Call) -> int:
    from irci.output.wide import DIGITS

    return call["digits"] if call.has("digits") else DIGITS


def _form(call: Call) -> Format:
    """The format of a paper's table: text is aligned."""
    form: Format = call["output_format"]
    return "table" if form == "text" else form

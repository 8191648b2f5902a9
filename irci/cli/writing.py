"""How a report becomes the text that is written, and where it goes; what of layouts and tables cannot be is refused before."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

import irci
from irci.base.choices import FOR_READING, IN_WIDE, OF_PAPERS, Format, Layout, why_no_notes
from irci.base.errors import ConditionHolds, ConditionUntold, UsageError, logger
from irci.base.names import first_names, plural
from irci.cli.console import TYPED, WARNINGS
from irci.options.asked import Asked, either
from irci.options.files import STANDARD_STREAM
from irci.options.tables import TABLES, is_aside
from irci.output.files import write_file
from irci.output.kinds import KINDS, printed_name
from irci.output.report import Report

if TYPE_CHECKING:
    from irci.output.formats import Writer
    from irci.output.page import Question

PAIR = 2  # runs
MANY_ROWS = 200  # more than a terminal keeps in sight
AT_ONCE = 10_000  # pieces


def write(asked: Asked, report: Report) -> None:
    """Draw a report if asked to, write its files, and print it, or write it to a file: as the options say.

    Names go out with the bytes they came in with.
    """
    report = as_printed(asked, report)
    layout = layout_of(asked, report)
    if asked.plot is not None:
        from irci.output.plots import draw

        kind: Any = asked.plot.rpartition(".")[2].lower()
        write_file(asked.plot, draw(report, kind, asked.plot_width))
    for path, text in report.files.items():
        _write(path, [_encoded(text)])
    if is_terminal() and not asked.explain:
        for sentence in report.conclusion:
            logger.info(sentence)
    _write(asked.output, _in_chunks(_pieces(asked, report, layout)))
    tell_how_to_see_less(asked, report)
    tell_baseline(asked, report)
    if layout != "wide":
        tell_which_to_report(asked, report)
    tell_inconclusive(asked, report)
    if report.failures:
        raise ConditionHolds(*report.failures, *report.untold)
    if report.untold:
        raise ConditionUntold(*report.untold)


def as_printed(asked: Asked, report: Report) -> Report:
    """A report without the tables that a plain asked leaves out where people read it; a page has them all."""
    form = asked.output_format
    if asked.tables or form not in FOR_READING or form == "html":
        return report._replace(remarks=())
    left = [table for table in report.tables if not is_aside(asked.command.name, table, report.tables)]
    return report._replace(tables=left or report.tables)


def is_terminal() -> bool:
    """True if somebody reads standard error."""
    return sys.stderr.isatty()


def tell_baseline(asked: Asked, report: Report) -> None:
    """With which run others were compared, where that is the first of several: of `runs/*`, the first by name."""
    if asked.is_with_first and len(report.runs) > PAIR:
        told = f"compared with {report.signature['baseline']}, the first of {len(report.runs)} runs"
        logger.info(f"{told} (--baseline NAME: with another)")


def tell_which_to_report(asked: Asked, report: Report) -> None:
    """Which of several rows of a pair to report, unless the sentences say so, or one source alone is shown."""
    if asked.command.name != "map-ci" or asked.explain:
        return
    from irci.compare.sentences import which_to_report

    if told := which_to_report(report.tables):
        logger.info(told)


def tell_inconclusive(asked: Asked, report: Report) -> None:
    """Tell how many pairs --fail-if lets pass, though neither run is shown to be better."""
    if not asked.fail_if or report.failures or report.untold:
        return
    verdicts = [row["verdict"] for table in report.tables for row in table.rows if row.get("verdict")]
    if inconclusive := verdicts.count("inconclusive"):
        of_all = f"{inconclusive} of {plural(len(verdicts), 'difference')}"
        logger.info(
            f"passes, though for {of_all} it is not shown which run is better (to fail there: --fail-if worse,inconclusive)"
        )


def tell_how_to_see_less(asked: Asked, report: Report) -> None:
    """On a terminal, what would print less than so many rows."""
    rows = sum(len(table.rows) for table in report.tables)
    if rows <= MANY_ROWS or not _is_shown(asked):
        return
    kinds = list(dict.fromkeys(table.kind for table in report.tables))
    fewest = min(kinds, key=lambda kind: sum(len(table.rows) for table in report.tables if table.kind == kind))
    options = ["-o FILE", "--format html -o FILE for a page"]
    if len(kinds) > 1:
        options.insert(0, f"--table {printed_name(fewest)}")
    elif asked.all_pairs:
        options.insert(0, "--ranks --table rank")
    if asked.all_pairs:
        options.insert(0, "--baseline NAME in place of --all-pairs")
    logger.info(f"{rows:,} rows; to see less: {either(options)}")


def _pieces(asked: Asked, report: Report, layout: Layout) -> Iterator[str]:
    """The report in the format wanted. A page has the sentences whether they are asked for or not."""
    if asked.output_format == "html":
        from irci.output.page import page

        return page(report, question(asked), asked.digits, wide_table(asked, report), long=asked.layout != "wide")
    notes = [*report.remarks, *(explanation(report, layout) if asked.explain else ())]
    if asked.output != STANDARD_STREAM and asked.output_format in FOR_READING:
        notes.append(made_by(asked))
    return chosen_writer(asked, report, layout)(report.tables, report.signature, notes)


def made_by(asked: Asked) -> str:
    """The version and the options typed, without files: irci 0.1.0 compare -m map."""
    from irci.options.lines import quoted

    context = click.get_current_context()
    left_out = {*asked.files, asked.output, "-o", "--output"}
    words = [word for word in context.meta[TYPED] if word not in left_out]
    return " ".join(["irci", irci.__version__, str(context.command.name), *map(quoted, words)])


def question(asked: Asked) -> Question:
    """The request, for a page: the question, the line to type again, whom to cite, and what has been warned of."""
    from irci.options.citations import bibtex
    from irci.options.lines import quoted
    from irci.output.page import Question

    context, command = click.get_current_context(), asked.command
    meta = context.meta
    return Question(
        question=command.question,
        line=" ".join(["irci", str(context.command.name), *map(quoted, meta[TYPED])]),
        citations=bibtex(asked, irci.__version__),
        warnings=tuple(meta[WARNINGS]),
        collection=collection_of(asked),
    )


def collection_of(asked: Asked) -> str:
    """The names of the files that runs were judged by: of judgments, of scores, or of the list of collections."""
    told = asked.files if asked.scores else asked.files[:1]
    paths = [asked.collections] if asked.collections else told
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


def check_tables(asked: Asked) -> None:
    """Raise UsageError for a table that these options do not make, saying which would."""
    for kind in asked.tables:
        lacks = [needed for holds, needed in TABLES[asked.command.name][kind] if not holds(asked)]
        if lacks:
            needed = ", and ".join(lacks)
            raise UsageError(f"--table {printed_name(kind)} takes {needed}{' ' if needed.endswith('.') else ''}.")


def check_layout(asked: Asked) -> None:
    """Raise UsageError for sentences that a format has no place for, and for what a paper's table has none for."""
    if asked.explain and (reason := why_no_notes(asked.output_format)):
        raise UsageError(f"--explain {reason}.")
    if asked_layout(asked) != "wide":
        _refuse(asked, "limits", message="{} is for --layout wide.")
        return
    form = _form(asked)
    if form not in IN_WIDE:
        raise UsageError(f"--layout wide is for {', '.join(IN_WIDE[:-1])} and {IN_WIDE[-1]}.")
    _refuse(asked, *WITHOUT_A_PLACE, message="--layout wide has one row per run: leave out {}.")
    if form in FOR_PAPERS:
        instead = "leave it out here, and print its table beside (--table difference)"
        _refuse(asked, "power", "margin", message=f"--layout wide shows {{}} in tsv and csv alone: {instead}.")
    else:
        _refuse(
            asked,
            "limits",
            message="{} is for --layout wide in " + f"{', '.join(FOR_PAPERS[:-1])} and {FOR_PAPERS[-1]}.",
        )
    if asked.all_pairs and not asked.ranks:
        raise UsageError("--layout wide shows all pairs by letters: add --ranks.")


def _refuse(asked: Asked, *names: str, message: str) -> None:
    """Refuse options that were given and have no place; {} in the message stands for the option as it is spelled."""
    for name in names:
        if asked.has(name):
            raise UsageError(message.format(asked.spelling(name)))


NO_WIDE_TABLE = "--layout wide is for means of runs over the same topics, which are not printed here."


def chosen_writer(asked: Asked, report: Report, layout: Layout) -> Writer:
    """The function that writes the tables in a layout, in the format asked for."""
    if layout == "wide":
        from irci.output import wide

        if report.caption is None:
            raise UsageError(NO_WIDE_TABLE)
        return wide.writer(_form(asked), _digits(asked), asked.limits, report.caption)
    from irci.output.formats import writer

    # Columns stand below one another where somebody looks at them.
    form: Format = "table" if _is_shown(asked) and not asked.has("output_format") else asked.output_format
    return writer(form, asked.digits, tuple(report.sources))


def _is_shown(asked: Asked) -> bool:
    return bool(asked.output == STANDARD_STREAM and sys.stdout.isatty())


def wide_table(asked: Asked, report: Report) -> str:
    """A paper's table for a page, if it is asked for, or if measures are several and it leaves nothing out; or none."""
    asked_for = asked_layout(asked) == "wide"
    has_means = report.caption is not None and any(KINDS[table.kind].cell == "score" for table in report.tables)
    if not asked_for and not (
        has_means and len(report.measures) >= WIDE_FROM and not any(map(asked.has, WITHOUT_A_PLACE))
    ):
        return ""
    from irci.output.wide import as_html

    if report.caption is None:
        raise UsageError(NO_WIDE_TABLE)
    return as_html(report.tables, report.signature, _digits(asked), asked.limits or "brackets", report.caption)


def explanation(report: Report, layout: Layout) -> Sequence[str]:
    """The result in plain words; what columns mean is for the rows that have them."""
    return report.sentences if layout == "wide" else report.explanation


def layout_of(asked: Asked, report: Report) -> Layout:
    """The layout asked for, or that which the format has for this report."""
    return asked_layout(asked) or report.layout_in(asked.output_format)


def asked_layout(asked: Asked) -> Layout | None:
    """The layout asked for, by name or by how it shows limits."""
    layout: Layout | None = asked.layout
    has_limits = asked.has("limits") and asked.output_format in OF_PAPERS
    return layout or ("wide" if has_limits else None)


def _digits(asked: Asked) -> int:
    from irci.output.wide import DIGITS

    return asked.digits if asked.has("digits") else DIGITS


def _form(asked: Asked) -> Format:
    """The format of a paper's table: text is aligned."""
    form: Format = asked.output_format
    return "table" if form == "text" else form

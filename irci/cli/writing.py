"""How a report becomes the text that is written, and where it goes; what of layouts cannot be is refused before."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import click

import irci
from irci.base import ConditionHolds, ConditionUntold, DataError, first_names, logger, plural, raw, visible
from irci.base.choices import FOR_READING, Layout
from irci.options.asked import Asked
from irci.options.rows import bibtex
from irci.options.scoring import NOT_WIDE
from irci.options.types import STANDARD_STREAM
from irci.output.report import Report, pieces
from irci.output.tables import KINDS, Table
from irci.system import write_file

AT_ONCE = 10_000  # pieces
WIDE_FROM = 3  # measures
OF_MODEL = ("difference", "marginal")  # how the p of a model's pairs is computed


def write(asked: Asked, report: Report, typed: Sequence[str], warnings: Sequence[str]) -> None:
    """Draw a report if asked to, write its files, and print it, or write it to a file: as the options say.

    Names go out with the bytes they came in with. `typed`: the command and what was typed behind it; `warnings`: so far.
    """
    report = as_printed(asked, report)
    layout: Layout = "wide" if asked.is_wide else asked.layout or report.layout_in(asked.output_format)
    if asked.plot is not None:
        from irci.output.plots import draw

        kind: Any = asked.plot.rpartition(".")[2].lower()
        write_file(asked.plot, draw(report, kind, asked.plot_width))
    for path, text in report.files.items():
        _write(path, iter([text]))
    if is_terminal() and not asked.explain:
        for sentence in report.conclusion:
            logger.info(sentence)
    _write(asked.output, _pieces(asked, report, layout, typed, warnings))
    if asked.is_with_first and len(report.runs) > 2:
        baseline = f"compared with {report.signature['baseline']}, the first of {len(report.runs)} runs"
        logger.info(f"{baseline} (--baseline NAME: with another)")
    verdicts = [row["verdict"] for table in report.tables for row in table.rows if row.get("verdict")]
    inconclusive = verdicts.count("inconclusive")
    if asked.fail_if and inconclusive and not report.failures and not report.untold:
        pairs = f"{inconclusive} of {plural(len(verdicts), 'difference')}"
        mend = "to fail there: --fail-if worse,inconclusive"
        logger.info(f"passes, though for {pairs} it is not shown which run is better ({mend})")
    if report.failures:
        raise ConditionHolds(*report.failures, *report.untold)
    if report.untold:
        raise ConditionUntold(*report.untold)


def is_terminal() -> bool:
    """True if somebody reads standard error."""
    return sys.stderr.isatty()


def as_printed(asked: Asked, report: Report) -> Report:
    """A report without the tables that a plain call leaves out where people read it; --table prints them, and a page and
    formats for machines have them all."""
    form = asked.output_format
    if asked.tables or form not in FOR_READING or form == "html":
        return report._replace(remarks=())
    lengths = [row for table in report.tables if table.kind == "length" for row in table.rows]
    has_effects = any(table.kind == "effect" for table in report.tables)

    def is_aside(table: Table) -> bool:
        if table.kind == "pair":  # of which the model's are shown, on one split
            return not has_effects or table.rows[0]["test"] not in OF_MODEL
        if table.kind == "length":  # shown beside those of teams
            return not any("/within" in str(row["model"]) for row in lengths)
        return KINDS[table.kind].is_aside

    left = [table for table in report.tables if not is_aside(table)]
    return report._replace(tables=left or report.tables)


def _pieces(
    asked: Asked, report: Report, layout: Layout, typed: Sequence[str], warnings: Sequence[str]
) -> Iterator[str]:
    """The report in the format wanted. A page has the sentences whether they are asked for or not."""
    if asked.output_format == "html":
        return iter([_page(asked, report, typed, warnings)])
    explained: list[str] = []
    if asked.explain:  # what columns mean is for the rows that have them
        explained = report.sentences if layout == "wide" else report.explanation
    notes = [*(remark for remark in report.remarks if remark not in explained), *explained]
    if asked.output != STANDARD_STREAM and asked.output_format in FOR_READING:  # irci 0.1.0 compare -m map
        left_out = {*asked.files, asked.output, "-o", "--output"}
        words = [word for word in typed if word not in left_out]
        notes.append(visible(shlex.join(["irci", irci.__version__, *words])))
    # Columns stand below one another where somebody looks at them, and in a paper's table.
    is_on_screen = asked.output == STANDARD_STREAM and sys.stdout.isatty() and not asked.has("output_format")
    is_aligned = is_on_screen if layout == "long" else asked.output_format == "text"
    form = "table" if is_aligned else asked.output_format
    return pieces(report, form, layout, notes, asked.digits if asked.has("digits") else None, asked.limits)


def _page(asked: Asked, report: Report, typed: Sequence[str], warnings: Sequence[str]) -> str:
    """The report and the request as a page, which names what runs were judged by."""
    from irci.output.page import page

    judged_by = asked.files if asked.scores else asked.files[:1]
    paths = [asked.collections] if asked.collections else judged_by
    return page(
        report, asked.digits, _wide_html(asked, report), long=asked.layout != "wide", question=asked.command.question,
        line=visible(shlex.join(["irci", *typed])), citations=bibtex(asked, irci.__version__), warnings=tuple(warnings),
        collection=first_names(
            ["standard input" if path == STANDARD_STREAM else os.path.basename(path) or path for path in paths]
        ),
    )  # fmt: skip


def _wide_html(asked: Asked, report: Report) -> str:
    """A paper's table for a page, if it is asked for, or if measures are several and it leaves nothing out; or none."""
    has_means = report.caption is not None and any(KINDS[table.kind].cell == "score" for table in report.tables)
    is_whole = len(report.measures) >= WIDE_FROM and not any(
        NOT_WIDE in option.needs for name, option in asked.options.items() if asked.has(name)
    )
    if not asked.is_wide and not (has_means and is_whole):
        return ""
    from irci.output.wide import DIGITS, as_html

    digits = asked.digits if asked.has("digits") else DIGITS
    return as_html(report, digits, asked.limits or "brackets")


def _write(path: str, pieces: Iterator[str]) -> None:
    chunks = (raw(text) for text in iter(lambda: "".join(islice(pieces, AT_ONCE)), ""))
    if path != STANDARD_STREAM:
        write_file(path, b"".join(chunks))
        return
    try:
        for chunk in chunks:
            click.echo(chunk, nl=False)
    except OSError as error:
        raise DataError(f"standard output: cannot be written ({error.strerror})") from None

"""What becomes of a report: the only place that writes one."""

import io
from collections.abc import Iterable, Iterator
from itertools import islice

import click

from irci.base.errors import ConditionHolds
from irci.cli.layout import chosen_writer, explanation, wide_table
from irci.options.given import Given
from irci.options.types import STANDARD_STREAM
from irci.output.files import write_file
from irci.output.report import Report

AT_ONCE = 10_000  # pieces


def write(given: Given, report: Report) -> None:
    """Draw a report if asked to, write its files, and print it, or write it to a file: as the options say.

    Names go out with the bytes they came in with.
    """
    if given["plot"] is not None:
        from irci.output.plots import draw

        kind = given["plot"].rpartition(".")[2].lower()
        write_file(given["plot"], draw(report, kind))
    for path, text in report.files.items():
        _write(path, [_encoded(text)])
    _write(given["output"], _in_chunks(_pieces(given, report)))
    if report.failures:
        raise ConditionHolds(*report.failures)


def _pieces(given: Given, report: Report) -> Iterator[str]:
    """The report in the format wanted. A page has the sentences whether they are asked for or not."""
    if given["output_format"] == "html":
        from irci.cli.asked import asked
        from irci.output.page import page

        return page(report, asked(given), given["digits"], wide_table(given, report))
    notes = explanation(given, report) if given["explain"] else ()
    return chosen_writer(given, report)(report.tables, report.signature, notes)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _in_chunks(pieces: Iterator[str]) -> Iterator[bytes]:
    """Pieces of text as bytes, many at a time."""
    while text := "".join(islice(pieces, AT_ONCE)):
        yield _encoded(text)


def _write(path: str, chunks: Iterable[bytes]) -> None:
    """Print as it comes, or write a file as a whole."""
    if path == STANDARD_STREAM:
        for chunk in chunks:
            click.echo(chunk, nl=False)
    else:
        whole = io.BytesIO()
        whole.writelines(chunks)
        write_file(path, whole.getvalue())

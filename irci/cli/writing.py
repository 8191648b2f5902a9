"""What becomes of a report: the only place that writes one."""

import io
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import islice

import click

import irci
from irci.cli.command import Given
from irci.errors import ConditionHolds, DataError
from irci.output.files import write_file
from irci.output.formats import FORMATS
from irci.output.report import Report

AT_ONCE = 10_000  # pieces
PIPE_CLOSED = 128 + 13  # what a shell says of a filter that SIGPIPE ended


def write(given: Given, report: Report) -> None:
    """Draw a report if asked to, write its files, and print it, or write it to a file: as the options say.

    Names go out with the bytes they came in with.
    """
    signature = {"irci": irci.__version__, **report.signature}
    if given["plot"] is not None:
        from irci.output.plots import draw

        kind = given["plot"].rpartition(".")[2].lower()
        write_file(given["plot"], draw(report.pictures, kind, report.confidence))
    for path, text in report.files.items():
        write_file(path, _encoded(text))
    notes = report.sentences if given["explain"] else ()
    shown = _in_chunks(FORMATS[given["output_format"]](report.tables, signature, notes))
    if given["output"] is None:
        _print(given.context, shown)
    else:
        whole = io.BytesIO()
        whole.writelines(shown)
        write_file(given["output"], whole.getvalue())
    if report.failures:
        raise ConditionHolds(*report.failures)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _in_chunks(pieces: Iterator[str]) -> Iterator[bytes]:
    """Pieces of text as bytes, many at a time."""
    while text := "".join(islice(pieces, AT_ONCE)):
        yield _encoded(text)


def _print(context: click.Context, chunks: Iterable[bytes]) -> None:
    """Write to standard output. Whoever has read enough of it ends the command, quietly, as any filter."""
    try:
        for chunk in chunks:
            click.echo(chunk, nl=False)
    except OSError as error:
        # What is left in the buffer would fail once more when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            context.exit(PIPE_CLOSED)
        raise DataError(f"standard output: cannot be written ({error.strerror})") from None

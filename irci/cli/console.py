"""What the user sees besides results: warnings, a progress bar; and where results go."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from irci.cli.options import kind_of_picture
from irci.errors import DataError, visible
from irci.output.formats import FORMATS, write_file

if TYPE_CHECKING:
    from irci.data.scores import Scores

NAMED = 5  # how many topics a warning names


def warn(message: str) -> None:
    """One warning line on standard error."""
    click.echo(f"irci: warning: {visible(message)}", err=True)


def inform(message: str) -> None:
    """One line on standard error that is no warning."""
    click.echo(f"irci: {visible(message)}", err=True)


def warn_of_topics(what: str, happens: str, topics: Sequence[str], kind: str = "") -> None:
    """Count the topics of which something is to be said, and name the first few."""
    if topics:
        more = " ..." if len(topics) > NAMED else ""
        warn(f"{what}: {plural(len(topics), kind + 'topic')} {happens}: {' '.join(topics[:NAMED])}{more}")


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def with_progress(things: Sequence[str], unit: str) -> Iterable[str]:
    """The things, with a progress bar on a terminal if going through them takes more than a second."""
    if len(things) == 1 or not sys.stderr.isatty():
        return things
    from tqdm import tqdm

    bar: Iterable[str] = tqdm(things, unit=unit, delay=1, leave=False)
    return bar


def write(
    rows: Sequence[Mapping[str, Any]],
    output_format: str,
    path: str | None,
    signature: Mapping[str, Any],
    notes: Sequence[str] = (),
    *,
    plot: str | None = None,
    drawn: Sequence[Mapping[str, Any]] | None = None,
) -> None:
    """Write rows and notes to a file or to standard output; names go out with the bytes they came in with.

    `plot`: draw the rows too, or those that are for drawing.
    """
    if plot is not None:
        from irci.output.plots import draw

        _write_file(plot, draw(rows if drawn is None else drawn, kind_of_picture(plot), signature.get("confidence")))
    text = FORMATS[output_format](rows, signature, notes).encode("utf-8", "surrogateescape")
    if path is None:
        try:
            click.echo(text, nl=False)
        except BrokenPipeError:
            raise  # whoever reads has had enough: click ends quietly
        except OSError as error:
            # What is left in the buffer would fail once more when the interpreter ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise DataError(f"standard output: cannot be written ({error.strerror})") from None
    else:
        _write_file(path, text)


def save(scores: "Scores", path: str) -> None:
    """Write a long table of scores."""
    from irci.data.scores import saved_rows  # which takes kernels along, and not all commands need any

    save_rows(list(saved_rows(scores)), path)


def save_rows(rows: Sequence[Mapping[str, Any]], path: str) -> None:
    """Write a table."""
    _write_file(path, FORMATS["tsv"](rows, {}, ()).encode("utf-8", "surrogateescape"))


def write_text(path: str, text: str) -> None:
    """Write a file as a whole or not at all."""
    _write_file(path, text.encode("utf-8", "surrogateescape"))


def _write_file(path: str, text: bytes) -> None:
    try:
        write_file(path, text)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror})") from None

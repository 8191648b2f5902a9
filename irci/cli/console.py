"""What the user sees besides results: warnings and a progress bar, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import click

from irci.base.errors import visible

if TYPE_CHECKING:
    from irci.base.types import Progress

Thing = TypeVar("Thing")
WARNINGS = "irci.warnings"  # where what has been warned of stands in the context of a command


def show_what_is_logged() -> None:
    """Everything goes to standard error, also that kernels are being compiled, which takes its time."""
    import logging

    class ToStandardError(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            kind = "" if record.levelno < logging.WARNING else "warning: "
            click.echo(f"irci: {kind}{visible(record.getMessage())}", err=True)

    logger = logging.getLogger("irci")
    if not logger.handlers:
        logger.addHandler(ToStandardError())
    logger.propagate = False
    logger.setLevel(logging.INFO)


@contextmanager
def hear_warnings() -> Iterator[list[str]]:
    """All that this thread warns of, as it is said, for a page or a report that tells it too."""
    import logging
    import threading

    heard: list[str] = []
    thread = threading.get_ident()

    class Hearing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.thread == thread:
                heard.append(record.getMessage())

    hearing = Hearing(logging.WARNING)
    logger = logging.getLogger("irci")
    logger.addHandler(hearing)
    try:
        yield heard
    finally:
        logger.removeHandler(hearing)


def be_quiet() -> None:
    """No warnings from here on."""
    import logging

    logging.getLogger("irci").setLevel(logging.ERROR)


def progress_of(wanted: bool | None) -> Progress:
    """Shows how far it is, on a terminal if that takes more than a second; if wanted everywhere and at once, or never."""
    from irci.base.types import as_they_are

    if wanted is None:
        return with_progress if sys.stderr.isatty() else as_they_are
    return with_bar if wanted else as_they_are


def with_progress(things: Sequence[Thing], unit: str, /) -> Iterable[Thing]:
    """Things, with a progress bar if there are several and going through them takes more than a second."""
    if len(things) == 1:
        return things
    from tqdm import tqdm

    bar: Iterable[Thing] = tqdm(things, unit=unit, delay=1, leave=False)
    return bar


def with_bar(things: Sequence[Thing], unit: str, /) -> Iterable[Thing]:
    """Things, with a progress bar that stays."""
    from tqdm import tqdm

    bar: Iterable[Thing] = tqdm(things, unit=unit)
    return bar

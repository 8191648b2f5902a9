"""What the user sees besides results: warnings and a progress bar, on standard error."""

import sys
from collections.abc import Iterable, Sequence
from typing import TypeVar

import click

from irci.errors import visible

Thing = TypeVar("Thing")


def show_what_is_logged() -> None:
    """Everything goes to standard error; that kernels are being compiled only on a terminal, which else would stand still."""
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
    logging.getLogger("irci.kernels").setLevel(logging.NOTSET if sys.stderr.isatty() else logging.WARNING)


def be_quiet() -> None:
    """No warnings from here on."""
    import logging

    logging.getLogger("irci").setLevel(logging.ERROR)


def with_progress(things: Sequence[Thing], unit: str) -> Iterable[Thing]:
    """Things, with a progress bar on a terminal if going through them takes more than a second."""
    if len(things) == 1 or not sys.stderr.isatty():
        return things
    from tqdm import tqdm

    bar: Iterable[Thing] = tqdm(things, unit=unit, delay=1, leave=False)
    return bar

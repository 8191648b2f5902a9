"""What users see of compiling: that it begins, and on a terminal or in a notebook which kernel it is at."""

import sys
import warnings
from contextlib import suppress

from irci.base.errors import logger

COMPILING = "compiling kernels for their first use; this can take half a minute ..."
ERASE = "\r\x1b[K"  # the line of a terminal


class Progress:
    """How many kernels are compiled; those that are compiled inside of others are not counted."""

    def __init__(self) -> None:
        self.depth = self.compiled = self.number = 0  # number: of all kernels, if that is known

    def start(self) -> None:
        if self.depth == 0:
            if self.compiled == 0:
                _announce()
            self.show(self.compiled + 1)
        self.depth += 1

    def end(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.compiled += 1
            _write("")

    def show(self, now: int) -> None:
        """Show at which kernel it is."""
        _write(f"irci: compiling kernels {now}" + (f" of {self.number} ..." if self.number else " ..."))


progress = Progress()


def _write(text: str) -> None:
    if (sys.stderr.isatty() or "ipykernel" in sys.modules) and logger.is_shown(logger.WARNING):
        with suppress(Exception):  # whatever took the stream's place
            sys.stderr.write(ERASE + text)
            sys.stderr.flush()


def _announce() -> None:
    # In a program that shows no such messages of ours, by a warning of Python's.
    if logger.is_shown(logger.INFO):
        logger.info(COMPILING)
    elif logger.is_shown(logger.WARNING):
        with suppress(Warning):  # where warnings are errors; this one tells of nothing wrong
            warnings.warn(f"irci: {COMPILING}", stacklevel=2)

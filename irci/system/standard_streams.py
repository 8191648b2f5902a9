"""Standard input, output and error of the process, progress bars, and what has been warned of.

Any of the streams may be closed, full, or a pipe that nobody reads. A parent may also have made them non-blocking: then a
write that would have to wait gives None.
"""

from __future__ import annotations

import io
import os
import select
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from irci.base.errors import DataError, PipeClosed, logger
from irci.system import process

if TYPE_CHECKING:
    from irci.base.types import ProgressBar

Thing = TypeVar("Thing")


def open_standard_streams() -> None:
    """Make the streams say what they cannot do.

    Were one closed, the next file opened would get its number, and its text: so something that can be neither read nor
    written takes the place of input and output, and something that keeps nothing that of standard error.
    """
    full = "/dev/full" if os.path.exists("/dev/full") else os.devnull  # /dev/stdout can be opened, for writing too
    for number, (path, mode) in enumerate(((os.devnull, os.O_WRONLY), (full, os.O_RDONLY), (os.devnull, os.O_WRONLY))):
        try:
            os.fstat(number)
        except OSError:
            os.open(path, mode)  # gets the lowest number that is free
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", closefd=False)))
    sys.stdout = _text(_Results(1, "w", closefd=False), sys.stdout)
    sys.stderr = _text(_Messages(2, "w", closefd=False), sys.stderr)


class _Results(io.FileIO):
    """Standard output: that it cannot be written is told as such."""

    def write(self, data: Any, /) -> int:
        try:
            while (written := super().write(data)) is None:
                select.select([], [self], [])
            return written
        except BrokenPipeError:
            raise PipeClosed from None
        except OSError as error:
            raise DataError(f"standard output: cannot be written ({error.strerror})") from None


class _Messages(io.FileIO):
    """Standard error: that it cannot be written changes neither the result nor the status."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data) or len(data)
        except OSError:
            return len(data)


def _text(raw: io.FileIO, like: Any) -> io.TextIOWrapper:
    # Encoded as Python's own was, if there was one.
    encoding, errors = (None, "backslashreplace") if like is None else (like.encoding, like.errors)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors, line_buffering=True)


def progress() -> ProgressBar:
    """Shows how far it is, if the process is the command's own and standard error a terminal."""
    from irci.base.types import as_they_are

    return with_progress if process.is_own and sys.stderr.isatty() else as_they_are


def with_progress(things: Sequence[Thing], unit: str, /) -> Iterable[Thing]:
    """Things, with a progress bar if there are several and going through them takes more than a second."""
    if len(things) == 1:
        return things
    from tqdm import tqdm

    bar: Iterable[Thing] = tqdm(things, unit=unit, delay=1, leave=False)
    return bar


@contextmanager
def hear_warnings() -> Iterator[list[str]]:
    """All that this thread warns of, for a page or a report that tells it too."""
    import threading

    heard: list[str] = []
    thread = threading.get_ident()

    def hear(level: int, message: str) -> bool:
        if level >= logger.WARNING and threading.get_ident() == thread:
            heard.append(message)
        return False

    with logger.heard_by(hear):
        yield heard

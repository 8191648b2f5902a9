"""The process: whether it is the command's own, whose it is, its files, written as a whole or not at all, the signals that end
it, its standard streams, progress bars, and what has been warned of.

Imported before all else: it takes no time. Any of the streams may be closed, full, or a pipe that nobody reads. A parent may
also have made them non-blocking: then a write that would have to wait gives None.
"""

from __future__ import annotations

import io
import os
import select
import signal
import stat
import sys
from _thread import allocate_lock, start_new_thread  # of threading, which takes time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from irci.base.errors import DataError, PipeClosed, logger
from irci.system import process

if TYPE_CHECKING:
    from irci.base.types import ProgressBar

try:
    import fcntl
    from signal import SIG_BLOCK, SIG_UNBLOCK, pthread_sigmask

    CAN_END_EARLY = True
except ImportError:  # Windows
    CAN_END_EARLY = False

is_own = False  # nobody else imports anything in it, so that packages need not be whole

PATIENCE = 5  # seconds that an end waits for a file to be put in place
EXIT_INTERRUPTED = 128 + signal.SIGINT
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

temporaries: set[str] = set()
changing = allocate_lock()  # held while one is made or put in place; whoever ends the process keeps it


def user() -> int | None:
    """The effective user's id; None on systems without such ids (Windows), which do not tell whose a file is."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def remove_temporaries() -> None:
    """Before the process ends: remove what there is. From here on none is made or put in place.

    One that is being put in place for longer than PATIENCE stays: it may be the only whole copy of what is half written.
    """
    if not changing.acquire(timeout=PATIENCE):
        return
    for path in tuple(temporaries):
        try:  # noqa: SIM105  contextlib takes time to import
            os.unlink(path)
        except OSError:
            pass


def end_at_signals() -> None:
    """From here on an interrupt, SIGTERM or SIGHUP ends the process at once, whatever it is doing.

    An interrupt ends it with status 130, which is the contract (a loop of bash goes on after it); the others as they would
    have. A thread is told of them through a pipe. Python's own handlers have to wait themselves, for compiled code to return,
    and what they raise is a traceback in an import and nothing at all in a callback. Signals are not blocked: programs that
    this one starts would inherit that. Signals that the process was started to ignore (by nohup, or behind &) stay ignored.
    Where signals cannot be blocked in a thread (Windows), they are left to Python.
    """
    if not CAN_END_EARLY:
        return
    signals = {number for number in ENDING if signal.getsignal(number) != signal.SIG_IGN}
    pthread_sigmask(SIG_BLOCK, signals)  # until all is in place; in the thread, for ever
    reader, writer = map(_beyond_streams, os.pipe())
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in signals:
        signal.signal(number, lambda number, frame: None)
    start_new_thread(_end_at, (signals, reader))
    pthread_sigmask(SIG_UNBLOCK, signals)


def _beyond_streams(handle: int) -> int:
    # A standard stream may be closed, and its number the next one that is free.
    moved = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(handle)
    return moved


def _end_at(signals: set[signal.Signals], reader: int) -> None:
    number = 0
    while number not in signals:  # others have handlers of their own, such as timers
        number = os.read(reader, 1)[0]
    try:
        remove_temporaries()
        if number == signal.SIGINT:
            poll = select.poll()
            poll.register(2, select.POLLOUT)
            # Unless that would have to wait, for somebody to read what is there.
            if any(event & select.POLLOUT for _, event in poll.poll(0)):
                # Behind a progress bar, or the ^C that a terminal shows.
                os.write(2, b"\nirci: interrupted\n" if os.isatty(2) else b"irci: interrupted\n")
        else:
            import ctypes  # takes time

            # So that its parent sees which signal; signal.signal is for the main thread, which may be busy.
            ctypes.pythonapi.PyOS_setsig(number, None)
            pthread_sigmask(SIG_UNBLOCK, {number})
            signal.raise_signal(number)
    finally:  # whatever failed; and process 1 of a container is not ended by its own signals
        os._exit(128 + number)


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


LONGEST_PART = 60  # letters of a name that its temporary file shows: names have a limit, in bytes


def write_file(path: str, text: bytes) -> None:
    """Write a file as a whole or not at all: whoever reads `path` sees the old content or the new one.

    A link stays a link to the file written; a pipe or a device (/dev/stdout) is written to as it is. Raises DataError.
    """
    try:
        _write(path, text)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror})") from None


def is_written_in_place(path: str) -> bool:
    """True where there is something that no file can take the place of: a device, a pipe, or a stream that is open already."""
    return path.startswith(("/dev/std", "/dev/fd/")) or not os.path.isfile(path)


def _write(path: str, text: bytes) -> None:
    if os.path.exists(path) and is_written_in_place(path):
        with open(path, "wb") as file:
            file.write(text)
        return
    path = os.path.realpath(path)
    folder, name = os.path.split(path)
    with changing:
        import tempfile  # takes time

        handle, temporary = tempfile.mkstemp(prefix=f".{name[:LONGEST_PART]}.", dir=folder)
        temporaries.add(temporary)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        os.chmod(temporary, _mode_of(path))
        with changing:
            os.replace(temporary, path)
    finally:
        with changing:
            temporaries.remove(temporary)
            with suppress(FileNotFoundError):  # it has been moved
                os.unlink(temporary)


def _mode_of(path: str) -> int:
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)  # which cannot be read without setting it
    os.umask(mask)
    return 0o666 & ~mask

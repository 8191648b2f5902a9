"""The machine: the process (whether it is the command's own, the signals that end it), its standard streams and
files, written as a whole or not at all, what it has been warned of, and functions of scipy; and the work of kernels:
interrupted between them, in shares, a thread each, and in memory that there is.

Imported before all else: it takes no time. Any of the streams may be closed.

Kernels run without the interpreter's lock. Python's own handler of interrupts would raise KeyboardInterrupt wherever the main
thread is: inside an import of numba or scipy, which stays half done, or inside numba while it loads a kernel, which ends the
process. The command line, which has nothing to go on with, ends at once (`end_at_signals`). More memory than there is is
refused before it is asked for, since systems promise what they cannot give.
"""

from __future__ import annotations

import math
import os
import signal
import stat
import sys
from _thread import _local, get_ident  # of threading, which takes time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from irci.base import DataError, logger

if TYPE_CHECKING:
    from concurrent.futures import Future
    from types import ModuleType

Thing = TypeVar("Thing")
Result = TypeVar("Result")

is_own = False  # nobody else imports anything in it, so that packages need not be whole


def end_at_signals() -> None:
    """From here on an interrupt, or a pipe that nobody reads any more, ends the process at once, as SIGTERM and SIGHUP do; but
    for an interrupt that it was started to ignore (behind &). Python's own handler waits for compiled code to return."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def open_standard_streams() -> None:
    """Put something in the place of streams that are closed, whose numbers, and text, the next files opened would get: what is
    empty, what is full, so that no result is lost unseen, and what takes all."""
    full = "/dev/full" if os.path.exists("/dev/full") else os.devnull
    for number, (name, path) in enumerate((("stdin", os.devnull), ("stdout", full), ("stderr", os.devnull))):
        if getattr(sys, name) is None:
            os.open(path, os.O_RDWR)  # gets the lowest number that is free
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


def with_progress(things: Sequence[Thing], unit: str) -> Iterable[Thing]:
    """Things, which are each called a `unit`; with a progress bar if there are several, going through them takes more than a
    second, the process is the command's own and standard error a terminal."""
    if len(things) == 1 or not (is_own and sys.stderr.isatty()):
        return things
    from tqdm import tqdm

    bar: Iterable[Thing] = tqdm(things, unit=unit, delay=1, leave=False)
    return bar


@contextmanager
def hear_warnings() -> Iterator[list[str]]:
    """All that this thread warns of, for a page or a report that tells it too."""
    heard: list[str] = []
    thread = get_ident()

    def hear(level: int, message: str) -> bool:
        if level >= logger.WARNING and get_ident() == thread:
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
        if os.path.exists(path) and is_written_in_place(path):
            with open(path, "wb") as file:
                file.write(text)
            return
        import tempfile  # takes time

        target = os.path.realpath(path)
        folder, name = os.path.split(target)
        handle, temporary = tempfile.mkstemp(prefix=f".{name[:LONGEST_PART]}.", dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text)
            if os.path.exists(target):
                mode = stat.S_IMODE(os.stat(target).st_mode)
            else:
                os.umask(mask := os.umask(0))  # which cannot be read without setting it
                mode = 0o666 & ~mask
            os.chmod(temporary, mode)
            os.replace(temporary, target)
        finally:
            with suppress(FileNotFoundError):  # it has been moved
                os.unlink(temporary)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror})") from None


def is_written_in_place(path: str) -> bool:
    """True where there is something that no file can take the place of: a device, a pipe, or a stream that is open already."""
    return path.startswith(("/dev/std", "/dev/fd/")) or not os.path.isfile(path)


class _Special:
    """Functions of scipy.special, loaded when first asked for: `special.stdtrit` is scipy's.

    Importing the package costs a command more than all else it does (compare .14 -> .39 s): it takes numpy's f2py and tests
    along. So a process of the command takes the same functions from the extension module that has them, with empty packages
    around it, which are forgotten again for others to import whole. A program that calls irci from Python gets them from the
    package, as do versions of scipy that are other inside.
    """

    def __getattr__(self, name: str) -> Any:
        function = getattr(_functions(), name, None) or getattr(import_module("scipy.special"), name)
        setattr(self, name, function)
        return function


special = _Special()


@cache
def _functions() -> ModuleType:
    import threading

    # Another thread, in a kernel, might find what stands in for packages meanwhile.
    if is_own and "scipy" not in sys.modules and threading.active_count() == 1:
        with suppress(Exception):
            return _extension()
    return import_module("scipy.special")


def _extension() -> ModuleType:
    # scipy.special._ufuncs is a private name, as scipy 1.15 to 1.17 have it.
    from importlib.util import find_spec
    from types import ModuleType

    spec, before = find_spec("scipy"), set(sys.modules)
    for package in ("scipy", "scipy.special", "scipy._lib"):
        sys.modules[package] = ModuleType(package)
        inside = package.replace(".", "/").removeprefix("scipy")
        sys.modules[package].__path__ = [f"{folder}{inside}" for folder in spec.submodule_search_locations]  # type: ignore
    try:
        return import_module("scipy.special._ufuncs")
    finally:
        for name in set(sys.modules) - before:
            if name.startswith("scipy"):
                del sys.modules[name]


_here = _local()  # `asked`: of the call that a thread works for, a threading.Event, set once that is interrupted


@contextmanager
def between_kernels() -> Iterator[None]:
    """In the block an interrupt makes the next `heed` raise KeyboardInterrupt, or the end of the block.

    So it is in the main thread while Python's own handler is in force, which is put back; elsewhere nothing is changed.
    """
    import threading

    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    _here.asked = asked = threading.Event()
    signal.signal(signal.SIGINT, lambda number, frame: asked.set())
    try:
        yield
        heed()
    finally:
        _here.asked = None
        signal.signal(signal.SIGINT, signal.default_int_handler)


def heed() -> None:
    """Raise KeyboardInterrupt if the call that this thread works for has been interrupted."""
    asked = getattr(_here, "asked", None)
    if asked is not None and asked.is_set():
        raise KeyboardInterrupt


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


CPUINFO = "/proc/cpuinfo"
LEVELS = {4: "avx512vl", 3: "avx2", 2: "sse4_2"}  # of x86-64, each with what only processors of this level have


def kind_of_processor() -> str:
    """The architecture, and of x86-64 the level of its instructions where the system tells: results have the same last bits
    on processors of one kind."""
    machine = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")
    if machine != "x86_64":  # an emulated processor may tell the flags of the one it runs on
        return machine
    with suppress(OSError, StopIteration), open(CPUINFO) as lines:
        flags = next(line for line in lines if line.startswith("flags")).split()
        return machine + next((f"-v{level}" for level, flag in LEVELS.items() if flag in flags), "")
    return machine


FEW_STEPS = 200_000  # of kernels, up to which a thread takes longer to start than they do


def in_shares(work: Callable[[slice], Result], number: int, threads: int, steps: float = math.inf) -> list[Result]:
    """Results of `work` on each share of so many things, in order; `steps`: about how many its kernels take in all."""
    if steps <= FEW_STEPS:
        threads = 1
    edges = [number * share // threads for share in range(threads + 1)]
    shares = [slice(low, high) for low, high in pairwise(edges) if low < high]
    return list(in_order(work, shares, max(len(shares), 1)))


def in_order(work: Callable[[Thing], Result], items: Iterable[Thing], threads: int) -> Iterator[Result]:
    """Results of `work` on each item, in order; no more results wait than there are threads, which heed as this one does."""
    asked = getattr(_here, "asked", None)

    def heeding(item: Thing) -> Result:
        _here.asked = asked
        heed()
        return work(item)

    if threads == 1:
        yield from map(heeding, items)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        coming: deque[Future[Result]] = deque()
        for item in items:
            coming.append(pool.submit(heeding, item))
            if len(coming) > threads:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()


def physical() -> float:
    """The bytes of memory of this machine; infinite if it does not tell."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return math.inf


def claim(*shape: int, bytes_each: int = 8) -> None:
    """Raise MemoryError if an array of this shape cannot fit, whatever else there is."""
    needed = math.prod(shape) * bytes_each
    if needed > physical():
        raise MemoryError(f"{needed / 1e9:.3g} GB are needed, which this machine does not have")

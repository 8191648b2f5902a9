"""Work of kernels: interrupted between them, in shares, a thread each, and in memory that there is.

Kernels run without the interpreter's lock. Python's own handler of interrupts would raise KeyboardInterrupt wherever the main
thread is: inside an import of numba or scipy, which stays half done, or inside numba while it loads a kernel, which ends the
process. The command line, which has nothing to go on with, ends at once (`irci.system.process`). More memory than there is is
refused before it is asked for, since systems promise what they cannot give.
"""

from __future__ import annotations

import math
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Given = TypeVar("Given")
Result = TypeVar("Result")
Item = TypeVar("Item")


class _OfThread(threading.local):
    asked: threading.Event | None = None  # of the call that it works for: set once that is interrupted


_here = _OfThread()


@contextmanager
def between_kernels() -> Iterator[None]:
    """In the block an interrupt makes the next `heed` raise KeyboardInterrupt, or the end of the block.

    So it is in the main thread while Python's own handler is in force, which is put back; elsewhere nothing is changed.
    """
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
    if _here.asked is not None and _here.asked.is_set():
        raise KeyboardInterrupt


def heeding(work: Callable[[Given], Result]) -> Callable[[Given], Result]:
    """The work as another thread is to do it, for the call of this one: it begins with heeding."""
    asked = _here.asked
    if asked is None:
        return work

    def of_call(call: Given) -> Result:
        _here.asked = asked
        heed()
        return work(call)

    return of_call


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
    work = heeding(work)
    if len(shares) < 2:
        return [work(share) for share in shares]
    from concurrent.futures import ThreadPoolExecutor  # takes time

    with ThreadPoolExecutor(len(shares)) as pool:
        return list(pool.map(work, shares))


def in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Results of `work` on each item, in order; no more results wait than there are threads."""
    work = heeding(work)
    if threads == 1:
        yield from map(work, items)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        coming: deque[Future[Result]] = deque()
        for item in items:
            coming.append(pool.submit(work, item))
            if len(coming) > threads:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()


MEMINFO = "/proc/meminfo"
LIMIT = "/sys/fs/cgroup/memory.max"  # of a container, or of a job on a cluster
SHARE = 0.5  # of what is available, that the results of a command may take


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


def available() -> float:
    """The bytes that this process may still take: of the machine, of a container, by its own limit."""
    byte_counts = [physical()]
    with suppress(OSError, ValueError), open(LIMIT) as quota:
        byte_counts.append(float(int(quota.read())))
    with suppress(OSError, StopIteration), open(MEMINFO) as lines:
        line = next(line for line in lines if line.startswith("MemAvailable:"))
        byte_counts.append(float(line.split()[1]) * 1024)
    with suppress(ImportError, OSError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        byte_counts += [float(limit)] if limit != resource.RLIM_INFINITY else []
    return min(byte_counts)


def is_too_much(needed: int) -> bool:
    """True if results of so many bytes are more than may be taken of what is available."""
    return needed > SHARE * available()


def in_words(size: int) -> str:
    """A number of bytes, roughly."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(1, round(size / 1e6))} MB"

"""Interrupts of calls from Python: heeded between kernels, where nothing is half done.

Python's own handler would raise KeyboardInterrupt wherever the main thread is: inside an import of numba or scipy, which stays
half done, or inside numba while it loads a kernel, which ends the process. The command line, which has nothing to go on with,
ends at once (`irci.system.signals`).
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")


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

    def of_call(given: Given) -> Result:
        _here.asked = asked
        heed()
        return work(given)

    return of_call

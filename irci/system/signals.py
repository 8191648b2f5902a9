"""Signals that end the process. Imported before all else: it takes no time."""

import os
import select
import signal
from _thread import start_new_thread

from irci.system import process

try:
    import fcntl
    from signal import SIG_BLOCK, SIG_UNBLOCK, pthread_sigmask

    CAN_END_EARLY = True
except ImportError:  # Windows
    CAN_END_EARLY = False

EXIT_INTERRUPTED = 128 + signal.SIGINT
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


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
    signals = {each for each in ENDING if signal.getsignal(each) != signal.SIG_IGN}
    pthread_sigmask(SIG_BLOCK, signals)  # until all is in place; in the thread, for ever
    told, tell = map(_beyond_streams, os.pipe())
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    for each in signals:
        signal.signal(each, lambda number, frame: None)
    start_new_thread(_end_at, (signals, told))
    pthread_sigmask(SIG_UNBLOCK, signals)


def _beyond_streams(handle: int) -> int:
    # A standard stream may be closed, and its number the next one that is free.
    moved = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(handle)
    return moved


def _end_at(signals: set[signal.Signals], told: int) -> None:
    number = 0
    while number not in signals:  # others have handlers of their own, such as timers
        number = os.read(told, 1)[0]
    try:
        process.remove_temporaries()
        if number == signal.SIGINT:
            _say_interrupted()
        else:
            _raise_by_default(number)
    finally:  # whatever failed; and process 1 of a container is not ended by its own signals
        os._exit(128 + number)


def _say_interrupted() -> None:
    """Unless that would have to wait, for somebody to read what is there."""
    poll = select.poll()
    poll.register(2, select.POLLOUT)
    if any(event & select.POLLOUT for _, event in poll.poll(0)):
        # Behind a progress bar, or the ^C that a terminal shows.
        os.write(2, b"\nirci: interrupted\n" if os.isatty(2) else b"irci: interrupted\n")


def _raise_by_default(number: int) -> None:
    """Let a signal end the process, so that its parent sees which. signal.signal is for the main thread, which may be busy."""
    import ctypes  # takes time

    ctypes.pythonapi.PyOS_setsig(number, None)
    pthread_sigmask(SIG_UNBLOCK, {number})
    signal.raise_signal(number)

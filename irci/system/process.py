"""The process: whether it is the command's own, whose it is, its files on the way, the signals that end it.

Imported before all else: it takes no time.
"""

import os
import select
import signal
from _thread import allocate_lock, start_new_thread  # of threading, which takes time

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

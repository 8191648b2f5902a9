"""Signals that end the process. Imported before all else: it takes no time."""

import os
import signal
from _thread import start_new_thread

from irci import temporaries

EXIT_INTERRUPTED = 128 + signal.SIGINT
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end_at_signals() -> None:
    """From here on an interrupt, SIGTERM or SIGHUP ends the process at once, whatever it is doing.

    A thread waits for them. Python's own handlers have to wait themselves, for compiled code to return, and what they raise
    is a traceback in an import and nothing at all in a callback. Signals that the process was started to ignore (by nohup,
    or behind &) stay ignored.
    """
    signals = {each for each in ENDING if signal.getsignal(each) != signal.SIG_IGN}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # in this thread and in those that it will start
    start_new_thread(_end_at, (signals,))


def _end_at(signals: set[signal.Signals]) -> None:
    number = signal.sigwait(signals)
    temporaries.remove_all()
    if number == signal.SIGINT:
        try:
            # Behind a progress bar, or the ^C that a terminal shows.
            os.write(2, b"\nirci: interrupted\n" if os.isatty(2) else b"irci: interrupted\n")
        finally:
            os._exit(EXIT_INTERRUPTED)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)

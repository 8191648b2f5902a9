"""Signals: who presses Ctrl-C is obeyed at once, from the first line of main to the last."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import partial

import pytest
from command_lines import by_python
from interrupts import attempt, interrupts


@pytest.mark.check
def test_signals_at_random_moments_end_commands_and_leave_nothing() -> None:
    """`python tests/interrupts.py 500` is the long version, of more kinds of commands."""
    assert not any(problem for _, problem, _ in interrupts(10, kinds=["help"])["help"])


def test_an_interrupt_is_obeyed_in_the_middle_of_a_kernel() -> None:
    """Which would go on for much longer."""
    found = attempt("one kernel", signal.SIGINT, 1.5)
    assert (found.status, found.stdout, found.stderr) == (130, b"", b"irci: interrupted\n")


@pytest.mark.sample(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_signals_to_be_ignored_are_ignored(number: signal.Signals) -> None:
    """A job behind & is not interrupted, nor one under nohup hung up."""
    whole = attempt("help")
    found = attempt("help", number, 0.03, handler=signal.SIG_IGN)
    assert (found.status, found.stdout, found.stderr) == (0, whole.stdout, whole.stderr)


START = "from irci.system import end_at_signals; end_at_signals(); "


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_full_pipe_as_standard_error_does_not_keep_a_process(number: signal.Signals) -> None:
    """Its message would wait for a reader."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writer, b"x" * 4096)
    os.set_blocking(writer, True)
    code = START + f"import os; os.kill(os.getpid(), {number:d}); os.read(os.pipe()[0], 1)"
    obeyed = partial(signal.signal, number, signal.SIG_DFL)  # which a job behind & does not
    process = subprocess.Popen([sys.executable, "-S", "-c", code], stderr=writer, preexec_fn=obeyed)
    try:
        assert process.wait(20) == (130 if number == signal.SIGINT else -number)
    finally:
        process.kill()
        process.wait()
        os.close(reader)
        os.close(writer)


# Process 1 of a container is not ended by what would end others.
AS_PROCESS_1 = "import signal; signal.raise_signal = lambda number: None; "
FAILS = "from irci import system; system.remove_temporaries = lambda: 1 / 0; "
TIMER = (
    "import signal; signal.signal(signal.SIGVTALRM, lambda *_: print('timer')); signal.raise_signal(signal.SIGVTALRM); "
)


@pytest.mark.parametrize(
    ("before", "status", "stdout"), [(AS_PROCESS_1, 143, b""), (FAILS, 143, b""), (TIMER, -signal.SIGTERM, b"timer\n")]
)
def test_the_process_ends_whatever_happens_on_the_way(before: str, status: int, stdout: bytes) -> None:
    code = START + before + "import os; print(end='', flush=True); os.kill(os.getpid(), 15); os.read(os.pipe()[0], 1)"
    done = by_python("-S", "-c", code, timeout=20, text=False)
    assert (done.returncode, done.stdout) == (status, stdout)


def test_programs_that_are_started_inherit_nothing() -> None:
    """Neither blocked signals, which would make them last, nor the number of a standard stream that is closed."""
    child = "import os, signal; print(signal.pthread_sigmask(0, ()), signal.getsignal(15) == signal.SIG_DFL)"
    code = START + (
        "import os, subprocess, sys\n"
        "try: os.fstat(0); print('taken')\n"
        "except OSError: print('closed', flush=True)\n"
        f"subprocess.run([sys.executable, '-S', '-c', {child!r}], stdin=subprocess.DEVNULL)"
    )
    done = by_python("-S", "-c", code, timeout=20, preexec_fn=lambda: os.close(0))
    assert done.stdout == "closed\nset() True\n", done.stderr

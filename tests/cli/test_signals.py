"""Signals: who presses Ctrl-C is obeyed at once, and a program that was started to ignore signals does."""

import signal
import subprocess
import sys
import time

import pytest
from helpers import SMALL

STARTED = "main"
START = f"from irci.__main__ import main; print({STARTED!r}, flush=True); main()"
# One kernel.
LONG = ["ap-ci", "--quiet", "--threads", "1", "-B", 10_000_000, SMALL / "qrels.txt", SMALL / "runs" / "alpha.run"]


def started(handler: signal.Handlers, *words: object) -> subprocess.Popen[str]:
    """A command that has come to its first line, started with this handler of signals."""
    process = subprocess.Popen(
        [sys.executable, "-c", START, *map(str, words)], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: [signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGHUP)],
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == f"{STARTED}\n"
    return process


@pytest.mark.parametrize("seconds", [0.02, 1.5])
def test_an_interrupt_is_obeyed_at_once(seconds: float) -> None:
    """While modules are imported, and in the middle of a kernel that would go on for much longer; without a traceback."""
    with started(signal.SIG_DFL, *LONG) as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20) == ("", "")
    assert process.returncode == -signal.SIGINT  # of which a shell says 130


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_signals_to_be_ignored_are_ignored(number: signal.Signals) -> None:
    """A job behind & is not interrupted, nor one under nohup hung up."""
    with started(signal.SIG_IGN, "--help") as process:
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=20)
    assert (process.returncode, stdout.startswith("Usage: irci"), stderr) == (0, True, "")

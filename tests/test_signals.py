"""Signals: who presses Ctrl-C is obeyed at once, from the first line of main to the last."""

import signal

import pytest
from interrupts import attempt, interrupts


def test_signals_at_random_moments_end_commands_and_leave_nothing() -> None:
    """`python tests/interrupts.py 500` is the long version, of more kinds of commands."""
    assert interrupts(10, kinds=["help"])["help"].unexpected == []


def test_an_interrupt_is_obeyed_in_the_middle_of_a_kernel() -> None:
    """Which would go on for much longer."""
    found = attempt("one kernel", signal.SIGINT, 1.5)
    assert (found.status, found.stdout, found.stderr) == (130, b"", b"irci: interrupted\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_signals_to_be_ignored_are_ignored(number: signal.Signals) -> None:
    """A job behind & is not interrupted, nor one under nohup hung up."""
    whole = attempt("help")
    found = attempt("help", number, 0.03, handler=signal.SIG_IGN)
    assert (found.status, found.stdout, found.stderr) == (0, whole.stdout, whole.stderr)

"""What is seen of compiling: that it begins, once; on a terminal how far it is."""

import logging
import warnings

import pytest

from irci.native import compiled as progress


def steps(progress: progress.Progress, text: str) -> None:
    for step in text:
        (progress.start if step == "(" else progress.end)()


def test_it_is_announced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many kernels there are, and though one compiles another."""
    messages: list[str] = []
    monkeypatch.setattr(progress.logger, "info", messages.append)
    monkeypatch.setattr(progress.logger, "is_shown", lambda level: True)  # as on the command line
    compiling = progress.Progress()
    steps(compiling, "((()))()")
    assert (messages, compiling.depth, compiling.compiled) == ([progress.COMPILING], 0, 2)


def test_a_program_is_warned(recwarn: pytest.WarningsRecorder) -> None:
    """Once, by Python's own warnings, but not where the logger says no more than errors; and it never ends a compilation."""
    for level, number in ((logging.WARNING, 1), (logging.ERROR, 0)):
        logging.getLogger("irci").setLevel(level)
        try:
            steps(progress.Progress(), "()()")
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                progress.Progress().start()
        finally:
            logging.getLogger("irci").setLevel(logging.NOTSET)
        assert [str(warning.message) for warning in recwarn] == [f"irci: {progress.COMPILING}"] * number
        recwarn.clear()


def test_a_terminal_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Of those compiled ahead with their number."""
    monkeypatch.setattr(progress, "_announce", lambda: None)
    compiling = progress.Progress()
    for is_terminal, shown in (
        (True, ["irci: compiling kernels 1 ...", "irci: compiling kernels 2 of 9 ..."]),
        (False, []),
    ):
        monkeypatch.setattr(progress.sys.stderr, "isatty", lambda is_terminal=is_terminal: is_terminal)
        for compiling.number in (0, 9):
            steps(compiling, "()")
        assert [text for text in capsys.readouterr().err.split(progress.ERASE) if text] == shown

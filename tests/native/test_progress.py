"""What is seen of compiling: that it begins, once."""

import logging
import warnings

import pytest

from irci.native import compiled


def test_it_is_announced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many kernels there are."""
    messages: list[str] = []
    monkeypatch.setattr(compiled.logger, "info", messages.append)
    monkeypatch.setattr(compiled.logger, "is_shown", lambda level: True)  # as on the command line
    compiled.announce.cache_clear()
    compiled.announce()
    compiled.announce()
    assert messages == [compiled.COMPILING]


def test_a_program_is_warned(recwarn: pytest.WarningsRecorder) -> None:
    """Once, by Python's own warnings, but not where the logger says no more than errors; and it never ends a compilation."""
    for level, number in ((logging.WARNING, 1), (logging.ERROR, 0)):
        logging.getLogger("irci").setLevel(level)
        try:
            compiled.announce.cache_clear()
            compiled.announce()
            compiled.announce()
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                compiled.announce.cache_clear()
                compiled.announce()
        finally:
            logging.getLogger("irci").setLevel(logging.NOTSET)
        assert [str(warning.message) for warning in recwarn] == [f"irci: {compiled.COMPILING}"] * number
        recwarn.clear()

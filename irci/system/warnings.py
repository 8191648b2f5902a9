"""Warnings, as they are said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hear_warnings() -> Iterator[list[str]]:
    """All that this thread warns of, for a page or a report that tells it too."""
    import logging
    import threading

    heard: list[str] = []
    thread = threading.get_ident()

    class Hearing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.thread == thread:
                heard.append(record.getMessage())

    hearing = Hearing(logging.WARNING)
    logger = logging.getLogger("irci")
    logger.addHandler(hearing)
    try:
        yield heard
    finally:
        logger.removeHandler(hearing)

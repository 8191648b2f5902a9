"""Reading once more what --missing leaves: rankings that are resampled are read run by run, and that a run is missing is known
only after the last one."""

import os
import stat
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

from irci.base.errors import logger
from irci.base.names import STDIN
from irci.data.file_bytes import bytes_of_pipe
from irci.data.inputs import Inputs
from irci.data.missing import SETTLED
from irci.data.scores import Scores
from irci.data.text_files import InMemory

Read = TypeVar("Read")


class Unsettled(Exception):
    """A table that is over fewer topics or runs than were read, where more than scores was found of each run."""

    def __init__(self, scores: Scores, notices: Sequence[str]) -> None:
        super().__init__()
        self.scores, self.notices = scores, notices


def read_settled(inputs: Inputs, read: Callable[[Inputs], Read]) -> Read:
    """The result of `read` of inputs: once more, of the topics and runs that are left, where the table is over fewer."""
    if inputs.missing not in SETTLED:
        return read(inputs)
    inputs = with_pipes_kept(inputs)
    try:
        with _held_back():
            return read(inputs)
    except Unsettled as unsettled:
        for notice in unsettled.notices:
            logger.warning(notice)
        return read(inputs._replace(settled=unsettled.scores))


def with_pipes_kept(inputs: Inputs) -> Inputs:
    """The inputs with the bytes of what can be read only once."""
    kept = {
        path: InMemory(bytes_of_pipe(path)) for path in inputs.paths() if path not in inputs.memory and _is_pipe(path)
    }
    return inputs._replace(memory={**inputs.memory, **kept}) if kept else inputs


def _is_pipe(path: str) -> bool:
    if path == STDIN:
        return True
    with suppress(OSError, ValueError):
        return stat.S_ISFIFO(os.stat(path).st_mode)
    return False


@contextmanager
def _held_back() -> Iterator[None]:
    """Messages of the block, told at its end unless it is gone through once more."""
    messages: list[tuple[int, str]] = []
    thread = threading.get_ident()

    def keeps(level: int, message: str) -> bool:
        is_own = threading.get_ident() == thread
        if is_own:
            messages.append((level, message))
        return is_own

    try:
        with logger.heard_by(keeps):
            yield
    except Unsettled:
        messages.clear()
        raise
    finally:
        for level, message in messages:
            logger.warning(message) if level >= logger.WARNING else logger.info(message)

"""Errors: what can be wrong with what the user asks or gives, each kind an exit status of the command line; and the logger of
whatever else users are told."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from irci.base.names import plural, visible
from irci.base.records import Record


class Logger:
    """Messages to users besides results. Those who listen get it, the last of them first, until one keeps it; then the
    command shows it, or else it goes to Python's logging, whose library takes time to load.
    """

    INFO, WARNING = 20, 30  # as in logging

    def __init__(self) -> None:
        self.show: Callable[[int, str], None] | None = None  # by the command: gets a level and a message
        self._listeners: list[Listener] = []

    def info(self, message: str) -> None:
        """Tell what is no warning."""
        self._tell(self.INFO, message)

    def warning(self, message: str) -> None:
        """Tell what is not as one would expect."""
        self._tell(self.WARNING, message)

    def _tell(self, level: int, message: str) -> None:
        if not any(keeps(level, message) for keeps in reversed(self._listeners)):
            show = self.show or _logging().log
            show(level, message)

    def is_shown(self, level: int) -> bool:
        """True if the command shows what is told, or if logging does at this level."""
        return self.show is not None or _logging().isEnabledFor(level)

    @contextmanager
    def heard_by(self, listener: Listener) -> Iterator[None]:
        """In the block this one listens too."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)


def _logging() -> Any:
    import logging

    standard_logger = logging.getLogger("irci")
    if not standard_logger.handlers:
        standard_logger.addHandler(logging.NullHandler())  # a library prints nothing unless its user asks logging to
    return standard_logger


# Gets a level and a message; true if nobody else is to have it.
Listener = Callable[[int, str], bool]
logger = Logger()

LINES = 3  # further lines that have the same problem


class IrciError(Exception):
    """Something the user can mend, told in one line or several: a line end in a name makes no line."""

    def __init__(self, *lines: str) -> None:
        super().__init__(*map(visible, lines))

    def __str__(self) -> str:
        return "\n".join(self.args)

    def __reduce__(self) -> tuple[Any, ...]:
        """Lines and attributes, as what another process (of joblib, of dask) sends back; not what the lines were made of."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class Problem(Record):
    """One thing wrong with a file: the line (counted from 1, None for the file as a whole) and the reason.

    `kind`: what several lines have in common, which are told as one; the reason unless given.
    """

    line: int | None
    reason: str
    kind: str = ""


class FormatError(IrciError):
    """A file that cannot be read as what it should be: `path:line: reason`, a line for each kind of problem.

    `hint`: what it may be instead.
    """

    def __init__(self, path: str, problems: Sequence[Problem], counts: Mapping[str, int] | None = None, hint: str = ""):
        """`counts`: how many problems of a kind there are, if `problems` are only the first of them."""
        kinds: dict[str, dict[int | None, str]] = {}  # each with its lines and what is said of them
        for problem in sorted(problems, key=lambda problem: problem.line or 0):
            kinds.setdefault(problem.kind or problem.reason, {}).setdefault(problem.line, problem.reason)
        messages = []
        for kind, reasons in kinds.items():
            line, *more_lines = reasons
            further = (counts or {}).get(kind, len(reasons)) - 1
            first = ", ".join(map(str, more_lines[:LINES])) + (", ..." if further > LINES else "")
            # Without other lines they are in the same one, of JSON.
            these = f"{plural(further, 'more line')}: {first}" if more_lines else f"{further} more"
            more = f" (and {these})" if further else ""
            messages.append(f"{path}{'' if line is None else f':{line}'}: {reasons[line]}{more}")
        super().__init__(*messages, *([f"{path}: {hint}"] if hint else []))

    @classmethod
    def whole_file(cls, path: str, reason: str) -> FormatError:
        return cls(path, [Problem(None, reason)])


class DataError(IrciError):
    """Well-formed input from which the answer cannot be computed."""


class PipeClosed(IrciError):
    """Whoever read standard output has read enough of it."""


class ConditionHolds(IrciError):
    """The condition that --fail-if asks about holds; the result has been written."""


class ConditionUntold(IrciError):
    """There is too little to tell of some pair what --fail-if asks about, and the condition holds of none."""


class UsageError(IrciError):
    """Options that do not go together, or that have no effect together; they are named as they are typed."""

"""The ground of all rooms: names and numbers as they are written, what users are told, and errors."""

from __future__ import annotations

import copyreg
import os
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

# Names and numbers as they are written: bytes in files and on the command line, text where a user reads them.

STDIN = "-"
NAMED = 5  # things in a message
OF_COLLECTIONS = ("all", "mean")  # what stands for the mean over collections, so that none is called so
# What stands between fields and is no part of a name: C's isspace, as in runs. Other scripts' blanks are letters of a name.
BLANKS = " \t\n\r\v\f"
BORDA = "_borda"  # ends the name of points


def text(name: bytes) -> str:
    """A topic's or a run's name for printing; bytes that are no UTF-8 survive the way out."""
    return name.decode("utf-8", "surrogateescape")


def raw(name: str) -> bytes:
    """The bytes that `text` made a name of; of any text, those that are written."""
    return name.encode("utf-8", "surrogateescape")


def is_name(name: str) -> bool:
    """True if it can stand in a line of a table."""
    return bool(name) and not set(name) & set("\t\n\0")


def is_list(path: str) -> bool:
    """True of @FILE, which stands for the files that FILE lists, one a line."""
    return path.startswith("@") and len(path) > 1


def file_of_topics(topics: str | None) -> str | None:
    """The file that --topics names: @FILE, a path with a slash in it, or standard input. Anything else is a list."""
    if topics is None:
        return None
    return topics.removeprefix("@") if topics.startswith("@") or "/" in topics or topics == STDIN else None


def path_and_level(raw: str, in_memory: Container[str] = ()) -> tuple[str, int | None]:
    """The path of FILE:N and N, the lowest grade that counts there; of a FILE alone, and of one that is called so, no level.

    in_memory: names of what is no file, to be taken as they are
    """
    path, _, level = raw.rpartition(":")
    is_level = level.isascii() and level.isdecimal() and len(level) < 10
    if raw in in_memory or not (path and is_level) or os.path.lexists(raw):
        return raw, None
    return path, int(level)


def takes(convert: Callable[[str], object], text: str) -> bool:
    """True if a conversion, which raises ValueError for what it does not take, takes the text."""
    try:
        convert(text)
    except ValueError:
        return False
    return True


def is_text(name: str) -> bool:
    """True if it has bytes: a half of a surrogate pair has none."""
    return takes(raw, name)


def places_by_name(names: Sequence[str]) -> list[int]:
    """Where the names stand, in bytewise order of the names: what pools runs takes them so, whatever order they came in."""
    return sorted(range(len(names)), key=lambda index: raw(names[index]))


def file_name(path: str) -> str:
    """The name of a run taken from its file: the base name without `input.`, .gz, .txt and .run, and blanks around it.

    It is named as it is shown: what may stand in the name of a file, such as a tab, may not in a line of a table.
    """
    name = visible(os.path.basename(path.rstrip(os.sep)) if path != STDIN else "stdin")
    stem = name.removeprefix("input.")
    while stem.endswith((".gz", ".txt", ".run")):
        stem = stem[: stem.rindex(".")]
    return stem.strip(BLANKS) or name.strip(BLANKS) or repr(name)


def stem(path: str) -> str:
    """The name of a run whose file has no tags: that of the file, without .csv, .tsv, .json or .parquet too."""
    name = file_name(path)
    return re.sub(r"\.(csv|tsv|json|parquet)$", "", name) or name


class Margin(NamedTuple):
    """Within which runs are equivalent: an amount, or a share of the baseline's mean."""

    amount: float
    is_share: bool = False

    def __str__(self) -> str:
        return f"{100 * self.amount:g}%" if self.is_share else f"{self.amount:g}"


def decimal(token: str) -> float:
    """The number that a token spells. Raises ValueError for what only Python takes for one: 1_000, digits of other
    scripts, separators of control characters around it."""
    if "_" in token or not token.isascii() or not token.strip(BLANKS).isprintable():
        raise ValueError(token)
    return float(token)


def whole_number(token: str) -> int:
    """The whole number, between -2^53 and 2^53, that a token spells as `decimal` takes it. Raises ValueError for others."""
    if not abs(decimal(token)) < 2**53:
        raise ValueError(token)
    return int(token)


# What is obeyed, not shown: control characters, also as bytes that are no UTF-8, ends of lines and paragraphs, overridden
# directions of writing.
OBEYED = "[\x00-\x1f\x7f-\x9f\udc80-\udc9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"


def spelled(number: float) -> str:
    """A double as short as it is told from all others: 7, 11.3."""
    return repr(float(number)).removesuffix(".0")


def visible(text: str) -> str:
    """A text, such as a name, without what a terminal obeys or what ends a line: that is written \\x1b, \\n, \\u2028.

    Everything else stays: a backslash too, and other bytes that are no UTF-8 (as surrogates).
    """
    if text.isprintable():
        return text
    return re.sub(OBEYED, lambda match: repr(match.group())[1:-1].replace("\\udc", "\\x"), text)


def visible_unicode(text: str) -> str:
    """The same where bytes that are no UTF-8 cannot go: they are written \\xff."""
    return visible(text).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def first_few(names: Sequence[str]) -> str:
    """The first few names, and dots for the others."""
    return " ".join(names[:NAMED]) + (" ..." if len(names) > NAMED else "")


def first_names(names: Sequence[str], most: int = NAMED) -> str:
    """The first few names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def unknown(role: str, name: str, names: Sequence[str]) -> str:
    """That a thing of this name is not there, and what there is."""
    return f"no {role} is named {name!r}. There are {first_names(names, 20)}"


def either(words: Sequence[str], last: str = "or") -> str:
    """One of several words, or all with `last` and."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


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

    def be_quiet(self) -> None:
        """Show nothing from here on; who listens is told all the same."""
        self.show = lambda level, message: None

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
        """Lines and attributes, as what another process sends back; not what the lines were made of."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class Problem(NamedTuple):
    """One thing wrong with a file: the line (counted from 1, None for the file as a whole) and the reason.

    `kind`: what several lines have in common, which are told as one; the reason unless given.
    """

    line: int | None
    reason: str
    kind: str = ""


class FormatError(IrciError):
    """A file that cannot be read as what it should be: `path:line: reason`, a line for each kind of problem."""

    def __init__(self, path: str, problems: Sequence[Problem], counts: Mapping[str, int] | None = None):
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
        super().__init__(*messages)

    @classmethod
    def whole_file(cls, path: str, reason: str) -> FormatError:
        return cls(path, [Problem(None, reason)])


class DataError(IrciError):
    """Well-formed input from which the answer cannot be computed."""


class ConditionHolds(IrciError):
    """The condition that --fail-if asks about holds; the result has been written."""


class ConditionUntold(IrciError):
    """There is too little to tell of some pair what --fail-if asks about, and the condition holds of none."""


class UsageError(IrciError):
    """Options that do not go together, or that have no effect together; they are named as they are typed."""

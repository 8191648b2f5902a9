"""What can be wrong with what the user asks or gives. The command line turns each kind into an exit status."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

NAMED = 5  # things in a message
MOST_KNOWN = 20  # where one of them is to be picked
LINES = 3  # further lines that have the same problem


# What is obeyed, not shown: control characters, ends of lines and paragraphs, overridden directions of writing.
OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """A text, such as a name, without what a terminal obeys or what ends a line: that is written \\x1b, \\n, \\u2028.

    Everything else stays: a backslash too, and bytes that are no UTF-8 (as surrogates).
    """
    return text if text.isprintable() else OBEYED.sub(lambda found: repr(found.group())[1:-1], text)


def visible_unicode(text: str) -> str:
    """The same where bytes that are no UTF-8 cannot go: they are written \\xff."""
    return visible(text).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def first_few(names: Sequence[str]) -> str:
    """The first few names, and dots for the others."""
    return " ".join(names[:NAMED]) + (" ..." if len(names) > NAMED else "")


def unknown(what: str, name: str, known: Sequence[str]) -> str:
    """That a thing of this name is not there, which one may be meant, and what there is."""
    near = get_close_matches(name.lower(), [each.lower() for each in known], 1)
    meant = next((f"; did you mean {each}?" for each in known if near == [each.lower()]), ".")
    more = f" and {len(known) - MOST_KNOWN} more" if len(known) > MOST_KNOWN else ""
    return f"no {what} is named {name!r}{meant} There are {', '.join(known[:MOST_KNOWN])}{more}"


class IrciError(Exception):
    """Something the user can mend, told in one line or several: a line end in a name makes no line."""

    def __init__(self, *lines: str) -> None:
        super().__init__(*map(visible, lines))

    def __str__(self) -> str:
        return "\n".join(self.args)


@dataclass(frozen=True)
class Problem:
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
        told = []
        for kind, reasons in kinds.items():
            line, *others = reasons
            further = (counts or {}).get(kind, len(reasons)) - 1
            first = ", ".join(map(str, others[:LINES])) + (", ..." if further > LINES else "")
            more = f" (and {plural(further, 'more line')}: {first})" if further else ""
            told.append(f"{path}{'' if line is None else f':{line}'}: {reasons[line]}{more}")
        super().__init__(*told, *([f"{path}: {hint}"] if hint else []))

    @classmethod
    def whole_file(cls, path: str, reason: str) -> "FormatError":
        return cls(path, [Problem(None, reason)])


class DataError(IrciError):
    """Well-formed input from which the answer cannot be computed."""


class PipeClosed(IrciError):
    """Whoever read standard output has read enough of it."""


class ConditionHolds(IrciError):
    """What --fail-if asks about is so; the result has been written."""


class UsageError(IrciError):
    """Options that do not go together, or that have no effect together; they are named as they are typed."""

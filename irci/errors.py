"""What can be wrong with what the user asks or gives. The command line turns each kind into an exit status."""

from collections.abc import Sequence
from dataclasses import dataclass

SHOWN = 10  # problems of a file
NAMED = 5  # things in a message


def visible(message: str) -> str:
    """A message without control characters, which a terminal might obey: they are written as escapes."""
    return "".join(
        letter if letter >= " " and not "\x7f" <= letter <= "\x9f" else repr(letter)[1:-1] for letter in message
    )


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def first_few(names: Sequence[str]) -> str:
    """The first few names, and dots for the others."""
    return " ".join(names[:NAMED]) + (" ..." if len(names) > NAMED else "")


class IrciError(Exception):
    """Something the user can mend; its text is written for the user."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a file: the line (counted from 1, None for the file as a whole) and the reason."""

    line: int | None
    reason: str


class FormatError(IrciError):
    """A file that cannot be read as what it should be: `path:line: reason`, the first ten problems at once."""

    def __init__(self, path: str, problems: Sequence[Problem], count: int | None = None):
        """`count`: how many problems there are, if `problems` are only the first of them."""
        super().__init__(path, problems)
        self.path = path
        self.problems = sorted(problems, key=lambda problem: problem.line or 0)[:SHOWN]
        self.count = len(problems) if count is None else count

    @classmethod
    def whole_file(cls, path: str, reason: str) -> "FormatError":
        """A file that is wrong as a whole, so that no line can be named."""
        return cls(path, [Problem(None, reason)])

    def __str__(self) -> str:
        path = visible(self.path)
        lines = [
            f"{path}: {problem.reason}" if problem.line is None else f"{path}:{problem.line}: {problem.reason}"
            for problem in self.problems
        ]
        if self.count > len(self.problems):
            lines.append(f"{path}: and {self.count - len(self.problems)} more lines like these")
        return "\n".join(lines)


class DataError(IrciError):
    """Well-formed input from which the answer cannot be computed."""


class ConditionHolds(IrciError):
    """What --fail-if asks about is so; the result has been written."""


class UsageError(IrciError):
    """Options that do not go together, or that have no effect together; they are named as they are typed."""

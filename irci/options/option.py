"""Options and commands, as rows of the tables beside this module.

An option has names, a type, a default, help, commands that take it and what it needs; a command what it is for, and its uses.
Conditions are functions of what is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from irci.options.types import FLAG, Type

if TYPE_CHECKING:
    from irci.options.asked import Asked
    from irci.output.tables import Kind

Condition = Callable[["Asked"], object]  # true or false of what is asked
Need = tuple[Condition, str]  # what an option has no effect without, and what is said then: {} is the option


class Option(NamedTuple):
    """An option of some commands."""

    spelled: str  # its names, the long one last
    type: Type
    takes: Sequence[tuple[str, frozenset[str]]]  # the commands that take it, each with its uses that do
    help: str = ""  # with its default in words, where help is not to show that as it is
    default: Any = None
    many: bool = False  # it may be repeated
    short: str = ""  # what the short help says, which leaves out what has none
    needs: Sequence[Need] = ()
    # Papers, where it has this value, a condition holds, or (None) ever.
    cites: Mapping[str | Condition | None, str] = {}
    python: bool = True  # the functions have it
    # Of a plan: how files are read, and what is told besides; all else would change a planned test.
    is_free: bool = False
    hidden: bool = False
    heading: str = ""  # that it stands under in help, unless that of its class
    name: str = ""  # of its value in `Asked`

    @property
    def spellings(self) -> list[str]:
        """Its names, as they may be typed."""
        return self.spelled.split()

    @property
    def spelling(self) -> str:
        """Its long name."""
        return self.spellings[-1]

    @property
    def key(self) -> str:
        """Its long name without dashes before it, as a plan has it."""
        return self.spelling.lstrip("-")

    @property
    def is_flag(self) -> bool:
        """True if it takes no value."""
        return self.type is FLAG

    @property
    def is_of_result(self) -> bool:
        """True if it may change what a result says, and not only how, or where, it is written."""
        return self.heading != "Output" or self.name in ("tables", "sort", "explain")

    @property
    def unset(self) -> Any:
        """Its value where it is not given."""
        default = () if self.many else False if self.is_flag else self.default
        return default() if callable(default) else default

    def suits(self, command: Command, use: str) -> bool:
        """True if it means something for a use of a command."""
        return any(name == command.rows and use in uses for name, uses in self.takes)


def without(*names: str, **words: str) -> list[Need]:
    """That an option does not go together with others: with any value of these, and with these words of those."""

    def need(name: str, refused: str) -> Need:
        def holds(asked: Asked) -> bool:
            value = getattr(asked, name)
            return value not in refused.split() if refused else value in (None, False, ())

        other = f"--{name.replace('_', '-')}" + (f" {{asked.{name}}}" if refused else "")
        return holds, f"{{}} and {other} do not go together: leave one of them out."

    return [need(name, words.get(name, "")) for name in (*names, *words)]


def option(*row: Any, **fields: Any) -> Any:
    """A class's attribute as `Option` has it, a list of one row; of those that commands have each in its own way several,
    which are added up."""
    return [Option(*row, **fields)]


class Use(NamedTuple):
    """One of several things that a command is asked for: the last of them, if none before it is."""

    name: str
    when: Condition | None = None  # true if it is asked for, unless one before it is; None: its option has a value
    words: str = ""  # what asks for it; "" of the usual one


class Command(NamedTuple):
    """A command: what it is for, what it needs, the papers that it rests on, and its uses."""

    name: str
    question: str
    about: str  # for help, which also has the question and the first example
    heading: str  # that it stands under in the list of commands
    of_function: str  # what help of the Python function says besides the question
    tables: Sequence[Kind]  # the kinds that it may print, in order
    examples: Sequence[tuple[str, str]]
    uses: Sequence[Use]
    cites: str
    files: str = "QRELS RUN..."  # in its usage
    without: Condition = lambda asked: False  # it needs no files
    rows: str = ""  # the command whose options and uses it has, itself unless another is named
    typed: str = ""  # the name that it was typed by, where it has become that command
    paper: str = ""  # whose method it has
    always: Mapping[str, Any] = {}  # options that it always takes
    needs: Sequence[Need] = ()

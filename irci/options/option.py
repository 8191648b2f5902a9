"""A row of the table of options: an option, or an argument, with all that is known of it; and conditions on what is asked.

A condition is text: `compare|baseline & !judge & population=both` is one group of & after the other. A name holds if its
option has a value (other than False, or nothing of several); name=value, if it has this one, or has it among several; ! is
not so.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from irci.base.records import Record
from irci.options.types import Choice, Flag, Type

MATRIX = re.compile(r"([a-z-]+)(?:\(([^)]*)\))?")


OF_RESULT = ("tables", "sort", "explain")  # of the options of output, those that say what a result tells


class Option(Record):
    """An option of some commands.

    `name`: of its value, and of the field of settings that holds it. `takes`: the commands that take it, each with the
    requests (`irci.options.commands`) for which it means something, or behind a minus those for which it does not; all if none
    is named; `carried`: those about sources of variation that carry it (`irci.base.choices`). `told`: its default as help
    shows it. `many`: it may be repeated. `short`: what the short help says, of all commands or of each that shows it. `needs`:
    conditions without which it has no effect where it is given, each with what is said then, {} for its spelling;
    `cites`: papers under further conditions, to cite where it has a value. `python`: whether a call has it.
    """

    name: str
    spelled: str
    type: Type
    takes: str
    help: str = ""
    default: Any = None
    told: str = ""
    metavar: str = ""
    many: bool = False
    short: str | Mapping[str, str] = ""
    needs: Mapping[str, str] = {}
    cites: Mapping[str, str] = {}
    python: bool = True
    hidden: bool = False
    heading: str = ""

    @property
    def requests(self) -> dict[str, tuple[str, ...]]:
        """The commands that take it, each with the requests that are named."""
        return _requests(self.takes)

    def suits(self, command: str, request: str) -> bool:
        """True if it means something for a request of a command."""
        named = self.requests[command]
        return f"-{request}" not in named if not named or named[0].startswith("-") else request in named

    @property
    def spellings(self) -> list[str]:
        """Its names, as they may be typed."""
        return self.spelled.replace("/", " ").split()

    @property
    def spelling(self) -> str:
        """Its long name."""
        return self.spelled.partition("/")[0].split()[-1]

    @property
    def is_of_result(self) -> bool:
        """True if it may change what a result says, and not only how, or where, it is written."""
        return self.heading != "Output" or self.name in OF_RESULT

    def words(self, typed: Any) -> list[str]:
        """The words that say again what was typed: a value, several, or a flag."""
        if self.is_flag:
            return [self.spelled.partition("/")[2] if typed is False else self.spelling]
        values = typed if isinstance(typed, list) else [typed]
        return [word for value in values for word in self._words(value)]

    def _words(self, value: str) -> list[str]:
        return [f"{self.spelling}={value}"] if value.startswith("-") else [self.spelling, value]

    @property
    def is_flag(self) -> bool:
        """True if it takes no value."""
        return isinstance(self.type, Flag)

    @property
    def default_shown(self) -> str:
        """Its default as help shows it, if it does not stand in the text."""
        if self.told or self.default is None or self.many:
            return self.told.removeprefix("-")
        if self.is_flag:
            return self.spellings[0].removeprefix("--") if self.default else ""
        return str(self.default)

    def in_short(self, command: str) -> tuple[str, str] | None:
        """How the short help of a command shows it, and what it says, if it does."""
        text = self.short if isinstance(self.short, str) else self.short.get(command, "")
        if not text:
            return None
        word = "FORMAT" if self.name == "output_format" else "WORD"
        value = "" if self.is_flag else f" {word if isinstance(self.type, Choice) else self.metavar}"
        return f"{', '.join(self.spellings)}{value}", text

    def metavar_shown(self) -> str:
        """The word that stands for a value in help."""
        return self.metavar or (
            f"[{'|'.join(self.type.words())}]" if isinstance(self.type, Choice) else self.type.name.upper()
        )


@cache
def _requests(takes: str) -> dict[str, tuple[str, ...]]:
    return {command: tuple(named.split()) for command, named in MATRIX.findall(takes)}


Spelling = Callable[[str], str]


def holds(values: Mapping[str, Any], condition: str) -> bool:
    """The condition's truth; an empty one is true."""
    return not lacking(values, condition)


def lacking(values: Mapping[str, Any], condition: str) -> list[list[str]]:
    """The groups of which nothing holds."""
    return [group for group in _groups(condition) if not any(_holds(values, each) for each in group)]


def _groups(condition: str) -> list[list[str]]:
    return [group.strip().split("|") for group in condition.split("&") if group.strip()]


def _holds(values: Mapping[str, Any], part: str) -> bool:
    name, _, value = part.removeprefix("!").partition("=")
    found = values.get(name)
    if value:
        has = value in map(str, found) if isinstance(found, tuple) else str(found) == value
    else:
        has = found is not None and found is not False and found != ()
    return has != part.startswith("!")


def in_words(groups: Iterable[Sequence[str]], spelling: Spelling) -> str:
    """Groups as a user reads them, options as they are spelled."""
    return ", and ".join(either([_in_words(part, spelling) for part in group]) for group in groups)


def _in_words(part: str, spelling: Spelling) -> str:
    name, _, value = part.removeprefix("!").partition("=")
    spelled = spelling(name)
    if part.startswith("!"):
        return f"{spelled} other than {value}" if value else f"no {spelled}"
    return f"{spelled} {value}" if value else spelled


def either(words: Sequence[str], last: str = "or") -> str:
    """One of several words, or all with `last` and."""
    *others, end = words
    return f"{', '.join(others)} {last} {end}" if others else end

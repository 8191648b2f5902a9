"""Conditions on what is asked, as text: `compare|baseline & !judge & population=both` is one group of & after the other.

A name holds if its option has a value (other than False, or nothing of several); name=value, if it has this one, or has it
among several; ! is not so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

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

"""Sentences and notices: the templates of *.toml in this folder, to which code gives facts.

In a template {runs:run} is a number with its noun ("1 run", "3 runs"), {runs:has|have} the word that goes with it, and {names}
the first few of a list.
"""

import os
import string
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from irci.base.errors import logger
from irci.base.names import first_few, plural


@cache
def templates() -> dict[str, dict[str, str]]:
    """The templates of all files by section (those in a section go by both names, "source.topics") and name; a section stands
    in one file."""
    sections: dict[str, dict[str, str]] = {}
    folder = os.path.dirname(__file__)
    for name in os.listdir(folder):
        if name.endswith(".toml"):
            with open(os.path.join(folder, name), "rb") as file:
                for section, templates_of in _sections("", tomllib.load(file)):
                    assert section not in sections, f"a section in two files: {section}"
                    sections[section] = templates_of
    return sections


def _sections(name: str, tables: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    texts = {key: text for key, text in tables.items() if isinstance(text, str)}
    if texts:
        yield name, texts
    for key, table in tables.items():
        if not isinstance(table, str):
            yield from _sections(f"{name}.{key}" if name else key, table)


class _Formatter(string.Formatter):
    """Numbers with nouns and verbs, and lists."""

    def format_field(self, value: object, format_spec: str) -> str:
        if isinstance(value, list | tuple):
            return first_few(value)
        if isinstance(value, int) and len(format_spec) > 1 and format_spec.replace(" ", "").isalpha():
            return plural(value, format_spec)
        if isinstance(value, int) and "|" in format_spec:
            return format_spec.split("|")[value != 1]
        return str(format(value, format_spec))


_FORMATTER = _Formatter()


class Notice(str):
    """The text of a notice, with the name of its template and the facts in it, by which notices can be told apart."""

    name: str
    facts: Mapping[str, object]

    @classmethod
    def of(cls, name: str, facts: Mapping[str, object], text: str) -> "Notice":
        """A text with them."""
        notice = cls(text)
        notice.name, notice.facts = name, facts
        return notice


def importance(message: str) -> int:
    """The place of a notice among the templates of notices.toml, which stand in the order of importance; others come last."""
    names = [*templates()["notice"]]
    return names.index(message.name) if isinstance(message, Notice) else len(names)


def say(name: str, **facts: object) -> str:
    """The sentence of a template, named as section.template, with these facts in place of their names."""
    section, _, template = name.rpartition(".")
    return _FORMATTER.vformat(templates()[section][template], (), facts)


def notice(name: str, **facts: object) -> Notice:
    """A template of the section `notice` with its facts: what is affected, by how much, what to type."""
    return Notice.of(name, facts, say(f"notice.{name}", **facts))


def tell(*notices: str) -> None:
    """Warn the user by these."""
    for text in notices:
        logger.warning(text)


def notify(name: str, **facts: object) -> None:
    """Warn the user by a template of the section `notice`."""
    tell(notice(name, **facts))

"""Sentences and notices: the templates of *.toml in this folder, to which code gives facts."""

import os
import tomllib
from functools import cache

from irci.base.errors import logger


@cache
def templates() -> dict[str, dict[str, str]]:
    """The templates of all files by section and name; a section stands in one file."""
    sections: list[tuple[str, dict[str, str]]] = []
    for name in os.listdir(os.path.dirname(__file__)):
        if name.endswith(".toml"):
            with open(os.path.join(os.path.dirname(__file__), name), "rb") as file:
                sections += tomllib.load(file).items()
    assert len(dict(sections)) == len(sections), "a section in two files"
    return dict(sections)


def say(name: str, **facts: object) -> str:
    """The sentence of a template, named as section.template, with these facts in place of their names."""
    section, _, template = name.partition(".")
    return templates()[section][template].format(**facts)


def notify(name: str, **facts: object) -> None:
    """Warn the user by a template of the section `notice`: what is affected, by how much, what to type."""
    logger.warning(say(f"notice.{name}", **facts))

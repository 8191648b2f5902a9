"""Sentences, by the templates of comparisons.toml."""

import tomllib
from functools import cache
from importlib.resources import files


@cache
def _templates() -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath("comparisons.toml").read_text("utf-8"))


def say(name: str, **facts: object) -> str:
    """The sentence of a template, named as section.template, with these facts in place of their names."""
    section, _, template = name.partition(".")
    return _templates()[section][template].format(**facts)

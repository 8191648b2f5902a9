"""Types of options that take a regular expression with named groups, or a file that says the same of every name."""

import os
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from irci.options.types import BadValue, InputFile

RULE = "(?P<"  # what a rule has and the name of a file has not


class Rule(InputFile):
    """A rule or a file; `kind`: the class in irci.data that reads either, and `group`, which a rule has."""

    def __init__(self, kind: str, group: str) -> None:
        self.kind, self.group = kind, group

    def value(self, given: Any) -> Any:
        """The object that either makes."""
        text = os.fspath(given)
        module, _, name = self.kind.partition(".")
        kind = getattr(import_module(f"irci.data.{module}"), name)
        if RULE in text:
            try:
                return kind.of_rule(text)
            except ValueError as error:
                raise BadValue(f"{text!r}: {error}") from None
        if not os.path.exists(text):
            if "(" in text:
                example = f"{RULE}{self.group}>...)"
                raise BadValue(f"{text!r}: no such file, and no regular expression with a named group, {example}")
            if self.group == "seed" and text.isdecimal():
                raise BadValue(f"{text!r}: no such file; for the seed of random numbers use --seed")
        return kind.of_file(text)

    def paths(self, value: Any) -> Iterable[str]:
        """The file, or the rule, which is no file."""
        return (value.given,)


VERSIONS = Rule("versions.Versions", "version")
CLUSTERS = Rule("rules.Clusters", "cluster")
SEEDS = Rule("rules.Seeds", "seed")

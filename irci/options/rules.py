"""Types of options that take a regular expression with named groups, or a file that says the same of every name; from Python
also the rows of such a file."""

import os
import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any, ClassVar

from irci.options.types import BadValue, InputFile

RULE = "(?P<"  # what a rule has and the name of a file has not


class Rule(InputFile):
    """A rule or a file; `kind`: the class in irci.data that reads either, and `group`, which a rule has."""

    annotation: ClassVar[str] = "Groups"

    def __init__(self, kind: str, group: str, *columns: tuple[str, ...]) -> None:
        """`columns`: those that rows may have."""
        self.kind, self.group, self.columns = kind, group, columns

    def value(self, raw: Any) -> Any:
        """The object that either makes, or a list of rows."""
        module, _, name = self.kind.partition(".")
        kind = getattr(import_module(f"irci.data.{module}"), name)
        if isinstance(raw, list):
            return kind.of_rows(name.lower(), [*enumerate(raw, 1)])
        text = os.fspath(raw)
        if RULE in text:
            try:
                return kind.of_rule(text)
            except ValueError as error:
                raise BadValue(f"{text!r}: {error}") from None
        if not os.path.exists(text):
            if "(" in text:
                raise BadValue(f"{text!r}: no such file, and no regular expression with {self._named(text)}")
            if self.group == "seed" and text.isdecimal():
                raise BadValue(f"{text!r}: no such file; for the seed of random numbers use --seed")
        return kind.of_file(text)

    def _named(self, text: str) -> str:
        """How to name the groups of a rule: in place of as many plain ones, or by an example."""
        names = ["system", self.group] if self.group == "seed" else [self.group]
        plain = re.findall(r"(?<!\\)\((?!\?)", text)
        if len(plain) != len(names):
            return "a named group, " + " and ".join(f"{RULE}{name}>...)" for name in names)
        given = iter(names)
        optional = r"; where some runs have no seed, '(?P<system>.*?)(_s(?P<seed>\d+))?' or the like" * (
            self.group == "seed"
        )
        return "named groups: " + re.sub(r"(?<!\\)\((?!\?)", lambda _: f"{RULE}{next(given)}>", text) + optional

    def paths(self, value: Any) -> Iterable[str]:
        """The file, or the rule, which is no file."""
        return (value.given,)


VERSIONS = Rule(
    "versions.Versions", "version", ("run", "system", "version"), ("run", "topic_id", "system", "topic", "version")
)
CLUSTERS = Rule("rules.Clusters", "cluster", ("topic", "cluster"))
SLICES = Rule("rules.Slices", "slice", ("topic", "slice"))
SEEDS = Rule("rules.Seeds", "seed", ("run", "system", "seed"))

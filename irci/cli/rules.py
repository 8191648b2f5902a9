"""Options that take a regular expression with named groups, or a file that says the same of every name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from irci.cli.parameters import InputFile

if TYPE_CHECKING:
    from irci.data.rules import Clusters, Seeds
    from irci.data.versions import Versions

RULE = "(?P<"  # what a rule has and the name of a file has not


class Rule(InputFile):
    """A rule or a file. Kinds of it say what becomes of either, and which `group` a rule has."""

    group: str

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """What it says, or a usage error."""
        if RULE not in value:
            if "(" in value and not os.path.exists(value):
                example = f"{RULE}{self.group}>...)"
                self.fail(
                    f"{value!r}: no such file, and no regular expression with a named group, {example}", param, ctx
                )
            return self.of_file(value)
        try:
            return self.of_rule(value)
        except ValueError as error:
            self.fail(f"{value!r}: {error}", param, ctx)

    def paths(self, value: Any) -> Iterable[str]:
        """The file, or the rule, which is no file."""
        return (value.given,)

    def of_file(self, path: str) -> Any:
        """From a file."""
        raise NotImplementedError

    def of_rule(self, text: str) -> Any:
        """From a regular expression; raises ValueError for what is none."""
        raise NotImplementedError


class VersionsRule(Rule):
    """With groups system and version, or topic and version."""

    group = "version"

    def of_file(self, path: str) -> Versions:
        """The versions that it lists."""
        from irci.data.versions import Versions

        return Versions.of_file(path)

    def of_rule(self, text: str) -> Versions:
        """The versions of names that match."""
        from irci.data.versions import Versions

        return Versions.of_rule(text)


class ClustersRule(Rule):
    """With a group cluster, of topics."""

    group = "cluster"

    def of_file(self, path: str) -> Clusters:
        """The clusters that it lists."""
        from irci.data.rules import Clusters

        return Clusters.of_file(path)

    def of_rule(self, text: str) -> Clusters:
        """The clusters of topics that match."""
        from irci.data.rules import Clusters

        return Clusters.of_rule(text)


class SeedsRule(Rule):
    """With groups system and seed, of runs."""

    group = "seed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """What it says, or a usage error: for a number too, which is meant for --seed."""
        if value.isdecimal() and not os.path.exists(value):
            self.fail(f"{value!r}: no such file; what random numbers start from is --seed", param, ctx)
        return super().convert(value, param, ctx)

    def of_file(self, path: str) -> Seeds:
        """The systems and seeds that it lists."""
        from irci.data.rules import Seeds

        return Seeds.of_file(path)

    def of_rule(self, text: str) -> Seeds:
        """The systems and seeds of runs that match."""
        from irci.data.rules import Seeds

        return Seeds.of_rule(text)

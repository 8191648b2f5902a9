"""The ground of all sources of scores that come in groups: the groups vary, or they are given and their members vary."""

from collections.abc import Mapping
from dataclasses import replace

from irci.base.errors import logger
from irci.base.types import Bools, Floats, Pairs
from irci.methods.compare.grouped import Groups
from irci.stats.estimates import Estimates
from irci.stats.units import Units
from irci.studies.compare.family import Family, Source


class GroupSource(Source):
    """Groups, a sample (`groups_vary`) or given. `counts`: what columns of the numbers of groups and members are called;
    `noun`: what a group is called where it is told, once, that scores are alike within each."""

    counts: Mapping[str, str] = {}
    noun = ""
    _told_alike = False

    def __init__(self, groups: Groups, name: str, *, groups_vary: bool) -> None:
        self.groups, self.groups_vary = groups, groups_vary
        self.name = self.over = self.counted = name

    def estimates(self, values: Floats, pairs: Pairs) -> Estimates:
        found = self.groups.estimates(values, pairs, groups_are_a_sample=self.groups_vary)
        if self.noun and not self.groups_vary and not self._told_alike and self.groups.are_alike_within(found):
            self._told_alike = True
            logger.warning(f"scores are the same on all topics of each {self.noun}: no limits over topics")
        return self.with_counts(found)

    def with_counts(self, found: Estimates) -> Estimates:
        """Estimates with the columns that are told."""
        return replace(found, columns={told: found.columns[name] for name, told in self.counts.items()})

    def topics_per_unit(self, family: Family) -> float:
        return len(family.scored.topics) / self.groups.number if self.groups_vary else 1.0

    def units(self, values: Floats, mask: Bools) -> Units:
        return self.groups.units(values, mask, groups_are_a_sample=self.groups_vary)

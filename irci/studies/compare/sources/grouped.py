"""What sources of scores that come in groups share: the groups vary, or they are given and their members vary."""

from collections.abc import Mapping
from dataclasses import replace

from irci.base.types import Bools, Floats, Pairs
from irci.methods.compare.grouped import Groups
from irci.stats.estimates import Estimates
from irci.stats.units import Units
from irci.studies.compare.family import Family, Source


class GroupSource(Source):
    """Groups, a sample (`groups_vary`) or given. `counts`: what columns of the numbers of groups and members are called."""

    counts: Mapping[str, str] = {}

    def __init__(self, groups: Groups, name: str, *, groups_vary: bool) -> None:
        self.groups, self.groups_vary = groups, groups_vary
        self.name = self.over = self.counted = name

    def estimates(self, values: Floats, pairs: Pairs) -> Estimates:
        return self.with_counts(self.groups.estimates(values, pairs, groups_are_a_sample=self.groups_vary))

    def with_counts(self, found: Estimates) -> Estimates:
        """Estimates with the columns that are told."""
        return replace(found, columns={told: found.columns[name] for name, told in self.counts.items()})

    def topics_per_unit(self, family: Family) -> float:
        return len(family.scored.topics) / self.groups.number if self.groups_vary else 1.0

    def units(self, values: Floats, mask: Bools) -> Units:
        return self.groups.units(values, mask, groups_are_a_sample=self.groups_vary)

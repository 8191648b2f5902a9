"""What runs on scores that come in groups have in common, whatever the groups are."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from irci.base.choices import Varies
from irci.base.types import Bools, Floats, Pairs
from irci.methods.structured.grouped import Groups
from irci.methods.structured.units import Units
from irci.output.report import Row
from irci.stats.estimates import Estimates


class GroupedRuns:
    """Part of a `Structure`. `sample`: the population over which the groups vary, and not their members."""

    sample: ClassVar[Varies]
    groups: Groups

    def of_runs(self, values: Floats) -> Floats:
        """As they are."""
        return values

    def of_groups(self, values: Floats, pairs: Pairs, varies: Varies) -> Estimates:
        """Of each pair, with the numbers of groups and of members."""
        return self.groups.estimates(values, pairs, groups_are_a_sample=varies == self.sample)

    def units(self, values: Floats, mask: Bools, varies: Varies) -> Units:
        """A group, or a member."""
        return self.groups.units(values, mask, groups_are_a_sample=varies == self.sample)

    def remarks(self, rows: Sequence[Row]) -> Iterable[str]:
        """None."""
        return ()

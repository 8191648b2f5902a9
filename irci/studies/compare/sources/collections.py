"""Runs on the topics of several collections, as a structure that topics come in."""

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from irci.base.choices import TOPICS, Varies
from irci.base.errors import plural
from irci.base.names import raw
from irci.base.streams import topic_keys
from irci.base.types import Floats, Pairs
from irci.bootstrap.joint_resamples import NOTHING, Comparison
from irci.data.measures import Measure
from irci.data.scores import Scores
from irci.methods.structured.grouped import Groups
from irci.stats.estimates import Estimates
from irci.studies.map_ci.runs import keys_of
from irci.studies.structured.grouped import GroupedRuns

logger = logging.getLogger("irci")


@dataclass(frozen=True)
class CollectedRuns(GroupedRuns):
    """Runs on the topics of several collections, or of one of them (a `Structure`): values float64[runs, M] by base."""

    sample: ClassVar[Varies] = "collections"
    names: Sequence[str]
    runs: Sequence[str]
    values: Mapping[str, Floats]
    measures: Sequence[Measure]
    groups: Groups
    varies: Sequence[Varies] = ("collections", "topics")
    kind: str = "collections"
    where: str = ""
    _told: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls, tables: Sequence[Scores], measures: Sequence[Measure], runs: Sequence[str], *, by_group: bool
    ) -> "CollectedRuns":
        """Of those runs that all collections have."""
        names = [str(table.collection) for table in tables]
        sizes = [len(table.topics) for table in tables]
        values = {name: np.hstack([rows_of(table, name, runs) for table in tables]) for name in tables[0].values}
        # The same topic id in two collections is two topics.
        keys = topic_keys(
            [raw(f"{name}\t{topic}") for name, each in zip(names, tables, strict=True) for topic in each.topics]
        )
        groups = Groups(np.repeat(np.arange(len(sizes)), sizes), keys, by_group=by_group, complete=True)
        return cls(names, runs, values, measures, groups)

    @classmethod
    def of_one(cls, table: Scores, measures: Sequence[Measure]) -> "CollectedRuns":
        """Of one collection, each of whose topics is by itself, as in map-ci of that collection alone."""
        groups = Groups(np.arange(len(table.topics)), keys_of(table))
        name = str(table.collection)
        return cls([name], table.runs, table.values, measures, groups, varies=(TOPICS,), where=name)

    @property
    def topics(self) -> int:
        """How many there are."""
        return len(self.groups.place)

    @property
    def with_signs(self) -> Sequence[Varies]:
        """Signs of collections, and of topics within them."""
        return self.varies

    @property
    def made_of(self) -> str:
        """What means are over."""
        collections = plural(len(self.names), "collection")
        weighed = ", each weighed alike" if self.groups.by_group else ", each topic weighed alike"
        return f"{plural(len(self.groups.place), 'topic')} in {collections}{weighed}"

    @property
    def lead(self) -> Mapping[Varies, str]:
        """How sentences begin."""
        return {"collections": "Over all collections like these", "topics": "Over other topics of these collections"}

    @property
    def means(self) -> Mapping[Varies, str]:
        """What limits are for."""
        weighed = "each collection" if self.groups.by_group else "each topic"
        return {
            "collections": "Rows over collections speak of other collections like these, and of other topics too: limits are"
            f" for the mean over all such collections, {weighed} counting alike.",
            "topics": "Rows over topics speak of other topics of these very collections, and of no other collection: limits"
            f" are for the mean over these, {weighed} counting alike.",
        }

    def scores(self, base: Measure, comparison: Comparison) -> Floats:
        """float64[rows, M]."""
        return comparison.table(self.values[base.name])

    def estimates(self, values: Floats, pairs: Pairs, varies: Varies) -> Estimates:
        """With the number of topics."""
        is_one = len(self.names) == 1
        found = self.groups.estimates(values, pairs, groups_are_a_sample=is_one or varies != TOPICS)
        if varies == TOPICS and not is_one and not self._told and self.groups.are_alike_within(found):
            self._told.append("alike")
            logger.warning("scores are the same on all topics of each collection: no limits over topics")
        error = _errors(found, values, pairs) if is_one else found.error
        return replace(found, error=error, columns={"topics": found.columns["members"]})

    def within(self, values: Floats, pairs: Pairs) -> tuple[Floats, Floats]:
        """float64[P, G]: the value in each collection, and its standard error, as map-ci has them of that collection alone."""
        columns = [np.flatnonzero(self.groups.place == place) for place in range(self.groups.number)]
        found = [
            Groups(np.arange(len(some)), self.groups.keys[some]).estimates(
                values[:, some], pairs, groups_are_a_sample=True
            )
            for some in columns
        ]
        return np.column_stack([each.value for each in found]), np.column_stack([each.error for each in found])

    def signature(self) -> Mapping[str, Any]:
        """The collections and what means weigh."""
        return {
            "collections": " ".join(self.names), "mean": "collections" if self.groups.by_group else "topics",
            "num_topics": self.topics, "num_collections": len(self.names),
        }  # fmt: skip


def rows_of(table: Scores, measure: str, runs: Sequence[str]) -> Floats:
    """float64[runs, T]: what these runs score, in this order."""
    place = {run: place for place, run in enumerate(table.runs)}
    return np.asarray(table.values[measure][[place[run] for run in runs]])


def _errors(found: Estimates, values: Floats, pairs: Pairs) -> Floats:
    """Those of single runs as map-ci has them of one collection, to the last digit."""
    error = found.error.copy()
    for place in np.flatnonzero((pairs[:, 1] == NOTHING) & (found.error > 0)):
        scores = values[pairs[place, 0]]
        scored = scores[~np.isnan(scores)]
        error[place] = scored.std(ddof=1) / math.sqrt(len(scored))
    return error

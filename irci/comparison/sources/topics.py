"""Topics as a plain sample: would others of this kind agree?"""

from collections.abc import Mapping, Sequence

import numpy as np

from irci.base.choices import TOPICS
from irci.base.errors import DataError
from irci.base.types import Bools, Floats, Ints, Words
from irci.comparison.family import Family, Source
from irci.estimators.differences import directions_over_topics, limits_over_topics, mean_values
from irci.estimators.means import Components, MeanInterval, Tested, topic_interval
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval
from irci.stats.scales import mean_over_topics
from irci.stats.signs import Units


class Plain(Source):
    """Topics or documents by themselves, or both: no groups, and runs rank by means over the topics that all share."""

    observes = True

    def run_means(self, family: Family, runs: int) -> Floats:
        if not family.common.any():
            raise DataError("the runs have no topic in common")
        return mean_over_topics(family.values[:runs, family.common].T)

    def baseline_means(self, family: Family) -> Floats:
        return mean_values(family.values, family.pairs)[1]


class Topics(Plain):
    """Topics, each of which is a unit; `keys` uint64[T]: their streams."""

    name = TOPICS
    is_plain_topics = True
    before: Sequence[str] = ("effect_size",)

    def __init__(self, keys: Words) -> None:
        self.keys = keys

    def units(self, values: Floats, mask: Bools) -> Units:
        return Units(values[:, mask], self.keys[mask])

    def tested(self, family: Family) -> Tested:
        return family.over_topics

    def means(self, alone: Family) -> Tested:
        scored = (scores[~np.isnan(scores)] for scores in alone.raw)
        return of_means([topic_interval(scores, alone.measure, alone.design, alone.ends) for scores in scored])

    def limits(self, family: Family, tested: Tested, confidence: float) -> Interval:
        design = family.design._replace(confidence=confidence)
        return limits_over_topics(family.values, family.pairs, design, family.ends, are_points=family.are_points)

    def directions(self, family: Family, values: Floats) -> Floats:
        return directions_over_topics(family.values, family.pairs[: len(values)], values, family.design.test)

    def most_units(self, family: Family, tested: Tested) -> int:
        return int(family.common.sum())


class TopicsOfPart(Topics):
    """The topics of a part of all, a slice or a collection, by themselves; rows name the part and tell how many they are.

    `column`: of the part's name; `tells_df`: degrees of freedom stand in rows in place of effect sizes."""

    def __init__(self, keys: Words, column: str, part: str, *, tells_df: bool = False) -> None:
        super().__init__(keys)
        self.labels = {column: part}
        self.before = ("df" if tells_df else "effect_size", "topics")

    @property
    def key(self) -> str:
        return self.name  # signs are drawn once for all parts

    def tested(self, family: Family) -> Tested:
        tested = super().tested(family)
        return self._with_topics(tested, tested.of.units, tested.of.df)

    def means(self, alone: Family) -> Tested:
        topics = np.count_nonzero(~np.isnan(alone.values), axis=1)
        tested = super().means(alone)
        return self._with_topics(tested, topics, np.where(tested.of.error > 0, topics - 1.0, np.nan))

    def _with_topics(self, tested: Tested, topics: Ints, df: Floats) -> Tested:
        columns = {name: column for name, column in tested.of.columns.items() if name in self.before}
        return tested._replace(of=tested.of._replace(df=df, columns=columns | {"topics": topics}))

    def counts_of_missing(self, scores: Floats) -> Mapping[str, int]:
        return {"topics": int(np.count_nonzero(~np.isnan(scores)))} if "df" not in self.before else {}


def of_means(intervals: Sequence[MeanInterval]) -> Tested:
    """Means of runs with their limits, which no test of 0 goes with."""
    value, lower, upper, error = (
        np.array([getattr(interval, name) for interval in intervals]) for name in ("value", "lower", "upper", "error")
    )
    has_parts = any(interval.components is not None for interval in intervals)
    columns = {
        name: np.array([getattr(interval.components, name, np.nan) for interval in intervals])
        for name in (Components._fields if has_parts else ())
    }
    nothing_known = np.full(len(intervals), np.nan)
    of = Estimates(value, error, nothing_known, np.zeros(len(intervals), np.int64), columns)
    return Tested(of, (lower, upper), nothing_known, [], interval=[interval.kind for interval in intervals])

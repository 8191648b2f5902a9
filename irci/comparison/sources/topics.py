"""Topics as a plain sample: would others of this kind agree? And the best run over them, limits of which allow for that."""

from collections.abc import Mapping, Sequence

import numpy as np

from irci.base.choices import TOPICS
from irci.base.errors import DataError
from irci.base.types import Bools, Floats, Ints, Words
from irci.comparison.family import Family, Source
from irci.estimators.best import (
    Best,
    Lead,
    best_mean,
    limits_of_lead,
    lower_limit,
    lower_limit_of_lead,
    tied_with_best,
)
from irci.estimators.differences import directions_over_topics, limits_over_topics, mean_values
from irci.estimators.joint_resamples import on_topics
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

    def at_once(self, family: Family, tested: Tested) -> tuple[Floats, Interval | None]:
        if not family.common.any():
            raise DataError("the runs have no topic in common")
        return np.where(tested.of.units < 2, np.nan, family.simultaneous(self).p), None

    def directions(self, family: Family, values: Floats) -> Floats:
        return directions_over_topics(family.values, family.pairs[: len(values)], values, family.design.test)

    def most_units(self, family: Family, tested: Tested) -> int:
        return int(family.common.sum())

    def picks_best(self, family: Family) -> bool:
        is_asked = family.request.best and family.measure.more_is_better and not family.measure.is_count
        return is_asked and any(source is self for source in family.scored.sources)

    def best(self, alone: Family) -> Best:
        if not alone.common.any():
            raise DataError(f"{alone.title}: the runs have no topic in common, so none is the best")
        scores, keys = alone.values[:, alone.common], alone.scored.keys[alone.common]
        limits = alone.tested(self).limits
        best = best_mean(scores, limits, keys, alone.design, alone.ends, are_points=alone.are_points)
        without = alone.without_lacking
        if without is None or best.of == 1 or not without.common.any():
            return best
        of_fewer = lower_limit(without.values[best.place, without.common], best.of, alone.design, alone.ends)
        lead = alone.of_pairs([(best.place, other) for other in range(best.of) if other != best.place])
        lower = min(best.lower, of_fewer) if alone.lacks_topics(self)[best.place] else best.lower
        return best._replace(lower=lower, p=float(lead.tested(self).p.max()))

    def lead_of_best(self, family: Family) -> Lead | None:
        adjusted = family.over(self)
        is_adjusted = family.design.correction in ("holm", "maxt")
        baselines = family.request.baseline if family.request.has_fixed_baseline else ()
        # The mean of all runs is no run, and not in the family that ranks go by.
        if not (is_adjusted and len(baselines) == 1 and baselines[0] in family.names and family.common.any()):
            return None
        with_baseline = np.flatnonzero(family.pairs[:, 1] == family.names.index(baselines[0]))
        differences = on_topics(family.values, family.pairs[with_baseline], family.common)
        highest = int(tied_with_best(mean_over_topics(differences.T))[0])
        index, lead = int(with_baseline[highest]), differences[highest]
        if len(lead) < 2 or len(with_baseline) < 2 or np.isnan(adjusted.tested.limits[0][index]):
            return None
        lower = lower_limit_of_lead(adjusted.tested, index, lead, len(with_baseline), family.design, family.ends)
        without = family.without_lacking
        if without is not None and family.lacks_topics(self)[index] and without.common.any():
            (of_fewer,) = on_topics(without.values, family.pairs[[index]], without.common)
            without_near = without.tested(self)
            lower = min(
                lower,
                lower_limit_of_lead(without_near, index, of_fewer, len(with_baseline), family.design, family.ends),
            )
        limits = limits_of_lead(adjusted.tested, index, lower, adjusted.p_adjusted, family.design)
        return Lead(index, len(with_baseline), float(adjusted.tested.of.value[index]), *limits)


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

"""Topics as a plain sample: would other topics of this kind agree?"""

from dataclasses import replace
from typing import get_args

import numpy as np

from irci.base.choices import TOPICS, ResampledInterval
from irci.base.errors import DataError, plural
from irci.base.types import Bools, Floats, Words
from irci.bootstrap.topics import topic_counts
from irci.data.notices import warn_of_few_resamples
from irci.methods.compare.differences import (
    directions_over_topics,
    equivalence_over_topics,
    limits_over_topics,
    mean_values,
)
from irci.methods.compare.means import Tested, topic_interval
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval
from irci.stats.scales import mean_over_topics
from irci.stats.units import Units
from irci.studies.compare.family import Family, Source
from irci.studies.wording import LIMITS_ARE_OF


class Topics(Source):
    """Topics, each of which is a unit; `keys` uint64[T]: their streams."""

    name = over = counted = TOPICS
    lead = "Over all topics of this kind"
    explains = LIMITS_ARE_OF[TOPICS]
    before = ("effect_size",)
    observes = True
    label = "other topics"
    varies = "the topics vary: limits are for other topics of this kind"

    def __init__(self, keys: Words) -> None:
        self.keys = keys

    def units(self, values: Floats, mask: Bools) -> Units:
        return Units(values[:, mask], self.keys[mask])

    def tested(self, family: Family) -> Tested:
        return family.over_topics

    def means(self, alone: Family) -> Tested:
        nothing = np.full(len(alone.pairs), np.nan)
        value, lower, upper, error = np.full((4, len(alone.pairs)), np.nan)
        for place, scores in enumerate(alone.raw):
            scored = scores[~np.isnan(scores)]
            if not len(scored):
                continue
            counts = np.empty((0, 0), np.int32)
            if alone.design.interval in get_args(ResampledInterval):
                counts = topic_counts(len(scored), alone.design.resamples, alone.design.seed)
            mean = topic_interval(scored, alone.measure, alone.design, counts)
            value[place], lower[place], upper[place], error[place] = mean.value, mean.lower, mean.upper, mean.error
        return Tested(Estimates(value, error, nothing, np.zeros(len(nothing), np.int64)), (lower, upper), nothing, [])

    def limits(self, family: Family, tested: Tested, confidence: float) -> Interval:
        interval = family.design.interval
        if interval in get_args(ResampledInterval):
            limits = f"{family.measure.name}: adjusted {interval}"
            warn_of_few_resamples(limits, family.design.resamples, confidence, ", or --interval t")
        return limits_over_topics(family.values, family.pairs, replace(family.design, confidence=confidence))

    def at_once(self, family: Family, tested: Tested) -> tuple[Floats, Interval | None]:
        common = family.common
        if not common.any():
            raise DataError("the runs have no topic in common")
        found, _ = family.simultaneous(self)
        if not family.request.adjusted_limits:
            return found.p, None
        if not np.isfinite(found.width):
            topics = plural(int(common.sum()), "topic")
            family.warn_of_no_limits_at_once(topics if found.exact else f"{found.signs.number} resamples (-B)")
        return found.p, (found.lower, found.upper)

    def equivalence_p(self, family: Family, tested: Tested, margin: Floats) -> Floats:
        return equivalence_over_topics(family.values, family.pairs[: len(margin)], margin, family.request.alpha)

    def baseline_means(self, family: Family, shown: int) -> Floats:
        return mean_values(family.values, family.pairs[:shown])[1]

    def run_means(self, family: Family, runs: int) -> Floats:
        return run_means(family, runs)

    def directions(self, family: Family, values: Floats) -> Floats:
        return directions_over_topics(family.values, family.pairs[: len(values)], values, family.design.test)

    def most_units(self, family: Family, tested: Tested) -> int:
        return int(family.common.sum())


def run_means(family: Family, runs: int) -> Floats:
    """The means of all runs, float64[runs], over the topics that all of them share."""
    if not family.common.any():
        raise DataError("the runs have no topic in common")
    return mean_over_topics(family.values[:runs, family.common].T)

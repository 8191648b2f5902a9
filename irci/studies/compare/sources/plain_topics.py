"""Rows for plain topics of sources that estimate by other formulas: kinds of limits and tests as where topics alone are looked
at, figures by t those of the source."""

from dataclasses import replace

import numpy as np

from irci.base.types import Bools, Floats, Words
from irci.methods.compare.differences import limits_over_topics, over_topics
from irci.methods.compare.edges import kind_of, named, replaced
from irci.methods.compare.means import Tested, bounded_mean
from irci.stats.intervals import Interval
from irci.studies.compare.family import Family


def differences_of(family: Family, values: Floats, keys: Words, tested: Tested) -> Tested:
    """Differences of what the family compares, values[rows, T]; keys uint64[T]: streams of signs."""
    found = over_topics(values, family.pairs, keys, family.design, ends=family.ends)
    own = _by_t(found)
    return replace(
        tested, limits=replaced(found.limits, own, tested.limits), p=np.where(own, tested.p, found.p), test=found.test,
        interval=found.interval,
    )  # fmt: skip


def means_of(alone: Family, values: Floats, tested: Tested) -> Tested:
    """Means of values[rows, T]."""
    found = [bounded_mean(scores[~np.isnan(scores)], alone.ends, alone.design) for scores in values]
    some = np.array([each is not None for each in found])
    lower, upper = np.array([(np.nan, np.nan) if each is None else each for each in found]).T
    kinds = named(["t"] * len(found), some, kind_of(alone.design.interval))
    return replace(tested, limits=replaced(tested.limits, some, (lower, upper)), interval=kinds)


def limits_of(family: Family, values: Floats, tested: Tested, confidence: float, own: Interval) -> Interval:
    """Limits of differences of values[rows, T] at another confidence; `own`: those of the source there."""
    design = replace(family.design, confidence=confidence)
    others = limits_over_topics(values, family.pairs, design, family.ends)
    return replaced(others, _by_t(tested), own)


def _by_t(found: Tested) -> Bools:
    """bool[P]: limits are t's, and p is what the test gives."""
    is_so: Bools = (np.array(found.interval, object) == "t") & (np.array(found.test, object) != "t, signs")
    return is_so

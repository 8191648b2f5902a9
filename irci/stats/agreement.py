"""Limits and p of many pairs that do not contradict each other.

Where limits leave out 0, p is at most alpha, and the other way round. A limit of 0 itself is left out where p is at most
alpha, and included where it is not. Limits for all pairs that rest on the largest statistic alone (`irci.stats.simultaneous`)
are too narrow where few topics differ, or differences are skewed: so they are the widest of several.
"""

import numpy as np

from irci.base.types import Bools, Floats
from irci.stats.bounded import few_differ
from irci.stats.decisions import separated
from irci.stats.intervals import Interval, including_zero
from irci.stats.skewness import hall_limits
from irci.stats.tests import mean_and_sd
from irci.system import special


def no_less_than_p(p_adjusted: Floats, p: Floats) -> Floats:
    """p_adjusted[P] where it is no less than p[P], which another test may have given; nan where it is nan."""
    return np.where(np.isnan(p_adjusted), np.nan, np.fmax(p_adjusted, p))


def leaving_out_zero(limits: Interval, value: Floats, some: Bools, narrower: Interval) -> Interval:
    """Limits[P] of value[P] that leave out 0 for some[P] of them: where they do not, the side towards 0 is that of `narrower`
    ones, and where these do not either, it is 0, which is then left out. nan stays nan."""
    lower, upper = limits
    with np.errstate(invalid="ignore"):
        up, down = some & (value > 0) & (lower <= 0), some & (value < 0) & (upper >= 0)
    # fmax and fmin: narrower ones may be nan.
    return np.where(up, np.fmax(narrower[0], 0), lower), np.where(down, np.fmin(narrower[1], 0), upper)


def agreeing(limits: Interval, value: Floats, p: Floats, confidence: float, narrower: Interval) -> Interval:
    """Limits[P] of value[P] that leave out 0 where p[P] is at most 1 - confidence, and nowhere else: by those of `narrower`
    ones, else by being 0. As they are where p is nan; nan stays nan."""
    apart = separated(p, 1 - confidence)
    return leaving_out_zero(including_zero(limits, ~apart & ~np.isnan(p)), value, apart, narrower)


def limits_at_once(
    differences: Floats,
    at_once: Interval,
    p_adjusted: Floats,
    confidence: float,
    family: float,
    bounded: Interval | None = None,
) -> Interval:
    """Limits[P] of the means of differences[P, n], of a family of so many pairs (P of which may be given at a time), that hold
    for all of it at once, each the widest of three: `at_once`, by the largest statistic (nan: no topics enough); Bonferroni's
    t; Hall's.

    Where `few_differ`, they are those of `bounded` at confidence 1 - (1 - confidence)/family, if it has any (not nan), else
    Bonferroni's t; other pairs, too, may have `bounded` ones. They leave out 0 where p_adjusted[P] is at most 1 - confidence,
    and nowhere else. n = 1, or nothing varies: nan but for `bounded` ones.
    """
    mean, sd = mean_and_sd(differences)
    topics = differences.shape[1]
    lower, upper = np.full((2, len(mean)), np.nan)
    if topics > 1:
        reach = -float(special.stdtrit(topics - 1, (1 - confidence) / (2 * family)))
        error = sd / np.sqrt(topics)
        skewed, few = hall_limits(differences, reach), few_differ(differences)
        lower, upper = mean - reach * error, mean + reach * error
        lower = np.where(few, lower, np.fmin(np.fmin(lower, skewed[0]), at_once[0]))
        upper = np.where(few, upper, np.fmax(np.fmax(upper, skewed[1]), at_once[1]))
        lower, upper = np.where(sd > 0, lower, np.nan), np.where(sd > 0, upper, np.nan)
    if bounded is not None:
        known = ~np.isnan(bounded[0])
        lower, upper = np.where(known, bounded[0], lower), np.where(known, bounded[1], upper)
    return agreeing((lower, upper), mean, p_adjusted, confidence, at_once)

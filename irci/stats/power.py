"""Power of the paired t test: what so many topics can show, its power, the least detectable difference, the topics needed.

They speak of a new experiment. For the one at hand they add nothing to its p (J. M. Hoenig and D. M. Heisey, "The abuse of
power", The American Statistician 55, 2001), and are optimistic for pairs picked because they look large. With a correction
for P pairs give alpha / P.
"""

import math
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from irci.base.types import Floats
from irci.stats.noncentral import noncentral_t_cdf
from irci.system import special

CLOSE = 1e-13  # of a noncentrality, relative


def t_power(effect: float, topics: int, alpha: float) -> float:
    """The probability that the two-sided t test of so many topics finds a true difference of `effect` standard deviations.

    Findings in the wrong direction are counted, as the test does. 0 for fewer than 2 topics.
    """
    if topics < 2:
        return 0.0
    # The lower tail: 1 - tail would lose digits.
    critical, noncentrality = -float(special.stdtrit(topics - 1, alpha / 2)), effect * math.sqrt(topics)
    below, above = noncentral_t_cdf([-critical, critical], noncentrality, topics - 1).tolist()
    return float(below + 1 - above)


@lru_cache(maxsize=1024)
def detectable_effect(topics: int, alpha: float, power: float) -> float:
    """k(T): the true difference, in standard deviations, that the two-sided t test finds with this power (above alpha).

    Times a pair's standard deviation it is its least detectable difference. nan for fewer than 2 topics.
    """
    if topics < 2:
        return math.nan
    root = math.sqrt(topics)
    return crossing(lambda noncentrality: t_power(noncentrality / root, topics, alpha), power) / root


def topics_needed(effect: Floats, alpha: float, power: float) -> Floats:
    """The fewest topics, float64[P] of whole numbers from 2 on, at which the t test has this power for true differences of
    effect[P] standard deviations; infinite for 0, nan for nan.
    """
    result = np.full(len(effect), np.nan)
    for place, size in enumerate(np.abs(effect).tolist()):
        if size == 0:
            result[place] = math.inf
        elif not math.isnan(size):
            rising = partial(t_power, size, alpha=alpha)
            result[place] = _fewest(rising, power, _normal_topics(size, alpha, power))
    return result


def crossing(rising: Callable[[float], float], level: float) -> float:
    """The number at which a rising function of a positive number first reaches the level, by bisection: scipy.optimize takes
    longer to load than that takes."""
    low, high = 0.0, 1.0
    while rising(high) < level:
        low, high = high, 2 * high
    while high - low > CLOSE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) >= level else (middle, high)
    return high


def _normal_topics(effect: float, alpha: float, power: float) -> float:
    """Topics that the test would need with a normal quantile, and those that t's adds: within one or two of the truth."""
    z = -float(special.ndtri(alpha / 2))
    return ((z + float(special.ndtri(power))) / effect) ** 2 + z**2 / 2


def _fewest(rising: Callable[[int], float], level: float, guess: float) -> float:
    """The smallest whole number from 2 on at which a rising function reaches the level, sought outwards from a guess."""
    if not guess < 2.0**52:
        return guess  # whole numbers of topics are no longer told apart
    low, high, step = 1, max(2, math.ceil(guess)), 1
    if rising(high) >= level:
        low = high - step
        while low > 1 and rising(low) >= level:
            high, step = low, 2 * step
            low = max(1, high - step)
    else:
        while rising(high) < level:
            low, step = high, 2 * step
            high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if rising(middle) >= level else (middle, high)
    return float(high)

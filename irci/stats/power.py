"""What a paired t test of so many topics can show: its power, the least detectable difference, the topics needed.

They speak of a new experiment. For the one at hand they add nothing to its p (J. M. Hoenig and D. M. Heisey, "The abuse of
power", The American Statistician 55, 2001), and are optimistic for pairs picked because they look large. With a correction
for P pairs give alpha / P. Power of equivalence tests: D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15,
1987; the integral, D. B. Owen, Biometrika 52, 1965.
"""

import math
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from irci.base.types import Floats
from irci.stats.noncentral import FAR, legendre, noncentral_t_cdf

CLOSE = 1e-13  # of a noncentrality, relative
NODES = 200


def t_power(effect: float, topics: int, alpha: float) -> float:
    """The probability that the two-sided t test of so many topics finds a true difference of `effect` standard deviations.

    Findings in the wrong direction are counted, as the test does. 0 for fewer than 2 topics.
    """
    if topics < 2:
        return 0.0
    critical, noncentrality = _critical(topics, alpha / 2), effect * math.sqrt(topics)
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


def equivalence_power(margin: float, topics: int, alpha: float, *, true: float = 0.0) -> float:
    """The probability that both one-sided t tests reject a difference beyond +-margin, where it is `true`.

    Margin and true difference in standard deviations of the differences. 0 for fewer than 2 topics.
    """
    from irci.system.special import gammaln, ndtr

    if topics < 2 or not margin > 0:
        return 0.0
    df, error = topics - 1, 1 / math.sqrt(topics)
    critical = _critical(topics, alpha)
    # r = s / sigma, from where it is possible to where the limits leave no room.
    sd = 1 / math.sqrt(2 * df)
    low, high = max(0.0, 1 - FAR * sd), min(1 + FAR * sd + FAR**2 * sd**2 / 2, margin / (critical * error))
    if low >= high:
        return 0.0
    nodes, weights = legendre(NODES)
    r = low + (high - low) * nodes
    log_density = math.log(2) + df / 2 * math.log(df / 2) - gammaln(df / 2) + (df - 1) * np.log(r) - df * r * r / 2
    room = (margin - critical * r * error) / error
    inside = ndtr(room - true / error) - ndtr(-room - true / error)
    return float((high - low) * (weights * np.exp(log_density) * inside).sum())


@lru_cache(maxsize=1024)
def least_margin(topics: int, alpha: float, power: float) -> float:
    """The least margin, in standard deviations, within which so many topics show runs equivalent that are, with this power.

    nan for fewer than 2 topics.
    """
    if topics < 2:
        return math.nan
    root = math.sqrt(topics)
    return crossing(lambda margin: equivalence_power(margin / root, topics, alpha), power) / root


def topics_for_margin(margin: float, alpha: float, power: float) -> float:
    """The fewest topics that show runs of equal means equivalent within +-margin standard deviations, with this power."""
    if not margin > 0:
        return math.inf
    from irci.system.special import ndtri

    guess = ((float(ndtri(1 - alpha)) + float(ndtri((1 + power) / 2))) / margin) ** 2
    return _fewest(partial(equivalence_power, margin, alpha=alpha), power, guess)


def _critical(topics: int, tail: float) -> float:
    from irci.system.special import stdtrit

    return -float(stdtrit(topics - 1, tail))  # the lower tail: 1 - tail would lose digits


def crossing(rising: Callable[[float], float], level: float) -> float:
    """Where a rising function of a positive number first reaches the level, by bisection: scipy.optimize takes longer to load
    than that takes."""
    low, high = 0.0, 1.0
    while rising(high) < level:
        low, high = high, 2 * high
    while high - low > CLOSE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) >= level else (middle, high)
    return high


def _normal_topics(effect: float, alpha: float, power: float) -> float:
    """How many topics the test would need with a normal quantile, and those that t's adds: within one or two of the truth."""
    from irci.system.special import ndtri

    z = -float(ndtri(alpha / 2))
    return ((z + float(ndtri(power))) / effect) ** 2 + z**2 / 2


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

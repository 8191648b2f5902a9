"""The best of many runs: limits of its mean that allow for its having been picked for its score, and its mean less what being
picked adds on average.

Being picked can only flatter, so that the two limits are of different kinds: the upper one is that of a run by itself, the
lower one lies W standard errors below the mean, W from the largest signed statistic of all runs under signs of topics, the
same for all. Near an end of the scale that is too near: so the lower limit is the smaller of it and of a bounded one for so
many runs (irci.stats.bounded). I. Andrews, T. Kitagawa and A. McCloskey, "Inference on winners", QJE 139, 2024;
Y. Benjamini, Y. Hechtlinger and P. B. Stark, "Confidence intervals for selected parameters", 2019.

Whether the best one is better than all others needs no correction for their number: the largest p of its pairs will do
(K. Hung and W. Fithian, "Rank verification for exponential families", Ann. Statist. 47, 2019).
"""

import math

import numpy as np

from irci.base.types import Ends, Floats, Ints, Ints32
from irci.kernels.topics import mean_over_drawn
from irci.stats.bounded import bounded_limits
from irci.stats.decisions import critical_value
from irci.stats.scales import SAME
from irci.stats.signs import AT_ONCE, Signs
from irci.stats.tests import as_t
from irci.system import special

EQUAL = 1e-12  # means that differ by no more are tied


def tied_with_best(means: Floats) -> Ints:
    """The places of the best of means[k], the first of them the one that is picked, int64[r]."""
    return np.flatnonzero(means >= means.max() - EQUAL)


def largest_signed(scores: Floats, signs: Signs) -> Floats:
    """float64[N]: the largest signed u of the rows of scores[k, n], less their means, under each of the signs, or under these
    and their negatives where they are half of all. Rows that do not vary never count."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    roots = np.sqrt(np.square(centred).sum(axis=1))
    varying = roots > math.sqrt(scores.shape[1]) * SAME * np.abs(scores).max(axis=1, initial=0.0)
    unit = centred[varying] / roots[varying, np.newaxis]
    if not len(unit):
        return np.zeros(signs.number)
    found = []
    for first in range(0, signs.number, AT_ONCE):
        u = unit @ signs.matrix(first, min(first + AT_ONCE, signs.number))
        found += [u.max(axis=0), -u.min(axis=0)] if signs.exact else [u.max(axis=0)]
    return np.concatenate(found)


def errors_below(scores: Floats, signs: Signs, alpha: float, tried: int | None = None) -> float:
    """W: how many standard errors below its mean the lower limit of the best of k runs, scores[k, n], lies.

    Where the topics are too few for signs, or more runs were `tried` than there are, Bonferroni's t for so many. n = 1: nan.
    """
    runs, topics = scores.shape
    if topics < 2:
        return math.nan
    alone = -float(special.stdtrit(topics - 1, alpha / 2))
    if tried is None:
        width = float(as_t(critical_value(largest_signed(scores, signs), alpha / 2, exact=False), topics))
        if math.isfinite(width):
            return max(width, alone)
    return -float(special.stdtrit(topics - 1, alpha / (2 * (tried or runs))))


def lower_limit(
    scores: Floats,
    place: int,
    signs: Signs,
    alpha: float,
    *,
    ends: Ends | None,
    tried: int | None = None,
) -> float:
    """The lower limit of the mean of the run at a place, the best of k, from scores[k, n] between `ends`; None: not bounded.
    nan of one topic, and of scores that do not vary where there are no ends."""
    runs, topics = scores.shape
    if topics < 2:
        return math.nan
    own = scores[place]
    error = float(own.std(ddof=1)) / math.sqrt(topics)
    by_signs = float(own.mean()) - errors_below(scores, signs, alpha, tried) * error if error > 0 else math.nan
    if ends is None:
        return by_signs
    low, _ = bounded_limits(np.clip(own, *ends)[np.newaxis], *ends, alpha / (tried or runs))
    return max(float(np.fmin(by_signs, low.item())), ends[0])


def corrected_mean(scores: Floats, place: int, counts: Ints32) -> float:
    """The mean of the run at a place, the best of scores[k, n], less how much that of the best on resampled topics, counts
    int32[n, B], is above its mean on average (of runs that are tied there, on average over these); never more than the mean,
    which that of a single run is."""
    observed = scores.mean(axis=1)
    if len(scores) == 1:
        return float(observed[0])
    means = np.empty((len(scores), counts.shape[1]))
    mean_over_drawn(np.ascontiguousarray(scores), counts, means)
    best = means >= means.max(axis=0) - EQUAL
    flattery = float((((means - observed[:, np.newaxis]) * best).sum(axis=0) / best.sum(axis=0)).mean())
    return float(observed[place]) - max(flattery, 0.0)

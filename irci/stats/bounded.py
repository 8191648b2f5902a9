"""Bounded limits: of means of scores between two ends of a scale, for scores whose t limits are wrong or none.

Scores that are all at an end, take few values or never change say little about how much others may vary: t's limits are
then too narrow, or leave the scale. Here the n scores and one more, at an end of the scale, get random weights
W ~ Dirichlet(1, ..., 1). With the extra score at the low end, F_low(c) = P(sum W x < c) is the upper tail of the unknown
mean's distribution, with the high end F_high(c) the lower one (N. Gaffke, "Three test statistics for a nonparametric one-sided
hypothesis on the mean of a nonnegative variable", Math. Methods Statist. 14, 2005; E. Learned-Miller and P. S. Thomas, "A new
confidence interval for the mean of a bounded random variable", 2020). Limits are quantiles of F = (F_low + F_high)/2, which on
scores of 0 and 1 are the mid-p limits of Clopper and Pearson.
"""

import math

import numpy as np

from irci.base.types import Bools, Floats, Ints
from irci.kernels.bounded import fill_limits, fill_shares_below
from irci.stats.intervals import Interval
from irci.stats.scales import SAME
from irci.system.work import in_shares

FEW_DIFFERING = 10  # topics that differ; with fewer, that no rare large difference was missed is not known
# Of a pair's largest difference, or its mean: jitter, say, which tells nothing of how large rare ones are; or small ones.
NEXT_TO_NOTHING, SMALL = 0.01, 0.1
NEAR = 0.05  # of the scale: what lies no farther from the median hardly differs from it
SHORTEST, LONGEST = 1e-300, 1e300  # scales on which nothing computed is infinite, or nothing
STEPS_EACH = 100  # of a kernel for each score, about, until a limit is found


def bounded_limits(scores: Floats, low: float, high: float, alpha: float, *, threads: int = 1) -> Interval:
    """Limits [...] of the means of scores float64[..., n], all from low to high, that miss with probability alpha.

    The alpha/2 and 1 - alpha/2 quantiles of F. F may jump at an end of the scale, where all
    scores are: then the limit is that end. ValueError for scores beyond the scale (by more than rounding) or not a number,
    for n = 0, for ends that are infinite or next to equal, and for an alpha that is not from 0 to 1.
    """
    rows = _rows(scores, low, high)
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha is {alpha}, not from 0 to 1")
    lower, upper = np.empty(len(rows)), np.empty(len(rows))

    def of_some(index: slice) -> None:
        fill_limits(rows[index], float(low), float(high), alpha / 2, lower[index], upper[index])

    in_shares(of_some, len(rows), threads, STEPS_EACH * rows.size)
    return lower.reshape(scores.shape[:-1]), upper.reshape(scores.shape[:-1])


def bounded_p(scores: Floats, low: float, high: float, value: float = 0.0) -> Floats:
    """Two-sided p [...] of the mean being `value`, for scores float64[..., n] from low to high: 2 min(F, 1 - F) at value, and
    for the scores' negatives that of -value.

    bounded_limits hold the value if and only if p >= alpha. Where F jumps, at an end, it is taken from within the scale, where
    limits are: p of that end is 1 if all scores are there, else 0. Beyond the scale it is 0. On 0/1 scores p is the binomial
    test's mid-p, on their differences McNemar's. ValueError: as of bounded_limits, and for a value that is not a number.
    """
    rows = _rows(scores, low, high)
    if math.isnan(value):
        raise ValueError("the value is not a number")
    if low < value < high:
        below = _shares_below(rows, low, high, value)
        # Not 1 - below, which has no digits of a small tail.
        above = _shares_below(np.ascontiguousarray(-rows[:, ::-1]), -high, -low, -value)
        p = np.minimum(2 * np.minimum(below, above), 1.0)
    else:
        at_value = np.abs(rows - value) <= SAME * (high - low)
        p = (at_value.all(axis=1) & (low <= value <= high)).astype(np.float64)
    return np.asarray(p.reshape(scores.shape[:-1]))


def share_below(scores: Floats, low: float, high: float, value: float = 0.0) -> Floats:
    """F(value) [...] of scores float64[..., n], which may lie beyond the ends by rounding: the one-sided p of the mean being
    above a value below `high`; 0 of one that is not above `low`."""
    rows = _rows(scores, low, high)
    share = _shares_below(rows, low, high, value) if low < value else np.zeros(len(rows))
    return share.reshape(scores.shape[:-1])


def _shares_below(rows: Floats, low: float, high: float, value: float) -> Floats:
    share = np.empty(len(rows))
    fill_shares_below(rows, float(low), float(high), float(value), share)
    return share


def _rows(scores: Floats, low: float, high: float) -> Floats:
    """float64[R, n]: scores[..., n] with a row a mean, each row ascending; what rounding put beyond an end is at that end."""
    length, topics = float(high) - float(low), scores.shape[-1]
    if not SHORTEST <= length <= LONGEST:
        raise ValueError(f"a scale from {low} to {high} is too short or too long to compute with")
    same = SAME * length
    if not (topics and ((scores >= low - same) & (scores <= high + same)).all()):
        raise ValueError(f"no scores, or some that are not from {low} to {high}")
    return np.ascontiguousarray(np.sort(np.clip(scores.astype(np.float64), low, high).reshape(-1, topics), axis=-1))


def share_limit(count: int, topics: int, alpha: float) -> float:
    """The upper mid-p limit of the share of other topics that differ where `count` of these do; two-sided, that misses with
    probability alpha/2."""
    ones = (np.arange(topics) < count).astype(np.float64)
    return float(bounded_limits(ones, 0.0, 1.0, alpha)[1])


def at_ends(scores: Floats, low: float, high: float) -> Bools:
    """bool[...]: all of scores[..., n] are an end of the scale."""
    same = SAME * (high - low)
    result: Bools = np.all((scores <= low + same) | (scores >= high - same), axis=-1)
    return result


def nearly_constant(scores: Floats, low: float, high: float) -> Bools:
    """bool[...]: of scores[..., n] fewer than 10 differ from the most frequent one, or fewer than 10 lie farther than NEAR
    of the scale from the median. So it is for every set of 10 topics or fewer."""
    if scores.shape[-1] <= FEW_DIFFERING:
        return np.ones(scores.shape[:-1], np.bool_)
    repeated = mostly_one_score(scores, low, high)
    far = np.abs(scores - np.median(scores, axis=-1, keepdims=True)) > (NEAR + SAME) * (high - low)
    together: Bools = np.sum(far, axis=-1) < FEW_DIFFERING
    return repeated | together


def mostly_one_score(scores: Floats, low: float, high: float, *, half: bool = False) -> Bools:
    """bool[...]: of scores[..., n] fewer than 10 differ from the most frequent one, which two or more have; `half`: or half of
    them, if these are more."""
    number = scores.shape[-1]
    others_at_least = max(number - FEW_DIFFERING, (number + 1) // 2 - 1 if half else 1, 1)
    ordered = np.sort(scores, axis=-1)
    # Equal scores stand side by side: of others + 1 the first and the last are so far apart.
    return np.asarray(
        np.any(ordered[..., others_at_least:] - ordered[..., :-others_at_least] <= SAME * (high - low), axis=-1)
    )


def mean_needs_bounds(scores: Floats, low: float, high: float) -> Bools:
    """bool[...]: the mean of scores[..., n] gets bounded limits in place of t's."""
    return at_ends(scores, low, high) | nearly_constant(scores, low, high)


def differing_topics(differences: Floats) -> tuple[Ints, Floats]:
    """int64[P]: on how many topics differences[P, T] are more than a hundredth of the pair's largest; or, where most of T and
    all but a few are a tenth or less, more than a tenth. And that share, float64[P]."""
    size, topics = np.abs(differences), differences.shape[1]
    largest = size.max(axis=1, initial=0.0, keepdims=True)
    number, of_size = ((size > share * largest).sum(axis=1) for share in (NEXT_TO_NOTHING, SMALL))
    are_small = (of_size < FEW_DIFFERING) & (2 * of_size < topics) & ((number >= FEW_DIFFERING) | (number == topics))
    return np.where(are_small, of_size, number), np.where(are_small, SMALL, NEXT_TO_NOTHING)


def few_differ(differences: Floats) -> Bools:
    """bool[P]: where fewer than 10 of differences[P, T], and not all, are more than a hundredth of the pair's largest, or
    fewer than 10 and fewer than half more than a tenth of it: rare large ones may not have been seen. (A tenth alone would be
    met by normal differences: by 78 of 100 pairs on 10 topics.)"""
    number, _ = differing_topics(differences)
    return np.asarray((number < FEW_DIFFERING) & (number < differences.shape[1]))

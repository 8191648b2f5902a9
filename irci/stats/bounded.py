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

from irci.base.types import Floats
from irci.kernels.bounded import fill_limits, fill_shares_below
from irci.stats.intervals import Interval
from irci.stats.scales import SAME, mean_over_topics
from irci.stats.tests import mean_and_sd
from irci.system import in_shares, special

FAR = 1e100  # standard errors; the square of more overflows
ANGLES, THIRDS = 48, 40


def above_zero_p(terms: Floats, least: Floats | float = 0.0) -> Floats:
    """One-sided p[P] of the mean of terms[P, n] being above 0: the larger of Student's t and Hall's, and no less than 2^-n,
    what signs can say. Terms that lie no farther apart than `least`, what rounding may have left of the numbers that they are
    sums of, have no spread: then 2^-n where the mean is above `least`, else 1. n = 1, or terms not known: nan."""
    number = terms.shape[1]
    if number < 2:
        return np.full(len(terms), np.nan)
    mean, sd = mean_and_sd(terms)
    sd = np.where(np.ptp(terms, axis=1) <= least, 0.0, sd)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        lesser = _lesser(mean, sd, mean_over_topics((terms.T - mean) ** 3), number)
    p = np.where(sd == 0, np.where(mean > least, 0.0, 1.0), special.stdtr(number - 1, -lesser))
    return np.asarray(np.maximum(p, 2.0**-number))


def _lesser(mean: Floats, sd: Floats, third: Floats, number: int) -> Floats:
    # The lesser of Student's t and Hall's statistic, of means, standard deviations (ddof 1) and third moments.
    t = np.clip(np.sqrt(number) * mean / sd, -FAR, FAR)
    return np.asarray(np.fmin(t, hall_t(t, third / sd**3 / np.sqrt(number))))


def hall_t(t: Floats, skewness: Floats) -> Floats:
    """Hall's statistic[P] of t[P]; `skewness` A[P]."""
    w = skewness * t / 3
    return np.asarray(t * (1 + w + w**2 / 3) + skewness / 6)


def hall_limits(differences: Floats, reach: float) -> Interval:
    """Limits[P] of the means of differences[P, n], as far out as `reach`, a quantile of t: d - se h(reach), d - se h(-reach),
    h(q) = (3/A)(cbrt(1 + A (q - A/6)) - 1), which is q for A = 0. Without spread both are the mean; n = 1: nan."""
    mean, sd = mean_and_sd(differences)
    number, third = differences.shape[1], mean_over_topics((differences.T - mean) ** 3)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        skewness = third / (sd**3 * ((number - 1) / number) ** 1.5) / np.sqrt(number)
    skewness = np.where(sd > 0, skewness, 0.0)
    away = np.array([[reach], [-reach]]) - skewness / 6
    # cbrt(y) - 1 = (y - 1) / (cbrt(y)^2 + cbrt(y) + 1) loses no digit as A comes to 0.
    root = np.cbrt(1 + skewness * away)
    return np.asarray(mean - sd / np.sqrt(number) * 3 * away / (root**2 + root + 1))


def margin_p(differences: Floats, terms: Floats | float) -> Floats:
    """p[2, P] that the means of differences[P, n] lie those of the terms[P, n], or one, of a margin above 0, below 0 or lower,
    and above 0 or higher, by `above_zero_p`; the larger is that of equivalence. n = 1: nan. (D. J. Schuirmann, Journal of
    Pharmacokinetics and Biopharmaceutics 15, 1987.)"""
    least = SAME * np.maximum(np.abs(differences), np.abs(terms)).max(axis=1, initial=0.0)
    return np.stack((above_zero_p(terms + differences, least), above_zero_p(terms - differences, least)))


def share_of_baseline_p(differences: Floats, baseline: Floats, share: float) -> Floats:
    """p[2, P] that the means of differences[P, n] lie a share q of the means of baseline[P, n] below 0 or lower, and above 0
    or higher, by tests of D + q B and q B - D: the baseline's mean is not taken as known. nan where that mean is 0 or less, of
    which there is no share. (E. C. Fieller, Journal of the Royal Statistical Society B 16, 1954.)

    The larger p of this share and of all greater ones, down to that of the baseline's mean being above 0, to which they come:
    else a greater share might lose what a smaller one shows, as the spread of q B grows with it."""
    greater = [_p_of_greater_shares(item, baseline, share) for item in (differences, -differences)]
    p = np.maximum(margin_p(differences, share * baseline), greater)
    return np.where(mean_over_topics(baseline.T) > 0, p, np.nan)


def _p_of_greater_shares(differences: Floats, baseline: Floats, share: float) -> Floats:
    """The largest p[P] of the means of differences[P, n] + q baseline[P, n] being above 0 over all q above this share.

    Of terms D cos a + B sin a Hall's statistic is smooth in the angle a: once D and B have the same spread and do not
    correlate, a sum of cosines of up to 9 a. So ANGLES see where it is least, and steps by thirds find that.
    """
    number = differences.shape[1]
    if number < 2:
        return np.full(len(differences), np.nan)
    size_d, size_b = (np.abs(values).max(axis=1, initial=0.0) for values in (differences, baseline))
    d, b = differences.T / np.where(size_d > 0, size_d, 1.0), baseline.T / np.where(size_b > 0, size_b, 1.0)
    mean_d, mean_b = mean_over_topics(d), mean_over_topics(b)
    d, b = d - mean_d, b - mean_b
    dd, db, bb = (product.sum(axis=0) / (number - 1) for product in (d * d, d * b, b * b))
    ddd, ddb, dbb, bbb = (product.sum(axis=0) / number for product in (d**3, d * d * b, d * b * b, b**3))

    def lesser(angle: Floats) -> Floats:
        c, s = np.cos(angle), np.sin(angle)
        # A variance of less is rounding: there t is as good as infinite.
        sd = np.sqrt(np.maximum(c * c * dd + 2 * c * s * db + s * s * bb, SAME**2 * (dd + bb)))
        third = c**3 * ddd + 3 * c * c * s * ddb + 3 * c * s * s * dbb + s**3 * bbb
        return _lesser(c * mean_d + s * mean_b, sd, third, number)

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        first = np.arctan2(share * size_b, size_d)
        step = (np.pi / 2 - first) / ANGLES
        angles = first + step * np.arange(1, ANGLES + 1)[:, np.newaxis]
        position = angles[np.argmin(lesser(angles), axis=0), np.arange(len(first))]
        low, high = position - step, np.minimum(position + step, np.pi / 2)
        for _ in range(THIRDS):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            falls = lesser(left) > lesser(right)
            low, high = np.where(falls, left, low), np.where(falls, high, right)
        least = np.minimum(lesser((low + high) / 2), lesser(position))
    return np.asarray(special.stdtr(number - 1, -least))


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
    limits = np.empty((2, len(rows)))

    def of_some(index: slice) -> None:
        fill_limits(rows[index], float(low), float(high), alpha / 2, *limits[:, index])

    in_shares(of_some, len(rows), threads, STEPS_EACH * rows.size)
    return limits.reshape(2, *scores.shape[:-1])


def bounded_p(scores: Floats, low: float, high: float, value: float = 0.0) -> Floats:
    """Two-sided p [...] of the mean being `value`, for scores float64[..., n] from low to high: 2 min(F, 1 - F) at value, and
    for the scores' negatives that of -value.

    bounded_limits hold the value if and only if p >= alpha. Where F jumps, at an end, it is taken from within the scale, where
    limits are: p of that end is 1 if all scores are there, else 0. Beyond the scale it is 0. On 0/1 scores p is the binomial
    test's mid-p, on their differences McNemar's. ValueError: as of bounded_limits, and for a value that is not a number.
    """
    if math.isnan(value):
        raise ValueError("the value is not a number")
    if low < value < high:
        # Not 1 - below, which has no digits of a small tail.
        below, above = share_below(scores, low, high, value), share_below(-scores, -high, -low, -value)
        return np.asarray(np.minimum(2 * np.minimum(below, above), 1.0))
    at_value = np.abs(_rows(scores, low, high) - value) <= SAME * (high - low)
    p = at_value.all(axis=1) & (low <= value <= high)
    return np.asarray(p.reshape(scores.shape[:-1]), np.float64)


def share_below(scores: Floats, low: float, high: float, value: float = 0.0) -> Floats:
    """F(value) [...] of scores float64[..., n], which may lie beyond the ends by rounding: the one-sided p of the mean being
    above a value below `high`; 0 of one that is not above `low`."""
    rows = _rows(scores, low, high)
    share = np.zeros(len(rows))
    if low < value:
        fill_shares_below(rows, float(low), float(high), float(value), share)
    return share.reshape(scores.shape[:-1])


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

"""Moments of the differences of many pairs of runs, found without keeping the differences; and what skewness does to t."""

from typing import NamedTuple

import numpy as np

from irci.base.types import Bools, Floats, Pairs
from irci.kernels.topics import fill_moments
from irci.stats.intervals import Interval
from irci.stats.scales import SAME, mean_over_topics
from irci.stats.tests import mean_and_sd
from irci.system import special
from irci.system.work import in_shares


class Moments(NamedTuple):
    """Differences of P pairs on so many topics, float64[P] each: the mean, the sums of squares as they are and less the mean,
    the least and the greatest."""

    topics: int
    mean: Floats
    squares: Floats
    centred: Floats
    low: Floats
    high: Floats

    def take(self, index: slice) -> "Moments":
        """Those of some pairs."""
        return Moments(self.topics, *(item[index] for item in self[1:]))

    @property
    def largest(self) -> Floats:
        """The largest |difference|."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    @property
    def reach(self) -> Floats:
        """How far apart the least and the greatest are."""
        return self.high - self.low

    @property
    def without_spread(self) -> Bools:
        """bool[P]: whether all differences are one number, up to rounding."""
        return np.asarray(self.reach <= SAME * self.largest)

    @property
    def sd(self) -> Floats:
        """The standard deviation (ddof 1): 0 where all are one number, nan of one topic."""
        if self.topics < 2:
            return np.full(len(self.mean), np.nan)
        squares = self.centred / self.topics
        return np.where(self.without_spread, 0.0, np.sqrt(squares * self.topics / (self.topics - 1)))

    @property
    def error(self) -> Floats:
        """The standard error of the mean; nan of one topic."""
        if self.topics < 2:
            return np.full(len(self.mean), np.nan)
        squares = self.centred / self.topics
        return np.where(self.without_spread, 0.0, np.sqrt(squares / (self.topics - 1)))


def moments_of_pairs(values: Floats, pairs: Pairs, threads: int = 1, same: float = SAME) -> Moments:
    """Moments of the differences of pairs[P, 2] of rows of values[m, T], T > 0, added up in topic order.

    `same`: differences no larger than this share of a pair's largest score are 0, and all are the first where they lie no
    farther apart; below 0 where differences are as they are.
    """
    values, pairs = np.ascontiguousarray(values), np.ascontiguousarray(pairs)
    largest = np.abs(values).max(axis=1)
    moments = np.empty((len(pairs), 5))

    def work(index: slice) -> None:
        rounding = same * largest[pairs[index]].max(axis=1) if same >= 0 else np.full(len(pairs[index]), -1.0)
        fill_moments(values, pairs[index], rounding, moments[index])

    in_shares(work, len(pairs), threads, len(pairs) * values.shape[1])
    return Moments(values.shape[1], *moments.T)


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
        lesser = _lesser(mean, sd, _third_moment(terms, mean), number)
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
    number = differences.shape[1]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        skewness = _third_moment(differences, mean) / (sd**3 * ((number - 1) / number) ** 1.5) / np.sqrt(number)
    skewness = np.where(sd > 0, skewness, 0.0)
    error = sd / np.sqrt(number)
    return mean - error * _inverse(reach, skewness), mean - error * _inverse(-reach, skewness)


def _inverse(q: float, skewness: Floats) -> Floats:
    # h(q), by cbrt(y) - 1 = (y - 1) / (cbrt(y)^2 + cbrt(y) + 1), which loses no digit as A comes to 0.
    root = np.cbrt(1 + skewness * (q - skewness / 6))
    return np.asarray(3 * (q - skewness / 6) / (root**2 + root + 1))


def _third_moment(values: Floats, mean: Floats) -> Floats:
    # m3[P] of values[P, n], added up in topic order as their means are.
    return mean_over_topics((values.T - mean) ** 3)


def margin_p(differences: Floats, low: Floats | float, high: Floats | float) -> Floats:
    """p[2, P] that the means of differences[P, n] lie at -low or below, and at high or above, margins above 0, one or P of
    them, by `above_zero_p`; the larger is that of equivalence. n = 1: nan. (D. J. Schuirmann, Journal of Pharmacokinetics and
    Biopharmaceutics 15, 1987.)"""
    low, high = (np.reshape(np.broadcast_to(margin, len(differences)), (-1, 1)) for margin in (low, high))
    least = SAME * np.maximum(np.abs(differences), np.maximum(low, high)).max(axis=1, initial=0.0)
    return np.stack((above_zero_p(differences + low, least), above_zero_p(high - differences, least)))


def share_of_baseline_p(differences: Floats, baseline: Floats, share: float) -> Floats:
    """p[2, P] that the means of differences[P, n] lie a share q of the means of baseline[P, n] below 0 or lower, and above 0
    or higher, by tests of D + q B and q B - D: the baseline's mean is not taken as known. nan where that mean is 0 or less, of
    which there is no share. (E. C. Fieller, Journal of the Royal Statistical Society B 16, 1954.)

    The larger p of this share and of all greater ones, down to that of the baseline's mean being above 0, to which they come:
    else a greater share might lose what a smaller one shows, as the spread of q B grows with it."""
    terms = share * baseline
    least = SAME * np.maximum(np.abs(differences), np.abs(terms)).max(axis=1, initial=0.0)
    p = [
        np.maximum(above_zero_p(terms + item, least), _p_of_greater_shares(item, baseline, share))
        for item in (differences, -differences)
    ]
    return np.where(mean_over_topics(baseline.T) > 0, np.stack(p), np.nan)


def _p_of_greater_shares(differences: Floats, baseline: Floats, share: float) -> Floats:
    """The largest p[P] of the means of differences[P, n] + q baseline[P, n] being above 0 over all q above this share.

    Of terms D cos a + B sin a Hall's statistic is smooth in the angle a: once D and B have the same spread and do not
    correlate, a sum of cosines of up to 9 a. So ANGLES see where it is least, and steps by thirds find that.
    """
    number = differences.shape[1]
    if number < 2:
        return np.full(len(differences), np.nan)
    both = np.stack((differences, baseline))
    size = np.abs(both).max(axis=2, initial=0.0)
    both = both / np.where(size > 0, size, 1.0)[:, :, np.newaxis]
    means = np.stack([mean_over_topics(item.T) for item in both])
    centred = both - means[:, :, np.newaxis]
    second = np.einsum("ipn,jpn->ijp", centred, centred) / (number - 1)
    third = np.einsum("ipn,jpn,kpn->ijkp", centred, centred, centred) / number

    def lesser(angle: Floats) -> Floats:
        u = np.stack((np.cos(angle), np.sin(angle)))
        variance = np.einsum("ip...,jp...,ijp->p...", u, u, second)
        # Less is rounding: there t is as good as infinite.
        sd = np.sqrt(
            np.maximum(variance, np.reshape(SAME**2 * (second[0, 0] + second[1, 1]), (-1, *[1] * (u.ndim - 2))))
        )
        mean = np.einsum("ip...,ip->p...", u, means)
        return _lesser(mean, sd, np.einsum("ip...,jp...,kp...,ijkp->p...", u, u, u, third), number)

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        first = np.arctan2(share * size[1], size[0])
        step = (np.pi / 2 - first) / ANGLES
        angles = first[:, np.newaxis] + step[:, np.newaxis] * np.arange(1, ANGLES + 1)
        position = angles[np.arange(len(first)), np.argmin(lesser(angles), axis=1)]
        low, high = position - step, np.minimum(position + step, np.pi / 2)
        for _ in range(THIRDS):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            falls = lesser(left) > lesser(right)
            low, high = np.where(falls, left, low), np.where(falls, high, right)
        least = np.minimum(lesser((low + high) / 2), lesser(position))
    return np.asarray(special.stdtr(number - 1, -least))

"""Student's t corrected for the skewness of what is averaged, by a transformation that rises everywhere: a wider margin never
loses what a narrower one shows, and limits are the inverse in closed form.

P. Hall, "On the removal of skewness by transformation", Journal of the Royal Statistical Society B 54, 1992. With A the third
standardised moment over sqrt(n), g(t) = t + A/6 + A t^2/3 + A^2 t^3/27, so that (1 + A t/3)^3 = 1 + A (g - A/6). N. J.
Johnson's form (JASA 73, 1978) lacks the last term and falls again.
"""

import numpy as np

from irci.base.types import Floats
from irci.stats.intervals import Interval
from irci.stats.scales import mean_over_topics
from irci.stats.tests import SAME, mean_and_sd
from irci.system import special

FAR = 1e100  # standard errors; the square of more overflows


def above_zero_p(terms: Floats, least: Floats | float = 0.0) -> Floats:
    """One-sided p[P] of the mean of terms[P, n] being above 0: the larger of Student's t and Hall's, and no less than 2^-n,
    what signs can say. Without spread that is all there is: 2^-n where the mean is above `least` (rounding), else 1. n = 1:
    nan."""
    number = terms.shape[1]
    if number < 2:
        return np.full(len(terms), np.nan)
    mean, sd = mean_and_sd(terms)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        t = np.clip(np.sqrt(number) * mean / sd, -FAR, FAR)
        lesser = np.fmin(t, hall_t(t, _third_moment(terms, mean) / sd**3 / np.sqrt(number)))
    p = np.where(sd > 0, special.stdtr(number - 1, -lesser), np.where(mean > least, 0.0, 1.0))
    return np.asarray(np.maximum(p, 2.0**-number))


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


def equivalence_p(differences: Floats, low: Floats | float, high: Floats | float) -> Floats:
    """p[P] that the means of differences[P, n] do not lie between -low and high, margins above 0, one or P of them: the larger
    of two one-sided tests by `above_zero_p`, each at level alpha. n = 1: nan. (D. J. Schuirmann, Journal of Pharmacokinetics
    and Biopharmaceutics 15, 1987.)"""
    least = SAME * np.abs(differences).max(axis=1, initial=0.0)
    low, high = (np.reshape(np.broadcast_to(margin, len(differences)), (-1, 1)) for margin in (low, high))
    return np.maximum(above_zero_p(differences + low, least), above_zero_p(high - differences, least))


def equivalence_to_baseline_p(differences: Floats, baseline: Floats, share: float) -> Floats:
    """p[P] that the means of differences[P, n] do not lie within this share q of the means of baseline[P, n], by tests of D +
    q B and q B - D: the baseline's mean is not taken as known. nan where that mean is 0 or less, of which there is no share.
    (E. C. Fieller, Journal of the Royal Statistical Society B 16, 1954.)"""
    terms = share * baseline
    least = SAME * np.maximum(np.abs(differences), np.abs(terms)).max(axis=1, initial=0.0)
    p = np.maximum(above_zero_p(terms + differences, least), above_zero_p(terms - differences, least))
    return np.where(mean_over_topics(baseline.T) > 0, p, np.nan)

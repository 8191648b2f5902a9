"""Intervals from the distribution of a resampled statistic. Limits are not clipped to a measure's range.

scipy.special takes as long to load as a run to score, so only what nothing else has is taken from it, where it is needed.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from irci.base.types import Bools, Floats
from irci.stats.scales import EPSILON, LOG, PLAIN, Scale, clamped_logit, expit, floored_log
from irci.system import special

Interval = tuple[Floats, Floats]

# Scores this close are equal: sums in another order differ by rounding.
SAME_SCORE = 1e-12
# A larger share of replicates equal to the estimate is an atom.
ATOM = 0.05


def normal_quantile(confidence: float) -> float:
    """z such that a standard normal lies within +-z with this probability."""
    from statistics import NormalDist  # takes time to load, and not every command needs it

    return -NormalDist().inv_cdf((1 - confidence) / 2)


def normal_interval(estimate: ArrayLike, sd: ArrayLike, confidence: float) -> Interval:
    """estimate +- z sd, elementwise (Cormack & Lynam 2006, section 4, "linear")."""
    centre = np.asarray(estimate, np.float64)
    margin = normal_quantile(confidence) * np.asarray(sd, np.float64)
    return centre - margin, centre + margin


def linear_interval(estimate: Floats, replicates: Floats, confidence: float) -> Interval:
    """estimate[T] +- z times the standard deviation (ddof 1) of replicates[T, B]."""
    return normal_interval(estimate, replicates.std(axis=-1, ddof=1), confidence)


def logit_interval(estimate: Floats, replicates: Floats, confidence: float, epsilon: float = EPSILON) -> Interval:
    """The linear interval on the logit scale, transformed back (Cormack & Lynam 2006, section 4, "logit").

    Estimates [T] and replicates [T, B] are clamped to [epsilon, 1 - epsilon] first; an estimate beyond still lies in its
    interval.
    """
    lower, upper = linear_interval(clamped_logit(estimate, epsilon), clamped_logit(replicates, epsilon), confidence)
    return np.minimum(expit(lower), estimate), np.maximum(expit(upper), estimate)


def delta_logit_interval(estimate: Floats, sd: Floats, confidence: float) -> Interval:
    """The logit interval whose sd on the logit scale is the delta rule's, sd / (p (1 - p)); [p, p] where p is 0 or 1."""
    inside = (estimate > 0) & (estimate < 1)
    p = np.where(inside, estimate, 0.5)
    lower, upper = normal_interval(np.log(p / (1 - p)), sd / (p * (1 - p)), confidence)
    return np.where(inside, expit(lower), estimate), np.where(inside, expit(upper), estimate)


def t_interval(estimate: ArrayLike, standard_error: ArrayLike, degrees: int, confidence: float) -> Interval:
    """estimate +- t standard errors, elementwise; nan without a degree of freedom."""
    t = special.stdtrit(degrees, (1 + confidence) / 2) if degrees > 0 else np.nan
    centre = np.asarray(estimate, np.float64)
    margin = t * np.asarray(standard_error, np.float64)
    return centre - margin, centre + margin


def parametric_error(
    value: Floats, limits: Interval, scale: Scale, confidence: float, epsilon: float = EPSILON
) -> float:
    """The standard error of a mean over topics from each topic's value[T] and logit limits [T], by the delta rule.

    A topic's standard deviation is its interval's length on the scale over 2z; that of a mean of plain scores is the logit's
    times p - p^2, the derivative of p by its logit. A topic without limits (nan) does not vary. (Cormack & Lynam 2006,
    section 5, weigh variances by p - p^2; the delta rule weighs standard deviations.) Limits of exactly 0 and 1 are moved
    inwards by epsilon (logarithms: 0 by GMAP's floor).
    """

    def on_scale(limit: Floats) -> Floats:
        inside = (limit > 0) & (limit < 1)
        exact = np.where(inside, limit, 0.5)
        at_end = floored_log(limit) if scale == LOG else clamped_logit(limit, epsilon)
        return np.where(inside, np.log(exact) if scale == LOG else np.log(exact / (1 - exact)), at_end)

    lower, upper = (on_scale(limit) for limit in limits)
    sd = (upper - lower) / (2 * normal_quantile(confidence))
    weight = value - value**2 if scale == PLAIN else np.ones(len(value))
    return float(np.sqrt(np.nansum((weight * sd) ** 2)) / len(value))


def resamples_needed(confidence: float) -> int:
    """The fewest resamples of which on average one lies beyond either limit of a percentile interval.

    With fewer, the limits are the smallest and the largest replicate or hardly within, whatever the confidence.
    """
    return math.ceil(2 / (1 - confidence) * (1 - 1e-9))


def percentile_interval(replicates: Floats, confidence: float) -> Interval:
    """The quantiles of replicates[T, B] that leave out (1 - confidence)/2 on each side (linear interpolation, type 7)."""
    tail = (1 - confidence) / 2
    lower, upper = np.quantile(replicates, [tail, 1 - tail], axis=-1, method="linear")
    return lower, upper


def bca_interval(
    estimate: Floats,
    replicates: Floats,
    acceleration: Floats,
    confidence: float,
    *,
    mid: bool = False,
    order_statistic: bool = False,
) -> tuple[Interval, Bools]:
    """Bias-corrected and accelerated percentile limits (Efron & Tibshirani 1993, section 14.3), and which are defined.

    estimate[T], replicates[T, B], acceleration[T] (nan: undefined). z0 = Phi^-1 of the share of replicates strictly below
    the estimate; with `mid`, half of those equal to it are added where they are more than 5%. Quantiles are of type 7, or the
    order statistic trunc(level B) of the S-Plus function bcanon. Where z0 is infinite or the acceleration undefined the
    limits are the percentile interval's and False is returned.
    """
    resamples = replicates.shape[-1]
    centre = estimate[:, np.newaxis]
    below = (replicates < centre - SAME_SCORE).mean(axis=-1)
    if mid:
        equal = (np.abs(replicates - centre) <= SAME_SCORE).mean(axis=-1)
        below = below + np.where(equal > ATOM, equal / 2, 0)
    z0 = special.ndtri(below)
    z = normal_quantile(confidence)
    with np.errstate(invalid="ignore"):
        levels = [special.ndtr(z0 + (z0 + zq) / (1 - acceleration * (z0 + zq))) for zq in (-z, z)]
    defined = np.isfinite(z0) & np.isfinite(acceleration)
    ordered = np.sort(replicates, axis=-1)
    quantile = _order_statistic if order_statistic else _quantile
    limits = [quantile(ordered, np.where(defined, level, 0.5), resamples) for level in levels]
    if not defined.all():
        limits = [
            np.where(defined, limit, otherwise)
            for limit, otherwise in zip(limits, percentile_interval(replicates, confidence), strict=True)
        ]
    return (limits[0], limits[1]), defined


def _quantile(ordered: Floats, level: Floats, resamples: int) -> Floats:
    """The quantile of each row at its own level, by linear interpolation between order statistics (type 7)."""
    position = level * (resamples - 1)
    low = np.floor(position).astype(np.int64)
    high = np.minimum(low + 1, resamples - 1)
    rows = np.arange(len(ordered))
    return ordered[rows, low] + (position - low) * (ordered[rows, high] - ordered[rows, low])


def _order_statistic(ordered: Floats, level: Floats, resamples: int) -> Floats:
    number = np.maximum(np.trunc(level * resamples).astype(np.int64), 1)
    return np.asarray(ordered[np.arange(len(ordered)), number - 1])

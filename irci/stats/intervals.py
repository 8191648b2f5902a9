"""Intervals from the distribution of a resampled statistic. Limits are not clipped to a measure's range.

Of AP, resampling knows too little of topics with silver bullets and lead balloons (Cormack & Lynam 2006, section 7). AP = 0
may hide silver bullets, relevant documents the system would rank but of which the sample holds none; AP = 1 may hide lead
balloons, relevant documents it could not find. Either kind is at most the share u of relevant documents at which none among R
would show with probability alpha: (1 - u)^R = alpha.

scipy.special takes as long to load as a run to score, so only what nothing else has is taken from it, where it is needed.
"""

import math
from collections.abc import Callable

import numpy as np

from irci.base.choices import SmallR
from irci.base.types import Bools, Floats, Ints, Values
from irci.stats.scales import LOG, PLAIN, Scale, clamped_logit, expit, replaced_logit
from irci.system import special

Interval = Floats  # [2, ...]: lower and upper limits

# Scores this close are equal: sums in another order differ by rounding.
SAME_SCORE = 1e-12


def normal_quantile(confidence: float) -> float:
    """z such that a standard normal lies within +-z with this probability."""
    from statistics import NormalDist  # takes time to load, and not every command needs it

    return -NormalDist().inv_cdf((1 - confidence) / 2)


def normal_interval(estimate: Values, sd: Values, confidence: float) -> Interval:
    """estimate +- z sd, elementwise (Cormack & Lynam 2006, section 4, "linear")."""
    centre = np.asarray(estimate, np.float64)
    margin = normal_quantile(confidence) * np.asarray(sd, np.float64)
    return np.stack((centre - margin, centre + margin))


def logit_interval(
    estimate: Floats, replicates: Floats, confidence: float, logit: Callable[[Floats], Floats] = clamped_logit
) -> Interval:
    """The linear interval on the logit scale, transformed back (Cormack & Lynam 2006, section 4, "logit").

    `logit` moves estimates [T] and replicates [T, B] of 0 and 1 inwards; an estimate beyond still lies in its interval.
    """
    sd = logit(replicates).std(axis=-1, ddof=1)
    lower, upper = normal_interval(logit(estimate), sd, confidence)
    return np.stack((np.minimum(expit(lower), estimate), np.maximum(expit(upper), estimate)))


def delta_logit_interval(estimate: Floats, sd: Floats, confidence: float) -> Interval:
    """The logit interval whose sd on the logit scale is the delta rule's, sd / (p (1 - p)); [p, p] where p is 0 or 1."""
    inside = (estimate > 0) & (estimate < 1)
    p = np.where(inside, estimate, 0.5)
    return np.where(inside, expit(normal_interval(np.log(p / (1 - p)), sd / (p * (1 - p)), confidence)), estimate)


def parametric_error(value: Floats, limits: Interval, scale: Scale, confidence: float) -> float:
    """The standard error of a mean over topics from each topic's value[T] and limits [T] on its scale, by the delta rule.

    A topic's standard deviation is its interval's length on the scale over 2z; that of a mean of plain scores is the logit's
    times p - p^2, the derivative of p by its logit. A topic without limits (nan) does not vary. (Cormack & Lynam 2006,
    section 5, weigh variances by p - p^2; the delta rule weighs standard deviations.) Limits of exactly 0 and 1 are replaced
    as the scale has it; for plain scores, whose limits are of `replaced_logit`, by .01 and .99.
    """
    at_0_and_1 = replaced_logit if scale == PLAIN else scale.forward

    inside = (limits > 0) & (limits < 1)
    exact = np.where(inside, limits, 0.5)
    on_scale = np.where(inside, np.log(exact) if scale == LOG else np.log(exact / (1 - exact)), at_0_and_1(limits))
    sd = (on_scale[1] - on_scale[0]) / (2 * normal_quantile(confidence))
    weight = value - value**2 if scale == PLAIN else np.ones(len(value))
    return float(np.sqrt(np.nansum((weight * sd) ** 2)) / len(value))


def resamples_needed(confidence: float) -> int:
    """The fewest resamples of which on average one lies beyond either limit of a percentile interval.
    With fewer, the limits are the smallest and the largest replicate or hardly within, whatever the confidence."""
    return math.ceil(2 / (1 - confidence) * (1 - 1e-9))


def percentile_interval(replicates: Floats, confidence: float) -> Interval:
    """The quantiles of replicates[T, B] that leave out (1 - confidence)/2 on each side (linear interpolation, type 7)."""
    tail = (1 - confidence) / 2
    return np.asarray(np.quantile(replicates, [tail, 1 - tail], axis=-1, method="linear"))


def bca_interval(
    estimate: Floats, replicates: Floats, acceleration: Floats, confidence: float, *, order_statistic: bool = False
) -> tuple[Interval, Bools]:
    """Bias-corrected and accelerated percentile limits (Efron & Tibshirani 1993, section 14.3), and which are defined.

    estimate[T], replicates[T, B], acceleration[T] (nan: undefined). z0 = Phi^-1 of the share of replicates strictly below
    the estimate. Quantiles are of type 7, or the
    order statistic trunc(level B) of the S-Plus function bcanon. Where z0 is infinite or the acceleration undefined the
    limits are the percentile interval's and False is returned.
    """
    resamples = replicates.shape[-1]
    centre = estimate[:, np.newaxis]
    below = (replicates < centre - SAME_SCORE).mean(axis=-1)
    z0 = special.ndtri(below)
    z = normal_quantile(confidence)
    with np.errstate(invalid="ignore"):
        levels = [special.ndtr(z0 + (z0 + zq) / (1 - acceleration * (z0 + zq))) for zq in (-z, z)]
    defined = np.isfinite(z0) & np.isfinite(acceleration)
    ordered, rows = np.sort(replicates, axis=-1), np.arange(len(replicates))
    position = np.where(defined, levels, 0.5) * (resamples - 1)
    if order_statistic:
        position = np.maximum(np.trunc(np.where(defined, levels, 0.5) * resamples), 1) - 1
    low = np.floor(position).astype(np.int64)
    high = np.minimum(low + 1, resamples - 1)
    limits = ordered[rows, low] + (position - low) * (ordered[rows, high] - ordered[rows, low])
    if not defined.all():
        limits = np.where(defined, limits, percentile_interval(replicates, confidence))
    return limits, defined


def wider(limits: Interval, other: Interval) -> Interval:
    """The wider of two limits[P], side by side; those that are there where the others are nan."""
    return np.stack((np.fmin(limits[0], other[0]), np.fmax(limits[1], other[1])))


def holding_both(limits: Interval, other: Interval) -> Interval:
    """The wider of two limits[P], side by side; nan where either is."""
    return np.stack((np.minimum(limits[0], other[0]), np.maximum(limits[1], other[1])))


NOMINAL_DEPTH = 1000  # of an empty list


def bullet_share(num_relevant: Ints, alpha: float) -> Floats:
    """u[T] = 1 - alpha^(1/R); 1 where R = 0. The lower limit L1 where AP = 1 is 1 - u."""
    with np.errstate(divide="ignore"):
        per_document: Floats = 1 / num_relevant
    return 1 - alpha**per_document


def silver_bullet_limit(num_relevant: Ints, retrieved: Ints, alpha: float) -> Floats:
    """U0[T], the upper limit where AP = 0: E(AP) when each of the R relevant documents is a bullet with probability u and the
    K bullets stand at a random K-subset of the n ranks retrieved.

    E(AP | K) = K/(nR) (H_n + (K - 1)(n - H_n)/(n - 1)), with min(K, n) bullets; an empty list counts as n = 1000.
    """
    depth = np.where(retrieved > 0, retrieved, NOMINAL_DEPTH)
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, depth.max(initial=1) + 1))))[depth]
    slope = (depth - harmonic) / np.maximum(depth - 1, 1)
    u = bullet_share(num_relevant, alpha)
    r = num_relevant
    with np.errstate(divide="ignore", invalid="ignore"):
        # E K = R u and E K(K - 1) = R (R - 1) u^2.
        limit: Floats = u / depth * (harmonic + (r - 1) * u * slope)
    for topic in np.flatnonzero(r > depth):
        bullets = np.minimum(np.arange(r[topic] + 1), depth[topic])
        by_count = bullets / (depth[topic] * r[topic]) * (harmonic[topic] + (bullets - 1) * slope[topic])
        limit[topic] = np.diff(special.bdtr(np.arange(r[topic] + 1), int(r[topic]), u[topic]), prepend=0) @ by_count
    return limit


def corrected(
    ap: Floats, limits: Interval, num_relevant: Ints, retrieved: Ints, confidence: float, kind: SmallR = "wider"
) -> tuple[Interval, Bools]:
    """The limits[T] corrected where AP is at or near 0 or 1, and bool[T] which they are.

    Near 0: AP < U0; near 1: AP > L1 and AP >= .5. There [0, U0] or [L1, 1] replaces the interval if that is the `wider`;
    `none`: all stay as they are.
    """
    if kind == "none":
        return limits, np.zeros(len(ap), np.bool_)
    result = limits
    silver = silver_bullet_limit(num_relevant, retrieved, 1 - confidence)
    lead = 1 - bullet_share(
        num_relevant, 1 - confidence
    )  # E(AP) when each relevant document is a balloon with probability u
    near_zero = (num_relevant > 0) & (ap < silver)
    near_one = (num_relevant > 0) & (ap > lead) & (ap >= 0.5)
    for near, low, high in ((near_zero, np.zeros(len(ap)), silver), (near_one, lead, np.ones(len(ap)))):
        result = np.where(near & (high - low > result[1] - result[0]), (low, high), result)
    return result, (result != limits).any(axis=0)


def error_of_mean(
    error_of_others: float, limits: Interval, is_corrected: Bools, confidence: float, scale: Scale = PLAIN
) -> float:
    """The standard error, on the scale, of a mean over topics of which those is_corrected[T] have their limits[T] from
    `corrected`: ((scale(U) - scale(L)) / 2z)^2 is the variance of such a topic.

    `error_of_others`: what the other topics add to it, the standard deviation of their replicates' sum over T. Documents are
    resampled independently for each topic, so that variances add up. That a corrected topic varies as its interval says is
    ours: replicates of AP = 1 are all 1, as if other documents could not change it (section 7 corrects intervals of topics).
    """
    lower, upper = scale.forward(limits[:, is_corrected])
    of_corrected = (upper - lower) / (2 * normal_quantile(confidence))
    return math.hypot(error_of_others, float(np.sqrt((of_corrected**2).sum()) / len(is_corrected)))

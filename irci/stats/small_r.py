"""Intervals of AP for topics where resampling knows too little: silver bullets and lead balloons.

Cormack & Lynam 2006, section 7. AP = 0 may hide silver bullets, relevant documents the system would rank but of which the
sample holds none; AP = 1 may hide lead balloons, relevant documents it could not find. Either kind is at most the share u
of relevant documents at which none among R would show with probability alpha: (1 - u)^R = alpha.
"""

import math
from typing import assert_never

import numpy as np

from irci.base.choices import SmallR
from irci.base.types import Bools, Floats, Ints
from irci.stats.intervals import Interval, normal_quantile
from irci.stats.scales import PLAIN, Scale
from irci.system import special

NOMINAL_DEPTH = 1000  # of an empty list


def bullet_share(num_relevant: Ints, alpha: float) -> Floats:
    """u[T] = 1 - alpha^(1/R); 1 where R = 0."""
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
        given = bullets / (depth[topic] * r[topic]) * (harmonic[topic] + (bullets - 1) * slope[topic])
        limit[topic] = np.diff(special.bdtr(np.arange(r[topic] + 1), int(r[topic]), u[topic]), prepend=0) @ given
    return limit


def lead_balloon_limit(num_relevant: Ints, alpha: float) -> Floats:
    """L1[T], the lower limit where AP = 1: E(AP) = 1 - u when each relevant document is a balloon with probability u."""
    return 1 - bullet_share(num_relevant, alpha)


def corrected(
    ap: Floats,
    limits: Interval,
    num_relevant: Ints,
    retrieved: Ints,
    confidence: float,
    kind: SmallR = "wider",
) -> tuple[Interval, Bools]:
    """The limits[T] corrected where AP is at or near 0 or 1, and bool[T] which they are.

    Near 0: AP < U0; near 1: AP > L1 and AP >= .5. There [0, U0] or [L1, 1] replaces the interval if that is the `wider`;
    `hull`: the interval is extended to hold it; `none`: all stay as they are.
    """
    if kind == "none":
        return limits, np.zeros(len(ap), np.bool_)
    alpha = 1 - confidence
    lower, upper = limits[0].copy(), limits[1].copy()
    silver = silver_bullet_limit(num_relevant, retrieved, alpha)
    lead = lead_balloon_limit(num_relevant, alpha)
    near_zero = (num_relevant > 0) & (ap < silver)
    near_one = (num_relevant > 0) & (ap > lead) & (ap >= 0.5)
    for near, low, high in ((near_zero, np.zeros(len(ap)), silver), (near_one, lead, np.ones(len(ap)))):
        if kind == "hull":
            lower[near], upper[near] = np.minimum(lower, low)[near], np.maximum(upper, high)[near]
        elif kind == "wider":
            chosen = near & (high - low > upper - lower)
            lower[chosen], upper[chosen] = low[chosen], high[chosen]
        else:
            assert_never(kind)
    return (lower, upper), (lower != limits[0]) | (upper != limits[1])


def error_of_mean(
    error_of_others: float, limits: Interval, is_corrected: Bools, confidence: float, scale: Scale = PLAIN
) -> float:
    """The standard error, on the scale, of a mean over topics of which those is_corrected[T] have their limits[T] from
    `corrected`: ((scale(U) - scale(L)) / 2z)^2 is the variance of such a topic.

    `error_of_others`: what the other topics add to it, the standard deviation of their replicates' sum over T. Documents are
    resampled independently for each topic, so that variances add up. That a corrected topic varies as its interval says is
    ours: replicates of AP = 1 are all 1, as if other documents could not change it (section 7 corrects intervals of topics).
    """
    lower, upper = (scale.forward(limit[is_corrected]) for limit in limits)
    of_corrected = (upper - lower) / (2 * normal_quantile(confidence))
    return math.hypot(error_of_others, float(np.sqrt((of_corrected**2).sum()) / len(is_corrected)))

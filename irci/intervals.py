"""From the distribution of a resampled statistic to an interval. Limits are not clipped to a measure's range."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtri

Floats = NDArray[np.float64]
Interval = tuple[Floats, Floats]

# Where the logit of 0 and 1 is taken: GMAP's floor.
EPSILON = 1e-5


def normal_quantile(confidence: float) -> float:
    """z such that a standard normal lies within +-z with this probability."""
    return float(ndtri((1 + confidence) / 2))


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

    Estimates [T] and replicates [T, B] are clamped to [epsilon, 1 - epsilon] first.
    """
    lower, upper = linear_interval(clamped_logit(estimate, epsilon), clamped_logit(replicates, epsilon), confidence)
    return expit(lower), expit(upper)


def percentile_interval(replicates: Floats, confidence: float) -> Interval:
    """The quantiles of replicates[T, B] that leave out (1 - confidence)/2 on each side (linear interpolation, type 7)."""
    tail = (1 - confidence) / 2
    lower, upper = np.quantile(replicates, [tail, 1 - tail], axis=-1, method="linear")
    return lower, upper


def clamped_logit(scores: Floats, epsilon: float = EPSILON) -> Floats:
    """ln(p / (1 - p)) of p moved into [epsilon, 1 - epsilon]."""
    clamped = np.clip(scores, epsilon, 1 - epsilon)
    logits: Floats = np.log(clamped / (1 - clamped))
    return logits

"""Swap rates as a curve in the size n of topic sets, by which they are extrapolated.

probit: Phi(-(a + b sqrt(n))). That is the form of the rate of two means of n normal scores each about one difference, for
b sqrt(n) standard errors away from 0. exponential: a exp(-b n), of Voorhees & Buckley (SIGIR 2002, section 3), which falls
too fast beyond the sizes fitted.
"""

import math
import warnings

import numpy as np

from irci.base.types import Floats, Ints
from irci.system import special

NOTHING_KNOWN = (math.nan, math.nan)
LEAST_SIZES = 3  # with a rate, for a fit of two parameters
START = (1.0, 0.25)  # of the search for an exponential, where it begins first
# Of scoring, which takes about ten. It has no end where all swaps are at the smallest sizes; later rates are near 0 by then.
STEPS = 100


def probit(size: Floats | float, start: Floats | float, slope: Floats | float) -> Floats:
    """The swap rate Phi(-(start + slope sqrt(size)))."""
    return np.asarray(special.ndtr(-(start + slope * np.sqrt(size))))


def exponential(size: Floats | float, factor: Floats | float, slope: Floats | float) -> Floats:
    """The swap rate factor exp(-slope size)."""
    with np.errstate(over="ignore"):
        return np.asarray(factor * np.exp(-slope * size))


def fit_probit(sizes: Floats, comparisons: Ints, swaps: Ints) -> tuple[float, float]:
    """a and b of one bin, by maximum likelihood of swaps[Z] out of comparisons[Z] with sizes[Z] topics.

    Likelihood and not squares of rates: a rate of one in three weighs less than one of a hundred in three hundred, and there
    is one maximum, wherever the search begins. (Comparisons of one trial depend on each other; that leaves the estimate
    consistent, and its error is not used.) (inf, 0) if there was no swap; nan if there are too few sizes, or the curve rises.
    """
    known = comparisons > 0
    if known.sum() < LEAST_SIZES:
        return NOTHING_KNOWN
    sizes, comparisons, swaps = sizes[known], comparisons[known], swaps[known]
    if not swaps.any():
        return math.inf, 0.0
    if (swaps == comparisons).all():
        return NOTHING_KNOWN
    columns = np.column_stack((np.ones(len(sizes)), np.sqrt(sizes)))
    found = np.array([-special.ndtri(swaps.sum() / comparisons.sum()), 0.0])
    for _ in range(STEPS):
        step = _scoring_step(columns, found, comparisons, swaps)
        found = found + step
        if np.abs(step).max() < 1e-9:
            break
    return (float(found[0]), float(found[1])) if found[1] >= 0 else NOTHING_KNOWN


def _scoring_step(columns: Floats, found: Floats, comparisons: Ints, swaps: Ints) -> Floats:
    """By how much Fisher's scoring changes a and b: inverse information times the derivative of the log likelihood."""
    z = columns @ found
    log_rate, log_rest = special.log_ndtr(-z), special.log_ndtr(z)
    log_density = -z * z / 2 - math.log(2 * math.pi) / 2
    information = comparisons * np.exp(2 * log_density - log_rate - log_rest)
    # d log likelihood / dz; the rate falls as z grows.
    slope = (comparisons - swaps) * np.exp(log_density - log_rest) - swaps * np.exp(log_density - log_rate)
    return np.asarray(np.linalg.lstsq(columns.T @ (information[:, np.newaxis] * columns), columns.T @ slope)[0])


def fit_exponential(sizes: Floats, comparisons: Ints, swaps: Ints) -> tuple[float, float]:
    """a and b of one bin, by least squares of rates; (0, nan) if there was no swap; nan if there are too few sizes, no fit is
    found that is better than no swaps at all, or one that rises with the size, of which there is nothing to extrapolate.
    """
    from scipy.optimize import OptimizeWarning, curve_fit

    known = comparisons > 0
    if known.sum() < LEAST_SIZES:
        return NOTHING_KNOWN
    if not swaps.any():
        return 0.0, math.nan
    sizes, rates = sizes[known], swaps[known] / comparisons[known]
    least, best = float((rates**2).sum()), NOTHING_KNOWN
    # Far beyond 1 / .25 topics the usual start sees no slope to go down: begin near the rates as well.
    for start in (START, (float(rates.max()), 1 / float(sizes.mean()))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OptimizeWarning)  # of a covariance that is not asked for
            try:
                found, _ = curve_fit(exponential, sizes, rates, start)
            except RuntimeError:
                continue
        squares = float(((exponential(sizes, *found) - rates) ** 2).sum())
        if squares < least * (1 - 1e-6):  # less, but for rounding
            least, best = squares, (float(found[0]), float(found[1]))
    return best if best[1] >= 0 else NOTHING_KNOWN

"""The noncentral t distribution: Student's t of a sample whose true mean is not 0, by quadrature.

(Z + lambda) / r, r = s / sigma of nu degrees of freedom: given r the rest is normal (D. B. Owen, Biometrika 52, 1965). That
holds at any noncentrality, where series give up.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from irci.base.types import Floats
from irci.system import special

NODES = 32  # of each panel
# Panels end where the step of Phi(t r - lambda), in its own widths, begins, stands and ends.
STEP = (-9.0, -3.0, 0.0, 3.0, 9.0)
# Beyond so many standard deviations r is as good as impossible.
FAR = 9.0
AT_ONCE = 512
STEPS = 100
CLOSE = 1e-10


def noncentral_t_cdf(t: ArrayLike, noncentrality: ArrayLike, df: float) -> Floats:
    """P(T' <= t) of the noncentral t with df degrees of freedom, elementwise; within 1e-10 or so.

    int f(r) Phi(t r - noncentrality) dr, with f the density of r = sqrt(chi2 / df).
    """
    t_all, shift_all = np.broadcast_arrays(np.asarray(t, np.float64), np.asarray(noncentrality, np.float64))
    return _cdf_and_slope(t_all.ravel(), shift_all.ravel(), df)[0].reshape(t_all.shape)


def _cdf_and_slope(t: Floats, shift: Floats, df: float) -> tuple[Floats, Floats]:
    """P(T' <= t) for each of t[n], and how fast it falls with the noncentrality."""
    cdf, slope = np.empty((2, len(t)))
    for first in range(0, len(t), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        r, weight = _nodes(t[some], shift[some], df)
        z = t[some, np.newaxis] * r - shift[some, np.newaxis]
        total = weight.sum(axis=1)
        cdf[some] = (weight * special.ndtr(z)).sum(axis=1) / total
        slope[some] = (weight * np.exp(-(z**2) / 2)).sum(axis=1) / total / math.sqrt(2 * math.pi)
    return cdf, slope


def _nodes(t: Floats, shift: Floats, df: float) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes r and weights times f(r), up to a factor, [n, nodes]: panels split where Phi steps."""
    sd = 1 / math.sqrt(2 * df)
    low, high = max(0.0, 1 - FAR * sd), 1 + FAR * sd + FAR**2 * sd**2 / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = (shift[:, np.newaxis] + np.array(STEP)) / t[:, np.newaxis]
    fixed = np.broadcast_to([low, max(low, 1 - 3 * sd), 1 + 3 * sd, high], (len(t), 4))
    edges = np.sort(np.hstack((np.clip(np.nan_to_num(steps, nan=low), low, high), fixed)), axis=1)
    place, gauss = legendre(NODES)
    width = np.diff(edges, axis=1)[:, :, np.newaxis]
    r = (edges[:, :-1, np.newaxis] + width * place).reshape(len(t), -1)
    # Up to a factor, so that nothing overflows: it is 1 at r = 1. Panels without width may stand at 0.
    log_density = (df - 1) * np.log(np.maximum(r, np.finfo(float).tiny)) - df * (r * r - 1) / 2
    return r, (width * gauss).reshape(len(t), -1) * np.exp(log_density)


@lru_cache(maxsize=4)
def legendre(number: int) -> tuple[Floats, Floats]:
    """So many Gauss-Legendre nodes and their weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(number)
    return (nodes + 1) / 2, weights / 2


def noncentrality_of(t: Floats, df: float, probability: float) -> Floats:
    """The noncentrality[n] at which P(T' <= t) is this probability, for each of t[n]; nan where t is not finite.

    By Newton's steps, by halves where they lead astray.
    """
    result = np.full(len(t), np.nan)
    known = np.isfinite(t)
    aim = t[known]
    z = float(special.ndtri(probability))
    middle = aim - z * np.sqrt(1 + aim**2 / (2 * df))
    # lambda = t r - z, with r and z as far out as they ever are.
    far = FAR + np.abs(aim) * (1 + FAR / math.sqrt(2 * df) + FAR**2 / (4 * df))
    low, high = np.minimum(aim, 0) - far, np.maximum(aim, 0) + far
    arrived = np.zeros(len(aim), np.bool_)
    for _ in range(STEPS):
        below, density = _cdf_and_slope(aim, middle, df)
        low, high = np.where(below > probability, middle, low), np.where(below > probability, high, middle)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = middle + (below - probability) / density
        inside = (step > low) & (step < high)
        # Who has arrived stays, so that no last digit depends on how long others take.
        step = np.where(arrived, middle, np.where(inside, step, (low + high) / 2))
        arrived |= np.abs(step - middle) <= CLOSE * (1 + np.abs(step))
        middle = step
        if arrived.all():
            break
    result[known] = middle
    return result


def effect_size_limits(effect: Floats, topics: int, confidence: float) -> tuple[Floats, Floats]:
    """Limits[P] of effect sizes, mean / sd of the differences on so many topics, assumed normal; nan below 2 topics.

    The noncentralities under which t = effect sqrt(T) is as far out as (1 - confidence) / 2 on either side. (J. H. Steiger and
    R. T. Fouladi, in "What if there were no significance tests?", 1997.)
    """
    if topics < 2:
        return np.full(len(effect), np.nan), np.full(len(effect), np.nan)
    root, tail = math.sqrt(topics), (1 - confidence) / 2
    lower, upper = (noncentrality_of(effect * root, topics - 1, p) / root for p in (1 - tail, tail))
    return lower, upper

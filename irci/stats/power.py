"""Power of the paired t test: what so many topics can show, its power, the least detectable difference, the topics needed.

They speak of a new experiment. For the one at hand they add nothing to its p (J. M. Hoenig and D. M. Heisey, "The abuse of
power", The American Statistician 55, 2001), and are optimistic for pairs picked because they look large. With a correction
for P pairs give alpha / P.

The noncentral t distribution, Student's t of a sample whose true mean is not 0, is found by quadrature of (Z + lambda) / r,
r = s / sigma of nu degrees of freedom: given r the rest is normal (D. B. Owen, Biometrika 52, 1965). That holds at any
noncentrality, where series give up.
"""

import math
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from irci.base.types import Floats, Values
from irci.system import special

CLOSE = 1e-13  # of a noncentrality, relative
# Panels of the quadrature end where the step of Phi(t r - lambda), in its own widths, begins, stands and ends.
STEP = (-9.0, -3.0, 0.0, 3.0, 9.0)
SAFE = 0.8  # the probability with which a one-sided limit holds that a plan may rest on
FAR = 9.0  # beyond so many standard deviations r is as good as impossible
AT_ONCE = 512


def fewest_units(alpha: float) -> int:
    """The fewest units of which signs can give p <= alpha, which p by t is held to as well (`irci.stats.tests`)."""
    return math.ceil(1 - round(math.log2(alpha), 9))  # 1/32 takes 6, whatever its last digit


# On so many clusters or collections t errs at .05 as often as it would if p were held to signs (doc/trust.md).
MANY_GROUPS = 6


def fewest_groups(alpha: float) -> int:
    """The fewest clusters or collections on which p can be <= alpha: it is held to their signs below `MANY_GROUPS`."""
    return min(fewest_units(alpha), MANY_GROUPS)


def t_power(effect: float, topics: int, alpha: float, df: float | None = None) -> float:
    """The probability that the two-sided t test of so many topics finds a true difference of `effect` standard deviations.
    `df`: by default one less than topics. Findings in the wrong direction are counted, as the test does. 0 for
    fewer than 2 topics."""
    if topics < 2:
        return 0.0
    freedom = topics - 1 if df is None else df
    # The lower tail: 1 - tail would lose digits.
    critical, noncentrality = -float(special.stdtrit(freedom, alpha / 2)), effect * math.sqrt(topics)
    below, above = noncentral_t_cdf([-critical, critical], noncentrality, freedom).tolist()
    return float(below + 1 - above)


@lru_cache(maxsize=1024)
def detectable_effect(topics: int, alpha: float, power: float) -> float:
    """k(T): the true difference, in standard deviations, that the two-sided t test finds with this power (above alpha).
    Times a pair's standard deviation it is its least detectable difference. nan for fewer than 2 topics."""
    if topics < 2:
        return math.nan
    root = math.sqrt(topics)
    return crossing(lambda noncentrality: t_power(noncentrality / root, topics, alpha), power) / root


def topics_needed(effect: Floats, alpha: float, power: float) -> Floats:
    """The fewest topics, float64[P] of whole numbers from 2 on, at which the t test has this power for true differences of
    effect[P] standard deviations; infinite for 0, nan for nan.
    """
    z, z_power = -float(special.ndtri(alpha / 2)), float(special.ndtri(power))

    def needed(size: float) -> float:
        if size == 0 or math.isnan(size):
            return math.inf if size == 0 else math.nan
        # With a normal quantile, and those that t's adds: within one or two of the truth.
        root = (z + z_power) / size  # its power would raise an error where its product with itself is infinite
        return fewest(partial(t_power, size, alpha=alpha), power, root * root + z**2 / 2)

    return np.array([needed(size) for size in np.abs(effect).tolist()], np.float64)


def crossing(rising: Callable[[float], float], level: float) -> float:
    """The number at which a rising function of a positive number first reaches the level, by bisection: scipy.optimize takes
    longer to load than that takes."""
    low, high = 0.0, 1.0
    while rising(high) < level:
        low, high = high, 2 * high
    while high - low > CLOSE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) >= level else (middle, high)
    return high


def fewest(rising: Callable[[int], float], level: float, guess: float) -> float:
    """The smallest whole number from 2 on at which a rising function reaches the level, sought outwards from a guess."""
    if not guess < 2.0**52:
        return guess  # whole numbers of topics are no longer told apart
    low, high, step = 1, max(2, math.ceil(guess)), 1
    if rising(high) >= level:
        low = high - step
        while low > 1 and rising(low) >= level:
            high, step = low, 2 * step
            low = max(1, high - step)
    else:
        while rising(high) < level:
            low, step = high, 2 * step
            high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if rising(middle) >= level else (middle, high)
    return float(high)


def noncentral_t_cdf(t: Values, noncentrality: Values, df: float) -> Floats:
    """P(T' <= t) of the noncentral t with df degrees of freedom, elementwise; within 1e-10 or so.
    int f(r) Phi(t r - noncentrality) dr, with f the density of r = sqrt(chi2 / df)."""
    t_all, shift_all = np.broadcast_arrays(np.asarray(t, np.float64), np.asarray(noncentrality, np.float64))
    return _cdf_and_slope(t_all.ravel(), shift_all.ravel(), df)[0].reshape(t_all.shape)


def _cdf_and_slope(t: Floats, shift: Floats, df: float) -> tuple[Floats, Floats]:
    # P(T' <= t) for each of t[n], and how fast it falls with the noncentrality.
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
    # Gauss-Legendre nodes r and weights times f(r), up to a factor, [n, nodes]: panels split where Phi steps.
    sd = 1 / math.sqrt(2 * df)
    low, high = max(0.0, 1 - FAR * sd), 1 + FAR * sd + FAR**2 * sd**2 / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = (shift[:, np.newaxis] + np.array(STEP)) / t[:, np.newaxis]
    fixed = np.broadcast_to([low, max(low, 1 - 3 * sd), 1 + 3 * sd, high], (len(t), 4))
    edges = np.sort(np.hstack((np.clip(np.nan_to_num(steps, nan=low), low, high), fixed)), axis=1)
    place, gauss = legendre(32)
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


def noncentrality_of(t: Floats, df: float, probability: float, *, two_sided: bool = False) -> Floats:
    """The noncentrality[n] at which P(T' <= t) is this probability, or P(|T'| <= t) if `two_sided`, for each of t[n]; nan
    where t is not finite, 0 where none is small enough. By Newton's steps, by halves where they lead astray."""
    result = np.full(len(t), np.nan)
    known = np.isfinite(t)
    aim = t[known]
    middle = aim - float(special.ndtri(probability)) * np.sqrt(1 + aim**2 / (2 * df))
    # lambda = t r - z, with r and z as far out as they ever are.
    far = FAR + np.abs(aim) * (1 + FAR / math.sqrt(2 * df) + FAR**2 / (4 * df))
    low, high = np.minimum(aim, 0) - far, np.maximum(aim, 0) + far
    none = two_sided & (2 * special.stdtr(df, aim) - 1 < probability)
    if two_sided:
        low, middle = np.zeros(len(aim)), np.maximum(middle, 0)
    arrived = np.zeros(len(aim), np.bool_)
    for _ in range(100):
        below, density = _cdf_and_slope(aim, middle, df)
        if two_sided:
            beyond, of_beyond = _cdf_and_slope(-aim, middle, df)
            below, density = below - beyond, density - of_beyond
        low, high = np.where(below > probability, middle, low), np.where(below > probability, high, middle)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = middle + (below - probability) / density
        # A step this short is the last, and errs by its square; beyond a limit by rounding alone it is no reason to halve.
        is_short = np.abs(step - middle) <= 1e-8 * (1 + np.abs(middle))
        step = np.where(is_short | ((step > low) & (step < high)), step, (low + high) / 2)
        # Who has arrived stays, so that no last digit depends on how long others take.
        step = np.where(arrived, middle, step)
        arrived |= is_short
        middle = step
        if arrived.all():
            break
    result[known] = np.where(none, 0.0, middle)
    return result


def effect_size_limits(effect: Floats, topics: int, confidence: float) -> tuple[Floats, Floats]:
    """Limits[P] of effect sizes, mean / sd of the differences on so many topics, assumed normal; nan below 2 topics.

    The noncentralities under which t = effect sqrt(T) is as far out as (1 - confidence) / 2 on either side. (J. H. Steiger and
    R. T. Fouladi, in "What if there were no significance tests?", 1997.)
    """
    if topics < 2:
        return np.full_like(effect, np.nan), np.full_like(effect, np.nan)
    root, tail = math.sqrt(topics), (1 - confidence) / 2
    lower, upper = (noncentrality_of(effect * root, topics - 1, p) / root for p in (1 - tail, tail))
    return lower, upper


def topics_needed_safe(effect: Floats, topics: int, alpha: float, power: float) -> Floats:
    """`topics_needed`[P] for the 80% lower limit of the size of effect[P], observed on so many topics: infinite where that
    is 0, nan for nan and below 2 topics. The true effect being less than the observed one half of the time, most experiments
    planned for the latter have less power than promised. (M. Perugini, M. Gallucci and G. Costantini,
    "Safeguard power as a protection against imprecise power estimates", Perspectives on Psychological Science 9, 2014.)"""
    if topics < 2:
        return np.full(len(effect), np.nan)
    root = math.sqrt(topics)
    return topics_needed(safe_noncentrality(np.abs(effect) * root, topics - 1) / root, alpha, power)


def safe_noncentrality(t: Floats, df: float) -> Floats:
    """The 80% lower limit[n] of the size of the noncentrality of |t|[n], nan where t is not finite: that at which a t no
    larger either way has this probability, 0 where it has less at 0. That of P(T' <= |t|) errs in 40% near 0."""
    return noncentrality_of(t, df, SAFE, two_sided=True)


def variance_upper(variance: Values, df: Values) -> Floats:
    """The 80% one-sided upper limit[P] of variances[P] estimated with so many degrees of freedom, of normal values: df times
    the variance over the .2 quantile of chi^2; the variance itself where df is infinite. nan without freedom, and of 0: what
    does not vary here says nothing of how others do. (R. H. Browne, "On the use of a pilot sample for sample size
    determination", Statistics in Medicine 14, 1995.)"""
    variance, df = np.asarray(variance, np.float64), np.asarray(df, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        upper = np.where(np.isinf(df), variance, df * variance / special.chdtri(df, SAFE))
    return np.where((df > 0) & (variance > 0), upper, np.nan)

"""Power of the paired t test: what so many topics can show, its power, the least detectable difference, the topics needed.

They speak of a new experiment. For the one at hand they add nothing to its p (J. M. Hoenig and D. M. Heisey, "The abuse of
power", The American Statistician 55, 2001), and are optimistic for pairs picked because they look large. With a correction
for P pairs give alpha / P.

The noncentral t distribution, Student's t of a sample whose true mean is not 0, is found by quadrature of (Z + lambda) / r,
r = s / sigma of nu degrees of freedom: given r the rest is normal (D. B. Owen, Biometrika 52, 1965). That holds at any
noncentrality, where series give up.

Tests at several looks, while topics are being judged: boundaries that keep the level over all looks together.

Topics are judged in random order, tests are done at planned numbers of them, and judging stops once one is significant. How
much of the level may be spent by each look is a function of the share of topics judged, of O'Brien and Fleming's type: next
to nothing early (K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70, 1983).
The chance of stopping is found by recursion over the score's density where it goes on (P. Armitage, C. K. McPherson and
B. C. Rowe, "Repeated significance tests on accumulating data", Journal of the Royal Statistical Society A 132, 1969).

Boundaries are a normal score's. Each is turned into a level, which the test at hand is held to, and whose limits hold at all
looks together. Where the two runs are equal, t after every topic finds a difference in 30 to 40 of 100 experiments.
"""

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from irci.base.types import Bools, Floats, Ints, Values
from irci.system import special

CLOSE = 1e-13  # of a noncentrality, relative
# Panels of the quadrature end where the step of Phi(t r - lambda), in its own widths, begins, stands and ends.
STEP = (-9.0, -3.0, 0.0, 3.0, 9.0)
SAFE = 0.8  # the probability with which a one-sided limit holds that a plan may rest on
FAR = 9.0  # beyond so many standard deviations r is as good as impossible
AT_ONCE = 512
MOST_STEPS = 100
MOST_TOPICS = 2.0**52  # whole numbers are no longer told apart


def fewest_units(alpha: float) -> int:
    """The fewest units of which signs can give p <= alpha, which p by t is held to as well (`irci.stats.tests`)."""
    return math.ceil(1 - round(math.log2(alpha), 9))  # 1/32 takes 6, whatever its last digit


# On so many clusters or collections t errs at .05 as often as it would if p were held to signs (doc/trust.md).
MANY_GROUPS = 6


def fewest_groups(alpha: float) -> int:
    """The fewest clusters or collections on which p can be <= alpha: it is held to their signs below `MANY_GROUPS`."""
    return min(fewest_units(alpha), MANY_GROUPS)


def power_at(noncentrality: Values, df: Values, alpha: float) -> Floats:
    """The probability that two-sided t tests with these degrees of freedom find true differences of so many standard errors,
    elementwise. Findings in the wrong direction are counted, as the test does."""
    critical = np.asarray(special.stdtrit(df, alpha / 2))  # the lower tail: 1 - tail would lose digits
    return noncentral_t_cdf(critical, noncentrality, df) + 1 - noncentral_t_cdf(-critical, noncentrality, df)


def t_power(effect: Values, topics: Values, alpha: float, df: Values | None = None) -> Floats:
    """The same of true differences of `effect` standard deviations on so many topics, one more than `df` by default."""
    return power_at(effect * np.sqrt(topics), np.subtract(topics, 1) if df is None else df, alpha)


def detectable_noncentrality(df: Values, alpha: float, power: float) -> Floats:
    """How many standard errors a true difference must be for the two-sided t test to find it with this power (above alpha),
    elementwise. Times a pair's standard error it is its least detectable difference."""
    freedom, position = np.unique(df, return_inverse=True)
    result = crossing(lambda shift: power_at(shift, freedom, alpha), power, freedom.shape)
    return result[position].reshape(np.shape(df))


def topics_guess(effect: Floats, alpha: float, power: float) -> Floats:
    """The topics that find true differences of effect[P] standard deviations, with a normal quantile, and those that t's adds:
    within one or two of the truth; infinite for 0."""
    z, z_power = -float(special.ndtri(alpha / 2)), float(special.ndtri(power))
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(effect == 0, np.inf, np.square((z + z_power) / effect) + z**2 / 2)


def crossing(rising: Callable[[Any], Floats | float], level: float, shape: tuple[int, ...] = ()) -> Floats:
    """The numbers float64[shape] at which a rising function of positive numbers first reaches the level, elementwise, by
    bisection: scipy.optimize takes longer to load than that takes."""
    low, high = np.zeros(shape), np.ones(shape)
    while (short := np.asarray(rising(high) < level)).any():
        low, high = np.where(short, high, low), np.where(short, 2 * high, high)
    while (wide := high - low > CLOSE * high).any():
        middle = np.where(wide, (low + high) / 2, high)
        reached = np.asarray(rising(middle) >= level)
        low, high = np.where(wide & ~reached, middle, low), np.where(wide & reached, middle, high)
    return high


def fewest(
    reaches: Callable[[Floats, Ints], Bools], guess: Floats, most: float = MOST_TOPICS, slow: Bools | None = None
) -> Floats:
    """The smallest whole numbers float64[P], from 2 on, that will do, sought outwards from guess[P] by steps that double, or,
    if slow[P], are a quarter of what will not do. A guess that is not below `most` stays.

    `reaches(number[k], index[k])`: whether numbers of some of the P will do, as all greater ones then do.
    """
    result = guess.copy()
    index = np.flatnonzero(guess < most)
    low, high, step = np.ones(len(index)), np.full(len(index), np.inf), np.full(len(index), 0.5)
    number = np.maximum(2.0, np.ceil(guess[index]))
    while len(index):
        enough = reaches(number, index)
        low, high = np.where(enough, low, number), np.where(enough, number, high)
        step = 2 * step if slow is None else np.where(slow[index], np.ceil(low / 4), 2 * step)
        result[index] = high
        left = high - low > 1
        index, low, high, step = index[left], low[left], high[left], step[left]
        number = np.minimum(np.clip(np.floor((low + high) / 2), high - step, low + step), most)
    return result


def noncentral_t_cdf(t: Values, noncentrality: Values, df: Values) -> Floats:
    """P(T' <= t) of the noncentral t with df degrees of freedom, elementwise; within 1e-10 or so.
    int f(r) Phi(t r - noncentrality) dr, with f the density of r = sqrt(chi2 / df)."""
    arrays = np.broadcast_arrays(*(np.asarray(values, np.float64) for values in (t, noncentrality, df)))
    return _cdf_and_slope(*(values.ravel() for values in arrays))[0].reshape(arrays[0].shape)


def _cdf_and_slope(t: Floats, shift: Floats, df: Floats) -> tuple[Floats, Floats]:
    # P(T' <= t) for each of t[n], and how fast it falls with the noncentrality.
    cdf, slope = np.empty((2, len(t)))
    for first in range(0, len(t), AT_ONCE):
        block = slice(first, first + AT_ONCE)
        r, weight = _nodes(t[block], shift[block], df[block, np.newaxis])
        z = t[block, np.newaxis] * r - shift[block, np.newaxis]
        total = weight.sum(axis=1)
        cdf[block] = (weight * special.ndtr(z)).sum(axis=1) / total
        slope[block] = (weight * np.exp(-(z**2) / 2)).sum(axis=1) / total / math.sqrt(2 * math.pi)
    return cdf, slope


def _nodes(t: Floats, shift: Floats, df: Floats) -> tuple[Floats, Floats]:
    # Gauss-Legendre nodes r and weights times f(r), up to a factor, [n, nodes]: panels split where Phi steps. df[n, 1].
    sd = 1 / np.sqrt(2 * df)
    low, high = np.maximum(0.0, 1 - FAR * sd), 1 + FAR * sd + FAR**2 * sd**2 / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = (shift[:, np.newaxis] + np.array(STEP)) / t[:, np.newaxis]
    steps = np.clip(np.where(np.isnan(steps), low, steps), low, high)
    edges = np.sort(np.hstack((steps, low, np.maximum(low, 1 - 3 * sd), 1 + 3 * sd, high)), axis=1)
    position, gauss = legendre(32)
    width = np.diff(edges, axis=1)[:, :, np.newaxis]
    r = (edges[:, :-1, np.newaxis] + width * position).reshape(len(t), -1)
    # Up to a factor, so that nothing overflows: it is 1 at r = 1. Panels without width may stand at 0.
    log_density = (df - 1) * np.log(np.maximum(r, np.finfo(float).tiny)) - df * (r * r - 1) / 2
    return r, (width * gauss).reshape(len(t), -1) * np.exp(log_density)


@lru_cache(maxsize=4)
def legendre(number: int) -> tuple[Floats, Floats]:
    """So many Gauss-Legendre nodes and their weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(number)
    return (nodes + 1) / 2, weights / 2


def noncentrality_of(t: Floats, df: Values, probability: float, *, two_sided: bool = False) -> Floats:
    """The noncentrality[n] at which P(T' <= t) is this probability, or P(|T'| <= t) if `two_sided`, for each of t[n]; nan
    where t is not finite, 0 where none is small enough. By Newton's steps, by halves where they lead astray."""
    freedom: Floats = np.broadcast_to(np.asarray(df, np.float64), t.shape)
    is_open = np.isfinite(t)
    t = np.where(is_open, t, 0.0)
    result: Floats = t - float(special.ndtri(probability)) * np.sqrt(1 + t**2 / (2 * freedom))
    # lambda = t r - z, with r and z as far out as they ever are.
    far = FAR + np.abs(t) * (1 + FAR / np.sqrt(2 * freedom) + FAR**2 / (4 * freedom))
    low, high = np.minimum(t, 0) - far, np.maximum(t, 0) + far
    result[~is_open] = np.nan
    if two_sided:
        low, result = np.zeros(len(t)), np.maximum(result, 0)
        none = is_open & (2 * special.stdtr(freedom, t) - 1 < probability)
        result[none], is_open = 0.0, is_open & ~none
    for _ in range(MOST_STEPS):
        # Who has arrived stays, so that no last digit depends on how long others take.
        index = np.flatnonzero(is_open)
        if not len(index):
            break
        middle = result[index]
        below, density = _cdf_and_slope(t[index], middle, freedom[index])
        if two_sided:
            beyond, of_beyond = _cdf_and_slope(-t[index], middle, freedom[index])
            below, density = below - beyond, density - of_beyond
        low[index], high[index] = (
            np.where(below > probability, middle, low[index]),
            np.where(below > probability, high[index], middle),
        )
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = middle + (below - probability) / density
        # A step this short is the last, and errs by its square; beyond a limit by rounding alone it is no reason to halve.
        is_short = np.abs(step - middle) <= 1e-8 * (1 + np.abs(middle))
        lies_between = (step > low[index]) & (step < high[index])
        result[index] = np.where(is_short | lies_between, step, (low[index] + high[index]) / 2)
        is_open[index] = ~is_short
    return result


def effect_size_limits(effect: Floats, topics: Values, confidence: float) -> Floats:
    """Limits[2, P] of effect sizes, mean / sd of the differences on so many topics, assumed normal; nan below 2 topics.

    The noncentralities under which t = effect sqrt(T) is as far out as (1 - confidence) / 2 on either side. (J. H. Steiger and
    R. T. Fouladi, in "What if there were no significance tests?", 1997.)
    """
    number = np.broadcast_to(np.asarray(topics, np.float64), effect.shape)
    root, tail = np.sqrt(number), (1 - confidence) / 2
    t, df = np.where(number < 2, np.nan, effect * root), np.maximum(number - 1, 1)
    return np.stack([noncentrality_of(t, df, probability) / root for probability in (1 - tail, tail)])


def safe_noncentrality(t: Floats, df: Values) -> Floats:
    """The 80% lower limit[n] of the size of the noncentrality of |t|[n], nan where t is not finite: that at which a t no
    larger either way has this probability, 0 where it has less at 0. That of P(T' <= |t|) errs in 40% near 0.

    The true effect being less than the observed one half of the time, most experiments planned for the latter have less power
    than promised. (M. Perugini, M. Gallucci and G. Costantini, "Safeguard power as a protection against imprecise power
    estimates", Perspectives on Psychological Science 9, 2014.)"""
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


NODES = 256
NEVER = 40.0  # standard deviations beyond which a score is never found
FEWEST_AT_LOOK = 10  # topics: t of fewer that are skewed errs too often


class _Score:
    """The density of a score that has not left so far: nodes, and weights that are its density times a node's width."""

    def __init__(self) -> None:
        self.share = 0.0
        self.node, self.weight = np.zeros(1), np.ones(1)

    def stays(self, boundary: Floats | float, share: float) -> float:
        """Less the probability of leaving at the look at this share, of either sign, and not before."""
        step = share - self.share
        sd, edge = math.sqrt(step), boundary * math.sqrt(share)
        beyond = special.ndtr((self.node - edge) / sd) + special.ndtr((-edge - self.node) / sd)
        return -float(self.weight @ beyond)

    def go_on(self, boundary: float, share: float) -> None:
        """Take the look at this share, and go on where it does not leave."""
        step, root = share - self.share, math.sqrt(share)
        high = min(boundary, NEVER) * root
        position, width = legendre(NODES)
        node = high * (2 * position - 1)
        z = (node[:, np.newaxis] - self.node) / math.sqrt(step)
        density = np.exp(-(z**2) / 2) @ self.weight / math.sqrt(2 * math.pi * step)
        self.node, self.weight, self.share = node, density * width * 2 * high, share


@lru_cache(maxsize=256)
def looks_at(sizes: tuple[int, ...], alpha: float) -> tuple[Floats, Floats]:
    """The normal boundaries of K looks at increasing numbers of topics, the last of them all, that spend alpha in all,
    float64[K], and their levels float64[K]: p at or below its level stops.

    By the share f of topics 4 - 4 Phi(z / sqrt(f)) is spent, z the normal quantile of 1 - alpha/4.
    """
    shares = [size / sizes[-1] for size in sizes]
    spent = 4 * special.ndtr(special.ndtri(alpha / 4) / np.sqrt(shares))
    boundary, score = np.empty(len(sizes)), _Score()
    for look, (share, due) in enumerate(zip(shares, np.diff(spent, prepend=0.0).tolist(), strict=True)):
        # The boundary at which the score.stays with the probability that is due.
        boundary[look] = crossing(partial(score.stays, share=share), -due)
        score.go_on(float(boundary[look]), share)
    return boundary, 2 * special.ndtr(-boundary)


def levels_of_many(sizes: tuple[int, ...], alpha: float, tests: int) -> Floats:
    """Levels of each look, float64[K], that p adjusted for so many tests by Holm's method must not exceed for alpha to be
    the chance of any false finding at any look: the least m l_k(alpha / m) of m = 1, 2, 4, ... and all tests.

    l_k itself is too much: the more extreme boundaries are, the less crossings at one look tell of those at others. With 15
    independent tests, at ten looks, some of them would be crossed in 6.1 of 100 experiments.
    """
    numbers = [*(2**power for power in range(tests.bit_length())), tests]
    return np.asarray(np.min([m * looks_at(sizes, alpha / m)[1] for m in numbers], axis=0))

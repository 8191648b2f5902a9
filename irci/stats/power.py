"""Power of the paired t test: what so many topics can show, its power, the least detectable difference, the topics needed.

They speak of a new experiment. For the one at hand they add nothing to its p (J. M. Hoenig and D. M. Heisey, "The abuse of
power", The American Statistician 55, 2001), and are optimistic for pairs picked because they look large. With a correction
for P pairs give alpha / P.

The noncentral t distribution, Student's t of a sample whose true mean is not 0, is scipy's, by Boost; far out, where that has
no digits, chi-squared alone.

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
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np

from irci.base.types import Bools, Floats, Ints, Values
from irci.system import special

CLOSE = 1e-13  # of a noncentrality, relative
NOTHING = 1e-99  # as good as 0, which bisection may come to and not reach
SAFE = 0.8  # the probability with which a one-sided limit holds that a plan may rest on
FAR = 1e4  # a noncentrality beside which the normal part of t is nothing
MOST_TOPICS = 2.0**52  # whole numbers are no longer told apart


def fewest_units(alpha: float) -> int:
    """The fewest units of which signs can give p <= alpha, which p by t is held to as well (`irci.stats.tests`)."""
    return math.ceil(1 - round(math.log2(alpha), 9))  # 1/32 takes 6, whatever its last digit


# On so many clusters or collections t errs at .05 as often as it would if p were held to signs (doc/trust.md): below, it is.
MANY_GROUPS = 6


def power_at(noncentrality: Values, df: Values, alpha: float) -> Floats:
    """The probability that two-sided t tests with these degrees of freedom find true differences of so many standard errors,
    elementwise. Findings in the wrong direction are counted, as the test does."""
    critical = np.asarray(special.stdtrit(df, alpha / 2))  # the lower tail: 1 - tail would lose digits
    return noncentral_t_cdf(critical, noncentrality, df) + 1 - noncentral_t_cdf(-critical, noncentrality, df)


def detectable_noncentrality(df: Values, alpha: float, power: float) -> Floats:
    """How many standard errors a true difference must be for the two-sided t test to find it with this power (above alpha),
    elementwise. Times a pair's standard error it is its least detectable difference."""
    freedom, position = np.unique(df, return_inverse=True)
    result = crossing(lambda shift: power_at(shift, freedom, alpha), power, freedom.shape)
    return result[position].reshape(np.shape(df))


def crossing(rising: Callable[[Any], Floats | float], level: Floats | float, shape: tuple[int, ...] = ()) -> Floats:
    """The numbers float64[shape] at which a rising function of positive numbers first reaches the level, elementwise, by
    bisection: scipy.optimize takes longer to load than that takes."""
    low, high = np.zeros(shape), np.ones(shape)
    while (short := np.asarray(rising(high) < level)).any():
        low, high = np.where(short, high, low), np.where(short, 2 * high, high)
    while (wide := high - low > np.maximum(CLOSE * high, NOTHING)).any():
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
    """P(T' <= t) of the noncentral t with df degrees of freedom, elementwise; 0 where it has no digits."""
    t, shift = np.asarray(t), np.asarray(noncentrality)
    result = np.nan_to_num(special.nctdtr(df, np.minimum(shift, FAR), t))
    if (shift > FAR).any():
        with np.errstate(divide="ignore", over="ignore"):
            of_chi = special.chdtrc(df, df * (shift / t) ** 2)
        result = np.where(shift > FAR, np.where(t > 0, of_chi, 0.0), result)
    return np.asarray(result)


def noncentrality_of(t: Floats, df: Values, probability: float) -> Floats:
    """The noncentrality[n] at which P(T' <= t) is this probability, for each of t[n]; nan where t is not finite."""
    finite = np.where(np.isfinite(t), t, 0.0)
    # Below 0 it is that of -t with the sign turned.
    sign = np.where(special.stdtr(df, finite) < probability, -1, 1)
    level = np.where(sign < 0, 1 - probability, probability)
    size = crossing(lambda shift: -noncentral_t_cdf(sign * finite, shift, df), -level, t.shape)
    return np.where(np.isfinite(t), sign * size, np.nan)


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
    result = np.where(np.isfinite(t), 0.0, np.nan)
    has_limit = np.isfinite(t) & (2 * special.stdtr(df, t) - 1 >= SAFE)
    df, t = np.broadcast_to(df, t.shape)[has_limit], t[has_limit]
    result[has_limit] = crossing(
        lambda shift: noncentral_t_cdf(-t, shift, df) - noncentral_t_cdf(t, shift, df), -SAFE, t.shape
    )
    return result


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


@cache
def _gauss() -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on [-1, 1]."""
    return np.polynomial.legendre.leggauss(NODES)


@lru_cache(maxsize=256)
def looks_at(sizes: tuple[int, ...], alpha: float) -> tuple[Floats, Floats]:
    """The normal boundaries of K looks at increasing numbers of topics, the last of them all, that spend alpha in all,
    float64[K], and their levels float64[K]: p at or below its level stops.

    By the share f of topics 4 - 4 Phi(z / sqrt(f)) is spent, z the normal quantile of 1 - alpha/4.
    """
    shares = [size / sizes[-1] for size in sizes]
    spent = 4 * special.ndtr(special.ndtri(alpha / 4) / np.sqrt(shares))
    position, width = _gauss()
    # The density of a score that has not left so far, at nodes, times their widths.
    boundary, before, node, weight = np.empty(len(sizes)), 0.0, np.zeros(1), np.ones(1)
    for look, (share, due) in enumerate(zip(shares, np.diff(spent, prepend=0.0).tolist(), strict=True)):
        root, sd = math.sqrt(share), math.sqrt(share - before)
        boundary[look] = crossing(partial(_stays, node=node / sd, weight=weight, scale=root / sd), -due)
        high = min(float(boundary[look]), NEVER) * root
        z = (high * position[:, np.newaxis] - node) / sd
        weight = np.exp(-(z**2) / 2) @ weight / math.sqrt(2 * math.pi) / sd * width * high
        before, node = share, high * position
    return boundary, 2 * special.ndtr(-boundary)


def _stays(boundary: float, node: Floats, weight: Floats, scale: float) -> float:
    """Less the probability of leaving at a look, of either sign, and not before."""
    edge = boundary * scale
    return -float(weight @ (special.ndtr(node - edge) + special.ndtr(-edge - node)))


def levels_of_many(sizes: tuple[int, ...], alpha: float, tests: int) -> Floats:
    """Levels of each look, float64[K], that p adjusted for so many tests by Holm's method must not exceed for alpha to be
    the chance of any false finding at any look: the least m l_k(alpha / m) of m = 1, 2, 4, ... and all tests.

    l_k itself is too much: the more extreme boundaries are, the less crossings at one look tell of those at others. With 15
    independent tests, at ten looks, some of them would be crossed in 6.1 of 100 experiments.
    """
    numbers = [*(2**power for power in range(tests.bit_length())), tests]
    return np.asarray(np.min([m * looks_at(sizes, alpha / m)[1] for m in numbers], axis=0))

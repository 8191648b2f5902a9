"""Tests at several looks, while topics are being judged: boundaries that keep the level over all looks together.

Topics are judged in random order, tests are done at planned numbers of them, and judging stops once one is significant. How
much of the level may be spent by each look is a function of the share of topics judged, of O'Brien and Fleming's type: next
to nothing early (K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70, 1983).
The chance of stopping is found by recursion over the score's density where it goes on (P. Armitage, C. K. McPherson and
B. C. Rowe, "Repeated significance tests on accumulating data", Journal of the Royal Statistical Society A 132, 1969).

Boundaries are a normal score's. Each is turned into a level, which the test at hand is held to, and whose limits hold at all
looks together. Where the two runs are equal, t after every topic finds a difference in 30 to 40 of 100 experiments.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from irci.base.types import Floats
from irci.stats.power import crossing, fewest, legendre, t_power
from irci.system import special

NODES = 256
FAR = 40.0  # standard deviations beyond which a score is never found
FEWEST_AT_LOOK = 10  # topics: t of fewer that are skewed errs too often
MOST = 2.0**52  # whole numbers of topics beyond are not told apart


class Looks(NamedTuple):
    """K looks: numbers of topics, normal boundaries float64[K], and levels float64[K]: p at or below its level stops."""

    sizes: tuple[int, ...]
    boundary: Floats
    level: Floats

    @property
    def shares(self) -> Floats:
        """The share of all topics that each look has, float64[K]."""
        return np.array(self.sizes) / self.sizes[-1]


class Plan(NamedTuple):
    """Looks planned for a true difference: numbers of topics, and how many are judged on average."""

    sizes: tuple[int, ...]
    expected: float


class _Score:
    """The density of a score that has not left so far: nodes, and weights that are its density times a node's width."""

    def __init__(self, drift: float = 0.0) -> None:
        self.drift, self.share = drift, 0.0
        self.node, self.weight = np.zeros(1), np.ones(1)

    def leaves(self, boundary: float, share: float) -> float:
        """The probability of leaving at the look at this share, of either sign, and not before."""
        step = share - self.share
        centre, sd, edge = self.node + self.drift * step, math.sqrt(step), boundary * math.sqrt(share)
        beyond = special.ndtr((centre - edge) / sd) + special.ndtr((-edge - centre) / sd)
        return float(self.weight @ beyond)

    def go_on(self, boundary: float, share: float) -> None:
        """Take the look at this share, and go on where it does not leave."""
        step, root = share - self.share, math.sqrt(share)
        middle, edge = self.drift * share, boundary * root
        low, high = max(-edge, middle - FAR * root), min(edge, middle + FAR * root)
        place, width = legendre(NODES)
        node = low + max(high - low, 0.0) * place
        z = (node[:, np.newaxis] - self.node - self.drift * step) / math.sqrt(step)
        density = np.exp(-(z**2) / 2) @ self.weight / math.sqrt(2 * math.pi * step)
        self.node, self.weight, self.share = node, density * width * max(high - low, 0.0), share


@lru_cache(maxsize=256)
def looks_at(sizes: tuple[int, ...], alpha: float) -> Looks:
    """The boundaries of looks at increasing numbers of topics, the last of them all, that spend alpha in all.

    By the share f of topics 4 - 4 Phi(z / sqrt(f)) is spent, z the normal quantile of 1 - alpha/4.
    """
    shares = [size / sizes[-1] for size in sizes]
    spent = 4 * special.ndtr(special.ndtri(alpha / 4) / np.sqrt(shares))
    boundary, score = np.empty(len(sizes)), _Score()
    for look, (share, due) in enumerate(zip(shares, np.diff(spent, prepend=0.0).tolist(), strict=True)):
        boundary[look] = _boundary(score, share, due)
        score.go_on(float(boundary[look]), share)
    return Looks(sizes, boundary, 2 * special.ndtr(-boundary))


def levels_of_many(sizes: tuple[int, ...], alpha: float, tests: int) -> Floats:
    """Levels of each look, float64[K], that p adjusted for so many tests by Holm's method must not exceed for alpha to be
    the chance of any false finding at any look: the least m l_k(alpha / m) of m = 1, 2, 4, ... and all tests.

    l_k itself is too much: the more extreme boundaries are, the less crossings at one look tell of those at others. With 15
    independent tests, at ten looks, some of them would be crossed in 6.1 of 100 experiments.
    """
    numbers = [*(2**power for power in range(tests.bit_length())), tests]
    return np.asarray(np.min([m * looks_at(sizes, alpha / m).level for m in numbers], axis=0))


def _boundary(score: _Score, share: float, due: float) -> float:
    """The boundary at which the score leaves with the probability that is due."""
    return crossing(lambda z: -score.leaves(z, share), -due)


def stops(looks: Looks, drift: float) -> Floats:
    """The probability of stopping at each look and not before, float64[K], where the mean normal score is `drift` at the last
    one: the true difference divided by its standard error there."""
    found, score = np.empty(len(looks.sizes)), _Score(drift)
    for look, (boundary, share) in enumerate(zip(looks.boundary.tolist(), looks.shares.tolist(), strict=True)):
        found[look] = score.leaves(boundary, share)
        score.go_on(boundary, share)
    return found


def equal_looks(topics: int, number: int) -> tuple[int, ...]:
    """So many topics in so many equal steps, without looks at fewer than 10."""
    steps = {math.ceil(topics * look / number) for look in range(1, number)}
    return (*sorted(step for step in steps if FEWEST_AT_LOOK <= step < topics), topics)


def planned(effect: float, number: int, alpha: float, power: float) -> Plan:
    """The fewest topics, with so many equal looks, of which t finds a true difference of `effect` standard deviations with
    this power, and how many are judged on average if that is the truth.

    The normal score's drift is what gives it, in one test at the end, the power that t has there.
    """
    if not effect > 0:
        return Plan((), math.inf if effect == 0 else math.nan)

    def probabilities(topics: int) -> tuple[Looks, Floats]:
        looks = looks_at(equal_looks(topics, number), alpha)
        return looks, stops(looks, _drift(t_power(effect, topics, alpha), alpha))

    z = special.ndtri(1 - alpha / 2) + special.ndtri(power)
    topics = fewest(lambda topics: float(probabilities(topics)[1].sum()), power, float((z / effect) ** 2))
    if not topics < MOST:
        return Plan((), topics)
    looks, probability = probabilities(max(int(topics), FEWEST_AT_LOOK))
    left = 1 - float(probability.sum())
    return Plan(looks.sizes, float(probability @ looks.sizes) + left * looks.sizes[-1])


def _drift(power: float, alpha: float) -> float:
    """The drift with which one two-sided normal test has this power, above alpha."""
    one = looks_at((1,), alpha)
    return crossing(lambda drift: float(stops(one, drift)[0]), power)

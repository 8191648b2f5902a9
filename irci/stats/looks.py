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
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from irci.base.types import Floats
from irci.stats.power import crossing, legendre
from irci.system import special

NODES = 256
FAR = 40.0  # standard deviations beyond which a score is never found
FEWEST_AT_LOOK = 10  # topics: t of fewer that are skewed errs too often


class Looks(NamedTuple):
    """K looks: numbers of topics, normal boundaries float64[K], and levels float64[K]: p at or below its level stops."""

    sizes: tuple[int, ...]
    boundary: Floats
    level: Floats

    @property
    def shares(self) -> Floats:
        """The share of all topics that each look has, float64[K]."""
        return np.array(self.sizes) / self.sizes[-1]


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
        high = min(boundary, FAR) * root
        position, width = legendre(NODES)
        node = high * (2 * position - 1)
        z = (node[:, np.newaxis] - self.node) / math.sqrt(step)
        density = np.exp(-(z**2) / 2) @ self.weight / math.sqrt(2 * math.pi * step)
        self.node, self.weight, self.share = node, density * width * 2 * high, share


@lru_cache(maxsize=256)
def looks_at(sizes: tuple[int, ...], alpha: float) -> Looks:
    """The boundaries of looks at increasing numbers of topics, the last of them all, that spend alpha in all.

    By the share f of topics 4 - 4 Phi(z / sqrt(f)) is spent, z the normal quantile of 1 - alpha/4.
    """
    shares = [size / sizes[-1] for size in sizes]
    spent = 4 * special.ndtr(special.ndtri(alpha / 4) / np.sqrt(shares))
    boundary, score = np.empty(len(sizes)), _Score()
    for look, (share, due) in enumerate(zip(shares, np.diff(spent, prepend=0.0).tolist(), strict=True)):
        # The boundary at which the score.stays with the probability that is due.
        boundary[look] = crossing(partial(score.stays, share=share), -due)
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

"""Which test of two runs over topics can be trusted on scores like these.

A matrix of real scores is taken for the population. Of pairs of its runs, topics are drawn with replacement, weighted so that
the mean difference is 0 (`tilting_weights`), which keeps the zeros, the range and the skew of the differences; or so that
it is what a test should find."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from matrices import Matrix, matrices
from page import Section, Table

from irci.base.streams import topic_keys
from irci.base.types import Bools, Floats
from irci.estimators.means import paired_t
from irci.stats.signs import p_by_signs, sign_test, signed_ranks

LEAST_DIFFERING = 6  # topics of a pair
LEAST_EFFECTIVE = 0.7  # of its topics: 1 / sum w^2
HALVINGS = 200
ALPHA = 0.05
SIZES = (10, 25, 50)
MOST = SIZES[-1]
PAIRS = 60
DRAWS = 200  # samples of topics of each pair
RESAMPLES = 999  # of signs: with so many (k + 1)/(B + 1) can be .05 exactly
WORTHWHILE = (0.03, 0.06)
TESTS = ("t", "randomization", "wilcoxon", "sign")
TOLD = (
    f"{PAIRS} pairs, {DRAWS} samples of topics of each, {RESAMPLES} resamples; pairs that cannot be tilted so (fewer than 6"
    " topics differ, a difference that is not inside them, or few topics with most of the weight) are passed over."
)


def tilting_weights(differences: Floats, delta: float = 0.0) -> Floats | None:
    """Weights[T] ~ exp(l D_t), adding up to 1, that give differences[T] the mean delta; None unless it lies between them.

    They leave differences of 0 as they are, the range and the skew, where subtracting the mean makes another population, on
    which tests by ranks and signs fail (B. Efron, Canadian Journal of Statistics 9, 1981).
    """
    beyond = differences - delta
    if beyond.min() >= 0 or beyond.max() <= 0:
        return None
    low, high = -1.0, 1.0
    while _mean(beyond, low) > 0:
        low *= 2
    while _mean(beyond, high) < 0:
        high *= 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _mean(beyond, middle) < 0 else (low, middle)
    return _weights(beyond, (low + high) / 2)


def usable_weights(differences: Floats, delta: float = 0.0) -> Floats | None:
    """Those weights, unless few topics differ or a few have most of the weight."""
    weights = tilting_weights(differences, delta)
    if weights is None or np.count_nonzero(differences) < LEAST_DIFFERING:
        return None
    return weights if 1 / (weights**2).sum() >= LEAST_EFFECTIVE * len(differences) else None


def _mean(beyond: Floats, slope: float) -> float:
    return float(_weights(beyond, slope) @ beyond)


def _weights(beyond: Floats, slope: float) -> Floats:
    exponents = slope * beyond
    weights = np.exp(exponents - exponents.max())
    return np.asarray(weights / weights.sum())


def rejections(differences: Floats, seed: int) -> dict[str, Bools]:
    """By test, whether it rejects each of samples of differences[R, T], bool[R]."""
    keys = topic_keys([b"%d" % topic for topic in range(differences.shape[1])])
    p = {
        "t": paired_t(differences, 1 - ALPHA).p,
        "randomization": p_by_signs(differences, keys, RESAMPLES, seed),
        "wilcoxon": p_by_signs(signed_ranks(differences), keys, RESAMPLES, seed),
        "sign": sign_test(differences),
    }
    return {test: of <= ALPHA for test, of in p.items()}


class Rejected(NamedTuple):
    """The shares float64[P] of samples that a test rejects, a pair each, by a first and a second half of them."""

    first: Floats
    second: Floats

    @property
    def of_pair(self) -> Floats:
        return (self.first + self.second) / 2

    @property
    def mean(self) -> float:
        return float(self.of_pair.mean())

    @property
    def error(self) -> float:
        """The Monte-Carlo error of the mean."""
        return float(self.of_pair.std(ddof=1)) / math.sqrt(len(self.first))

    @property
    def worst_tenth(self) -> float:
        """The share in the tenth of pairs that reject most often: found by one half of samples, measured by the other."""
        tenth = math.ceil(len(self.first) / 10)
        halves = ((self.first, self.second), (self.second, self.first))
        return float(np.mean([by[np.argsort(-of, kind="stable")[:tenth]].mean() for of, by in halves]))


class World(NamedTuple):
    """Differences float64[P, T] of pairs, and weights float64[P, T] by which their topics are drawn."""

    differences: Floats
    weights: Floats

    def rejected(self, topics: int) -> dict[str, Rejected]:
        """How often each test rejects so many topics drawn."""
        rng = np.random.default_rng(topics)
        shares: dict[str, list[tuple[float, float]]] = {test: [] for test in TESTS}
        for pair, (differences, weights) in enumerate(zip(self.differences, self.weights, strict=True)):
            drawn = rng.choice(differences, (DRAWS, topics), p=weights)
            for test, of in rejections(drawn, pair).items():
                shares[test].append((of[: DRAWS // 2].mean(), of[DRAWS // 2 :].mean()))
        return {test: Rejected(*np.array(of).T) for test, of in shares.items()}


class Worlds(NamedTuple):
    """PAIRS pairs of a matrix, taken at random, or all there are: without a difference, tilted or centred, and tilted to each
    of WORTHWHILE; and how many pairs were passed over, which cannot be tilted to all of these."""

    tilted: World
    centred: World
    worthwhile: list[World]
    passed_over: int

    @classmethod
    def of(cls, matrix: Matrix) -> "Worlds":
        """A pair's differences are those of the run that is ahead."""
        pairs = np.column_stack(np.triu_indices(len(matrix.values), 1))
        found: list[tuple[Floats, list[Floats]]] = []
        passed_over = 0
        for first, second in np.random.default_rng(1).permutation(pairs):
            difference = matrix.values[first] - matrix.values[second]
            difference *= -1 if difference.mean() < 0 else 1
            tilts = [usable_weights(difference, delta) for delta in (0.0, *WORTHWHILE)]
            usable = [weights for weights in tilts if weights is not None]
            if len(usable) < len(tilts):
                passed_over += 1
            else:
                found.append((difference, usable))
            if len(found) == PAIRS:
                break
        differences = np.array([difference for difference, _ in found])
        null, *worthwhile = (World(differences, np.array(each)) for each in zip(*(of for _, of in found), strict=True))
        centred = differences - differences.mean(axis=1, keepdims=True)
        return cls(null, World(centred, np.full_like(centred, 1 / centred.shape[1])), worthwhile, passed_over)


def _percent(of: Rejected) -> str:
    return f"{100 * of.mean:.1f} ± {100 * of.error:.1f}"


def lines() -> Iterator[tuple[list[list[object]], list[object], list[object]]]:
    """For each matrix its lines of errors, a number of topics each; the line of errors where differences are centred; and the
    line of power."""
    for matrix in matrices():
        worlds = Worlds.of(matrix)
        pairs = len(worlds.tilted.weights)
        null = {topics: worlds.tilted.rejected(topics) for topics in SIZES}
        errors: list[list[object]] = [
            [matrix.name, topics, *(f"{_percent(of[test])} ({100 * of[test].worst_tenth:.1f})" for test in TESTS)]
            for topics, of in null.items()
        ]
        centred = worlds.centred.rejected(MOST)
        power = [world.rejected(MOST) for world in worlds.worthwhile]
        shares = (" / ".join(_percent(each[test]) for each in power) for test in TESTS)
        of_centred = [matrix.name, MOST, *(_percent(centred[test]) for test in TESTS)]
        yield errors, of_centred, [matrix.name, pairs, worlds.passed_over, *shares]


def section() -> Section:
    """Errors and power on all matrices that are there."""
    errors, centred, power = zip(*lines(), strict=True)
    rejected = f"rejections at {ALPHA} of pairs whose mean difference is"
    wanted = " / ".join(f"{each:g}" for each in WORTHWHILE)
    columns = ["scores", "topics", *TESTS]
    return Section(
        "Which test",
        " ".join((__doc__ or "").split()) + f" {TOLD}",
        [
            Table(
                f"Type I error, tilted: {rejected} 0, in % ± Monte-Carlo error (in the tenth of pairs that reject most)",
                columns,
                [line for each in errors for line in each],
            ),
            Table(f"The same, differences centred instead of tilted: {rejected} 0", columns, centred),
            Table(f"Power: {rejected} {wanted}, {MOST} topics", ["scores", "pairs", "passed over", *TESTS], power),
        ],
    )

"""Bounded limits against exact sums, binomial distributions, Imhof's own integral and worked examples; when they are due."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import comb

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.stats import binom

from irci.estimators.means import Design, due, over_topics
from irci.stats.bounded import bounded_limits, bounded_p, share_limit
from irci.stats.scales import at_ends, mean_needs_bounds

ALPHA = 0.05


def limits(scores: ArrayLike, low: float = 0, alpha: float = ALPHA) -> np.ndarray:
    """float64[2, ...]: of scores from low to 1."""
    return np.array(bounded_limits(np.asarray(scores, float), low, 1, alpha))


def p_of(scores: ArrayLike, low: float, value: float) -> np.ndarray:
    return bounded_p(np.asarray(scores, float), low, 1, value)


def ones(numbers: ArrayLike, n: int) -> np.ndarray:
    """float64[len(numbers), n]: rows of so many ones, and zeros."""
    return (np.arange(n) < np.reshape(numbers, (-1, 1))).astype(float)


def exact_share_below(knots: list[float], c: float) -> Fraction:
    """P(sum W x < c), W ~ Dirichlet(1, ..., 1): (-1)^n times the divided difference of x -> max(c - x, 0)^n at the n + 1
    knots, with derivatives where knots are equal (H. B. Curry and I. J. Schoenberg, J. Analyse Math. 17, 1966)."""
    x, at = sorted(Fraction(float(knot)) for knot in knots), Fraction(c)
    n = len(x) - 1

    def derivative(knot: Fraction, k: int) -> Fraction:  # over k!
        return comb(n, k) * (-1) ** k * (at - knot) ** (n - k) if knot < at else Fraction(0)

    column = [derivative(knot, 0) for knot in x]
    for k in range(1, n + 1):
        column = [
            (after - before) / (x[i + k] - x[i]) if x[i + k] > x[i] else derivative(x[i], k)
            for i, (before, after) in enumerate(pairwise(column))
        ]
    return (-1) ** n * column[0]


def exact_p(scores: list[float], low: float, value: float) -> float:
    share = (exact_share_below([*scores, low], value) + exact_share_below([*scores, 1], value)) / 2
    return float(2 * min(share, 1 - share))


def share_by_imhof(scores: np.ndarray, end: float, c: float) -> float:
    """P(sum W x < c) = 1/2 - 1/pi int sin(sum atan(l u)) / (u prod sqrt(1 + l^2 u^2)) du, l = x - c (Imhof 1961)."""
    away = np.append(scores, end) - c
    away /= np.sqrt(np.sum(away**2))

    def integrand(u: float) -> float:
        return float(np.sin(np.arctan(away * u).sum()) / u * np.exp(-np.log1p((away * u) ** 2).sum() / 2))

    return 0.5 - quad(integrand, 0, 40, epsabs=1e-13, epsrel=1e-12, limit=2000)[0] / np.pi


@pytest.mark.parametrize(
    ("scores", "low", "expected"),
    [
        ([1] * 20, 0, (0.8609, 1)),
        ([1] * 18 + [0] * 2, 0, (0.7071, 0.9829)),
        ([1] * 49 + [0.5], 0, (0.9289, 0.9995)),
        ([0.2, 0.5, 0.5, 1, 1], 0, (0.3026, 0.8916)),
        ([0.4], 0, (0.02, 0.97)),
        ([0.1] * 50, -1, (0.0360, 0.1523)),
        ([0] * 50, -1, (-0.0582, 0.0582)),
        ([1] * 7 + [-1] + [0] * 12, -1, (0.0156, 0.5417)),
        ([1] * 6 + [-1] + [0] * 13, -1, (-0.0215, 0.4905)),
    ],
)
def test_worked_examples(scores: list[float], low: float, expected: tuple[float, float]) -> None:
    assert limits(scores, low) == pytest.approx(expected, abs=5.001e-5)


def test_limits_of_shares() -> None:
    assert share_limit(3, 50, ALPHA) == pytest.approx(0.155, abs=5e-4)
    assert share_limit(0, 40, ALPHA) == pytest.approx(1 - ALPHA ** (1 / 40), abs=1e-12)


GENERATOR = np.random.default_rng(7)
AWKWARD = {
    "one topic": [0.4],
    "one at the end": [0.0],
    "near the end": [1e-12],
    "near-tie": [0.5, 0.5 + 2**-40],
    "near-ties": [0.5 + i * 2**-45 for i in range(12)],
    "constant": [0.3] * 20,
    "all at the end": [1.0] * 20,
    "all but one at the end": [1.0] * 24 + [0.5],
    "ends only": [0.0] * 30 + [1.0] * 2,
    "powers of ten": [10.0**-i for i in range(12)],
    "to the end by powers of ten": [1 - 10.0**-i for i in range(1, 12)],
    "of unlike sizes": [1.0, 1e-30, 1e-100, 1e-250],
    "repeats": [i / 8 for i in range(8)] * 4,
    "many zeros": [0.0] * 30 + [0.25, 0.625, 0.984375],
    "distinct": list(GENERATOR.integers(0, 1024, 30) / 1024),
    "few": list(GENERATOR.beta(0.3, 0.5, 3)),
    "at either end": list(GENERATOR.beta(0.05, 0.05, 8)),
}  # fmt: skip


@pytest.mark.sample(11)
@pytest.mark.parametrize("scores", AWKWARD.values(), ids=AWKWARD.keys())
@pytest.mark.parametrize("low", [0, -1])
def test_p_is_exact(scores: list[float], low: int) -> None:
    mean = float(np.mean(scores))
    values = {low + 2**-30, low + 0.125, 0.25, 0.5, 0.875, 1 - 2**-30, mean, mean + 2**-20}
    values |= {scores[0] * (1 - 2**-40), scores[-1]}
    for value in values:
        if low < value < 1:
            assert p_of(scores, low, value) == pytest.approx(exact_p(scores, low, value), abs=1e-13)


@pytest.mark.parametrize("n", [50, 7000])
def test_p_against_imhofs_integral(n: int) -> None:
    scores = np.random.default_rng(n).beta(0.5, 1, n)
    for shift in (-2, 0, 1):
        value = float(scores.mean() + shift * 0.3 / np.sqrt(n))
        share = (share_by_imhof(scores, 0, value) + share_by_imhof(scores, 1, value)) / 2
        assert p_of(scores, 0, value) == pytest.approx(2 * min(share, 1 - share), abs=2e-10)


@pytest.mark.parametrize("n", [1, 2, 5, 10, 23, 60, 7000])
def test_scores_at_the_ends_are_binomial(n: int) -> None:
    """Limits are those of mid-p: the tail sums of a binomial distribution, half of the last term left out, are alpha/2."""
    k = np.arange(n + 1) if n < 100 else np.array([0, 1, 70, 3500, 6300, 6999, 7000])
    lower, upper = limits(ones(k, n))
    assert (lower[0], upper[-1]) == (0, 1)
    above = binom.sf(k, n, lower) + binom.pmf(k, n, lower) / 2
    below = binom.cdf(k - 1, n, upper) + binom.pmf(k, n, upper) / 2
    assert above[1:] == pytest.approx(ALPHA / 2, abs=1e-11)
    assert below[:-1] == pytest.approx(ALPHA / 2, abs=1e-11)
    assert upper[0] == pytest.approx(1 - ALPHA ** (1 / n), abs=1e-12)


@pytest.mark.parametrize("n", [6, 20, 30])
def test_mcnemar(n: int) -> None:
    """All tables of n topics: p is McNemar's mid-p, and limits hold 0 if and only if it is above alpha."""
    better, worse = np.array([(b, c) for b in range(n + 1) for c in range(n + 1 - b)]).T
    lesser = np.minimum(better, worse)
    expected = 2 * binom.cdf(lesser, better + worse, 0.5) - binom.pmf(lesser, better + worse, 0.5)
    differences = ones(better, n) - ones(worse, n)[:, ::-1]
    p = p_of(differences, -1, 0)
    assert p == pytest.approx(np.where(better == worse, 1, expected), abs=1e-12)
    lower, upper = limits(differences, -1)
    assert (np.abs(p - ALPHA) > 1e-9).all()
    assert ((lower <= 0) & (upper >= 0)).tolist() == (p > ALPHA).tolist()


@pytest.mark.parametrize("alpha", [0.2, 0.05, 1e-5])
def test_p_at_a_limit_is_alpha(alpha: float) -> None:
    """On any scale."""
    generator = np.random.default_rng(11)
    graded = [generator.beta(0.5, 1, (8, n)) for n in (1, 2, 5, 30)]
    for rows in (*graded, graded[-1].round(1), *(np.array([AWKWARD[name]]) for name in ("repeats", "powers of ten"))):
        lower, upper = limits(rows, alpha=alpha)
        assert (lower < upper).all()
        for side in (lower, upper):
            p = [float(p_of(row, 0, limit)) for row, limit in zip(rows, side, strict=True)]
            assert p == pytest.approx([alpha] * len(rows), rel=1e-8)
        scaled = bounded_limits(10 * rows - 3, -3, 7, alpha)
        assert np.array(scaled) == pytest.approx(10 * np.array([lower, upper]) - 3, abs=1e-11)


def test_p_at_and_beyond_the_ends() -> None:
    rows = [[0, 0, 0], [0, 0, 0.5], [1, 1, 1]]
    assert p_of(rows, 0, 0).tolist() == [1, 0, 0]
    assert p_of(rows, 0, 1).tolist() == [0, 0, 1]
    assert p_of(rows, 0, 1e-12) == pytest.approx([1, 0, 0], abs=1e-11)
    assert p_of(rows, 0, 1.5).tolist() == p_of(rows, 0, -0.5).tolist() == [0, 0, 0]


NONE = np.zeros(4)


@pytest.mark.parametrize(
    ("scores", "low", "high", "reason"),
    [
        *((scores, 0, 1, "not from 0 to 1") for scores in ([], [0.5, 1.1], [-0.1], [0.5, np.nan])),
        *((NONE, 0, high, "scale") for high in (np.inf, 1e-310, np.nan, 0)),
        (NONE, -np.inf, 1, "scale"), (NONE, -1e308, 1e308, "scale"), (NONE, 1, 0, "scale"),
    ],
)  # fmt: skip
def test_hopeless_scores_and_scales_are_refused(scores: ArrayLike, low: float, high: float, reason: str) -> None:
    for function in (bounded_p, lambda *given: bounded_limits(*given, ALPHA)):
        with pytest.raises(ValueError, match=reason):
            function(np.asarray(scores, float), low, high)


def test_scores_beyond_an_end_by_rounding_are_at_it() -> None:
    beyond = np.array([1 + 2.0**-52, 1.0, -(2.0**-60)])
    assert np.array_equal(bounded_limits(beyond, 0, 1, ALPHA), bounded_limits(np.array([1.0, 1.0, 0.0]), 0, 1, ALPHA))
    assert bounded_p(np.array([1 + 2.0**-52, 1 - 2.0**-53]), 0, 1, 1.0) == 1


@pytest.mark.usefixtures("many_threads")
def test_no_rows_have_no_limits_and_threads_change_none() -> None:
    rows = np.random.default_rng(5).random((7, 12))
    for each in (*bounded_limits(rows[:0], 0, 1, ALPHA), bounded_p(rows[:0], 0, 1, 0.5)):
        assert each.shape == (0,)
    assert np.array_equal(bounded_limits(rows, 0, 1, ALPHA, threads=3), bounded_limits(rows, 0, 1, ALPHA))


def test_scores_at_the_ends() -> None:
    rows = np.array([[0, 1, 1], [0, 1e-12, 1], [0, 0.5, 1], [0, 0, 0]])
    assert at_ends(rows, 0, 1).tolist() == [True, True, False, True]
    assert at_ends(rows, 0, 2).tolist() == [False, False, False, True]


def plainly_nearly_constant(scores: list[float], low: float, high: float) -> bool:
    most_frequent = Counter(scores).most_common(1)[0][1]
    far = sum(abs(score - float(np.median(scores))) > 0.05 * (high - low) for score in scores)
    return len(scores) - most_frequent < 10 or far < 10


def test_nearly_constant() -> None:
    """Rows with so many other scores, far and near, of a few to more topics, against the definition."""
    generator = np.random.default_rng(4)
    found = []
    for n in (1, 9, 10, 11, 12, 19, 20, 21, 40):
        for others in range(max(0, min(n, 14))):
            for spread in (0.01, 0.3):
                scores = [0.6] * (n - others) + list(0.6 + spread * generator.uniform(0.5, 1, others))
                expected = plainly_nearly_constant(scores, 0, 1)
                assert mean_needs_bounds(generator.permutation(scores), 0, 1) == expected, scores
                assert mean_needs_bounds(10 * np.array(scores), 0, 10) == expected, scores
                found.append(expected)
    assert 5 < sum(found) < len(found) - 5
    assert mean_needs_bounds(np.random.default_rng(1).random((2, 10)), 0, 1).all()


def test_means_that_need_bounds() -> None:
    rows = np.linspace(0, 1, 40), 0.5 + np.linspace(0, 0.04, 40), np.r_[np.ones(31), np.zeros(8), 0.5]
    rows = np.vstack((np.repeat([0.0, 1.0], 20), *rows))
    assert mean_needs_bounds(rows, 0, 1).tolist() == [True, False, True, True]


def test_differences_that_need_bounds() -> None:
    even, odd = [0.3, 0.4, 0.5, 0.6], [0.2, 0.3, 0.4, 0.6]
    first = np.array([[0, 1, 1, 0], even, even, [0, 0.5, 1, 0], [0, 1, 0, 1], [0.5] * 4])
    second = np.array([[1, 1, 0, 0], np.subtract(even, 0.1), odd, [1, 0.5, 0, 1], [1, 0, 1, 0], [0.5] * 4])
    both, of_all = np.stack((first, second), axis=1), [0, 1, 2, 3, 4, 5]
    for ends, are_points, hits in (
        ((0, 1), False, [0, 4]),
        ((0, 1), True, of_all),
        ((0, 2), True, []),
    ):  # of two, three runs
        at_ends, is_bounded = due(both, first - second, ends, "auto", are_points=are_points)
        assert np.flatnonzero(at_ends).tolist() == hits
        assert np.flatnonzero(is_bounded).tolist() == sorted({*hits, 1, 5})


def test_limits_of_few_differences_hold_zero_unless_scores_are_ends() -> None:
    """On five topics p by signs is 1/16, so that limits hold 0 where these decide; McNemar's is 1/32, whose limits do not."""
    scores = np.repeat(np.array([[1.0], [0.0], [0.95], [0.05]]), 5, axis=1)
    found = over_topics(scores, np.array([[0, 1], [2, 3]]), np.arange(5, dtype=np.uint64), Design(), ends=(0.0, 1.0))
    assert (found.test.tolist(), found.p.tolist()) == (["midp", "signs"], pytest.approx([1 / 32, 1 / 16]))
    assert found.interval.tolist() == ["bounded"] * 2
    assert found.limits[0, 0] > 0 == found.limits[0, 1]

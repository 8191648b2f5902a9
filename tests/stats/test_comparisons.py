"""Tests and corrections against scipy, statsmodels and all assignments of signs or labels; worked meta-analysis."""

import naive_inference
import numpy as np
import pytest
from helpers import keys
from naive_inference import two_sided_by_signs
from naive_slices import FIRST, SECOND, exact_p
from scipy import stats
from scipy.stats import f as f_distribution
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.oneway import anova_oneway

from irci.estimators.means import paired_t
from irci.stats.anova import interaction, is_exact
from irci.stats.meta import combined, heterogeneity
from irci.stats.signs import p_by_signs, sign_test, signed_ranks
from irci.stats.tests import adjusted

RNG = np.random.default_rng(1)
DIFFERENCES = RNG.normal(0.03, 0.1, (20, 50))


def test_paired_t_against_scipy() -> None:
    found = paired_t(DIFFERENCES, 0.9)
    expected = stats.ttest_rel(DIFFERENCES, np.zeros_like(DIFFERENCES), axis=1)
    interval = expected.confidence_interval(0.9)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-10)
    assert found.limits == pytest.approx(np.stack((interval.low, interval.high)), abs=1e-12)


def test_paired_t_without_spread() -> None:
    """Identical runs: exactly 0, no width, p 1. The same difference everywhere: p of signs. One topic: nothing can be said."""
    found = paired_t(np.array([[0.0] * 7, [0.1] * 7]), 0.95)
    assert (found.of.value[0], found.p[0]) == (0, 1)
    assert not found.limits[:, 0].any()
    assert found.p[1] == 2.0**-6
    assert found.limits[0, 1] == found.limits[1, 1] == pytest.approx(0.1)
    one = paired_t(np.array([[0.3]]), 0.95)
    assert one.of.value[0] == 0.3
    assert np.isnan([*one.limits[:, 0], one.p[0]]).all()


@pytest.mark.parametrize("scores", ["continuous", "coarse"])
def test_sign_flip_against_enumeration(scores: str) -> None:
    """Few topics: every assignment of signs, ties counted as extreme; also scipy's."""
    rng = np.random.default_rng(2)
    for _ in range(5):
        d = rng.normal(0.3, 1, 9) if scores == "continuous" else rng.integers(-3, 5, 9) / 10
        p = p_by_signs(d[np.newaxis], keys(9), 512, 1)[0]
        assert p == pytest.approx(two_sided_by_signs(d.tolist()), abs=1e-12)
        theirs = stats.permutation_test(
            (d, np.zeros(9)), lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples", vectorized=True
        )  # fmt: skip
        assert p == pytest.approx(theirs.pvalue, abs=1e-12)


def test_sign_flip_by_resampling_against_enumeration() -> None:
    rng = np.random.default_rng(3)
    d = rng.normal(0.25, 1, (6, 13))
    resamples = 8000
    for p, row in zip(p_by_signs(d, keys(13), resamples, 1), d, strict=True):
        exact = two_sided_by_signs(row.tolist())
        assert abs(p - exact) < 4 * np.sqrt(exact * (1 - exact) / resamples) + 1 / resamples


def test_sign_flip_mirrors_and_ties() -> None:
    """A difference and its negative have one p; equal runs have 1; coarse scores keep their ties at 50 topics."""
    d = np.random.default_rng(4).integers(-4, 5, (30, 50)) / 10
    p = p_by_signs(d, keys(50), 2000, 1)
    assert np.array_equal(p, p_by_signs(-d, keys(50), 2000, 1))
    assert np.array_equal(p, p_by_signs((d * 10).round(), keys(50), 2000, 1))  # whole numbers: sums are exact
    assert p_by_signs(np.zeros((1, 50)), keys(50), 2000, 1)[0] == 1
    assert p_by_signs(d[:1], keys(50), 2000, 2)[0] != p[0]


def test_corrections_against_statsmodels() -> None:
    rng = np.random.default_rng(5)
    for size in (1, 2, 30):
        p = rng.random(size) ** 3
        p[size // 2 :] = p[size // 2 :].round(1)  # some are equal
        assert adjusted(p, "holm") == pytest.approx(multipletests(p, method="holm")[1], abs=1e-15)
        assert adjusted(p, "bh") == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-15)
        assert np.array_equal(adjusted(p, "none"), p)
    assert adjusted(np.empty(0), "bh").shape == (0,)
    with_nan = np.array([0.01, np.nan, 0.03])
    assert adjusted(with_nan, "holm") == pytest.approx([0.02, np.nan, 0.03], nan_ok=True)


D = np.array([[0.30, -0.10, 0.55, 0.20, 0.0]])
SD = np.array([[0.15, 0.20, 0.25, 0.10, 0.30]])


def test_meta_analysis_worked_example() -> None:
    fixed, z = combined(D, SD, "fixed"), combined(np.vstack((D, -D)), SD, "stouffer")
    assert (fixed.value, fixed.error) == (pytest.approx(0.2016393, abs=5e-8), pytest.approx(0.0713276, abs=5e-8))
    q, _, _, tau2 = heterogeneity(D, SD)
    assert (q, tau2) == (pytest.approx(5.09836, abs=5e-6), pytest.approx(0.0084153, abs=5e-8))
    assert combined(D, SD, "random").value == pytest.approx(0.1995555, abs=5e-8)
    assert z.value == pytest.approx([2.5491175, -2.5491175], abs=5e-8)
    assert z.p() == pytest.approx([2 * 0.0053998] * 2, abs=1e-7)


def coarse(seed: int, topics: int = 10) -> np.ndarray:
    """Differences of one-digit scores, with zeros, and ties that rounding hides."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 10, (8, topics)) / 10 - rng.integers(0, 9, (8, topics)) / 10


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(3))
def test_wilcoxon_against_enumeration(seed: int) -> None:
    d = coarse(seed)
    for row, p in zip(d, p_by_signs(signed_ranks(d), keys(10), 1024, 1), strict=True):
        ranks = naive_inference.signed_ranks(row.tolist())
        assert signed_ranks(row[np.newaxis])[0].tolist() == ranks
        assert p == pytest.approx(naive_inference.two_sided_by_signs(ranks), abs=1e-12)


def test_wilcoxon_against_scipy() -> None:
    """Without ties its exact table."""
    d = np.random.default_rng(4).normal(0.3, 1, (6, 10))
    found = p_by_signs(signed_ranks(d), keys(10), 1024, 1)
    assert found == pytest.approx(stats.wilcoxon(d, axis=1, method="exact").pvalue, abs=1e-12)


def test_sign_test_against_scipy() -> None:
    for seed in range(3):
        d = coarse(seed, 15)
        for row, p in zip(np.round(d, 12), sign_test(d), strict=True):
            above, below = int((row > 0).sum()), int((row < 0).sum())
            assert p == pytest.approx(stats.binomtest(above, above + below).pvalue, abs=1e-12)


def test_the_worked_example() -> None:
    f, df1, df2, p = (column[0] for column in interaction(np.array([FIRST + SECOND]), np.repeat([0, 1], 5)))
    assert f == pytest.approx(41.490, abs=5e-4)
    assert df1 == 1
    assert df2 == pytest.approx(7.075, abs=5e-4)
    assert f_distribution.sf(f, df1, df2) == pytest.approx(0.00034, abs=5e-6)
    assert p == pytest.approx(2 / 252)


@pytest.mark.parametrize("sizes", [(5, 7), (5, 5, 9), (5, 30, 8, 6)])
def test_f_is_that_of_statsmodels(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(sizes))
    place = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    differences = rng.normal(0.1 * place, 0.1 + 0.2 * (place == 0), (4, len(place)))
    by_pair, df1, df2, _ = interaction(differences, place, resamples=64)
    for row, f, p_by in zip(differences, by_pair, f_distribution.sf(by_pair, df1, df2), strict=True):
        expected = anova_oneway([row[place == group] for group in range(len(sizes))], use_var="unequal")
        assert f == pytest.approx(expected.statistic, rel=1e-9)
        assert p_by == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("values", [
    [.1, .2, .3, .15, .4, .1, .05, .3], [0, 0, 0, 0, .5, 0, .5, 0], [.2] * 8, [1, 1, 1, 1, 0, 0, 0, 0], [0] * 8,
])  # fmt: skip
@pytest.mark.parametrize("place", [[0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 1, 1, 0, 1], [2, 2, 0, 1, 0, 1, 2, 0]])
def test_exact_p_is_that_of_every_arrangement(values: list[float], place: list[int]) -> None:
    *_, p = interaction(np.array([values], float), np.array(place))
    assert p[0] == pytest.approx(exact_p(values, place), abs=1e-12)


def test_drawn_arrangements_come_near_all_of_them() -> None:
    """Within four Monte-Carlo errors, and the same for a pair whoever is beside it, by however many threads."""
    rng = np.random.default_rng(3)
    place = np.repeat([0, 1], (5, 6))
    differences = rng.normal(0.12 * place, 0.1, (6, 11))
    *_, every = interaction(differences, place, resamples=462)
    assert is_exact(np.array([5, 6]), 462)
    *_, drawn = interaction(differences, place, resamples=461, threads=2)
    assert (np.abs(drawn - every) < 4 * np.sqrt(every * (1 - every) / 461) + 1 / 462).all()
    assert interaction(differences[2:3], place, resamples=461)[-1] == drawn[2:3]


def test_a_slice_of_zeros_does_not_prove_that_gains_differ() -> None:
    """Five zeros beside 45 gains: their own variance, 0, made F as large as there are digits, and p 2 in 10,001."""
    others = np.random.default_rng(1).normal(0.02, 0.1, 45)
    place = np.repeat([0, 1], (5, 45))
    *_, p = interaction(np.array([[0.0] * 5 + others.tolist()]), place)
    assert p[0] > 0.5
    assert interaction(np.array([[0.0] * 5 + (others + 0.15).tolist()]), place)[-1][0] < 0.05

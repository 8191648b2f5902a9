"""Wilcoxon's and the sign test against all assignments of signs and scipy, and what they find where means are equal."""

import naive_inference
import numpy as np
import pytest
from helpers import keys
from scipy import stats

from irci.stats.signs import sign_test, signed_ranks, topic_signs, wilcoxon


def coarse(seed: int, topics: int = 10) -> np.ndarray:
    """Differences of one-digit scores, with zeros, and ties that rounding hides."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 10, (8, topics)) / 10 - rng.integers(0, 9, (8, topics)) / 10


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(3))
def test_wilcoxon_against_enumeration(seed: int) -> None:
    d = coarse(seed)
    found = wilcoxon(d, topic_signs(keys(10), 1024, 1))
    for row, total, p in zip(d, found.total, found.p, strict=True):
        ranks = naive_inference.signed_ranks(row.tolist())
        assert signed_ranks(row).tolist() == ranks
        assert total == sum(ranks)
        assert p == pytest.approx(naive_inference.two_sided_by_signs(ranks), abs=1e-12)


def test_wilcoxon_against_scipy() -> None:
    """Without ties its exact table; with ties its normal form, which is ours."""
    d = np.random.default_rng(4).normal(0.3, 1, (6, 10))
    found = wilcoxon(d, topic_signs(keys(10), 1024, 1))
    assert found.p == pytest.approx(stats.wilcoxon(d, axis=1, method="exact").pvalue, abs=1e-12)
    d = (coarse(5, 40) * 10).round()  # whole numbers: ties are exact for scipy too
    theirs = stats.wilcoxon(d, axis=1, zero_method="wilcox", correction=False, method="asymptotic")
    found = wilcoxon(d, topic_signs(keys(40), 100, 1))
    assert np.abs(found.z) == pytest.approx(np.abs(theirs.zstatistic), rel=1e-10)


def test_wilcoxon_by_resampling_against_enumeration() -> None:
    d = coarse(6, 12)
    every, drawn = (wilcoxon(d, topic_signs(keys(12), resamples, 1)).p for resamples in (4096, 4000))
    assert (np.abs(every - drawn) < 4.5 * np.sqrt(np.maximum(every * (1 - every), 1e-3) / 4000) + 1 / 4000).all()


def test_sign_test_against_scipy() -> None:
    for seed in range(3):
        d = coarse(seed, 15)
        found = sign_test(d)
        exact = np.round(d, 12)
        for row, above, below, p in zip(exact, *found, strict=True):
            assert (above, below) == ((row > 0).sum(), (row < 0).sum())
            assert p == pytest.approx(stats.binomtest(int(above), int(above + below)).pvalue, abs=1e-12)


def test_rank_tests_without_differences() -> None:
    d = np.zeros((1, 10))
    found = wilcoxon(d, topic_signs(keys(10), 100, 1))
    assert (found.total[0], found.p[0]) == (0, 1)
    assert np.isnan(found.z[0])
    assert sign_test(d) == (0, 0, 1)
    none = np.empty((0, 10))
    assert len(wilcoxon(none, topic_signs(keys(10), 100, 1)).p) == len(sign_test(none).p) == 0


@pytest.mark.slow
def test_rank_tests_do_not_test_means() -> None:
    """Differences from an exponential distribution, whose mean is 0 and whose median is not: more topics make it worse.

    Rates at 50 topics as an independent simulation found them (Wilcoxon 22.3%, sign 40.5%, +-1 point).
    """
    rng = np.random.default_rng(7)
    experiments = 4000
    d = rng.exponential(1, (experiments, 50)) - 1
    found = wilcoxon(d, topic_signs(keys(50), 1000, 1)).p
    rates = (found <= 0.05).mean(), (sign_test(d).p <= 0.05).mean()
    assert rates == pytest.approx((0.223, 0.405), abs=0.01 + 4 * np.sqrt(0.25 / experiments))

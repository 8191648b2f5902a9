"""Wilcoxon's and the sign test against all assignments of signs and scipy, and what they find where means are equal."""

import naive_inference
import numpy as np
import pytest
from helpers import keys
from scipy import stats

from irci.stats.signs import sign_test, signed_ranks, topic_signs, wilcoxon_p


def coarse(seed: int, topics: int = 10) -> np.ndarray:
    """Differences of one-digit scores, with zeros, and ties that rounding hides."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 10, (8, topics)) / 10 - rng.integers(0, 9, (8, topics)) / 10


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(3))
def test_wilcoxon_against_enumeration(seed: int) -> None:
    d = coarse(seed)
    for row, p in zip(d, wilcoxon_p(d, topic_signs(keys(10), 1024, 1)), strict=True):
        ranks = naive_inference.signed_ranks(row.tolist())
        assert signed_ranks(row).tolist() == ranks
        assert p == pytest.approx(naive_inference.two_sided_by_signs(ranks), abs=1e-12)


def test_wilcoxon_against_scipy() -> None:
    """Without ties its exact table."""
    d = np.random.default_rng(4).normal(0.3, 1, (6, 10))
    found = wilcoxon_p(d, topic_signs(keys(10), 1024, 1))
    assert found == pytest.approx(stats.wilcoxon(d, axis=1, method="exact").pvalue, abs=1e-12)


def test_sign_test_against_scipy() -> None:
    for seed in range(3):
        d = coarse(seed, 15)
        found = sign_test(d)
        exact = np.round(d, 12)
        for row, above, below, p in zip(exact, *found, strict=True):
            assert (above, below) == ((row > 0).sum(), (row < 0).sum())
            assert p == pytest.approx(stats.binomtest(int(above), int(above + below)).pvalue, abs=1e-12)


def test_rank_tests_without_differences() -> None:
    d, none = np.zeros((1, 10)), np.empty((0, 10))
    assert wilcoxon_p(d, topic_signs(keys(10), 100, 1)).tolist() == [1]
    assert sign_test(d) == (0, 0, 1)
    assert len(wilcoxon_p(none, topic_signs(keys(10), 100, 1))) == len(sign_test(none).p) == 0

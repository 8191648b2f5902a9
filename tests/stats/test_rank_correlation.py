"""Kendall's tau_b against scipy, to the last bit: it is printed."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from irci.stats.signs import tau_b


@pytest.mark.parametrize("runs", [1, 2, 3, 10, 41, 150])
def test_tau_b_against_scipy(runs: int) -> None:
    rng = np.random.default_rng(runs)
    for grades in (2, 5, 1000):  # many ties, some, hardly any
        for _ in range(20):
            first, second = rng.integers(0, grades, (2, runs)) / 7
            theirs = float(kendalltau(first, second).statistic) if runs > 1 else np.nan
            np.testing.assert_equal(tau_b(first, second), theirs)
    values = rng.uniform(size=runs)
    assert runs == 1 or (tau_b(values, values), tau_b(values, -values)) == pytest.approx((1, -1))

"""Intervals against scipy and plain arithmetic on fixed replicates."""

import numpy as np
import pytest
from scipy import special, stats

from irci.intervals import linear_interval, logit_interval, normal_interval, normal_quantile, percentile_interval

REPLICATES = np.random.default_rng(5).beta(2, 5, (3, 401))
ESTIMATES = np.array([0.25, 0.3, 0.35])


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.999])
def test_normal_quantile_against_scipy(confidence: float) -> None:
    assert normal_quantile(confidence) == pytest.approx(stats.norm.ppf(1 - (1 - confidence) / 2), rel=1e-12)


def test_normal_interval_is_the_papers() -> None:
    lower, upper = normal_interval(0.3, 0.1, 0.95)
    assert (float(lower), float(upper)) == pytest.approx((0.3 - 0.1959964, 0.3 + 0.1959964), abs=1e-7)


def test_linear_interval_by_hand() -> None:
    lower, upper = linear_interval(np.array([0.5]), np.array([[0.2, 0.4, 0.9]]), 0.95)
    sd = np.sqrt(((0.2 - 0.5) ** 2 + (0.4 - 0.5) ** 2 + (0.9 - 0.5) ** 2) / 2)
    assert lower[0] == pytest.approx(0.5 - 1.959963985 * sd, abs=1e-9)
    assert upper[0] == pytest.approx(0.5 + 1.959963985 * sd, abs=1e-9)
    assert lower[0] < 0  # not clipped


def test_logit_interval_against_scipy() -> None:
    lower, upper = logit_interval(ESTIMATES, REPLICATES, 0.9)
    for i, estimate in enumerate(ESTIMATES):
        sd = np.std(special.logit(REPLICATES[i]), ddof=1)
        expected = special.expit(stats.norm.interval(0.9, special.logit(estimate), sd))
        assert (lower[i], upper[i]) == pytest.approx(tuple(expected), rel=1e-12)


def test_logit_of_certain_scores() -> None:
    """0 and 1 stand at epsilon and 1 - epsilon."""
    replicates = np.array([[0.0, 1.0] * 50, [0.0] * 100])
    lower, upper = logit_interval(np.array([0.5, 0.0]), replicates, 0.95)
    sd = np.std([special.logit(1e-5), special.logit(1 - 1e-5)] * 50, ddof=1)
    assert upper[0] == pytest.approx(special.expit(1.959963985 * sd), rel=1e-9)
    assert lower[0] == pytest.approx(1 - upper[0], abs=1e-12)
    assert (lower[1], upper[1]) == pytest.approx((1e-5, 1e-5), rel=1e-9)


def test_percentile_interval_against_scipy() -> None:
    lower, upper = percentile_interval(REPLICATES, 0.95)
    expected = stats.mstats.mquantiles(REPLICATES, [0.025, 0.975], alphap=1, betap=1, axis=1)
    assert np.allclose(np.stack((lower, upper), axis=1), expected, rtol=0, atol=1e-14)

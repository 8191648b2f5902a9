"""Intervals against scipy and plain arithmetic on fixed replicates."""

import numpy as np
import pytest
from scipy import special, stats

from irci.stats.intervals import (
    bca_interval,
    delta_logit_interval,
    logit_interval,
    normal_interval,
    normal_quantile,
    percentile_interval,
)

REPLICATES = np.random.default_rng(5).beta(2, 5, (3, 401))
ESTIMATES = np.array([0.25, 0.3, 0.35])


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.999])
def test_normal_quantile_against_scipy(confidence: float) -> None:
    assert normal_quantile(confidence) == pytest.approx(stats.norm.ppf(1 - (1 - confidence) / 2), rel=1e-12)


def test_normal_interval_is_the_papers() -> None:
    lower, upper = normal_interval(0.3, 0.1, 0.95)
    assert (float(lower), float(upper)) == pytest.approx((0.3 - 0.1959964, 0.3 + 0.1959964), abs=1e-7)


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
    assert (lower[1], upper[1]) == pytest.approx((0, 1e-5), rel=1e-9)  # the estimate lies in its interval


def test_percentile_interval_against_scipy() -> None:
    lower, upper = percentile_interval(REPLICATES, 0.95)
    expected = stats.mstats.mquantiles(REPLICATES, [0.025, 0.975], alphap=1, betap=1, axis=1)
    assert np.allclose(np.stack((lower, upper), axis=1), expected, rtol=0, atol=1e-14)


def test_bca_against_scipy() -> None:
    """Interpolated as there; or by order statistics, of which theirs lies no further than the next one above."""
    for seed in (1, 2, 3):
        data = np.random.default_rng(seed).exponential(size=25)
        theirs = stats.bootstrap((data,), np.mean, n_resamples=2000, method="BCa", rng=seed, confidence_level=0.95)
        replicates, d = theirs.bootstrap_distribution, data.mean() - [np.delete(data, i).mean() for i in range(25)]
        acceleration = (d**3).sum() / (6 * (d**2).sum() ** 1.5)
        of = np.array([data.mean()]), replicates[np.newaxis], np.array([acceleration]), 0.95
        limits, defined = bca_interval(*of)
        assert defined.all()
        assert np.concatenate(limits) == pytest.approx(tuple(theirs.confidence_interval), rel=1e-9)
        for limit, found in zip(theirs.confidence_interval, bca_interval(*of, order_statistic=True)[0], strict=True):
            above = np.searchsorted(np.sort(replicates), limit)
            assert found in np.sort(replicates)[above - 2 : above]


def test_bca_falls_back_to_percentile() -> None:
    replicates = np.array([[0.2, 0.3, 0.4], [0.2, 0.3, 0.4], [0.2, 0.3, 0.4], [0.2, 0.3, 0.4]])
    (lower, upper), defined = bca_interval(
        np.array([0.1, 0.9, 0.35, 0.35]), replicates, np.array([0.0, 0.0, np.nan, 0.0]), 0.9
    )
    percentile = percentile_interval(replicates, 0.9)
    assert defined.tolist() == [False, False, False, True]
    assert np.array_equal(lower[:3], percentile[0][:3])
    assert np.array_equal(upper[:3], percentile[1][:3])


def test_bca_counts_no_replicate_that_differs_by_rounding_as_below() -> None:
    spread = np.random.default_rng(6).random((1, 1000))
    spread[0, :400] = 0.5
    estimate, none = np.array([0.5]), np.zeros(1)
    (strict, _), _ = bca_interval(estimate, spread, none, 0.95)
    (rounded, _), _ = bca_interval(estimate, spread - 1e-16, none, 0.95)
    assert rounded == pytest.approx(strict, abs=1e-12)


def test_delta_logit_by_hand() -> None:
    lower, upper = delta_logit_interval(np.array([0.2, 0.0, 1.0]), np.array([0.05, 0.0, 0.0]), 0.95)
    margin = 1.959963985 * 0.05 / (0.2 * 0.8)
    assert lower.tolist() == pytest.approx([special.expit(special.logit(0.2) - margin), 0, 1], abs=1e-9)
    assert upper.tolist() == pytest.approx([special.expit(special.logit(0.2) + margin), 0, 1], abs=1e-9)

"""Intervals against scipy; the small-R correction against every case, published values and the paper's example."""

import naive
import numpy as np
import pytest
from scipy import special, stats

from irci.stats import intervals
from irci.stats.intervals import bca_interval, bullet_share, logit_interval, percentile_interval

REPLICATES = np.random.default_rng(5).beta(2, 5, (3, 401))
ESTIMATES = np.array([0.25, 0.3, 0.35])


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.999])
def test_normal_quantile_against_scipy(confidence: float) -> None:
    assert intervals.normal_quantile(confidence) == pytest.approx(stats.norm.ppf(1 - (1 - confidence) / 2), rel=1e-12)


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
    lower, upper = intervals.delta_logit_interval(np.array([0.2, 0.0, 1.0]), np.array([0.05, 0.0, 0.0]), 0.95)
    margin = 1.959963985 * 0.05 / (0.2 * 0.8)
    assert lower.tolist() == pytest.approx([special.expit(special.logit(0.2) - margin), 0, 1], abs=1e-9)
    assert upper.tolist() == pytest.approx([special.expit(special.logit(0.2) + margin), 0, 1], abs=1e-9)


ALPHA = 0.05


def u0(num_relevant: int, depth: int, alpha: float = ALPHA) -> float:
    return float(intervals.silver_bullet_limit(np.array([num_relevant]), np.array([depth]), alpha)[0])


@pytest.mark.parametrize("depth", [1, 2, 3, 6])
@pytest.mark.parametrize("num_relevant", [1, 2, 3, 5, 9])
def test_silver_bullets_against_enumeration(num_relevant: int, depth: int) -> None:
    u = float(bullet_share(np.array([num_relevant]), ALPHA)[0])
    expected = naive.expected_ap_of_bullets(num_relevant, depth, u)
    assert u0(num_relevant, depth) == pytest.approx(expected, abs=1e-12)


def test_silver_bullets_against_published_values() -> None:
    published = {1: 0.0071112, 2: 0.0064105, 3: 0.0055205, 4: 0.0047740, 5: 0.0041812, 10: 0.0025369, 50: 0.0006000}
    for num_relevant, limit in published.items():
        assert u0(num_relevant, 1000) == pytest.approx(limit, abs=5.1e-8)
    assert u0(5, 0) == u0(5, 1000)  # an empty list has a nominal depth


def test_lead_balloons_against_published_values() -> None:
    published = {1: 0.05, 2: 0.2236, 3: 0.3684, 4: 0.4729, 5: 0.5493, 10: 0.7411, 50: 0.9418}
    limits = 1 - bullet_share(np.array(list(published)), ALPHA)
    assert limits == pytest.approx(list(published.values()), abs=5.1e-5)


def test_lead_balloons_against_enumeration() -> None:
    """E(AP) when each of 4 documents on top is lost with probability u: the rest stay on top with precision 1."""
    u = float(bullet_share(np.array([4]), ALPHA)[0])
    expected = sum(
        u ** (4 - sum(kept)) * (1 - u) ** sum(kept) * naive.average_precision([1] * sum(kept), 4)
        for kept in np.ndindex(2, 2, 2, 2)
    )
    assert 1 - u == pytest.approx(expected, abs=1e-15)


#         AP    lower  upper  R  which
CASES = [
    (0.000, 0.000, 0.000, 4, "[0, U0]"),  # nothing found
    (1.000, 1.000, 1.000, 4, "[L1, 1]"),  # all on top
    (0.004, 0.003, 0.006, 4, "[0, U0]"),  # near 0, and U0 = .0048 is wider
    (0.004, 0.001, 0.009, 4, "same"),  # near 0, but wide enough
    (0.005, 0.005, 0.005, 4, "same"),  # above U0
    (0.800, 0.500, 0.900, 4, "[L1, 1]"),  # near 1, and L1 = .4729 is wider
    (0.800, 0.300, 0.900, 4, "same"),  # near 1, but wide enough
    (0.480, 0.480, 0.480, 4, "same"),  # above L1 but below one half
    (0.600, 0.600, 0.600, 10, "same"),  # below L1 = .7411
    (0.000, 0.000, 0.000, 0, "same"),  # no relevant document
]


def test_which_interval() -> None:
    ap, lower, upper, num_relevant, expected = (np.array(column) for column in zip(*CASES, strict=True))
    retrieved = np.full(len(CASES), 1000)
    (low, high), marked = intervals.corrected(ap, (lower, upper), num_relevant, retrieved, 1 - ALPHA)
    u, lead = intervals.silver_bullet_limit(num_relevant, retrieved, ALPHA), 1 - bullet_share(num_relevant, ALPHA)
    for i, which in enumerate(expected.tolist()):
        limits = {"[0, U0]": (0.0, u[i]), "[L1, 1]": (lead[i], 1.0), "same": (lower[i], upper[i])}[which]
        assert (low[i], high[i]) == pytest.approx(limits, abs=1e-12)
        assert marked[i] == (limits != (lower[i], upper[i]))

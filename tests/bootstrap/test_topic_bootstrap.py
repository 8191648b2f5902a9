"""Resampled topics: as often as they should be, and their means."""

import numpy as np
import pytest
from scipy import stats

from irci.estimators.joint_resamples import resampled_means, topic_counts

SCORES = np.random.default_rng(1).beta(1, 3, 50)


def test_topics_are_drawn_evenly() -> None:
    resamples = 20_000
    counts = topic_counts(50, resamples, 1)
    assert (counts.sum(axis=0) == 50).all()
    totals = counts.sum(axis=1)
    statistic = ((totals - resamples) ** 2).sum() / resamples
    assert stats.chi2.sf(statistic, 49) > 1e-4
    # A topic's count is binomial(50, 1/50).
    observed = np.bincount(counts.ravel(), minlength=51)[:5] / counts.size
    assert observed == pytest.approx(stats.binom.pmf(np.arange(5), 50, 1 / 50), abs=4 * np.sqrt(0.25 / counts.size))


def test_means_against_theory() -> None:
    """sd of the mean of resampled topics: sqrt((T - 1)/T) s / sqrt(T)."""
    resamples = 20_000
    means = resampled_means(SCORES[np.newaxis], topic_counts(50, resamples, 1))
    sd = SCORES.std() / np.sqrt(50)
    assert abs(means.mean() - SCORES.mean()) < 4 * sd / np.sqrt(resamples)
    assert means.std() == pytest.approx(sd, rel=4 / np.sqrt(2 * resamples))


@pytest.mark.parametrize("resamples", [1, 511, 512, 513, 1500])
def test_means_against_numpy(resamples: int) -> None:
    values = np.random.default_rng(2).random((3, 50))
    counts = topic_counts(50, resamples, 1)
    assert resampled_means(values.T.copy().T, counts) == pytest.approx(values @ counts / 50, abs=1e-14)


def test_prefix_and_runs_share_topics() -> None:
    long = topic_counts(50, 1000, 1)
    assert np.array_equal(topic_counts(50, 300, 1), long[:, :300])
    assert not np.array_equal(topic_counts(50, 1000, 2), long)
    both = resampled_means(np.array([SCORES, SCORES / 2]), long)
    assert both[1] == pytest.approx(both[0] / 2, abs=1e-15)
    assert np.array_equal(both[:1], resampled_means(SCORES[np.newaxis], long))

"""BCa's acceleration against deleting documents one by one; the infinitesimal jackknife against numerical derivatives and
the bootstrap."""

import naive
import numpy as np
import pytest
from helpers import ap_scores, lists_of, random_ranking

from irci.kernels.corpus_bootstrap import ap_acceleration, ap_delta_sd

SMALL = [([1], 1), ([0, 1], 1), ([1, 0, 1], 2), ([0, 1, 1, 0, 0], 4), ([1, 1], 2), ([1], 3), ([0, 0], 2)]
RANKINGS = [*SMALL, ([0, 0, 1], 1)] + [(random_ranking(np.random.default_rng(n), 60, 0.2), 25) for n in range(10)]


def test_acceleration_against_naive() -> None:
    lists = lists_of(*RANKINGS)
    fast = ap_acceleration(lists, ap_scores(lists))
    for acceleration, (relevance, num_relevant) in zip(fast, RANKINGS, strict=True):
        ap = naive.average_precision(relevance, num_relevant)
        d = np.array([ap - left_out for left_out in naive.ap_without_each(relevance, num_relevant)])
        if np.abs(d).max(initial=0) < 1e-15:
            assert np.isnan(acceleration)
        else:
            assert acceleration == pytest.approx((d**3).sum() / (6 * (d**2).sum() ** 1.5), rel=1e-9)


def test_delta_sd_against_numerical_derivatives() -> None:
    lists = lists_of(*RANKINGS)
    fast = ap_delta_sd(lists, ap_scores(lists))
    step = 1e-6
    for sd, (relevance, num_relevant) in zip(fast, RANKINGS, strict=True):
        missing = num_relevant - sum(relevance)
        variance = 0.0
        for i in range(len(relevance)):
            up, down = (
                naive.weighted_ap(relevance, [1 + sign * step * (j == i) for j in range(len(relevance))], missing)
                for sign in (1, -1)
            )
            variance += ((up - down) / (2 * step)) ** 2
        ones = [1.0] * len(relevance)
        rise = naive.weighted_ap(relevance, ones, missing + step) - naive.weighted_ap(relevance, ones, missing - step)
        variance += missing * (rise / (2 * step)) ** 2
        assert sd == pytest.approx(np.sqrt(variance), abs=1e-7)

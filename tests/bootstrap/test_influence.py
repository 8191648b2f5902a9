"""BCa's acceleration against deleting documents one by one; the infinitesimal jackknife against numerical derivatives and
the bootstrap."""

from pathlib import Path

import naive
import numpy as np
import pytest
from helpers import ap_scores, lists_of, random_ranking, resampled_scores

from irci.base.streams import topic_keys
from irci.data import trec_files as trec
from irci.data.collection import Collection, Relevance, judge, relevant_ranks
from irci.estimators.documents import StepTables
from irci.kernels.influence import ap_acceleration, ap_delta_sd

SMALL = [
    ([1], 1),
    ([0, 1], 1),
    ([1, 0, 1], 2),
    ([0, 1, 1, 0, 0], 4),
    ([1, 1], 2),
    ([1], 3),
    ([0, 0], 2),
    ([0, 0, 1], 1),
]
RANKINGS = SMALL + [(random_ranking(np.random.default_rng(n), 60, 0.2), 25) for n in range(10)]


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


@pytest.mark.check
def test_delta_sd_against_bootstrap(trec8: Path) -> None:
    """Within 5% wherever R > 100 and more than 20 relevant documents are retrieved; B = 20,000 leaves an error of .5%."""
    collection = Collection.of(trec.read_qrels(str(trec8 / "qrels.trec8.adhoc.gz")))
    keys = topic_keys(collection.qrels.topics)
    tables = StepTables()
    compared = 0
    for name in ("1", "CL99SD", "READWARE", "UB99SW", "orcl99man", "weaver1"):
        judged = judge(collection, trec.read_run(str(trec8 / "runs" / f"input.{name}.gz")))
        lists = relevant_ranks(judged, Relevance.of(collection.qrels, "relevance"))
        sd = resampled_scores(lists, keys, resamples=20_000, seed=1, tables=tables, threads=2).std(axis=1, ddof=1)
        delta = ap_delta_sd(lists, ap_scores(lists))
        large = (lists.num_relevant > 100) & (np.diff(lists.offsets) > 20)
        assert delta[large] == pytest.approx(sd[large], rel=0.05), name
        compared += int(large.sum())
    assert compared > 60

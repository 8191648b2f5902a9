"""ap-ci as a function: its values against the naive score, its intervals against plain formulas on the same replicates."""

import naive
import numpy as np
import pytest
from conftest import TESTDATA, lists_of, random_ranking
from scipy import stats

from irci import trec
from irci.collection import Collection, judge, relevant_ranks
from irci.corpus_bootstrap import resampled_ap
from irci.intervals import logit_interval, percentile_interval
from irci.measures import average_precision, mean_over_topics
from irci.methods import ap_ci as module
from irci.methods.ap_ci import ap_ci
from irci.resampling import topic_keys

RANKINGS = [(random_ranking(np.random.default_rng(n), 100, 0.15), 30 + n) for n in range(12)]
LISTS = lists_of(*RANKINGS)
KEYS = topic_keys([b"%d" % n for n in range(12)])


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("name", ["alpha.run", "charlie.run.gz", "delta.run.gz"])
def test_average_precision_against_naive(name: str, level: int) -> None:
    """To the last bit: the sums run in the same order."""
    judgments = naive.read_qrels(str(TESTDATA / "qrels.txt"))
    rankings = naive.read_run(str(TESTDATA / "runs" / name))
    collection = Collection.of(trec.read_qrels(str(TESTDATA / "qrels.txt")))
    judged = judge(collection, trec.read_run(str(TESTDATA / "runs" / name)))
    expected = []
    for topic in sorted(judgments):
        relevant = {docno for docno, grade in judgments[topic].items() if grade >= level}
        ranking = [int(docno in relevant) for docno in rankings.get(topic, [])]
        expected.append(naive.average_precision(ranking, len(relevant)))
    assert average_precision(relevant_ranks(collection, judged, level)).tolist() == expected


def test_mean_is_summed_in_topic_order() -> None:
    scores = np.random.default_rng(1).random(1000) * 10.0 ** np.random.default_rng(2).integers(-8, 8, 1000)
    total = 0.0
    for score in scores.tolist():
        total += score
    assert float(mean_over_topics(scores)) == total / 1000
    assert float(scores.mean()) != total / 1000  # numpy's own mean would not do


def test_intervals_are_those_of_the_replicates() -> None:
    replicates = resampled_ap(LISTS, KEYS, resamples=500, seed=9)
    value = average_precision(LISTS)
    z = stats.norm.ppf(0.95)
    expected = {
        "linear": (value - z * replicates.std(axis=1, ddof=1), value + z * replicates.std(axis=1, ddof=1)),
        "logit": logit_interval(value, replicates, 0.9),
        "percentile": percentile_interval(replicates, 0.9),
    }
    mean_sd = replicates.mean(axis=0).std(ddof=1)
    for kind, (lower, upper) in expected.items():
        result = ap_ci(LISTS, KEYS, interval=kind, resamples=500, confidence=0.9, seed=9)
        assert result.value == pytest.approx(value, abs=0)
        assert result.lower == pytest.approx(lower, abs=1e-12)
        assert result.upper == pytest.approx(upper, abs=1e-12)
        assert result.mean == pytest.approx(value.mean(), abs=1e-15)
        limits = (result.mean_lower, result.mean_upper)
        assert limits == pytest.approx((value.mean() - z * mean_sd, value.mean() + z * mean_sd), abs=1e-12)


def test_topics_are_resampled_independently() -> None:
    """sd(MAP*)^2 is (1/T^2) sum s_t^2 in the limit: equal within four standard errors of the estimate."""
    resamples = 20_000
    result = ap_ci(LISTS, KEYS, interval="linear", resamples=resamples)
    z = stats.norm.ppf(0.975)
    variances = ((result.upper - result.lower) / (2 * z)) ** 2
    sd_of_mean = (result.mean_upper - result.mean_lower) / (2 * z)
    assert sd_of_mean**2 == pytest.approx(variances.sum() / 12**2, rel=4 * np.sqrt(2 / resamples) * np.sqrt(2))


def test_blocks_of_topics_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ap_ci(LISTS, KEYS, resamples=300)
    monkeypatch.setattr(module, "TOPICS_AT_ONCE", 5)
    pieces = ap_ci(LISTS, KEYS, resamples=300)
    assert np.array_equal(whole.lower, pieces.lower)
    assert (whole.mean_lower, whole.mean_upper) == (pieces.mean_lower, pieces.mean_upper)


def test_topics_that_leave_no_doubt() -> None:
    """No relevant document: no interval. None or all retrieved at the top: nothing varies."""
    result = ap_ci(lists_of(([0, 0], 0), ([0, 0], 3), ([1, 1], 2)), KEYS[:3], interval="linear", resamples=100)
    assert result.value.tolist() == [0, 0, 1]
    assert np.array_equal(result.lower, [np.nan, 0, 1], equal_nan=True)
    assert np.array_equal(result.upper, [np.nan, 0, 1], equal_nan=True)
    assert (result.mean_lower, result.mean_upper) == pytest.approx((1 / 3, 1 / 3), abs=1e-15)


def test_printed_limits_stay_in_range() -> None:
    result = ap_ci(lists_of(([1, 0, 0, 0, 1], 2)), KEYS[:1], interval="linear", resamples=1000)
    assert result.upper[0] > 1
    assert [row["upper"] for row in result.rows("x", ["1"], per_topic=True, summary=False)] == [1]

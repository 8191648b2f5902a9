"""ap-ci as a function: its values against the naive score, its intervals against plain formulas on the same replicates."""

import functools
import operator

import numpy as np
import pytest
from helpers import ap_scores, lists_of, random_ranking, resampled_scores
from numpy.typing import NDArray
from scipy import special, stats

from irci.base.streams import topic_keys
from irci.data.collection import Relevance
from irci.estimators import ap_ci as module
from irci.estimators.ap_ci import ApIntervals, IntervalMethod
from irci.measures import parse
from irci.output.tables import Row, as_read
from irci.stats.intervals import logit_interval, percentile_interval
from irci.stats.scales import added_up, mean_over_topics
from irci.studies.ap_ci import tables_of_runs


def ap_ci(lists: Relevance, keys: NDArray[np.uint64], settings: IntervalMethod, threads: int = 1) -> ApIntervals:
    return module.ap_ci(ap_scores(lists), lists, keys, settings, threads=threads)


def rows(result: ApIntervals, topics: list[str], summary: bool) -> list[Row]:
    """What is printed of one run."""
    tables = tables_of_runs({"x": (topics, [result])}, per_topic=True, summary=summary)
    return [row for table in tables for row in table.rows]


RANKINGS = [(random_ranking(np.random.default_rng(n), 100, 0.15), 30 + n) for n in range(12)]
LISTS = lists_of(*RANKINGS)
KEYS = topic_keys([b"%d" % n for n in range(12)])


def test_mean_is_summed_in_topic_order() -> None:
    scores = np.random.default_rng(1).random(1000) * 10.0 ** np.random.default_rng(2).integers(-8, 8, 1000)
    total = 0.0
    for score in scores.tolist():
        total += score
    assert float(mean_over_topics(scores)) == total / 1000
    assert float(scores.mean()) != total / 1000  # numpy's own mean would not do


@pytest.mark.parametrize("columns", [1, 2, 33])
def test_columns_are_added_up_in_the_order_of_topics(columns: int) -> None:
    scores = np.random.default_rng(1).lognormal(sigma=5, size=(200, columns))
    scores[:, 0] = -0.0
    in_order = [functools.reduce(operator.add, column, 0.0) for column in scores.T.tolist()]
    assert added_up(scores).tobytes() == np.array(in_order).tobytes()


def test_intervals_are_those_of_the_replicates() -> None:
    replicates = resampled_scores(LISTS, KEYS, resamples=500, seed=9)
    value = ap_scores(LISTS)
    z = stats.norm.ppf(0.95)
    expected = {
        "linear": (value - z * replicates.std(axis=1, ddof=1), value + z * replicates.std(axis=1, ddof=1)),
        "logit": logit_interval(value, replicates, 0.9),
        "percentile": percentile_interval(replicates, 0.9),
    }
    mean_sd = replicates.mean(axis=0).std(ddof=1)
    for kind, (lower, upper) in expected.items():
        result = ap_ci(LISTS, KEYS, IntervalMethod(kind, resamples=500, confidence=0.9, seed=9, small_r="none"))
        assert result.value == pytest.approx(value, abs=0)
        assert result.lower == pytest.approx(lower, abs=1e-12)
        assert result.upper == pytest.approx(upper, abs=1e-12)
        assert result.summary == pytest.approx(value.mean(), abs=1e-15)
        limits = (result.summary_lower, result.summary_upper)
        assert limits == pytest.approx((value.mean() - z * mean_sd, value.mean() + z * mean_sd), abs=1e-12)


def test_blocks_of_topics_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ap_ci(LISTS, KEYS, IntervalMethod(resamples=300))
    monkeypatch.setattr("irci.estimators.documents.SCORES_AT_ONCE", 5 * 300)
    for threads in (1, 2, 3):
        pieces = ap_ci(LISTS, KEYS, IntervalMethod(resamples=300), threads=threads)
        assert np.array_equal(whole.lower, pieces.lower)
        assert (whole.summary_lower, whole.summary_upper) == (pieces.summary_lower, pieces.summary_upper)


def test_topics_that_leave_no_doubt() -> None:
    """No relevant document: no interval. None or all retrieved at the top: nothing varies."""
    lists = lists_of(([0, 0], 0), ([0, 0], 3), ([1, 1], 2))
    result = ap_ci(lists, KEYS[:3], IntervalMethod("linear", resamples=100, small_r="none"))
    assert result.value.tolist() == [0, 0, 1]
    assert np.array_equal(result.lower, [np.nan, 0, 1], equal_nan=True)
    assert np.array_equal(result.upper, [np.nan, 0, 1], equal_nan=True)
    assert (result.summary_lower, result.summary_upper) == pytest.approx((1 / 3, 1 / 3), abs=1e-15)


def test_a_mean_of_topics_without_limits_has_none() -> None:
    result = ap_ci(lists_of(([0, 0], 0), ([0], 0)), KEYS[:2], IntervalMethod("linear", resamples=100))
    assert (result.summary, np.isnan([result.summary_lower, result.summary_upper]).all()) == (0, True)
    one = ap_ci(lists_of(([0, 0], 0), ([0, 1], 1)), KEYS[:2], IntervalMethod("linear", resamples=100))
    assert one.summary_lower < one.summary < one.summary_upper


def test_limits_stay_in_range_for_reading() -> None:
    result = ap_ci(lists_of(([1, 0, 0, 0, 1], 2)), KEYS[:1], IntervalMethod("linear", resamples=1000))
    assert result.upper[0] > 1
    (row,) = rows(result, ["1"], summary=False)
    assert row["upper"] == result.upper[0]
    assert as_read(row)["upper"] == 1


def test_small_r_correction_is_marked() -> None:
    lists = lists_of(([0, 0], 0), ([0] * 1000, 4), ([1, 1, 1, 1], 4), RANKINGS[0])
    result = ap_ci(lists, KEYS[:4], IntervalMethod(resamples=200))
    assert result.corrected.tolist() == [False, True, True, False]
    assert (result.lower[1], result.upper[1]) == pytest.approx((0, 0.0047740), abs=5e-8)
    assert (result.lower[2], result.upper[2]) == pytest.approx((0.4729, 1), abs=5e-5)
    printed = rows(result, list("abcd"), summary=True)
    assert [row["corrected"] for row in printed] == [False, True, True, False, False]
    assert not ap_ci(lists, KEYS[:4], IntervalMethod(resamples=200, small_r="none")).corrected.any()


def test_delta_needs_no_replicates() -> None:
    result = ap_ci(LISTS, KEYS, IntervalMethod("parametric", resamples=0, small_r="none"))
    z = stats.norm.ppf(0.975)
    inside = (result.value > 0) & (result.value < 1)
    on_logits = [special.logit(np.where(inside, limit, 0.5)) for limit in (result.upper, result.lower)]
    sd = (on_logits[0] - on_logits[1]) / (2 * z) * result.value * (1 - result.value)
    assert (result.summary_upper - result.summary_lower) / (2 * z) == pytest.approx(
        np.sqrt((sd**2).sum()) / 12, rel=1e-9
    )
    bootstrap = ap_ci(LISTS, KEYS, IntervalMethod("linear", resamples=4000, small_r="none"))
    assert 2 * z * sd == pytest.approx(bootstrap.upper - bootstrap.lower, rel=0.25)


def test_a_mean_of_perfect_topics_is_not_certain() -> None:
    perfect = lists_of(*[([1], 1)] * 4)
    found = ap_ci(perfect, KEYS[:4], IntervalMethod(resamples=100))
    sd = 0.95 / (2 * stats.norm.ppf(0.975))  # of each topic, whose limits are .05 and 1
    assert 1 - found.summary_lower == pytest.approx(stats.norm.ppf(0.975) * sd / 2, abs=1e-12)
    assert ap_ci(perfect, KEYS[:4], IntervalMethod(resamples=100, small_r="none")).summary_lower == 1


@pytest.mark.parametrize("interval", ["linear", "parametric"])
def test_without_corrected_topics_no_digit_of_the_mean_changes(interval: str) -> None:
    found, old = (
        ap_ci(LISTS, KEYS, IntervalMethod(interval, resamples=300, small_r=kind)) for kind in ("wider", "none")
    )
    assert not found.corrected.any()
    assert (found.summary_lower, found.summary_upper) == (old.summary_lower, old.summary_upper)


def test_corrected_topics_of_parametric_intervals_vary_as_their_limits_say() -> None:
    """AP = 1 with three relevant documents: (1 - L) / 2z of it, a third of that in the mean."""
    lists = lists_of(RANKINGS[0], RANKINGS[1], ([1, 1, 1], 3))
    z = stats.norm.ppf(0.975)
    with_it, without = (
        ap_ci(lists, KEYS[:3], IntervalMethod("parametric", small_r=small_r)) for small_r in ("wider", "none")
    )
    error, error_of_others = ((found.summary_upper - found.summary_lower) / (2 * z) for found in (with_it, without))
    lower = 0.05 ** (1 / 3)
    assert error == pytest.approx(np.hypot(error_of_others, (1 - lower) / (2 * z) / 3), rel=1e-12)


def test_bca_says_where_it_falls_back() -> None:
    result = ap_ci(lists_of(([1, 1], 2), ([0, 0], 0), RANKINGS[0]), KEYS[:3], IntervalMethod("bca", resamples=400))
    assert result.fallen_back.tolist() == [True, False, False]


def test_documents_out_of_reach_change_nothing() -> None:
    """A relevant document at rank 100,000 cannot come into the first 5, but R* counts it."""
    near = lists_of(([1, 0, 1, 0, 0, 1], 3))
    far = lists_of(([1, 0, 1, 0, 0, 1] + [0] * 100_000 + [1], 4))
    p_near, p_far = (
        resampled_scores(lists, KEYS[:1], measure=parse("P_5")[0], resamples=500, seed=1) for lists in (near, far)
    )
    assert np.array_equal(p_near, p_far)
    r_near, r_far = (
        resampled_scores(lists, KEYS[:1], measure=parse("Rprec")[0], resamples=4000, seed=1).mean()
        for lists in (near, far)
    )
    assert r_near - r_far > 0.02

"""Limits bounded by the ends of the scale, through the command: worked examples, scores that hardly vary, and what goes by
them: p, clusters, seeds, sentences, refusals."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

import irci
from irci.wording import interval_in_words


def csv_of(
    scores: np.ndarray, measure: str = "map", topics: Sequence[str] = (), runs: Sequence[str] = "abcdefgh"
) -> bytes:
    """A table of scores[runs, T] of runs a, b, ...; nan is left out."""
    names = topics or [f"t{topic}" for topic in range(scores.shape[1])]
    cells = ((runs[run], names[topic], score) for (run, topic), score in np.ndenumerate(scores) if score == score)
    return "\n".join(
        ["run,topic,measure,value", *(f"{run},{name},{measure},{score!s}" for run, name, score in cells)]
    ).encode()


def report(scores: np.ndarray, measure: str = "map", topics: Sequence[str] = (), **options: Any) -> Any:
    return irci.map_ci(scores=csv_of(np.atleast_2d(scores), measure, topics), **options)


def rows(kind: str, *given: Any, **options: Any) -> list[dict[str, Any]]:
    return [row for table in report(*given, **options).tables if table.kind == kind for row in table.rows]


def mean(*given: Any, **options: Any) -> dict[str, Any]:
    return rows("estimate", *given, **options)[0]


def difference(*given: Any, **options: Any) -> dict[str, Any]:
    (row,) = rows("difference", *given, baseline="a", **options)
    return row


def limits(row: dict[str, Any]) -> tuple[float, float]:
    return row["lower"], row["upper"]


@pytest.mark.parametrize("interval", ["t", "prediction"])
def test_nothing_that_varies_has_no_limits(interval: str) -> None:
    for higher in (0.5, 0.4):
        found = report(np.array([[0.4] * 12, [higher] * 12]), interval=interval, baseline="a")
        every = [row for table in found.tables for row in table.rows]
        assert all(math.isnan(row["lower"]) and math.isnan(row["upper"]) and row["interval"] == "-" for row in every)
        assert every[-1]["p"] == (2.0**-11 if higher > 0.4 else 1)
        assert "map: no limits over topics for 3 rows: nothing varies over topics" in found.warnings


def test_limits_of_differences_stay_on_the_scale() -> None:
    """Three topics: t has [-2.02, 2.49]; of percentages, and for all pairs."""
    scores = np.array([[0.05, 0.9, 0.2], [0.95, 0.1, 0.8], [0.5, 0.5, 0.5]])
    by_t = ttest_rel(scores[1], scores[0]).confidence_interval()
    assert by_t.low < -2
    assert by_t.high > 2.4
    assert limits(difference(scores[:2])) == (-1, 1)
    assert limits(difference(scores[:2], interval="t")) == (-1, 1)
    assert limits(difference(100 * scores[:2], "stars", range="0,100")) == (-100, 100)
    for row in rows("difference", scores, all_pairs=True):
        assert row["lower_adjusted"] == -1
        assert row["upper_adjusted"] == 1


def test_few_topics_that_differ_are_told_of() -> None:
    """Of a pair with bounded limits, of several their number; none where 10 or more differ, or limits are bounded."""
    scores = np.random.default_rng(1).uniform(0.2, 0.8, (1, 50)).repeat(3, axis=0)
    scores[1, :3] += 0.1
    scores[2, :12] += 0.1
    bounded = difference(scores[:2], interval="bounded")
    ends = interval_in_words(bounded["lower"], bounded["upper"])
    missed = "limits assume that no rare large difference was missed"
    for some, options, expected in (
        (scores[:2], {"baseline": "a"}, [f"map: 3 of 50 topics differ much: {missed}; bounded limits are {ends}"]),
        (scores[[0, 2]], {"baseline": "a"}, []),
        (scores[:2], {"baseline": "a", "interval": "bounded"}, []),
    ):
        assert [each for each in report(some, **options).warnings if "rare" in each] == expected
    (told,) = [each for each in report(scores, all_pairs=True).warnings if "rare" in each]
    assert told.startswith("map: fewer than 10 topics differ much in 2 of 3 pairs: limits assume")


def test_range() -> None:
    """Limits on another scale are those on [0, 1], stretched; z scores and sums without bound have none but that given."""
    scores = (np.random.default_rng(20).uniform(size=(2, 20)) < 0.7).astype(float)
    names = ("value", "lower", "upper")
    stretched, plain = rows("estimate", 5 * scores - 1, "stars", range="-1,4"), rows("estimate", scores)
    for row, unit in zip(stretched, plain, strict=True):
        assert [row[name] for name in names] == pytest.approx([5 * unit[name] - 1 for name in names])
    given, unit = difference(5 * scores - 1, "stars", range=(-1, 4)), difference(scores)
    assert limits(given) == pytest.approx([5 * limit for limit in limits(unit)])
    assert (given["p"], given["test"]) == (unit["p"], "midp")


@pytest.mark.parametrize(
    ("measure", "score", "kind"),
    [("lmap", 0.4, "-"), ("gm_map", 0.4, "-"), ("utility", 3.0, "-"), ("stars", 3.0, "-"), ("stars", 0.4, "bounded")],
)
def test_scales_that_are_known(measure: str, score: float, kind: str) -> None:
    """Means of logits and logarithms, and sums, have none; a measure that irci does not know, [0, 1] if scores lie there."""
    base = {"lmap": "map", "gm_map": "map"}.get(measure, measure)
    found = report(np.full((2, 12), score), base, measures=[measure], baseline="a")
    every = [row for table in found.tables for row in table.rows if not row["measure"].endswith("logit")]
    assert {row["interval"] for row in every} == {kind}
    assert all(math.isnan(row["lower"]) == (kind == "-") for row in every)


def test_a_count_has_no_mean() -> None:
    with pytest.raises(irci.DataError, match="num_rel: counts are not averaged over topics"):
        rows("estimate", np.full((1, 12), 3.0), "num_rel")


def test_a_score_beyond_the_scale() -> None:
    scores = np.array([[0.5, 0.6, 0.7], [0.5, 0.6, 1.5]])
    with pytest.raises(irci.FormatError, match=r"scores up to 1\.5 for map, whose range is 0 to 1"):
        report(scores)
    with pytest.raises(irci.DataError, match=r"stars of run b on topic t2 is 1\.5, beyond --range 0,1"):
        report(scores, "stars", range="0,1")
    assert mean(scores[1], "stars")["interval"] == "t"
    with pytest.raises(irci.DataError, match=r"--interval bounded needs .*stars \(--range\)"):
        report(scores, "stars", interval="bounded")
    with pytest.raises(irci.UsageError, match=r"--interval bounded needs .*lmap"):
        report(scores[:1], interval="bounded", measures=["lmap"])


@pytest.mark.parametrize("given", ["1,0", "0", "a,b", "0,nan"])
def test_no_range(given: str) -> None:
    with pytest.raises(irci.UsageError, match="is not"):
        report(np.full((1, 3), 0.4), range=given)
    with pytest.raises(irci.UsageError, match="--range is for bounded intervals: leave out --interval t"):
        irci.map_ci({"1": {"a": 1}}, {"1": {"a": 1.0}}, population="topics", range="0,1", interval="t")


@pytest.mark.parametrize("correction", ["holm", "maxt"])
def test_a_large_cluster_of_hits_that_differs_from_small_ones(correction: str) -> None:
    """Better on all 100 topics of one, and worse on 19 topics by themselves: the mean over topics, and that of clusters, which
    bounded limits are of, have other signs. So nothing is told, and limits hold both means."""
    better = np.repeat([1.0, 0.0], (100, 19))
    topics = [f"c{max(0, topic - 99)}-{topic}" for topic in range(119)]
    asked = {"clusters": "(?P<cluster>c.*)-.*", "population": "clusters", "correction": correction}
    row = difference(np.vstack((1 - better, better)), "map", topics, **asked, power=True)
    assert row["value"] == pytest.approx(81 / 119)
    assert (row["p"], row["p_adjusted"]) == (1, 1)
    assert min(row["lower"], row["lower_adjusted"]) <= -18 / 20
    assert max(row["upper"], row["upper_adjusted"]) > 81 / 119
    mean = rows("estimate", np.vstack((1 - better, better)), "map", topics, **asked, baseline="a")[1]
    assert mean["lower"] <= 1 / 20
    assert mean["upper"] > 100 / 119

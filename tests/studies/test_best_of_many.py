"""The best of many runs on the command line: the worked example, edges, refusals, and rows, words and captions that agree."""

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from command_lines import rows
from helpers import QRELS, RUNS, scores_csv
from scipy import stats

import irci
from irci.stats.bounded import bounded_limits

THREE = np.array([
    [0.61, 0.48, 0.75, 0.33, 0.52, 0.67, 0.41, 0.58, 0.70, 0.45, 0.55, 0.62],
    [0.58, 0.50, 0.69, 0.30, 0.55, 0.60, 0.44, 0.49, 0.66, 0.47, 0.51, 0.57],
    [0.40, 0.52, 0.71, 0.35, 0.31, 0.66, 0.38, 0.53, 0.49, 0.39, 0.50, 0.48],
])  # fmt: skip


def csv_of(values: np.ndarray, measure: str = "AP") -> bytes:
    return scores_csv({measure: values})


def found_in(report: Any, kind: str) -> list[dict[str, Any]]:
    return [dict(row) for table in report.tables if table.kind == kind for row in table.rows]


def best_of(values: np.ndarray, **options: Any) -> dict[str, Any]:
    return found_in(irci.map_ci(scores=csv_of(values), best=True, **options), "best")[0]


def test_the_example_of_three_runs() -> None:
    """[.3854, .6347] where t alone has [.4769, .6347]; p_best .0527. As few of the best run's topics lie far from its median,
    the upper limit is a bounded one unless t is asked for."""
    row, auto = best_of(THREE, interval="t"), best_of(THREE)
    found = [row[name] for name in ("value", "lower", "upper", "p_best")]
    assert found == pytest.approx([0.5558, 0.3854, 0.6347, 0.0527], abs=5e-5)
    assert (row["run"], row["of"]) == ("r0", 3)
    assert row["lower"] < row["corrected"] < row["value"]
    assert (auto["lower"], auto["upper"]) == (row["lower"], pytest.approx(0.6667, abs=5e-5))


def test_scores_without_ends_have_no_lower_limit() -> None:
    """Of a measure whose scale is not known: rare low scores may not have been seen."""
    report = irci.map_ci(scores=csv_of(THREE + 1, "x"), best=True)
    (row,) = found_in(report, "best")
    assert math.isnan(row["lower"])
    assert (row["upper"] - 1, row["reason"]) == (pytest.approx(0.6347, abs=5e-5), "unbounded")
    assert "x: no lower limit for the best run: the scale has no known ends (--range)" in report.warnings
    assert any(
        "1.5558, corrected for having been picked" in each and "at most 1.6347" in each for each in report.sentences
    )


def test_rows_of_means_are_those_without_the_best() -> None:
    """In whatever order the runs are; the best run's own row has the limits that allow for its having been picked."""
    report, plain = (irci.map_ci(scores=csv_of(THREE), best=best) for best in (True, False))
    (best,) = found_in(report, "best")
    assert found_in(report, "estimate") == found_in(plain, "estimate")
    (own,) = [row for row in found_in(plain, "estimate") if row["run"] == best["run"]]
    assert (best["lower"] < own["lower"], best["upper"]) == (True, own["upper"])
    backwards = best_of(THREE[::-1])
    assert backwards["run"] == "r2"
    for name in ("value", "lower", "upper", "corrected", "p_best"):
        assert backwards[name] == pytest.approx(best[name], rel=1e-12)


def test_one_run_was_not_picked() -> None:
    """Its own limits."""
    report = irci.map_ci(scores=csv_of(THREE[:1]), best=True, interval="t")
    (row,) = found_in(report, "best")
    t = stats.t.interval(0.95, 11, THREE[0].mean(), stats.sem(THREE[0]))
    assert (row["lower"], row["upper"], row["reason"]) == (pytest.approx(t[0]), pytest.approx(t[1]), "-")
    assert row["corrected"] == pytest.approx(row["value"], rel=1e-15)
    assert math.isnan(row["p_best"])
    assert "r0 is the only run in AP, so nothing was picked: .5558." in report.sentences


def test_ties_and_one_topic() -> None:
    tied = np.vstack((THREE[1], THREE[0], THREE[0]))
    report = irci.map_ci(scores=csv_of(tied), best=True)
    (row,) = found_in(report, "best")
    assert (row["run"], row["p_best"]) == ("r1", 1)
    assert any(each.startswith("AP: equal means of r1 r2: the first is taken for the best") for each in report.warnings)
    one = best_of(THREE[:, :1])
    assert all(math.isnan(one[name]) for name in ("lower", "upper", "corrected", "p_best"))
    said = irci.map_ci(scores=csv_of(THREE[:, :1]), best=True).sentences
    assert "r0 came out best of 3 runs in AP: .6100." in said


def test_the_best_is_picked_on_topics_that_all_have() -> None:
    values = np.column_stack((THREE, [1.0, math.nan, math.nan], [math.nan, 1.0, 1.0]))
    report = irci.map_ci(scores=csv_of(values), best=True, missing="drop")
    assert found_in(report, "best") == [best_of(THREE)]
    assert found_in(report, "estimate") == found_in(irci.map_ci(scores=csv_of(THREE), best=True), "estimate")
    assert any("2 of 14 topics left out, as not all runs have them" in each for each in report.warnings)


def test_the_best_against_a_baseline() -> None:
    """The difference of the best of the others from a baseline named beforehand has limits that allow for it; p is as ever.
    Not of one other run, or where p holds for no family."""
    words = ["-m", "map", "--population", "topics", "-n", "--baseline", "delta", QRELS]
    plain, best = rows("map-ci", *words, *RUNS), rows("map-ci", "--best", *words, *RUNS)
    assert [row for row in best if "p" in row] == plain
    (lead,) = [row for row in best if "of" in row and "baseline" in row]
    top = max(plain, key=lambda row: row["value"])
    assert [lead[name] for name in ("run", "baseline", "value", "upper")] == [
        top[name] for name in ("run", "baseline", "value", "upper")
    ]
    assert (lead["lower"] < top["lower"], lead["of"]) == (True, len(RUNS) - 1)
    two = [RUNS[0], next(run for run in RUNS if "delta" in run)]
    for others, number in (
        (["--correction", "bh", *words, *RUNS], 0),
        ([*words, *two], 0),
        ([*words[:-3], "--baseline", "mean", QRELS, *RUNS], 1),
    ):
        found = rows("map-ci", "--best", *others)
        assert len([row for row in found if "of" in row and "baseline" in row]) == number


def leads(values: np.ndarray, measure: str = "AP", **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The difference of the best run from the first one, allowing for its having been picked, and by itself."""
    report = irci.map_ci(scores=csv_of(values, measure), baseline="r0", best=True, **options)
    (picked,) = [row for row in found_in(report, "best") if "baseline" in row]
    (plain,) = [row for row in found_in(report, "difference") if row["run"] == picked["run"]]
    return picked, plain


def test_a_constant_lead_is_no_surer_for_having_been_picked() -> None:
    """Its bounded limits hold 0 though p of the signs is small: those for two runs hold more, not less."""
    values = np.vstack((THREE[0] - 0.2, THREE[0], THREE[0]))
    picked, plain = leads(values)
    bounded = bounded_limits(np.full((1, 12), 0.2), -1.0, 1.0, 0.05 / 2)[0].item()
    assert plain["p_adjusted"] <= 0.05
    assert picked["lower"] == pytest.approx(bounded, abs=1e-9)
    assert picked["lower"] < plain["lower"] < 0
    assert picked["upper"] == plain["upper"]


KINDS = ("few", "sparse", "copies", "constant", "perfect", "hits", "graded", "shifted", "loud", "top")


def scores_of(kind: str, runs: int, topics: int) -> np.ndarray:
    rng = np.random.default_rng([runs, topics, KINDS.index(kind)])
    level, own = rng.uniform(0.2, 0.6, topics), rng.normal(0.02, 0.1, (runs, topics))
    change = {
        "few": own * (np.arange(topics) < 3), "sparse": 0.3 * (rng.random((runs, topics)) < 0.2), "copies": 1e-9 * own,
        "constant": 0 * own - level + 0.4, "perfect": 0 * own + 1, "hits": own, "graded": own,
        "shifted": np.arange(runs)[:, np.newaxis] * 0.1 + 0 * own,
        "loud": own * np.where(np.arange(runs) == 1, 3, 0.01)[:, np.newaxis] + 0.05 * (np.arange(runs) > 0)[:, np.newaxis],
        "top": np.where(np.arange(runs) > 0, 1, 0)[:, np.newaxis] * (1 - own.clip(0) / 9 - level),
    }[kind]  # fmt: skip
    return np.clip(level + change, 0, 1) if kind != "hits" else (own + 0.05 > 0).astype(float)


@pytest.mark.sample(10)
@pytest.mark.parametrize(("kind", "topics", "runs"), list(itertools.product(KINDS, (1, 2, 3, 5, 9, 30), (1, 2, 6))))
def test_rows_and_words_agree(kind: str, topics: int, runs: int) -> None:
    """Limits hold the mean and the corrected mean, and what the run's own limits hold; words say what p_best does; against a
    baseline the best run's limits hold what those by itself hold, and 0 but where those leave it out and p_adjusted is
    significant."""
    values = scores_of(kind, runs, topics)
    options: dict[str, Any] = {} if runs == 1 else {"baseline": "r0"}
    report, plain = (irci.map_ci(scores=csv_of(values), best=best, **options) for best in (True, False))
    row = found_in(report, "best")[0]
    own = next(each for each in found_in(plain, "estimate") if each["run"] == row["run"])
    value, lower, upper = (float(row[name]) for name in ("value", "lower", "upper"))
    if topics == 1 and runs > 1:
        assert math.isnan(lower)
        assert math.isnan(upper)
    else:
        assert lower <= value <= upper
        assert lower >= 0 or runs == 1
        assert lower <= row["corrected"] <= value
        assert lower <= max(own["lower"], 0)
        assert upper == own["upper"]
    assert value == pytest.approx(max(each["value"] for each in found_in(plain, "estimate")), abs=1e-12)
    (said,) = [each for each in report.sentences if " came out best of " in each or "the only run" in each]
    words = "it scores significantly higher than each other run|(it is not shown to be better than each other run)"
    shown = re.search(rf"; (?:{words}) \(p [=<>] \S+\)\.$", said)
    p = row["p_best"]
    assert (shown is None) == math.isnan(p)
    if shown is not None:
        assert (shown[1] is None) == (p <= 0.05)
    assert repr(found_in(report, "difference")) == repr(found_in(plain, "difference"))  # as nan is not nan
    for each in [each for each in found_in(report, "best") if "baseline" in each]:
        (alone,) = [row for row in found_in(plain, "difference") if row["run"] == each["run"]]
        p, low, high = alone["p_adjusted"], each["lower"], each["upper"]
        if not math.isnan(low):
            assert low <= min(alone["lower"], each["value"])
            assert high >= max(alone["upper"], each["value"])
            left_out = p <= 0.05 and not alone["lower"] <= 0 <= alone["upper"]
            assert (not low <= 0 <= high) == left_out or (left_out and low == 0)
    wide = report.to_text("markdown", layout="wide")
    assert ("highest run in AP scores" in wide, "in AP is not shown" in wide) == (
        (False, False) if math.isnan(row["p_best"]) else (row["p_best"] <= 0.05, row["p_best"] > 0.05)
    )


def test_words_say_if_another_run_may_be_better() -> None:
    for kind, words in (
        ("shifted", "it scores significantly higher than each other run"),
        ("copies", "it is not shown to be better than each other run"),
    ):
        assert words in "".join(irci.map_ci(scores=csv_of(scores_of(kind, 3, 30)), best=True).sentences)


def test_logits_are_transformed_back() -> None:
    """Upper limits; logits have no scale with ends, and so no lower limit."""
    rows_of = {
        row["measure"]: row
        for row in rows("map-ci", *["--best", "-m", "lmap", "-m", "map", "--table", "best"], QRELS, *RUNS)
    }
    of_logits, plain = rows_of["lmap"], rows_of["map"]
    assert 0 < of_logits["corrected"] <= of_logits["value"] < of_logits["upper"] < 1
    assert (of_logits["lower"], of_logits["reason"], plain["reason"]) == (None, "unbounded", "-")

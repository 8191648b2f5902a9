"""The best of many runs on the command line: the worked example, edges, refusals, and rows, words and captions that agree."""

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from command_lines import printed, rows
from helpers import ROOT, SMALL
from scipy import stats

import irci
from irci.stats.bounded import bounded_limits

DEMO = ROOT / "testdata"
LED = [str(DEMO / "runs" / name) for name in ("bm25.run", "hybrid.run")]
TWO = ["-m", "map", "-m", "P_10"]
QRELS, RUNS = SMALL / "qrels.txt", sorted((SMALL / "runs").iterdir())
THREE = np.array([
    [0.61, 0.48, 0.75, 0.33, 0.52, 0.67, 0.41, 0.58, 0.70, 0.45, 0.55, 0.62],
    [0.58, 0.50, 0.69, 0.30, 0.55, 0.60, 0.44, 0.49, 0.66, 0.47, 0.51, 0.57],
    [0.40, 0.52, 0.71, 0.35, 0.31, 0.66, 0.38, 0.53, 0.49, 0.39, 0.50, 0.48],
])  # fmt: skip


def csv_of(values: np.ndarray, measure: str = "AP") -> bytes:
    """Scores of runs r0, r1, ...; nan where there is none."""
    lines = [
        f"r{run},t{topic},{measure},{float(value)!r}"
        for (run, topic), value in np.ndenumerate(values)
        if not math.isnan(value)
    ]
    return "\n".join(["run,topic,measure,value", *lines, ""]).encode()


def found_in(report: Any, kind: str) -> list[dict[str, Any]]:
    return [dict(row) for table in report.tables if table.kind == kind for row in table.rows]


def best_of(values: np.ndarray, **options: Any) -> dict[str, Any]:
    (row,) = found_in(irci.map_ci(scores=csv_of(values), best=True, **options), "best")
    return row


def test_the_example_of_three_runs() -> None:
    """[.3854, .6347] where t alone has [.4769, .6347]; p_best .0527. As few of the best run's topics lie far from its median,
    the upper limit is a bounded one unless t is asked for."""
    row = best_of(THREE, interval="t")
    assert [row[name] for name in ("value", "lower", "upper", "p_best")] == pytest.approx(
        [0.5558, 0.3854, 0.6347, 0.0527], abs=5e-5
    )
    assert (row["run"], row["selected"]) == ("r0", 3)
    assert row["lower"] < row["corrected"] < row["value"]
    auto = best_of(THREE)
    assert auto["lower"] == row["lower"]
    assert auto["upper"] == pytest.approx(0.6667, abs=5e-5)


def test_limits_of_scores_without_ends() -> None:
    """m - W se = .4617 alone: of a measure whose scale is not known."""
    report = irci.map_ci(scores=csv_of(THREE + 1, "x"), best=True)
    (row,) = found_in(report, "best")
    assert [row["lower"] - 1, row["upper"] - 1] == pytest.approx([0.4617, 0.6347], abs=5e-5)


def test_rows_of_means_have_the_limits_of_the_best() -> None:
    """And nothing else of them changes; in whatever order the runs are."""
    report, plain = (irci.map_ci(scores=csv_of(THREE), best=best) for best in (True, False))
    (best,) = found_in(report, "best")
    for row, as_ever in zip(found_in(report, "estimate"), found_in(plain, "estimate"), strict=True):
        if row["run"] == best["run"]:
            assert (row["lower"], row["upper"], row["interval"]) == (best["lower"], best["upper"], "selected")
            assert row["lower"] < as_ever["lower"]
        else:
            assert row == as_ever
    backwards = best_of(THREE[::-1])
    assert backwards["run"] == "r2"
    for name in ("value", "lower", "upper", "corrected", "p_best"):
        assert backwards[name] == pytest.approx(best[name], rel=1e-12)


def test_one_run_was_not_picked_unless_others_were_tried() -> None:
    """Its own limits, and a warning that it is not known how many were tried; upper limits never change."""
    report = irci.map_ci(scores=csv_of(THREE[:1]), best=True, interval="t")
    (row,) = found_in(report, "best")
    t = stats.t.interval(0.95, 11, THREE[0].mean(), stats.sem(THREE[0]))
    assert (row["lower"], row["upper"]) == pytest.approx(t)
    assert row["corrected"] == pytest.approx(row["value"], rel=1e-15)
    assert math.isnan(row["p_best"])
    warned = "AP: one run, and how many were tried is not known (--tried)"
    assert warned in report.warnings
    assert "r0 is the only run in AP, so nothing was picked: 0.5558." in report.sentences
    told = irci.map_ci(scores=csv_of(THREE[:1]), best=True, tried=1, interval="t")
    assert warned not in told.warnings
    lowest = row["lower"]
    for tried in (2, 20, 1000):
        row = best_of(THREE[:1], tried=tried, interval="t")
        assert row["lower"] < lowest
        assert (row["upper"], row["selected"]) == (pytest.approx(t[1]), tried)
        assert math.isnan(row["corrected"])
        lowest = row["lower"]


def test_ties_and_one_topic() -> None:
    tied = np.vstack((THREE[1], THREE[0], THREE[0]))
    report = irci.map_ci(scores=csv_of(tied), best=True)
    (row,) = found_in(report, "best")
    assert (row["run"], row["p_best"]) == ("r1", 1)
    assert any(
        each.startswith("AP: equal means of r1, r2: the first is taken for the best") for each in report.warnings
    )
    one = best_of(THREE[:, :1])
    assert all(math.isnan(one[name]) for name in ("lower", "upper", "corrected", "p_best"))
    said = irci.map_ci(scores=csv_of(THREE[:, :1]), best=True).sentences
    assert "r0 came out best of 3 runs in AP: 0.6100." in said


def test_the_best_is_picked_on_topics_that_all_have() -> None:
    values = np.column_stack((THREE, [1.0, math.nan, math.nan], [math.nan, 1.0, 1.0]))
    report = irci.map_ci(scores=csv_of(values), best=True, missing="drop")
    assert found_in(report, "best") == [best_of(THREE)]
    assert found_in(report, "estimate") == found_in(irci.map_ci(scores=csv_of(THREE), best=True), "estimate")
    dropped = "2 topics that some run lacks, dropped as the best run is the best of all on the same topics"
    assert any(dropped in each for each in report.warnings)


def test_the_best_against_a_baseline() -> None:
    """The difference of the best of the others from a baseline named beforehand has limits that allow for it; p is as ever.
    Not of one other run, of a baseline that was picked, or where p holds for no family."""
    words = ["-m", "map", "--population", "topics", "-n", "--baseline", "delta", QRELS]
    plain, best = rows("map-ci", *words, *RUNS), rows("map-ci", "--best", *words, *RUNS)
    best = [row for row in best if row["measure"] == "map_diff"]
    top = max(range(len(plain)), key=lambda place: plain[place]["value"])
    for place, (row, as_ever) in enumerate(zip(best, plain, strict=True)):
        if place == top:
            assert row["lower"] < as_ever["lower"]
            assert row["interval"] == "selected"
            row = row | {"lower": as_ever["lower"], "interval": as_ever["interval"]}
        assert row == as_ever
    for others in (["--baseline-picked"], ["--correction", "bh"]):
        kinds = {row.get("interval") for row in rows("map-ci", "--best", *others, *words, *RUNS)}
        assert "selected" not in kinds
    of_mean = rows("map-ci", "--best", "--ranks", *words[:-3], "--baseline", "mean", QRELS, *RUNS)
    assert [row["interval"] for row in of_mean if row["measure"] == "map_diff"].count("selected") == 1
    two = [RUNS[0], next(run for run in RUNS if "delta" in run.name)]
    assert "selected" not in {row.get("interval") for row in rows("map-ci", "--best", *words, *two)}


def leads(values: np.ndarray, measure: str = "AP", **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The difference of the best run from the first one, allowing for its having been picked, and by itself."""
    picked, plain = (
        found_in(irci.map_ci(scores=csv_of(values, measure), baseline="r0", best=best, **options), "difference")
        for best in (True, False)
    )
    (place,) = [place for place, row in enumerate(picked) if row["interval"] == "selected"]
    return picked[place], plain[place]


def test_a_lead_near_the_end_of_the_scale_is_bounded() -> None:
    """For the number of runs, where the run is near the top, or hardly varies; of other runs it is not."""
    rng = np.random.default_rng(3)
    baseline = rng.uniform(0.4, 0.6, 25)
    near_top = np.where(rng.random((4, 25)) < 0.1, rng.random((4, 25)), rng.uniform(0.98, 1, (4, 25)))
    differences = near_top[near_top.mean(axis=1).argmax()] - baseline
    bounded = bounded_limits(differences[np.newaxis], -1.0, 1.0, 0.05 / 4)[0].item()
    picked, plain = leads(np.vstack((baseline, near_top)))
    assert picked["lower"] == pytest.approx(bounded, abs=1e-9)
    assert picked["lower"] < plain["lower"] - 0.1
    ordinary = rng.beta(2, 2, (4, 25))
    picked, plain = leads(np.vstack((baseline, ordinary)))
    assert plain["lower"] - 0.1 < picked["lower"] < plain["lower"]


def test_a_lead_that_is_significant_may_end_at_0() -> None:
    """Nine quiet runs make W large and p_adjusted small: by itself the loud one's lower limit is above 0, allowing for its
    having been picked below: it is 0, never that of the run by itself."""
    rng = np.random.default_rng(4)
    loud = rng.normal(0, 1, 30)
    loud = (loud - loud.mean()) / loud.std(ddof=1)
    quiet = 0.05 + 0.005 * rng.normal(size=(9, 30))
    values = np.vstack((np.zeros(30), 0.12 + 0.12 * math.sqrt(30) / 2.3 * loud, quiet))
    picked, plain = leads(values, "x")
    assert picked["p_adjusted"] <= 0.05
    assert plain["lower"] > 0
    assert picked["lower"] == 0


def test_a_constant_lead_is_no_surer_for_having_been_picked() -> None:
    """Its bounded limits hold 0 though p of the signs is small: those for two runs hold more, not less."""
    values = np.vstack((THREE[0] - 0.2, THREE[0], THREE[0]))
    picked, plain = leads(values)
    bounded = bounded_limits(np.full((1, 12), 0.2), -1.0, 1.0, 0.05 / 2)[0].item()
    assert picked["p_adjusted"] <= 0.05
    assert picked["lower"] == pytest.approx(bounded, abs=1e-9)
    assert picked["lower"] < plain["lower"] < 0
    assert picked["upper"] == plain["upper"]


def test_a_best_run_that_never_varies_has_no_limits_without_ends() -> None:
    warned = irci.map_ci(scores=csv_of(np.vstack((np.full(12, 3.0), THREE)), "x"), best=True).warnings
    assert any(each.endswith("known ends, so that the best run has no limits (--range)") for each in warned)
    nearly = np.where(np.arange(12) < 2, 2.9, 3.0)
    warned = irci.map_ci(scores=csv_of(np.vstack((nearly, THREE)), "x"), best=True).warnings
    assert any(each.endswith("limits of the best run may be too near (--range)") for each in warned)


def test_runs_that_were_tried_and_not_given_are_not_said_to_be_worse() -> None:
    wide = irci.map_ci(scores=csv_of(THREE), best=True, tried=50).to_text("markdown", layout="wide")
    assert "That no other one of the 3 runs given is better than the highest one is not shown in AP." in wide


def test_a_baseline_named_beforehand_is_no_run_that_was_tried() -> None:
    """Of 3 runs 2 are left of those tried: no fewer, and limits of a mean that may be the baseline's are for one more."""
    report = irci.compare(scores=csv_of(THREE), baseline="r0", best=True, tried=2, interval="t")
    assert "r0 came out best of r0 and 2 other runs in AP: 0.5558" in " ".join(report.sentences)
    (row,) = found_in(report, "best")
    m, se = THREE[0].mean(), stats.sem(THREE[0])
    bounded = bounded_limits(THREE[:1], 0.0, 1.0, 0.05 / 3)[0].item()
    assert row["selected"] == 3
    assert row["lower"] == pytest.approx(min(m - stats.t.isf(0.05 / 6, 11) * se, bounded), abs=1e-9)
    more = irci.compare(scores=csv_of(THREE), baseline="r0", best=True, tried=30).sentences
    (said,) = [each for each in more if " came out best " in each]
    assert "best of r0 and 30 other runs that were tried in AP" in said
    assert "no other one of the 3 runs given is better is not shown" in said
    picked = irci.compare(scores=csv_of(THREE), baseline="r0", best=True, tried=30, baseline_picked=True).sentences
    assert any("best of 30 runs that were tried in AP" in each for each in picked)


# The pairs that were tried where 30 runs were, of each of two measures in a family of both.
TRIED: list[tuple[dict[str, Any], int]] = [
    ({}, 30), ({"correction": "maxt"}, 30), ({"test": "randomization"}, 30), ({"baseline": "mean"}, 30),
    ({"measures": "map,P_10", "family": "joint"}, 60), ({"measures": "map,P_10", "primary": "map"}, 30),
    ({"ranks": True}, 31 * 30 // 2), ({"baseline_picked": True}, 30 * 29 // 2),
    ({"population": "topics,documents"}, 30), ({"confidence": 0.8}, 30),
]  # fmt: skip


@pytest.mark.parametrize(("options", "number"), TRIED)
def test_p_allows_for_all_that_were_tried(options: dict[str, Any], number: int) -> None:
    """At least Bonferroni's p, in every population, and what is said of it; limits for all pairs at once agree with it."""
    options = {"measures": "map", "population": "topics", "resamples": 300, **options}
    options = {"adjusted_limits": True, **options}
    report = irci.compare(str(QRELS), [str(run) for run in RUNS], best=True, tried=30, **options)
    alpha = 1 - options.get("confidence", 0.95)
    told = [row for row in found_in(report, "difference") if not math.isnan(float(row["p_adjusted"]))]
    assert told
    for row in told:
        p, p_adjusted = float(row["p"]), float(row["p_adjusted"])
        assert p_adjusted >= min(1, number * p) * (1 - 1e-12)
        if not ("ranks" in options or "correction" in options):  # the largest statistic may ask for more
            assert p_adjusted == pytest.approx(min(1, number * p), rel=1e-12)
        low, high = float(row["lower_adjusted"]), float(row["upper_adjusted"])
        assert not (low > 0 or high < 0) or p_adjusted <= alpha
        assert not low < 0 < high or p_adjusted > alpha
    assert any(f"p is adjusted for {number} " in each and "as 30 runs were tried" in each for each in report.sentences)


def test_limits_and_p_of_the_best_lead_agree_on_what_was_tried() -> None:
    """Just significant for so many and no more: by t both turn where tried times p is .05; then the verdict does, too."""
    rng = np.random.default_rng(5)
    values = np.vstack((rng.uniform(0.2, 0.5, 40), np.empty(40)))
    values[1] = values[0] + 0.05 + 0.08 * rng.normal(size=40)
    p = float(stats.ttest_rel(values[1], values[0]).pvalue)
    most = int(0.05 / p)
    assert 1 < most < 1000
    for tried, verdict in ((1, "better"), (most, "better"), (most + 1, "unresolved"), (100_000, "unresolved")):
        report = irci.compare(
            scores=csv_of(values), baseline="r0", best=True, tried=tried, interval="t", fail_if="unresolved"
        )
        (row,) = found_in(report, "difference")
        assert row["verdict"] == verdict
        assert row["p_adjusted"] == pytest.approx(min(1, tried * p))
        assert (row["lower"] > 0) == (verdict == "better")
        assert bool(report.failures or report.untold) == (verdict != "better")
        assert any(f"with {tried} runs tried, not enough evidence" in each for each in report.sentences) == (
            verdict != "better"
        )


def test_equivalence_and_claims_allow_for_all_that_were_tried() -> None:
    words: dict[str, Any] = {"measures": "map", "resamples": 300, "best": True}
    within = [
        found_in(irci.compare(str(QRELS), [str(run) for run in RUNS], equivalence=0.2, **words, **more), "difference")
        for more in ({}, {"tried": 20})
    ]
    for alone, row in zip(*within, strict=True):
        assert row["p_equivalence_adjusted"] == pytest.approx(min(1, 20 * float(alone["p_equivalence"])), rel=1e-12)
    plain, tried = (
        found_in(irci.compare(str(DEMO / "qrels.txt"), LED, survives=True, **words, **more), "claim")
        for more in ({}, {"tried": 4})
    )
    assert plain
    assert [row["p_all"] for row in tried] == pytest.approx([min(1, 4 * float(row["p_all"])) for row in plain])


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
    (row,) = found_in(report, "best")
    own = next(each for each in found_in(plain, "estimate") if each["run"] == row["run"])
    value, lower, upper = (float(row[name]) for name in ("value", "lower", "upper"))
    if topics == 1 and runs > 1:
        assert math.isnan(lower)
        assert math.isnan(upper)
    else:
        assert lower <= value <= upper
        assert lower >= 0 or runs == 1
        assert lower <= float(row["corrected"]) <= value
        assert lower <= max(float(own["lower"]), 0)
        assert upper == own["upper"]
    assert value == pytest.approx(max(float(each["value"]) for each in found_in(plain, "estimate")), abs=1e-12)
    (said,) = [each for each in report.sentences if " came out best of " in each or "the only run" in each]
    shown = re.search(r"that no other run is better is (not )?shown \(p ([=<]) (\S+)\)\.$", said)
    p = float(row["p_best"])
    assert (shown is None) == math.isnan(p)
    if shown is not None:
        assert (shown[1] is None) == (p <= 0.05)
    for each, alone in zip(found_in(report, "difference"), found_in(plain, "difference"), strict=True):
        p, low, high = (float(each[name]) for name in ("p_adjusted", "lower", "upper"))
        if each["interval"] == "selected" and not math.isnan(low):
            assert low <= min(float(alone["lower"]), float(each["value"]))
            assert high >= max(float(alone["upper"]), float(each["value"]))
            left_out = p <= 0.05 and not float(alone["lower"]) <= 0 <= float(alone["upper"])
            assert (not low <= 0 <= high) == left_out or (left_out and low == 0)
    wide = report.to_text("markdown", layout="wide")
    assert ("is shown in AP" in wide, "is not shown in AP" in wide) == (
        (False, False)
        if math.isnan(float(row["p_best"]))
        else (float(row["p_best"]) <= 0.05, float(row["p_best"]) > 0.05)
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tried", "9"], "--tried is for --best."),
        (["--best", "--tried", "2"], "--tried 2: here are 5 runs."),
        (["--best", "--tried", "3", "--compare"], "--tried 3: here are 4 runs beside alpha."),
        (["--best", "--tried", "9", "--compare", "--correction", "bh"], "use --correction holm or maxt"),
        (["--best", "--tried", "9", "--compare", "--family", "ordered", *TWO], "(--family joint)"),
        (["--best", "--interval", "prediction", "--population", "topics"], "leave out --interval prediction"),
        (["--best", "--population", "documents"], "--best needs --population topics"),
        (["--best", "-B", "0"], "--best needs resamples"),
        (["--best", "--clusters", SMALL / "clusters.txt"], "--best is not for --clusters."),
        (["--best", "-m", "unj_10"], "--best: by unj_10 no run is better than another."),
    ],
)
def test_what_best_refuses(words: list[Any], said: str) -> None:
    assert said in printed("map-ci", *words, QRELS, *RUNS, status=2)


def test_logits_are_transformed_back() -> None:
    """Limits by signs alone, on the scale of the mean; other measures have bounded ones beside."""
    found = {
        row["measure"]: row
        for row in rows("map-ci", "--best", "-m", "lmap", "-m", "map", "--table", "best", QRELS, *RUNS)
    }
    assert (
        0 < found["lmap"]["lower"] < found["lmap"]["corrected"] <= found["lmap"]["value"] < found["lmap"]["upper"] < 1
    )


def test_answer_and_caption() -> None:
    words = ["--best", "--population", "topics", "-m", "map", QRELS, *RUNS]
    told = printed("map-ci", "--explain", *words)
    assert "# alpha came out best of 5 runs in map: 0.4127, corrected for having been picked 0.4107" in told
    wide = printed("map-ci", "--layout", "wide", *words)
    assert "# That no other run is better than the highest one is not shown in map.\n" in wide
    assert "of the best run allowing for its having been picked" in wide
    assert "selected (allowing for having been picked as the best)" in told or "selected: allowing" in told

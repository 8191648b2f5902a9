"""The best of many runs: worked examples, edges, refusals, and rows, words and captions that agree."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from command_lines import rows
from helpers import QRELS, RUNS, keys, scores_csv
from scipy import stats

import irci
from irci.base.types import Ends
from irci.comparison.best import corrected_mean, limits_of_lead, lower_limit_of_lead, tied_with_best
from irci.estimators.joint_resamples import topic_counts
from irci.estimators.means import Design, over_topics
from irci.stats.bounded import bounded_limits
from irci.stats.tests import adjusted

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


def test_rows_of_means_stay_where_some_runs_lack_topics() -> None:
    scores = np.random.default_rng(3).random((4, 20))
    lines = [f"r{run},t{topic},AP,{score}" for (run, topic), score in np.ndenumerate(scores) if topic >= run % 3]
    table = "\n".join(["run,topic,measure,value", *lines]).encode()
    report, plain = (irci.map_ci(scores=table, best=best) for best in (True, False))
    assert found_in(report, "estimate") == found_in(plain, "estimate")


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


@pytest.mark.sample(11)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("topics", [1, 2, 3, 5, 9, 30])
def test_limits_of_the_lead_go_with_p(kind: str, topics: int) -> None:
    """Against a baseline the best run's limits hold what those by itself hold, and 0 but where those leave it out and
    p_adjusted is significant; rows of pairs are as without it. What the best run's mean obeys is in test_claims."""
    scores = csv_of(scores_of(kind, 6, topics))
    report, plain = (irci.map_ci(scores=scores, best=best, baseline="r0") for best in (True, False))
    assert repr(found_in(report, "difference")) == repr(found_in(plain, "difference"))  # as nan is not nan
    for lead in [row for row in found_in(report, "best") if "baseline" in row]:
        (alone,) = [row for row in found_in(plain, "difference") if row["run"] == lead["run"]]
        p, low, high = alone["p_adjusted"], lead["lower"], lead["upper"]
        if not math.isnan(low):
            assert low <= min(alone["lower"], lead["value"])
            assert high >= max(alone["upper"], lead["value"])
            left_out = p <= 0.05 and not alone["lower"] <= 0 <= alone["upper"]
            assert (not low <= 0 <= high) == left_out or (left_out and low == 0)


# Its estimates: by hand, at the edges, against all resamples.


UNIT = (0.0, 1.0)


def best_lead(scores: np.ndarray, ends: Ends | None = UNIT) -> tuple[float, float]:
    """Limits of the largest difference from the first of runs with scores[k, n]."""
    pairs = np.array([(run, 0) for run in range(1, len(scores))])
    tested = over_topics(scores, pairs, keys(scores.shape[1]), Design(), ends=ends)
    differences = scores[1:] - scores[0]
    place = int(tied_with_best(differences.mean(axis=1))[0])
    lower = lower_limit_of_lead(tested, place, differences[place], len(pairs), Design(), ends)
    return limits_of_lead(tested._replace(p_adjusted=adjusted(tested.p, "holm")), place, lower, Design())


def test_the_lead_over_a_baseline() -> None:
    """Bonferroni's t of the two others; where few topics differ no higher than the bounded limit; none without ends."""
    rng = np.random.default_rng(3)
    scores = rng.beta(2, 3, (3, 30))
    scores[1] = np.clip(scores[0] + rng.normal(0.05, 0.1, 30), 0, 1)
    lead = scores[1] - scores[0]
    lower, upper = best_lead(scores)
    value, error = lead.mean(), stats.sem(lead)
    assert value > (scores[2] - scores[0]).mean()
    assert lower == pytest.approx(value - stats.t.isf(0.0125, 29) * error)
    assert upper == pytest.approx(value + stats.t.isf(0.025, 29) * error)
    assert math.isnan(best_lead(scores, None)[0])
    assert best_lead(scores, None)[1] == upper
    scores[1] = scores[0] + np.where(np.arange(30) < 4, 0.3, 0) * (1 - scores[0])
    scores[2] = 0.9 * scores[0]
    lead = scores[1] - scores[0]
    bounded = bounded_limits(lead[np.newaxis], -1.0, 1.0, 0.025)[0].item()
    by_t = lead.mean() - stats.t.isf(0.0125, 29) * stats.sem(lead)
    assert bounded < by_t - 0.05 < 0
    assert best_lead(scores)[0] == pytest.approx(bounded)


def test_correction_against_all_resamples() -> None:
    """Four topics, all 256 equally likely draws: the correction from the definition; and drawn ones come near."""
    scores = np.random.default_rng(3).random((3, 4)).round(2)
    means, place = scores.mean(axis=1), int(scores.mean(axis=1).argmax())
    flattery, counts = [], []
    for drawn in itertools.product(range(4), repeat=4):
        resampled = scores[:, drawn].mean(axis=1)
        tied = [run for run in range(3) if resampled[run] > resampled.max() - 1e-9]
        flattery.append(float(np.mean([resampled[run] - means[run] for run in tied])))
        counts.append(np.bincount(drawn, minlength=4))
    found = corrected_mean(scores, place, np.array(counts, np.int32).T.copy())
    assert found == pytest.approx(means[place] - np.mean(flattery), abs=1e-12)
    near = corrected_mean(scores, place, topic_counts(4, 20_000, 1))
    assert abs(near - found) < 4.5 * np.std(flattery) / math.sqrt(20_000)

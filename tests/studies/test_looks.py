"""Looks at topics as they are judged, from the command: rows against scipy's t and exact levels, refusals, and sentences."""

from typing import Any

import numpy as np
import pytest
from helpers import scores_csv
from scipy import stats

import irci
from irci.stats.power import levels_of_many, looks_at

SIZES = (10, 25, 50)


def looked(scores: np.ndarray, **options: Any) -> Any:
    options = {"baseline": "r0", "population": "topics", "looks": SIZES, **options}
    return irci.map_ci(scores=scores_csv({"csv": scores}), **options)


def rows_of(report: Any) -> list[dict[str, Any]]:
    """Of each pair the row of its difference, together with that of what follows."""
    found = {table.kind: table.rows for table in report.tables}
    return [{**pair, **at_look} for pair, at_look in zip(found["difference"], found["look"], strict=True)]


def scores_of(topics: int, *gains: float, spread: float = 0.08) -> np.ndarray:
    rng = np.random.default_rng(4)
    topic = rng.uniform(0.3, 0.7, topics)
    return np.vstack([topic, *(topic + gain + rng.normal(0, spread, topics) for gain in gains)])


@pytest.mark.parametrize("topics", SIZES)
def test_rows_are_t_at_the_level_of_the_look(topics: int) -> None:
    """Holm's p against the look's level, and d +- t(1 - level/2) se."""
    scores, level = scores_of(topics, 0.09, -0.005), float(levels_of_many(SIZES, 0.05, 2)[SIZES.index(topics)])
    report = looked(scores)
    found = rows_of(report)
    p = [stats.ttest_rel(run, scores[0]).pvalue for run in scores[1:]]
    adjusted = [max(p), 2 * min(p)] if p[0] > p[1] else [2 * min(p), max(2 * min(p), max(p))]
    last = topics == SIZES[-1]
    for row, run, p_adjusted in zip(found, scores[1:], adjusted, strict=True):
        differences = run - scores[0]
        reach = stats.t.ppf(1 - level / 2, topics - 1) * differences.std(ddof=1) / np.sqrt(topics)
        assert row["p_adjusted"] == pytest.approx(p_adjusted, rel=1e-8)
        assert (row["lower"], row["upper"]) == pytest.approx((differences.mean() - reach, differences.mean() + reach))
        assert row["p_level"] == pytest.approx(level)
        assert row["decision"] == ("stop" if p_adjusted <= level else "end" if last else "go on")
        assert (row["lower"] > 0) or row["decision"] != "stop"
    assert {row["decision"] for row in found} == ({"go on"} if topics == 10 else {"stop", "end" if last else "go on"})
    assert report.signature["confidence"] == 0.95
    assert report.signature["looks"] == "10,25,50"


def test_hits_have_the_mid_p_and_bounded_limits_of_the_look() -> None:
    scores = np.zeros((2, 25))
    scores[1, :6] = 1.0
    (row,), level = rows_of(looked(scores)), float(looks_at(SIZES, 0.05)[1][1])
    plain = irci.map_ci(scores=scores_csv({"csv": scores}), baseline="r0", population="topics", confidence=1 - level)
    ((at_level,),) = (table.rows for table in plain.tables if table.kind == "difference")
    assert row["p_adjusted"] == pytest.approx(2 * stats.binom.sf(5, 6, 0.5) - stats.binom.pmf(6, 6, 0.5))
    assert (row["lower"], row["upper"]) == (at_level["lower"], at_level["upper"])
    assert (at_level["interval"], row["decision"]) == ("bounded", "go on")


@pytest.mark.parametrize("scores", [
    np.full((2, 25), 0.5), np.vstack([np.full(25, 0.5), np.full(25, 0.5) + 1e-12]),
    np.vstack([np.full(25, 0.5), np.full(25, 0.6)]), np.vstack([np.full(25, 0.5), np.where(np.arange(25) < 3, 0.9, 0.5)]),
])  # fmt: skip
def test_runs_that_hardly_differ_stop_by_p(scores: np.ndarray) -> None:
    """p decides; where limits, which allow for what was not seen, contain 0 nevertheless, the sentence says so."""
    report = looked(scores)
    (row,) = rows_of(report)
    stops = bool(row["p_adjusted"] <= row["p_level"])
    assert (row["decision"] == "stop") == stops
    contains_zero = row["lower"] <= 0 <= row["upper"]
    assert ("although the interval includes 0" in report.conclusion[0]) == (stops and contains_zero)


@pytest.mark.parametrize(("topics", "options", "message"), [
    (17, {}, "the next look is at 25.$"),
    (51, {}, "more than the last look has"), (9, {}, "the next look is at 10.$"),
    (25, {"looks": (5, 25)}, "t of fewer than 10 topics"), (25, {"looks": (10, 25, 7000)}, "nothing can be found"),
    (25, {"correction": "maxt"}, "takes -B 6557"), (25, {"correction": "bh"}, "--correction bh do not go"),
    (25, {"test": "wilcoxon"}, "--test wilcoxon do not go"), (25, {"margin": ".02"}, "--margin do not"),
    (25, {"interval": "prediction"}, "--interval prediction do"), (25, {"baseline": None, "looks": (25,)}, "needs pairs"),
])  # fmt: skip
def test_looks_that_may_not_be_taken(topics: int, options: dict[str, Any], message: str) -> None:
    resamples = 1000 if options.get("correction") == "maxt" else None
    with pytest.raises(irci.UsageError, match=message):
        looked(scores_of(topics, 0.05), **{"resamples": resamples, **options})


def test_max_t_with_signs_enough_is_taken() -> None:
    (row,) = rows_of(looked(scores_of(25, 0.09), correction="maxt", resamples=7000))
    assert row["decision"] == "stop"

"""Claims of pairs under the conditions that they hold under, through the command: equivalence where little differs or varies,
exit status, limits for all pairs at once, topics needed, a single pair."""

import json
import math
from pathlib import Path
from typing import Any

import naive_inference
import numpy as np
import pytest
from command_lines import irci as command
from helpers import run_scores
from scipy import stats

from irci.stats.bounded import bounded_limits

NOT_EQUIVALENT = ("--fail-if", "not-equivalent", "--margin")


def asked(
    path: Path, values: np.ndarray, *options: str, pairs: str = "--baseline=r0", status: int | None = None
) -> Any:
    """The result of the command on scores[runs, topics] of AP; nan for none."""
    names = [f"{topic}" for topic in range(values.shape[1])]
    scores = run_scores(path / "scores.tsv", {f"r{run}": row for run, row in enumerate(values)}, names)
    return command("map-ci", "-n", pairs, *options, "--scores", scores, status=status)


def rows_of(path: Path, values: np.ndarray, *options: str, pairs: str = "--baseline=r0") -> list[dict[str, Any]]:
    result = asked(path, values, "--format", "json", *options, pairs=pairs)
    assert result.exit_code in (0, 5, 6), result.output
    return [row for row in json.loads(result.stdout)["rows"] if "baseline" in row]


def row_of(path: Path, values: np.ndarray, *options: str) -> dict[str, Any]:
    (row,) = rows_of(path, values, *options)
    return row


def copies(differences: dict[int, float] | list[float], topics: int) -> np.ndarray:
    """Two runs that differ on some topics."""
    scores = np.full((2, topics), 0.5)
    for topic, difference in dict(enumerate(differences) if isinstance(differences, list) else differences).items():
        scores[1, topic] += difference
    return scores


def test_three_topics_of_fifty_that_differ_are_too_few(tmp_path: Path) -> None:
    """Which is no failure; one that fails outright comes before it."""
    values = copies([0.12, -0.04, 0.01], 50)
    result = asked(tmp_path, values, *NOT_EQUIVALENT, ".03", "--explain", status=6)
    few = "only 3 of 50 topics differ much, by up to .1200"
    assert f"map: r1 against r0: inconclusive: {few} (--fail-if not-equivalent)\n" in result.stderr
    assert f"within the margin of .03 is not significant (p = .12): {few}; on up to 15.5% of other" in result.stdout
    for condition, status in (("worse", 0), ("inconclusive", 6)):
        asked(tmp_path, values, "--margin", ".03", "--fail-if", condition, status=status)
    assert row_of(tmp_path, values, "--power")["reason"] == "unresolvable"  # who asks for no margin
    values = np.vstack((values, np.full(50, 0.5) + 0.2 + np.arange(50) / 1000))
    result = asked(tmp_path, values, *NOT_EQUIVALENT, ".03", status=5)
    told = [line.split(" (")[0] for line in result.stderr.splitlines() if "--fail-if" in line]
    assert told == ["irci: map: r2 against r0: better", f"irci: map: r1 against r0: inconclusive: {few}"]


@pytest.mark.parametrize(("topics", "few"), [(9, False), (10, True), (60, True)])
def test_nine_topics_that_all_differ_are_tested_by_their_spread(tmp_path: Path, topics: int, few: bool) -> None:
    d = [0.01, -0.02, 0.004, 0.03, -0.011, 0.006, 0.02, -0.015, 0.001]
    row = row_of(tmp_path, copies(d, topics), "--margin", ".04")
    if not few:
        assert row["p_equivalence"] == pytest.approx(naive_inference.equivalence_p(d, [0.04] * 9), rel=1e-9)
        assert row["verdict"] == "equivalent"
    else:  # the smallest alpha whose limits at 1 - 2 alpha lie inside
        differences = np.array([d + [0.0] * (topics - 9)])
        limits = bounded_limits(differences, -1.0, 1.0, 2 * row["p_equivalence"])
        assert max(-limits[0][0], limits[1][0]) == pytest.approx(0.04, abs=1e-6)
        assert (row["reason"] == "few-differ") == (row["p_equivalence"] > 0.05)


def test_a_scale_without_ends_shows_nothing_where_few_differ(tmp_path: Path) -> None:
    long = asked(tmp_path, copies([0.001, 0.002], 200), "-m", "lmap", *NOT_EQUIVALENT, "4", "--explain", status=6)
    assert "within the margin of 4 of logits is not significant: only 2 of 200 topics differ" in long.stdout


def test_a_share_of_a_mean_that_is_not_above_0_is_refused(tmp_path: Path) -> None:
    values = np.vstack((np.zeros(20), np.random.default_rng(3).uniform(0.2, 0.5, (2, 20))))
    told = "5% of a baseline's mean that is not above 0"
    assert f"{told} (topics) is no margin: give an amount" in asked(tmp_path, values, "--margin", "5%", status=4).stderr
    rows = rows_of(tmp_path, values, "--margin", "5%", pairs="--all-pairs")
    assert [row["p_equivalence"] is None for row in rows] == [True, True, False]
    warned = asked(tmp_path, values, "--margin", "5%", pairs="--all-pairs").stderr
    assert f"map: no equivalence over topics for 2 pairs: {told} is no margin" in warned


# Not worse: the lower side alone.


def test_not_worse_is_the_lower_side_of_equivalence(tmp_path: Path) -> None:
    """By scipy's one-sided t, no less than that; of the pair the other way round it is the upper side."""
    rng = np.random.default_rng(5)
    values = rng.uniform(0.2, 0.6, 40) + rng.normal([[0.0], [0.01]], 0.05, (2, 40))
    row, back = (row_of(tmp_path, each, "--margin", ".03") for each in (values, values[::-1]))
    assert row["p_equivalence"] == max(row["p_not_worse"], back["p_not_worse"])
    by_t = stats.ttest_1samp(values[1] - values[0] + 0.03, 0, alternative="greater").pvalue
    assert by_t * (1 - 1e-9) <= row["p_not_worse"] <= 2 * by_t


NOISE = np.random.default_rng(6).normal(0, 1, 60)
ENDS = {
    "a gain of .1": (0.1 + 0.1 * NOISE, 0, ""),
    "the same": (0.02 * NOISE, 0, ""),
    "a gain that is not significant": (0.02 + 0.2 * (NOISE - NOISE.mean()), 0, ""),
    "identical": (0 * NOISE, 0, "identical on these 60 topics; up to 4.9% of others may differ"),
    "worse": (-0.1 + 0.1 * NOISE, 5, "r1 against r0: worse (--fail-if inferior)"),
    "nothing is known": (0.3 * NOISE - 0.3 * NOISE.mean(), 6, "may be worse by more than the margin (p_not_worse = "),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_ends_of_the_gate(name: str, tmp_path: Path) -> None:
    """An improvement never fails it, a pair of which nothing is known never passes; equivalence is another question."""
    difference, status, told = ENDS[name]
    values = np.full((2, 60), 0.475)
    values[1] += difference / 2
    result = asked(tmp_path, values, "--margin", ".025", "--fail-if", "inferior", status=status)
    assert told in result.stderr
    assert ("topics would show that it is not" in result.stderr) == (name == "nothing is known")
    said = asked(tmp_path, values, "--margin", ".025", "--range", "0,10", "--explain")
    assert ("But r1 is not worse than r0 by .025 or more (p = " in said.stdout) == (
        name == "a gain that is not significant"
    )
    assert "--margin 0.025 is 0.25% of the range 0 to 10: a margin is in the units of the scores" in said.stderr
    if name == "a gain of .1":
        asked(tmp_path, values, *NOT_EQUIVALENT, ".025", status=5)


# Less than rounding, and more than the scale.


def test_jitter_is_not_counted_as_topics_that_differ(tmp_path: Path) -> None:
    """By the one rule of equivalence and of limits: less than a hundredth of the largest difference is next to nothing."""
    rng = np.random.default_rng(5)
    values = copies([0.12, -0.04, 0.01], 50)
    values[1] += 1e-5 * rng.uniform(-1, 1, 50)
    told = asked(tmp_path, values, "--margin", ".03").stderr
    assert "map: 3 of 50 topics differ much: limits assume that no rare large difference was missed" in told
    told = asked(tmp_path, values, *NOT_EQUIVALENT, ".001").stderr
    assert "inconclusive: only 3 of 50 topics differ much, by up to .12" in told


@pytest.mark.parametrize(
    ("topics", "spread", "finds"), [(2, 0.01, False), (5, 0.01, False), (6, 0.01, True), (6, 0.95, False)]
)
def test_no_difference_is_detectable_that_the_scale_or_signs_rule_out(
    tmp_path: Path, topics: int, spread: float, finds: bool
) -> None:
    """With p no less than 2^(1 - topics) five topics never have .05, and on [0, 1] means never differ by more than 1."""
    d = spread * np.where(np.arange(topics) % 2, 1, -0.7)
    values = np.vstack((np.full(topics, 0.5) - d / 2, np.full(topics, 0.5) + d / 2))
    row = row_of(tmp_path, values, "--power")
    sd = d.std(ddof=1)
    if finds:  # the noncentral t distribution's power at that difference
        noncentrality = row["detectable"] / sd * np.sqrt(topics)
        critical = stats.t.isf(0.025, topics - 1)
        assert stats.nct.sf(critical, topics - 1, noncentrality) == pytest.approx(0.8, abs=1e-6)
    else:
        assert row["detectable"] is None or math.isinf(row["detectable"])
        assert topics < 6 or sd / np.sqrt(topics) * (2.57 + 0.84) > 1
    assert row["topics_needed"] is None or row["topics_needed"] >= 6
    told = asked(tmp_path, values, "--power", "--explain").stdout
    assert ("a t test of this pair alone finds a true difference of" in told) == finds

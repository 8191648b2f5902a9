"""Fewer than 20 human topics: a judge of noise, an unlucky draw, limits wider than people's alone, one slope for all runs."""

import math
from pathlib import Path

import naive
import numpy as np
import pytest
from command_lines import irci, rows, warnings_of
from helpers import pick, run_scores
from scipy import stats

from irci.wording import amount, interval_in_words, p_text

TOPICS, HUMAN = 60, 12
UNLUCKY = "were the human topics drawn at random?"
WIDER = "are wider with the judge than without"


def drawn(seed: int, runs: int, sees: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Scores [runs, topics] by people, .06 more for the second run, and by a judge who sees so much of it beside noise."""
    rng = np.random.default_rng(seed)
    people = (
        rng.normal(0.4, 0.15, TOPICS)
        + rng.normal(0, 0.08, (runs, TOPICS))
        + 0.06 * (np.arange(runs) == 1)[:, np.newaxis]
    )
    return people, 0.5 + sees * (people - 0.4) + rng.normal(0, 0.25, (runs, TOPICS))


def files(folder: Path, people: np.ndarray, judge: np.ndarray, human: int = HUMAN) -> list[str]:
    """Options for the judge's scores of all topics and people's of the first."""
    of_judge, of_people = (
        run_scores(folder / name, {f"r{run}": row for run, row in enumerate(scores)}, measure="x")
        for name, scores in (("judge", judge), ("people", people[:, :human]))
    )
    return ["map-ci", "--judge", of_judge, "--scores", of_people]


def pair_of(words: list[str], estimator: str) -> dict[str, float]:
    """The difference over new topics."""
    (row,) = pick(rows(*words, "-n", "--baseline", "r0", "--population", "topics"), estimator=estimator)
    return row


def test_an_unlucky_draw_with_a_judge_of_noise_is_told(tmp_path: Path) -> None:
    """A draw whose limits with the judge leave out the true +.06, though he knows nothing."""
    people, judge = drawn(2849, 2)
    words = files(tmp_path, people, judge)
    with_judge, alone = pair_of(words, "ppi"), pair_of(words, "human")
    assert with_judge["upper"] < 0.06 < alone["upper"]
    assert with_judge["gain"] > 1.5
    differences = judge[1] - judge[0]
    p = stats.ttest_ind(differences[:HUMAN], differences[HUMAN:], equal_var=False).pvalue
    assert p < 0.05
    for of_run in judge:
        assert stats.ttest_ind(of_run[:HUMAN], of_run[HUMAN:], equal_var=False).pvalue > 0.05
    said = irci(*words, "-n", "--baseline", "r0", "--explain", status=0)
    (told,) = (line for line in said.stderr.splitlines() if UNLUCKY in line)
    assert f"by the judge, r1 minus r0 differs by {amount(differences[:HUMAN].mean())} on the human topics" in told
    assert f"(Welch's t test: {p_text(p)})" in told
    gain = f"gain {with_judge['gain']:.2f}"
    assert f"x_diff: limits over topics {WIDER} for 1 pair (gain up to {with_judge['gain']:.2f})" in said.stderr
    value = amount(alone["value"])
    lead = f"# For the population of topics: r1 scores {value} higher than r0 in x by the 12 human topics alone"
    assert lead in said.stdout
    limits = interval_in_words(with_judge["lower"], with_judge["upper"])
    assert f"; with the judge: {limits}, wider ({gain})." in said.stdout


def test_a_judge_who_sees_something_leads(tmp_path: Path) -> None:
    people, judge = drawn(1, 2, sees=1.0)
    judge = people + (judge - judge.mean()) / 100
    words = files(tmp_path, people, judge)
    said = irci(*words, "-n", "--baseline", "r0", "--explain", status=0)
    assert WIDER not in said.stderr
    assert (
        f"# For the population of topics: r1 scores {amount(pair_of(words, 'ppi')['value'])} higher than r0 in x (95% CI"
        in said.stdout
    )


def slope(people: np.ndarray, judge: np.ndarray, *, topics: bool) -> float:
    """Least squares of people's scores on the judge's beside an indicator for each run, and perhaps topic."""
    runs, number = people.shape
    columns = [judge.ravel(), *np.repeat(np.eye(runs), number, axis=1)]
    columns += list(np.tile(np.eye(number), runs)) if topics else []
    found = float(np.linalg.lstsq(np.column_stack(columns), people.ravel(), rcond=None)[0][0])
    return min(1.0, max(0.0, found))


@pytest.mark.parametrize(("runs", "human", "pooled"), [(5, 12, True), (6, 19, True), (4, 12, False), (6, 20, False)])
def test_one_slope_for_all_runs(tmp_path: Path, runs: int, human: int, pooled: bool) -> None:
    people, judge = drawn(3, runs, sees=0.8)
    words = files(tmp_path, people, judge, human)
    few = people[:, :human], judge[:, :human]
    for row in rows(*words, "--all-pairs"):
        if row["estimator"] == "human":
            continue
        of_pair = "baseline" in row
        expected = slope(*few, topics=of_pair) if pooled else 1.0 if human < 20 else math.nan
        y, f = (
            each[int(row["run"][1])] - (each[int(row["baseline"][1])] if of_pair else 0) for each in (people, judge)
        )
        if human == 20:
            assert row["lambda"] != pytest.approx(slope(*few, topics=of_pair), rel=1e-6)
            continue
        assert row["lambda"] == pytest.approx(expected, rel=1e-9)
        plain = naive.prediction_powered(
            y[:human].tolist(), f[:human].tolist(), f[human:].tolist(), expected, row["population"] == "topics"
        )
        margin = stats.t.ppf(0.975, plain["df"]) * plain["error"]
        found = [row[name] for name in ("value", "lower", "upper")]
        np.testing.assert_allclose(found, [plain["value"], plain["value"] - margin, plain["value"] + margin], rtol=1e-8)


def test_of_many_runs_the_smallest_p_is_adjusted(tmp_path: Path) -> None:
    """A judge who favours one of 8 runs on the human topics a little: unlike by itself, not among 8."""
    _, judge = drawn(4, 8)
    told = []
    for shift in (0.0, 0.6):
        moved = judge.copy()
        moved[5, :HUMAN] += shift
        p = [float(stats.ttest_ind(each[:HUMAN], each[HUMAN:], equal_var=False).pvalue) for each in moved]
        warned = [each for each in warnings_of(*files(tmp_path, moved / 2, moved)) if UNLUCKY in each]
        assert bool(warned) == (min(p) * 8 < 0.05)
        assert all("by the judge, r5 scores" in each and p_text(8 * min(p), "adjusted p") in each for each in warned)
        told.append(bool(warned))
    assert told == [False, True]

"""Borda's points: --standardise rank. Held against scipy's ranks, as leaderboards count them: runs less the rank."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_lines import printed, rows, rows_of
from helpers import TESTDATA, all_written, score_table
from scipy.stats import binomtest, rankdata

from irci.stats.scales import TIED, points


def borda(scores: np.ndarray) -> np.ndarray:
    """Points[runs, T]: all runs less a run's rank among those with a score, or 0 without one."""
    found = np.zeros(scores.shape)
    for topic, column in enumerate(scores.T):
        there = ~np.isnan(column)
        found[there, topic] = len(column) - rankdata(-column[there])
    return found


def written(folder: Path, scores: np.ndarray, measure: str = "main_score") -> str:
    """A file of scores[runs, T]: runs called r0, r1, ..., topics t0, t1, ...; nan is not there."""
    cells = ((f"r{run}", f"t{topic}", score) for (run, topic), score in np.ndenumerate(scores))
    return str(score_table(folder / "scores.csv", cells, measure=measure))


def points_of(*arguments: object) -> list[dict[str, Any]]:
    """The rows printed of points."""
    return rows_of("map-ci", "--scores", "--standardise", "rank", *arguments)


@pytest.mark.parametrize("seed", range(6))
def test_points_are_runs_less_ranks(seed: int) -> None:
    """With many ties, and scores that are missing; every topic gives away as many points as there are pairs."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, rng.integers(1, 9), (rng.integers(1, 12), rng.integers(1, 9))) / 7 - rng.integers(0, 2)
    complete = points(scores)
    np.testing.assert_array_equal(complete, borda(scores))
    np.testing.assert_array_equal(complete.sum(axis=0), math.comb(len(scores), 2))
    scores[rng.random(scores.shape) < 0.3] = np.nan
    np.testing.assert_array_equal(points(scores), borda(scores))


def test_scores_equal_but_for_rounding_tie() -> None:
    """0.3 is 0.1 + 0.2, of large and of small scores, and what should be 0; and ties have no order."""
    share = TIED / 2
    near = np.array(
        [
            [0.1 + 0.2, 1e6, 3e-12, 0.1 + 0.2 - 0.3],
            [0.3, 1e6 * (1 + share), 3e-12 * (1 - share), 0],
            [0.1, 1.0, 1e-12, -0.3],
        ]
    )
    assert points(near).tolist() == [[1.5] * 4, [1.5] * 4, [0] * 4]
    chain = np.array([[0.5], [0.5 + 0.2 * TIED], [0.5 + 0.4 * TIED], [0.5 + 3 * TIED]])
    assert points(chain).T.tolist() == [[1, 1, 1, 3]]


def test_scores_that_differ_in_a_printed_digit_do_not_tie() -> None:
    """Whatever their size, and that of others on the topic: log-likelihoods with six decimals, counts, tiny scores."""
    scores = np.array([[-1234.567891, 1e9, 2e-9], [-1234.567892, 1e9 + 1, 1e-9], [-5.0, 1.0, 1.0]])
    assert points(scores).tolist() == [[1, 1, 1], [0, 2, 0], [2, 0, 2]]


def test_runs_without_a_topic_have_no_points_on_it(tmp_path: Path) -> None:
    """Which is less than a score of 0: both others beat it, and tie. So it is in one collection of several."""
    files = {"qrels": "1 0 a 1\n2 0 a 1\n"}
    for name, topics in (("x", "12"), ("y", "12"), ("z", "1")):
        files[name] = "".join(f"{topic} Q0 {'a' if topic == '1' else 'b'} 1 1 {name}\n" for topic in topics)
    paths = all_written(tmp_path, files)
    for asked in (["ap-ci", "-B0"], ["map-ci", "--population=topics"]):
        found = rows(*asked, "--standardise", "rank", "--missing", "zero", *paths)
        assert [row["value"] for row in found if row["topic"] == "all"] == [1.25, 1.25, 0.5]
    # By itself ap-ci leaves a run out that lacks more than a tenth of the topics.
    asked = ["ap-ci", "-B0", "--standardise", "rank"]
    assert rows(*asked, *paths) == rows(*asked, *paths[:3])
    (tmp_path / "list").write_text("".join(f"{name} qrels x y z\n" for name in "AB"))
    found = rows("map-ci", "--collections", tmp_path / "list", "--population", "topics", "--standardise", "rank")
    assert [row["value"] for row in found] == [1.25] * 6 + [0.5] * 3


def bounded_of(differences: list[float], end: float) -> tuple[float, float, float]:
    """Limits and p by 200,000 drawn weights of these and of one more at either end, by the definition."""
    weights = np.random.default_rng(1).dirichlet(np.ones(len(differences) + 1), 200_000)
    ends = [weights @ np.array([*differences, extra]) for extra in (-end, end)]
    either = np.concatenate(ends)
    below = (either < 0).mean()
    return *np.quantile(either, (0.025, 0.975)), 2 * min(below, 1 - below)


@pytest.mark.parametrize(("tasks", "by"), [(6, 1), (7, 1), (8, 1), (12, 1), (5, 2), (6, 2)])
def test_points_have_one_rule_for_limits_and_p(tasks: int, by: int, tmp_path: Path) -> None:
    """Where one run of three is always one place above another, or two, limits and p are the bounded ones, but for p that is
    no less than signs can give, and limits that hold 0 as it says. By signs six differences of 1 had p .031 and limits from
    -.18 to 1.39."""
    order = [2, 1, 0] if by == 1 else [2, 0, 1]
    scores = np.repeat(np.array(order, np.float64)[:, np.newaxis], tasks, axis=1)
    path = written(tmp_path, scores)
    (pair,) = [row for row in points_of("-n", "--baseline", "r0", path) if row["run"] == "r1"]
    lower, upper, p = bounded_of([-by] * tasks, 2)
    assert pair["test"] == pair["interval"] == "bounded"
    assert pair["p"] == pytest.approx(max(p, 2.0 ** (1 - tasks)), abs=0.004)
    assert pair["lower"] == pytest.approx(lower, abs=0.02)
    assert pair["upper"] == pytest.approx(max(upper, 0) if pair["p"] > 0.05 else upper, abs=0.02)
    assert (pair["upper"] < 0) == (pair["p"] <= 0.05) or (tasks, by) == (5, 2)


@pytest.mark.parametrize("options", [[], ["--test", "sign"]], ids=" ".join)
def test_points_of_two_runs_are_signs(options: list[str], tmp_path: Path) -> None:
    """Whether they tie or not p is the binomial test's of the others; limits hold 0 if and only if it is above .05."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        scores = np.round(rng.random((2, rng.integers(6, 20))) + 0.4 * np.eye(2)[:, :1], seed % 3)
        better, worse = ((side * (scores[0] - scores[1]) > 0).sum() for side in (1, -1))
        (pair,) = points_of("-n", "--baseline", "r1", *options, written(tmp_path, scores))
        assert pair["value"] == pytest.approx((better - worse) / scores.shape[1], abs=1e-12)
        assert pair["p"] == pytest.approx(binomtest(better, better + worse).pvalue, rel=1e-12)
        assert options or (pair["lower"] > 0 or pair["upper"] < 0) == (pair["p"] <= 0.05)


def test_what_points_refuse(tmp_path: Path) -> None:
    path = written(tmp_path, np.arange(12.0).reshape(3, 4))
    asked = ["map-ci", "--scores", "--standardise", "rank"]
    for options, told in (
        (["--seeds", r"(?P<system>r)(?P<seed>\d)"], "it cannot be used with --seeds"),
        (["--population", "documents"], "which scores do not have"),
    ):
        assert told in printed(*asked, *options, path, status=2)
    alone = written(tmp_path, np.ones((1, 4)))
    assert "to standardise scores, give at least two runs" in printed(*asked, alone, status=4)
    listed = tmp_path / "list"
    small = TESTDATA / "several" / "news"
    runs = sorted((small / "runs").iterdir())
    listed.write_text(
        f"A\t{small}/qrels.txt\t{small}/runs/*\nB\t{small}/qrels.txt\t" + "\t".join(map(str, runs[:2])) + "\n"
    )
    refused = printed("map-ci", "--collections", listed, "--standardise", "rank", status=4)
    assert "some collections have other runs to be beaten" in refused

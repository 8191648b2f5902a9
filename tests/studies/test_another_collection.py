"""map-ci --collections: limits of tau, and of one more collection, by plain formulas."""

import math
from functools import partial
from pathlib import Path
from typing import Any

import command_lines
import numpy as np
import pytest
from command_lines import irci
from helpers import pick, score_table
from scipy import optimize, stats

rows_of = partial(command_lines.rows_of, "map-ci")
SIZES = {"x": 25, "y": 30, "z": 22, "w": 40}
PREDICTION = ("--interval", "prediction")

Cells = dict[str, dict[str, np.ndarray]]


def drawn(sizes: dict[str, int], seed: int = 1, tau: float = 0.08) -> Cells:
    """Scores of two runs on each collection; their true difference varies from one to another."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, size in sizes.items():
        first = rng.normal(0.5, 0.1, size)
        found[name] = {"a": first, "b": first + rng.normal(0.02 + rng.normal(0, tau), 0.08, size)}
    return found


def written(path: Path, cells: Cells, measure: str = "x") -> str:
    found = ((name, run, topic, score) for name, runs in cells.items() for run, scores in runs.items()
             for topic, score in enumerate(scores))  # fmt: skip
    return str(score_table(path, found, "collection run topic value", measure))


def moments(cells: Cells, of: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean in each collection, and its variance, of a run or of the difference."""
    scores = [runs["b"] - runs["a"] if of == "difference" else runs[of] for runs in cells.values()]
    return np.array([each.mean() for each in scores]), np.array([each.var(ddof=1) / len(each) for each in scores])


def excess(tau2: float, means: np.ndarray, variances: np.ndarray, level: float) -> float:
    """Q with these weights, above a level."""
    weights = 1 / (variances + tau2)
    return float((weights * (means - np.average(means, weights=weights)) ** 2).sum() - level)


def test_limits_of_tau_are_ones_that_differences_on_the_scale_can_have(tmp_path: Path) -> None:
    """Differences of scores from 0 to 1 lie in [-1, 1]: their standard deviation is at most 1; without a scale nothing is
    known of it."""
    rng = np.random.default_rng(4)
    small: Cells = {name: {run: rng.uniform(low, low + 0.2, 8) for run, low in runs.items()}
                    for name, runs in {"x": {"a": 0.1, "b": 0.1}, "y": {"a": 0.1, "b": 0.3}}.items()}  # fmt: skip
    beyond = {name: {run: scores + 2 for run, scores in runs.items()} for name, runs in small.items()}
    means, variances = moments(small, "difference")
    level = stats.chi2.ppf(0.025, 1)
    free = math.sqrt(optimize.brentq(excess, 0, 1e3, (means, variances, level)))
    assert free > 2
    for measure, cells, expected in (("AP", small, 1), ("z", beyond, free)):
        path = written(tmp_path / "x", cells, measure)
        (row,) = (row for row in rows_of("-n", "--baseline", "a", "--scores", path) if "tau" in row)
        assert row["upper"] == pytest.approx(expected, rel=1e-6)
        assert row["lower"] <= row["tau"] <= row["upper"]


def test_limits_of_one_more_collection(tmp_path: Path) -> None:
    """m +- t(G - 1) s sqrt(1 + 1 / G), of runs and of the difference; all other cells as without."""
    cells = drawn(SIZES)
    path = written(tmp_path / "x", cells)
    plain, predicted = (rows_of("--baseline", "a", *option, "--scores", path) for option in ((), PREDICTION))
    told = 0
    for row, other in zip(predicted, plain, strict=True):
        if row.get("population") != "collections":
            for_all = {
                name: cell for name, cell in other.items() if not name.endswith("_adjusted") or name == "p_adjusted"
            }
            assert all(row[name] == cell for name, cell in for_all.items() if cell == cell)
            continue
        means, _ = moments(cells, "difference" if "baseline" in row else str(row["run"]))
        reach = stats.t.ppf(0.975, 3) * means.std(ddof=1) * math.sqrt(1 + 1 / 4)
        expected = [means.mean(), means.mean() - reach, means.mean() + reach]
        assert [row[name] for name in ("value", "lower", "upper")] == pytest.approx(expected, rel=1e-9)
        assert row["upper"] > other["upper"]
        assert [row.get(name) for name in ("p", "df")] == [other.get(name) for name in ("p", "df")]
        told += 1
    assert told == 3


def test_where_there_is_no_such_collection(tmp_path: Path) -> None:
    two = written(tmp_path / "two", drawn({"x": 25, "y": 30}))
    refused = irci("map-ci", *PREDICTION, "--population", "collections", "--scores", two, status=4)
    assert "--interval prediction needs 3 collections or more, not 2" in refused.stderr


def test_a_collection_of_one_topic_allows_no_tau(tmp_path: Path) -> None:
    path = written(tmp_path / "x", drawn({**SIZES, "one": 1}))
    rows = rows_of("-n", "--baseline", "a", *PREDICTION, "--population", "collections", "--scores", path)
    (row,), (tau,) = ([row for row in rows if name in row] for name in ("value", "tau"))
    assert row["lower"] < row["value"] < row["upper"]
    assert all(math.isnan(tau[name]) for name in ("tau", "lower", "upper"))


# The wider claim, beside the narrower one.

P_OF_PAIRS = [f"p{what}{how}" for what in ("", "_equivalence", "_not_worse") for how in ("", "_adjusted")]


@pytest.mark.parametrize("correction", ["holm", "maxt", "bh"])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("groups", ["clusters", "collections"])
def test_rows_over_groups_are_no_surer_than_over_their_topics(
    groups: str, seed: int, correction: str, tmp_path: Path
) -> None:
    """Every p, adjusted or not, is no less, and every limit no nearer; of graded scores, of hits, of copies, of few groups."""
    rng = np.random.default_rng([seed, len(groups), len(correction)])
    sizes = rng.integers(2, 12, rng.integers(2, 9))
    place = np.repeat(np.arange(len(sizes)), sizes)
    effects = rng.normal(0, rng.choice([0, 0.05, 0.15]), (3, len(sizes)))[:, place]
    scores = np.clip(0.5 + effects + rng.normal(0, 0.1, (3, len(place))), 0, 1).round(6)
    scores = [scores, (scores > 0.5) * 1.0, np.where(rng.random(len(place)) < 0.7, scores[0], scores)][seed % 3]
    cells = [(f"c{place[topic]}", f"r{run}", f"c{place[topic]}t{topic}", score)
             for (run, topic), score in np.ndenumerate(scores)]  # fmt: skip
    options = ["--all-pairs", "--margin", ".05", "--correction", correction, *scores_in(groups, tmp_path / "s", cells)]
    found: dict[tuple[Any, Any], dict[str, Any]] = {}
    for row in command_lines.rows("map-ci", *options):
        if row.get("collection", "all") == "all" and "population" in row:
            found.setdefault((row["run"], row.get("baseline")), {})[row["population"]] = row
    compared = 0
    for (_, baseline), both in found.items():
        for row in both.values():
            if row["lower"] is not None:  # scores lie between 0 and 1
                assert (-1 if baseline else 0) <= row["lower"] <= row["value"] <= row["upper"] <= 1
        wide, narrow = both[groups], both["topics"]
        assert wide["value"] == pytest.approx(narrow["value"], abs=1e-12)
        for name in P_OF_PAIRS:
            if wide.get(name) is not None and narrow.get(name) is not None:
                assert wide[name] >= narrow[name] - 1e-12, name
                compared += 1
        for name, side in (("lower", -1), ("upper", 1), ("lower_adjusted", -1), ("upper_adjusted", 1)):
            if wide.get(name) is not None and narrow.get(name) is not None:
                assert side * wide[name] >= side * narrow[name] - 1e-12, name
    assert len(found) == 6
    assert compared > 3


def scores_in(groups: str, path: Path, cells: list[tuple[str, str, str, float]]) -> list[str]:
    """Of (group, run, topic, score) the options that read them as clusters or collections."""
    if groups == "collections":
        return ["--scores", str(score_table(path, cells, "collection run topic value", "main_score"))]
    return ["--clusters", r"(?P<cluster>c\d)t.*", "--scores",
            str(score_table(path, (cell[1:] for cell in cells), measure="main_score"))]  # fmt: skip


@pytest.mark.parametrize("groups", ["clusters", "collections"])
def test_equal_means_of_few_groups_show_nothing(groups: str, tmp_path: Path) -> None:
    """Of three groups with the same differences p is 2^-2, by signs, so that limits, which are those over topics, hold 0."""
    differences = [0.1, 0.2, 0.3, 0.2, 0.15, 0.25, 0.1, 0.3]
    cells = [(f"c{group}", run, f"c{group}t{topic}", 0.5 + difference * (run == "b"))
             for group in range(3) for run in "ab" for topic, difference in enumerate(differences)]  # fmt: skip
    found = command_lines.rows("map-ci", "--all-pairs", *scores_in(groups, tmp_path / "s", cells))
    found = [row for row in found if row.get("baseline") and row.get("collection", "all") == "all"]
    (wide,), (narrow,) = (pick(found, population=name) for name in (groups, "topics"))
    assert narrow["lower"] > 0.1
    assert (wide["p"], wide["lower"], wide["upper"]) == (0.25, 0, narrow["upper"])
    assert wide.get("lower_adjusted") in (None, 0)

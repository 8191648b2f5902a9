"""map-ci --seeds: variances and degrees of freedom against loops, a mixed model and simulation; checkpoints given against
map-ci of averages; order, company, edges and refusals."""

import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import command_lines
import naive_structured
import numpy as np
import pytest
from command_lines import irci as command
from helpers import matrix, pick, run_scores, words
from scipy import stats

import irci as api
from irci.estimators.grouped import over_seeds, system_means

RULE = r"(?P<system>.+)\.s(?P<seed>\d+)"
Runs = Mapping[str, np.ndarray]


irci = partial(command, "map-ci")
rows_of = partial(command_lines.rows_of, "map-ci")
warnings_of = partial(command_lines.warnings_of, "map-ci")


def simulated(
    rng: np.random.Generator, sizes: tuple[int, ...], topics: int = 12, of_seeds: float = 0.03, interaction: float = 0.08,
    rest: float = 0.04,
) -> list[np.ndarray]:  # fmt: skip
    """Scores [k, T] of systems with so many seeds, all equal in the long run: topics, topics by system, seeds, the rest."""
    level, found = rng.normal(0.4, 0.15, topics), []
    for k in sizes:
        own = level + rng.normal(0, interaction, topics) + rng.normal(0, of_seeds, (k, 1))
        found.append(np.clip(own + rng.normal(0, rest, (k, topics)), 0, 1))
    return found


def named(systems: list[np.ndarray], names: str = "abcdefgh") -> dict[str, np.ndarray]:
    """Runs a.s1, a.s2, ... of the systems' scores."""
    return {
        f"{name}.s{seed}": scores for name, of in zip(names, systems, strict=False) for seed, scores in enumerate(of, 1)
    }


def written(folder: Path, runs: Runs) -> str:
    return run_scores(folder / "scores.tsv", runs)


def listed(folder: Path, *lines: str) -> str:
    path = folder / "seeds.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def check(row: Mapping[str, Any], mean: float, variance: float, df: float) -> None:
    """A row holds these, and the limits and p that follow."""
    reach = stats.t.ppf(0.975, df) * math.sqrt(variance)
    expected = [mean, mean - reach, mean + reach, df]
    assert [row[name] for name in ("value", "lower", "upper", "df")] == pytest.approx(expected, rel=1e-10)
    assert row["sd_seeds_component"] ** 2 + row["sd_topics"] ** 2 == pytest.approx(variance, rel=1e-10)
    if "p" in row:
        assert row["p"] == pytest.approx(2 * stats.t.sf(abs(mean) / math.sqrt(variance), df), rel=1e-9)


def test_seeds_against_naive(tmp_path: Path) -> None:
    """Unlike numbers of seeds; one system whose seeds do not vary beyond chance."""
    systems = simulated(np.random.default_rng(5), (3, 5, 6, 4))
    systems[3] = systems[3] - systems[3].mean(axis=1, keepdims=True) + 0.4
    path = written(tmp_path, named(systems))
    rows = rows_of("--scores", "--seeds", RULE, "--all-pairs", path)
    for name, of in zip("abcd", systems, strict=True):
        (row,) = pick(rows, run=name, population="seeds", measure="map")
        check(row, *naive_structured.over_seeds(of.tolist()))
        assert row["seeds"] == len(of)
        over_seeds = np.std(of.mean(axis=1), ddof=1) if len(of) > 1 else math.nan
        assert row["sd_seeds"] == pytest.approx(over_seeds, rel=1e-10, nan_ok=True)
    assert pick(rows, run="d", population="seeds", measure="map")[0]["sd_seeds_component"] == 0
    compared = pick(rows, measure="map_diff", population="seeds")
    assert len(compared) == 6
    for row in compared:
        one, other = (systems["abcd".index(row[side])] for side in ("run", "baseline"))
        check(row, *naive_structured.over_seeds(one.tolist(), other.tolist()))
        assert (row["seeds"], row["seeds_baseline"]) == (len(one), len(other))


@pytest.mark.parametrize("measure", ["map", "gm_map", "lmap"])
def test_checkpoints_given_are_averages_of_seeds(tmp_path: Path, measure: str) -> None:
    """Rows for topics are those of map-ci of the means over seeds; on the scale of the measure."""
    systems = [np.clip(each, 0.01, 0.99) for each in simulated(np.random.default_rng(3), (3, 2, 4))]
    forward, back = {
        "map": (np.array, np.array), "gm_map": (np.log, np.exp),
        "lmap": (lambda p: np.log(p / (1 - p)), lambda x: 1 / (1 + np.exp(-x))),
    }[measure]  # fmt: skip
    means = {name: back(forward(of).mean(axis=0)) for name, of in zip("abc", systems, strict=True)}
    asks = ("--scores", "-m", measure, "--all-pairs", "--ranks", "--population", "topics", "--test", "randomization")
    plain = rows_of(*asks, run_scores(tmp_path / "means", means))
    for expected, row in zip(plain, rows_of(*asks, "--seeds", RULE, written(tmp_path, named(systems))), strict=True):
        for name in set(expected) & set(row):
            is_number = isinstance(row[name], float)
            assert row[name] == (pytest.approx(expected[name], rel=1e-8) if is_number else expected[name]), name


def test_seeds_that_differ_on_one_topic_add_nothing_whatever_the_order_of_topics() -> None:
    """b = var(x) / T^2 is then MS / T, and own exactly 0: df is T - 1, of each system with as many seeds as you like."""
    rng = np.random.default_rng(3)
    for topics in (2, 6, 11, 50) * 50:
        scores = rng.integers(0, 11, (2, topics)) / 10
        values = np.repeat(scores, 3, axis=0)
        values[:3, rng.integers(topics)] = 0.1, 0.2, 0.1
        values[3:, rng.integers(topics)] = rng.choice([[0.2, 0.3, 0.8], [1e-4, 2e-4, 0], [1 / 3, 0.25, 0.25]])
        systems, pairs = [[0, 1, 2], [3, 4, 5]], np.array([[1, 0], [0, -1], [1, -1]])
        found = over_seeds(values, system_means(values, systems), systems, np.ones(2, np.bool_), pairs, seeds_vary=True)
        assert (found.columns["sd_seeds_component"] == 0).all()
        assert found.of_seeds is not None
        assert not found.of_seeds.any()
        assert found.df[found.error > 0] == pytest.approx(topics - 1, rel=1e-12)


def test_fewer_than_three_seeds_speak_of_these_checkpoints_only(tmp_path: Path) -> None:
    """A run that matches no rule has one seed: rows for seeds are those of systems with three."""
    systems = simulated(np.random.default_rng(9), (1, 3, 3, 2))
    runs = {"bm25": systems[0][0], **named(systems[1:])}
    asks = ("--scores", "--all-pairs", "--ranks", "--seeds", RULE, written(tmp_path, runs))
    rows = rows_of(*asks)
    assert [row["run"] for row in pick(rows, measure="map", population="seeds")] == ["a", "b"]
    assert [row["run"] for row in pick(rows, measure="map", population="topics")] == ["bm25", "a", "b", "c"]
    (row,) = pick(rows, measure="map_diff", population="seeds")
    assert (row["run"], row["baseline"]) == ("b", "a")
    assert row["p_adjusted"] == row["p"]  # the only one of its family
    (row,) = pick(rows, measure="rank", population="seeds", run="bm25")
    assert (row["lower"], row["upper"]) == (1, 4)
    told = warnings_of(*asks)
    assert "map: no test over seeds for 5 pairs: too little is known" in told
    (few,) = (each for each in told if each.startswith("2 systems with fewer than three seeds"))
    assert few.endswith("; their ranks over seeds are unknown: bm25 c")


def test_a_comparison_of_which_nothing_is_known_is_refused(tmp_path: Path) -> None:
    """Whether or not something is to fail by it; where something is known of some pairs, a warning counts the others."""
    asks = ("--scores", "--seeds", RULE, written(tmp_path, named(simulated(np.random.default_rng(9), (1, 3, 3)))))
    for fails in ((), ("--fail-if", "worse")):
        untold = irci(*asks, "--baseline", "a", "--population", "seeds", *fails, status=4)
        assert "map: nothing can be said about 2 pairs over seeds (--population topics)" in untold.stderr
    for some in (("--baseline", "a"), ("--all-pairs", "--population", "seeds")):
        assert "map: no test over seeds for 2 pairs: too little is known" in warnings_of(*asks, *some)
    one = written(tmp_path, named(simulated(np.random.default_rng(13), (1, 1))))
    assert {row["population"] for row in rows_of("--scores", "--baseline", "a", "--seeds", RULE, one)} == {"topics"}


def test_seeds_that_differ_are_not_identical_though_their_averages_are(tmp_path: Path) -> None:
    """Over other seeds; these checkpoints are."""
    scores = np.array([0.25, 0.5, 0.125, 0.375, 0.75, 0.625])
    shift = np.array([[-0.125], [0], [0.125]])
    path = written(tmp_path, named([0.5 + (scores + shift) / 4, 0.5 + (scores - 2 * shift) / 4]))
    asks = (*words("--scores -n --baseline a --margin .01 --fail-if not-equivalent --seeds"), RULE, path)
    failing = irci(*asks, "--population", "seeds", status=5)
    assert "b against a (seeds): inconclusive" in failing.stderr
    assert rows_of(*asks, "--population", "topics")[0]["verdict"] == "identical"
    written(tmp_path, named([np.tile(scores, (3, 1))] * 2))
    assert rows_of(*asks, "--population", "seeds")[0]["verdict"] == "identical"


def test_what_is_not_trained_adds_no_variance(tmp_path: Path) -> None:
    """The seed - in a file: what varies are the seeds of the other, and topics."""
    (bm25,), trained = simulated(np.random.default_rng(10), (1, 4), of_seeds=0.1)
    runs = {"bm25": bm25, **named([trained])}
    seeds = listed(tmp_path, "bm25 bm25 -", *(f"{run} a {run[-1]}" for run in named([trained])))
    asks = ("--interval", "t", "--scores", "--baseline", "bm25", "--seeds", seeds, written(tmp_path, runs))
    rows = rows_of(*asks)
    (row,) = pick(rows, measure="map_diff", population="seeds")
    check(row, *naive_structured.over_seeds((trained - bm25).tolist()))
    assert (row["seeds"], row["seeds_baseline"]) == (4, 0)
    of_bm25 = pick(rows, measure="map", run="bm25")
    assert [row["lower"] for row in of_bm25] == [
        pytest.approx(stats.ttest_1samp(bm25, 0).confidence_interval().low)
    ] * 2
    assert warnings_of(*asks) == []


def test_a_system_that_cannot_be_tested_is_not_counted_as_open(tmp_path: Path) -> None:
    """Two seeds of one, three of another: over seeds only the second is tested."""
    rng = np.random.default_rng(1)
    scores = matrix(
        tmp_path / "scores.csv", rng.normal(0.3, 0.03, (6, 30)) + np.array([0, 1, 1, 1, 2, 2])[:, None] / 10
    )
    seeds = {"r0": ("base", "-"), **{f"r{n}": ("a", str(n)) for n in (1, 2, 3)}, "r4": ("b", "4"), "r5": ("b", "5")}
    (answer, *_) = api.compare(scores=scores, baseline="base", seeds=seeds).conclusion
    assert answer.endswith(
        "1 of 2 runs scores significantly higher than base in scores (by adjusted p): a; 1 could not be tested: b."
    )

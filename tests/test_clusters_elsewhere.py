"""Topics in clusters, in the commands beside map-ci: swap-error draws whole clusters, against loops over the topics of each
and enumeration of all sets of clusters; clusters of one topic are topics, to the last digit.
"""

import itertools
import json
import math
import statistics
from collections.abc import Sequence
from pathlib import Path

import naive
import numpy as np
import pytest
from click.testing import CliRunner
from conftest import SMALL

from irci.cli.group import main
from irci.methods.swap_error import error_rate, swap
from irci.methods.swap_error.discriminative_power import discriminative_power
from irci.studies.swap_error.units import Units

FILES = [str(SMALL / "qrels.txt"), *map(str, sorted((SMALL / "runs").iterdir()))]
EACH = "(?P<cluster>.+)"  # a cluster a topic
CLUSTERS = [[0], [1, 2], [3, 4, 5], [6, 7]]
SYSTEMS = 4


def said(*arguments: object, status: int = 0) -> str:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == status, result.output
    return result.stdout if status == 0 else result.stderr


def rows(*arguments: object) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(said(*arguments, "--quiet", "--format", "json"))["rows"]
    return found


def without(some: list[dict[str, object]], *columns: str) -> list[dict[str, object]]:
    return [{name: value for name, value in row.items() if name not in columns} for row in some]


def some_scores(seed: int) -> np.ndarray:
    """Of SYSTEMS systems on the topics of CLUSTERS."""
    return np.round(np.random.default_rng(seed).random((SYSTEMS, 8)), 2)


def units_of(scores: np.ndarray, *, alike: bool) -> Units:
    place = np.array([place for place, topics in enumerate(CLUSTERS) for _ in topics])
    return Units.of_groups("cluster", {"map": scores}, place, alike=alike)


def score_of(scores: np.ndarray, chosen: Sequence[int], *, alike: bool) -> list[float]:
    """Of each system over the topics of these clusters, or over the clusters' means."""
    return [
        statistics.fmean(statistics.fmean(float(of_run[t]) for t in CLUSTERS[g]) for g in chosen)
        if alike
        else statistics.fmean(float(of_run[t]) for g in chosen for t in CLUSTERS[g])
        for of_run in scores
    ]


# swap-error: error rates.


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("draw", ["subset", "partition", "bootstrap"])
def test_error_rates_of_sets_of_clusters_against_loops_over_topics(draw: str, alike: bool) -> None:
    scores = some_scores(1)
    settings = error_rate.Settings((7.0,), designs=3, sets=6, draw=draw, seed=5)
    (found,) = error_rate.error_rates_over_topics(units_of(scores, alike=alike).totals["map"], [2], settings)
    errors = []
    for design in error_rate.subsets_of_topics(len(CLUSTERS), 2, settings):
        sets = [score_of(scores, chosen.tolist(), alike=alike) for chosen in design.T]
        wrong, _, comparisons = naive.error_rate([[round(score, 12) for score in each] for each in sets], 0.07)
        errors.append(wrong / comparisons)
    assert found.rate == pytest.approx(statistics.fmean(errors), abs=1e-12)
    assert found.sd == pytest.approx(statistics.stdev(errors), abs=1e-12)


def test_error_rates_against_enumeration_of_all_partitions_into_sets_of_clusters() -> None:
    """Four clusters make two sets of two in three ways, each as likely."""
    scores = some_scores(2)
    every = []
    for other in (1, 2, 3):
        pair = [0, other]
        halves = [pair, [g for g in range(4) if g not in pair]]
        wrong, _, comparisons = naive.error_rate([score_of(scores, half, alike=False) for half in halves], 0.05)
        every.append(wrong / comparisons)
    assert len(set(every)) > 1
    settings = error_rate.Settings(designs=4000, draw="partition")
    (found,) = error_rate.error_rates_over_topics(units_of(scores, alike=False).totals["map"], [2], settings)
    assert found.rate == pytest.approx(statistics.fmean(every), abs=4 * statistics.pstdev(every) / math.sqrt(4000))


# swap-error: swaps.


@pytest.mark.parametrize("alike", [False, True])
def test_swaps_of_sets_of_clusters_against_loops_over_topics(alike: bool) -> None:
    scores = some_scores(3)
    settings = swap.Settings(trials=7, seed=2)
    units = units_of(scores, alike=alike)
    found = swap.swaps(units.totals["map"], [1, 2], settings, weights=units.weights)
    for z, size in enumerate((1, 2)):
        comparisons, swapped = np.zeros((2, swap.NUM_BINS), np.int64)
        for one, other in zip(*swap.topic_sets(len(CLUSTERS), size, settings), strict=True):
            assert not set(one.tolist()) & set(other.tolist())
            means = np.array([score_of(scores, each.tolist(), alike=alike) for each in (one, other)])
            for a, b in itertools.combinations(range(SYSTEMS), 2):
                first, second = means[:, a] - means[:, b]
                place = min(int(abs(first) / 0.01 + 1e-9), 20)
                comparisons[place] += 1
                swapped[place] += first * second < -1e-15
        assert found.comparisons[z].tolist() == comparisons.tolist()
        assert found.swaps[z].tolist() == swapped.tolist()


# swap-error: discriminative power.


def test_levels_of_clusters_against_loops_over_topics() -> None:
    """The t of the ratio of cluster sums to cluster sizes, of the differences centred, over the clusters drawn."""
    scores = some_scores(4)
    units = units_of(scores, alike=False)
    found = discriminative_power(units.totals["map"], (0.1,), 200, 3, weights=units.weights)
    from irci.bootstrap.topics import topic_counts

    counts = topic_counts(len(CLUSTERS), 200, 3)

    def t(values: Sequence[Sequence[float]]) -> tuple[float, float]:
        number, of = len(values), sum(map(len, values))
        mean = sum(map(sum, values)) / of
        squares = sum(sum(value - mean for value in each) ** 2 for each in values)
        error = math.sqrt(number / (number - 1) * squares) / of
        return (abs(mean) / error if error > 1e-12 else math.inf if abs(mean) > 1e-12 else 0.0), abs(mean)

    for place, (a, b) in enumerate(itertools.combinations(range(SYSTEMS), 2)):
        between = [[float(scores[a, t] - scores[b, t]) for t in topics] for topics in CLUSTERS]
        mean = statistics.fmean(value for each in between for value in each)
        centred = [[value - mean for value in each] for each in between]
        drawn = [t([centred[g] for g in range(4) for _ in range(column[g])]) for column in counts.T]
        assert found.difference[place] == pytest.approx(mean)
        level = statistics.fmean(each >= t(between)[0] * (1 - 1e-9) for each, _ in drawn)
        assert found.asl[place] == pytest.approx(level, abs=1e-12)


# swap-error: the command.


@pytest.mark.parametrize("mean", ["topics", "clusters"])
@pytest.mark.parametrize("procedure", ["error-rate", "swap", "discriminative-power"])
def test_clusters_of_one_topic_are_topics_to_the_last_digit(procedure: str, mean: str) -> None:
    asked = ["swap-error", "--procedure", procedure, "-m", "map", "-m", "P_10", *FILES]
    found = rows(*asked, "--clusters", EACH, "--mean", mean)
    assert without(found, "units") == rows(*asked)
    assert all(row.get("units", "clusters") == "clusters" for row in found)


def test_clusters_from_a_file_and_by_a_rule_are_the_same_and_words_speak_of_them(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("".join(f"{topic}\tlast{topic % 10}\n" for topic in range(1, 21)))
    asked = ["swap-error", "--sizes", "1", *FILES, "--explain"]
    by_file, by_rule = (said(*asked, "--clusters", each) for each in (tmp_path / "c", r"\d?(?P<cluster>\d)"))
    assert by_file == by_rule
    assert "With 1 cluster, " in by_file
    assert "units: what sets are made of" in by_file


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["--mean", "clusters"], 2, "--mean is for --clusters"),
        (["--clusters", EACH, "--versions", "(?P<topic>.)(?P<version>.*)"], 2, "--versions"),
        (["--clusters", EACH, "--mean", "collections"], 2, "--mean collections"),
        (["--clusters", EACH, "--sizes", "90"], 4, "at most 19 clusters"),
        (["--clusters", "(?P<cluster>).*"], 4, "one cluster"),
        (["--clusters", "(?P<group>.)"], 2, "cluster alone"),
        (["--procedure", "judges", "--other-qrels", FILES[0], "--clusters", EACH], 2, "--clusters is for"),
    ],
)
def test_what_means_nothing_is_refused_by_swap_error(arguments: list[str], status: int, reason: str) -> None:
    assert reason in said("swap-error", *arguments, *FILES, status=status)


# Several collections in one table of scores.

HEADER = "collection\trun\ttopic\tmeasure\tvalue\n"


def table_of_collections(path: Path, values: dict[str, np.ndarray], *, header: bool = True) -> Path:
    """Score files of collections: values[runs, topics] of each; topics are called alike everywhere."""
    lines = [
        f"{collection}\trun{run}\t{topic}\tmap\t{float(value)!r}\n"
        for collection, table in values.items()
        for run, of_run in enumerate(table)
        for topic, value in enumerate(of_run)
    ]
    path.write_text(HEADER + "".join(lines))
    return path


def means_as_topics(path: Path, values: dict[str, np.ndarray]) -> Path:
    """The runs' means on each collection, as if they were scores on topics."""
    lines = [
        f"run{run}\t{collection}\tmap\t{statistics.fmean(map(float, of_run))!r}\n"
        for collection, table in sorted(values.items())
        for run, of_run in enumerate(table)
    ]
    path.write_text("run\ttopic\tmeasure\tvalue\n" + "".join(lines))
    return path


@pytest.mark.parametrize("procedure", ["error-rate", "swap", "discriminative-power"])
def test_sets_of_collections_are_those_of_their_means(tmp_path: Path, procedure: str) -> None:
    rng = np.random.default_rng(8)
    values = {f"c{number}": rng.random((3, number)) for number in range(2, 9)}
    whole = table_of_collections(tmp_path / "whole", values)
    means = means_as_topics(tmp_path / "means", values)
    asked = ["swap-error", "--procedure", procedure, "--scores"]
    found = rows(*asked, whole)
    plain = rows(*asked, means)
    assert {row["units"] for row in found} == {"collections"}
    for one, other in zip(without(found, "units"), plain, strict=True):
        assert one == pytest.approx(other, nan_ok=True)


def test_runs_that_a_collection_lacks_are_named_and_left_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    values = {"a": rng.random((3, 4)), "b": rng.random((2, 5)), "c": rng.random((3, 6))}
    path = table_of_collections(tmp_path / "s", values)
    result = CliRunner().invoke(main, ["swap-error", "--scores", str(path), "--format", "json"])
    assert "1 run without scores of some collection, left out: run2" in result.stderr
    signature = json.loads(result.stdout)["signature"]
    assert (signature["num_runs"], signature["num_collections"], signature["num_topics"]) == (2, 3, 15)


def test_what_is_of_one_collection_is_refused_with_several(tmp_path: Path) -> None:
    values = {"a": np.random.default_rng(1).random((2, 4)), "b": np.random.default_rng(2).random((2, 4))}
    path = table_of_collections(tmp_path / "s", values)
    assert "one collection" in said("swap-error", "--scores", "--clusters", EACH, path, status=2)
    assert "one collection" in said("swap-error", "--scores", "--save-scores", tmp_path / "o", path, status=4)
    assert not (tmp_path / "o").exists()
    for command in ("ap-ci", "stdap-ci"):
        assert "2 collections" in said(command, "--scores", path, status=4)

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
import naive_structured
import numpy as np
import pytest
from click.testing import CliRunner
from command_lines import printed as said
from command_lines import rows
from helpers import SMALL
from scipy import stats

from irci.cli.group import main
from irci.methods.swap_error import error_rate, swap
from irci.methods.swap_error.discriminative_power import discriminative_power
from irci.methods.wcw import (
    TopicSetDesign,
    clustered_variances,
    expected_width,
    system_variance,
    topics_needed,
)
from irci.stats.bounded import bounded_limits
from irci.stats.estimates import Nested, groups_vary
from irci.studies.swap_error.request import Units

FILES = [str(SMALL / "qrels.txt"), *map(str, sorted((SMALL / "runs").iterdir()))]
EACH = "(?P<cluster>.+)"  # a cluster a topic
CLUSTERS = [[0], [1, 2], [3, 4, 5], [6, 7]]
SYSTEMS = 4


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
def test_error_rates_of_sets_of_clusters_against_loops_over_topics(alike: bool) -> None:
    scores = some_scores(1)
    settings = error_rate.QuerySetDesign((7.0,), designs=3, sets=6, seed=5)
    (found,) = error_rate.error_rates_over_topics(units_of(scores, alike=alike).totals["map"], [2], settings)
    errors = []
    for design in error_rate.subsets_of_topics(len(CLUSTERS), 2, settings):
        sets = [score_of(scores, chosen.tolist(), alike=alike) for chosen in design.T]
        wrong, _, comparisons = naive.error_rate([[round(score, 12) for score in each] for each in sets], 0.07)
        errors.append(wrong / comparisons)
    assert found.rate == pytest.approx(statistics.fmean(errors), abs=1e-12)
    assert found.sd == pytest.approx(statistics.stdev(errors), abs=1e-12)


# swap-error: swaps.


@pytest.mark.parametrize("alike", [False, True])
def test_swaps_of_sets_of_clusters_against_loops_over_topics(alike: bool) -> None:
    scores = some_scores(3)
    settings = swap.SwapTrials(trials=7, seed=2)
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


@pytest.mark.sample(2)
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
    assert "; units: clusters\n" in by_file


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["--mean", "clusters"], 2, "--mean is for --clusters"),
        (["--clusters", EACH, "--versions", "(?P<topic>.)(?P<version>.*)"], 2, "--versions"),
        (["--clusters", EACH, "--mean", "collections"], 2, "'collections' is not one of"),
        (["--clusters", EACH, "--sizes", "90"], 4, "at most 19 clusters"),
        (["--topics", "10,11,12,13", "--clusters", "(?P<cluster>1)."], 4, "one cluster"),
        (["--clusters", "(?P<group>.)"], 2, "cluster alone"),
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
    asked = ["swap-error", "--procedure", procedure, *(["--sizes", "1,2,3"] if procedure == "swap" else []), "--scores"]
    found = rows(*asked, whole)
    plain = rows(*asked, means)
    assert {row["units"] for row in found} == {"collections"}
    for one, other in zip(without(found, "units"), plain, strict=True):
        assert one == pytest.approx(other, nan_ok=True)


def test_few_collections_have_sizes_enough_for_a_curve(tmp_path: Path) -> None:
    """From 1 where sizes from 5 are fewer than three; with too few collections no curve and no difference needed."""
    rng = np.random.default_rng(18)
    swapping = ["swap-error", "--procedure", "swap", "--scores"]
    for number, sizes in ((14, "5 6 7"), (13, "1 2 3 4 5 6"), (10, "1 2 3 4 5")):
        path = table_of_collections(tmp_path / "s", {f"c{place:02}": rng.random((10, 2)) for place in range(number)})
        assert json.loads(said(*swapping, "--quiet", "--format", "json", path))["signature"]["sizes"] == sizes
    assert rows(*swapping, "--table", "needed", str(path))
    few = table_of_collections(tmp_path / "few", {f"c{place:02}": rng.random((10, 2)) for place in range(5)})
    asked = [*swapping, "--table", "needed", str(few)]
    assert not rows(*asked)
    assert "no curves: they take 3 sizes of sets, not 2" in CliRunner().invoke(main, asked).stderr


def test_few_clusters_and_collections_are_warned_of(tmp_path: Path) -> None:
    rng = np.random.default_rng(19)
    told = {}
    for number in (9, 10):
        path = table_of_collections(tmp_path / "s", {f"c{place:02}": rng.random((3, 2)) for place in range(number)})
        for command in ("swap-error", "wcw"):
            told[command, number] = CliRunner().invoke(main, [command, "--scores", str(path)]).stderr
    rough = "only 9 collections: what sets of them show is a rough guide to other collections"
    assert [rough in each for each in told.values()] == [True, False, False, False]
    rough = "only 9 collections: the variance between them is a rough estimate, and so is what it takes"
    assert [rough in each for each in told.values()] == [False, True, False, False]
    by_rule = CliRunner().invoke(main, ["wcw", "--clusters", r"(?P<cluster>\d)\d?", *FILES]).stderr
    assert "only 9 clusters: the variance between them" in by_rule


def test_the_order_of_lines_of_collections_changes_no_digit(tmp_path: Path) -> None:
    rng = np.random.default_rng(20)
    values = {f"c{place}": rng.random((3, 2 + place)) for place in range(8)}
    paths = [
        table_of_collections(tmp_path / "one", values),
        table_of_collections(tmp_path / "other", dict(reversed(values.items()))),
    ]
    for command in (["swap-error"], ["swap-error", "--procedure", "discriminative-power"], ["wcw"]):
        one, other = (rows(*command, "--scores", path) for path in paths)
        assert one == other


def test_a_collection_without_the_topics_asked_for_is_left_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(21)
    values = {f"c{place}": rng.random((3, 2 + place)) for place in range(8)}
    path = table_of_collections(tmp_path / "s", values)
    some = table_of_collections(tmp_path / "some", {name: values[name][:, 4:6] for name in list(values)[3:]})
    warned = CliRunner().invoke(main, ["wcw", "--scores", "--topics", "2,3", str(path)]).stderr
    assert f"{path}: 1 collection without any of the topics asked for, left out: c0" in warned
    assert rows("wcw", "--scores", "--topics", "2,3", path)[0]["collections"] == 7
    assert rows("wcw", "--scores", "--topics", "4,5", path) == rows("wcw", "--scores", some)
    assert "none of the topics asked for" in said("wcw", "--scores", "--topics", "77", path, status=4)


def test_runs_that_a_collection_lacks_are_named_and_left_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    values = {"a": rng.random((3, 4)), "b": rng.random((2, 5)), "c": rng.random((3, 6))}
    path = table_of_collections(tmp_path / "s", values)
    result = CliRunner().invoke(main, ["swap-error", "--scores", str(path), "--format", "json"])
    assert "1 run without scores on some collection, left out: run2" in result.stderr
    signature = json.loads(result.stdout)["signature"]
    assert (signature["num_runs"], signature["num_collections"], signature["num_topics"]) == (2, 3, 15)


def test_collections_of_other_runs_are_refused(tmp_path: Path) -> None:
    (tmp_path / "s").write_text(f"{HEADER}a\tx\t1\tmap\t.1\na\tx\t2\tmap\t.2\nb\ty\t1\tmap\t.3\nb\ty\t2\tmap\t.4\n")
    for command in ("swap-error", "wcw"):
        assert "no run has scores on every collection (a b)" in said(command, "--scores", tmp_path / "s", status=4)


def test_what_is_of_one_collection_is_refused_with_several(tmp_path: Path) -> None:
    values = {"a": np.random.default_rng(1).random((2, 4)), "b": np.random.default_rng(2).random((2, 4))}
    path = table_of_collections(tmp_path / "s", values)
    assert "one collection" in said("swap-error", "--scores", "--clusters", EACH, path, status=2)
    assert "one collection" in said("swap-error", "--scores", "--save-scores", tmp_path / "o", path, status=4)
    assert not (tmp_path / "o").exists()
    for command in ("ap-ci", "stdap-ci"):
        assert "2 collections" in said(command, "--scores", path, status=4)


# wcw: variances within clusters and between them.


def nested_by_loops(scores: np.ndarray, clusters: Sequence[Sequence[int]]) -> tuple[float, float, float]:
    """Mean squares between and within clusters of scores[systems, topics], one-way in each system, pooled; and n0."""
    between = within = 0.0
    members = sum(map(len, clusters))
    for of_run in scores:
        mean = statistics.fmean(float(of_run[t]) for topics in clusters for t in topics)
        for topics in clusters:
            of_cluster = statistics.fmean(float(of_run[t]) for t in topics)
            between += len(topics) * (of_cluster - mean) ** 2
            within += sum((float(of_run[t]) - of_cluster) ** 2 for t in topics)
    number, systems = len(clusters), len(scores)
    size = (members - sum(len(topics) ** 2 for topics in clusters) / members) / (number - 1)
    return between / (systems * (number - 1)), within / (systems * (members - number)), size


PLACE = np.array([place for place, topics in enumerate(CLUSTERS) for _ in topics])


def test_variances_within_and_between_against_loops() -> None:
    scores = some_scores(5)
    found = clustered_variances(scores.T, PLACE, residual=False)
    between, within, size = nested_by_loops(scores, CLUSTERS)
    assert (found.between_ms, found.within_ms, found.size) == pytest.approx((between, within, size))
    assert (found.between_df, found.within_df) == (SYSTEMS * 3, SYSTEMS * 4)
    assert found.between == pytest.approx(max(0, (between - within) / size))
    for of_run in scores:  # one system: the F of a textbook
        alone = clustered_variances(of_run[:, np.newaxis], PLACE, residual=False)
        expected = stats.f_oneway(*(of_run[topics] for topics in CLUSTERS)).statistic
        assert alone.between_ms / alone.within_ms == pytest.approx(expected)


def test_residual_variances_are_those_of_contrasts_of_systems() -> None:
    """What topics share is no part of them: of two systems, half the variances of the difference."""
    scores = some_scores(6)[:2]
    found = clustered_variances(scores.T, PLACE, residual=True)
    difference = (scores[0] - scores[1])[np.newaxis] / math.sqrt(2)
    between, within, _ = nested_by_loops(difference, CLUSTERS)
    assert (found.between_ms, found.within_ms) == pytest.approx((between, within))
    assert (found.between_df, found.within_df) == (3, 4)


@pytest.mark.parametrize("residual", [False, True])
def test_clusters_of_one_topic_have_the_variance_of_topics_to_the_last_digit(residual: bool) -> None:
    scores = np.random.default_rng(7).random((50, 7))
    found = clustered_variances(scores, np.arange(50), residual=residual)
    assert (found.of_mean(found.size), found.between_df) == system_variance(scores, residual=residual)
    assert found.size == 1
    assert math.isnan(found.of_mean(2))


# wcw: the command.

VARIANCE = [
    "wcw",
    "--variance",
    "AP=.0471",
    "--sizes",
    "10,20,50,100",
    "--width",
    ".05,.1",
    "--difference",
    ".05,.1",
    "--tool",
    "ci",
    "--tool",
    "t",
]
SAKAI = ("--tool", "anova", "--tool", "ci")
OF_CLUSTERS = ("clusters", "cluster_size")


@pytest.mark.parametrize("residual", [[], ["--residual"]])
def test_widths_with_clusters_of_one_topic_are_those_of_topics_to_the_last_digit(residual: list[str]) -> None:
    asked = ["wcw", *residual, *SAKAI, "--sizes", "10,20,50", "--width", ".1,.2", *FILES]
    plain, found = rows(*asked), rows(*asked, "--clusters", EACH)
    kinds = [row for row in found if str(row["table"]).startswith(("wcw", "topics"))]
    assert without(kinds, *OF_CLUSTERS) == plain[1:]
    assert found[1]["value"] == plain[0]["value"]
    assert rows(*VARIANCE) == without(rows(*VARIANCE, "--icc", "0", "--cluster-size", "1"), *OF_CLUSTERS)
    assert rows(*VARIANCE) == without(rows(*VARIANCE, "--icc", ".4", "--cluster-size", "1"), *OF_CLUSTERS)


def test_topics_in_clusters_are_clusters_with_the_variance_of_their_means() -> None:
    """Of 5 topics each, correlated .2: the variance of a mean is that of independent ones, times 1.8; df go with clusters."""
    found = rows(*VARIANCE, "--icc", ".2", "--cluster-size", "5")
    variance = 0.0471 * (0.2 + 0.8 / 5)
    by_clusters = [10 // 5, 20 // 5, 50 // 5, 100 // 5]
    widths = [row for row in found if row["table"] == "wcw_AP" and row["tool"] == "ci"]
    assert [row["clusters"] for row in widths] == by_clusters
    for row, clusters in zip(widths, by_clusters, strict=True):
        assert row["width"] == pytest.approx(expected_width(clusters, variance, TopicSetDesign()), rel=1e-12)
    for row in found:
        if row["table"] == "topics_AP":
            tool, amount = row["tool"], row["width" if "width" in row else "difference"]
            clusters = topics_needed(float(amount), variance, tool, TopicSetDesign())
            assert (row["clusters"], row["topics"]) == (clusters, 5 * clusters)


def test_sizes_that_make_no_whole_number_of_clusters_are_rounded_so_that_topics_suffice() -> None:
    asked = ["wcw", "--variance", "AP=.05", "--icc", ".3", "--tool", "ci", "--cluster-size", "7"]
    (width,) = rows(*asked, "--sizes", "50")
    assert (width["topics"], width["clusters"], width["cluster_size"]) == (49, 7, 7)
    assert len(rows(*asked, "--sizes", "49,50")) == 1
    assert "With 49 topics in 7 clusters," in said(*asked, "--sizes", "50", "--explain")
    (needed,) = rows(*asked, "--width", str(width["width"]))
    assert (needed["topics"], needed["clusters"]) == (49, 7)
    assert [row["topics"] for row in rows(*asked[:-1], "100")] == [200, 500, 1000, 2000]


def test_variances_of_clusters_as_the_command_prints_them(tmp_path: Path) -> None:
    scores = some_scores(11)
    lines = [f"run{run}\t{topic}\tmap\t{float(scores[run, topic])!r}\n" for run in range(SYSTEMS) for topic in range(8)]
    (tmp_path / "s").write_text("run\ttopic\tmeasure\tvalue\n" + "".join(lines))
    (tmp_path / "c").write_text("".join(f"{topic} c{place}\n" for topic, place in enumerate(PLACE)))
    asked = ["wcw", "--scores", "--clusters", tmp_path / "c", "--sizes", "8", "--tool", "ci", tmp_path / "s"]
    within, between, clustering, width = rows(*asked)
    between_ms, within_ms, size = nested_by_loops(scores, CLUSTERS)
    own = max(0, (between_ms - within_ms) / size)
    assert (within["value"], between["value"]) == pytest.approx((within_ms, own))
    assert (within["kind"], between["kind"]) == ("one-way within clusters", "one-way between clusters")
    assert within["clusters"] == 4
    icc = own / (own + within_ms)
    assert (clustering["icc"], clustering["cluster_size"]) == pytest.approx((icc, 2))
    assert clustering["design_effect"] == pytest.approx(1 + ((1 + 4 + 9 + 4) / 8 - 1) * icc)
    assert width["clusters"] == 4
    planned = own * 4 * (1 + 4 + 9 + 4) / 64 + within_ms * 4 / 8
    assert width["width"] == pytest.approx(expected_width(4, planned, TopicSetDesign()))
    wider = rows(*asked, "--cluster-size", "3")[-1]
    assert wider["width"] == pytest.approx(expected_width(8 // 3, own + within_ms / 3, TopicSetDesign()))


def test_pooled_files_of_clusters_are_pooled_by_degrees_of_freedom(tmp_path: Path) -> None:
    both = some_scores(12), some_scores(13)[:2]
    (tmp_path / "c").write_text("".join(f"{topic} c{place}\n" for topic, place in enumerate(PLACE)))
    for number, scores in enumerate(both):
        lines = [
            f"r{run}\t{topic}\tmap\t{float(of)!r}\n" for run, row in enumerate(scores) for topic, of in enumerate(row)
        ]
        (tmp_path / f"s{number}").write_text("run\ttopic\tmeasure\tvalue\n" + "".join(lines))
    files = [tmp_path / "s0", tmp_path / "s1"]
    within, between, *_ = rows("wcw", *SAKAI, "--scores", "--pool", "--clusters", tmp_path / "c", *files)
    (between_a, within_a, size), (between_b, within_b, _) = (nested_by_loops(scores, CLUSTERS) for scores in both)
    pooled = (4 * between_a + 2 * between_b) / 6, (4 * within_a + 2 * within_b) / 6
    assert (within["value"], between["value"]) == pytest.approx((pooled[1], max(0, (pooled[0] - pooled[1]) / size)))
    assert (within["df"], between["df"]) == (24, 18)


def test_collections_of_one_table_are_the_clusters_of_wcw(tmp_path: Path) -> None:
    rng = np.random.default_rng(14)
    values = {name: (rng.random((3, number)) + rng.random()) / 2 for name, number in (("a", 4), ("b", 6), ("c", 9))}
    path = table_of_collections(tmp_path / "s", values)
    within, between, clustering, *widths = rows("wcw", "--scores", "--tool", "ci", path)
    whole = np.hstack(list(values.values()))
    clusters = np.split(np.arange(19), [4, 10])
    between_ms, within_ms, size = nested_by_loops(whole, [some.tolist() for some in clusters])
    assert within["value"] == pytest.approx(within_ms)
    assert between["value"] == pytest.approx((between_ms - within_ms) / size)
    assert (between["kind"], between["collections"]) == ("one-way between collections", 3)
    assert clustering["cluster_size"] == pytest.approx(19 / 3)
    planned = between["value"] + within_ms * (1 / 4 + 1 / 6 + 1 / 9) / 3
    assert clustering["design_effect"] == pytest.approx(planned * 19 / 3 / (between["value"] + within_ms))
    assert [(row["topics"], row["collections"]) for row in widths] == [(19, 3), (45, 7), (95, 15)]
    for row in widths:
        expected = expected_width(int(row["collections"]), planned, TopicSetDesign())
        assert row["width"] == pytest.approx(expected)
    (pooled, *_) = rows("wcw", *SAKAI, "--scores", "--pool", path)  # within collections alone
    assert (pooled["kind"], pooled["value"]) == ("one-way", pytest.approx(within_ms))


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        ([*VARIANCE, "--cluster-size", "5"], 2, "--cluster-size needs --icc"),
        ([*VARIANCE, "--icc", ".1"], 2, "--icc needs --cluster-size"),
        ([*VARIANCE, "--clusters", EACH], 2, "--clusters is for variances from files"),
        ([*VARIANCE, "--icc", "1.1", "--cluster-size", "5"], 2, "0<=x<=1"),
        ([*VARIANCE, "--icc", ".1", "--cluster-size", "6"], 4, "--sizes 10: fewer than two clusters of 6 topics"),
        (["wcw", "--noncentrality", "--icc", ".1", "--cluster-size", "6"], 2, "--noncentrality"),
        (["wcw", "--judge-correlation", ".8", "--judged-topics", "90", "--icc", ".1"], 2, "--icc is not for"),
        (["wcw", "--cluster-size", "3", *FILES], 2, "--cluster-size needs --clusters"),
        (["wcw", "--clusters", EACH, "--icc", ".1", "--cluster-size", "3", *FILES], 2, "leave out --icc"),
        (["wcw", "--clusters", EACH, "--cluster-size", "3", *FILES], 4, "each cluster has one topic"),
        (["wcw", "--topics", "10,11,12,13", "--clusters", "(?P<cluster>1).", *FILES], 4, "one cluster"),
    ],
)
def test_what_means_nothing_is_refused_by_wcw(arguments: list[str], status: int, reason: str) -> None:
    assert reason in said(*arguments, status=status)


def test_what_clusters_add_is_told_where_they_add_something() -> None:
    """Of topics that are not correlated, or alone in their clusters, more do not help less."""
    asked = ["wcw", "--variance", "AP=.05", "--sizes", "20", "--tool", "ci", "--explain"]
    less = "more topics in each help less than more clusters"
    assert less in said(*asked, "--icc", ".3", "--cluster-size", "2")
    for nothing in (["--icc", "0", "--cluster-size", "2"], ["--icc", ".3", "--cluster-size", "1"]):
        told = said(*asked, *nothing)
        assert ("It is clusters that are sampled." in told, less in told) == (True, False)


@pytest.mark.parametrize(("alike", "margin"), [(False, 0.03), (True, 0.01)])
def test_widths_over_clusters_of_unlike_sizes_by_simulation(alike: bool, margin: float) -> None:
    """map-ci's limits over 25 clusters are as wide, on average, as planned: over clusters' means but for Monte-Carlo error,
    over topics as much wider as CR2 has fewer degrees of freedom than clusters less one. Were all of average size, they would
    be far narrower."""
    sizes, between, within, experiments = np.resize((30, 10, 5, 3, 2), 25), 0.0045, 0.018, 2000
    planned = Nested(10 * between + within, 1, within, 1, 10.0, sizes)
    assert planned.between == pytest.approx(between)
    rng, place = np.random.default_rng(17), np.repeat(np.arange(25), sizes)
    differences = rng.normal(0, math.sqrt(2 * between), (experiments, 25))[:, place]
    differences += rng.normal(0, math.sqrt(2 * within), (experiments, len(place)))
    lower, upper = groups_vary(differences, place, by_group=alike).limits(0.95)
    width = (upper - lower).mean()
    df = 24.0 if alike else naive_structured.cr2(differences[0].tolist(), place.tolist(), 0.2)[2]
    # Of the expected width t E[s], what depends on the degrees of freedom.
    reach = [stats.t.ppf(0.975, n) * stats.chi.mean(n) / math.sqrt(n) for n in (df, 24.0)]
    expected = expected_width(25, planned.of_cluster(alike=alike), TopicSetDesign()) * reach[0] / reach[1]
    assert width == pytest.approx(expected, rel=margin)
    assert expected_width(25, planned.of_mean(10), TopicSetDesign()) < 0.9 * width


def test_variances_within_and_between_by_simulation() -> None:
    """Unbiased for clusters of unlike sizes: means over many systems within four standard errors."""
    rng = np.random.default_rng(15)
    systems, between, within = 40_000, 0.3, 0.7
    own = rng.normal(0, math.sqrt(between), (len(CLUSTERS), systems))
    scores = own[PLACE] + rng.normal(0, math.sqrt(within), (len(PLACE), systems))
    found = clustered_variances(scores, PLACE, residual=False)
    estimates = np.array([(each.within_ms, (each.between_ms - each.within_ms) / each.size)
                          for each in (clustered_variances(scores[:, [system]], PLACE, residual=False)
                                       for system in range(2000))])  # fmt: skip
    bound = 4 * estimates.std(axis=0) / math.sqrt(systems)
    assert found.within_ms == pytest.approx(within, abs=bound[0])
    assert found.between == pytest.approx(between, abs=bound[1])


def test_widths_and_coverage_of_a_design_of_clusters_by_simulation() -> None:
    """t intervals of the difference of two systems, over so many clusters as a width takes, are as wide, and as right, as
    promised; one cluster less is too few; the width that is promised if topics are taken for independent is too narrow."""
    width, between, within, size = 0.15, 0.01, 0.04, 5
    (row,) = rows(
        "wcw", "--variance", "AP=.05", "--icc", ".2", "--cluster-size", size, "--width", width, "--tool", "ci"
    )
    clusters, experiments = int(str(row["clusters"])), 20_000
    assert row["topics"] == size * clusters
    rng = np.random.default_rng(16)

    def differences(number: int) -> np.ndarray:
        """The clusters' means of differences, of independent systems."""
        of_clusters = rng.normal(0, math.sqrt(2 * between), (experiments, number))
        return of_clusters + rng.normal(0, math.sqrt(2 * within / size), (experiments, number))

    def limits(values: np.ndarray) -> np.ndarray:
        number = values.shape[1]
        return stats.t.ppf(0.975, number - 1) * values.std(axis=1, ddof=1) / math.sqrt(number)

    values = differences(clusters)
    half = limits(values)
    error = 2 * half.std() / math.sqrt(experiments)
    promised = expected_width(clusters, between + within / size, TopicSetDesign())
    assert 2 * half.mean() == pytest.approx(promised, abs=4 * error)
    assert promised <= width < expected_width(clusters - 1, between + within / size, TopicSetDesign())
    held = (np.abs(values.mean(axis=1)) <= half).mean()
    assert held == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / experiments))
    naive_half = expected_width(size * clusters, between + within, TopicSetDesign()) / 2
    assert (np.abs(values.mean(axis=1)) <= naive_half).mean() < 0.89


# stdap-ci: limits over clusters.


def scores_file(path: Path, scores: np.ndarray) -> Path:
    lines = [
        f"run{run}\t{topic}\tmap\t{float(of)!r}\n" for run, row in enumerate(scores) for topic, of in enumerate(row)
    ]
    path.write_text("run\ttopic\tmeasure\tvalue\n" + "".join(lines))
    return path


@pytest.mark.parametrize("mean", ["topics", "clusters"])
def test_standardised_means_over_clusters_against_matrices(tmp_path: Path, mean: str) -> None:
    scores = some_scores(17)
    (tmp_path / "c").write_text("".join(f"{topic} c{place}\n" for topic, place in enumerate(PLACE)))
    asked = ["stdap-ci", "--scores", scores_file(tmp_path / "s", scores)]
    found = rows(*asked, "--clusters", tmp_path / "c", "--mean", mean)
    standardised = (scores - scores.mean(axis=0)) / scores.std(axis=0, ddof=1)
    of = naive_structured.cr2 if mean == "topics" else naive_structured.mean_of_means
    assert [row["measure"] for row in found] == ["smap", "map"] * SYSTEMS
    for row, values in zip(
        found, [each for run in range(SYSTEMS) for each in (standardised[run], scores[run])], strict=True
    ):
        expected = of(values.tolist(), PLACE.tolist())
        lower, upper, _ = naive_structured.limits_and_p(expected)
        if row["measure"] == "map":  # on a scale, of few topics: bounded, where sizes differ no narrower than t's
            of_clusters = [float(np.mean(each)) for each in naive_structured.by_group(values.tolist(), PLACE.tolist())]
            own = [each.item() for each in bounded_limits(np.array(of_clusters), 0.0, 1.0, 0.05)]
            is_unlike = mean == "topics" and len(set(np.bincount(PLACE))) > 1
            lower, upper = (min(own[0], max(lower, 0)), max(own[1], min(upper, 1))) if is_unlike else own
        assert (row["value"], row["lower"], row["upper"]) == pytest.approx((expected[0], lower, upper))
        assert (row["df"], row["clusters"], row["topics"]) == (pytest.approx(expected[2]), 4, 8)
    if mean == "topics":  # else a mean is another one
        plain = rows(*asked)
        assert [(row["value"], row["sd"]) for row in found] == [(row["value"], row["sd"]) for row in plain]


def test_standardised_means_over_clusters_of_one_topic_are_those_over_topics(tmp_path: Path) -> None:
    asked = ["stdap-ci", "--transform", "cdf", *FILES]
    found, plain = rows(*asked, "--clusters", EACH), rows(*asked)
    limits = ("lower", "upper")
    assert without(found, *limits, "population", "df", "clusters") == without(plain, *limits)
    for one, other in zip(found, plain, strict=True):
        assert [one[name] for name in limits] == pytest.approx([other[name] for name in limits], rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["--mean", "clusters"], 2, "--mean is for --clusters"),
        (["--type-one", "--clusters", EACH], 2, "--type-one does not take --clusters"),
        (["--topics", "10,11,12,13", "--clusters", "(?P<cluster>1)."], 4, "one cluster"),
        (["--clusters", EACH, "--mean", "collections"], 2, "'collections' is not one of"),
    ],
)
def test_what_means_nothing_is_refused_by_stdap_ci(arguments: list[str], status: int, reason: str) -> None:
    assert reason in said("stdap-ci", *arguments, *FILES, status=status)


@pytest.mark.parametrize("command", ["ap-ci", "partition-anova"])
def test_commands_without_clusters_do_not_know_the_option(command: str) -> None:
    assert "No such option '--clusters'" in said(command, "--clusters", EACH, *FILES, status=2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes",
    [[5] * 10, [16, 9, 7, 5, 4, 3, 2, 2, 1, 1], [2] * 25, [12, 8, 5, 4, 3, *[1] * 18]],
    ids=lambda sizes: len(sizes),
)
def test_the_bootstrap_over_clusters_errs_about_as_often_as_it_says(sizes: list[int]) -> None:
    """Two systems alike on average, whose differences correlate by .2 within clusters: at most 8% at .05, give or take the
    error of 2000 experiments; more if clusters are ignored."""
    rng, experiments = np.random.default_rng(1), 2000
    place = np.repeat(np.arange(len(sizes)), sizes)
    wrong = ignoring = 0
    for seed in range(experiments):
        own = rng.normal(0, math.sqrt(0.2), len(sizes))
        differences = own[place] + rng.normal(0, math.sqrt(0.8), len(place))
        scores = np.vstack((differences, np.zeros(len(place))))
        units = Units.of_groups("cluster", {"map": scores}, place, alike=False)
        found = discriminative_power(units.totals["map"], (0.05,), 400, seed, weights=units.weights)
        wrong += found.asl[0] < 0.05
        ignoring += discriminative_power(scores, (0.05,), 400, seed).asl[0] < 0.05
    assert wrong / experiments <= 0.08 + 2 * math.sqrt(0.08 * 0.92 / experiments)
    assert ignoring > 1.3 * wrong

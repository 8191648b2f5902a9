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
from command_lines import irci, rows
from command_lines import printed as said
from helpers import SMALL, score_table
from scipy import stats

from irci.estimators import swap_error as estimator
from irci.estimators.joint_resamples import topic_counts
from irci.estimators.swap_error import discriminative_power
from irci.estimators.wcw import TopicSetDesign, worst_case_width
from irci.stats.bounded import bounded_limits
from irci.stats.groups import nested
from irci.studies.swap_error import SetUnits

FILES = [str(SMALL / "qrels.txt"), *map(str, sorted((SMALL / "runs").iterdir()))]
EACH = "(?P<cluster>.+)"  # a cluster a topic
CLUSTERS = [[0], [1, 2], [3, 4, 5], [6, 7]]
SYSTEMS = 4


def some_scores(seed: int) -> np.ndarray:
    """Of SYSTEMS systems on the topics of CLUSTERS."""
    return np.round(np.random.default_rng(seed).random((SYSTEMS, 8)), 2)


def without(some: list[dict[str, object]], *columns: str) -> list[dict[str, object]]:
    return [{name: value for name, value in row.items() if name not in columns} for row in some]


def units_of(scores: np.ndarray, *, alike: bool) -> SetUnits:
    return SetUnits("topic", "abcd", {"map": scores}, np.ones(8), {}).in_clusters(PLACE, are_equal=alike)


def score_of(scores: np.ndarray, chosen: Sequence[int], *, alike: bool) -> list[float]:
    """Of each system over the topics of these clusters, or over the clusters' means."""
    return [
        statistics.fmean(statistics.fmean(float(of_run[t]) for t in CLUSTERS[g]) for g in chosen)
        if alike
        else statistics.fmean(float(of_run[t]) for g in chosen for t in CLUSTERS[g])
        for of_run in scores
    ]


@pytest.mark.parametrize("alike", [False, True])
def test_error_rates_of_sets_of_clusters_against_loops_over_topics(alike: bool) -> None:
    scores = some_scores(1)
    totals = units_of(scores, alike=alike).totals["map"]
    (found,) = estimator.error_rates(totals, [2], [7.0], designs=3, sets=6, seed=5)
    errors, equal = [], []
    for design in estimator.subsets_of_topics(len(CLUSTERS), 2, 3, 5, 6):
        assert all(len(set(chosen)) == 2 for chosen in design.T.tolist())
        sets = [score_of(scores, chosen.tolist(), alike=alike) for chosen in design.T]
        wrong, ties, comparisons = naive.error_rate([[round(score, 12) for score in each] for each in sets], 0.07)
        errors.append(wrong / comparisons)
        equal.append(ties / comparisons)
    assert (found["rate"], found["ties"]) == pytest.approx(
        (statistics.fmean(errors), statistics.fmean(equal)), abs=1e-12
    )
    assert found["sd"] == pytest.approx(statistics.stdev(errors), abs=1e-12)


@pytest.mark.parametrize("alike", [False, True])
def test_swaps_of_sets_of_clusters_against_loops_over_topics(alike: bool) -> None:
    scores = some_scores(3)
    units = units_of(scores, alike=alike)
    found = estimator.swaps(units.totals["map"], [1, 2], 7, 2, weights=units.weights)
    for z, size in enumerate((1, 2)):
        comparisons, swapped = np.zeros((2, estimator.NUM_BINS), np.int64)
        for one, other in zip(*estimator.topic_sets(len(CLUSTERS), size, 7, 2), strict=True):
            assert not set(one.tolist()) & set(other.tolist())
            means = np.array([score_of(scores, each.tolist(), alike=alike) for each in (one, other)])
            for a, b in itertools.combinations(range(SYSTEMS), 2):
                first, second = means[:, a] - means[:, b]
                place = min(int(abs(first) / 0.01 + 1e-9), 20)
                comparisons[place] += 1
                swapped[place] += first * second < -1e-15
        assert found.comparisons[z].tolist() == comparisons.tolist()
        assert found.swaps[z].tolist() == swapped.tolist()


def test_levels_of_clusters_against_loops_over_topics() -> None:
    """The t of the ratio of cluster sums to cluster sizes, of the differences centred, over the clusters drawn."""
    scores = some_scores(4)
    units = units_of(scores, alike=False)
    asl, difference, _ = discriminative_power(units.totals["map"], (0.1,), 200, 3, weights=units.weights)
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
        assert difference[place] == pytest.approx(mean)
        level = statistics.fmean(each >= t(between)[0] * (1 - 1e-9) for each, _ in drawn)
        assert asl[place] == pytest.approx(level, abs=1e-12)


PROCEDURES = ["error-rate", "swap", "discriminative-power"]
OF_TOPICS = [["swap-error", "--procedure", each, "-m", "map", "-m", "P_10"] for each in PROCEDURES]
OF_TOPICS += [["wcw", "--tool", "anova", "--tool", "ci", "--sizes", "10,20,50", "--width", ".1,.2"]]
OF_TOPICS += [["stdap-ci", "--standardise", "cdf"]]


@pytest.mark.sample(2)
@pytest.mark.parametrize("mean", ["topics", "clusters"])
@pytest.mark.parametrize("words", OF_TOPICS, ids=" ".join)
def test_clusters_of_one_topic_are_topics_to_the_last_digit(words: list[str], mean: str) -> None:
    """Limits of stdap-ci, which adds up otherwise, to the last but one."""
    asked = [*words, *FILES]
    found, plain = rows(*asked, "--clusters", EACH, *(() if words[0] == "wcw" else ("--mean", mean))), rows(*asked)
    rounded, own = ("lower", "upper") if words[0] == "stdap-ci" else (), ("units", "clusters", "population", "df")
    assert without(found, *rounded, *own) == without(plain, *rounded, *own)
    assert all(row.get("units", "clusters") == "clusters" for row in found)
    for name in rounded:
        assert [row[name] for row in found] == pytest.approx([row[name] for row in plain], rel=1e-12)


# Several collections in one table of scores.


def table_of_collections(path: Path, values: dict[str, np.ndarray]) -> Path:
    """Score files of collections: values[runs, topics] of each; topics are called alike everywhere."""
    return score_table(path, ((name, f"run{run}", topic, score) for name, table in values.items()
                              for (run, topic), score in np.ndenumerate(table)), "collection run topic value")  # fmt: skip


def told_by(*arguments: object) -> str:
    return irci(*arguments).stderr


def test_what_several_collections_refuse(tmp_path: Path) -> None:
    path = table_of_collections(tmp_path / "s", {name: np.random.default_rng(1).random((2, 4)) for name in "ab"})
    for command in ("ap-ci", "stdap-ci", "swap-error"):
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
    found = nested([(scores, PLACE)], residual=False)
    between, within, size = nested_by_loops(scores, CLUSTERS)
    assert (found.between_ms, found.within_ms, found.size) == pytest.approx((between, within, size))
    assert (found.between_df, found.within_df) == (SYSTEMS * 3, SYSTEMS * 4)
    assert found.between == pytest.approx(max(0, (between - within) / size))
    for of_run in scores:  # one system: the F of a textbook
        alone = nested([(of_run[np.newaxis], PLACE)], residual=False)
        expected = stats.f_oneway(*(of_run[topics] for topics in CLUSTERS)).statistic
        assert alone.between_ms / alone.within_ms == pytest.approx(expected)


def test_residual_variances_are_those_of_contrasts_of_systems() -> None:
    """What topics share is no part of them: of two systems, half the variances of the difference."""
    scores = some_scores(6)[:2]
    found = nested([(scores, PLACE)], residual=True)
    difference = (scores[0] - scores[1])[np.newaxis] / math.sqrt(2)
    between, within, _ = nested_by_loops(difference, CLUSTERS)
    assert (found.between_ms, found.within_ms) == pytest.approx((between, within))
    assert (found.between_df, found.within_df) == (3, 4)


# wcw: the command.


def clusters_file(path: Path, place: np.ndarray) -> None:
    path.write_text("".join(f"{topic} c{cluster}\n" for topic, cluster in enumerate(place)))


def scored(path: Path, scores: np.ndarray) -> Path:
    return score_table(path, ((f"run{run}", topic, score) for (run, topic), score in np.ndenumerate(scores)))


def test_topics_in_clusters_are_clusters_with_the_variance_of_their_means(tmp_path: Path) -> None:
    """Of 4 topics each: 9 clusters, whose means are what is sampled. Sizes are rounded down to whole clusters."""
    rng = np.random.default_rng(3)
    scores = (np.repeat(rng.random((3, 9)), 4, axis=1) + rng.random((3, 36))) / 2
    clusters_file(tmp_path / "c", np.arange(36) // 4)
    asked = ["wcw", "--scores", "--clusters", tmp_path / "c", "--tool", "ci", scored(tmp_path / "s", scores), "--sizes"]
    variance = scores.reshape(3, 9, 4).mean(axis=2).var(axis=1, ddof=1).mean()
    found = rows(*asked, "10,20,50")
    assert [(row["topics"], row["clusters"]) for row in found] == [(8, 2), (20, 5), (48, 12)]
    for row in found:
        width = worst_case_width(row["clusters"], variance, "ci", TopicSetDesign())
        assert row["width"] == pytest.approx(width, rel=1e-12)
    assert len(rows(*asked, "48,50")) == 1
    told = said(*asked, "50", "--explain")
    assert "With 48 topics in 12 clusters," in told
    assert "help less than more clusters" in told
    assert "--sizes 7: fewer than two clusters of 4 topics" in said(*asked, "7", status=4)


def test_clusters_of_unlike_sizes_are_planned_with_the_degrees_of_freedom_that_map_ci_has(tmp_path: Path) -> None:
    """CR2's over G - 1 by the plain transcription, of the runs' correlation within clusters; so few make wider intervals."""
    sizes = (12, 6, 3, 2, 2, 1, 1, 1)
    place, rng = np.repeat(np.arange(8), sizes), np.random.default_rng(18)
    scores = (rng.random((5, 8))[:, place] + rng.random((5, 28))) / 2
    clusters_file(tmp_path / "c", place)
    files = ["wcw", "--scores", "--clusters", tmp_path / "c", scored(tmp_path / "s", scores)]
    within, between, *_ = rows(*files, "--table", "variance")
    share = naive_structured.cr2([0.0] * 28, place.tolist(), between["icc"])[2] / 7
    assert 0.2 < share < 0.6
    mean, df = 28 / 8, share * 19
    planned = between["value"] * np.mean(np.square(sizes)) / mean**2 + within["value"] / mean
    (row,) = rows(*files, "--tool", "ci", "--sizes", "70")
    assert (row["topics"], row["clusters"]) == (70, 20)
    expected = 2 * stats.t.ppf(0.975, df) * math.sqrt(2 * planned / 20) * stats.chi.mean(df) / math.sqrt(df)
    assert row["width"] == pytest.approx(expected, rel=1e-9)
    (few,) = rows(*files, "--tool", "ci", "--sizes", "7")  # less than one degree of freedom
    (needed,) = rows(*files, "--tool", "ci", "--width", row["width"], "--published")
    assert (few["width"], needed["clusters"]) == (None, 20)


def test_files_of_the_same_runs_are_pooled_by_degrees_of_freedom(tmp_path: Path) -> None:
    """As several collections in one file are; files of different runs are of one collection."""
    both = some_scores(12), some_scores(13)
    clusters_file(tmp_path / "c", PLACE)
    files = [scored(tmp_path / f"s{number}", scores) for number, scores in enumerate(both)]
    asked = ["wcw", "--table", "variance", "--scores"]
    within, between, *_ = rows(*asked, "--clusters", tmp_path / "c", *files)
    (between_a, within_a, size), (between_b, within_b, _) = (nested_by_loops(scores, CLUSTERS) for scores in both)
    pooled = (between_a + between_b) / 2, (within_a + within_b) / 2
    assert (within["value"], between["value"]) == pytest.approx((pooled[1], max(0, (pooled[0] - pooled[1]) / size)))
    assert (within["df"], between["df"]) == (8 * SYSTEMS, 6 * SYSTEMS)
    one = table_of_collections(tmp_path / "s", dict(zip("ab", both, strict=True)))
    in_one_file = rows(*asked, one)
    assert in_one_file[0]["value"] == pytest.approx(np.mean([scores.var(axis=1, ddof=1).mean() for scores in both]))
    assert [row["value"] for row in in_one_file] == [row["value"] for row in rows(*asked, *files)]
    other = scored(tmp_path / "other", both[1])
    other.write_text(other.read_text().replace("run", "other").replace("other\ttopic", "run\ttopic"))
    assert rows(*asked, files[0], other)[0]["df"] == 2 * SYSTEMS * 7


# stdap-ci: limits over clusters.


@pytest.mark.parametrize("mean", ["topics", "clusters"])
def test_standardised_means_over_clusters_against_matrices(tmp_path: Path, mean: str) -> None:
    scores, place = some_scores(17), PLACE.tolist()
    clusters_file(tmp_path / "c", PLACE)
    asked = ["stdap-ci", "--scores", scored(tmp_path / "s", scores)]
    found = rows(*asked, "--clusters", tmp_path / "c", "--mean", mean)
    standardised = (scores - scores.mean(axis=0)) / scores.std(axis=0, ddof=1)
    of = naive_structured.cr2 if mean == "topics" else naive_structured.mean_of_means
    assert [row["measure"] for row in found] == ["smap"] * SYSTEMS
    for row, values, as_they_are in zip(found, standardised.tolist(), scores.tolist(), strict=True):
        expected, raw = of(values, place), of(as_they_are, place)
        lower, upper, _ = naive_structured.limits_and_p(expected)
        # On a scale, of few topics: bounded, where sizes differ no narrower than t's.
        of_clusters = [float(np.mean(each)) for each in naive_structured.by_group(as_they_are, place)]
        low, high = (each.item() for each in bounded_limits(np.array(of_clusters), 0.0, 1.0, 0.05))
        if mean == "topics":
            of_t = naive_structured.limits_and_p(raw)
            low, high = min(low, max(of_t[0], 0)), max(high, min(of_t[1], 1))
        assert [row[f"{name}raw"] for name in ("", "lower_", "upper_")] == pytest.approx([raw[0], low, high])
        assert (row["value"], row["lower"], row["upper"]) == pytest.approx((expected[0], lower, upper))
        assert (row["df"], row["clusters"], row["topics"]) == (pytest.approx(expected[2]), 4, 8)
    if mean == "topics":  # else a mean is another one
        assert [(row["value"], row["sd"]) for row in found] == [(row["value"], row["sd"]) for row in rows(*asked)]


def test_few_clusters_have_sizes_enough_for_a_curve(tmp_path: Path) -> None:
    """From 1 where sizes from 5 are fewer than three; with too few clusters no curve and no difference needed."""
    rng = np.random.default_rng(18)
    swapping = ["swap-error", "--procedure", "swap", "--scores", tmp_path / "s", "--clusters", EACH]
    for number, sizes in ((14, "5 6 7"), (13, "1 2 3 4 5 6"), (10, "1 2 3 4 5")):
        scored(tmp_path / "s", rng.random((10, number)))
        assert json.loads(said(*swapping, "--quiet", "--format", "json"))["signature"]["sizes"] == sizes
    assert rows(*swapping, "--table", "needed")
    scored(tmp_path / "s", rng.random((10, 5)))
    refused = irci(*swapping, "--table", "needed", status=2)
    assert "no curves: they take 3 sizes" in refused.stderr
    assert not refused.stdout

"""map-ci --clusters: degrees of freedom that were published; equivalence, edges and refusals."""

import math
from functools import partial
from pathlib import Path
from typing import Any

import command_lines
import naive_structured
import numpy as np
import pytest
from command_lines import irci as command
from command_lines import printed
from helpers import pick, run_scores
from scipy import stats

from irci.stats.bounded import bounded_limits
from irci.stats.groups import groups_vary, members_vary
from irci.stats.tests import adjusted

UNEQUAL = (30, 10, 5, 3, 2)
TEN_UNEQUAL = (16, 9, 7, 5, 4, 3, 2, 2, 1, 1)
irci = partial(command, "map-ci")
rows_of = partial(command_lines.rows_of, "map-ci")
warnings_of = partial(command_lines.warnings_of, "map-ci")


def labels(sizes: tuple[int, ...]) -> list[str]:
    """The cluster of each topic, topics of a cluster not all side by side."""
    return np.random.default_rng(0).permutation(np.repeat([f"c{g}" for g in range(len(sizes))], sizes)).tolist()


def scores(seed: int, topics: int, runs: int = 4) -> np.ndarray:
    """Runs that differ a little, of AP-like scores."""
    rng = np.random.default_rng(seed)
    level = rng.beta(1, 3, topics)
    values = level + np.linspace(0, 0.15, runs)[:, np.newaxis] + rng.normal(0, 0.12, (runs, topics))
    return np.clip(values, 0, 1).round(4)


def written(folder: Path, values: np.ndarray, clusters: list[str], names: list[str] | None = None) -> tuple[str, ...]:
    """Files of scores[runs, topics], nan left out, and of clusters: the arguments that read them."""
    names = names or [f"t{topic:03}" for topic in range(values.shape[1])]
    path = run_scores(folder / "scores.tsv", {f"r{run}": row for run, row in enumerate(values)}, names)
    pairs = [f"{name} {cluster}\n" for name, cluster in zip(names, clusters, strict=True)]
    (folder / "clusters").write_text("".join(pairs))
    return "--clusters", str(folder / "clusters"), "--scores", path


def pairs_of(*arguments: object) -> list[dict[str, Any]]:
    """Rows of differences."""
    return [row for row in rows_of(*arguments) if "baseline" in row]


@pytest.mark.parametrize("sizes", [UNEQUAL, TEN_UNEQUAL, (4, 4, 4), (1, 2), (1,) * 6])
def test_clusters_and_their_topics_vary_against_naive(sizes: tuple[int, ...]) -> None:
    """CR2 and its degrees of freedom by full matrices; the mean of means by Student's t; topics by strata."""
    place = np.random.default_rng(1).permutation(np.repeat(np.arange(len(sizes)), sizes))
    values = np.random.default_rng(2).normal(0.1, 1, (3, sum(sizes)))
    for by_group, definition in ((False, naive_structured.cr2), (True, naive_structured.mean_of_means)):
        cases = [(groups_vary(values, place, by_group=by_group), definition, len(sizes))]
        if min(sizes) > 1:
            of_topics = members_vary(values, place, by_group=by_group)
            cases.append((of_topics, partial(naive_structured.strata, macro=by_group), sum(sizes)))
        for found, definition, units in cases:
            expected = np.array([definition(row.tolist(), place.tolist()) for row in values])
            assert found.value == pytest.approx(expected[:, 0], rel=1e-12)
            assert found.error**2 == pytest.approx(expected[:, 1], rel=1e-10)
            assert found.df == pytest.approx(expected[:, 2], rel=1e-10)
            assert found.units.tolist() == [units] * 3


def with_correlation(sizes: tuple[int, ...], correlation: float) -> np.ndarray:
    """Scores in clusters of these sizes, of which the intra-cluster correlation by analysis of variance is just this."""
    place, rng = np.repeat(np.arange(len(sizes)), sizes), np.random.default_rng(1)
    values, of_clusters = rng.normal(size=sum(sizes)), rng.normal(size=len(sizes))
    number = np.array(sizes)
    within = values - (np.bincount(place, values) / number)[place]
    between = of_clusters - of_clusters @ number / number.sum()
    size = (number.sum() - (number**2).sum() / number.sum()) / (len(sizes) - 1)
    ms_within = (within**2).sum() / (number.sum() - len(sizes))
    ms_between = ms_within * (1 + size * correlation / (1 - correlation))  # F
    return np.asarray(within + (between * np.sqrt(ms_between * (len(sizes) - 1) / (number @ between**2)))[place])


def test_degrees_of_freedom_that_were_published() -> None:
    """Bell and McCaffrey's, of independent topics; as few as topics are alike in clusters, where their sizes differ."""
    cases: list[tuple[tuple[int, ...], float, float, float]] = [
        (UNEQUAL, 0, 1.8626, 5e-5),
        (TEN_UNEQUAL, 0, 4.7497, 5e-5),
    ]
    one_large = (24, *(2,) * 28)
    cases += [(one_large, r, df, 0.05) for r, df in ((0, 8.9), (0.1, 3.6), (0.2, 2.6), (0.5, 1.9))]
    for sizes, correlation, df, digits in cases:
        values, place = with_correlation(sizes, correlation), np.repeat(np.arange(len(sizes)), sizes)
        found = groups_vary(values[np.newaxis], place, by_group=False)
        assert found.df[0] == pytest.approx(df, abs=digits)
        assert naive_structured.intra_cluster_correlation(values, place) == pytest.approx(correlation, abs=1e-12)
    for number in (2, 5, 10):
        place = np.repeat(np.arange(number), 50 // number)
        found = groups_vary(np.random.default_rng(1).normal(size=(1, 50)), place, by_group=False)
        assert found.df[0] == number - 1


def test_a_cluster_of_nearly_all_topics_tells_nothing_of_others(tmp_path: Path) -> None:
    """37 of 40 topics in one of four clusters: no rows over clusters, and nothing at all if only these are asked about; 36 of
    40, nine of ten, have some."""
    values = scores(8, 40, runs=2)
    for sizes, populations, status in (
        ((36, 2, 1, 1), {"clusters", "topics"}, 0),
        ((37, 1, 1, 1), {"topics"}, 4),
        ((40,), {"topics"}, 4),
    ):
        asked = ("--baseline", "r0", *written(tmp_path, values, labels(sizes)))
        assert {row["population"] for row in rows_of(*asked)} == populations
        told = f"no rows over clusters: one cluster has {sizes[0]} of 40 topics"
        assert (told in irci(*asked).stderr) == (status == 4)
        assert irci("--population", "clusters", *asked).exit_code == status
    assert np.isnan(groups_vary(scores(8, 40), np.repeat([0, 1, 2, 3], (37, 1, 1, 1)), by_group=False).error).all()


def test_topics_without_a_cluster(tmp_path: Path) -> None:
    """Each is its own, which is said, also where a rule finds an empty name; what a file lists besides is told once, unless
    topics were chosen."""
    names = [*(f"t{topic:03}" for topic in range(15)), *(f"x{topic:03}" for topic in range(5))]
    read = written(tmp_path, scores(13, 20), labels((8, 6, 4, 2)), names)
    path = tmp_path / "clusters"
    path.write_text("".join([*path.read_text().splitlines(keepends=True)[:15], "t901 c1\nt902 c9\n"]))
    lacking = "5 of 20 topics without a cluster, each taken for a cluster of its own: x000 x001 x002 x003 x004"
    assert warnings_of(*read)[:2] == [f"{path}: 2 topics not scored here: t901 t902", f"{path}: {lacking}"]
    assert rows_of(*read)[0]["clusters"] == 9
    rule = r"(?P<cluster>t\d\d)?.*"
    assert f"{rule}: {lacking}" in warnings_of("--clusters", rule, *read[2:])
    assert rows_of("--clusters", rule, *read[2:])[0]["clusters"] == 7
    chosen = warnings_of("--topics", ",".join(names[:12]), *read)
    assert not any("not scored" in line for line in chosen)


def test_clusters_of_one_topic_given(tmp_path: Path) -> None:
    """No limits over topics, and they are named; clusters as a sample have theirs."""
    read = ("--baseline", "r0", *written(tmp_path, scores(15, 20), ["c3", *"aaaaaaaabbbbbbcccc", "c4"]))
    for row in rows_of(*read):
        assert math.isnan(row["lower"]) if row["population"] == "topics" else row["lower"] < row["value"]
        assert not math.isnan(row["value"])
    told = (
        f"{tmp_path / 'clusters'}: 2 clusters of one topic, whose variance cannot be estimated: no limits over topics"
    )
    assert f"{told} (--population clusters has limits): c3 c4" in warnings_of(*read)
    assert not any("of one topic" in line for line in warnings_of("--population", "clusters", *read))


def test_differences_that_do_not_vary(tmp_path: Path) -> None:
    """p of signs, 2^(1 - G), and limits bounded by the clusters' differences, over topics none; equal runs have p 1."""
    values = scores(17, 18, runs=3)
    values[1], values[2] = values[0] + 0.25, values[0]
    read = ("--baseline", "r0", *written(tmp_path, values, labels((6, 5, 4, 3))))
    rows, equal = (pick(rows_of(*read), measure="map_diff", run=run) for run in ("r1", "r2"))
    assert [(row["p"], row["test"], row["interval"]) for row in rows] == [
        (2.0**-3, "signs", "bounded"), (2.0**-17, "signs", "-"),
    ]  # fmt: skip
    assert np.isnan([rows[0]["df"], rows[1]["df"], rows[1]["lower"]]).all()
    limits = bounded_limits(np.full(4, 0.25), -1, 1, 0.05)
    assert (rows[0]["lower"], rows[0]["upper"]) == pytest.approx([each.item() for each in limits])
    assert [(row["value"], row["p"], row["test"]) for row in equal] == [(0, 1, "t")] * 2
    assert "map: no limits over topics for 2 rows: nothing varies over topics" in warnings_of(*read)
    assert "signs of equal differences, taken for symmetric" in printed("map-ci", *read)


@pytest.mark.parametrize("sizes", [(3,) * 6, (3, 6, 9)])
def test_differences_that_cancel_out_in_every_cluster(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    """Sums that are 0 but for rounding are no difference."""
    clusters = np.repeat([f"c{place}" for place in range(len(sizes))], sizes).tolist()
    values = np.vstack((np.full(18, 0.5), 0.5 + np.tile([0.1, 0.2, -0.3], 6)))
    (row,) = pairs_of("--baseline", "r0", "--population", "clusters", *written(tmp_path, values, clusters))
    assert (abs(row["value"]) < 1e-15, row["p"], row["test"]) == (True, 1, "t")


def test_equivalence_against_two_one_sided_tests(tmp_path: Path) -> None:
    """By the plain errors; a margin in percent is of the baseline's mean, with which it varies. Holm's method adjusts each
    population."""
    values = np.vstack((scores(20, 40, runs=2), scores(20, 40, runs=2)[:1] + 0.01))
    read = written(tmp_path, values, labels((8, 7, 6, 5, 4, 4, 3, 3)))
    sizes = labels((8, 7, 6, 5, 4, 4, 3, 3))
    for margin, terms in (("0.05", np.full(40, 0.05)), ("10%", 0.1 * values[0])):
        rows = [row for row in rows_of("--baseline", "r0", "--margin", margin, *read) if "baseline" in row]
        for population, p_of_signs in (("clusters", 2.0**-8), ("topics", 2.0**-40)):
            for row, run in zip(pick(rows, population=population), values[1:], strict=True):
                if row["run"] == "r2" and margin == "0.05":  # all differ by the same
                    assert (row["p_equivalence"], row["reason"]) == (p_of_signs, "negligible")
                    continue
                tails = []
                for each in (terms + run - values[0], terms - run + values[0]):
                    found = [naive_structured.strata(each.tolist(), sizes, False)]
                    found += [naive_structured.cr2(each.tolist(), sizes)] * (population == "clusters")
                    tails += [stats.t.sf(mean / math.sqrt(variance), df) for mean, variance, df in found]
                assert row["p_equivalence"] == pytest.approx(max(p_of_signs, *tails))
            in_family = adjusted(
                np.array([each["p_equivalence"] for each in pick(rows, population=population)]), "holm"
            )
            assert [each["p_equivalence_adjusted"] for each in pick(rows, population=population)] == in_family.tolist()

"""Topics in clusters, topics of collections, versions of topics: means, differences and p of all, groups a sample or given, by
plain loops and all signs."""

import math
from pathlib import Path
from statistics import fmean
from typing import Any

import naive_inference
import naive_structured as naive
import numpy as np
import pytest
from command_lines import rows_of
from helpers import pick, score_table

from irci.stats.bounded import bounded_limits

CLUSTERS, VERSIONS = r"(?P<cluster>[^.]+)\..+", r"(?P<topic>[^.]+)\.(?P<version>.+)"
# What each design is asked with; the populations of groups as a sample and of groups that are given.
DESIGNS = {
    "clusters": (["--clusters", CLUSTERS], "clusters", "topics"),
    "clusters alike": (["--clusters", CLUSTERS, "--mean", "clusters"], "clusters", "topics"),
    "collections": ([], "collections", "topics"),
    "versions": (["--versions", VERSIONS], "topics", "versions"),
}


def groups_of(sizes: tuple[int, ...]) -> list[str]:
    """The group of each member, members of a group not all side by side."""
    return np.random.default_rng(0).permutation(np.repeat([f"g{group}" for group in range(len(sizes))], sizes)).tolist()


def scores_of(runs: int, members: int) -> np.ndarray:
    rng = np.random.default_rng(members)
    effects = np.linspace(0, 0.15, runs)[:, np.newaxis]
    return np.clip(rng.uniform(0.2, 0.6, members) + effects + rng.normal(0, 0.1, (runs, members)), 0.01, 0.99).round(4)


def rows(path: Path, design: str, groups: list[str], scores: np.ndarray, *options: str) -> list[dict[str, Any]]:
    """Of all collections together, where the design is of these."""
    cells = [
        (groups[member], f"{groups[member]}.m{member}", f"r{run}", score)
        for (run, member), score in np.ndenumerate(scores)
    ]
    if design == "collections":
        score_table(path, cells, "collection topic run value")
    else:
        score_table(path, [cell[1:] for cell in cells], "topic run value")
    printed = rows_of("map-ci", *DESIGNS[design][0], *options, "--scores", path)
    return [row for row in printed if row.get("collection", "all") == "all"]


@pytest.mark.parametrize("sizes", [(6, 5, 4, 3), (2, 5, 3, 4, 2, 7), (5, 9, 3)])
@pytest.mark.parametrize("design", DESIGNS)
def test_means_and_differences_against_naive(design: str, sizes: tuple[int, ...], tmp_path: Path) -> None:
    """On the scale of logits, too; what groups as a sample tell is no surer than what members of these do, but of versions."""
    groups, scores = groups_of(sizes), scores_of(3, sum(sizes))
    printed = rows(tmp_path / "x", design, groups, scores, "-m", "map", "-m", "lmap", "--baseline", "r0")
    _, of_groups, of_members = DESIGNS[design]
    by_group, widened = design != "clusters", 0
    for measure, values in (("map", scores), ("lmap_logit", np.log(scores / (1 - scores)))):
        for run, baseline in ((0, None), (1, None), (1, 0), (2, 0)):
            terms = (values[run] - (0 if baseline is None else values[baseline])).tolist()
            members = naive.strata(terms, groups, by_group)
            sample = naive.mean_of_means(terms, groups) if by_group else naive.cr2(terms, groups)
            narrow, wide = naive.limits_and_p(members), naive.limits_and_p(sample)
            if baseline is not None:
                narrow = naive.of_few(members, len(terms), topics=of_members == "topics" or design == "versions")
                wide = naive.of_few(sample, len(sizes), topics=design == "versions")
            elif design == "versions" and measure == "map":
                averages = np.array([fmean(own) for own in naive.by_group(terms, groups)])
                wide = (*(limit.item() for limit in bounded_limits(averages, 0.0, 1.0, 0.05)), math.nan)
            if design != "versions":
                widened += narrow[0] < wide[0]
                wide = naive.no_surer(wide, narrow)
            name = measure + "_diff" * (baseline is not None)
            for population, (mean, _, df), (*limits, p) in (
                (of_groups, sample, wide), (of_members, members, narrow)
            ):  # fmt: skip
                (row,) = pick(printed, measure=name, run=f"r{run}", population=population)
                if measure == "map":
                    limits = np.clip(limits, 0 if baseline is None else -1, 1).tolist()
                numbers = [row[column] for column in ("value", "lower", "upper", "df")]
                assert numbers == pytest.approx([mean, *limits, df], rel=1e-9, abs=1e-12)
                assert baseline is None or row["p"] == pytest.approx(p, rel=1e-9)
                counts = {"clusters": len(sizes), "versions": sum(sizes)}
                counts["topics"] = len(sizes) if design == "versions" else sum(sizes)
                assert all(row[column] == count for column, count in counts.items() if column in row)
    assert widened or design == "versions" or sizes == (6, 5, 4, 3)
    for population in (of_groups, of_members):
        (row,), (of_logits,) = (
            pick(printed, measure=measure, run="r1", population=population) for measure in ("lmap", "lmap_logit")
        )
        for column in ("value", "lower", "upper"):
            assert row[column] == pytest.approx(1 / (1 + math.exp(-of_logits[column])))


@pytest.mark.parametrize("design", DESIGNS)
def test_signs_against_enumeration(design: str, tmp_path: Path) -> None:
    """A sign a group or a member, which counts as much as it does in the mean: p of single pairs, and of all by step-down."""
    groups = groups_of((3, 2, 2, 1, 1))
    scores = scores_of(3, len(groups))
    options = ("-n", "--all-pairs", "--test", "randomization", "--correction", "maxt")
    printed = rows(tmp_path / "x", design, groups, scores, *options)
    _, of_groups, of_members = DESIGNS[design]
    weighed = scores if design == "clusters" else scores / [groups.count(group) for group in groups]
    sums = np.array([[math.fsum(own) for own in naive.by_group(row.tolist(), groups)] for row in weighed])
    by_members, by_groups = (pick(printed, population=name) for name in (of_members, of_groups))
    pairs = [(int(row["run"][1:]), int(row["baseline"][1:])) for row in by_members]
    assert len(pairs) == 3
    for name in ("p", "p_adjusted"):
        expected = []
        for units in (weighed, sums):
            singly = [naive.p_by_signs((units[i] - units[j]).tolist(), range(units.shape[1])) for i, j in pairs]
            expected.append(singly if name == "p" else naive_inference.step_down(units, pairs))
        members, groups_alone = expected
        no_surer = groups_alone if design == "versions" else np.maximum(groups_alone, members).tolist()
        assert [row[name] for row in by_members] == pytest.approx(members, abs=1e-12)
        assert [row[name] for row in by_groups] == pytest.approx(no_surer, abs=1e-12)
        assert {row["test"] for row in (*by_members, *by_groups)} == {"randomization"}

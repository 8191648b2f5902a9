"""Families over several measures: the worked example, plain versions, few and sparse topics, real runs, and how often any
claim is false."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import naive_inference
import numpy as np
import pytest
from claim_cases import KINDS, scores
from command_lines import printed
from helpers import QRELS, RUNS, SMALL, scores_csv

import irci
from irci.stats.tests import adjusted


def differences(tables: dict[str, np.ndarray], **options: Any) -> list[dict[str, Any]]:
    """The rows of differences that are made of scores."""
    report = irci.map_ci(scores=scores_csv(tables), **options)
    return [dict(row) for table in report.tables if table.kind == "difference" for row in table.rows]


def p_adjusted(found: Sequence[dict[str, Any]]) -> list[float]:
    return [float(row["p_adjusted"]) for row in found]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--baseline alpha", "; p_adjusted: 4 pairs with alpha, Holm"),
        ("--baseline alpha --ranks --table difference", "; p_adjusted: 4 pairs with alpha, Holm"),  # and nothing of ranks
        ("--all-pairs --correction maxt", "; p_adjusted: 10 pairs, max-T"),
        ("--all-pairs --correction bh -m map,P_5", "; p_adjusted: 10 pairs, Benjamini and Hochberg"),
        ("--all-pairs --family joint -m map,P_5", "; p_adjusted: 20 differences in 2 measures, Holm"),
        ("--all-pairs --correction none", ""),
        (f"--baseline alpha --slices {SMALL}/slices.txt",
         "; p_adjusted: 4 pairs with alpha, Holm; 12 differences in slices, max-T"),
    ],
)  # fmt: skip
def test_the_line_of_a_table_tells_the_family(options: str, said: str) -> None:
    line = printed("map-ci", *options.split(), "--quiet", QRELS, *RUNS).splitlines()[1]
    assert "".join(line.partition("; p_adjusted")[1:]) == said


def test_measures_are_compared_on_topics_that_all_have() -> None:
    """With maxt signs of topics are the same for all measures: topics that one lacks are dropped, and told of."""
    rng = np.random.default_rng(4)
    tables = {name: rng.random((3, 10)) for name in ("first", "second")}
    whole = {name: table[:, :8].copy() for name, table in tables.items()}
    tables["first"][1, 8] = tables["second"][2, 9] = math.nan
    options: dict[str, Any] = {"baseline": "r0", "family": "joint", "correction": "maxt", "missing": "drop"}
    report = irci.map_ci(scores=scores_csv(tables), **options)
    assert any("dropped, as all runs are compared on the same ones" in each for each in report.warnings)
    found = [dict(row) for table in report.tables if table.kind == "difference" for row in table.rows]
    for mine, theirs in zip(found, differences(whole, **options), strict=True):
        assert mine == theirs


@pytest.mark.sample(8)
@pytest.mark.parametrize(("kind", "topics"), list(itertools.product(KINDS, (2, 3, 5, 9, 30))))
@pytest.mark.parametrize("correction", ["holm", "maxt", "bh"])
def test_p_limits_and_words_agree(kind: str, topics: int, correction: Any) -> None:
    """Of little, sparse, copied, constant and extreme scores: joint p are no less than those of each measure by itself, and
    adjusted limits leave out 0 where p_adjusted is significant, and nowhere else."""
    tables = dict(zip(("map", "P_10", "recip_rank"), scores(kind, 12, topics).reshape(3, 4, topics), strict=True))
    options: dict[str, Any] = {"all_pairs": True, "correction": correction}
    found, alone = (differences(tables, family=family, **options) for family in ("joint", "each"))
    for row, own in zip(found, alone, strict=True):
        p, lower, upper = (float(row[name]) for name in ("p_adjusted", "lower_adjusted", "upper_adjusted"))
        assert p >= float(row["p"]) - 1e-12 or math.isnan(p)
        assert correction == "bh" or math.isnan(p) or p >= float(own["p_adjusted"]) - 1e-12
        if math.isnan(p) or math.isnan(lower):
            continue
        assert lower - 1e-12 <= float(row["value"]) <= upper + 1e-12
        # A limit of 0 is left out where p is significant.
        assert (lower > 0 or upper < 0) == (p <= 0.05) or (0 in (lower, upper) and p <= 0.05) or row["value"] == 0


def test_clusters_have_signs_of_their_own_in_all_measures() -> None:
    """And p is no smaller than by signs of the topics, as new clusters bring new topics."""
    rng = np.random.default_rng(2)
    tables = {name: rng.random((3, 12)) for name in ("first", "second")}
    options: dict[str, Any] = {"family": "joint", "correction": "maxt", "population": "clusters"}
    found = differences(
        tables, baseline="r0", clusters={f"t{topic}": f"c{topic % 8}" for topic in range(12)}, **options
    )
    by_topic = [table[run] - table[0] for table, run in itertools.product(tables.values(), (1, 2))]
    by_cluster = [{cluster: float(d[cluster::8].sum()) for cluster in range(8)} for d in by_topic]
    of_clusters = np.array(naive_inference.step_down_of_layers(by_cluster, 8))
    of_topics = naive_inference.step_down_of_layers([dict(enumerate(d.tolist())) for d in by_topic], 12)
    p = [float(row["p"]) for row in found]
    assert p_adjusted(found) == pytest.approx(np.max([of_clusters, of_topics, p], axis=0), abs=1e-12)
    assert (of_clusters > of_topics).any()
    assert (of_clusters < of_topics).any()


@pytest.mark.parametrize("correction", ["holm", "bh", "maxt", "none"])
def test_several_baselines_are_one_family(correction: str) -> None:
    """Each pair has the row that it has alone, but for p_adjusted, which is over all of them; two baselines are one pair."""
    tables = {"first": np.random.default_rng(3).random((5, 30))}
    alone: dict[str, Any] = {"correction": correction}
    both = differences(tables, baseline=["r1", "r3"], **alone)
    first, second = (differences(tables, baseline=baseline, **alone) for baseline in ("r1", "r3"))
    rows_alone = [*first, *(row for row in second if row["run"] != "r1")]
    assert [(row["run"], row["baseline"]) for row in both] == [(row["run"], row["baseline"]) for row in rows_alone]
    for row, of_row in zip(both, rows_alone, strict=True):
        for name in ("value", "lower", "upper", "p", "effect_size"):
            assert row[name] == pytest.approx(of_row[name], rel=1e-12)
    if correction != "maxt":
        expected = adjusted(np.array([row["p"] for row in both]), correction)
        assert p_adjusted(both) == pytest.approx(expected.tolist(), rel=1e-12)
    assert p_adjusted(differences(tables, baseline=["r1", "r1"], **alone)) == p_adjusted(first)

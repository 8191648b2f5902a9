"""--slices: the specification's example, max-T over slices and pairs against every assignment of signs, rows against the same
run on the topics of a slice alone; edges, words and refusals."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from helpers import QRELS, SMALL
from naive_slices import FIRST, SECOND, naive_maxt

import irci
from irci.stats.tests import adjusted

RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())[:3]]


def report(differences: Sequence[Any], slices: Sequence[str], **options: Any) -> Any:
    """Of runs whose differences[P, n] from the first run, base, are these."""
    values = np.atleast_2d(np.array(differences, float))
    runs = {"base": np.full(values.shape[1], 0.5), **{f"r{place}": 0.5 + row for place, row in enumerate(values)}}
    lines = [f"{run},t{topic:02},AP,{score!r}\n" for run, row in runs.items()
             for topic, score in enumerate(row.tolist()) if score == score]  # fmt: skip
    of_topics = {f"t{place:02}": name for place, name in enumerate(slices) if name}
    scores = ("run,topic,measure,value\n" + "".join(lines)).encode()
    return irci.compare(scores=scores, baseline="base", slices=of_topics, **options)


def rows(found: Any, kind: str) -> list[dict[str, Any]]:
    return [dict(row) for table in found.tables if table.kind == kind for row in table.rows]


def test_the_worked_example() -> None:
    found = report([*FIRST, *SECOND], ["questions"] * 5 + ["keywords"] * 5)
    of_all, first, second = rows(found, "difference")
    assert [row["slice"] for row in (of_all, first, second)] == ["all", "questions", "keywords"]
    assert [row["topics"] for row in (of_all, first, second)] == [10, 5, 5]
    assert (first["p_adjusted"], second["p_adjusted"]) == (0.0625, 0.4375)
    (between,) = rows(found, "heterogeneity")
    assert between["F"] == pytest.approx(41.490, abs=5e-4)
    assert between["p"] == between["p_adjusted"] == pytest.approx(2 / 252)


def test_one_family_of_all_slices_and_pairs() -> None:
    """By maxt that of every assignment of signs, by holm that of all p; never below p. Three pairs, slices of 3, 4 and 5."""
    rng = np.random.default_rng(1)
    place = rng.permutation(np.repeat([0, 1, 2], (3, 4, 5)))
    differences = rng.normal(0.12, 0.08, (3, 12)).round(3)
    names = [f"s{each}" for each in place]
    for correction in (None, "holm", "bh", "none"):
        found = rows(report(differences, names, correction=correction), "difference")
        by = {(row["slice"], row["run"]): row for row in found}
        cells = [(f"s{group}", f"r{pair}") for group in range(3) for pair in range(3)]
        p = np.array([by[cell]["p"] for cell in cells])
        expected = naive_maxt(differences, place).ravel() if correction is None else adjusted(p, correction)
        assert [by[cell]["p_adjusted"] for cell in cells] == pytest.approx(np.maximum(expected, p).tolist(), abs=1e-12)


@pytest.mark.parametrize(
    "options", [{}, {"margin": ".1", "power": True}, {"test": "randomization", "resamples": 3000}], ids=str
)
def test_rows_of_a_slice_are_those_of_its_topics_alone(options: dict[str, Any]) -> None:
    """But for what is adjusted; and those of all topics are as they are without slices."""
    groups = {str(topic): "one" if topic % 3 else "two" for topic in range(1, 21)}
    found = irci.compare(QRELS, RUNS, slices=groups, measures="P_10", **options)
    for name in ("one", "two", "all"):
        topics = ",".join(topic for topic, of in groups.items() if name in (of, "all"))
        alone = irci.compare(QRELS, RUNS, topics=topics, population="topics", measures="P_10", **options)
        for kind in ("estimate", "difference"):
            mine = [row for row in rows(found, kind) if row["slice"] == name]
            for row, other in zip(mine, rows(alone, kind), strict=True):
                kept = [
                    column
                    for column in other
                    if name == "all" or column not in ("p_adjusted", "verdict", "lower_adjusted", "upper_adjusted")
                ]
                assert {column: row[column] for column in kept} == pytest.approx(
                    {column: other[column] for column in kept}, nan_ok=True
                )


def test_tiny_slices_and_topics_without_one() -> None:
    differences = [0.1, 0.2, 0.1, 0.3, 0.1, 0.2, 0.1, 0.2, 0.1, 0.05, 0.3, 0.15]
    found = report(differences, ["a"] * 6 + ["b"] + ["c"] * 3 + ["", ""])
    by = {row["slice"]: row for row in rows(found, "difference")}
    assert list(by) == ["all", "a", "b", "c", "(none)"]
    assert math.isnan(by["b"]["p"])
    assert math.isnan(by["b"]["p_adjusted"])
    assert by["b"]["topics"] == 1
    assert by["b"]["lower"] < 0 < by["b"]["upper"]
    assert by["(none)"]["topics"] == 2
    assert math.isnan(rows(found, "heterogeneity")[0]["p"])
    told = "\n".join(found.warnings)
    assert "2 of 12 topics without a slice, taken for one called (none): t10 t11" in told
    assert "slices: 3 slices with fewer topics than the 6 a sign test needs at .05" in told
    assert "AP: no F for 1 pair: fewer than two slices of 5 topics or more" in told
    assert "cannot be tested" in found.conclusion[-1]

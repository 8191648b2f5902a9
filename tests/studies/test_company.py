"""Whatever varies: other runs, their order and threads change no digit of a run's rows, nor of a pair's unadjusted ones;
nor do other tables that are asked for."""

import csv
import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_lines import rows
from helpers import QRELS, RUNS, SMALL

LINES = {
    "topics": (), "signs": ("--test", "randomization"), "slices": ("--slices", r"(?P<slice>\w\d)-\d+"),
    "clusters": ("--clusters", r"(?P<cluster>\w\d)-\d+"), "versions": ("--versions", r"(?P<topic>\w\d)-(?P<version>\d+)"),
    "seeds": ("--seeds", r"(?P<system>\w+)_s(?P<seed>\d)"), "collections": ("--population", "collections,topics"),
}  # fmt: skip
OF_FAMILY = ("p_adjusted", "lower_adjusted", "upper_adjusted")


def table(path: Path, kind: str, systems: str) -> str:
    """Scores that depend on the system's name alone, in the order of names."""
    seeds = 3 if kind == "seeds" else 1
    with path.open("w") as file:
        writer = csv.writer(file)
        writer.writerow(["run", "topic", "measure", "value", *(["collection"] if kind == "collections" else [])])
        for system, seed in itertools.product(systems, range(seeds)):
            rng = np.random.default_rng([ord(system), seed])
            name = f"{system}_s{seed + 1}" if kind == "seeds" else system
            for group, topic in itertools.product(range(9), range(5)):
                cells = [name, f"g{group}-{topic}", "map", rng.uniform()]
                writer.writerow([*cells, *([f"c{group % 3}"] if kind == "collections" else [])])
    return str(path)


def by_key(found: list[dict[str, Any]], runs: Iterable[str]) -> dict[tuple[str, ...], dict[str, Any]]:
    """Rows of means and differences of these runs, without what allows for other pairs."""
    keys = ("measure", "run", "baseline", "population", "slice", "collection")
    return {
        tuple(str(row.get(name)) for name in keys): {name: row[name] for name in row if name not in OF_FAMILY}
        for row in found
        if {row["run"], row.get("baseline", row["run"])} <= {*runs} and "measure" in row
    }


@pytest.mark.parametrize("kind", LINES)
def test_company_and_order_of_runs_change_no_digit(kind: str, tmp_path: Path) -> None:
    line = ("map-ci", "--scores", "--baseline", "A", *LINES[kind])
    few, many = (
        by_key(rows(*line, *threads, table(tmp_path / runs, kind, runs)), "AC")
        for runs, threads in (("AC", ("--threads", "1")), ("EDCBA", ("--threads", "2")))
    )
    assert few == many
    assert len(few) > 2


@pytest.mark.parametrize("population", ["documents", "both", "judgments"])
def test_company_changes_no_digit_over_documents_and_judgments(population: str) -> None:
    resamples = () if population == "judgments" else ("-B", "50")
    line = ("map-ci", "--population", population, "--baseline", "alpha", *resamples, QRELS)
    few, many = (by_key(rows(*line, *runs), ["alpha", "charlie"]) for runs in ((RUNS[0], RUNS[2]), RUNS[::-1]))
    assert few == many
    assert len(few) > 2


# Nor do other tables that are asked for.


OTHERS = {
    "ranks": ["--ranks"],
    "survives": ["--survives"],
    "meta": ["--meta", "fixed"],
    "power": ["--power"],
    "margin": ["--margin", ".05"],
    "population": ["--population", "topics,documents,both"],
    "best": ["--best"],
}
OF_PAIR = ("value", "lower", "upper", "p", "p_adjusted", "effect_size", "test", "interval")
DESIGNS = {
    "pairs": ["--all-pairs"],
    "joint": ["--baseline", "alpha", "--correction", "holm", "--family", "joint", "-m", "map", "-m", "P_10"],
}


def pairs(*options: str) -> dict[tuple[str, ...], dict[str, Any]]:
    line = ("map-ci", "--population", "topics,documents", "-B", "60", *options, QRELS, *RUNS)
    differences = [row for row in rows(*line) if str(row.get("measure")).endswith("_diff") and "effect_size" in row]
    key = ("measure", "run", "baseline", "population")
    return {tuple(row[name] for name in key): {name: row[name] for name in OF_PAIR} for row in differences}


@pytest.mark.parametrize(
    "design", [name if name == "pairs" else pytest.param(name, marks=pytest.mark.check) for name in DESIGNS]
)
def test_other_tables_change_no_row_of_pairs(design: str) -> None:
    plain = pairs(*DESIGNS[design])
    assert plain
    for some in (*((name,) for name in OTHERS), OTHERS):
        found = pairs(*DESIGNS[design], *itertools.chain.from_iterable(OTHERS[name] for name in some))
        assert plain.keys() <= found.keys()
        assert {key: found[key] for key in plain} == plain, some


@pytest.mark.parametrize("where", ["clusters", "seeds", "passes"])
def test_other_tables_change_no_row_where_topics_or_runs_belong_together(where: str) -> None:
    """Claims are over topics as a plain sample; the rows over topics in clusters stay as they are without them."""
    files = [str(SMALL / "seeds.csv")] if where == "seeds" else [QRELS, *RUNS]
    passes = ["(?P<pass>.+)", "--other-qrels", QRELS, "--other-qrels", str(SMALL / "llm.txt")]
    told = passes if where == "passes" else [str(SMALL / f"{where}.txt")]
    line = ("map-ci", f"--{where}", *told, "--all-pairs", *files)
    own = ("measure", "run", "baseline", "population", "value", "lower", "upper", "p", "p_adjusted", "test", "interval")

    def rows_of(*options: str) -> list[dict[str, Any]]:
        found = (row for row in rows(*line, *options) if row.get("topic") == "all" and "letters" not in row)
        return [{name: row.get(name) for name in own} for row in found]

    plain = rows_of()
    assert {row["population"] for row in plain} == {where, "topics"}
    for some in (["ranks"], ["survives"], ["ranks", "survives", "power", "margin"]):
        assert rows_of(*itertools.chain.from_iterable(OTHERS[name] for name in some)) == plain, some

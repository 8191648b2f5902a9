"""Whatever varies: other runs, their order and threads change no digit of a run's rows, nor of a pair's unadjusted ones."""

import csv
import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_lines import rows
from helpers import QRELS, RUNS

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

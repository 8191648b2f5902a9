"""Matrices of real scores: those of testdata/, and the public ones as far as they are there."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from commands import SHARED, TESTDATA, rows

from irci.base.types import Floats

PUBLISHED = {
    "Robust 2004, AP": "robust2004_ap",
    "Web 2010, nDCG@20": "web2010_ndcg20",
    "TREC-7, P_10": "adhoc7_p10",
    "TREC-7, RR": "adhoc7_rr",
}
DL19 = SHARED / "trec-dl19-passage"


class Matrix(NamedTuple):
    """Scores float64[runs, topics] by a measure of a collection, and the name of both."""

    name: str
    values: Floats

    def resampled(self, topics: int, experiments: int, rng: np.random.Generator) -> Floats:
        """Scores of so many topics drawn with replacement, float64[experiments, runs, topics]."""
        drawn = rng.integers(self.values.shape[1], size=(experiments, topics))
        return np.moveaxis(self.values[:, drawn], 0, 1)


def matrices() -> Iterator[Matrix]:
    """Matrices of testdata/, then of collections beside the checkout."""
    yield from scored("testdata", TESTDATA / "qrels.txt", TESTDATA / "runs", "AP", "RR")
    for name, file in PUBLISHED.items():
        path = SHARED / "score-matrices" / f"{file}.csv.gz"
        if path.exists():
            with gzip.open(path, "rt") as text:
                yield Matrix(name, np.ascontiguousarray(np.loadtxt(text, delimiter=",", skiprows=1).T))
    if DL19.is_dir():
        yield from scored("DL 2019", DL19 / "qrels.dl19-passage.gz", DL19 / "runs", "nDCG@10")


def scored(name: str, qrels: Path, runs: Path, *measures: str) -> list[Matrix]:
    """Matrices of the runs in a folder, scored by irci, one a measure."""
    asked = [word for measure in measures for word in ("-m", measure)]
    found = rows(
        "ap-ci", "-B", 0, "--per-topic", "--no-summary", "--names", "file", *asked, qrels, *sorted(runs.iterdir())
    )
    by_measure: dict[str, dict[str, list[float]]] = {}
    for row in found:
        by_measure.setdefault(row["measure"], {}).setdefault(row["run"], []).append(row["value"])
    return [
        Matrix(f"{name}, {measure}", np.array(list(of_runs.values())))
        for measure, of_runs in zip(measures, by_measure.values(), strict=True)
    ]

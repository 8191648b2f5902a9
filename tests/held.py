"""The small collection, and others, as Python programs hold them; a command's answer; a refusal."""

import gzip
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from command_lines import printed, without_receipts
from helpers import SMALL

import irci
from irci.base import IrciError

FUNCTIONS = {
    "ap-ci": irci.ap_ci, "compare": irci.compare, "map-ci": irci.map_ci,
    "partition-anova": irci.partition_anova, "stdap-ci": irci.stdap_ci,
    "swap-error": irci.swap_error, "wcw": irci.wcw, "judges": irci.judges,
}  # fmt: skip
QRELS = SMALL / "qrels.txt"
RUNS = sorted((SMALL / "runs").iterdir())
Ranking = dict[str, dict[str, Any]]


class Qrel(NamedTuple):
    """As ir_measures names them."""

    query_id: str
    doc_id: str
    relevance: int


class ScoredDoc(NamedTuple):
    """As ir_measures names them."""

    query_id: str
    doc_id: str
    score: float


def ranking(path: Path, number: Callable[[str], Any], place: int) -> Ranking:
    """{topic: {docno: number}} of the lines of a file, as pytrec_eval has it."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    found: Ranking = {}
    for fields in (line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")):
        found.setdefault(fields[0], {})[fields[2]] = number(fields[place])
    return found


JUDGED = ranking(QRELS, int, 3)
RANKED = {path.name.partition(".")[0]: ranking(path, float, 4) for path in RUNS}


def triples(ranking: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str, Any]]:
    return [(topic, docno, number) for topic, of in ranking.items() for docno, number in of.items()]


def shuffled(ranking: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str, Any]]:
    """Topics in no order: scores alone order a ranking."""
    rows = triples(ranking)
    return [rows[place] for place in np.random.default_rng(1).permutation(len(rows))]


def said(line: Iterable[str]) -> str:
    """What a command prints as json, but for the line that was typed, and receipts."""
    return without_receipts(printed(*line, "--format", "json"))


def refused(kind: type[IrciError], message: str, function: Callable[..., Any], *args: Any, **options: Any) -> None:
    """It is refused, by an error of this kind whose whole message is matched."""
    with pytest.raises(kind) as error:
        function(*args, **options)
    assert type(error.value) is kind
    assert re.fullmatch(message, str(error.value)), str(error.value)


GOOD: Ranking = {"301": {"FT-1": 2.0, "FT-2": 1.0}, "302": {"FT-1": 1.0}}
GRADES = {"301": {"FT-1": 1, "FT-3": 0}, "302": {"FT-2": 1, "FT-1": 0}}
NAN, INF = float("nan"), float("inf")


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"qid": ["301", "301"], "docno": ["FT-1", "FT-2"], "score": [2.0, 1.0]} | columns)


# Scores: as trec_eval would have them, of two runs, two measures, three topics.
SCORED = {
    "bm25": {"map": {"1": 0.5, "2": 0.25, "3": 1.0}, "P_10": {"1": 0.1, "2": 0.3, "3": 0.2}},
    "splade": {"map": {"1": 0.625, "2": 0.75, "3": 0.3}, "P_10": {"1": 0.4, "2": 0.3, "3": 0.1}},
}
LONG = [
    (run, topic, measure, value)
    for run, of in SCORED.items()
    for measure, topics in of.items()
    for topic, value in topics.items()
]


class Metric(NamedTuple):
    """As ir_measures' iter_calc gives them; its measures are objects."""

    query_id: str
    measure: object
    value: float

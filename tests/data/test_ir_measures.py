"""ir_measures' names score what they do there, on topics whose scores stay apart in single precision, which it keeps."""

import gzip
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from helpers import SHARED

from irci.cli.group import main
from irci.measures import parse

# Without IPrec, whose recalls trec_eval 10 rounds otherwise, and RBP, which takes a further package.
NAMES = [
    "RR", "RR@10", "RR(rel=2)@10", "AP", "AP(rel=2)", "AP(rel=2)@100", "nDCG", "nDCG@10", "R@100", "R(rel=2)@100", "P@5",
    "P(rel=2)@5", "Judged@10", "Success@1", "Success(rel=2)@5", "SetP", "SetRelP", "SetR", "SetF", "SetF(beta=0.5)",
    "SetAP(rel=2)", "NumRet", "NumRet(rel=2)", "NumRel", "Bpref", "Bpref(rel=2)", "infAP", "Rprec(rel=2)",
]  # fmt: skip
FIVE_DECIMALS = ["nDCG(dcg='exp-log2')@10", "ERR@20"] if shutil.which("perl") else []  # by gdeval.pl


def topics_without_ties(run: list[Any]) -> set[str]:
    scores = defaultdict(list)
    for document in run:
        scores[document.query_id].append(document.score)
    return {topic for topic, values in scores.items() if len(set(np.float32(values).tolist())) == len(values)}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("collection", ["trec-dl19-passage", "trec-covid-round3"])
def test_graded_collections_against_ir_measures(collection: str) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    folder = SHARED / collection
    if not folder.is_dir():
        pytest.skip(f"{collection} is not beside this checkout")
    (qrels_path,) = folder.glob("qrels*")
    qrels = list(ir_measures.read_trec_qrels(gzip.decompress(qrels_path.read_bytes()).decode()))
    names = NAMES + FIVE_DECIMALS
    name_of = {parse(name)[0].name: name for name in names}
    compared = 0
    for path in sorted((folder / "runs").iterdir())[:3]:
        run = list(ir_measures.read_trec_run(gzip.decompress(path.read_bytes()).decode()))
        computed = ir_measures.iter_calc([ir_measures.parse_measure(name) for name in names], qrels, run)
        theirs = {(str(found.measure), found.query_id): found.value for found in computed}
        topics = topics_without_ties(run)
        for name, topic, value in scores_of(names, qrels_path, path):
            key = str(ir_measures.parse_measure(name_of[name])), topic
            if topic in topics and key in theirs:
                within = 5.1e-6 if name_of[name] in FIVE_DECIMALS else 1e-15
                assert value == pytest.approx(theirs[key], abs=within), (path.name, name, topic)
                compared += 1
    assert compared > 10 * len(names)


def scores_of(names: list[str], *paths: Path) -> list[tuple[str, str, float]]:
    chosen = [part for name in names for part in ("-m", name)]
    options = ["-q", "-n", "--quiet", "-B", "0", "--max-grade", "4", "--names", "file", "--format", "tsv"]
    result = CliRunner().invoke(main, ["ap-ci", *options, *chosen, *map(str, paths)])
    assert result.exit_code == 0, result.output
    rows = [line.split("\t") for line in result.stdout.splitlines()[1:]]
    return [(row[0], row[1], float(row[2])) for row in rows]

"""The first three columns are trec_eval 10's, byte for byte, for every measure that both have."""

import gzip
from collections import defaultdict
from pathlib import Path

import naive
import numpy as np
import pytest
from click.testing import CliRunner
from conftest import SHARED, TESTDATA
from trec_eval_output import CASES, FOLDER, MEASURES

from irci.cli.group import main
from irci.data.measures import TABLE

COLUMNS = 3
# What trec_eval does not have.
OURS = {"lmap", "Q", "Pplus", "ERR", "nERR", "ndcg_exp_cut"}
THEIRS = [family.name for family in TABLE if family.name not in OURS]


def first_columns(measures: list[str], *arguments: str | Path) -> list[bytes]:
    """What `irci ap-ci -q -m ... | cut -f1-3` prints."""
    chosen = [part for measure in measures for part in ("-m", measure)]
    result = CliRunner().invoke(main, ["ap-ci", "-q", "--quiet", "-B", "0", *chosen, *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return [b"\t".join(line.split(b"\t")[:COLUMNS]) for line in result.stdout_bytes.splitlines()]


def lines_of(trec_eval_output: bytes, measures: set[bytes]) -> list[bytes]:
    """The lines of these measures alone."""
    return [line for line in trec_eval_output.splitlines() if line.split(b"\t")[0].rstrip() in measures]


def names_in(lines: list[bytes]) -> set[bytes]:
    return {line.split(b"\t")[0].rstrip() for line in lines}


@pytest.mark.parametrize("case", CASES)
def test_committed_output_against_trec_eval(case: str) -> None:
    """Ties, missing topics, topics without relevant documents, levels, depths: all bytes, in trec_eval's order."""
    options, qrels, run = CASES[case]
    printed = first_columns([], *options, TESTDATA / qrels, TESTDATA / run)
    assert b"".join(line + b"\n" for line in printed) == (FOLDER / f"{case}.txt").read_bytes()


def test_every_common_measure_is_in_the_committed_output() -> None:
    assert MEASURES == THEIRS


def test_trec8_against_trec_eval(trec8: Path) -> None:
    """Forty-one runs, every topic and the means, all measures at once; of a few runs map alone, line by line."""
    compared = 0
    for place, run in enumerate(sorted((trec8 / "runs").iterdir())):
        expected = gzip.decompress((trec8 / "nist-eval" / f"eval.{run.name.removeprefix('input.')}").read_bytes())
        qrels = trec8 / "qrels.trec8.adhoc.gz"
        if place % 8 == 0:
            assert first_columns(["map"], qrels, run) == lines_of(expected, {b"map"}), run.name
        printed = first_columns(THEIRS, qrels, run)
        assert len(names_in(printed)) == 65
        # trec_eval prints gm_map, which has no topics, where its own table has it; elsewhere the order is the same.
        assert sorted(printed) == sorted(lines_of(expected, names_in(printed))), run.name
        compared += len(printed)
    assert compared == 41 * (64 * 50 + 65)


@pytest.mark.parametrize(
    ("output", "options", "qrels", "results"),
    [
        ("out.test.aq", [], "qrels.test", "results.test"),
        ("out.test.aq", [], "qrels.test.with-comments", "results.test"),
        ("out.test.aqc", [], "qrels.test", "results.trunc"),
        ("out.test.aqcM", ["-M", "100"], "qrels.test", "results.trunc"),
        ("out.test.aql", ["-l", "2"], "qrels.rel_level", "results.test"),
        ("out.test.a", [], "qrels.test", "results.test"),
        ("out.test", [], "qrels.test", "results.test"),
        ("out.comment.test", [], "qrels.comment.test", "results.comment.test.gz"),
    ],
)
def test_own_tests_against_trec_eval(
    trec_eval_test: Path, output: str, options: list[str], qrels: str, results: str
) -> None:
    expected = (trec_eval_test / output).read_bytes()
    printed = first_columns(THEIRS, *options, trec_eval_test / qrels, trec_eval_test / results)
    if "q" not in output.removeprefix("out.test"):  # made without -q: means only
        printed = [line for line in printed if line.split(b"\t")[1] == b"all"]
    theirs = lines_of(expected, names_in(printed))
    assert len(theirs) > 20
    assert [line for line in sorted(printed) if names_in([line]) <= names_in(theirs)] == sorted(theirs)


def test_parameters_against_trec_eval(trec_eval_test: Path) -> None:
    """-m with parameters: the lines of out.test.meas_params whose measures irci has."""
    chosen = ["iprec_at_recall.0.1,.20,.25,.75,.50", "P.5,7,3", "recall.20,2000", "ndcg_cut.10,20,23", "success.2,5,20"]
    printed = first_columns(chosen, trec_eval_test / "qrels.test", trec_eval_test / "results.test")
    expected = lines_of((trec_eval_test / "out.test.meas_params").read_bytes(), names_in(printed))
    assert len(names_in(printed)) == 16
    assert printed == expected


# Their definition is another one in trec_eval 9, or its default parameters are.
CHANGED_SINCE_9 = {"iprec_at_recall", "11pt_avg", "rbp", "gm_map"}


def distinct_in_single_precision(path: Path) -> set[bytes]:
    """The topics of a run whose different scores are different in single precision too."""
    scores = defaultdict(set)
    for topic, _, _, _, score, *_ in naive.lines_of(str(path)):
        scores[topic].add(float(score))
    return {topic for topic, values in scores.items() if len(set(np.float32(list(values)).tolist())) == len(values)}


@pytest.mark.parametrize("collection", ["trec-dl19-passage", "trec-covid-round3"])
def test_graded_collections_against_the_binding(collection: str, tmp_path: Path) -> None:
    """trec_eval 9 keeps scores as float32: only topics whose scores stay apart in single precision can be compared."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    folder = SHARED / collection
    if not folder.is_dir():
        pytest.skip(f"{collection} is not beside this checkout")
    families = [name for name in THEIRS if name not in CHANGED_SINCE_9]
    (qrels,) = folder.glob("qrels*")
    with gzip.open(qrels, "rt") as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(families))
    compared = 0
    for path in sorted((folder / "runs").iterdir())[:12]:
        topics = distinct_in_single_precision(path)
        with gzip.open(path, "rt") as file:
            theirs = evaluator.evaluate(pytrec_eval.parse_run(file))
        for line in first_columns(families, "--names", "file", qrels, path):
            measure, topic, value = line.decode().split("\t")
            if topic.encode() in topics and topic in theirs:
                assert float(value) == pytest.approx(theirs[topic][measure.strip()], abs=5.0001e-5), (path.name, line)
                compared += 1
    assert compared > 10_000

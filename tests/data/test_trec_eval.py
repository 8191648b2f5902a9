"""The first three columns are trec_eval 10's, byte for byte, for every measure that both have."""

import gzip
import shutil
from collections import defaultdict
from pathlib import Path

import naive
import numpy as np
import pytest
from command_lines import irci, printed, rows
from first_columns import RESIDUAL, first_columns, without_residuals
from helpers import SMALL, TESTDATA, all_written, shared, unpacked
from trec_eval_output import CASES, FOLDER

from irci.measures import NICKNAMES, asked_for, parse


def names_in(lines: list[bytes]) -> set[bytes]:
    return {line.split(b"\t")[0].rstrip() for line in lines}


def assert_same(printed: list[bytes], expected: list[bytes]) -> None:
    """All bytes but those of runid and relstring; of residuals those of topics of which trec_eval prints one."""
    assert without_residuals(printed) == without_residuals(expected)
    residuals = [line for line in expected if line.startswith(RESIDUAL) and not line.endswith(b"\t0.0000")]
    assert {line for line in residuals if line.split(b"\t")[1] != b"all"} <= set(printed)


@pytest.mark.sample(6)
@pytest.mark.parametrize("case", CASES)
def test_committed_output_against_trec_eval(case: str) -> None:
    """Ties, missing topics, topics without relevant documents, levels, depths: all bytes, in trec_eval's order."""
    options, qrels, run = CASES[case]
    expected = (FOLDER / f"{case}.txt").read_bytes().splitlines()
    assert len(expected) > 150
    assert_same(first_columns([], *options, TESTDATA / qrels, TESTDATA / run), expected)


def test_residual_of_a_judged_list_against_theory(tmp_path: Path) -> None:
    """Two documents, both judged: what is below them could still gain .9^2, of which trec_eval prints nothing."""
    texts = {"qrels": "1 0 a 1\n1 0 b 0\n2 0 a 1\n", "run": "1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n2 Q0 c 1 1 r\n"}
    printed = first_columns(["rbp_resid", "rbp_resid_p=0.5"], *all_written(tmp_path, texts))
    values = {tuple(line.split(b"\t")[:2]): float(line.split(b"\t")[2]) for line in printed}
    assert [values[b"rbp_resid".ljust(22), topic] for topic in (b"1", b"2", b"all")] == [0.81, 1, 0.905]
    assert values[b"rbp_resid_p=0.5".ljust(22), b"1"] == 0.25


def test_all_trec_says_what_differs() -> None:
    asked = ["ap-ci", "-B", "0", "-m", "all_trec", "-m", "map", SMALL / "qrels.txt", SMALL / "runs" / "alpha.run"]
    assert irci(*asked).stderr.count("rbp_resid is Moffat and Zobel's") == 1
    assert "rbp_resid is" not in irci(*asked, "--quiet").stderr


@pytest.mark.parametrize("step", [12, pytest.param(1, marks=pytest.mark.slow)])
def test_trec8_against_trec_eval(trec8: Path, step: int) -> None:
    """Forty-one runs (four of them, quickly), every topic and the means, all of all_trec, line by line."""
    compared = 0
    for run in sorted((trec8 / "runs").iterdir())[::step]:
        expected = gzip.decompress((trec8 / "nist-eval" / f"eval.{run.name.removeprefix('input.')}").read_bytes())
        printed = first_columns(["all_trec"], trec8 / "qrels.trec8.adhoc.gz", run)
        assert_same(printed, expected.splitlines())
        compared += len(without_residuals(printed))
    assert compared == {12: 4, 1: 41}[step] * (94 * 50 + 97)


@pytest.mark.parametrize(
    ("output", "options", "qrels", "results"),
    [
        ("out.test.aq", "", "qrels.test", "results.test"),
        ("out.test.aq", "", "qrels.test.with-comments", "results.test"),
        ("out.test.aqc", "", "qrels.test", "results.trunc"),
        ("out.test.aqcM", "-M 100", "qrels.test", "results.trunc"),
        ("out.test.aql", "-l 2", "qrels.rel_level", "results.test"),
        ("out.test.a", "--missing drop", "qrels.test", "results.test"),
        ("out.test", "--missing drop", "qrels.test", "results.test"),
        ("out.comment.test", "--missing drop", "qrels.comment.test", "results.comment.test.gz"),
        ("out.test", "", "qrels.test", "results.test"),
    ],
)
def test_own_tests_against_trec_eval(trec_eval_test: Path, output: str, options: str, qrels: str, results: str) -> None:
    """All measures where the output is called a, topics too where q; means are of the topics of the run alone without -c."""
    expected = (trec_eval_test / output).read_bytes().splitlines()
    name, has_topics = "all_trec" if ".a" in output else "official", ".aq" in output
    printed = first_columns([name], *options.split(), trec_eval_test / qrels, trec_eval_test / results)
    if has_topics:
        assert len(printed) == 95 * 3 + 98
        assert_same(printed, expected)
    else:
        means = [line for line in printed if line.split(b"\t")[1] == b"all"]
        assert without_residuals(means) == without_residuals(expected)


def test_parameters_against_trec_eval(trec_eval_test: Path) -> None:
    """-m with parameters: the lines of out.test.meas_params but those of gains and weights, which irci has not."""
    chosen = [
        "iprec_at_recall.0.1,.20,.25,.75,.50", "P.5,7,3", "recall.20,2000", "Rprec_mult.0.2,5.0,0.35", "ndcg_cut.10,20,23",
        "success.2,5,20",
    ]  # fmt: skip
    printed = first_columns(chosen, trec_eval_test / "qrels.test", trec_eval_test / "results.test")
    expected = (trec_eval_test / "out.test.meas_params").read_bytes().splitlines()
    assert len(names_in(printed)) == 19
    assert printed == [line for line in expected if names_in([line]) <= names_in(printed)]


# Graded collections: whoever keeps scores as float32 orders documents like irci only where these stay apart.

# Their definition is another one in trec_eval 9, or its default parameters are.
CHANGED_SINCE_9 = {"iprec_at_recall", "11pt_avg", "rbp", "gm_map", "gm_bpref", "rbp_resid", "unj"}
# ir_measures' names, without IPrec, whose recalls trec_eval 10 rounds otherwise, and RBP, which takes a further package.
OF_IR_MEASURES = [
    "RR", "RR@10", "RR(rel=2)@10", "AP", "AP(rel=2)", "AP(rel=2)@100", "nDCG", "nDCG@10", "R@100", "R(rel=2)@100", "P@5",
    "P(rel=2)@5", "Judged@10", "Success@1", "Success(rel=2)@5", "SetP", "SetRelP", "SetR", "SetF", "SetF(beta=0.5)",
    "SetAP(rel=2)", "NumRet", "NumRet(rel=2)", "NumRel", "Bpref", "Bpref(rel=2)", "infAP", "Rprec(rel=2)",
]  # fmt: skip
FIVE_DECIMALS = ["nDCG(dcg='exp-log2')@10", "ERR@20"] if shutil.which("perl") else []  # by gdeval.pl


def distinct_in_single_precision(path: Path, *, ties: bool) -> set[str]:
    """The topics of a run whose different scores are different in single precision too; if need be all scores."""
    scores = defaultdict(list)
    for topic, _, _, _, score, *_ in naive.lines_of(str(path)):
        scores[topic.decode()].append(float(score))
    sizes = {topic: len(set(values) if ties else values) for topic, values in scores.items()}
    return {topic for topic, values in scores.items() if len(set(np.float32(values).tolist())) == sizes[topic]}


def files_of(collection: str) -> tuple[Path, list[Path]]:
    folder = shared(collection)
    (qrels,) = folder.glob("qrels*")
    return qrels, sorted((folder / "runs").iterdir())


@pytest.mark.sample(1)
@pytest.mark.parametrize("number", [2, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("collection", ["trec-dl19-passage", "trec-covid-round3"])
def test_graded_collections_against_the_binding(collection: str, number: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, runs = files_of(collection)
    families = [name for name in NICKNAMES["all_trec"] if name not in CHANGED_SINCE_9]
    with gzip.open(qrels, "rt") as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(families))
    compared = 0
    for path in runs[:number]:
        topics = distinct_in_single_precision(path, ties=True)
        with gzip.open(path, "rt") as file:
            theirs = evaluator.evaluate(pytrec_eval.parse_run(file))
        for line in first_columns(families, "--names", "file", qrels, path):
            measure, topic, value = line.decode().split("\t")
            if topic in topics and topic in theirs:
                assert float(value) == pytest.approx(theirs[topic][measure.strip()], abs=5.0001e-5), (path.name, line)
                compared += 1
    assert compared > 2000 * number


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("collection", ["trec-dl19-passage", "trec-covid-round3"])
def test_graded_collections_against_ir_measures(collection: str) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    qrels_path, runs = files_of(collection)
    qrels = list(ir_measures.read_trec_qrels(unpacked(qrels_path).decode()))
    names = OF_IR_MEASURES + FIVE_DECIMALS
    name_of = {parse(name)[0].name: name for name in names}
    measures = {name: ir_measures.parse_measure(name) for name in names}
    chosen = [word for name in names for word in ("-m", name)]
    options = ["-q", "-n", "-B", "0", "--max-grade", "4", "--names", "file"]
    compared = 0
    for path in runs[:3]:
        run = list(ir_measures.read_trec_run(unpacked(path).decode()))
        computed = ir_measures.iter_calc([*measures.values()], qrels, run)
        theirs = {(str(found.measure), found.query_id): found.value for found in computed}
        topics = distinct_in_single_precision(path, ties=False)
        for row in rows("ap-ci", *options, *chosen, qrels_path, path):
            name = name_of[row["measure"]]
            key = str(measures[name]), row["topic"]
            if row["topic"] in topics and key in theirs:
                within = 5.1e-6 if name in FIVE_DECIMALS else 1e-15
                assert row["value"] == pytest.approx(theirs[key], abs=within), (path.name, key)
                compared += 1
    assert compared > 10 * len(names)


def test_names_for_several_measures_leave_out_what_has_no_mean() -> None:
    """A count asked for by its own name is refused; of official and all_trec the others are compared."""
    files = [TESTDATA / "qrels.txt", *(TESTDATA / "runs" / f"{name}.run" for name in ("bm25", "hybrid", "dense"))]
    assert "num_ret: a count is not averaged" in irci("compare", "-m", "num_ret", *files).stderr
    for command, name, further in (("compare", "all_trec", ""), ("stdap-ci", "official", " gm_map")):
        counts = f"num_q num_ret num_rel num_rel_ret{further}"
        told = f"{name}: left out, as they are no means of scores of topics: {counts}"
        assert told in irci(command, "-m", name, *files).stderr
    measures = {line.partition("\t")[0].strip() for line in printed("compare", "-m", "official", *files).splitlines()}
    assert {"map", "P_1000", "gm_map", "map_diff", "P_1000_diff"} <= measures
    assert not any(name.startswith("num_") for name in measures)
    assert len({measure.family.name for measure in asked_for("all_trec")}) == 35
    assert {measure.family.name for measure in asked_for("set")} == {
        "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F",
    }  # fmt: skip

"""Score files: right means the numbers that are in the file, the same results from a table read back, and exact refusals."""

import gzip
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from command_lines import irci as command
from command_lines import result_lines, without_receipts
from helpers import SHARED, SMALL
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import irci as package
from irci.base.errors import DataError, FormatError, IrciError
from irci.cli.group import main
from irci.data.score_files import read_scores
from irci.data.scores import Scores, saved_text
from irci.measures import named
from irci.stats.scales import reference_factors, standardised

QRELS = str(SMALL / "qrels.txt")
RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())]


irci = partial(command, "ap-ci", "--quiet", "-q")


def read(path: Path, text: str, **options: Any) -> tuple[Scores, str]:
    path.write_text(text)
    (scores,), ((_, recognised),) = read_scores([str(path)], **options)
    return scores, recognised


def test_trec_eval_output_of_many_runs(trec8: Path) -> None:
    """Every number of every topic; runs are named by their runid lines."""
    paths = sorted((trec8 / "nist-eval").iterdir())[::4]
    (scores,), recognised = read_scores([str(path) for path in paths])
    assert {form for _, form in recognised} == {"trec_eval"}
    compared = 0
    place_of_run, place_of_topic = (
        {name: place for place, name in enumerate(each)} for each in (scores.runs, scores.topics)
    )
    for path in paths:
        lines = [line.split("\t") for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
        (run,) = [value for name, _, value in lines if name.strip() == "runid"]
        for name, topic, value in lines:
            if topic != "all" and name.strip() != "relstring":
                assert scores.values[name.strip()][place_of_run[run], place_of_topic[topic]] == float(value)
                compared += 1
    assert compared > 35_000


def test_trec_eval_output_of_several_runs_joined(tmp_path: Path) -> None:
    block = "map                   \t1\t{0}\nmap                   \t2\t.5\n"
    text = (
        block.format(0.1) + "runid                 \tall\tfirst\nmap                   \tall\t.3\n"
        + block.format(0.2) + "map                   \tall\t.3\nrunid                 \tall\tsecond\n"
        + block.format(0.3) + "map                   \tall\t.3\n"
    )  # fmt: skip
    scores, recognised = read(tmp_path / "third.txt", text)
    assert (recognised, scores.runs, scores.topics) == ("trec_eval", ["first", "second", "third"], ["1", "2"])
    assert scores.values["map"].tolist() == [[0.1, 0.5], [0.2, 0.5], [0.3, 0.5]]


def test_ir_measures_output(tmp_path: Path) -> None:
    text = "q1\tnDCG@10\t0.25\nq1\talpha_nDCG@10\t0.5\nq2\tnDCG@10\t0.75\nq2\talpha_nDCG@10\t1\nall\tnDCG@10\t0.5\n"
    objects = [
        {"query_id": topic, "measure": measure, "value": float(value)}
        for topic, measure, value in (line.split("\t") for line in text.splitlines())
    ]
    for content in (text, "".join(json.dumps(each) + "\n" for each in objects)):
        scores, recognised = read(tmp_path / "bm25.txt", content)
        assert (recognised, scores.runs, scores.topics) == ("ir_measures", ["bm25"], ["q1", "q2"])
        assert scores.values["nDCG@10"].tolist() == [[0.25, 0.75]]
        assert scores.values["alpha_nDCG@10"].tolist() == [[0.5, 1]]


@pytest.mark.parametrize("header", [
    "system,qid,metric,score", "Model;Query_ID;Measure;Value", "run_id\ttopic_id\tMEASURE\tscore", "name,qid,measure,value",
    "runid,query,measure,value", "tag;topic;metric;score",
])  # fmt: skip
def test_other_names_of_columns(tmp_path: Path, header: str) -> None:
    """Whatever the columns are called and whatever separates them; `query` is the topic unless an id says otherwise."""
    separator = next(each for each in ";\t," if each in header)
    rows = [["a", "2", "map", ".5"], ["a", "10", "map", ".25"]]
    lines = [header, *(separator.join(row) for row in rows)]
    scores, recognised = read(tmp_path / "x", "\n".join(lines))
    assert (recognised, scores.runs, scores.topics) == ("long", ["a"], ["10", "2"])
    assert scores.values["map"].tolist() == [[0.25, 0.5]]
    lines = [f"query{separator}{header}", *(f"some words{separator}{line}" for line in lines[1:])]
    if "query" not in header.split(separator):
        assert read(tmp_path / "x", "\n".join(lines))[0].topics == ["10", "2"]


@pytest.mark.parametrize(("first", "separator"), [("run", ","), ("System", "\t"), ("model", ";")])
def test_a_matrix_with_runs_as_rows(tmp_path: Path, first: str, separator: str) -> None:
    """The header's first cell says that rows are runs; a column over all topics is left out."""
    text = f"{first},301,302,all\nbm25,.1,.2,.15\n7,.3,7e-04,.2\n".replace(",", separator)
    scores, recognised = read(tmp_path / "ap.csv", text, measure="map")
    assert (recognised, scores.runs, scores.topics) == ("matrix", ["bm25", "7"], ["301", "302"])
    assert scores.values["map"].tolist() == [[0.1, 0.2], [0.3, 7e-4]]


def test_parts_of_the_collection_are_left_out(tmp_path: Path) -> None:
    scores, _ = read(
        tmp_path / "x", "run\ttopic\tmeasure\tsplit\tpart\tvalue\na\t1\tmap\t0\t0\t.5\na\t1\tmap\t1\t2\t.7\n"
    )
    assert scores.values["map"].tolist() == [[0.5]]


@pytest.mark.parametrize("header", ["topic,nDCG@10", "qid\tndcg_cut_10", ",P_10", "Topic;Score", "query_id,value"])
def test_topics_and_one_measure_are_of_a_run_called_as_the_file(header: str, tmp_path: Path) -> None:
    """As pandas writes a Series. Without a measure's name it is the one asked for; any other name is a run's."""
    separator = next(each for each in ";\t," if each in header)
    text = f"{header}\n401,.5\n402,.25\n".replace(",", separator)
    what = header.split(separator)[1]
    for path in ("bm25.csv", "bm25.tsv", "bm25"):
        scores, recognised = read(tmp_path / path, text)
        expected = what.lower() if what.lower() in ("score", "value") else what
        assert (recognised, scores.runs, list(scores.values)) == ("matrix", ["bm25"], [expected])
        assert (scores.topics, scores.values[expected].tolist()) == (["401", "402"], [[0.5, 0.25]])
    of_asked, _ = read(tmp_path / "bm25.csv", text, measure="map")
    assert list(of_asked.values) == ["map" if expected in ("score", "value") else what]
    (tmp_path / "dense.csv").write_text(text)
    (both,), _ = read_scores([str(tmp_path / "bm25.csv"), str(tmp_path / "dense.csv")])
    assert (both.runs, list(both.values)) == (["bm25", "dense"], [expected])
    of_run, _ = read(tmp_path / "ap.csv", text.replace(what, "bm25"))
    assert (of_run.runs, list(of_run.values)) == (["bm25"], ["ap"])


def test_matrices(tmp_path: Path) -> None:
    plain, recognised = read(tmp_path / "ap.csv", "a,b\n.1,.2\n.3,7e-04\n")
    assert (recognised, plain.runs, plain.topics) == ("matrix", ["a", "b"], ["1", "2"])
    assert plain.values["ap"].tolist() == [[0.1, 0.3], [0.2, 7e-4]]
    named, _ = read(tmp_path / "ap.csv", "topic,a,b\n401,.1,.2\n402,.3,.4\n", measure="map")
    assert (named.topics, named.values["map"].tolist()) == (["401", "402"], [[0.1, 0.3], [0.2, 0.4]])


@pytest.mark.parametrize("columns", [3, 5, 7], ids=["as qrels", "as a run", "as irci's output"])
@pytest.mark.parametrize("first", ["topic", "", "QID", "run"])
def test_a_matrix_whose_columns_are_numbers(tmp_path: Path, first: str, columns: int) -> None:
    """Its header has the fields of a record of another kind; a first cell that names the lines tells them apart."""
    names = [str(place) for place in range(columns)]
    values = np.random.default_rng(1).random((2, columns))
    lines = [[first, *names], *([row, *map(str, of)] for row, of in zip(("401", "402"), values.tolist(), strict=True))]
    scores, recognised = read(tmp_path / "x", "".join("\t".join(line) + "\n" for line in lines), measure="map")
    rows, runs = (scores.runs, scores.topics) if first == "run" else (scores.topics, scores.runs)
    assert (recognised, rows, runs) == ("matrix", ["401", "402"], names)
    assert scores.values["map"].tolist() == (values if first == "run" else values.T).tolist()


@pytest.mark.parametrize(("name", "systems", "topics"), [("robust2004_ap", 110, 99), ("web2010_err20", 88, 48)])
def test_public_matrices(name: str, systems: int, topics: int) -> None:
    path = SHARED / "score-matrices" / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip("score-matrices is not beside this checkout")
    (scores,), _ = read_scores([str(path)])
    expected = np.loadtxt(path, delimiter=",", skiprows=1)
    order = [int(topic) - 1 for topic in scores.topics]
    assert scores.values[name].shape == (systems, topics)
    assert np.array_equal(scores.values[name], expected[order].T)


NAME = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=8)
SCORE = st.just(0.0) | st.floats(1e-50, 1e50) | st.floats(-1e50, -1e-50)
MEASURE = NAME.filter(lambda name: named(name).name == name)


@pytest.mark.check
@given(
    cells=st.dictionaries(st.tuples(NAME, NAME, MEASURE), SCORE, min_size=1, max_size=12),
    cut=st.integers(0, 12),
)
def test_saved_scores_are_read_back_to_the_last_digit(
    tmp_path_factory: pytest.TempPathFactory, cells: dict[tuple[str, str, str], float], cut: int
) -> None:
    """Also when the table was written in two pieces and joined by cat."""

    def saved(some: dict[tuple[str, str, str], float]) -> str:
        runs = list(dict.fromkeys(run for run, _, _ in some))
        topics = sorted({topic for _, topic, _ in some})
        values: dict[str, np.ndarray] = {}
        for (run, topic, measure), value in some.items():
            table = values.setdefault(measure, np.full((len(runs), len(topics)), np.nan))
            table[runs.index(run), topics.index(topic)] = value
        return saved_text(Scores(runs, topics, values))

    items = list(cells.items())
    path = tmp_path_factory.mktemp("scores") / "scores.tsv"
    path.write_text(saved(dict(items[:cut])) + saved(dict(items[cut:])), newline="")
    (scores,), recognised = read_scores([str(path)])
    assert [form for _, form in recognised] == ["long"]
    for (run, topic, measure), value in items:
        assert scores.values[measure][scores.runs.index(run), scores.topics.index(topic)] == value
    assert sum(int((~np.isnan(values)).sum()) for values in scores.values.values()) == len(items)


@pytest.mark.parametrize("form", ["text", "json", "tsv", "markdown"])
def test_results_from_saved_scores_are_those_of_the_runs(tmp_path: Path, form: str) -> None:
    path = str(tmp_path / "scores.tsv")
    chosen = ["-B", "0", "-m", "recall_20", "-m", "bpref", "-m", "Q", "-m", "num_rel_ret"]
    from_runs = irci(*chosen, "--save-scores", path, "--format", form, QRELS, *RUNS)
    from_scores = irci("-B", "0", "--scores", "--format", form, path)
    assert from_runs.exit_code == from_scores.exit_code == 0
    expected = from_runs.stdout.replace("scores=False", "scores=True").replace('"scores": false', '"scores": true')
    assert without_receipts(from_scores.stdout) == without_receipts(expected)


def test_output_of_irci_is_read_back(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(irci("-m", "P_10", QRELS, *RUNS).stdout)
    (tmp_path / "tsv").write_text(irci("-m", "P_10", "--format", "tsv", QRELS, *RUNS).stdout)
    (from_text,), form = read_scores([str(tmp_path / "text")])
    (from_tsv,), _ = read_scores([str(tmp_path / "tsv")])
    assert form == [(str(tmp_path / "text"), "irci")]
    assert from_text.runs == from_tsv.runs
    assert np.allclose(from_text.values["P_10"], from_tsv.values["P_10"], rtol=0, atol=5.0001e-5)


BAD = [
    ("a,b\n.1,.2\n.3\n", ["3: 1 columns, expected 2 as in the header"]),
    (
        "a,b\n.1,nan\n.3,x\n",
        [
            "2: value 'nan' is not a finite number; leave a missing score out (of a matrix: an empty cell)"
            " (and 1 more line: 3)"
        ],
    ),
    ("a,b\n.1,\n,\n", ["3: no score in any column: leave the line out"]),
    (
        "topic,A,B\n401,.1,.2\n,,.3\n",
        ["3: a run, topic or measure without a name, or with a tab, a line end or a NUL in it"],
    ),
    (
        "run,topic,measure,value\na,1,map,\n",
        ["2: value '' is not a finite number; leave a missing score out (of a matrix: an empty cell)"],
    ),
    (
        "a,b\n.1,inf\n" + ".3,x\n" * 3 + "1,1e99\n" + ".3,x\n" * 4,
        [
            "2: value 'inf' is not a finite number (and 7 more lines: 3, 4, 5, ...)",
            "6: value '1e99' is beyond 1e+50: no measure has such scores",
        ],
    ),
    ("a,a\n1,2\n", ["1: the header must name each run once"]),
    (
        ",topic,A,B\n0,401,.1,.2\n1,402,.3,.4\n",
        ["1: a column before topic, without a name: leave row numbers out (pandas: to_csv(index=False))"],
    ),
    ("run,topic,measure,value\na,1,map,.1\na,1,map,.1\n", ["3: map of run 'a' on topic '1' twice"]),
    ("run,topic,measure,value\na,1,map\n", ["2: 3 columns, expected 4 as in the header"]),
    ("map   \t1\t.5\nmap   \t2\n", ["2: 2 fields with tabs, expected 3"]),
    ('{"query_id": "1"}\n', ["1: not an object with query_id, measure and value, each once"]),
    ("topic,A\n1,1_0\n", ["2: value '1_0' is not a finite number"]),
    (
        "0.1,0.2\n0.3,0.4\n",
        ["1: all cells are numbers, so there is no header with run names (of runs 1,2,..., put a topic column first)"],
    ),
    (
        "topic,A\n1,.1\r2\n",
        ["2: not a line of csv"],
    ),
    ("run,topic,measure,value\nA,1,AP,.5\nA,1,map,.4\n", ["3: AP of run 'A' on topic '1' twice"]),
    ("x\t1\t0.1\ny\t1\t0.2\n", [" trec_eval's or ir_measures' output? A header topic, measure, value tells which"]),
    ("", [" empty file: no scores"]),
    (
        "model,query_id,metric,result\na,1,map,.1\nb,1,map,.2\n",
        [
            "1: header not understood: needs run, topic, measure, value; found model, query_id, metric, result"
            " (no value)"
        ],
    ),
    (
        "Retriever,No,AP,P@5\na,1,.1,.2\na,2,.1,.2\n",
        ["1: header not understood: needs run, topic, measure, value; found Retriever, No, AP, P@5"],
    ),
    (
        "qid,map,P_10\n1,.1,.2\n",
        ["1: the columns are measures: give one measure a file, with runs as columns, or run, topic, measure, value"],
    ),
    (
        "run,map,P_10\na,.1,.2\n",
        ["1: the columns are measures: give one measure a file, with runs as columns, or run, topic, measure, value"],
    ),
    ("topic;A;B\n1;0,5;0,25\n2;0,5;1\n", ["2: value '0,5' has a decimal comma; write 0.5 (and 1 more line: 3)"]),
    ('run,topic,measure,value\na,1,map,"0,5"\n', ["2: value '0,5' has a decimal comma; write 0.5"]),
    ("1 Q0 a 1 2.5 x\n1 Q0 b 2 1.5 x\n", ["1: is this a run? Without --scores, QRELS and RUNs are read"]),
    ("1\tQ0\t7\t1\t2.5\tx\n", ["1: is this a run? Without --scores, QRELS and RUNs are read"]),
    ("1 0 a 1\n", ["1: are these qrels? Without --scores, QRELS and RUNs are read"]),
]


@pytest.mark.parametrize(("text", "reasons"), BAD)
def test_refusals(tmp_path: Path, text: str, reasons: list[str]) -> None:
    path = tmp_path / "scores"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        read_scores([str(path)])
    assert str(caught.value).splitlines() == [f"{path}:{reason}" for reason in reasons]


@pytest.mark.parametrize("text", ["topic,A,B\n401,,.2\n402,.3, \n403,1,0\n", "run;401;402;403\nA;;.3;1\nB;.2;;0\n"])
def test_an_empty_cell_of_a_matrix_is_a_missing_score(text: str, tmp_path: Path) -> None:
    """What --missing says becomes of it, and the warning names the topics of each run."""
    scores, recognised = read(tmp_path / "ap.csv", text)
    assert (recognised, scores.runs, scores.topics) == ("matrix", ["A", "B"], ["401", "402", "403"])
    assert np.array_equal(scores.values["ap"], [[np.nan, 0.3, 1], [0.2, np.nan, 0]], equal_nan=True)
    of_each, of_all = (
        "2 runs: up to 1 topic missing, scored 0: A lacks 401; B lacks 402",
        "as not all runs have them (B lacks 1)",
    )
    told_of = {"zero": (1.3 / 3, of_each), "drop": (1.0, f"2 of 3 topics left out, {of_all}: 401 402")}
    for missing, (mean_of_a, told) in told_of.items():
        found = command("ap-ci", "--scores", "-m", "map", "--missing", missing, tmp_path / "ap.csv")
        assert f"{told}\n" in found.stderr
        assert f"map                   \tall\t{mean_of_a:.4f}" in found.stdout
    assert command("ap-ci", "--scores", "--missing", "error", tmp_path / "ap.csv").exit_code == 4


LONG = "run,topic,measure,value\n"


@pytest.mark.parametrize(
    ("texts", "options", "told"),
    [
        (["topic,old\n1,.1\n2,.2\n", "topic,new\n1,.3\n2,.1\n"], [],
         "run 'new' has no score of m0: -m NAME chooses a measure; of matrices"),
        (["topic,old,new\n1,.1,\n2,.2,\n"], [], "run 'new' has no score of m0: leave it out"),
        ([LONG + "a,1,map,.1\nb,1,map,.2\na,1,P_5,.2\n"], [],
         "run 'b' has no score of P_5: choose what all runs have by -m (map)"),
        ([LONG + "a,1,map,.1\nb,1,map,.2\na,1,P_5,.2\n"], ["-m", "P_5"], "run 'b' has no score of P_5: leave it out"),
        ([LONG + "a,1,map,.1\nb,2,map,.2\na,2,map,.2\n"], ["--topics", "1"],
         "run 'b' has no score of map on the topics asked for: leave it out"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("missing", ["zero", "drop"])
def test_a_run_that_was_not_measured_is_not_scored_0(
    texts: list[str], options: list[str], told: str, missing: str, tmp_path: Path
) -> None:
    """No run is compared on a measure of which it has no score, in whichever command."""
    paths = [tmp_path / f"m{number}.csv" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    for name in ("ap-ci", "map-ci", "stdap-ci"):
        found = command(name, "--quiet", "--scores", "--missing", missing, *options, *paths)
        assert (found.exit_code, found.stdout) == (4, "")
        assert f"irci: {', '.join(map(str, paths))}: {told}" in found.stderr


def test_the_same_score_in_two_files(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text("x,y\n1,2\n")
    with pytest.raises(FormatError, match="twice"):
        read_scores([str(tmp_path / "a"), str(tmp_path / "b")], measure="map")
    (scores,), _ = read_scores([str(tmp_path / "a"), str(tmp_path / "b")])
    assert list(scores.values) == ["a", "b"]


def test_only_summaries(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("map   \tall\t.5\n")
    with pytest.raises(DataError, match="no score of a topic"):
        read_scores([str(tmp_path / "x")])


def test_command_on_scores(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("topic,a,b\n1,.1,.2\n2,.3,.4\n3,.5,.9\n")
    result = CliRunner().invoke(
        main, ["ap-ci", "--table", "estimate", "--scores", "-m", "coverage", str(tmp_path / "x.csv")]
    )
    assert result.stderr.startswith(
        f"irci: {tmp_path}/x.csv: read as matrix\nirci: warning: files of scores: no limits: "
    )
    assert result_lines(result.stdout) == [
        "coverage              \tall\t0.3000\tnan\tnan\ta", "coverage              \tall\t0.5000\tnan\tnan\tb",
    ]  # fmt: skip
    some = irci("--scores", "--topics", "3,1", str(tmp_path / "x.csv"))
    assert [line.split("\t")[1] for line in result_lines(some.stdout)] == ["1", "3", "all"] * 2
    (tmp_path / "y.csv").write_text("run,topic,measure,value\na,1,map,.5\nb,1,map,.5\nb,2,map,1\n")
    other = irci("--scores", "-m", "P_10", str(tmp_path / "y.csv"))
    assert (other.exit_code, other.stderr) == (4, "irci: no scores of P_10; there are map\n")
    assert "all\t0.2500" in irci("--scores", "--missing", "zero", str(tmp_path / "y.csv")).stdout
    assert "\ta\n" not in irci("--scores", str(tmp_path / "y.csv")).stdout  # which lacks one of two topics
    assert "all\t0.5000" in irci("--scores", "--missing", "drop", str(tmp_path / "y.csv")).stdout
    other = irci("--scores", "--missing", "error", str(tmp_path / "y.csv"))
    assert (other.exit_code, "irci: a: 1 topic missing (--missing error): 2" in other.stderr) == (4, True)


def test_standardisation_against_scipy() -> None:
    scores = np.random.default_rng(1).random((7, 5))
    scores[:, 3] = 0.1
    z = stats.zscore(scores[:, [0, 1, 2, 4]], axis=0, ddof=1)
    keep = [0, 1, 2, 4]

    def standardise(scores: np.ndarray, kind: str) -> np.ndarray:
        return standardised(scores, *reference_factors(scores), kind)

    assert standardise(scores, "z")[:, keep] == pytest.approx(z, abs=1e-12)
    assert standardise(scores, "cdf")[:, keep] == pytest.approx(stats.norm.cdf(z), abs=1e-12)
    assert standardise(scores, "ab")[:, keep] == pytest.approx(np.clip(0.15 * z + 0.5, 0, 1), abs=1e-12)
    for kind in ("z", "cdf", "ab"):
        assert np.isnan(standardise(scores, kind)[:, 3]).all()
        assert np.isnan(standardise(scores[:1], kind)).all()


def test_standardised_runs() -> None:
    """Means of z scores over runs are 0 on every topic, so they are over all; topic 3, where all score 0, is dropped."""
    result = CliRunner().invoke(main, ["ap-ci", "-q", "--standardise", "z", QRELS, *RUNS])
    assert "map: 1 topic on which all runs score the same, dropped: 3" in result.stderr
    rows = [line.split("\t") for line in result_lines(result.stdout)]
    assert {row[0].rstrip() for row in rows} == {"map_z"}
    assert {row[1] for row in rows} == {str(n) for n in range(1, 21) if n != 3} | {"all"}
    assert sum(float(row[2]) for row in rows if row[1] == "all") == pytest.approx(0, abs=5 * 5.0001e-5)


def test_spellings_of_one_measure_meet(tmp_path: Path) -> None:
    (tmp_path / "irm").write_text("1\tAP\t0.5\n2\tAP\t0.4\n")
    (tmp_path / "te").write_text("map                   \t1\t0.3\nmap                   \t2\t0.2\n")
    (scores,), _ = read_scores([str(tmp_path / "irm"), str(tmp_path / "te")])
    assert list(scores.values) == ["AP"]
    assert scores.values["AP"].tolist() == [[0.5, 0.4], [0.3, 0.2]]


def test_a_measure_does_not_depend_on_the_others(tmp_path: Path) -> None:
    """Neither standardised, where another may be undefined on a topic, nor where another has no score."""
    alone = irci("--standardise", "z", "-m", "map", QRELS, *RUNS)
    beside = irci(
        "--standardise", "z", "-m", "num_ret", "-m", "map", "-m", "success_1", QRELS, *RUNS[:3], RUNS[4], RUNS[3]
    )
    pick = [line for line in beside.stdout.splitlines() if line.startswith("map_z")]
    assert sorted(pick) == sorted(result_lines(alone.stdout))
    (tmp_path / "part.csv").write_text("run,topic,measure,value\nA,1,map,.5\nA,2,map,.3\nA,1,P_5,.2\n")
    dropped = irci("--scores", "--missing", "drop", str(tmp_path / "part.csv")).stdout
    assert "map                   \tall\t0.4000" in dropped
    assert "P_5                   \tall\t0.2000" in dropped


def test_standardising_needs_runs_that_share_topics() -> None:
    alone = irci("--standardise", "z", QRELS, RUNS[0])
    assert (alone.exit_code, alone.stderr) == (4, "irci: to standardise scores, give at least two runs\n")
    result = CliRunner().invoke(main, ["ap-ci", "--standardise", "z", "--missing", "drop", QRELS, RUNS[0], RUNS[3]])
    assert "map: 1 topic that some run lacks, dropped: 13" in result.stderr


def test_err_knows_the_highest_grade_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 3\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 x\n2 Q0 a 1 1 x\n")
    four = irci("-m", "ERR", "--max-grade", "4", str(tmp_path / "qrels"), str(tmp_path / "run")).stdout
    assert result_lines(four)[0].startswith("ERR                   \t1\t0.0625\t")
    for options in ([], ["--topics", "1, 3"]):
        printed = irci("-B", "0", "-m", "ERR", *options, str(tmp_path / "qrels"), str(tmp_path / "run")).stdout
        assert result_lines(printed)[0] == "ERR                   \t1\t0.1250\tnan\tnan\tx"


@pytest.mark.parametrize(("name", "is_told"), [("Mean", True), ("avg", True), ("all", False), ("meaning", False)])
def test_a_mean_below_a_matrix_is_told(name: str, is_told: bool, tmp_path: Path) -> None:
    """It counts as a topic, unless it is called all."""
    path = tmp_path / "given"
    path.write_text(f"topic,A,B\n1,.1,.4\n2,.2,.6\n{name},.15,.5\n")
    found = command("map-ci", "--scores", "-m", "map", path)
    told = f"1 topic that is the mean of others by its name, counted like these (leave its scores out): {name}"
    assert (told in found.stderr) == is_told


@pytest.mark.parametrize(
    ("first", "second", "twice"),
    [
        ("topic,a,b\n1,.1,.3\nall,.1,.3\n", "topic,b,a\nall,.6,.4\n2,.5,.2\n3,.7,.6\n", "all,.6,.4\n"),
        ("run,1,all\na,.1,.1\nb,.3,.3\n", "run,all,2,3\nb,.6,.5,.7\na,.4,.2,.6\n", "a,.4,.2,.6\n"),
        ("run,1,2,3\na,.1,.2,.6\nb,.3,.5,.7\n", "run,all\na,.3\nb,.5\n", "b,.5\n"),
    ],
)
def test_each_of_two_matrices_may_have_means(first: str, second: str, twice: str, tmp_path: Path) -> None:
    paths = [str(tmp_path / "1.csv"), str(tmp_path / "2.csv")]
    for path, content in zip(paths, (first, second), strict=True):
        Path(path).write_text(content)
    (table,), _ = read_scores(paths, measure="map")
    assert (table.runs, table.topics) == (["a", "b"], ["1", "2", "3"])
    assert table.values["map"].tolist() == [[0.1, 0.2, 0.6], [0.3, 0.5, 0.7]]
    Path(paths[1]).write_text(second + twice)
    with pytest.raises(IrciError, match=r"2\.csv:\d: map of run '[ab]' over all topics twice"):
        read_scores(paths, measure="map")


SEEN = {
    "trec_eval": "map                   \t1\t0.25\nmap                   \t2\t0.5\nrunid\tall\ta\n",
    "ir_measures": "1\tAP\t0.25\n2\tAP\t0.5\n",
    "long": "run\ttopic\tmeasure\tvalue\na\t1\tmap\t0.25\na\t2\tmap\t0.5\n",
    "csv": "# made elsewhere\nmodel,query_id,metric,score\na,1,map,0.25\na,2,map,0.5\n",
    "matrix": "topic,a,b\n1,.25,.5\n2,.5,.75\n",
    "matrix of topics": "run\t1\t2\na\t.25\t.5\n",
    "irci": "# measure\ttopic\tvalue\tlower\tupper\trun\nmap                   \t1\t0.25\t0.1\t0.3\ta\n",
}


@pytest.mark.parametrize("form", SEEN)
def test_scores_in_place_of_qrels_are_recognised(form: str, tmp_path: Path) -> None:
    """As with --scores, packed or not; judgments with a header are none."""
    path, packed = tmp_path / "map", tmp_path / "packed" / "map.gz"
    path.write_text(SEEN[form])
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(SEEN[form].encode()))
    expected = irci("-B", "0", "--scores", str(path)).stdout
    assert result_lines(expected)
    assert irci("-B", "0", str(path)).stdout == expected
    assert irci("-B", "0", str(packed)).exit_code == 0
    report = package.score(str(path))
    assert report.to_json() == package.score(scores=str(path)).to_json()
    if form == "long":
        frame = pd.read_csv(path, sep="\t")
        assert package.score(frame).to_text("csv") == package.score(scores=frame).to_text("csv")


@pytest.mark.parametrize("head", ["query_id\tdoc_id\tscore", "query-id\tcorpus-id\tscore", "topic,docno,relevance"])
def test_judgments_with_a_header_are_no_scores(head: str, tmp_path: Path) -> None:
    separator = "," if "," in head else "\t"
    (tmp_path / "qrels").write_text(f"{head}\n{separator.join(('1', 'd1', '1'))}\n")
    (tmp_path / "run").write_text("1 Q0 d1 1 2 x\n")
    assert result_lines(irci("-B", "0", str(tmp_path / "qrels"), str(tmp_path / "run")).stdout)[0].endswith("\tx")

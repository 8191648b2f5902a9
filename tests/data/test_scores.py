"""Score files: right means the numbers that are in the file, the same results from a table read back, and exact refusals."""

import gzip
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_lines import irci as command
from command_lines import result_lines, without_receipts
from helpers import QRELS, RUNS, all_written, refusal, written
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import irci as package
from irci.base import FormatError
from irci.data import score_files
from irci.data.score_files import read_scores
from irci.data.scores import Scores, saved_text
from irci.measures import named
from irci.stats.scales import reference_factors, standardised

LONG = "run,topic,measure,value\n"

irci = partial(command, "ap-ci", "--quiet", "-q")


def read(path: Path, text: str, **options: Any) -> tuple[Scores, str]:
    (scores,), ((_, recognised),) = read_scores([written(path, text)], **options)
    return scores, recognised


OF_IR_MEASURES = (
    "q1\tnDCG@10\t0.25\nq1\talpha_nDCG@10\t0.5\nq2\tnDCG@10\t0.75\nq2\talpha_nDCG@10\t1\nall\tnDCG@10\t0.5\n"
)
OBJECTS = [dict(zip(("query_id", "measure"), line.split("\t"), strict=False)) | {"value": float(line.split("\t")[2])}
           for line in OF_IR_MEASURES.splitlines()]  # fmt: skip
BY_TOPIC = {"1": {"map": 0.5, "P_5": 0.2}, "2": {"map": 0.25, "P_5": 1}}
BY_MEASURE = {"map": {"1": 0.5, "2": 0.25}, "P_5": {"1": 0.2, "2": 1}}
OF_OBJECTS = {"map": [[0.5, 0.25]], "P_5": [[0.2, 1]]}
TWICE = {name: 2 * of for name, of in OF_OBJECTS.items()}
TWO_GAINS = {"nDCG@10": [[0.25, 0.75]], "alpha_nDCG@10": [[0.5, 1]]}


@pytest.mark.parametrize(
    ("name", "form", "runs", "topics", "values", "text"),
    [
        ("third.txt", "trec_eval", "first second third", "1 2", {"map": [[0.1, 0.5], [0.2, 0.5], [0.3, 0.5]]},
         "map  \t1\t.1\nmap  \t2\t.5\nrunid  \tall\tfirst\nmap  \tall\t.3\nmap  \t1\t.2\nmap  \t2\t.5\nmap  \tall\t.3\n"
         "runid  \tall\tsecond\nmap  \t1\t.3\nmap  \t2\t.5\nmap  \tall\t.3\n"),
        ("x", "trec_eval", "first", "1", {"map": [[0.5]]}, "runid \tall\tfirst\nmap   \t1\t.5\nmap   \tall\t.5\n"),
        # A run of lines of all topics gives its name to no other.
        ("x", "trec_eval", "x C", "1", {"map": [[0.1], [0.3]]}, "runid \tall\tA\nmap   \tall\t.5\nmap   \t1\t.1\n"
         "map   \tall\t.1\nmap   \t1\t.3\nrunid \tall\tC\nmap   \tall\t.3\n"),
        ("bm25.txt", "ir_measures", "bm25", "q1 q2", TWO_GAINS, OF_IR_MEASURES),
        ("bm25.txt", "ir_measures", "bm25", "q1 q2", TWO_GAINS, "".join(json.dumps(each) + "\n" for each in OBJECTS)),
        # What stands for all topics in JSON is null, not a word.
        ("x", "ir_measures", "x", "None", {"AP": [[0.5]]}, '{"query_id": "None", "measure": "AP", "value": 0.5}\n'
         '{"query_id": null, "measure": "AP", "value": 0.75}\n'),
        ("x", "ir_measures", "x", "None q", {"AP": [[0.5, 0.7]]}, "None\tAP\t0.5\nq\tAP\t0.7\n"),
        ("x", "long", "a", "1", {"map": [[0.25]]}, "# made elsewhere\nmodel,query_id,metric,score\na,1,map,0.25\n"),
        # Objects by topic or by measure, of one run or by run; names beside those of measures are measures too.
        ("bm25.json", "json", "bm25", "1 2", OF_OBJECTS, json.dumps(BY_TOPIC)),
        ("bm25.json", "json", "bm25", "1 2", OF_OBJECTS, json.dumps(BY_MEASURE, indent=2)),
        ("x", "json", "a b", "1 2", TWICE, json.dumps({"a": BY_TOPIC, "b": BY_TOPIC})),
        ("x", "json", "a b", "1 2", TWICE, json.dumps({"a": BY_MEASURE, "b": BY_TOPIC}, indent=2)),
        ("a.json", "json", "a", "301", {"map": [[0.1]], "mine": [[0.8]]}, '{"301": {"map": 0.1, "mine": 0.8}}'),
        ("a.json", "json", "a", "1", {"map": [[3]], "latency": [[4.5]]}, '{"map": {"1": 3}, "latency": {"1": 4.5}}'),
        # The header's first cell says that rows are runs; a column over all topics is left out.
        *(("ap.csv", "matrix", "bm25 7", "301 302", {"ap": [[0.1, 0.2], [0.3, 7e-4]]},
           f"{first},301,302,all\nbm25,.1,.2,.15\n7,.3,7e-04,.2\n".replace(",", separator))
          for first, separator in (("run", ","), ("System", "\t"), ("model", ";"))),
        ("ap.csv", "matrix", "a b", "1 2", {"ap": [[0.1, 0.3], [0.2, 7e-4]]}, "a,b\n.1,.2\n.3,7e-04\n"),
        ("ap.csv", "matrix", "a b", "401 402", {"ap": [[0.1, 0.3], [0.2, 0.4]]}, "topic,a,b\n401,.1,.2\n402,.3,.4\n"),
    ],
)  # fmt: skip
def test_what_is_read(
    name: str, form: str, runs: str, topics: str, values: dict[str, Any], text: str, tmp_path: Path
) -> None:
    scores, recognised = read(tmp_path / name, text)
    assert (recognised, scores.runs, scores.topics) == (form, runs.split(), topics.split())
    assert {measure: of.tolist() for measure, of in scores.values.items()} == values
    if not text.startswith(("{", "a,b")):  # others are recognised in place of qrels
        expected = irci("-B", "0", "--scores", tmp_path / name, status=0).stdout
        assert irci("-B", "0", tmp_path / name).stdout == expected


@pytest.mark.parametrize("header", [
    "system,qid,metric,score", "Model;Query_ID;Measure;Value", "run_id\ttopic_id\tMEASURE\tscore", "name,qid,measure,value",
    "runid,query,measure,value", "tag;topic;metric;score",
])  # fmt: skip
def test_other_names_of_columns(tmp_path: Path, header: str) -> None:
    """Whatever the columns are called and whatever separates them; `query` is the topic unless an id says otherwise."""
    separator = next(each for each in ";\t," if each in header)
    lines = [header, *(separator.join(row) for row in (["a", "2", "map", ".5"], ["a", "10", "map", ".25"]))]
    worded = [f"query{separator}{header}", *(f"some words{separator}{line}" for line in lines[1:])]
    for each in (lines, worded)[: 1 if "query" in header.split(separator) else 2]:
        scores, recognised = read(tmp_path / "x", "\n".join(each))
        assert (recognised, scores.runs, scores.topics) == ("long", ["a"], ["10", "2"])
        assert scores.values["map"].tolist() == [[0.25, 0.5]]


@pytest.mark.parametrize("header", ["topic,nDCG@10", "qid\tndcg_cut_10", ",P_10", "Topic;Score", "query_id,value"])
def test_topics_and_one_measure_are_of_a_run_called_as_the_file(header: str, tmp_path: Path) -> None:
    """As pandas writes a Series. Without a measure's name it is the one asked for; any other name is a run's."""
    separator = next(each for each in ";\t," if each in header)
    text = f"{header}\n401,.5\n402,.25\n".replace(",", separator)
    what = header.split(separator)[1]
    expected = what.lower() if what.lower() in ("score", "value") else what
    for path in ("bm25.csv", "bm25.tsv", "bm25"):
        scores, recognised = read(tmp_path / path, text)
        assert (recognised, scores.runs, list(scores.values)) == ("matrix", ["bm25"], [expected])
        assert (scores.topics, scores.values[expected].tolist()) == (["401", "402"], [[0.5, 0.25]])
    of_asked, _ = read(tmp_path / "bm25.csv", text, measure="map")
    assert list(of_asked.values) == ["map" if expected in ("score", "value") else what]
    (both,), _ = read_scores([str(tmp_path / "bm25.csv"), written(tmp_path / "dense.csv", text)])
    assert (both.runs, list(both.values)) == (["bm25", "dense"], [expected])
    of_run, _ = read(tmp_path / "ap.csv", text.replace(what, "bm25"))
    assert (of_run.runs, list(of_run.values)) == (["bm25"], ["ap"])


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


NAME = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=8)
SCORE = st.just(0.0) | st.floats(1e-50, 1e50) | st.floats(-1e50, -1e-50)
MEASURE = NAME.filter(lambda name: named(name).name == name)
Cells = dict[tuple[str, str, str], float]


def saved(cells: Cells) -> str:
    runs = list(dict.fromkeys(run for run, _, _ in cells))
    topics = sorted({topic for _, topic, _ in cells})
    values: dict[str, np.ndarray] = {}
    for (run, topic, measure), value in cells.items():
        table = values.setdefault(measure, np.full((len(runs), len(topics)), np.nan))
        table[runs.index(run), topics.index(topic)] = value
    return saved_text(Scores(runs, topics, values))


@pytest.mark.check
@given(cells=st.dictionaries(st.tuples(NAME, NAME, MEASURE), SCORE, min_size=1, max_size=12), cut=st.integers(0, 12))
def test_saved_scores_are_read_back(tmp_path_factory: pytest.TempPathFactory, cells: Cells, cut: int) -> None:
    """To the last digit; also when the table was written in two pieces and joined by cat."""
    items = list(cells.items())
    text = saved(dict(items[:cut])) + saved(dict(items[cut:]))
    scores, recognised = read(tmp_path_factory.mktemp("scores") / "scores.tsv", text)
    assert recognised == "long"
    for (run, topic, measure), value in items:
        assert scores.values[measure][scores.runs.index(run), scores.topics.index(topic)] == value
    assert sum(int((~np.isnan(values)).sum()) for values in scores.values.values()) == len(items)


@pytest.mark.parametrize("form", ["text", "json", "tsv", "markdown"])
def test_results_from_saved_scores_are_those_of_the_runs(tmp_path: Path, form: str) -> None:
    path = str(tmp_path / "scores.tsv")
    chosen = ["-B", "0", "-m", "recall_20", "-m", "bpref", "-m", "Q", "-m", "num_rel_ret"]
    from_runs = irci(*chosen, "--save-scores", path, "--format", form, QRELS, *RUNS, status=0)
    from_scores = irci("-B", "0", "--scores", "--format", form, path, status=0)
    expected = from_runs.stdout.replace("scores=False", "scores=True").replace('"scores": false', '"scores": true')
    assert without_receipts(from_scores.stdout) == without_receipts(expected)


NO_NUMBER = "is not a finite number"
NO_OBJECT = ":1: not an object with query_id, measure and value, each once"
NO_RUNS, NO_TOPICS = (
    f":1: the header must name each {noun} once, behind topic or nothing, and nothing else" for noun in ("run", "topic")
)
NO_TOPIC = ": no score of a topic (only of all topics?)"
LEVELS = "are the measures outside ({}) or inside ({})? A table with columns run, topic, measure and value says so"
NO_NUMBER_OF_MAP = ": map of run 'scores' on topic '1' is not a number"
ALL_TWICE = "over all topics twice: is a topic called all? Rename it"
BAD = [
    ("a,b\n.1,.2\n.3\n", ":3: 1 columns, expected 2 as in the header"),
    ("a,b\n.1,nan\n.3,x\n", f":2: value 'nan' {NO_NUMBER} (and 1 more line: 3)"),
    ("a,b\n.1,\n,\n", ":3: no score in any column: leave the line out"),
    ("topic,A,B\n401,.1,.2\n,,.3\n", ":3: a run, topic or measure without a name, or with a tab, a line end or a NUL in it"),
    (LONG + "a,1,map,\n", f":2: value '' {NO_NUMBER}"),
    ("a,b\n.1,inf\n" + ".3,x\n" * 3 + "1,1e99\n" + ".3,x\n" * 4,
     ":2: value 'inf' is not a finite number (and 7 more lines: 3, 4, 5, ...)",
     ":6: value '1e99' is beyond 1e+50: no measure has such scores"),
    (LONG + "a,1,map,\x1c.5\n", ":2: value '\\x1c.5' is not a finite number"),
    (LONG + "a,1,map,1e308\n", ":2: value '1e308' is beyond 1e+50: no measure has such scores"),
    ("map   \t2\t.5\nmap   \t1\t'0.5\n", ":2: value \"'0.5\" is not a finite number"),
    ("topic,A\n1,1_0\n", ":2: value '1_0' is not a finite number"),
    ("topic;A;B\n1;0,5;0,25\n2;0,5;1\n", ":2: value '0,5' is not a finite number (and 1 more line: 3)"),
    (LONG + 'a,1,map,"0,5"\n', ":2: value '0,5' is not a finite number"),
    ("a,a\n1,2\n", NO_RUNS),
    ("topic\n1\n2\n", NO_RUNS),
    (",topic,A,B\n0,401,.1,.2\n1,402,.3,.4\n", NO_RUNS),
    ("0.1,0.2\n0.3,0.4\n", NO_RUNS),
    ("1,0,1\n0,1,1\n", NO_RUNS),
    (LONG + "a,1,map,.1\na,1,map,.1\n", ":3: map of run 'a' on topic '1' twice"),
    (LONG + "A,1,AP,.5\nA,1,map,.4\n", ":3: AP of run 'A' on topic '1' twice"),
    (LONG + "a,1,map\n", ":2: 3 columns, expected 4 as in the header"),
    (LONG.replace("\n", ",value\n") + "a,1,map,.5,.6\n", ":1: two columns named value"),
    ("map   \t1\t.5\nmap   \t2\n", ":2: 2 fields with tabs, expected 3"),
    ("map   \t1\t.5\t.6\nmap   \t2\t.5\t.6\n", ":1: 4 fields with tabs, expected 3"),
    ("runid \tall\tx\nmap   \t1\t.5\nrunid \tall\ty\n", ":3: a second runid of one run"),
    ("topic,A\n1,.1\r2\n", ":2: not a line of csv"),
    ("x\t1\t0.1\ny\t1\t0.2\n", ": trec_eval's or ir_measures' output? A header topic, measure, value tells which"),
    ("", ": empty file: no scores"),
    ("map   \tall\t.5\n", NO_TOPIC),
    ("model,query_id,metric,result\na,1,map,.1\nb,1,map,.2\n",
     ":1: header not understood: no value; found model, query_id, metric, result"),
    ("Retriever,No,AP,P@5\na,1,.1,.2\na,2,.1,.2\n", ":2: value 'a' is not a finite number (and 1 more line: 3)"),
    ("qid,map,P_10\n1,.1,.2\n", NO_RUNS),
    ("run,map,P_10\na,.1,.2\n", NO_TOPICS),
    ("1 Q0 a 1 2.5 x\n1 Q0 b 2 1.5 x\n", ":1: a line of a run or of qrels, not of scores"),
    ("1\tQ0\t7\t1\t2.5\tx\n", ":1: a line of a run or of qrels, not of scores"),
    ("1 0 a 1\n", ":1: a line of a run or of qrels, not of scores"),
    # JSON: a score a line, or objects by topic, by measure, of MTEB.
    ('{"query_id": "1"}\n', NO_OBJECT),
    ('{"query_id": true, "measure": "AP", "value": 1}\n', NO_OBJECT),
    ('{"query_id": "1", "measure": "AP", "value": 1, "value": 0}\n', NO_OBJECT),
    ('{\n"1": {"map": 0.5},\n"2": 0.3}', ", run 'scores', '2': a number, where {topic: {measure: value}} or"
     " {measure: {topic: value}} of a run is expected"),
    ('{"1": {"map": true}}', NO_NUMBER_OF_MAP),
    ('{"1": {"map": [0.5]}}', NO_NUMBER_OF_MAP),
    ('{"1": {"map": "high"}}', NO_NUMBER_OF_MAP),
    ('{"1": {"map": NaN}}', f":1: value 'NaN' {NO_NUMBER}"),
    ('{"1": {"map": 0.5}', ":1: not JSON: Expecting ',' delimiter"),
    ('{\n\n"1": {"map": 0.5}\n]', ":4: not JSON: Expecting ',' delimiter"),
    ('{"1": {"map": 0.5, "map": 0.5}}', ": 'map' twice in one object"),
    ('{"1": {"map": 0.5}, "1": {"map": 0.5}}', ": '1' twice in one object"),
    ('{"latency": {"1": 3, "2": 4.5}}',
     f", run 'scores': no name is that of a measure irci knows: {LEVELS.format('latency', '1 2')}"),
    ('{"map": {"1": 3, "AP": 4.5}}', f", run 'scores': both levels have names of measures: {LEVELS.format('map', '1 AP')}"),
    ("{" + '"a": {' * 100_000, ": not JSON of scores: objects too deep within each other"),
    ("{}", NO_TOPIC),
    # Two lines of all topics in each format, of which one may be of a topic called all.
    ("map\t1\t.5\nmap\tall\t1\nmap\tall\t.75\n", f":3: map of run 'scores' {ALL_TWICE}"),
    ("map\t1\t.5\nmap\tall\t1\nmap\t2\t.75\nmap\tall\t.75\n", f":4: map of run 'scores' {ALL_TWICE}"),
    ("1\tAP\t.5\nall\tAP\t1\nall\tmap\t.75\n", f":3: AP of run 'scores' {ALL_TWICE}"),
    ("".join(f'{{"query_id": {topic}, "measure": "AP", "value": 0.5}}\n' for topic in ('"1"', '"all"', "null")),
     f":3: AP of run 'scores' {ALL_TWICE}"),
    ("map\t1\t.5\t0\t1\tr\n",
     ": a matrix without a header, or irci's own output, which is rounded (--save-scores FILE writes all digits)?"),
    (LONG + "r,1,map,.5\nr,all,map,1\nr,all,AP,.75\n", f":4: map of run 'r' {ALL_TWICE}"),
    ("topic,a,b\n1,.5,.5\nall,1,1\nall,.75,.75\n", f":4: scores of run 'a' {ALL_TWICE}"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reasons"), [(text, reasons) for text, *reasons in BAD])
def test_refusals(tmp_path: Path, text: str, reasons: list[str]) -> None:
    """Exactly these, with the line, and nothing printed."""
    path = written(tmp_path / "scores", text)
    assert refusal(lambda: read_scores([path]), path) == reasons
    status = 4 if reasons == [NO_TOPIC] else 3
    assert command("map-ci", "--quiet", "--scores", path, status=status).stdout == ""


@pytest.mark.parametrize("text", ["topic,A,B\n401,,.2\n402,.3, \n403,1,0\n", "run;401;402;403\nA;;.3;1\nB;.2;;0\n"])
def test_an_empty_cell_of_a_matrix_is_a_missing_score(text: str, tmp_path: Path) -> None:
    """What --missing says becomes of it, and the warning names the runs."""
    scores, recognised = read(tmp_path / "ap.csv", text)
    assert (recognised, scores.runs, scores.topics) == ("matrix", ["A", "B"], ["401", "402", "403"])
    assert np.array_equal(scores.values["ap"], [[np.nan, 0.3, 1], [0.2, np.nan, 0]], equal_nan=True)
    for missing, mean_of_a, told in (
        ("zero", 1.3 / 3, "A: 1 topic missing, scored 0: 401 (the like of 1 other run: B)"),
        ("drop", 1.0, "2 of 3 topics left out, as not all runs have them (B lacks 1): 401 402"),
    ):
        found = command("ap-ci", "--scores", "-m", "map", "--missing", missing, tmp_path / "ap.csv")
        assert f"{told}\n" in found.stderr
        assert f"map                   \tall\t{mean_of_a:.4f}" in found.stdout
    command("ap-ci", "--scores", "--missing", "error", tmp_path / "ap.csv", status=4)


@pytest.mark.parametrize(
    ("texts", "options", "told"),
    [
        (["topic,old\n1,.1\n2,.2\n", "topic,new\n1,.3\n2,.1\n"], "",
         "run 'new' has no score of m0: leave it out, or choose by -m"),
        (["topic,old,new\n1,.1,\n2,.2,\n"], "", "run 'new' has no score of m0: leave it out"),
        ([LONG + "a,1,map,.1\nb,1,map,.2\na,1,P_5,.2\n"], "",
         "run 'b' has no score of P_5: leave it out, or choose by -m"),
        ([LONG + "a,1,map,.1\nb,1,map,.2\na,1,P_5,.2\n"], "-m P_5", "run 'b' has no score of P_5: leave it out"),
        ([LONG + "a,1,map,.1\nb,2,map,.2\na,2,map,.2\n"], "--topics 1",
         "run 'b' has no score of map on the topics asked for: leave it out"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("missing", ["zero", "drop"])
def test_unmeasured_runs_are_refused(texts: list[str], options: str, told: str, missing: str, tmp_path: Path) -> None:
    """No run is compared on a measure of which it has no score, or scored 0, in whichever command."""
    paths = all_written(tmp_path, {f"m{number}.csv": text for number, text in enumerate(texts)})
    for name in ("ap-ci", "map-ci", "stdap-ci"):
        found = command(name, "--quiet", "--scores", "--missing", missing, *options.split(), *paths, status=4)
        assert found.stdout == ""
        assert f"irci: {', '.join(paths)}: {told}" in found.stderr


def test_the_same_score_in_two_files(tmp_path: Path) -> None:
    paths = all_written(tmp_path, dict.fromkeys("ab", "x,y\n1,2\n"))
    with pytest.raises(FormatError, match="twice"):
        read_scores(paths, measure="map")
    (scores,), _ = read_scores(paths)
    assert list(scores.values) == ["a", "b"]


def test_a_table_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once a run, which of 1000 runs on 7000 topics would write 56 GB."""
    made = []
    full = np.full
    monkeypatch.setattr(np, "full", lambda *arguments: made.append(arguments) or full(*arguments))
    scores, _ = read(tmp_path / "scores", "topic,x,y,z\n1,.1,.2,.3\n2,.4,.5,.6\n")
    assert len(made) == 1
    assert scores.values["scores"].tolist() == [[0.1, 0.4], [0.2, 0.5], [0.3, 0.6]]


def test_names_in_files_are_not_kept_for_ever() -> None:
    """In a program that goes on, whichever files it has read."""
    assert score_files._fit.cache_parameters()["maxsize"] == 1 << 16


def test_all_wrong_values_of_a_matrix_are_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r":2: value 'x' is not a finite number \(and 1 more line: 3\)$"):
        read(tmp_path / "scores", "topic,a,b\n1,x,.2\n2,.4,nan\n")


def test_command_on_scores(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", "topic,a,b\n1,.1,.2\n2,.3,.4\n3,.5,.9\n")
    result = command("ap-ci", "--table", "estimate", "--scores", "-m", "coverage", path)
    assert result.stderr.startswith(f"irci: {path}: read as matrix\nirci: warning: files of scores: no limits: ")
    assert result_lines(result.stdout) == [
        "coverage              \tall\t0.3000\tnan\tnan\ta", "coverage              \tall\t0.5000\tnan\tnan\tb",
    ]  # fmt: skip
    some = irci("--scores", "--topics", "3,1", path)
    assert [line.split("\t")[1] for line in result_lines(some.stdout)] == ["1", "3", "all"] * 2
    path = written(tmp_path / "y.csv", LONG + "a,1,map,.5\nb,1,map,.5\nb,2,map,1\n")
    assert irci("--scores", "-m", "P_10", path, status=4).stderr == "irci: no scores of P_10; there are map\n"
    assert "all\t0.2500" in irci("--scores", "--missing", "zero", path).stdout
    assert "\ta\n" not in irci("--scores", path).stdout  # which lacks one of two topics
    assert "all\t0.5000" in irci("--scores", "--missing", "drop", path).stdout
    told = irci("--scores", "--missing", "error", path, status=4).stderr
    assert "irci: a: 1 topic missing (--missing error): 2" in told


@pytest.mark.parametrize("runs_with_map", [[], ["abc", "ab", "ab", "ab", "ab"]])
def test_a_column_called_as_a_mean_of_logarithms_is_one_of_scores(runs_with_map: list[str], tmp_path: Path) -> None:
    """Averaged as it is, beyond 0 and 1 too, without map and beside it, by which another run is missing."""
    lines = [f"{run},{n},gm_map,{n * mean}\n" for n in range(1, 6) for run, mean in zip("abc", (-1, 1, 0), strict=True)]
    lines += [f"{run},{n},map,.5\n" for n, runs in enumerate(runs_with_map, 1) for run in runs]
    printed = command("compare", "--baseline", "a", written(tmp_path / "x.csv", LONG + "".join(lines))).stdout
    assert "gm_map_diff           \tall\t6.0000" in printed


def test_standardisation_against_scipy() -> None:
    scores = np.random.default_rng(1).random((7, 5))
    scores[:, 3] = 0.1
    keep = [0, 1, 2, 4]
    z = stats.zscore(scores[:, keep], axis=0, ddof=1)
    for kind, expected in (("z", z), ("cdf", stats.norm.cdf(z)), ("ab", np.clip(0.15 * z + 0.5, 0, 1))):
        found = standardised(scores, *reference_factors(scores), kind)
        assert found[:, keep] == pytest.approx(expected, abs=1e-12)
        assert np.isnan(found[:, 3]).all()
        assert np.isnan(standardised(scores[:1], *reference_factors(scores[:1]), kind)).all()


def test_standardised_runs() -> None:
    """Means of z scores over runs are 0 on every topic, so they are over all; topic 3, where all score 0, is dropped."""
    result = command("ap-ci", "-q", "--standardise", "z", QRELS, *RUNS)
    assert "map: 1 topic on which all runs score the same, dropped: 3" in result.stderr
    rows = [line.split("\t") for line in result_lines(result.stdout)]
    assert {row[0].rstrip() for row in rows} == {"map_z"}
    assert {row[1] for row in rows} == {str(n) for n in range(1, 21) if n != 3} | {"all"}
    assert sum(float(row[2]) for row in rows if row[1] == "all") == pytest.approx(0, abs=5 * 5.0001e-5)


def test_standardising_needs_runs_that_share_topics() -> None:
    alone = irci("--standardise", "z", QRELS, RUNS[0], status=4)
    assert alone.stderr == "irci: to standardise scores, give at least two runs\n"
    result = command("ap-ci", "--standardise", "z", "--missing", "drop", QRELS, RUNS[0], RUNS[3])
    assert "map: 1 topic that some run lacks, dropped: 13" in result.stderr


def test_spellings_of_one_measure_meet(tmp_path: Path) -> None:
    texts = {"irm": "1\tAP\t0.5\n2\tAP\t0.4\n", "te": "map      \t1\t0.3\nmap      \t2\t0.2\n"}
    (scores,), _ = read_scores(all_written(tmp_path, texts))
    assert {name: values.tolist() for name, values in scores.values.items()} == {"AP": [[0.5, 0.4], [0.3, 0.2]]}


def test_a_measure_does_not_depend_on_the_others(tmp_path: Path) -> None:
    """Neither standardised, where another may be undefined on a topic, nor where another has no score."""
    alone = irci("--standardise", "z", "-m", "map", QRELS, *RUNS)
    measures = [word for name in ("num_ret", "map", "success_1") for word in ("-m", name)]
    beside = irci("--standardise", "z", *measures, QRELS, *RUNS[:3], RUNS[4], RUNS[3])
    pick = [line for line in beside.stdout.splitlines() if line.startswith("map_z")]
    assert sorted(pick) == sorted(result_lines(alone.stdout))
    path = written(tmp_path / "part.csv", LONG + "A,1,map,.5\nA,2,map,.3\nA,1,P_5,.2\n")
    dropped = irci("--scores", "--missing", "drop", path).stdout
    assert "map                   \tall\t0.4000" in dropped
    assert "P_5                   \tall\t0.2000" in dropped


def test_err_knows_the_highest_grade_of_the_file(tmp_path: Path) -> None:
    files = all_written(tmp_path, {"qrels": "1 0 a 1\n2 0 a 3\n", "run": "1 Q0 a 1 1 x\n2 Q0 a 1 1 x\n"})
    four = irci("-m", "ERR", "--max-grade", "4", *files).stdout
    assert result_lines(four)[0].startswith("ERR                   \t1\t0.0625\t")
    for options in ([], ["--topics", "1, 3"]):
        printed = irci("-B", "0", "-m", "ERR", *options, *files).stdout
        assert result_lines(printed)[0] == "ERR                   \t1\t0.1250\tnan\tnan\tx"


@pytest.mark.parametrize(("name", "is_told"), [("Mean", True), ("avg", True), ("all", False), ("meaning", False)])
def test_a_mean_below_a_matrix_is_told(name: str, is_told: bool, tmp_path: Path) -> None:
    """It counts as a topic, unless it is called all."""
    path = written(tmp_path / "given", f"topic,A,B\n1,.1,.4\n2,.2,.6\n{name},.15,.5\n")
    told = f"1 topic that is the mean of others by its name, counted like these (leave its scores out): {name}"
    assert (told in command("map-ci", "--scores", "-m", "map", path).stderr) == is_told


@pytest.mark.parametrize(
    ("first", "second", "twice"),
    [
        ("topic,a,b\n1,.1,.3\nall,.1,.3\n", "topic,b,a\nall,.6,.4\n2,.5,.2\n3,.7,.6\n", "all,.6,.4\n"),
        ("run,1,all\na,.1,.1\nb,.3,.3\n", "run,all,2,3\nb,.6,.5,.7\na,.4,.2,.6\n", "a,.4,.2,.6\n"),
        ("run,1,2,3\na,.1,.2,.6\nb,.3,.5,.7\n", "run,all\na,.3\nb,.5\n", "b,.5\n"),
    ],
)
def test_each_of_two_matrices_may_have_means(first: str, second: str, twice: str, tmp_path: Path) -> None:
    paths = all_written(tmp_path, {"1.csv": first, "2.csv": second})
    (table,), _ = read_scores(paths, measure="map")
    assert (table.runs, table.topics) == (["a", "b"], ["1", "2", "3"])
    assert table.values["map"].tolist() == [[0.1, 0.2, 0.6], [0.3, 0.5, 0.7]]
    written(Path(paths[1]), second + twice)
    with pytest.raises(FormatError, match=r"2\.csv:\d: map of run '[ab]' over all topics twice"):
        read_scores(paths, measure="map")


def test_scores_in_place_of_qrels_are_recognised(tmp_path: Path) -> None:
    """Also packed, as a frame, and by Python."""
    text = "run\ttopic\tmeasure\tvalue\na\t1\tmap\t0.25\na\t2\tmap\t0.5\n"
    path = written(tmp_path / "map", text)
    irci("-B", "0", written(tmp_path / "packed" / "map.gz", gzip.compress(text.encode())), status=0)
    assert package.score(path).to_json() == package.score(scores=path).to_json()
    frame = pd.read_csv(path, sep="\t")
    assert package.score(frame).to_text("csv") == package.score(scores=frame).to_text("csv")


@pytest.mark.parametrize("head", ["query_id\tdoc_id\tscore", "query-id\tcorpus-id\tscore", "topic,docno,relevance"])
def test_judgments_with_a_header_are_no_scores(head: str, tmp_path: Path) -> None:
    row = ("," if "," in head else "\t").join(("1", "d1", "1"))
    files = all_written(tmp_path, {"qrels": f"{head}\n{row}\n", "run": "1 Q0 d1 1 2 x\n"})
    assert result_lines(irci("-B", "0", *files).stdout)[0].endswith("\tx")

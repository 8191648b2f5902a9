"""Names that elsewhere begin a comment (#) or stand for a mean (all): nothing so named is lost without a word."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from command_lines import irci, rows
from fuzzing import weird

import irci as library
from irci.base.errors import FormatError
from irci.data.inputs import read_topics
from irci.data.parts import FileSplit
from irci.data.rules import Clusters, Seeds, as_lines, read_counts, read_factors, read_teams
from irci.data.score_files import read_scores
from irci.data.versions import Versions

Say = Callable[..., str]


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, str], str]:
    def write(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def test_a_topic_that_begins_with_a_hash_mark_counts(file: Say) -> None:
    """Judged but not retrieved: half of what the other topic scores, as trec_eval -c says; in csv, JSON and memory. Between
    blanks it begins a comment, as for trec_eval 10."""
    qrels = file("qrels.csv", "qid,docno,relevance\n#5,a,1\n6,a,1\n#,a,0\n")
    run = file("run.json", '{"6": {"a": 1}, "#": {"#a": 1}}')
    (mean,) = [
        row for row in rows("map-ci", "--population", "topics", "--quiet", qrels, run) if row["measure"] == "map"
    ]
    assert mean["value"] == pytest.approx(1 / 3)
    of_objects = library.score({"#5": {"a": 1}, "6": {"a": 1}}, {"r": {"6": {"a": 1.0}}}).to_pandas()
    assert of_objects["value"].tolist() == [0, 1, 0.5]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("# a comment", "a comment, left out (line 2)"),
        ("# a comment of as many fields", "a comment, left out (line 2)"),
        ("##", "a comment, left out (line 2)"),
        (" #5 0 a", "a comment, left out (line 2)"),
        ("#made by me in 2024-03", "a comment, left out (line 2)"),
        ("# 5 a 1", "a comment, left out (line 2)"),
        ("# 5 Q0 a 1 1", "a comment, left out (line 2)"),
        ("#\n# twice", "comments, left out (line 2, ...)"),
    ],
)
def test_comments_are_counted(line: str, told: str, file: Say) -> None:
    qrels, run = file("qrels", f"6 0 a 1\n{line}\n"), file("run", f"6 Q0 a 1 1 t\n{line}\n")
    said = irci("ap-ci", "-B", "0", qrels, run).stderr
    assert [each.split(": ", 1)[1].split(" taken for ")[1] for each in said.splitlines() if "taken for" in each] == [
        told
    ] * 2


@pytest.mark.parametrize("wrong", ["qrels", "run"])
def test_what_may_be_a_record_is_no_comment(wrong: str, file: Say) -> None:
    """trec_eval 10 would score two of the three topics, without a word."""
    lines = {"qrels": "1 0 a 1\n3 0 a 1\n", "run": "1 Q0 a 1 1 t\n3 Q0 a 1 1 t\n"}
    lines[wrong] += {"qrels": "#2 0 b 1\n", "run": "#2 Q0 b 1 1 t\n"}[wrong]
    result = irci("ap-ci", "-B", "0", *(file(name, text) for name, text in lines.items()))
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"{wrong}:3: begins with # as comments do, but has the fields of a record" in result.stderr
    assert "can be read from csv or JSON" in result.stderr


SCORES = {
    "trec_eval": "#m\t1\t.5\nmap\t#5\t.5\nmap\t6\t1\nmap\tall\t.75\n",
    "ir_measures": "#5\tAP\t.5\n6\tAP\t1\n# 7\tAP\t1\nall\tAP\t.8\n",
    "irci": "map\t#5\t.5\t0\t1\t#r\n# map\t6\t.5\t0\t1\t#r\n# measure\ttopic\tvalue\tlower\tupper\trun\n#\t#\t1\t0\t1\t#r\n",
    "long": "# head\nrun\ttopic\tmeasure\tvalue\n#r\t#5\tmap\t.5\n# r\t#\tmap\t.5\n",
    "matrix": "#1,#2\n.1,.2\n",
}


@pytest.mark.parametrize("form", SCORES)
def test_every_score_of_such_names_is_read(form: str, file: Say) -> None:
    (table,), _ = read_scores([file("x", SCORES[form])], form)
    found = sum(int(np.isfinite(values).sum()) for values in table.values.values())
    assert found == {"trec_eval": 3, "ir_measures": 3, "irci": 3, "long": 2, "matrix": 2}[form]


def test_other_files_take_such_names_at_their_head(file: Say) -> None:
    assert Clusters.of_file(file("a", "# topic cluster\n#5 c1\n# c2\n")).listed == ["#5", "#"]
    assert Seeds.of_file(file("b", "# a system 1\n#r s 1\n# s 2\n")).listed == ["#r", "#"]
    assert read_topics("@" + file("c", "# some topics\n#5\n#\nall\n")) == {"#5", "#", "all"}
    assert list(FileSplit.read(file("d", "# d\n#d e\n")).part_of) == [b"#", b"#d"]
    assert list(read_teams(file("e", "# note\n# r\tt\n#r\tt\n"))) == ["# r", "#r"]
    assert list(read_counts(file("f", "# a,b,3,2,1\n#a,b,3,2,1\n"))) == [("# a", "b"), ("#a", "b")]
    assert Versions.of_file(file("g", "# note\n# r\ts\t1\n")).cell("# r", "1") == ("s", "1", "1")
    factors = read_factors(file("h", "# note\n# map .5 .25\n#5 map .5 .125\n"), ["#", "#5"])
    assert factors["map"][1].tolist() == [0.25, 0.125]
    again = read_factors(file("i", as_lines(factors, ["#", "#5"])), ["#", "#5"])
    assert again["map"][1].tolist() == [0.25, 0.125]


def test_a_record_with_a_field_too_many_is_no_comment(file: Say) -> None:
    with pytest.raises(FormatError, match=":1: 3 fields, expected topic and cluster"):
        Clusters.of_file(file("a", "#5 c 1\n6 c2\n"))


QRELS, RUN = "all 0 a 1\n6 0 a 1\n", "all Q0 a 1 2 r\n6 Q0 b 1 2 r\n6 Q0 a 2 1 r\n"


@pytest.mark.parametrize("form", ["text", "tsv", "csv"])
@pytest.mark.parametrize("command", [["ap-ci", "-B", "50"], ["map-ci"]], ids=lambda command: command[0])
def test_a_topic_called_all_is_not_printed_as_a_mean_is(command: list[str], form: str, file: Say) -> None:
    files = [file("qrels", QRELS), file("run", RUN)]
    result = irci(*command, "-q", "--format", form, "--quiet", *files)
    assert (result.exit_code, result.stdout) == (4, "")
    assert "a topic is called all" in result.stderr
    assert irci(*command, "--table", "estimate", "--format", form, "--quiet", *files).exit_code == 0
    assert irci(*command, "-q", "--format", "json", "--quiet", *files).exit_code == 0


def test_scores_of_a_topic_called_all_are_saved_and_read(file: Say, tmp_path: Path) -> None:
    saved = str(tmp_path / "scores")
    irci("ap-ci", "-B", "0", "--quiet", "--save-scores", saved, file("qrels", QRELS), file("run", RUN))
    (mean,) = rows("map-ci", "--quiet", "--scores", saved)
    assert mean["value"] == 0.75


TWICE = {
    "trec_eval": "map\t1\t.5\nmap\tall\t1\nmap\tall\t.75\n",
    "trec_eval in the middle": "map\t1\t.5\nmap\tall\t1\nmap\t2\t.75\nmap\tall\t.75\n",
    "ir_measures": "1\tAP\t.5\nall\tAP\t1\nall\tmap\t.75\n",
    "jsonl": "".join(
        json.dumps({"query_id": topic, "measure": "AP", "value": 0.5}) + "\n" for topic in ("1", "all", None)
    ),
    "irci": "map\t1\t.5\t0\t1\tr\nmap\tall\t1\t0\t1\tr\nmap\tall\t.75\t0\t1\tr\n",
    "irci of a population": "map\t1\t.5\t0\t1\tr\nmap\tall\t1\t0\t1\tr\nmap\tall\t.75\t0\t1\tr\ttopics\n",
    "long": "run,topic,measure,value\nr,1,map,.5\nr,all,map,1\nr,all,AP,.75\n",
    "matrix": "topic,a,b\n1,.5,.5\nall,1,1\nall,.75,.75\n",
}


@pytest.mark.parametrize("form", TWICE)
def test_two_lines_of_all_topics_are_refused(form: str, file: Say) -> None:
    result = irci("map-ci", "--quiet", "--scores", file("x", TWICE[form]))
    assert (result.exit_code, result.stdout) == (3, "")
    assert "over all topics twice: is a topic called all? Rename it" in result.stderr


@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(10, 2000), marks=pytest.mark.slow)])
def test_ap_of_weird_files_against_naive(seeds: range, tmp_path: Path) -> None:
    """Every topic's AP, as irci saves it, is that of a plain reader and scorer."""
    compared = [weird.compared(seed, tmp_path) for seed in seeds]
    assert [seed for seed, topics in zip(seeds, compared, strict=True) if topics is None] == []
    assert np.count_nonzero(compared) > len(seeds) / 2

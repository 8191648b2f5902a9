"""Names that elsewhere begin a comment (#), stand for a mean (all) or look blank: nothing so named is lost without a word."""

import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from command_lines import irci, rows
from helpers import all_written, refusal, written

import irci as library
from irci.base import raw
from irci.data.inputs import read_topics
from irci.data.parts import read_parts
from irci.data.rules import as_lines, read_counts, read_factors, read_teams
from irci.data.score_files import read_scores
from irci.data.scores import saved_text
from irci.data.versions import cell_of
from irci.options.types import CLUSTERS, SEEDS, VERSIONS

Say = Callable[[str], str]


@pytest.fixture
def file(tmp_path: Path) -> Say:
    """The path of a file of this text, one after the other."""
    return partial(written, tmp_path / "x")


def test_a_topic_that_begins_with_a_hash_mark_counts(tmp_path: Path) -> None:
    """Judged but not retrieved: half of what the other topic scores, as trec_eval -c says; in csv, JSON and memory. Between
    blanks it begins a comment, as for trec_eval 10."""
    texts = {"qrels.csv": "qid,docno,relevance\n#5,a,1\n6,a,1\n#,a,0\n", "run.json": '{"6": {"a": 1}, "#": {"#a": 1}}'}
    found = rows("map-ci", "--population", "topics", *all_written(tmp_path, texts))
    assert [row["value"] for row in found if row["measure"] == "map"] == pytest.approx([1 / 3])
    of_objects = library.score({"#5": {"a": 1}, "6": {"a": 1}}, {"r": {"6": {"a": 1.0}}}).to_pandas()
    assert of_objects["value"].tolist() == [0, 1, 0.5]


@pytest.mark.parametrize(
    "line",
    ["# a comment", "# a comment of as many fields", "##", " #5 0 a", "#made by me in 2024-03", "# 5 a 1", "# 5 Q0 a 1 1",
     "#\n# twice"],
)  # fmt: skip
def test_comments_are_counted(line: str, tmp_path: Path) -> None:
    told = "comments, left out (line 2, ...)" if "\n" in line else "a comment, left out (line 2)"
    files = all_written(tmp_path, {"qrels": f"6 0 a 1\n{line}\n", "run": f"6 Q0 a 1 1 t\n{line}\n"})
    said = irci("ap-ci", "-B", "0", *files).stderr
    assert [each.split(" taken for ")[1] for each in said.splitlines() if "taken for" in each] == [told] * 2


@pytest.mark.parametrize("wrong", ["qrels", "run"])
def test_what_may_be_a_record_is_no_comment(wrong: str, tmp_path: Path) -> None:
    """trec_eval 10 would score two of the three topics, without a word."""
    texts = {"qrels": "1 0 a 1\n3 0 a 1\n", "run": "1 Q0 a 1 1 t\n3 Q0 a 1 1 t\n"}
    texts[wrong] += {"qrels": "#2 0 b 1\n", "run": "#2 Q0 b 1 1 t\n"}[wrong]
    result = irci("ap-ci", "-B", "0", *all_written(tmp_path, texts), status=3)
    assert result.stdout == ""
    assert f"{wrong}:3: begins with # as comments do, but has the fields of a record" in result.stderr
    assert "can be read from csv or JSON" in result.stderr


@pytest.mark.parametrize(
    ("form", "number", "text"),
    [
        ("trec_eval", 3, "#m\t1\t.5\nmap\t#5\t.5\nmap\t6\t1\nmap\tall\t.75\n"),
        ("ir_measures", 3, "#5\tAP\t.5\n6\tAP\t1\n# 7\tAP\t1\nall\tAP\t.8\n"),
        ("long", 2, "# head\nrun\ttopic\tmeasure\tvalue\n#r\t#5\tmap\t.5\n# r\t#\tmap\t.5\n"),
        ("matrix", 2, "#1,#2\n.1,.2\n"),
    ],
)  # fmt: skip
def test_every_score_of_such_names_is_read(form: str, number: int, text: str, file: Say) -> None:
    (table,), _ = read_scores([file(text)], form)
    assert sum(int(np.isfinite(values).sum()) for values in table.values.values()) == number


def test_other_files_take_such_names_below_their_head(file: Say) -> None:
    assert CLUSTERS.value(file("# a comment\n#5 c1\n# c2\n")).listed == ["#5", "#"]
    assert SEEDS.value(file("# system 1\n#r s 1\n# s 2\n")).listed == ["#r", "#"]
    assert read_topics("@" + file("# some topics\n#5\n#\nall\n")) == {"#5", "#", "all"}
    assert list(read_parts(file("# d\n#d e\n# d\n"))) == [b"#d", b"#"]
    assert list(read_teams(file("# note\n#r\tt\n# r\tt\n"))) == ["#r", "# r"]
    assert list(read_counts(file("# a,b,3,2,1\n#a,b,3,2,1\n"))) == [("# a", "b"), ("#a", "b")]
    assert cell_of(VERSIONS.value(file("# note\n#r\ts\t1\n")), "#r", "1") == ("s", "1", "1")
    factors = read_factors(file("# note\n#5 map .5 .125\n# map .5 .25\n"), ["#", "#5"])
    assert factors["map"][1].tolist() == [0.25, 0.125]
    again = read_factors(file(as_lines(factors, ["#", "#5"])), ["#", "#5"])
    assert again["map"][1].tolist() == pytest.approx([np.nan, 0.125], nan_ok=True)  # which is said
    path = file("#5 c 1\n6 c2\n")  # a field too many is no comment
    assert refusal(lambda: CLUSTERS.value(path), path)[0].startswith(":1: 3 fields, expected topic and cluster")


QRELS, RUN = "all 0 a 1\n6 0 a 1\n", "all Q0 a 1 2 r\n6 Q0 b 1 2 r\n6 Q0 a 2 1 r\n"


def test_scores_of_a_topic_called_all_are_not_saved(tmp_path: Path) -> None:
    """They would be read as a mean, and left out."""
    files = all_written(tmp_path, {"qrels": QRELS, "run": RUN})
    result = irci("ap-ci", "-B", "0", "--quiet", "--save-scores", tmp_path / "scores", *files, status=4)
    assert "--save-scores: a topic is called all, as what is over all topics is: rename it" in result.stderr


# What Python's str.strip takes for blank, and C does not.
BLANK_LETTERS = "\xa0\u3000\x85\x1c\x1d\x1e\x1f"
NAMES = ["a", *(f"{blank}a" for blank in BLANK_LETTERS), *(f"a{blank}" for blank in BLANK_LETTERS)]
NAMED: dict[str, Say] = {
    "trec_eval": lambda name: f"map\t{name}\t.5\nrunid\tall\t{name}\n",
    "ir_measures": lambda name: f"{name}\tAP\t.5\n",
    "jsonl": lambda name: json.dumps({"query_id": name, "measure": "AP", "value": 0.5}) + "\n",
    "long": lambda name: f"{name},{name},map,.5\n",
    "matrix": lambda name: f"{name},.5\n",
}
HEADS = {"long": "run,topic,measure,value\n", "matrix": "topic,r\n"}


@pytest.mark.parametrize("form", NAMED)
def test_names_that_differ_by_a_letter_that_looks_blank_are_different(form: str, file: Say) -> None:
    path = file(HEADS.get(form, "") + "".join(map(NAMED[form], NAMES)))
    (table,), _ = read_scores([path], "ir_measures" if form == "jsonl" else form)
    assert sorted(table.topics) == sorted(NAMES)
    if form in ("trec_eval", "long"):
        assert table.runs == NAMES
        assert read_scores([file(saved_text(table))])[0][0].runs == NAMES


def test_other_readers_keep_letters_that_look_blank(file: Say) -> None:
    def lines(line: Say, head: str = "", names: Iterable[str] = NAMES) -> str:
        return file(head + "".join(map(line, names)))

    assert list(read_parts(lines(lambda name: f"d{name} {name}\n"))) == [raw(f"d{name}") for name in NAMES]
    assert list(read_teams(lines(lambda name: f"{name}\tteam\n"))) == NAMES
    assert list(read_counts(lines(lambda name: f"{name}\tb\t1\t2\t3\n"))) == [(name, "b") for name in NAMES]
    cell = partial(cell_of, VERSIONS.value(lines(lambda name: f"{name}\tsystem{name}\t1\n")))
    assert [cell(name, "1")[0] for name in NAMES] == [f"system{name}" for name in NAMES]
    means, _ = read_factors(lines(lambda name: f"{name}\tmap\t.{len(name)}\t1\n"), NAMES)["map"]
    assert means.tolist() == [0.1] + [0.2] * (len(NAMES) - 1)

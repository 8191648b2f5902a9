"""No line of a score file is lost in silence: it becomes scores, is a summary or a comment, is refused, or warned of.

Cells of a valid table of each format are altered in ways of a list, lines dropped, doubled, cut short or made
longer; what then becomes of the lines is held against a count of lines by eye: a plain rule a format, written here.
"""

import json
import logging
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from irci.base.errors import DataError, FormatError
from irci.base.names import raw
from irci.cli.group import main
from irci.data.parts import FileSplit, read_part_scores
from irci.data.rules import read_counts, read_factors, read_teams
from irci.data.score_files import read_scores
from irci.data.scores import saved_text
from irci.data.versions import Versions

TABLES = {
    "trec_eval": [
        ["map", "1", "0.1"], ["map", "2", "0.5"], ["relstring_20", "1", "'011'"], ["P_10", "1", "0.3"],
        ["runid", "all", "first"], ["map", "all", "0.3"], ["map", "1", "0.2"], ["map", "all", "0.2"],
    ],
    "ir_measures": [["q1", "nDCG@10", "0.25"], ["q1", "AP", "0.5"], ["q2", "AP", "0.75"], ["all", "AP", "0.5"]],
    "jsonl": [["1", "AP", "0.5"], ["2", "nDCG@10", "1"], [None, "AP", "0.25"]],
    "irci": [["map", "1", "0.1", "0", "1", "a"], ["map", "2", "0.1", "0", "1", "a"], ["map", "all", "0.1", "nan", "1", "a"]],
    "long": [["run", "topic", "measure", "value"], ["a", "1", "rbp", ".5"], ["a", "2", "rbp", ".4"], ["a", "all", "P", "1"]],
    "parts": [
        ["run", "topic", "measure", "split", "part", "value"], ["a", "1", "map", "0", "0", "0.5"],
        ["a", "2", "map", "0", "0", "0.4"], ["a", "1", "map", "1", "2", "0.7"],
    ],
    "matrix": [["a", "b"], ["0.1", "0.2"], ["0.3", "0.4"]],
    "matrix of topics": [["topic", "a", "b"], ["401", "1", "0"], ["402", "0", "1"], ["all", "0.5", "0.5"]],
}  # fmt: skip
CELLS = (
    "", " ", "'", "'0.5", "'011'", "None", "null", "nan", "inf", "all", "ALL", "0", "1", "00", "2", "0.5", "1e308", "1e-308",
    "part", "part\t0", "a", "runid", "relstring", "map", "#", "x y", "-1", "१", "1_0",
)  # fmt: skip


def text_of(form: str, rows: list[list[str | None]]) -> str:
    if form == "jsonl":
        names = ("query_id", "measure", "value", "more", "most")
        return "".join(json.dumps(dict(zip(names, row, strict=False))) + "\n" for row in rows)
    separator = "," if form.startswith("matrix") else "\t"
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


def altered(rows: list[list[str | None]]) -> Iterator[list[list[str | None]]]:
    """The table with one cell another, one line cut or longer, gone, or there twice."""
    for place, row in enumerate(rows):
        others = [[*row[:i], cell, *row[i + 1 :]] for i in range(len(row)) for cell in CELLS]
        others += [row[:-1], row[1:], [*row, "0.5"], ["0.5", *row]]
        for other in others:
            yield [*rows[:place], other, *rows[place + 1 :]]
        yield [*rows[:place], *rows[place + 1 :]]
        yield [*rows[:place], row, *rows[place:]]
    yield rows


def scores_expected(form: str, rows: list[list[str | None]]) -> tuple[int, int]:
    """How many scores an accepted table has to give, and of how many rows a warning has to tell."""
    while form != "jsonl" and is_comment(text_of(form, rows[:1])):  # at the head
        rows = rows[1:]
    if form == "trec_eval":
        body = [row for row in rows if row[1] != "all" and row[0] != "runid"]
        strings = [row for row in body if str(row[0]).startswith("relstring") and str(row[2]).startswith("'")]
        return len(body) - len(strings), 0
    if form in ("ir_measures", "jsonl"):
        return sum(row[0] not in ("all", None) for row in rows), 0
    if form == "irci":
        return sum(row[1] != "all" for row in rows), 0
    header, body = rows[0], [row for row in rows[1:] if row != rows[0]]
    if form in ("long", "parts"):
        if "part" in header:
            left_out = sum(str(row[header.index("part")]).strip() != "0" for row in body)
            return len(body) - left_out, left_out
        return sum(row[1] != "all" for row in body), 0
    first = str(header[0]).strip().lower()
    named, by_run = first in ("topic", "", "runid"), first == "runid"  # a name for run: a run a row, a topic a column
    is_mean = [by_run and str(name).strip() == "all" for name in header]
    topics = [row for row in rows[1:] if by_run or not named or str(row[0]).strip() != "all"]
    cells = [str(row[i]).strip() for row in topics for i in range(named, len(row)) if not is_mean[i]]
    return sum(map(bool, cells)), 0  # an empty one is a missing score


def is_comment(line: str) -> bool:
    """# and a blank or nothing before a line that has no score in its third field."""
    return line.split()[:1] == ["#"] and not re.match(r"[^\t]*\t[^\t]*\t *([.0-9]|nan|inf)", line)


@pytest.mark.parametrize("most", [100, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("form", TABLES)
def test_every_line_is_accounted_for(form: str, most: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Of some of the altered tables, or of all."""
    caplog.set_level(logging.WARNING, "irci")
    path = tmp_path / "scores"
    forced = {"jsonl": "ir_measures", "parts": "long", "matrix of topics": "matrix"}.get(form, form)
    accepted = refused = 0
    tables = list(altered(TABLES[form]))
    for rows in random.Random(1).sample(tables, min(most, len(tables))):
        path.write_text(text_of(form, rows))
        caplog.clear()
        reason = ""
        try:
            (table,), _ = read_scores([str(path)], forced)
        except (FormatError, DataError) as error:
            reason = str(error).removeprefix(str(path))
            refused += 1
        if reason:
            assert re.match(r":\d+: |: no score of |: empty file", reason), rows
            continue
        expected, left_out = scores_expected(form, rows)
        assert sum(int((~np.isnan(values)).sum()) for values in table.values.values()) == expected, rows
        told = [
            re.search(r": (\d+) rows? of parts other than 0, left out", record.message) for record in caplog.records
        ]
        assert sum(int(each[1]) for each in told if each) == left_out, rows
        accepted += 1
    assert accepted > 10
    assert refused > 10


def shown(tmp_path: Path, text: str) -> tuple[int, str, str]:
    (tmp_path / "x").write_text(text)
    result = CliRunner().invoke(main, ["ap-ci", "-q", "--scores", str(tmp_path / "x")])
    return result.exit_code, result.stdout, result.stderr.replace(str(tmp_path), "")


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    text = "run\ttopic\tmeasure\tsplit\tpart\tvalue\na\t1\tmap\t0\t0\t.5\na\t1\tmap\t1\t1\t.2\na\t1\tmap\t1\t2\t.7\n"
    status, rows, said = shown(tmp_path, text)
    assert (status, rows.count("\t0.5000\t")) == (0, 2)
    assert "irci: warning: /x: 2 rows of parts other than 0, left out (line 3, ...)\n" in said


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("map   \t2\t.5\nmap   \t1\t'0.5\n", '2: value "\'0.5" is not a finite number'),
        ("1,0,1\n0,1,1\n", "1: all cells are numbers, so there is no header with run names"),
        ("topic\n1\n2\n", "1: the header must name each run once"),
        ("run,topic,measure,value,value\na,1,map,.5,.6\n", "1: two columns named value"),
        ("run,topic,measure,split,part,value\na,1,map,2,0,.5\n", "2: part 0 of split 2: the whole is part 0 of split 0"),
        ("map   \t1\t.5\t.6\nmap   \t2\t.5\t.6\n", "1: 4 fields with tabs, expected 3"),
        ('{"query_id": true, "measure": "AP", "value": 1}\n', "1: not an object with query_id, measure and value"),
        ('{"query_id": "1", "measure": "AP", "value": 1, "value": 0}\n', "1: not an object with query_id, measure and"),
        ("run,topic,measure,value\na,1,map,\x1c.5\n", "2: value '\\x1c.5' is not a finite number"),
        ("run,topic,measure,value\na,1,map,1e308\n", "2: value '1e308' is beyond 1e+50: no measure has such scores"),
        ("runid \tall\tx\nmap   \t1\t.5\nrunid \tall\ty\n", "3: a second runid of one run"),
    ],
)  # fmt: skip
def test_refused_with_the_line(tmp_path: Path, text: str, reason: str) -> None:
    status, rows, said = shown(tmp_path, text)
    assert (status, rows) == (3, "")
    assert f"irci: /x:{reason}" in said


def test_a_topic_may_be_called_none(tmp_path: Path) -> None:
    """What stands for all topics in JSON is null, not a word."""
    text = '{"query_id": "None", "measure": "AP", "value": 0.5}\n{"query_id": null, "measure": "AP", "value": 0.75}\n'
    assert "\tNone\t0.5000" in shown(tmp_path, text)[1]
    assert "\tNone\t0.5000" in shown(tmp_path, "None\tAP\t0.5\nq\tAP\t0.7\n")[1]


def test_a_runid_may_stand_before_its_run(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("runid \tall\tfirst\nmap   \t1\t.5\nmap   \tall\t.5\n")
    (table,), _ = read_scores([str(tmp_path / "x")])
    assert table.runs == ["first"]


def test_a_run_of_lines_of_all_topics_gives_its_name_to_no_other(tmp_path: Path) -> None:
    text = "runid \tall\tA\nmap   \tall\t.5\nmap   \t1\t.1\nmap   \tall\t.1\nmap   \t1\t.3\nrunid \tall\tC\nmap   \tall\t.3\n"
    (tmp_path / "x").write_text(text)
    (table,), _ = read_scores([str(tmp_path / "x")])
    assert dict(zip(table.runs, table.values["map"][:, 0].tolist(), strict=True)) == {"x": 0.1, "C": 0.3}


# What Python's str.strip takes for blank, and C does not.
BLANK_LETTERS = "\xa0\u3000\x85\x1c\x1d\x1e\x1f"
NAMES = ["a", *(f"{blank}a" for blank in BLANK_LETTERS), *(f"a{blank}" for blank in BLANK_LETTERS)]
NAMED = {
    "trec_eval": lambda name: f"map\t{name}\t.5\nrunid\tall\t{name}\n",
    "ir_measures": lambda name: f"{name}\tAP\t.5\n",
    "jsonl": lambda name: json.dumps({"query_id": name, "measure": "AP", "value": 0.5}) + "\n",
    "irci": lambda name: f"map\t{name}\t.5\t0\t1\t{name}\n",
    "long": lambda name: f"{name},{name},map,.5\n",
    "matrix": lambda name: f"{name},.5\n",
}
HEADS = {"long": "run,topic,measure,value\n", "matrix": "topic,r\n"}


@pytest.mark.parametrize("form", NAMED)
def test_names_that_differ_by_a_letter_that_looks_blank_are_different(form: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(HEADS.get(form, "") + "".join(map(NAMED[form], NAMES)), encoding="utf-8", newline="\n")
    (table,), _ = read_scores([str(path)], "ir_measures" if form == "jsonl" else form)
    assert sorted(table.topics) == sorted(NAMES)
    if form in ("trec_eval", "irci", "long"):
        assert table.runs == NAMES
        path.write_text(saved_text(table), encoding="utf-8", newline="\n")
        assert read_scores([str(path)])[0][0].runs == NAMES


def test_other_readers_keep_letters_that_look_blank(tmp_path: Path) -> None:
    path = tmp_path / "x"

    def lines(line: Callable[[str], str]) -> str:
        path.write_text("".join(map(line, NAMES)), encoding="utf-8", newline="\n")
        return str(path)

    assert list(FileSplit.read(lines(lambda name: f"d{name} {name}\n")).part_of) == [raw(f"d{name}") for name in NAMES]
    assert list(read_teams(lines(lambda name: f"{name}\tteam\n"))) == NAMES
    counts = read_counts(lines(lambda name: f"{name}\tb\t1\t2\t3\n"))
    assert list(counts) == [(name, "b") for name in NAMES]
    cell = Versions.of_file(lines(lambda name: f"{name}\tsystem{name}\t1\n")).cell
    assert [cell(name, "1")[0] for name in NAMES] == [f"system{name}" for name in NAMES]
    means, _ = read_factors(lines(lambda name: f"{name}\tmap\t.{len(name)}\t1\n"), NAMES)["map"]
    assert means.tolist() == [0.1] + [0.2] * (len(NAMES) - 1)
    head = "run\ttopic\tmeasure\tsplit\tpart\tvalue\n"
    rows = "".join(f"{name}\t1\tmap\t1\t{part}\t.5\n" for name in NAMES for part in (1, 2))
    path.write_text(head + rows, encoding="utf-8", newline="\n")
    assert sorted(read_part_scores([str(path)]).runs) == sorted(NAMES)

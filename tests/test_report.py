"""Formats: what is printed, read back. Names may hold anything but the blanks that part the fields of a run."""

import csv
import io
import json
import math
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irci.output.formats import FORMATS, as_text, write_file

ROWS: list[dict[str, Any]] = [
    {"measure": "map", "topic": "1", "value": 1 / 3, "lower": math.nan, "upper": 2 / 3, "run": "é\udcff", "flag": True},
    {"measure": "num_ret", "topic": "all", "value": 7, "lower": 0.25, "upper": 1.0, "run": "x", "flag": False},
]
SIGNATURE = {"irci": "0", "depth": None}
COLUMNS = ["measure", "topic", "value", "lower", "upper", "run", "flag"]

NAME = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=12)
NUMBER = st.floats(allow_infinity=False) | st.integers(0, 10**6)
RANDOM_ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "measure": NAME,
            "topic": NAME,
            "value": NUMBER,
            "lower": NUMBER,
            "upper": NUMBER,
            "run": NAME,
            "flag": st.booleans(),
        }
    ).map(lambda row: {name: row[name] for name in COLUMNS}),
    max_size=6,
)


def same(first: Any, second: Any) -> bool:
    """Equal, or both nan."""
    return first == second or (first != first and second != second)


def test_text_is_trec_evals_line_extended() -> None:
    assert as_text(ROWS, SIGNATURE) == (
        "map                   \t1\t0.3333\tnan\t0.6667\té\udcff\tflag\n"
        "num_ret               \tall\t7\t0.2500\t1.0000\tx\n"
    )


@pytest.mark.parametrize("name", ["tsv", "csv"])
@given(rows=RANDOM_ROWS)
def test_tsv_and_csv_are_read_back(name: str, rows: list[dict[str, Any]]) -> None:
    text = FORMATS[name](rows, SIGNATURE)
    lines = csv.reader(io.StringIO(text)) if name == "csv" else (line.split("\t") for line in text.split("\n")[:-1])
    read = list(lines)
    assert len(read) == (len(rows) + 1 if rows else 0)
    assert read[:1] == ([COLUMNS] if rows else [])
    for row, cells in zip(rows, read[1:], strict=True):
        assert [cells[i] for i in (0, 1, 5)] == [row["measure"], row["topic"], row["run"]]
        assert all(same(float(cells[i]), row[COLUMNS[i]]) for i in (2, 3, 4))
        assert cells[6] == ("true" if row["flag"] else "false")


@given(rows=RANDOM_ROWS)
def test_json_and_jsonl_are_read_back(rows: list[dict[str, Any]]) -> None:
    document = json.loads(FORMATS["json"](rows, SIGNATURE))
    first, *others = [json.loads(line) for line in FORMATS["jsonl"](rows, SIGNATURE).splitlines()]
    assert document["signature"] == first["signature"] == SIGNATURE
    expected = [{name: None if cell != cell else cell for name, cell in row.items()} for row in rows]
    assert document["rows"] == others == expected


def unescaped_latex(text: str) -> str:
    text = text.replace(r"\textbackslash{}", "\\").replace(r"\ensuremath{<}", "<").replace(r"\ensuremath{>}", ">")
    return re.sub(r"\\([&%$#_{}^~])(\{\})?", r"\1", text)


LATEX_NAME = st.text(st.sampled_from("abcXYZ019&%$#_{}-+.:"), min_size=1, max_size=10)


@given(names=st.lists(LATEX_NAME, min_size=1, max_size=4))
def test_latex_escapes_names(names: list[str]) -> None:
    rows = [{"run": name, "value": 0.5} for name in names]
    text = FORMATS["latex"](rows, SIGNATURE)
    assert "\\toprule" in text
    assert "\\bottomrule" in text
    body = text.split("\\midrule\n")[1].split("\\bottomrule")[0]
    read = [line.rsplit("&", 1) for line in body.splitlines()]
    assert [unescaped_latex(name.strip()) for name, _ in read] == names
    assert {value.replace("\\", "").strip() for _, value in read} == {"0.5000"}


@given(names=st.lists(st.text(st.sampled_from("ab1|\\*_`<>[]-"), min_size=1, max_size=10), min_size=1, max_size=4))
def test_markdown_escapes_names(names: list[str]) -> None:
    text = FORMATS["markdown"]([{"run": name, "value": 0.5} for name in names], SIGNATURE)
    lines = text.splitlines()[2 : 2 + len(names)]
    cells = [re.fullmatch(r"\| (.*?) *\| +0\.5000 \|", line) for line in lines]
    assert [re.sub(r"\\(.)", r"\1", cell.group(1)) for cell in cells if cell] == names


def test_tables_keep_names_that_look_like_numbers() -> None:
    table = FORMATS["table"]([{"topic": "007", "run": "1e5", "value": 0.25}], SIGNATURE)
    assert table.splitlines()[2].split() == ["007", "1e5", "0.2500"]
    assert table.splitlines()[-1] == "# irci=0 depth=None"


@pytest.mark.parametrize("name", FORMATS)
def test_no_rows(name: str) -> None:
    text = FORMATS[name]([], SIGNATURE)
    assert text == "" or text.endswith("\n")


def test_files_are_replaced_links_followed_and_pipes_written_to(tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_file(str(link), b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(str(pipe), b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(tmp_path.iterdir()) == [link, pipe, target]

"""No line of a score file is lost in silence: it becomes scores, is a summary or a comment, or is refused.

Cells of a valid table of each format are altered in ways of a list, lines dropped, doubled, cut short or made
longer; what then becomes of the lines is held against a count of lines by eye: a plain rule a format, written here.
"""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from irci.base import DataError, FormatError
from irci.data.score_files import read_scores

TABLES = {
    "trec_eval": [
        ["map", "1", "0.1"], ["map", "2", "0.5"], ["relstring_20", "1", "'011'"], ["P_10", "1", "0.3"],
        ["runid", "all", "first"], ["map", "all", "0.3"], ["map", "1", "0.2"], ["map", "all", "0.2"],
    ],
    "ir_measures": [["q1", "nDCG@10", "0.25"], ["q1", "AP", "0.5"], ["q2", "AP", "0.75"], ["all", "AP", "0.5"]],
    "jsonl": [["1", "AP", "0.5"], ["2", "nDCG@10", "1"], [None, "AP", "0.25"]],
    "long": [["run", "topic", "measure", "value"], ["a", "1", "rbp", ".5"], ["a", "2", "rbp", ".4"], ["a", "all", "P", "1"]],
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


def scores_expected(form: str, rows: list[list[str | None]]) -> int:
    """How many scores an accepted table has to give."""
    while form != "jsonl" and is_comment(text_of(form, rows[:1])):  # at the head
        rows = rows[1:]
    if form == "trec_eval":
        body = [row for row in rows if row[1] != "all" and row[0] != "runid"]
        strings = [row for row in body if str(row[0]).startswith("relstring") and str(row[2]).startswith("'")]
        return len(body) - len(strings)
    if form in ("ir_measures", "jsonl"):
        return sum(row[0] not in ("all", None) for row in rows)
    header, body = rows[0], [row for row in rows[1:] if row != rows[0]]
    if form == "long":
        return sum(row[1] != "all" for row in body)
    first = str(header[0]).strip().lower()
    named, by_run = first in ("topic", "", "runid"), first == "runid"  # a name for run: a run a row, a topic a column
    is_mean = [by_run and str(name).strip() == "all" for name in header]
    topics = [row for row in rows[1:] if by_run or not named or str(row[0]).strip() != "all"]
    cells = [str(row[i]).strip() for row in topics for i in range(named, len(row)) if not is_mean[i]]
    return sum(map(bool, cells))  # an empty one is a missing score


def is_comment(line: str) -> bool:
    """# and a blank or nothing before a line that has no score in its third field."""
    return line.split()[:1] == ["#"] and not re.match(r"[^\t]*\t[^\t]*\t *([.0-9]|nan|inf)", line)


@pytest.mark.parametrize("most", [100, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("form", TABLES)
def test_every_line_is_accounted_for(form: str, most: int, tmp_path: Path) -> None:
    """Of some of the altered tables, or of all."""
    path = tmp_path / "scores"
    forced = {"jsonl": "ir_measures", "matrix of topics": "matrix"}.get(form, form)
    accepted = refused = 0
    tables = list(altered(TABLES[form]))
    for rows in random.Random(1).sample(tables, min(most, len(tables))):
        path.write_text(text_of(form, rows))
        try:
            (table,), _ = read_scores([str(path)], forced)
        except (FormatError, DataError) as error:
            reason = str(error).removeprefix(str(path))
            assert re.match(r":\d+: |: no score of |: empty file", reason), rows
            refused += 1
            continue
        number = sum(int((~np.isnan(values)).sum()) for values in table.values.values())
        assert number == scores_expected(form, rows), rows
        accepted += 1
    assert min(accepted, refused) > 10

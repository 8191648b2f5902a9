"""Scores in percent: refused of a measure whose range irci knows, unless --range says so; all is then 100 times as much."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from command_lines import irci, printed, rows
from helpers import written

import irci as package

RUNS, TOPICS = "abc", range(1, 13)
Thousandths = dict[tuple[str, int], int]
TOLD = "whose range is 0 to 1: --range gives another, such as 0,100"
LONG = "run,topic,measure,value\n"


def thousandths(highest: int = 991) -> Thousandths:
    cells = list(product(RUNS, TOPICS))
    drawn = np.random.default_rng(1).integers(0, highest, len(cells)).tolist()
    return {**dict(zip(cells, drawn, strict=True)), cells[5]: highest}


def spelled(value: int, places: int) -> str:
    """With 3 places a fraction, with 1 a percentage."""
    return f"{value / 10**places:.{places}f}"


def long(folder: Path, places: int) -> list[str]:
    lines = (f"{run},{topic},nDCG@10,{spelled(value, places)}\n" for (run, topic), value in thousandths().items())
    return [written(folder / f"long{places}.csv", LONG + "".join(lines))]


COMMANDS = (
    ("map-ci", "--standardise", "z"), ("ap-ci", "-B", "0", "-q"),
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_percentages(tmp_path: Path, command: tuple[str, ...]) -> None:
    """Refused, whatever is asked; the measure is spelled as in the files."""
    told = printed(*command, "--scores", "--quiet", *long(tmp_path, 1), status=3)
    assert f"scores up to 99.1 for nDCG@10, {TOLD}" in told


def test_python() -> None:
    percent = {run: {"AP": {str(topic): thousandths()[run, topic] / 10 for topic in TOPICS}} for run in RUNS}
    fractions = {run: {"AP": {topic: value / 100 for topic, value in percent[run]["AP"].items()}} for run in RUNS}
    with pytest.raises(package.FormatError, match=r"scores up to 99\.1 for AP, whose range is 0 to 1"):
        package.map_ci(scores=percent)
    found, expected = package.map_ci(scores=percent, range=(0, 100)), package.map_ci(scores=fractions)
    for table, other in zip(found.tables, expected.tables, strict=True):
        assert [row["value"] for row in table.rows] == pytest.approx([100 * row["value"] for row in other.rows])


@pytest.mark.parametrize("told", ["down to -0.1 for map, whose range is 0 to 1: --range", "up to 101 for map"])
def test_what_is_no_percentage(tmp_path: Path, told: str) -> None:
    path = written(tmp_path / "s.csv", f"{LONG}a,1,map,.5\na,2,map,{told.split()[2]}\n")
    refused = printed("map-ci", "--scores", path, status=3)
    assert f"scores {told}" in refused
    assert "percentages" not in refused


def test_measures_that_are_not_asked_for_may_have_any(tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", LONG + "a,1,map,.5\na,2,map,.3\na,1,P_5,60\na,2,P_5,40\n")
    assert rows("map-ci", "--scores", "-m", "map", path)[0]["value"] == 0.4
    assert "for P_5" in printed("map-ci", "--scores", path, status=3)


def test_limits_and_margins_on_a_range_that_is_given(tmp_path: Path) -> None:
    """Limits are 100 times those of fractions, bounded by 0 and 100: the t limit beyond 1 is not clipped there. A margin of
    fractions, among percentages, is told of; equivalence is that of fractions by a hundredth of it."""
    percent, fractions = (long(tmp_path, places) for places in (1, 3))
    asked = ("map-ci", "--baseline", "a", "--scores", "--margin")
    told = irci(*asked, ".05", "--range", "0,100", *percent).stderr
    assert "--margin 0.05 is 0.05% of the range 0 to 100: a margin is in the units of the scores" in told
    assert "of the range" not in irci(*asked, "5", "--range", "0,100", *percent).stderr
    of_percent, of_fractions = rows(*asked, "5", "--range", "0,100", *percent), rows(*asked, ".05", *fractions)
    for name, unit, number in (("value", 100, 5), ("lower", 100, 5), ("upper", 100, 5), ("p_equivalence", 1, 2)):
        found, expected = ([row[name] for row in of if name in row] for of in (of_percent, of_fractions))
        assert len(found) == number
        np.testing.assert_allclose(found, unit * np.array(expected), rtol=1e-7 if unit == 100 else 1e-9)


@pytest.mark.parametrize(("last", "kind", "number"), [(1, "bounded", 1), (5, "t", 0)])
def test_unknown_measures_have_one_range_in_all_collections(last: int, kind: str, number: int, tmp_path: Path) -> None:
    """0 to 1 only if the scores of every collection lie there, which is said once."""
    text = "collection,run,topic,measure,value\n"
    for name, values in (("one", [0, 1, 1, 0, 1, 1]), ("two", [1, 1, 0, 0, 1, last])):
        text += "".join(f"{name},{run},{topic},stars,{value}\n" for run in "ab" for topic, value in enumerate(values))
    path = written(tmp_path / "several.csv", text)
    assert {row["interval"] for row in rows("map-ci", "--scores", path) if row.get("collection") == "one"} == {kind}
    assert irci("map-ci", "--scores", path).stderr.count("taken for the scale") == number

"""What irci prints as text, read back by --scores: lines that name columns, and notes, are comments wherever they stand."""

import json
from pathlib import Path

import pytest
from command_lines import printed
from helpers import SMALL

FILES = [str(SMALL / "qrels.txt"), *(str(SMALL / "runs" / name) for name in ("alpha.run", "bravo.run.gz"))]


def irci(*arguments: str, given: str = "") -> str:
    return printed(*arguments, "--quiet", given=given)


@pytest.mark.parametrize(
    "options",
    [
        ["ap-ci"],
        ["map-ci"],
        ["map-ci", "--ranks", "--explain"],
        ["map-ci", "--sort", "name"],
    ],
    ids=" ".join,
)
def test_scores_of_topics_are_read_back(options: list[str]) -> None:
    """At whatever place the comments stand: the means over topics are those of the runs, to the digits printed."""
    printed = irci(*options, "-q", *FILES)
    again = json.loads(irci("map-ci", "--format", "json", "--scores", "-", given=printed))["rows"]
    direct = json.loads(irci("map-ci", "--population", "topics", "--format", "json", *FILES))["rows"]
    assert [(row["measure"], row["run"]) for row in again] == [(row["measure"], row["run"]) for row in direct]
    for row, expected in zip(again, direct, strict=True):
        assert row["value"] == pytest.approx(expected["value"], abs=5e-5)
        assert row["lower"] == pytest.approx(expected["lower"], abs=2e-4)


def test_a_comment_is_no_measure_called_so(tmp_path: Path) -> None:
    """# and a word: a measure called # is padded, or stands before a tab."""
    lines = [f"{name}\t{topic}\t0.5\tnan\tnan\ta\n" for topic in (1, 2) for name in (f"{'#':<22}", "map")]
    file = tmp_path / "scores"
    file.write_text("".join([*lines[1::2], "# note\n", *lines[::2]]))
    rows = json.loads(irci("map-ci", "--format", "json", "--scores", str(file)))["rows"]
    assert {row["measure"] for row in rows} == {"#", "map"}

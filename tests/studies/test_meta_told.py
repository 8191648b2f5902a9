"""map-ci --meta: which topics effects are about, and limits that few or like effects make too narrow."""

import json
import math
from pathlib import Path

import pytest
from command_lines import irci, warnings_of
from helpers import QRELS, RUNS
from scipy import stats

LEFT_OUT = "--meta leaves out topics by their scores"
NARROW = "are narrower than those of a fixed effect"


def meta_rows(*words: object) -> tuple[list[dict[str, float]], list[str]]:
    """Rows of effects that have a Q, and what is warned of."""
    result = irci("map-ci", "-n", *words, "--format", "json", QRELS, *RUNS, status=0)
    found = [row for row in json.loads(result.stdout)["rows"] if "left_out" in row and row["Q"] is not None]
    told = [line.removeprefix("irci: warning: ") for line in result.stderr.splitlines() if "irci: warning: " in line]
    return [{name: math.nan if cell is None else cell for name, cell in row.items()} for row in found], told


@pytest.mark.sample(5)
@pytest.mark.parametrize("measure", ["map", "P_10", "ndcg"])
@pytest.mark.parametrize("method", ["fixed", "random"])
def test_many_topics_left_out_by_their_scores_are_told(measure: str, method: str) -> None:
    words = ["--meta", method, "-m", measure, "--all-pairs"]
    found, warned = meta_rows(*words)
    many = sum(row["left_out"] > 0.1 * (row["left_out"] + row["topics"]) for row in found)
    told = [each for each in warned if LEFT_OUT in each]
    assert bool(told) == (many > 0)
    for each in told:
        most = max(row["left_out"] for row in found)
        assert f"for {many} pair{'s' * (many > 1)} more than 10% of them (up to {most:.0f})" in each
        assert ("lmap is of all topics" in each) == (measure == "map")


@pytest.mark.sample(4)
@pytest.mark.parametrize("topics", ["1,2", "2,4", "5,6", "8,9", "1,2,4,5", "6,8,9,12", "10,12,14,15,17", ""])
def test_limits_narrower_than_fixed_ones_are_told(topics: str) -> None:
    """Without variance between topics they are sqrt(Q / (k - 1)) t / z times as wide."""
    words = ["--meta", "random", "--all-pairs", *(["--topics", topics] if topics else [])]
    found, warned = meta_rows(*words)
    z = stats.norm.ppf(0.975)
    narrow = 0
    for row in found:
        df = row["topics"] - 1
        narrow += int(row["tau"] == 0 < df and row["Q"] / df * (stats.t.ppf(0.975, df) / z) ** 2 < 1)
    told = [each for each in warned if NARROW in each]
    assert len(told) == (narrow > 0)
    assert all(f"limits of {narrow} pair{'s' * (narrow > 1)} are narrower" in each for each in told)


@pytest.mark.check
def test_some_limits_are_narrower_and_one_topic_has_none() -> None:
    pairs = ["1,2", "2,4", "5,6", "8,9", "12,14", "15,17"]

    def is_told(method: str, topics: str, runs: list[Path] = RUNS) -> bool:
        words = ["map-ci", "-n", "--meta", method, "--all-pairs", "--topics", topics, QRELS, *runs]
        return any(NARROW in each for each in warnings_of(*words))

    assert any(is_told("random", each) for each in pairs)
    assert not is_told("random", "1", RUNS[:2])
    assert not is_told("fixed", pairs[0])
    assert not is_told("stouffer", pairs[0])

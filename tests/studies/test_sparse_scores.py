"""Commands that take scores, on sparse and dense ones: an answer, p above its floor, limits on the scale, no contradiction."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import sparse_scores
from command_lines import irci

EQUAL, UNEQUAL = "(?P<cluster>q.)-.*", ".*-(?P<cluster>[1-3]?).?"
SEEDS = "(?P<system>.*)_(?P<seed>.)"
COMMANDS = {
    "ap-ci": ["ap-ci", "-B", "0"],
    "compare": ["compare", "--baseline", "alpha_1", "--power", "--margin", ".05"],
    "map-ci": ["map-ci", "--all-pairs", "--ranks", "--power", "--margin", ".05", "--explain"],
    "holm": ["map-ci", "--all-pairs", "--correction", "holm"],
    "clusters": ["map-ci", "--all-pairs", "--clusters", EQUAL, "--ranks", "--explain"],
    "unequal clusters": ["map-ci", "--all-pairs", "--clusters", UNEQUAL, "--ranks", "--power"],
    "holm, clusters": ["map-ci", "--all-pairs", "--clusters", UNEQUAL, "--correction", "holm"],
    "versions": ["map-ci", "--all-pairs", "--versions", "(?P<topic>q.)-(?P<version>.*)", "--explain"],
    "seeds": ["map-ci", "--all-pairs", "--seeds", SEEDS, "--explain"],
    "partition-anova": ["partition-anova", "-B", "50", "--versions", "(?P<topic>q.)-(?P<version>.*)"],
    "stdap-ci": ["stdap-ci"],
    "swap-error": ["swap-error"],
    "swap": ["swap-error", "--procedure", "swap"],
    "power": ["swap-error", "--procedure", "discriminative-power"],
    "wcw": ["wcw", "--difference", ".05,.5"],
    "wcw, clusters": ["wcw", "--difference", ".05,.5", "--clusters", UNEQUAL],
}
OTHER_SCALES = ("stdap-ci", "partition-anova")  # standardised scores; effects of runs
UNITS = {("versions", "topics"): 9, ("clusters", "clusters"): 9}
UNITS |= {(command, "clusters"): 18 for command in ("unequal clusters", "holm, clusters")}
SURE = 1e-9


def answer(folder: Path, command: str, name: str) -> list[dict[str, Any]]:
    path = folder / name
    path.write_bytes(sparse_scores.files()[name])
    result = irci(*COMMANDS[command], "--quiet", "--format", "json", "--scores", str(path))
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = json.loads(result.stdout)["rows"]
    assert rows
    return rows


def limits_of(row: dict[str, Any], suffix: str = "") -> tuple[float, float]:
    """nan where there are none."""
    lower, upper = (row.get(f"{name}{suffix}") for name in ("lower", "upper"))
    return (math.nan if lower is None else float(lower), math.nan if upper is None else float(upper))


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", sparse_scores.MEASURES)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_claims_no_more_than_scores_show(tmp_path: Path, command: str, name: str) -> None:
    seen = 0
    for row in answer(tmp_path, command, name):
        if row.get("measure", "rank") == "rank" or command in OTHER_SCALES:
            continue
        lower, upper = limits_of(row)
        is_pair = "baseline" in row
        assert not lower < (-1 if is_pair else 0) - SURE, row
        assert not upper > 1 + SURE, row
        seen += 1
        if not is_pair or row.get("p") is None:
            continue
        units = UNITS.get((command, row["population"]), 48)
        least = 2.0 ** -(units if row["test"] in ("midp", "bounded") else units - 1)
        if row["test"] == "t" and units < 48:  # over groups of topics p of t stands as it is
            least = 0.0
        assert least * (1 - SURE) <= row["p"] <= row["p_adjusted"] <= 1, row
        if row["test"] != "signs":  # which assumes symmetry, as limits do not
            assert not (row["p"] > 0.05 and (lower > 0 or upper < 0)), row
            assert not (row["p"] <= 0.05 and lower < 0 < upper), row
        lower, upper = limits_of(row, "_adjusted")
        assert not (row["p_adjusted"] > 0.05 and (lower > 0 or upper < 0)), row
        assert not (row["p_adjusted"] <= 0.05 and lower < 0 < upper), row
    assert seen or command in ("stdap-ci", "partition-anova", "swap-error", "swap", "power", "wcw", "wcw, clusters")

"""Selection is said: of several measures, of a baseline that is an extreme, and by bold runs that none is above."""

import itertools
from pathlib import Path

import pytest
from command_lines import printed, rows
from helpers import QRELS, RUN_BY_NAME, RUNS, SMALL, TESTDATA

CHANCE = "the chance of any false finding is up to"
CHOSEN = "if it was chosen for its score, compare all pairs (--all-pairs)."


def explained(*words: object) -> str:
    return printed("map-ci", "-n", "--explain", *words)


FIVE = "--population topics -m map,P_10,ndcg,bpref,Rprec"
SLICES = f"--baseline alpha --slices {SMALL}/slices.txt"
BOTH = "--baseline alpha --population topics,documents -m map,P_5 -B 100"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"{FIVE} --baseline alpha --confidence .9", f"5 measures, 5 families: {CHANCE} 41%."),  # 1 - .9^5
        (f"{FIVE} --all-pairs --correction none", f"5 measures, 15 tests: {CHANCE} 54%."),  # 1 - .95^15
        (f"{FIVE} --all-pairs --correction bh", "5 measures, 5 families: the false discovery rate holds for each."),
        (f"{FIVE} --ranks", f"5 measures, 5 families: {CHANCE} 23%."),  # 1 - .95^5 = .226
        (f"{SLICES} -m map,P_5", f"2 measures (all topics, slices and F), 6 families: {CHANCE} 26%."),
        (f"{SLICES} -m map,P_5 --family joint", f"2 measures (all topics, slices and F), 4 families: {CHANCE} 19%."),
        (
            f"{SLICES} -m map --correction bh",
            "1 measure (all topics, slices and F), 3 families: the false discovery rate",
        ),
        (f"{BOTH} --family joint", f"In each population, 2 measures, 1 family: {CHANCE} 5%."),
    ],
)
def test_families_are_counted(words: str, said: str) -> None:
    """Of several measures, in slices, over each population."""
    told = explained(*words.split(), QRELS, *RUNS[:3])
    assert f"# {said}" in told
    assert told.count(" families") + told.count(" tests: ") + told.count("1 family") == 1


def test_a_baseline_that_is_an_extreme() -> None:
    """By the means that are printed."""
    asked = ("-m", "map", "--population", "topics", QRELS, *RUNS)
    order = [row["run"] for row in sorted(rows("map-ci", *asked), key=lambda row: row["value"])]
    for run, word in itertools.zip_longest(order, ("lowest", "", "", "", "highest")):
        told = explained("--baseline", run, *asked)
        assert (CHOSEN in told) == bool(word)
        assert (f"# {run} has the {word} mean of 5 runs in map: {CHOSEN}" in told) == bool(word)


def test_a_baseline_in_several_collections() -> None:
    words = [TESTDATA / "several", "-m", "nDCG@10", "-m", "map"]
    told = explained("--baseline", "bm25", *words)
    assert f"# bm25 has the lowest mean of 3 runs in nDCG@10, map: {CHOSEN}" in told
    assert told.count(CHOSEN) == 1
    columns = 2 * (6 + 1)
    where = f"# 2 measures on each of 6 collections and over all, {columns} families"
    assert f"{where}: {CHANCE} {1 - 0.95**columns:.0%}." in told


@pytest.mark.parametrize("measure", ["map", "P_10"])
def test_bold_are_all_runs_that_none_is_significantly_above(measure: str) -> None:
    """By p_adjusted of all pairs, which the same ranks go by."""
    asked = ["map-ci", "--ranks", "--all-pairs", "-m", measure, "--population", "topics", QRELS, *RUNS]
    pairs = [row for row in rows("map-ci", "-n", *asked[1:]) if "p_adjusted" in row]
    below = {row["run" if row["value"] < 0 else "baseline"] for row in pairs if row["p_adjusted"] <= 0.05}
    wide = printed(*asked, "--layout", "wide")
    bold = {line.split()[0] for line in wide.splitlines() if "^" in line and not line.startswith("#")}
    assert bold == {*RUN_BY_NAME} - below
    assert len(bold) > 1
    assert "# ^: no run is significantly higher.\n" in wide
    assert "highest of its column" not in wide


def test_bold_in_columns_without_letters_is_the_highest(tmp_path: Path) -> None:
    words = [TESTDATA / "several", "-m", "nDCG@10", "--ranks", "--layout", "wide", "--limits", "none"]
    assert "# ^: the highest of its column; with letters: no run is significantly higher.\n" in printed(
        "map-ci", *words
    )

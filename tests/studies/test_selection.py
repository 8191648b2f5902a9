"""Selection is said: of several measures, of a baseline that is an extreme, and by bold runs that none is above."""

import itertools
from pathlib import Path

import pytest
from command_lines import printed, rows
from helpers import QRELS, RUN_BY_NAME, RUNS, SMALL, TESTDATA

CHANCE = "the chance of some false finding is up to"
CHOSEN = "if it was chosen for its score, compare all pairs (--all-pairs)."


def explained(*words: object) -> str:
    return printed("map-ci", "-n", "--explain", *words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--baseline alpha", f"5 measures, 5 families: {CHANCE} 23%."),
        ("--baseline alpha --confidence .9", f"5 measures, 5 families: {CHANCE} 41%."),
        ("--all-pairs --correction none", f"5 measures, 15 tests: {CHANCE} 54%."),
        ("--all-pairs --correction bh", "5 measures, 5 families: the false discovery rate holds for each measure"),
        ("--ranks", f"5 measures, 5 families: {CHANCE} 23%."),
    ],
)
def test_families_of_several_measures(words: str, said: str) -> None:
    """1 - .95^5 = .226; 1 - .9^5 = .41; without correction each of 3 pairs is a test, 1 - .95^15 = .54."""
    measures = ["-m", "map", "-m", "P_10", "-m", "ndcg", "-m", "bpref", "-m", "Rprec"]
    told = explained("--population", "topics", *words.split(), *measures, QRELS, *RUNS[:3])
    assert f"# {said}" in told
    assert told.count("families: ") + told.count(" tests: ") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-m map", f"1 measure, 3 families (all topics, slices and F): {CHANCE} 14%."),
        ("-m map,P_5", f"2 measures, 6 families (all topics, slices and F of each): {CHANCE} 26%."),
        ("-m map,P_5 --family joint", f"2 measures, 4 families (all topics, slices, and F of each): {CHANCE} 19%."),
        ("-m map --correction bh", "1 measure, 3 families (all topics, slices and F): the false discovery rate"),
    ],
)
def test_families_of_slices(words: str, said: str) -> None:
    """1 - .95^3 = .143, 1 - .95^6 = .265, 1 - .95^4 = .185."""
    slices = ["--baseline", "alpha", "--slices", SMALL / "slices.txt"]
    assert f"# {said}" in explained(*slices, *words.split(), QRELS, *RUNS[:3])


def test_families_of_each_population() -> None:
    """Over topics, and over documents; a table for a paper shows one population."""
    words = ["--baseline", "alpha", "--population", "topics,documents", "-m", "map,P_5", "-B", "100", QRELS, *RUNS[:3]]
    joint = "one family of 4 differences in each population: the chance of any false finding is at most 5% in each."
    assert f"# 2 measures, {joint}" in explained("--family", "joint", *words)
    assert f"2 families in each population: {CHANCE} 10% in each." in explained(*words)


def test_one_measure_is_one_family() -> None:
    assert "families" not in explained("--baseline", "alpha", "-m", "map", QRELS, *RUNS)
    assert CHANCE not in printed("map-ci", "--explain", "-m", "map", "-m", "P_10", QRELS, *RUNS)  # nothing is tested


def test_the_footer_of_a_table_for_a_paper() -> None:
    wide = printed("compare", "--layout", "wide", "-m", "map", "-m", "P_10", QRELS, *RUNS)
    assert f"# 2 measures, 2 families: {CHANCE} 10%.\n" in wide
    assert CHANCE not in printed("map-ci", "--layout", "wide", "-m", "map", "-m", "P_10", QRELS, *RUNS)


def test_a_baseline_that_is_an_extreme() -> None:
    """By the means that are printed."""
    asked = ("-m", "map", "--population", "topics", QRELS, *RUNS)
    order = [row["run"] for row in sorted(rows("map-ci", *asked), key=lambda row: row["value"])]
    for run, word in itertools.zip_longest(order, ("lowest", "", "", "", "highest")):
        told = explained("--baseline", run, *asked)
        assert (CHOSEN in told) == bool(word)
        assert (f"# {run} has the {word} mean of 5 runs in map: {CHOSEN}" in told) == bool(word)


@pytest.mark.parametrize(("words", "runs"), [("--all-pairs", 5), ("--baseline mean", 5), ("--baseline alpha", 2)])
def test_no_baseline_was_chosen(words: str, runs: int) -> None:
    """Of two runs one is the best anyway."""
    assert CHOSEN not in explained(*words.split(), "-m", "map", QRELS, *RUNS[:runs])


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

"""map-ci on many runs: ranks, adjusted p and simultaneous limits of one output agree; verdicts, --fail-if, what p is told."""

import itertools
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import naive_inference
import numpy as np
import pytest
from command_lines import irci as command
from command_lines import result_lines
from helpers import QRELS, RUNS, matrix, pick
from scipy import stats

from irci.output.formats import TESTS

ALPHA = 0.05


irci = partial(command, "map-ci", "--quiet")


def rows_of(*arguments: object) -> list[dict[str, Any]]:
    result = irci("--format", "json", *arguments)
    assert result.exit_code in (0, 5), result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)["rows"]
    return found


def pairs_of(*arguments: object) -> list[dict[str, Any]]:
    return [row for row in rows_of(*arguments) if "baseline" in row]


def values_of(path: str) -> np.ndarray:
    return np.loadtxt(path, delimiter=",", skiprows=1).T[1:]


@pytest.fixture
def near_equal(tmp_path: Path) -> str:
    """Twelve runs of which some differ and some hardly do."""
    rng = np.random.default_rng(1)
    values = np.linspace(0.3, 0.42, 12)[:, np.newaxis] + rng.normal(0, 0.15, 40) + rng.normal(0, 0.08, (12, 40))
    return matrix(tmp_path / "scores.csv", values)


def assert_letters_agree(ranks: list[dict[str, Any]], pairs: list[dict[str, Any]]) -> None:
    letters = {row["run"]: set(row["letters"]) for row in ranks}
    for row in pairs:
        assert bool(letters[row["run"]] & letters[row["baseline"]]) == (row["p_adjusted"] > ALPHA)
    assert any(row["p_adjusted"] <= ALPHA for row in pairs)


@pytest.mark.parametrize(("population", "correction"), [("documents", "maxt"), ("both", "holm")])
def test_the_same_for_documents_and_for_both(population: str, correction: str) -> None:
    asked = ("--population", population, "--correction", correction, "--all-pairs", "--ranks", QRELS, *RUNS)
    assert_letters_agree(pick(rows_of(*asked), measure="rank"), pairs_of(*asked))


def test_without_letters_the_pairs_next_to_each_other_are_counted(tmp_path: Path) -> None:
    """Of 60 runs, more groups than there are letters: as many neighbours differ as rows of all pairs have small p."""
    values = np.random.default_rng(3).normal(0.3, 0.01, (60, 40)) + np.repeat(np.arange(30), 2)[:, None] / 50
    options = ["--all-pairs", "--ranks", "--correction", "maxt", matrix(tmp_path / "scores.csv", values)]
    rows = rows_of(*options)
    order = [row["run"] for row in sorted(rows, key=lambda row: row["value"]) if row["measure"] == "rank"]
    p = {frozenset((row["run"], row["baseline"])): row["p_adjusted"] for row in rows if "p_adjusted" in row}
    apart = sum(p[frozenset(pair)] <= ALPHA for pair in itertools.pairwise(order))
    assert 0 < apart < 59
    told = f"; {apart} of the 59 pairs next to each other in rank differ significantly"
    assert told in command("map-ci", *options).stderr


def test_verdicts_and_conditions(tmp_path: Path) -> None:
    """Runs made to be: a copy, the same within .05, clearly worse, and one of which nothing can be said."""
    rng = np.random.default_rng(2)
    base = rng.uniform(0.2, 0.8, 60)
    others = [base, base + rng.normal(0, 0.02, 60), base - 0.1 + rng.normal(0, 0.05, 60), base + rng.normal(0, 0.4, 60)]
    path = matrix(tmp_path / "scores.csv", np.array([base, *others]))
    options = ["--scores", "-n", "--baseline", "r0", "--margin", ".05", path]
    assert [row["verdict"] for row in rows_of(*options)] == ["identical", "equivalent", "worse", "inconclusive"]
    for condition, failing in (("worse", ["r3"]), ("not-equivalent", ["r3", "r4"]), ("inconclusive", ["r4"])):
        result = irci("--fail-if", condition, *options)
        assert result.exit_code == (6 if condition == "inconclusive" else 5)
        named = [line.split(": ")[2].split(" ")[0] for line in result.stderr.splitlines() if "--fail-if" in line]
        assert named == failing
        assert len(result_lines(result.stdout)) == 4  # the result is written all the same
    assert irci("--fail-if", "worse", "--scores", "--baseline", "r3", path).exit_code == 0
    both = irci("--fail-if", "worse,inconclusive", *options)
    assert [line.rpartition("--fail-if ")[2] for line in both.stderr.splitlines() if "--fail-if" in line] == [
        "worse)", "inconclusive)"
    ]  # fmt: skip
    assert both.exit_code == 5  # before 6
    apart = irci("--fail-if", "worse", "--fail-if", "inconclusive", *options)
    assert (apart.stderr, apart.exit_code) == (both.stderr, 5)
    lines = [line for line in irci("--explain", *options).stdout.splitlines() if line.startswith("# ")]
    said = re.split(r"# (?=r\d)", "\n".join(lines))[1:]
    assert "equal scores in scores on all topics" in said[0]
    assert "The difference is within the margin of .05" in said[1]
    assert "r3 scores" in said[2]
    assert "inconclusive" not in said[2]
    assert ", inconclusive" in said[3]
    assert not any("the same" in sentence for sentence in said)


def test_equivalence_against_two_one_sided_tests(near_equal: str) -> None:
    rows = rows_of("--scores", "-n", "--baseline", "r0", "--margin", "10%", "--power", near_equal)
    baseline, *others = values_of(near_equal)
    critical = stats.t.ppf(0.975, 39)
    for row, scores in zip(rows, others, strict=True):
        difference = scores - baseline
        p = naive_inference.equivalence_p(difference.tolist(), (0.1 * baseline).tolist())
        assert row["p_equivalence"] == pytest.approx(p, rel=1e-9)
        # At the least detectable difference the power of the t test is .8, by the noncentral t distribution.
        noncentrality = row["detectable"] / (difference.std(ddof=1) / np.sqrt(40))
        power = stats.nct.sf(critical, 39, noncentrality) + stats.nct.cdf(-critical, 39, noncentrality)
        assert power == pytest.approx(0.8, abs=1e-6)


def test_small_p_are_told_as_small_and_no_more() -> None:
    """Normal tails of resampled standard errors to 1e-4, others to 1e-16; machines get the number."""
    options = ["-n", "--baseline", "alpha", "--population", "topics,documents", QRELS, *RUNS]
    (row,) = pick(rows_of(*options), run="echo", population="documents")
    assert 0 < row["p"] < 1e-16
    for form, separator in (("text", "\t"), ("tsv", "\t"), ("csv", ",")):
        lines = [line.split(separator) for line in irci("--format", form, *options).stdout.splitlines()]
        (echo,) = [line for line in lines if line[5:8] == ["echo", "alpha", "documents"]]
        assert echo[8:10] == ["<1e-4"] * 2 if form == "text" else float(echo[8]) == row["p"]


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_wilcoxon_and_sign_speak_of_their_own_direction(test: str, tmp_path: Path) -> None:
    """Many small gains and one large loss: the mean is lower, and yet it scores higher more often than not."""
    path = matrix(tmp_path / "skewed.csv", np.vstack((np.full(20, 0.5), [0.01, *(0.511 + np.arange(19) / 1000)])))
    arguments = ["--scores", "-n", "--baseline", "r0", "--test", test, "--margin", ".001", path]
    result = command("map-ci", *arguments, "--explain")
    assert "it finds 1 pair to differ in the opposite direction" in result.stderr
    assert f"; {TESTS[test]}, p " in result.stdout
    assert ", but significantly higher by this test." in result.stdout
    (row,) = rows_of(*arguments)
    assert (row["value"] < 0, row["verdict"]) == (True, "better")


@pytest.mark.parametrize("pairs", ["--all-pairs", "--baseline=r0"])
def test_many_pairs_are_counted_as_their_rows_say(near_equal: str, pairs: str) -> None:
    """Eleven pairs or more are not told one by one: how many differ significantly, and which way."""
    options = ["--scores", "-n", pairs, near_equal]
    rows, told = rows_of(*options), irci("--explain", *options).stdout
    found = [row for row in rows if row["p_adjusted"] <= 0.05]
    if pairs == "--all-pairs":
        assert f"{len(found)} of {len(rows)} pairs of runs differ significantly in scores" in told
    else:
        count = sum(row["value"] > 0 for row in found)
        assert f"{count or 'none'} of {len(rows)} runs score significantly higher than r0 in scores" in told
        assert f"; {len(found) - count} significantly lower: " in told or len(found) == count
    open_ = len(rows) - len(found)
    assert f"Not significantly different: the other {open_}" in told or f"; {open_} do not differ significantly" in told

"""map-ci on many runs: ranks, adjusted p and simultaneous limits of one output agree; verdicts, --fail-if, what p is told."""

import itertools
import json
import re
from functools import partial
from pathlib import Path

import naive_inference
import numpy as np
import pytest
from click.testing import CliRunner
from command_lines import irci as command
from command_lines import result_lines
from helpers import SMALL, matrix
from scipy import stats

from irci.cli.group import main
from irci.output.shown import TESTS

QRELS = str(SMALL / "qrels.txt")
RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())]
ALPHA = 0.05


irci = partial(command, "map-ci", "--quiet")


def rows_of(*arguments: str) -> list[dict[str, object]]:
    result = irci("--format", "json", *arguments)
    assert result.exit_code in (0, 5), result.output
    return json.loads(result.stdout)["rows"]


@pytest.fixture
def near_equal(tmp_path: Path) -> str:
    """Twelve runs of which some differ and some hardly do."""
    rng = np.random.default_rng(1)
    values = np.linspace(0.3, 0.42, 12)[:, np.newaxis] + rng.normal(0, 0.15, 40) + rng.normal(0, 0.08, (12, 40))
    return matrix(tmp_path / "scores.csv", values)


@pytest.mark.parametrize("correction", ["maxt", "holm"])
@pytest.mark.parametrize("pairs", [["--all-pairs"], ["--baseline", "r0"], ["--baseline", "r5"]])
def test_ranks_letters_and_adjusted_p_agree(near_equal: str, pairs: list[str], correction: str) -> None:
    rows = rows_of("--scores", "--ranks", *pairs, "--correction", correction, near_equal)
    ranks = {row["run"]: row for row in rows if row["measure"] == "rank"}
    every = rows_of("--scores", "--ranks", "--all-pairs", "--correction", correction, near_equal)
    worse = dict.fromkeys(ranks, 0)
    for row in every:
        if "baseline" in row and row["p_adjusted"] <= ALPHA:
            worse[row["baseline"] if row["value"] > 0 else row["run"]] += 1
    assert {run: row["lower"] - 1 for run, row in ranks.items()} == worse
    for row in (row for row in every if "baseline" in row):
        shared = set(ranks[row["run"]]["letters"]) & set(ranks[row["baseline"]]["letters"])
        assert bool(shared) == (row["p_adjusted"] > ALPHA)
    shown = [row for row in rows if "baseline" in row]
    assert 0 < sum(row["p_adjusted"] <= ALPHA for row in shown) < len(shown)
    without = rows_of("--scores", *pairs, "--correction", correction, near_equal)
    assert shown == [row for row in without if "baseline" in row]


def test_without_letters_the_pairs_next_to_each_other_are_counted(tmp_path: Path) -> None:
    """Of 60 runs, more groups than there are letters: as many neighbours differ as rows of all pairs have small p."""
    rng = np.random.default_rng(3)
    scores = matrix(
        tmp_path / "scores.csv", rng.normal(0.3, 0.01, (60, 40)) + np.repeat(np.arange(30), 2)[:, None] / 50
    )
    options = ["--all-pairs", "--ranks", "--correction", "maxt", scores]
    rows = rows_of(*options)
    order = [row["run"] for row in sorted(rows, key=lambda row: row["value"]) if row["measure"] == "rank"]
    p = {frozenset((row["run"], row["baseline"])): row["p_adjusted"] for row in rows if "p_adjusted" in row}
    apart = sum(p[frozenset(pair)] <= ALPHA for pair in itertools.pairwise(order))
    assert 0 < apart < 59
    assert (
        f"; {apart} of the 59 pairs next to each other in rank differ significantly"
        in command("map-ci", *options).stderr
    )


def test_the_same_for_documents_and_for_both() -> None:
    for population, correction in itertools.product(("documents", "both"), ("maxt", "holm")):
        chosen = ("--population", population, "--correction", correction)
        rows = rows_of(*chosen, "--all-pairs", "--ranks", QRELS, *RUNS)
        ranks = {row["run"]: row for row in rows if row["measure"] == "rank"}
        pairs = [row for row in rows if "baseline" in row]
        for row in pairs:
            shared = set(ranks[row["run"]]["letters"]) & set(ranks[row["baseline"]]["letters"])
            assert bool(shared) == (row["p_adjusted"] > ALPHA)
        assert any(row["p_adjusted"] <= ALPHA for row in pairs)


def test_simultaneous_limits_that_leave_out_0_imply_decisions(near_equal: str) -> None:
    options = ["--scores", "-n", "--all-pairs", "--correction", "maxt"]
    rows, plain = rows_of(*options, near_equal), rows_of(*options, near_equal)
    found = [(row["lower_adjusted"], row["upper_adjusted"]) for row in rows]
    for (lower, upper), row, alone in zip(found, rows, plain, strict=True):
        assert (row["lower"], row["upper"]) == (alone["lower"], alone["upper"])
        apart = row["p_adjusted"] <= ALPHA
        assert lower < row["lower"] < row["upper"] < upper or apart
        assert apart == (lower >= 0 or upper <= 0)
    assert any(lower > 0 or upper < 0 for lower, upper in found)


def test_a_near_copy_leaves_the_others_where_they_were(near_equal: str, tmp_path: Path) -> None:
    """Two topics of forty differ: the copy is one more place for each rank, and separates nobody less."""
    columns = [line.split(",") for line in Path(near_equal).read_text().splitlines()]
    copy = [line[1] for line in columns]
    copy[0], copy[5], copy[9] = "copy", repr(float(copy[5]) + 0.01), repr(float(copy[9]) - 0.02)
    with_copy = tmp_path / "copy.csv"
    with_copy.write_text("\n".join(",".join([*line, each]) for line, each in zip(columns, copy, strict=True)))
    before, after = (
        {
            (row["run"], row["baseline"]): row["p_adjusted"]
            for row in rows_of("--scores", "-n", "--all-pairs", "--correction", "maxt", path)
        }
        for path in (near_equal, str(with_copy))
    )
    kept = {pair: after[pair] for pair in before}
    assert sum(p <= ALPHA for p in kept.values()) >= 0.8 * sum(p <= ALPHA for p in before.values()) > 5
    assert all(kept[pair] >= before[pair] - 0.01 for pair in before)


def test_a_difference_that_is_the_same_on_all_topics_is_no_certainty(tmp_path: Path) -> None:
    for topics in (2, 3, 5, 10):
        path = matrix(tmp_path / "scores.csv", np.linspace(0.2, 0.6, topics) + np.array([[0.0], [0.125]]))
        (row,) = rows_of("--scores", "-n", "--baseline", "r0", "--power", path)
        assert (row["p"], row["test"]) == (2.0 ** (1 - topics), "signs")
        assert (row["lower"] < 0 < row["value"] < row["upper"], row["interval"]) == (True, "bounded")
        assert row["verdict"] == ("better" if topics > 5 else "inconclusive")


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
    lines = [line.split(",")[1:] for line in Path(near_equal).read_text().splitlines()[1:]]
    values = np.array(lines, np.float64).T
    for row, scores in zip(rows, values[1:], strict=True):
        difference = scores - values[0]
        p = naive_inference.equivalence_p(difference.tolist(), (0.1 * values[0]).tolist())
        assert row["p_equivalence"] == pytest.approx(p, rel=1e-9)
        # At the least detectable difference the power of the t test is .8, by the noncentral t distribution.
        noncentrality = row["detectable"] / (difference.std(ddof=1) / np.sqrt(40))
        critical = stats.t.ppf(0.975, 39)
        power = stats.nct.sf(critical, 39, noncentrality) + stats.nct.cdf(-critical, 39, noncentrality)
        assert power == pytest.approx(0.8, abs=1e-6)


def test_prediction_interval_against_its_formula(near_equal: str) -> None:
    rows = rows_of("--scores", "--interval", "prediction:10", near_equal)
    values = np.array([line.split(",")[1:] for line in Path(near_equal).read_text().splitlines()[1:]], np.float64).T
    for row, scores in zip(rows, values, strict=True):
        reach = stats.t.ppf(0.975, 39) * scores.std(ddof=1) * np.sqrt(1 / 40 + 1 / 10)
        assert row["upper"] - row["value"] == pytest.approx(reach)


def test_small_p_are_told_as_small_and_no_more() -> None:
    """Normal tails of resampled standard errors to 1e-4, others to 1e-16; machines get the number."""
    options = ["-n", "--baseline", "alpha", "--population", "topics,documents", QRELS, *RUNS]

    lines = [line.split("\t") for line in irci(*options).stdout.splitlines()]
    (echo,) = [line for line in lines if line[5:8] == ["echo", "alpha", "documents"]]
    assert echo[8:10] == ["<1e-4", "<1e-4"]
    (row,) = [row for row in rows_of(*options) if row["run"] == "echo" and row["population"] == "documents"]
    assert 0 < row["p"] < 1e-16
    for form in ("tsv", "csv"):  # which have every digit, as json has
        lines = [
            line.split("\t" if form == "tsv" else ",") for line in irci("--format", form, *options).stdout.splitlines()
        ]
        (echo,) = [line for line in lines if line[5:8] == ["echo", "alpha", "documents"]]
        assert float(echo[8]) == row["p"]


def test_wilcoxon_and_sign_warn_that_they_are_not_about_means(near_equal: str) -> None:
    for test in ("wilcoxon", "sign"):
        result = CliRunner().invoke(main, ["map-ci", "--scores", "-n", "--baseline", "r0", "--test", test, near_equal])
        assert f"p ({TESTS[test]}) is not about the difference of means that is printed" in result.stderr
    values = np.array([line.split(",")[1:] for line in Path(near_equal).read_text().splitlines()[1:]], np.float64).T
    for row, scores in zip(
        rows_of("--scores", "-n", "--baseline", "r0", "--test", "sign", near_equal), values[1:], strict=True
    ):
        above = int((scores > values[0]).sum())
        assert row["p"] == pytest.approx(stats.binomtest(above, 40).pvalue)


def test_wilcoxon_and_sign_speak_of_their_own_direction(tmp_path: Path) -> None:
    """Many small gains and one large loss: the mean is lower, and yet it scores higher more often than not."""
    rows = [f"{topic},0.50,{0.51 + topic / 1000 if topic else 0.01}" for topic in range(20)]
    (tmp_path / "skewed.csv").write_text("\n".join(["topic,a,b", *rows, ""]))
    for test, said_of_b in (("wilcoxon", "b tends to score higher"), ("sign", "b scores higher more often than not")):
        arguments = ["--scores", "-n", "--baseline", "a", "--test", test, "--explain", "--margin", ".001"]
        result = CliRunner().invoke(main, ["map-ci", *arguments, str(tmp_path / "skewed.csv")])
        assert "it finds 1 pair to differ in the opposite direction" in result.stderr
        assert said_of_b in result.stdout
        (row,) = rows_of(*arguments[:-3], "--margin", ".001", str(tmp_path / "skewed.csv"))
        assert row["value"] < 0
        assert row["verdict"] == "better"


@pytest.mark.parametrize("pairs", ["--all-pairs", "--baseline=r0"])
def test_many_pairs_are_counted_as_their_rows_say(near_equal: str, pairs: str) -> None:
    """Eleven pairs or more are not told one by one: how many differ significantly, and which way."""
    options = ["--scores", "-n", pairs, near_equal]
    rows = rows_of(*options)
    told = irci("--explain", *options).stdout
    found = [row for row in rows if float(row["p_adjusted"]) <= 0.05]
    if pairs == "--all-pairs":
        assert f"{len(found)} of {len(rows)} pairs of runs differ significantly in scores" in told
    else:
        count = sum(float(row["value"]) > 0 for row in found)
        assert f"{count or 'none'} of {len(rows)} runs score significantly higher than r0 in scores" in told
        assert f"; {len(found) - count} significantly lower: " in told or len(found) == count
    open_ = len(rows) - len(found)
    assert f"Not significantly different: the other {open_}" in told or f"; {open_} do not differ significantly" in told


def test_runs_equal_but_for_rounding_are_identical(tmp_path: Path) -> None:
    """Three runs that score the same, and their mean, which is it but for the last digit."""
    rows = [f"{topic},{score},{score},{score}" for topic, score in enumerate((0.1, 0.2, 0.7, 0.61, 0.13))]
    (tmp_path / "same.csv").write_text("\n".join(["topic,a,b,c", *rows, ""]))
    options = ("--scores", "-n", "--baseline", "mean", "--power")
    assert {row["verdict"] for row in rows_of(*options, str(tmp_path / "same.csv"))} == {"identical"}
    rows = [f"{topic},{score},{score + 0.05}" for topic, score in enumerate((0.1, 0.2, 0.7, 0.61, 0.13))]
    (tmp_path / "constant.csv").write_text("\n".join(["topic,a,b", *rows, ""]))
    (row,) = rows_of("--scores", "-n", "--baseline", "a", "--power", str(tmp_path / "constant.csv"))
    assert [row["effect_size"], row["effect_lower"], row["effect_upper"]] == [None, None, None]


def test_missing_topics_are_missing_for_all_that_maxt_says(tmp_path: Path) -> None:
    """Limits, p and ranks of a pair are of the topics that all runs share, in whatever pairs it is shown; only what allows
    for the number of pairs is of these."""
    made = np.random.default_rng(5).beta(2, 3, (12, 3))
    lines = [
        f"{run}\t{topic}\tmap\t{made[topic, place]:.4f}"
        for place, run in enumerate("abc")
        for topic in range(12 - place)
    ]
    (tmp_path / "long.tsv").write_text("\n".join(["run\ttopic\tmeasure\tvalue", *lines, ""]))
    options = ["--scores", "-n", "--missing", "drop", "--ranks"]
    (all_pairs, compared), ranks = zip(
        *(
            (
                [row for row in rows if row["topic"] == "all" and "p" in row],
                [row for row in rows if row["measure"] == "rank"],
            )
            for rows in (
                rows_of(*options, which, str(tmp_path / "long.tsv")) for which in ("--all-pairs", "--baseline=a")
            )
        ),
        strict=True,
    )
    of_family = {"p_adjusted", "lower_adjusted", "upper_adjusted"}
    assert [{name: row[name] for name in row.keys() - of_family} for row in compared] == [
        {name: row[name] for name in row.keys() - of_family} for row in all_pairs if row["baseline"] == "a"
    ]
    assert ranks[0] == ranks[1]
    common = made.round(4)[:10]
    shared = [line for line in lines if int(line.split("\t")[1]) < 10]
    (tmp_path / "shared.tsv").write_text("\n".join(["run\ttopic\tmeasure\tvalue", *shared, ""]))
    asked = rows_of(*options, "--baseline", "a", str(tmp_path / "shared.tsv"))
    assert compared == [row for row in asked if row["topic"] == "all" and "p" in row]
    for row in compared:
        difference = common[:, "abc".index(row["run"])] - common[:, 0]
        assert row["value"] == pytest.approx(difference.mean())
        assert row["p"] == pytest.approx(stats.ttest_1samp(difference, 0).pvalue)


@pytest.mark.parametrize("options", [["--ranks"], ["--all-pairs", "--correction", "maxt"]])
def test_too_few_topics_are_told(options: list[str], near_equal: str) -> None:
    lines = Path(near_equal).read_text().splitlines()[:6]
    arguments = ["map-ci", "--scores", "-n", *options, "-"]
    result = CliRunner().invoke(main, arguments, input="\n".join([*lines, ""]))
    assert "too few topics for any p_adjusted below 0.05" in result.stderr

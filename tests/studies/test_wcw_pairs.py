"""wcw for pairs of runs: against loops over all pairs with scipy's noncentral t."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_lines import irci, printed, rows
from helpers import SMALL, score_table
from scipy import stats

FILES = (SMALL / "qrels.txt", *sorted((SMALL / "runs").iterdir()))
EACH = r"(?P<cluster>.*)"


def written(path: Path, scores: np.ndarray, names: str = "abcdefghijkl") -> list[object]:
    """The arguments that read scores[n, m], nan being no score."""
    return ["--scores", score_table(path, ((names[run], topic, x) for (topic, run), x in np.ndenumerate(scores)))]


def of_collections(path: Path, parts: list[tuple[np.ndarray, str]]) -> list[object]:
    """The same of several collections, each with its own runs, in one file."""
    cells = ((f"c{place}", names[run], topic, score) for place, (scores, names) in enumerate(parts)
             for (topic, run), score in np.ndenumerate(scores))  # fmt: skip
    return ["--scores", score_table(path, cells, "collection run topic value")]


def variances_of(*arguments: object) -> list[dict[str, Any]]:
    """The rows on pairs of the table of variances."""
    return [row for row in rows("wcw", "--table", "variance", *arguments) if "run" in row]


def power(topics: int, difference: float, variance: float) -> float:
    critical, shift = stats.t.ppf(0.975, topics - 1), difference / math.sqrt(variance / topics)
    return float(stats.nct.sf(critical, topics - 1, shift) + stats.nct.cdf(-critical, topics - 1, shift))


def needed(difference: float, variance: float) -> int:
    return next(topics for topics in itertools.count(2) if power(topics, difference, variance) >= 0.8)


def some_scores(seed: int, topics: int = 15, runs: int = 7) -> np.ndarray:
    """Runs that have topics in common, by more or less."""
    rng = np.random.default_rng(seed)
    return (rng.random((topics, 1)) + rng.random((topics, runs)) * np.linspace(0.2, 1, runs)) / 2


def upper(df: int) -> float:
    """The upper 80% limit of a variance over the variance."""
    return float(df / stats.chi2.ppf(0.2, df))


def chosen(variances: list[float]) -> list[float]:
    """The least variance that half of all, and nine in ten, do not exceed."""
    return [next(each for each in sorted(variances) if np.mean(np.array(variances) <= each) >= q) for q in (0.5, 0.9)]


def test_topics_for_a_difference_are_those_of_the_median_pair_and_of_nine_in_ten(tmp_path: Path) -> None:
    """Power by the noncentral t is enough, with one topic fewer it is not, both at the variance's upper 80% limit."""
    scores = some_scores(1)
    variances = [float(np.var(a - b, ddof=1)) for a, b in itertools.combinations(scores.T, 2)]
    files = written(tmp_path / "s", scores)
    median, worst = variances_of(*files)
    plans = rows("wcw", "--difference", ".1,.05", *files)
    assert [median["value"], worst["value"]] == pytest.approx(chosen(variances), rel=1e-12)
    expected = [
        (difference, needed(difference, variance * upper(14)), "paired", purpose)
        for difference in (0.1, 0.05)
        for variance, purpose in zip(chosen(variances), ("median of pairs", "90th percentile of pairs"), strict=True)
    ]
    columns = ("difference", "topics", "tool", "kind")
    assert [tuple(row[name] for name in columns) for row in plans] == expected
    for row, of in zip(plans, (median, worst, median, worst), strict=True):
        topics, difference, variance = (float(each) for each in (row["topics"], row["difference"], of["upper"]))
        assert power(int(topics), difference, variance) >= 0.8 > power(int(topics) - 1, difference, variance)
    named = {name: place for place, name in enumerate("abcdefg")}
    for row in (median, worst):
        difference_of = scores[:, named[row["run"]]] - scores[:, named[row["baseline"]]]
        assert difference_of.mean() > 0
        assert row["value"] == pytest.approx(np.var(difference_of, ddof=1), rel=1e-12)


def test_widths_differences_and_powers_of_pairs(tmp_path: Path) -> None:
    """The expected width of t's interval; the difference that is found with power .8; the power of a difference."""
    files = written(tmp_path / "s", some_scores(2))
    (_, worst), widths = variances_of(*files), rows("wcw", "--width", ".2", "--tool", "paired", *files)
    deviation, topics = math.sqrt(worst["upper"]), int(widths[1]["topics"])

    def width(n: int) -> float:
        shrunk = math.sqrt(2 / (n - 1)) * math.exp(math.lgamma(n / 2) - math.lgamma((n - 1) / 2))
        return float(2 * stats.t.ppf(0.975, n - 1) * deviation * shrunk / math.sqrt(n))

    assert width(topics) <= 0.2 < width(topics - 1)
    for row in rows("wcw", "--sizes", "6,40", "--tool", "paired", *files)[1::2]:
        assert power(int(row["topics"]), row["difference"], worst["upper"]) == pytest.approx(0.8, abs=1e-9)
    found = rows("wcw", "--power", ".9", "--sizes", "40", *files)[0]
    assert power(40, found["difference"], worst["upper"]) == pytest.approx(0.9, abs=1e-9)


def test_no_difference_is_found_that_signs_or_the_scale_rule_out(tmp_path: Path) -> None:
    """Five topics never have p of .05 by signs; scores on [0, 1] never differ by more than 1, nor is that planned for."""
    hits = np.random.default_rng(7).integers(0, 2, 30).astype(float)
    files = written(tmp_path / "s", np.column_stack((hits, 1 - hits)))
    *none, found = rows("wcw", "--sizes", "5,6,50", *files)
    assert [row["difference"] for row in none] == [None] * 2
    assert printed("wcw", "--sizes", "5,6", *files).count("\tinf\n") == 2
    variance = variances_of(*files)[0]["upper"]
    assert power(6, 1.0, variance) < 0.8
    assert power(50, found["difference"], variance) == pytest.approx(0.8, abs=1e-9)
    told = printed("wcw", "--sizes", "5", "--explain", *files)
    assert "With 5 topics, a paired t test finds no true difference in map, however large, 80% of the time" in told
    asked = ("wcw", "--difference", "1.1", *files)
    assert "map: no means of scores from 0 to 1 differ by 1.1\n" in printed(*asked, status=4)
    irci(*asked, "--standardise", "z", status=0)


def test_runs_that_score_the_same_make_no_pair_unless_all_do(tmp_path: Path) -> None:
    """Copies of a run would make any difference look cheap. A constant difference varies by nothing, and is one."""
    scores = some_scores(3, runs=4)
    asked = ["wcw", "--difference", ".1"]
    without = variances_of(*written(tmp_path / "s", scores))
    copies = np.hstack((scores, scores[:, :1], scores[:, :1]))
    variances = [np.var(a - b, ddof=1) for a, b in itertools.combinations(copies.T, 2) if (a != b).any()]
    found = variances_of(*written(tmp_path / "s", copies))
    assert [row["value"] for row in found] == pytest.approx(chosen(variances), rel=1e-12)
    assert without[0]["topics"] == found[0]["topics"] == 15
    rounded = np.hstack((copies, scores[:, :1] + 1e-11 * np.random.default_rng(1).random((15, 1)) * scores[:, :1]))
    assert [row["value"] for row in variances_of(*written(tmp_path / "s", rounded))] == pytest.approx(
        chosen([np.var(a - b, ddof=1) for a, b in itertools.combinations(rounded.T, 2) if abs(a - b).max() > 1e-9])
    )
    for pair in (scores[:, [0, 0]], scores[:, :1] + [0, 0.1]):
        files = written(tmp_path / "s", pair)
        (variance,), (plan,) = variances_of(*files), rows(*asked, *files)
        assert (variance["value"], variance["upper"], variance["kind"]) == (0, None, "pair")
        assert (plan["topics"], plan["kind"]) == (None, "pair")
        told = irci(*asked, "--sizes", "9", "--explain", *map(str, files))
        assert "variance: no plan: it is 0" in told.stderr
        assert "# With " not in told.stdout


def test_a_pair_is_pooled_over_the_collections_that_have_both_runs(tmp_path: Path) -> None:
    first, second = some_scores(5, 9, 3), some_scores(6, 12, 3)
    d = {name: part[:, i] - part[:, j] for part, names in ((first, "abc"), (second, "bcd"))
         for i, j in itertools.combinations(range(3), 2) for name in [names[i] + names[j] + str(len(part))]}  # fmt: skip
    variances = [float(np.var(d[name], ddof=1)) for name in ("ab9", "ac9", "bd12", "cd12")]
    variances.append((8 * float(np.var(d["bc9"], ddof=1)) + 11 * float(np.var(d["bc12"], ddof=1))) / 19)
    found = variances_of(*of_collections(tmp_path / "s", [(first, "abc"), (second, "bcd")]))
    assert [row["value"] for row in found] == pytest.approx(chosen(variances), rel=1e-12)
    assert all(row["df"] == (19 if {row["run"], row["baseline"]} == {"b", "c"} else row["topics"] - 1) for row in found)


def test_pairs_whose_topics_come_in_clusters(tmp_path: Path) -> None:
    """One topic a cluster is none; of clusters of one size, means of differences are what varies, and order pairs."""
    asked = ["wcw", "--difference", ".1,.2", *FILES]
    of_topics, of_clusters = (rows(*asked, *more, "--table", "topics") for more in ([], ["--clusters", EACH]))
    without = [{name: row[name] for name in row if name != "clusters"} for row in of_clusters]
    assert without == of_topics
    scores = some_scores(7, 18, 4)
    (tmp_path / "c").write_text("".join(f"{topic} c{topic // 3}\n" for topic in range(18)))
    means = scores.reshape(6, 3, 4).mean(axis=1)
    variances = []
    for i, j in itertools.combinations(range(4), 2):
        difference = (scores[:, i] - scores[:, j]).reshape(6, 3)
        within = float(difference.var(axis=1, ddof=1).mean())
        between = float(np.var(means[:, i] - means[:, j], ddof=1))
        variances.append((max(between, within / 3), max(between * upper(5), within * upper(12) / 3)))
    found = rows(*asked[:3], "--clusters", tmp_path / "c", *written(tmp_path / "s", scores), "--table", "topics")
    expected = [
        max(needed(each, dict(variances)[variance]), 6)
        for each in (0.1, 0.2)
        for variance in chosen([variance for variance, _ in variances])
    ]  # 2 of 2^6 signs
    assert [(row["clusters"], row["topics"]) for row in found] == [(each, 3 * each) for each in expected]


def test_what_the_pair_at_hand_takes_is_told() -> None:
    two = FILES[:3]
    planned = printed("wcw", "--difference", ".1", "--explain", *two)
    assert "Where the difference is an estimate too, it takes more: topics_needed of irci compare --power" in planned
    assert "topics_needed" not in printed("wcw", "--width", ".1", "--explain", *two)


@pytest.mark.parametrize(("runs", "told"), [(2, ""), (3, "only 3 different runs"), (4, "only 4 different runs")])
def test_one_pair_takes_no_more_runs_than_it_has(tmp_path: Path, runs: int, told: str) -> None:
    """Where pairs are drawn from few runs that is warned of, but not where a pair is planned for by itself."""
    said = irci("wcw", "--difference", ".1", *map(str, written(tmp_path / "s", some_scores(4, 20, runs)))).stderr
    assert [line.split(": ")[2] for line in said.splitlines() if "rough" in line] == ([told] if told else [])


def test_a_variance_of_people_that_is_0_is_not_known_to_be(tmp_path: Path) -> None:
    """Nothing is planned by it."""
    constant, judge = np.full((12, 2), 0.5), some_scores(5, 12, 2)
    (_, people), (_, scored) = written(tmp_path / "people", constant), written(tmp_path / "judge", judge)
    asked = ("wcw", "--judge", scored, "--width", ".1", "--scores", people)
    assert [row["topics"] for row in rows(*asked) if "alone" in row] == [None, None]
    assert "people judge None" not in printed(*asked, "--explain")

"""wcw against the published numbers, scipy's noncentral distributions, and simulated power; pairs of runs by loops over all
of them."""

import gzip
import itertools
import math
from functools import partial
from pathlib import Path
from typing import Any

import command_lines
import naive
import numpy as np
import pytest
from command_lines import irci as typed
from command_lines import printed, rows
from helpers import QRELS, RUNS, SMALL, run_scores, score_table, shared
from helpers import matrix as matrix_of
from scipy import optimize, stats

from irci.estimators.wcw import (
    TopicSetDesign,
    anova_power,
    exact_noncentrality,
    linear_noncentrality,
    topics_needed,
    worst_case_width,
)
from irci.stats.groups import Nested, nested

SETTINGS = TopicSetDesign()
SAKAI = ("--tool", "anova", "--tool", "ci")  # by the variance within systems, from files too
WIDTHS = (0.05, 0.10, 0.15, 0.20, 0.25, 0.30)
# Variance: topics by the ANOVA tool and by the interval, for each of the widths. Checked numbers, but for one: for .0842 and
# .15 they have 118 by the interval, where 117 topics give an expected width of .14996.
TOPICS = {
    0.0471: "591/581 149/147 67/67 38/39 25/26 18/19", 0.0456: "572/563 144/143 65/65 37/37 24/25 17/18",
    0.1145: "1435/1410 360/354 161/159 91/90 59/59 41/42", 0.0824: "1033/1015 259/256 116/115 66/66 43/43 30/31",
    0.0368: "462/455 117/116 53/53 30/31 20/21 14/15", 0.0441: "553/545 139/138 63/63 36/36 23/24 17/18",
    0.0863: "1082/1063 271/268 121/120 69/69 45/45 31/32", 0.0779: "977/960 245/242 110/109 62/62 40/41 28/29",
    0.0340: "427/420 108/107 49/49 28/29 18/19 13/14", 0.0504: "632/622 159/157 71/71 41/41 27/27 19/20",
    0.0842: "1056/1037 265/261 118/117 67/67 44/44 31/31", 0.1144: "1434/1409 359/354 160/159 91/90 59/59 41/42",
    0.0193: "243/240 62/62 28/29 16/17 11/12 8/9", 0.0182: "229/226 58/58 27/27 16/16 10/12 8/9",
}  # fmt: skip


rows_of = partial(command_lines.rows, "wcw")


def of_topics(scores: np.ndarray, *, residual: bool = False) -> Nested:
    """With a cluster a topic."""
    return nested([(scores.T, np.arange(len(scores)))], residual=residual)


@pytest.mark.parametrize("variance", TOPICS)
def test_published_numbers_of_topics(variance: float) -> None:
    found = " ".join(
        f"{topics_needed(width, variance, 'anova', SETTINGS)}/{topics_needed(width, variance, 'ci', SETTINGS)}"
        for width in WIDTHS
    )
    assert found == TOPICS[variance]


@pytest.mark.parametrize(
    ("variance", "anova", "ci"),
    [(0.0441, 0.1676, 0.1679), (0.0368, 0.1531, 0.1534), (0.0824, 0.2291, 0.2296), (0.0863, 0.2344, 0.2349)],
)
def test_published_widths_with_fifty_topics(variance: float, anova: float, ci: float) -> None:
    assert worst_case_width(50, variance, "anova", SETTINGS) == pytest.approx(anova, abs=5e-5)
    assert worst_case_width(50, variance, "ci", SETTINGS) == pytest.approx(ci, abs=5e-5)


def test_noncentralities() -> None:
    """Against scipy's noncentral chi-square and the linear formulas; crossings with 4 z^2 at the paper's 10, 5, 18, 10."""
    cases = {(0.05, 0.8): (15.612, 15.650, 10), (0.05, 0.9): (19.781, 19.829, 5), (0.01, 0.9): (26.078, 26.123, 10),
             (0.01, 0.8): (21.389, 21.429, 18)}  # fmt: skip
    for (alpha, aim), (linear, exact, crossing) in cases.items():
        settings = TopicSetDesign(alpha, aim, 10)
        assert linear_noncentrality(settings) == pytest.approx(linear, abs=5e-4)
        assert exact_noncentrality(settings) == pytest.approx(exact, abs=5e-4)
        reached = 1 - stats.ncx2.cdf(stats.chi2.ppf(1 - alpha, 9), 9, exact_noncentrality(settings))
        assert reached == pytest.approx(aim, abs=1e-9)
        bound = 4 * stats.norm.ppf(1 - alpha / 2) ** 2
        nearest = min(range(2, 40), key=lambda m: abs(exact_noncentrality(TopicSetDesign(alpha, aim, m)) - bound))
        assert nearest == crossing
        assert TopicSetDesign(alpha, aim, crossing).stands_in
    assert linear_noncentrality(TopicSetDesign(systems=2)) == pytest.approx(8.444, abs=5e-4)
    assert np.isnan(linear_noncentrality(TopicSetDesign(alpha=0.07)))


def test_power_against_scipy() -> None:
    for systems, topics, noncentrality in ((2, 10, 3.0), (10, 50, 12.0), (5, 7, 40.0)):
        settings = TopicSetDesign(systems=systems)
        critical = stats.f.ppf(0.95, systems - 1, systems * (topics - 1))
        expected = stats.ncf.sf(critical, systems - 1, systems * (topics - 1), noncentrality)
        assert anova_power(topics, noncentrality, settings) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("tool", ["anova", "ci", "t"])
def test_smallest_number_and_monotone(tool: str) -> None:
    """One topic fewer is not enough; more topics, narrower; more variance, wider; to a million topics and more."""
    for width in (0.5, 0.1, 0.02):
        topics = topics_needed(width, 0.05, tool, SETTINGS)
        assert worst_case_width(topics, 0.05, tool, SETTINGS) <= width * (1 + 1e-9)
        assert worst_case_width(topics - 1, 0.05, tool, SETTINGS) > width
    widths = [worst_case_width(topics, 0.05, tool, SETTINGS) for topics in (2, 3, 5, 10, 100, 343, 344, 10**4, 10**6)]
    assert widths == sorted(widths, reverse=True)
    assert worst_case_width(50, 0.06, tool, SETTINGS) > worst_case_width(50, 0.05, tool, SETTINGS)
    assert topics_needed(0.001, 0.1145, tool, SETTINGS) > 10**6
    assert topics_needed(0.1, 0.0, tool, SETTINGS) == 2


def test_published_plans_by_the_spreadsheet() -> None:
    """Its approximation is up to a topic below the exact number, .6% of many; it starts from equation (2), at 84, not 80."""
    published = TopicSetDesign(published=True)
    assert topics_needed(0.1, 0.05, "anova", TopicSetDesign(systems=2)) == 80
    assert topics_needed(0.1, 0.05, "anova", TopicSetDesign(systems=2, published=True)) == 84
    for width, exact in zip(WIDTHS, (591, 149, 67, 38, 25, 18), strict=True):
        approximate = topics_needed(width, 0.0471, "anova", published)
        assert 0 <= exact - approximate <= (1 if exact < 150 else 0.006 * exact)
    assert topics_needed(0.05, 0.1145, "anova", published) == 1430  # equation (2); exactly 1435
    files = ["-m", "map", "--width", ".2", "--difference", ".1", "--table", "topics", QRELS, *RUNS]
    variances = {row["kind"]: row["value"] for row in rows_of(*files[:2], "--table", "variance", QRELS, *RUNS)}
    plain, found = rows_of(*files), rows_of("--published", *files)
    assert [row["topics"] < of_limit["topics"] for row, of_limit in zip(found, plain, strict=True)] == [True] * 3
    assert found[0]["topics"] == topics_needed(0.2, variances["one-way"], "anova", published)
    assert found[2]["topics"] == topics_needed(0.1, variances["90th percentile of pairs"] / 2, "t", published)


def test_variances_by_hand_and_from_theory() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random((6, 4))
    expected = np.mean([column.var(ddof=1) for column in scores.T])
    found = of_topics(scores)
    assert (found.between_ms, found.between_df) == (pytest.approx(expected), 20)
    additive = rng.random((6, 1)) + rng.random(4)
    found = of_topics(additive, residual=True)
    assert (found.between_ms, found.between_df) == (pytest.approx(0, abs=1e-25), 15)
    noise = rng.normal(0, 0.1, (400, 50))
    found = of_topics(noise + additive[:1, :1], residual=True)
    assert found.between_ms == pytest.approx(0.01, rel=4 * np.sqrt(2 / (399 * 49)))


def test_variances_from_runs_and_scores(tmp_path: Path) -> None:
    saved = str(tmp_path / "scores.tsv")
    asked = [*SAKAI, "--table", "variance"]
    command_lines.printed("ap-ci", "-B", "0", "--save-scores", saved, "-m", "map", "-m", "P_10", QRELS, *RUNS)
    from_runs = rows_of(*asked, "-m", "map", "-m", "P_10", QRELS, *RUNS)
    assert rows_of(*asked, "--scores", saved) == from_runs
    values: dict[str, list[float]] = {}
    for row in command_lines.rows("ap-ci", "-q", "-n", "-B", "0", QRELS, *RUNS):
        values.setdefault(row["run"], []).append(row["value"])
    expected = np.mean([np.var(of_run, ddof=1) for of_run in values.values()])
    first = from_runs[0]
    assert [first[name] for name in ("table", "kind", "df", "topics")] == ["variance_map", "one-way", 95, 20]
    assert first["value"] == pytest.approx(expected)
    pooled = rows_of(*asked, "--scores", "-m", "map", saved, saved)[0]
    assert (pooled["value"], pooled["df"]) == (pytest.approx(expected), 190)


def matrix(path: Path, scores: np.ndarray) -> list[str]:
    """The arguments that read scores[n, m] of m runs."""
    return ["--scores", "-m", "map", matrix_of(path, scores.T)]


@pytest.mark.parametrize("residual", [False, True])
def test_degrees_of_freedom_where_systems_vary_together(residual: bool) -> None:
    """By the plain definition; m (n - 1) of systems that vary alike and independently, n - 1 of copies."""
    rng = np.random.default_rng(4)
    for scores in (rng.random((7, 4)) + rng.random((7, 1)), rng.random((3, 9))):  # the second: more systems than topics
        topics, systems = scores.shape
        centring = np.eye(systems) - residual / systems
        covariance = centring @ np.cov(scores.T) @ centring
        expected = (topics - 1) * np.trace(covariance) ** 2 / np.trace(covariance @ covariance)
        assert of_topics(scores, residual=residual).effective_df[0] == pytest.approx(expected, rel=1e-12)
    if not residual:
        independent = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])  # uncorrelated, alike
        assert of_topics(independent).effective_df[0] == pytest.approx(3 * 3)
        assert of_topics(np.repeat(rng.random((5, 1)), 6, axis=1)).effective_df[0] == pytest.approx(4)
        assert np.isnan(of_topics(np.ones((5, 3))).effective_df[0])


def test_plans_for_a_variance_at_its_upper_limit(tmp_path: Path) -> None:
    """Topics are what the upper limit as a variance that is given would come to, widths what the variance would."""
    rng = np.random.default_rng(7)
    scores = (rng.random((12, 6)) + 0.5 * rng.random((12, 1))) / 2
    files = matrix(tmp_path / "m.csv", scores)
    variances = rows_of(*files, "--table", "variance")
    for asked in (["--width", ".1,.3", *SAKAI], ["--sizes", "20,60", *SAKAI]):
        found = rows_of(*files, *asked)
        by = "value" if "--sizes" in asked else "upper"  # widths are the paper's
        expected = rows_of("--variance", f"map={variances[0][by]!r}", *asked)
        name = "topics" if "--width" in asked else "width"
        assert [row[name] for row in found] == [row[name] for row in expected]
    for row, residual in zip(variances, (False, True), strict=False):
        df = of_topics(scores, residual=residual).effective_df[0]
        assert row["upper"] == pytest.approx(row["value"] * df / stats.chi2.ppf(0.2, df), rel=1e-12)


def test_a_plain_call_prints_the_worst_case_and_what_pairs_find(tmp_path: Path) -> None:
    """Sizes by measures: the ANOVA's width by the variance itself, the difference of nine in ten pairs by its upper limit."""
    files = [*matrix(tmp_path / "m.csv", np.random.default_rng(3).random((30, 6)) / 2)]
    variances = {row["kind"]: row for row in rows_of(*files, "--table", "variance")}
    found = rows_of(*files)
    assert [(row["table"], row["topics"]) for row in found] == [("wcw_map", size) for size in (10, 20, 50, 100)]
    for row in found:
        pair = variances["90th percentile of pairs"]["upper"] / 2
        assert row["width"] == pytest.approx(
            worst_case_width(row["topics"], variances["one-way"]["value"], "anova", SETTINGS)
        )
        assert row["difference"] == pytest.approx(worst_case_width(row["topics"], pair, "t", SETTINGS))
    (alone,) = rows_of("--variance", f"map={variances['one-way']['value']!r}", "--sizes", "50")
    assert (alone["width"], "difference" in alone) == (found[2]["width"], False)
    assert [row["topics"] for row in rows_of(*files, "--sizes", "5-8,20")] == [5, 6, 7, 8, 20]


def test_scores_that_do_not_vary_have_no_plan(tmp_path: Path) -> None:
    files = matrix(tmp_path / "m.csv", np.full((12, 6), 0.3))
    variance, *_ = rows_of(*files, "--table", "variance")
    assert (variance["value"], variance["upper"]) == (0, None)
    for more in ([], ["--clusters", r"\d?(?P<cluster>[0-4])", "--table", "topics"]):
        assert [row["topics"] for row in rows_of(*files, "--width", ".1", "--tool", "ci", *more)] == [None]
    asked_of_all = (["--width", ".1"], ["--sizes", "50"], ["--difference", ".1"])
    for asked in (*asked_of_all, *([*each, "--tool", "anova"] for each in asked_of_all)):
        assert "# With" not in command_lines.printed("wcw", "--explain", *asked, *files)


def test_variance_of_robust_2004() -> None:
    matrix = shared("score-matrices", "robust2004_ap.csv.gz")
    within, residual, *_ = rows_of("--table", "variance", "--scores", matrix)
    assert within["value"] == pytest.approx(0.0470, abs=5e-5)
    assert residual["value"] == pytest.approx(0.0145, abs=5e-5)


JUDGE = ("--judge", ".7:1000")


@pytest.mark.check
def test_topics_that_people_must_judge_beside_a_judge() -> None:
    """The lines of the known numbers, with those without a judge; a width that no number of human topics gives is nan."""
    rows = rows_of("--variance", "AP=.0471", "--width", ".1,.01", *JUDGE)
    found = [(row["width"], row["population"], row["topics"], row["alone"]) for row in rows]
    expected = [
        (
            width, population, naive.human_topics(0.0471, 0.7, 1000, width, population == "topics"),
            naive.human_topics(0.0471, 0.0, 10_000 if population == "topics" else 1000, width, population == "topics"),
        )
        for width in (0.1, 0.01) for population in ("topics", "judgments")
    ]  # fmt: skip
    assert found == expected
    assert found[0] == (0.1, "topics", 42, 75)
    assert found[2][2] is None
    least = 2 * stats.norm.ppf(0.975) * np.sqrt(0.0471 / 1000)  # people judging all of them
    told = f"with 1000 topics: those for new topics are at least {least:.4f} wide"
    assert told in command_lines.irci("wcw", "--variance", "AP=.0471", "--width", ".01", *JUDGE).stderr
    few = ("--variance", "AP=.0471", "--judge", ".9:20")
    least_of_few = min(row["width"] for row in rows_of("--sizes", "4-20", *few) if row["population"] == "topics")
    assert f"at least {least_of_few:.4f} wide" in command_lines.irci("wcw", "--width", ".1", *few).stderr


def test_variance_and_correlation_from_a_judge_s_files(tmp_path: Path) -> None:
    """Within runs, on the topics that people judged; as many topics as the judge has."""
    rng = np.random.default_rng(5)
    f = rng.random((2, 40))
    y = 0.5 * f[:, :15] + rng.normal(0, 0.1, (2, 15))
    for name, scores in (("people", y), ("judge", f)):
        run_scores(tmp_path / name, dict(zip("ab", scores, strict=True)), measure="x")
    files = ["--judge", str(tmp_path / "judge"), "--scores", str(tmp_path / "people")]
    variance, correlation, *widths = rows_of("--sizes", "12", *files)
    assert variance["value"] == pytest.approx(np.mean([of_run.var(ddof=1) for of_run in y]), rel=1e-12)
    within = [scores[:, :15] - scores[:, :15].mean(axis=1, keepdims=True) for scores in (y, f)]
    assert correlation["value"] == pytest.approx(np.corrcoef(*(each.ravel() for each in within))[0, 1], rel=1e-12)
    given = ["--variance", f"x={variance['value']!r}", "--judge", f"{correlation['value']!r}:40"]
    assert widths == rows_of("--sizes", "12", *given)
    # The variance times df over the lower fifth of chi^2: widths are in proportion to its root.
    ratio = variance["upper"] / variance["value"]
    df = optimize.brentq(lambda df: df / stats.chi2.ppf(0.2, df) - ratio, 1, 1000)
    assert df < variance["df"]  # of two runs on the same topics
    at_upper = ["--variance", f"x={variance['upper']!r}", *given[2:]]
    assert rows_of("--width", "2", *files)[2:] == rows_of("--width", "2", *at_upper)


# Pairs of runs.


ALL = (QRELS, *RUNS)
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


def power_by_scipy(topics: int, difference: float, variance: float) -> float:
    critical, shift = stats.t.ppf(0.975, topics - 1), difference / math.sqrt(variance / topics)
    return float(stats.nct.sf(critical, topics - 1, shift) + stats.nct.cdf(-critical, topics - 1, shift))


def needed(difference: float, variance: float) -> int:
    return next(topics for topics in itertools.count(2) if power_by_scipy(topics, difference, variance) >= 0.8)


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
        topics, difference, variance = int(row["topics"]), row["difference"], of["upper"]
        powers = [power_by_scipy(number, difference, variance) for number in (topics, topics - 1)]
        assert powers[0] >= 0.8 > powers[1]
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
        assert power_by_scipy(int(row["topics"]), row["difference"], worst["upper"]) == pytest.approx(0.8, abs=1e-9)
    found = rows("wcw", "--power", ".9", "--sizes", "40", *files)[0]
    assert power_by_scipy(40, found["difference"], worst["upper"]) == pytest.approx(0.9, abs=1e-9)


def test_no_difference_is_found_that_signs_or_the_scale_rule_out(tmp_path: Path) -> None:
    """Five topics never have p of .05 by signs; scores on [0, 1] never differ by more than 1, nor is that planned for."""
    hits = np.random.default_rng(7).integers(0, 2, 30).astype(float)
    files = written(tmp_path / "s", np.column_stack((hits, 1 - hits)))
    *none, found = rows("wcw", "--sizes", "5,6,50", *files)
    assert [row["difference"] for row in none] == [None] * 2
    assert printed("wcw", "--sizes", "5,6", *files).count("\tinf\n") == 2
    variance = variances_of(*files)[0]["upper"]
    assert power_by_scipy(6, 1.0, variance) < 0.8
    assert power_by_scipy(50, found["difference"], variance) == pytest.approx(0.8, abs=1e-9)
    told = printed("wcw", "--sizes", "5", "--explain", *files)
    assert "With 5 topics, a paired t test finds no true difference in map, however large, 80% of the time" in told
    asked = ("wcw", "--difference", "1.1", *files)
    assert "map: no means of scores from 0 to 1 differ by 1.1\n" in printed(*asked, status=4)
    typed(*asked, "--standardise", "z", status=0)


def test_no_plan_where_all_runs_are_missing(tmp_path: Path) -> None:
    """Each of four lacks a quarter of the topics, and each topic is one that most have."""
    scores = some_scores(1, 20, 4)
    scores[range(20), np.arange(20) % 4] = np.nan
    told = "irci: no run is left, as each lacks topics that others have: --missing zero scores 0 there\n"
    assert told in printed("wcw", *written(tmp_path / "s", scores), status=4)


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
        told = typed(*asked, "--sizes", "9", "--explain", *map(str, files))
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
    asked = ["wcw", "--difference", ".1,.2", *ALL]
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


def test_files_that_are_read_twice_are_unpacked_once_each(tmp_path: Path) -> None:
    packed = tmp_path / "x.gz"
    packed.write_bytes(gzip.compress(gzip.compress((SMALL / "versions.csv").read_bytes())))
    refused = typed("wcw", "--scores", "--width", ".2", packed, SMALL / "versions.csv", status=3)
    assert "not text" in refused.stderr

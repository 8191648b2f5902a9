"""stdap-ci: means and factors by plain formulas, Welch against scipy, and the type I experiment against enumeration."""

import functools
import itertools
from functools import partial
from pathlib import Path

import command_lines
import numpy as np
import pytest
from command_lines import printed
from helpers import QRELS, RUNS, shared
from helpers import matrix as saved
from scipy import stats

from irci.estimators.stdap_ci import type_one
from irci.stats.bounded import bounded_limits
from irci.stats.scales import mean_needs_bounds

LIMITS = ("value", "lower", "upper")
ALPHAS = [round(0.05 * step, 2) for step in range(1, 11)]


rows_of = partial(command_lines.rows, "stdap-ci")


@pytest.fixture(scope="module")
def scores() -> dict[str, dict[str, float]]:
    """Run -> topic -> AP."""
    table: dict[str, dict[str, float]] = {}
    for row in command_lines.rows("ap-ci", "-q", "-n", "-B", "0", QRELS, *RUNS):
        table.setdefault(row["run"], {})[row["topic"]] = row["value"]
    return table


def limits_of(values: np.ndarray, on_scale: bool) -> tuple[str, list[float]]:
    """Student's t's; of scores from 0 to 1 that hardly vary bounded ones."""
    if on_scale and mean_needs_bounds(values, 0, 1):
        return "bounded", [limit.item() for limit in bounded_limits(values, 0, 1, 0.05)]
    return "t", list(stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values)))


@pytest.mark.sample(4)
@pytest.mark.parametrize("reference", [None, "alpha,delta,echo", "others"])
@pytest.mark.parametrize(("transform", "name"), [("z", "smap"), ("cdf", "map_std_cdf"), ("ab", "map_std_ab")])
def test_means_against_plain_formulas(
    scores: dict[str, dict[str, float]], reference: str | None, transform: str, name: str
) -> None:
    options = ["--reference", reference] if reference else []
    rows = {(row["run"], row["measure"]): row for row in rows_of("--standardise", transform, *options, QRELS, *RUNS)}
    raw_rows = {row["run"]: row for row in rows_of("--standardise", "none", QRELS, *RUNS)}
    for run, of_run in scores.items():
        values = []
        used = [each for each in scores if (each != run if reference == "others" else each in (reference or each))]
        for topic, value in of_run.items():
            of_topic = np.array([scores[each][topic] for each in used])
            if of_topic.std() > 1e-15:
                z = (value - of_topic.mean()) / of_topic.std(ddof=1)
                values.append({"z": z, "cdf": stats.norm.cdf(z), "ab": min(max(0.15 * z + 0.5, 0), 1)}[transform])
        row, raw, scored = rows[run, name], raw_rows[run], np.array(list(of_run.values()))
        kind, limits = limits_of(np.array(values), transform != "z")
        assert (row["topics"], row["interval"]) == (len(values), kind)
        assert [row[each] for each in LIMITS] == pytest.approx([np.mean(values), *limits], abs=1e-9)
        assert row["sd"] == pytest.approx(np.std(values, ddof=1))
        assert [row[f"{each}raw"] for each in ("", "lower_", "upper_")] == [raw[each] for each in LIMITS]
        kind, limits = limits_of(scored, on_scale=True)
        assert (raw["interval"], raw["topics"]) == (kind, 20)
        assert [raw["lower"], raw["upper"]] == pytest.approx(limits, abs=1e-9)


def test_factors_stand_for_their_runs(tmp_path: Path) -> None:
    """A later experiment with the factors alone has the scores that it would have with the runs."""
    factors = str(tmp_path / "factors.tsv")
    chosen = ["-m", "map", "-m", "P_10"]
    there = rows_of(*chosen, "--reference", "alpha,bravo,echo", "--save-factors", factors, QRELS, *RUNS)
    here = rows_of(*chosen, "--reference", factors, QRELS, RUNS[3])
    assert here == [row for row in there if row["run"] == "delta"]
    fields = [line.split("\t") for line in Path(factors).read_text().splitlines()]
    assert len(fields) == 2 * 20
    assert {field[1] for field in fields} == {"map", "P_10"}
    assert [float(field[3]) for field in fields if field[0] == "3"] == [0, 0]  # no relevant document: all score 0


def test_welch_against_scipy() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(0.3, 0.1, 50), rng.normal(0.25, 0.2, 80)
    expected = stats.ttest_ind(first, second, equal_var=False)
    summaries = [f"{float(x.mean())!r},{float(x.std(ddof=1))!r},{len(x)}" for x in (second, first)]
    *means, row = rows_of("--summary", f"a={summaries[0]}", "--summary", f"b={summaries[1]}", "--confidence", ".9")
    interval = expected.confidence_interval(0.9)
    assert (row["p"], row["df"]) == pytest.approx((expected.pvalue, expected.df))
    assert (row["lower"], row["upper"]) == pytest.approx((interval.low, interval.high))
    pooled = np.sqrt((49 * first.var(ddof=1) + 79 * second.var(ddof=1)) / 128)
    assert row["effect_size"] == pytest.approx((first.mean() - second.mean()) / pooled)
    of_first = stats.t.interval(0.9, 49, loc=first.mean(), scale=stats.sem(first))
    assert (means[1]["lower"], means[1]["upper"]) == pytest.approx(of_first)


def test_summaries() -> None:
    rows = rows_of("--summary", "a=.2,.15,50,robust", "--summary", "b=.25,.14,60,robust", "--summary", "c=.3,.1,20")
    assert [row["run"] for row in rows] == ["a", "b", "c", "b", "c", "c"]
    assert rows[3]["value"] == pytest.approx(0.05)
    different = ["--summary", "a=.2,.15,50,robust", "--summary", "b=.25,.14,60,web"]
    assert "different reference systems (robust, web)" in printed("stdap-ci", *different, status=4)
    *means, difference = rows_of("--summary", "a=.2,0,50", "--summary", "b=.25,0,60")
    assert [means[0]["lower"], means[0]["upper"], *(difference[name] for name in ("lower", "upper", "p"))] == [None] * 5


def test_type_one_error_against_enumeration() -> None:
    """Five topics, samples of three: every sample, with the same intervals."""
    rng = np.random.default_rng(4)
    scores = rng.beta(1, 3, (2, 5))
    trials = 20_000
    (errors,), _ = type_one(scores, ALPHAS, (3,), trials, references=0)
    for system, values in enumerate(scores):
        samples = np.array(list(itertools.permutations(values, 3)))
        mean, sd = samples.mean(axis=1), samples.std(axis=1, ddof=1)
        for place, alpha in enumerate(ALPHAS):
            known = stats.norm.ppf(1 - alpha / 2) * values.std() / np.sqrt(3)
            estimated = stats.t.ppf(1 - alpha / 2, 2) * sd / np.sqrt(3)
            for which, half in enumerate((known, estimated)):
                exact = (np.abs(mean - values.mean()) > half + 1e-12).mean()
                bound = 4 * np.sqrt(exact * (1 - exact) / trials) + 1e-9
                # Samples of one topic three times have no spread and miss by rounding or not at all.
                same = (sd < 1e-12).mean() if which else 0
                assert abs(errors[place, which, system] - exact) <= bound + same


@functools.cache  # known and estimated are lines of one output
def type_one_rows(*arguments: object) -> list[dict[str, object]]:
    return rows_of("--validate", "1000", "--scores", *arguments)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("options", "sigma", "mean", "sd", "largest"),
    [
        (["--standardise", "none"], "known", 0.041, 0.006, 0.057),
        (["--standardise", "none"], "estimated", 0.072, 0.025, 0.240),
        ([], "known", 0.045, 0.007, 0.061),
        ([], "estimated", 0.047, 0.011, 0.082),
        (["--reference", "random:5"], "estimated", 0.056, 0.019, 0.137),
    ],
)
def test_type_one_errors_on_robust_2004(options: list[str], sigma: str, mean: float, sd: float, largest: float) -> None:
    """Checked numbers for 110 systems: the mean within its Monte-Carlo error (the systems' scores are alike, so that of 20
    independent systems), the spread and the largest as far as such tails can be told."""
    rows = type_one_rows(*options, shared("score-matrices", "robust2004_ap.csv.gz"))
    of_level = {row["topics"]: row for row in rows if (row["alpha"], row["sigma"]) == (0.05, sigma)}
    assert list(of_level) == [2, 5, 10, 20]  # up to half of 99
    assert {row["topics"] for row in rows if row["alpha"] != 0.05} == {5}
    row = of_level[5]
    assert row["rate"] == pytest.approx(mean, abs=4 * np.sqrt(0.05 * 0.95 / 1000 / 20))
    assert row["sd"] == pytest.approx(sd, rel=0.35)
    assert row["upper"] == pytest.approx(largest, rel=0.35)


def test_two_systems_are_no_references(tmp_path: Path) -> None:
    """Neither are copies of them, of whatever runs; nor are their factors saved."""
    of_two = np.random.default_rng(3).random((2, 12))
    asked: list[list[object]] = [
        ["--scores", "-m", "map", *more.split(),
         saved(tmp_path / f"{copies}.csv", np.vstack((of_two, np.repeat(of_two[:1], copies, axis=0))))]
        for copies, more in ((0, ""), (2, ""), (0, "--per-topic -n"), (0, "--standardise ab"), (2, "--validate 9"))
    ]  # fmt: skip
    asked += [["--reference", "alpha,bravo", QRELS, *RUNS], ["--reference", "others", QRELS, *RUNS[:3]]]
    asked += [["-n", "--save-factors", tmp_path / "f", QRELS, *RUNS[:2]]]
    refused = "irci: map: only 2 different reference systems: standardised scores need 3 or more (--reference)\n"
    for words in asked:
        assert printed("stdap-ci", "--quiet", *words, status=4) == refused


@pytest.mark.parametrize("clusters", [[], ["--clusters", r"(?P<cluster>\d)\d*"]])
def test_raw_means_stay_on_the_scale(clusters: list[str], tmp_path: Path) -> None:
    """20 of 20 queries, whose t limits are 1 and 1, 19 of 20, of which they are [.8453, 1.0547], and four runs beside."""
    scores = np.random.default_rng(1).integers(0, 2, (6, 20)).astype(float)
    scores[:2] = 1
    scores[1, 3] = 0
    file = saved(tmp_path / "success_5.csv", scores)
    perfect, nearly, *_ = rows_of(*clusters, "--standardise", "none", "--scores", file)
    assert (perfect["run"], perfect["upper"]) == ("r0", 1)
    assert perfect["interval"] == nearly["interval"] == "bounded"
    assert perfect["lower"] < 0.87
    assert nearly["lower"] < 0.8453
    assert nearly["upper"] <= 1
    if not clusters:
        assert perfect["lower"] == pytest.approx(0.05 ** (1 / 20), abs=1e-9)
        assert nearly["upper"] < 1

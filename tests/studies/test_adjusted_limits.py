"""map-ci: limits that account for the number of pairs, beside p that does."""

import math
from pathlib import Path
from typing import Any, get_args

import naive_inference
import numpy as np
import pytest
from command_lines import irci as command
from command_lines import rows
from helpers import QRELS, keys, matrix
from helpers import RUN_BY_NAME as RUNS
from scipy import stats

from irci.base.choices import Format
from irci.base.types import all_pairs, reaches
from irci.estimators.differences import adjusted_limits, level
from irci.estimators.means import Design, of_differences, over_topics
from irci.stats.bounded import bounded_limits
from irci.stats.decisions import agreeing, max_t
from irci.stats.intervals import Interval
from irci.stats.scales import few_differ
from irci.stats.signs import Units, step_down
from irci.stats.tests import adjusted

FIVE = [QRELS, *RUNS.values()]
TWO = [QRELS, RUNS["alpha"], RUNS["echo"]]  # which differ significantly over each population
ADJUSTED = ("lower_adjusted", "upper_adjusted")
INTERVALS = ("auto", "t", "bounded")


def rows_of(*arguments: str) -> list[dict[str, Any]]:
    return [row for row in rows("map-ci", "-n", *arguments) if "baseline" in row]


def limits(rows: list[dict[str, Any]], *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row[column] for column in columns) for row in rows]


def some_scores(seed: int, runs: int = 6, topics: int = 30, spread: float = 0.05) -> np.ndarray:
    """Runs of which some differ and some hardly do."""
    rng = np.random.default_rng(seed)
    means = np.linspace(0.3, 0.3 + spread * (runs - 1) / 2, runs)[:, np.newaxis]
    return means + rng.normal(0, 0.15, topics) + rng.normal(0, 0.08, (runs, topics))


OPTIONS = [*(f"--population topics --interval {interval}" for interval in INTERVALS), "--population both"]


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "options", [*OPTIONS, "--population topics --test randomization --confidence .3", "--population documents"]
)
@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_the_limits_of_one_pair_are_the_ordinary_ones(options: str, correction: str) -> None:
    """To the last digit."""
    (row,) = rows_of("--baseline", "alpha", "--correction", correction, *options.split(), *TWO)
    assert None not in (row["lower"], row["upper"])
    assert limits([row], *ADJUSTED) == limits([row], "lower", "upper")


@pytest.mark.parametrize("spread", [0, 0.05, 0.5])
def test_false_coverage_rate_by_its_definition(spread: float, tmp_path: Path) -> None:
    """Benjamini & Yekutieli 2005: of m sorted p the largest R with p(R) <= R alpha / m; these R at 1 - R alpha / m, by t, or
    Hall's where these are wider."""
    values = some_scores(3, spread=spread)
    rows = rows_of("--scores", "--all-pairs", "--correction", "bh", matrix(tmp_path / "s.csv", values))
    tests = [stats.ttest_rel(values[int(row["run"][1:])], values[int(row["baseline"][1:])]) for row in rows]
    p = sorted(test.pvalue for test in tests)
    selected = max((k for k in range(1, 16) if p[k - 1] <= k * 0.05 / 15), default=0)
    assert (selected == 0, selected == 15) == (spread == 0, spread == 0.5)
    for row, test in zip(rows, tests, strict=True):
        if selected and test.pvalue <= p[selected - 1]:
            d = values[int(row["run"][1:])] - values[int(row["baseline"][1:])]
            wider = naive_inference.bonferroni_or_hall(d.tolist(), 0.05, 15 / selected)
            assert limits([row], *ADJUSTED)[0] == pytest.approx(wider, abs=1e-12)
        else:
            assert limits([row], *ADJUSTED) == [(None, None)]


def test_levels_of_a_family() -> None:
    """Pairs without a p are none of the family; what is too near to 1 for a quantile stays below."""
    p = np.array([0.01, np.nan, 0.03, 0.9])
    for correction, confidence, chosen in (
        ("holm", 1 - 0.05 / 3, [True, True, True, True]),
        ("bh", 1 - 2 * 0.05 / 3, [True, False, True, False]),
    ):
        found, pairs = level(adjusted(p, correction), correction, 0.95)
        assert found == pytest.approx(confidence, abs=1e-15)
        assert pairs.tolist() == chosen
    assert (1 + level(np.ones(10**7), "holm", 1 - 1e-9)[0]) / 2 < 1


@pytest.mark.sample(1)
@pytest.mark.parametrize("population", ["documents", "both"])
def test_maxt_limits_of_documents_agree_with_their_p(population: str) -> None:
    """At every level that separates two of the pairs: limits of documents leave out 0 exactly where the single step's p is
    within it, those of both may end there. Of runs that have all topics, as limits of others are wider."""
    complete = [path for name, path in RUNS.items() if name != "delta"]
    options = ("--all-pairs", "--correction", "maxt", "--population", population, "-B", "400", QRELS, *complete)
    p = sorted({float(row["p_adjusted"]) for row in rows_of(*options)})
    seen = set()
    for alpha in (p[0] + 1e-6, *(np.array(p[:-1]) + np.diff(p) / 2), p[-1] - 1e-6):
        rows = rows_of("--confidence", repr(1 - float(alpha)), *options)
        for row in rows:
            lower, upper, apart = row["lower_adjusted"], row["upper_adjusted"], row["p_adjusted"] <= alpha
            if population == "documents":
                assert (lower > 0 or upper < 0) == apart
            else:
                assert (lower >= 0 or upper <= 0) if apart else lower <= 0 <= upper
            seen.add(apart)
        # One number of standard errors for all pairs.
        reach = [
            (row["upper_adjusted"] - row["lower_adjusted"]) / (row["upper"] - row["lower"])
            for row in rows
            if population == "documents"
        ]
        assert reach == pytest.approx(reach[:1] * len(reach))
    assert seen == {True, False}


def test_largest_t_of_resamples_plainly() -> None:
    """What |t| must exceed for p = (k + 1) / (B + 1) within alpha, at every level there is."""
    rng = np.random.default_rng(1)
    replicates, pairs = rng.normal(0, 1, (4, 4)) @ rng.normal(0, 1, (4, 59)), all_pairs(4)
    means = rng.normal(0, 2, 4)
    differences = [replicates[i] - replicates[j] for i, j in pairs]
    errors = [each.std(ddof=1) for each in differences]
    most = [max(abs(d[b] - d.mean()) / e for d, e in zip(differences, errors, strict=True)) for b in range(59)]
    of_pairs = np.array([means[i] - means[j] for i, j in pairs])
    for allowed in range(-1, 59):
        alpha = (allowed + 1.5) / 60
        p, width = max_t(of_pairs, replicates, pairs, 1 - alpha)
        assert width == pytest.approx(sorted(most)[-1 - allowed] if allowed >= 0 else math.inf, rel=1e-9)
        t = [abs(difference) / e for difference, e in zip(of_pairs, errors, strict=True)]
        assert [each > width for each in t] == reaches(p, alpha).tolist()


@pytest.mark.parametrize("options", ["--correction none", "--test sign", "--test wilcoxon", "--interval prediction"])
def test_what_is_not_about_means_or_not_adjusted_has_none(options: str) -> None:
    asked = ("--all-pairs", "--population", "topics", *options.split(), *FIVE)
    assert not any(name in row for row in rows_of(*asked) for name in ADJUSTED)


@pytest.mark.usefixtures("no_pictures")
def test_people_are_not_shown_them_and_programs_are() -> None:
    asked = ("compare", "--quiet", *FIVE[:4])
    shown = {form: ADJUSTED[0] in command(*asked, "--format", form).stdout for form in get_args(Format)}
    assert {form for form, is_shown in shown.items() if is_shown} == {"tsv", "csv", "json", "jsonl"}


# Against a loop over pairs, and never against p.


UNIT = (0.0, 1.0)


def limits_of(values: np.ndarray, **design: Any) -> tuple[Any, np.ndarray, Interval]:
    """All pairs of runs with values[m, T] between 0 and 1: each by itself, p adjusted by max-T, adjusted limits."""
    pairs, of_topics = all_pairs(len(values)), keys(values.shape[1])
    tested = over_topics(values, pairs, of_topics, Design(**design), ends=UNIT)
    p = np.fmax(step_down(values, pairs, of_topics, resamples=499).p, tested.p)
    confidence = 1 - 0.05 / len(pairs)
    alone = over_topics(values, pairs, of_topics, Design(confidence=confidence, **design), ends=UNIT).limits
    units = [(np.arange(len(pairs)), Units(values, of_topics), values[pairs[:, 0]] - values[pairs[:, 1]])]
    limits = adjusted_limits(tested, alone, units, UNIT, confidence)
    return tested, p, np.clip(agreeing(limits, tested.of.value, p, 0.95), *of_differences(UNIT))


def by_loop(values: np.ndarray, tested: Any, p: np.ndarray) -> list[list[float]]:
    """The definition, pair by pair."""
    result = []
    pairs = all_pairs(len(values))
    for place, (run, other) in enumerate(pairs):
        d = values[run] - values[other]
        if few_differ(d[np.newaxis])[0] or tested.interval[place] == "bounded":
            lower, upper = (each.item() for each in bounded_limits(d[np.newaxis], -1.0, 1.0, 0.05 / len(pairs)))
            lower = min(lower, max(tested.limits[0][place], -1))
            upper = max(upper, min(tested.limits[1][place], 1))
        else:
            lower, upper = naive_inference.bonferroni_or_hall(d.tolist(), 0.05, len(pairs))
        if p[place] > 0.05:
            lower, upper = min(lower, 0.0), max(upper, 0.0)
        elif d.mean() > 0:
            lower = max(lower, 0.0)
        else:
            upper = min(upper, 0.0)
        result.append([max(lower, -1.0), min(upper, 1.0)])
    return result


@pytest.mark.parametrize("topics", [4, 9, 14, 40])
def test_limits_are_those_of_the_plain_definition(topics: int) -> None:
    rng = np.random.default_rng(topics)
    values = rng.beta(1, 3, topics) + rng.normal(0, 0.1, (5, topics)) + np.linspace(0, 0.3, 5)[:, np.newaxis]
    values[1, :-3], values[2, 7:] = values[0, :-3], values[3, 7:]
    values[4] = values[3] + 0.05
    values = np.clip(values, 0.001 * np.arange(topics), 1 - 0.001 * np.arange(topics))
    tested, p, limits = limits_of(values)
    assert np.column_stack(limits) == pytest.approx(np.array(by_loop(values, tested, p)), rel=1e-9, abs=1e-12)
    assert few_differ(values[:1] - values[1:2])[0] or topics == 4

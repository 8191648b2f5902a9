"""Do intervals hold the truth as often as they say, and do tests reject what is true no more often? On known populations.

As a script it prints tables of doc/trust.md: python tests/test_soundness.py. Asserted is what theory says
exactly: t on normal scores, signs flipped, and the false discovery rate of Benjamini and Hochberg; for the ANOVA see
`test_anova.py`, for ranks `test_ranks.py`. The rest is measured, and held only to what it was when it was measured.
"""

import math
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
import pytest
from helpers import lists_of
from scipy import stats

from irci.base.streams import topic_keys
from irci.estimators.ap_ci import IntervalMethod, ap_ci
from irci.estimators.documents import StepTables
from irci.stats.signs import sign_flip
from irci.stats.tests import adjusted, paired_t

pytestmark = pytest.mark.slow

SHIFT = 2.0  # by which relevant documents score higher, in standard deviations of a document's score
DOCUMENTS = 1000
EXPERIMENTS = 2000
TOPICS = 50  # of a mean over documents
FEWER_TOPICS = 25
EASY = 4.0  # the shift where a system often scores 1
TOPIC_EXPERIMENTS = 20_000
KINDS = {
    "logit": IntervalMethod("logit"),
    "linear": IntervalMethod("linear"),
    "percentile": IntervalMethod("percentile"),
    "bca": IntervalMethod("bca"),
    "parametric": IntervalMethod("parametric"),
}
POPULATIONS = {
    "normal": (stats.norm(0.3, 0.2), "normal"),
    "AP-like": (stats.beta(0.8, 1.9), "skewed, as AP often is"),
    "P_10-like": (stats.beta(0.5, 0.9), "rounded to tenths"),
}


@cache
def true_ap(relevant: int, shift: float = SHIFT) -> float:
    """AP of an endless collection in which one document in DOCUMENTS / relevant is relevant: precision where each stands."""
    share = relevant / DOCUMENTS
    at = stats.norm.ppf((np.arange(200_000) + 0.5) / 200_000) + shift  # scores of relevant documents
    above = share * stats.norm.sf(at - shift)
    return float((above / (above + (1 - share) * stats.norm.sf(at))).mean())


def samples(relevant: int, number: int, shift: float = SHIFT) -> tuple[np.ndarray, list[tuple[np.ndarray, int]]]:
    """The APs and the rankings (with R) of collections drawn from it, of Poisson many documents each."""
    rng = np.random.default_rng(relevant)
    rankings = []
    while len(rankings) < number:
        found, others = rng.poisson(relevant), rng.poisson(DOCUMENTS - relevant)
        if found:
            scores = np.concatenate((rng.standard_normal(found) + shift, rng.standard_normal(others)))
            rankings.append((np.argsort(-scores) < found, found))
    places = [np.flatnonzero(ranking) + 1 for ranking, _ in rankings]
    return np.array([np.mean(np.arange(1, len(each) + 1) / each) for each in places]), rankings


def coverage_over_documents(relevant: int) -> Iterator[tuple[str, float, float]]:
    """For each kind of interval the share that holds the truth, and the median width."""
    ap, rankings = samples(relevant, EXPERIMENTS)
    lists = lists_of(*rankings)
    keys = topic_keys([b"%d" % number for number in range(EXPERIMENTS)])
    tables = StepTables()
    for name, settings in KINDS.items():
        found = ap_ci(ap, lists, keys, settings._replace(resamples=1000), threads=2, tables=tables)
        inside = (found.lower <= true_ap(relevant)) & (true_ap(relevant) <= found.upper)
        yield name, float(inside.mean()), float(np.median(found.upper - found.lower))


@pytest.mark.parametrize(("relevant", "percent"), [(1, 37.8), (2, 64.5), (3, 78.1), (5, 88.9), (10, 93.9)])
def test_limits_of_one_topic_with_so_many_relevant_documents(relevant: int, percent: float) -> None:
    """How often the default holds the expected score over collections with exactly so many: as it was measured, by as many."""
    rng, number = np.random.default_rng(relevant), 1000
    rankings = []
    for _ in range(number):
        others = rng.standard_normal(rng.poisson(DOCUMENTS - relevant))
        scores = np.concatenate((rng.standard_normal(relevant) + SHIFT, others))
        rankings.append((np.argsort(-scores) < relevant, relevant))
    places = [np.flatnonzero(ranking) + 1 for ranking, _ in rankings]
    ap = np.array([np.mean(np.arange(1, relevant + 1) / each) for each in places])
    keys = topic_keys([b"%d" % topic for topic in range(number)])
    settings = IntervalMethod("logit", resamples=500)
    found = ap_ci(ap, lists_of(*rankings), keys, settings, threads=2, tables=StepTables())
    held = 100 * ((found.lower <= ap.mean()) & (ap.mean() <= found.upper)).mean()
    assert held == pytest.approx(percent, abs=300 * math.sqrt(percent / 100 * (1 - percent / 100) * 2 / number))


class OfMean(NamedTuple):
    """How often the interval of a mean over documents holds the expected score over collections of this size, and the score
    in the endless one; with the expected score."""

    this_size: float
    endless: float
    expected: float


@cache
def coverage_of_means(relevant: int, topics: int, small_r: Literal["wider", "none"], shift: float = SHIFT) -> OfMean:
    """Of means over so many topics, all of one population; documents drawn anew for each topic of each experiment.

    The expected score is the mean over all experiments, whose error is 1/sqrt(EXPERIMENTS) of that of one.
    """
    ap, rankings = samples(relevant, EXPERIMENTS * topics, shift)
    tables, settings = StepTables(), IntervalMethod(resamples=1000, small_r=small_r)
    limits = np.empty((EXPERIMENTS, 2))
    for number in range(EXPERIMENTS):
        some = slice(number * topics, (number + 1) * topics)
        keys = topic_keys([b"%d" % topic for topic in range(some.start, some.stop)])
        found = ap_ci(ap[some], lists_of(*rankings[some]), keys, settings, threads=2, tables=tables)
        limits[number] = found.summary_lower, found.summary_upper
    expected = float(ap.mean())
    this_size, endless = (
        float(((limits[:, 0] <= truth) & (truth <= limits[:, 1])).mean())
        for truth in (expected, true_ap(relevant, shift))
    )
    return OfMean(this_size, endless, expected)


def scores_of(population: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Scores of topics drawn at random."""
    distribution, _ = POPULATIONS[population]
    drawn = distribution.rvs(shape, random_state=np.random.default_rng(seed))
    return drawn.round(1) if population == "P_10-like" else drawn


@cache
def true_mean(population: str) -> float:
    """The mean score of all topics there are."""
    distribution, _ = POPULATIONS[population]
    if population != "P_10-like":
        return float(distribution.mean())
    edges = distribution.cdf(np.clip(np.arange(12) / 10 - 0.05, 0, 1))
    return float((np.diff(edges) * np.arange(11) / 10).sum())


def coverage_over_topics(population: str, topics: int) -> float:
    """The share of t intervals of a mean that hold the truth."""
    values, truth = scores_of(population, (TOPIC_EXPERIMENTS, topics), topics), true_mean(population)
    t = paired_t(values, 0.95)
    return float(((t.lower <= truth) & (truth <= t.upper)).mean())


def type_one_errors(population: str, topics: int, alpha: float = 0.05) -> dict[str, float]:
    """How often each test rejects where two systems have the same distribution of scores."""
    first, second = (scores_of(population, (TOPIC_EXPERIMENTS, topics), topics + seed) for seed in (1, 2))
    keys = topic_keys([b"%d" % number for number in range(topics)])
    differences = first - second
    p = {"t": paired_t(differences, 0.95).p, "randomization": sign_flip(differences, keys, 10_000, 1)}
    return {test: float((values <= alpha).mean()) for test, values in p.items()}


def error(share: float, experiments: int) -> float:
    """Four standard errors of a share."""
    return 4 * math.sqrt(share * (1 - share) / experiments)


@pytest.mark.parametrize("topics", [5, 25, 50])
def test_t_holds_the_mean_of_normal_scores_against_theory(topics: int) -> None:
    assert coverage_over_topics("normal", topics) == pytest.approx(0.95, abs=error(0.95, TOPIC_EXPERIMENTS))


@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize("topics", [8, 12])
def test_flipped_signs_reject_as_often_as_they_say_against_theory(population: str, topics: int) -> None:
    """All signs: exactly, up to the steps of 2 / 2^n and to ties, which can only make it reject less."""
    rejected = type_one_errors(population, topics)["randomization"]
    highest = math.floor(0.05 * 2**topics / 2) * 2 / 2**topics
    bound = error(0.05, TOPIC_EXPERIMENTS)
    assert rejected <= highest + bound
    assert population == "P_10-like" or rejected >= highest - bound


def test_flipped_signs_at_random_do_not_reject_more_often() -> None:
    """(k + 1)/(B + 1) is valid for any number of resamples; all experiments share the signs, so it varies a little more."""
    rejected = type_one_errors("AP-like", 25)["randomization"]
    assert rejected <= 0.05 + error(0.05, TOPIC_EXPERIMENTS) + 4 * math.sqrt(0.05 * 0.95 / 10_000)


@pytest.mark.parametrize("true_share", [0.25, 1.0])
def test_false_discoveries_against_theory(true_share: float) -> None:
    """Independent tests, of which a share has nothing to find: their expected share among the rejected is alpha times it."""
    rng = np.random.default_rng(4)
    tests, experiments, alpha = 40, 20_000, 0.1
    nothing = np.arange(tests) < true_share * tests
    z = rng.standard_normal((experiments, tests)) + np.where(nothing, 0, 2.5)
    rejected = np.array([adjusted(p, "bh") <= alpha for p in stats.norm.sf(z)])
    false = (rejected & nothing).sum(axis=1) / np.maximum(rejected.sum(axis=1), 1)
    assert false.mean() == pytest.approx(alpha * true_share, abs=4 * false.std() / math.sqrt(experiments))


@pytest.mark.parametrize(("relevant", "least"), [(10, 0.92), (30, 0.945), (100, 0.945)])
def test_logit_intervals_over_documents_hold_about_what_they_say(relevant: int, least: float) -> None:
    """No theory is exact here; fewer than were once measured would be a fault."""
    covered = {name: share for name, share, _ in coverage_over_documents(relevant)}
    assert covered["logit"] >= least - error(least, EXPERIMENTS)


@pytest.mark.parametrize("relevant", [5, 10, 30])
def test_means_over_documents_hold_the_expected_score_of_such_collections(relevant: int) -> None:
    """93 to 94% once measured; of the endless collection's score that cannot be said where few documents are relevant."""
    covered = coverage_of_means(relevant, TOPICS, "wider")
    assert covered.this_size == pytest.approx(0.935, abs=error(0.935, EXPERIMENTS))
    assert covered.endless < covered.this_size - 0.1


def test_means_of_easy_topics_need_the_correction() -> None:
    """A topic of AP = 1 does not vary by its replicates; with three relevant documents many have it."""
    bound = error(0.95, EXPERIMENTS)
    assert coverage_of_means(3, FEWER_TOPICS, "none", EASY).this_size < 0.95 - bound
    assert coverage_of_means(3, FEWER_TOPICS, "wider", EASY).this_size > 0.95 - bound


def main() -> None:
    """The tables."""
    tables_of_topics()
    tables_of_means()


def tables_of_means() -> None:
    """Those of doc/trust.md."""
    print(f"\nCoverage of 95% intervals of means of {TOPICS} topics over documents:\n")
    print("| R | expected AP, this size | AP, infinite | covers the former | covers the latter |")
    print("|---|---|---|---|---|")
    for relevant in (5, 10, 30, 100):
        found = coverage_of_means(relevant, TOPICS, "wider")
        truths = f"{found.expected:.3f} | {true_ap(relevant):.3f}"
        print(f"| {relevant} | {truths} | {100 * found.this_size:.1f}% | {100 * found.endless:.1f}% |")
    print(f"\nOf means of {FEWER_TOPICS} topics, the expected score; without the small-R correction and with it:\n")
    print("| shift | R | expected AP | --small-r none | corrected |")
    print("|---|---|---|---|---|")
    for shift in (SHIFT, EASY):
        for relevant in (3, 5):
            without, with_it = (coverage_of_means(relevant, FEWER_TOPICS, kind, shift) for kind in ("none", "wider"))
            shares = f"{100 * without.this_size:.1f}% | {100 * with_it.this_size:.1f}%"
            print(f"| {shift:g} | {relevant} | {without.expected:.3f} | {shares} |")


def tables_of_topics() -> None:
    """Those of single topics, means and tests."""
    print("Coverage of 95% intervals of one topic's AP over documents (median width):\n")
    sizes = (5, 10, 30, 100)
    found = {
        relevant: {name: (share, width) for name, share, width in coverage_over_documents(relevant)}
        for relevant in sizes
    }
    print("| interval | " + " | ".join(f"R = {relevant}, AP {true_ap(relevant):.2f}" for relevant in sizes) + " |")
    print("|---|" + "---|" * len(sizes))
    for name in KINDS:
        cells = (f"{100 * found[r][name][0]:.1f}% ({found[r][name][1]:.2f})" for r in sizes)
        print(f"| {name} | " + " | ".join(cells) + " |")
    print("\nCoverage of 95% intervals of a mean over topics, and how often tests at .05 reject two equal systems:\n")
    print("| scores | topics | t | paired t rejects | randomization rejects |")
    print("|---|---|---|---|---|")
    for population, (_, words) in POPULATIONS.items():
        for topics in (5, 10, 25, 50):
            covered = coverage_over_topics(population, topics)
            rejects = type_one_errors(population, topics)
            cells = [f"{100 * share:.1f}%" for share in (covered, *rejects.values())]
            print(f"| {population} ({words}) | {topics} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()

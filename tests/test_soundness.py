"""Do intervals hold the truth as often as they say, and do tests reject what is true no more often? On known populations.

`make evidence` prints tables of what is measured here. Theory says exactly what t, signs and false discoveries do, which
`tests/stats` compares with other programs; the rest is measured, and held only to what it was when it was measured.

Over documents two systems score a topic's documents, relevant ones higher, by one distribution, so that both have the same AP
in the endless collection.
"""

import math
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple, get_args

import numpy as np
import pytest
from helpers import lists_of, relevance_of
from scipy import stats

from irci.base.choices import MetaMethod
from irci.base.streams import topic_keys
from irci.estimators import means
from irci.estimators.ap_ci import IntervalMethod, ap_ci
from irci.estimators.differences import combined
from irci.estimators.joint_resamples import Rankings, joint_resamples
from irci.estimators.means import paired_t
from irci.estimators.swap_error import discriminative_power
from irci.measures import MAP
from irci.stats.intervals import normal_interval
from irci.stats.scales import LOGIT, PLAIN
from irci.stats.signs import p_by_signs
from irci.stats.tests import Comparison, Estimates, normal_p, of_sample, with_documents

pytestmark = pytest.mark.slow

SHIFT = 2.0  # by which relevant documents score higher, in standard deviations of a document's score
DOCUMENTS = 1000
EXPERIMENTS = 2000
TOPICS = 50  # of a mean over documents
FEWER_TOPICS = 25
EASY = 4.0  # the shift where a system often scores 1
TOPIC_EXPERIMENTS = 20_000
KINDS = {name: IntervalMethod(name) for name in ("logit", "linear", "percentile", "bca", "parametric")}
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
    for name, settings in KINDS.items():
        found = ap_ci(ap, lists, keys, settings._replace(resamples=1000), threads=2)
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
    found = ap_ci(ap, lists_of(*rankings), keys, settings, threads=2)
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
    settings = IntervalMethod(resamples=1000, small_r=small_r)
    limits = np.empty((EXPERIMENTS, 2))
    for number in range(EXPERIMENTS):
        some = slice(number * topics, (number + 1) * topics)
        keys = topic_keys([b"%d" % topic for topic in range(some.start, some.stop)])
        found = ap_ci(ap[some], lists_of(*rankings[some]), keys, settings, threads=2)
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
    lower, upper = of_sample(values).limits(0.95)
    return float(((lower <= truth) & (truth <= upper)).mean())


def type_one_errors(population: str, topics: int, alpha: float = 0.05) -> dict[str, float]:
    """How often each test rejects where two systems have the same distribution of scores."""
    first, second = (scores_of(population, (TOPIC_EXPERIMENTS, topics), topics + seed) for seed in (1, 2))
    keys = topic_keys([b"%d" % number for number in range(topics)])
    differences = first - second
    p = {"t": paired_t(differences, 0.95).p, "randomization": p_by_signs(differences, keys, 10_000, 1)}
    return {test: float((values <= alpha).mean()) for test, values in p.items()}


def error(share: float, experiments: int) -> float:
    """Four standard errors of a share."""
    return 4 * math.sqrt(share * (1 - share) / experiments)


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


PAIR_EXPERIMENTS = 1000
RESAMPLES = 256  # of documents: fewer than map-ci's, and yet what that adds cannot be told in so many experiments
SEEN_BY_BOTH = 0.5  # of the variance of a document's score: what both systems see in it
SPREAD = 0.5  # standard deviation of a topic's shift, and of a system's on a topic where systems differ
SHIFTS = np.linspace(-2, 6, 81)
PAIR = Comparison.of(["first", "second"])


def pair_of_systems(
    relevant: int, topics: int, differ: bool, rng: np.random.Generator
) -> tuple[np.ndarray, Rankings, float]:
    """The APs float64[2, T] and the rankings of two systems, and the true difference of their MAPs on these topics, which are
    drawn anew with their documents; `differ`: the systems are equal on average only, not on every topic."""
    shifts = SHIFT + SPREAD * (rng.standard_normal(topics) + differ * rng.standard_normal((2, topics)))
    values, lists, counts, documents = np.empty((2, topics)), ([], []), [], []
    for topic in range(topics):
        found = 0
        while not found:
            found = int(rng.poisson(relevant))
        counts.append(found)
        documents.append(found + int(rng.poisson(DOCUMENTS - relevant)))
        own = rng.standard_normal((2, documents[-1]))
        scores = math.sqrt(SEEN_BY_BOTH) * rng.standard_normal(documents[-1]) + math.sqrt(1 - SEEN_BY_BOTH) * own
        scores[:, :found] += shifts[:, topic, np.newaxis]  # the relevant documents are numbered first
        for system, ranking in enumerate(np.argsort(-scores, axis=1)):
            places = np.flatnonzero(ranking < found)
            values[system, topic] = (np.arange(1, found + 1) / (places + 1)).mean()
            lists[system].append(ranking[: places[-1] + 1].astype(np.int32))
    rankings = Rankings(
        runs=[*lists], documents=[np.arange(number, dtype=np.uint64) for number in documents],
        seen=np.concatenate([np.arange(count, dtype=np.int32) for count in counts]),
        classes=np.zeros(sum(counts), np.int32), offsets=np.cumsum([0, *counts]), relevance=relevance_of(counts), measure=MAP,
    )  # fmt: skip
    first, second = np.interp(shifts, SHIFTS, [true_ap(relevant, shift) for shift in SHIFTS]).mean(axis=1)
    return values, rankings, float(second - first)


@cache
def over_documents(relevant: int, topics: int, differ: bool) -> dict[str, float]:
    """How often each test rejects two systems that are equal on every topic or, if they `differ`, on average; and how often
    the interval over documents holds their true difference on these topics."""
    rng = np.random.default_rng([1, relevant, topics, differ])
    keys = topic_keys([b"%d" % topic for topic in range(topics)])
    counts = dict.fromkeys(("documents", "both", "holds", *get_args(MetaMethod)), 0)
    for seed in range(PAIR_EXPERIMENTS):
        values, rankings, truth = pair_of_systems(relevant, topics, differ, rng)
        scales = [PLAIN, LOGIT]
        joint = joint_resamples(
            rankings, keys, PAIR, values, scales=[PLAIN], all_runs=False, topic_scales=scales,
            resamples=RESAMPLES, seed=seed,
        )  # fmt: skip
        difference = values[PAIR.pairs[0, 0]] - values[PAIR.pairs[0, 1]]
        error = joint.errors[""]
        mean, nothing = np.array([difference.mean()]), np.full(1, np.nan)
        p = {"documents": normal_p(mean, error)[0]}
        of_topics = difference.std(ddof=1, keepdims=True) / math.sqrt(topics)
        of = Estimates(mean, of_topics, nothing, np.array([topics]))
        p["both"] = means.Tested.by_t(with_documents(of, (joint.sd[""] ** 2).mean(axis=1)), of.units, 0.95).p[0]
        for method in () if differ else get_args(MetaMethod):
            (p[method],) = combined(values, PAIR.pairs, joint, method).p()
        lower, upper = normal_interval(mean, error, 0.95)
        counts["holds"] += bool(lower[0] <= truth <= upper[0])
        for test, of_test in p.items():
            counts[test] += bool(of_test <= 0.05)
    return {test: count / PAIR_EXPERIMENTS for test, count in counts.items()}


@pytest.mark.parametrize(
    ("relevant", "topics", "differ", "test", "least", "most"),
    [
        # Theory says so in the limit: with so many documents no departure can be told in so many experiments.
        (30, 25, False, "documents", 0.05, 0.05),
        (5, 5, False, "documents", 0, 0.07), (5, 25, False, "documents", 0, 0.068), (10, 5, False, "documents", 0, 0.055),
        # Where systems do not differ, documents count twice: in the limit .0056 reject.
        (30, 25, False, "both", 0, 0.009), (30, 25, True, "both", 0, 0.055),
        # Theory knows no weights that are estimated. With few relevant documents it is far more.
        *((30, 25, False, method, 0, 0.06) for method in get_args(MetaMethod)),
        (5, 5, True, "holds", 0.916, 1), (5, 25, True, "holds", 0.932, 1), (30, 25, True, "holds", 0.946, 1),
    ],
)  # fmt: skip
def test_pairs_over_documents_err_hardly_more_often(
    relevant: int, topics: int, differ: bool, test: str, least: float, most: float
) -> None:
    """No theory but in the limit; more rejected, or fewer differences held, than were once measured would be a fault."""
    share = over_documents(relevant, topics, differ)[test]
    assert least - error(least, PAIR_EXPERIMENTS) <= share <= most + error(most, PAIR_EXPERIMENTS)


@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize(("topics", "most"), [(5, 0.021), (10, 0.041), (25, 0.05), (50, 0.05)])
def test_levels_of_the_paired_bootstrap_are_hardly_too_low(population: str, topics: int, most: float) -> None:
    """No theory but in the limit; more rejections than were once measured would be a fault."""
    experiments = 5000
    pairs = scores_of(population, (experiments, 2, topics), topics)
    shares = [discriminative_power(pair, (0.05,), 1000, seed)[0] < 0.05 for seed, pair in enumerate(pairs)]
    assert np.mean(shares) <= most + error(most, experiments)

"""Do tests of the difference of two runs reject what is true as seldom as they say? On known populations.

As a script it prints tables of doc/trust.md: python tests/test_soundness_pairs.py. Over documents: two systems
score a topic's documents, relevant ones higher, by one distribution, so that both have the same AP in the endless collection;
p-values are map-ci's. Over topics: the achieved significance level of swap-error, on the populations of `test_soundness`.
Nothing here is exact in theory: two tests hold what theory says in the limit, the others only what was once measured.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from helpers import relevance_of
from test_soundness import DOCUMENTS as COLLECTION
from test_soundness import POPULATIONS, SHIFT, error, scores_of, true_ap

from irci.base.choices import BOTH, DOCUMENTS, TOPICS
from irci.compare.family import Family, Scored
from irci.compare.meta import Combination
from irci.compare.request import Request
from irci.compare.sources.documents import Both, DocumentSource, ResampledDocuments
from irci.compare.sources.topics import Topics
from irci.data.collection import RankedDocuments, TopicDocuments
from irci.data.scores import Scores
from irci.estimators.joint_resamples import Comparison, JointResamples, Wanted, joint_resamples
from irci.estimators.shared_documents import Rankings
from irci.estimators.swap_error.discriminative_power import discriminative_power
from irci.measures import MAP, named
from irci.stats.meta import METHODS
from irci.stats.scales import PLAIN, logit_scale

pytestmark = pytest.mark.slow

ALPHA = 0.05
EXPERIMENTS = 1000
EXPERIMENTS_OVER_TOPICS = 5000
RESAMPLES = 256  # of documents: fewer than map-ci's, and yet what that adds cannot be told in so many experiments
SHARED = 0.5  # of the variance of a document's score: what both systems see in it
SPREAD = 0.5  # standard deviation of a topic's shift, and of a system's on a topic where systems differ
SHIFTS = np.linspace(-2, 6, 81)
PAIR = Comparison.of(["first", "second"], None, compare=True, all_pairs=False, alone=False)
LMAP = named("lmap")
ASKED = {
    "documents": (MAP, DOCUMENTS),
    "documents, L-MAP": (LMAP, DOCUMENTS),
    "both": (MAP, BOTH),
    "topics": (MAP, TOPICS),
}


class Resampled(ResampledDocuments):
    """Joint resamples of rankings that come from no files."""

    def __init__(self, found: JointResamples) -> None:
        self.found = found

    def joint(self, family: Family) -> JointResamples:
        """What was found."""
        return self.found


class Experiment(NamedTuple):
    """The APs float64[2, T] and the rankings of two systems, and the true difference of their MAPs on these topics."""

    values: np.ndarray
    rankings: Rankings
    difference: float


class Found(NamedTuple):
    """How often each test rejects (nan: it has no p), and how often the interval over documents holds the true difference."""

    rejects: dict[str, float]
    holds: float


@cache
def true_aps(relevant: int) -> np.ndarray:
    """The AP of an endless collection at each of SHIFTS."""
    return np.array([true_ap(relevant, shift) for shift in SHIFTS])


def topic_rankings(relevant: int, shifts: np.ndarray, rng: np.random.Generator) -> tuple[int, np.ndarray]:
    """How many documents are relevant, and two systems' rankings [2, D] of all, the relevant ones numbered first."""
    found = 0
    while not found:
        found = int(rng.poisson(relevant))
    documents = found + int(rng.poisson(COLLECTION - relevant))
    own = rng.standard_normal((2, documents))
    scores = math.sqrt(SHARED) * rng.standard_normal(documents) + math.sqrt(1 - SHARED) * own
    scores[:, :found] += shifts[:, np.newaxis]
    return found, np.argsort(-scores, axis=1)


def experiment(relevant: int, topics: int, differ: bool, rng: np.random.Generator) -> Experiment:
    """Topics and their documents drawn anew; `differ`: the systems are equal on average only, not on every topic."""
    shifts = SHIFT + SPREAD * (rng.standard_normal(topics) + differ * rng.standard_normal((2, topics)))
    values = np.empty((2, topics))
    lists: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    counts, documents = [], []
    for topic in range(topics):
        found, rankings = topic_rankings(relevant, shifts[:, topic], rng)
        counts.append(found)
        documents.append(np.arange(rankings.shape[1], dtype=np.uint64))
        for system, ranking in enumerate(rankings):
            places = np.flatnonzero(ranking < found)
            values[system, topic] = (np.arange(1, found + 1) / (places + 1)).mean()
            lists[system].append(ranking[: places[-1] + 1].astype(np.int32))
    rankings_of_both = Rankings(
        runs=[RankedDocuments(np.cumsum([0, *map(len, each)]), np.concatenate(each)) for each in lists],
        documents=TopicDocuments(np.cumsum([0, *map(len, documents)]), np.concatenate(documents)),
        seen=np.concatenate([np.arange(count, dtype=np.int32) for count in counts]),
        classes=np.zeros(sum(counts), np.int32),
        offsets=np.cumsum([0, *counts]),
        relevance=relevance_of(counts),
        measure=MAP,
    )
    first, second = np.interp(shifts, SHIFTS, true_aps(relevant)).mean(axis=1)
    return Experiment(values, rankings_of_both, float(second - first))


def compared(drawn: Experiment, seed: int, logits: bool) -> tuple[dict[str, float], bool]:
    """The p of each test, and whether the interval over documents holds the true difference, as map-ci prints them.

    `logits`: also of the tests of logits.
    """
    request = Request(compare=True, resamples=RESAMPLES, seed=seed)
    topics = [str(topic) for topic in range(drawn.values.shape[1])]
    scored = Scored.of(Scores(list(PAIR.names), topics, {MAP.name: drawn.values}), [MAP, LMAP])
    on_logits = [logit_scale()] if logits else []
    joint = joint_resamples(
        drawn.rankings, scored.keys, PAIR, drawn.values,
        Wanted([PLAIN, *on_logits], pairs=True, all_runs=False, topic_scales=[PLAIN, *on_logits]),
        resamples=RESAMPLES, seed=seed,
    )  # fmt: skip
    resampled = Resampled(joint)
    sources = {DOCUMENTS: DocumentSource(resampled), TOPICS: Topics(scored.keys), BOTH: Both(resampled)}
    families = {measure: Family(request, request.design("holm"), scored, measure, PAIR) for measure in (MAP, LMAP)}
    found = {
        test: families[measure].over(sources[population]).tested
        for test, (measure, population) in ASKED.items()
        if logits or measure == MAP
    }
    p = {test: float(of.p[0]) for test, of in found.items()}
    for method in METHODS if logits else ():
        (row,) = Combination(families[MAP], 1, resampled, method).table().rows
        p[method] = float(row["p"])
    lower, upper = found["documents"].limits
    return p, bool(lower[0] <= drawn.difference <= upper[0])


@cache
def over_documents(relevant: int, topics: int, differ: bool) -> Found:
    """What tests find of two systems equal on every topic or, if they `differ`, on average (no tests of logits then)."""
    rng = np.random.default_rng([1, relevant, topics, differ])
    found = [compared(experiment(relevant, topics, differ, rng), seed, not differ) for seed in range(EXPERIMENTS)]
    p = {test: np.array([values[test] for values, _ in found]) for test in found[0][0]}
    rejects = {test: math.nan if np.isnan(of).all() else float((of <= ALPHA).mean()) for test, of in p.items()}
    return Found(rejects, float(np.mean([holds for _, holds in found])))


@cache
def over_topics(population: str, topics: int) -> float:
    """How often the level of the paired bootstrap is below ALPHA where two systems have the same distribution of scores."""
    pairs = scores_of(population, (EXPERIMENTS_OVER_TOPICS, 2, topics), topics)
    return float(
        np.mean([discriminative_power(pair, (ALPHA,), 1000, seed).shares() for seed, pair in enumerate(pairs)])
    )


def test_documents_reject_as_often_as_they_say_with_many() -> None:
    """Theory says so in the limit: with 25 topics of 30 relevant documents no departure can be told in so many experiments."""
    rejects = over_documents(30, 25, False).rejects
    assert rejects["documents"] == pytest.approx(ALPHA, abs=error(ALPHA, EXPERIMENTS))


@pytest.mark.parametrize(("relevant", "topics", "most"), [(5, 5, 0.07), (5, 25, 0.068), (10, 5, 0.055)])
def test_documents_reject_hardly_more_often_with_few(relevant: int, topics: int, most: float) -> None:
    """No theory; more than were once measured would be a fault."""
    assert over_documents(relevant, topics, False).rejects["documents"] <= most + error(most, EXPERIMENTS)


@pytest.mark.parametrize(("relevant", "topics", "least"), [(5, 5, 0.916), (5, 25, 0.932), (30, 25, 0.946)])
def test_documents_hold_the_difference_on_these_topics(relevant: int, topics: int, least: float) -> None:
    """Systems that differ. No theory; fewer than were once measured would be a fault."""
    assert over_documents(relevant, topics, True).holds >= least - error(least, EXPERIMENTS)


@pytest.mark.parametrize("method", METHODS)
def test_combined_topics_reject_hardly_more_often_with_many_relevant(method: str) -> None:
    """Theory knows no weights that are estimated; more than were once measured would be a fault. With few it is far more."""
    assert over_documents(30, 25, False).rejects[method] <= 0.06 + error(0.06, EXPERIMENTS)


@pytest.mark.parametrize(("differ", "most"), [(False, 0.009), (True, 0.055)])
def test_both_reject_seldom_with_many_topics(differ: bool, most: float) -> None:
    """Where systems do not differ, documents count twice: in the limit .0056 reject. Held to what was once measured."""
    assert over_documents(30, 25, differ).rejects["both"] <= most + error(most, EXPERIMENTS)


def test_levels_of_many_normal_scores() -> None:
    """Theory says so in the limit: with 50 topics no departure can be told in so many experiments."""
    assert over_topics("normal", 50) == pytest.approx(ALPHA, abs=error(ALPHA, EXPERIMENTS_OVER_TOPICS))


@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize(("topics", "most"), [(5, 0.021), (10, 0.041), (25, 0.05)])
def test_levels_are_hardly_too_low(population: str, topics: int, most: float) -> None:
    """No theory; more rejections than were once measured would be a fault."""
    assert over_topics(population, topics) <= most + error(most, EXPERIMENTS_OVER_TOPICS)


def percent(share: float) -> str:
    """A cell of a table."""
    return "–" if math.isnan(share) else f"{100 * share:.1f}%"


def main() -> None:
    """The tables."""
    print(
        "How often tests at .05 reject two systems that are equal on every topic; and, where they differ on topics and"
    )
    print("are equal on average, how often the interval over documents holds that difference, and tests reject:\n")
    tests = ("documents", "documents, L-MAP", *METHODS, "both")
    print("| R | topics | " + " | ".join(tests) + " | differ: documents cover | differ: both | differ: t |")
    print("|---" * (len(tests) + 5) + "|")
    for relevant in (1, 5, 10, 30):
        for topics in (1, 5, 25):
            equal, differing = (over_documents(relevant, topics, differ) for differ in (False, True))
            shares = [equal.rejects[test] for test in tests]
            shares += [differing.holds, differing.rejects["both"], differing.rejects["topics"]]
            print(f"| {relevant} | {topics} | " + " | ".join(map(percent, shares)) + " |")
    print("\nHow often the level of the paired bootstrap over topics is below .05 for two equal systems:\n")
    sizes = (5, 10, 25, 50)
    print("| scores | " + " | ".join(f"{topics} topics" for topics in sizes) + " |")
    print("|---" * (len(sizes) + 1) + "|")
    for population, (_, words) in POPULATIONS.items():
        print(f"| {words} | " + " | ".join(percent(over_topics(population, topics)) for topics in sizes) + " |")


if __name__ == "__main__":
    main()

"""Documents resampled for every measure: right means exact enumeration on tiny rankings, and on larger ones the literal
bootstrap, every document copied and the whole ranking scored by plain transcriptions of the definitions.

Bounds of randomised checks are Monte-Carlo standard errors; seeds are fixed.
"""

from functools import cache, lru_cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from helpers import all_written, inputs_of, ranked, resampled_scores, written
from naive_measures import MEASURES, Topic, every_outcome, is_defined
from numpy.typing import NDArray

from irci.data.experiment import Experiment
from irci.estimators.documents import ADDED_UP
from irci.estimators.joint_resamples import Rankings, paired_replicates
from irci.measures import TABLE, lists_of_ranks, parse

RESAMPLES = 20_000
Z = 4  # standard errors
TINY = (
    Topic((2, None, 0), (1,)), Topic((0, 1, None, 3), ()), Topic((None, 1), (0, 2)), Topic((1, 0, -1, 2), ()),
    Topic((0, 0, 1), ()), Topic((3, 3), (3,)), Topic((0, None), (1, 2)),
)  # fmt: skip


def experiment_of(topics: tuple[Topic, ...], folder: Path) -> Experiment:
    """One run of these topics, read from files."""
    qrels, run = [], []
    for number, topic in enumerate(topics):
        for rank, grade in enumerate(topic.ranking):
            run.append(f"{number:02d} Q0 d{rank} 0 {1000 - rank} run\n")
            qrels += [f"{number:02d} 0 d{rank} {grade}\n"] * (grade is not None)
        qrels += [f"{number:02d} 0 m{place} {grade}\n" for place, grade in enumerate(topic.missing)]
    files = all_written(folder, {"qrels": "".join(qrels), "run": "".join(run)})
    return Experiment(inputs_of(*files, relevance_level=topics[0].level, max_grade=topics[0].most), ())


def resampled(
    experiment: Experiment, name: str, resamples: int = RESAMPLES
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A measure's scores float64[T], and under resamples float64[T, B]."""
    (measure,) = parse(name)
    runs = iter(experiment.runs())
    run = next(runs)  # judged until the next one is asked for
    options = {"measure": measure, "resamples": resamples, "seed": 1}
    ranks = experiment.relevance(measure).of_run(run.judged)
    return run.scores(measure), resampled_scores(ranks, experiment.keys, **options)


@cache
def outcomes(topic: Topic) -> list[tuple[Topic, float]]:
    """With up to six copies of a document."""
    return list(every_outcome(topic, 6))


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", MEASURES)
def test_moments_against_enumeration(name: str, tmp_path: Path) -> None:
    """The score itself, and mean and sd of the resampled one, by whichever way is taken and by the general one."""
    score, needs = MEASURES[name]
    experiment = experiment_of(TINY, tmp_path)
    values, replicates = resampled(experiment, name)
    assert np.array_equal(replicates[:, :50], resampled(experiment, name, 50)[1])
    with patch.dict(ADDED_UP, clear=True):
        general = resampled(experiment, name, 2000)[1]
    np.testing.assert_allclose(replicates[:, :2000], general, rtol=0, atol=1e-12)
    for topic, value, drawn in zip(TINY, values, replicates, strict=True):
        assert value == pytest.approx(score(topic), abs=1e-12)
        kept = [(score(resample), weight) for resample, weight in outcomes(topic) if is_defined(resample, needs)]
        exact, weights = np.array(kept).T
        weights /= weights.sum()
        mean = weights @ exact
        second, fourth = (weights @ (exact - mean) ** power for power in (2, 4))
        beyond = 4 * 8.4e-5  # the most resamples that are not enumerated; scores are no further apart than 1
        assert abs(drawn.mean() - mean) <= Z * np.sqrt(second / RESAMPLES) + beyond
        assert abs(drawn.var() - second) <= Z * np.sqrt(max(fourth - second**2, 0) / RESAMPLES) + beyond


@pytest.mark.sample(1)
@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_what_measures_see_gives_their_scores(level: int, tmp_path: Path) -> None:
    """The lists that are resampled, before they are, score as the judgments do, and as the plain transcriptions."""
    rng = np.random.default_rng(5)
    topics = tuple(Topic(t.ranking, t.missing, level) for t in (graded_ranking(rng) for _ in range(6)))
    topics = (*topics, Topic((0, None), (), level), Topic((1, 0), (1,), level))
    experiment = experiment_of(topics, tmp_path)
    for run in experiment.runs():
        for name in MEASURES:
            (measure,) = parse(name)
            seen = lists_of_ranks(experiment.relevance(measure).of_run(run.judged))
            assert np.array_equal(measure.scores(seen), run.scores(measure)), name
            for topic, score in zip(topics, run.scores(measure), strict=True):
                if topic.num_relevant and (level == 1 or (level and "rel=" not in name)):
                    assert score == pytest.approx(MEASURES[name][0](topic), abs=1e-12), name


def test_every_family_is_compared() -> None:
    """A measure that is added to the table is added here."""
    compared = {parse(name)[0].family.name for name in MEASURES}
    scored = {family.name for family in TABLE if family.summary == "mean" and not family.by_intent}
    assert compared == scored


def graded_ranking(rng: np.random.Generator) -> Topic:
    """A random ranking, graded 0 to 3, with holes in the judgments."""
    depth = int(rng.integers(8, 40))
    grades = rng.choice([0, 0, 0, 1, 1, 2, 3], depth).tolist()
    ranking = tuple(None if rng.random() < 0.3 else int(grade) for grade in grades)
    return Topic((1, *ranking), tuple(rng.choice([0, 0, 1, 2, 3], int(rng.integers(0, 12))).tolist()))


def test_nothing_relevant_is_nothing_to_draw(tmp_path: Path) -> None:
    """No relevant document in the judgments: only what tells of the documents retrieved is resampled."""
    experiment = experiment_of((Topic((0, None, 0), (0,)), Topic((1,), ())), tmp_path)
    for name in MEASURES:
        values, replicates = resampled(experiment, name, 10)
        assert replicates[0].any() == (values[0] != 0), name


@lru_cache(maxsize=2)
def literal_pairs(first: Topic, second: tuple[int, ...], resamples: int, seed: int) -> list[tuple[Topic, Topic]]:
    """A ranking and the same documents in another order, both from the same copies of every document."""
    rng = np.random.default_rng(seed)
    other = Topic(tuple(first.ranking[i] for i in second), first.missing, first.level, first.most)
    pairs = []
    for _ in range(resamples):
        copies = rng.poisson(1.0, len(first.ranking) + len(first.missing)).tolist()
        reordered = [copies[i] for i in second] + copies[len(first.ranking) :]
        pairs.append((first.resampled(copies), other.resampled(reordered)))
    return pairs


def paired(
    topics: list[Topic], orders: list[list[int]], name: str, resamples: int, folder: Path
) -> list[NDArray[np.float64]]:
    """Scores of two runs on each topic under the same resampled documents; the way taken, and the general one, agree."""
    experiment = experiment_of(tuple(topics), folder)
    places = [(number, rank, i) for number, order in enumerate(orders) for rank, i in enumerate(order)]
    text = "".join(f"{number:02d} Q0 d{i} 0 {1000 - rank} other\n" for number, rank, i in places)
    (measure,) = parse(name)
    relevance = experiment.relevance(measure)
    judged, documents = ranked(
        experiment.qrels, str(folder / "run"), written(folder / "other", text), relevance=relevance,
        whole=measure.family.sees_retrieved,
    )  # fmt: skip
    rankings = Rankings.of(experiment.qrels, relevance, judged, documents, measure)
    found = list(paired_replicates(rankings, experiment.keys, resamples=resamples, seed=1))
    with patch.dict(ADDED_UP, clear=True):
        generally = list(paired_replicates(rankings, experiment.keys, resamples=300, seed=1))
    for fast, general in zip(found, generally, strict=True):
        np.testing.assert_allclose(fast[:, :300], general, rtol=0, atol=1e-12)
    return found


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", MEASURES)
def test_scores_and_differences_against_literal_bootstrap(name: str, tmp_path: Path) -> None:
    """Mean and variance, of a run by itself and of a pair, within four standard errors of the literal bootstrap's."""
    rng = np.random.default_rng(21)
    topics = [graded_ranking(rng) for _ in range(2)]
    orders = [np.argsort(np.arange(len(t.ranking)) + 3 * rng.standard_normal(len(t.ranking))).tolist() for t in topics]
    score, needs = MEASURES[name]
    _, alone = resampled(experiment_of(tuple(topics), tmp_path / "alone"), name, 5000)
    for place, found in enumerate(paired(topics, orders, name, 5000, tmp_path)):
        pairs = literal_pairs(topics[place], tuple(orders[place]), 1000, 100 + place)
        kept = [(score(one), score(other)) for one, other in pairs if is_defined(one, needs)]
        assert len(kept) > 900
        first, second = np.array(kept).T
        for ours, theirs in ((alone[place], first), (found[0] - found[1], first - second)):
            assert abs(ours.mean() - theirs.mean()) <= Z * np.sqrt(ours.var() / 5000 + theirs.var() / len(theirs))
            fourth = [((x - x.mean()) ** 4).mean() - x.var() ** 2 for x in (ours, theirs)]
            assert abs(ours.var() - theirs.var()) <= Z * np.sqrt(max(fourth) * (1 / 5000 + 1 / len(theirs)))

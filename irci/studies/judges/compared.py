"""Two judges compared: the labels of both, and the scores of the same runs by each on the documents that both have judged."""

import os
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from irci.base.choices import Correction
from irci.base.errors import DataError, UsageError, logger
from irci.base.names import places_by_name, plural
from irci.base.records import Checked, Record
from irci.base.types import Bools, Floats, owners
from irci.data.about_runs import read_teams
from irci.data.experiment import Judge, RunScores
from irci.data.inputs import Inputs, where
from irci.data.judges import common, experiments_by, matched, on_topics_of, read_judges, runs_by
from irci.data.missing import not_missing
from irci.data.notices import warn_of_topics
from irci.data.rules import matching
from irci.data.scale_ends import lie_within
from irci.estimators.compare.means import Design, MeanInterval, topic_interval
from irci.estimators.judges import (
    Biases,
    Labels,
    Order,
    SignificanceByBoth,
    biases,
    compare,
    contrast,
    labels_of,
    order,
)
from irci.measures import MAP, Measure
from irci.stats.tests import PairedTest

FEW_HOLES = 0.01  # of the documents that QRELS has judged, without another judge's grade


class JudgesRequest(Checked):
    """The options of judges by their names.

    groups: a file of the runs that were made by a judge's own model, or a regular expression that finds these
    """

    measures: Sequence[Measure] = ()
    groups: str | None = None
    alphas: tuple[float, ...] = (0.05,)
    correction: Correction = "none"
    confidence: float = 0.95
    resamples: int = 2000
    seed: int = 1


class JudgePair(Record):
    """QRELS and another's judgments of the documents that both have judged. `name`: of the other."""

    name: str
    first: Judge
    second: Judge
    level: int
    other_level: int

    @cached_property
    def labels(self) -> Labels:
        first, second = self.first.qrels, self.second.qrels
        rows = matched(first, second)
        topic = owners(first.offsets)[rows.of_first]
        return labels_of(topic, first.grade[rows.of_first], second.grade[rows.of_second])

    @property
    def same_scale(self) -> bool:
        """True if the grades of one mean what those of the other do, as far as the highest ones tell."""
        return self.first.whole.highest_grade == self.second.whole.highest_grade


class JudgeFindings(Record):
    """Comparison of two judges' scores of R runs by one measure.

    judge: the name of the other judge
    topics: number of topics
    by_each: mean and interval of each run by QRELS and by the judge, [R] each
    group: contrast of the runs of --groups, None without any
    """

    judge: str
    measure: str
    runs: Sequence[str]
    topics: int
    order: Order
    compared: SignificanceByBoth
    biases: Biases
    group: PairedTest | None
    by_each: tuple[Sequence[MeanInterval], Sequence[MeanInterval]]

    @property
    def has_no_width(self) -> bool:
        """True if limits of tau promise a certainty that there is not, the two judges' scores being different."""
        tau = self.order.tau
        return tau.lower == tau.upper and bool((self.biases.absolute.p < 1).any())


def judges_of(inputs: Inputs) -> list[JudgePair]:
    """QRELS against each of --other-qrels, on the documents that both have judged."""
    first, *others = read_judges(inputs)
    level = inputs.relevance_level
    pairs = []
    for other in others:
        on_topics = on_topics_of(first, other)
        both = common(on_topics, on_topics_of(other, first))
        number, judged = len(both[0].qrels.grade), int((on_topics.qrels.grade >= 0).sum())
        if not number:
            raise DataError(
                f"{first.path} and {other.path} have judged no document in common; are docnos spelled differently?"
            )
        if number < (1 - FEW_HOLES) * judged:
            logger.warning(
                f"{other.path} judges {number / judged:.0%} of {plural(judged, 'document')} that {first.path} judges:"
                " labels and scores are of these alone"
            )
        pairs.append(JudgePair(inputs.name_of_judge(other.path), *both, level, inputs.level_of(other.path)))
    if len({pair.name for pair in pairs}) < len(pairs):
        raise UsageError("--other-qrels: two files of one name: rename one.")
    return pairs


class ScoredByBoth(Record):
    """Scores by either judge of a pair: runs by name, topics that no run lacks, of each measure float64[R, T] twice."""

    runs: list[str]
    topics: list[str]
    values: dict[str, tuple[Floats, Floats]]


def scored_by(request: JudgesRequest, inputs: Inputs, pairs: Sequence[JudgePair]) -> list[ScoredByBoth]:
    """The runs scored by both judges of each pair, every run read once."""
    measures = request.measures or [MAP]
    judges = [judge for pair in pairs for judge in (pair.first, pair.second)]
    levels = [level for pair in pairs for level in (pair.level, pair.other_level)]
    experiments = experiments_by(inputs, measures, judges, levels)
    for experiment in experiments:
        experiment.tells_missing = inputs.missing != "auto"
    scores = [RunScores(measures) for _ in experiments]
    for run_by_each in runs_by(experiments):
        for of_judge, run in zip(scores, run_by_each, strict=True):
            of_judge.add(run)
    names = scores[0].names
    is_left = not_missing(names, scores[0].absent, inputs, experiments[0].topics)
    places = [place for place in places_by_name(names) if is_left[place]]
    views = [
        (experiment.topics, of_judge.on(experiment.topics).values)
        for experiment, of_judge in zip(experiments, scores, strict=True)
    ]
    return [
        _aligned([names[place] for place in places], places, views[2 * number : 2 * number + 2])
        for number in range(len(pairs))
    ]


def _aligned(names: list[str], places: list[int], views: Sequence[tuple[list[str], dict[str, Floats]]]) -> ScoredByBoth:
    """The scores by both on the topics that count for both and that no run lacks."""
    (topics, first), (other_topics, second) = views
    place_of = {topic: place for place, topic in enumerate(other_topics)}
    columns = [(here, place_of[topic]) for here, topic in enumerate(topics) if topic in place_of]
    here, there = np.array(columns, np.int64).reshape(-1, 2).T
    values = {name: (first[name][places][:, here], second[name][places][:, there]) for name in first}
    lacking = np.any([np.isnan(scores).any(axis=0) for both in values.values() for scores in both], axis=0)
    common_topics = [topics[place] for place in here]
    warn_of_topics("all runs", "that some run lacks, dropped", where(common_topics, lacking))
    if len(names) < 2 or (~lacking).sum() < 2:
        raise DataError("needs at least two runs that share two topics")
    kept = {name: (both[0][:, ~lacking], both[1][:, ~lacking]) for name, both in values.items()}
    return ScoredByBoth(names, where(common_topics, ~lacking), kept)


def findings(request: JudgesRequest, inputs: Inputs, pairs: Sequence[JudgePair]) -> Iterator[JudgeFindings]:
    """Compare the scores of the runs by each pair of judges, measure by measure."""
    scored = scored_by(request, inputs, pairs)
    groups = _groups(request.groups, [pair.name for pair in pairs], scored)
    for measure in request.measures or [MAP]:
        for pair, scores, group in zip(pairs, scored, groups, strict=True):
            first, second = scores.values[measure.name]
            yield JudgeFindings(
                pair.name, measure.name, scores.runs, len(scores.topics),
                order(
                    first, second, confidence=request.confidence, resamples=request.resamples, seed=request.seed
                ),
                compare(first, second, request.correction),
                biases(first, second, request.confidence),
                None if group is None else contrast(first, second, group, request.confidence),
                (_means(first, measure, request.confidence), _means(second, measure, request.confidence)),
            )  # fmt: skip


def _groups(asked: str | None, judges: Sequence[str], scored: Sequence[ScoredByBoth]) -> list[Bools | None]:
    """The runs bool[R] that each judge's own model made, None where none are known."""
    if asked is None:
        return [None] * len(judges)
    if not os.path.exists(asked) or os.path.isdir(asked):
        return [matching(asked, scores.runs, "--groups") for scores in scored]
    judge_of = read_teams(asked)
    groups: list[Bools | None] = []
    for judge, scores in zip(judges, scored, strict=True):
        group = np.array([judge_of.get(run) == judge for run in scores.runs], np.bool_)
        if group.all():
            raise DataError(f"{asked}: all runs are {judge}'s: nothing to compare")
        groups.append(group if group.any() else None)
    if not any(group is not None for group in groups):
        raise DataError(f"{asked}: no run of {', '.join(judges)}")
    return groups


def _means(scores: Floats, measure: Measure, confidence: float) -> list[MeanInterval]:
    """The means of scores[R, T], with limits over topics as map-ci has them."""
    base = measure.base
    ends = base.ends if base.ends is not None and lie_within(scores, base.ends) else None
    return [topic_interval(row, base, Design(confidence=confidence), ends) for row in scores]

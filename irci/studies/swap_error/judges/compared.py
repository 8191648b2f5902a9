"""Two judges compared: the labels of both, and the scores of the same runs by each on the topics of both."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irci.base.errors import DataError, UsageError, logger
from irci.base.names import file_name, places_by_name
from irci.base.types import Bools, Floats, owners
from irci.data.experiment import Experiment, ExperimentRun, Judge, RunScores
from irci.data.inputs import Inputs, where
from irci.data.judges import Matched, common, experiments_by, matched, on_topics_of, read_judges, runs_by
from irci.data.measures import MAP, Measure
from irci.data.notices import warn_of_topics
from irci.methods.swap_error.judges.labels import Labels
from irci.studies.swap_error.request import SwapErrorRequest

FEW_HOLES = 0.01  # of the documents scored, that one judge has judged and the other has not


@dataclass(frozen=True)
class JudgePair:
    """QRELS and another's judgments, on the topics of both. `name`: of the other, by its file."""

    name: str
    first: Judge
    second: Judge
    level: int
    other_level: int

    @cached_property
    def rows(self) -> Matched:
        return matched(self.first.qrels, self.second.qrels)

    @cached_property
    def labels(self) -> Labels:
        first, second = self.first.qrels, self.second.qrels
        topic = owners(first.offsets)[self.rows.of_first]
        return Labels.of(topic, first.grade[self.rows.of_first], second.grade[self.rows.of_second])

    @property
    def same_scale(self) -> bool:
        """True if the grades of one mean what those of the other do, as far as the highest ones tell."""
        return self.first.whole.highest_grade == self.second.whole.highest_grade

    def warn_of_holes(self, seen: tuple[Bools, Bools]) -> None:
        """Say so if many documents that count for one judge have no judgment by the other; seen bool[J]: scored ones."""
        judges = self.first, self.second
        for judge, other, of, rows in zip(judges, judges[::-1], seen, self.rows, strict=True):
            lacking = of & (judge.qrels.grade >= 0)
            scored = int(lacking.sum())
            lacking[rows] = False
            if lacking.sum() > FEW_HOLES * scored:
                logger.warning(
                    f"{other.path}: {lacking.sum() / scored:.0%} of the retrieved documents that {judge.path} judges have no"
                    " judgment here, and score as irrelevant: then pools differ, not opinions (--common leaves them out)"
                )


@dataclass(frozen=True)
class Scored:
    """Scores by either judge, of each measure float64[R, T] twice; runs by name, topics of both that no run lacks."""

    runs: list[str]
    topics: list[str]
    values: dict[str, tuple[Floats, Floats]]


def judges_of(request: SwapErrorRequest, inputs: Inputs) -> list[JudgePair]:
    """QRELS against each of --other-qrels; only the documents that both have judged, if that is asked for."""
    first, *others = read_judges(inputs)
    level = inputs.relevance_level
    other_level = level if request.level_b is None else request.level_b
    found = []
    for other in others:
        pair = on_topics_of(first, other), on_topics_of(other, first)
        pair = common(*pair) if request.common else pair
        found.append(JudgePair(file_name(other.path), *pair, level, other_level))
        if not len(found[-1].rows.of_first):
            raise DataError(
                f"{first.path} and {other.path} have judged no document in common; are docnos spelled differently?"
            )
    if len({each.name for each in found}) < len(found):
        raise UsageError("--other-qrels: two files of one name: rename one.")
    return found


def scored_by(request: SwapErrorRequest, inputs: Inputs, judges: Sequence[JudgePair]) -> list[Scored]:
    """The runs scored by both judges of each pair, every run read once."""
    measures = request.measures or [MAP]
    # One for all pairs that have the same judgments in common.
    wanted = {key: judge for each in judges for key, judge in zip(_keys(each), (each.first, each.second), strict=True)}
    levels = [level for _, level, *_ in wanted]
    experiments = experiments_by(inputs, measures, list(wanted.values()), levels)
    views = [View(each, measures) for each in experiments]
    for by_each in runs_by(experiments):
        for view, run in zip(views, by_each, strict=True):
            view.add(run)
    of = dict(zip(wanted, views, strict=True))
    names = views[0].scores.names
    order = places_by_name(names)
    found = []
    for each in judges:
        both = [of[key] for key in _keys(each)]
        if not request.common:
            each.warn_of_holes((both[0].seen_of(each.first), both[1].seen_of(each.second)))
        found.append(_aligned([names[run] for run in order], order, both))
    return found


def _keys(each: JudgePair) -> list[tuple[str, int, int, tuple[bytes, ...]]]:
    """Keys that tell the judgments of either judge from others: the file, the level, what of it is used."""
    both = (each.first, each.level), (each.second, each.other_level)
    return [(judge.path, level, len(judge.qrels.grade), tuple(judge.qrels.topics)) for judge, level in both]


class View:
    """One judge's view of all runs: their scores, and which judgments of documents they retrieve."""

    def __init__(self, experiment: Experiment, measures: Sequence[Measure]) -> None:
        self.topics = experiment.topics
        self.scores = RunScores(measures)
        cuts = [measure.cut for measure in measures]
        self._cut = max(cuts) if all(cuts) else np.iinfo(np.int64).max  # below which no measure looks
        self._kept = set(experiment.qrels.topics)
        self._seen = np.zeros(len(experiment.qrels.grade), np.bool_)

    def add(self, run: ExperimentRun) -> None:
        self._seen[run.judged.rows[run.judged.ranks <= self._cut]] = True
        self.scores.add(run)

    def seen_of(self, judge: Judge) -> Bools:
        """bool[J]: which of the judge's judgments are of documents that a run has where a measure looks."""
        kept = np.array([topic in self._kept for topic in judge.qrels.topics], np.bool_)
        found = np.zeros(len(judge.qrels.grade), np.bool_)
        found[kept[owners(judge.qrels.offsets)]] = self._seen
        return found


def _aligned(names: list[str], order: list[int], views: Sequence[View]) -> Scored:
    """The scores by both on the topics that count for both and that no run lacks."""
    first, second = views
    place_in = {topic: place for place, topic in enumerate(second.topics)}
    pairs = [(here, place_in[topic]) for here, topic in enumerate(first.topics) if topic in place_in]
    columns = np.array(pairs, np.int64).reshape(-1, 2).T
    both = [view.scores.on(view.topics).values for view in views]
    found = {
        name: [values[name][order][:, chosen] for values, chosen in zip(both, columns, strict=True)] for name in both[0]
    }
    lacking = np.any([np.isnan(each).any(axis=0) for both in found.values() for each in both], axis=0)
    topics = [first.topics[here] for here, _ in pairs]
    warn_of_topics("all runs", "that some run lacks, dropped", where(topics, lacking))
    if len(names) < 2 or (~lacking).sum() < 2:
        raise DataError("needs at least two runs that share two topics")
    kept = {name: (both[0][:, ~lacking], both[1][:, ~lacking]) for name, both in found.items()}
    return Scored(names, where(topics, ~lacking), kept)

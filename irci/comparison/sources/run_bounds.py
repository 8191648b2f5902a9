"""Bounds of single runs over all grades of their unjudged documents, found while they are read; what may be asked of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from irci.base.errors import DataError, UsageError, logger
from irci.base.types import Bools, Floats
from irci.data.collection import RetrievedDocuments
from irci.data.experiment import Experiment, ExperimentRun
from irci.data.inputs import Inputs, where
from irci.data.notices import warn_of_topics
from irci.data.scores import Lacking
from irci.estimators.unjudged import Bounds, Side, bounds, bounds_kind, side, unjudged_documents
from irci.measures import Measure
from irci.stats.scales import mean_over_topics
from irci.wording import notify


@dataclass(frozen=True)
class RunBounds:
    """One run: the topics bool[T] that count for it, and by measure its bounds and, if there are pairs, its side of them.
    `near` bool[T]: topics that it lacks, without which bounds of means hold too."""

    name: str
    kept: Bools
    bounds: dict[str, Bounds]
    sides: dict[str, Side] = field(default_factory=dict)
    near: Bools = field(default_factory=lambda: np.zeros(1, np.bool_))


class BoundsOfRuns:
    """The bounds of `runs`, found one after the other while these are read."""

    def __init__(self, experiment: Experiment, measures: Sequence[Measure], *, has_pairs: bool) -> None:
        self.experiment, self.measures, self.has_pairs = experiment, measures, has_pairs
        qrels = experiment.qrels
        self.runs: list[RunBounds] = []
        self._numbered = RetrievedDocuments(qrels, np.zeros(len(qrels.grade), np.bool_), to_the_end=True)

    def add(self, run: ExperimentRun) -> None:
        """One run's, and its side of pairs if there are any."""
        lists = {measure.name: run.lists(measure.level) for measure in self.measures}
        of = {
            measure.name: bounds(measure, lists[measure.name], measure.base.scores(lists[measure.name]))
            for measure in self.measures
        }
        of_run = RunBounds(run.name, run.kept, of)
        if self.has_pairs:
            documents = unjudged_documents(self._numbered.add(run.run, run.judged), self.experiment.qrels)
            for measure in self.measures:
                scores = of[measure.name].value
                of_run.sides[measure.name] = side(measure, lists[measure.name], scores, documents)
        self.runs.append(of_run)

    def settle(self, lacking: Lacking | None) -> None:
        """Take in what runs lack."""
        if lacking is not None:
            near = next(iter(lacking.near.values()))  # the same for all measures
            self.runs = [replace(run, near=of_run) for run, of_run in zip(self.runs, near, strict=True)]

    def warn_of_no_relevant(self) -> None:
        """Name the topics that have no relevant documents and yet may have a score."""
        relevant = self.experiment.judgments.at(None).relevant
        may_score = np.zeros(len(relevant), np.bool_)
        for run in self.runs:
            for of_run in run.bounds.values():
                may_score |= run.kept & (of_run.value == 0) & (of_run.upper > 0)
        happens = "without relevant documents, which may score if unjudged ones are relevant"
        topics = where(self.experiment.topics, may_score & (relevant == 0))
        warn_of_topics(self.experiment.qrels_path, happens, topics)


def mean_bounds(measure: Measure, run: RunBounds) -> tuple[float, float, float, float]:
    """A run's mean, its bounds and the share judged. Topics are independent: the mean of bounds is the bound of the mean."""
    of_run, scale = run.bounds[measure.name], measure.scale()

    def mean(scores: Floats, topics: Bools) -> float:
        return float(scale.back(mean_over_topics(scale.forward(scores[topics]))))

    # Of a run that lacks few topics the bounds hold without these too.
    without_lacking = run.kept & ~run.near
    lower, upper = (
        [mean(limit, topics) for topics in (run.kept, without_lacking) if topics.any()]
        for limit in (of_run.lower, of_run.upper)
    )
    return mean(of_run.value, run.kept), min(lower), max(upper), float(of_run.judged[run.kept].mean())


def check_measures(measures: Sequence[Measure], inputs: Inputs) -> None:
    """Raise UsageError for what has no bounds, or no meaning."""
    counts = [measure.name for measure in measures if measure.is_count]
    if counts:
        raise UsageError(f"{', '.join(counts)}: a count has no bounds: choose other measures.")
    if any(level_of(measure, inputs.relevance_level) < 1 for measure in measures):
        raise UsageError("at level 0 whatever is judged is relevant: bounds of unjudged documents need -l 1 or more.")


def highest_grade(experiment: Experiment, measures: Sequence[Measure]) -> int:
    """The highest grade of the scale, which is told with the documents that may have it. Raises an error where the scale ends
    below a grade in the file, or below what is relevant."""
    highest, option = experiment.judgments.at(None).most, "--max-grade"
    if experiment.qrels.highest_grade > highest:
        raise DataError(f"{experiment.qrels_path}: grade {experiment.qrels.highest_grade}, but {option} is {highest}")
    level = max(level_of(measure, experiment.inputs.relevance_level) for measure in measures)
    if level > highest:
        raise UsageError(
            f"relevant from grade {level} on, but the highest grade is {highest}: no document could be relevant"
            f" ({option} says where the scale ends)."
        )
    documents = which_documents(measures)
    logger.info(
        f"bounds: {documents} may have any grade from 0 to {highest} ({option}); all others count as not relevant"
    )
    return highest


def warn_of_no_bounds(measures: Sequence[Measure], inputs: Inputs, highest: int) -> None:
    """Say which measures have none."""
    level = inputs.relevance_level
    without = [of.name for of in measures if bounds_kind(of, highest, level_of(of, level)) is None]
    if without:
        why = "none are known for such a measure"
        notify("lacking", measure=", ".join(without), what="bounds over judgments", who="", why=why)


def which_documents(measures: Sequence[Measure]) -> str:
    """Those that may have any grade, in words."""
    has_cut = any(measure.cut for measure in measures)
    return "unjudged documents that are retrieved" + (", down to a measure's cutoff," if has_cut else "")


def level_of(measure: Measure, level: int) -> int:
    """From which grade on documents are relevant to a measure; 1 for one that goes by gains. `level`: what -l says."""
    if measure.level is not None:
        return measure.level
    return 1 if measure.base.family.level == "none" else level

"""Bounds of single runs, found while they are read, and what is kept of them for pairs; what may be asked of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from irci.base.choices import JUDGMENTS
from irci.base.errors import DataError, UsageError
from irci.base.types import Bools, Floats
from irci.data.collection import RetrievedDocuments
from irci.data.experiment import Experiment, ExperimentRun
from irci.data.inputs import Inputs, where
from irci.data.measures import Measure
from irci.data.notices import warn_of_topics
from irci.data.scores import Lacking, Scores
from irci.methods.unjudged.bounds import RBP, Bounds, bounds
from irci.methods.unjudged.differences import Side, UnjudgedDocuments, side
from irci.output.tables import NO_WORD, Bounded, Cell, Row, Table, tables
from irci.stats.scales import mean_over_topics
from irci.studies.compare.request import Request


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
    """The bounds of runs, found one after the other while these are read."""

    def __init__(self, request: Request, experiment: Experiment, measures: Sequence[Measure]) -> None:
        self.request, self.experiment, self.measures = request, experiment, measures
        qrels = experiment.qrels
        self.found: list[RunBounds] = []
        self._numbered = RetrievedDocuments(qrels, np.zeros(len(qrels.grade), np.bool_), to_the_end=True)

    def add(self, run: ExperimentRun) -> None:
        """One run's, and its side of pairs if there are any."""
        bounds_of = {each.name: _bounds(self.request, run, each) for each in self.measures}
        of_run = RunBounds(run.name, run.kept, bounds_of)
        if self.request.has_pairs:
            documents = UnjudgedDocuments.of(self._numbered.add(run.run, run.judged), self.experiment.qrels)
            for measure in self.measures:
                lists, scores = run.lists(measure.level), of_run.bounds[measure.name].value
                of_run.sides[measure.name] = side(measure, lists, scores, documents)
        self.found.append(of_run)

    def settle(self, lacking: Lacking | None) -> None:
        """Take in what runs lack."""
        if lacking is not None:
            near = next(iter(lacking.near.values()))  # the same for all measures
            self.found = [replace(run, near=of_run) for run, of_run in zip(self.found, near, strict=True)]

    def warn_of_no_relevant(self) -> None:
        """Name the topics that have no relevant documents and yet may have a score."""
        relevant = self.experiment.judgments.at(None).relevant
        may_score = np.zeros(len(relevant), np.bool_)
        for run in self.found:
            for found in run.bounds.values():
                may_score |= run.kept & (found.value == 0) & (found.upper > 0)
        happens = "without relevant documents, which may score if unjudged ones are relevant"
        topics = where(self.experiment.topics, may_score & (relevant == 0))
        warn_of_topics(self.experiment.qrels_path, happens, topics)


def read_runs(request: Request, experiment: Experiment, measures: Sequence[Measure]) -> tuple[list[RunBounds], Scores]:
    """The bounds of every run, and their scores."""
    bounds_of_runs = BoundsOfRuns(request, experiment, measures)
    bases = {measure.base.name: measure.base for measure in measures}
    table = experiment.scores(list(bases.values()), [bounds_of_runs.add])
    bounds_of_runs.settle(table.lacking)
    bounds_of_runs.warn_of_no_relevant()
    return bounds_of_runs.found, table


def _bounds(request: Request, run: ExperimentRun, measure: Measure) -> Bounds:
    lists = run.lists(measure.level)
    return bounds(measure, lists, measure.base.scores(lists))


def tables_of_runs(
    request: Request, topics: Sequence[str], runs: Sequence[RunBounds], measures: Sequence[Measure]
) -> list[Table]:
    """Run after run, a row a topic and measure if asked for, then one a measure."""
    found = []  # tables of rows that have the same columns
    for run in runs:
        if request.per_topic:
            rows = (
                _row_of_topic(measure, topic, run, place)
                for place, topic in enumerate(topics)
                if run.kept[place]
                for measure in measures
                if measure.is_of_topics
            )
            found += [table for _, some in groupby(rows, key=tuple) for table in tables("topic_bounds", "", some)]
        if not request.no_summary:
            rows = (_row_of_mean(measure, run, request) for measure in measures if run.kept.any())
            found += [table for _, some in groupby(rows, key=tuple) for table in tables("bounds", "", some)]
    return found


def _row_of_topic(measure: Measure, topic: str, run: RunBounds, place: int) -> Row:
    of = run.bounds[measure.name]
    return _row(measure, topic, run.name, of, *(each[place] for each in (of.value, of.lower, of.upper, of.judged)))


def _row_of_mean(measure: Measure, run: RunBounds, request: Request) -> Row:
    value, lower, upper, judged = mean_bounds(measure, run, request)
    return _row(measure, "all", run.name, run.bounds[measure.name], value, lower, upper, judged)


def mean_bounds(measure: Measure, run: RunBounds, request: Request) -> tuple[float, float, float, float]:
    """A run's mean, its bounds and the share judged. Topics are independent: the mean of bounds is the bound of the mean."""
    of, scale = run.bounds[measure.name], measure.scale()

    def mean(scores: Floats, topics: Bools) -> float:
        return float(scale.back(mean_over_topics(scale.forward(scores[topics]))))

    # Of a run that lacks few topics the bounds hold without these too.
    there = run.kept & ~run.near
    lower, upper = (
        [mean(each, topics) for topics in (run.kept, there) if topics.any()] for each in (of.lower, of.upper)
    )
    return mean(of.value, run.kept), min(lower), max(upper), float(of.judged[run.kept].mean())


def _row(
    measure: Measure, topic: str, run: str, of: Bounds, value: float, lower: float, upper: float, judged: float
) -> Row:
    row: dict[str, Cell] = {
        "measure": measure.name, "topic": topic, "value": float(value), "lower": float(lower), "upper": float(upper),
        "run": run, "population": JUDGMENTS, "judged": float(judged), "bounds": of.kind or NO_WORD,
    }  # fmt: skip
    if measure.family.name in RBP:
        row["residual"] = float(upper - value)
    return Bounded(row) if measure.is_bounded else row


def check_measures(request: Request, measures: Sequence[Measure], inputs: Inputs) -> None:
    """Raise UsageError for what has no bounds, or no meaning."""
    counts = [measure.name for measure in measures if measure.is_count]
    if counts:
        raise UsageError(f"{', '.join(counts)}: a count has no bounds: choose other measures.")
    if any(level_of(measure, inputs.relevance_level) < 1 for measure in measures):
        raise UsageError("at level 0 whatever is judged is relevant: bounds of unjudged documents need -l 1 or more.")


def check_grades(experiment: Experiment, measures: Sequence[Measure], highest: int) -> None:
    """Raise an error where the scale of grades ends below a grade in the file, or below what is relevant."""
    found, option = experiment.qrels.highest_grade, "--max-grade"
    if found > highest:
        raise DataError(f"{experiment.qrels_path}: grade {found}, but {option} is {highest}")
    level = max(level_of(measure, experiment.inputs.relevance_level) for measure in measures)
    if level > highest:
        raise UsageError(
            f"relevant from grade {level} on, but the highest grade is {highest}: no document could be relevant"
            f" ({option} says where the scale ends)."
        )


def which_documents(request: Request, measures: Sequence[Measure]) -> str:
    """Those that may have any grade, in words."""
    has_cut = any(measure.cut for measure in measures)
    return "unjudged documents that are retrieved" + (", down to a measure's cutoff," if has_cut else "")


def level_of(measure: Measure, level: int) -> int:
    """From which grade on documents are relevant to a measure; 1 for one that goes by gains. `level`: what -l says."""
    if measure.level is not None:
        return measure.level
    return 1 if measure.base.family.level == "none" else level

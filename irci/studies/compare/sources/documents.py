"""What map-ci reads, and what it says of single runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np

from irci.base.choices import BOTH, DOCUMENTS, TOPICS, Population, ResampledInterval, Sight
from irci.base.names import raw
from irci.base.streams import topic_keys
from irci.base.types import Floats, Words
from irci.bootstrap.plans import StepTables
from irci.bootstrap.topics import topic_counts
from irci.data.collection import Collection, JudgedRun, Relevance, relevant_ranks
from irci.data.experiment import Experiment, ExperimentRun
from irci.data.measures import Measure
from irci.data.retrieved import RankedDocuments, RetrievedDocuments, TopicDocuments
from irci.data.scores import Scores
from irci.methods.map_ci import means as method
from irci.methods.map_ci.means import (
    DocumentIntervals,
    MeanInterval,
    both_interval,
    document_intervals,
    topic_interval,
    variances_over_documents,
    without_limits,
)
from irci.output.report import Bounded, Row, Table, tables
from irci.stats.scales import PLAIN, Scale
from irci.studies.map_ci.settings import Settings


@dataclass(frozen=True)
class Asked:
    """The settings of the study and of its methods, and what varies, in order of output."""

    settings: Settings
    method: method.Settings
    populations: tuple[Population, ...]

    def resamples(self, base: Measure) -> bool:
        """Whether documents are resampled for this measure."""
        return not base.is_count and self.method.resamples > 0

    @property
    def resamples_together(self) -> bool:
        """Whether the documents of several runs are resampled together, for those measures whose documents are."""
        of_documents = self.settings.meta is not None or set(self.populations) & {DOCUMENTS, BOTH}
        return bool(self.settings.takes_several_runs and of_documents)


@dataclass
class FromRuns:
    """What besides scores is kept of the runs read: intervals by (run, measure), and rankings and their documents, which are
    resampled together."""

    collection: Collection | None = None
    relevances: dict[tuple[Sight, int | None], Relevance] = field(default_factory=dict)
    rankings: list[tuple[JudgedRun, RankedDocuments]] = field(default_factory=list)
    retrieved: TopicDocuments | None = None
    documents: dict[tuple[str, str], DocumentIntervals] = field(default_factory=dict)
    means: dict[tuple[str, str, Population], MeanInterval] = field(default_factory=dict)


def by_base(measures: Sequence[Measure]) -> list[tuple[Measure, list[Measure]]]:
    """The measures by what they average: AP for MAP, L-MAP and GMAP."""
    groups: dict[str, tuple[Measure, list[Measure]]] = {}
    for measure in measures:
        groups.setdefault(measure.base.name, (measure.base, []))[1].append(measure)
    return list(groups.values())


def keys_of(table: Scores) -> Words:
    """The stream keys of a table's topics."""
    return topic_keys([raw(topic) for topic in table.topics])


def read_runs(asked: Asked, experiment: Experiment, measures: Sequence[Measure]) -> tuple[Scores, FromRuns]:
    """The scores of all runs, and what each run's resampled documents say, found while it is read."""
    groups = by_base(measures)
    found = FromRuns(experiment.collection)
    for base, _ in groups:
        if asked.resamples(base):
            found.relevances[base.sees] = experiment.relevance(base)
    step_tables = StepTables()
    retrieved = None
    if asked.resamples_together and found.relevances:
        seen = np.any([relevance.classes >= 0 for relevance in found.relevances.values()], axis=0)
        to_the_end = any(base.family.looks_at.retrieved for base, _ in groups)
        retrieved = RetrievedDocuments(experiment.qrels, seen, to_the_end=to_the_end)
    names: list[str] = []
    values: dict[str, list[Floats]] = {base.name: [] for base, _ in groups}
    for run in experiment.runs():
        names.append(run.name)
        for base, of_base in groups:
            values[base.name].append(run.scores(base))
            if asked.resamples(base):
                _resample(asked, experiment, run, of_base, found, step_tables)
        if retrieved is not None:
            found.rankings.append((run.judged.without_lines(), retrieved.add(run.run, run.judged)))
    found.retrieved = None if retrieved is None else retrieved.by_topic()
    return Scores(names, experiment.topics, {name: np.array(of_runs) for name, of_runs in values.items()}), found


def _resample(
    asked: Asked,
    experiment: Experiment,
    run: ExperimentRun,
    measures: Sequence[Measure],
    found: FromRuns,
    step_tables: StepTables,
) -> None:
    """Keep what resampled documents say of one run's means of one base measure."""
    base, kept = measures[0].base, run.kept
    value, keys, threads = run.scores(base), experiment.keys, experiment.inputs.threads
    ranks = relevant_ranks(run.judged, found.relevances[base.sees]).only(kept)
    if DOCUMENTS in asked.populations:
        found.documents[run.name, base.name] = of_documents = document_intervals(
            value[kept], ranks, keys[kept], measures, asked.method, threads=threads, tables=step_tables
        )
        found.means.update({(run.name, mean.measure.name, DOCUMENTS): mean for mean in of_documents.means})
    if BOTH in asked.populations:
        variances = variances_over_documents(
            ranks, keys[kept], measures, asked.method, threads=threads, tables=step_tables
        )
        for measure, of_topics in zip(measures, variances, strict=True):
            found.means[run.name, measure.name, BOTH] = both_interval(value[kept], measure, asked.method, of_topics)


def tables_of_runs(asked: Asked, table: Scores, found: FromRuns, measures: Sequence[Measure]) -> list[Table]:
    """For each run a row a topic and measure if asked for, then for each measure one a population."""
    result = []
    for place, run in enumerate(table.runs):
        if asked.settings.per_topic:
            result += tables("topic", "", _rows_of_topics(asked, table, place, found, measures))
        if not asked.settings.no_summary:
            values = {measure.name: table.values[measure.base.name][place] for measure in measures}
            rows = (
                row
                for measure in measures
                for population in asked.populations
                for row in _rows_of_mean(asked, run, measure, values[measure.name], population, found)
            )
            result += tables("estimate", "", rows)
    return result


def _rows_of_mean(
    asked: Asked, run: str, measure: Measure, value: Floats, population: Population, found: FromRuns
) -> Iterator[Row]:
    """The row of a run's mean, transformed back; for a mean of logits that of the logits too. A count has a sum, no limits."""
    value = value[~np.isnan(value)]
    if measure.is_count:
        yield _row(measure.name, run, population, round(measure.summary(value)), np.nan, np.nan)
        return
    scale = asked.method.scale(measure)
    if population == TOPICS and len(value):
        counts = np.empty((0, 0), np.int32)
        if asked.method.interval in get_args(ResampledInterval):
            counts = topic_counts(len(value), asked.method.resamples, asked.method.seed)
        mean = topic_interval(value, measure, asked.method, counts)
    else:
        nothing = without_limits(value, measure, population, scale)
        mean = found.means.get((run, measure.name, population), nothing)
    yield _row_of_mean(mean, measure.name, run, mean.scale)
    if measure.family.summary == "logit":
        yield _row_of_mean(mean, f"{measure.name}_logit", run, PLAIN)


def _row_of_mean(mean: MeanInterval, name: str, run: str, scale: Scale) -> Row:
    value, lower, upper = scale.back(np.array([mean.value, mean.lower, mean.upper])).tolist()
    row = _row(name, run, mean.population, value, lower, upper)
    if mean.components is not None:
        row = {**row, **mean.components._asdict()}
    return Bounded(row) if mean.scale == PLAIN and mean.measure.is_bounded else row


def _row(
    name: str, run: str, population: Population, value: float, lower: float, upper: float, topic: str = "all"
) -> Row:
    return {
        "measure": name, "topic": topic, "value": value, "lower": lower, "upper": upper, "run": run,
        "population": population,
    }  # fmt: skip


def _rows_of_topics(
    asked: Asked, table: Scores, place: int, found: FromRuns, measures: Sequence[Measure]
) -> Iterator[Row]:
    """A run's scores, with the limits between which resampled documents let them vary; means alone have others."""
    run = table.runs[place]
    shown = [measure for measure in measures if measure.is_of_topics]
    limits = {}
    for measure in shown:
        of_documents = found.documents.get((run, measure.name))
        lower, upper = np.full((2, len(table.topics)), np.nan)
        if of_documents is not None:
            scored = ~np.isnan(table.values[measure.name][place])
            lower[scored], upper[scored] = of_documents.lower, of_documents.upper
        limits[measure.name] = lower, upper
    for topic, name in enumerate(table.topics):
        for measure in shown:
            value = float(table.values[measure.name][place, topic])
            if not np.isnan(value):
                lower, upper = limits[measure.name]
                value = round(value) if measure.is_count else value
                yield _row(
                    measure.name, run, asked.populations[0], value, float(lower[topic]), float(upper[topic]), name
                )

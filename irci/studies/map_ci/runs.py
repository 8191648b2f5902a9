"""What irci map-ci says of single runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from irci.bootstrap.documents import StepTables
from irci.bootstrap.joint_resamples import joint_means_of_run
from irci.bootstrap.shared_documents import Rankings
from irci.bootstrap.topics import topic_counts
from irci.data.collection import Collection, JudgedRun, RankedHashes, Relevance, ranked_hashes, relevant_ranks
from irci.data.experiment import Inputs
from irci.data.measures import Judgments, Measure
from irci.data.names import raw, text
from irci.data.scores import Scores
from irci.methods.map_ci.means import (
    BOTH,
    DOCUMENTS,
    TOPICS,
    DocumentIntervals,
    MeanInterval,
    Row,
    Settings,
    document_intervals,
    joint_interval,
    topic_interval,
    without_limits,
)
from irci.stats.scales import PLAIN
from irci.streams import topic_keys

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Question:
    """What is asked: populations in order, which lines, which pairs, ranks or not."""

    populations: tuple[str, ...]
    per_topic: bool
    summary: bool
    compare: bool
    baseline: str | None
    all_pairs: bool
    ranks: bool
    meta: bool

    def signature(self) -> dict[str, str | bool | None]:
        """What of it changes a digit."""
        return {
            "populations": " ".join(self.populations),
            "baseline": self.baseline or ("all pairs" if self.all_pairs else "first" if self.compare else None),
        }

    @property
    def has_pairs(self) -> bool:
        """Whether runs are compared."""
        return self.compare or self.all_pairs

    @property
    def takes_several_runs(self) -> bool:
        """Whether something is asked of several runs together, or of effects on single topics."""
        return self.has_pairs or self.ranks or self.meta


@dataclass
class Evidence:
    """What besides scores is kept of the runs read: intervals by (run, measure), and the rankings to be compared."""

    collection: Collection | None = None
    relevances: dict[bool, Relevance] = field(default_factory=dict)
    rankings: list[tuple[JudgedRun, RankedHashes]] = field(default_factory=list)
    documents: dict[tuple[str, str], DocumentIntervals] = field(default_factory=dict)
    means: dict[tuple[str, str, str], MeanInterval] = field(default_factory=dict)


def grouped(measures: Sequence[Measure]) -> list[tuple[Measure, list[Measure]]]:
    """The measures by what they average: AP for MAP, L-MAP and GMAP."""
    groups: dict[str, tuple[Measure, list[Measure]]] = {}
    for measure in measures:
        groups.setdefault(measure.base.name, (measure.base, []))[1].append(measure)
    return list(groups.values())


def is_resampled(base: Measure, settings: Settings) -> bool:
    """Whether documents are resampled for this measure."""
    return base.family.resampled_as is not None and settings.resamples > 0


def keys_of(table: Scores) -> NDArray[np.uint64]:
    """The stream keys of a table's topics."""
    return topic_keys([raw(topic) for topic in table.topics])


def read_runs(
    question: Question,
    settings: Settings,
    inputs: Inputs,
    qrels: str,
    paths: Sequence[str],
    measures: Sequence[Measure],
    threads: int,
) -> tuple[Scores, Evidence]:
    """The scores of all runs, and what each run's resampled documents say, found while it is read."""
    collection = inputs.collection(qrels)
    topics = [text(topic) for topic in collection.qrels.topics]
    keys = topic_keys(collection.qrels.topics)
    judgments = Judgments.of(collection.qrels, inputs.relevance_level, inputs.max_grade)
    by_base = grouped(measures)
    evidence = Evidence(collection)
    for base, _ in by_base:
        if is_resampled(base, settings):
            evidence.relevances[base.family.graded] = base.relevance(collection.qrels, inputs.relevance_level)
    tables = StepTables()
    names: list[str] = []
    scored: list[list[Floats]] = []
    for name, run, judged in inputs.runs(collection, paths):
        kept = inputs.kept(judged)
        lists = judgments.of_run(judged)
        names.append(name)
        scored.append([np.where(kept, base.scores(lists), np.nan) for base, _ in by_base])
        for (base, of_base), value in zip(by_base, scored[-1], strict=True):
            if not is_resampled(base, settings):
                continue
            relevance = evidence.relevances[base.family.graded]
            if DOCUMENTS in question.populations:
                ranks = relevant_ranks(judged, relevance).only(kept)
                evidence.documents[name, base.name] = found = document_intervals(
                    value[kept], ranks, keys[kept], of_base, settings, threads=threads, tables=tables
                )
                evidence.means.update({(name, mean.measure.name, DOCUMENTS): mean for mean in found.means})
            if BOTH in question.populations:
                hashes = ranked_hashes(run, judged)
                rankings = Rankings.of(collection, relevance, [(judged, hashes)], base.family.resampled_as, base.cut)
                scales = [settings.scale(measure) for measure in of_base]
                joint = joint_means_of_run(rankings, keys, kept, settings, scales, threads)
                for measure in of_base:
                    evidence.means[name, measure.name, BOTH] = joint_interval(value[kept], measure, settings, joint)
        if question.takes_several_runs:
            evidence.rankings.append((judged.without_lines(), ranked_hashes(run, judged)))
        del run, judged
    values = {base.name: np.array([of_run[place] for of_run in scored]) for place, (base, _) in enumerate(by_base)}
    return Scores(names, topics, values), evidence


def rows_of_runs(
    question: Question, settings: Settings, table: Scores, evidence: Evidence, measures: Sequence[Measure]
) -> Iterator[Row]:
    """For each run a row a topic and measure if asked for, then for each measure one a population."""
    for place, run in enumerate(table.runs):
        if question.per_topic:
            yield from _rows_of_topics(question, table, place, evidence, measures)
        if question.summary:
            for measure in measures:
                value = table.values[measure.base.name][place]
                value = value[~np.isnan(value)]
                for population in question.populations:
                    if population == TOPICS and len(value):
                        counts = np.empty((0, 0), np.int32)
                        if settings.interval != "t":
                            counts = topic_counts(len(value), settings.resamples, settings.seed)
                        mean = topic_interval(value, measure, settings, counts)
                    else:
                        nothing = without_limits(value, measure, population, settings.scale(measure))
                        mean = evidence.means.get((run, measure.name, population), nothing)
                    yield from mean.rows(run)


def _rows_of_topics(
    question: Question, table: Scores, place: int, evidence: Evidence, measures: Sequence[Measure]
) -> Iterator[Row]:
    """A run's scores, with the limits between which resampled documents let them vary; means alone have others."""
    run = table.runs[place]
    shown = [measure for measure in measures if measure.scale() == PLAIN]
    limits = {}
    for measure in shown:
        found = evidence.documents.get((run, measure.name))
        lower, upper = np.full((2, len(table.topics)), np.nan)
        if found is not None:
            scored = ~np.isnan(table.values[measure.name][place])
            lower[scored], upper[scored] = found.lower, found.upper
        limits[measure.name] = lower, upper
    for topic, name in enumerate(table.topics):
        for measure in shown:
            value = float(table.values[measure.name][place, topic])
            if not np.isnan(value):
                lower, upper = limits[measure.name]
                yield {
                    "measure": measure.name, "topic": name, "value": value, "lower": float(lower[topic]),
                    "upper": float(upper[topic]), "run": run, "population": question.populations[0],
                }  # fmt: skip

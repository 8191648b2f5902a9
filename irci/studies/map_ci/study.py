"""map-ci: from settings and inputs to a report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from irci.base.choices import DOCUMENTS, TOPICS, ResampledInterval
from irci.data.experiment import Experiment
from irci.data.inputs import Inputs
from irci.data.measures import MAP, Measure, named
from irci.data.notices import warn_of_few_resamples
from irci.data.score_tables import files_of, score_files, standardised_scores
from irci.data.scores import Scores
from irci.output.report import Report, Table
from irci.stats.decisions import FAILING
from irci.studies.limits import warn_of_no_limits, warn_of_one_topic
from irci.studies.map_ci.captions import caption
from irci.studies.map_ci.margin import check_margin
from irci.studies.map_ci.notices import warn_of_few_relevant, warn_of_smallest_p, warn_of_tests
from irci.studies.map_ci.pairs import ComparedRuns
from irci.studies.map_ci.runs import Asked, FromRuns, by_base, read_runs, tables_of_runs
from irci.studies.map_ci.sentences import (
    sentences_of_family,
    sentences_of_meta,
    sentences_of_pairs,
    sentences_of_ranks,
)
from irci.studies.map_ci.settings import Settings
from irci.studies.map_ci.size import check_number_of_pairs
from irci.studies.sources_in_words import MEANS, among
from irci.studies.wording import sentences_of_means


def map_ci(settings: Settings, inputs: Inputs) -> Report:
    """How precise is a run's mean score, and is one run really better than another?"""
    populations = settings.populations(inputs)
    asked = Asked(settings, settings.of_method(populations), populations)
    found, of_method = FromRuns(), asked.method
    if TOPICS in populations and of_method.interval in get_args(ResampledInterval):
        warn_of_few_resamples(of_method.interval, of_method.resamples, of_method.confidence, ", or --interval t")
    if inputs.scores:
        table = score_files(inputs, [measure.base for measure in settings.measures])
        check_number_of_pairs(asked, len(table.runs), len(table.topics))
        measures = settings.measures or _of_table(table)
    else:
        measures = settings.measures or [MAP]
        experiment = Experiment(inputs, measures)
        check_number_of_pairs(asked, len(experiment.paths), len(experiment.topics))
        table, found = read_runs(asked, experiment, measures)
    files = files_of(inputs, table)
    if inputs.standardise is not None:
        table, found = standardised_scores(table, inputs.standardise), FromRuns()
        measures = _of_table(table)
    for measure in measures:
        check_margin(settings.equivalence, measure, asked.method.scale(measure), inputs.standardise)
    _warn_of_no_limits(asked, inputs, measures)
    if asked.populations != (DOCUMENTS,):
        warn_of_one_topic(len(table.topics))
    compared = list(_compared(asked, table, found, measures, inputs)) if settings.takes_several_runs else []
    means = tables_of_runs(asked, table, found, measures)
    tables = [*means, *(table for each in compared for table in each.tables())]
    return Report(
        tables=tables,
        signature={
            "command": "map-ci",
            "measures": " ".join(measure.name for measure in measures),
            "populations": " ".join(populations),
            "baseline": settings.compared_with,
            **asked.method.signature(),
            "equivalence": None if settings.equivalence is None else str(settings.equivalence),
            **inputs.signature(),
            "scores": inputs.scores,
            "standardise": inputs.standardise,
            "num_topics": len(table.topics),
        },
        explain=lambda: _explanation(settings, tables, compared),
        failures=[failure for each in compared for failure in each.failures()],
        drawn=lambda: [table for table in tables if table.kind != "topic"],  # those are ap-ci's picture
        files=files,
        caption=lambda population: caption(
            asked, population, len(table.topics), inputs.missing, [each.runs for each in compared]
        ),
        sources=among(MEANS, populations),
    )


def _warn_of_no_limits(asked: Asked, inputs: Inputs, measures: Sequence[Measure]) -> None:
    """Say why a count has no limits, and over documents what else has none, unless none are asked for."""
    if inputs.scores or inputs.standardise is not None:
        warn_of_no_limits(measure for measure in measures if measure.is_count)
    elif asked.populations != (TOPICS,) and asked.method.resamples > 0:
        warn_of_no_limits((each for each in measures if not asked.resamples(each.base)), " over documents")


def _of_table(table: Scores) -> list[Measure]:
    return [named(name) for name in table.values]


@dataclass(frozen=True)
class ComparedOnMeasures:
    """Runs compared on several means of one measure, MAP and L-MAP for one."""

    runs: ComparedRuns
    measures: Sequence[Measure]

    def tables(self) -> Iterator[Table]:
        """Differences, combined effects and ranks."""
        settings = self.runs.asked.settings
        if settings.has_pairs:
            for measure in self.measures:
                yield from self.runs.tables_of_differences(measure)
                warn_of_tests(self.runs, measure)
        if settings.meta is not None:
            yield self.runs.table_of_meta(settings.meta)
        if settings.ranks:
            for measure in self.measures:
                yield self.runs.table_of_ranks(measure)
        if settings.has_pairs or settings.ranks:
            for measure in self.measures:
                warn_of_smallest_p(self.runs, measure)

    def sentences(self) -> Iterator[str]:
        """What is said of pairs, in plain words."""
        for measure in self.measures:
            yield from sentences_of_pairs(self.runs, measure)

    def failures(self) -> Iterator[str]:
        """The pairs of which --fail-if holds."""
        condition = self.runs.asked.settings.fail_if
        if condition is None:
            return
        for measure in self.measures:
            found = self.runs.resolution(measure).verdict
            for verdict, (run, baseline) in zip(found, self.runs.family.comparison.pairs.tolist(), strict=True):
                if verdict in FAILING[condition]:
                    names = self.runs.names
                    yield f"{measure.name}: {names[run]} against {names[baseline]}: {verdict} (--fail-if {condition})"


def _compared(
    asked: Asked, table: Scores, found: FromRuns, measures: Sequence[Measure], inputs: Inputs
) -> Iterator[ComparedOnMeasures]:
    """The runs compared on each measure but counts, which have no mean."""
    for base, of_base in by_base([measure for measure in measures if not measure.is_count]):
        runs = ComparedRuns.on(asked, table, found, base, of_base, inputs)
        warn_of_few_relevant(runs)
        yield ComparedOnMeasures(runs, of_base)


def _explanation(settings: Settings, tables: Sequence[Table], compared: Sequence[ComparedOnMeasures]) -> Iterator[str]:
    """What runs are compared for, or else the means, in plain words."""
    if settings.has_pairs:
        for each in compared:
            yield from each.sentences()
    for table in tables:
        if table.kind == "rank":
            yield from sentences_of_ranks(table, settings.confidence)
        elif table.kind == "meta" and settings.meta is not None:
            yield from sentences_of_meta(table, settings.meta, settings.confidence)
    if settings.has_pairs:
        for each in compared[:1]:
            yield from sentences_of_family(each.runs)
        return
    rows = (row for table in tables if table.kind == "estimate" for row in table.rows)
    number = "as many" if settings.new_topics is None else str(settings.new_topics)
    predicted = number if settings.interval == "prediction" else ""
    yield from sentences_of_means(rows, settings.confidence, TOPICS, predicted)

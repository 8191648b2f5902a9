"""map-ci: from settings and inputs to a report."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from irci.data.experiment import Inputs, files_of, score_files, standardised_scores
from irci.data.measures import MAP, Measure, named
from irci.data.scores import Scores
from irci.output.report import Report, Table
from irci.stats.tests import is_exact
from irci.studies.map_ci.pairs import ComparedRuns
from irci.studies.map_ci.runs import Asked, FromRuns, by_base, read_runs, tables_of_runs
from irci.studies.map_ci.settings import Settings
from irci.studies.sentences import sentences_of_means

logger = logging.getLogger("irci")

VARIES = {
    "documents": "with other documents of this kind, on these topics",
    "topics": "on other topics of this kind",
    "both": "with other documents and on other topics of this kind",
}


def map_ci(settings: Settings, inputs: Inputs) -> Report:
    """How precise is a run's mean score, and is one run really better than another?"""
    populations = settings.populations(inputs)
    asked = Asked(settings, settings.of_method(populations), populations)
    found = FromRuns()
    if inputs.scores:
        table = score_files(inputs, [measure.base for measure in settings.measures])
        measures = settings.measures or _of_table(table)
    else:
        measures = settings.measures or [MAP]
        table, found = read_runs(asked, inputs, measures)
    files = files_of(inputs, table)
    if inputs.standardise is not None:
        table, found = standardised_scores(table, inputs.standardise), FromRuns()
        measures = _of_table(table)
    compared = list(_compared(asked, table, found, measures, inputs.threads)) if settings.takes_several_runs else []
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
            **inputs.signature(),
            "scores": inputs.scores,
            "standardise": inputs.standardise,
            "num_topics": len(table.topics),
        },
        explain=lambda: _explanation(settings, means, compared),
        drawn=lambda: [table for table in tables if table.kind != "topic"],  # those are ap-ci's picture
        files=files,
    )


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
                self._warn_of_smallest_p(measure)
        if settings.meta is not None:
            yield self.runs.table_of_meta(settings.meta)
        if settings.ranks:
            for measure in self.measures:
                yield self.runs.table_of_ranks(measure)

    def _warn_of_smallest_p(self, measure: Measure) -> None:
        settings, topics = self.runs.asked.settings, len(self.runs.table.topics)
        if not self.runs.can_reject:
            what = "topics" if is_exact(topics, settings.resamples) else "resamples (-B)"
            logger.warning(f"{measure.name}: too few {what} for any p_adjusted below {1 - settings.confidence:g}")

    def sentences(self) -> Iterator[str]:
        """All that in plain words."""
        settings = self.runs.asked.settings
        if settings.has_pairs:
            for measure in self.measures:
                yield from self.runs.sentences(measure)
        if settings.meta is not None:
            yield (
                "The combination of single topics weighs each by how precisely it is known, and is of logits: it may well"
                " differ from the plain mean of differences, which weighs all topics alike."
            )
        if settings.ranks:
            yield "Between its limits each run's rank lies, all ranks at once; runs that share a letter are not told apart."


def _compared(
    asked: Asked, table: Scores, found: FromRuns, measures: Sequence[Measure], threads: int
) -> Iterator[ComparedOnMeasures]:
    """The runs compared on each measure but counts, which have no mean."""
    for base, of_base in by_base([measure for measure in measures if not measure.is_count]):
        runs = ComparedRuns.on(asked, table, found, base, of_base, threads)
        runs.warn_of_few_relevant()
        yield ComparedOnMeasures(runs, of_base)


def _explanation(settings: Settings, means: Iterable[Table], compared: Iterable[ComparedOnMeasures]) -> Iterator[str]:
    """The means in plain words, or where runs are compared the differences."""
    if not settings.has_pairs:
        rows = [row for table in means if table.kind == "estimate" for row in table.rows]
        yield from sentences_of_means(((row, VARIES[str(row["population"])]) for row in rows), settings.confidence)
    for each in compared:
        yield from each.sentences()

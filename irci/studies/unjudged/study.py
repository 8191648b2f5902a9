"""Bounds of unjudged documents: from settings and inputs to a report."""

import logging
from collections.abc import Sequence

from irci.base.errors import UsageError
from irci.data.experiment import Experiment
from irci.data.inputs import Inputs
from irci.data.measures import MAP, Measure
from irci.data.score_tables import files_of
from irci.methods.unjudged.bounds import bounds_kind
from irci.output.report import Caption, Report, Signature
from irci.studies.limits import means_over
from irci.studies.sources_in_words import OF_GRADES
from irci.studies.unjudged.pairs import compared
from irci.studies.unjudged.runs import read_runs, scores_of, tables_of_runs
from irci.studies.unjudged.sentences import Told, sentences
from irci.studies.unjudged.settings import Settings, level_of, which_documents

logger = logging.getLogger("irci")


def unjudged(settings: Settings, inputs: Inputs) -> Report:
    """Between which bounds does a run score, and differ from others, whatever grades unjudged documents have?"""
    if inputs.scores or inputs.standardise is not None or inputs.judged_only:
        raise UsageError("bounds of unjudged documents need rankings with these documents in them.")
    measures = settings.measures or [MAP]
    settings.check_measures(measures, inputs)
    experiment = Experiment(inputs, measures, with_intervals=False)
    highest = experiment.judgments.at(None).most
    settings.check_grades(experiment, measures, highest)
    which = which_documents(settings, measures)
    logger.info(
        f"bounds: {which} may have any grade from 0 to {highest} (--max-grade); all others count as not relevant"
    )
    runs = read_runs(settings, experiment, measures)
    _warn_of_no_bounds(measures, inputs, highest)
    topics, table = experiment.topics, scores_of(experiment, runs, measures)
    pairs = [
        compared(settings, topics, runs, measure, inputs.relevance_level, highest, inputs.progress)
        for measure in (measures if settings.has_pairs else ())
    ]
    tables = tables_of_runs(settings, topics, runs, measures)
    told = Told(settings, measures, runs, pairs, highest)
    return Report(
        tables=[*tables, *(table for each in pairs for table in each.tables())],
        signature=_signature(settings, inputs, measures, highest, len(topics)),
        explain=lambda: sentences(told),
        files=files_of(inputs, table),
        caption=lambda _: Caption(means_over(len(topics), inputs.missing), _limits(highest, which.rstrip(","))),
        sources=OF_GRADES,
    )


def _limits(highest: int, which: str) -> str:
    return f"bounds over all grades, 0 to {highest}, of {which} (worst cases)"


def _signature(settings: Settings, inputs: Inputs, measures: Sequence[Measure], highest: int, topics: int) -> Signature:
    return {
        "command": settings.command,
        "measures": " ".join(measure.name for measure in measures),
        "baseline": settings.compared_with,
        "unjudged": settings.of_method.unjudged,
        "tail": settings.tail,
        "epsilon": settings.epsilon,
        **inputs.signature(),
        "max_grade": highest,
        "num_topics": topics,
    }


def _warn_of_no_bounds(measures: Sequence[Measure], inputs: Inputs, highest: int) -> None:
    level = inputs.relevance_level
    without = [each.name for each in measures if bounds_kind(each, highest, level_of(each, level)) is None]
    if without:
        logger.warning(f"{', '.join(without)}: no bounds over the grades of unjudged documents are known")

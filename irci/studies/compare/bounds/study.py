"""Bounds of unjudged documents: from request and inputs to a report."""

import logging
from collections.abc import Sequence

from irci.base.choices import JUDGMENTS
from irci.base.errors import UsageError
from irci.data.experiment import Experiment
from irci.data.inputs import Inputs
from irci.data.measures import MAP, Measure
from irci.data.score_tables import files_of
from irci.methods.unjudged.bounds import bounds_kind
from irci.output.report import Caption, Report, Signature, Source
from irci.studies.compare.bounds.pairs import compared
from irci.studies.compare.bounds.runs import read_runs, scores_of, tables_of_runs
from irci.studies.compare.bounds.scope import check_grades, check_measures, level_of, unknowns_of, which_documents
from irci.studies.compare.bounds.sentences import Told, sentences
from irci.studies.compare.request import Request
from irci.studies.limits import means_over

logger = logging.getLogger("irci")

OF_GRADES = Source(
    "",
    "The grades of unjudged documents vary: bounds are the least and the greatest score over all of them, worst cases. The"
    " judgments there are, the topics and the runs stay the same; nothing is said of how likely a score is.",
)


def unjudged(request: Request, inputs: Inputs, command: str) -> Report:
    """Between which bounds does a run score, and differ from others, whatever grades unjudged documents have?"""
    if inputs.scores or inputs.standardise is not None or inputs.judged_only:
        raise UsageError("bounds of unjudged documents need rankings with these documents in them.")
    measures = request.measures or [MAP]
    check_measures(request, measures, inputs)
    experiment = Experiment(inputs, measures, with_intervals=False)
    highest = begin(request, experiment, measures)
    which = which_documents(request, measures)
    runs = read_runs(request, experiment, measures)
    warn_of_no_bounds(measures, inputs, highest)
    topics, table = experiment.topics, scores_of(experiment, runs, measures)
    pairs = [
        compared(request, topics, runs, measure, inputs.relevance_level, highest, inputs.progress)
        for measure in (measures if request.has_pairs else ())
    ]
    tables = tables_of_runs(request, topics, runs, measures)
    told = Told(request, measures, runs, pairs, highest)
    return Report(
        tables=[*tables, *(table for each in pairs for table in each.tables())],
        signature={"command": command, **_signature(request, inputs, measures, highest, len(topics))},
        explain=lambda: sentences(told),
        files=files_of(inputs, table),
        caption=lambda _: Caption(means_over(len(topics), inputs.missing), _limits(highest, which.rstrip(","))),
        sources={JUDGMENTS: OF_GRADES},
    )


def begin(request: Request, experiment: Experiment, measures: Sequence[Measure]) -> int:
    """The highest grade of the scale, which is told with the documents that may have it."""
    highest = experiment.judgments.at(None).most
    check_grades(experiment, measures, highest)
    which = which_documents(request, measures)
    logger.info(
        f"bounds: {which} may have any grade from 0 to {highest} (--max-grade); all others count as not relevant"
    )
    return highest


def _limits(highest: int, which: str) -> str:
    return f"bounds over all grades, 0 to {highest}, of {which} (worst cases)"


def _signature(request: Request, inputs: Inputs, measures: Sequence[Measure], highest: int, topics: int) -> Signature:
    return {
        "measures": " ".join(measure.name for measure in measures),
        "baseline": request.compared_with,
        "unjudged": unknowns_of(request).unjudged,
        "tail": request.tail,
        "epsilon": request.epsilon,
        **inputs.signature(),
        "max_grade": highest,
        "num_topics": topics,
    }


def warn_of_no_bounds(measures: Sequence[Measure], inputs: Inputs, highest: int) -> None:
    """Say which measures have none."""
    level = inputs.relevance_level
    without = [each.name for each in measures if bounds_kind(each, highest, level_of(each, level)) is None]
    if without:
        logger.warning(f"{', '.join(without)}: no bounds over the grades of unjudged documents are known")

"""Scores of runs, from files of scores or from runs, and what varies of them where topics are a plain sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from irci.base import DataError, UsageError, first_few
from irci.base.choices import BOTH, DOCUMENTS, JUDGMENTS, TOPICS, PairCorrection, Population
from irci.base.types import Ends, gathered
from irci.comparison.family import Scored
from irci.comparison.sources import Source, Topics
from irci.comparison.sources.documents import DocumentSource, TopicsAndDocuments
from irci.comparison.sources.judges import JudgeSource
from irci.data.experiment import Experiment
from irci.data.inputs import Inputs
from irci.data.score_tables import completed, named_in, score_files, standardised_if_asked
from irci.data.scores import ends_of_scales, refuse_beyond
from irci.estimators.means import BOUNDED, Design
from irci.measures import MAP, Measure
from irci.options.asked import Asked
from irci.stats.scales import PLAIN
from irci.wording import warn_of_few_groups


def on_topics(request: Asked, inputs: Inputs) -> Scored:
    """Scores on topics as a plain sample, whose documents may vary too."""
    unbounded = [measure.name for measure in request.measures if not measure.is_bounded]
    if unbounded and (request.meta is not None or request.interval == "parametric"):
        option = "--meta" if request.meta is not None else "--interval parametric"
        raise UsageError(f"{option} needs scores between 0 and 1, which {', '.join(unbounded)} does not have.")
    populations, design = populations_read(request, inputs), design_of(request, "none")
    scored = read(request, inputs, populations)
    planned: dict[str, str | int] = {}
    if request.plan is not None:
        looks, are_selected = request.looks is not None, inputs.topics is not None
        if looks:
            request.plan.check_order(scored.topics)
        planned = request.plan.signature(scored.table.runs, scored.topics, looks=looks, are_selected=are_selected)
    if {TOPICS, BOTH} & set(populations):
        is_bounded = scored.ends and design.interval in BOUNDED
        warn_of_few_groups(len(scored.topics), "topic", least=1 if is_bounded else 2)
    return scored.replaced(signature={"num_topics": len(scored.topics), **planned})


def design_of(request: Asked, correction: PairCorrection) -> Design:
    """The design that estimators take."""
    by_itself = request.test in ("randomization", "wilcoxon") and correction != "maxt"
    signs = 20_000 if by_itself else 10_000
    return request.record(
        Design, interval=request.interval or "auto", signs=request.resamples if request.has("resamples") else signs,
        correction=correction, meta=request.meta or "",
    )  # fmt: skip


def asked_about(request: Asked, names: Sequence[str]) -> list[str]:
    """The sources of these names that are asked about: all of them where none is named."""
    return [name for name in names if request.population is None or name in request.population]


def names_tried(request: Asked, names: Sequence[str]) -> list[str]:
    """The same, or all where claims are tried."""
    return [*names] if request.survives else asked_about(request, names)


def populations_read(request: Asked, inputs: Inputs) -> list[str]:
    """The populations of topics and documents that scores are read for, in the order of rows; where claims are tried all that
    other sources may be about."""
    asked = {*(request.population or (TOPICS,))}
    if request.survives:
        asked |= {TOPICS, *(() if inputs.has_only_scores else (DOCUMENTS, JUDGMENTS))}
    return [name for name in get_args(Population) if name in asked]


def refuse_rankings(populations: Sequence[str]) -> None:
    """Raise UsageError for what varies in rankings, of which scores have none."""
    for name in populations:
        if name in (DOCUMENTS, BOTH, JUDGMENTS):
            does = "is about documents" if name == JUDGMENTS else "resamples documents"
            raise UsageError(f"--population {name} {does}, which scores do not have.")


def read(request: Asked, inputs: Inputs, populations: Sequence[str]) -> Scored:
    """Scores from files or runs, and the sources of these names, whose findings on each run are made while it is read."""
    measures, paths, judges = list(request.measures), list[str](), list[JudgeSource]()
    resampled, judgments = None, None
    if inputs.scores:  # without measures asked for, all that have a mean
        table = completed(score_files(inputs, [measure.base for measure in measures]), inputs)
        measures, runs = measures or named_in(table.values), table.runs
        if request.is_with_first and len(runs) > 1 and not table.one_a_file:
            raise UsageError(
                f"--scores: which run comes first in a file means little (there are {first_few(runs)}): name one with"
                " --baseline NAME, or add --all-pairs."
            )
    else:
        measures = measures or [MAP]
        groups = by_base(measures)
        bases = [of_base[0].base for of_base in groups]
        with_intervals = bool(set(populations) - {JUDGMENTS})
        experiment = Experiment(inputs, measures if with_intervals else bases, with_intervals=with_intervals)
        if JUDGMENTS in populations:
            from irci.comparison.sources.judgments import JudgmentSource

            judgments = JudgmentSource(request, experiment, measures)
        if {DOCUMENTS, BOTH} & set(populations) or request.meta is not None:
            resampled = DocumentSource(request, design_of(request, "none"), experiment, groups, populations)
        if request.survives or request.passes is not None:
            judges = [JudgeSource(experiment, bases, path) for path in inputs.other_qrels]
            inputs.refuse_judges_of_one_name()
        hearers = [hearer for hearer in (resampled, judgments, *judges) if hearer is not None]
        table = experiment.scores(bases, [hearer.add for hearer in hearers])
        is_made, is_left = [run not in table.missing for run in table.runs], np.isin(experiment.topics, table.topics)
        for hearer in hearers:
            hearer.settle(is_made, is_left)
        paths = experiment.paths
    (table,), measures, files = standardised_if_asked([table], measures, inputs)
    scored = Scored(table, measures, files=files, paths=paths, resampled=resampled, judges=judges)
    by_name: dict[str, Source | None] = {TOPICS: Topics(), DOCUMENTS: resampled, JUDGMENTS: judgments}
    by_name[BOTH] = resampled and TopicsAndDocuments(resampled)
    sources = [source for source in map(by_name.get, populations) if source is not None]
    return scored.replaced(sources=sources, ends=_ends(request, inputs, scored))


def _ends(request: Asked, inputs: Inputs, scored: Scored) -> dict[str, Ends]:
    """The ends of the measures' scales, for limits that rest on them."""
    if request.interval not in (None, *BOUNDED):
        return {}
    values, option = [scored.made.values], " (--range)"
    ends_of_measure = ends_of_scales(scored.measures, values, request.range, inputs.standardise, option)
    for measure in scored.measures:
        if measure.name in ends_of_measure:
            if request.range is not None and not inputs.has_only_scores:
                refuse_beyond(measure.name, scored.scores(measure), request.range, scored.runs, scored.topics)
        elif request.interval == "bounded":
            if measure.scale() != PLAIN:
                raise UsageError(f"--interval bounded needs means of scores as they are, unlike {measure.name}.")
            raise DataError(f"--interval bounded needs the ends of the scale of {measure.name} (--range)")
    return ends_of_measure


def by_base(measures: Sequence[Measure]) -> list[list[Measure]]:
    """The measures by what they average: AP for MAP, L-MAP and GMAP."""
    return list(gathered((measure.base.name, measure) for measure in measures).values())


def signature_of(inputs: Inputs) -> dict[str, Any]:
    """The inputs that change a digit, by their names."""
    return {**inputs.signature(), "scores": inputs.scores, "standardise": inputs.standardise}

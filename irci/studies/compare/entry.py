"""From a request and inputs to a report: which sources of variation there are, and how scores come to them."""

import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import get_args

from irci.base.choices import BOTH, DOCUMENTS, JUDGMENTS, TOPICS, ResampledInterval
from irci.base.errors import DataError, UsageError
from irci.data.experiment import Experiment
from irci.data.inputs import Inputs, refuse_one
from irci.data.measures import MAP, Measure
from irci.data.notices import warn_of_few_resamples, warn_of_no_limits, warn_of_one_topic
from irci.data.score_tables import read_tables
from irci.data.scores import Scores
from irci.methods.compare.design import Design
from irci.output.report import Report
from irci.studies.compare.collections import over_collections
from irci.studies.compare.family import Scored, Source
from irci.studies.compare.reading import by_base, read_scores, score_runs, signature_of
from irci.studies.compare.request import Request, refuse_counts
from irci.studies.compare.sources.both import Both
from irci.studies.compare.sources.clusters import in_clusters
from irci.studies.compare.sources.documents import Documents, ResampledDocuments, resamples
from irci.studies.compare.sources.judgments import Judgments
from irci.studies.compare.sources.seeds import of_systems
from irci.studies.compare.sources.topics import Topics
from irci.studies.compare.sources.versions import on_versions
from irci.studies.compare.study import report_on
from irci.system import memory

logger = logging.getLogger("irci")

MANY = 10**6  # pairs
# Bytes, measured: of what is found of a pair over one source, of its row where that is kept, of its spread on a topic.
OF_PAIR, OF_ROW, OF_TOPIC = 250, 1500, 9


def compare(request: Request, inputs: Inputs) -> Report:
    """How precise is a mean, is one run better than another, and which may be the best?

    Raises SeveralCollections for tables of scores of several, unless the request is about these.
    """
    if request.judge is not None:
        from irci.studies.compare.sources.people import with_judge

        return with_judge(request, inputs)
    if request.population == (JUDGMENTS,):
        from irci.studies.compare.bounds.study import unjudged

        return unjudged(request, inputs, "map-ci --population judgments")
    if request.versions is not None:
        scored = on_versions(request, inputs, request.versions)
    elif request.clusters is not None:
        scored = _in_clusters(request, inputs)
    elif request.seeds is not None:
        refuse_counts(request.measures)
        scored = of_systems(request, read(request, inputs, []), request.seeds)
    elif request.collections is not None or _asks_for_collections(request, inputs):
        return _over_collections(request, inputs)
    else:
        return plain(request, inputs)
    return report_on(request, scored, signature_of(inputs), threads=inputs.threads, progress=inputs.progress)


def _in_clusters(request: Request, inputs: Inputs) -> Scored:
    assert request.clusters is not None
    if BOTH in (request.population or ()):
        raise UsageError("--population both takes each topic by itself: leave out --clusters.")
    refuse_counts(request.measures)
    beside = [name for name in (DOCUMENTS, JUDGMENTS) if name in (request.population or ())]
    if beside and request.mean == "clusters":
        raise UsageError(f"--population {beside[0]} is about means of topics: leave out --mean clusters.")
    if inputs.has_only_scores:
        refuse_rankings(beside)
    scored = read(request, inputs, beside)
    topics = request.clusters.of_topics(scored.topics, are_all=inputs.topics is None)
    found = in_clusters(scored, topics, request)
    return found.varying([*found.sources, *sources_of(beside, scored)])


def _asks_for_collections(request: Request, inputs: Inputs) -> bool:
    populations = request.population or ()
    return inputs.scores and ("collections" in populations or request.mean in ("topics", "collections"))


def _over_collections(request: Request, inputs: Inputs) -> Report:
    if request.collections is not None:
        return over_collections(request, inputs, request.collections)
    found: Sequence[Scores] = read_tables(inputs, [each.base for each in request.measures])
    if len(found) == 1:
        option = f"--mean {request.mean}" if request.mean is not None else "--population collections"
        raise UsageError(f"{option} is for several collections: these are scores of one.")
    refuse_one([str(table.collection) for table in found], ", ".join(inputs.files))
    return over_collections(request, inputs, found)


def plain(request: Request, inputs: Inputs) -> Report:
    """How precise is a run's mean score, and is one run really better than another?"""
    request.check_measures()
    populations = populations_of(request, inputs)
    design = request.design(request.correction or ("maxt" if request.ranks else "holm"))
    if TOPICS in populations and design.interval in get_args(ResampledInterval):
        warn_of_few_resamples(design.interval, design.resamples, design.confidence, ", or --interval t")
    scored = read(request, inputs, populations, counts=True)
    for measure in scored.measures:
        request.check_margin(measure, inputs.standardise)
    _warn_of_no_limits(request, inputs, populations, scored.measures, design)
    if populations != (DOCUMENTS,):
        warn_of_one_topic(len(scored.topics))
    scored = scored.varying(
        list(sources_of(populations, scored)),
        made_of=inputs.topics_averaged(len(scored.topics)),
        signature={"num_topics": len(scored.topics)},
    )
    return report_on(request, scored, signature_of(inputs), threads=inputs.threads, progress=inputs.progress)


def populations_of(request: Request, inputs: Inputs) -> tuple[str, ...]:
    """What varies; of scores alone the topics do."""
    if inputs.has_only_scores:
        refuse_rankings([name for name in request.population or () if name != TOPICS])
        return (TOPICS,)
    return request.population or (DOCUMENTS, TOPICS)


def refuse_rankings(populations: Sequence[str]) -> None:
    """Raise UsageError for what varies in rankings, of which scores have none."""
    for name in populations:
        does = "is about documents" if name == JUDGMENTS else "resamples documents"
        raise UsageError(f"--population {name} {does}, which files of scores do not have.")


def read(request: Request, inputs: Inputs, populations: Sequence[str], *, counts: bool = False) -> Scored:
    """Scores from files or runs, and what each run's resampled documents say, found while it is read."""
    if inputs.scores:
        scored = read_scores(inputs, request.measures, counts=counts)
        check_number_of_pairs(request, populations, len(scored.runs), len(scored.topics))
        return scored
    measures = list(request.measures) or [MAP]
    with_bounds = JUDGMENTS in populations
    needs = bool(set(populations) & {DOCUMENTS, BOTH}) or request.meta is not None
    experiment = (
        Experiment(inputs, measures)
        if populations
        else Experiment(inputs, [some[0].base for some in by_base(measures)], with_intervals=False)
    )
    check_number_of_pairs(request, populations, len(experiment.paths), len(experiment.topics))
    judgments = Judgments(request, experiment, measures) if with_bounds else None
    resampled = None
    if needs:
        resampled = ResampledDocuments(request, request.design("none"), experiment, by_base(measures), populations)
    hearers = [each.add for each in (resampled, judgments) if each is not None]
    scored = replace(score_runs(inputs, measures, experiment, hearers, counts=counts), resampled=resampled)
    if judgments is not None:
        judgments.warn()
    return replace(scored, judgments=judgments)


def sources_of(populations: Sequence[str], scored: Scored) -> Iterator[Source]:
    """The sources of these names, whatever topics belong to."""
    for name in populations:
        if name == TOPICS:
            yield Topics(scored.keys)
        elif name == JUDGMENTS and scored.judgments is not None:
            yield scored.judgments
        elif isinstance(scored.resampled, ResampledDocuments):
            yield Documents(scored.resampled) if name == DOCUMENTS else Both(scored.resampled)


def _warn_of_no_limits(
    request: Request, inputs: Inputs, populations: Sequence[str], measures: Sequence[Measure], design: Design
) -> None:
    """Say why a count has no limits, and over documents what else has none, unless none are asked for."""
    if inputs.has_only_scores:
        warn_of_no_limits(measure for measure in measures if measure.is_count)
    elif tuple(populations) != (TOPICS,) and design.resamples > 0:
        warn_of_no_limits((each for each in measures if not resamples(design, each.base)), " over documents")


def check_number_of_pairs(request: Request, populations: Sequence[str], runs: int, topics: int) -> None:
    """Say how many pairs there are if they are many, and raise DataError if there is no memory for them."""
    if not (request.all_pairs or request.ranks):
        return
    pairs = math.comb(runs, 2)
    needed = pairs * _bytes_of_pair(request, populations, topics)
    size = f"{pairs:,} pairs of {runs:,} runs take about {memory.in_words(needed)} of memory"
    if memory.is_too_much(needed):
        raise DataError(
            f"{size}, more than half of what is available: --compare or --baseline without --ranks, or fewer runs"
        )
    if pairs > MANY:
        logger.info(f"{size}; --compare or --baseline tests against one run")


def _bytes_of_pair(request: Request, populations: Sequence[str], topics: int) -> int:
    by_topic = request.per_topic and request.all_pairs
    needs_spreads = BOTH in populations or request.meta is not None or (by_topic and DOCUMENTS in populations)
    return (
        OF_PAIR * len(populations)
        + OF_ROW * topics * by_topic
        + OF_ROW * (request.meta is not None)
        + OF_TOPIC * topics * needs_spreads
    )

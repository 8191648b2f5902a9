"""From a request and inputs to a report: which sources of variation there are, and how scores come to them."""

from __future__ import annotations

from collections.abc import Sequence

from irci.base.choices import BOTH, DOCUMENTS, JUDGMENTS
from irci.base.errors import UsageError
from irci.data.inputs import Inputs, refuse_one
from irci.data.score_tables import read_tables
from irci.data.scores import Scores
from irci.output.report import Report
from irci.studies.compare.collections import over_collections
from irci.studies.compare.plain import plain, read, refuse_rankings, sources_of
from irci.studies.compare.request import Request, refuse_counts
from irci.studies.compare.scored import Scored, signature_of
from irci.studies.compare.sources.clusters import in_clusters
from irci.studies.compare.sources.seeds import of_systems
from irci.studies.compare.sources.versions import on_versions
from irci.studies.compare.study import report_on


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
        scored = of_systems(request, _without_counts(request, inputs), request.seeds)
    elif request.collections is not None or _asks_for_collections(request, inputs):
        return _over_collections(request, inputs)
    else:
        return plain(request, inputs)
    return report_on(request, scored, signature_of(inputs), threads=inputs.threads, progress=inputs.progress)


def _without_counts(request: Request, inputs: Inputs) -> Scored:
    refuse_counts(request.measures)
    return read(request, inputs, [])


def _in_clusters(request: Request, inputs: Inputs) -> Scored:
    """Clusters, and documents beside them if these are asked for too."""
    assert request.clusters is not None
    if BOTH in (request.population or ()):
        raise UsageError("--population both takes each topic by itself: leave out --clusters.")
    refuse_counts(request.measures)
    beside = [name for name in (DOCUMENTS, JUDGMENTS) if name in (request.population or ())]
    if beside and request.mean == "clusters":
        raise UsageError(f"--population {beside[0]} is about means of topics: leave out --mean clusters.")
    if inputs.scores or inputs.standardise is not None:
        refuse_rankings(beside)
    scored = read(request, inputs, beside)
    topics = request.clusters.of_topics(scored.topics, are_all=inputs.topics is None)
    found = in_clusters(scored, topics, request)
    return found.varying([*found.sources, *sources_of(beside, scored)])


def _asks_for_collections(request: Request, inputs: Inputs) -> bool:
    """Whether a table of scores is to name several collections."""
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

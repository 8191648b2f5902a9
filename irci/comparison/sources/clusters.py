"""Clusters of topics: would other clusters agree, and other topics of these?"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from irci.base.choices import BOTH, DOCUMENTS, JUDGMENTS, TOPICS
from irci.base.errors import DataError, UsageError
from irci.base.names import plural
from irci.comparison.family import Family, Scored
from irci.comparison.reading import read, refuse_rankings, sources_of
from irci.comparison.request import Request, refuse_counts
from irci.comparison.sources.grouped import GroupSource, both_sources
from irci.data.inputs import Inputs
from irci.data.notices import warn_of_few_groups, warn_of_one_topic, warn_of_topics
from irci.data.rules import GroupedTopics
from irci.estimators.compare.edges import named, on_scale, replaced, scale_of
from irci.estimators.compare.grouped import BoundedOverGroups, Groups
from irci.estimators.compare.means import Tested
from irci.stats.estimates import Estimates, is_mostly_one
from irci.stats.intervals import Interval
from irci.stats.tests import no_less_than_signs, reaching_zero
from irci.wording import notify

CLUSTERS = "clusters"


class ClusterSource(GroupSource):
    """Clusters as a sample, or the topics of those that are given."""

    counts = {"groups": CLUSTERS}  # noqa: RUF012
    noun = "cluster"

    def __init__(self, groups: Groups, name: str, of_these: GroupSource | None = None) -> None:
        super().__init__(groups, name, groups_vary=name == CLUSTERS, of_these=of_these)
        self.words_as = CLUSTERS if self.groups_vary else "topics-in-clusters"

    def tested(self, family: Family) -> Tested:
        return self._with_bounded(family, super().tested(family))

    def limits(self, family: Family, tested: Tested, confidence: float) -> Interval:
        limits = super().limits(family, tested, confidence)
        bounded = self._bounded(family, tested.of, limits, confidence)
        return limits if bounded is None else replaced(limits, bounded.some, bounded.limits)

    def _bounded(self, family: Family, of: Estimates, by_t: Interval, confidence: float) -> BoundedOverGroups | None:
        """Bounded limits over clusters, and p that go with them, where sizes differ no surer than those by t; None over the
        topics of those given, or without a scale."""
        if family.ends is None or not self.groups_vary:
            return None
        bounded = self.groups.bounded(
            family.values, family.pairs, family.ends, family.design.interval, confidence, are_points=family.are_points
        )
        bounded = bounded.no_surer_than(on_scale(by_t, scale_of(family.pairs, family.ends)), of.p())
        held = np.where(self.holds_to_signs(of.units) & ~np.isnan(bounded.p), of.units, 0)
        p, _ = no_less_than_signs(bounded.p, held)
        return bounded._replace(limits=reaching_zero(bounded.limits, held, confidence), p=p)

    def _with_bounded(self, family: Family, tested: Tested) -> Tested:
        bounded = self._bounded(family, tested.of, tested.limits, family.design.confidence)
        if bounded is None:
            return tested
        kinds = named(["t"] * len(bounded.some), bounded.some, "bounded")
        by_bounds = ~np.isnan(bounded.p) & (family.design.test == "t")
        return tested._replace(
            limits=replaced(tested.limits, bounded.some, bounded.limits), interval=kinds,
            p=np.where(by_bounds, bounded.p, tested.p), test=named(tested.test, by_bounds, "bounded"),
        )  # fmt: skip


def in_clusters(request: Request, inputs: Inputs, printed: Sequence[str] | None) -> Scored:
    """Scores whose topics come in clusters, and what varies beside these.

    printed: the populations that rows are about; claims are over topics as a plain sample, whatever clusters they come in
    """
    if BOTH in (request.population or ()) and not request.survives:
        raise UsageError("--population both takes each topic by itself: leave out --clusters.")
    refuse_counts(request.measures)
    beside = [name for name in (DOCUMENTS, BOTH, JUDGMENTS) if name in (request.population or ())]
    if beside and request.mean == CLUSTERS:
        raise UsageError(f"--population {beside[0]} is about means of topics: leave out --mean clusters.")
    if inputs.has_only_scores:
        refuse_rankings(beside)
    scored = read(request, inputs, beside)
    topics: GroupedTopics = request.clusters.of_topics(scored.topics, are_all=inputs.topics is None)
    rule, by_cluster = request.clusters.given, request.mean == CLUSTERS
    groups = Groups(topics.place, scored.keys, by_group=by_cluster)
    names = [CLUSTERS] if printed is None or CLUSTERS in printed or request.survives else []
    names += [TOPICS] if printed is None or TOPICS in printed else []
    names = _told(names, rule, topics, by_cluster=by_cluster, alone=len(names) == 1)
    plain = [TOPICS] if request.survives else []
    number = plural(groups.number, "cluster")
    return scored._replace(
        sources=[*both_sources(partial(ClusterSource, groups), names), *sources_of([*plain, *beside], scored)],
        kind=CLUSTERS,
        made_of=f"{plural(len(scored.topics), 'topic')} in {number}" + ", each weighted equally" * by_cluster,
        signature={
            "clusters": rule, "mean": "clusters" if by_cluster else "topics",
            "num_topics": len(scored.topics), "num_clusters": groups.number,
        },
    )  # fmt: skip


def _told(names: Sequence[str], raw: str, topics: GroupedTopics, *, by_cluster: bool, alone: bool) -> list[str]:
    """The populations that have rows; what has none, no limits or too wide ones is said. Raises DataError if that is all that
    is asked about, `alone`."""
    sizes = np.bincount(topics.place)
    if CLUSTERS in names and (len(sizes) == 1 if by_cluster else is_mostly_one(sizes)):
        one = f"one cluster has {sizes.max()} of {plural(len(topics.place), 'topic')}"
        if alone:
            raise DataError(f"{raw}: {one}: nothing can be said about others (--population topics)")
        notify("lacking", measure=raw, what="rows over clusters", who="", why=one)
        names = [TOPICS] * (TOPICS in names)
    elif CLUSTERS in names:
        wide = "limits over clusters are usually wide, and assume that clusters are alike"
        warn_of_few_groups(len(sizes), "cluster", wide)
    if TOPICS in names and len(topics.place) == 1:
        if alone:
            raise DataError(f"{raw}: one topic: nothing can be said about others")
        warn_of_one_topic(1)
    elif TOPICS in names:
        happens = (
            "of one topic, whose variance cannot be estimated: no limits over topics (--population clusters has limits)"
        )
        warn_of_topics(raw, happens, topics.of_one, "cluster")
    return [*names]

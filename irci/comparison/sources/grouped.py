"""The ground of all sources of scores that come in groups: the groups vary, or they are given and their members vary. Clusters
of topics: would other clusters agree, and other topics of these? Several collections: the same of these. Versions of topics'
queries: would other topics agree, and other wordings of these?
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from irci.base import DataError, UsageError, plural, raw
from irci.base.choices import BOTH, DOCUMENTS, JUDGMENTS, TOPICS
from irci.base.streams import topic_keys
from irci.base.types import Bools, Ends, Floats, Pairs
from irci.comparison.family import Family, Scored
from irci.comparison.reading import asked_about, read, refuse_rankings, warn_of_few_topics
from irci.comparison.sources import Source, Topics, TopicsOfPart
from irci.data.collection_files import MEAN
from irci.data.inputs import Inputs, where
from irci.data.rules import GroupedTopics, clusters_of
from irci.data.score_tables import lacking_in_any, named_in, rows_of
from irci.data.scores import Scores, ends_of_scales
from irci.data.versions import Versions, version_scores
from irci.estimators.grouped import Groups
from irci.estimators.means import Tested, topic_means
from irci.measures import Measure
from irci.options.asked import Asked
from irci.stats.decisions import agreeing
from irci.stats.estimates import Estimates, is_mostly_one
from irci.stats.intervals import prediction_interval, wider
from irci.stats.power import MANY_GROUPS
from irci.stats.signs import Units
from irci.stats.tests import NOTHING, reaching_zero
from irci.wording import notify, warn_of_few_clusters, warn_of_one_topic, warn_of_topics

UNTOLD = "these"  # topics of groups, over which groups are no surer


class GroupSource(Source):
    """Groups, a sample or given.

    kind: what groups, or where these are topics members, are called
    counts: what columns of the numbers of groups and members are called
    tells_alike: whether it is told, once, that scores are alike within each group
    """

    kind = ""
    counts: Mapping[str, str] = {}
    groups_are_topics = False
    tells_alike = True
    predicts = False  # limits are for one more group, not for a mean

    def __init__(self, groups: Groups, name: str, of_these: Source | None = None) -> None:
        """`of_these`: the topics of these groups, over which a narrower claim is no less sure."""
        self.groups = groups._replace(vary=(name == TOPICS) == self.groups_are_topics)
        self.name, self.of_these = name, of_these
        self.words_as, self.held_below = name, float(MANY_GROUPS)
        if name == TOPICS:
            self.words_as, self.held_below = f"topics-in-{self.kind}", math.inf

    @property
    def key(self) -> str:
        return f"{super().key} of {self.word('members_of')}"  # and not topics as a plain sample

    def finished(self, family: Family, result: Tested) -> Tested:
        """With limits no narrower, and p no less, than over topics of these: few groups that happen to agree would make limits
        too narrow by far. What groups tell nothing of stays so."""
        if self.of_these is None:
            return result
        narrower, of, adjusted = family.over(self.of_these), result.of, result.limits_adjusted
        is_known, confidence = ~np.isnan(of.error), family.design.confidence
        limits = np.where(is_known, wider(result.limits, narrower.limits), result.limits)
        p = np.where(is_known, np.fmax(result.p, narrower.p), result.p)
        p_adjusted = np.where(is_known, np.fmax(result.p_adjusted, narrower.p_adjusted), result.p_adjusted)
        if adjusted is not None and narrower.limits_adjusted is not None:
            by_others = ~np.isnan(narrower.p_adjusted) & np.isnan(narrower.limits_adjusted[0])
            unselected = (np.isnan(adjusted[0]) | by_others) & (family.design.correction == "bh")  # by both
            adjusted = np.where(is_known, wider(adjusted, narrower.limits_adjusted), adjusted)
            adjusted = np.where(unselected, np.nan, adjusted)
        if family.is_of_pairs and not self.predicts:
            # Limits over topics may stand alone, where means of groups are all equal, which few are by chance.
            limits = reaching_zero(limits, self.held_to_signs(of), confidence)
            adjusted = None if adjusted is None else agreeing(adjusted, of.value, p_adjusted, confidence)
        return result._replace(limits=limits, p=p, p_adjusted=p_adjusted, limits_adjusted=adjusted)

    def estimates(self, family: Family, pairs: Pairs, share: float = 1.0) -> Estimates:
        estimates = self.groups.estimates(family.values, pairs, share)
        place = self.groups.place
        # Errors that are not known though nothing is missing: of what is the same within each group, but not in all of them.
        is_alike = np.isnan(estimates.error) & (estimates.columns["members"] == len(place))
        if self.tells_alike and not self.groups.vary and is_alike.any() and (np.bincount(place) > 1).all():
            self.tells_alike = False
            members, group = (self.kind, "topic") if self.groups_are_topics else (TOPICS, self.kind.removesuffix("s"))
            why = f"scores do not vary over the {members} of each {group}"
            notify("lacking", measure=self.kind, what=f"limits over {members}", who="", why=why)
        return estimates._replace(columns={column: estimates.columns[name] for name, column in self.counts.items()})

    def means_of(self, values: Floats) -> Floats:
        alone = np.column_stack((np.arange(len(values)), np.full(len(values), NOTHING)))
        return self.groups.estimates(values, alone).value

    def topics_per_unit(self, family: Family) -> float:
        if self.groups.vary:
            return len(family.scored.topics) / self.groups.number
        return math.nan if self.groups_are_topics else 1.0

    def units(self, values: Floats, mask: Bools) -> Units:
        return self.groups.units(values, mask)


def both_sources(of: Callable[..., GroupSource], names: Sequence[str]) -> list[GroupSource]:
    """The sources of these names, that of topics made by `of` whether it has rows or not; without any it is no population."""
    of_these = of(TOPICS)
    if TOPICS not in names:
        of_these.name, of_these.tells_alike = UNTOLD, False
    return [of_these if name == TOPICS else of(name, of_these) for name in names]


CLUSTERS = "clusters"


class ClusterSource(GroupSource):
    """Clusters as a sample, or the topics of those that are given."""

    kind = CLUSTERS
    counts = {"groups": CLUSTERS}  # noqa: RUF012

    def tested(self, family: Family) -> Tested:
        tested = super().tested(family)
        if family.ends is None or not self.groups.vary:
            return tested
        return self.groups.bounded(
            tested, self.holds_to_signs(tested.of.units), family.values, family.pairs, family.ends, family.design,
            are_points=family.are_points,
        )  # fmt: skip


def in_clusters(request: Asked, inputs: Inputs, printed: Sequence[str] | None) -> Scored:
    """Scores whose topics come in clusters, and what varies beside these.

    printed: the populations that rows are about; claims are over topics as a plain sample, whatever clusters they come in
    """
    if BOTH in (request.population or ()) and not request.survives:
        raise UsageError("--population both takes each topic by itself: leave out --clusters.")
    beside = [name for name in (DOCUMENTS, BOTH, JUDGMENTS) if name in (request.population or ())]
    if beside and request.mean == CLUSTERS:
        raise UsageError(f"--population {beside[0]} is about means of topics: leave out --mean clusters.")
    if inputs.has_only_scores:
        refuse_rankings(beside)
    scored = read(request, inputs, beside)
    topics = clusters_of(request.clusters, scored.topics, are_all=inputs.topics is None)
    rule, by_cluster = request.clusters.given, request.mean == CLUSTERS
    groups = Groups(topics.place, scored.keys, by_group=by_cluster)
    names = [CLUSTERS] if printed is None or CLUSTERS in printed or request.survives else []
    names += [TOPICS] if printed is None or TOPICS in printed else []
    names = _told(names, rule, topics, by_cluster=by_cluster, alone=len(names) == 1)
    plain = [Topics(scored.keys)] if request.survives else []
    number = plural(groups.number, "cluster")
    return scored._replace(
        sources=[*both_sources(partial(ClusterSource, groups), names), *plain, *scored.sources],
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
        warn_of_few_clusters(len(sizes))
    if TOPICS in names and len(topics.place) == 1:
        if alone:
            raise DataError(f"{raw}: one topic: nothing can be said about others")
        warn_of_one_topic(1)
    elif TOPICS in names:
        happens = (
            "of one topic, whose variance cannot be estimated: no limits over topics (--population clusters has limits)"
        )
        warn_of_topics(raw, happens, where(topics.names, sizes == 1), "cluster")
    return [*names]


COLLECTIONS = "collections"


class CollectionSource(GroupSource):
    """Collections as a sample, or the topics of those that are given."""

    kind = COLLECTIONS
    counts = {"members": "topics"}  # noqa: RUF012

    def __init__(
        self, groups: Groups, name: str, of_these: GroupSource | None = None, *, predicts: bool = False
    ) -> None:
        """`predicts`: limits over collections are for one more of them, not for the mean over all."""
        super().__init__(groups, name, of_these)
        self.labels = {"collection": MEAN}
        self.predicts = predicts and self.groups.vary
        if self.predicts:
            self.words_as = "another-collection"

    def tested(self, family: Family) -> Tested:
        result = super().tested(family)
        if not self.predicts:
            return result
        of, number = result.of, self.groups.number
        sd = np.where(of.error > 0, of.error, np.nan) * math.sqrt(number)
        limits = prediction_interval(of.value, sd, number, family.design.confidence, new_topics=1)
        return result._replace(limits=limits, interval=np.array("prediction", object))


def all_collections(
    request: Asked, tables: Sequence[Scores], measures: Sequence[Measure], runs: Sequence[str]
) -> Scored:
    """The runs that all collections have, on the topics of all."""
    names = [str(table.collection) for table in tables]
    sizes = [len(table.topics) for table in tables]
    # The same topic id in two collections is two topics.
    topics = [f"{name}\t{topic}" for name, table in zip(names, tables, strict=True) for topic in table.topics]
    keys = topic_keys([raw(topic) for topic in topics])
    groups = Groups(np.repeat(np.arange(len(sizes)), sizes), keys, by_group=True, complete=True)
    populations = asked_about(request, [COLLECTIONS, TOPICS])
    return Scored(
        runs=runs,
        topics=topics,
        measures=measures,
        values={name: np.hstack([rows_of(table, name, runs) for table in tables]) for name in tables[0].values},
        keys=keys,
        sources=both_sources(
            partial(CollectionSource, groups, predicts=request.interval == "prediction"), populations
        ),
        kind=COLLECTIONS,
        lacking=lacking_in_any(tables, runs),
        made_of=f"{plural(len(topics), 'topic')} in {plural(len(names), 'collection')}, each weighted equally",
        signature={
            "collections": " ".join(names), "num_topics": len(topics), "num_collections": len(names),
        },
    )  # fmt: skip


def one_collection(table: Scores, measures: Sequence[Measure], ends: Mapping[str, Ends]) -> Scored:
    """One of several collections by itself; `ends`: of the scales of measures that have any."""
    scored, name = Scored.of(table, measures), str(table.collection)
    return scored._replace(
        sources=[TopicsOfPart(scored.keys, "collection", name, tells_df=True)], kind=COLLECTIONS, where=name,
        made_of=f"{plural(len(table.topics), 'topic')} in 1 collection, each topic weighted equally", ends=ends,
    )  # fmt: skip


VERSIONS = "versions"


class VersionSource(GroupSource):
    """Topics as a sample, each the mean of its versions, so that each counts alike; or the versions of those given."""

    kind = VERSIONS
    counts = {"groups": "topics", "members": VERSIONS}  # noqa: RUF012
    groups_are_topics = True

    def tested(self, family: Family) -> Tested:
        tested = super().tested(family)
        if family.is_of_pairs or not self.groups.vary or self.groups.number == 1:
            return tested
        averages, _ = self.groups.in_each(family.values, family.pairs)
        over_averages = topic_means(averages, family.design, family.ends)
        return tested._replace(limits=over_averages.limits, interval=over_averages.interval)


def on_versions(request: Asked, inputs: Inputs, versions: Versions) -> Scored:
    """Scores of runs (systems) on several versions of each topic."""
    bases = list({measure.base.name: measure.base for measure in request.measures}.values())
    table, columns = version_scores(inputs, bases, versions)
    topics = list(dict.fromkeys(topic for topic, _ in columns))
    _refuse_what_has_no_others(request.population, versions.given, len(topics), len(columns))
    place_of = {topic: index for index, topic in enumerate(topics)}
    places = np.array([place_of[topic] for topic, _ in columns], np.int64)
    # The streams of signs: of a topic's first version those of the topic, so that a topic with one version has its own.
    own = zip(columns, np.diff(places, prepend=-1) == 0, strict=True)
    keys = topic_keys([raw(topic) + (b"\0" + raw(version) if is_later else b"") for (topic, version), is_later in own])
    groups = Groups(places, keys, by_group=True)
    names = asked_about(request, [TOPICS, VERSIONS])
    if VERSIONS in names:
        alone = [topics[index] for index in np.flatnonzero(np.bincount(places) == 1).tolist()]
        warn_of_topics(versions.given, "with one version: no limits over versions", alone)
    measures = list(request.measures) or named_in(table.values)
    is_by_t = request.interval == "t"
    return Scored.of(table, measures)._replace(
        topics=topics,
        ends={} if is_by_t else ends_of_scales(measures, [table.values], request.range, inputs.standardise),
        keys=keys,
        sources=[VersionSource(groups, name) for name in names],
        kind=VERSIONS,
        made_of=f"{plural(len(topics), 'topic')}, each the mean of its versions ({len(columns)} in all)",
        signature={"versions": versions.given, "num_topics": len(topics), "num_versions": len(columns)},
    )


def _refuse_what_has_no_others(populations: Sequence[str] | None, raw: str, topics: int, versions: int) -> None:
    alone = None if populations is None or len(populations) > 1 else populations[0]
    if topics == versions and alone == VERSIONS:
        raise DataError(f"{raw}: one version of each topic: nothing can be said about others (--population topics)")
    if topics == 1 and alone == TOPICS:
        raise DataError(f"{raw}: one topic: nothing can be said about others (--population versions)")
    if topics == 1 and alone is None:
        warn_of_one_topic(topics)
    elif TOPICS in (populations or (TOPICS,)):
        warn_of_few_topics(topics)

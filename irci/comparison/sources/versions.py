"""Versions of topics' queries: would other topics agree, and other wordings of these?"""

from collections.abc import Sequence

import numpy as np

from irci.base import DataError, plural, raw
from irci.base.choices import TOPICS
from irci.base.streams import topic_keys
from irci.base.types import Floats, Words
from irci.comparison.family import Family, Scored
from irci.comparison.reading import asked_about, warn_of_few_topics
from irci.comparison.sources.grouped import GroupSource, means_on_plain_topics
from irci.data.inputs import Inputs
from irci.data.notices import warn_of_one_topic, warn_of_topics
from irci.data.score_tables import named_in
from irci.data.scores import ends_of_scales
from irci.data.versions import Versions, version_scores
from irci.estimators.grouped import Groups
from irci.estimators.means import Tested
from irci.options.asked import Asked
from irci.stats.estimates import group_means, numbered

VERSIONS = "versions"


class VersionSource(GroupSource):
    """Topics as a sample, each the mean of its versions, so that each counts alike; or the versions of those given."""

    kind = VERSIONS
    counts = {"groups": "topics", "members": VERSIONS}  # noqa: RUF012
    groups_are_topics = True

    def __init__(self, groups: Groups, name: str, topics: Sequence[str]) -> None:
        super().__init__(groups, name)
        self.topics = topics

    def means(self, alone: Family) -> Tested:
        tested = super().means(alone)
        if not self.groups_vary or len(self.topics) == 1:
            return tested
        return means_on_plain_topics(alone, self._averages(alone.values), tested)

    def _averages(self, values: Floats) -> Floats:
        """float64[rows, topics]: of each topic the mean over the versions that a row of values[rows, M] has; or nan."""
        averages = np.full((len(values), len(self.topics)), np.nan)
        for average, row in zip(averages, values, strict=True):
            groups, group = numbered(self.groups.place[~np.isnan(row)])
            if len(groups):
                average[: len(groups)] = group_means(row[~np.isnan(row)][np.newaxis], group)[0]
        return averages

    def topics_per_unit(self, family: Family) -> float:
        return 1.0 if self.groups_vary else np.nan


def on_versions(request: Asked, inputs: Inputs, versions: Versions) -> Scored:
    """Scores of runs (systems) on several versions of each topic."""
    bases = list({measure.base.name: measure.base for measure in request.measures}.values())
    table = version_scores(inputs, bases, versions)
    topics = list(dict.fromkeys(topic for topic, _ in table.versions))
    _refuse_what_has_no_others(request.population, versions.given, len(topics), len(table.versions))
    keys = _keys(table.versions)
    place_of = {topic: index for index, topic in enumerate(topics)}
    places = np.array([place_of[topic] for topic, _ in table.versions], np.int64)
    groups = Groups(places, keys, by_group=True)
    names = asked_about(request, [TOPICS, VERSIONS])
    if VERSIONS in names:
        alone = [topics[index] for index in np.flatnonzero(np.bincount(places) == 1).tolist()]
        warn_of_topics(versions.given, "with one version: no limits over versions", alone)
    measures = list(request.measures) or named_in(table.values)
    is_by_t = request.interval == "t"
    return Scored(
        runs=table.systems,
        topics=topics,
        measures=measures,
        ends={} if is_by_t else ends_of_scales(measures, [table.values], request.range, inputs.standardise),
        values=table.values,
        keys=keys,
        sources=[VersionSource(groups, name, topics) for name in names],
        kind=VERSIONS,
        lacking=table.lacking,
        made_of=f"{plural(len(topics), 'topic')}, each the mean of its versions ({len(table.versions)} in all)",
        signature={"versions": versions.given, "num_topics": len(topics), "num_versions": len(table.versions)},
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


def _keys(versions: Sequence[tuple[str, str]]) -> Words:
    """The streams of signs: of a topic's first version those of the topic, so that a topic with one version has its own."""
    before = ["", *(topic for topic, _ in versions)]
    return topic_keys(
        [
            raw(topic) if topic != last else raw(topic) + b"\0" + raw(version)
            for (topic, version), last in zip(versions, before, strict=False)
        ]
    )

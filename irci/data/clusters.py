"""Clusters of topics that belong together, from a file or from topic ids."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from irci.base.errors import plural
from irci.base.types import Ints
from irci.data.notices import warn_of_topics
from irci.data.rules import read_listing, rule

logger = logging.getLogger("irci")


@dataclass(frozen=True)
class Clusters:
    """Clusters by topic: `cluster(topic)`, None if it is of none that is known.

    `given`: the rule or the file that says so; `listed`: the topics of the file.
    """

    given: str
    cluster: Callable[[str], str | None]
    listed: Sequence[str] = ()

    @classmethod
    def of_rule(cls, pattern: str) -> "Clusters":
        """Clusters by a regular expression of topic ids, with a group cluster. Raises ValueError for what is no such
        expression."""
        _, match = rule(pattern, (frozenset({"cluster"}),), "cluster alone", "--clusters")

        def cluster(topic: str) -> str | None:
            found = match(topic)
            return found["cluster"] or None if found else None

        return cls(pattern, cluster)

    @classmethod
    def of_file(cls, path: str) -> "Clusters":
        """Clusters by a file of lines of topic and cluster. Raises FormatError for others, and for a topic twice."""
        table = {topic: cluster for topic, (cluster,) in read_listing(path, ("topic", "cluster"), "clusters").items()}
        return cls(path, table.get, list(table))

    def of_topics(self, topics: Sequence[str]) -> "ClusteredTopics":
        """The clusters of these topics; one without a cluster is its own, which a warning says."""
        found = [self.cluster(topic) for topic in topics]
        alone = [topic for topic, cluster in zip(topics, found, strict=True) if cluster is None]
        if len(alone) == len(topics):
            logger.warning(
                f"{self.given}: gives none of {plural(len(topics), 'topic')} a cluster: each is a cluster of its own"
            )
        else:
            warn_of_topics(self.given, "without a cluster, each taken for a cluster of its own", alone)
        labels = [
            (cluster, "") if cluster is not None else ("", topic) for cluster, topic in zip(found, topics, strict=True)
        ]
        place_of = {label: place for place, label in enumerate(dict.fromkeys(labels))}
        names = [cluster or topic for cluster, topic in place_of]
        return ClusteredTopics(np.array([place_of[label] for label in labels], np.int64), names)

    def warn_of_others(self, topics: Sequence[str]) -> None:
        """Say which topics the file has besides these."""
        there = set(topics)
        others = [topic for topic in self.listed if topic not in there]
        warn_of_topics(self.given, "not scored here", others)


@dataclass(frozen=True)
class ClusteredTopics:
    """The cluster of each of T topics, place int64[T], numbered from 0 as they come; and the clusters' names."""

    place: Ints
    names: Sequence[str]

    @property
    def of_one(self) -> Sequence[str]:
        """The clusters that have one topic, by name."""
        return [name for name, size in zip(self.names, np.bincount(self.place).tolist(), strict=True) if size == 1]

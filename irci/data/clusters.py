"""Clusters of topics that belong together, from a file or from topic ids."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irci.base.errors import plural
from irci.base.types import Ints
from irci.data.notices import warn_of_topics
from irci.data.rules import NamedGroups

logger = logging.getLogger("irci")


class Clusters(NamedGroups):
    """Clusters by topic."""

    OPTION, NOUN, GROUPS = "--clusters", "topic", ("cluster",)

    def of_topics(self, topics: Sequence[str], *, are_all: bool = False) -> "ClusteredTopics":
        """The clusters of these topics; one without a cluster is its own, which a warning says, as it does of topics that only
        the file has, if these `are_all`."""
        if are_all:
            self.warn_of_others(topics)
        found = [(self.find(topic) or ("",))[0] or None for topic in topics]
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


@dataclass(frozen=True)
class ClusteredTopics:
    """The cluster of each of T topics, place int64[T], numbered from 0 as they come; and the clusters' names."""

    place: Ints
    names: Sequence[str]

    @property
    def of_one(self) -> Sequence[str]:
        return [name for name, size in zip(self.names, np.bincount(self.place).tolist(), strict=True) if size == 1]

"""Means over topics of several runs under joint resamples: of the documents, or of both topics and documents.

Memory: one topic's replicates and, for each scale, a sum a run and resample.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import assert_never

import numpy as np

from irci.bootstrap.shared_documents import Replicates
from irci.choices import Pooled
from irci.stats.scales import Scale
from irci.types import Bools, Floats, Ints, Ints32, offsets


@dataclass
class JointMeans:
    """Replicates of the means over some topics of some runs: sums[scale] float64[rows, B], added up in topic order.

    `rows` int64[rows]: which runs; `topics` bool[T]: over which topics. `counts` int32[T, B]: how often each is drawn, where
    topics are resampled too (0 for the others); `fresh`: each time with other documents (Cormack & Lynam 2006, section 8,
    leave both open). `own_means` and `own_variances` [scale][rows, T]: of each topic's replicates by themselves.
    """

    rows: Ints
    topics: Bools
    resamples: int
    scales: Sequence[Scale]
    counts: Ints32 | None = None
    fresh: bool = True
    sums: dict[str, Floats] = field(init=False)
    own_means: dict[str, Floats] = field(init=False)
    own_variances: dict[str, Floats] = field(init=False)

    def __post_init__(self) -> None:
        def of_scales(width: int) -> dict[str, Floats]:
            return {scale.name: np.zeros((len(self.rows), width)) for scale in self.scales}

        self.sums = of_scales(self.resamples)
        components = len(self.topics) if self.counts is not None else 0
        self.own_means, self.own_variances = of_scales(components), of_scales(components)

    def needed(self, topic: int) -> int:
        """How many resamples of a topic's documents are used."""
        if not self.topics[topic]:
            return 0
        if self.counts is None or not self.fresh:
            return self.resamples
        return max(int(self.counts[topic].sum()), 2)

    def add(self, topic: int, replicates: Floats) -> None:
        """Add a topic's scores float64[runs, at least needed]."""
        if not self.topics[topic]:
            return
        scores = np.ascontiguousarray(replicates[self.rows, : self.needed(topic)])
        for scale in self.scales:
            of_topic = scale.forward(scores)
            if self.counts is None:
                self.sums[scale.name] += of_topic
                continue
            self.own_means[scale.name][:, topic] = of_topic.mean(axis=1)
            self.own_variances[scale.name][:, topic] = of_topic.var(axis=1, ddof=1)
            drawn = self.counts[topic]
            if self.fresh:
                some = np.flatnonzero(drawn)
                if len(some):
                    starts = offsets(drawn)[some]
                    used = of_topic[:, : drawn.sum()]
                    self.sums[scale.name][:, some] += np.add.reduceat(used, starts, axis=1)
            else:
                self.sums[scale.name] += of_topic * drawn

    def means(self, scale: Scale) -> Floats:
        """float64[rows, B]: the resampled means; nan where a single topic is resampled, which says nothing about others."""
        num_topics = self.topics.sum()
        means: Floats = self.sums[scale.name] / num_topics
        return means if self.counts is None or num_topics > 1 else np.full_like(means, np.nan)

    def components(self, scale: Scale) -> tuple[Floats, Floats]:
        """Standard deviations [rows] of the mean: sqrt(sum v_t) / T due to documents, sqrt(sum (m_t - m)^2) / T to topics."""
        num_topics = self.topics.sum()
        own_means = self.own_means[scale.name][:, self.topics]
        documents = np.sqrt(self.own_variances[scale.name].sum(axis=1)) / num_topics
        topics = own_means.std(axis=1) / np.sqrt(num_topics)
        return documents, topics if num_topics > 1 else np.full_like(topics, np.nan)


def resamples_needed(means: Iterable[JointMeans], num_topics: int) -> list[int]:
    """How many resamples of each topic's documents suffice for all of them."""
    return [max((each.needed(topic) for each in means), default=0) for topic in range(num_topics)]


def with_pooled_runs(replicates: Replicates, pooled: Pooled | None, rows: Ints) -> Floats:
    """A topic's scores [runs, B], and below them the `mean` or `median` of the rows, if asked for."""
    if pooled is None:
        return replicates.scores
    return np.vstack((replicates.scores, pool(replicates.scores[rows], pooled)))


def pool(scores: Floats, pooled: Pooled) -> Floats:
    """The mean or median over the first axis, whose order it depends on in its last bits only."""
    match pooled:
        case "mean":
            return np.asarray(scores.mean(axis=0))
        case "median":
            return np.asarray(np.median(scores, axis=0))
        case _:
            assert_never(pooled)

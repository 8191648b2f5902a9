"""Means over topics of several runs under joint resamples of the documents.

Memory: one topic's replicates and, for each scale, a sum a run and resample.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from irci.base.choices import Pooled
from irci.base.types import Bools, Floats, Ints
from irci.bootstrap.shared_documents import Replicates
from irci.stats.scales import Scale


@dataclass
class JointMeans:
    """Replicates of the means over some topics of some runs: sums[scale] float64[rows, B], added up in topic order.

    `rows` int64[rows]: which runs; `topics` bool[T]: over which topics.
    """

    rows: Ints
    topics: Bools
    resamples: int
    scales: Sequence[Scale]
    sums: dict[str, Floats] = field(init=False)

    def __post_init__(self) -> None:
        self.sums = {scale.name: np.zeros((len(self.rows), self.resamples)) for scale in self.scales}

    def add(self, topic: int, replicates: Floats) -> None:
        if self.topics[topic]:
            for scale in self.scales:
                self.sums[scale.name] += scale.forward(replicates[self.rows])

    def means(self, scale: Scale) -> Floats:
        """float64[rows, B]: the resampled means."""
        return np.asarray(self.sums[scale.name] / self.topics.sum())


def with_pooled_runs(replicates: Replicates, pooled: Pooled | None, rows: Ints) -> Floats:
    """A topic's scores [runs, B], and below them the `mean` or `median` of the rows, if asked for."""
    if pooled is None:
        return replicates.scores
    return np.vstack((replicates.scores, pool(replicates.scores[rows], pooled)))


def pool(scores: Floats, pooled: Pooled) -> Floats:
    """The mean or median over the first axis, whose order it depends on in its last bits only."""
    match pooled:
        case "mean":
            return np.asarray(scores.mean(axis=0), np.float64)
        case "median":
            return np.asarray(np.median(scores, axis=0), np.float64)

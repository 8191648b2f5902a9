"""Variance within clusters and between them: one-way analysis of variance with random effects, of clusters of any sizes.

S. R. Searle, G. Casella and C. E. McCulloch, Variance Components, 1992, section 3.6.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irci.base.types import Floats, Ints
from irci.stats.groups import group_means


@dataclass(frozen=True)
class Nested:
    """Mean squares between clusters and within them (nan where each has one member), with their degrees of freedom.

    `size`: n0, of which the expected mean square between is n0 times the variance between, more than that within; the number
    of members of each if all have as many. `sizes` int64[G]: of each cluster.
    """

    between_ms: float
    between_df: int
    within_ms: float
    within_df: int
    size: float
    sizes: Ints

    @property
    def between(self) -> float:
        """The variance of clusters' own means, not below 0; all variance where each cluster has one member."""
        return max(0.0, (self.between_ms - (self.within_ms if self.within_df else 0.0)) / self.size)

    @property
    def correlation(self) -> float:
        """Correlation of two members of a cluster; nan if there are no two."""
        total = self.between + self.within_ms
        return self.between / total if total > 0 else math.nan if math.isnan(total) else 0.0

    def of_mean(self, size: float) -> float:
        """The variance of the mean of so many members of a cluster; nan of more than one where each cluster has one."""
        return self.between if size == 1 and not self.within_df else self.between + self.within_ms / size

    @property
    def sizes_differ(self) -> bool:
        return bool((self.sizes != self.sizes[0]).any())

    def of_cluster(self, *, alike: bool) -> float:
        """The variance of a mean over clusters of these sizes, times their number: over members, which weigh the same, or over
        clusters' means, if `alike`."""
        if not self.sizes_differ:
            return self.of_mean(self.size)
        if alike:
            return self.between + self.within_ms * float((1 / self.sizes).mean())
        mean = float(self.sizes.mean())
        return self.between * float((self.sizes**2).mean()) / mean**2 + self.within_ms / mean


def nested(deviations: Floats, factor: int, place: Ints) -> Nested:
    """Mean squares of deviations[n, m] (of m systems, from their means) of members in G > 1 clusters, place int64[n].

    `factor`: degrees of freedom of systems, which those of members are multiplied by.
    """
    sizes = np.bincount(place)
    members, clusters = len(place), len(sizes)
    means = np.ascontiguousarray(group_means(np.ascontiguousarray(deviations.T), place).T)
    between = float((sizes[:, np.newaxis] * means**2).sum())
    within = float(((deviations - means[place]) ** 2).sum())
    between_df, within_df = factor * (clusters - 1), factor * (members - clusters)
    size = (members - float((sizes**2).sum()) / members) / (clusters - 1)
    within_ms = within / within_df if within_df else math.nan
    return Nested(between / between_df, between_df, within_ms, within_df, size, sizes)


def pooled(parts: Sequence[Nested]) -> Nested:
    """Several, by degrees of freedom."""
    between_df, within_df = (sum(getattr(part, name) for part in parts) for name in ("between_df", "within_df"))
    within = sum(part.within_ms * part.within_df for part in parts if part.within_df)
    return Nested(
        sum(part.between_ms * part.between_df for part in parts) / between_df,
        between_df,
        within / within_df if within_df else math.nan,
        within_df,
        sum(part.size * part.between_df for part in parts) / between_df,
        np.concatenate([part.sizes for part in parts]),
    )

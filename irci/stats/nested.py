"""Variance within clusters and between them: one-way analysis of variance with random effects, of clusters of any sizes.

S. R. Searle, G. Casella and C. E. McCulloch, Variance Components, 1992, section 3.6.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irci.stats.groups import group_means
from irci.types import Floats, Ints


@dataclass(frozen=True)
class Nested:
    """Mean squares between clusters and within them (nan where each has one member), with their degrees of freedom.

    `size`: n0, of which the expected mean square between is n0 times the variance between, more than that within; the number
    of members of each if all have as many.
    """

    between_ms: float
    between_df: int
    within_ms: float
    within_df: int
    size: float

    @property
    def between(self) -> float:
        """The variance of clusters' own means, not below 0; all variance where each cluster has one member."""
        return max(0.0, (self.between_ms - (self.within_ms if self.within_df else 0.0)) / self.size)

    @property
    def correlation(self) -> float:
        """Of two members of a cluster; nan if there are no two."""
        total = self.between + self.within_ms
        return self.between / total if total > 0 else math.nan if math.isnan(total) else 0.0

    def of_mean(self, size: float) -> float:
        """The variance of the mean of so many members of a cluster; nan of more than one where each cluster has one."""
        return self.between if size == 1 and not self.within_df else self.between + self.within_ms / size


def nested(deviations: Floats, factor: int, place: Ints) -> Nested:
    """Of deviations[n, m] (of m systems, from their means) of members in G > 1 clusters, place int64[n].

    `factor`: degrees of freedom of systems, which those of members are multiplied by.
    """
    sizes = np.bincount(place)
    members, clusters = len(place), len(sizes)
    means = np.ascontiguousarray(group_means(np.ascontiguousarray(deviations.T), place).T)
    between = float((sizes[:, np.newaxis] * means**2).sum())
    within = float(((deviations - means[place]) ** 2).sum())
    between_df, within_df = factor * (clusters - 1), factor * (members - clusters)
    size = (members - float((sizes**2).sum()) / members) / (clusters - 1)
    return Nested(between / between_df, between_df, within / within_df if within_df else math.nan, within_df, size)


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
    )

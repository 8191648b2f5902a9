"""Means of scores that come in groups: topics in clusters or in collections, query versions of topics; and variance between
groups and within them.

Two choices: what the mean gives the same weight, each member or each group; and what varies, the groups (a sample of groups)
or the members of the groups that are given.

Members weighed, groups vary: the sandwich estimator CR2 with the degrees of freedom of R. M. Bell and D. F. McCaffrey, "Bias
reduction in standard errors for linear regression with multi-stage samples", Survey Methodology 28, 2002, of members as alike
within groups as these are (G. W. Imbens and M. Kolesar, Review of Economics and Statistics 98, 2016). Groups weighed, groups
vary: Student's t of the groups' means. Groups given: a stratified sample, with Satterthwaite's degrees of freedom (F. E.
Satterthwaite, Biometrics Bulletin 2, 1946).

Variance within clusters and between them, of any sizes: one-way analysis of variance with random effects (S. R. Searle,
G. Casella and C. E. McCulloch, Variance Components, 1992, section 3.6).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irci.base.types import Floats, Ints
from irci.stats.scales import SAME, added_up, excess, mean_over_topics
from irci.stats.tests import Estimates, estimates, mean_and_sd, without_spread

ROUNDING = 1e-12  # a mean that is no larger than this share of what it is of is rounding


def numbered(group: Ints) -> tuple[Ints, Ints]:
    """Groups group[M] numbered as they come: the first member of each, and their numbers for each member."""
    _, first, group = np.unique(group, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[group]


def group_sums(values: Floats, group: Ints) -> Floats:
    """float64[P, G]: the sums of values[P, M] by the group[M] of each member, each added up in order of members."""
    order = np.argsort(group, kind="stable")
    return np.add.reduceat(values[:, order], np.flatnonzero(np.diff(group[order], prepend=-1)), axis=1)


def group_means(values: Floats, group: Ints) -> Floats:
    """float64[P, G]: the means of values[P, M] by group; 0 where members that are not cancel out but for rounding."""
    sizes = np.bincount(group)
    means: Floats = group_sums(values, group) / sizes
    largest = np.abs(values).max(axis=1, initial=0.0, keepdims=True)
    return np.where((np.abs(means) <= ROUNDING * largest) & (sizes > 1), 0.0, means)


def groups_vary(values: Floats, group: Ints, *, by_group: bool) -> Estimates:
    """The mean of values[P, M] over members, or the mean of the groups' means if `by_group`, the groups a sample.
    group int64[M]: the group of each member, 0 to G - 1, all of which there are. One group: the error is nan."""
    sizes = np.bincount(group)
    means = group_means(values, group)
    mean, sd = mean_and_sd(means)
    value = mean if by_group else _mean_of_members(values, means)
    if by_group or (sizes == sizes[0]).all():  # CR2 of groups of one size is the t of their means
        return estimates(value, sd / np.sqrt(len(sizes)), len(sizes) - 1.0, len(sizes))
    members = values.shape[1]
    if is_mostly_one(sizes):
        return estimates(value, np.full(len(value), np.nan), np.nan, len(sizes))
    deviations = group_sums(values - value[:, np.newaxis], group)
    inflation = 1 / (1 - sizes / members)
    error = np.sqrt(added_up((inflation * deviations**2).T)) / members
    # The correlation of two members of a group by one-way analysis of variance, not below 0; 0 where nothing varies.
    between = (means - values.mean(axis=1, keepdims=True)) ** 2 @ sizes / (len(sizes) - 1)
    within = ((values - means[:, group]) ** 2).sum(axis=1) / (members - len(sizes))
    of_groups = excess(between, within) / ((members - (sizes**2).sum() / members) / (len(sizes) - 1))
    total = of_groups + within
    correlation = np.divide(of_groups, total, out=np.zeros(len(values)), where=total > 0)
    df = _bell_mccaffrey(sizes, inflation, correlation)
    return estimates(value, np.where(sd == 0, 0.0, error), df, len(sizes))


# A group with a larger share of all members leaves too little to tell of others: limits miss 8 to 12%.
MOST_OF_ALL = 0.9


def is_mostly_one(sizes: Ints) -> bool:
    """True if one of groups of these sizes has nearly all members, so that nothing is told of other groups."""
    return bool(sizes.max() > MOST_OF_ALL * sizes.sum())


def _bell_mccaffrey(sizes: Ints, inflation: Floats, correlation: Floats) -> Floats:
    # df[P] where members of a group are correlated[P]: (sum a_g C_gg)^2 / sum a_g a_h C_gh^2, of the inflation a_g and the
    # covariances C_gh of groups' residual sums, C_gh = w_g [g = h] - (u_g w_h + u_h w_g) + u_g u_h W, u_g = n_g / N.
    share = sizes / sizes.sum()
    variance = sizes * (1 + (sizes - 1) * correlation[:, np.newaxis])  # w_g, of a group's sum
    total = variance.sum(axis=1, keepdims=True)
    diagonal = inflation * (variance * (1 - 2 * share) + share**2 * total)
    # The sum of squares of u_g w_h + u_h w_g - u_g u_h W over all g and h, and what it has too much where g = h.
    uu, uw, ww = (inflation * share**2).sum(), variance @ (inflation * share), variance**2 @ inflation
    all_products = 2 * (uu * ww + uw**2) + (total[:, 0] * uu) ** 2 - 4 * total[:, 0] * uu * uw
    own = (inflation * (2 * share * variance - share**2 * total)) ** 2
    squares = (diagonal**2 - own).sum(axis=1) + all_products
    return np.asarray(diagonal.sum(axis=1) ** 2 / squares)


def members_vary(values: Floats, group: Ints, *, by_group: bool) -> Estimates:
    """Means as of `groups_vary`, but of these very groups, the members of each being a sample of its own.
    A group of one member has no variance: the error is nan. So it is where no group varies, but they differ."""
    sizes = np.bincount(group)
    means = group_means(values, group)
    deviations = values - means[:, group]
    rounding = SAME * np.abs(values).max(axis=1, initial=0.0, keepdims=True)
    squares = group_sums(np.where(np.abs(deviations) <= rounding, 0.0, deviations) ** 2, group)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.full(len(sizes), 1 / len(sizes)) if by_group else sizes / sizes.sum()
        parts = weights**2 * (squares / (sizes - 1)) / sizes
        variance = added_up(parts.T)
        df = variance**2 / added_up((parts**2 / (sizes - 1)).T)
    value = mean_over_topics(means.T) if by_group else _mean_of_members(values, means)
    error = np.where((variance == 0) & ~without_spread(means), np.nan, np.sqrt(variance))
    return estimates(value, error, df, values.shape[1])


def _mean_of_members(values: Floats, means: Floats) -> Floats:
    # In order of members; 0 where the means of all groups are.
    return np.where((means == 0).all(axis=1), 0.0, mean_over_topics(values.T))


class Nested(NamedTuple):
    """Mean squares between clusters and within them (nan where each has one member), with their degrees of freedom.

    `size`: n0, of which the expected mean square between is n0 times the variance between, more than that within; the number
    of members of each if all have as many. `sizes` int64[G]: of each cluster. `effective_df`: degrees of freedom of both where
    systems vary together, as they do on the same topics; nan without variance.
    """

    between_ms: float
    between_df: int
    within_ms: float
    within_df: int
    size: float
    sizes: Ints
    effective_df: tuple[float, float]

    @property
    def between(self) -> float:
        """The variance of clusters' own means, not below 0; all variance where each cluster has one member."""
        return float(excess(self.between_ms, self.within_ms if self.within_df else 0.0)) / self.size

    @property
    def correlation(self) -> float:
        """Correlation of two members of a cluster; nan if there are no two."""
        total = self.between + self.within_ms
        return self.between / total if total > 0 else math.nan if math.isnan(total) else 0.0

    @property
    def of_cluster(self) -> float:
        """The variance of a mean over the members of clusters of these sizes, times the number of clusters."""
        mean = float(self.sizes.mean())
        unequal = float((self.sizes**2).mean()) / mean**2
        return self.between * unequal + self.within_ms / mean if self.within_df else self.between

    @property
    def df_share(self) -> float:
        """Degrees of freedom of that variance by CR2, over the number of clusters less one: below 1 where sizes differ. Hardly
        another one of more clusters whose sizes differ in the same way."""
        if (self.sizes == self.sizes[0]).all():
            return 1.0
        inflation = 1 / (1 - self.sizes / self.sizes.sum())
        df = _bell_mccaffrey(self.sizes, inflation, np.array([np.nan_to_num(self.correlation)]))
        return float(df[0]) / (len(self.sizes) - 1)


def nested(parts: Sequence[tuple[Floats, Ints]], *, residual: bool) -> Nested:
    """Mean squares of scores[m, n] of m systems about their means, or if `residual` of what is left once topics and systems
    are accounted for, of members in G > 1 clusters, group int64[n]; pooled by degrees of freedom over several such parts,
    nan of systems that one lacks. With a cluster a topic, that between is the variance within systems, topic variance
    included, or what topics and systems leave.

    Effective degrees of freedom of deviations[n, m] of covariance S, each system's having df: df (tr S)^2 / tr S^2, df if all
    systems are alike (G. E. P. Box, Annals of Mathematical Statistics 25, 1954, theorem 3.1); of parts, Satterthwaite's.
    """
    parts = [(scores[has], group) for scores, group in parts if (has := ~np.isnan(scores[:, 0])).any()]
    of_parts, n0 = np.empty((len(parts), 3, 2)), np.empty(len(parts))
    for index, (scores, group) in enumerate(parts):
        scores = np.ascontiguousarray(scores.T)
        scores = scores - scores.mean()
        deviations, factor = scores - scores.mean(axis=0), scores.shape[1]
        if residual:
            deviations, factor = deviations - scores.mean(axis=1, keepdims=True) + scores.mean(), factor - 1
        sizes = np.bincount(group)
        members, clusters = len(group), len(sizes)
        means = np.ascontiguousarray(group_means(np.ascontiguousarray(deviations.T), group).T)
        n0[index] = (members - float((sizes**2).sum()) / members) / (clusters - 1)
        of_members = deviations - means[group], np.ones_like(sizes[group]), members - clusters
        for kind, (values, count, df) in enumerate(((means, sizes, clusters - 1), of_members)):
            weights = count[:, np.newaxis]
            products = values.T @ (weights * values)
            of_parts[index, :, kind] = (weights * values**2).sum(), factor * df, (products**2).sum() / max(df, 1)
    squares, freedom, squares_over_df = of_parts.sum(axis=0)
    with np.errstate(invalid="ignore"):
        (between, within), effective = squares / freedom, squares**2 / squares_over_df
    between_df, within_df = freedom.astype(int).tolist()
    size = float((n0 * of_parts[:, 1, 0]).sum()) / between_df
    sizes = np.concatenate([np.bincount(group) for _, group in parts])
    return Nested(float(between), between_df, float(within), within_df, size, sizes, (effective[0], effective[1]))

"""Means of scores that come in groups (topics in clusters or in collections, query versions of topics), and their errors.

Two choices: what the mean gives the same weight, each member or each group; and what varies, the groups (a sample of groups)
or the members of the groups that are given.

Members weighed, groups vary: the sandwich estimator CR2 with the degrees of freedom of R. M. Bell and D. F. McCaffrey, "Bias
reduction in standard errors for linear regression with multi-stage samples", Survey Methodology 28, 2002 (also J. E.
Pustejovsky and E. Tipton, Journal of Business & Economic Statistics 36, 2018). Groups weighed, groups vary: Student's t of the
groups' means. Groups given: a stratified sample, with Satterthwaite's degrees of freedom (F. E. Satterthwaite, Biometrics
Bulletin 2, 1946).
"""

import math
from dataclasses import replace

import numpy as np

from irci.stats.estimates import Estimates
from irci.stats.scales import mean_over_topics
from irci.types import Bools, Floats, Ints

# A standard error of no more than this share of the largest value is rounding.
SAME = 1e-12


def group_sums(values: Floats, place: Ints) -> Floats:
    """float64[P, G]: the sums of values[P, M] by the group place[M] of each member, each added up in order of members."""
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    sums: Floats = np.add.reduceat(values[:, order], starts, axis=1)
    return sums


def group_means(values: Floats, place: Ints) -> Floats:
    """float64[P, G]: the means of values[P, M] by group."""
    means: Floats = group_sums(values, place) / np.bincount(place)
    return means


def groups_vary(values: Floats, place: Ints, *, by_group: bool) -> Estimates:
    """The mean of values[P, M] over members, or the mean of the groups' means if `by_group`, the groups a sample.

    place int64[M]: the group of each member, 0 to G - 1, all of which there are. One group: the error is nan.
    """
    sizes = np.bincount(place)
    if by_group or (sizes == sizes[0]).all():  # CR2 of groups of one size is the t of their means
        found = _mean_of_all(group_means(values, place))
        if by_group:
            return found
        return Estimates(mean_over_topics(values.T), found.error, found.df, found.units)
    members, groups = values.shape[1], len(sizes)
    value = mean_over_topics(values.T)
    deviations = group_sums(values - value[:, np.newaxis], place)
    inflation = 1 / (1 - sizes / members)
    error = np.sqrt((inflation * deviations**2).sum(axis=1)) / members
    return _estimates(values, value, error, _bell_mccaffrey(sizes, inflation), groups)


def _bell_mccaffrey(sizes: Ints, inflation: Floats) -> float:
    """Degrees of freedom where errors are equal and independent: (sum P_gg)^2 / sum P_gh^2, of P_gg = n_g / N^2 and
    P_gh = -sqrt(a_g a_h) n_g n_h / N^3."""
    members = sizes.sum()
    weights = inflation * (sizes / members) ** 2  # a_g n_g^2 / N^2
    off_diagonal = (weights.sum() ** 2 - (weights**2).sum()) / members**2
    return float((1 / members) ** 2 / (((sizes / members) ** 2).sum() / members**2 + off_diagonal))


def members_vary(values: Floats, place: Ints, *, by_group: bool) -> Estimates:
    """The same means, the groups given and the members of each a sample of its own.

    A group of one member has no variance: the error is nan. So it is where no group varies, but they differ.
    """
    sizes = np.bincount(place)
    means = group_means(values, place)
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = group_sums((values - means[:, place]) ** 2, place)
        weights = np.full(len(sizes), 1 / len(sizes)) if by_group else sizes / sizes.sum()
        parts = weights**2 * (squares / (sizes - 1)) / sizes
        variance = parts.sum(axis=1)
        df = variance**2 / (parts**2 / (sizes - 1)).sum(axis=1)
    value = mean_over_topics(means.T) if by_group else mean_over_topics(values.T)
    found = _estimates(values, value, np.sqrt(variance), df, values.shape[1])
    differ = np.ptp(means, axis=1) > SAME * np.abs(values).max(axis=1, initial=0.0)
    return replace(found, error=np.where((found.error == 0) & differ, np.nan, found.error))


def _mean_of_all(values: Floats) -> Estimates:
    """The mean of values[P, U], each a unit of its own: Student's t."""
    units = values.shape[1]
    mean = mean_over_topics(values.T)
    if units < 2:
        return _estimates(values, mean, np.full(len(mean), np.nan), math.nan, units)
    squares = mean_over_topics((values.T - mean) ** 2)
    return _estimates(values, mean, np.sqrt(squares / (units - 1)), units - 1, units)


def _estimates(values: Floats, value: Floats, error: Floats, df: Floats | float, units: int) -> Estimates:
    """With errors of 0 where they are rounding, and then no freedom to speak of."""
    largest = np.abs(values).max(axis=1, initial=0.0)
    nothing: Bools = error <= SAME * largest
    freedom = np.where(nothing, np.nan, np.broadcast_to(df, error.shape))
    return Estimates(value, np.where(nothing, 0.0, error), freedom, np.full(len(value), units))

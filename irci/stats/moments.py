"""Moments of the differences of many pairs of runs, found without keeping the differences."""

from typing import NamedTuple

import numpy as np

from irci.base.types import Bools, Floats, Pairs
from irci.kernels.pairs import fill_moments
from irci.stats.scales import SAME
from irci.system.work import in_shares


class Moments(NamedTuple):
    """Differences of P pairs on so many topics, float64[P] each: the mean, the sums of squares as they are and less the mean,
    the least and the greatest."""

    topics: int
    mean: Floats
    squares: Floats
    centred: Floats
    low: Floats
    high: Floats

    def take(self, some: slice) -> "Moments":
        """Those of some pairs."""
        return Moments(self.topics, *(each[some] for each in self[1:]))

    @property
    def largest(self) -> Floats:
        """The largest |difference|."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    @property
    def reach(self) -> Floats:
        """How far apart the least and the greatest are."""
        return self.high - self.low

    @property
    def without_spread(self) -> Bools:
        """bool[P]: whether all differences are one number, up to rounding."""
        return np.asarray(self.reach <= SAME * self.largest)

    @property
    def sd(self) -> Floats:
        """The standard deviation (ddof 1): 0 where all are one number, nan of one topic."""
        if self.topics < 2:
            return np.full(len(self.mean), np.nan)
        squares = self.centred / self.topics
        return np.where(self.without_spread, 0.0, np.sqrt(squares * self.topics / (self.topics - 1)))

    @property
    def error(self) -> Floats:
        """The standard error of the mean; nan of one topic."""
        if self.topics < 2:
            return np.full(len(self.mean), np.nan)
        squares = self.centred / self.topics
        return np.where(self.without_spread, 0.0, np.sqrt(squares / (self.topics - 1)))


def moments_of_pairs(values: Floats, pairs: Pairs, threads: int = 1, same: float = SAME) -> Moments:
    """Moments of the differences of pairs[P, 2] of rows of values[m, T], T > 0, added up in topic order.

    `same`: differences no larger than this share of a pair's largest score are 0, and all are the first where they lie no
    farther apart; below 0 where differences are as they are.
    """
    values, pairs = np.ascontiguousarray(values), np.ascontiguousarray(pairs)
    largest = np.abs(values).max(axis=1)
    moments = np.empty((len(pairs), 5))

    def work(some: slice) -> None:
        rounding = same * largest[pairs[some]].max(axis=1) if same >= 0 else np.full(len(pairs[some]), -1.0)
        fill_moments(values, pairs[some], rounding, moments[some])

    in_shares(work, len(pairs), threads, len(pairs) * values.shape[1])
    return Moments(values.shape[1], *moments.T)

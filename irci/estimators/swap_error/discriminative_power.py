"""swap-error --procedure discriminative-power: what share of all pairs of systems does a bootstrap test tell apart?

Topics vary. For each pair the per-topic differences, centred, are drawn with replacement; the achieved significance level is
the share of resamples whose t is as far from 0 as the observed one.

T. Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, Figures 1 and 3.
"""

import math

import numpy as np

from irci.base.records import Record
from irci.base.types import Floats
from irci.estimators.joint_resamples import topic_counts
from irci.stats.tests import PAIRS_AT_ONCE

# What may be left, as a share, of a difference, a variance or a t that is 0: they are had as differences of sums.
CANCELLATION = 1e-10


class PowerOfTests(Record):
    """The power of P pairs' tests: achieved significance level asl[P], mean difference[P], and drawn[P, A]: |mean of resampled
    differences| at the (B alpha)-th largest |t| for each alpha.
    """

    asl: Floats
    difference: Floats
    drawn: Floats
    alphas: tuple[float, ...]

    def shares(self) -> Floats:
        """float64[A]: the share of pairs with a level below alpha."""
        return np.array([(self.asl < alpha).mean() for alpha in self.alphas])

    def differences(self) -> Floats:
        """float64[A]: the estimated difference required, the largest `drawn` over all pairs."""
        return np.asarray(self.drawn.max(axis=0))


def discriminative_power(
    scores: Floats, alphas: tuple[float, ...], resamples: int, seed: int, *, weights: Floats | None = None
) -> PowerOfTests:
    """All pairs of scores[S, T], the same topics drawn for all of them; B alpha must be at least 1.

    With `weights` float64[T], of clusters in place of topics, a mean is the sum of scores divided by that of weights.
    """
    weights = np.ones(scores.shape[1]) if weights is None else weights
    scores, weights = scores / weights.mean(), weights / weights.mean()
    first, second = np.triu_indices(len(scores), 1)
    counts = topic_counts(scores.shape[1], resamples, seed).astype(np.float64)
    ranks = [round_down(resamples * alpha) for alpha in alphas]
    asl, difference = np.empty((2, len(first)))
    drawn = np.empty((len(first), len(alphas)))
    for start in range(0, len(first), PAIRS_AT_ONCE):
        index = slice(start, start + PAIRS_AT_ONCE)
        a, b = scores[first[index]], scores[second[index]]
        between = a - b
        nothing = CANCELLATION * np.maximum(np.abs(a), np.abs(b)).max(axis=1, keepdims=True)
        asl[index], drawn[index] = _levels(between, weights, nothing, counts, ranks)
        difference[index] = between.mean(axis=1)
    return PowerOfTests(asl, difference, drawn, alphas)


def round_down(number: float) -> int:
    """The whole number below, or the one meant: 1000 x .07 is 70."""
    return math.floor(number * (1 + 1e-12))


def _levels(
    differences: Floats, weights: Floats, nothing: Floats, counts: Floats, ranks: list[int]
) -> tuple[Floats, Floats]:
    """Levels [P] and |mean| at the given ranks of |t|, [P, A], for differences[P, T] and counts[T, B] of topics drawn.

    What is not above nothing[P, 1] is 0 but for rounding. weights[T], of mean 1: the mean of a resample is the ratio of sums
    of differences and of weights, whose variance is that of what differences are more than weights times the mean.
    """

    def rounded(values: Floats) -> Floats:
        return np.where(np.abs(values) <= nothing, 0.0, values)

    topics = differences.shape[1]
    mean = rounded(differences.mean(axis=1, keepdims=True))
    centred = rounded(differences - weights * mean)
    observed = _t(mean, (centred**2).sum(axis=1, keepdims=True) / (topics - 1), mean**2, topics)
    weight = weights @ counts / topics
    means = rounded(centred @ counts / topics / weight)
    squares = centred**2 @ counts / topics
    products, square = centred * weights @ counts / topics, weights**2 @ counts / topics
    variance = (squares - means * (2 * products - means * square)) / weight**2
    resampled = _t(means, variance * topics / (topics - 1), squares / weight**2, topics)
    asl = (resampled >= observed * (1 - CANCELLATION)).mean(axis=1)
    order = np.argsort(-resampled, axis=1, kind="stable")
    at = [np.take_along_axis(np.abs(means), order[:, rank - 1 : rank], axis=1)[:, 0] for rank in ranks]
    return asl, np.column_stack(at)


def _t(mean: Floats, variance: Floats, squares: Floats, topics: int) -> Floats:
    """|t| of means[...]; without variance infinite, or 0 if the mean is 0 too."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(mean) / np.sqrt(np.maximum(variance, 0.0) / topics)
    constant = variance <= CANCELLATION * squares
    return np.where(constant, np.where(mean == 0, 0.0, np.inf), t)

"""Do two judges put the runs in the same order? Kendall's tau, tau_AP, and how far a run falls, with limits over topics.

Topics vary, the same ones for both judges. A resample adds sampling noise a second time, which lowers tau, so that
percentile limits lie too low and hold the tau of all topics too seldom; those of the jackknife hold it often enough.

M. G. Kendall 1945 (tau_b); E. Yilmaz, J. A. Aslam and S. Robertson, "A new rank correlation coefficient for information
retrieval", SIGIR 2008.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from irci.base.choices import TauInterval
from irci.base.types import Floats, Ints
from irci.bootstrap.topics import resampled_means, topic_counts
from irci.stats.intervals import normal_quantile, percentile_interval
from irci.stats.scales import mean_over_topics

FEW = 5  # runs: of fewer, a rank correlation has no limits
SAME_MEAN = 1e-12  # means that differ by no more than this share of the largest are equal: they are sums in some order

Statistic = Callable[[Floats, Floats], float]


@dataclass(frozen=True)
class Correlation:
    """A rank correlation with its limits, nan where there are none."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Order:
    """tau_b, tau_AP with the first judge as reference, and drops int64[R]: by how many places each run falls."""

    tau: Correlation
    tau_ap: Correlation
    drops: Ints


def order(
    first: Floats, second: Floats, *, confidence: float, interval: TauInterval, resamples: int = 2000, seed: int = 1
) -> Order:
    """Compare the orders of the means of first[R, T] and second[R, T], the scores by either judge of the same runs."""
    means = mean_over_topics(first.T), mean_over_topics(second.T)
    has_limits = len(first) >= FEW and first.shape[1] > 1
    others = _others(first, second, interval, resamples, seed) if has_limits else None

    def of(statistic: Statistic) -> Correlation:
        value = statistic(signs(means[0]), signs(means[1]))
        if others is None:
            return Correlation(value, np.nan, np.nan)
        replicates = np.array([statistic(signs(a), signs(b)) for a, b in zip(*others, strict=True)])
        return Correlation(value, *_limits(value, replicates, confidence, interval))

    return Order(of(tau_b), of(tau_ap), _ranks(means[1]) - _ranks(means[0]))


def signs(means: Floats) -> Floats:
    """float64[R, R]: the sign of means[i] - means[j]; 0 where they are equal but for rounding."""
    difference = means[:, np.newaxis] - means
    return np.where(np.abs(difference) <= SAME_MEAN * np.abs(means).max(initial=0.0), 0.0, np.sign(difference))


def tau_b(first: Floats, second: Floats) -> float:
    """Kendall's tau_b from the signs[R, R] of two orders; nan where all means of one are equal."""
    untied = np.sqrt((first != 0).sum() * (second != 0).sum())
    return float((first * second).sum() / untied) if untied else np.nan


def tau_ap(first: Floats, second: Floats) -> float:
    """tau_AP from the signs[R, R] of two orders, the first the reference; nan where all means of one are equal.

    2/(R-1) sum over places i > 1 of C_i/(i-1), less 1: C_i counts the runs above place i of the second order that the first
    has above it too, one half for a tie in either. (Yilmaz et al. 2008, equation 5.) Runs that the second ties take each
    of their places equally often.
    """
    runs = len(first)
    if not first.any() or not second.any():
        return np.nan
    above = second < 0
    credit = (above * (1 - first) / 2).sum(axis=1)
    place, tied = 1 + above.sum(axis=1), (second == 0).sum(axis=1)
    # Of place i: the sum of 1/(j-1), j up to i.
    harmonic = np.concatenate(([0.0, 0.0], np.cumsum(1 / np.arange(1, runs))))
    shares = harmonic[place + tied - 1] - harmonic[place - 1]
    among_tied = ((tied - (place == 1)) - (place - 1) * shares) / 2
    found = float(2 / (runs - 1) * ((credit * shares + among_tied) / tied).sum() - 1)
    return round(found, 15)  # sums of fractions: what is perfect is 1


def _ranks(means: Floats) -> Ints:
    return np.asarray(1 + (signs(means) < 0).sum(axis=1))


def _others(first: Floats, second: Floats, interval: TauInterval, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """Two of float64[N, R]: the means of other topic sets, without each of the topics in turn or resampled."""
    if interval == "percentile":
        counts = topic_counts(first.shape[1], resamples, seed)
        return resampled_means(first, counts).T, resampled_means(second, counts).T
    topics = first.shape[1]
    totals = (mean_over_topics(each.T) * topics for each in (first, second))
    without = [(total - each.T) / (topics - 1) for total, each in zip(totals, (first, second), strict=True)]
    return without[0], without[1]


def _limits(value: float, replicates: Floats, confidence: float, interval: TauInterval) -> tuple[float, float]:
    """Limits by the jackknife, se^2 = (n-1)/n sum of squares of replicates[n] less their mean; or percentiles."""
    if interval == "percentile":
        lower, upper = percentile_interval(replicates, confidence)
        return float(lower), float(upper)
    number = len(replicates)
    error = np.sqrt((number - 1) / number * ((replicates - replicates.mean()) ** 2).sum())
    margin = normal_quantile(confidence) * error
    return float(np.maximum(value - margin, -1.0)), float(np.minimum(value + margin, 1.0))

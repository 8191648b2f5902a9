"""Means over resampled topics: intervals for what other topics of the same kind would give.

The same topics are drawn for every run scored on equally many, so that runs can be compared.
Bootstrap-t, the t interval with quantiles of t itself under resampled topics, follows the scores' skewness: T. J. DiCiccio
and B. Efron, "Bootstrap confidence intervals", Statistical Science 11, 1996.
"""

from typing import assert_never

import numpy as np

from irci.base.choices import ResampledInterval
from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, Ints32
from irci.kernels.topics import draw_topics, mean_over_drawn
from irci.stats.intervals import Interval, bca_interval, percentile_interval
from irci.stats.scales import mean_over_topics
from irci.stats.tests import PAIRS_AT_ONCE, without_spread
from irci.system.work import claim

# A resample whose variance is no more than this share of its mean square has drawn one score again and again.
ROUNDING = 1e-12
# More resamples without spread than this share leave no interval.
MOST_WITHOUT = 0.05


def topic_counts(num_topics: int, resamples: int, seed: int, purpose: Purpose = Purpose.TOPIC_BOOTSTRAP) -> Ints32:
    """int32[T, B]: how often each of T topics is drawn in each resample; a column adds up to T."""
    claim(num_topics, resamples, bytes_each=4)
    counts = np.empty((num_topics, resamples), np.int32)
    draw_topics(seed_word(seed, purpose), counts)
    return counts


def resampled_means(values: Floats, counts: Ints32) -> Floats:
    """float64[N, B]: the means of values[N, T] over the topics drawn, counts[T, B]."""
    means = np.empty((len(values), counts.shape[1]))
    mean_over_drawn(np.ascontiguousarray(values), counts, means)
    return means


def topic_limits(values: Floats, interval: ResampledInterval, counts: Ints32, confidence: float) -> Interval:
    """The limits of the means of values[N, T] over the topics drawn, counts[T, B]; nan where bootstrap-t has none."""
    if interval == "bootstrap-t":
        return bootstrap_t_interval(values, counts, confidence)[0]
    replicates = resampled_means(values, counts)
    if interval == "percentile":
        return percentile_interval(replicates, confidence)
    if interval != "bca":
        assert_never(interval)
    return bca_interval(mean_over_topics(values.T), replicates, mean_acceleration(values), confidence)[0]


def mean_acceleration(values: Floats) -> Floats:
    """BCa's acceleration of the mean of values[..., T] (Efron & Tibshirani 1993, equation 14.15); nan if all are equal."""
    deviation = values - values.mean(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        acceleration: Floats = (deviation**3).sum(axis=-1) / (6 * (deviation**2).sum(axis=-1) ** 1.5)
    return acceleration


def bootstrap_t_interval(values: Floats, counts: Ints32, confidence: float) -> tuple[Interval, Floats]:
    """Limits[N] of the means of values[N, T] from how often each resample draws each topic, counts[T, B]; with them
    float64[N], the share of resamples without spread, which have no t and are left out.

    Where that is more than 5%, or there is one topic, limits are nan; where all values are the same, they are that value.
    """
    topics = values.shape[1]
    mean = mean_over_topics(values.T)
    lower, upper, without = mean.copy(), mean.copy(), np.zeros(len(values))
    varied = np.flatnonzero(~without_spread(values)) if topics > 1 else np.arange(0)
    if topics < 2:
        lower[:] = upper[:] = without[:] = np.nan
    for first in range(0, len(varied), PAIRS_AT_ONCE):
        some = varied[first : first + PAIRS_AT_ONCE]
        centred = values[some] - mean[some, np.newaxis]
        t = _resampled_t(centred, counts)
        error = np.sqrt((centred**2).sum(axis=1) / (topics * (topics - 1)))
        without[some] = np.isnan(t).mean(axis=1)
        t[without[some] > MOST_WITHOUT] = 0.0
        high, low = np.nanquantile(t, [(1 + confidence) / 2, (1 - confidence) / 2], axis=1)
        lower[some], upper[some] = mean[some] - high * error, mean[some] - low * error
    lower[without > MOST_WITHOUT] = upper[without > MOST_WITHOUT] = np.nan
    return (lower, upper), without


def _resampled_t(centred: Floats, counts: Ints32) -> Floats:
    # t[n, B] of resampled centred[n, T], whose true mean is 0; nan without spread.
    topics = centred.shape[1]
    drawn = counts.astype(np.float64)
    mean = centred @ drawn / topics
    square = centred**2 @ drawn / topics
    variance = square - mean**2
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / np.sqrt(variance / (topics - 1))
    return np.where(variance > ROUNDING * square, t, np.nan)

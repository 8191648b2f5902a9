"""Means over resampled topics: intervals for what other topics of the same kind would give.

The same topics are drawn for every run scored on equally many, so that runs can be compared.
"""

import numpy as np

from irci.base.choices import ResampledInterval
from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, Ints32
from irci.kernels.topics import draw_topics, mean_over_drawn
from irci.stats.bootstrap_t import bootstrap_t_interval
from irci.stats.intervals import Interval, bca_interval, percentile_interval
from irci.stats.scales import mean_over_topics
from irci.system.memory import claim


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
    match interval:
        case "percentile":
            return percentile_interval(replicates, confidence)
        case "bca":
            return bca_interval(mean_over_topics(values.T), replicates, mean_acceleration(values), confidence)[0]


def mean_acceleration(values: Floats) -> Floats:
    """BCa's acceleration of the mean of values[..., T] (Efron & Tibshirani 1993, equation 14.15); nan if all are equal."""
    deviation = values - values.mean(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        acceleration: Floats = (deviation**3).sum(axis=-1) / (6 * (deviation**2).sum(axis=-1) ** 1.5)
    return acceleration

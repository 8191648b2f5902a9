"""Means over resampled topics, the same for every run scored on equally many, so that runs can be compared."""

import numpy as np

from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, Ints32
from irci.kernels.topics import draw_topics, mean_over_drawn
from irci.system.work import claim


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

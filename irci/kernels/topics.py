"""Topics drawn with replacement: how often each, and means over those drawn."""

import numpy as np

from irci.kernels.generator import LANES, STATE_WORDS, draw, seed_lanes
from irci.kernels.shapes import expect
from irci.native.compiled import njit, uint64

RESAMPLES_AT_ONCE = 512  # sums stay in the first-level cache


@njit(cache=True, nogil=True)
def draw_topics(word, counts):
    """Fill counts int32[T, B]: how often topic t is among the T drawn with replacement in resample b.

    word: the purpose's word of the seed. A draw is a 32-bit fraction of T.
    """
    topics, resamples = counts.shape
    state = np.empty((STATE_WORDS, LANES), np.uint64)
    bits = np.empty(LANES, np.uint64)
    counts[:] = 0
    for first in range(0, resamples, LANES):
        seed_lanes(state, word, uint64(topics), first)
        for _ in range(topics):
            draw(LANES, state, bits)
            for lane in range(min(LANES, resamples - first)):
                counts[np.int64(((bits[lane] >> uint64(32)) * uint64(topics)) >> uint64(32)), first + lane] += 1


@njit(cache=True, nogil=True)
def mean_over_drawn(values, counts, means):
    """Fill means float64[N, B] with those of values float64[N, T] over the topics drawn, counts int32[T, B].

    Added up in topic order, so that nobody's company makes a difference.
    """
    topics, resamples = counts.shape
    expect(values.shape[1] == topics and means.shape == (len(values), resamples))
    total = np.empty(RESAMPLES_AT_ONCE)
    for first in range(0, resamples, RESAMPLES_AT_ONCE):
        last = min(first + RESAMPLES_AT_ONCE, resamples)
        for row in range(len(values)):
            total[:] = 0.0
            for topic in range(topics):
                value = values[row, topic]
                drawn = counts[topic, first:last]
                for i in range(len(drawn)):
                    total[i] += value * drawn[i]
            block = means[row, first:last]
            for i in range(len(block)):
                block[i] = total[i] / topics

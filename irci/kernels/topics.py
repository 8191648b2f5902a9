"""Random numbers for tests and intervals over topics: how often each topic is drawn, and signs."""

import numpy as np
from numba import njit, uint64

from irci.kernels.generator import LANES, STATE_WORDS, draw, seed_lanes


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
def draw_signs(word, keys, signs):
    """Fill signs float64[T, B] with -1 and 1; keys uint64[T]: the topics' stream keys."""
    topics, resamples = signs.shape
    state = np.empty((STATE_WORDS, LANES), np.uint64)
    bits = np.empty(LANES, np.uint64)
    for topic in range(topics):
        for first in range(0, resamples, LANES):
            seed_lanes(state, word, keys[topic], first)
            draw(LANES, state, bits)
            for lane in range(min(LANES, resamples - first)):
                signs[topic, first + lane] = 1.0 if bits[lane] >> uint64(63) else -1.0

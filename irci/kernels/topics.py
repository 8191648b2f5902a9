"""Topics drawn with replacement: how often each, and means over those drawn; a sign a topic, the same for all runs: the
largest statistic of a family of pairs under each assignment of signs.

Signs are kept as bits, uint64[T, W], 64 assignments to a word, a set bit being -1: 7000 topics and 10,000 assignments are
9 MB.
"""

import numpy as np

from irci.kernels.generator import LANES, STATE_WORDS, draw, seed_lanes
from irci.kernels.shapes import expect
from irci.native.compiled import njit, uint64

RESAMPLES_AT_ONCE = 512  # sums stay in the first-level cache


@njit
def draw_topics(word, counts):
    """Fill counts int32[T, B]: how often topic t is among the T drawn with replacement in resample b.

    word: the purpose's word of the seed. A draw is a 32-bit fraction of T.
    """
    topics, resamples = counts.shape
    state, bits = np.empty((STATE_WORDS, LANES), np.uint64), np.empty(LANES, np.uint64)
    counts[:] = 0
    for first in range(0, resamples, LANES):
        seed_lanes(state, word, uint64(topics), first)
        for _ in range(topics):
            draw(LANES, state, bits)
            for lane in range(min(LANES, resamples - first)):
                counts[np.int64(((bits[lane] >> uint64(32)) * uint64(topics)) >> uint64(32)), first + lane] += 1


@njit
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
            means[row, first:last] = total[: last - first] / topics


@njit
def draw_sign_bits(word, keys, bits):
    """Fill bits uint64[T, W] with random signs; keys uint64[T]: the topics' stream keys."""
    topics, words = bits.shape
    expect(len(keys) == topics)
    state, drawn = np.empty((STATE_WORDS, LANES), np.uint64), np.empty(LANES, np.uint64)
    for topic in range(topics):
        for first in range(0, words, LANES):
            lanes = min(LANES, words - first)
            seed_lanes(state, word, keys[topic], first, 0, lanes)
            draw(lanes, state, drawn)
            bits[topic, first : first + lanes] = drawn[:lanes]


@njit
def step_down_counts(sums, pairs, inverse, thresholds, as_large, maxima):
    """Count how often the largest u of a pair and of all after it reaches the pair's threshold, and keep that of all pairs.

    sums float64[m, n]: of each run's scores under n assignments; pairs int64[P, 2], from the largest observed u to the
    smallest, with inverse float64[P] = 1 / sqrt(sum D^2) (0: never counts) and thresholds float64[P]. Adds to as_large
    int64[P] and fills maxima float64[n].
    """
    expect(len(pairs) == 0 or (pairs.min() >= 0 and pairs.max() < len(sums)))
    expect(len(inverse) == len(pairs) and len(thresholds) == len(pairs) and len(as_large) == len(pairs))
    expect(sums.shape[1] == len(maxima))
    maxima[:] = 0.0
    for pair in range(len(pairs) - 1, -1, -1):
        run, other = sums[pairs[pair, 0]], sums[pairs[pair, 1]]
        scale, threshold, count = inverse[pair], thresholds[pair], 0
        for i in range(len(maxima)):
            u = abs(run[i] - other[i]) * scale
            largest = u if u > maxima[i] else maxima[i]
            maxima[i] = largest
            count += largest >= threshold
        as_large[pair] += count

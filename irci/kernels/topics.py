"""Topics drawn with replacement: how often each, and means over those drawn; a sign a topic, the same for all runs: the
largest statistic of a family of pairs under each assignment of signs.

Signs are kept as bits, uint64[T, W], 64 assignments to a word, a set bit being -1: 7000 topics and 10,000 assignments are
9 MB. The sums of runs under a block of assignments stay in the second-level cache while all pairs are gone through.
"""

import numpy as np

from irci.kernels.generator import LANES, STATE_WORDS, draw, seed_lanes
from irci.kernels.shapes import expect
from irci.native.compiled import njit, uint64

AT_ONCE = 256  # assignments in a block, a multiple of 64
TOPICS_AT_ONCE = 8  # whose signs stay in the first-level cache while sums go by
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
def _unpack_signs(bits, first, signs):
    """Fill signs float64[n] with those of one topic, bits uint64[W], in assignments first to first + n - 1."""
    for i in range(len(signs)):
        index = first + i
        signs[i] = 1.0 - 2.0 * (bits[index // 64] >> uint64(index % 64) & uint64(1))


@njit(fastmath={"contract"})
def _add_topics(scores, signs, sums):
    # Fused with its product, which is exact, or not, a sum is rounded once: it is the same on every processor.
    first, second, third, fourth, fifth, sixth, seventh, eighth = scores
    for i in range(len(sums)):
        total = sums[i]
        total += first * signs[0, i]
        total += second * signs[1, i]
        total += third * signs[2, i]
        total += fourth * signs[3, i]
        total += fifth * signs[4, i]
        total += sixth * signs[5, i]
        total += seventh * signs[6, i]
        total += eighth * signs[7, i]
        sums[i] = total


@njit
def _signed_sums(scores, bits, first, lanes, signs, sums):
    # sums float64[m, AT_ONCE], scores float64[m, T]: under so many assignments from the first on, added up in topic order.
    sums[:] = 0.0
    for topic in range(0, scores.shape[1], TOPICS_AT_ONCE):
        for index in range(min(TOPICS_AT_ONCE, len(bits) - topic)):
            _unpack_signs(bits[topic + index], first, signs[index, :lanes])
        for run in range(len(sums)):
            row = scores[run]
            eight = (
                row[topic], row[topic + 1], row[topic + 2], row[topic + 3],
                row[topic + 4], row[topic + 5], row[topic + 6], row[topic + 7],
            )  # fmt: skip
            _add_topics(eight, signs, sums[run])


@njit
def _descend(sums, pairs, inverse, thresholds, lanes, most, as_large):
    # most float64[n]: the running maximum, from the last pair to the first.
    most[:] = 0.0
    for pair in range(len(pairs) - 1, -1, -1):
        run, other = sums[pairs[pair, 0]], sums[pairs[pair, 1]]
        scale, threshold = inverse[pair], thresholds[pair]
        count = 0
        for i in range(lanes):
            u = abs(run[i] - other[i]) * scale
            largest = u if u > most[i] else most[i]
            most[i] = largest
            count += largest >= threshold
        as_large[pair] += count


@njit
def step_down_counts(scores, bits, assignments, begin, end, pairs, inverse, thresholds, as_large, maxima):
    """Count how often the largest u of a pair and of all after it reaches the pair's threshold, and keep that of all pairs.

    scores float64[m, T], with topics of zeros, which change no sum, up to a multiple of TOPICS_AT_ONCE; bits uint64[U, W] of
    U topics; pairs int64[P, 2], from the largest observed u to the smallest, with
    inverse float64[P] = 1 / sqrt(sum D^2) (0: never counts) and thresholds float64[P]. Blocks begin to end - 1 of AT_ONCE out
    of so many assignments: adds to as_large int64[P], writes their places of maxima float64[assignments].
    """
    expect(len(bits) <= scores.shape[1] and scores.shape[1] % TOPICS_AT_ONCE == 0)
    expect(begin >= 0 and assignments <= min(64 * bits.shape[1], len(maxima)))
    expect(len(pairs) == 0 or (pairs.min() >= 0 and pairs.max() < len(scores)))
    expect(len(inverse) == len(pairs) and len(thresholds) == len(pairs) and len(as_large) == len(pairs))
    sums = np.empty((len(scores), AT_ONCE))
    signs, most = np.ones((TOPICS_AT_ONCE, AT_ONCE)), np.empty(AT_ONCE)
    for first in range(begin * AT_ONCE, min(end * AT_ONCE, assignments), AT_ONCE):
        lanes = min(AT_ONCE, assignments - first)
        _signed_sums(scores, bits, first, lanes, signs, sums)
        _descend(sums, pairs, inverse, thresholds, lanes, most, as_large)
        maxima[first : first + lanes] = most[:lanes]

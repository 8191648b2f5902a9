"""Differences of pairs of runs on single topics: sums of them and of their squares, and how far they reach."""

import numpy as np

from irci.kernels.shapes import expect
from irci.native.compiled import njit

TOGETHER = 4  # pairs, or topics, that do not wait for each other


@njit(cache=True, nogil=True)
def _fill_differences(run, other, rounding, differences):
    for topic in range(len(differences)):
        difference = run[topic] - other[topic]
        differences[topic] = 0.0 if abs(difference) <= rounding else difference


@njit(cache=True, nogil=True)
def _ends(differences):
    # The least and the greatest.
    a = b = c = d = np.inf
    p = q = r = s = -np.inf
    whole = len(differences) // TOGETHER * TOGETHER
    for topic in range(0, whole, TOGETHER):
        w, x, y, z = differences[topic], differences[topic + 1], differences[topic + 2], differences[topic + 3]
        a, b, c, d = w if w < a else a, x if x < b else b, y if y < c else c, z if z < d else d
        p, q, r, s = w if w > p else p, x if x > q else q, y if y > r else r, z if z > s else s
    low, high = min(a, b, c, d), max(p, q, r, s)
    for topic in range(whole, len(differences)):
        low, high = min(low, differences[topic]), max(high, differences[topic])
    return low, high


@njit(cache=True, nogil=True)
def _fill_sums(rows, sums):
    # sums[TOGETHER, 3]: the mean of each of rows[TOGETHER, T], its squares, and its squares less the mean.
    first, second, third, fourth = rows[0], rows[1], rows[2], rows[3]
    topics = len(first)
    a = b = c = d = p = q = r = s = 0.0
    for topic in range(topics):
        w, x, y, z = first[topic], second[topic], third[topic], fourth[topic]
        a, b, c, d = a + w, b + x, c + y, d + z
        p, q, r, s = p + w * w, q + x * x, r + y * y, s + z * z
    a, b, c, d = a / topics, b / topics, c / topics, d / topics
    sums[0, 0], sums[1, 0], sums[2, 0], sums[3, 0] = a, b, c, d
    sums[0, 1], sums[1, 1], sums[2, 1], sums[3, 1] = p, q, r, s
    p = q = r = s = 0.0
    for topic in range(topics):
        w, x, y, z = first[topic] - a, second[topic] - b, third[topic] - c, fourth[topic] - d
        p, q, r, s = p + w * w, q + x * x, r + y * y, s + z * z
    sums[0, 2], sums[1, 2], sums[2, 2], sums[3, 2] = p, q, r, s


@njit(cache=True, nogil=True)
def fill_moments(values, pairs, rounding, moments):
    """Fill moments float64[P, 5] of differences of pairs int64[P, 2] of rows of values float64[m, T]: the mean, the sums of
    squares as they are and less the mean, the least and the greatest.

    Added up in topic order, so that nobody's company makes a difference. rounding float64[P]: differences no larger are 0, and
    all are the first where they lie no farther apart; below 0 where they are as they are.
    """
    rows, topics = values.shape
    expect(topics > 0 and len(rounding) == len(pairs) and moments.shape == (len(pairs), 5))
    expect(len(pairs) == 0 or (pairs.min() >= 0 and pairs.max() < rows))
    differences, sums = np.zeros((TOGETHER, topics)), np.empty((TOGETHER, 3))
    for begin in range(0, len(pairs), TOGETHER):
        end = min(begin + TOGETHER, len(pairs))
        for pair in range(begin, end):
            of_pair = differences[pair - begin]
            _fill_differences(values[pairs[pair, 0]], values[pairs[pair, 1]], rounding[pair], of_pair)
            low, high = _ends(of_pair)
            if high - low <= rounding[pair]:
                of_pair[:] = of_pair[0]
                low = high = of_pair[0]
            moments[pair, 3], moments[pair, 4] = low, high
        _fill_sums(differences, sums)
        moments[begin:end, :3] = sums[: end - begin]

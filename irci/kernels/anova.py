"""Draws behind tests of means: residuals drawn anew, of which the residual bootstrap needs one sum a system; rows shuffled,
for randomised Tukey HSD; Welch's F of many pairs under arrangements of the topics' labels, which say what group each is of.
"""

import numpy as np

from irci.kernels.generator import LANES, STATE_WORDS, draw, seed_lanes
from irci.kernels.shapes import expect
from irci.native.compiled import njit, uint64


@njit
def drawn_sums(residuals, word, key, draws, first_resample, sums):
    """Fill sums float64[m, B'] with sums of `draws` residuals drawn with replacement, for B' resamples.

    residuals float64[N]: the pool, N < 2^32; word, key: of the stream. Column b is resample first_resample + b, a multiple
    of LANES to begin with; system j gets the draws from j * `draws` on, two to a word, the upper half first.
    """
    systems, resamples = sums.shape
    expect(0 < len(residuals) < 2**32)
    state, bits = np.empty((STATE_WORDS, LANES), np.uint64), np.empty(LANES, np.uint64)
    total, size = np.empty(LANES), uint64(len(residuals))
    for first in range(0, resamples, LANES):
        seed_lanes(state, word, key, first_resample + first)
        is_lower = False
        for system in range(systems):
            total[:] = 0.0
            for _ in range(draws):
                if not is_lower:
                    draw(LANES, state, bits)
                shift = uint64(0) if is_lower else uint64(32)
                for lane in range(LANES):
                    half = (bits[lane] >> shift) & uint64(0xFFFFFFFF)
                    total[lane] += residuals[(half * size) >> uint64(32)]
                is_lower = not is_lower
            for lane in range(min(LANES, resamples - first)):
                sums[system, first + lane] = total[lane]


@njit
def permuted_ranges(values, word, key, ranges):
    """Fill ranges float64[B]: largest less smallest column mean of values float64[T, m], each row shuffled by itself.

    That is the distribution of randomised Tukey HSD (Carterette, ACM TOIS 30(1), 2012).
    """
    topics, systems = values.shape
    state, bits = np.empty((STATE_WORDS, LANES), np.uint64), np.empty(LANES, np.uint64)
    shuffled, total = np.empty(systems), np.empty(systems)
    for resample in range(len(ranges)):
        seed_lanes(state, word, key, resample, 0, 1)
        total[:] = 0.0
        for topic in range(topics):
            shuffled[:] = values[topic]
            for last in range(systems - 1, 0, -1):
                draw(1, state, bits)
                other = ((bits[0] & uint64(0xFFFFFFFF)) * uint64(last + 1)) >> uint64(32)
                shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
            for system in range(systems):
                total[system] += shuffled[system]
        ranges[resample] = (total.max() - total.min()) / topics


EPS = np.finfo(np.float64).eps
FEWEST_THAT_DIFFER = 3  # topics of a group whose own variance is believed, where it is smaller than that of all


@njit
def draw_labels(word, group_labels, first, labels):
    """Fill labels int64[A, n] with group_labels int64[n] in random order, by Fisher and Yates: arrangements from `first` on.

    word: the purpose's word of the seed. A draw is a 32-bit fraction of the places left.
    """
    topics = len(group_labels)
    expect(labels.shape[1] == topics and first >= 0)
    state, bits = np.empty((STATE_WORDS, LANES), np.uint64), np.empty(LANES, np.uint64)
    for begin in range(0, len(labels), LANES):
        seed_lanes(state, word, uint64(topics), first + begin)
        rows = labels[begin : begin + LANES]
        rows[:] = group_labels
        for last in range(topics - 1, 0, -1):
            draw(LANES, state, bits)
            for lane in range(len(rows)):
                other = np.int64(((bits[lane] >> uint64(32)) * uint64(last + 1)) >> uint64(32))
                row = rows[lane]
                row[last], row[other] = row[other], row[last]


@njit
def welch_f(terms, labels, sizes, bounds):
    """Welch's F of terms float64[n, P] between groups of sizes int64[G], and its second degrees of freedom, float64[P] each.

    labels int64[n]; bounds float64[3, P]: the least that a variance counts for; the size beyond which a term differs, and the
    least that the variance of a group counts for of which fewer than 3 do.
    """
    (topics, pairs), groups = terms.shape, len(sizes)
    expect(len(labels) == topics and bounds.shape == (3, pairs))
    expect(labels.min() >= 0 and labels.max() < groups and sizes.min() > 1)
    work, f, df2 = np.zeros((3, groups, pairs)), np.empty(pairs), np.empty(pairs)
    means, weights, differ = work[0], work[1], work[2]
    least, size_that_differs, least_of_few = bounds[0], bounds[1], bounds[2]
    for topic in range(topics):
        total, squares, row = means[labels[topic]], weights[labels[topic]], terms[topic]
        of_group = differ[labels[topic]]
        for pair in range(pairs):
            total[pair] += row[pair]
            squares[pair] += row[pair] * row[pair]
            of_group[pair] += abs(row[pair]) > size_that_differs[pair]
    spread = 2 * (groups - 2) / (groups**2 - 1)
    for pair in range(pairs):
        total_weight, middle = 0.0, 0.0
        for group in range(groups):
            size, squares = sizes[group], weights[group, pair]
            mean = means[group, pair] / size
            centred = squares - size * mean * mean
            if centred <= 4 * size * EPS * squares:  # rounding of what does not vary
                centred = 0.0
            means[group, pair] = mean
            bound = least_of_few[pair] if differ[group, pair] < FEWEST_THAT_DIFFER else least[pair]
            weights[group, pair] = weight = size / max(centred / (size - 1), bound)
            total_weight += weight
            middle += weight * mean
        middle /= total_weight
        between, h = 0.0, 0.0
        for group in range(groups):
            weight = weights[group, pair]
            between += weight * (means[group, pair] - middle) ** 2
            h += (1 - weight / total_weight) ** 2 / (sizes[group] - 1)
        f[pair] = between / (groups - 1) / (1 + spread * h)
        df2[pair] = (groups**2 - 1) / (3 * h)
    return f, df2


@njit
def count_as_large(terms, labels, sizes, bounds, thresholds, counts):
    """Add to counts int64[P] how many of the arrangements labels int64[A, n] make F no less than thresholds float64[P]."""
    expect(len(thresholds) == terms.shape[1] and len(counts) == terms.shape[1])
    for arrangement in range(len(labels)):
        f, _ = welch_f(terms, labels[arrangement], sizes, bounds)
        for pair in range(len(counts)):
            counts[pair] += f[pair] >= thresholds[pair]

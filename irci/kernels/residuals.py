"""Residuals drawn anew: what the residual bootstrap needs of them is one sum a system."""

import numpy as np

from irci.kernels.generator import LANES, STATE_WORDS, below, draw, next_word, seed_lanes, seed_one
from irci.kernels.shapes import expect
from irci.native.compiled import njit, uint64


@njit(cache=True, nogil=True)
def _add_one(bits, shift, residuals, total):
    size, places = uint64(len(residuals)), uint64(shift)
    for lane in range(LANES):
        total[lane] += residuals[(((bits[lane] >> places) & uint64(0xFFFFFFFF)) * size) >> uint64(32)]


@njit(cache=True, nogil=True)
def _add_two(bits, residuals, total):
    size = uint64(len(residuals))
    for lane in range(LANES):
        word = bits[lane]
        upper = residuals[((word >> uint64(32)) * size) >> uint64(32)]
        total[lane] += upper + residuals[((word & uint64(0xFFFFFFFF)) * size) >> uint64(32)]


@njit(cache=True, nogil=True)
def drawn_sums(residuals, word, key, each, first_resample, sums):
    """Fill sums float64[m, B'] with sums of `each` residuals drawn with replacement, for B' resamples.

    residuals float64[N]: the pool, N < 2^32; word, key: of the stream. Column b is resample first_resample + b, a multiple
    of LANES to begin with; system j gets the draws j each to (j + 1) each - 1, two to a word, the upper half first.
    """
    systems, resamples = sums.shape
    expect(0 < len(residuals) < 2**32)
    state, bits = np.empty((STATE_WORDS, LANES), np.uint64), np.empty(LANES, np.uint64)
    total = np.empty(LANES)
    for first in range(0, resamples, LANES):
        seed_lanes(state, word, key, first_resample + first)
        has_half = False
        for system in range(systems):
            total[:] = 0.0
            left = each - has_half
            if has_half:
                _add_one(bits, 0, residuals, total)
            for _ in range(left // 2):
                draw(LANES, state, bits)
                _add_two(bits, residuals, total)
            has_half = left % 2 == 1
            if has_half:
                draw(LANES, state, bits)
                _add_one(bits, 32, residuals, total)
            for lane in range(min(LANES, resamples - first)):
                sums[system, first + lane] = total[lane]


@njit(cache=True, nogil=True)
def _shuffle(values, state):
    for i in range(len(values) - 1, 0, -1):
        j = below(next_word(state), i + 1)
        values[i], values[j] = values[j], values[i]


@njit(cache=True, nogil=True)
def permuted_ranges(values, word, key, ranges):
    """Fill ranges float64[B]: largest less smallest column mean of values float64[T, m], each row shuffled by itself.

    That is the distribution of randomised Tukey HSD (Carterette, ACM TOIS 30(1), 2012).
    """
    topics, systems = values.shape
    state = np.empty(STATE_WORDS, np.uint64)
    shuffled, total = np.empty(systems), np.empty(systems)
    for resample in range(len(ranges)):
        seed_one(state, word, key, resample)
        total[:] = 0.0
        for topic in range(topics):
            shuffled[:] = values[topic]
            _shuffle(shuffled, state)
            for system in range(systems):
                total[system] += shuffled[system]
        ranges[resample] = (total.max() - total.min()) / topics

"""Random bits for kernels: xoshiro256++ in lanes, one lane a resample (or 64, where each takes a bit), its state an array.

A lane's stream is keyed by (seed word, key, its number) alone, so what it draws depends neither on the number of threads nor
on how resamples are laid out in blocks. Generator: Blackman & Vigna, "Scrambled linear pseudorandom number generators",
ACM TOMS 47(4), 2021; seeding by splitmix64, as its authors advise.

Alias tables for Poisson counts (Walker 1977, set up as Vose 1991): one lookup a draw, whatever the rate.

A table is that of a pair of independent counts, (irrelevant ~ Poisson(gap), relevant ~ Poisson(run)), packed in one word
as irrelevant << 16 | relevant; a rate of 0 makes its count 0. Pairs less likely than 2^-40 are left out, and a draw has 32
bits, so that a cell's share is a multiple of 2^-32, the nearest one.
"""

import math
from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.native.compiled import njit, uint32, uint64

LANES = 256  # lanes side by side: their state stays in the first-level cache
STATE_WORDS = 4

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit
def mix(word):
    """A word that tells every bit of another: the finaliser of splitmix64."""
    word = (word ^ (word >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> uint64(27))) * uint64(0x94D049BB133111EB)
    return word ^ (word >> uint64(31))


@njit
def splitmix(word):
    """The output of splitmix64 whose state was `word`: a hash of it in which every bit tells."""
    return mix(word + GOLDEN)


@njit
def seed_lanes(state, word, key, first, begin=0, end=LANES):
    """Start the lanes begin to end - 1 of state uint64[4, LANES] on streams first, first + 1, ... under (word, key)."""
    stem = splitmix(word ^ splitmix(key))
    shift = uint64(first) - uint64(begin)
    for lane in range(begin, end):
        state[0, lane] = splitmix(stem ^ splitmix(shift + uint64(lane)))
    for i in range(STATE_WORDS - 1, -1, -1):  # the seed itself is where the first word comes last
        step = uint64(i) * GOLDEN
        for lane in range(begin, end):
            state[i, lane] = splitmix(state[0, lane] + step)


@njit
def draw(lanes, state, bits):
    """64 fresh bits into bits uint64[LANES] for so many lanes."""
    for lane in range(lanes):
        s0, s1, s2, s3 = state[0, lane], state[1, lane], state[2, lane], state[3, lane]
        total = s0 + s3
        bits[lane] = ((total << uint64(23)) | (total >> uint64(41))) + s0
        shifted = s1 << uint64(17)
        s2 ^= s0
        s3 ^= s1
        state[0, lane], state[1, lane] = s0 ^ s3, s1 ^ s2
        state[2, lane], state[3, lane] = s2 ^ shifted, (s3 << uint64(45)) | (s3 >> uint64(19))


COUNT_BITS = 16
NEGLIGIBLE = 2.0**-40
FARTHEST = 64  # a count that is not negligible is no larger than twice its rate and this


class AliasTables(NamedTuple):
    """Tables end to end: table i has 2^bits[i] cells of threshold uint32[...] and choice uint32[..., 2] from offset[i] on."""

    threshold: Array[np.uint32]
    choice: Array[np.uint32]
    offset: Array[np.int64]
    bits: Array[np.int64]


@njit
def _poisson_support(rate):
    # The first of the counts that are not negligible, and their probabilities, which fall to either side of the mode.
    low = high = mode = int(rate)
    probability = np.empty(2 * mode + FARTHEST)
    probability[mode] = math.exp(mode * math.log(rate) - rate - math.lgamma(mode + 1.0)) if rate > 0 else 1.0
    while low > 0 and probability[low] * low / rate > NEGLIGIBLE:
        probability[low - 1] = probability[low] * low / rate
        low -= 1
    while probability[high] * rate / (high + 1) > NEGLIGIBLE:
        probability[high + 1] = probability[high] * rate / (high + 1)
        high += 1
    return low, probability[low : high + 1]


@njit
def pair_table(gap, run):
    """The alias table of (Poisson(gap), Poisson(run)).

    Returns bits, where the table has 2^bits cells; threshold uint32[2^bits] and choice uint32[2^bits, 2]: a uniform cell
    and a uniform 32-bit fraction give choice[cell, 0] if the fraction is below the threshold, else choice[cell, 1]; and
    the largest irrelevant and relevant counts in it.
    """
    (low_gap, gaps), (low_run, runs) = _poisson_support(gap), _poisson_support(run)
    probabilities = np.outer(gaps, runs).ravel()
    pair = np.flatnonzero(probabilities > NEGLIGIBLE)
    packed = ((low_gap + pair // len(runs)) << COUNT_BITS | (low_run + pair % len(runs))).astype(np.uint32)
    probabilities = probabilities[pair]
    bits = 1  # a shift by 32 - 0 bits would be no shift at all
    while (1 << bits) < len(packed):
        bits += 1
    size = 1 << bits
    share = np.zeros(size)
    share[: len(packed)] = probabilities * (size / probabilities.sum())
    threshold, choice = np.full(size, 0xFFFFFFFF, np.uint32), np.empty((size, 2), np.uint32)
    poor, rich = np.empty(size, np.int64), np.empty(size, np.int64)
    poors = riches = 0
    fractions = 2.0 ** (32 - bits)
    for cell in range(size):
        # Cells beyond the last count are never chosen: their own share is 0.
        choice[cell] = packed[cell] if cell < len(packed) else packed[0]
        if share[cell] < 1.0:
            poor[poors] = cell
            poors += 1
        else:
            rich[riches] = cell
            riches += 1
    while poors > 0 and riches > 0:
        poors -= 1
        cell = poor[poors]
        donor = rich[riches - 1]
        # A fraction is a multiple of 2^bits: so is the threshold, or every cell would keep a little too much.
        rounded = np.round(share[cell] * fractions) * size
        if rounded < 4294967296.0:
            threshold[cell] = uint32(rounded)
            choice[cell, 1] = choice[donor, 0]
        share[donor] -= 1.0 - share[cell]
        if share[donor] < 1.0:
            riches -= 1
            poor[poors] = donor
            poors += 1
    most_irrelevant, most_relevant = packed.max() >> COUNT_BITS, (packed & 0xFFFF).max()
    return bits, threshold, choice, np.int64(most_irrelevant), np.int64(most_relevant)


@njit
def look_up(lanes, bits, shift, tables, number, packed):
    """Draw a packed pair of counts for each of so many lanes and add it to packed uint32[LANES].

    bits uint64[LANES]: fresh random words, of which the 32 bits from `shift` (0 or 32) on are used: the upper ones choose
    a cell of the table of this number in `tables` (AliasTables), the rest is the fraction.
    """
    threshold, choice = tables.threshold, tables.choice
    cell_shift = uint64(32) - uint64(tables.bits[number])
    fraction_shift = uint64(tables.bits[number])
    word_shift = uint64(shift)
    base = uint64(tables.offset[number])
    for lane in range(lanes):
        word = (bits[lane] >> word_shift) & uint64(0xFFFFFFFF)
        cell = base + (word >> cell_shift)
        fraction = (word << fraction_shift) & uint64(0xFFFFFFFF)
        packed[lane] += choice[cell, uint64(fraction >= uint64(threshold[cell]))]

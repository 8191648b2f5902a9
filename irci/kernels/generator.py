"""Random bits for kernels: xoshiro256++ in lanes, one lane a resample (or 64, where each takes a bit), its state an array.

A lane's stream is keyed by (seed word, key, its number) alone, so what it draws depends neither on the number of threads nor
on how resamples are laid out in blocks. Generator: Blackman & Vigna, "Scrambled linear pseudorandom number generators",
ACM TOMS 47(4), 2021; seeding by splitmix64, as its authors advise.
"""

import numpy as np

from irci.native.compiled import njit, uint64

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
def _step(s0, s1, s2, s3):
    # 64 bits of a stream, and its state behind them.
    total = s0 + s3
    bits = ((total << uint64(23)) | (total >> uint64(41))) + s0
    shifted = s1 << uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    return bits, s0, s1, s2, (s3 << uint64(45)) | (s3 >> uint64(19))


@njit
def draw(lanes, state, bits):
    """64 fresh bits into bits uint64[LANES] for so many lanes."""
    for lane in range(lanes):
        bits[lane], state[0, lane], state[1, lane], state[2, lane], state[3, lane] = _step(
            state[0, lane], state[1, lane], state[2, lane], state[3, lane]
        )


@njit
def seed_one(state, word, key, resample):
    """Start state uint64[4] on the stream that `seed_lanes` gives the lane of this resample."""
    seed = splitmix(splitmix(word ^ splitmix(key)) ^ splitmix(uint64(resample)))
    for i in range(STATE_WORDS):
        state[i] = splitmix(seed + uint64(i) * GOLDEN)


@njit
def next_word(state):
    """The next 64 bits of one stream."""
    bits, state[0], state[1], state[2], state[3] = _step(state[0], state[1], state[2], state[3])
    return bits


@njit
def below(word, bound):
    """A whole number from 0 to bound - 1 from 32 random bits, the lower half of `word`."""
    return ((word & uint64(0xFFFFFFFF)) * uint64(bound)) >> uint64(32)

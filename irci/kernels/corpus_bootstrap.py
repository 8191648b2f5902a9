"""AP of one ranking under resampled documents, many resamples side by side.

Every document's multiplicity is Poisson(1). What stands between two relevant documents matters only through its total, and
so do relevant documents that stand next to each other; so a ranking is a sequence of steps (gap, run): a number of
non-relevant documents, then a number of relevant ones, each a Poisson count. With n entries so far, F of them
non-relevant, a run of K copies adds `sum_{j=1..K} (n - F + j)/(n + j) = K - F (H[n + K] - H[n])`.

A step is one lookup or several (`look_up`), and each random word serves two lookups. The work of a step is split in stages
that each run over all lanes, so that those without table lookups become vector instructions and none has a branch.
"""

import numpy as np
from numba import njit

from irci.kernels.generator import LANES, STATE_WORDS, draw, seed_lanes
from irci.kernels.poisson_tables import COUNT_BITS, look_up

# What to do after a lookup.
STEP_GOES_ON, STEP_ENDS, UNRETRIEVED = range(3)


@njit(cache=True, nogil=True)
def _advance(packed, irrelevant, before, after):
    """Move every lane over one step: F, n before the run and n after it; clear the drawn counts."""
    for lane in range(LANES):
        drawn = packed[lane]
        gap = np.int32(drawn >> COUNT_BITS)
        irrelevant[lane] += gap
        before[lane] = after[lane] + gap
        after[lane] = before[lane] + np.int32(drawn & 0xFFFF)
        packed[lane] = 0


@njit(cache=True, nogil=True)
def _subtract_harmonics(harmonic, before, after, difference):
    for lane in range(LANES):
        difference[lane] = harmonic[np.uint32(after[lane])] - harmonic[np.uint32(before[lane])]


@njit(cache=True, nogil=True)
def _add_precisions(irrelevant, before, after, difference, precisions):
    for lane in range(LANES):
        precisions[lane] += (after[lane] - before[lane]) - irrelevant[lane] * difference[lane]


@njit(cache=True, nogil=True)
def _count_unretrieved(packed, unretrieved):
    for lane in range(LANES):
        unretrieved[lane] += np.int32(packed[lane] & 0xFFFF)
        packed[lane] = 0


@njit(cache=True, nogil=True)
def resample_ap(
    threshold, choice, table_offset, table_bits, harmonic, tables, actions, offsets, keys, word, first_list, last_list, ap
):  # fmt: skip
    """Fill ap float64[lists, B] for the lists first_list to last_list - 1: list l under resample b.

    threshold, choice, table_offset int64[tables], table_bits int64[tables]: alias tables end to end (`pair_table`);
    harmonic float64[...]: H_0 = 0, H_1, ...; tables int32[...] and actions uint8[...]: the lookups of the lists, list l's
    from offsets[l] to offsets[l+1]; keys uint64[lists]: each list's topic key; word: the purpose's word of the seed.
    A resample without any relevant document is drawn again (AP is undefined there).
    """
    resamples = ap.shape[1]
    state = np.empty((STATE_WORDS, LANES), np.uint64)
    bits = np.empty(LANES, np.uint64)
    packed = np.zeros(LANES, np.uint32)
    irrelevant = np.empty(LANES, np.int32)
    before = np.empty(LANES, np.int32)
    after = np.empty(LANES, np.int32)
    unretrieved = np.empty(LANES, np.int32)
    difference = np.empty(LANES)
    precisions = np.empty(LANES)
    undone = np.empty(LANES, np.bool_)
    for ranking in range(first_list, last_list):
        if offsets[ranking] == offsets[ranking + 1]:  # nothing relevant is retrieved
            ap[ranking] = 0.0
            continue
        for first in range(0, resamples, LANES):
            seed_lanes(state, word, keys[ranking], first)
            wanted = min(LANES, resamples - first)
            undone[:] = True
            left = wanted
            while left > 0:
                irrelevant[:] = 0
                after[:] = 0
                unretrieved[:] = 0
                precisions[:] = 0.0
                lower_half = True
                for i in range(offsets[ranking], offsets[ranking + 1]):
                    lower_half = not lower_half
                    if not lower_half:
                        draw(state, bits)
                    table = tables[i]
                    look_up(
                        bits, 0 if lower_half else 32, threshold, choice, table_offset[table], table_bits[table], packed
                    )
                    if actions[i] == STEP_ENDS:
                        _advance(packed, irrelevant, before, after)
                        _subtract_harmonics(harmonic, before, after, difference)
                        _add_precisions(irrelevant, before, after, difference, precisions)
                    elif actions[i] == UNRETRIEVED:
                        _count_unretrieved(packed, unretrieved)
                for lane in range(wanted):
                    relevant = after[lane] - irrelevant[lane] + unretrieved[lane]
                    if undone[lane] and relevant > 0:
                        ap[ranking, first + lane] = precisions[lane] / relevant
                        undone[lane] = False
                        left -= 1

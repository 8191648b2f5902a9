"""Rankings of one topic under the same resampled documents, many resamples side by side.

Every document has one multiplicity, Poisson(1), in all rankings, from a stream of its own: what it is does not depend on
which rankings are compared. So neighbours are not drawn as one, as `corpus_bootstrap` does for one ranking. Instead a draw
takes 16 random bits, which are compared with eight thresholds; that and the sums over a gap become vector instructions.

The 16 bits are exact: count k owns floor(p_k 2^16) of their 2^16 values, and the five values left over ask for 53 bits
more, which choose among what is left of the probabilities.
"""

import math
from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.generator import GOLDEN, LANES, splitmix
from irci.kernels.resampled_rankings import (
    AVERAGE_PRECISION,
    count_relevant,
    divisors,
    room_for_lists,
    room_for_steps,
    settle,
    written,
)
from irci.kernels.shapes import expect, expect_groups
from irci.native.compiled import njit, uint64

MOST_COPIES = 20  # of a document: P(more) < 2^-64
WORDS = LANES // 4  # random words that give every lane 16 bits
# The multiplier by which a document's streams for further attempts are told from its first.
ATTEMPT = np.uint64(0xD1342543DE82EF95)

_PROBABILITY = np.array([math.exp(-1) / math.factorial(k) for k in range(MOST_COPIES + 1)])
_OWNED = np.floor(_PROBABILITY * 2**16)
_LEFT = _PROBABILITY * 2**16 - _OWNED
# A value of at least so many of these thresholds means so many copies, but LEFT_OVER means that 53 bits more decide.
T0, T1, T2, T3, T4, T5, T6, T7 = (np.uint16(threshold) for threshold in np.cumsum(_OWNED[:8]))
LEFT_OVER = np.uint8(8)
REST = np.cumsum(_LEFT)[:-1] / _LEFT.sum()


class NumberedRankings(NamedTuple):
    """Rankings of one topic as numbers of its D documents, of which the R relevant ones come first.

    Their streams are keyed by the purpose's `word` of the seed, the topic's `key` and the documents' `words` uint64[D], all
    different; `classes` int32[R], R > 0: into gains. `documents` int32[...]: the ranking of run r from offsets[r] to
    offsets[r+1], perhaps without what follows its last relevant one.
    """

    word: np.uint64
    key: np.uint64
    words: Array[np.uint64]
    classes: Array[np.int32]
    documents: Array[np.int32]
    offsets: Array[np.int64]


@njit
def draw_copies(key, block, words, values, copies, row):
    """The copies, into copies uint8[..., LANES] at this row, of the document with this key in the resamples of a block.

    words uint64[WORDS]: room for random words; values uint16[LANES]: a view of the same memory.
    """
    start = key + uint64(block) * (uint64(WORDS) * GOLDEN)
    for i in range(WORDS):
        words[i] = splitmix(start + uint64(i) * GOLDEN)
    most = np.uint16(0)
    for lane in range(LANES):
        value = values[lane]
        # In 16 bits, as what is compared: to narrow each comparison would cost more than the comparisons.
        count = np.uint16(
            np.uint16(value >= T0) + np.uint16(value >= T1) + np.uint16(value >= T2) + np.uint16(value >= T3)
            + np.uint16(value >= T4) + np.uint16(value >= T5) + np.uint16(value >= T6) + np.uint16(value >= T7)
        )  # fmt: skip
        copies[row, lane] = count
        most = max(most, count)
    if most == LEFT_OVER:
        for lane in range(LANES):
            if copies[row, lane] == LEFT_OVER:
                word = splitmix(~key ^ uint64(block * LANES + lane))
                copies[row, lane] = np.searchsorted(REST, float(word >> uint64(11)) * 2.0**-53, side="right")


@njit
def _draw_documents(rankings, keys, block, needed, copies, steps):
    # The copies of all documents, and of each class; where none of a class that is needed has any, these are drawn again until
    # one has.
    classes = rankings.classes
    words = np.empty(WORDS, np.uint64)
    values = words.view(np.uint16)
    for document in range(len(keys)):
        draw_copies(keys[document], block, words, values, copies, document)
    attempt, spare = uint64(0), len(copies) - 1
    while True:
        steps.copies[:] = 0
        for document in range(len(classes)):
            kind = classes[document]
            for lane in range(LANES):
                steps.copies[kind, lane] += copies[document, lane]
        count_relevant(needed, steps.copies, steps.relevant)
        if needed == len(steps.copies) or steps.relevant.min() > 0:
            break
        attempt += uint64(1)
        for document in range(len(classes)):
            if classes[document] >= needed:
                draw_copies(splitmix(keys[document] ^ (attempt * ATTEMPT)), block, words, values, copies, spare)
                for lane in range(LANES):
                    if steps.relevant[lane] == 0:
                        copies[document, lane] = copies[spare, lane]


@njit
def _pass_ranking(rankings, run, copies, steps):
    # Pass one ranking in every lane; return the number of its steps. Neighbours of one class pass as one: their order makes no
    # difference, not even in the last bit.
    documents, classes = rankings.documents, rankings.classes
    retrieved, number, kind = steps.retrieved, 0, -1
    retrieved[:] = 0
    for i in range(rankings.offsets[run], rankings.offsets[run + 1]):
        document = documents[i]
        before, kind = kind, classes[document] if document < len(classes) else -1
        if kind >= 0 and kind != before:
            steps.begins[number] = retrieved
            steps.classes[number] = kind
            number += 1
        for lane in range(LANES):
            retrieved[lane] += copies[document, lane]
        if kind >= 0:
            steps.ends[number - 1] = retrieved
    return number


@njit
def resample_together(scoring, rankings, blocks, scores):
    """Fill scores float64[runs, B] of rankings: NumberedRankings, in the blocks of LANES resamples from blocks[0] to
    blocks[1] - 1, by scoring: Scoring; or return these as ResampledLists.

    A resample in which the score is undefined is drawn again, for all runs alike.
    """
    words, documents, offsets, gains = rankings.words, rankings.documents, rankings.offsets, scoring.gains
    runs, resamples = scores.shape
    expect_groups(offsets, runs, len(documents))
    expect(0 < len(rankings.classes) <= len(words) and rankings.classes.min() >= 0)
    expect(rankings.classes.max() < len(gains) and len(scoring.cumulative) > 0)
    expect(len(documents) == 0 or (documents.min() >= 0 and documents.max() < len(words)))
    longest = np.diff(offsets).max()
    expect(scoring.measure != AVERAGE_PRECISION or MOST_COPIES * longest < len(scoring.cumulative))
    stem = splitmix(rankings.word ^ splitmix(rankings.key))
    keys = np.array([splitmix(stem ^ splitmix(word)) for word in words])
    lists, done = room_for_lists(scoring, runs * (min(blocks[1] * LANES, resamples) - blocks[0] * LANES)), 0
    steps = room_for_steps(min(len(rankings.classes), longest), len(gains))
    copies = np.empty((len(keys) + 1, LANES), np.uint8)
    for block in range(blocks[0], blocks[1]):
        _draw_documents(rankings, keys, block, scoring.needed, copies, steps)
        divisor, first = divisors(LANES, scoring, steps), block * LANES
        lanes = min(LANES, resamples - first)
        for run in range(runs):
            number = _pass_ranking(rankings, run, copies, steps)
            places = run * resamples + first + np.arange(LANES)
            lists, done = settle(lanes, scoring, steps, number, divisor, places, scores, lists, done)
    return written(lists, done)

"""Scores of several rankings of one topic under the same resampled documents, many resamples side by side.

Every document has one multiplicity, Poisson(1), in all rankings, from a stream of its own: what it is does not depend on
which rankings are compared. So neighbours are not drawn as one, as `corpus_bootstrap` does for one ranking. Instead a draw
takes 16 random bits, which are compared with eight thresholds; that and the sums over a gap become vector instructions.

The 16 bits are exact: count k owns floor(p_k 2^16) of their 2^16 values, and the five values left over ask for 53 bits
more, which choose among what is left of the probabilities.

Before that, the documents of a topic are numbered, and rankings found that no resample of the documents can tell apart.
"""

import math
from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.corpus_bootstrap import (
    AVERAGE_PRECISION,
    NDCG,
    PRECISION,
    R_PRECISION,
    add_gains,
    add_hits,
    add_precisions,
    find_divisor,
    subtract_harmonics,
)
from irci.kernels.generator import GOLDEN, LANES, splitmix
from irci.kernels.hashing import fold
from irci.kernels.shapes import expect, expect_groups
from irci.native.compiled import njit, uint64

MOST_COPIES = 20  # of a document: P(more) < 2^-64
WORDS = LANES // 4  # random words that give every lane 16 bits
SUMMANDS = 65535 // MOST_COPIES - 4  # copies of so many documents add up in 16 bits
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

    `keys` uint64[D]: the documents' stream keys; `classes` int32[R], R > 0: into gains. `documents` int32[...]: the ranking of
    run r from offsets[r] to offsets[r+1], perhaps without what follows its last relevant one.
    """

    keys: Array[np.uint64]
    classes: Array[np.int32]
    documents: Array[np.int32]
    offsets: Array[np.int64]


@njit
def document_keys(word, topic_key, words):
    """The stream keys uint64[D] of documents of a topic, from the purpose's word of the seed and the documents' words: as
    different as these are."""
    stem = splitmix(word ^ splitmix(topic_key))
    keys = np.empty(len(words), np.uint64)
    for document in range(len(words)):
        keys[document] = splitmix(stem ^ splitmix(words[document]))
    return keys


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
def _count_relevant(classes, copies, needed, total, relevant):
    total[:] = 0
    for document in range(len(classes)):
        kind = classes[document]
        for lane in range(LANES):
            total[kind, lane] += copies[document, lane]
    relevant[:] = 0
    for kind in range(needed, len(total)):
        for lane in range(LANES):
            relevant[lane] += total[kind, lane]


@njit(forceinline=True)
def room_for_documents(rankings, classes):
    """Room into which the copies of documents are drawn, and every lane's copies by class, of relevant ones, and in a gap."""
    copies, words = np.empty((len(rankings.keys) + 1, LANES), np.uint8), np.empty(WORDS, np.uint64)
    total, relevant = np.empty((classes, LANES), np.int32), np.empty(LANES, np.int32)
    return copies, words, words.view(np.uint16), total, relevant, np.zeros(LANES, np.uint16)


@njit
def draw_documents(rankings, block, needed, words, values, copies, total, relevant):
    """The copies of all documents, of those that matter by class in total int32[G, LANES], and of the classes from `needed` on
    in relevant int32[LANES]; where no document of these has any, these are drawn again until one has (needed = G: never)."""
    keys, classes = rankings.keys, rankings.classes
    for document in range(len(keys)):
        draw_copies(keys[document], block, words, values, copies, document)
    _count_relevant(classes, copies, needed, total, relevant)
    attempt = uint64(0)
    spare = len(copies) - 1
    while needed < len(total) and relevant.min() == 0:
        attempt += uint64(1)
        for document in range(len(classes)):
            if classes[document] < needed:
                continue
            draw_copies(splitmix(keys[document] ^ (attempt * ATTEMPT)), block, words, values, copies, spare)
            for lane in range(LANES):
                if relevant[lane] == 0:
                    copies[document, lane] = copies[spare, lane]
        _count_relevant(classes, copies, needed, total, relevant)


# Rows are told by their number: to take a row out of the matrix costs more than to add it.
@njit
def _add_copies(copies, document, sums):
    for lane in range(LANES):
        sums[lane] += copies[document, lane]


@njit
def _add_copies_of_four(copies, documents, i, sums):
    first, second, third, fourth = documents[i], documents[i + 1], documents[i + 2], documents[i + 3]
    for lane in range(LANES):
        sums[lane] += np.uint8(copies[first, lane] + copies[second, lane] + copies[third, lane] + copies[fourth, lane])


@njit
def _pass_gap(gap, irrelevant, after):
    for lane in range(LANES):
        irrelevant[lane] += gap[lane]
        after[lane] += gap[lane]
        gap[lane] = 0


@njit
def pass_group(rankings, i, end, copies, gap, irrelevant, before, after):
    """Move every lane from a ranking's document i over a gap and the group of neighbours of one class behind it, which is
    from `before` to `after`; return the document behind these, and the class, or -1 if the ranking ends with the gap.

    Neighbours of one class pass as one: their order makes no difference, not even in the last bit.
    """
    classes, documents = rankings.classes, rankings.documents
    num_relevant = len(classes)
    summed = 0
    while i < end and documents[i] >= num_relevant:
        if i + 4 <= end and (
            min(min(documents[i], documents[i + 1]), min(documents[i + 2], documents[i + 3])) >= num_relevant
        ):
            _add_copies_of_four(copies, documents, i, gap)
            i += 4
        else:
            _add_copies(copies, documents[i], gap)
            i += 1
        summed += 4
        if summed >= SUMMANDS:
            _pass_gap(gap, irrelevant, after)
            summed = 0
    if summed > 0:
        _pass_gap(gap, irrelevant, after)
    if i == end:
        return i, -1
    for lane in range(LANES):
        before[lane] = after[lane]
    kind = classes[documents[i]]
    while i < end and documents[i] < num_relevant and classes[documents[i]] == kind:
        _add_copies(copies, documents[i], after)
        i += 1
    return i, kind


@njit
def expect_rankings(rankings, runs, classes):
    """Expect that so many rankings, their documents and these documents' classes are within their arrays."""
    keys, documents = rankings.keys, rankings.documents
    expect_groups(rankings.offsets, runs, len(documents))
    expect(0 < len(rankings.classes) <= len(keys) and rankings.classes.min() >= 0 and rankings.classes.max() < classes)
    expect(len(documents) == 0 or (documents.min() >= 0 and documents.max() < len(keys)))


@njit
def paired_scores(scoring, rankings, scores):
    """Fill scores float64[runs, B] of rankings: NumberedRankings, by scoring: Scoring.

    A resample without a copy of a relevant document is drawn again, for all runs alike, unless the measure is P.
    """
    measure, gains, cumulative = scoring.measure, scoring.gains, scoring.cumulative
    offsets = rankings.offsets
    expect_rankings(rankings, len(scores), len(gains))
    expect(len(cumulative) > 0)
    if measure == AVERAGE_PRECISION:
        for run in range(len(scores)):
            expect(MOST_COPIES * (offsets[run + 1] - offsets[run]) < len(cumulative))
    copies, words, values, total, relevant, gap = room_for_documents(rankings, len(gains))
    irrelevant, before, after = np.empty(LANES, np.int32), np.empty(LANES, np.int32), np.empty(LANES, np.int32)
    difference, sums, divisor = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    needed = len(gains) if measure == PRECISION else 0
    cuts = relevant if measure == R_PRECISION else np.full(LANES, min(scoring.cut, 2**31 - 1), np.int32)
    for block in range((scores.shape[1] + LANES - 1) // LANES):
        draw_documents(rankings, block, needed, words, values, copies, total, relevant)
        find_divisor(LANES, scoring, total, relevant, divisor)
        first = block * LANES
        for run in range(len(offsets) - 1):
            irrelevant[:] = 0
            after[:] = 0
            sums[:] = 0.0
            i, end = offsets[run], offsets[run + 1]
            while i < end:
                i, kind = pass_group(rankings, i, end, copies, gap, irrelevant, before, after)
                if kind < 0:
                    break
                if measure == AVERAGE_PRECISION:
                    subtract_harmonics(LANES, cumulative, before, after, difference)
                    add_precisions(LANES, irrelevant, before, after, difference, sums)
                elif measure == NDCG:
                    add_gains(LANES, gains[kind], cumulative, before, after, sums)
                else:
                    add_hits(LANES, cuts, before, after, sums)
            for lane in range(min(LANES, scores.shape[1] - first)):
                scores[run, first + lane] = sums[lane] / divisor[lane]


@njit
def number_documents(numbers, relevant, num_documents):
    """Number the documents of one topic that matter anew: its R relevant ones in their order, then the others as they come.

    numbers int32[N], below num_documents: of retrieved documents, run after run; relevant int32[R]: of the relevant ones.
    Returns the new numbers int32[N], and the old ones int64[D] by new number.
    """
    expect(
        len(relevant) <= num_documents
        and (len(relevant) == 0 or (relevant.min() >= 0 and relevant.max() < num_documents))
    )
    expect(len(numbers) == 0 or (numbers.min() >= 0 and numbers.max() < num_documents))
    new = np.full(num_documents, -1, np.int32)
    old = np.empty(num_documents, np.int64)
    count = len(relevant)
    new[relevant] = np.arange(count)
    old[:count] = relevant
    documents = np.empty(len(numbers), np.int32)
    for i in range(len(numbers)):
        number = numbers[i]
        if new[number] < 0:
            new[number] = count
            old[count] = number
            count += 1
        documents[i] = new[number]
    return documents, old[:count].copy()


@njit
def _groups(classes, documents, offsets):
    # For each document of each ranking, the number of its gap or group of neighbours of one class.
    groups = np.empty(len(documents), np.int64)
    for run in range(len(offsets) - 1):
        group = 0
        before = -1
        for i in range(offsets[run], offsets[run + 1]):
            kind = classes[documents[i]] if documents[i] < len(classes) else -1
            group += kind != before
            before = kind
            groups[i] = group
    return groups


@njit
def _same_groups(documents, groups, first, second, size, scratch):
    # Of two rankings, `size` documents from first and from second on. scratch int64[D]: -1 everywhere, before and after.
    for i in range(first, first + size):
        scratch[documents[i]] = groups[i]
    i = second
    while i < second + size and scratch[documents[i]] == groups[i]:
        i += 1
    for j in range(first, first + size):
        scratch[documents[j]] = -1
    return i == second + size


@njit
def ranking_structures(num_documents, classes, documents, offsets, secret):
    """A number a run, int64[runs], equal where rankings can have no different scores, whatever documents are resampled.

    That is where the same documents stand in the same gap or group of neighbours of one class; the number is that of the first
    run where they do. Sums of hashes find the candidates, keyed by secret uint64[2]. The rest as in `NumberedRankings`.
    """
    expect_groups(offsets, len(offsets) - 1, len(documents))
    expect(len(documents) == 0 or (documents.min() >= 0 and documents.max() < num_documents))
    groups = _groups(classes, documents, offsets)
    sums = np.zeros(len(offsets) - 1, np.uint64)
    structures = np.arange(len(offsets) - 1)
    scratch = np.full(num_documents, -1, np.int64)
    for run in range(len(offsets) - 1):
        size = offsets[run + 1] - offsets[run]
        for i in range(offsets[run], offsets[run + 1]):
            sums[run] += fold(secret[0] ^ (uint64(documents[i]) << uint64(32) | uint64(groups[i])), secret)
        for other in range(run):
            if (
                structures[other] == other
                and sums[other] == sums[run]
                and offsets[other + 1] - offsets[other] == size
                and _same_groups(documents, groups, offsets[other], offsets[run], size, scratch)
            ):
                structures[run] = other
                break
    return structures

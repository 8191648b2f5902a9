"""Several rankings of one topic: their documents numbered, and which of them no resample of the documents can tell apart."""

import numpy as np

from irci.kernels.hashing import fold
from irci.kernels.shapes import expect, expect_groups
from irci.native.compiled import njit, uint64


@njit(cache=True, nogil=True)
def number_documents(numbers, relevant, known):
    """Number the documents of one topic that matter anew: its R relevant ones in their order, then the others as they come.

    numbers int32[N], below `known`: of retrieved documents, run after run; relevant int32[R]: of the relevant ones. Returns
    the new numbers int32[N], and the old ones int64[D] by new number.
    """
    expect(len(relevant) <= known and (len(relevant) == 0 or (relevant.min() >= 0 and relevant.max() < known)))
    expect(len(numbers) == 0 or (numbers.min() >= 0 and numbers.max() < known))
    new = np.full(known, -1, np.int32)
    old = np.empty(known, np.int64)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _same_groups(documents, groups, first, second, size, scratch):
    # Of two rankings, `size` documents from first and from second on. scratch int64[D]: -1 everywhere, before and after.
    for i in range(first, first + size):
        scratch[documents[i]] = groups[i]
    i = second
    while i < second + size and scratch[documents[i]] == groups[i]:
        i += 1
    for each in range(first, first + size):
        scratch[documents[each]] = -1
    return i == second + size


@njit(cache=True, nogil=True)
def ranking_structures(known, classes, documents, offsets, secret):
    """A number a run, int64[runs], equal where rankings can have no different scores, whatever documents are resampled.

    That is where the same documents stand in the same gap or group of neighbours of one class; the number is that of the first
    run where they do. Sums of hashes find the candidates, keyed by secret uint64[2]. known: D, the number of documents; the
    rest as in `paired_bootstrap.NumberedRankings`.
    """
    expect_groups(offsets, len(offsets) - 1, len(documents))
    expect(len(documents) == 0 or (documents.min() >= 0 and documents.max() < known))
    groups = _groups(classes, documents, offsets)
    sums = np.zeros(len(offsets) - 1, np.uint64)
    structures = np.arange(len(offsets) - 1)
    scratch = np.full(known, -1, np.int64)
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

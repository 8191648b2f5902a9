"""Parts of a collection: which part a document is in, and what a ranking becomes within one."""

import numpy as np

from irci.kernels.generator import splitmix
from irci.kernels.shapes import expect, expect_groups
from irci.native.compiled import njit, uint64


@njit
def part_of_hash(hashes, word, parts):
    """uint8[n]: the part, 0 to parts - 1, of documents with these docno hashes; word: that of the split."""
    part = np.empty(len(hashes), np.uint8)
    for i in range(len(hashes)):
        mixed = splitmix(hashes[i] ^ word)
        part[i] = mixed & uint64(1) if parts == 2 else mixed % uint64(parts)  # which takes longer than all the rest
    return part


@njit
def ranks_within_part(part, part_offsets, ranks, offsets, wanted):
    """Rankings within one part of the collection.

    part uint8[N]: of each document retrieved, in ranking order, topic t's from part_offsets[t] to part_offsets[t+1]. ranks
    int32[...], from 1, ascending: where the documents stand that matter, topic t's from offsets[t] to offsets[t+1].
    Returns kept bool[len(ranks)], which of these are in the part; new_ranks int32[kept.sum()], where they stand in it; and
    retrieved int64[T], how many documents of the part are retrieved.
    """
    topics = len(offsets) - 1
    expect_groups(offsets, topics, len(ranks))
    expect_groups(part_offsets, topics, len(part))
    kept = np.zeros(len(ranks), np.bool_)
    new_ranks = np.empty(len(ranks), np.int32)
    retrieved = np.zeros(topics, np.int64)
    count = 0
    for topic in range(topics):
        first = part_offsets[topic]
        if offsets[topic] < offsets[topic + 1]:
            expect(first + ranks[offsets[topic + 1] - 1] <= part_offsets[topic + 1])
        index = first
        within = 0
        for i in range(offsets[topic], offsets[topic + 1]):
            while index < first + ranks[i]:
                within += part[index] == wanted
                index += 1
            if part[index - 1] == wanted:
                kept[i] = True
                new_ranks[count] = within
                count += 1
        while index < part_offsets[topic + 1]:
            within += part[index] == wanted
            index += 1
        retrieved[topic] = within
    return kept, new_ranks[:count].copy(), retrieved


@njit
def balanced_attempt(hashes, offsets, word, parts, attempts):
    """The first attempt, from 0, that puts a relevant document of every topic into every part; -1 if none does.

    hashes uint64[...]: docno hashes of the relevant documents of the topics that are redrawn as one, topic t's from
    offsets[t] to offsets[t+1]; word: that of the split; attempts: how many are made.
    """
    expect_groups(offsets, len(offsets) - 1, len(hashes))
    seen = np.empty(parts, np.bool_)
    for attempt in range(attempts):
        salt = splitmix(word ^ splitmix(uint64(attempt)))
        for topic in range(len(offsets) - 1):
            seen[:] = False
            for i in range(offsets[topic], offsets[topic + 1]):
                seen[splitmix(hashes[i] ^ salt) % uint64(parts)] = True
            if not seen.all():
                break
        else:
            return attempt
    return -1

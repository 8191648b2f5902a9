"""From lines grouped by topic to the ranks of the judged documents.

A docno is three numbers, its place and length in a buffer of bytes and its 64-bit hash; the hash finds a candidate and the
bytes decide.
"""

import numpy as np
from numba import njit, uint64

from irci.kernels.ordering import is_ordered, order
from irci.kernels.words import same_bytes, text_of

EMPTY = -1


@njit(cache=True, nogil=True)
def _table_size(entries):
    """The size of an open-addressing table for so many entries: a power of two, at most half full."""
    size = 2
    while size < 2 * entries:
        size *= 2
    return size


@njit(cache=True, nogil=True)
def find_duplicates(buffer, docno_start, docno_length, docno_hash, lines, offsets):
    """The lines whose docno their topic already has.

    lines int32[L]: line indices grouped by topic, in file order inside a topic; offsets int64[T+1]: where each topic's
    group begins. Returns int64[D, 2]: the line, and the earlier line with the same docno.
    """
    text = text_of(buffer)
    largest = 1
    for topic in range(len(offsets) - 1):
        largest = max(largest, offsets[topic + 1] - offsets[topic])
    slots = np.empty(_table_size(largest), np.int64)
    owner = np.full(len(slots), EMPTY, np.int64)  # the topic that wrote a slot, so that none needs clearing
    pairs = np.empty((len(lines), 2), np.int64)
    found = 0
    for topic in range(len(offsets) - 1):
        mask = uint64(_table_size(offsets[topic + 1] - offsets[topic]) - 1)
        for i in range(offsets[topic], offsets[topic + 1]):
            line = lines[i]
            slot = docno_hash[line] & mask
            while owner[slot] == topic:
                other = slots[slot]
                if (
                    docno_hash[other] == docno_hash[line]
                    and docno_length[other] == docno_length[line]
                    and same_bytes(text, docno_start[line], text, docno_start[other], docno_length[line])
                ):
                    pairs[found, 0] = line
                    pairs[found, 1] = other
                    found += 1
                    break
                slot = (slot + uint64(1)) & mask
            else:
                owner[slot] = topic
                slots[slot] = line
    return pairs[:found].copy()


@njit(cache=True, nogil=True)
def judgment_tables(docno_hash, offsets):
    """One open-addressing table a topic, from docno hash to the row of its judgment.

    docno_hash uint64[J], rows grouped by topic; offsets int64[T+1]. Returns slots int32[...] (a row, or -1) and
    table_offsets int64[T+1]; each table's size is a power of two.
    """
    topics = len(offsets) - 1
    table_offsets = np.zeros(topics + 1, np.int64)
    for topic in range(topics):
        table_offsets[topic + 1] = table_offsets[topic] + _table_size(offsets[topic + 1] - offsets[topic])
    slots = np.full(table_offsets[topics], EMPTY, np.int32)
    for topic in range(topics):
        base = table_offsets[topic]
        mask = uint64(table_offsets[topic + 1] - base - 1)
        for row in range(offsets[topic], offsets[topic + 1]):
            slot = docno_hash[row] & mask
            while slots[base + np.int64(slot)] != EMPTY:
                slot = (slot + uint64(1)) & mask
            slots[base + np.int64(slot)] = row
    return slots, table_offsets


@njit(cache=True, nogil=True)
def judged_ranks(
    buffer, docno_start, docno_length, docno_hash, score, lines, offsets, group_of_topic, depth, ranked, ranked_offsets,
    qrels_buffer, qrels_start, qrels_length, qrels_hash, slots, table_offsets,
):  # fmt: skip
    """The ranks at which one run retrieves judged documents.

    The run: docnos and scores of its L lines, `lines` int32[L] grouped by topic at `offsets` int64[G+1]. The qrels: docnos of
    J rows and the tables of `judgment_tables` for T topics, with group_of_topic int64[T], the run's group that holds the topic
    (-1: none). `depth`: lower ranks are cut. Fills `ranked`, topic t's lines in ranking order, those that are cut included,
    from ranked_offsets[t] to ranked_offsets[t+1] (int64[T+1]).
    Returns judged_offsets int64[T+1], each topic's slice of ranks int32[...] (from 1, ascending) and rows int32[...] (of
    the judgments); retrieved int64[T]; tied int64[T], how many of the judged documents share their score with another
    document of the topic.
    """
    text, qrels_text = text_of(buffer), text_of(qrels_buffer)
    topics = len(group_of_topic)
    judged_offsets = np.zeros(topics + 1, np.int64)
    retrieved = np.zeros(topics, np.int64)
    tied = np.zeros(topics, np.int64)
    capacity = min(len(lines), len(qrels_hash))
    ranks = np.empty(capacity, np.int32)
    rows = np.empty(capacity, np.int32)
    found = 0
    for topic in range(topics):
        judged_offsets[topic] = found
        group = group_of_topic[topic]
        if group < 0:
            continue
        ranking = ranked[ranked_offsets[topic] : ranked_offsets[topic + 1]]
        for i in range(len(ranking)):
            ranking[i] = lines[offsets[group] + i]
        if not is_ordered(ranking, score):
            order(ranking, buffer, docno_start, docno_length, score)
        retrieved[topic] = min(len(ranking), depth)
        base = table_offsets[topic]
        mask = uint64(table_offsets[topic + 1] - base - 1)
        for i in range(retrieved[topic]):
            line = ranking[i]
            slot = docno_hash[line] & mask
            row = slots[base + np.int64(slot)]
            while row != EMPTY and not (
                qrels_hash[row] == docno_hash[line]
                and qrels_length[row] == docno_length[line]
                and same_bytes(text, docno_start[line], qrels_text, qrels_start[row], docno_length[line])
            ):
                slot = (slot + uint64(1)) & mask
                row = slots[base + np.int64(slot)]
            if row == EMPTY:
                continue
            ranks[found] = i + 1
            rows[found] = row
            found += 1
            tied[topic] += (i > 0 and score[ranking[i - 1]] == score[line]) or (
                i + 1 < len(ranking) and score[ranking[i + 1]] == score[line]
            )
    judged_offsets[topics] = found
    return judged_offsets, ranks[:found].copy(), rows[:found].copy(), retrieved, tied

"""Ranks of the judged documents, from lines grouped by topic; and which part of a collection a document is in.

Score descending, ties by docno descending bytewise, as in trec_eval, unless a number of each line says otherwise. A docno is
three numbers, its place and length in a buffer of bytes and its 64-bit hash (`docnos`: see `rankings.Docnos`); the hash finds
a candidate and the bytes decide.
"""

from typing import Any, NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.generator import splitmix
from irci.kernels.hashing import table_size
from irci.kernels.shapes import expect, expect_groups
from irci.kernels.words import load_word, reverse_bytes, same_bytes, text_of
from irci.native.compiled import njit, uint64


@njit
def _sort_key(text, start, length):
    # The first eight bytes of a docno as a number that orders as they do; a shorter one is filled up with zeros.
    if length <= 0:
        return uint64(0)
    word = load_word(text, start)
    if length < 8:
        word &= (uint64(1) << uint64(8 * length)) - uint64(1)
    return reverse_bytes(word)


@njit
def order(ranking, docnos, score, precedence):
    """Sort the line indices int32[n] `ranking` in place.

    precedence int64[L]: of lines with equal scores the lowest comes first, and docnos decide where these are equal too;
    int64[0]: docnos decide alone.

    A bottom-up merge sort that leaves stretches already in order alone; sixteen bytes of each docno are at hand as
    numbers, and only what these leave undecided is compared byte by byte.
    """
    text, start, length = text_of(docnos.buffer), docnos.start, docnos.length
    size = len(ranking)
    for i in range(1, size):
        if score[ranking[i - 1]] <= score[ranking[i]]:
            break
    else:  # scores fall strictly, so that no docno need be looked at
        return
    scores = np.empty(size)
    keys = np.empty((2, size), np.uint64)
    for i in range(size):
        line = ranking[i]
        scores[i] = score[line]
        keys[0, i] = _sort_key(text, start[line], length[line])
        keys[1, i] = _sort_key(text, start[line] + 8, length[line] - 8)

    def precedes(first, second):
        if scores[first] != scores[second]:
            return scores[first] > scores[second]
        if len(precedence) and precedence[ranking[first]] != precedence[ranking[second]]:
            return precedence[ranking[first]] < precedence[ranking[second]]
        if keys[0, first] != keys[0, second]:
            return keys[0, first] > keys[0, second]
        if keys[1, first] != keys[1, second]:
            return keys[1, first] > keys[1, second]
        a, b = ranking[first], ranking[second]
        for i in range(min(length[a], length[b])):
            if text[start[a] + i] != text[start[b] + i]:
                return text[start[a] + i] > text[start[b] + i]
        return length[a] > length[b]

    places = np.arange(size)
    scratch = np.empty(size, np.int64)
    width = 1
    while width < size:
        for low in range(0, size - width, 2 * width):
            middle = low + width
            high = min(middle + width, size)
            if precedes(places[middle - 1], places[middle]):
                continue
            scratch[low:middle] = places[low:middle]
            left, right, i = low, middle, low
            while left < middle:
                if right < high and precedes(places[right], scratch[left]):
                    places[i] = places[right]
                    right += 1
                else:
                    places[i] = scratch[left]
                    left += 1
                i += 1
        width *= 2
    ranking[:] = ranking[places]


EMPTY = -1


class JudgmentTables(NamedTuple):
    """One open-addressing table a topic, from docno hash to the row of its judgment, or -1: topic t's slots int32[...] are
    [offsets[t]:offsets[t+1]], whose number is a power of two."""

    slots: Array[np.int32]
    offsets: Array[np.int64]


class RunLines(NamedTuple):
    """A run's docnos, score float64[L] and precedence int64[L] or int64[0] (see `order`), by line, and its lines int32[L] by
    topic: group g's at offsets int64[G+1]."""

    docnos: Any
    score: Array[np.float64]
    precedence: Array[np.int64]
    lines: Array[np.signedinteger[Any]]
    offsets: Array[np.int64]


class Ranked(NamedTuple):
    """Lines of a run in ranking order: topic t's are lines[offsets[t]:offsets[t+1]]."""

    lines: Array[np.signedinteger[Any]]
    offsets: Array[np.int64]


class JudgedRanks(NamedTuple):
    """Ranks at which a run retrieves judged documents: topic t's are [offsets[t]:offsets[t+1]] of ranks int32[...] (from 1,
    ascending) and rows int32[...] (of the judgments).

    `retrieved` int64[T]; `tied` int64[T]: judged documents that share their score with another document of the topic.
    """

    offsets: Array[np.int64]
    ranks: Array[np.int32]
    rows: Array[np.int32]
    retrieved: Array[np.int64]
    tied: Array[np.int64]


@njit
def find_duplicates(docnos, lines, offsets):
    """The lines whose docno their topic already has.

    lines int32[L]: line indices grouped by topic, in file order inside a topic; offsets int64[T+1]: where each topic's
    group begins. Returns int64[D, 2]: the line, and the earlier line with the same docno.
    """
    text, docno_start, docno_length, docno_hash = text_of(docnos.buffer), docnos.start, docnos.length, docnos.hash
    expect(len(docno_length) == len(docno_start) and len(docno_hash) == len(docno_start))
    expect_groups(offsets, len(offsets) - 1, len(lines))
    largest = np.diff(offsets).max() if len(offsets) > 1 else 0
    slots = np.empty(table_size(largest), np.int64)
    owner = np.full(len(slots), EMPTY, np.int64)  # the topic that wrote a slot, so that none needs clearing
    pairs = np.empty((len(lines), 2), np.int64)
    number = 0
    for topic in range(len(offsets) - 1):
        mask = uint64(table_size(offsets[topic + 1] - offsets[topic]) - 1)
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
                    pairs[number, 0], pairs[number, 1] = line, other
                    number += 1
                    break
                slot = (slot + uint64(1)) & mask
            else:
                owner[slot] = topic
                slots[slot] = line
    return pairs[:number].copy()


@njit
def judgment_tables(docno_hash, offsets):
    """The tables (JudgmentTables) of docno_hash uint64[J], rows grouped by topic at offsets int64[T+1]."""
    topics = len(offsets) - 1
    expect_groups(offsets, topics, len(docno_hash))
    table_offsets = np.zeros(topics + 1, np.int64)
    for topic in range(topics):
        table_offsets[topic + 1] = table_offsets[topic] + table_size(offsets[topic + 1] - offsets[topic])
    slots = np.full(table_offsets[topics], EMPTY, np.int32)
    for topic in range(topics):
        base = table_offsets[topic]
        mask = uint64(table_offsets[topic + 1] - base - 1)
        for row in range(offsets[topic], offsets[topic + 1]):
            slot = docno_hash[row] & mask
            while slots[base + np.int64(slot)] != EMPTY:
                slot = (slot + uint64(1)) & mask
            slots[base + np.int64(slot)] = row
    return JudgmentTables(slots, table_offsets)


@njit
def judged_ranks(run, group_of_topic, depth, judged_docnos, tables, ranked):
    """The ranks (JudgedRanks) at which one run (RunLines) retrieves judged documents.

    judged_docnos: of the qrels' J rows; tables: JudgmentTables of them for T topics; group_of_topic int64[T]: the run's group
    that holds the topic (-1: none). depth: lower ranks are cut. Fills the lines of ranked: Ranked, cut ones included.
    """
    # Out of the records before the loops: there, taking an array out of one would count references.
    docnos, score, precedence = run.docnos, run.score, run.precedence
    slots, table_offsets = tables.slots, tables.offsets
    text, docno_start, docno_length, docno_hash = text_of(docnos.buffer), docnos.start, docnos.length, docnos.hash
    judged_text, judged_start = text_of(judged_docnos.buffer), judged_docnos.start
    judged_length, judged_hash = judged_docnos.length, judged_docnos.hash
    topics = len(group_of_topic)
    expect(
        len(score) == len(docno_start) and len(docno_length) == len(docno_start) and len(docno_hash) == len(docno_start)
    )
    expect(len(precedence) == 0 or len(precedence) == len(score))
    expect(len(judged_length) == len(judged_start) and len(judged_hash) == len(judged_start))
    expect_groups(run.offsets, len(run.offsets) - 1, len(run.lines))
    expect_groups(table_offsets, topics, len(slots))
    expect_groups(ranked.offsets, topics, len(ranked.lines))
    judged_offsets = np.zeros(topics + 1, np.int64)
    retrieved = np.zeros(topics, np.int64)
    tied = np.zeros(topics, np.int64)
    capacity = min(len(run.lines), len(judged_docnos.hash))
    ranks = np.empty(capacity, np.int32)
    rows = np.empty(capacity, np.int32)
    number = 0
    for topic in range(topics):
        judged_offsets[topic] = number
        group = group_of_topic[topic]
        if group < 0:
            continue
        ranking = ranked.lines[ranked.offsets[topic] : ranked.offsets[topic + 1]]
        expect(group < len(run.offsets) - 1 and len(ranking) == run.offsets[group + 1] - run.offsets[group])
        ranking[:] = run.lines[run.offsets[group] : run.offsets[group + 1]]
        order(ranking, docnos, score, precedence)
        retrieved[topic] = min(len(ranking), depth)
        base = table_offsets[topic]
        mask = uint64(table_offsets[topic + 1] - base - 1)
        for i in range(retrieved[topic]):
            line = ranking[i]
            slot = docno_hash[line] & mask
            row = slots[base + np.int64(slot)]
            while row != EMPTY and not (
                judged_hash[row] == docno_hash[line]
                and judged_length[row] == docno_length[line]
                and same_bytes(text, docno_start[line], judged_text, judged_start[row], docno_length[line])
            ):
                slot = (slot + uint64(1)) & mask
                row = slots[base + np.int64(slot)]
            if row == EMPTY:
                continue
            expect(number < capacity)
            ranks[number] = i + 1
            rows[number] = row
            number += 1
            tied[topic] += (i > 0 and score[ranking[i - 1]] == score[line]) or (
                i + 1 < len(ranking) and score[ranking[i + 1]] == score[line]
            )
    judged_offsets[topics] = number
    return JudgedRanks(judged_offsets, ranks[:number].copy(), rows[:number].copy(), retrieved, tied)


@njit
def part_of_hash(hashes, word, parts):
    """uint8[n]: the part, 0 to parts - 1, of documents with these docno hashes; word: that of the split."""
    part = np.empty(len(hashes), np.uint8)
    for i in range(len(hashes)):
        mixed = splitmix(hashes[i] ^ word)
        part[i] = mixed & uint64(1) if parts == 2 else mixed % uint64(parts)  # which takes longer than all the rest
    return part


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

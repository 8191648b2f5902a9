"""Ranks of the judged documents, from lines grouped by topic; and which part of a collection a document is in.

Score descending, ties by docno descending bytewise, as in trec_eval, unless a number of each line says otherwise. A docno is
three numbers, its place and length in a buffer of bytes and its 64-bit hash (`docnos`: see `rankings.Docnos`); the hash finds
a candidate and the bytes decide.
"""

import numpy as np

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
def judged_ranks(docnos, score, precedence, ranking, edges, depth, judged_docnos, is_graded, judged_edges, judged_only):
    """The ranks at which one run retrieves judged documents.

    ranking int[...]: the run's lines, topic t's [edges[t]:edges[t+1]], which are sorted here as `order` does; score and
    precedence are by line. depth: lower ranks are cut. judged_docnos: of the qrels' J rows, topic t's at
    judged_edges int64[T+1]; judged_only: documents but those that is_graded bool[J] leave the ranking. What is left comes
    first in it.

    Returns, topic after topic, ranks int32[...] (from 1, ascending) and rows int32[...] of the qrels; and int64[T] each, how
    many these are, how many documents are retrieved, and judged ones that share their score with another of the topic.
    """
    # Out of the records before the loops: there, taking an array out of one would count references.
    text, docno_start, docno_length, docno_hash = text_of(docnos.buffer), docnos.start, docnos.length, docnos.hash
    judged_text, judged_start = text_of(judged_docnos.buffer), judged_docnos.start
    judged_length, judged_hash = judged_docnos.length, judged_docnos.hash
    topics, lines, judgments = len(edges) - 1, len(docno_start), len(judged_start)
    expect(len(score) == lines and len(docno_length) == lines and len(docno_hash) == lines)
    expect(len(precedence) == 0 or len(precedence) == lines)
    expect(len(judged_length) == judgments and len(judged_hash) == judgments and len(is_graded) == judgments)
    expect_groups(edges, topics, len(ranking))
    expect_groups(judged_edges, topics, judgments)
    most = np.diff(judged_edges).max() if topics else 0
    slots = np.empty(table_size(most), np.int32)  # an open-addressing table, of a docno's hash the row of its judgment
    numbers, retrieved, tied = np.zeros(topics, np.int64), np.zeros(topics, np.int64), np.zeros(topics, np.int64)
    capacity = min(edges[topics] - edges[0], judgments)
    ranks, rows = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    number = 0
    for topic in range(topics):
        of_topic = ranking[edges[topic] : edges[topic + 1]]
        order(of_topic, docnos, score, precedence)
        size = min(len(of_topic), depth)
        mask = uint64(table_size(judged_edges[topic + 1] - judged_edges[topic]) - 1)
        slots[: mask + uint64(1)] = EMPTY
        for row in range(judged_edges[topic], judged_edges[topic + 1] if size else 0):
            slot = judged_hash[row] & mask
            while slots[slot] != EMPTY:
                slot = (slot + uint64(1)) & mask
            slots[slot] = row
        first, rank = number, 0
        for i in range(size):
            line = of_topic[i]
            slot = docno_hash[line] & mask
            row = slots[slot]
            while row != EMPTY and not (
                judged_hash[row] == docno_hash[line]
                and judged_length[row] == docno_length[line]
                and same_bytes(text, docno_start[line], judged_text, judged_start[row], docno_length[line])
            ):
                slot = (slot + uint64(1)) & mask
                row = slots[slot]
            if row != EMPTY:
                tied[topic] += (i > 0 and score[of_topic[i - 1]] == score[line]) or (
                    i + 1 < len(of_topic) and score[of_topic[i + 1]] == score[line]
                )
            if judged_only and (row == EMPTY or not is_graded[row]):
                continue
            rank += 1
            if row == EMPTY:
                continue
            expect(number < capacity)
            ranks[number], rows[number] = rank, row
            number += 1
            if judged_only:
                of_topic[rank - 1] = line
        retrieved[topic], numbers[topic] = rank, number - first
    return ranks[:number].copy(), rows[:number].copy(), numbers, retrieved, tied


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

"""Hashes of docnos: a public one, which is part of what streams and splits are, and a secret one, which tables are keyed by;
and documents that nobody judged, numbered by topic and docno over all runs, whose text is let go.

Neither hash says whether two docnos are the same: bytes do. The public hash can be inverted, so that anybody can make docnos
that share it; a table keyed by it could be made to look through all its entries each time.
"""

from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.generator import mix
from irci.kernels.shapes import expect
from irci.kernels.words import load_word, multiply_high, same_bytes, text_of
from irci.native.compiled import njit, uint64


@njit
def last_word(text, position, end):
    """The last word of a text, filled up with zeros."""
    return load_word(text, position) & ((uint64(1) << uint64(8 * (end - position))) - uint64(1))


@njit
def public_hashes(docnos):
    """The public hashes uint64[n] of docnos (`docnos.Docnos`), on which seeded splits and the streams of documents rest.

    The bytes are taken as little-endian 64-bit words, the last filled up with zeros (empty if the length divides by 8);
    each word is xored into the state and mixed, and the number of bytes is mixed in last.
    """
    text, start, length = text_of(docnos.buffer), docnos.start, docnos.length
    expect(len(length) == len(start))
    hashes = np.empty(len(start), np.uint64)
    for i in range(len(start)):
        state = uint64(0)
        position, end = start[i], start[i] + length[i]
        while position + 8 <= end:
            state = mix(state ^ load_word(text, position))
            position += 8
        hashes[i] = mix(mix(state ^ last_word(text, position, end)) + uint64(length[i]))
    return hashes


@njit
def table_size(entries):
    """The size of an open-addressing table for so many entries: a power of two, at most half full."""
    size = 2
    while size < 2 * entries:
        size *= 2
    return size


@njit
def fold(word, secret):
    """The halves of the word's 128-bit product with the secret multiplier, xored: keyed, and every bit tells."""
    return (word * secret[1]) ^ multiply_high(word, secret[1])


@njit
def table_hash(text, start, end, secret):
    """The 64-bit hash of text[start:end] under secret uint64[2], a state to start from and an odd multiplier.

    Both are in it before the first byte is: which docnos share it, or bits of it, cannot be known without them.
    """
    state = secret[0]
    position = start
    while position + 8 <= end:
        state = fold(state ^ load_word(text, position), secret)
        position += 8
    return fold(fold(state ^ last_word(text, position, end), secret) ^ uint64(end - start), secret)


@njit
def table_hashes(buffer, start, length, secret):
    """The hashes uint64[n] under secret of docnos that begin at bytes int64[n] of uint8[...] `buffer`, of lengths int32[n]."""
    text = text_of(buffer)
    expect(len(length) == len(start))
    hashes = np.empty(len(start), np.uint64)
    for i in range(len(start)):
        hashes[i] = table_hash(text, start[i], start[i] + length[i], secret)
    return hashes


# A slot is a place, from 1, and as much of the key as there is room for.
PLACE, KEY = np.uint64(2**40 - 1), np.uint64(2**64 - 2**40)
HEAD = 2  # words of a record before the docno


class Interned(NamedTuple):
    """Documents as records end to end in `words` uint64[...], with room for more: 2^32 times the topic plus the number in it,
    the docno's length, and its bytes, the last word filled up with zeros (empty if the length divides by 8).

    `slots` uint64[2^k]: an open-addressing table, of 0 or a place in `words` and a part of the key. `used` int64[2]: words and
    documents. `counts` int64[T]: the next number of each topic.
    """

    words: Array[np.uint64]
    slots: Array[np.uint64]
    used: Array[np.int64]
    counts: Array[np.int64]


@njit
def _append(text, start, length, topic, interned):
    words, used, counts = interned.words, interned.used, interned.counts
    record = used[0]
    words[record] = uint64(topic) << uint64(32) | uint64(counts[topic])
    words[record + 1] = length
    end = record + HEAD
    for position in range(start, start + length - 7, 8):
        words[end] = load_word(text, position)
        end += 1
    words[end] = last_word(text, start + length // 8 * 8, start + length)
    used[0] = end + 1
    used[1] += 1
    counts[topic] += 1
    return record


@njit
def intern_documents(docnos, lines, topics, interned, secret, numbers):
    """Fill numbers int32[n] of the documents in lines int[n] of docnos (`docnos.Docnos`), of topics int64[n].

    Those that interned (Interned, with room for all) lacks get the next number of their topic. secret: that of the hashes.
    """
    text, docno_start, docno_length, docno_hash = text_of(docnos.buffer), docnos.start, docnos.length, docnos.hash
    words, slots = interned.words, interned.slots
    known_text = text_of(words.view(np.uint8))
    mask = uint64(len(slots) - 1)
    expect(len(docno_length) == len(docno_start) and len(docno_hash) == len(docno_start))
    expect(len(topics) == len(lines) and len(numbers) == len(lines))
    expect(len(slots) & (len(slots) - 1) == 0 and interned.used[1] + len(lines) < len(slots))
    for i in range(len(lines)):
        line, topic = lines[i], topics[i]
        start, length = docno_start[line], docno_length[line]
        key = fold(docno_hash[line] ^ uint64(topic), secret)
        slot = key & mask
        while slots[slot] != uint64(0):
            if slots[slot] & KEY == key & KEY:
                record = np.int64(slots[slot] & PLACE) - 1
                if (
                    words[record] >> uint64(32) == uint64(topic)
                    and words[record + 1] == uint64(length)
                    and same_bytes(text, start, known_text, 8 * (record + HEAD), length)
                ):
                    break
            slot = (slot + uint64(1)) & mask
        else:
            expect(interned.used[0] + HEAD + length // 8 + 1 < len(words) and topic < len(interned.counts))
            record = _append(text, start, length, topic, interned)
            slots[slot] = key & KEY | uint64(record + 1)
        numbers[i] = words[record] & uint64(0xFFFFFFFF)


@njit
def interned_documents(interned):
    """The records of interned (Interned) in order: topic and number int64[U], and docnos, which begin at bytes int64[U] of its
    words and have lengths int32[U]."""
    words, documents = interned.words, interned.used[1]
    topic, number = np.empty(documents, np.int64), np.empty(documents, np.int64)
    start, length = np.empty(documents, np.int64), np.empty(documents, np.int32)
    record = 0
    for i in range(documents):
        topic[i] = words[record] >> uint64(32)
        number[i] = words[record] & uint64(0xFFFFFFFF)
        start[i] = 8 * (record + HEAD)
        length[i] = words[record + 1]
        record += HEAD + length[i] // 8 + 1
    return topic, number, start, length

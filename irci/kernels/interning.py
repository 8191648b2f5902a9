"""Documents that nobody judged, numbered by topic and docno over all runs, whose text is let go.

A table from a topic and a docno's hash to a record finds a candidate; the bytes, of which one copy is kept, decide.
"""

from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.hashing import fold, last_word, table_hash, table_size
from irci.kernels.shapes import expect
from irci.kernels.words import load_word, same_bytes, text_of
from irci.native.compiled import njit, uint64

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


@njit(cache=True, nogil=True)
def _append(text, start, length, topic, known):
    words, used, counts = known.words, known.used, known.counts
    place = used[0]
    words[place] = uint64(topic) << uint64(32) | uint64(counts[topic])
    words[place + 1] = length
    end = place + HEAD
    for position in range(start, start + length - 7, 8):
        words[end] = load_word(text, position)
        end += 1
    words[end] = last_word(text, start + length // 8 * 8, start + length)
    used[0] = end + 1
    used[1] += 1
    counts[topic] += 1
    return place


@njit(cache=True, nogil=True)
def intern_documents(docnos, lines, topics, known, secret, numbers):
    """Fill numbers int32[n] of the documents in lines int[n] of docnos (`docnos.Docnos`), of topics int64[n].

    Those that known (Interned, with room for all) lacks get the next number of their topic. secret: that of the hashes.
    """
    text, docno_start, docno_length, docno_hash = text_of(docnos.buffer), docnos.start, docnos.length, docnos.hash
    words, slots = known.words, known.slots
    known_text = text_of(words.view(np.uint8))
    mask = uint64(len(slots) - 1)
    expect(len(docno_length) == len(docno_start) and len(docno_hash) == len(docno_start))
    expect(len(topics) == len(lines) and len(numbers) == len(lines))
    expect(len(slots) & (len(slots) - 1) == 0 and known.used[1] + len(lines) < len(slots))
    for i in range(len(lines)):
        line, topic = lines[i], topics[i]
        start, length = docno_start[line], docno_length[line]
        key = fold(docno_hash[line] ^ uint64(topic), secret)
        slot = key & mask
        while slots[slot] != uint64(0):
            if slots[slot] & KEY == key & KEY:
                place = np.int64(slots[slot] & PLACE) - 1
                if (
                    words[place] >> uint64(32) == uint64(topic)
                    and words[place + 1] == uint64(length)
                    and same_bytes(text, start, known_text, 8 * (place + HEAD), length)
                ):
                    break
            slot = (slot + uint64(1)) & mask
        else:
            expect(known.used[0] + HEAD + length // 8 + 1 < len(words) and topic < len(known.counts))
            place = _append(text, start, length, topic, known)
            slots[slot] = key & KEY | uint64(place + 1)
        numbers[i] = words[place] & uint64(0xFFFFFFFF)


@njit(cache=True, nogil=True)
def interned_documents(known):
    """The records of known (Interned) in order: topic and number int64[U], and docnos, which begin at bytes int64[U] of its
    words and have lengths int32[U]."""
    words, documents = known.words, known.used[1]
    topic, number = np.empty(documents, np.int64), np.empty(documents, np.int64)
    start, length = np.empty(documents, np.int64), np.empty(documents, np.int32)
    place = 0
    for i in range(documents):
        topic[i] = words[place] >> uint64(32)
        number[i] = words[place] & uint64(0xFFFFFFFF)
        start[i] = 8 * (place + HEAD)
        length[i] = words[place + 1]
        place += HEAD + length[i] // 8 + 1
    return topic, number, start, length


@njit(cache=True, nogil=True)
def fill_slots(known, secret):
    """Enter the records of known (Interned), whose slots are empty."""
    words, slots = known.words, known.slots
    text = text_of(words.view(np.uint8))
    mask = uint64(len(slots) - 1)
    expect(len(slots) & (len(slots) - 1) == 0 and known.used[1] < len(slots))
    place = 0
    for _ in range(known.used[1]):
        start, length = 8 * (place + HEAD), np.int64(words[place + 1])
        key = fold(table_hash(text, start, start + length, secret) ^ (words[place] >> uint64(32)), secret)
        slot = key & mask
        while slots[slot] != uint64(0):
            slot = (slot + uint64(1)) & mask
        slots[slot] = key & KEY | uint64(place + 1)
        place += HEAD + length // 8 + 1


@njit(cache=True, nogil=True)
def has_equal(words, secret):
    """True if two of words uint64[n] are equal."""
    slots = np.zeros(table_size(len(words)), np.int64)
    mask = uint64(len(slots) - 1)
    for i in range(len(words)):
        slot = fold(words[i] ^ secret[0], secret) & mask
        while slots[slot] != 0:
            if words[slots[slot] - 1] == words[i]:
                return True
            slot = (slot + uint64(1)) & mask
        slots[slot] = i + 1
    return False

"""The order of documents inside a topic: score descending, ties by docno descending bytewise, as in trec_eval, unless a number
of each line says otherwise."""

import numpy as np

from irci.kernels.words import load_word, reverse_bytes, text_of
from irci.native.compiled import njit, uint64


@njit(cache=True, nogil=True)
def _sort_key(text, start, length):
    # The first eight bytes of a docno as a number that orders as they do; a shorter one is filled up with zeros.
    if length <= 0:
        return uint64(0)
    word = load_word(text, start)
    if length < 8:
        word &= (uint64(1) << uint64(8 * length)) - uint64(1)
    return reverse_bytes(word)


@njit(cache=True, nogil=True)
def _docno_greater(text, start, length, other_start, other_length):
    for i in range(min(length, other_length)):
        byte = text[start + i]
        other = text[other_start + i]
        if byte != other:
            return byte > other
    return length > other_length


@njit(cache=True, nogil=True)
def is_ordered(ranking, score):
    """True if the scores of the lines in `ranking` fall strictly, so that no docno need be looked at."""
    for i in range(1, len(ranking)):  # noqa: SIM110 (numba compiles the loop, not the generator)
        if score[ranking[i - 1]] <= score[ranking[i]]:
            return False
    return True


@njit(cache=True, nogil=True)
def order(ranking, docnos, score, precedence):
    """Sort the line indices int32[n] `ranking` in place.

    precedence int64[L]: of lines with equal scores the lowest comes first, and docnos decide where these are equal too;
    int64[0]: docnos decide alone.

    A bottom-up merge sort that leaves stretches already in order alone; sixteen bytes of each docno are at hand as
    numbers, and only what these leave undecided is compared byte by byte.
    """
    text, start, length = text_of(docnos.buffer), docnos.start, docnos.length
    size = len(ranking)
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
        return _docno_greater(text, start[a], length[a], start[b], length[b])

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

"""Hashes of docnos: a public one, which is part of what streams and splits are, and a secret one, which tables are keyed by.

Neither says whether two docnos are the same: bytes do. The public hash can be inverted, so that anybody can make docnos that
share it; a table keyed by it could be made to look through all its entries each time.
"""

import numpy as np

from irci.kernels.generator import mix
from irci.kernels.shapes import expect
from irci.kernels.words import load_word, multiply_high, text_of
from irci.native.compiled import njit, uint64


@njit(cache=True, nogil=True)
def last_word(text, position, end):
    """The last word of a text, filled up with zeros."""
    return load_word(text, position) & ((uint64(1) << uint64(8 * (end - position))) - uint64(1))


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def table_size(entries):
    """The size of an open-addressing table for so many entries: a power of two, at most half full."""
    size = 2
    while size < 2 * entries:
        size *= 2
    return size


@njit(cache=True, nogil=True)
def fold(word, secret):
    """The halves of the word's 128-bit product with the secret multiplier, xored: keyed, and every bit tells."""
    return (word * secret[1]) ^ multiply_high(word, secret[1])


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def table_hashes(buffer, start, length, secret):
    """The hashes uint64[n] under secret of docnos that begin at bytes int64[n] of uint8[...] `buffer`, of lengths int32[n]."""
    text = text_of(buffer)
    expect(len(length) == len(start))
    hashes = np.empty(len(start), np.uint64)
    for i in range(len(start)):
        hashes[i] = table_hash(text, start[i], start[i] + length[i], secret)
    return hashes

"""Fields and lines in a text: where blanks are skipped, and where fields, lines and what is in them end.

A text ends in a newline, contains no NUL and is followed by PADDING bytes. Whitespace is C's isspace (blank, tab, CR, VT, FF),
as in trec_eval.
"""

import numpy as np

from irci.kernels.shapes import expect
from irci.kernels.words import BLOCK, PADDING, bytes_equal, bytes_up_to, one_bits, text_of, trailing_zeros
from irci.native.compiled import njit, uint64

TAB, NEWLINE, CARRIAGE_RETURN, BLANK, QUOTE, HASH_MARK = 9, 10, 13, 32, 34, 35
LONGEST = 2**31 - 1  # bytes of a line, up to its tag


@njit(cache=True, nogil=True)
def is_space(byte):
    """True of a byte that is whitespace."""
    return byte <= BLANK and (byte == BLANK or TAB <= byte <= CARRIAGE_RETURN)


@njit(cache=True, nogil=True)
def skip_blanks(text, position):
    """The next place that is a newline or no whitespace."""
    while text[position] != NEWLINE and is_space(text[position]):
        position += 1
    return position


@njit(cache=True, nogil=True)
def token_end(text, position):
    """The next place that is whitespace."""
    while True:
        low = bytes_up_to(text, position, BLANK)
        if low == uint64(0):
            position += BLOCK
            continue
        position += np.int64(trailing_zeros(low))
        if is_space(text[position]):
            return position
        position += 1  # a control character is part of the token


@njit(cache=True, nogil=True)
def count_bytes(buffer, begin, end, byte):
    """The number of bytes that are `byte` in buffer[begin:end] of uint8[n] `buffer`."""
    expect(begin >= 0 and end + PADDING <= len(buffer))
    text = text_of(buffer)
    found = 0
    for position in range(begin, end, BLOCK):
        equal = bytes_equal(text, position, np.uint8(byte))
        if position + BLOCK > end:
            equal &= (uint64(1) << uint64(end - position)) - uint64(1)
        found += np.int64(one_bits(equal))
    return found


@njit(cache=True, nogil=True)
def expect_text(buffer, start, size):
    """Raise ValueError unless buffer[start:size] is a text."""
    expect(0 <= start <= size and size + PADDING <= len(buffer) and (start == size or buffer[size - 1] == NEWLINE))

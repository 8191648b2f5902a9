"""Cells of tables of scores: where those that are wanted begin and end, what their numbers say, and numbers for their names.

Plain tables alone: lines of as many cells as the header, one byte between any two, quotes around whole cells at most. What is
not so is left to the caller, who reads line by line. A text ends in a newline and is followed by PADDING bytes.
"""

from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.decimals import parse_decimal
from irci.kernels.fields import CARRIAGE_RETURN, NEWLINE, QUOTE, is_space
from irci.kernels.hashing import table_hash
from irci.kernels.shapes import expect
from irci.kernels.words import PADDING, same_bytes, text_of
from irci.native.compiled import njit, uint64

LONGEST = 100_000  # bytes of a cell, which csv takes too


class Cells(NamedTuple):
    """Where the wanted cells of lines begin and end, int64[K, L], without blanks and quotes around them."""

    begin: Array[np.int64]
    end: Array[np.int64]


class Names(NamedTuple):
    """Different names in order: where they begin, int64[n], their lengths and hashes, int64[n] and uint64[n]; how many there
    are, int64[1]; and slots int64[2^k] of an open-addressing table of them, from 1."""

    begin: Array[np.int64]
    length: Array[np.int64]
    hash: Array[np.uint64]
    used: Array[np.int64]
    slots: Array[np.int64]


@njit(cache=True, nogil=True)
def _cell(text, position, separator, quoted):
    """Where a cell's content begins and ends, and the place of the separator or newline behind it; -1 for no plain cell."""
    first = position
    is_quoted = quoted and text[position] == QUOTE
    if is_quoted:
        position += 1
        while text[position] != QUOTE and text[position] != NEWLINE:
            position += 1
        begin, end = first + 1, position
        if text[position] == NEWLINE:
            return begin, end, -1
        position += 1
    else:
        begin = position
        while text[position] != separator and text[position] != NEWLINE and text[position] != CARRIAGE_RETURN:
            if quoted and text[position] == QUOTE:
                return begin, position, -1
            position += 1
        end = position
    if text[position] == CARRIAGE_RETURN and text[position + 1] == NEWLINE:
        position += 1
    if (text[position] != separator and text[position] != NEWLINE) or position - first > LONGEST:
        return begin, end, -1
    while begin < end and is_space(text[begin]):
        begin += 1
    while begin < end and is_space(text[end - 1]):
        end -= 1
    return begin, end, position


@njit(cache=True, nogil=True)
def _is_repeated(text, position, header, length):
    # True for a line that is the header's bytes: of a file joined to the one before.
    if length == 0 or not same_bytes(text, position, text, header, length):
        return False
    end = position + length
    return text[end] == NEWLINE or (text[end] == CARRIAGE_RETURN and text[end + 1] == NEWLINE)


@njit(cache=True, nogil=True)
def _next_line(text, position, size):
    # Where the next line begins that is not blank; the size if none does.
    begin = position
    while position < size:
        if text[position] == NEWLINE:
            begin = position + 1
        elif not is_space(text[position]):
            return begin
        position += 1
    return size


@njit(cache=True, nogil=True)
def find_cells(buffer, position, size, form, columns, cells):
    """Fill cells (Cells) of the lines of buffer[position:size] until these are full; blank lines are skipped, and such as are
    the header's bytes.

    form int64[4]: the separator, whether cells may be quoted, where the header begins and its length (0: none). columns
    int64[n]: of each of a line's cells its place among those wanted, -1 of others. Returns how many lines there were, where
    the next one begins, and whether all were plain.
    """
    text = text_of(buffer)
    separator, quoted, header, length = form
    expect(
        0 <= position <= size and size + PADDING <= len(buffer) and (position == size or buffer[size - 1] == NEWLINE)
    )
    expect(header >= 0 and length >= 0 and header + length < size and cells.end.shape == cells.begin.shape)
    expect(len(columns) > 0 and columns.max() < len(cells.begin))
    lines = 0
    position = _next_line(text, position, size)
    while position < size and lines < cells.begin.shape[1]:
        if position + length < size and _is_repeated(text, position, header, length):
            position = _next_line(text, position + length, size)
            continue
        for column in range(len(columns)):
            begin, end, position = _cell(text, position, separator, quoted != 0)
            if position < 0 or (text[position] == NEWLINE) != (column == len(columns) - 1):
                return lines, position, False
            if columns[column] >= 0:
                cells.begin[columns[column], lines], cells.end[columns[column], lines] = begin, end
            position += 1
        lines += 1
        position = _next_line(text, position, size)
    return lines, position, True


@njit(cache=True, nogil=True)
def read_numbers(buffer, begin, end, values):
    """Fill values float64[n] with the numbers in cells, int64[n] each; returns which are not plain ones, int64[...]."""
    text = text_of(buffer)
    expect(len(begin) == len(end) and len(begin) == len(values))
    others = np.empty(len(values), np.int64)
    count = 0
    for i in range(len(values)):
        expect(0 <= begin[i] <= end[i] and end[i] + PADDING <= len(buffer))
        values[i], is_plain = parse_decimal(text, begin[i], end[i])
        if begin[i] == end[i] or not is_plain:
            others[count] = i
            count += 1
    return others[:count].copy()


@njit(cache=True, nogil=True)
def fill_name_slots(names):
    """Enter names (Names), whose slots are empty."""
    mask = uint64(len(names.slots) - 1)
    expect(len(names.slots) & (len(names.slots) - 1) == 0 and names.used[0] < len(names.slots))
    for i in range(names.used[0]):
        slot = names.hash[i] & mask
        while names.slots[slot] != 0:
            slot = (slot + uint64(1)) & mask
        names.slots[slot] = i + 1


@njit(cache=True, nogil=True)
def number_names(buffer, begin, end, first, names, secret, numbers):
    """Fill numbers int32[n], from the first on, with those of the names in cells, int64[n] each, adding to names (Names) what
    is new. Keyed by secret uint64[2]. Returns how many are filled: fewer than n where there is no more room for names."""
    text = text_of(buffer)
    expect(len(begin) == len(end) and len(begin) == len(numbers) and first >= 0)
    expect(len(names.length) == len(names.begin) and len(names.hash) == len(names.begin))
    expect(len(names.slots) & (len(names.slots) - 1) == 0 and len(names.begin) < len(names.slots))
    mask = uint64(len(names.slots) - 1)
    for i in range(first, len(begin)):
        start, length = begin[i], end[i] - begin[i]
        expect(start >= 0 and length >= 0 and end[i] + PADDING <= len(buffer))
        if i > first:  # mostly that of the line before
            last = numbers[i - 1]
            if names.length[last] == length and same_bytes(text, start, text, names.begin[last], length):
                numbers[i] = last
                continue
        key = table_hash(text, start, end[i], secret)
        slot = key & mask
        while True:
            known = names.slots[slot] - 1
            if known < 0 or (
                names.hash[known] == key
                and names.length[known] == length
                and same_bytes(text, start, text, names.begin[known], length)
            ):
                break
            slot = (slot + uint64(1)) & mask
        if known < 0:
            known = names.used[0]
            if known == len(names.begin):
                return i
            names.begin[known], names.length[known], names.hash[known] = start, length, key
            names.slots[slot] = known + 1
            names.used[0] = known + 1
        numbers[i] = known
    return len(begin)


@njit(cache=True, nogil=True)
def read_matrix(buffer, position, size, form, named, values, begin, end, others):
    """Read lines of a matrix: as many numbers as values float64[L, n] has columns, behind a name if they are named.

    form: as of `find_cells`. Fills values, where names begin and end, int64[L] each, and others int64[k, 4]: line, column,
    begin and end of what is no plain number. Returns how many lines and others there were; -1 others where some line was not
    plain or there were more of either than there is room for.
    """
    text = text_of(buffer)
    separator, quoted = form[0], form[1] != 0
    lines, columns = values.shape
    expect(
        0 <= position <= size and size + PADDING <= len(buffer) and (position == size or buffer[size - 1] == NEWLINE)
    )
    expect(len(begin) == lines and len(end) == lines and others.shape[1] == 4 and columns > 0)
    line = count = 0
    position = _next_line(text, position, size)
    while position < size:
        if line == lines:
            return line, -1
        for column in range(-1 if named else 0, columns):
            first, last, position = _cell(text, position, separator, quoted)
            if position < 0 or (text[position] == NEWLINE) != (column == columns - 1):
                return line, -1
            position += 1
            if column < 0:
                begin[line], end[line] = first, last
                continue
            values[line, column], is_plain = parse_decimal(text, first, last)
            if first == last or not is_plain:
                if count == len(others):
                    return line, -1
                others[count, 0], others[count, 1], others[count, 2], others[count, 3] = line, column, first, last
                count += 1
        line += 1
        position = _next_line(text, position, size)
    return line, count

"""One pass over JSON: {topic: {docno: number}}, and the members of an object whose values are whatever.

A text as `fields` has it, and of JSON's own grammar (RFC 8259), but that bytes need not be UTF-8.
"""

import numpy as np

from irci.kernels.decimals import parse_decimal
from irci.kernels.fields import BLANK, LONGEST, NEWLINE, QUOTE
from irci.kernels.hashing import table_hash
from irci.kernels.records import WHOLE, Comments, Tags, found_in, room_for
from irci.kernels.shapes import expect
from irci.kernels.words import BLOCK, PADDING, bytes_equal, bytes_up_to, text_of, trailing_zeros
from irci.native.compiled import njit

BACKSLASH, COMMA, COLON, BEGIN, END, BEGIN_ARRAY, END_ARRAY = 92, 44, 58, 123, 125, 91, 93
MINUS, PLUS, POINT, ZERO, NINE, LOWER_E = 45, 43, 46, 48, 57, 101
CONTROL = BLANK - 1
# What a text should have where it has not.
OBJECT, NAME, VALUE, DOCUMENTS, NUMBER, NEXT, NOTHING = range(1, 8)


@njit(cache=True, nogil=True)
def _skip(text, position, size):
    # Whitespace, but no further than `size`.
    while (
        position < size
        and text[position] <= BLANK
        and (text[position] == BLANK or 9 <= text[position] <= 10 or text[position] == 13)
    ):
        position += 1
    return position


@njit(cache=True, nogil=True)
def _string_end(text, position, unfit):
    """Where the string ends whose quotation mark is before `position`, and whether it has escaped characters; -1 if a byte up
    to `unfit` is in it, which a line end always is."""
    has_escaped = False
    while True:
        found = bytes_equal(text, position, QUOTE) | bytes_equal(text, position, BACKSLASH)
        found |= bytes_up_to(text, position, np.uint8(unfit))
        if found == 0:
            position += BLOCK
            continue
        position += np.int64(trailing_zeros(found))
        if text[position] == QUOTE:
            return position, has_escaped
        if text[position] != BACKSLASH or text[position + 1] < BLANK:
            return np.int64(-1), has_escaped
        has_escaped = True
        position += 2


@njit(cache=True, nogil=True)
def _digits_end(text, position):
    while ZERO <= text[position] <= NINE:
        position += 1
    return position


@njit(cache=True, nogil=True)
def _number_end(text, begin):
    """Where the number at `begin` ends; -1 if there is none that JSON knows."""
    position = begin + (text[begin] == MINUS)
    end = position + 1 if text[position] == ZERO else _digits_end(text, position)
    if not ZERO <= text[position] <= NINE:
        return np.int64(-1)
    if text[end] == POINT:
        position = end + 1
        end = _digits_end(text, position)
        if end == position:
            return np.int64(-1)
    if text[end] | 32 == LOWER_E:
        position = end + 1
        position += text[position] == PLUS or text[position] == MINUS
        end = _digits_end(text, position)
        if end == position:
            return np.int64(-1)
    return end


@njit(cache=True, nogil=True)
def _expect_end(buffer, start, size):
    # A line end is where all that is looked for ends.
    expect(0 <= start < size and size + PADDING <= len(buffer) and buffer[len(buffer) - PADDING - 1] == NEWLINE)


@njit(cache=True, nogil=True)
def scan_json(start, size, docnos, number, secret):
    """The numbers in a text {topic: {docno: number}} (Found), an entry each; `short` is where it is nothing like that, and
    nothing behind was read. And what would be there: OBJECT, NAME, ... (0: all is as it should be).

    The text is docnos.buffer[start:size]. Names have no whitespace; a topic without documents is a stretch too. Fills the
    other arrays of docnos (`docnos.Docnos`), whose hashes are keyed by secret uint64[2], and number float64[...]; they have
    room for as many as there are colons.
    """
    text, capacity = text_of(docnos.buffer), len(number)
    _expect_end(docnos.buffer, start, size)
    docno_start, docno_length, docno_hash = docnos.start, docnos.length, docnos.hash
    room = room_for(docnos, number)
    stretch, short, slow, escaped = room.stretch, room.short, room.slow, room.escaped
    lines = stretches = slows = escapes = wanted = 0
    is_inside = False
    is_done = False
    position = _skip(text, start, size)
    if text[position] == BEGIN:
        position = _skip(text, position + 1, size)
        if text[position] == END:
            position += 1
            is_done = True
    else:
        wanted = OBJECT
    while not is_done and wanted == 0:
        begin = position + 1
        if text[position] != QUOTE:
            wanted = NAME
            break
        end, has_escaped = _string_end(text, begin, BLANK)
        if end <= begin or end - begin > LONGEST:
            wanted = NAME
            break
        position = _skip(text, end + 1, size)
        if text[position] != COLON:
            wanted = VALUE
            break
        position = _skip(text, position + 1, size)
        expect(lines < capacity and stretches < capacity and escapes < capacity)
        if has_escaped:
            escaped[escapes] = lines if is_inside else -1 - stretches, begin, end
            escapes += 1
        if is_inside:
            last = _number_end(text, position)
            if last < 0:
                wanted = NUMBER
                break
            docno_start[lines], docno_length[lines] = begin, end - begin
            docno_hash[lines] = table_hash(text, begin, end, secret)
            number[lines], is_exact = parse_decimal(text, position, last)
            if not is_exact or abs(number[lines]) >= WHOLE:
                slow[slows] = lines, position, last
                slows += 1
            lines += 1
            position = last
        else:
            if text[position] != BEGIN:
                wanted = DOCUMENTS
                break
            position = _skip(text, position + 1, size)
            is_inside = True
            stretch[stretches] = lines, begin, end - begin
            stretches += 1
            if text[position] != END:
                continue
        while True:  # behind a value
            position = _skip(text, position, size)
            if text[position] == COMMA:
                position = _skip(text, position + 1, size)
                break
            if text[position] != END:
                wanted = NEXT
                break
            position += 1
            if not is_inside:
                is_done = True
                break
            is_inside = False
    if wanted == 0:
        position = _skip(text, position, size)
        wanted = NOTHING if position < size else 0
    short[0] = min(position, size - 1)
    counts = lines, stretches, np.int64(wanted > 0), slows, escapes, 0
    return found_in(room, counts, Tags(0, 0, -1), Comments(0, -1)), wanted


@njit(cache=True, nogil=True)
def object_members(buffer, start, size):
    """The members of the object that buffer[start:size] of uint8[n] `buffer` holds: int64[M, 4], where their names begin and
    end, and their values; and whether there is one. What the values are is not looked at."""
    _expect_end(buffer, start, size)
    text = text_of(buffer)
    found = np.empty((16, 4), np.int64)
    members = 0
    position = _skip(text, start, size)
    if text[position] != BEGIN:
        return found[:0].copy(), False
    position = _skip(text, position + 1, size)
    while position < size and text[position] == QUOTE:
        begin = position + 1
        end, _ = _string_end(text, begin, CONTROL)
        if end < 0 or end >= size:
            break
        position = _skip(text, end + 1, size)
        if text[position] != COLON:
            break
        value = _skip(text, position + 1, size)
        position = value
        depth = 0
        while position < size:
            byte = text[position]
            if byte == QUOTE:
                closing, _ = _string_end(text, position + 1, CONTROL)
                if closing < 0:
                    return found[:0].copy(), False
                position = closing
            elif byte in (BEGIN, BEGIN_ARRAY):
                depth += 1
            elif byte in (END, END_ARRAY):
                depth -= 1
                if depth < 0:
                    break
            elif byte == COMMA and depth == 0:
                break
            position += 1
        if members == len(found):
            found = np.concatenate((found, np.empty_like(found)))
        found[members] = begin, end, value, position
        members += 1
        if position >= size or text[position] == END:
            break
        position = _skip(text, position + 1, size)
    return found[:members].copy(), position < size and text[position] == END

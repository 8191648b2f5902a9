"""One pass over the bytes of a run or qrels file: where the fields are, and what the numbers say.

Both scanners take a buffer whose text ends in a newline, contains no NUL and is followed by PADDING bytes. They skip
blank lines and lines whose first visible byte is `#`, return one entry a content line, in file order, and list the lines
they could not read; the caller words the messages. Whitespace is C's isspace (blank, tab, CR, VT, FF), as in trec_eval.
"""

import numpy as np
from numba import njit, uint64

from irci.kernels.decimals import parse_decimal, parse_integer
from irci.kernels.words import load_word, trailing_zeros

NEWLINE = 10
HASH_MARK = 35
LONGEST = 2**31 - 1  # bytes of a line

ONES = 0x0101010101010101
HIGH_BITS = 0x8080808080808080


@njit(cache=True, nogil=True)
def _is_space(byte):
    return byte <= 32 and (byte == 32 or 9 <= byte <= 13)


@njit(cache=True, nogil=True)
def _bytes_below(word, limit):
    """The high bits of the bytes below `limit` (at most 128); exact up to the first such byte."""
    return (word - uint64(limit) * uint64(ONES)) & ~word & uint64(HIGH_BITS)


@njit(cache=True, nogil=True)
def _skip_blanks(buffer, position):
    while buffer[position] != NEWLINE and _is_space(buffer[position]):
        position += 1
    return position


@njit(cache=True, nogil=True)
def _token_end(buffer, position):
    while True:
        below = _bytes_below(load_word(buffer, position), 33)
        if below == uint64(0):
            position += 8
            continue
        position += np.int64(trailing_zeros(below)) >> 3
        if _is_space(buffer[position]):
            return position
        position += 1  # a control character is part of the token


@njit(cache=True, nogil=True)
def _line_end(buffer, position):
    while True:
        newlines = _bytes_below(load_word(buffer, position) ^ uint64(NEWLINE * ONES), 1)
        if newlines:
            return position + (np.int64(trailing_zeros(newlines)) >> 3)
        position += 8


@njit(cache=True, nogil=True)
def _mix(word):
    """A full-avalanche finaliser (the multipliers and shifts of splitmix64)."""
    word = (word ^ (word >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> uint64(27))) * uint64(0x94D049BB133111EB)
    return word ^ (word >> uint64(31))


@njit(cache=True, nogil=True)
def _hash(buffer, start, end):
    """The 64-bit hash of buffer[start:end].

    The bytes are taken as little-endian 64-bit words, the last filled up with zeros (empty if the length divides by 8);
    each word is xored into the state and mixed, and the number of bytes is mixed in last. Part of the definition of a
    seeded split.
    """
    state = uint64(0)
    position = start
    while position + 8 <= end:
        state = _mix(state ^ load_word(buffer, position))
        position += 8
    rest = load_word(buffer, position) & ((uint64(1) << uint64(8 * (end - position))) - uint64(1))
    return _mix(_mix(state ^ rest) + uint64(end - start))


@njit(cache=True, nogil=True)
def _starts_with(buffer, position, token, length):
    """Whether the `length` bytes from `position` on are those from `token` on."""
    while length >= 8:
        if load_word(buffer, position) != load_word(buffer, token):
            return False
        position += 8
        token += 8
        length -= 8
    difference = load_word(buffer, position) ^ load_word(buffer, token)
    return difference & ((uint64(1) << uint64(8 * length)) - uint64(1)) == uint64(0)


@njit(cache=True, nogil=True)
def count_lines(buffer, begin, end):
    """The number of newlines in buffer[begin:end] of uint8[n] `buffer`."""
    lines = 0
    for i in range(begin, end):
        lines += buffer[i] == NEWLINE
    return lines


@njit(cache=True, nogil=True)
def _topic_end(buffer, position, topic, length):
    """The end of the token at `position`, found at once if it is the topic of the line before."""
    if length > 0 and _starts_with(buffer, position, topic, length) and _is_space(buffer[position + length]):
        return position + length
    return _token_end(buffer, position)


@njit(cache=True, nogil=True)
def scan_run(buffer, start, size, docno_start, docno_length, docno_hash, score):
    """The lines of a TREC run: topic, Q0, docno, rank, score, tag.

    `buffer` uint8[...]; the text is buffer[start:size]. Fills docno_start int64[...], docno_length int32[...], docno_hash
    uint64[...] and score float64[...], which have room for all its newlines. Returns, with L content lines and S
    stretches of lines with one topic: L;
    stretch_line int64[S] (the first line's index), stretch_start int64[S], stretch_length int32[S] (the topic's bytes);
    short int64[...]: positions of lines with fewer than six fields; slow int64[..., 3]: (line index, start, end) of scores
    for float() to read; the number of lines with more than six fields; tag_start, tag_end of the first tag, and the
    position of the first line with another tag (-1 if none).
    """
    capacity = len(score)
    stretch_line = np.empty(capacity, np.int64)
    stretch_start = np.empty(capacity, np.int64)
    stretch_length = np.empty(capacity, np.int32)
    short = np.empty(capacity, np.int64)
    slow = np.empty((capacity, 3), np.int64)
    lines = stretches = shorts = slows = longs = 0
    topic = topic_length = 0
    tag_start = tag_end = 0
    other_tag = -1
    position = start
    while position < size:
        position = _skip_blanks(buffer, position)
        begin = position
        if buffer[position] == NEWLINE or buffer[position] == HASH_MARK:
            position = _line_end(buffer, position) + 1
            continue
        end = _topic_end(buffer, begin, topic, topic_length)
        position = _skip_blanks(buffer, end)
        position = _skip_blanks(buffer, _token_end(buffer, position))
        document = position
        document_end = _token_end(buffer, position)
        position = _skip_blanks(buffer, document_end)
        position = _skip_blanks(buffer, _token_end(buffer, position))
        number = position
        number_end = _token_end(buffer, position)
        position = _skip_blanks(buffer, number_end)
        tag = position
        position = _token_end(buffer, position)
        # The sixth field is empty, and then the line has ended; or a length would not fit its 32 bits.
        if position == tag or position - begin > LONGEST:
            short[shorts] = begin
            shorts += 1
            position = _line_end(buffer, position) + 1
            continue
        if tag_end == 0:
            tag_start = tag
            tag_end = position
        elif other_tag < 0 and (
            position - tag != tag_end - tag_start or not _starts_with(buffer, tag, tag_start, position - tag)
        ):
            other_tag = begin
        if buffer[position] != NEWLINE:
            position = _skip_blanks(buffer, position)
            longs += buffer[position] != NEWLINE
            position = _line_end(buffer, position)
        position += 1
        if stretches == 0 or end - begin != topic_length or not _starts_with(buffer, begin, topic, topic_length):
            topic = begin
            topic_length = end - begin
            stretch_line[stretches] = lines
            stretch_start[stretches] = topic
            stretch_length[stretches] = topic_length
            stretches += 1
        docno_start[lines] = document
        docno_length[lines] = document_end - document
        docno_hash[lines] = _hash(buffer, document, document_end)
        value, exact = parse_decimal(buffer, number, number_end)
        score[lines] = value
        if not exact:
            slow[slows, 0] = lines
            slow[slows, 1] = number
            slow[slows, 2] = number_end
            slows += 1
        lines += 1
    return (
        lines,
        stretch_line[:stretches],
        stretch_start[:stretches],
        stretch_length[:stretches],
        short[:shorts],
        slow[:slows],
        longs,
        tag_start,
        tag_end,
        other_tag,
    )


@njit(cache=True, nogil=True)
def scan_qrels(buffer, start, size, capacity):
    """The lines of TREC qrels: topic, iteration, docno, grade.

    Arguments and the first seven results as in `scan_run`, with grade int64[L] for score; then wrong int64[...]:
    positions of lines without exactly four fields; rubbish int64[..., 3]: (line index, start, end) of grades that are no
    integer.
    """
    docno_start = np.empty(capacity, np.int64)
    docno_length = np.empty(capacity, np.int32)
    docno_hash = np.empty(capacity, np.uint64)
    grade = np.empty(capacity, np.int64)
    stretch_line = np.empty(capacity, np.int64)
    stretch_start = np.empty(capacity, np.int64)
    stretch_length = np.empty(capacity, np.int32)
    wrong = np.empty(capacity, np.int64)
    rubbish = np.empty((capacity, 3), np.int64)
    lines = stretches = wrongs = rubbishes = 0
    topic = topic_length = 0
    position = start
    while position < size:
        position = _skip_blanks(buffer, position)
        begin = position
        if buffer[position] == NEWLINE or buffer[position] == HASH_MARK:
            position = _line_end(buffer, position) + 1
            continue
        end = _topic_end(buffer, begin, topic, topic_length)
        document = _skip_blanks(buffer, end)
        document = _skip_blanks(buffer, _token_end(buffer, document))
        document_end = _token_end(buffer, document)
        number = _skip_blanks(buffer, document_end)
        number_end = _token_end(buffer, number)
        after = _skip_blanks(buffer, number_end)
        position = _line_end(buffer, after) + 1
        if number_end == number or buffer[after] != NEWLINE or position - begin > LONGEST:
            wrong[wrongs] = begin
            wrongs += 1
            continue
        if stretches == 0 or end - begin != topic_length or not _starts_with(buffer, begin, topic, topic_length):
            topic = begin
            topic_length = end - begin
            stretch_line[stretches] = lines
            stretch_start[stretches] = topic
            stretch_length[stretches] = topic_length
            stretches += 1
        docno_start[lines] = document
        docno_length[lines] = document_end - document
        docno_hash[lines] = _hash(buffer, document, document_end)
        value, is_integer = parse_integer(buffer, number, number_end)
        grade[lines] = value
        if not is_integer:
            rubbish[rubbishes, 0] = lines
            rubbish[rubbishes, 1] = number
            rubbish[rubbishes, 2] = number_end
            rubbishes += 1
        lines += 1
    return (
        docno_start[:lines],
        docno_length[:lines],
        docno_hash[:lines],
        grade[:lines],
        stretch_line[:stretches],
        stretch_start[:stretches],
        stretch_length[:stretches],
        wrong[:wrongs],
        rubbish[:rubbishes],
    )

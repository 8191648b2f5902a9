"""One pass over the bytes of a run or qrels file: where the fields are, and what the numbers say.

Both scanners take a buffer whose text ends in a newline, contains no NUL and is followed by PADDING bytes. They skip blank
lines and comments, return one entry a record, in file order, and list the lines they could not read; the caller words the
messages. Whitespace is C's isspace (blank, tab, CR, VT, FF), as in trec_eval.

A comment begins with a field of nothing but `#`, and is no record: it has other fields, or no number where a record has one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from irci.kernels.decimals import parse_decimal, parse_integer
from irci.kernels.hashing import table_hash
from irci.kernels.shapes import expect
from irci.kernels.words import BLOCK, PADDING, bytes_equal, bytes_up_to, one_bits, same_bytes, text_of, trailing_zeros
from irci.native.compiled import njit, uint64

TAB, NEWLINE, BLANK, HASH_MARK = 9, 10, 32, 35
LONGEST = 2**31 - 1  # bytes of a line, up to its tag


class Stretches(NamedTuple):
    """S stretches of lines with one topic: the first line's index int64[S]; the topic's place int64[S] and length int32[S]."""

    line: NDArray[np.int64]
    start: NDArray[np.int64]
    length: NDArray[np.int32]


class RunScan(NamedTuple):
    """Findings of `scan_run` in L content lines beside docnos and scores.

    `short` int64[...]: positions of lines with fewer than six fields; `slow` int64[..., 3]: (line index, start, end) of scores
    for float() to read; the number of lines with more than six fields; where the first tag is, and the position of the first
    line with another tag (-1 if none); how many lines are comments, and the first one's position (-1 if none).
    """

    lines: int
    stretches: Stretches
    short: NDArray[np.int64]
    slow: NDArray[np.int64]
    lines_with_extra_fields: int
    tag_start: int
    tag_end: int
    other_tag: int
    comments: int
    first_comment: int


class QrelsScan(NamedTuple):
    """Findings of `scan_qrels` in L content lines beside docnos and grades.

    `wrong` int64[...]: positions of lines without exactly four fields; `rubbish` int64[..., 3]: (line index, start, end) of
    grades that are no integer. How many lines are comments, and the first one's position (-1 if none).
    """

    lines: int
    stretches: Stretches
    wrong: NDArray[np.int64]
    rubbish: NDArray[np.int64]
    comments: int
    first_comment: int


@njit(cache=True, nogil=True)
def _is_space(byte):
    return byte <= BLANK and (byte == BLANK or TAB <= byte <= 13)


@njit(cache=True, nogil=True)
def _skip_blanks(text, position):
    while text[position] != NEWLINE and _is_space(text[position]):
        position += 1
    return position


@njit(cache=True, nogil=True)
def _token_end(text, position):
    while True:
        low = bytes_up_to(text, position, BLANK)
        if low == uint64(0):
            position += BLOCK
            continue
        position += np.int64(trailing_zeros(low))
        if _is_space(text[position]):
            return position
        position += 1  # a control character is part of the token


@njit(cache=True, nogil=True)
def _line_end(text, position):
    while True:
        newlines = bytes_equal(text, position, NEWLINE)
        if newlines:
            return position + np.int64(trailing_zeros(newlines))
        position += BLOCK


@njit(cache=True, nogil=True)
def _plain_ends(text, position, fields):
    """Ends of the fields of a plain line: bits from `position` on; 0 for another line.

    A plain line is one of a block's length at most, with so many fields and one blank or tab between any two; nearly all
    are. It takes no more than a few instructions to know.
    """
    newlines = bytes_equal(text, position, NEWLINE)
    line = newlines ^ (newlines - uint64(1))  # all bits if there is none
    low = bytes_up_to(text, position, BLANK) & line
    ends = (newlines | bytes_equal(text, position, BLANK) | bytes_equal(text, position, TAB)) & line
    plain = newlines != 0 and low == ends and one_bits(ends) == fields and ends & (ends << uint64(1) | uint64(1)) == 0
    return ends if plain else uint64(0)


@njit(cache=True, nogil=True)
def _next(text, end):
    # Where the field after the one that ends at `end` begins and where it ends, the same place if there is none.
    begin = _skip_blanks(text, end)
    return begin, _token_end(text, begin)


@njit(cache=True, nogil=True)
def _is_hash_marks(text, begin, end):
    # A comment begins with such a field, and so may a record: then its numbers tell.
    while begin < end and text[begin] == HASH_MARK:
        begin += 1
    return begin == end


@njit(cache=True, nogil=True)
def _begins_number(byte):
    return 48 <= byte <= 57 or byte == 43 or 45 <= byte <= 46  # a digit, a sign or a point


@njit(cache=True, nogil=True)
def _run_fields(text, begin):
    # Of the line at `begin`: where its topic ends, and where docno, score and tag begin and end.
    ends = _plain_ends(text, begin, 6)
    if ends:
        topic_end = begin + np.int64(trailing_zeros(ends))
        ends &= ends - uint64(1)
        document = begin + np.int64(trailing_zeros(ends)) + 1
        ends &= ends - uint64(1)
        document_end = begin + np.int64(trailing_zeros(ends))
        ends &= ends - uint64(1)
        number = begin + np.int64(trailing_zeros(ends)) + 1
        ends &= ends - uint64(1)
        number_end = begin + np.int64(trailing_zeros(ends))
        ends &= ends - uint64(1)
        tag_end = begin + np.int64(trailing_zeros(ends))
        return topic_end, document, document_end, number, number_end, number_end + 1, tag_end
    topic_end = _token_end(text, begin)
    document, document_end = _next(text, _next(text, topic_end)[1])
    number, number_end = _next(text, _next(text, document_end)[1])
    tag, tag_end = _next(text, number_end)
    return topic_end, document, document_end, number, number_end, tag, tag_end


@njit(cache=True, nogil=True)
def count_lines(buffer, begin, end):
    """The number of newlines in buffer[begin:end] of uint8[n] `buffer`."""
    expect(begin >= 0 and end + PADDING <= len(buffer))
    text = text_of(buffer)
    lines = 0
    for position in range(begin, end, BLOCK):
        newlines = bytes_equal(text, position, NEWLINE)
        if position + BLOCK > end:
            newlines &= (uint64(1) << uint64(end - position)) - uint64(1)
        lines += np.int64(one_bits(newlines))
    return lines


@njit(cache=True, nogil=True)
def _expect_room(start, size, docnos, capacity):
    expect(0 <= start <= size and size + PADDING <= len(docnos.buffer))
    expect(start == size or docnos.buffer[size - 1] == NEWLINE)
    expect(len(docnos.start) == capacity and len(docnos.length) == capacity and len(docnos.hash) == capacity)


@njit(cache=True, nogil=True)
def scan_run(start, size, docnos, score, secret):
    """The lines of a TREC run (RunScan): topic, Q0, docno, rank, score, tag.

    The text is docnos.buffer[start:size]. Fills the other arrays of docnos (`docnos.Docnos`), whose hashes are keyed by secret
    uint64[2], and score float64[...]; they have room for all its newlines.
    """
    text = text_of(docnos.buffer)
    docno_start, docno_length, docno_hash = docnos.start, docnos.length, docnos.hash
    capacity = len(score)
    _expect_room(start, size, docnos, capacity)
    stretch_line, stretch_start = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    stretch_length = np.empty(capacity, np.int32)
    short, slow = np.empty(capacity, np.int64), np.empty((capacity, 3), np.int64)
    lines = stretches = shorts = slows = longs = comments = 0
    first_comment = -1
    topic = topic_end = 0
    tag_start = tag_end = 0
    other_tag = -1
    position = start
    while position < size:
        begin = _skip_blanks(text, position)
        if text[begin] == NEWLINE:
            position = begin + 1
            continue
        expect(lines + shorts < capacity)
        end, document, document_end, number, number_end, tag, position = _run_fields(text, begin)
        # The sixth field is empty, and then the line has ended; or a length would not fit its 32 bits.
        is_short = position == tag or position - begin > LONGEST
        if _is_hash_marks(text, begin, end) and (is_short or not _begins_number(text[number])):
            first_comment = begin if comments == 0 else first_comment
            comments += 1
            position = _line_end(text, position) + 1
            continue
        if is_short:
            short[shorts] = begin
            shorts += 1
            position = _line_end(text, position) + 1
            continue
        if tag_end == 0:
            tag_start, tag_end = tag, position
        elif other_tag < 0 and (
            position - tag != tag_end - tag_start or not same_bytes(text, tag, text, tag_start, position - tag)
        ):
            other_tag = begin
        if text[position] != NEWLINE:
            position = _skip_blanks(text, position)
            longs += text[position] != NEWLINE
            position = _line_end(text, position)
        position += 1
        if stretches == 0 or end - begin != topic_end - topic or not same_bytes(text, begin, text, topic, end - begin):
            topic, topic_end = begin, end
            stretch_line[stretches], stretch_start[stretches], stretch_length[stretches] = lines, begin, end - begin
            stretches += 1
        docno_start[lines], docno_length[lines] = document, document_end - document
        docno_hash[lines] = table_hash(text, document, document_end, secret)
        value, exact = parse_decimal(text, number, number_end)
        score[lines] = value
        if not exact:
            slow[slows] = lines, number, number_end
            slows += 1
        lines += 1
    found = Stretches(stretch_line[:stretches], stretch_start[:stretches], stretch_length[:stretches])
    return RunScan(
        lines, found, short[:shorts], slow[:slows], longs, tag_start, tag_end, other_tag, comments, first_comment
    )


@njit(cache=True, nogil=True)
def scan_ranks(docnos, rank):
    """Fill in rank int64[L], the whole number behind each docno of a run; those that are none are returned.

    docnos: of a run's L content lines. Returns int64[..., 2]: where the others begin and end.
    """
    text, docno_start, docno_length = text_of(docnos.buffer), docnos.start, docnos.length
    expect(len(docno_length) == len(docno_start) and len(rank) == len(docno_start))
    rubbish = np.empty((len(rank), 2), np.int64)
    rubbishes = 0
    for line in range(len(rank)):
        begin, end = _next(text, docno_start[line] + docno_length[line])
        rank[line], is_integer = parse_integer(text, begin, end)
        if not is_integer:
            rubbish[rubbishes] = begin, end
            rubbishes += 1
    return rubbish[:rubbishes].copy()


@njit(cache=True, nogil=True)
def scan_qrels(start, size, docnos, grade, secret):
    """The lines of TREC qrels (QrelsScan): topic, iteration, docno, grade.

    The text is docnos.buffer[start:size]. Fills the other arrays of docnos (`docnos.Docnos`), whose hashes are keyed by secret
    uint64[2], and grade int64[...]; they have room for all its newlines.
    """
    text = text_of(docnos.buffer)
    docno_start, docno_length, docno_hash = docnos.start, docnos.length, docnos.hash
    capacity = len(grade)
    _expect_room(start, size, docnos, capacity)
    stretch_line, stretch_start = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    stretch_length = np.empty(capacity, np.int32)
    wrong, rubbish = np.empty(capacity, np.int64), np.empty((capacity, 3), np.int64)
    lines = stretches = wrongs = rubbishes = comments = 0
    first_comment = -1
    topic = topic_end = 0
    position = start
    while position < size:
        begin = _skip_blanks(text, position)
        if text[begin] == NEWLINE:
            position = begin + 1
            continue
        expect(lines + wrongs < capacity)
        end = _token_end(text, begin)
        document, document_end = _next(text, _next(text, end)[1])
        number, number_end = _next(text, document_end)
        after = _skip_blanks(text, number_end)
        position = _line_end(text, after) + 1
        is_wrong = number_end == number or text[after] != NEWLINE or position - begin > LONGEST
        if _is_hash_marks(text, begin, end) and (is_wrong or not _begins_number(text[number])):
            first_comment = begin if comments == 0 else first_comment
            comments += 1
            continue
        if is_wrong:
            wrong[wrongs] = begin
            wrongs += 1
            continue
        if stretches == 0 or end - begin != topic_end - topic or not same_bytes(text, begin, text, topic, end - begin):
            topic, topic_end = begin, end
            stretch_line[stretches], stretch_start[stretches], stretch_length[stretches] = lines, begin, end - begin
            stretches += 1
        docno_start[lines], docno_length[lines] = document, document_end - document
        docno_hash[lines] = table_hash(text, document, document_end, secret)
        value, is_integer = parse_integer(text, number, number_end)
        grade[lines] = value
        if not is_integer:
            rubbish[rubbishes] = lines, number, number_end
            rubbishes += 1
        lines += 1
    found = Stretches(stretch_line[:stretches], stretch_start[:stretches], stretch_length[:stretches])
    return QrelsScan(lines, found, wrong[:wrongs], rubbish[:rubbishes], comments, first_comment)

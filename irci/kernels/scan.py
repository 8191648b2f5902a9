"""One pass over the bytes of a TREC run or of TREC qrels: where the fields are, and what the numbers say.

Both scanners take a text (`fields`), skip blank lines and comments, return one entry a record, in file order, and list the
lines they could not read; the caller words the messages.

A comment begins with a field of nothing but `#`, and is no record: it has other fields, or no number where a record has one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from irci.kernels.decimals import parse_decimal, parse_integer
from irci.kernels.fields import (
    LONGEST,
    NEWLINE,
    begins_number,
    expect_room,
    is_hash_marks,
    line_end,
    next_field,
    plain_ends,
    skip_blanks,
    token_end,
)
from irci.kernels.hashing import table_hash
from irci.kernels.shapes import expect
from irci.kernels.words import same_bytes, text_of, trailing_zeros
from irci.native.compiled import njit, uint64


class Stretches(NamedTuple):
    """S stretches of lines with one topic: the first line's index int64[S]; the topic's place int64[S] and length int32[S]."""

    line: NDArray[np.int64]
    start: NDArray[np.int64]
    length: NDArray[np.int32]


class RunScan(NamedTuple):
    """Findings of `scan_run` in L content lines beside docnos and scores; and of what scans other formats, with numbers for
    scores.

    `short` int64[...]: positions of lines with fewer than six fields, or not as they should be; `slow` int64[..., 3]: (line
    index, start, end) of scores for float() to read; `escaped` int64[..., 3]: (line index, start, end) of docnos with escaped
    characters, or (-1 - index of stretch, start, end) of topics; the number of lines with more than six fields; where the
    first tag is, and the position of the first line with another tag (-1 if none); how many lines are comments, and the first
    one's position (-1 if none).
    """

    lines: int
    stretches: Stretches
    short: NDArray[np.int64]
    slow: NDArray[np.int64]
    escaped: NDArray[np.int64]
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
def _run_fields(text, begin):
    # Of the line at `begin`: where its topic ends, and where docno, score and tag begin and end.
    ends = plain_ends(text, begin, 6)
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
    topic_end = token_end(text, begin)
    document, document_end = next_field(text, next_field(text, topic_end)[1])
    number, number_end = next_field(text, next_field(text, document_end)[1])
    tag, tag_end = next_field(text, number_end)
    return topic_end, document, document_end, number, number_end, tag, tag_end


@njit(cache=True, nogil=True)
def scan_run(start, size, docnos, score, secret):
    """The lines of a TREC run (RunScan): topic, Q0, docno, rank, score, tag.

    The text is docnos.buffer[start:size]. Fills the other arrays of docnos (`docnos.Docnos`), whose hashes are keyed by secret
    uint64[2], and score float64[...]; they have room for all its newlines.
    """
    text = text_of(docnos.buffer)
    docno_start, docno_length, docno_hash = docnos.start, docnos.length, docnos.hash
    capacity = len(score)
    expect_room(start, size, docnos, capacity)
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
        begin = skip_blanks(text, position)
        if text[begin] == NEWLINE:
            position = begin + 1
            continue
        expect(lines + shorts < capacity)
        end, document, document_end, number, number_end, tag, position = _run_fields(text, begin)
        # The sixth field is empty, and then the line has ended; or a length would not fit its 32 bits.
        is_short = position == tag or position - begin > LONGEST
        if is_hash_marks(text, begin, end) and (is_short or not begins_number(text[number])):
            first_comment = begin if comments == 0 else first_comment
            comments += 1
            position = line_end(text, position) + 1
            continue
        if is_short:
            short[shorts] = begin
            shorts += 1
            position = line_end(text, position) + 1
            continue
        if tag_end == 0:
            tag_start, tag_end = tag, position
        elif other_tag < 0 and (
            position - tag != tag_end - tag_start or not same_bytes(text, tag, text, tag_start, position - tag)
        ):
            other_tag = begin
        if text[position] != NEWLINE:
            position = skip_blanks(text, position)
            longs += text[position] != NEWLINE
            position = line_end(text, position)
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
        lines,
        found,
        short[:shorts],
        slow[:slows],
        slow[:0],
        longs,
        tag_start,
        tag_end,
        other_tag,
        comments,
        first_comment,
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
        begin, end = next_field(text, docno_start[line] + docno_length[line])
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
    expect_room(start, size, docnos, capacity)
    stretch_line, stretch_start = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    stretch_length = np.empty(capacity, np.int32)
    wrong, rubbish = np.empty(capacity, np.int64), np.empty((capacity, 3), np.int64)
    lines = stretches = wrongs = rubbishes = comments = 0
    first_comment = -1
    topic = topic_end = 0
    position = start
    while position < size:
        begin = skip_blanks(text, position)
        if text[begin] == NEWLINE:
            position = begin + 1
            continue
        expect(lines + wrongs < capacity)
        end = token_end(text, begin)
        document, document_end = next_field(text, next_field(text, end)[1])
        number, number_end = next_field(text, document_end)
        after = skip_blanks(text, number_end)
        position = line_end(text, after) + 1
        is_wrong = number_end == number or text[after] != NEWLINE or position - begin > LONGEST
        if is_hash_marks(text, begin, end) and (is_wrong or not begins_number(text[number])):
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

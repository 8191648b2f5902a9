"""One pass over the bytes of a TREC run or of TREC qrels: where the fields are, and what the numbers say.

Both scanners take a text (`fields`), skip blank lines and comments, return one entry a record, in file order, and list the
lines they could not read; the caller words the messages.

A line whose first byte behind blanks is `#` is a comment, as in trec_eval 10. One with a record's fields and no blank behind
its `#` is listed with the lines that could not be read: the caller looks whether a topic was meant.
"""

import numpy as np

from irci.kernels.decimals import parse_decimal, parse_integer
from irci.kernels.fields import (
    HASH_MARK,
    LONGEST,
    NEWLINE,
    expect_text,
    is_space,
    line_end,
    next_field,
    plain_ends,
    skip_blanks,
    token_end,
)
from irci.kernels.hashing import table_hash
from irci.kernels.records import (
    Comments,
    Tags,
    are_same,
    found_in,
    room_for,
    with_comment,
    with_tag,
)
from irci.kernels.shapes import expect
from irci.kernels.words import text_of, trailing_zeros
from irci.native.compiled import njit, uint64


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
    """The lines of a TREC run (Found): topic, Q0, docno, rank, score, tag.

    The text is docnos.buffer[start:size]. Fills the other arrays of docnos (`docnos.Docnos`), whose hashes are keyed by secret
    uint64[2], and score float64[...]; they have room for all its newlines.
    """
    text, capacity = text_of(docnos.buffer), len(score)
    expect_text(docnos.buffer, start, size)
    docno_start, docno_length, docno_hash = docnos.start, docnos.length, docnos.hash
    room = room_for(docnos, score)
    stretch, short, slow = room.stretch, room.short, room.slow
    tags, comments = Tags(0, 0, -1), Comments(0, -1)
    lines = stretches = shorts = slows = longs = 0
    topic = topic_end = position = start
    while position < size:
        begin = skip_blanks(text, position)
        if text[begin] == NEWLINE:
            position = begin + 1
            continue
        expect(lines + shorts < capacity)
        end, document, document_end, number, number_end, tag, position = _run_fields(text, begin)
        # The sixth field is empty, and then the line has ended; or a length would not fit its 32 bits.
        is_short = position == tag or position - begin > LONGEST
        is_hashed = text[begin] == HASH_MARK
        if is_hashed and (is_short or is_space(text[begin + 1])):
            comments = with_comment(comments, begin)
            position = line_end(text, position) + 1
            continue
        if is_short or is_hashed:
            short[shorts] = begin
            shorts += 1
            position = line_end(text, position) + 1
            continue
        tags = with_tag(text, tags, begin, tag, position)
        if text[position] != NEWLINE:
            position = skip_blanks(text, position)
            longs += text[position] != NEWLINE
            position = line_end(text, position)
        position += 1
        if not are_same(text, begin, end, topic, topic_end):
            topic, topic_end = begin, end
            stretch[stretches] = lines, begin, end - begin
            stretches += 1
        docno_start[lines], docno_length[lines] = document, document_end - document
        docno_hash[lines] = table_hash(text, document, document_end, secret)
        score[lines], is_exact = parse_decimal(text, number, number_end)
        if not is_exact:
            slow[slows] = lines, number, number_end
            slows += 1
        lines += 1
    return found_in(room, (lines, stretches, shorts, slows, 0, longs), tags, comments)


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
    """The lines of TREC qrels (Found): topic, iteration, docno, grade.

    The text is docnos.buffer[start:size]. Fills the other arrays of docnos (`docnos.Docnos`), whose hashes are keyed by secret
    uint64[2], and grade int64[...]; they have room for all its newlines.
    """
    text, capacity = text_of(docnos.buffer), len(grade)
    expect_text(docnos.buffer, start, size)
    docno_start, docno_length, docno_hash = docnos.start, docnos.length, docnos.hash
    room = room_for(docnos, grade)
    stretch, short, slow = room.stretch, room.short, room.slow
    comments = Comments(0, -1)
    lines = stretches = wrongs = rubbishes = 0
    topic = topic_end = position = start
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
        is_hashed = text[begin] == HASH_MARK
        if is_hashed and (is_wrong or is_space(text[begin + 1])):
            comments = with_comment(comments, begin)
            continue
        if is_wrong or is_hashed:
            short[wrongs] = begin
            wrongs += 1
            continue
        if not are_same(text, begin, end, topic, topic_end):
            topic, topic_end = begin, end
            stretch[stretches] = lines, begin, end - begin
            stretches += 1
        docno_start[lines], docno_length[lines] = document, document_end - document
        docno_hash[lines] = table_hash(text, document, document_end, secret)
        grade[lines], is_integer = parse_integer(text, number, number_end)
        if not is_integer:
            slow[rubbishes] = lines, number, number_end
            rubbishes += 1
        lines += 1
    return found_in(room, (lines, stretches, wrongs, rubbishes, 0, 0), Tags(0, 0, -1), comments)

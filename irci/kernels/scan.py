"""One pass over the bytes of a ranking or of judgments in lines: where the fields are, and what the numbers say.

Fields have blanks or tabs between them in any number, as in TREC's files and MS MARCO's, or a separator each, as in csv and
tsv without quoted cells. The scanner skips blank lines, returns one entry a record, in file order, and lists all other lines;
the caller words the messages. Of fields between blanks a line whose first byte is `#` is listed too: the caller looks whether
it is a comment, as in trec_eval 10, or a topic was meant.
"""

from typing import NamedTuple

import numpy as np

from irci.kernels.decimals import parse_decimal, parse_integer
from irci.kernels.hashing import table_hash
from irci.kernels.shapes import expect
from irci.kernels.words import (
    BLANK,
    BLOCK,
    CARRIAGE_RETURN,
    HASH_MARK,
    LONGEST,
    NEWLINE,
    PADDING,
    QUOTE,
    TAB,
    bytes_equal,
    bytes_up_to,
    is_space,
    one_bits,
    same_bytes,
    text_of,
    token_end,
    trailing_zeros,
)
from irci.native.compiled import njit, uint64

WHOLE = 2.0**53  # below it a double holds every whole number


class Layout(NamedTuple):
    """Where the fields of a record are: `separator` is BLANK for any number of blanks or tabs, else a byte; places of topic,
    docno, number and tag (-1: none) among `fields`; whether a line may have more; whether numbers are integers."""

    separator: int
    topic: int
    docno: int
    number: int
    tag: int
    fields: int
    has_more: bool = False
    is_whole: bool = False


@njit
def _plain_cuts(text, begin, separator, fields):
    """What ends the fields of a plain line but the last, bits from `begin` on, and where its last field ends and the line; -1
    for another line.

    A plain line is one of a block's length at most, with so many fields, one blank or tab between any two or the separator,
    and no other whitespace. Nearly all are; it takes no more than a few instructions to know.
    """
    none = uint64(0), np.int64(-1), np.int64(-1)
    newlines = bytes_equal(text, begin, NEWLINE)
    if newlines == 0:
        return none
    line = newlines ^ (newlines - uint64(1))
    newline = newlines & line
    low = bytes_up_to(text, begin, BLANK) & line
    line_stop = begin + np.int64(trailing_zeros(newline))
    stop = line_stop - (line_stop > begin and text[line_stop - 1] == CARRIAGE_RETURN)
    if stop < line_stop:
        low ^= newline >> uint64(1)
    cuts = bytes_equal(text, begin, np.uint8(separator)) & line
    if separator == BLANK:
        cuts |= bytes_equal(text, begin, TAB) & line
        last = uint64(1) << uint64(stop - begin)
        strange = (cuts | last) & (cuts << uint64(1) | uint64(1))  # an empty field
    else:
        strange = bytes_equal(text, begin, QUOTE) & line
    strange |= (low & ~cuts) ^ newline
    if strange or np.int64(one_bits(cuts)) != fields - 1:
        return none
    return cuts, stop, line_stop


@njit(forceinline=True)
def _plain_places(begin, stop, cuts, starts, ends):
    # Fill in where the fields of a plain line begin and end, int64[n].
    field = begin
    for index in range(len(starts) - 1):
        cut = begin + np.int64(trailing_zeros(cuts))
        cuts &= cuts - uint64(1)
        starts[index], ends[index] = field, cut
        field = cut + 1
    starts[len(starts) - 1], ends[len(starts) - 1] = field, stop


@njit
def _cell_end(text, position, separator):
    while True:
        ends = bytes_equal(text, position, np.uint8(separator)) | bytes_equal(text, position, NEWLINE)
        if ends:
            return position + np.int64(trailing_zeros(ends))
        position += BLOCK


@njit
def _split(text, begin, separator, starts, ends):
    """Fill in where the first fields of a line begin and end, int64[n], without blanks around them. Returns the number of
    fields, 0 in a blank line, and where the line ends."""
    fields = 0
    position = begin
    while True:
        if separator == BLANK:
            first = position
            while text[first] != NEWLINE and is_space(text[first]):
                first += 1
            if text[first] == NEWLINE:
                return fields, first
            last = position = token_end(text, first)
        else:
            first, last = position, _cell_end(text, position, separator)
            position = last + 1
            while first < last and is_space(text[first]):
                first += 1
            while first < last and is_space(text[last - 1]):
                last -= 1
        if fields < len(starts):
            starts[fields], ends[fields] = first, last
        fields += 1
        if separator != BLANK and text[position - 1] == NEWLINE:
            return (0 if fields == 1 and first == last else fields), position - 1


@njit
def _is_name(text, begin, end):
    # Without whitespace, which cells may have; and not in quotation marks, of which nobody says whether they are part of it.
    return token_end(text, begin) >= end > begin and not (
        text[begin] == QUOTE and text[end - 1] == QUOTE and end - begin > 1
    )


@njit(forceinline=True)
def _are_same(text, begin, end, other, other_end):
    return end - begin == other_end - other and same_bytes(text, begin, text, other, end - begin)


@njit
def scan_records(start, size, layout, docnos, number, secret):
    """The records of a text, whose fields are where a Layout says.

    The text is docnos.buffer[start:size]. Fills the other arrays of docnos (`docnos.Docnos`), whose hashes are keyed by secret
    uint64[2], and number float64[...]; they have room for all its newlines.

    Returns how many records there are, and how many of them have more fields than they need; of stretches of records with one
    topic and tag, int64[S, 5], the index of the first record, where the topic begins and ends, and where the tag does (0 and
    0: none); int64[...], where lines begin that are no records, or begin with `#`; and int64[..., 3], of numbers that were not
    read, or which doubles may not hold, the index of the record, and where they begin and end.
    """
    text, capacity = text_of(docnos.buffer), len(number)
    separator, of_topic, of_docno, of_number, of_tag, fields, has_more, is_whole = layout
    expect(0 <= start <= size and size + PADDING <= len(docnos.buffer))
    expect(start == size or docnos.buffer[size - 1] == NEWLINE)
    expect(len(docnos.start) == capacity and len(docnos.length) == capacity and len(docnos.hash) == capacity)
    expect(min(of_topic, of_docno, of_number) >= 0 and max(of_topic, of_docno, of_number, of_tag) < fields)
    starts, ends = np.empty(fields, np.int64), np.empty(fields, np.int64)
    # Arrays are taken out of docnos before the loop, and handed to no function in there, which would count references.
    docno_start, docno_length, docno_hash = docnos.start, docnos.length, docnos.hash
    stretch, slow = np.empty((capacity, 5), np.int64), np.empty((capacity, 3), np.int64)
    other = np.empty(capacity, np.int64)
    lines = stretches = others = slows = longer = topic = topic_end = tag = tag_end = 0
    position = start
    while position < size:
        begin = position
        cuts, stop, position = _plain_cuts(text, begin, separator, fields)
        number_of_fields = fields
        is_plain = position >= 0
        if is_plain:
            _plain_places(begin, stop, cuts, starts, ends)
        else:
            number_of_fields, position = _split(text, begin, separator, starts, ends)
        is_record = number_of_fields == fields or (number_of_fields > fields and has_more)
        is_record = is_record and position - begin <= LONGEST
        position += 1
        if number_of_fields == 0:
            continue
        expect(lines + others < capacity)
        name, name_end = starts[of_topic], ends[of_topic]
        document, document_end = starts[of_docno], ends[of_docno]
        if separator == BLANK:
            is_record = is_record and text[starts[0]] != HASH_MARK
        elif is_plain:
            is_record = is_record and name < name_end and document < document_end
        elif is_record:
            is_record = _is_name(text, name, name_end) and _is_name(text, document, document_end)
        if not is_record:
            other[others] = begin
            others += 1
            continue
        longer += number_of_fields > fields
        is_new = not _are_same(text, name, name_end, topic, topic_end)
        if of_tag >= 0 and not _are_same(text, starts[of_tag], ends[of_tag], tag, tag_end):
            tag, tag_end = starts[of_tag], ends[of_tag]
            is_new = True
        if is_new:
            topic, topic_end = name, name_end
            stretch[stretches] = lines, name, name_end, tag, tag_end
            stretches += 1
        docno_start[lines], docno_length[lines] = document, document_end - document
        docno_hash[lines] = table_hash(text, document, document_end, secret)
        first, last = starts[of_number], ends[of_number]
        if is_whole:
            value, is_exact = parse_integer(text, first, last)
            number[lines] = value
        else:
            number[lines], is_exact = parse_decimal(text, first, last)
        if not is_exact or abs(number[lines]) >= WHOLE:
            slow[slows] = lines, first, last
            slows += 1
        lines += 1
    return lines, longer, stretch[:stretches].copy(), other[:others], slow[:slows]

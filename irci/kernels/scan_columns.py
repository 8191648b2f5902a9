"""One pass over lines of cells: runs and judgments in csv and tsv, and in columns that blanks separate.

A text as `fields` has it. Quoted cells may hold separators, line ends and, doubled, quotation marks. Blanks around a cell are
no part of it.
"""

import numpy as np

from irci.kernels.decimals import parse_decimal
from irci.kernels.fields import (
    BLANK,
    CARRIAGE_RETURN,
    LONGEST,
    NEWLINE,
    QUOTE,
    TAB,
    begins_number,
    expect_room,
    is_hash_marks,
    is_space,
    line_end,
    skip_blanks,
    token_end,
)
from irci.kernels.hashing import table_hash
from irci.kernels.scan import RunScan, Stretches
from irci.kernels.shapes import expect
from irci.kernels.words import BLOCK, bytes_equal, bytes_up_to, one_bits, same_bytes, text_of, trailing_zeros
from irci.native.compiled import njit, uint64

BY_BLANKS = 0  # in place of a separator
NO_LINE, UNCLOSED = -1, -2  # in place of a number of cells


@njit(cache=True, nogil=True)
def _plain_cells(text, begin, separator, columns):
    """The separators of a plain line, bits from `begin` on, and where its last cell ends and the line; -1 for another line.

    A plain line is one of a block's length at most, with so many cells, no quotation mark, and no whitespace but separators.
    """
    newlines = bytes_equal(text, begin, NEWLINE)
    if newlines == 0:
        return uint64(0), np.int64(-1), np.int64(-1)
    line = newlines ^ (newlines - uint64(1))
    newline = newlines & line
    low = bytes_up_to(text, begin, BLANK) & line
    line_stop = begin + np.int64(trailing_zeros(newline))
    stop = line_stop - (line_stop > begin and text[line_stop - 1] == CARRIAGE_RETURN)
    if stop < line_stop:
        low ^= newline >> uint64(1)
    if separator == BY_BLANKS:
        cuts = low ^ newline
        strange = cuts ^ ((bytes_equal(text, begin, BLANK) | bytes_equal(text, begin, TAB)) & line)
        strange |= (cuts | uint64(1) << uint64(stop - begin)) & (cuts << uint64(1) | uint64(1))  # an empty cell
    else:
        cuts = bytes_equal(text, begin, np.uint8(separator)) & line
        strange = (low & ~cuts) ^ newline | bytes_equal(text, begin, QUOTE) & line
    if strange or np.int64(one_bits(cuts)) != columns - 1:
        return uint64(0), np.int64(-1), np.int64(-1)
    return cuts, stop, line_stop


@njit(cache=True, nogil=True)
def _cell_end(text, position, separator):
    while True:
        found = bytes_equal(text, position, np.uint8(separator)) | bytes_equal(text, position, NEWLINE)
        if found:
            return position + np.int64(trailing_zeros(found))
        position += BLOCK


@njit(cache=True, nogil=True)
def _quoted_end(text, position, size):
    # Of the cell whose quotation mark is before `position`: where it ends, -1 if nowhere; and whether it has doubled ones.
    has_doubled = False
    while position < size:
        found = bytes_equal(text, position, QUOTE)
        if found == 0:
            position += BLOCK
            continue
        position += np.int64(trailing_zeros(found))
        if position >= size:
            break
        if text[position + 1] != QUOTE:
            return position, has_doubled
        has_doubled = True
        position += 2
    return np.int64(-1), has_doubled


@njit(cache=True, nogil=True)
def _split(text, begin, size, separator, is_quoted, starts, ends, doubled):
    """Fill in where the first cells of a line begin and end, int64[n], and whether they have doubled quotation marks, bool[n].
    Returns the number of cells, or NO_LINE or UNCLOSED, and where the line ends."""
    cells = 0
    position = begin
    while True:
        first, has_doubled = position, False
        if is_quoted and text[position] == QUOTE:
            first = position + 1
            last, has_doubled = _quoted_end(text, first, size)
            if last < 0:
                return UNCLOSED, line_end(text, begin)
            position = last + 1
            if text[position] == CARRIAGE_RETURN and text[position + 1] == NEWLINE:
                position += 1
            if text[position] != np.uint8(separator) and text[position] != NEWLINE:
                return NO_LINE, line_end(text, begin)
        else:
            last = position = _cell_end(text, position, separator)
        while first < last and is_space(text[first]):
            first += 1
        while first < last and is_space(text[last - 1]):
            last -= 1
        if cells < len(starts):
            starts[cells], ends[cells], doubled[cells] = first, last, has_doubled
        cells += 1
        if text[position] == NEWLINE:
            return cells, position
        position += 1


@njit(cache=True, nogil=True)
def _split_by_blanks(text, begin, starts, ends):
    # As `_split`, where there are no quotation marks.
    cells = 0
    position = skip_blanks(text, begin)
    while text[position] != NEWLINE:
        end = token_end(text, position)
        if cells < len(starts):
            starts[cells], ends[cells] = position, end
        cells += 1
        position = skip_blanks(text, end)
    return cells, position


@njit(cache=True, nogil=True)
def _is_name(text, begin, end, is_quoted):
    # Something without whitespace; and, in a file without quoted cells, not in quotation marks: whose they are, nobody says.
    if begin == end or (text[begin] == QUOTE and (is_quoted or (text[end - 1] == QUOTE and end - begin > 1))):
        return False
    while begin < end:
        low = bytes_up_to(text, begin, BLANK)
        if low == 0:
            begin += BLOCK
            continue
        begin += np.int64(trailing_zeros(low))
        if begin < end and is_space(text[begin]):
            return False
        begin += 1  # a control character is part of the name
    return True


@njit(cache=True, nogil=True)
def scan_columns(start, size, separator, places, docnos, number, secret):
    """The lines of a text in columns (RunScan): those in which cells are missing, or too many, or no names, are `short`.

    The text is docnos.buffer[start:size]. separator: a byte, or BY_BLANKS, and then there may be comments; places int64[6]:
    the columns of topic, docno, number and tag (-1: none), how many there are, and 1 if cells may be quoted. Fills the other
    arrays of docnos (`docnos.Docnos`), whose hashes are keyed by secret uint64[2], and number float64[...]; they have room for
    all its newlines.
    """
    text = text_of(docnos.buffer)
    docno_start, docno_length, docno_hash = docnos.start, docnos.length, docnos.hash
    capacity = len(number)
    expect_room(start, size, docnos, capacity)
    expect(len(places) == 6)
    of_topic, of_docno, of_number, of_tag, columns = places[0], places[1], places[2], places[3], places[4]
    is_quoted = places[5] == 1
    expect(min(of_topic, of_docno, of_number) >= 0 and max(of_topic, of_docno, of_number, of_tag) < columns)
    starts, ends = np.empty(columns, np.int64), np.empty(columns, np.int64)
    doubled = np.zeros(columns, np.bool_)
    stretch_line, stretch_start = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    stretch_length = np.empty(capacity, np.int32)
    short, slow = np.empty(capacity, np.int64), np.empty((capacity, 3), np.int64)
    escaped = np.empty((2 * capacity, 3), np.int64)
    lines = stretches = shorts = slows = escapes = comments = 0
    first_comment = -1
    topic = topic_end = 0
    tag_start = tag_end = 0
    other_tag = -1
    position = start
    while position < size:
        begin = position
        cuts, stop, position = _plain_cells(text, begin, separator, columns)
        is_plain = position >= 0
        if is_plain:
            cell = begin
            for place in range(columns - 1):
                cut = begin + np.int64(trailing_zeros(cuts))
                cuts &= cuts - uint64(1)
                starts[place], ends[place] = cell, cut
                cell = cut + 1
            starts[columns - 1], ends[columns - 1] = cell, stop
            cells = columns
        elif separator == BY_BLANKS:
            cells, position = _split_by_blanks(text, begin, starts, ends)
            if cells == 0:
                position += 1
                continue
        else:
            cells, position = _split(text, begin, size, separator, is_quoted, starts, ends, doubled)
            if cells == 1 and starts[0] == ends[0]:
                position += 1
                continue
        is_short = cells != columns
        if (
            separator == BY_BLANKS
            and is_hash_marks(text, starts[0], ends[0])
            and (is_short or not begins_number(text[starts[of_number]]))
        ):
            first_comment = begin if comments == 0 else first_comment
            comments += 1
            position += 1
            continue
        expect(lines + shorts < capacity)
        name, name_end = starts[of_topic], ends[of_topic]
        document, document_end = starts[of_docno], ends[of_docno]
        if is_plain:
            is_record = name < name_end and document < document_end
        else:
            is_record = cells == columns and position - begin <= LONGEST
            is_record = is_record and (doubled[of_topic] or _is_name(text, name, name_end, is_quoted))
            is_record = is_record and (doubled[of_docno] or _is_name(text, document, document_end, is_quoted))
        if not is_record:
            short[shorts] = begin
            shorts += 1
            position = size if cells == UNCLOSED else position + 1
            continue
        if of_tag >= 0:
            tag, last = starts[of_tag], ends[of_tag]
            if lines == 0:
                tag_start, tag_end = tag, last
            elif other_tag < 0 and (
                last - tag != tag_end - tag_start or not same_bytes(text, tag, text, tag_start, last - tag)
            ):
                other_tag = begin
        if (
            stretches == 0
            or name_end - name != topic_end - topic
            or not same_bytes(text, name, text, topic, name_end - name)
            or (not is_plain and doubled[of_topic])
        ):
            topic, topic_end = name, name_end
            stretch_line[stretches], stretch_start[stretches] = lines, name
            stretch_length[stretches] = name_end - name
            if not is_plain and doubled[of_topic]:
                escaped[escapes] = -1 - stretches, name, name_end
                escapes += 1
                topic_end = topic  # as it is written it may be another one's name
            stretches += 1
        if not is_plain and doubled[of_docno]:
            escaped[escapes] = lines, document, document_end
            escapes += 1
        docno_start[lines], docno_length[lines] = document, document_end - document
        docno_hash[lines] = table_hash(text, document, document_end, secret)
        first, last = starts[of_number], ends[of_number]
        value, exact = parse_decimal(text, first, last)
        number[lines] = value
        if not exact or first == last:
            slow[slows] = lines, first, last
            slows += 1
        lines += 1
        position += 1
    found = Stretches(stretch_line[:stretches], stretch_start[:stretches], stretch_length[:stretches])
    return RunScan(
        lines, found, short[:shorts], slow[:slows], escaped[:escapes], 0, tag_start, tag_end, other_tag, comments,
        first_comment,
    )  # fmt: skip

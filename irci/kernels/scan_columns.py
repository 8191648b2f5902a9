"""One pass over lines of cells: runs and judgments in csv and tsv, and in columns that blanks separate.

A text as `fields` has it. Quoted cells may hold separators, line ends and, doubled, quotation marks. Blanks around a cell are
no part of it.
"""

import numpy as np

from irci.kernels.decimals import parse_decimal
from irci.kernels.fields import (
    BLANK,
    CARRIAGE_RETURN,
    HASH_MARK,
    LONGEST,
    NEWLINE,
    QUOTE,
    TAB,
    expect_text,
    is_space,
    line_end,
    skip_blanks,
    token_end,
)
from irci.kernels.hashing import table_hash
from irci.kernels.records import (
    WHOLE,
    Comments,
    Tags,
    are_same,
    found_in,
    room_for,
    with_comment,
    with_tag,
)
from irci.kernels.shapes import expect
from irci.kernels.words import BLOCK, bytes_equal, bytes_up_to, one_bits, text_of, trailing_zeros
from irci.native.compiled import njit, uint64

BY_BLANKS = 0  # in place of a separator
NO_LINE, UNCLOSED = -1, -2  # in place of a number of cells


@njit(cache=True, nogil=True)
def _inside(quotes):
    # Bits from an opening quotation mark to before the closing one: of each bit, whether it and those below are odd in number.
    quotes ^= quotes << uint64(1)
    quotes ^= quotes << uint64(2)
    quotes ^= quotes << uint64(4)
    quotes ^= quotes << uint64(8)
    quotes ^= quotes << uint64(16)
    return quotes ^ (quotes << uint64(32))


@njit(cache=True, nogil=True)
def _plain_cells(text, begin, separator, columns, is_quoted):
    """The separators of a plain line, bits from `begin` on, and where its last cell ends and the line; -1 for another line.

    A plain line is one of a block's length at most, with so many cells, no whitespace but separators, and quotation marks only
    around whole cells, if these may be quoted.
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
    last = uint64(1) << uint64(stop - begin)
    if separator == BY_BLANKS:
        cuts = low ^ newline
        strange = cuts ^ ((bytes_equal(text, begin, BLANK) | bytes_equal(text, begin, TAB)) & line)
        strange |= (cuts | last) & (cuts << uint64(1) | uint64(1))  # an empty cell
    else:
        cuts = bytes_equal(text, begin, np.uint8(separator)) & line
        quotes = bytes_equal(text, begin, QUOTE) & line
        strange = quotes
        if quotes and is_quoted:
            inside = _inside(quotes)
            cuts &= ~inside
            opening, closing = quotes & inside, quotes & ~inside
            strange = (
                opening & ~(cuts << uint64(1) | uint64(1)) | closing & ~((cuts | last) >> uint64(1)) | inside & newline
            )
        strange |= (low & ~cuts) ^ newline
    if strange or np.int64(one_bits(cuts)) != columns - 1:
        return none
    return cuts, stop, line_stop


@njit(cache=True, nogil=True, forceinline=True)
def _plain_places(text, begin, stop, cuts, is_quoted, starts, ends):
    # Fill in where the cells of a plain line begin and end, int64[n], as `_split` does.
    cell = begin
    for place in range(len(starts)):
        cut = begin + np.int64(trailing_zeros(cuts)) if cuts else stop
        cuts &= cuts - uint64(1)
        has_quotes = is_quoted and text[cell] == QUOTE
        starts[place], ends[place] = cell + has_quotes, cut - has_quotes
        cell = cut + 1


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
    """The lines of a text in columns (Found): those in which cells are missing, or too many, or no names, are `short`.

    The text is docnos.buffer[start:size]. separator: a byte, or BY_BLANKS, and then there may be comments; places int64[6]:
    the columns of topic, docno, number and tag (-1: none), how many there are, and 1 if cells may be quoted. Fills the other
    arrays of docnos (`docnos.Docnos`), whose hashes are keyed by secret uint64[2], and number float64[...]; they have room for
    all its newlines.
    """
    text, capacity = text_of(docnos.buffer), len(number)
    expect_text(docnos.buffer, start, size)
    expect(len(places) == 6)
    of_topic, of_docno, of_number, of_tag, columns = places[0], places[1], places[2], places[3], places[4]
    is_quoted = places[5] == 1
    expect(min(of_topic, of_docno, of_number) >= 0 and max(of_topic, of_docno, of_number, of_tag) < columns)
    starts, ends = np.empty(columns, np.int64), np.empty(columns, np.int64)
    doubled = np.zeros(columns, np.bool_)
    docno_start, docno_length, docno_hash = docnos.start, docnos.length, docnos.hash
    room = room_for(docnos, number)
    stretch, short, slow, escaped = room.stretch, room.short, room.slow, room.escaped
    tags, comments = Tags(0, 0, -1), Comments(0, -1)
    lines = stretches = shorts = slows = escapes = 0
    topic = topic_end = position = start
    while position < size:
        begin = position
        cuts, stop, position = _plain_cells(text, begin, separator, columns, is_quoted)
        is_plain = position >= 0
        if is_plain:
            cells = columns
            _plain_places(text, begin, stop, cuts, is_quoted, starts, ends)
        elif separator == BY_BLANKS:
            cells, position = _split_by_blanks(text, begin, starts, ends)
        else:
            cells, position = _split(text, begin, size, separator, is_quoted, starts, ends, doubled)
        if cells == 0 or (cells == 1 and starts[0] == ends[0]):
            position += 1
            continue
        is_short = cells != columns
        is_hashed = separator == BY_BLANKS and text[starts[0]] == HASH_MARK
        if is_hashed and (is_short or is_space(text[starts[0] + 1])):
            comments = with_comment(comments, begin)
            position += 1
            continue
        expect(lines + shorts < capacity)
        name, name_end = starts[of_topic], ends[of_topic]
        document, document_end = starts[of_docno], ends[of_docno]
        is_record = not is_short and not is_hashed and name < name_end and document < document_end
        if is_record and not is_plain:
            is_record = position - begin <= LONGEST and (
                separator == BY_BLANKS
                or (
                    (doubled[of_topic] or _is_name(text, name, name_end, is_quoted))
                    and (doubled[of_docno] or _is_name(text, document, document_end, is_quoted))
                )
            )
        if not is_record:
            short[shorts] = starts[0] if is_hashed else begin
            shorts += 1
            position = size if cells == UNCLOSED else position + 1
            continue
        if of_tag >= 0:
            tags = with_tag(text, tags, begin, starts[of_tag], ends[of_tag])
        is_doubled = not is_plain and doubled[of_topic]
        if is_doubled or not are_same(text, name, name_end, topic, topic_end):
            topic, topic_end = name, name_end
            stretch[stretches] = lines, name, name_end - name
            if is_doubled:
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
        number[lines], is_exact = parse_decimal(text, first, last)
        if not is_exact or first == last or abs(number[lines]) >= WHOLE:
            slow[slows] = lines, first, last
            slows += 1
        lines += 1
        position += 1
    return found_in(room, (lines, stretches, shorts, slows, escapes, 0), tags, comments)

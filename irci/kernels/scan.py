"""One pass over the bytes of a run or qrels file: where the fields are, and what the numbers say.

Both scanners take a buffer that ends in a newline and contains no NUL, and skip blank lines and lines whose
first visible byte is `#`. They return one entry a content line, in file order, and list the lines they could
not read; the caller words the messages. Whitespace is C's isspace (blank, tab, CR, VT, FF), as in trec_eval.
"""

import numpy as np
from numba import njit, uint64

NEWLINE = 10
HASH_MARK = 35

# Powers of ten that a double holds exactly; a mantissa below 2^53 times or over one of them rounds once.
EXACT_POWERS = 10.0 ** np.arange(23)
EXACT_MANTISSA = 1 << 53
MAX_DIGITS = 19  # what a 64-bit mantissa holds whatever the digits


@njit(cache=True, nogil=True)
def _is_space(byte):
    return byte <= 32 and (byte == 32 or 9 <= byte <= 13)


@njit(cache=True, nogil=True)
def _skip_blanks(buffer, position):
    while buffer[position] != NEWLINE and _is_space(buffer[position]):
        position += 1
    return position


@njit(cache=True, nogil=True)
def _token_end(buffer, position):
    while not _is_space(buffer[position]):
        position += 1
    return position


@njit(cache=True, nogil=True)
def _line_end(buffer, position):
    while buffer[position] != NEWLINE:
        position += 1
    return position


@njit(cache=True, nogil=True)
def _mix(word):
    """A full-avalanche finaliser (the multipliers and shifts of splitmix64)."""
    word = (word ^ (word >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> uint64(27))) * uint64(0x94D049BB133111EB)
    return word ^ (word >> uint64(31))


@njit(cache=True, nogil=True)
def _hash_token(buffer, position):
    """The 64-bit hash of the token at `position`, and its end.

    The bytes are taken as little-endian 64-bit words, the last padded with zeros; each word is xored into the
    state and mixed, and the number of bytes is mixed in last. Part of the definition of a seeded split.
    """
    state = uint64(0)
    word = uint64(0)
    shift = uint64(0)
    start = position
    while not _is_space(buffer[position]):
        word |= uint64(buffer[position]) << shift
        shift += uint64(8)
        position += 1
        if shift == uint64(64):
            state = _mix(state ^ word)
            word = uint64(0)
            shift = uint64(0)
    return _mix(_mix(state ^ word) + uint64(position - start)), position


@njit(cache=True, nogil=True)
def _same_bytes(buffer, first, second, length):
    for i in range(length):  # noqa: SIM110 (numba compiles the loop, not the generator)
        if buffer[first + i] != buffer[second + i]:
            return False
    return True


@njit(cache=True, nogil=True)
def _parse_integer(buffer, start, end):
    """The decimal integer in buffer[start:end] and whether it is one (at most 18 digits)."""
    position = start
    if buffer[position] == 43 or buffer[position] == 45:  # + or -
        position += 1
    if position == end or end - position > 18:
        return 0, False
    value = 0
    for i in range(position, end):
        digit = np.int64(buffer[i]) - 48
        if digit < 0 or digit > 9:
            return 0, False
        value = 10 * value + digit
    return (-value if buffer[start] == 45 else value), True


@njit(cache=True, nogil=True)
def _parse_decimal(buffer, start, end):
    """The correctly rounded double in buffer[start:end] and whether this fast path could give it.

    With at most 19 digits, a mantissa of at most 2^53 and a power of ten of at most 22 there is a single
    rounding, so the result is float()'s. Everything else, rubbish included, is left to the caller.
    """
    position = start
    negative = buffer[position] == 45
    if negative or buffer[position] == 43:
        position += 1
    mantissa = uint64(0)
    digits = 0  # significant ones: leading zeros are free
    seen = 0
    exponent = 0
    after_point = False
    while position < end:
        byte = buffer[position]
        if 48 <= byte <= 57:
            mantissa = uint64(10) * mantissa + uint64(byte - 48)
            digits += digits > 0 or byte != 48
            seen += 1
            exponent -= after_point
        elif byte == 46 and not after_point:
            after_point = True
        else:
            break
        position += 1
    if seen == 0 or digits > MAX_DIGITS:
        return 0.0, False
    if position < end:
        if (buffer[position] | 32) != 101 or end - position > 6:  # e or E, and a short exponent
            return 0.0, False
        power, is_integer = _parse_integer(buffer, position + 1, end) if position + 1 < end else (0, False)
        if not is_integer:
            return 0.0, False
        exponent += power
    if mantissa > uint64(EXACT_MANTISSA) or exponent < -22 or exponent > 22:
        return 0.0, mantissa == uint64(0)
    value = np.float64(mantissa)
    value = value * EXACT_POWERS[exponent] if exponent >= 0 else value / EXACT_POWERS[-exponent]
    return (-value if negative else value), True


@njit(cache=True, nogil=True)
def count_lines(buffer):
    """The number of newlines in uint8[n] `buffer`."""
    lines = 0
    for i in range(len(buffer)):
        lines += buffer[i] == NEWLINE
    return lines


@njit(cache=True, nogil=True)
def line_number(buffer, position):
    """The number, from 1, of the line that holds `position`."""
    return count_lines(buffer[:position]) + 1


@njit(cache=True, nogil=True)
def scan_run(buffer, start, capacity):
    """The lines of a TREC run: topic, Q0, docno, rank, score, tag.

    `buffer` uint8[n], ending in a newline; `start`, the first byte to read; `capacity`, at least the number of
    newlines from there. Returns, with L content lines and S stretches of lines with one topic:
    docno_start int64[L], docno_length int32[L], docno_hash uint64[L], score float64[L];
    stretch_line int64[S] (the first line's index), stretch_start int64[S], stretch_length int32[S] (the topic's bytes);
    short int64[...]: positions of lines with fewer than six fields; slow int64[..., 3]: (line index, start, end) of scores
    for float() to read; the number of lines with more than six fields; tag_start, tag_end of the first tag, and the
    position of the first line with another tag (-1 if none).
    """
    docno_start = np.empty(capacity, np.int64)
    docno_length = np.empty(capacity, np.int32)
    docno_hash = np.empty(capacity, np.uint64)
    score = np.empty(capacity, np.float64)
    stretch_line = np.empty(capacity, np.int64)
    stretch_start = np.empty(capacity, np.int64)
    stretch_length = np.empty(capacity, np.int32)
    short = np.empty(capacity, np.int64)
    slow = np.empty((capacity, 3), np.int64)
    lines = stretches = shorts = slows = longs = 0
    tag_start = tag_end = 0
    other_tag = -1
    position = start
    size = len(buffer)
    while position < size:
        position = _skip_blanks(buffer, position)
        begin = position
        if buffer[position] == NEWLINE or buffer[position] == HASH_MARK:
            position = _line_end(buffer, position) + 1
            continue
        end = _token_end(buffer, position)
        length = end - begin
        position = _skip_blanks(buffer, end)
        position = _skip_blanks(buffer, _token_end(buffer, position))
        document = position
        key, position = _hash_token(buffer, position)
        document_end = position
        position = _skip_blanks(buffer, position)
        position = _skip_blanks(buffer, _token_end(buffer, position))
        number = position
        number_end = _token_end(buffer, position)
        position = _skip_blanks(buffer, number_end)
        tag = position
        position = _token_end(buffer, position)
        if position == tag:  # the sixth field is empty, and then the line has ended
            short[shorts] = begin
            shorts += 1
            position = _line_end(buffer, position) + 1
            continue
        if tag_end == 0:
            tag_start = tag
            tag_end = position
        elif other_tag < 0 and (
            position - tag != tag_end - tag_start or not _same_bytes(buffer, tag, tag_start, position - tag)
        ):
            other_tag = begin
        if buffer[position] != NEWLINE:
            position = _skip_blanks(buffer, position)
            longs += buffer[position] != NEWLINE
            position = _line_end(buffer, position)
        position += 1
        if (
            stretches == 0
            or length != stretch_length[stretches - 1]
            or not _same_bytes(buffer, begin, stretch_start[stretches - 1], length)
        ):
            stretch_line[stretches] = lines
            stretch_start[stretches] = begin
            stretch_length[stretches] = length
            stretches += 1
        docno_start[lines] = document
        docno_length[lines] = document_end - document
        docno_hash[lines] = key
        value, exact = _parse_decimal(buffer, number, number_end)
        score[lines] = value
        if not exact:
            slow[slows, 0] = lines
            slow[slows, 1] = number
            slow[slows, 2] = number_end
            slows += 1
        lines += 1
    return (
        docno_start[:lines],
        docno_length[:lines],
        docno_hash[:lines],
        score[:lines],
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
def scan_qrels(buffer, start, capacity):
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
    position = start
    size = len(buffer)
    while position < size:
        position = _skip_blanks(buffer, position)
        begin = position
        if buffer[position] == NEWLINE or buffer[position] == HASH_MARK:
            position = _line_end(buffer, position) + 1
            continue
        end = _token_end(buffer, position)
        length = end - begin
        document = _skip_blanks(buffer, end)
        document = _skip_blanks(buffer, _token_end(buffer, document))
        key, document_end = _hash_token(buffer, document)
        number = _skip_blanks(buffer, document_end)
        number_end = _token_end(buffer, number)
        after = _skip_blanks(buffer, number_end)
        position = _line_end(buffer, after) + 1
        if number_end == number or buffer[after] != NEWLINE:
            wrong[wrongs] = begin
            wrongs += 1
            continue
        if (
            stretches == 0
            or length != stretch_length[stretches - 1]
            or not _same_bytes(buffer, begin, stretch_start[stretches - 1], length)
        ):
            stretch_line[stretches] = lines
            stretch_start[stretches] = begin
            stretch_length[stretches] = length
            stretches += 1
        docno_start[lines] = document
        docno_length[lines] = document_end - document
        docno_hash[lines] = key
        value, is_integer = _parse_integer(buffer, number, number_end)
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

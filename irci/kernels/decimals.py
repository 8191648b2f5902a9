"""Integers and correctly rounded doubles from decimal text; what is out of the ordinary is left to the caller."""

import numpy as np

from irci.kernels.words import double_of_text, multiply_add
from irci.native.compiled import njit, uint64

MINUS, PLUS, POINT, LOWER_E = 45, 43, 46, 101

# Powers of ten that a double holds exactly; a mantissa below 2^53 times or over one of them rounds once (Clinger 1990).
EXACT_POWERS = np.array([float(f"1e{i}") for i in range(23)])
EXACT_MANTISSA = 1 << 53
MOST_DIGITS = 19  # what a 64-bit mantissa holds whatever the digits
UPPER = np.uint64(2**64 - 2**11)  # bits that a double holds of any mantissa


@njit(error_model="numpy")
def parse_integer(text, start, end):
    """The decimal integer in text[start:end] and whether it is one (at most 18 digits)."""
    position = start
    if text[position] == PLUS or text[position] == MINUS:
        position += 1
    if position == end or end - position > 18:
        return 0, False
    value = 0
    for i in range(position, end):
        digit = np.int64(text[i]) - 48
        if digit < 0 or digit > 9:
            return 0, False
        value = 10 * value + digit
    return (-value if text[start] == MINUS else value), True


@njit(error_model="numpy")
def _nearest(mantissa, exponent):
    """mantissa * 10^exponent, for a mantissa above 2^53, and whether it is rounded as it should be.

    A sum of two doubles has twice their digits (T. J. Dekker, Numerische Mathematik 18, 1971): it is, unless what is left of
    that sum is next to half a unit.
    """
    head, tail = np.float64(mantissa & UPPER), np.float64(mantissa & ~UPPER)
    power = EXACT_POWERS[abs(exponent)]
    if exponent < 0:
        first = head / power
        rest = (multiply_add(-first, power, head) + tail) / power
    else:
        first = head * power
        rest = multiply_add(head, power, -first) + tail * power
    value = first + rest
    return value, value + (rest - (value - first)) * (1 + 1e-9) == value


@njit(error_model="numpy")
def parse_decimal(text, start, end):
    """The double in text[start:end], rounded as float() does, and whether it could be told here.

    Numbers written with digits, a point and an exponent; those that take more than one rounding are C's to read.
    """
    position = start
    negative = text[position] == MINUS
    if negative or text[position] == PLUS:
        position += 1
    mantissa = uint64(0)
    digits = 0  # significant ones: leading zeros are free
    seen = 0
    exponent = 0
    after_point = False
    while position < end:
        byte = text[position]
        if 48 <= byte <= 57:
            seen += 1
            mantissa = uint64(10) * mantissa + uint64(byte - 48)
            digits += digits > 0 or byte != 48
            exponent -= after_point
        elif byte == POINT and not after_point:
            after_point = True
        else:
            break
        position += 1
    if seen == 0:
        return 0.0, False
    if position < end:
        if (text[position] | 32) != LOWER_E or position + 1 == end or end - position > 6:
            return 0.0, False
        power, is_integer = parse_integer(text, position + 1, end)
        if not is_integer:
            return 0.0, False
        exponent += power
    value = 0.0
    is_near = digits <= MOST_DIGITS and -22 <= exponent <= 22
    if is_near and mantissa <= uint64(EXACT_MANTISSA):
        value = np.float64(mantissa)
        value = value * EXACT_POWERS[exponent] if exponent >= 0 else value / EXACT_POWERS[-exponent]
    else:
        value, is_sure = _nearest(mantissa, exponent) if is_near else (0.0, False)
        if not is_sure:
            value = abs(double_of_text(text, start, end))
    return (-value if negative else value), value == value

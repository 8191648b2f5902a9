"""Integers and correctly rounded doubles from decimal text; what is out of the ordinary is left to the caller."""

import numpy as np

from irci.kernels.words import double_of_bits, leading_zeros, multiply_high
from irci.native.compiled import njit, uint64

MINUS, PLUS, POINT, LOWER_E = 45, 43, 46, 101

# Powers of ten that a double holds exactly; a mantissa below 2^53 times or over one of them rounds once (Clinger 1990).
EXACT_POWERS = np.array([float(f"1e{i}") for i in range(23)])
EXACT_MANTISSA = 1 << 53
MOST_DIGITS = 19  # what a 64-bit mantissa holds whatever the digits

# Beyond these, the upper 128 bits of 5^q, normalised, those of 5^-27 to 5^-1 rounded up: then a product that is exact, as in
# 12.5000000000000000, shows it (Lemire 2021).
LARGEST_POWER = 65


def _upper_bits_of_power(q: int) -> int:
    power: int = 5 ** abs(q)
    if q >= 0:
        return power << 128 >> power.bit_length()
    return (1 << 127 + power.bit_length()) // power + (q >= -27)


_POWERS = [_upper_bits_of_power(q) for q in range(-LARGEST_POWER, LARGEST_POWER + 1)]
POWERS_HIGH = np.array([power >> 64 for power in _POWERS], np.uint64)
POWERS_LOW = np.array([power & ((1 << 64) - 1) for power in _POWERS], np.uint64)


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
def _nearest_double(mantissa, q):
    """mantissa * 10^q correctly rounded, for a mantissa above 0, and whether this could be done.

    D. Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51, 2021, section 5.
    """
    if q < -LARGEST_POWER or q > LARGEST_POWER:
        return 0.0, False
    zeros = leading_zeros(mantissa)
    normalised = mantissa << zeros
    high_power = POWERS_HIGH[q + LARGEST_POWER]
    high = multiply_high(normalised, high_power)
    low = normalised * high_power
    if high & uint64(0x1FF) == uint64(0x1FF):  # too close to tell without the lower half of the power
        carried = multiply_high(normalised, POWERS_LOW[q + LARGEST_POWER])
        low += carried
        high += uint64(low < carried)
    if low == uint64(0xFFFFFFFFFFFFFFFF):
        return 0.0, False
    upper = high >> uint64(63)
    shift = upper + uint64(9)
    digits = high >> shift
    exponent = ((217706 * q) >> 16) + 63 + 1023 + np.int64(upper) - np.int64(zeros)
    if low <= uint64(1) and -4 <= q <= 23 and digits & uint64(3) == uint64(1) and digits << shift == high:
        digits &= ~uint64(1)  # exactly half way: to even
    digits = (digits + (digits & uint64(1))) >> uint64(1)
    if digits >> uint64(53):
        digits >>= uint64(1)
        exponent += 1
    return double_of_bits((digits & uint64(0xFFFFFFFFFFFFF)) | (uint64(exponent) << uint64(52))), True


@njit(error_model="numpy")
def parse_decimal(text, start, end):
    """The double in text[start:end], rounded as float() does, and whether it could be told here.

    Numbers written with digits, a point and an exponent, unless their value is extreme or so close to half way between two
    doubles that it takes more than 19 digits to tell.
    """
    position = start
    negative = text[position] == MINUS
    if negative or text[position] == PLUS:
        position += 1
    mantissa = uint64(0)
    digits = 0  # significant ones: leading zeros are free
    dropped = False
    seen = 0
    exponent = 0
    after_point = False
    while position < end:
        byte = text[position]
        if 48 <= byte <= 57:
            seen += 1
            if digits < MOST_DIGITS:
                mantissa = uint64(10) * mantissa + uint64(byte - 48)
                digits += digits > 0 or byte != 48
                exponent -= after_point
            else:
                dropped |= byte != 48
                exponent += not after_point
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
    if mantissa == uint64(0):
        return 0.0, True
    if mantissa <= uint64(EXACT_MANTISSA) and -22 <= exponent <= 22 and not dropped:
        value = np.float64(mantissa)
        value = value * EXACT_POWERS[exponent] if exponent >= 0 else value / EXACT_POWERS[-exponent]
        return (-value if negative else value), True
    value, is_known = _nearest_double(mantissa, exponent)
    if dropped and is_known:  # the truth lies between this mantissa and the next
        above, is_known = _nearest_double(mantissa + uint64(1), exponent)
        is_known = is_known and above == value
    return (-value if negative else value), is_known

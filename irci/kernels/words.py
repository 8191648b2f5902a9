"""Text many bytes at a time: instructions that numba lacks (unaligned loads, a few machine instructions); fields and lines.

A text ends in a newline, contains no NUL and is followed by PADDING bytes. Whitespace is C's isspace (blank, tab, CR, VT, FF),
as in trec_eval.
"""

import math
import sys

import numpy as np

from irci.native.compiled import intrinsic, ir, njit, types, uint64

if sys.byteorder != "little":
    raise ImportError("irci takes bytes for words as little-endian machines do")

BLOCK = 64  # bytes that are compared at a time, a bit of a word for each
PADDING = BLOCK  # bytes that must follow the last one of interest: words and blocks are loaded whole


@intrinsic
def text_of(typing_context, buffer):
    """The address of the bytes of uint8 array `buffer`, which must outlive it: text[i] is a byte.

    Helpers take this for an array: it is one word to hand over, and nobody counts references to it.
    """

    def generate(context, builder, signature, arguments):
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(types.uint8)(buffer), generate


@intrinsic
def load_word(typing_context, text, position):
    """The eight bytes of a text from `position` on, the first lowest (on a little-endian machine)."""

    def generate(context, builder, signature, arguments):
        address = builder.bitcast(builder.gep(arguments[0], [arguments[1]]), ir.IntType(64).as_pointer())
        return builder.load(address, align=1)

    return types.uint64(text, types.int64), generate


def _compared_bytes(comparison):
    def generate(context, builder, signature, arguments):
        block = ir.VectorType(ir.IntType(8), BLOCK)
        address = builder.bitcast(builder.gep(arguments[0], [arguments[1]]), block.as_pointer())
        first = builder.insert_element(ir.Constant(block, ir.Undefined), arguments[2], ir.IntType(32)(0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), BLOCK), [0] * BLOCK)
        wanted = builder.shuffle_vector(first, ir.Constant(block, ir.Undefined), everywhere)
        matches = builder.icmp_unsigned(comparison, builder.load(address, align=1), wanted)
        return builder.bitcast(matches, ir.IntType(64))

    return generate


@intrinsic
def bytes_equal(typing_context, text, position, byte):
    """A bit for each of the 64 bytes of a text from `position` on, the first lowest, set where it is `byte`."""
    return types.uint64(text, types.int64, types.uint8), _compared_bytes("==")


@intrinsic
def bytes_up_to(typing_context, text, position, byte):
    """A bit for each of the 64 bytes of a text from `position` on, the first lowest, set where it is at most `byte`."""
    return types.uint64(text, types.int64, types.uint8), _compared_bytes("<=")


def _of_word(make):
    def generate(context, builder, signature, arguments):
        return make(builder, arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def one_bits(typing_context, word):
    """The number of one bits."""
    return _of_word(lambda builder, word: builder.ctpop(word))


@njit(forceinline=True)
def same_bytes(text, position, other_text, other, length):
    """True if the `length` bytes of a text from `position` on are those of another from `other` on."""
    while length >= 8:
        if load_word(text, position) != load_word(other_text, other):
            return False
        position += 8
        other += 8
        length -= 8
    difference = load_word(text, position) ^ load_word(other_text, other)
    return difference & ((uint64(1) << uint64(8 * length)) - uint64(1)) == uint64(0)


@intrinsic
def trailing_zeros(typing_context, word):
    """The number of zero bits below the lowest one bit; 64 for 0."""
    return _of_word(lambda builder, word: builder.cttz(word, ir.IntType(1)(0)))


@intrinsic
def reverse_bytes(typing_context, word):
    """The word with its first byte last."""
    return _of_word(lambda builder, word: builder.bswap(word))


@intrinsic
def multiply_high(typing_context, first, second):
    """The upper 64 bits of the 128-bit product."""

    def generate(context, builder, signature, arguments):
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
        return builder.trunc(builder.lshr(product, wide(64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def multiply_add(typing_context, first, second, third):
    """first * second + third, of doubles, rounded once."""

    def generate(context, builder, signature, arguments):
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


@intrinsic
def double_of_text(typing_context, text, start, end):
    """The double that C's strtod reads in a text from `start` on; nan unless it ends at `end`, as with a decimal comma."""

    def generate(context, builder, signature, arguments):
        pointer, module = ir.IntType(8).as_pointer(), builder.module
        first, last = (builder.gep(arguments[0], [position]) for position in arguments[1:])
        kind = ir.FunctionType(ir.DoubleType(), [pointer, pointer.as_pointer()])
        with builder.goto_entry_block():
            stop = builder.alloca(pointer)
        value = builder.call(module.globals.get("strtod") or ir.Function(module, kind, "strtod"), [first, stop])
        is_whole = builder.icmp_unsigned("==", builder.load(stop), last)
        return builder.select(is_whole, value, ir.Constant(ir.DoubleType(), math.nan))

    return types.float64(text, types.int64, types.int64), generate


TAB, NEWLINE, CARRIAGE_RETURN, BLANK, QUOTE, HASH_MARK = 9, 10, 13, 32, 34, 35
LONGEST = 2**31 - 1  # bytes of a line, up to its tag


@njit
def is_space(byte):
    """True of a byte that is whitespace."""
    return byte <= BLANK and (byte == BLANK or TAB <= byte <= CARRIAGE_RETURN)


@njit
def token_end(text, position):
    """The next place that is whitespace."""
    while True:
        low = bytes_up_to(text, position, BLANK)
        if low == uint64(0):
            position += BLOCK
            continue
        position += np.int64(trailing_zeros(low))
        if is_space(text[position]):
            return position
        position += 1  # a control character is part of the token

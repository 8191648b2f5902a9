"""What numba lacks for reading text eight bytes at a time: unaligned loads and a few machine instructions."""

import sys

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

if sys.byteorder != "little":
    raise ImportError("irci takes bytes for words as little-endian machines do")

WORD = ir.IntType(64)
PADDING = 16  # bytes that must follow the last one of interest: words are loaded whole


@intrinsic
def load_word(typing_context, buffer, position):
    """The eight bytes of uint8 array `buffer` from `position` on, the first lowest (on a little-endian machine)."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.bitcast(builder.gep(array.data, [arguments[1]]), WORD.as_pointer())
        return builder.load(address, align=1)

    return types.uint64(buffer, types.int64), generate


@intrinsic
def trailing_zeros(typing_context, word):
    """The number of zero bits below the lowest one bit; 64 for 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.uint64(types.uint64), generate


@intrinsic
def leading_zeros(typing_context, word):
    """The number of zero bits above the highest one bit; 64 for 0."""

    def generate(context, builder, signature, arguments):
        return builder.ctlz(arguments[0], ir.IntType(1)(0))

    return types.uint64(types.uint64), generate


@intrinsic
def reverse_bytes(typing_context, word):
    """The word with its first byte last."""

    def generate(context, builder, signature, arguments):
        return builder.bswap(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def multiply_high(typing_context, first, second):
    """The upper 64 bits of the 128-bit product."""

    def generate(context, builder, signature, arguments):
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
        return builder.trunc(builder.lshr(product, wide(64)), WORD)

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def double_of_bits(typing_context, word):
    """The double whose IEEE 754 representation the word is."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), generate

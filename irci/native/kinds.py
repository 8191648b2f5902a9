"""Kinds of arguments: what numba tells compiled code of one function apart by, of values and of its types.

A kind is a string for a number, a tuple for an array (element, dimensions, layout, whether it may be written) and a tuple for
a tuple (class, fields, kinds of what is in it). What is of no kind here is left to numba.
"""

import numpy as np

NUMBERS = {bool: "|b1", int: "<i8", float: "<f8"}


def kinds_of(values):
    """The kinds of values, or None if one is of none."""
    kinds = tuple(map(_kind_of, values))
    return None if None in kinds else kinds


def _kind_of(value):
    kind = type(value)
    if kind is np.ndarray:
        flags, dtype = value.flags, value.dtype
        if dtype.kind not in "biuf" or not dtype.isnative or dtype.itemsize > 8 or not flags.aligned:
            return None
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return dtype.str, value.ndim, layout, flags.writeable
    if kind in NUMBERS:
        return None if kind is int and not -(2**63) <= value < 2**63 else NUMBERS[kind]
    if isinstance(value, np.generic) and value.dtype.kind in "biuf" and value.dtype.itemsize <= 8:
        return value.dtype.str
    if isinstance(value, tuple):
        kinds = kinds_of(value)
        return None if kinds is None else (class_name(kind), getattr(kind, "_fields", ()), kinds)
    return None


def class_name(kind):
    """A class by its module and name."""
    return f"{kind.__module__}.{kind.__qualname__}"


def kinds_of_types(types):
    """The kinds of values of numba's types, or None if one is of none."""
    kinds = tuple(map(_kind_of_type, types))
    return None if None in kinds else kinds


def _kind_of_type(kind):
    from numba import types
    from numba.np.numpy_support import as_dtype

    if type(kind) is types.Array and kind.aligned and isinstance(kind.dtype, (types.Number, types.Boolean)):
        return as_dtype(kind.dtype).str, kind.ndim, kind.layout, kind.mutable
    if type(kind) in (types.Integer, types.Float, types.Boolean):
        return as_dtype(kind).str
    if isinstance(kind, types.BaseTuple):
        kinds = kinds_of_types(kind.types)
        name = class_name(getattr(kind, "instance_class", tuple))
        return None if kinds is None else (name, tuple(getattr(kind, "fields", ())), kinds)
    return None

"""Kinds of arguments: what compiled code of one function is told apart by in a library.

A kind is a string for a number, a tuple for an array (element, dimensions, layout, whether it may be written) and a tuple for
a tuple (class, fields, kinds of what is in it). What is of no kind here is left to numba.
"""

import numpy as np

NUMBERS = {bool: "|b1", int: "<i8", float: "<f8"}


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


def kinds_of(values):
    """The kinds of values, or None if one is of none."""
    kinds = tuple(map(_kind_of, values))
    return None if None in kinds else kinds

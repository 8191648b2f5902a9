"""A library of all kernels, compiled before, which needs neither numba nor llvmlite: a wheel's, or one of `irci compile`.

A wheel has it in the folder `ready`, one for each level of processors; a clone may have one among what is kept (`kept`).
Beside it lies `index`, by marshal: of which sources and for which Python it is, and of each kernel and kinds of its arguments
where it is. A library is an extension module of CPython's (`wheels/kernels.c`). Nothing that is wrong with one costs more than
time, if numba is there to compile.

A kind of arguments is a string for a number, a tuple for an array (element, dimensions, layout, whether it may be written) and
a tuple for a tuple (class, fields, kinds of what is in it). What is of no kind here is left to numba.
"""

import marshal
import os
import pickle
import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec

import numpy as np

from irci.base import UsageError
from irci.native import kept

FOLDER = os.path.join(kept.NATIVE, "ready")
INDEX = "index"
LEVELS = ("x86-64-v3", "x86-64")  # best first; the libraries are named after them
CHOICE = "IRCI_KERNELS"  # which kernels to take: of one level only, or none of a library
NONE = "kept"
NUMBERS = {bool: "|b1", int: "<i8", float: "<f8"}
problems: list[str] = []  # why libraries that there are are not used


def key():
    """The hash of what libraries depend on: kernels' sources, the version, the kind of Python."""
    return kept.key_of(sys.implementation.cache_tag, sys.abiflags)


def find():
    """The library that came with irci or that the user has made, or None; UsageError of a choice that is none."""
    choice = os.environ.get(CHOICE, "")
    if choice not in ("", NONE, *LEVELS):
        raise UsageError(f"{CHOICE}={choice}: give it as {', '.join((*LEVELS, NONE))}, or leave it unset")
    problems.clear()
    if choice == NONE:
        return None
    levels = (choice,) if choice else LEVELS
    try:
        if os.path.isdir(FOLDER):  # as much trusted as the sources that it lies among
            return Library(FOLDER, levels, (os.stat(kept.NATIVE), os.stat(__file__)))
    except Exception as error:  # whatever is wrong in it
        problems.append(str(error))
    try:
        if os.path.lexists(os.path.join(folder := kept.folder(key()), INDEX)):
            return Library(folder, levels)
    except Exception as error:
        problems.append(str(error))
    return None


class Library:
    """The kernels of a folder, of the first of these levels that the processor has; an error if there is none."""

    def __init__(self, folder, levels, likes=(None, None)):
        self.folder = folder
        index = marshal.loads(kept.read(folder, INDEX, likes))
        if index["key"] != key():
            raise ImportError("ready kernels are of other sources or for another Python")
        self.entries = index["entries"]
        self.classes = {}
        self.module = _module(folder, levels, likes)
        self.module.begin(self._unpickled)

    def link(self, function, kinds):
        """The compiled function for arguments of these kinds, or None."""
        entry = self.entries.get((function.__module__, function.__qualname__, kinds))
        if entry is None:
            return None
        for digest, (module, name) in entry["classes"].items():
            self.classes[digest] = getattr(sys.modules[module], name)
        environments = {number: list(map(np.dtype, names)) for number, names in entry["environments"].items()}
        return self.module.make(
            sys.modules[function.__module__], function.__name__, function.__doc__ or "", function.__globals__,
            entry["entry"], environments, entry["own"],
        )  # fmt: skip

    def _unpickled(self, data, digest):
        """The class whose pickle has this hash; an error that a kernel raises, which is in the library, from its pickle."""
        return self.classes[digest] if digest in self.classes else pickle.loads(data)


def _module(folder, levels, likes):
    reasons = []
    for level in levels:
        try:
            with kept.opened_in(folder, f"{level}.so", likes) as descriptor:
                path = f"/proc/self/fd/{descriptor}"  # what was looked at, whatever has its name since
                loader = ExtensionFileLoader("ready", path)
                return loader.create_module(ModuleSpec("ready", loader, origin=path))
        except (ImportError, OSError) as error:
            reasons.append(str(error))
    raise ImportError("; ".join(reasons))


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
    if isinstance(value, tuple) and (kinds := kinds_of(value)) is not None:
        return f"{kind.__module__}.{kind.__qualname__}", getattr(kind, "_fields", ()), kinds
    return None

"""Kernels that were compiled before irci was installed, in shared libraries which need neither numba nor llvmlite: a wheel's.

The folder `ready`, which `make wheel` makes and a clone does not have, holds one library for each level of processors and
`index`, by marshal: of which sources and for which Python they are, and of each kernel and kinds of its arguments where it is.
A library is an extension module of CPython's (`wheels/kernels.c`). It is trusted as far as the sources beside it are: used
unless somebody may write to it who may not write to these. Nothing that is wrong with it costs more than time, if numba is
there to compile.
"""

import marshal
import os
import pickle
import stat
import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec

import numpy as np

from irci import __version__
from irci.base.errors import UsageError
from irci.native.sources import LOADER, digest_of
from irci.system import process

FOLDER = os.path.join(LOADER, "ready")
INDEX = "index"
LEVELS = ("x86-64-v3", "x86-64")  # best first; the libraries are named after them
# Which kernels to take: of one level only, or none of these.
CHOICE = "IRCI_KERNELS"
KEPT = "kept"


def key():
    """The hash of what libraries depend on: kernels' sources, the version, the kind of Python."""
    return digest_of(__version__, sys.implementation.cache_tag, sys.abiflags)


def library():
    """The kernels that came with irci, or None without any that may be used; UsageError of a choice that is none."""
    chosen = os.environ.get(CHOICE) or None
    if chosen not in (None, KEPT, *LEVELS):
        raise UsageError(f"{CHOICE}={chosen}: give it as {', '.join((*LEVELS, KEPT))}, or leave it unset")
    if chosen == KEPT or not os.path.isdir(FOLDER):
        return None
    try:
        return Library((chosen,) if chosen else LEVELS)
    except Exception as error:  # whatever is wrong in it
        global problem
        problem = str(error)
        return None


# Why kernels that came with irci are not used.
problem = ""


class Library:
    """The functions of the library for the best of these levels that the processor has; an error if there is none."""

    def __init__(self, levels):
        self.entries = self._entries()
        self.classes = {}
        self.module = self._loaded(levels)
        self.module.begin(self._unpickled)

    def link(self, function, kinds):
        """The function for arguments of these kinds, or None."""
        entry = self.entries.get((function.__module__, function.__qualname__, kinds))
        if entry is None:
            return None
        for digest, (module, name) in entry["classes"].items():
            self.classes[digest] = getattr(sys.modules[module], name)
        environments = {place: list(map(np.dtype, each)) for place, each in entry["environments"].items()}
        return self.module.make(
            sys.modules[function.__module__], function.__name__, function.__doc__ or "", function.__globals__,
            entry["entry"], environments, entry["own"],
        )  # fmt: skip

    def _entries(self):
        expect_safe(FOLDER, LOADER)
        with open(_safe(INDEX), "rb") as file:
            found = marshal.loads(file.read())
        if found["key"] != key():
            raise ImportError("ready kernels are of other sources or for another Python")
        return found["entries"]

    def _loaded(self, levels):
        problems = []
        for level in levels:
            try:
                path = _safe(f"{level}.so")
                loader = ExtensionFileLoader("ready", path)
                return loader.create_module(ModuleSpec("ready", loader, origin=path))
            except (ImportError, OSError) as error:
                problems.append(str(error))
        raise ImportError("; ".join(problems))

    def _unpickled(self, data, digest):
        """The class whose pickle has this hash; an error that a kernel raises, which is in the library, from its pickle."""
        found = self.classes.get(digest)
        return pickle.loads(data) if found is None else found


def _safe(name):
    path = os.path.join(FOLDER, name)
    expect_safe(path, __file__)
    return path


def expect_safe(path, source):
    """Raise PermissionError if somebody may write to a file (or folder) who may not write to the source (or its folder)."""
    found, trusted = os.stat(path), os.stat(source)
    is_of_others = found.st_uid not in (0, process.user(), trusted.st_uid)
    if is_of_others or found.st_mode & ~trusted.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{path}: others may write to it than to {source}")

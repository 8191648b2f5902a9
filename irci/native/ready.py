"""A library of all kernels, compiled before, which needs neither numba nor llvmlite: a wheel's, or one of `irci compile`.

A wheel has it in the folder `ready`, one for each level of processors; a clone may have one among what is kept (`kept`).
Beside it lies `index`, by marshal: of which sources and for which Python it is, and of each kernel and kinds of its arguments
where it is. A library is an extension module of CPython's (`wheels/kernels.c`). A wheel's is trusted as far as the sources
beside it are: used unless somebody may write to it who may not write to these. Nothing that is wrong with one costs more than
time, if numba is there to compile.
"""

import marshal
import os
import pickle
import stat
import sys
from contextlib import contextmanager
from importlib.machinery import ExtensionFileLoader, ModuleSpec

import numpy as np

from irci import __version__
from irci.base.errors import UsageError
from irci.native import kept
from irci.system import process

FOLDER = os.path.join(kept.LOADER, "ready")
INDEX = "index"
LEVELS = ("x86-64-v3", "x86-64")  # best first; the libraries are named after them
# Which kernels to take: of one level only, or none of a library.
CHOICE = "IRCI_KERNELS"
KEPT = "kept"
# Why libraries that there are are not used.
problems: list[str] = []


def key():
    """The hash of what libraries depend on: kernels' sources, the version, the kind of Python."""
    return kept.digest_of(__version__, sys.implementation.cache_tag, sys.abiflags)


def library():
    """The kernels that came with irci or were compiled ahead, or None without any that may be used; UsageError of a choice
    that is none."""
    chosen = os.environ.get(CHOICE) or None
    if chosen not in (None, KEPT, *LEVELS):
        raise UsageError(f"{CHOICE}={chosen}: give it as {', '.join((*LEVELS, KEPT))}, or leave it unset")
    problems.clear()
    for folder, opened in () if chosen == KEPT else ((FOLDER, _of_wheel), (_folder_of_user(), _of_user)):
        try:
            # A user's folder keeps single kernels too, before there is a library.
            if os.path.isdir(folder) if opened is _of_wheel else os.path.lexists(os.path.join(folder, INDEX)):
                return Library(folder, opened, (chosen,) if chosen else LEVELS)
        except Exception as error:  # whatever is wrong in it
            problems.append(str(error))
    return None


class Library:
    """The functions of the library for the best of these levels that the processor has; an error if there is none.
    `opened`: gives the path of what may be used, by its name."""

    def __init__(self, folder, opened, levels):
        self.folder = folder
        with opened(INDEX) as path, open(path, "rb") as file:
            found = marshal.loads(file.read())
        if found["key"] != key():
            raise ImportError("ready kernels are of other sources or for another Python")
        self.entries = found["entries"]
        self.classes = {}
        self.module = _loaded(opened, levels)
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

    def _unpickled(self, data, digest):
        """The class whose pickle has this hash; an error that a kernel raises, which is in the library, from its pickle."""
        found = self.classes.get(digest)
        return pickle.loads(data) if found is None else found


def _loaded(opened, levels):
    wrong = []
    for level in levels:
        try:
            with opened(f"{level}.so") as path:
                loader = ExtensionFileLoader("ready", path)
                return loader.create_module(ModuleSpec("ready", loader, origin=path))
        except (ImportError, OSError) as error:
            wrong.append(str(error))
    raise ImportError("; ".join(wrong))


@contextmanager
def _of_wheel(name):
    path = os.path.join(FOLDER, name)
    expect_safe(FOLDER, kept.LOADER)
    expect_safe(path, __file__)
    yield path


@contextmanager
def _of_user(name):
    with kept.opened(_folder_of_user(), stat.S_ISDIR) as at, kept.opened(name, at=at) as descriptor:
        yield f"/proc/self/fd/{descriptor}"  # what was looked at, whatever has been put in its place since


def _folder_of_user():
    try:
        return kept.folder(key())
    except OSError:  # no home, no sources
        return ""


def expect_safe(path, source):
    """Raise PermissionError if somebody may write to a file (or folder) who may not write to the source (or its folder)."""
    found, trusted = os.stat(path), os.stat(source)
    is_of_others = found.st_uid not in (0, process.user(), trusted.st_uid)
    if is_of_others or found.st_mode & ~trusted.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{path}: others may write to it than to {source}")

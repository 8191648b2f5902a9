"""Machine code of kernels: the decorator that they are made with, which asks the library that there is for a kernel, else
numba (`jit`), loaded only then; and the folders in which either is kept. Kernels call each other: to numba a kernel is
its own function, by the attribute `_numba_type_` that it looks for.

A library needs neither numba nor llvmlite. A wheel has one for each level of processors in the folder `ready`; a clone may
have one, of `irci compile`, among what is kept. It is an extension module of CPython's (`wheels/kernels.c`). Beside it lies
`index`, by marshal: of which sources and for which Python it is, and where each kernel is, by kinds of arguments. Nothing
that is wrong with one costs more than time, if numba is there to compile.

A kind of arguments is a string for a number, a tuple for an array (element, dimensions, layout, whether it may be written)
and a tuple for a tuple (class, fields, kinds of what is in it). What is of no kind here is left to numba.

What came along is trusted as the sources that it lies among are. What is kept is executed: so its folder, which is named by
the hash of what went into it, and each file are used only if they belong to the user, or to root, and nobody else can write
to them. Folders above are not looked at: what is opened is looked at itself, and files are opened in it.
"""

import errno
import marshal
import os
import pickle
import stat
import sys
import threading
import warnings
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.machinery import ExtensionFileLoader, ModuleSpec

import numpy as np
from numpy import uint32, uint64

from irci import __version__
from irci.base import UsageError, logger

# Folders.

NATIVE = os.path.dirname(__file__)
SOURCES = (os.path.join(os.path.dirname(NATIVE), "kernels"), NATIVE)
PREFIX = "irci-kernels-"
LATEST = 20  # folders that lie beside each other: of other settings and versions, of sources that are being edited


def key_of(*versions: str) -> str:
    """The hash of the sources of kernels, of what makes machine code of them, and of versions: 32 hex digits."""
    content = blake2b(repr((__version__, versions)).encode(), digest_size=16)
    for folder in SOURCES:
        for name in sorted(name for name in os.listdir(folder) if name.endswith(".py")):
            with open(os.path.join(folder, name), "rb", buffering=0) as file:
                source = file.readall()
            content.update(f"\n{name} {len(source)}\n".encode() + source)
    return content.hexdigest()


def folder_of(key: str) -> str:
    """The folder of what this key names, in NUMBA_CACHE_DIR or the user's cache; OSError for whoever has no home."""
    if cache := os.environ.get("NUMBA_CACHE_DIR"):
        return os.path.join(os.path.abspath(cache), f"{PREFIX}{key}")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(cache):
        raise FileNotFoundError(errno.ENOENT, "there is no home")
    return os.path.join(cache, "irci", f"{PREFIX}{key}")


@contextmanager
def opened(name, at=None):
    """The descriptor of a folder, or of a file in one that is open; OSError unless it is trusted. Waits for no pipe.

    It belongs to the user or root, nobody else may write to it, and it is no link.
    """
    if not hasattr(os, "geteuid"):  # Windows
        raise OSError(errno.ENOTSUP, "this system does not tell whose a file is")
    kind = os.O_DIRECTORY if at is None else os.O_NONBLOCK
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | kind, dir_fd=at)
    try:
        status = os.fstat(descriptor)
        if at is not None and not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no file", name)
        if status.st_uid not in (0, os.geteuid()) or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError(errno.EPERM, "others can write to it", name)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def opened_in(folder, name):
    """The descriptor of a file of a folder, both opened and trusted, as all is that came along."""
    if folder == FOLDER:
        with open(os.path.join(folder, name), "rb") as file:
            yield file.fileno()
    else:
        with opened(folder) as at, opened(name, at) as descriptor:
            yield descriptor


def read_kept(folder, name):
    """What a file of a folder holds; OSError unless both are trusted."""
    with opened_in(folder, name) as descriptor, open(descriptor, "rb", closefd=False) as file:
        return file.read()


def write_kept(key: str, name: str, content: bytes) -> None:
    """Make or replace a file as a whole; OSError if it cannot be."""
    if not os.path.lexists(folder_of(key)):
        os.makedirs(folder_of(key), 0o700, exist_ok=True)
        with suppress(OSError):  # another process may do the same
            _make_room(os.path.dirname(folder_of(key)))
    with opened(folder_of(key)) as at:
        unfinished = f"{name}.{os.urandom(8).hex()}.tmp"
        try:
            with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=at), "wb") as file:
                file.write(content)
            os.replace(unfinished, name, src_dir_fd=at, dst_dir_fd=at)
        finally:
            with suppress(OSError):  # it has been moved, unless something went wrong
                os.unlink(unfinished, dir_fd=at)


def _make_room(above: str) -> None:
    import shutil  # takes time

    folders = [entry for entry in os.scandir(above) if entry.name.startswith(PREFIX)]
    for old in sorted(folders, key=lambda entry: entry.stat().st_mtime)[:-LATEST]:
        shutil.rmtree(old.path, ignore_errors=True)


# A library.

FOLDER = os.path.join(NATIVE, "ready")
INDEX = "index"
LEVELS = ("x86-64-v3", "x86-64")  # best first; the libraries are named after them
CHOICE = "IRCI_KERNELS"  # which kernels to take: of one level only, or none of a library
NONE = "kept"
NUMBERS = {bool: "|b1", int: "<i8", float: "<f8"}
problems: list[str] = []  # why libraries that there are are not used


def library_key():
    """The hash of what libraries depend on: kernels' sources, the version, the kind of Python."""
    return key_of(sys.implementation.cache_tag, sys.abiflags)


def find_library():
    """The library that came with irci or that the user has made, or None; UsageError of a choice that is none."""
    choice = os.environ.get(CHOICE, "")
    if choice not in ("", NONE, *LEVELS):
        raise UsageError(f"{CHOICE}={choice}: give it as {', '.join((*LEVELS, NONE))}, or leave it unset")
    problems.clear()
    for folder_of_kind in (lambda: FOLDER, lambda: folder_of(library_key())) if choice != NONE else ():
        try:
            if os.path.isdir(folder := folder_of_kind()):
                return Library(folder, (choice,) if choice else LEVELS)
        except Exception as error:  # whatever is wrong in it
            problems.append(str(error))
    return None


class Library:
    """The kernels of a folder, of the first of these levels that the processor has; an error if there is none."""

    def __init__(self, folder, levels):
        self.folder = folder
        index = marshal.loads(read_kept(folder, INDEX))
        if index["key"] != library_key():
            raise ImportError("ready kernels are of other sources or for another Python")
        self.entries = index["entries"]
        self.classes, reasons = {}, []
        for level in levels:
            try:
                with opened_in(folder, f"{level}.so") as descriptor:
                    path = f"/proc/self/fd/{descriptor}"  # what was looked at, whatever has its name since
                    loader = ExtensionFileLoader("ready", path)
                    self.module = loader.create_module(ModuleSpec("ready", loader, origin=path))
                break
            except (ImportError, OSError) as error:
                reasons.append(str(error))
        else:
            raise ImportError("; ".join(reasons))
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


# Kernels.

__all__ = ["Kernel", "intrinsic", "ir", "njit", "types", "uint32", "uint64"]

COMPILING = "compiling kernels for their first use; this can take half a minute ..."
LIBRARY = find_library()
LOCK = threading.RLock()


@cache
def announce():
    """Say, once, that kernels are compiled; in a program that shows no such messages of ours, by a warning of Python's."""
    if logger.is_shown(logger.INFO):
        logger.info(COMPILING)
    elif logger.is_shown(logger.WARNING):
        with suppress(Warning):  # where warnings are errors; this one tells of nothing wrong
            warnings.warn(f"irci: {COMPILING}", stacklevel=2)


class Kernel:
    """A compiled function: the library's for the kinds of arguments, else numba's, which `make` makes."""

    def __init__(self, function, make):
        self.function = self.__wrapped__ = function
        self.make, self.made, self.by_kinds = make, None, {}
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __call__(self, *arguments, **named):
        kinds = kinds_of(arguments) if LIBRARY and not named else None
        if kinds is None:
            return self._of_numba()(*arguments, **named)
        return (self.by_kinds.get(kinds) or self._link(kinds))(*arguments)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._of_numba(), name)

    def _link(self, kinds):
        with LOCK:
            if kinds not in self.by_kinds:
                self.by_kinds[kinds] = LIBRARY.link(self.function, kinds) or self._of_numba()
            return self.by_kinds[kinds]

    def _of_numba(self):
        with LOCK:
            if self.made is None:
                self.made = self.make(import_module("irci.native.jit"))
            return self.made


def njit(function=None, **options):
    """irci.native.jit.njit: numba.njit, for kernels that are kept and run without the interpreter's lock."""
    if function is None:
        return lambda function: njit(function, **options)
    return Kernel(function, lambda jit: jit.njit(function, **options))


def intrinsic(function):
    """irci.native.jit.intrinsic: numba.extending.intrinsic, for kernels to call."""
    return Kernel(function, lambda jit: jit.intrinsic(function))


class Deferred:
    """A module that is imported when something of it is asked for."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        return getattr(import_module(self.name), name)


ir, types = Deferred("llvmlite.ir"), Deferred("numba.types")

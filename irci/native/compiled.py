"""Machine code of kernels: decorators that they are made with, which load numba only when a kernel is needed that is not
there; the library of all of them; and the folders in which either is kept.

A kernel is asked of the library that there is, for arguments of these kinds. What is not there goes to numba (`jit`). Kernels
call each other: to numba a kernel is its own function, by the attribute `_numba_type_` that it looks for. Of compiling users
see that it begins, and on a terminal or in a notebook which kernel it is at.

A library is compiled before, and needs neither numba nor llvmlite. A wheel has it in the folder `ready`, one for each level of
processors; a clone may have one, of `irci compile`, among what is kept. Beside it lies `index`, by marshal: of which sources
and for which Python it is, and of each kernel and kinds of its arguments where it is. A library is an extension module of
CPython's (`wheels/kernels.c`). Nothing that is wrong with one costs more than time, if numba is there to compile.

A kind of arguments is a string for a number, a tuple for an array (element, dimensions, layout, whether it may be written) and
a tuple for a tuple (class, fields, kinds of what is in it). What is of no kind here is left to numba.

Folders are named by the hash of what went into them, and the user's alone. What is kept is executed: so a folder is used only
if it belongs to the user, or to root, and nobody else can write into it, and so is each file. Folders above are not looked at:
what is opened is looked at itself, and files are opened in it.
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
from importlib import import_module
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from sys import modules

import numpy as np

from irci import __version__, system
from irci.base import UsageError, logger
from irci.base.streams import blake2b

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
def opened(path, is_kind=stat.S_ISREG, at=None, like=None):
    """The descriptor of what is opened to be read: of that kind, and trusted; else OSError. Waits for no pipe.

    It belongs to the user or root, nobody else may write to it, and it is no link. like: the os.stat_result of a source;
    then its owner is trusted too, whoever may write to the source may write to it, and it may be a link.
    """
    if system.user() is None:
        raise OSError(errno.ENOTSUP, "this system does not tell whose a file is")
    owners, writers = {0, system.user()}, stat.S_IWGRP | stat.S_IWOTH
    if like:
        owners, writers = owners | {like.st_uid}, writers & ~like.st_mode
    links = 0 if like else os.O_NOFOLLOW
    descriptor = os.open(path, os.O_RDONLY | links | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
    try:
        status = os.fstat(descriptor)
        if not is_kind(status.st_mode):
            raise OSError(errno.EINVAL, "it is of another kind", path)
        if status.st_uid not in owners or status.st_mode & writers:
            raise PermissionError(errno.EPERM, "others can write to it", path)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def opened_in(folder, name, likes=(None, None)):
    """The descriptor of a file of a folder, both opened and trusted; likes: as `like`, of the folder and of the file."""
    with opened(folder, stat.S_ISDIR, like=likes[0]) as at, opened(name, at=at, like=likes[1]) as descriptor:
        yield descriptor


def read_kept(folder, name, likes=(None, None)):
    """What a file of a folder holds; OSError unless both are trusted."""
    with opened_in(folder, name, likes) as descriptor, open(descriptor, "rb", closefd=False) as file:
        return file.read()


def write_kept(key: str, name: str, content: bytes) -> None:
    """Make or replace a file as a whole; OSError if it cannot be."""
    if not os.path.lexists(folder_of(key)):
        _make(folder_of(key))
        with suppress(OSError):  # another process may do the same
            _make_room(os.path.dirname(folder_of(key)))
    with opened(folder_of(key), stat.S_ISDIR) as at:
        unfinished = f"{name}.{os.urandom(8).hex()}.tmp"
        try:
            with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=at), "wb") as file:
                file.write(content)
            os.replace(unfinished, name, src_dir_fd=at, dst_dir_fd=at)
        except BaseException:
            with suppress(OSError):
                os.unlink(unfinished, dir_fd=at)
            raise


def _make(path: str) -> None:
    """A folder of the user's alone, and those above it, whatever the umask (of all threads of a process)."""
    if not os.path.isdir(path):
        _make(os.path.dirname(path))
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)


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
    if choice == NONE:
        return None
    levels = (choice,) if choice else LEVELS
    try:
        if os.path.isdir(FOLDER):  # as much trusted as the sources that it lies among
            return Library(FOLDER, levels, (os.stat(NATIVE), os.stat(__file__)))
    except Exception as error:  # whatever is wrong in it
        problems.append(str(error))
    try:
        if os.path.lexists(os.path.join(folder := folder_of(library_key()), INDEX)):
            return Library(folder, levels)
    except Exception as error:
        problems.append(str(error))
    return None


class Library:
    """The kernels of a folder, of the first of these levels that the processor has; an error if there is none."""

    def __init__(self, folder, levels, likes=(None, None)):
        self.folder = folder
        index = marshal.loads(read_kept(folder, INDEX, likes))
        if index["key"] != library_key():
            raise ImportError("ready kernels are of other sources or for another Python")
        self.entries = index["entries"]
        self.classes, reasons = {}, []
        for level in levels:
            try:
                with opened_in(folder, f"{level}.so", likes) as descriptor:
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


# Decorators.

COMPILING = "compiling kernels for their first use; this can take half a minute ..."
ERASE = "\r\x1b[K"  # the line of a terminal


class Progress:
    """How many kernels are compiled; those that are compiled inside of others are not counted."""

    def __init__(self) -> None:
        self.depth = self.compiled = self.number = 0  # number: of all kernels, if that is known

    def start(self) -> None:
        if self.depth == 0:
            if self.compiled == 0:
                _announce()
            self.show(self.compiled + 1)
        self.depth += 1

    def end(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.compiled += 1
            self.show(0)

    def show(self, now: int) -> None:
        """Show on a terminal, or in a notebook, at which kernel it is, or 0, at none."""
        if (sys.stderr.isatty() or "ipykernel" in sys.modules) and logger.is_shown(logger.WARNING):
            of_all = f" of {self.number}" if self.number else ""
            with suppress(Exception):  # whatever took the stream's place
                sys.stderr.write(ERASE + (f"irci: compiling kernels {now}{of_all} ..." if now else ""))
                sys.stderr.flush()


progress = Progress()


def _announce() -> None:
    # In a program that shows no such messages of ours, by a warning of Python's.
    if logger.is_shown(logger.INFO):
        logger.info(COMPILING)
    elif logger.is_shown(logger.WARNING):
        with suppress(Warning):  # where warnings are errors; this one tells of nothing wrong
            warnings.warn(f"irci: {COMPILING}", stacklevel=2)


__all__ = ["Deferred", "Kernel", "intrinsic", "ir", "njit", "take_numba", "types", "uint32", "uint64"]

LIBRARY = find_library()
LOCK = threading.RLock()


class Deferred:
    """Something that numba will make; until then it stands in its place in the modules of kernels."""

    def __init__(self, make):
        self.make = make
        self.made = None

    def real(self):
        """What numba has made."""
        if self.made is None:
            self.made = self.make()
        return self.made


class Kernel(Deferred):
    """A compiled function: the library's for the kinds of arguments, else numba's."""

    def __init__(self, function, make):
        super().__init__(make)
        self.function = self.__wrapped__ = function
        self.by_kinds = {}
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
        if self.made is None:
            take_numba()
        return self.real()


ir = Deferred(lambda: import_module("llvmlite.ir"))
types = Deferred(lambda: import_module("numba.types"))
uint32 = Deferred(lambda: import_module("numba").uint32)
uint64 = Deferred(lambda: import_module("numba").uint64)


def intrinsic(function):
    """numba.extending.intrinsic."""
    return Deferred(lambda: import_module("numba.extending").intrinsic(function))


def njit(function=None, **options):
    """irci.native.jit.njit: numba.njit, for kernels that are kept and run without the interpreter's lock."""
    if function is None:
        return lambda function: njit(function, **options)
    return Kernel(function, lambda: import_module("irci.native.jit").njit(function, **options))


def take_numba():
    """Load numba, and put its own in the place of what is deferred in the modules of kernels, for it to find there."""
    with LOCK:
        import_module("irci.native.jit")
        for name, module in list(modules.items()):
            if name == __name__ or name.startswith("irci.kernels."):
                for key, value in list(vars(module).items()):
                    if isinstance(value, Deferred) and not isinstance(value, Kernel):
                        setattr(module, key, value.real())

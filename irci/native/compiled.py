"""Decorators that kernels are made with, `njit` and the like, which load numba only when a kernel is needed that is not there;
and what users see of compiling: that it begins, and on a terminal or in a notebook which kernel it is at.

A kernel is asked of the library that there is (`library`), for arguments of these kinds. What is not there goes to numba
(`jit`). Kernels call each other: to numba a kernel is its own function, by the attribute `_numba_type_` that it looks for.
"""

import sys
import threading
import warnings
from contextlib import suppress
from importlib import import_module
from sys import modules

from irci.base import logger
from irci.native import library
from irci.native.library import kinds_of

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
            _write("")

    def show(self, now: int) -> None:
        """Show at which kernel it is."""
        _write(f"irci: compiling kernels {now}" + (f" of {self.number} ..." if self.number else " ..."))


progress = Progress()


def _write(text: str) -> None:
    if (sys.stderr.isatty() or "ipykernel" in sys.modules) and logger.is_shown(logger.WARNING):
        with suppress(Exception):  # whatever took the stream's place
            sys.stderr.write(ERASE + text)
            sys.stderr.flush()


def _announce() -> None:
    # In a program that shows no such messages of ours, by a warning of Python's.
    if logger.is_shown(logger.INFO):
        logger.info(COMPILING)
    elif logger.is_shown(logger.WARNING):
        with suppress(Warning):  # where warnings are errors; this one tells of nothing wrong
            warnings.warn(f"irci: {COMPILING}", stacklevel=2)


__all__ = ["Deferred", "Kernel", "intrinsic", "ir", "njit", "take_numba", "types", "uint32", "uint64"]

LIBRARY = library.find()
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

"""Decorators that kernels are made with, `njit` and the like, which load numba only when a kernel is needed that is not there.

A kernel is asked of the library that there is (`library`), for arguments of these kinds. What is not there goes to numba
(`jit`). Kernels call each other: to numba a kernel is its own function, by the attribute `_numba_type_` that it looks for.
"""

import threading
from importlib import import_module
from sys import modules

from irci.native import library
from irci.native.library import kinds_of

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

"""Decorators that kernels are made with, `njit` and the like, which load numba only when a kernel is needed that is not kept.

In a process of the command a kernel is linked from what numba compiled before (`linking`), if there is that for arguments of
these types. Whatever is not exactly as expected goes to numba (`jit`), silently: then all kernels become numba's own, in all
modules of this folder, as they call each other.
"""

import sys
import threading
from importlib import import_module

from irci import native
from irci.native import linking

__all__ = ["Deferred", "Kernel", "intrinsic", "ir", "njit", "take_numba", "types", "uint32", "uint64"]


class Deferred:
    """Something that numba will make; until then it stands in its place in the modules of kernels."""

    def __init__(self, make):
        self.make = make
        self.made = None

    def real(self):
        if self.made is None:
            self.made = self.make()
        return self.made


class Kernel(Deferred):
    """A compiled function: linked for the types of arguments that are kept, numba's for others."""

    def __init__(self, function, make, cache):
        super().__init__(make)
        self.function = self.__wrapped__ = function
        self.linked = {} if cache else None
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __call__(self, *arguments, **named):
        if self.made is None and self.linked is not None and not named:
            kinds = linking.kinds_of(arguments)
            linked = None if kinds is None else self.linked.get(kinds) or self._link(kinds)
            if linked is not None:
                return linked(*arguments)
        return self._of_numba()(*arguments, **named)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._of_numba(), name)

    def _link(self, kinds):
        with LOCK:
            if kinds not in self.linked and LINKER.is_in_use and (found := LINKER.link(self.function, kinds)):
                self.linked[kinds] = found
            return self.linked.get(kinds)

    def _of_numba(self):
        if self.made is None:
            take_numba()
        return self.real()


LOCK = threading.RLock()
LINKER = linking.Linker() if linking.is_possible() else None

if LINKER is None:
    from llvmlite import ir
    from numba import types, uint32, uint64
    from numba.extending import intrinsic

    from irci.native.jit import njit
else:
    ir = Deferred(lambda: import_module("llvmlite.ir"))
    types = Deferred(lambda: import_module("numba.types"))  # type: ignore[assignment]
    uint32 = Deferred(lambda: import_module("numba").uint32)  # type: ignore[assignment]
    uint64 = Deferred(lambda: import_module("numba").uint64)  # type: ignore[assignment]

    def intrinsic(function):  # type: ignore[no-redef]
        """numba.extending.intrinsic."""
        return Deferred(lambda: import_module("numba.extending").intrinsic(function))

    def njit(cache=False, **options):
        """irci.native.jit.njit."""

        def decorate(function):
            def make():
                from irci.native import jit

                return jit.njit(cache, **options)(function)

            return Kernel(function, make, cache)

        return decorate


def take_numba():
    """Put what numba makes in the place of all that is deferred, in the modules of kernels."""
    with LOCK:
        native.load_numba()
        LINKER.is_in_use = False
        for name, module in list(sys.modules.items()):
            if name == __name__ or name.startswith("irci.kernels."):
                for key, value in list(vars(module).items()):
                    if isinstance(value, Deferred):
                        setattr(module, key, value.real())

"""Decorators that kernels are made with, `njit` and the like, which load numba only when a kernel is needed that is not there.

A kernel is asked of what is compiled already, for arguments of these kinds: of the libraries that irci was installed with
(`ready`), or in a process of the command of what numba compiled before (`linking`). What is not there goes to numba (`jit`),
silently. Kernels call each other: to numba a kernel is its own function, by the attribute `_numba_type_` that it looks for.
"""

import threading
from importlib import import_module
from sys import modules

from irci import native
from irci.native.kinds import kinds_of

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
    """A compiled function: that of the first source that has it for the kinds of arguments, else numba's."""

    def __init__(self, function, make, is_kept):
        super().__init__(make)
        self.function = self.__wrapped__ = function
        self.is_kept = is_kept
        self.found = {}
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __call__(self, *arguments, **named):
        kinds = kinds_of(arguments) if native.SOURCES and self.is_kept and not named else None
        if kinds is None:
            return self._of_numba()(*arguments, **named)
        return (self.found.get(kinds) or self._find(kinds))(*arguments)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._of_numba(), name)

    def _find(self, kinds):
        with LOCK:
            if kinds not in self.found:
                found = next(filter(None, (source.link(self.function, kinds) for source in native.SOURCES)), None)
                self.found[kinds] = found or self._compiled()
            return self.found[kinds]

    def _compiled(self):
        made = self._of_numba()
        from irci.native import together

        together.compile_for(self.function)
        return made

    def _of_numba(self):
        if self.made is None:
            take_numba()
        return self.real()


LOCK = threading.RLock()
ir = Deferred(lambda: import_module("llvmlite.ir"))
types = Deferred(lambda: import_module("numba.types"))
uint32 = Deferred(lambda: import_module("numba").uint32)
uint64 = Deferred(lambda: import_module("numba").uint64)


def intrinsic(function):
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
    """Load numba, and put its own in the place of what is deferred in the modules of kernels, for it to find there."""
    with LOCK:
        native.load_numba()
        for name, module in list(modules.items()):
            if name == __name__ or name.startswith("irci.kernels."):
                for key, value in list(vars(module).items()):
                    if isinstance(value, Kernel):
                        value.found.clear()  # what was linked is not used beside numba
                    elif isinstance(value, Deferred):
                        setattr(module, key, value.real())

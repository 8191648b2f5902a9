"""Functions of scipy.special, loaded when first asked for: `special.stdtrit` is scipy's.

Importing the package costs a command more than all else it does (compare .14 -> .39 s): it takes numpy's f2py and tests along.
So a process of the command takes the same functions from the extension module that has them, with empty packages around it,
which are forgotten again for others to import whole. A program that calls irci from Python gets them from the package, as do
versions of scipy that are other inside.
"""

import sys
import threading
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from irci.system import process


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = function = getattr(_functions(), name, None) or getattr(import_module("scipy.special"), name)
    return function


@cache
def _functions() -> ModuleType:
    # Another thread, in a kernel, might find what stands in for packages meanwhile.
    if process.is_own and "scipy" not in sys.modules and threading.active_count() == 1:
        with suppress(Exception):
            return _extension()
    return import_module("scipy.special")


def _extension() -> ModuleType:
    spec, before = find_spec("scipy"), set(sys.modules)
    for package in ("scipy", "scipy.special", "scipy._lib"):
        sys.modules[package] = ModuleType(package)
        inside = package.replace(".", "/").removeprefix("scipy")
        sys.modules[package].__path__ = [f"{folder}{inside}" for folder in spec.submodule_search_locations]  # type: ignore
    try:
        return import_module("scipy.special._ufuncs")
    finally:
        for name in set(sys.modules) - before:
            if name.startswith("scipy"):
                del sys.modules[name]

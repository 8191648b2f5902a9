"""Functions of scipy.special, without the package around them where that is asked for.

`special.stdtrit` is that of scipy.special, loaded when first asked for. In a process of the command it is the same
function from the extension module that has it, in a tenth of the time. A program that calls irci from Python, whose threads
may be importing scipy, gets it from the package, as do versions of scipy that are other inside.
"""

import sys
import threading
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from irci.system import process

_loaded: ModuleType | None = None


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = _without_package(name) or getattr(import_module("scipy.special"), name)
    return found


def _without_package(name: str) -> Any:
    global _loaded
    # Another thread, in a kernel, might find what stands in for packages meanwhile.
    if process.is_own and _loaded is None and "scipy.special" not in sys.modules and threading.active_count() == 1:
        with suppress(Exception):
            _loaded = _extension()
    return getattr(_loaded, name, None)


def _extension() -> ModuleType:
    """The extension module, imported with folders in the place of packages.

    Whatever was imported is forgotten again, so that a package that is imported later is whole.
    """
    spec = find_spec("scipy")
    folders = list((spec and spec.submodule_search_locations) or ())
    before = set(sys.modules)
    for package, inside in (("scipy", ""), ("scipy.special", "/special"), ("scipy._lib", "/_lib")):
        if package not in before:
            sys.modules[package] = ModuleType(package)
            sys.modules[package].__path__ = [folder + inside for folder in folders]
    try:
        return import_module("scipy.special._ufuncs")
    finally:
        for name in set(sys.modules) - before:
            if name.startswith("scipy"):
                del sys.modules[name]

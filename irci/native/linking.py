"""Kernels linked without numba, from relocatable objects that numba compiled before and `jit` kept.

Each holds a function that CPython can call, which takes arrays and numbers out of Python's objects, lets go of the
interpreter's lock, and makes objects of what comes out: numba's own, so that a call is the same with numba and without. It
is linked by llvmlite with symbols of numba's extension modules, which are loaded without the package around them. Nothing
is unpickled here: named tuples that a kernel gives are found by their names, anything else is left to numba.

An object is what numba compiled, a relocatable object file, behind a header of what linking needs to know: the function that
CPython calls, the environments (numba's word for a function's globals and constants), the symbols that come from elsewhere,
and the classes of what goes in and comes out.

It is found by the kinds of its arguments (`kinds`).
"""

import builtins
import ctypes
import importlib.machinery
import importlib.util
import json
import os
import platform
import re
import struct
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np

from irci import __version__
from irci.native.store import Store, folders
from irci.system import process

# numba's versions of which the tests have shown that it is so.
PROVEN = {"0.60.0", "0.68.1"}
EXTENSIONS = {"numba._helperlib": "numba_", "numba._dynfunc": "numba_", "numba.core.runtime._nrt_python": "NRT_"}
UNPICKLE = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


def is_possible():
    """True if kernels may be linked in this process: its own, without numba, on a machine and by settings as expected."""
    return (
        process.is_own
        and "numba" not in sys.modules
        and (sys.platform, platform.machine(), sys.byteorder) == ("linux", "x86_64", "little")
        and (sys.implementation.name, sys.abiflags) == ("cpython", "")  # others have other objects
        and has_no_settings()
        and version_of_numba() in PROVEN
    )


class Linker:
    """Makes functions of objects that are kept."""

    def __init__(self):
        self.has_failed = False
        self.classes = {}
        self.process = ctypes.CDLL(None)
        self.kept = None
        self.engines = []

    def link(self, function, kinds):
        """The function for arguments of these kinds, or None if there is no such object, or anything is not as expected."""
        if self.has_failed or "numba" in sys.modules:
            return None
        try:
            if self.kept is None:
                self._begin()
            which = description(function, kinds, self.processor)
            entry = self.kept.load(name_of(function), which)
            return None if entry is None else self._linked(function, *parted(entry))
        except Exception:
            self.has_failed = True
            return None

    def _begin(self):
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.processor = processor()
        self.target = llvm.Target.from_triple(self.processor[0])
        modules = {name: _extension(name) for name in EXTENSIONS}
        self.dynfunc = modules["numba._dynfunc"]
        for name, module in modules.items():
            for symbol, address in module.c_helpers.items():
                is_internal = EXTENSIONS[name] == "NRT_" and symbol.startswith("_")
                llvm.add_symbol(symbol if is_internal else EXTENSIONS[name] + symbol, address)
        self.original = UNPICKLE(modules["numba._helperlib"].c_helpers["unpickle"])
        self.unpickle = UNPICKLE(self._unpickled)
        llvm.add_symbol("numba_unpickle", ctypes.cast(self.unpickle, ctypes.c_void_p).value)
        llvm.add_symbol("_Py_NoneStruct", id(None))
        for kind in vars(builtins).values():
            if isinstance(kind, type) and issubclass(kind, BaseException):
                llvm.add_symbol(f"PyExc_{kind.__name__}", id(kind))
        self.kept = store()

    def _unpickled(self, data, size, digest):
        """The class of a named tuple by the hash of its pickle; what else there is, as exceptions, is read by numba."""
        try:
            found = self.classes.get(ctypes.string_at(digest, 20))
            return self.original(data, size, digest) if found is None else found
        except Exception as error:
            return RuntimeError, (f"a kernel's error cannot be told ({error})",), None

    def _linked(self, function, header, content):
        import llvmlite.binding as llvm

        for name in header["undefined"]:  # one that is missing would end the process
            if llvm.address_of_symbol(name) is None:
                llvm.add_symbol(name, ctypes.cast(self.process[name], ctypes.c_void_p).value)
        for digest, (module, name) in header["classes"].items():
            self.classes[bytes.fromhex(digest)] = _class_of(module, name)
        machine = self.target.create_target_machine(
            cpu=self.processor[1], features=self.processor[2], opt=0, reloc="static", codemodel="jitdefault", jit=True
        )  # nothing is compiled, so that what would optimise it need not be made
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(content))
        engine.finalize_object()
        environments = {}
        for name, constants in header["environments"].items():
            environments[name] = self.dynfunc.Environment(function.__globals__)
            environments[name].consts.extend(map(np.dtype, constants))
            ctypes.c_void_p.from_address(_found(engine.get_global_value_address(name))).value = id(environments[name])
        self.engines.append((engine, environments))
        return self.dynfunc.make_function(
            sys.modules[function.__module__], function.__name__, function.__doc__ or "",
            _found(engine.get_function_address(header["entry"])), environments[header["own"]], (engine,),
        )  # fmt: skip


def _class_of(module, name):
    found = getattr(sys.modules[module], name)
    if found is not np.ndarray and not (module.startswith("irci.") and issubclass(found, tuple)):
        raise LookupError(f"{module}.{name} is nothing that kernels give")
    return found


def _found(address):
    if not address:
        raise LookupError("a symbol that is not in the object")
    return address


def _extension(name):
    """An extension module of numba's, loaded without the package, which may load it again."""
    folder = folder_of("numba").joinpath(*name.split(".")[1:-1])
    finder = importlib.machinery.FileFinder(
        str(folder), (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES)
    )
    spec = finder.find_spec(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.pop(name, None)
    return module


def has_no_settings():
    """True if numba would find no settings of the user's."""
    named = any(name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR" for name in os.environ)
    return not named and not os.path.exists(".numba_config.yaml")


def version_of_numba():
    """Its version, read from its folder, or None."""
    with suppress(Exception):
        text = (folder_of("numba") / "_version.py").read_text()
        return re.search(r'"version": "([^"]+)"', text)[1]
    return None


def folder_of(package):
    """Where a package is, which is not imported."""
    return Path(importlib.util.find_spec(package).submodule_search_locations[0])


def store():
    """Where objects are kept, by the versions of all that made them and is linked with them."""
    import llvmlite

    versions = ("linked", __version__, version_of_numba(), llvmlite.__version__, np.__version__)
    made = Store(versions, folders())
    made.has_warned = True  # what cannot be kept here cannot be kept by `jit`, which says so
    return made


def description(function, kinds, processor):
    """All that tells an object from others of the same sources: function, kinds of arguments, processor."""
    code = function.__code__
    return repr((function.__module__, function.__qualname__, code.co_firstlineno, kinds, processor))


def name_of(function):
    """The beginning of the name of an object's file."""
    return f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}.linked"


def processor():
    """For which processor code is compiled now."""
    import llvmlite.binding as llvm

    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def joined(header, content):
    """A header and an object file as they are kept."""
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content


def parted(entry):
    """The header and the object file of what was kept."""
    (size,) = struct.unpack_from("<Q", entry)
    return json.loads(entry[8 : 8 + size]), entry[8 + size :]

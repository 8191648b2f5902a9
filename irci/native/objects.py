"""Objects that kernels are linked from (`linking`): by what they are kept and found, and what is kept of each.

An object is what numba compiled, a relocatable object file, behind a header of what linking needs to know: the function that
CPython calls, the environments (numba's word for a function's globals and constants), the symbols that come from elsewhere,
and the classes of what goes in and comes out.

It is found by the kinds of its arguments: what numba tells compiled code of one function apart by, of values and of its types.
A kind is a string for a number, a tuple for an array (element, dimensions, layout, whether it may be written) and a tuple for
a tuple (class, fields, kinds of what is in it). What is of no kind here is left to numba.
"""

import importlib.util
import json
import os
import re
import struct
from contextlib import suppress
from hashlib import sha1
from pathlib import Path

import numpy as np

from irci import __version__
from irci.native.store import Store, folders

NUMBERS = {bool: "|b1", int: "<i8", float: "<f8"}
SYMBOLS, SYMBOL_SIZE = 2, 24  # ELF: a kind of section, and what an entry of it takes


def has_no_settings():
    """Whether numba would find no settings of the user's."""
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
    """What an object's file begins with."""
    return f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}.linked"


def processor():
    """For which processor code is compiled now."""
    import llvmlite.binding as llvm

    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def keep(function, reduced):
    """Keep what numba has compiled, as its own cache has it, if it is not kept and such that it can be linked."""
    (_, _, (content, _)), described, environment, signature, *_, referenced = reduced
    kinds = kinds_of(signature.args, kind_of_type)
    if kinds is None:
        return
    here, name, which = store(), name_of(function), description(function, kinds, processor())
    if here.load(name, which) is not None:
        return
    header = {
        "entry": described.llvm_cpython_wrapper_name,
        "environments": {each.env_name: list(map(_told, each.consts)) for each in (environment, *referenced)},
        "own": environment.env_name,
        "undefined": _undefined_symbols(content),
        "classes": _classes([signature.return_type, *signature.args]),
    }
    here.save(name, which, joined(header, content))


def joined(header, content):
    """A header and an object file as they are kept."""
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content


def parted(entry):
    """The header and the object file of what was kept."""
    (size,) = struct.unpack_from("<Q", entry)
    return json.loads(entry[8 : 8 + size]), entry[8 + size :]


def _told(constant):
    if isinstance(constant, np.dtype) and constant.kind in "biuf":
        return constant.str
    raise ValueError("a constant that only numba can make")


def _classes(kinds):
    """By the hash of their pickles, which compiled code holds, the names of ndarray and of named tuples among types."""
    from numba.core.serialize import dumps

    found = {sha1(dumps(np.ndarray)).hexdigest(): ("numpy", "ndarray")}
    for kind in kinds:
        if hasattr(kind, "instance_class"):
            found[sha1(dumps(kind.instance_class)).hexdigest()] = class_name(kind.instance_class).rpartition(".")[::2]
        found |= _classes(getattr(kind, "types", ()))
    return found


def _undefined_symbols(content):
    if content[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no object file of 64 bits")
    (sections,) = struct.unpack_from("<Q", content, 40)
    size, number = struct.unpack_from("<HH", content, 58)
    table = [struct.unpack_from("<IIQQQQII", content, sections + size * each) for each in range(number)]
    (symbols,) = [each for each in table if each[1] == SYMBOLS]
    strings = table[symbols[6]]
    names = []
    for place in range(symbols[4] + SYMBOL_SIZE, symbols[4] + symbols[5], SYMBOL_SIZE):
        name, _, _, section = struct.unpack_from("<IBBH", content, place)
        if section == 0:
            start = strings[4] + name
            names.append(content[start : content.index(b"\0", start)].decode())
    return names


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
    if isinstance(value, tuple):
        kinds = kinds_of(value)
        return None if kinds is None else (class_name(kind), getattr(kind, "_fields", ()), kinds)
    return None


def class_name(kind):
    """A class by its module and name."""
    return f"{kind.__module__}.{kind.__qualname__}"


def kinds_of(values, kind_of=_kind_of):
    """The kinds of values, or of what numba's types are types of, or None if one is of none."""
    kinds = tuple(map(kind_of, values))
    return None if None in kinds else kinds


def kind_of_type(kind):
    """The kind of values of a type of numba's, or None."""
    from numba import types
    from numba.np.numpy_support import as_dtype

    if type(kind) is types.Array and kind.aligned and isinstance(kind.dtype, (types.Number, types.Boolean)):
        return as_dtype(kind.dtype).str, kind.ndim, kind.layout, kind.mutable
    if type(kind) in (types.Integer, types.Float, types.Boolean):
        return as_dtype(kind).str
    if isinstance(kind, types.BaseTuple):
        kinds = kinds_of(kind.types, kind_of_type)
        name = class_name(getattr(kind, "instance_class", tuple))
        return None if kinds is None else (name, tuple(getattr(kind, "fields", ())), kinds)
    return None

"""All kernels compiled before they are needed, those of `manifest.txt`: to a library where there is a compiler of C, else by
numba.

The manifest has a line for each kernel that irci calls: module, function, kinds of arguments. What makes libraries is in the
folder `wheels` of a checkout.
"""

import ast
import platform
import shutil
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from irci.native import compiled
from irci.native.compiled import INDEX, LEVELS, announce, folder_of, library_key, write_kept
from irci.system import kind_of_processor, with_progress

MANIFEST = Path(__file__).with_name("manifest.txt")
MAKER = Path(__file__).parents[2] / "wheels" / "library.py"
NEEDED = ("gcc", "g++", "objcopy")


def manifest():
    """The kernels that irci calls: module, function and kinds of arguments, list[kernels]."""
    return [ast.literal_eval(line) for line in MANIFEST.read_text().splitlines()]


def kernel_of(module, function, kinds):
    """A kernel of the manifest and numba's types of its arguments."""
    return getattr(import_module(module), function), tuple(map(type_of, kinds))


def type_of(kind):
    """numba's type of the values of a kind."""
    from numba import from_dtype, types
    from numpy import dtype

    if isinstance(kind, str):
        return from_dtype(dtype(kind))
    if isinstance(kind[1], int):
        element, dimensions, layout, is_writable = kind
        return types.Array(from_dtype(dtype(element)), dimensions, layout, readonly=not is_writable)
    name, _, kinds = kind
    module, _, name = name.rpartition(".")
    return types.BaseTuple.from_types(list(map(type_of, kinds)), getattr(import_module(module), name))


def compile_all():
    """Compile and keep all kernels, unless there is a library of them: how many, and the folder that has them. OSError if they
    cannot be kept."""
    if compiled.LIBRARY:
        return 0, compiled.LIBRARY.folder
    if can_make_library() and make_library():
        return len(manifest()), folder_of(library_key())
    from irci.native import jit

    number = 0
    for line in with_progress(manifest(), "kernel"):
        kernel, types = kernel_of(*line)
        kernel.compile(types)
        number += types not in kernel.stats.cache_hits
        if jit.warned:
            raise OSError("kernels cannot be kept")
    return number, folder_of(jit.KEY)


def can_make_library():
    """True in a checkout with compilers, on systems and processors that wheels are for."""
    is_for = (sys.platform, platform.machine(), sys.implementation.name) == ("linux", "x86_64", "cpython")
    return is_for and MAKER.is_file() and all(map(shutil.which, NEEDED))


def make_library():
    """Make and keep a library for processors of this one's level; False if the compilers cannot."""
    level = LEVELS[not kind_of_processor().endswith(("v3", "v4"))]
    with tempfile.TemporaryDirectory() as build:
        announce()
        command = [sys.executable, str(MAKER), build, level]
        if subprocess.run(command, cwd=MAKER.parents[1], stderr=subprocess.DEVNULL, check=False).returncode:
            return False
        for name in (f"{level}.so", INDEX):  # without an index it is not used
            write_kept(library_key(), name, Path(build, name).read_bytes())
    return True

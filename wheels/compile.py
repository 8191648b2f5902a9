"""Compile the kernels of the manifest for one level of processors: python wheels/compile.py LEVEL FOLDER

Into the folder go an object file a kernel, NUMBER.o, and `headers.json`: a header each, in the manifest's order. The sources
are those of the working directory.
"""

import ast
import json
import os
import re
import sys
import sysconfig
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

MANIFEST = Path(__file__).parent / "manifest.txt"


def lines() -> list[tuple[str, str, Any]]:
    """The manifest: module, function and kinds of arguments, list[kernels]."""
    return [ast.literal_eval(line) for line in MANIFEST.read_text().splitlines()]


def type_of(kind: Any) -> Any:
    """numba's type of the values of a kind (`irci.native.kinds`)."""
    from numba import from_dtype, types
    from numpy import dtype

    if isinstance(kind, str):
        return from_dtype(dtype(kind))
    if isinstance(kind[1], int):
        element, dimensions, layout, is_writable = kind
        return types.Array(from_dtype(dtype(element)), dimensions, layout, readonly=not is_writable)
    name, fields, kinds = kind
    inside = list(map(type_of, kinds))
    if not fields:
        return types.BaseTuple.from_types(inside)
    module, _, name = name.rpartition(".")
    return types.NamedTuple(inside, getattr(import_module(module), name))


def compiled(module: str, function: str, kinds: Any) -> Any:
    """What numba makes of a kernel for arguments of these kinds; ValueError if its types are of other kinds."""
    from irci.native.jit import kind_of_type
    from irci.native.kinds import kinds_of

    types = tuple(map(type_of, kinds))
    if kinds_of(types, kind_of_type) != kinds:
        raise ValueError(f"{module}.{function}: no types of numba's are of the kinds {kinds}")
    kernel = getattr(import_module(module), function)
    kernel.compile(types)
    return kernel.overloads[types]


def expect_known_uses_of_exceptions(code: str) -> None:
    """ValueError if a kernel does with an exception's class what wheels/kernels.c has nothing for.

    There an exception's name is that of a variable, which points to the class; numba has it name the class itself.
    """
    for line in code.splitlines():
        if "@PyExc_" in line and not re.search(r"external global|@PyErr_(SetString|SetNone|Format)\(", line):
            raise ValueError(f"not known in wheels/kernels.c: {line.strip()}")


def forget_this_machines_paths() -> None:
    """Have errors that compiled code raises name files as they are in a checkout or in site-packages."""
    from numba.core import ir

    begin, ours, theirs = ir.Loc.__init__, os.getcwd() + os.sep, sysconfig.get_path("purelib") + os.sep

    def begin_shortened(place: Any, filename: str, *others: Any, **named: Any) -> None:
        begin(place, filename.removeprefix(theirs).removeprefix(ours), *others, **named)

    ir.Loc.__init__ = begin_shortened


def main(level: str, folder: str) -> None:
    """Compile, and tell how many kernels there are."""
    os.environ |= {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": tempfile.mkdtemp(dir=folder)}
    sys.path.insert(0, os.getcwd())
    import llvmlite.binding as llvm

    from irci.native import jit

    forget_this_machines_paths()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    # As numba's own, but for code that may lie anywhere.
    machine = target.create_target_machine(cpu=level, features="", opt=3, reloc="pic", codemodel="default")
    headers = []
    for number, line in enumerate(lines()):
        result = compiled(*line)
        expect_known_uses_of_exceptions(str(result.library._final_module))
        Path(folder, f"{number:03}.o").write_bytes(machine.emit_object(result.library._final_module))
        headers.append(jit.header_of(result._reduce()))
    Path(folder, "headers.json").write_text(json.dumps(headers))


if __name__ == "__main__":
    main(*sys.argv[1:])

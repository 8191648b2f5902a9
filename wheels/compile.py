"""Compile kernels of the manifest for one level of processors: python wheels/compile.py LEVEL FOLDER FIRST STEP

Into the folder go of every STEPth kernel from FIRST on an object file, NUMBER.o, and a header, NUMBER.json. The sources are
those of the working directory.
"""

import json
import os
import re
import sys
from hashlib import sha1
from pathlib import Path
from typing import Any

# As numba reads its settings when it is imported.
LEVEL, FOLDER, FIRST, STEP = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
os.environ |= {"NUMBA_CPU_NAME": LEVEL, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": os.devnull}
sys.path.insert(0, os.getcwd())

import llvmlite.binding as llvm  # noqa: E402
import numpy as np  # noqa: E402
from numba.core.serialize import dumps  # noqa: E402

from irci.native.ahead import kernel_of, manifest  # noqa: E402


def header_of(compiled: Any) -> dict[str, Any]:
    """What a library must know of what numba compiled: names of symbols, constants, classes of what goes in and comes out."""
    _, described, environment, signature, *_, referenced = compiled._reduce()
    return {
        "entry": described.llvm_cpython_wrapper_name,
        "environments": {other.env_name: list(map(dtype_name, other.consts)) for other in (environment, *referenced)},
        "own": environment.env_name,
        "classes": classes([signature.return_type, *signature.args]),
    }


def dtype_name(constant: Any) -> str:
    """The name of a constant that a library can make, a kind of numbers; ValueError of another."""
    if isinstance(constant, np.dtype) and constant.kind in "biuf":
        return constant.str
    raise ValueError("a constant that only numba can make")


def classes(types: Any) -> dict[str, tuple[str, str]]:
    """By the hash of their pickles, which compiled code holds, the names of ndarray and of named tuples among types."""
    names = {sha1(dumps(np.ndarray)).hexdigest(): ("numpy", "ndarray")}
    for kind in types:
        if made := getattr(kind, "instance_class", None):
            names[sha1(dumps(made)).hexdigest()] = (made.__module__, made.__qualname__)
        names |= classes(getattr(kind, "types", ()))
    return names


def expect_known_uses_of_exceptions(code: str) -> None:
    """ValueError if a kernel does with an exception's class what wheels/kernels.c has nothing for.

    There an exception's name is that of a variable, which points to the class; numba has it name the class itself.
    """
    for line in code.splitlines():
        if "@PyExc_" in line and not re.search(r"external global|@PyErr_(SetString|SetNone|Format)\(", line):
            raise ValueError(f"not known in wheels/kernels.c: {line.strip()}")


def main() -> None:
    """Compile, until whoever began it has ended."""
    parent = os.getppid()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    # As numba's own, but for code that may lie anywhere.
    machine = target.create_target_machine(cpu=LEVEL, features="", opt=3, reloc="pic", codemodel="default")
    for number, line in list(enumerate(manifest()))[FIRST::STEP]:
        if os.getppid() != parent:
            raise SystemExit("abandoned")
        kernel, types = kernel_of(*line)
        kernel.compile(types)
        compiled = kernel.overloads[types]
        expect_known_uses_of_exceptions(str(compiled.library._final_module))
        Path(FOLDER, f"{number:03}.json").write_text(json.dumps(header_of(compiled)))
        Path(FOLDER, f"{number:03}.o").write_bytes(machine.emit_object(compiled.library._final_module))


if __name__ == "__main__":
    main()

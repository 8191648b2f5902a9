"""Compile kernels of the manifest for one level of processors: python wheels/compile.py LEVEL FOLDER FIRST STEP

Into the folder go of every STEPth kernel from FIRST on an object file, NUMBER.o, and a header, NUMBER.json. The sources are
those of the working directory.
"""

import json
import os
import re
import sys
import sysconfig
from hashlib import sha1
from pathlib import Path
from typing import Any


def header_of(compiled: Any) -> dict[str, Any]:
    """What a library must know of what numba compiled: names of symbols, constants, classes of what goes in and comes out."""
    _, described, environment, signature, *_, referenced = compiled._reduce()
    return {
        "entry": described.llvm_cpython_wrapper_name,
        "environments": {each.env_name: list(map(told, each.consts)) for each in (environment, *referenced)},
        "own": environment.env_name,
        "classes": classes([signature.return_type, *signature.args]),
    }


def told(constant: Any) -> str:
    """A constant that a library can make, a kind of numbers; ValueError of another."""
    import numpy as np

    if isinstance(constant, np.dtype) and constant.kind in "biuf":
        return constant.str
    raise ValueError("a constant that only numba can make")


def classes(kinds: Any) -> dict[str, tuple[str, str]]:
    """By the hash of their pickles, which compiled code holds, the names of ndarray and of named tuples among types."""
    import numpy as np
    from numba.core.serialize import dumps

    found = {sha1(dumps(np.ndarray)).hexdigest(): ("numpy", "ndarray")}
    for kind in kinds:
        if made := getattr(kind, "instance_class", None):
            found[sha1(dumps(made)).hexdigest()] = (made.__module__, made.__qualname__)
        found |= classes(getattr(kind, "types", ()))
    return found


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


def main(level: str, folder: str, first: str, step: str) -> None:
    """Compile, until whoever began it has ended."""
    os.environ |= {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": os.devnull}
    sys.path.insert(0, os.getcwd())
    import llvmlite.binding as llvm

    from irci.native.ahead import kernel_of, manifest

    parent = os.getppid()
    forget_this_machines_paths()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    # As numba's own, but for code that may lie anywhere.
    machine = target.create_target_machine(cpu=level, features="", opt=3, reloc="pic", codemodel="default")
    for number, line in list(enumerate(manifest()))[int(first) :: int(step)]:
        if os.getppid() != parent:
            raise SystemExit("abandoned")
        path = Path(folder, f"{number:03}")
        kernel, types = kernel_of(*line)
        kernel.compile(types)
        compiled = kernel.overloads[types]
        expect_known_uses_of_exceptions(str(compiled.library._final_module))
        path.with_suffix(".json").write_text(json.dumps(header_of(compiled)))
        path.with_suffix(".o").write_bytes(machine.emit_object(compiled.library._final_module))


if __name__ == "__main__":
    main(*sys.argv[1:])

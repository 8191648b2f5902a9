"""Compile the kernels of the manifest for one level of processors: python wheels/compile.py LEVEL FOLDER

Into the folder go an object file a kernel, NUMBER.o, and `headers.json`: a header each, in the manifest's order. The sources
are those of the working directory.
"""

import json
import os
import re
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any


def compiled(module: str, function: str, kinds: Any) -> Any:
    """What numba makes of a kernel for arguments of these kinds; ValueError if its types are of other kinds."""
    from irci.native.together import kernel_of

    kernel, types = kernel_of(module, function, kinds)
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
    from irci.native.together import manifest

    forget_this_machines_paths()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    # As numba's own, but for code that may lie anywhere.
    machine = target.create_target_machine(cpu=level, features="", opt=3, reloc="pic", codemodel="default")
    headers = []
    for number, line in enumerate(manifest()):
        result = compiled(*line)
        expect_known_uses_of_exceptions(str(result.library._final_module))
        Path(folder, f"{number:03}.o").write_bytes(machine.emit_object(result.library._final_module))
        headers.append(jit.header_of(result._reduce()))
    Path(folder, "headers.json").write_text(json.dumps(headers))


if __name__ == "__main__":
    main(*sys.argv[1:])

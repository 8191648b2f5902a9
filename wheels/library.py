"""Make libraries of all kernels of the checkout in the working directory: python wheels/library.py FOLDER LEVEL...

Into the folder go LEVEL.so, a library for each level of processors (`compile.py`, `kernels.c`), and an index of what is in
them (`irci/native/compiled.py` says how they are used). Needs gcc 12 or newer and objcopy.
"""

import json
import marshal
import os
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
import numpy as np

HERE = Path(__file__).parent
NUMBA = Path(numba.__file__).parent
FLAGS = ["-O2", "-fPIC", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-DNDEBUG", "-w"]
INCLUDES = [f"-I{each}" for each in (sysconfig.get_paths()["include"], np.get_include(), NUMBA, NUMBA / "pycc")]
# What kernels call under names that are others in a library (wheels/kernels.c); and functions whose newest version older
# systems lack: the older one computes the same, and sets errno.
RENAMED = {
    "numba_unpickle": "irci_unpickle", "PyErr_SetString": "irci_set_string", "PyErr_SetNone": "irci_set_none",
    "PyErr_Format": "irci_format", **{name: f"{name}@GLIBC_2.2.5" for name in ("exp", "exp2", "lgamma", "log", "log2", "pow")},
}  # fmt: skip


def run(*command: Any, **options: Any) -> None:
    """A program, which must end well."""
    subprocess.run(list(map(str, command)), check=True, **options)


def compile_levels(build: Path, levels: tuple[str, ...]) -> None:
    """All kernels as objects, by two processes or a process a level, which end with this one."""
    processes, step = [], 2 if len(levels) == 1 else 1
    for level in levels:
        (build / level).mkdir()
        for first in range(step):
            command = [sys.executable, HERE / "compile.py", level, build / level, first, step]
            processes.append(subprocess.Popen(list(map(str, command))))
    if any(process.wait() for process in processes):
        raise SystemExit("kernels could not be compiled")


def numbered(headers: list[dict[str, Any]]) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Short names of kernels' entries and environments, by numba's names, and the headers with numbers for them."""
    environments = {
        name: number for number, name in enumerate({name: 0 for header in headers for name in header["environments"]})
    }
    names = {header["entry"]: f"irci_entry_{number}" for number, header in enumerate(headers)}
    names |= {name: f"irci_environment_{number}" for name, number in environments.items()}
    entries = [
        {
            "entry": number,
            "environments": {environments[name]: constants for name, constants in header["environments"].items()},
            "own": environments[header["own"]],
            "classes": {bytes.fromhex(digest): name for digest, name in header["classes"].items()},
        }
        for number, header in enumerate(headers)
    ]
    return names, entries


def write_tables(folder: Path, names: dict[str, str]) -> None:
    """tables.h, for kernels.c, and what objcopy is to rename."""
    entries = [name for name in names.values() if name.startswith("irci_entry_")]
    environments = [name for name in names.values() if name.startswith("irci_environment_")]
    lines = [
        *(f"extern char {name}[];" for name in entries),
        *(f"extern PyObject *{name};" for name in environments),
        f"static void *const entries[] = {{{', '.join(entries)}}};",
        f"static PyObject **const environments[] = {{{', '.join(f'&{name}' for name in environments)}}};",
    ]
    (folder / "tables.h").write_text("\n".join([*lines, ""]))
    (folder / "names").write_text("".join(f"{old} {new}\n" for old, new in (names | RENAMED).items()))


def link(folder: Path, level: str, library: Path) -> list[dict[str, Any]]:
    """Link the objects in a folder to a library, which shows nothing but its beginning; the headers."""
    names, headers = numbered([json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))])
    write_tables(folder, names)
    for path in folder.glob("*.o"):
        run("objcopy", f"--redefine-syms={folder / 'names'}", path)
    compiled = (*FLAGS, *INCLUDES, f"-I{folder}", f'-DLEVEL="{level}"')
    run("gcc", *compiled, "-c", HERE / "kernels.c", "-o", folder / "module.o")
    runtime = NUMBA / "core" / "runtime" / "nrt.cpp"
    run("g++", *compiled, "-fno-exceptions", "-fno-rtti", "-c", runtime, "-o", folder / "runtime.o")
    (folder / "shown").write_text("{ global: PyInit_ready; local: *; };\n")
    shown = f"-Wl,--version-script={folder / 'shown'}"
    tidy = ("-Wl,--gc-sections", "-Wl,--as-needed", "-Wl,-z,relro,-z,now", "-s")
    run("gcc", "-shared", shown, *tidy, "-o", library, *sorted(folder.glob("*.o")), "-lm")
    return headers


def main(folder: str, *levels: str) -> None:
    """Make them."""
    build = Path(folder).absolute()
    compile_levels(build, levels)
    headers = [link(build / level, level, build / f"{level}.so") for level in levels]
    if any(each != headers[0] for each in headers):
        raise SystemExit("the levels' kernels are not the same")
    sys.path.insert(0, os.getcwd())
    from irci.native import ahead, compiled

    index = {
        "key": compiled.library_key(),
        "made_by": ", ".join(f"{name} {version(name)}" for name in ("numba", "llvmlite", "numpy")),
        "entries": dict(zip(ahead.manifest(), headers[0], strict=True)),
    }
    (build / compiled.INDEX).write_bytes(marshal.dumps(index))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Build a wheel that carries its kernels: python wheels/build.py [FOLDER]

A copy of the checkout's tracked files gets the folder `irci/native/ready`: a shared library for each level of processors
(`compile.py`, `kernels.c`) and an index of what is in them (`irci/native/ready.py` says how they are used). Of it a wheel for
this kind of Python is made, which does not need numba, and auditwheel says for which systems it is.
Needs gcc 12 or newer, objcopy and git.
"""

import json
import marshal
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
import numpy as np

HERE = Path(__file__).parent
ROOT = HERE.parent
BUILD = ROOT / "build" / "wheel"
SOURCE = BUILD / "source"
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


def copy_checkout() -> None:
    """The tracked files, as they are now."""
    shutil.rmtree(BUILD, ignore_errors=True)
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, tracked.split("\0")):
        (SOURCE / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, SOURCE / name)


def compile_levels(levels: tuple[str, ...]) -> None:
    """All kernels as objects, a process a level."""
    processes = []
    for level in levels:
        (BUILD / level).mkdir()
        command = [sys.executable, HERE / "compile.py", level, BUILD / level]
        processes.append(subprocess.Popen(list(map(str, command)), cwd=SOURCE))
    if sum(process.wait() for process in processes):
        raise SystemExit("kernels could not be compiled")


def numbered(headers: list[dict[str, Any]]) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Short names of kernels' entries and environments, by numba's names, and the headers with numbers for them."""
    environments: dict[str, int] = {}
    for header in headers:
        for name in header["environments"]:
            environments.setdefault(name, len(environments))
    names = {header["entry"]: f"irci_entry_{place}" for place, header in enumerate(headers)}
    names |= {name: f"irci_environment_{place}" for name, place in environments.items()}
    found = []
    for place, header in enumerate(headers):
        constants = {environments[name]: each for name, each in header["environments"].items()}
        classes = {bytes.fromhex(digest): each for digest, each in header["classes"].items()}
        own = environments[header["own"]]
        found.append({"entry": place, "environments": constants, "own": own, "classes": classes})
    return names, found


def write_tables(folder: Path, names: dict[str, str]) -> None:
    """tables.h, for kernels.c, and what objcopy is to rename."""
    entries, environments = (
        [n for n in names.values() if n.startswith(f"irci_{k}_")] for k in ("entry", "environment")
    )
    declared = [f"extern char {name}[];" for name in entries] + [f"extern PyObject *{name};" for name in environments]
    tables = (
        f"static void *const entries[] = {{{', '.join(entries)}}};",
        f"static PyObject **const environments[] = {{{', '.join(f'&{name}' for name in environments)}}};",
    )
    (folder / "tables.h").write_text("\n".join([*declared, *tables, ""]))
    (folder / "names").write_text("".join(f"{old} {new}\n" for old, new in (names | RENAMED).items()))


def link(level: str, ready: Path) -> list[dict[str, Any]]:
    """Link the objects of a level to a library, which shows nothing but its beginning; the headers."""
    folder = BUILD / level
    names, headers = numbered(json.loads((folder / "headers.json").read_text()))
    write_tables(folder, names)
    for path in folder.glob("*.o"):
        run("objcopy", f"--redefine-syms={folder / 'names'}", path)
    run(
        "gcc",
        *FLAGS,
        *INCLUDES,
        f"-I{folder}",
        f'-DLEVEL="{level}"',
        "-c",
        HERE / "kernels.c",
        "-o",
        folder / "module.o",
    )
    runtime = NUMBA / "core" / "runtime"
    run("g++", *FLAGS, *INCLUDES, "-fno-exceptions", "-fno-rtti", "-c", runtime / "nrt.cpp", "-o", folder / "runtime.o")
    (folder / "shown").write_text("{ global: PyInit_ready; local: *; };\n")
    shown = f"-Wl,--version-script={folder / 'shown'}"
    tidy = ("-Wl,--gc-sections", "-Wl,--as-needed", "-Wl,-z,relro,-z,now", "-s")
    run("gcc", "-shared", shown, *tidy, "-o", ready / f"{level}.so", *sorted(folder.glob("*.o")), "-lm")
    return headers


def write_index(ready: Path, headers: list[dict[str, Any]]) -> None:
    """Where each kernel is, for `irci/native/ready.py` of the copy."""
    program = (
        "import ast, marshal, sys; from irci.native import ready; headers = marshal.load(sys.stdin.buffer);"
        " entries = dict(zip(map(ast.literal_eval, open('irci/native/manifest.txt')), headers, strict=True));"
        " index = {'key': ready.key(), 'made_by': sys.argv[1], 'entries': entries};"
        " sys.stdout.buffer.write(marshal.dumps(index))"
    )
    made_by = ", ".join(f"{name} {version(name)}" for name in ("numba", "llvmlite", "numpy"))
    command = [sys.executable, "-c", program, made_by]
    environment, told = {**os.environ, "IRCI_KERNELS": "kept"}, marshal.dumps(headers)
    done = subprocess.run(command, cwd=SOURCE, env=environment, input=told, check=True, stdout=subprocess.PIPE)
    (ready / "index").write_bytes(done.stdout)


def replaced(text: str, pattern: str, new: str) -> str:
    """The text with the one match replaced."""
    found, number = re.subn(pattern, lambda match: new, text, flags=re.MULTILINE)
    if number != 1:
        raise SystemExit(f"pyproject.toml: {number} matches of {pattern}")
    return found


def change_project() -> None:
    """The copy's pyproject.toml: without numba, with the licences of what is in the libraries."""
    path = SOURCE / "pyproject.toml"
    text = replaced(path.read_text(), r'^ +"numba>=.*",\n', "")
    text = replaced(text, r'^license = "MIT"$', 'license = "MIT AND BSD-2-Clause"')
    text = replaced(text, r'^license-files = \["LICENSE"\]$', 'license-files = ["LICENSE", "LICENSE*.numba"]')
    path.write_text(text)
    licences = NUMBA.parent / f"numba-{version('numba')}.dist-info" / "licenses"
    for licence in sorted(licences.rglob("LICENSE*")):
        shutil.copy(licence, SOURCE / f"{licence.name}.numba")


def make_ready() -> None:
    """Make the copy's folder of libraries."""
    sys.path.insert(0, str(ROOT))
    from irci.native.ready import LEVELS

    compile_levels(LEVELS)
    ready = SOURCE / "irci" / "native" / "ready"
    ready.mkdir()
    headers = [link(level, ready) for level in LEVELS]
    if any(each != headers[0] for each in headers):
        raise SystemExit("the levels' kernels are not the same")
    write_index(ready, headers[0])


def main(folder: str = "dist") -> None:
    """Build the wheel into a folder."""
    copy_checkout()
    make_ready()
    change_project()
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", BUILD, SOURCE)
    (wheel,) = BUILD.glob("*.whl")
    run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", ROOT / folder, wheel)


if __name__ == "__main__":
    main(*sys.argv[1:])

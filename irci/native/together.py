"""Kernels that are compiled together, by two processes at once: those that every reading of files takes, or all there are.

`manifest.txt` has a line for each kernel that irci calls: module, function, kinds of arguments (`kinds`). Two kernels share
little work, so this process takes them from the first on and another one, of the same Python, from the last on; what one
has kept (`store`) the other does not compile. The other one ends when this one does. Without it this one does all.
"""

import ast
import os
import select
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from irci import native
from irci.native.kinds import kinds_of
from irci.system import process
from irci.system.work import processors

MANIFEST = Path(__file__).with_name("manifest.txt")
# What every command takes that reads judgments and runs, in an order of which each process takes about half of the work.
OF_READING = ("count_bytes", "scan_qrels", "scan_run", "judgment_tables", "judged_ranks", "find_duplicates")
has_been_asked = False
# The other process looks for modules where this one does, and nowhere else.
OTHER = "import sys; sys.path[:] = sys.argv[1:]; from irci.native import together; together.serve()"


def manifest():
    """The kernels that irci calls: module, function and kinds of arguments, list[kernels]."""
    return [ast.literal_eval(line) for line in MANIFEST.read_text().splitlines()]


def type_of(kind):
    """numba's type of the values of a kind."""
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


def kernel_of(module, function, kinds):
    """A kernel of the manifest and numba's types of its arguments; ValueError if these are of other kinds."""
    from irci.native.jit import kind_of_type

    types = tuple(map(type_of, kinds))
    if kinds_of(types, kind_of_type) != kinds:
        raise ValueError(f"{module}.{function}: no types of numba's are of the kinds {kinds}")
    return getattr(import_module(module), function), types


def is_kept(line):
    """True if a kernel of the manifest is kept."""
    kernel, types = kernel_of(*line)
    return kernel._cache.is_kept(types, kernel.targetctx)


def compile_all():
    """Compile and keep what is missing of the manifest; the number of kernels, and the folder that has all, or None.

    Kernels that irci was installed with are there already.
    """
    from irci.native import ready

    if ready.library():
        return 0, ready.FOLDER
    native.load_numba()
    from irci.native.jit import STORE

    lines = manifest()
    number = compile_missing(lines)
    return number, STORE.used.parent if STORE.used and all(map(is_kept, lines)) else None


def compile_for(function):
    """In a process of the command, once: compile what is taken together with a function, which is missing."""
    global has_been_asked
    if process.is_own and not has_been_asked and function.__name__ in OF_READING:
        has_been_asked = True
        lines = {line[1]: line for line in manifest() if line[1] in OF_READING}
        compile_missing([lines[name] for name in OF_READING])


def compile_missing(lines):
    """Compile and keep those lines of the manifest that are not kept; the number of these."""
    missing = [line for line in lines if not is_kept(line)]
    if not missing:
        return 0
    native.compilations.begin(len(missing), lambda: sum(map(is_kept, missing)))
    other = _start(missing) if len(missing) > 1 and processors() > 1 else None
    try:
        _go_through(missing, lambda place: other is not None and _is_at(other, place) and other.wait() is not None)
    finally:
        if other is not None:
            other.kill()
            other.wait()
        native.compilations.end()
    return len(missing)


def serve():
    """In the other process: the kernels that it reads, from the last on; it tells at which it is, until nobody listens."""
    process.is_own = True
    lines = ast.literal_eval(sys.stdin.readline())

    def is_done(place):
        if select.select([sys.stdin], [], [], 0)[0]:  # the end of what is written there: the first process has ended
            os._exit(0)
        sys.stdout.write(f"{place}\n")
        sys.stdout.flush()
        return False

    _go_through(lines, is_done, backwards=True)


def _go_through(lines, is_done_otherwise, backwards=False):
    for place in reversed(range(len(lines))) if backwards else range(len(lines)):
        if not is_kept(lines[place]) and not is_done_otherwise(place):
            kernel, types = kernel_of(*lines[place])
            kernel.compile(types)
            native.compilations.tell()


def _start(lines):
    command = [sys.executable, "-c", OTHER, *sys.path]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    try:
        other = subprocess.Popen(command, **pipes)
        other.stdin.write(f"{lines!r}\n".encode())
        other.stdin.flush()
    except OSError:  # no memory, no rights, no Python of that name
        return None
    os.set_blocking(other.stdout.fileno(), False)
    other.at = None
    return other


def _is_at(other, place):
    """True if the other process is compiling what stands at this place, or what stands before it."""
    said = (other.stdout.read() or b"").split()
    other.at = int(said[-1]) if said else other.at
    return other.at is not None and other.at <= place

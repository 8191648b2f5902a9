"""Kernels that came with irci: whose are used, and what is said where there are none and numba is missing."""

import json
import marshal
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from command_lines import by_python
from helpers import ROOT, all_written, written

from irci.base import DataError, UsageError
from irci.cli.group import EXIT_DATA
from irci.kernels.unjudged import Holes
from irci.native import ahead, compiled, jit
from irci.native.compiled import kinds_of

# A kernel that gives a number, one that makes arrays, one that raises an error.
TRIED = [
    ("irci.kernels.ranking", "part_of_hash", (("<u8", 1, "C", True), "<u8", "<i8")),
    ("irci.kernels.generator", "pair_table", ("<f8", "<f8")),
    ("irci.kernels.shapes", "expect_groups", (("<i8", 1, "C", True), "<i8", "<i8")),
]
CALLS = """
import json, sys
import numpy as np
from irci.kernels import generator, ranking, shapes

def plain(value):
    if isinstance(value, tuple):
        return list(map(plain, value))
    return [str(value.dtype), value.tolist()] if hasattr(value, "dtype") else value

found = [plain(ranking.part_of_hash(np.arange(40, dtype=np.uint64), np.uint64(1), 7)),
         plain(generator.pair_table(3.0, 2.0))]
try:
    shapes.expect_groups(np.arange(3), 5, 2)
except ValueError as error:
    found.append(str(error))
print(json.dumps([found, "numba" in sys.modules, "llvmlite" in sys.modules]))
"""


def write_index(folder: Path, key: str) -> None:
    (folder / "index").write_bytes(marshal.dumps({"key": key, "entries": {}}))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where ready kernels would be: an index of these sources, and libraries that are none."""
    folder = tmp_path / "ready"
    folder.mkdir()
    write_index(folder, compiled.library_key())
    all_written(folder, {"x86-64-v3.so": b"none", "x86-64.so": b"none"})
    monkeypatch.setattr(compiled, "FOLDER", folder)
    monkeypatch.setattr(compiled, "problems", [])
    monkeypatch.delenv(compiled.CHOICE, raising=False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "nothing"))
    return folder


def test_a_checkout_has_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "FOLDER", folder / "none")
    assert compiled.find_library() is None
    assert not compiled.problems


def test_what_the_user_keeps_is_taken_where_nothing_came_along(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are of these sources; neither's library is one."""
    compiled.write_kept(compiled.library_key(), "index", (folder / "index").read_bytes())
    assert compiled.find_library() is None
    assert ["file too short" in problem for problem in compiled.problems] == [True, False]
    monkeypatch.setenv(compiled.CHOICE, "kept")
    assert compiled.find_library() is None
    assert not compiled.problems


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda folder: None, "file too short"),
        (lambda folder: (folder / "index").unlink(), "No such file"),
        (lambda folder: (folder / "index").write_text("{"), "EOF"),
        (lambda folder: write_index(folder, "0"), "other sources"),
    ],
)
def test_what_is_wrong_is_not_used_and_told(folder: Path, change: Callable[[Path], object], problem: str) -> None:
    """Here all are wrong, at the latest as the libraries are none."""
    change(folder)
    assert compiled.find_library() is None
    (message,) = compiled.problems
    assert problem in message


def test_a_choice_that_is_none_is_wrong_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(compiled.CHOICE, "avx512")
    with pytest.raises(UsageError, match=r"IRCI_KERNELS=avx512: give it as x86-64-v3, x86-64, kept"):
        compiled.find_library()


def test_without_numba_one_line_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "problems", ["others can write to it"])
    monkeypatch.setitem(sys.modules, "numba", None)  # importing it raises ModuleNotFoundError
    with pytest.raises(DataError, match=r"compiled here \(others can write to it\), .*: pip install 'irci\[compile\]'"):
        jit.load_numba()


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A checkout with few kernels."""
    for name in ("irci", "wheels"):
        shutil.copytree(ROOT / name, tmp_path / "package" / name, ignore=shutil.ignore_patterns("__pycache__"))
    written(tmp_path / "package/irci/native/manifest.txt", "".join(f"{line!r}\n" for line in TRIED))
    return tmp_path / "package"


NO_NUMBA = "import sys; sys.modules['numba'] = None\n"
COMPILE = "from irci.cli.group import main\nmain(['compile'])"


def done(package: Path, program: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """A program that has this package, and a folder of kernels of its own."""
    others = {"PYTHONPATH": str(package), "NUMBA_CACHE_DIR": str(package / "kept"), **environment}
    return by_python("-W", "ignore", "-c", program, cwd=package.parent, env={**os.environ, **others})


@pytest.mark.slow
@pytest.mark.skipif(not ahead.can_make_library(), reason="there is no compiler here")
def test_libraries_give_what_numba_gives(package: Path) -> None:
    """Those of a wheel, at each level, where numba cannot be imported; of `irci compile`; and after a change of sources."""
    by_numba, *_ = json.loads(done(package, CALLS, IRCI_KERNELS="kept").stdout)
    assert by_numba[2] == "arrays whose lengths do not go together"
    found = done(package, COMPILE)
    assert found.stdout.startswith(f"{len(TRIED)} kernels compiled; all are in {package / 'kept'}/irci-kernels-")
    assert json.loads(done(package, NO_NUMBA + CALLS).stdout) == [by_numba, True, False]
    assert done(package, NO_NUMBA + COMPILE).stdout.startswith("0 kernels compiled; ")
    shutil.rmtree(package / "kept")
    program = "import build; build.SOURCE = build.ROOT; build.BUILD.mkdir(parents=True); build.make_ready()"
    built = by_python("-c", program, cwd=package / "wheels")
    assert built.returncode == 0, built.stderr
    levels = ["x86-64", *(["x86-64-v3"] if json.loads(done(package, NO_NUMBA + CALLS).stdout) else [])]
    for level in levels:
        assert json.loads(done(package, NO_NUMBA + CALLS, IRCI_KERNELS=level).stdout) == [by_numba, True, False], level
    with (package / "irci/kernels/ranking.py").open("a") as source:
        source.write("\n# changed\n")
    assert "ready kernels are of other sources" in done(package, NO_NUMBA + CALLS).stderr


@pytest.mark.check
def test_without_compilers_numba_compiles_all(package: Path) -> None:
    """Once; where they cannot be kept, one line says so."""
    for number in (len(TRIED), 0):
        found = done(package, COMPILE, PATH="")
        assert (found.returncode, found.stdout[:2]) == (0, f"{number} "), found.stderr
        assert f" kernels compiled; all are in {package / 'kept'}/irci-kernels-" in found.stdout
    assert json.loads(done(package, CALLS).stdout)[1]
    (package / "file").touch()
    found = done(package, COMPILE, PATH="", NUMBA_CACHE_DIR=str(package / "file"))
    assert (found.returncode, found.stdout) == (EXIT_DATA, "")
    assert "set NUMBA_CACHE_DIR to a folder of your own" in found.stderr


@pytest.mark.check
@pytest.mark.skipif(not ahead.can_make_library(), reason="there is no compiler here")
@pytest.mark.parametrize("name", ahead.NEEDED)
def test_where_a_compiler_fails_numba_compiles_all(package: Path, name: str) -> None:
    """As an old one; nothing of a library is left. One kernel is enough to tell."""
    written(package / "irci/native/manifest.txt", f"{TRIED[0]!r}\n")
    Path(written(package / "bin" / name, "#!/bin/sh\nexit 1\n")).chmod(0o755)
    found = done(package, COMPILE, PATH=f"{package / 'bin'}:{os.environ['PATH']}")
    assert (found.returncode, found.stdout[:2]) == (0, "1 "), found.stderr
    assert not list((package / "kept").rglob("index"))


def test_numba_has_types_of_all_in_the_manifest() -> None:
    for line in ahead.manifest():
        assert ahead.kernel_of(*line)[1]


VALUES = [
    True, 1, -1, 2**62, 0.5, float("nan"), np.int8(1), np.uint64(1), np.float32(1), np.bool_(True), np.int64(3), np.float64(2),
    np.zeros(3), np.zeros((2, 3)), np.zeros((2, 3), order="F"), np.zeros((4, 6))[::2, ::3], np.zeros((2, 2, 2)).T,
    np.zeros(0, np.uint8), np.zeros(3, bool), np.frombuffer(b"abc", np.uint8), np.zeros((1, 1)), np.zeros((0, 3)),
    np.zeros(()), (1, 2), (1, 2.0), (np.zeros(2), 1),
    Holes(np.zeros(2, np.int64), np.zeros(2, np.int64)),
]  # fmt: skip
OTHERS = [
    None, "text", b"bytes", 2**63, -(2**63) - 1, 1j, np.zeros(2, complex), np.zeros(2, ">f8"), np.zeros(2, "S3"), [1], {1: 2},
    np.zeros(2, object), np.zeros(9, np.uint8)[1:].view(np.float64), np.zeros(2, np.longdouble), np.ma.zeros(2),
    np.zeros(2, "f8,i4"), np.datetime64(1, "s"),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_kinds_of_values_are_those_of_numbas_types(value: Any) -> None:
    (kind,) = kinds_of((value,)) or ()
    assert ahead.type_of(kind) == numba.typeof(value)


@pytest.mark.parametrize("value", OTHERS, ids=lambda value: repr(value)[:30])
def test_other_values_are_left_to_numba(value: Any) -> None:
    assert kinds_of((value,)) is None

"""Kernels that came with irci: whose are used, and what is said where there are none and numba is missing."""

import json
import marshal
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import ROOT

from irci import native
from irci.base.errors import DataError, UsageError
from irci.cli.group import EXIT_DATA
from irci.native import ready
from irci.native.kinds import kinds_of

# A kernel that gives a number, one that makes arrays, one that raises an error.
TRIED = [
    ("irci.kernels.parts", "part_of_hash", (("<u8", 1, "C", True), "<u8", "<i8")),
    ("irci.kernels.poisson_tables", "pair_table", ("<f8", "<f8")),
    ("irci.kernels.shapes", "expect_groups", (("<i8", 1, "C", True), "<i8", "<i8")),
]
CALLS = """
import json, sys
import numpy as np
from irci.kernels import parts, poisson_tables, shapes

def plain(value):
    if isinstance(value, tuple):
        return list(map(plain, value))
    return [str(value.dtype), value.tolist()] if hasattr(value, "dtype") else value

found = [plain(parts.part_of_hash(np.arange(40, dtype=np.uint64), np.uint64(1), 7)),
         plain(poisson_tables.pair_table(3.0, 2.0))]
try:
    shapes.expect_groups(np.arange(3), 5, 2)
except ValueError as error:
    found.append(str(error))
print(json.dumps([found, "numba" in sys.modules, "llvmlite" in sys.modules]))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where ready kernels would be: an index of these sources, and libraries that are none."""
    tmp_path = tmp_path / "ready"
    tmp_path.mkdir(0o755)
    index = {"key": ready.key(), "entries": {}}
    for name, content in {"index": marshal.dumps(index), "x86-64-v3.so": b"none", "x86-64.so": b"none"}.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o644)
    monkeypatch.setattr(ready, "FOLDER", tmp_path)
    monkeypatch.setattr(ready, "problem", "")
    monkeypatch.delenv(ready.CHOICE, raising=False)
    return tmp_path


def test_a_checkout_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ready.CHOICE, raising=False)
    assert ready.library() is None
    assert not ready.problem


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda folder: None, "x86-64-v3.so"),
        (lambda folder: (folder / "index").write_text("{"), "EOF"),
        (lambda folder: (folder / "index").write_bytes(marshal.dumps({"key": "0", "entries": {}})), "other sources"),
        (lambda folder: (folder / "index").unlink(), "No such file"),
        (lambda folder: (folder / "index").chmod(0o666), "others may write"),
        (lambda folder: folder.chmod(0o777), "others may write"),
        (lambda folder: (folder / "x86-64.so").chmod(0o646), "x86-64.so: others may write"),
    ],
)
def test_what_is_wrong_is_not_used_and_told(folder: Path, change: Callable[[Path], Any], problem: str) -> None:
    """Here all are wrong, at the latest as the libraries are none."""
    change(folder)
    assert ready.library() is None
    assert problem in ready.problem


def test_a_group_that_may_write_to_sources_may_write_to_libraries(tmp_path: Path) -> None:
    """As where the umask is 002, or an environment is shared."""
    source, library = tmp_path / "source.py", tmp_path / "library.so"
    for path in (source, library):
        path.touch()
    library.chmod(0o664)
    source.chmod(0o644)
    with pytest.raises(PermissionError, match=r"library.so: others may write"):
        ready.expect_safe(library, source)
    source.chmod(0o664)
    ready.expect_safe(library, source)


def test_a_choice_that_is_none_is_wrong_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ready.CHOICE, "avx512")
    with pytest.raises(UsageError, match=r"IRCI_KERNELS=avx512: give it as x86-64-v3, x86-64, kept"):
        ready.library()


def test_kernels_are_told_apart_by_kinds() -> None:
    values = (1, 1.0, np.zeros(1), np.zeros(1, np.int32), np.zeros((1, 1)))
    assert len({kinds_of((value,)) for value in values}) == 5


def test_without_numba_one_line_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "numba_is_ours", None)
    monkeypatch.setattr(ready, "problem", "others may write to it")
    monkeypatch.setitem(sys.modules, "numba", None)  # importing it raises ModuleNotFoundError
    with pytest.raises(DataError) as told:
        native.load_numba()
    assert str(told.value) == (
        "a kernel must be compiled here (others may write to it), which takes numba: pip install 'irci[compile]'"
    )


@pytest.mark.check
def test_a_command_without_numba_ends_with_one_line() -> None:
    program = (
        "import sys; sys.modules['numba'] = None; from irci.__main__ import main;"
        " sys.argv[1:] = ['ap-ci', 'testdata/qrels.txt', 'testdata/runs/bm25.run']; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (EXIT_DATA, "")
    assert done.stderr == "irci: a kernel must be compiled here, which takes numba: pip install 'irci[compile]'\n"


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("objcopy") or not shutil.which("g++"), reason="there is no compiler here")
def test_libraries_give_what_numba_gives(tmp_path: Path) -> None:
    """Libraries of a few kernels, at each level, where numba cannot be imported; and after a change of sources."""
    package = tmp_path / "package"
    shutil.copytree(ROOT / "irci", package / "irci", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "wheels", package / "wheels")
    (package / "irci/native/manifest.txt").write_text("".join(f"{line!r}\n" for line in TRIED))
    program = "import build; build.SOURCE = build.ROOT; build.BUILD.mkdir(parents=True); build.make_ready()"
    built = subprocess.run([sys.executable, "-c", program], cwd=package / "wheels", capture_output=True, text=True)
    assert built.returncode == 0, built.stderr

    def called(kernels: str, head: str = "import sys; sys.modules['numba'] = None") -> subprocess.CompletedProcess[str]:
        environment = {"IRCI_KERNELS": kernels, "PYTHONPATH": str(package), "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-c", head + CALLS],
            cwd=tmp_path, capture_output=True, text=True, env=environment,
        )  # fmt: skip

    by_numba, *_ = json.loads(called("kept", head="").stdout)
    assert by_numba[2] == "arrays whose lengths do not go together"
    levels = ["x86-64", *(["x86-64-v3"] if json.loads(called("").stdout) else [])]
    for level in levels:
        assert json.loads(called(level).stdout) == [by_numba, True, False], level
    library = (package / "irci/native/ready/x86-64.so").read_bytes()
    for path in (str(ROOT), sysconfig.get_path("purelib"), str(tmp_path)):
        assert path.encode() not in library
    with (package / "irci/kernels/parts.py").open("a") as source:
        source.write("\n# changed\n")
    assert "ready kernels are of other sources" in called("").stderr

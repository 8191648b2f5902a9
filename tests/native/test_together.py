"""Kernels compiled together: by two processes, each of which takes what the other has not kept; and what is told meanwhile."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from irci import native
from irci.native import together

# Kernels that take little time to compile.
SMALL = {"expect_groups", "has_equal", "splitmix", "count_bytes"}
LINES = [line for line in together.manifest() if line[1] in SMALL]
AS_IN_A_COMMAND = "import irci.system.process; irci.system.process.is_own = True\nfrom irci.native import together\n"


def done(tmp_path: Path, program: str, given: str = "", **others: str) -> "subprocess.CompletedProcess[str]":
    """A program that has a folder of kernels of its own."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept"), "IRCI_KERNELS": "kept", **others}
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], input=given, capture_output=True, text=True, env=environment
    )


def names(tmp_path: Path) -> set[str]:
    """The functions of which a kernel is kept."""
    return {path.name.split(".")[1].partition("-")[0] for path in (tmp_path / "kept").rglob("*-*") if path.is_file()}


def test_the_manifest_has_what_reading_takes_and_numba_has_types_of_all() -> None:
    lines = together.manifest()
    assert sorted(line[1] for line in lines if line[1] in together.OF_READING) == sorted(together.OF_READING)
    assert len(LINES) == len(SMALL)
    for line in lines:
        together.kernel_of(*line)
    with pytest.raises(ValueError, match="no types of numba's"):
        together.kernel_of("irci.kernels.fields", "count_bytes", ("i8",))


@pytest.mark.check
def test_the_other_process_goes_from_the_last_one_on(tmp_path: Path) -> None:
    """It tells at which it is, and leaves out what is kept; it ends where nobody is at the other end."""
    serve = "from irci.native import together\ntogether.select.select = lambda *_: ([], [], [])\ntogether.serve()"
    first = done(tmp_path, serve, f"{LINES[1:2]!r}\n")
    assert (first.returncode, first.stdout, names(tmp_path) & SMALL) == (0, "0\n", {LINES[1][1]}), first.stderr
    others = done(tmp_path, serve, f"{LINES!r}\n")
    assert (others.returncode, others.stdout.split()) == (0, ["3", "2", "0"]), others.stderr
    assert names(tmp_path) >= SMALL
    alone = done(tmp_path / "alone", "from irci.native import together; together.serve()", f"{LINES!r}\n")
    assert (alone.returncode, alone.stdout, names(tmp_path / "alone")) == (0, "", set())


@pytest.mark.check
@pytest.mark.parametrize("processors", [1, 2])
def test_irci_compile(tmp_path: Path, processors: int) -> None:
    """All of a manifest, once; and where they are."""
    (tmp_path / "manifest.txt").write_text("".join(f"{line!r}\n" for line in LINES))
    program = (
        f"import pathlib\n{AS_IN_A_COMMAND}together.MANIFEST = pathlib.Path({str(tmp_path / 'manifest.txt')!r})\n"
        f"together.processors = lambda: {processors}\nfrom irci.cli.group import main\nmain(['compile'])"
    )
    for number in (4, 0):
        found = done(tmp_path, program)
        assert (found.returncode, found.stdout) == (0, f"{number} kernels compiled; all are in {tmp_path / 'kept'}\n")
    assert names(tmp_path) >= SMALL  # and what these call
    (tmp_path / "file").touch()
    nowhere = str(tmp_path / "file" / "none")
    found = done(tmp_path, program, NUMBA_CACHE_DIR=nowhere, XDG_CACHE_HOME=nowhere)
    assert (found.returncode, found.stdout) == (4, "")
    assert "\nirci: kernels cannot be kept: set NUMBA_CACHE_DIR to a folder of your own\n" in found.stderr


def test_how_far_it_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal alone; of those compiled together there is a number."""
    compilations = native._Compilations()
    kept = iter([0, 0, 1, 2, 2])
    monkeypatch.setattr(compilations, "announce", lambda: None)
    monkeypatch.setattr(native.sys.stderr, "isatty", lambda: True)
    compilations.begin(3, lambda: next(kept))
    for _ in range(4):
        compilations.tell()
    compilations.end()
    compilations.on_start(None)
    compilations.on_end(None)
    told = [each for each in capsys.readouterr().err.split(native.ERASE) if each]
    numbers = [1, 1, 2, 3, 3]
    assert told == [
        *(f"irci: compiling kernels {number} of 3 ..." for number in numbers),
        "irci: compiling kernels 4 ...",
    ]
    monkeypatch.setattr(native.sys.stderr, "isatty", lambda: False)
    compilations.on_start(None)
    assert capsys.readouterr().err == ""


def test_programs_and_other_kernels_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "compile_missing", lambda lines: pytest.fail("compiled"))
    monkeypatch.setattr(together.process, "is_own", True)
    together.compile_for(together.type_of)
    monkeypatch.setattr(together.process, "is_own", False)
    function = SimpleNamespace(__name__=together.OF_READING[0])
    together.compile_for(function)
    compiled: list[object] = []
    monkeypatch.setattr(together, "compile_missing", compiled.append)
    monkeypatch.setattr(together.process, "is_own", True)
    monkeypatch.setattr(together, "has_been_asked", False)
    for _ in range(2):
        together.compile_for(function)
    assert [[line[1] for line in lines] for lines in compiled] == [list(together.OF_READING)]

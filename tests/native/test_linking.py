"""Kernels linked without numba: the same results, and whatever is not as expected goes to numba."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from helpers import ROOT
from linked_trial import load

from irci.kernels.records import Stretches
from irci.native import linking
from irci.native.jit import kind_of_type
from irci.native.kinds import kinds_of

# Without numba's settings, as by `make bounds`, with which nothing is linked.
PLAIN = {
    name: value for name, value in os.environ.items() if not name.startswith("NUMBA_") or name == "NUMBA_CACHE_DIR"
}
TRIAL = ROOT / "tests" / "linked_trial.py"
CALLS = [
    "total(np.arange(5.0), 1)",
    "total(np.arange(10.0)[::2], 0)",
    "total(np.arange(5), 0)",
    "split(np.array([3.0, 1.0, 2.0]), 2.0)",
    "longest(split(np.array([3.0, 1.0, 2.0]), 2.0))",
]


def run(folder: Path, *calls: str, **environment: str) -> tuple[list[Any], bool]:
    """What calls give in a process of their own, with objects kept in that folder, and whether they took numba."""
    settings = PLAIN | {"NUMBA_CACHE_DIR": str(folder / "kept")} | environment
    command = [sys.executable, str(TRIAL), str(folder), *calls]
    done = subprocess.run(command, capture_output=True, text=True, env=settings, timeout=120)
    assert done.returncode == 0, done.stderr
    results, took_numba = json.loads(done.stdout)
    return results, took_numba


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """A folder in which the objects of all calls are kept, and the results by numba."""
    folder = tmp_path_factory.mktemp("warm")
    results, took_numba = run(folder, *CALLS)
    assert took_numba
    return folder, results


def objects_in(folder: Path) -> list[Path]:
    return sorted((folder / "kept").rglob("*.linked-*"))


def copy(warm: Path, folder: Path) -> Path:
    for path in [*objects_in(warm), warm / "trial.py"]:
        new = folder / path.relative_to(warm)
        new.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(path.read_bytes())
    return folder


@pytest.mark.check
def test_what_is_kept_gives_the_same_without_numba(warm: tuple[Path, list[Any]]) -> None:
    folder, results = warm
    assert results[0] == ["float", 10.0]
    assert results[3] == ["Split", ["float64", [1.0]], ["float64", [3.0, 2.0]], ["int", 3]]
    assert run(folder, *CALLS) == (results, False)


GOLDEN = """
import sys
from irci.system import process
process.is_own = True
sys.path.insert(0, sys.argv[1])
from command_lines import golden_case
from helpers import TESTDATA
other = [case.name for case in sorted((TESTDATA / "golden").iterdir()) if len({*golden_case(case)}) > 1]
print(*other, "numba" in sys.modules)
"""


def golden(**environment: str) -> str:
    """The golden cases that come out other in a process of the command, and whether it took numba."""
    command = [sys.executable, "-c", GOLDEN, str(TRIAL.parent)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=PLAIN | environment)
    return done.stdout.strip()


@pytest.mark.slow
def test_golden_cases_come_out_the_same_without_numba() -> None:
    first = golden()
    assert (golden() if first == "True" else first) == "False"


@pytest.mark.slow
def test_golden_cases_come_out_the_same_from_nothing(tmp_path: Path) -> None:
    """Compiled at first, then linked; and the same where nothing can be linked."""
    found = [golden(NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    assert found == ["True", "False"]
    assert golden(NUMBA_CACHE_DIR=str(tmp_path), NUMBA_NUM_THREADS="2") == "True"


@pytest.mark.check
def test_exceptions_of_kernels_are_theirs(warm: tuple[Path, list[Any]]) -> None:
    assert run(warm[0], "total(np.arange(5.0), -1)", CALLS[0]) == (
        [["ValueError", "below zero"], ["float", 10.0]],
        True,
    )


@pytest.mark.check
def test_another_kind_of_argument_goes_to_numba_and_back(warm: tuple[Path, list[Any]], tmp_path: Path) -> None:
    folder = copy(warm[0], tmp_path)
    calls = [CALLS[0], "total(np.arange(5, dtype=np.int8), 1)", CALLS[0], CALLS[3]]
    results, took_numba = run(folder, *calls)
    assert took_numba
    assert results == [warm[1][0], ["float", 10.0], warm[1][0], warm[1][3]]
    assert run(folder, *calls) == (results, False)


def flipped(content: bytes) -> bytes:
    return content[:-999] + bytes([content[-999] ^ 4]) + content[-998:]


@pytest.mark.parametrize(
    "garble",
    [
        pytest.param(lambda c: b"", marks=pytest.mark.slow, id="empty"),
        pytest.param(lambda c: c[: len(c) // 2], marks=pytest.mark.check, id="truncated"),
        pytest.param(flipped, marks=pytest.mark.slow, id="a bit"),
        pytest.param(lambda c: os.urandom(len(c)), marks=pytest.mark.slow, id="garbage"),
        pytest.param(lambda c: c + b"\0", marks=pytest.mark.slow, id="longer"),
    ],
)
def test_garbled_objects_go_to_numba(warm: tuple[Path, list[Any]], tmp_path: Path, garble: Any) -> None:
    folder = copy(warm[0], tmp_path)
    for path in objects_in(folder):
        path.write_bytes(garble(path.read_bytes()))
    assert run(folder, *CALLS[:1]) == (warm[1][:1], True)
    assert run(folder, *CALLS[:1]) == (warm[1][:1], False)


@pytest.mark.slow
def test_an_object_under_the_name_of_another_goes_to_numba(warm: tuple[Path, list[Any]], tmp_path: Path) -> None:
    folder = copy(warm[0], tmp_path)
    totals = [path for path in objects_in(folder) if path.name.startswith("trial.total")]
    contents = [path.read_bytes() for path in totals]
    for path, content in zip(totals, contents[1:] + contents[:1], strict=True):
        path.write_bytes(content)
    assert run(folder, *CALLS[:3]) == (warm[1][:3], True)


@pytest.mark.check
@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"undefined": ["there_is_no_such_symbol"]}, id="symbol"),
        pytest.param({"classes": {"00" * 20: ["os", "system"]}}, marks=pytest.mark.slow, id="foreign"),
        pytest.param({"classes": {"00" * 20: ["irci.kernels.trial", "Nothing"]}}, marks=pytest.mark.slow, id="missing"),
        pytest.param({"classes": {"00" * 20: ["irci.native.compiled", "Kernel"]}}, marks=pytest.mark.slow, id="class"),
        pytest.param({"entry": "nothing"}, marks=pytest.mark.slow, id="entry"),
        pytest.param({"environments": {"nothing": []}}, marks=pytest.mark.slow, id="environment"),
        pytest.param({"undefined": None}, marks=pytest.mark.slow, id="header"),
    ],
)
def test_whole_objects_that_cannot_be_linked_go_to_numba(
    warm: tuple[Path, list[Any]], tmp_path: Path, change: dict[str, Any]
) -> None:
    """As from an irci or a numba that made others; signed, so that only their content is wrong."""
    folder = copy(warm[0], tmp_path)
    code = f"""
import sys
sys.path.insert(0, {str(TRIAL.parent)!r})
from irci.system import process
process.is_own = True
from pathlib import Path
from linked_trial import load
from irci.native import linking
trial = load(Path({str(folder)!r}))
store, kinds = linking.store(), (("<f8", 1, "C", True), "<i8")
name, which = linking.name_of(trial.total.function), linking.description(trial.total.function, kinds, linking.processor())
header, content = linking.parted(store.load(name, which))
store.save(name, which, linking.joined(header | {change!r}, content))
"""
    settings = PLAIN | {"NUMBA_CACHE_DIR": str(folder / "kept")}
    subprocess.run([sys.executable, "-c", code], check=True, env=settings)
    assert run(folder, *CALLS[:1]) == (warm[1][:1], True)


@pytest.mark.check
@pytest.mark.parametrize("name", ["NUMBA_OPT", pytest.param("NUMBA_BOUNDSCHECK", marks=pytest.mark.slow)])
def test_settings_of_numbas_go_to_numba(warm: tuple[Path, list[Any]], name: str) -> None:
    assert run(warm[0], CALLS[0], **{name: "1"}) == (warm[1][:1], True)


@pytest.mark.check
def test_another_processor_has_its_own_objects(warm: tuple[Path, list[Any]], tmp_path: Path) -> None:
    """As where machines share a home: what is of others is not used, and stays."""
    folder = copy(warm[0], tmp_path)
    before = {path: path.read_bytes() for path in objects_in(folder)}
    other = (
        "setattr(sys.modules['irci.native.linking'], 'processor', lambda: ('x86_64-unknown-linux-gnu', 'k8', '+sse2'))"
    )
    assert run(folder, other, CALLS[0]) == ([["NoneType", None], warm[1][0]], True)
    assert before.items() <= {path: path.read_bytes() for path in objects_in(folder)}.items()
    assert run(folder, *CALLS) == (warm[1], False)


@pytest.mark.check
def test_numba_compiles_afterwards_in_the_same_process(warm: tuple[Path, list[Any]]) -> None:
    mine = "__import__('numba').njit(lambda a: (a * 2, a.sum()))(np.arange(3.0))[1]"
    assert run(warm[0], CALLS[3], mine, CALLS[3], CALLS[0]) == (
        [warm[1][3], ["float", 3.0], warm[1][3], warm[1][0]],
        True,
    )


@pytest.mark.check
def test_memory_does_not_grow(warm: tuple[Path, list[Any]]) -> None:
    """Arrays of a megabyte, 200 times over, and the objects around them."""
    rss = "int(open('/proc/self/statm').read().split()[1]) * 4096"
    many = "len([split(np.arange(131072.0), 7.0).number for _ in range({})])"
    results, took_numba = run(
        warm[0], many.format(20), rss, many.format(200), rss, "sys.getrefcount(Split)", many.format(50)
    )
    assert not took_numba
    assert results[3][1] - results[1][1] < 20e6  # of 200e6


@pytest.mark.slow
def test_references_are_counted_as_by_numba(warm: tuple[Path, list[Any]]) -> None:
    """Which forgets some to the class of arrays, for ever there."""
    counts = "[sys.getrefcount(each) for each in (Split, np.ndarray, np.dtype('f8'), None)]"
    many = "len([split(np.arange(3.0), 2.0).number for _ in range(1000)])"
    grown = []
    for settings in ({}, {"NUMBA_OPT": "1"}):
        results, took_numba = run(warm[0], many, counts, many, counts, **settings)
        assert took_numba == bool(settings)
        grown.append(np.round(np.subtract(results[3][1], results[1][1]) / 100))
    assert grown[0].tolist() == grown[1].tolist()


@pytest.mark.check
def test_the_interpreters_lock_is_let_go(warm: tuple[Path, list[Any]]) -> None:
    """One thread's kernel waits for what another thread does."""
    call = (
        "(lambda flag: [__import__('threading').Timer(0.2, lambda: flag.__setitem__(0, 1)).start(), wait(flag)][1])"
        "(np.zeros(1, np.int64))"
    )
    once = "wait(np.ones(1, np.int64))"
    assert run(warm[0], once)[0] == [["bool", True]]
    assert run(warm[0], call) == ([["bool", True]], False)


@pytest.mark.slow
def test_one_who_dies_while_writing_leaves_nothing_that_is_used(tmp_path: Path) -> None:
    """Killed in the midst of a file."""
    dying = (
        "[setattr(sys.modules['pathlib'].Path, 'write_bytes', lambda path, content: [path.open('wb', 0).write(content[:99]),"
        " __import__('os').kill(__import__('os').getpid(), 9)]), total(np.arange(5.0), 1)]"
    )
    settings = PLAIN | {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    killed = subprocess.run([sys.executable, str(TRIAL), str(tmp_path), dying], env=settings)
    assert killed.returncode == -9
    assert [path.suffix for path in tmp_path.rglob("kept/*/*")] == [".tmp"]
    assert run(tmp_path, CALLS[0]) == ([["float", 10.0]], True)
    assert run(tmp_path, CALLS[0]) == ([["float", 10.0]], False)


@pytest.mark.slow
def test_three_first_runs_at_once(tmp_path: Path) -> None:
    settings = PLAIN | {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    load_once = [sys.executable, str(TRIAL), str(tmp_path)]
    subprocess.run(load_once, check=True, env=settings, capture_output=True)
    command = [*load_once, *CALLS[:1]]
    runs = [subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert {each.communicate()[0] for each in runs} == {'[[["float", 10.0]], true]\n'}
    assert run(tmp_path, *CALLS[:1]) == ([["float", 10.0]], False)
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.check
def test_a_folder_that_cannot_be_written_is_read(warm: tuple[Path, list[Any]], tmp_path: Path) -> None:
    folder = copy(warm[0], tmp_path)
    for path in sorted((folder / "kept").rglob("*"), reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert run(folder, *CALLS) == (warm[1], False)
    finally:
        for path in (folder / "kept").rglob("*"):
            path.chmod(0o755)


VALUES = [
    True, 1, -1, 2**62, 0.5, float("nan"), np.int8(1), np.uint64(1), np.float32(1), np.bool_(True), np.int64(3), np.float64(2),
    np.zeros(3), np.zeros((2, 3)), np.zeros((2, 3), order="F"), np.zeros((4, 6))[::2, ::3], np.zeros((2, 2, 2)).T,
    np.zeros(0, np.uint8), np.zeros(3, bool), np.frombuffer(b"abc", np.uint8), np.zeros((1, 1)), np.zeros((0, 3)),
    np.zeros(()), (), (1, 2), (1, 2.0), (np.zeros(2), 1),
    Stretches(np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)),
]  # fmt: skip
OTHERS = [
    None, "text", b"bytes", 2**63, -(2**63) - 1, 1j, np.zeros(2, complex), np.zeros(2, ">f8"), np.zeros(2, "S3"), [1], {1: 2},
    np.zeros(2, object), np.zeros(9, np.uint8)[1:].view(np.float64), np.zeros(2, np.longdouble), np.ma.zeros(2),
    np.zeros(2, "f8,i4"), np.float16(1), np.zeros(2, np.float16), np.datetime64(1, "s"),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_kinds_of_values_are_those_of_numbas_types(value: Any) -> None:
    (kind,) = kinds_of((value,)) or ()
    assert kinds_of((numba.typeof(value),), kind_of_type) == (kind,)


@pytest.mark.parametrize("value", OTHERS, ids=lambda value: repr(value)[:30])
def test_other_values_are_left_to_numba(value: Any) -> None:
    kinds = kinds_of((value,))
    try:
        types = kinds_of((numba.typeof(value),), kind_of_type)
    except Exception:
        types = None
    assert kinds is None or types == kinds


def test_in_a_program_kernels_are_numbas(tmp_path: Path) -> None:
    """Which may use numba otherwise, and tests do."""
    assert not linking.is_possible()
    kernel = load(tmp_path).total
    assert kernel(np.arange(3.0), 1) == 3
    assert isinstance(kernel.real(), numba.core.dispatcher.Dispatcher)
    assert len(kernel.signatures) == 1


def test_versions_that_are_not_proven_go_to_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither newer ones nor those that do not tell."""
    monkeypatch.setattr("irci.system.process.is_own", True)
    monkeypatch.delitem(sys.modules, "numba")
    monkeypatch.delenv("NUMBA_BOUNDSCHECK", raising=False)  # by `make bounds`
    monkeypatch.setattr(linking, "version_of_numba", lambda: sorted(linking.PROVEN)[0])
    assert linking.is_possible()
    for version in (None, "0.99.0"):
        monkeypatch.setattr(linking, "version_of_numba", lambda version=version: version)
        assert not linking.is_possible()

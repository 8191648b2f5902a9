"""Kernels that numba compiled and that are kept: found by content alone; what goes wrong costs time, never a result."""

import errno
import logging
import os
import shutil
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numba
import pytest
from command_lines import by_python
from helpers import ROOT, SMALL

from irci.base import UsageError
from irci.native import compiled, jit

Patch, Log = pytest.MonkeyPatch, pytest.LogCaptureFixture


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: Patch, caplog: Log) -> Path:
    """Where the kernels of this process are kept for now, who has warned of nothing."""
    caplog.set_level(logging.WARNING, "irci")
    monkeypatch.setattr(jit, "warned", [])
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    return tmp_path / "kept"


def twice(number: int) -> int:
    return 2 * number


def is_compiled_anew() -> bool:
    """Whether a process that starts now would compile; its result is right in any case."""
    kernel = jit.njit(twice)
    assert kernel(21) == 42
    return not kernel.stats.cache_hits


def assert_compiled_once() -> None:
    assert [is_compiled_anew(), is_compiled_anew()] == [True, False]


def entries(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("content", [b"", b"no pickle", b"\x80\x04N.", b"\x80\x04).", None])
def test_what_cannot_be_loaded_is_compiled_anew_and_replaced(folder: Path, content: bytes | None) -> None:
    """Damaged, cut off, or from a numba that had other things in it."""
    assert_compiled_once()
    (entry,) = entries(folder)
    entry.write_bytes(entry.read_bytes()[: entry.stat().st_size // 2] if content is None else content)
    assert_compiled_once()


def test_a_numba_that_is_other_inside_keeps_nothing(folder: Path, monkeypatch: Patch, caplog: Log) -> None:
    numba.njit(twice)(1)  # which has numba compile what it needs itself
    monkeypatch.delattr("numba.core.compiler.CompileResult._reduce")
    assert [is_compiled_anew(), is_compiled_anew()] == [True, True]
    (message,) = caplog.messages
    assert "each run compiles them" in message


def test_named_tuples_are_told_apart_by_their_fields(folder: Path) -> None:
    one, other = namedtuple("Pair", ("first", "second")), namedtuple("Pair", ("second", "first"))
    for pair in (one(first=1, second=2), other(first=1, second=2)):
        assert jit.njit(lambda pair: pair.first)(pair) == 1


def full_disk(folder: Path, patch: Patch) -> None:
    full = mock.Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    patch.setattr("irci.native.compiled.os.replace", full)


def no_home(folder: Path, patch: Patch) -> None:
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        patch.delenv(name, raising=False)
    patch.setattr(os.path, "expanduser", lambda path: path)


def others_can_write(folder: Path, patch: Patch) -> None:
    place = Path(compiled.folder_of(jit.KEY))
    place.mkdir(parents=True)
    place.chmod(0o777)


TROUBLE: dict[str, Callable[[Path, Patch], object]] = {
    "(No space left on device)": full_disk,
    "(Not a directory)": lambda folder, patch: folder.touch(),
    "(there is no home)": no_home,
    "(others can write to it)": others_can_write,
}


@pytest.mark.parametrize("reason", TROUBLE)
def test_without_a_folder_each_process_compiles(folder: Path, monkeypatch: Patch, caplog: Log, reason: str) -> None:
    """One warning says what to do; nothing else is put anywhere."""
    TROUBLE[reason](folder, monkeypatch)
    assert [is_compiled_anew(), is_compiled_anew()] == [True, True]
    (message,) = caplog.messages
    assert reason in message
    assert "set NUMBA_CACHE_DIR to a folder of your own" in message
    assert not [path for path in folder.parent.rglob("*") if path.is_file() and path != folder]


def test_a_folder_that_cannot_be_written_is_read_and_one_that_vanishes_made_again(folder: Path, caplog: Log) -> None:
    assert is_compiled_anew()
    inner = next(folder.iterdir())
    inner.chmod(0o500)
    assert not is_compiled_anew()
    inner.chmod(0o700)
    shutil.rmtree(folder)
    assert_compiled_once()
    assert not caplog.messages


def test_content_decides_not_times_or_places(tmp_path: Path, monkeypatch: Patch) -> None:
    key = compiled.key_of("1")
    places = [str(tmp_path / Path(folder).name) for folder in compiled.SOURCES]
    for folder, copy in zip(compiled.SOURCES, places, strict=True):
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compiled, "SOURCES", places)
    for source in tmp_path.rglob("*.py"):
        os.utime(source, (1e9, 1e9))
        assert compiled.key_of("1") == key
        content = source.read_bytes()
        source.write_bytes(content.replace(b"e", b"E", 1))
        assert compiled.key_of("1") != key
        source.write_bytes(content)
    assert len({key, *(compiled.key_of(*versions) for versions in (("1", "2"), ("12",), ("1", "3")))}) == 4


def test_settings_that_change_code_are_content(folder: Path, monkeypatch: Patch) -> None:
    """Those in force, wherever numba has them from; kernels of settings that have changed since are not kept."""
    numba.config.reload_config()  # which numba does before it compiles, if the environment has changed
    for name, value in {"CACHE_DIR": "/tmp", "NUMBA_NUM_THREADS": 77}.items():
        monkeypatch.setattr(numba.config, name, value)
    keys = {jit._key()}
    assert keys == {jit.KEY}
    for name, value in (("BOUNDSCHECK", 2), ("BOUNDSCHECK", 0), ("OPT", 1)):
        with monkeypatch.context() as patch:
            patch.setattr(numba.config, name, value)
            keys.add(jit._key())
            assert is_compiled_anew()
    assert (len(keys), entries(folder)) == (4, [])


def test_numba_that_does_not_compile_is_refused(monkeypatch: Patch) -> None:
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    with pytest.raises(UsageError, match="unset NUMBA_DISABLE_JIT"):
        jit.load_numba()


def test_settings_that_numba_cannot_take_are_wrong_usage() -> None:
    environment = {**os.environ, "IRCI_KERNELS": "kept", "NUMBA_NUM_THREADS": "0"}
    result = by_python("-m", "irci", "ap-ci", SMALL / "qrels.txt", SMALL / "runs/alpha.run", env=environment)
    assert (result.returncode, result.stdout) == (2, "")
    *usage, message = result.stderr.splitlines()
    assert (len(usage), "NUMBA_NUM_THREADS=0" in message) == (3, True)


PART_OF_HASH = """
import numpy as np
from irci.kernels.ranking import part_of_hash
print(part_of_hash(np.arange(40, dtype=np.uint64), np.uint64(1), 7).tolist(), sum(part_of_hash.stats.cache_hits.values()))
"""
DYING = "import os\nos.replace = lambda *_, **__: os.kill(os.getpid(), 9)" + PART_OF_HASH


def part_of_hash(tmp_path: Path, program: str = PART_OF_HASH) -> "subprocess.Popen[str]":
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept"), "PYTHONPATH": str(tmp_path)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": tmp_path, "env": environment}
    return subprocess.Popen([sys.executable, "-W", "ignore", "-c", program], **pipes)


@pytest.mark.slow
def test_a_changed_helper_is_compiled_in(tmp_path: Path) -> None:
    """`part_of_hash` has `splitmix`, of another file, in it."""

    def parts() -> tuple[str, bool]:
        """What a new process prints, and whether it found its kernel."""
        numbers, _, hits = part_of_hash(tmp_path).communicate()[0].strip().rpartition(" ")
        return numbers, hits == "1"

    shutil.copytree(ROOT / "irci", tmp_path / "irci", ignore=shutil.ignore_patterns("__pycache__"))
    helper = tmp_path / "irci/kernels/generator.py"
    before, found = parts()
    assert not found
    os.utime(helper, (1e9, 1e9))
    assert parts() == (before, True)
    text = helper.read_text()
    changed = text.replace("mix(word + GOLDEN)", "mix(word + GOLDEN + GOLDEN)")
    assert changed != text
    helper.write_text(changed)
    after, found = parts()
    assert (after != before, found) == (True, False)
    assert parts() == (after, True)
    helper.write_text(text)
    assert parts() == (before, True)


@pytest.mark.slow
def test_first_runs_at_once_say_the_same_and_one_who_dies_leaves_nothing_that_is_used(tmp_path: Path) -> None:
    dying = part_of_hash(tmp_path, DYING)
    dying.communicate()
    assert dying.returncode == -9
    assert [path.suffix for path in entries(tmp_path / "kept")] == [".tmp"]
    processes = [part_of_hash(tmp_path) for _ in range(3)]
    outputs = {process.communicate(timeout=600) for process in processes}
    again = part_of_hash(tmp_path).communicate()[0]
    assert {(out.rpartition(" ")[0], err) for out, err in outputs} == {(again.rpartition(" ")[0], "")}
    assert again.endswith(" 1\n")
    assert len([path for path in entries(tmp_path / "kept") if path.suffix == ".tmp"]) == 1

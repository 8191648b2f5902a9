"""Compiled kernels that are kept: found again by content alone; what goes wrong there costs time, never a result."""

import errno
import importlib
import logging
import os
import py_compile
import resource
import shutil
import subprocess
import sys
import time
import zipfile
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import numba
import pytest
from helpers import ROOT, SMALL

import irci
from irci import native
from irci.base.errors import UsageError
from irci.native import jit
from irci.native import store as kernel_store
from irci.native.store import LATEST, SOURCES, Store, content_key, folders

CODE = b"code"


@pytest.fixture
def caplog(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """What irci warns of."""
    caplog.set_level(logging.WARNING, "irci")
    return caplog


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the kernels of this process are kept for now."""
    monkeypatch.setattr(jit, "STORE", Store(["1"], [tmp_path / "kept"]))
    return tmp_path / "kept"


def twice(number: int) -> int:
    return 2 * number


def is_compiled_anew() -> bool:
    """Whether a process that starts now would compile; its result is right in any case."""
    kernel = jit.njit(cache=True)(twice)
    assert kernel(21) == 42
    return not kernel.stats.cache_hits


def entries(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


GARBLED: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "in its checksum": lambda content: flipped(content, 3),
    "in its code": lambda content: flipped(content, 4 * len(content)),
    "longer": lambda content: content + b"\0",
    "garbage": lambda content: os.urandom(len(content)),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("garble", GARBLED.values(), ids=GARBLED)
def test_garbled_kernels_are_compiled_anew_and_replaced(folder: Path, garble: Callable[[bytes], bytes]) -> None:
    assert is_compiled_anew()
    assert not is_compiled_anew()
    (entry,) = entries(folder)
    entry.write_bytes(garble(entry.read_bytes()))
    assert is_compiled_anew()
    assert not is_compiled_anew()


def test_a_flipped_bit_in_any_byte_is_noticed(tmp_path: Path) -> None:
    store = Store(["1"], [tmp_path])
    store.save("name", "description", CODE)
    (entry,) = entries(tmp_path)
    whole = entry.read_bytes()
    for bit in range(0, 8 * len(whole), 7):
        entry.write_bytes(flipped(whole, bit))
        assert store.load("name", "description") is None
    entry.write_bytes(whole)
    assert store.load("name", "description") == CODE


def test_a_kernel_under_the_name_of_another_is_not_loaded(tmp_path: Path) -> None:
    store = Store(["1"], [tmp_path])
    store.save("name", "of whole numbers", b"other code")
    (other,) = entries(tmp_path)
    store.save("name", "of fractions", CODE)
    (entry,) = set(entries(tmp_path)) - {other}
    other.replace(entry)
    assert store.load("name", "of fractions") is None


def test_what_numba_cannot_use_is_compiled_anew(folder: Path) -> None:
    """Whole, but from a numba that had other things in it."""
    assert is_compiled_anew()
    load = jit.STORE.load
    for content in (b"no pickle", b"\x80\x04N.", b"\x80\x04)."):
        jit.STORE.load = lambda *_, content=content: content  # type: ignore[method-assign]
        assert is_compiled_anew()
    jit.STORE.load = load  # type: ignore[method-assign]
    assert not is_compiled_anew()


@pytest.mark.parametrize("name", ["numba.core.serialize.dumps", "numba.core.compiler.CompileResult._reduce"])
def test_a_numba_that_is_other_inside_keeps_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    numba.njit(twice)(1)  # which has numba compile what it needs itself
    monkeypatch.delattr(name)
    assert is_compiled_anew()
    assert is_compiled_anew()
    assert len(caplog.messages) == 1
    assert "each run compiles them again" in caplog.messages[0]


def test_named_tuples_are_told_apart_by_their_fields(folder: Path) -> None:
    one, other = namedtuple("Pair", ("first", "second")), namedtuple("Pair", ("second", "first"))
    for pair in (one(first=1, second=2), other(first=1, second=2)):
        assert jit.njit(cache=True)(lambda pair: pair.first)(pair) == 1


def test_a_full_disk_costs_time_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write = kernel_store._write_new

    def write_a_part(name: str, at: int, content: bytes) -> None:
        write(name, at, content[:100])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(kernel_store, "_write_new", write_a_part)
    assert is_compiled_anew()
    assert is_compiled_anew()
    assert not entries(folder)
    told = f"kernels cannot be kept in {folder} (No space left on device): each run compiles them again"
    assert [message.partition(";")[0] for message in caplog.messages] == [told]


def test_a_limit_of_file_sizes_costs_time_only(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        assert is_compiled_anew()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not entries(folder)
    assert "(File too large)" in caplog.messages[0]
    assert is_compiled_anew()
    assert not is_compiled_anew()


def make_loop(place: Path) -> None:
    place.symlink_to(place)


@pytest.mark.parametrize("make", [Path.touch, make_loop], ids=["file", "loop"])
def test_without_a_folder_kernels_are_this_process_own(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, make: Callable[[Path], None]
) -> None:
    """Nothing else is put anywhere; the next place, if there is one, takes them."""
    make(tmp_path / "place")
    store = Store(["1"], [tmp_path / "place"])
    for description in ("one", "other"):
        store.save("name", description, CODE)
        assert store.load("name", description) is None
    assert [str(tmp_path / "place") in message for message in caplog.messages] == [True]
    assert list(tmp_path.iterdir()) == [tmp_path / "place"]
    caplog.clear()
    store = Store(["1"], [tmp_path / "place", tmp_path / "next"])
    store.save("name", "one", CODE)
    assert store.load("name", "one") == CODE
    assert not caplog.messages


def test_kernels_beside_sources_that_cannot_be_written_are_used(tmp_path: Path) -> None:
    """An administrator compiled them; a garbled one is kept anew in the next place."""
    Store(["1"], [tmp_path / "system"]).save("name", "one", CODE)
    user = Store(["1"], [tmp_path / "system", tmp_path / "user"])
    assert user.load("name", "one") == CODE
    (entry,) = entries(tmp_path)
    entry.unlink()
    entry.mkdir()  # what cannot be replaced
    user.save("name", "one", CODE)
    assert user.load("name", "one") == CODE


def test_a_folder_that_vanishes_is_made_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Store(["1"], [tmp_path / "kept"])
    store.save("name", "one", CODE)
    shutil.rmtree(tmp_path / "kept")
    assert store.load("name", "one") is None
    store.save("name", "one", CODE)
    assert store.load("name", "one") == CODE
    assert not caplog.messages


def test_a_folder_that_vanishes_before_it_is_written_to_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As when other processes, with other settings, make room."""
    kept, write = Store(["1"], [tmp_path / "kept"]), kernel_store._write_new

    def write_too_late(name: str, at: int, content: bytes) -> None:
        monkeypatch.setattr(kernel_store, "_write_new", write)
        kept._folder(tmp_path / "kept").rmdir()
        write(name, at, content)

    monkeypatch.setattr(kernel_store, "_write_new", write_too_late)
    kept.save("name", "one", CODE)
    assert kept.load("name", "one") == CODE
    assert not caplog.messages


def test_content_decides_not_times_or_places(tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere"
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    key = content_key(["1"], SOURCES)
    tomorrow = time.time() + 86400
    for source in copy.glob("*.py"):
        os.utime(source, (tomorrow, tomorrow))
        assert content_key(["1"], copy) == key
        content = source.read_bytes()
        source.write_bytes(content.replace(b"e", b"E", 1))
        assert content_key(["1"], copy) != key
        source.write_bytes(content)
    assert content_key(["1"], copy) == key


def test_versions_and_settings_that_change_code_are_content(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever numba has them from: its settings are those in force."""
    now = jit._settings()
    assert now in jit.SETTINGS
    for name, value in {"CACHE_DIR": "/tmp", "NUMBA_NUM_THREADS": 77}.items():
        monkeypatch.setattr(numba.config, name, value)
    settings = [jit._settings()]
    assert settings == [now]
    for name, value in (("BOUNDSCHECK", 2), ("BOUNDSCHECK", 0), ("OPT", 1)):
        with monkeypatch.context() as patch:
            patch.setattr(numba.config, name, value)
            settings.append(jit._settings())
    keys = [content_key(versions) for versions in (["1", "2"], ["12"], ["1", "3"], *([each] for each in settings))]
    assert len(set(keys)) == len(keys)


def test_kernels_of_settings_that_have_changed_since_are_not_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a .numba_config.yaml, which numba reads again before it compiles."""
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 2)
    assert is_compiled_anew()
    assert not entries(folder)


@pytest.mark.parametrize("stale", ["1", "2 + constant"])
def test_kernels_of_bytecode_of_other_sources_are_not_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, stale: str
) -> None:
    """A source that changed within its size and second, as reproducible installations have it, is not what Python loads."""
    source = tmp_path / "a.py"

    def write(constant: str) -> Store:
        source.write_text(f"def f(x, constant=3):\n    return x * {constant:>20}\n")
        os.utime(source, (1e9, 1e9))
        return Store(["1"], [tmp_path / "kept"], sources=tmp_path)

    write("2")
    py_compile.compile(str(source))
    write(stale).save("name", "one", CODE)
    assert not (tmp_path / "kept").exists()
    (message,) = caplog.messages
    assert message.startswith(f"{source}: the bytecode beside it was compiled from another source")
    write("2").save("name", "one", CODE)
    assert len(entries(tmp_path / "kept")) == 1


def zipped(archive: Path, folder: Path, *patterns: str) -> Path:
    """An archive of a folder's files, under its name; where the folder is in there."""
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(each for pattern in patterns for each in folder.rglob(pattern)):
            file.write(path, path.relative_to(folder.parent))
    return archive / folder.name


def test_sources_in_an_archive_are_as_those_in_a_folder(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kernels/inner").mkdir(parents=True)
    (tmp_path / "kernels/inner/b.py").write_text("1")
    source = tmp_path / "kernels/a.py"
    source.write_text("1")
    inside = zipped(tmp_path / "one.zip", source.parent, "*.py")
    assert content_key(["1"], inside) == content_key(["1"], source.parent)
    store = Store(["1"], [inside / "__pycache__", tmp_path / "kept"], sources=inside)
    store.save("name", "one", CODE)
    assert (store.load("name", "one"), caplog.messages) == (CODE, [])
    source.write_text("2")
    other = zipped(tmp_path / "other.zip", source.parent, "*.py")
    assert content_key(["1"], other) == content_key(["1"], source.parent) != store.key
    assert Store(["1"], [tmp_path / "kept"], sources=other).load("name", "one") is None
    (tmp_path / "one.zip").write_bytes((tmp_path / "other.zip").read_bytes())
    store.save("name", "changed since", CODE)
    assert store.load("name", "changed since") is None


def test_stale_bytecode_in_an_archive_keeps_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    source = tmp_path / "kernels/a.py"
    source.parent.mkdir()
    for number in ("1", "2"):
        source.write_text(f"print({number})\n")
        os.utime(source, (1e9, 1e9))
        if number == "1":
            py_compile.compile(str(source), str(source.with_suffix(".pyc")))
    inside = zipped(tmp_path / "one.zip", source.parent, "*.py", "*.pyc")
    Store(["1"], [tmp_path / "kept"], sources=inside).save("name", "one", CODE)
    assert not (tmp_path / "kept").exists()
    (message,) = caplog.messages
    assert message.startswith(f"{inside}/a.py: the bytecode beside it was compiled from another source")


@pytest.mark.check
def test_a_command_in_an_archive_uses_kernels_of_the_same_content(tmp_path: Path) -> None:
    """What this process keeps, another finds that has irci from an archive; its other files are read from there too."""
    archive = zipped(tmp_path / "irci.zip", Path(irci.__file__).parent, "*.py", "*.bib", "*.css", "*.js").parent
    out = tmp_path / "page.html"
    files = [str(SMALL / "qrels.txt"), str(SMALL / "runs/alpha.run")]

    def told(*arguments: str) -> str:
        command = [sys.executable, "-m", "irci", "map-ci", "-B", "20", *arguments, *files]
        environment = {**os.environ, "PYTHONPATH": str(archive), "NUMBA_CACHE_DIR": str(jit.STORE.places[0])}
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=True)
        return done.stderr + done.stdout

    assert "@" in told("--cite")
    told("--format", "html", "-o", str(out))
    assert "<style>" in out.read_text()
    again = told()
    assert "kernels" not in again
    assert "map " in again
    shown = subprocess.run(
        [sys.executable, "-c", "import irci; print(irci.__file__)"],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(archive)}, check=True,
    )  # fmt: skip
    assert shown.stdout.startswith(str(archive))


def test_kernels_under_another_key_are_not_loaded(tmp_path: Path) -> None:
    """A folder that somebody copied or renamed."""
    store, other = Store(["1"], [tmp_path]), Store(["2"], [tmp_path])
    other.save("name", "one", CODE)
    (folder,) = tmp_path.iterdir()
    folder.rename(folder.with_name(folder.name.replace(other.key, store.key)))
    assert len(entries(tmp_path)) == 1
    assert store.load("name", "one") is None


def test_without_sources_nothing_is_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """As where only bytecode is installed: kernels of any version would be each other's."""
    store = Store(["1"], [tmp_path / "kept"], sources=tmp_path)
    store.save("name", "one", CODE)
    assert store.load("name", "one") is None
    assert not entries(tmp_path)
    assert len(caplog.messages) == 1


def test_kernels_of_sources_that_have_changed_since_are_not_kept(tmp_path: Path) -> None:
    """Which of both was compiled, nobody knows."""
    source = tmp_path / "a.py"
    source.write_text("before")
    store = Store(["1"], [tmp_path / "kept"], sources=tmp_path)
    source.write_text("after")
    store.save("name", "one", CODE)
    assert entries(tmp_path) == [source]


def test_kernels_of_other_days_do_not_pile_up(tmp_path: Path) -> None:
    (tmp_path / "of somebody else").mkdir()
    (tmp_path / "of somebody else/a.py").touch()
    stores = [Store([str(version)], [tmp_path], tmp_path / "of somebody else") for version in range(2 * LATEST)]
    for age, store in enumerate(stores):
        store.save("name", "one", CODE)
        (new,) = tmp_path.glob(f"*-{store.key}")
        os.utime(new, (1e9 + age, 1e9 + age))
    assert [store.load("name", "one") is not None for store in stores] == [False] * LATEST + [True] * LATEST
    assert len(list(tmp_path.iterdir())) == LATEST + 1


def test_kernels_in_use_make_no_room(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    stores = [Store([str(version)], [tmp_path], tmp_path) for version in range(LATEST + 1)]
    for age, store in enumerate(stores[:-1]):
        store.save("name", "one", CODE)
        os.utime(store._folder(tmp_path), (1e9 + age, 1e9 + age))
    assert stores[0].load("name", "one") == CODE
    stores[-1].save("name", "one", CODE)
    kept = [store.load("name", "one") is not None for store in stores[:-1]]
    assert kept == [True, False] + [True] * (LATEST - 2)


def test_what_the_dead_left_half_written_is_removed(tmp_path: Path) -> None:
    store = Store(["1"], [tmp_path])
    store.save("name", "one", CODE)
    (entry,) = entries(tmp_path)
    old, new = (entry.with_name(f"{entry.name}.{which}.tmp") for which in ("old", "new"))
    old.touch()
    new.touch()
    os.utime(old, (1e9, 1e9))
    store.save("name", "one", CODE)
    assert set(entries(tmp_path)) == {entry, new}


def test_where_kernels_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    beside = SOURCES / "__pycache__"
    assert folders({"NUMBA_CACHE_DIR": "/kept", "XDG_CACHE_HOME": "/home"}) == [Path("/kept"), Path("/home/irci")]
    assert folders({"NUMBA_CACHE_DIR": "kept", "XDG_CACHE_HOME": "no path"}) == [Path("kept")]
    assert folders({"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": "/home"}) == [beside, Path("/home/irci")]
    monkeypatch.setenv("HOME", "/me")
    assert folders({}) == [beside, Path("/me/.cache/irci")]
    installed = Path("/venv/lib/python3.11/site-packages/irci/kernels")
    monkeypatch.setattr("irci.native.store.SOURCES", installed)
    assert folders({}) == [Path("/me/.cache/irci"), installed / "__pycache__"]
    monkeypatch.undo()
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # whoever has no home
    assert folders({}) == [beside]


def test_numba_that_does_not_compile_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    with pytest.raises(UsageError, match="unset NUMBA_DISABLE_JIT"):
        importlib.reload(native)


IRCI = [sys.executable, "-m", "irci"]
QRELS, ALPHA = str(SMALL / "qrels.txt"), str(SMALL / "runs/alpha.run")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NUMBA_NUM_THREADS", "0"),
        pytest.param("NUMBA_OPT", "9", marks=pytest.mark.slow),
        pytest.param("NUMBA_DISABLE_JIT", "1", marks=pytest.mark.slow),
    ],
)
def test_settings_that_numba_cannot_take_are_wrong_usage(name: str, value: str) -> None:
    environment = {**os.environ, name: value}
    result = subprocess.run(
        [*IRCI, "ap-ci", QRELS, ALPHA], capture_output=True, text=True, check=False, env=environment
    )
    assert (result.returncode, result.stdout) == (2, "")
    *usage, message = result.stderr.splitlines()
    assert (len(usage), name in message) == (3, True)


@pytest.mark.check
def test_a_file_of_settings_that_numba_cannot_read_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / ".numba_config.yaml").write_text("- no\n- dictionary\n")
    (tmp_path / "yaml.py").write_text("def safe_load(file):\n    return ['no', 'dictionary']\n")
    program = "try:\n    import irci.native\nexcept Exception as error:\n    print(type(error).__name__, error)"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert result.stdout.startswith("UsageError numba does not start with ")
    assert ".numba_config.yaml: " in result.stdout
    assert not result.stderr


PART_OF_HASH = """
import numba
import numpy as np
from irci.kernels.parts import part_of_hash
print(part_of_hash(np.arange(40, dtype=np.uint64), np.uint64(1), 7).tolist(), sum(part_of_hash.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_a_changed_helper_is_compiled_in_wherever_kernels_are_kept(tmp_path: Path) -> None:
    """`part_of_hash` has `splitmix`, of another file, in it."""

    def parts(package: str = "package") -> tuple[str, bool]:
        """What a new process prints, and whether it found its kernel."""
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept"), "PYTHONPATH": str(tmp_path / package)}
        result = subprocess.run(
            [sys.executable, "-c", PART_OF_HASH],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        numbers, _, hits = result.stdout.strip().rpartition(" ")
        return numbers, hits == "1"

    shutil.copytree(ROOT / "irci", tmp_path / "package/irci", ignore=shutil.ignore_patterns("__pycache__"))
    helper = tmp_path / "package/irci/kernels/generator.py"
    before, found = parts()
    assert not found
    assert parts() == (before, True)
    for age in (-86400, 86400):  # touched, and as on a machine whose clock is ahead
        os.utime(helper, (time.time() + age, time.time() + age))
        assert parts() == (before, True)
    (tmp_path / "package").rename(tmp_path / "moved")
    assert parts("moved") == (before, True)
    helper = tmp_path / "moved/irci/kernels/generator.py"
    text = helper.read_text()
    changed = text.replace("mix(word + GOLDEN)", "mix(word + GOLDEN + GOLDEN)")
    assert changed != text
    helper.write_text(changed)
    after, found = parts("moved")
    assert (after != before, found) == (True, False)
    assert parts("moved") == (after, True)
    helper.write_text(text)
    assert parts("moved") == (before, True)


@pytest.mark.slow
def test_first_runs_at_once_say_the_same(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-W", "ignore", "-c", PART_OF_HASH]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        for _ in range(3)
    ]
    outputs = {process.communicate(timeout=600) for process in processes}
    again = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert {(out.rpartition(" ")[0], err) for out, err in outputs} == {(again.rpartition(" ")[0], "")}
    assert again.endswith(" 1\n")
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert not [path for path in entries(tmp_path) if path.suffix == ".tmp"]

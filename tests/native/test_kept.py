"""Whose compiled kernels are executed: those of root and of the user, to which nobody else can write."""

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from users import OTHER, USER, as_root, user

from irci.native import compiled

CODE = b"code"


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where kernels are kept, in a folder that everybody may reach and write to, such as /tmp."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o1777)
        monkeypatch.setenv("NUMBA_CACHE_DIR", f"{name}/kept")
        yield Path(name, "kept")


def loaded() -> bytes | None:
    """What is kept under one name, if it may be used."""
    try:
        return compiled.read_kept(compiled.folder_of("key"), "index")
    except OSError:
        return None


def entry(place: Path) -> tuple[Path, Path]:
    """The folder and the file that one kernel is kept in."""
    (folder,) = place.iterdir()
    (file,) = folder.iterdir()
    return folder, file


def link(path: Path) -> None:
    elsewhere = path.parent / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o644)


def give(*paths: Path) -> None:
    for path in paths:
        os.chown(path, OTHER, OTHER)


BY_ROOT = [give, lambda folder, file: give(folder), lambda folder, file: give(file)]


@pytest.mark.parametrize(
    "attack",
    [
        *(pytest.param(each, marks=as_root) for each in BY_ROOT),
        lambda folder, file: file.chmod(0o664), lambda folder, file: file.chmod(0o646),
        lambda folder, file: folder.chmod(0o775), lambda folder, file: folder.chmod(0o1777),
        lambda folder, file: link(file), lambda folder, file: link(folder), lambda folder, file: pipe(file),
    ],
)  # fmt: skip
def test_what_others_could_have_written_is_not_used(place: Path, attack: Callable[[Path, Path], object]) -> None:
    """Folders above may be writable."""
    compiled.write_kept("key", "index", CODE)
    assert loaded() == CODE
    attack(*entry(place))
    assert loaded() is None


@as_root
@pytest.mark.parametrize("owner", [0, USER, OTHER])
def test_a_user_takes_what_is_of_root_and_of_the_own(place: Path, owner: int) -> None:
    """Root's only where root lets the user read it."""
    with user(owner):
        compiled.write_kept("key", "index", CODE)
    with user(USER):
        assert loaded() == (CODE if owner == USER else None)
    for path, mode in zip((place, *entry(place)), (0o755, 0o755, 0o644), strict=True):
        path.chmod(mode)
    with user(USER):
        assert loaded() == (None if owner == OTHER else CODE)
        if owner == OTHER:
            with pytest.raises(PermissionError):
                compiled.write_kept("key", "index", b"other")
    assert entry(place)[1].read_bytes() == CODE
    assert owner != USER or loaded() is None  # to root: as by sudo, in a user's home


@pytest.mark.parametrize("umask", [0, 0o002, 0o077])
def test_only_the_owner_can_read_and_write(place: Path, umask: int) -> None:
    """Whatever the umask."""
    before = os.umask(umask)
    try:
        compiled.write_kept("key", "index", CODE)
    finally:
        os.umask(before)
    assert [oct(path.stat().st_mode & 0o7777) for path in entry(place)] == ["0o700", "0o600"]


def test_what_is_put_in_the_place_of_what_was_looked_at_is_not_loaded(place: Path) -> None:
    compiled.write_kept("key", "index", CODE)
    folder, _ = entry(place)
    with compiled.opened_in(str(folder), "index") as descriptor:
        folder.rename(place / "away")
        folder.mkdir()
        (folder / "index").write_bytes(b"forged")
        assert Path(f"/proc/self/fd/{descriptor}").read_bytes() == CODE


@as_root
def test_nothing_is_written_through_a_link_of_another_user(place: Path) -> None:
    """Root keeps kernels in a folder of a user's, who has made a link of the name that they will have."""
    elsewhere = place.parent / "elsewhere"
    elsewhere.mkdir()
    with user(OTHER):
        place.mkdir()
        Path(compiled.folder_of("key")).symlink_to(elsewhere)
    with pytest.raises(OSError, match=r"symbolic|directory"):
        compiled.write_kept("key", "index", CODE)
    assert not list(elsewhere.iterdir())


def test_kernels_of_other_days_do_not_pile_up(place: Path) -> None:
    for age in range(compiled.LATEST):
        compiled.write_kept(str(age), "index", CODE)
        os.utime(compiled.folder_of(str(age)), (1e9 + age, 1e9 + age))
    compiled.write_kept("new", "index", CODE)
    left = {path.name.removeprefix(compiled.PREFIX) for path in place.iterdir()}
    assert left == {"new", *map(str, range(1, compiled.LATEST))}


def test_a_file_is_whole_while_many_write_it(place: Path) -> None:
    contents = [bytes([number]) * 100_000 for number in range(4)]

    def write(content: bytes) -> None:
        for _ in range(20):
            compiled.write_kept("key", "index", content)

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    compiled.write_kept("key", "index", contents[0])
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert loaded() in contents
    assert [path.name for path in entry(place)[0].iterdir()] == ["index"]


def test_where_kernels_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/home")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "kept")
    assert compiled.folder_of("key") == os.path.abspath("kept/irci-kernels-key")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    assert compiled.folder_of("key") == "/home/irci/irci-kernels-key"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/me")
    assert compiled.folder_of("key") == "/me/.cache/irci/irci-kernels-key"
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(OSError, match="there is no home"):
        compiled.folder_of("key")

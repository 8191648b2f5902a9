"""Whose compiled kernels are executed: those of root and of the user, to which nobody else can write."""

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from users import OTHER, USER, as_root, user

from irci.native import kept, ready

CODE = b"code"


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where kernels are kept, in a folder that everybody may reach and write to, such as /tmp."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o1777)
        monkeypatch.setenv("NUMBA_CACHE_DIR", f"{name}/kept")
        monkeypatch.setattr(ready, "key", lambda: "key")  # this checkout may stand where only root can read
        yield Path(name, "kept")


def loaded() -> bytes | None:
    """What is kept under one name, by numba's way and a library's, which agree."""
    found: list[bytes | None] = []
    for read in (lambda: kept.read("key", "index"), of_library):
        try:
            found.append(read())
        except OSError:
            found.append(None)
    assert found[0] == found[1]
    return found[0]


def of_library() -> bytes:
    with ready._of_user("index") as path:
        return Path(path).read_bytes()


def entry(place: Path) -> tuple[Path, Path]:
    """The folder and the file that one kernel is kept in."""
    (folder,) = place.iterdir()
    (file,) = folder.iterdir()
    return folder, file


def of_another_user(folder: Path, file: Path) -> None:
    os.chown(folder, OTHER, OTHER)
    os.chown(file, OTHER, OTHER)


def file_of_another_user(folder: Path, file: Path) -> None:
    os.chown(file, OTHER, OTHER)


def folder_of_another_user(folder: Path, file: Path) -> None:
    os.chown(folder, OTHER, OTHER)


def file_for_the_group(folder: Path, file: Path) -> None:
    file.chmod(0o664)


def file_for_all(folder: Path, file: Path) -> None:
    file.chmod(0o646)


def folder_for_the_group(folder: Path, file: Path) -> None:
    folder.chmod(0o775)


def folder_for_all(folder: Path, file: Path) -> None:
    folder.chmod(0o1777)


def file_that_is_a_link(folder: Path, file: Path) -> None:
    file.rename(folder.parent / "elsewhere")
    file.symlink_to(folder.parent / "elsewhere")


def folder_that_is_a_link(folder: Path, file: Path) -> None:
    folder.rename(folder.parent / "elsewhere")
    folder.symlink_to(folder.parent / "elsewhere")


def file_that_is_a_pipe(folder: Path, file: Path) -> None:
    file.unlink()
    os.mkfifo(file, 0o644)


OWNED = (of_another_user, file_of_another_user, folder_of_another_user)
WRITABLE = (file_for_the_group, file_for_all, folder_for_the_group, folder_for_all)
ODD = (file_that_is_a_link, folder_that_is_a_link, file_that_is_a_pipe)


@pytest.mark.parametrize(
    "spoil", [*(pytest.param(each, marks=as_root) for each in OWNED), *WRITABLE, *ODD], ids=lambda each: each.__name__
)
def test_what_others_could_have_written_is_not_used(place: Path, spoil: Callable[[Path, Path], None]) -> None:
    kept.write("key", "index", CODE)
    assert loaded() == CODE
    spoil(*entry(place))
    assert loaded() is None


@as_root
@pytest.mark.parametrize("owner", [0, USER, OTHER])
def test_a_user_takes_what_is_of_root_and_of_the_own(place: Path, owner: int) -> None:
    """Root's only where root lets the user read it."""
    with user(owner):
        kept.write("key", "index", CODE)
    with user(USER):
        assert loaded() == (CODE if owner == USER else None)
    for path, mode in zip((place, *entry(place)), (0o755, 0o755, 0o644), strict=True):
        path.chmod(mode)
    with user(USER):
        assert loaded() == (None if owner == OTHER else CODE)
        if owner == OTHER:
            with pytest.raises(PermissionError):
                kept.write("key", "index", b"other")
    assert entry(place)[1].read_bytes() == CODE


@as_root
def test_root_does_not_take_what_is_of_a_user(place: Path) -> None:
    """As by sudo, in a user's home."""
    with user(USER):
        kept.write("key", "index", CODE)
    assert loaded() is None


@pytest.mark.parametrize("umask", [0, 0o002, 0o077])
def test_only_the_owner_can_read_and_write_whatever_the_umask(
    place: Path, umask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", f"{place}/in/another")
    before = os.umask(umask)
    try:
        kept.write("key", "index", CODE)
    finally:
        os.umask(before)
    found = [place, *place.rglob("*")]
    assert [oct(each.stat().st_mode & 0o7777) for each in found] == ["0o700"] * 4 + ["0o600"]


def test_folders_above_may_be_writable(place: Path) -> None:
    place.mkdir()
    place.chmod(0o775)
    kept.write("key", "index", CODE)
    assert loaded() == CODE


def test_a_library_put_in_the_place_of_one_that_was_looked_at_is_not_loaded(place: Path) -> None:
    kept.write("key", "index", CODE)
    folder, _ = entry(place)
    with ready._of_user("index") as path:
        folder.rename(place / "away")
        folder.mkdir()
        (folder / "index").write_bytes(b"forged")
        assert Path(path).read_bytes() == CODE


@as_root
def test_nothing_is_written_through_a_link_of_another_user(place: Path) -> None:
    """Root keeps kernels in a folder of a user's, who has made a link of the name that they will have."""
    elsewhere = place.parent / "elsewhere"
    elsewhere.mkdir()
    with user(OTHER):
        place.mkdir()
        Path(kept.folder("key")).symlink_to(elsewhere)
    with pytest.raises(OSError, match=r"symbolic|directory"):
        kept.write("key", "index", CODE)
    assert not list(elsewhere.iterdir())


def test_kernels_of_other_days_do_not_pile_up_but_those_in_use_stay(place: Path) -> None:
    for age in range(kept.LATEST):
        kept.write(str(age), "index", CODE)
        os.utime(kept.folder(str(age)), (1e9 + age, 1e9 + age))
    kept.note_use("0")
    kept.write("new", "index", CODE)
    left = {path.name.removeprefix(kept.PREFIX) for path in place.iterdir()}
    assert left == {"new", "0", *map(str, range(2, kept.LATEST))}


def test_a_file_is_whole_while_many_write_it(place: Path) -> None:
    contents = [bytes([number]) * 100_000 for number in range(4)]

    def write(content: bytes) -> None:
        for _ in range(20):
            kept.write("key", "index", content)

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    kept.write("key", "index", contents[0])
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert kept.read("key", "index") in contents
    assert [path.name for path in entry(place)[0].iterdir()] == ["index"]


def test_where_kernels_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/home")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "kept")
    assert kept.place() == os.path.abspath("kept")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    assert kept.place() == "/home/irci"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/me")
    assert kept.place() == "/me/.cache/irci"
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # whoever has no home
    with pytest.raises(OSError, match="there is no home"):
        kept.place()

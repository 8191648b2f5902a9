"""Whose kernels are executed: those of root, of the user and of the owner of the sources, to which nobody else can write."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from users import OTHER, USER, as_root, user

from irci.native.store import Store

CODE = b"code"


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that everybody may reach and write to, such as /tmp; sources in it are root's, and so is the loader, for this
    checkout may stand where only root can read."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o1777)
        (Path(name) / "sources").mkdir(mode=0o755)
        (Path(name) / "sources/a.py").touch(0o644)
        monkeypatch.setattr("irci.native.sources.LOADER", str(Path(name) / "sources"))
        yield Path(name)


def store_in(place: Path, *names: str) -> Store:
    return Store(["1"], [place / name for name in names or ("kept",)], sources=place / "sources")


def kept_in(place: Path, name: str = "kept") -> tuple[Path, Path]:
    """The folder and the file that one kernel is kept in."""
    (folder,) = (place / name).iterdir()
    (entry,) = folder.iterdir()
    return folder, entry


def of_another_user(folder: Path, entry: Path) -> None:
    os.chown(folder, OTHER, OTHER)
    os.chown(entry, OTHER, OTHER)


def file_of_another_user(folder: Path, entry: Path) -> None:
    os.chown(entry, OTHER, OTHER)


def folder_of_another_user(folder: Path, entry: Path) -> None:
    os.chown(folder, OTHER, OTHER)


def file_for_the_group(folder: Path, entry: Path) -> None:
    entry.chmod(0o664)


def file_for_all(folder: Path, entry: Path) -> None:
    entry.chmod(0o646)


def folder_for_the_group(folder: Path, entry: Path) -> None:
    folder.chmod(0o775)


def folder_for_all(folder: Path, entry: Path) -> None:
    folder.chmod(0o1777)


def file_that_is_a_link(folder: Path, entry: Path) -> None:
    entry.rename(folder.parent / "elsewhere")
    entry.symlink_to(folder.parent / "elsewhere")


def folder_that_is_a_link(folder: Path, entry: Path) -> None:
    folder.rename(folder.parent / "elsewhere")
    folder.symlink_to(folder.parent / "elsewhere")


def file_that_is_a_pipe(folder: Path, entry: Path) -> None:
    entry.unlink()
    os.mkfifo(entry, 0o644)


OWNED = (of_another_user, file_of_another_user, folder_of_another_user)
WRITABLE = (file_for_the_group, file_for_all, folder_for_the_group, folder_for_all)
ODD = (file_that_is_a_link, folder_that_is_a_link, file_that_is_a_pipe)


@pytest.mark.parametrize(
    "spoil", [*(pytest.param(each, marks=as_root) for each in OWNED), *WRITABLE, *ODD], ids=lambda each: each.__name__
)
def test_what_others_could_have_written_is_not_used(place: Path, spoil: Callable[[Path, Path], None]) -> None:
    store = store_in(place)
    store.save("name", "one", CODE)
    assert store.load("name", "one") == CODE
    spoil(*kept_in(place))
    assert store.load("name", "one") is None


@as_root
@pytest.mark.parametrize("owner", [0, USER, OTHER])
def test_a_user_takes_what_is_of_root_of_the_own_and_of_the_owner_of_the_sources(place: Path, owner: int) -> None:
    with user(owner):
        store_in(place).save("name", "one", CODE)
    store = store_in(place)
    with user(USER):
        assert store.load("name", "one") == (None if owner == OTHER else CODE)
        if owner == OTHER:
            store.save("name", "one", CODE)  # which cannot replace it
            assert store.load("name", "one") is None
    os.chown(place / "sources", OTHER, OTHER)
    with user(USER):
        assert store.load("name", "one") == CODE


@as_root
def test_root_does_not_take_what_is_of_a_user(place: Path) -> None:
    """As by sudo, in a user's home."""
    with user(USER):
        store_in(place).save("name", "one", CODE)
    assert store_in(place).load("name", "one") is None


@pytest.mark.parametrize("umask", [0, 0o002, 0o077])
def test_only_the_owner_can_write_whatever_the_umask(place: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        store_in(place, "one/in/another").save("name", "one", CODE)
    finally:
        os.umask(before)
    folder, entry = kept_in(place, "one/in/another")
    assert (folder.stat().st_mode & 0o7777, entry.stat().st_mode & 0o7777) == (0o755, 0o644)
    assert not any(each.stat().st_mode & 0o022 for each in (place / "one").rglob("*"))


def test_folders_above_may_be_writable(place: Path) -> None:
    (place / "shared").mkdir()
    (place / "shared").chmod(0o775)
    store = store_in(place, "shared")
    store.save("name", "one", CODE)
    assert store.load("name", "one") == CODE


@pytest.mark.parametrize("spoil", [folder_for_the_group, pytest.param(folder_of_another_user, marks=as_root)])
def test_the_next_place_is_tried_and_then_one_warning_says_what_to_do(
    place: Path, spoil: Callable[[Path, Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    messages: list[str] = []
    monkeypatch.setattr("irci.native.store.logger.warning", lambda text, *values: messages.append(text % values))
    for name in ("first", "second"):
        store_in(place, name).save("name", "one", CODE)
    spoil(*kept_in(place, "first"))
    both = store_in(place, "first", "second")
    both.save("name", "other", CODE)
    assert (both.load("name", "other"), messages) == (CODE, [])
    folder = next((place / "second").iterdir())
    spoil(folder, next(folder.iterdir()))
    for _ in range(2):
        both.save("name", "third", CODE)
    assert both.load("name", "third") is None
    (message,) = messages
    assert [f"{place / name} (" in message for name in ("first", "second")] == [True, True]
    assert message.endswith("set NUMBA_CACHE_DIR to a folder of your own that nobody else can write to")


@as_root
def test_nothing_is_written_through_a_link_of_another_user(place: Path) -> None:
    """Root keeps kernels in a folder of a user's, who has made a link of the name that they will have."""
    store = store_in(place)
    with user(OTHER):
        (place / "kept").mkdir()
        store._folder(place / "kept").symlink_to(place / "sources")
    store.save("name", "one", CODE)
    assert not list((place / "sources").glob("name*"))

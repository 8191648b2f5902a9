"""Folders of compiled kernels: named by the hash of what went into them, and the user's alone.

What is kept is executed. So a folder is used only if it belongs to the user, or to root, and nobody else can write into it,
and so is each file. Folders above are not looked at: what is opened is looked at itself, and files are opened in it.
"""

import errno
import os
import stat
from contextlib import contextmanager, suppress

from irci.base.streams import blake2b
from irci.system import process

LOADER = os.path.dirname(__file__)
SOURCES = (os.path.join(os.path.dirname(LOADER), "kernels"), LOADER)
PREFIX = "irci-kernels-"
LATEST = 20  # folders that lie beside each other: of other settings and versions, of sources that are being edited


def digest_of(*versions: str) -> str:
    """The hash of the sources of kernels, of what makes machine code of them, and of versions, 32 hex digits; OSError without
    sources."""
    found = []
    for folder in SOURCES:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
        if not names:
            raise FileNotFoundError(errno.ENOENT, "there are no sources", folder)
        for name in names:
            with open(os.path.join(folder, name), "rb", buffering=0) as file:
                found.append((name, file.readall()))
    sizes = [(name, len(content)) for name, content in found]
    parts = [repr((sizes, versions)).encode(), *(content for _, content in found)]
    return blake2b(b"".join(parts), digest_size=16).hexdigest()


def place() -> str:
    """The folder of folders: NUMBA_CACHE_DIR, or one in the user's cache; OSError for whoever has no home."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return os.path.abspath(chosen)
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(cache):
        raise FileNotFoundError(errno.ENOENT, "there is no home")
    return os.path.join(cache, "irci")


def folder(key: str) -> str:
    """The folder of what this key names."""
    return os.path.join(place(), f"{PREFIX}{key}")


@contextmanager
def opened(path, is_kind=stat.S_ISREG, at=None):
    """The descriptor of what is opened to be read: of that kind, no link, and trusted; else OSError. Waits for no pipe."""
    if process.user() is None:
        raise OSError(errno.ENOTSUP, "this system does not tell whose a file is")
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
    try:
        found = os.fstat(descriptor)
        if not is_kind(found.st_mode):
            raise OSError(errno.EINVAL, "it is of another kind")
        if found.st_uid not in (0, process.user()):
            raise PermissionError(errno.EPERM, f"it belongs to another user: {found.st_uid}")
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError(errno.EPERM, "others can write to it")
        yield descriptor
    finally:
        os.close(descriptor)


def read(key: str, name: str) -> bytes:
    """What is kept under a name; OSError if nothing is that may be used."""
    with (
        opened(folder(key), stat.S_ISDIR) as at,
        opened(name, at=at) as descriptor,
        open(descriptor, "rb", closefd=False) as file,
    ):
        return file.read()


def write(key: str, name: str, content: bytes) -> None:
    """Make or replace a file as a whole; OSError if it cannot be."""
    _make(folder(key))
    with opened(folder(key), stat.S_ISDIR) as at:
        unfinished = f"{name}.{os.urandom(8).hex()}.tmp"
        try:
            with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=at), "wb") as file:
                file.write(content)
            os.replace(unfinished, name, src_dir_fd=at, dst_dir_fd=at)
        except BaseException:
            with suppress(OSError):
                os.unlink(unfinished, dir_fd=at)
            raise


def note_use(key: str) -> None:
    """For those who make room."""
    with suppress(OSError):
        os.utime(folder(key))


def _make(new: str) -> None:
    if os.path.lexists(new):
        return
    above = os.path.dirname(new)
    _mkdir(new)
    _drop_all_but_the_latest(above, os.path.basename(new))


def _mkdir(path: str) -> None:
    """A folder of the user's alone, and those above it, whatever the umask (of all threads of a process)."""
    if not os.path.isdir(path):
        _mkdir(os.path.dirname(path))
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)


def _drop_all_but_the_latest(above: str, new: str) -> None:
    import shutil  # takes time

    with suppress(OSError):  # another process may do the same
        others = [each for each in os.scandir(above) if each.name.startswith(PREFIX) and each.name != new]
        for old in sorted(others, key=lambda each: each.stat().st_mtime, reverse=True)[LATEST - 1 :]:
            shutil.rmtree(old.path, ignore_errors=True)

"""Folders of compiled kernels: named by the hash of what went into them, and the user's alone.

What is kept is executed. So a folder is used only if it belongs to the user, or to root, and nobody else can write into it,
and so is each file. Folders above are not looked at: what is opened is looked at itself, and files are opened in it.
"""

import errno
import os
import stat
from contextlib import contextmanager, suppress

from irci import __version__, system
from irci.base.streams import blake2b

NATIVE = os.path.dirname(__file__)
SOURCES = (os.path.join(os.path.dirname(NATIVE), "kernels"), NATIVE)
PREFIX = "irci-kernels-"
LATEST = 20  # folders that lie beside each other: of other settings and versions, of sources that are being edited


def key_of(*versions: str) -> str:
    """The hash of the sources of kernels, of what makes machine code of them, and of versions: 32 hex digits."""
    content = blake2b(repr((__version__, versions)).encode(), digest_size=16)
    for folder in SOURCES:
        for name in sorted(name for name in os.listdir(folder) if name.endswith(".py")):
            with open(os.path.join(folder, name), "rb", buffering=0) as file:
                source = file.readall()
            content.update(f"\n{name} {len(source)}\n".encode() + source)
    return content.hexdigest()


def folder(key: str) -> str:
    """The folder of what this key names, in NUMBA_CACHE_DIR or the user's cache; OSError for whoever has no home."""
    if cache := os.environ.get("NUMBA_CACHE_DIR"):
        return os.path.join(os.path.abspath(cache), f"{PREFIX}{key}")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(cache):
        raise FileNotFoundError(errno.ENOENT, "there is no home")
    return os.path.join(cache, "irci", f"{PREFIX}{key}")


@contextmanager
def opened(path, is_kind=stat.S_ISREG, at=None, like=None):
    """The descriptor of what is opened to be read: of that kind, and trusted; else OSError. Waits for no pipe.

    It belongs to the user or root, nobody else may write to it, and it is no link. like: the os.stat_result of a source;
    then its owner is trusted too, whoever may write to the source may write to it, and it may be a link.
    """
    if system.user() is None:
        raise OSError(errno.ENOTSUP, "this system does not tell whose a file is")
    owners, writers = {0, system.user()}, stat.S_IWGRP | stat.S_IWOTH
    if like:
        owners, writers = owners | {like.st_uid}, writers & ~like.st_mode
    links = 0 if like else os.O_NOFOLLOW
    descriptor = os.open(path, os.O_RDONLY | links | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
    try:
        status = os.fstat(descriptor)
        if not is_kind(status.st_mode):
            raise OSError(errno.EINVAL, "it is of another kind", path)
        if status.st_uid not in owners or status.st_mode & writers:
            raise PermissionError(errno.EPERM, "others can write to it", path)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def opened_in(folder, name, likes=(None, None)):
    """The descriptor of a file of a folder, both opened and trusted; likes: as `like`, of the folder and of the file."""
    with opened(folder, stat.S_ISDIR, like=likes[0]) as at, opened(name, at=at, like=likes[1]) as descriptor:
        yield descriptor


def read(folder, name, likes=(None, None)):
    """What a file of a folder holds; OSError unless both are trusted."""
    with opened_in(folder, name, likes) as descriptor, open(descriptor, "rb", closefd=False) as file:
        return file.read()


def write(key: str, name: str, content: bytes) -> None:
    """Make or replace a file as a whole; OSError if it cannot be."""
    if not os.path.lexists(folder(key)):
        _make(folder(key))
        with suppress(OSError):  # another process may do the same
            _make_room(os.path.dirname(folder(key)))
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


def _make(path: str) -> None:
    """A folder of the user's alone, and those above it, whatever the umask (of all threads of a process)."""
    if not os.path.isdir(path):
        _make(os.path.dirname(path))
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)


def _make_room(above: str) -> None:
    import shutil  # takes time

    folders = [entry for entry in os.scandir(above) if entry.name.startswith(PREFIX)]
    for old in sorted(folders, key=lambda entry: entry.stat().st_mtime)[:-LATEST]:
        shutil.rmtree(old.path, ignore_errors=True)

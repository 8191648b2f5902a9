"""Where compiled kernels are kept and by what they are found again: content decides, not times or places.

A kernel is kept in the file `FOLDER/irci-kernels-KEY/NAME`. KEY is a hash of all that goes into compiled code (every
kernel's source, versions, numba's settings), so that code from other sources is never found, wherever it lies. The file
begins with a checksum of what follows, of KEY and of what it is said to be. Whatever is wrong with a file or a folder costs
time, never a result.

What is kept is executed, so that a file is used only if it is trusted as programs are: it and its folder belong to root, to
the user or to the owner of the sources, and nobody else can write to them. What lies above that folder is not looked at.
"""

import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib.machinery import SourceFileLoader
from pathlib import Path
from zipimport import zipimporter

from irci.base.digests import sha256
from irci.base.errors import logger
from irci.native import sources as of_kernels
from irci.system import process

SOURCES = Path(of_kernels.SOURCES)
PREFIX = "irci-kernels-"
# Keys of which kernels are kept in one folder, two of each irci (`jit`, `linking`): other settings, other versions of Python,
# sources that are being edited.
LATEST = 10
INSTALLED = ("site-packages", "dist-packages")  # where installers bring packages
HOUR = 3600.0  # after which a file half written is somebody's who died


def content_key(versions: Iterable[str], sources: Path = SOURCES) -> str:
    """The hash of what compiled code depends on, but for the processor and the types of arguments; OSError without sources."""
    return of_kernels.digest_of(sys.version, *versions, sources=sources)


def folders(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Where kernels may lie, first the place to keep them: the user's choice; beside the sources; the user's cache.

    What an installer brought it takes away again, but nothing else: there the user's cache comes before the sources.
    """
    home = Path(environment.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
    cache = [home / "irci"] if home.is_absolute() else []
    if chosen := environment.get("NUMBA_CACHE_DIR"):
        return [Path(chosen), *cache]
    beside = [SOURCES / "__pycache__"]
    return [*cache, *beside] if SOURCES.parent.parent.name in INSTALLED else [*beside, *cache]


class Store:
    """Compiled kernels on disk: what cannot be loaded is not there, what cannot be saved is warned of, once."""

    def __init__(self, versions: Sequence[str], places: Sequence[Path], sources: Path = SOURCES) -> None:
        self.versions = versions
        self.places = places
        self.sources = sources
        self.has_warned = False
        self.used: Path | None = None
        self.key, self.problem = "", OSError()
        try:
            self.key = content_key(versions, sources)
        except OSError as error:
            self.problem = error

    def load(self, name: str, description: str) -> bytes | None:
        for place in self.places if self.key else ():
            with suppress(OSError, MemoryError):
                folder = self._folder(place)
                kept = self._read(folder, _file_name(name, description))
                if kept[:32] == self._checksum(description, kept[32:]):
                    self._note_use(folder)
                    return kept[32:]
        return None

    def save(self, name: str, description: str, content: bytes) -> None:
        """Keep this in the first place that takes it, unless a source has changed since this process began, or before."""
        problems: list[Exception] = [] if self.key else [self.problem]
        for place in self.places if self.key else ():
            try:
                if content_key(self.versions, self.sources) == self.key and self._is_bytecode_of_sources:
                    entry = self._checksum(description, content) + content
                    self._write(self._folder(place), _file_name(name, description), entry)
                return
            except (OSError, MemoryError) as error:
                problems.append(error)
        if problems:
            self.warn(*problems)

    def warn(self, *reasons: Exception) -> None:
        """Say, once, why kernels cannot be kept: a reason for each place, or one for all."""
        if not self.has_warned:
            self.has_warned = True
            whys = [getattr(each, "strerror", None) or str(each) or type(each).__name__ for each in reasons]
            where = ", nor in ".join(f"{place} ({why})" for place, why in zip(self.places, whys, strict=False))
            logger.warning(
                f"kernels cannot be kept in {where}: each run compiles them again; set NUMBA_CACHE_DIR to a folder of your own"
                " that nobody else can write to"
            )

    @contextmanager
    def _opened(self, name: str | Path, is_kind: Callable[[int], bool], at: int | None = None) -> Iterator[int]:
        """The descriptor of what is opened to be read: of that kind, no link, and trusted; else OSError. Waits for no pipe."""
        if process.user() is None:
            raise OSError(errno.ENOTSUP, "this system does not tell whose a file is")
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
        try:
            found = os.fstat(descriptor)
            if not is_kind(found.st_mode):
                raise OSError(errno.EINVAL, "it is of another kind")
            if found.st_uid not in (0, process.user(), os.stat(of_kernels.on_disk(self.sources)).st_uid):
                raise PermissionError(errno.EPERM, f"it belongs to another user: {found.st_uid}")
            if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                raise PermissionError(errno.EPERM, "others can write to it")
            yield descriptor
        finally:
            os.close(descriptor)

    def _read(self, folder: Path, name: str) -> bytes:
        with (
            self._opened(folder, stat.S_ISDIR) as at,
            self._opened(name, stat.S_ISREG, at) as descriptor,
            open(descriptor, "rb", closefd=False) as file,
        ):
            return file.read()

    def _write(self, folder: Path, name: str, content: bytes) -> None:
        """Make or replace a file as a whole; once more if another process, making room, took its folder away meanwhile."""
        try:
            self._write_once(folder, name, content)
        except FileNotFoundError:
            self._write_once(folder, name, content)

    def _write_once(self, folder: Path, name: str, content: bytes) -> None:
        _make(folder)
        with self._opened(folder, stat.S_ISDIR) as at:
            _remove_what_the_dead_left(at, name)
            unfinished = f"{name}.{os.urandom(8).hex()}.tmp"
            try:
                _write_new(unfinished, at, content)
                os.replace(unfinished, name, src_dir_fd=at, dst_dir_fd=at)
            except BaseException:
                with suppress(OSError):
                    os.unlink(unfinished, dir_fd=at)
                raise

    @cached_property
    def _is_bytecode_of_sources(self) -> bool:
        """True if what Python compiled before, and loads, is of these sources: it looks at a file's time and size only."""
        for path, content in of_kernels.all_sources(self.sources):
            name = Path(path).stem
            loader = SourceFileLoader(name, path)
            loaded = loader if os.path.isfile(path) else zipimporter(os.path.dirname(path))
            if loaded.get_code(name) != loader.source_to_code(content, path):
                logger.warning(
                    f"{path}: the bytecode beside it was compiled from another source: remove it; kernels are not kept"
                )
                return False
        return True

    def _note_use(self, folder: Path) -> None:
        # For those who make room.
        if self.used != folder:
            self.used = folder
            with suppress(OSError):
                os.utime(folder)

    def _folder(self, place: Path) -> Path:
        return place / f"{PREFIX}{self.key}"

    def _checksum(self, description: str, content: bytes) -> bytes:
        return sha256(repr((self.key, description)).encode() + content).digest()


def _file_name(name: str, description: str) -> str:
    return f"{name}-{sha256(description.encode()).hexdigest()[:16]}"


def _make(folder: Path) -> None:
    """Make a folder that only its owner can write to, whatever the umask, and those above it, unless it is there."""
    if not os.path.lexists(folder):
        for each in reversed(folder.parents):
            if not each.exists():
                with suppress(FileExistsError):
                    each.mkdir(0o755)
        with suppress(FileExistsError):
            folder.mkdir(0o755)
            folder.chmod(0o755)
        _drop_all_but_the_latest(folder)


def _write_new(name: str, at: int, content: bytes) -> None:
    """Make a file, in the folder opened as `at`, that all can read and only its owner can write to, whatever the umask."""
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=at)
    with open(descriptor, "wb") as file:
        os.fchmod(descriptor, 0o644)
        file.write(content)


def _remove_what_the_dead_left(at: int, name: str) -> None:
    for each in os.listdir(at):
        if each.startswith(f"{name}.") and each.endswith(".tmp"):
            with suppress(OSError):
                if os.stat(each, dir_fd=at, follow_symlinks=False).st_mtime < time.time() - HOUR:
                    os.unlink(each, dir_fd=at)


def _drop_all_but_the_latest(new: Path) -> None:
    import shutil  # takes time

    with suppress(OSError):  # another process may do the same
        others = [each for each in new.parent.glob(f"{PREFIX}*") if each != new]
        for old in sorted(others, key=lambda each: each.stat().st_mtime, reverse=True)[LATEST - 1 :]:
            shutil.rmtree(old, ignore_errors=True)

"""Where compiled kernels are kept and by what they are found again: content decides, not times or places.

A kernel is kept in the file `FOLDER/irci-kernels-KEY/NAME`. KEY is a hash of all that goes into compiled code (every
kernel's source, versions, numba's settings), so that code from other sources is never found, wherever it lies. The file
begins with a checksum of what follows, of KEY and of what it is said to be. Whatever is wrong with a file or a folder costs
time, never a result.
"""

import logging
import os
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path

LOADER = Path(__file__).parent
SOURCES = LOADER.parent / "kernels"
PREFIX = "irci-kernels-"
# Keys of which kernels are kept in one folder, two of each irci (`jit`, `linking`): other settings, other versions of Python,
# sources that are being edited.
LATEST = 10
HOUR = 3600.0  # after which a file half written is somebody's who died

logger = logging.getLogger("irci")


def content_key(versions: Iterable[str], sources: Path = SOURCES) -> str:
    """The hash of what compiled code depends on, but for the processor and the types of arguments; OSError without sources."""
    if not any(sources.glob("*.py")):
        raise FileNotFoundError(2, "there are no sources", str(sources))
    content = [(path.name, sha256(path.read_bytes()).hexdigest()) for path in _all_sources(sources)]
    return sha256(repr((content, sys.version, *versions)).encode()).hexdigest()[:32]


def _all_sources(sources: Path) -> list[Path]:
    return [path for folder in (sources, LOADER) for path in sorted(folder.glob("*.py"))]


def folders(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Where kernels may lie, first the place to keep them: the user's choice, or beside the sources, or the user's cache."""
    if chosen := environment.get("NUMBA_CACHE_DIR"):
        return [Path(chosen)]
    home = Path(environment.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
    return [SOURCES / "__pycache__", *([home / "irci"] if home.is_absolute() else [])]


class Store:
    """Compiled kernels on disk: what cannot be loaded is not there, what cannot be saved is warned of, once."""

    def __init__(self, versions: Sequence[str], places: Sequence[Path], sources: Path = SOURCES) -> None:
        self.versions = versions
        self.places = places
        self.sources = sources
        self.has_warned = False
        self.used: Path | None = None
        try:
            self.key = content_key(versions, sources)
        except OSError as error:
            self.key = ""
            self.warn(error)

    def load(self, name: str, description: str) -> bytes | None:
        for place in self.places if self.key else ():
            with suppress(OSError, MemoryError):
                folder = self._folder(place)
                kept = self._read(folder / _file_name(name, description))
                if kept[:32] == self._checksum(description, kept[32:]):
                    self._note_use(folder)
                    return kept[32:]
        return None

    def save(self, name: str, description: str, content: bytes) -> None:
        """Keep this in the first place that takes it, unless a source has changed since this process began, or before."""
        problem = None
        for place in self.places if self.key else ():
            try:
                if content_key(self.versions, self.sources) == self.key and self._is_bytecode_of_sources:
                    entry = self._checksum(description, content) + content
                    _write(self._folder(place), _file_name(name, description), entry)
                return
            except (OSError, MemoryError) as error:
                problem = error
        if problem is not None:
            self.warn(problem)

    def warn(self, reason: Exception) -> None:
        if not self.has_warned:
            self.has_warned = True
            why = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
            logger.warning(
                "kernels cannot be kept in %s (%s): each run compiles them again; set NUMBA_CACHE_DIR to another folder",
                self.places[-1],
                why,
            )

    def _read(self, path: Path) -> bytes:
        """The content of a file; root takes only what is its own or of whoever owns the sources, and so is trusted anyway."""
        with path.open("rb") as file:
            if os.geteuid() == 0 and os.fstat(file.fileno()).st_uid not in (0, self.sources.stat().st_uid):
                raise PermissionError
            return file.read()

    @cached_property
    def _is_bytecode_of_sources(self) -> bool:
        """True if what Python compiled before, and loads, is of these sources: it looks at a file's time and size only."""
        for path in _all_sources(self.sources):
            loader = SourceFileLoader(path.stem, str(path))
            if loader.get_code(path.stem) != loader.source_to_code(path.read_bytes(), str(path)):
                logger.warning(
                    "%s: Python's __pycache__ beside it is of another source: remove it; kernels are not kept", path
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


def _write(folder: Path, name: str, content: bytes) -> None:
    """Make or replace a file as a whole; once more if another process, making room, took its folder away meanwhile."""
    try:
        _write_once(folder, name, content)
    except FileNotFoundError:
        _write_once(folder, name, content)


def _write_once(folder: Path, name: str, content: bytes) -> None:
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        _drop_all_but_the_latest(folder)
    for old in folder.glob(f"{name}.*.tmp"):
        with suppress(OSError):
            if old.stat().st_mtime < time.time() - HOUR:
                old.unlink()
    unfinished = folder / f"{name}.{os.urandom(8).hex()}.tmp"
    try:
        unfinished.write_bytes(content)
        unfinished.replace(folder / name)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def _drop_all_but_the_latest(new: Path) -> None:
    with suppress(OSError):  # another process may do the same
        others = [each for each in new.parent.glob(f"{PREFIX}*") if each != new]
        for old in sorted(others, key=lambda each: each.stat().st_mtime, reverse=True)[LATEST - 1 :]:
            shutil.rmtree(old, ignore_errors=True)

"""Kernels' sources, and the hash by which compiled code is known to be of these and of no others."""

import os

from irci.base.digests import sha256

LOADER = os.path.dirname(__file__)
SOURCES = os.path.join(os.path.dirname(LOADER), "kernels")
Path = str | os.PathLike[str]


def digest_of(*versions: str, sources: Path = SOURCES) -> str:
    """The hash of kernels' sources and versions; OSError without sources."""
    if not contents(sources):
        raise FileNotFoundError(2, "there are no sources", str(sources))
    content = [(os.path.basename(path), sha256(content).hexdigest()) for path, content in all_sources(sources)]
    return sha256(repr((content, *versions)).encode()).hexdigest()[:32]


def all_sources(sources: Path) -> list[tuple[str, bytes]]:
    """Paths of kernels and of what makes machine code of them, and what is in each."""
    return [each for folder in (sources, LOADER) for each in sorted(contents(folder).items())]


def contents(folder: Path) -> dict[str, bytes]:
    """The sources in a folder, which may lie in an archive that Python imports from: what they hold, by their paths."""
    if os.path.isdir(folder):
        paths = (os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".py"))
        return {path: _content(path) for path in paths}
    import zipfile

    file = on_disk(folder)
    if not zipfile.is_zipfile(file):
        return {}
    with zipfile.ZipFile(file) as archive:
        inside = [(os.path.join(file, name), name) for name in archive.namelist() if name.endswith(".py")]
        return {path: archive.read(name) for path, name in inside if os.path.dirname(path) == os.path.abspath(folder)}


def _content(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.readall()


def on_disk(path: Path) -> str:
    """What there is of it outside archives: itself, or the archive that it lies in."""
    path = os.path.abspath(path)
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return path

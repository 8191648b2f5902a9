"""Kernels' sources, and the hash by which compiled code is known to be of these and of no others."""

import os

from irci.base.digests import blake2b

LOADER = os.path.dirname(__file__)
SOURCES = os.path.join(os.path.dirname(LOADER), "kernels")
Path = str | os.PathLike[str]


def digest_of(*versions: str, sources: Path = SOURCES) -> str:
    """The hash of kernels' sources and versions, 32 hex digits; OSError without sources."""
    found = all_sources(sources)
    names = [(os.path.basename(path), len(content)) for path, content in found]
    content = b"".join((repr((names, *versions)).encode(), *(content for _, content in found)))
    return blake2b(content, digest_size=16).hexdigest()


def all_sources(sources: Path) -> list[tuple[str, bytes]]:
    """Paths of kernels and of what makes machine code of them, and what is in each; OSError without kernels."""
    of_kernels = contents(sources)
    if not of_kernels:
        raise FileNotFoundError(2, "there are no sources", str(sources))
    return [each for of_folder in (of_kernels, contents(LOADER)) for each in sorted(of_folder.items())]


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

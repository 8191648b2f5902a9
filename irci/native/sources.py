"""Kernels' sources, and the hash by which compiled code is known to be of these and of no others."""

import os
from importlib.machinery import SourceFileLoader
from sys import modules

from irci.base.digests import blake2b

LOADER = os.path.dirname(__file__)
SOURCES = {"irci.kernels": os.path.join(os.path.dirname(LOADER), "kernels"), "irci.native": LOADER}


def digest_of(*versions: str) -> str:
    """The hash of the sources of kernels, and of what makes machine code of them, and of versions, 32 hex digits; OSError
    without sources."""
    found = [each for package, folder in SOURCES.items() for each in sorted(contents(package, folder).items())]
    names = [(name, len(content)) for name, content in found]
    content = b"".join((repr((names, *versions)).encode(), *(content for _, content in found)))
    return blake2b(content, digest_size=16).hexdigest()


def contents(package: str, folder: str) -> dict[str, bytes]:
    """The sources of a package, by their names; its folder may lie in an archive that Python imports from."""
    if os.path.isdir(folder):
        found = {name: _content(os.path.join(folder, name)) for name in os.listdir(folder) if name.endswith(".py")}
    else:
        from importlib.resources import files

        found = {each.name: each.read_bytes() for each in files(package).iterdir() if each.name.endswith(".py")}
    if not found:
        raise FileNotFoundError(2, "there are no sources", folder)
    return found


def _content(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.readall()


def stale_bytecode() -> str:
    """A kernel's source of which Python loaded the bytecode of another one, as it looks at time and size only; "" if none."""
    for name, module in list(modules.items()):
        loader = getattr(module, "__loader__", None)
        if (
            name.startswith("irci.kernels.")
            and isinstance(loader, SourceFileLoader)
            and loader.get_code(name) != loader.source_to_code(loader.get_data(loader.path), loader.path)
        ):
            return str(loader.path)
    return ""

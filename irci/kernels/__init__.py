"""Every compiled function.

numba keeps compiled kernels beside their source and notices a change of that file, but not one of a helper in another
file (`words`, `decimals`, `ordering`, `generator`, `poisson_tables`). So kernels older than any source are dropped here.
"""

from contextlib import suppress
from pathlib import Path


def _drop_stale_kernels(folder: Path) -> None:
    newest = max(source.stat().st_mtime_ns for source in folder.glob("*.py"))
    for index in folder.glob("__pycache__/*.nbi"):
        with suppress(OSError):  # another process may have been faster
            if index.stat().st_mtime_ns < newest:
                index.unlink()


_drop_stale_kernels(Path(__file__).parent)

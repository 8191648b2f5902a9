"""Every compiled function.

numba keeps compiled kernels beside their source and notices a change of that file, but not one of a helper in another
file (`words`, `decimals`, `ordering`, `generator`, `poisson_tables`). So kernels older than any source are dropped here.
Where the source's folder cannot be written, numba keeps them in the user's cache folder; where that cannot either, they
are kept for one process only. That they are being compiled is logged, as it takes a while.
"""

import atexit
import logging
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

logger = logging.getLogger("irci")


def _drop_stale_kernels(folder: Path) -> None:
    newest = max(source.stat().st_mtime_ns for source in folder.glob("*.py"))
    for index in folder.glob("__pycache__/*.nbi"):
        with suppress(OSError):  # another process may have been faster
            if index.stat().st_mtime_ns < newest:
                index.unlink()


def _find_a_cache(folder: Path) -> None:
    """See to it that numba finds somewhere to keep what it compiles: without any place it would refuse to work."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not _is_writable(folder / "__pycache__") and not _is_writable(Path(home) / "numba"):
        private = tempfile.mkdtemp(prefix="irci-")
        atexit.register(shutil.rmtree, private, ignore_errors=True)
        os.environ["NUMBA_CACHE_DIR"] = private
        logger.warning(
            "no folder to keep compiled kernels in: set NUMBA_CACHE_DIR to one, or each run compiles them again"
        )


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


_drop_stale_kernels(Path(__file__).parent)
_find_a_cache(Path(__file__).parent)

from numba.core import event  # noqa: E402  numba reads its settings when it is imported


class _Compilations(event.Listener):
    """Logs that kernels are compiled, once, and at the end how long that took."""

    def __init__(self) -> None:
        self.depth = 0
        self.began = 0.0
        self.seconds = 0.0

    def on_start(self, event: event.Event) -> None:
        """A kernel, perhaps one that another one calls."""
        if self.depth == 0:
            self.began = time.perf_counter()
            if self.seconds == 0:
                logger.info("compiling kernels, once after an installation; this can take half a minute ...")
                atexit.register(self.report)
        self.depth += 1

    def on_end(self, event: event.Event) -> None:
        """The end of one."""
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.began

    def report(self) -> None:
        """Log how long all of them took."""
        logger.info("kernels were compiled in %.1f s", self.seconds)


event.register("numba:compile", _Compilations())

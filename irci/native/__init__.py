"""Machine code of kernels: of a library of all of them (`ready`), else numba's, made when it is needed (`jit`) and kept.

Both are kept in folders of the user's (`kept`), named by what went into them. That kernels are being compiled is logged, as
it takes a while. Settings of numba's (environment, file) with which it, or irci, cannot work are told before anything else is.
"""

import os
import sys
import warnings
from contextlib import suppress

from irci.base.errors import DataError, UsageError, logger
from irci.native import ready

LLVM = "libllvmlite"
SETTINGS_FILE = ".numba_config.yaml"
COMPILING = "compiling kernels for their first use; this can take half a minute ..."
ERASE = "\r\x1b[K"  # the line of a terminal


class Compilations:
    """What is told of compiling: that it begins, and how far it is where somebody looks."""

    def __init__(self) -> None:
        self.depth = self.compiled = self.number = 0

    def on_start(self, event: object) -> None:
        if self.depth == 0:
            if self.compiled == 0:
                self._announce()
            self.tell(self.compiled + 1)
        self.depth += 1

    def on_end(self, event: object) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.compiled += 1
            self._show("")

    def tell(self, now: int) -> None:
        """At which kernel it is, on a terminal or in a notebook."""
        self._show(f"irci: compiling kernels {now}" + (f" of {self.number} ..." if self.number else " ..."))

    def _show(self, text: str) -> None:
        if (sys.stderr.isatty() or "ipykernel" in sys.modules) and logger.is_shown(logger.WARNING):
            with suppress(Exception):  # whatever took the stream's place
                sys.stderr.write(ERASE + text)
                sys.stderr.flush()

    def _announce(self) -> None:
        # In a program that shows no such messages of ours, by a warning of Python's.
        if logger.is_shown(logger.INFO):
            logger.info(COMPILING)
        elif logger.is_shown(logger.WARNING):
            with suppress(Warning):  # where warnings are errors; this one tells of nothing wrong
                warnings.warn(f"irci: {COMPILING}", stacklevel=2)


compilations = Compilations()
LIBRARY = ready.library()


def load_numba() -> None:
    """Import numba: UsageError if its settings are such that it, or irci, cannot work; DataError if it or LLVM is missing."""
    # numba reads its settings when it is imported: some it warns of with a traceback, some make it fail.
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "Environment variable 'NUMBA_", RuntimeWarning)
            from numba import config
            from numba.core import event
    except ModuleNotFoundError as error:
        if error.name not in ("numba", "llvmlite"):
            raise
        why = f" ({'; '.join(ready.problems)})" if ready.problems else ""
        raise DataError(
            f"a kernel must be compiled here{why}, which takes numba: pip install 'irci[compile]'"
        ) from error
    except Exception as error:  # a file's errors are of many kinds
        if LLVM in f"{error} {error.__cause__}":  # llvmlite up to 0.43 raises an error from that of the system
            raise DataError(
                "LLVM's library cannot be loaded: too little memory (ulimit -v), or not permitted"
            ) from error
        settings = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
        settings += [SETTINGS_FILE] if os.path.isfile(SETTINGS_FILE) else []
        if not settings:
            raise
        reason = str(error).partition("\n")[0]
        raise UsageError(f"numba does not start with {' '.join(settings)}: {reason}") from error
    if getattr(config, "DISABLE_JIT", False):
        raise UsageError("irci's kernels work only compiled: unset NUMBA_DISABLE_JIT")
    here = {
        "on_start": lambda _, each: compilations.on_start(each),
        "on_end": lambda _, each: compilations.on_end(each),
    }
    event.register("numba:compile", type("Listener", (event.Listener,), here)())

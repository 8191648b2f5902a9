"""Machine code of kernels: made, and kept.

Some installations bring them (`ready`). Else numba compiles them (`jit`) and they are kept by their content (`store`), from
where a process of the command links them without numba (`linking`). That they are being compiled is logged, as it takes a
while. Settings of numba's (environment, file) with which it, or irci, cannot work are told before anything else is.
"""

import atexit
import os
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from irci.base.errors import DataError, UsageError, logger
from irci.native import ready

LIBRARY = "libllvmlite"
SETTINGS_FILE = ".numba_config.yaml"
COMPILING = "compiling kernels for their first use; this can take half a minute ..."
ERASE = "\r\x1b[K"  # the line of a terminal

# Whether nobody had loaded numba, and so perhaps changed its settings, before; None: it is not loaded.
numba_is_ours: bool | None = None


class _Compilations:
    """What is told of compiling: that it begins, how far it is where somebody looks, how long it took."""

    def __init__(self) -> None:
        self.depth = 0
        self.began = 0.0
        self.seconds = 0.0
        self.compiled = 0
        self.together = 0
        self.count: Callable[[], int] = int

    def on_start(self, event: object) -> None:
        if self.depth == 0:
            self.began = time.perf_counter()
            if self.seconds == 0:
                self.announce()
            self.tell()
        self.depth += 1

    def on_end(self, event: object) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.began
            self.compiled += 1
            self._show("")

    def begin(self, number: int, count: Callable[[], int]) -> None:
        """So many are compiled together, of which `count` tells how many there are; that is one stretch of time."""
        self.together, self.count = number, count
        self.on_start(None)

    def end(self) -> None:
        """They are there."""
        self.compiled += self.together - 1
        self.together = 0
        self.on_end(None)

    def tell(self) -> None:
        """How far it is, on a terminal or in a notebook."""
        now = min(self.count() + 1, self.together) if self.together else self.compiled + 1
        self._show(f"irci: compiling kernels {now}" + (f" of {self.together} ..." if self.together else " ..."))

    def _show(self, text: str) -> None:
        if (sys.stderr.isatty() or "ipykernel" in sys.modules) and logger.is_shown(logger.WARNING):
            with suppress(Exception):  # whatever took the stream's place
                sys.stderr.write(ERASE + text)
                sys.stderr.flush()

    def announce(self) -> None:
        """Say that it will take a while: in a program that shows no such messages of ours, by a warning of Python's."""
        if logger.is_shown(logger.INFO):
            logger.info(COMPILING)
            atexit.register(self.report)
        elif logger.is_shown(logger.WARNING):
            with suppress(Warning):  # where warnings are errors; this one tells of nothing wrong
                warnings.warn(f"irci: {COMPILING}", stacklevel=2)

    def report(self) -> None:
        logger.info(f"kernels were compiled in {self.seconds:.1f} s")


compilations = _Compilations()


def load_numba() -> None:
    """Load numba, once: UsageError if its settings are such that it, or irci, cannot work; DataError if it or its library is
    missing."""
    global numba_is_ours
    if numba_is_ours is not None:
        return
    is_ours = "numba" not in sys.modules
    # numba reads its settings when it is imported: some it warns of with a traceback, some make it fail.
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "Environment variable 'NUMBA_", RuntimeWarning)
            from numba import config
            from numba.core import event
    except ModuleNotFoundError as error:
        if error.name not in ("numba", "llvmlite"):
            raise
        why = f" ({ready.problem})" if ready.problem else ""
        raise DataError(
            f"a kernel must be compiled here{why}, which takes numba: pip install 'irci[compile]'"
        ) from error
    except Exception as error:  # a file's errors are of many kinds
        if LIBRARY in f"{error} {error.__cause__}":  # llvmlite up to 0.43 raises an error from that of the system
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
    event.register("numba:compile", _listening(event.Listener))
    numba_is_ours = is_ours


def _listening(kind: Any) -> Any:
    here = {
        "on_start": lambda self, event: compilations.on_start(event),
        "on_end": lambda self, event: compilations.on_end(event),
    }
    return type("Listener", (kind,), here)()


# What has kernels that are compiled already: of each the first that has it is taken.
SOURCES: list[Any] = []
if _library := ready.library():
    SOURCES.append(_library)
else:
    from irci.native import linking

    if linking.is_possible():
        SOURCES.append(linking.Linker())
    else:
        load_numba()

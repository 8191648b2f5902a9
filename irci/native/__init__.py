"""Machine code of kernels: made, and kept.

Some installations bring them (`ready`). Else numba compiles them (`jit`) and they are kept by their content (`store`), from
where a process of the command links them without numba (`linking`). That they are being compiled is logged, as it takes a
while. Settings of numba's (environment, file) with which it, or irci, cannot work are told before anything else is.
"""

import atexit
import logging
import os
import sys
import time
import warnings
from contextlib import suppress
from typing import Any

from irci.base.errors import DataError, UsageError
from irci.native import ready

LIBRARY = "libllvmlite"
SETTINGS_FILE = ".numba_config.yaml"
COMPILING = "compiling kernels for their first use; this can take half a minute ..."

logger = logging.getLogger("irci")
# Whether nobody had loaded numba, and so perhaps changed its settings, before; None: it is not loaded.
numba_is_ours: bool | None = None


class _Compilations:
    def __init__(self) -> None:
        self.depth = 0
        self.began = 0.0
        self.seconds = 0.0

    def on_start(self, event: object) -> None:
        if self.depth == 0:
            self.began = time.perf_counter()
            if self.seconds == 0:
                self.announce()
        self.depth += 1

    def on_end(self, event: object) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.began

    def announce(self) -> None:
        """Say that it will take a while: in a program that shows no such messages of ours, by a warning of Python's."""
        if logger.isEnabledFor(logging.INFO):
            logger.info(COMPILING)
            atexit.register(self.report)
        elif logger.isEnabledFor(logging.WARNING):
            with suppress(Warning):  # where warnings are errors; this one tells of nothing wrong
                warnings.warn(f"irci: {COMPILING}", stacklevel=2)

    def report(self) -> None:
        logger.info("kernels were compiled in %.1f s", self.seconds)


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
        if LIBRARY in str(error):
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
    event.register("numba:compile", type("Listener", (_Compilations, event.Listener), {})())
    numba_is_ours = is_ours


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

"""Which compiled kernels irci asks for while the tests run, and whether a wheel has them: `irci/native/manifest.txt`."""

import fcntl
import os
import sys
from typing import Any

from helpers import ROOT

from irci.native.compiled import Kernel, kinds_of

MANIFEST = ROOT / "irci" / "native" / "manifest.txt"


class Recorder:
    """Notes, as lines of the manifest, the kernels that irci calls, and for arguments of which kinds; not what tests call."""

    def __init__(self) -> None:
        self.asked: dict[tuple[Any, Any], str] = {}  # with the test that asked first

    def start(self) -> None:
        """From here on, in this process."""
        call = Kernel.__call__

        def noted(kernel: Kernel, *arguments: Any, **named: Any) -> Any:
            caller: str = sys._getframe(1).f_globals["__name__"]
            if caller.startswith("irci."):
                kinds = None if named else kinds_of(arguments)
                self.asked.setdefault((kernel.function, kinds), os.environ.get("PYTEST_CURRENT_TEST", ""))
            return call(kernel, *arguments, **named)

        Kernel.__call__ = noted  # type: ignore[method-assign]

    def lines(self) -> dict[str, str]:
        """Those noted, each with the test that asked first."""
        return {
            repr((function.__module__, function.__qualname__, kinds)): test
            for (function, kinds), test in self.asked.items()
        }

    def missing(self) -> dict[str, str]:
        """The lines that the manifest does not have."""
        known = set(MANIFEST.read_text().splitlines())
        return {line: test for line, test in self.lines().items() if line not in known}

    def add(self) -> None:
        """Add the lines to the manifest; several processes may do so at a time."""
        with open(MANIFEST, "r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            lines = sorted({*file.read().splitlines(), *self.lines()})
            file.seek(0)
            file.truncate()
            file.write("".join(f"{line}\n" for line in lines))

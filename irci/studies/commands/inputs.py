"""What is to be read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irci.data.inputs import Inputs
from irci.options.outputs import refuse_inputs
from irci.system.progress import progress_of

if TYPE_CHECKING:
    from irci.options.given import Given


def inputs(given: Given, **others: Any) -> Inputs:
    """The files, and what of them is used; raises UsageError if one is an output too."""
    found = given.record(Inputs, progress=progress_of(given["progress"]), memory=given.memory, **others)
    paths = found.paths()
    refuse_inputs(given, paths)
    return replace(found, files=tuple(paths), runs_from=None)

"""irci swap-error: a procedure, or counts made elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irci.base.errors import UsageError
from irci.studies.commands.inputs import inputs
from irci.studies.swap_error import SwapErrorRequest, rates_of_file, swap_error

if TYPE_CHECKING:
    from irci.options.given import Given
    from irci.output.report import Report


def report(given: Given) -> Report:
    """What is asked for."""
    if given.request.name == "counts":
        return rates_of_file(given["counts"])
    if given.request.name == "judges":
        if not given["other_qrels"]:
            raise UsageError("--procedure judges takes --other-qrels FILE.")
        if given["labels_only"] and (len(given["files"]) > 1 or given["runs_from"]):
            raise UsageError("--labels-only compares labels alone: give QRELS, and no RUNs.")
    return swap_error(given.record(SwapErrorRequest), inputs(given))

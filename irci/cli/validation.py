"""--validate of ap-ci and map-ci: which of their options go with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from irci.base.errors import UsageError
from irci.cli.command import Given

if TYPE_CHECKING:
    from irci.output.report import Report

# The options that mean something together with --validate.
TAKEN = (
    "files", "runs_from", "resamples", "confidence", "seed", "epsilon", "small_r", "relevance_level", "depth", "topics",
    "names", "threads", "validate", "splits", "split_by", "figures", "published",
    "judged_only", "ties", "progress",
)  # fmt: skip


def validated(given: Given, command: Literal["ap-ci", "map-ci"]) -> Report:
    """Validate ap-ci's intervals of topics or map-ci's of means."""
    from irci.studies.validation import ValidationRequest, validation

    # ap-ci counts both with and without the correction.
    taken = (*TAKEN, "no_small_r") if command == "map-ci" else (*TAKEN, "measures")
    given.refuse_all_but(*taken, message="--validate does not take {}.")
    if given["plot"] is not None and not given["figures"]:
        raise UsageError("--plot draws the figures of --validate: add --figures.")
    settings = given.record(ValidationRequest, command=command, **({"measures": ()} if command == "map-ci" else {}))
    if settings.is_one_split:
        given.refuse("splits", message="{} is for the tables of random splits; here there is one.")
    return validation(settings, given.inputs())

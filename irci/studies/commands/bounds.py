"""Bounds of unjudged documents, of ap-ci and map-ci."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irci.studies.commands.inputs import inputs

if TYPE_CHECKING:
    from irci.options.given import Given
    from irci.output.report import Report


def bounds(given: Given) -> Report:
    """The bounds of scores, in place of confidence limits."""
    from irci.studies.unjudged import Settings, unjudged

    command = f"{given.command.name} {given.request.words}"
    return unjudged(given.record(Settings, command=command), inputs(given))

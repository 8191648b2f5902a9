"""--validate of ap-ci and map-ci."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from irci.studies.commands.inputs import inputs

if TYPE_CHECKING:
    from irci.options.given import Given
    from irci.output.report import Report


def validated(given: Given, command: Literal["ap-ci", "map-ci"]) -> Report:
    """How often ap-ci's intervals of topics, or map-ci's of means, contain scores on the other half."""
    from irci.studies.validation import ValidationRequest, validation

    settings = given.record(ValidationRequest, command=command, **({"measures": ()} if command == "map-ci" else {}))
    return validation(settings, inputs(given))

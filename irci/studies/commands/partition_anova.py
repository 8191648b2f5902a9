"""irci partition-anova: the analysis, with the defaults that go with what is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irci.studies.commands.inputs import inputs
from irci.studies.partition_anova import PUBLISHED, PartitionAnovaRequest, partition_anova

if TYPE_CHECKING:
    from irci.options.given import Given
    from irci.output.report import Report


def report(given: Given) -> Report:
    """What is asked for."""
    chosen: dict[str, Any] = {"model": "nested" if given.request.name == "versions" else "interaction"}
    if given["model"] == "md1":
        chosen["policy"] = "drop"  # what a part lacks is nothing to it
    if given["published"]:
        chosen |= PUBLISHED
    chosen = {name: value for name, value in chosen.items() if not given.has(name)}
    return partition_anova(given.record(PartitionAnovaRequest, **chosen), inputs(given))

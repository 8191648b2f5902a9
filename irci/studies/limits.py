"""Reasons why a measure has no limits: told once a measure, since nan says nothing."""

import logging
from collections.abc import Iterable

from irci.base.choices import Missing
from irci.base.names import plural
from irci.data.measures import Measure

logger = logging.getLogger("irci")

OF_SCORES = "no limits: files of scores have no documents to resample (irci map-ci gives limits over topics)"
OF_STANDARDISED = "no limits: standardised scores depend on the other runs (irci map-ci gives limits over topics)"


def warn_of_one_topic(topics: int) -> None:
    """Say that limits over topics take several."""
    if topics == 1:
        logger.warning("one topic: no limits over topics")


def warn_of_no_limits(measures: Iterable[Measure], over: str = "") -> None:
    """Say of each of these measures why it has none; `over`: what would have to vary, if only these are lacking."""
    for measure in measures:
        of_mean = "a mean of logits or logarithms of scores; irci map-ci has its limits"
        logger.warning(f"{measure.name}: no limits{over}: {'a count has none' if measure.is_count else of_mean}")


def means_over(topics: int, missing: Missing) -> str:
    """A caption of means: over how many topics they are; `missing`: what a topic that a run lacks does."""
    return f"Means over {'up to ' * (missing == 'drop')}{plural(topics, 'topic')}"

"""Measures of the names that are given."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from irci.options.types import BadValue

if TYPE_CHECKING:
    from irci.data.measures import Measure

logger = logging.getLogger("irci")
OF_ALL_TREC = "rbp_resid is Moffat and Zobel's: trec_eval prints 0 for it where nothing retrieved lacks a judgment"


def measures_of(names: Sequence[str], *, scores: bool) -> list[Measure]:
    """The measures of these names, each once, in trec_eval's order of output; a file of scores may hold any."""
    if not names:
        return []
    from irci.data.measures import TABLE

    measures = dict.fromkeys(measure for name in names for measure in _named(name, scores=scores))
    place = {family.name: place for place, family in enumerate(TABLE)}
    return sorted(
        measures,
        key=lambda each: (place.get(each.family.name, len(place)), each.parameter or 0, each.level or 0, each.name),
    )


def _named(name: str, *, scores: bool) -> Sequence[Measure]:
    from irci.data.measures import ALL_TREC, asked_for, named

    try:
        measures = asked_for(name)
    except ValueError as error:
        if scores:
            return [named(name)]
        raise BadValue(str(error)) from None
    if name == ALL_TREC:
        logger.warning(OF_ALL_TREC)
    return measures

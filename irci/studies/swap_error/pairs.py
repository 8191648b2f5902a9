"""Pairs of systems: their names, and scores of which a percentage says something."""

import itertools
from collections.abc import Sequence

from irci.base.errors import DataError
from irci.base.types import Floats


def pair_names(systems: Sequence[str]) -> list[str]:
    """Every two systems, A/B."""
    return [f"{first}/{second}" for first, second in itertools.combinations(systems, 2)]


def refuse_negative(measure: str, values: Floats, as_percentage: bool, instead: str) -> None:
    """Refuse scores below 0 where differences are told in percent."""
    if (values < 0).any() and as_percentage:
        raise DataError(f"{measure}: a percentage of scores below 0 means nothing: {instead}")

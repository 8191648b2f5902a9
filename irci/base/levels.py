"""Levels of significance, which rounding does not move."""

from typing import TypeVar

from irci.base.types import Bools, Floats

# Shares of a whole number of assignments are whole in spite of 1 - .95 being less than .05.
WHOLE = 1e-9
P = TypeVar("P", float, Floats)


def reaches(p: P, alpha: float) -> Bools | bool:
    """p, a number or float64[P], at most alpha, up to rounding: 1 - .95 is a little less than 50 out of 1000. nan: False."""
    return p <= alpha * (1 + WHOLE)

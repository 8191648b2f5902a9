"""Limits and p of many pairs that do not contradict each other.

Where limits leave out 0, p is at most alpha, and the other way round. A limit of 0 itself is left out where p is at most
alpha, and included where it is not.
"""

import numpy as np

from irci.base.types import Floats
from irci.stats.decisions import separated
from irci.stats.intervals import Interval, including_zero


def no_less_than_p(p_adjusted: Floats, p: Floats) -> Floats:
    """p_adjusted[P] where it is no less than p[P], which another test may have given; nan where it is nan."""
    return np.where(np.isnan(p_adjusted), np.nan, np.fmax(p_adjusted, p))


def agreeing(limits: Interval, value: Floats, p: Floats, confidence: float) -> Interval:
    """Limits[P] of value[P] that leave out 0 where p[P] is at most 1 - confidence, if need be by being 0, and nowhere else. As
    they are where p is nan; nan stays nan."""
    is_apart = separated(p, 1 - confidence)
    lower, upper = including_zero(limits, ~is_apart & ~np.isnan(p))
    up, down = is_apart & (value > 0), is_apart & (value < 0)
    return np.where(up, np.maximum(lower, 0), lower), np.where(down, np.minimum(upper, 0), upper)

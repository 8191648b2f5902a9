"""Limits of differences that account for the number of pairs, as their adjusted p does.

For Holm's p those of Bonferroni, which hold for all pairs at once (Holm's own decisions, made in steps, have no limits of
their own and may be sharper). For Benjamini and Hochberg's p limits of the pairs that it selects, of which on average no more
than alpha miss (the false coverage rate: experiments that select none count as 0; others have none). That
is proved for independent statistics and some that depend positively; pairs of runs on the same topics are neither. For the
largest t as many standard errors as that takes.

Y. Benjamini and D. Yekutieli, "False discovery rate-adjusted multiple confidence intervals for selected parameters", JASA 100,
2005.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from irci.base.types import Bools, Floats
from irci.methods.compare.means import Tested
from irci.stats.decisions import separated
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval
from irci.stats.simultaneous import Simultaneous
from irci.stats.tests import as_t
from irci.stats.units import Units

# (1 + confidence) / 2 is still less than 1.
MOST = 1 - float(np.finfo(float).eps)


@dataclass(frozen=True)
class Adjusted:
    """The contrasts of a family over one source: each by itself, p adjusted for their number, and limits if asked for."""

    tested: Tested
    p_adjusted: Floats
    limits_adjusted: Interval | None


def level(p_adjusted: Floats, correction: Literal["holm", "bh"], confidence: float) -> tuple[float, Bools]:
    """The confidence of each limit of a family with p_adjusted[P], and which pairs[P] have limits.

    holm: 1 - alpha / m, all; bh: 1 - R alpha / m, the R pairs that are significant. m: the pairs with a p.
    """
    tested = int((~np.isnan(p_adjusted)).sum())
    if correction == "holm":
        chosen, of_family = np.ones(len(p_adjusted), np.bool_), 1
    else:
        chosen = separated(np.nan_to_num(p_adjusted, nan=1.0), 1 - confidence)
        of_family = int(chosen.sum())
    if of_family >= tested:
        return confidence, chosen
    return min(1 - of_family * (1 - confidence) / tested, MOST), chosen


def limits_at_level(
    p_adjusted: Floats, correction: Literal["holm", "bh"], confidence: float, limits: Callable[[float], Interval]
) -> Interval:
    """Limits float64[P] that go with p_adjusted[P], from those of each pair by itself at a confidence; nan for pairs that have
    none."""
    of_each, chosen = level(p_adjusted, correction, confidence)
    nothing = np.full(len(chosen), np.nan)
    lower, upper = limits(of_each) if chosen.any() else (nothing, nothing)
    return np.where(chosen, lower, np.nan), np.where(chosen, upper, np.nan)


def within(tested: Tested, width: float) -> Interval:
    """Limits of so many standard errors about the estimates; nan where they have none, or the width is infinite."""
    error = np.where(np.isnan(tested.limits[0]), np.nan, tested.of.error)
    reach = (width if np.isfinite(width) else np.nan) * error
    return tested.of.value - reach, tested.of.value + reach


def limits_at_once(of: Estimates, found: Simultaneous, units: Units) -> Interval:
    """Limits of all pairs at once by one sign a unit, float64[P] each, nan where there is no error.

    With weights they are what signs do not reject, since errors are not those of as many units alike; but of differences that
    are the same on all units they are the difference, as without weights.
    """
    if units.weights is None:
        return of.within(as_t(found.largest_u, len(units.keys)))
    lower, upper = (
        np.where(of.constant, of.value, np.where(np.isnan(of.error), np.nan, each))
        for each in (found.lower, found.upper)
    )
    return lower, upper

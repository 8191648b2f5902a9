"""Limits of differences that account for the number of pairs, as their adjusted p does.

For Holm's p those of Bonferroni, which hold for all pairs at once. For Benjamini and Hochberg's p limits of the pairs that it
selects, of which on average no more than alpha miss (the false coverage rate: experiments that select none count as 0; others
have none). That is proved for independent statistics and some that depend positively; pairs of runs on the same topics are
neither. For the largest t as many standard errors as that takes. `irci.stats.agreement` says what they are widened by, and
how they agree with p that is adjusted by steps.

Y. Benjamini and D. Yekutieli, "False discovery rate-adjusted multiple confidence intervals for selected parameters", JASA 100,
2005.
"""

from collections.abc import Callable, Iterable
from typing import Literal

import numpy as np

from irci.base.records import Record
from irci.base.types import Bools, Ends, Floats, Ints
from irci.methods.compare.edges import limits as bounded_limits
from irci.methods.compare.edges import of_differences, on_scale, replaced, wider
from irci.methods.compare.means import Design, Tested
from irci.stats.agreement import agreeing, limits_at_once
from irci.stats.bounded import few_differ
from irci.stats.decisions import separated
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval
from irci.stats.scales import SAME
from irci.stats.signs import Units
from irci.stats.simultaneous import Simultaneous
from irci.stats.tests import as_t

# (1 + confidence) / 2 is still less than 1.
MOST = 1 - float(np.finfo(float).eps)
# Limits of a kind that was chosen, which those for all pairs are never narrower than.
CHOSEN = ("bounded", "prediction")


class Adjusted(Record):
    """The contrasts of a family over one source: each by itself, p adjusted for their number, and limits if asked for."""

    tested: Tested
    p_adjusted: Floats
    limits_adjusted: Interval | None


def level(
    p_adjusted: Floats, correction: Literal["holm", "bh"], confidence: float, of_family: Floats | None = None,
    tried: int | None = None,
) -> tuple[float, Bools]:  # fmt: skip
    """The confidence of each limit of the pairs with p_adjusted[P], of a family with these and others, and which pairs[P] have
    limits.

    holm: 1 - alpha / m, all; bh: 1 - R alpha / m, the R pairs that are significant. m: the pairs of the family with a p, or as
    many as were `tried`.
    """
    of_family = p_adjusted if of_family is None else of_family
    tested = max(int((~np.isnan(of_family)).sum()), tried or 0)
    if correction == "holm":
        chosen, missing = np.ones(len(p_adjusted), np.bool_), 1
    else:
        chosen, every = (separated(np.nan_to_num(p, nan=1.0), 1 - confidence) for p in (p_adjusted, of_family))
        missing = int(every.sum())
    if missing >= tested:
        return confidence, chosen
    return min(1 - missing * (1 - confidence) / tested, MOST), chosen


def within(tested: Tested, width: float) -> Interval:
    """Limits of so many standard errors about the estimates; nan where they have none, or the width is infinite."""
    error = np.where(np.isnan(tested.limits[0]), np.nan, tested.of.error)
    reach = (width if np.isfinite(width) else np.nan) * error
    return tested.of.value - reach, tested.of.value + reach


def limits_by_largest(of: Estimates, found: Simultaneous, units: Units) -> Interval:
    """Limits by the largest statistic of all pairs, by one sign a unit, float64[P] each; nan where there is no error, where
    nothing varies, or where units are too few.

    With weights they are what signs do not reject, since errors are not those of as many units alike.
    """
    if units.weights is None:
        return of.within(as_t(found.largest_u, len(units.keys)))
    lower, upper = (np.where(of.error > 0, each, np.nan) for each in (found.lower, found.upper))
    return lower, upper


def adjusted_limits(
    tested: Tested, p_adjusted: Floats, design: Design, alone: Callable[[float], Interval], largest: Interval | None,
    units: Iterable[tuple[Ints, Floats, Floats | None]], ends: Ends | None, threads: int = 1,
    of_family: Floats | None = None, tried: int | None = None,
) -> Interval:  # fmt: skip
    """Limits[P] that go with p_adjusted[P] and do not contradict it; nan for pairs that have none.

    `alone`: of each pair by itself at a confidence; `largest`: by the largest statistic, if p is adjusted so. They are the
    wider of these; of some[p] pairs with differences[p, U] on `units` what `limits_at_once` says, of scores between `ends`,
    and no less wide than `alone` if their kind is a `CHOSEN` one; where units have weights[U] only its bounded ones, of the
    units' mean, which hold the weighed one. `of_family`: the adjusted p of all pairs of the family, if there are others, and
    of how many that were `tried` these are left. A pair that is the only one has its own.
    """
    confidence, of_family = design.confidence, p_adjusted if of_family is None else of_family
    of_each, chosen = level(p_adjusted, "bh" if design.correction == "bh" else "holm", confidence, of_family, tried)
    nothing = np.full(len(chosen), np.nan)
    if not chosen.any():
        return nothing, nothing
    limits = alone(of_each)
    if largest is None and max(len(of_family), tried or 0) == 1:
        return limits
    narrower = limits if largest is None else largest
    if largest is not None and design.interval not in CHOSEN:  # 0 is left out by no more than it is alone
        narrower = wider(largest, tested.limits)
    lower, upper = wider(limits, narrower)
    number, agree = (1 - confidence) / (1 - of_each), np.zeros(len(chosen), np.bool_)
    has_bounded = np.array([kind == "bounded" for kind in tested.interval] or agree, np.bool_)
    for some, differences, weights in units:
        known, value = (narrower[0][some], narrower[1][some]), tested.of.value[some]
        of_pair = tested.limits[0][some], tested.limits[1][some]
        bounded = _bounded_where_due(differences, value, of_pair, has_bounded[some], ends, of_each, threads)
        own = lower[some], upper[some]
        if weights is not None:
            own = replaced(own, ~np.isnan(bounded[0]), bounded)
        else:
            every = limits_at_once(differences, known, p_adjusted[some], confidence, number, bounded)
            own = wider(own, every) if design.interval in CHOSEN else every
            agree[some] = design.interval not in CHOSEN
        lower[some], upper[some] = own
    found = agreeing((lower, upper), tested.of.value, p_adjusted, confidence, narrower)
    lower, upper = replaced(found, agree, (lower, upper))
    return np.where(chosen, lower, np.nan), np.where(chosen, upper, np.nan)


def _bounded_where_due(
    differences: Floats, value: Floats, of_pair: Interval, has_bounded: Bools, ends: Ends | None, confidence: float,
    threads: int,
) -> Interval:  # fmt: skip
    """Bounded limits[P] of the means of differences[P, U], of scores between `ends`, where those `of_pair` alone are such,
    bool[P], where fewer than 10 units differ and some do not, or where all differ by the same, but for rounding beside the
    scale. They hold value[P], weighed means, and what those of the pair hold of the scale; nan for others, without ends, of
    one unit."""
    lower, upper = np.full((2, len(differences)), np.nan)
    if ends is None or differences.shape[1] < 2:
        return lower, upper
    due = has_bounded | few_differ(differences) | (np.ptp(differences, axis=1) <= SAME * (ends[1] - ends[0]))
    if due.any():
        scale = of_differences(ends)
        found = bounded_limits(differences[due], value[due], scale, confidence, threads=threads)
        # t's of two or three topics reach farther than bounded ones, and beyond the scale.
        lower[due], upper[due] = wider(found, on_scale((of_pair[0][due], of_pair[1][due]), scale))
    return lower, upper

"""Limits of differences that account for the number of pairs, as their adjusted p does.

With m pairs they are at confidence 1 - alpha/m (Bonferroni), which holds for all pairs at once; for Benjamini and Hochberg's p
at 1 - R alpha/m, of the R pairs that are significant, of which on average no more than alpha miss (the false coverage rate:
experiments that select none count as 0; others have none). That is proved for independent statistics and some that depend
positively; pairs of runs on the same topics are neither.

Limits by the largest statistic of all pairs under signs are never wider than these where units count alike, and miss as often;
so p alone is by that. Over clusters of unlike sizes they may be: p is then the more cautious one.

Y. Benjamini and D. Yekutieli, "False discovery rate-adjusted multiple confidence intervals for selected parameters", JASA 100,
2005.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import numpy as np

from irci.base.records import Record
from irci.base.types import Bools, Ends, Floats, Ints, Pairs, Words
from irci.estimators.compare.edges import limits as bounded_limits
from irci.estimators.compare.edges import of_differences, on_scale, replaced, wider
from irci.estimators.compare.means import Design, Tested
from irci.estimators.joint_resamples import common_topics, in_blocks, on_topics
from irci.stats.bounded import few_differ, hall_limits
from irci.stats.decisions import separated
from irci.stats.intervals import Interval
from irci.stats.signs import Layer, Simultaneous, Units, stacked
from irci.system import special

OnUnits = tuple[Ints, Floats, Floats | None]


def unit_differences(values: Floats, pairs: Pairs, units_of: Callable[[Bools], Units]) -> Iterator[OnUnits]:
    """Pairs[p] of pairs[P, 2] of runs with scores values[runs, M], their differences[p, U] on the units of the scores bool[M]
    that both have, and the units' weights[U], None where these count alike."""
    for mask, index in in_blocks(common_topics(values, pairs)):
        if mask.any():
            units = units_of(mask)
            all_units = np.ones(len(units.keys), np.bool_)
            yield index, on_topics(units.values, pairs[index], all_units) / units.counts, units.weights


def by_the_same_signs(
    units: Sequence[Units], pairs: Sequence[Pairs], common: Sequence[Bools], keys: Words, design: Design, threads: int
) -> list[Simultaneous]:
    """All pairs at once of each of several families, of measures or slices, by one sign for each of their units together, with
    these keys; `common`: the scores bool[M] that all rows of a family have."""
    in_any = np.logical_or.reduce(common)
    layers = [
        Layer(
            family_units.values,
            family_pairs,
            family_units.weights,
            None if in_family.sum() == in_any.sum() else in_family[in_any],
        )
        for family_units, family_pairs, in_family in zip(units, pairs, common, strict=True)
    ]
    return stacked(layers, keys, resamples=design.signs, seed=design.seed, threads=threads)


# (1 + confidence) / 2 is still less than 1.
MOST = 1 - float(np.finfo(float).eps)


class Adjusted(Record):
    """The contrasts of a family over one source: each by itself, p adjusted for their number, and limits if asked for."""

    tested: Tested
    p_adjusted: Floats
    limits_adjusted: Interval | None


def level(
    p_adjusted: Floats, correction: Literal["holm", "bh"], confidence: float, of_family: Floats | None = None
) -> tuple[float, Bools]:
    """The confidence of each limit of the pairs with p_adjusted[P], of a family with these and others, and which pairs[P] have
    limits.

    holm: 1 - alpha / m, all; bh: 1 - R alpha / m, the R pairs that are significant. m: the pairs of the family with a p.
    """
    of_family = p_adjusted if of_family is None else of_family
    tested = int((~np.isnan(of_family)).sum())
    if correction == "holm":
        selected, missing = np.ones(len(p_adjusted), np.bool_), 1
    else:
        selected, in_family = (separated(np.nan_to_num(p, nan=1.0), 1 - confidence) for p in (p_adjusted, of_family))
        missing = int(in_family.sum())
    if missing >= tested:
        return confidence, selected
    return min(1 - missing * (1 - confidence) / tested, MOST), selected


def adjusted_limits(
    tested: Tested, limits: Interval, units: Iterable[OnUnits], ends: Ends | None, confidence: float, threads: int = 1
) -> Interval:
    """Limits[P] at a confidence that accounts for the number of pairs, from those of each pair by itself at that confidence;
    nan of pairs that have none.

    Those by t are widened to Hall's, for the skewness of the differences on `units`; but where fewer than 10 units differ, and
    the scores' scale has `ends`, they are bounded, and hold what the pair's own ones do of the scale.
    """
    lower, upper = limits[0].copy(), limits[1].copy()
    is_by_t = np.array([kind == "t" for kind in tested.interval] or [True] * len(lower), np.bool_)
    for index, differences, weights in units:
        few, of_some = few_differ(differences), (lower[index], upper[index])
        number = differences.shape[1]
        if weights is None and number > 1:
            reach = -float(special.stdtrit(number - 1, (1 - confidence) / 2))
            is_skewed = is_by_t[index] & ~few & ~np.isnan(of_some[0])
            of_some = replaced(of_some, is_skewed, wider(of_some, hall_limits(differences, reach)))
        if ends is not None and few.any():
            scale, own = of_differences(ends), (tested.limits[0][index][few], tested.limits[1][index][few])
            value = tested.of.value[index][few]
            bounded = bounded_limits(differences[few], value, scale, confidence, threads=threads)
            of_some[0][few], of_some[1][few] = wider(bounded, on_scale(own, scale))
        lower[index], upper[index] = of_some
    return lower, upper

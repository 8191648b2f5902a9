"""Equivalence of pairs within a margin, by the units that vary: topics, clusters, ...

Where few units differ (`few_differ`), no test that looks at the spread of differences knows how large a rare one
may be: bounded limits decide, which know the ends of the scale. Else it is the larger of Student's and Hall's tests. A margin
that is a share q of the baseline's mean is one of ratios: D + qB and qB - D have means above 0 (E. C. Fieller, Journal of the
Royal Statistical Society B 16, 1954), and so have they for all wider margins, which else could lose what a narrower one shows.
"""

from typing import NamedTuple

import numpy as np

from irci.base.names import Margin
from irci.base.types import Bools, Ends, Floats, Ints, Pairs
from irci.bootstrap.joint_resamples import on_topics
from irci.stats.bounded import differing_topics, few_differ, share_below
from irci.stats.signs import Units
from irci.stats.skewness import margin_p, share_of_baseline_p


class Within(NamedTuple):
    """Margins of P pairs, [P] each: p[2, P] that the lower and the upper end are reached (nan: not known), on how many units
    they differ by more than next to nothing, whether these are too few for tests by their spread, the largest difference on
    one, and the share of it that others do not exceed, 0 where they do not differ."""

    p: Floats
    differing: Ints
    few: Bools
    largest: Floats
    rest: Floats


def within_margin(units: Units, pairs: Pairs, margin: Margin, ends: Ends | None) -> Within:
    """Equivalence of pairs[P, 2] of rows of units; `ends` of the scale of scores, None if it has none.

    Each p is the smallest alpha at which a limit at confidence 1 - 2 alpha lies inside the margin, and no less than 2^-U, what
    signs can say. Units that do not count alike have one only where few differ; with no ends, these have none. There, one
    that is not seen is taken to count as much as the largest.
    """
    differences = on_topics(units.values, pairs, np.ones(len(units.keys), np.bool_))
    rest = units.values[pairs[:, 1]] if margin.is_share else np.broadcast_to(units.counts, differences.shape)
    terms = margin.amount * rest
    of_scores = differences / units.counts  # not by how much a unit counts in the mean
    size = np.abs(of_scores).max(axis=1, initial=0.0)
    few, p = few_differ(of_scores), np.full((2, len(pairs)), np.nan)
    if units.weights is None:
        if margin.is_share:
            p = share_of_baseline_p(differences, rest, margin.amount)
        else:
            p = margin_p(differences, terms[:, 0], terms[:, 0])
    p[:, few] = np.nan
    if ends is not None and few.any():
        largest, some = float(units.counts.max()), (terms[few], differences[few])
        low, high = (np.array(each) * largest for each in _ends(margin, ends))
        of_both = share_below(some[0] + some[1], *low), share_below(some[0] - some[1], *high)
        p[:, few] = np.maximum(of_both, 2.0 ** -len(units.keys))
    differing, share = differing_topics(of_scores)
    rest = np.where((of_scores != 0).sum(axis=1) > differing, share, 0.0)
    return Within(p, differing, few, size, rest)


def _ends(margin: Margin, ends: Ends) -> tuple[Ends, Ends]:
    """The least and the greatest that margin + difference, and margin - difference, can be on one topic."""
    if not margin.is_share:
        length = ends[1] - ends[0]
        return (margin.amount - length, margin.amount + length), (margin.amount - length, margin.amount + length)
    below, above = (
        [sign * (run - baseline) + margin.amount * baseline for run in ends for baseline in ends] for sign in (1, -1)
    )
    return (min(below), max(below)), (min(above), max(above))

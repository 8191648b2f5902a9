"""The run that came out best, over topics: limits that allow for its having been picked, its corrected mean, and whether
another run may be better."""

import math
from typing import NamedTuple

import numpy as np

from irci.base.types import Ends, Floats, Ints, Words
from irci.bootstrap.topics import topic_counts
from irci.methods.compare.differences import over_topics
from irci.methods.compare.edges import of_differences
from irci.methods.compare.means import Design, Tested
from irci.stats.best import corrected_mean, lower_limit, tied_with_best
from irci.stats.bounded import lead_needs_bounds
from irci.stats.decisions import separated
from irci.stats.intervals import Interval
from irci.stats.scales import mean_over_topics
from irci.stats.signs import topic_signs


class Best(NamedTuple):
    """The best of several runs: its place, and those of runs that are tied with it; of how many runs it was picked; its mean
    with limits, its corrected mean, and the largest p of a t test against any other run (nan: there is none), all on the
    measure's scale."""

    place: int
    tied: list[int]
    of: int
    value: float
    lower: float
    upper: float
    corrected: float
    p: float


def best_mean(
    scores: Floats, limits: Interval, keys: Words, design: Design, ends: Ends | None, tried: int | None
) -> Best:
    """The best of runs with scores[k, n] on the topics that all share, `limits`[k] of each by itself, and so many `tried`.

    The corrected mean is that of the best of the runs that there are; more that were tried are unknown to it: nan.
    """
    runs, topics = scores.shape
    means = mean_over_topics(scores.T)
    tied = tied_with_best(means).tolist()
    place, of = tied[0], max(runs, tried or 0)
    value, lower, upper = (float(each[place]) for each in (means, *limits))
    corrected, p = value if of == 1 else math.nan, math.nan
    if topics < 2 and of > 1:
        lower = upper = math.nan
    elif of > 1:
        signs = topic_signs(keys, design.signs, design.seed)
        picked = lower_limit(scores, place, signs, 1 - design.confidence, ends=ends, tried=tried)
        lower = float(np.fmin(lower, picked))
    if topics > 1 and of == runs > 1:
        corrected = min(corrected_mean(scores, place, topic_counts(topics, design.resamples, design.seed)), value)
        lower = min(lower, corrected)  # nan stays
    others = [other for other in range(runs) if other != place]
    if others and topics > 1:
        pairs = np.array([(place, other) for other in others])
        p = float(over_topics(scores, pairs, keys, design, ends=ends).p.max())
    return Best(place, tied, of, value, lower, upper, corrected, p)


def with_limits(tested: Tested, place: int, limits: tuple[float, float]) -> Tested:
    """The same with other limits of the contrast at a place, and the kind that says why."""
    new = [each.copy() for each in tested.limits]
    kinds = list(tested.interval)
    new[0][place], new[1][place] = limits
    kinds[place] = "selected"
    return tested._replace(limits=(new[0], new[1]), interval=kinds)


def with_best_difference(
    tested: Tested,
    some: Ints,
    differences: Floats,
    scores: Floats,
    p_adjusted: Floats,
    keys: Words,
    design: Design,
    ends: Ends | None,
    tried: int | None,
) -> Tested:
    """The same with limits of the largest of some[p] differences from one baseline, differences[p, n] of runs with
    scores[p, n] on the topics that all share, that allow for its having been picked, and are no narrower than those by itself.
    0, if those leave it out, is left out where p_adjusted[p] is significant, if need be by a limit of 0, and nowhere else.

    Bounded limits, two or three times as wide, count where the difference has such by itself, and where the scores of its run
    hardly vary or are near the high end of the scale.
    """
    topics = differences.shape[1]
    if topics < 2 or max(len(some), tried or 0) < 2:
        return tested
    best = int(tied_with_best(mean_over_topics(differences.T))[0])
    place = int(some[best])
    plain, upper = (float(each[place]) for each in tested.limits)
    if math.isnan(plain):
        return tested
    reach = None
    if ends is not None and (tested.interval[place] == "bounded" or lead_needs_bounds(scores[best], *ends)):
        reach = of_differences(ends)
    signs = topic_signs(keys, design.signs, design.seed)
    alpha = 1 - design.confidence
    picked = lower_limit(differences, best, signs, alpha, ends=reach, tried=tried)
    lower = float(np.fmin(plain, picked))
    if separated(p_adjusted[best : best + 1], alpha)[0]:
        lower = max(lower, 0.0) if plain > 0 else lower
    elif not math.isnan(p_adjusted[best]):
        lower, upper = min(lower, 0.0), max(upper, 0.0)
    return with_limits(tested, place, (lower, upper))

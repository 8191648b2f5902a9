"""The run that came out best, over topics: limits that allow for its having been picked, its corrected mean, and whether
another run may be better.

Being picked can only flatter, so that the upper limit is that of a run by itself. The lower limit of its mean is the bounded
one at alpha/2k a side, of k runs: rare low scores that no topic has shown are allowed for, which takes a scale with ends. That
of its difference from a baseline that was named beforehand is Bonferroni's t for all runs but the baseline, and no higher than
the bounded one where few topics differ. Whether the best one is better than all others needs no correction for their number:
the largest p of its pairs will do (K. Hung and W. Fithian, "Rank verification for exponential families", Ann. Statist. 47,
2019).

I. Andrews, T. Kitagawa and A. McCloskey, "Inference on winners", QJE 139, 2024; Y. Benjamini, Y. Hechtlinger and P. B. Stark,
"Confidence intervals for selected parameters", 2019.
"""

import math
from typing import NamedTuple

import numpy as np

from irci.base.types import Ends, Floats, Ints, Ints32, Words
from irci.estimators.differences import over_topics
from irci.estimators.joint_resamples import resampled_means, topic_counts
from irci.estimators.means import Design, Tested, limits_by_ends, of_differences
from irci.stats.bounded import few_differ
from irci.stats.decisions import agreeing
from irci.stats.intervals import Interval
from irci.stats.scales import mean_over_topics

EQUAL = 1e-12  # means that differ by no more are tied


class Best(NamedTuple):
    """The best of several runs: its place, and those of runs that are tied with it; of how many runs it was picked; its mean
    with limits, its corrected mean, and the largest p of a t test against any other run (nan: there is none), all on the
    measure's scale. No lower limit (nan) without ends of the scale.

    Or the largest difference from a baseline that was named beforehand, at its place among the pairs, without the last two.
    """

    place: int
    tied: list[int]
    of: int
    value: float
    lower: float
    upper: float
    corrected: float = math.nan
    p: float = math.nan


def best_mean(
    scores: Floats, limits: Interval, keys: Words, design: Design, ends: Ends | None, *, are_points: bool
) -> Best:
    """The best of runs with scores[k, n] on the topics that all share, and `limits`[k] of each by itself."""
    runs, topics = scores.shape
    means = mean_over_topics(scores.T)
    tied = tied_with_best(means).tolist()
    position = tied[0]
    value, lower, upper = (float(item[position]) for item in (means, *limits))
    if runs == 1:
        return Best(position, tied, runs, value, lower, upper, value)
    if topics < 2:
        return Best(position, tied, runs, value, math.nan, math.nan)
    lower = lower_limit(scores[position], runs, design, ends)
    corrected = min(corrected_mean(scores, position, topic_counts(topics, design.resamples, design.seed)), value)
    pairs = np.array([(position, other) for other in range(runs) if other != position])
    p = float(over_topics(scores, pairs, keys, design, ends=ends, are_points=are_points).p.max())
    return Best(position, tied, runs, value, lower, upper, corrected, p)


def lower_limit(scores: Floats, runs: int, design: Design, ends: Ends | None) -> float:
    """The lower limit of the mean of scores[n] of the best of so many runs; nan without ends of the scale."""
    if ends is None:
        return math.nan
    confidence = 1 - (1 - design.confidence) / runs
    return float(limits_by_ends(scores[np.newaxis], mean_over_topics(scores)[np.newaxis], ends, confidence)[0, 0])


def lower_limit_of_lead(
    tested: Tested, position: int, lead: Floats, runs: int, design: Design, ends: Ends | None
) -> float:
    """The lower limit of the difference at a place, lead[n] on the topics that all runs share, the largest of so many runs
    from one baseline; nan without `ends` of the scores' scale."""
    if ends is None or not len(lead):
        return math.nan
    confidence, scale = 1 - (1 - design.confidence) / runs, of_differences(ends)
    lower = np.fmin(tested.limits[0][position], tested.of.limits(confidence)[0][position])
    if tested.interval[position] == "bounded" or few_differ(lead[np.newaxis])[0]:
        lower = np.fmin(lower, limits_by_ends(lead[np.newaxis], tested.of.value[[position]], scale, confidence)[0][0])
    return float(np.maximum(lower, scale[0]))


def limits_of_lead(
    tested: Tested, position: int, lower: float, p_adjusted: Floats, design: Design
) -> tuple[float, float]:
    """Limits of the difference at a place, the largest from one baseline, that allow for its having been picked; they agree
    with p_adjusted[P]."""
    own = tested.limits[:, [position]]
    # Its own bounded limits may hold 0 though p of signs is small: those that allow for more hold it, too.
    p = np.where((own[0] <= 0) & (own[1] >= 0), np.nan, p_adjusted[[position]])
    lowest, highest = agreeing(np.stack(([lower], own[1])), tested.of.value[[position]], p, design.confidence)
    return lowest.item(), highest.item()


def tied_with_best(means: Floats) -> Ints:
    """The places of the best of means[k], the first of them the one that is picked, int64[r]."""
    return np.flatnonzero(means >= means.max() - EQUAL)


def corrected_mean(scores: Floats, position: int, counts: Ints32) -> float:
    """The mean of the run at a place, the best of scores[k, n], less how much that of the best on resampled topics, counts
    int32[n, B], is above its mean on average (of runs that are tied there, on average over these); never more than the mean,
    which that of a single run is."""
    observed = scores.mean(axis=1)
    if len(scores) == 1:
        return float(observed[0])
    means = resampled_means(scores, counts)
    best = means >= means.max(axis=0) - EQUAL
    flattery = float((((means - observed[:, np.newaxis]) * best).sum(axis=0) / best.sum(axis=0)).mean())
    return float(observed[position]) - max(flattery, 0.0)

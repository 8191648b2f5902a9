"""Means over topics, and the scales they are taken on: scores as they are, their logits (L-MAP) or their logarithms (GMAP);
scores standardised over systems, so that every topic counts alike; and scores and differences that hardly vary.

Webber, Moffat & Zobel, SIGIR 2008 (z, and its normal distribution function); Sakai, ICTIR 2016 (std-AB); Colombo, Noiry,
Irurozki & Clemencon, NeurIPS 2022 (Borda's points).
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from irci.base.types import Bools, Floats, Ints
from irci.system import special

# Scores, or differences, no farther apart than this share of the scale, or of a pair's largest, are equal: .3 - .1 is not .2.
# A sum of a million terms, added up in two orders, may differ by 2e-10 of itself; scores that are printed with 4 to 6 decimals
# are equal, or at least 1e-6 apart.
SAME = 1e-9
# Sums that differ by no more than this share of what is summed are equal: they are added up in different orders.
SAME_SUM = 1e-12
# Scores of a topic tie that are no farther apart than this share of the larger: sums of a thousand terms differ by 1e-13 of
# themselves, and scores of 1,000 that are printed with six decimals by 1e-9. What cancels out leaves 1e-16 of the largest.
TIED, CANCELLED = 1e-12, 1e-15
# A variance beyond a part of it that is no more than this share of the whole is rounding.
ALL_OF_IT = 1e-12
# Where the logit of 0 and 1 is taken: GMAP's floor.
EPSILON = 1e-5
# What replaces 0 and 1 in the parametric interval of MAP: with 1e-5 replicates of exactly 0 and 1 double its standard error.
PARAMETRIC_EPSILON = 0.01
GEOMETRIC_FLOOR = 1e-5


def excess(whole: Floats | float, part: Floats | float) -> Floats:
    """whole[...] less part[...], variances or sums of squares: 0 where the part is larger, or as large but for rounding, so
    that no order of topics decides whether anything is left; nan stays nan."""
    beyond = np.asarray(whole - part)
    return np.where(beyond <= ALL_OF_IT * np.abs(whole), 0.0, beyond)


def clamped_logit(scores: Floats) -> Floats:
    """ln(p / (1 - p)) of p moved into [epsilon, 1 - epsilon]."""
    clamped = np.clip(scores, EPSILON, 1 - EPSILON)
    return np.log(clamped / (1 - clamped))


def replaced_logit(scores: Floats) -> Floats:
    """ln(p / (1 - p)) of p, where exactly 0 and 1 are replaced by .01 and .99 (Cormack & Lynam 2006, section 5), and nothing
    else is moved."""
    replaced: Floats = np.where(scores <= 0, PARAMETRIC_EPSILON, np.where(scores >= 1, 1 - PARAMETRIC_EPSILON, scores))
    logits: Floats = np.log(replaced / (1 - replaced))
    return logits


def expit(logits: Floats) -> Floats:
    """The inverse of the logit."""
    with np.errstate(over="ignore"):  # exp of a large number is inf, whose inverse is the right limit
        probabilities: Floats = 1 / (1 + np.exp(-logits))
    return probabilities


class Scale(NamedTuple):
    """A scale: what a score becomes on it, and the way back."""

    name: str
    forward: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]


PLAIN = Scale("", lambda scores: scores, lambda scores: scores)
LOGIT = Scale("logit", clamped_logit, expit)
LOG = Scale("log", lambda scores: np.log(np.maximum(scores, GEOMETRIC_FLOOR)), np.exp)


def mean_over_topics(scores: Floats) -> Floats:
    """The mean over the first axis, added up in topic order as trec_eval does (numpy's pairwise sum may differ)."""
    return added_up(scores) / len(scores)


def added_up(scores: Floats) -> Floats:
    """The sum over the first axis in its order, whatever else there is along the others; 0.0 where all are -0.0."""
    if 0 < scores.size == len(scores):  # which numpy would add up in pairs
        return np.asarray(np.cumsum(scores, axis=0)[-1] + 0.0)
    return np.asarray(np.add.reduce(np.ascontiguousarray(scores), axis=0) + 0.0)


SLOPE, MIDDLE = 0.15, 0.5  # of std-AB


def reference_factors(scores: Floats) -> tuple[Floats, Floats]:
    """The mean and sd of scores[..., runs, topics] over the reference runs, each [..., topics]; sd nan where all are equal."""
    # Equal scores may leave a sum of rounding errors for a variance.
    same = np.ptp(scores, axis=-2) == 0
    with np.errstate(invalid="ignore", divide="ignore"):
        sd = scores.std(axis=-2, ddof=1) if scores.shape[-2] > 1 else np.zeros(same.shape)
    return scores.mean(axis=-2), np.where(same | ~(sd > 0), np.nan, sd)


def standardised(scores: Floats, mean: Floats, sd: Floats, kind: Literal["z", "cdf", "ab"]) -> Floats:
    """Scores by a reference's factors: `z`, (score - mean) / sd; `cdf`: the normal distribution function of it, in (0, 1);
    `ab`: .15 z + .5, clipped to [0, 1]."""
    z: Floats = (scores - mean) / sd
    if kind == "cdf":
        return np.asarray(special.ndtr(z), np.float64)
    return np.clip(SLOPE * z + MIDDLE, 0, 1) if kind == "ab" else z


def tied_places(values: Floats, near: Callable[[Floats], Floats]) -> Floats:
    """Places float64[n, m], from 0 on, of values[n, m] in the ascending order of their column; ties have their mean. Values
    tie that rise by no more than `near` of the values in order [m] or [n - 1, m], one after the other: ties have no order."""
    order = np.argsort(values, axis=0, kind="stable")
    ascending = np.take_along_axis(values, order, axis=0)
    with np.errstate(invalid="ignore"):  # infinite ones
        rises = np.diff(ascending, axis=0) > near(ascending)
    place, edge = np.arange(len(values))[:, np.newaxis], np.ones((1, values.shape[1]), np.bool_)
    first = np.maximum.accumulate(np.where(np.vstack((edge, rises)), place, 0), axis=0)
    last = np.minimum.accumulate(np.where(np.vstack((rises, edge)), place, len(values))[::-1], axis=0)[::-1]
    result = np.empty(values.shape)
    np.put_along_axis(result, order, (first + last) / 2, axis=0)
    return result


def points(scores: Floats) -> Floats:
    """Borda's points, float64[runs, T], of scores[runs, T]: on each topic the runs that a run beats, and half of those with
    which it ties, by scores that are `TIED`. A run without a score (nan) has 0, and all that have one beat it."""
    absent = np.isnan(scores)

    def near(ascending: Floats) -> Floats:
        size = np.abs(np.where(np.isinf(ascending), 0.0, ascending))
        return np.asarray(np.maximum(TIED * np.maximum(size[1:], size[:-1]), CANCELLED * size.max(axis=0)))

    return np.where(absent, 0.0, tied_places(np.where(absent, -np.inf, scores), near))


FEW_DIFFERING = 10  # topics that differ; with fewer, that no rare large difference was missed is not known
# Of a pair's largest difference, or its mean: jitter, say, which tells nothing of how large rare ones are; or small ones.
NEXT_TO_NOTHING, SMALL = 0.01, 0.1
NEAR = 0.05  # of the scale: what lies no farther from the median hardly differs from it


def at_ends(scores: Floats, low: float, high: float) -> Bools:
    """bool[...]: all of scores[..., n] are an end of the scale."""
    same = SAME * (high - low)
    return np.asarray(np.all((scores <= low + same) | (scores >= high - same), axis=-1))


def mostly_one_score(scores: Floats, low: float, high: float, *, half: bool = False) -> Bools:
    """bool[...]: of scores[..., n] fewer than 10 differ from the most frequent one, which two or more have; `half`: or half of
    them, if these are more."""
    number = scores.shape[-1]
    others_at_least = max(number - FEW_DIFFERING, (number + 1) // 2 - 1 if half else 1, 1)
    ordered = np.sort(scores, axis=-1)
    # Equal scores stand side by side: of others + 1 the first and the last are so far apart.
    return np.asarray(
        np.any(ordered[..., others_at_least:] - ordered[..., :-others_at_least] <= SAME * (high - low), axis=-1)
    )


def mean_needs_bounds(scores: Floats, low: float, high: float) -> Bools:
    """bool[...]: the mean of scores[..., n] gets bounded limits in place of t's: all are an end of the scale, or fewer than 10
    differ from the most frequent one, or lie farther than NEAR of the scale from the median, as of every set of 10 topics."""
    if scores.shape[-1] <= FEW_DIFFERING:
        return np.ones(scores.shape[:-1], np.bool_)
    far = np.abs(scores - np.median(scores, axis=-1, keepdims=True)) > (NEAR + SAME) * (high - low)
    hardly_vary = mostly_one_score(scores, low, high) | (np.sum(far, axis=-1) < FEW_DIFFERING)
    return np.asarray(at_ends(scores, low, high) | hardly_vary)


def differing_topics(differences: Floats) -> tuple[Ints, Floats]:
    """int64[P]: on how many topics differences[P, T] are more than a hundredth of the pair's largest; or, where most of T and
    all but a few are a tenth or less, more than a tenth. And that share, float64[P]."""
    size, topics = np.abs(differences), differences.shape[1]
    largest = size.max(axis=1, initial=0.0, keepdims=True)
    number, of_size = ((size > share * largest).sum(axis=1) for share in (NEXT_TO_NOTHING, SMALL))
    are_small = (of_size < FEW_DIFFERING) & (2 * of_size < topics) & ((number >= FEW_DIFFERING) | (number == topics))
    return np.where(are_small, of_size, number), np.where(are_small, SMALL, NEXT_TO_NOTHING)


def few_differ(differences: Floats) -> Bools:
    """bool[P]: where fewer than 10 of differences[P, T], and not all, are more than a hundredth of the pair's largest, or
    fewer than 10 and fewer than half more than a tenth of it: rare large ones may not have been seen. (A tenth alone would be
    met by normal differences: by 78 of 100 pairs on 10 topics.)"""
    number, _ = differing_topics(differences)
    return np.asarray((number < FEW_DIFFERING) & (number < differences.shape[1]))

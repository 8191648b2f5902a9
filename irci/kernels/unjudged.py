"""The least and the greatest score over all grades that unjudged documents could have: of measures that need more than a sum.

`lists` are one run's `JudgedLists` (see `measures`) over T topics. `holes`: where its unjudged documents stand down to the
cut, those whose grade can score. `beyond` int64[T]: further documents of unknown grade, which cannot score but count in R and
in the ideal ranking. `scores` float64[T]: with all of them not relevant. Each returns lower and upper, float64[T], which are
the score itself, to the last bit, where nothing is unknown.

That a document moved up never lowers a score says which documents: of m relevant ones the topmost are the best choice and the
lowest, those beyond first, the worst; so m alone is tried.
"""

from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.shapes import expect, expect_groups
from irci.native.compiled import njit


class Holes(NamedTuple):
    """The ranks of unjudged documents: topic t's are ranks[offsets[t]:offsets[t+1]], int64[...], from 1, ascending."""

    offsets: Array[np.int64]
    ranks: Array[np.int64]


@njit
def find_holes(lists, cut):
    """The Holes of each topic down to rank `cut`: what is retrieved there and has no grade, or one below 0."""
    topics = len(lists.relevant)
    offsets = np.zeros(topics + 1, np.int64)
    ranks = np.empty(np.minimum(lists.retrieved, cut).sum(), np.int64)
    number = 0
    for topic in range(topics):
        i = lists.offsets[topic]
        for rank in range(1, min(lists.retrieved[topic], cut) + 1):
            is_judged = False
            if i < lists.offsets[topic + 1] and lists.ranks[i] == rank:
                is_judged = lists.grades[i] >= 0
                i += 1
            if not is_judged:
                ranks[number] = rank
                number += 1
        offsets[topic + 1] = number
    return Holes(offsets, ranks[:number].copy())


@njit
def first_bounds(lists, holes, beyond, scores):
    """The scores twice, where all is of the same topics; or ValueError."""
    expect_groups(lists.offsets, len(scores), len(lists.ranks))
    expect_groups(holes.offsets, len(scores), len(holes.ranks))
    expect(len(lists.relevant) == len(scores) and len(beyond) == len(scores))
    return scores.copy(), scores.copy()


@njit
def _precisions(lists, topic, cut):
    # Sums over the relevant documents down to the cut: their precisions, 1 / rank, and 1.
    hits, total, inverse = 0, 0.0, 0.0
    for i in range(lists.offsets[topic], lists.offsets[topic + 1]):
        if lists.ranks[i] > cut:
            break
        if lists.grades[i] >= lists.level:
            hits += 1
            total += hits / lists.ranks[i]
            inverse += 1.0 / lists.ranks[i]
    return total, inverse, hits


@njit
def _highest_precision(lists, holes, topic, cut, score):
    # AP if the topmost m holes are relevant, m the best number: each adds its own precision, and 1 / rank to each relevant
    # document below it.
    total, below, _ = _precisions(lists, topic, cut)
    best, hits, i = score, 0, lists.offsets[topic]
    for index in range(holes.offsets[topic], holes.offsets[topic + 1]):
        rank, m = holes.ranks[index], index - holes.offsets[topic] + 1
        while i < lists.offsets[topic + 1] and lists.ranks[i] < rank:
            if lists.grades[i] >= lists.level:
                hits += 1
                below -= 1.0 / lists.ranks[i]
            i += 1
        total += (hits + m) / rank + below
        best = max(best, total / (lists.relevant[topic] + m))
    return best


@njit
def _lowest_precision(lists, holes, beyond, topic, cut, score):
    # AP if those beyond and the lowest m holes are relevant, m the worst number.
    total, _, hits = _precisions(lists, topic, cut)
    below, i, relevant = 0.0, lists.offsets[topic + 1] - 1, lists.relevant[topic] + beyond
    worst = min(score, total / relevant) if beyond > 0 else score
    for index in range(holes.offsets[topic + 1] - 1, holes.offsets[topic] - 1, -1):
        rank = holes.ranks[index]
        while i >= lists.offsets[topic] and lists.ranks[i] > rank:
            if lists.ranks[i] <= cut and lists.grades[i] >= lists.level:
                hits -= 1
                below += 1.0 / lists.ranks[i]
            i -= 1
        total += (hits + 1) / rank + below
        below += 1.0 / rank
        relevant += 1
        worst = min(worst, total / relevant)
    return worst


@njit
def average_precision_bounds(lists, holes, beyond, scores, cut):
    """Bounds of AP, or map_cut: precisions down to rank `cut` over all R. O(n)."""
    lower, upper = first_bounds(lists, holes, beyond, scores)
    for topic in range(len(scores)):
        upper[topic] = _highest_precision(lists, holes, topic, cut, scores[topic])
        lower[topic] = _lowest_precision(lists, holes, beyond[topic], topic, cut, scores[topic])
    return lower, upper


@njit
def r_precision_bounds(lists, holes, beyond, scores):
    """Bounds of R-precision: the rank at which it is taken, R + m, moves down with each relevant document."""
    lower, upper = first_bounds(lists, holes, beyond, scores)
    for topic in range(len(scores)):
        unknown = holes.offsets[topic + 1] - holes.offsets[topic] + beyond[topic]
        i, index, hits = lists.offsets[topic], holes.offsets[topic], 0
        for m in range(unknown + 1):
            cut = lists.relevant[topic] + m
            while i < lists.offsets[topic + 1] and lists.ranks[i] <= cut:
                hits += lists.grades[i] >= lists.level
                i += 1
            while index < holes.offsets[topic + 1] and holes.ranks[index] <= cut:
                index += 1
            above = index - holes.offsets[topic]
            if m > 0:
                lower[topic] = min(lower[topic], (hits + max(0, m - (unknown - above))) / cut)
                upper[topic] = max(upper[topic], (hits + min(m, above)) / cut)
    return lower, upper


@njit
def _stop(grade, most):
    return (2.0**grade - 1.0) / 2.0**most


@njit(forceinline=True)
def _next(lists, i, end, holes, index, last):
    # The rank and the grade of the next document of either, holes having the highest; and the places behind it.
    if index < last and (i >= end or holes.ranks[index] <= lists.ranks[i]):
        rank = holes.ranks[index]
        is_pooled = i < end and lists.ranks[i] == rank  # and not judged
        return rank, lists.most, i + is_pooled, index + 1
    return np.int64(lists.ranks[i]), lists.grades[i], i + 1, index


@njit
def _greatest_reciprocal_rank(lists, holes, topic, cut):
    # ERR if all holes have the highest grade.
    i, index, total, going_on = lists.offsets[topic], holes.offsets[topic], 0.0, 1.0
    end, last = lists.offsets[topic + 1], holes.offsets[topic + 1]
    while i < end or index < last:
        rank, grade, i, index = _next(lists, i, end, holes, index, last)
        if rank > cut:
            break
        if grade >= lists.level:
            stop = _stop(grade, lists.most)
            total += going_on * stop / rank
            going_on *= 1.0 - stop
    return total


@njit
def _ideal_reciprocal_rank(lists, topic, cut, more):
    # ERR of the best ranking, with so many more documents of the highest grade.
    total, going_on, rank = 0.0, 1.0, 0
    first, last = lists.ideal_offsets[topic], lists.ideal_offsets[topic + 1]
    while rank < min(more + last - first, cut):
        grade = lists.most if rank < more else lists.ideal[first + rank - more]
        rank += 1
        if grade < lists.level:
            break
        stop = _stop(grade, lists.most)
        total += going_on * stop / rank
        going_on *= 1.0 - stop
    return total


@njit
def reciprocal_rank_bounds(lists, holes, beyond, scores, cut, normalised):
    """Bounds of ERR, which grows with every grade; normalised: outer ones of nERR, from those of ERR and of the best
    ranking's."""
    lower, upper = first_bounds(lists, holes, beyond, scores)
    for topic in range(len(scores)):
        unknown = holes.offsets[topic + 1] - holes.offsets[topic] + beyond[topic]
        if unknown == 0:
            continue
        greatest = _greatest_reciprocal_rank(lists, holes, topic, cut)
        if not normalised:
            upper[topic] = max(scores[topic], greatest)
            continue
        least_ideal = _ideal_reciprocal_rank(lists, topic, cut, 0)
        most_ideal = _ideal_reciprocal_rank(lists, topic, cut, unknown)
        lower[topic] = min(scores[topic], scores[topic] * least_ideal / most_ideal if most_ideal > 0 else 0.0)
        highest = 1.0 if greatest > 0 else 0.0
        upper[topic] = max(scores[topic], min(highest, greatest / least_ideal) if least_ideal > 0 else highest)
    return lower, upper


@njit
def _blended(lists, holes, topic, cut, first, last, more, cumulated):
    # The sum of Q's blended ratios if holes first..last-1 have the highest grade, as have `more` in all, the others none.
    # cumulated float64[R + 1]: gains of the best ranking of what is judged, added up.
    i, end, index = lists.offsets[topic], lists.offsets[topic + 1], first
    relevant, hits, gained, total = len(cumulated) - 1, 0, 0.0, 0.0
    while i < end or index < last:
        rank, grade, i, index = _next(lists, i, end, holes, index, last)
        if rank > cut:
            break
        if grade >= lists.level:
            hits += 1
            gained += grade
            ideal = float(lists.most) * min(rank, more) + cumulated[min(max(rank - more, 0), relevant)]
            total += (hits + gained) / (rank + ideal)
    return total


@njit
def q_bounds(lists, holes, beyond, scores, cut):
    """Bounds of Q (beta 1), if an unjudged document is either not relevant or of the highest grade. O(n^2)."""
    lower, upper = first_bounds(lists, holes, beyond, scores)
    for topic in range(len(scores)):
        relevant, begin, end = lists.relevant[topic], holes.offsets[topic], holes.offsets[topic + 1]
        cumulated = np.zeros(relevant + 1)
        for n in range(relevant):  # gains that are relevant come first
            cumulated[n + 1] = cumulated[n] + lists.ideal[lists.ideal_offsets[topic] + n]
        for m in range(1, end - begin + 1):
            total = _blended(lists, holes, topic, cut, begin, begin + m, m, cumulated)
            upper[topic] = max(upper[topic], total / (relevant + m))
        for m in range(1, end - begin + beyond[topic] + 1):
            first = end - max(m - beyond[topic], 0)
            total = _blended(lists, holes, topic, cut, first, end, m, cumulated)
            lower[topic] = min(lower[topic], total / (relevant + m))
    return lower, upper

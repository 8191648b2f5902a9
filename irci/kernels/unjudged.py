"""The least and the greatest score over all grades that unjudged documents could have: of measures that need more than a sum.

`lists` are one run's `JudgedLists` (see `measures`) over T topics. `holes`: where its unjudged documents stand down to the
cut, those whose grade can score. `beyond` int64[T]: further documents of unknown grade, which cannot score but count in R and
in the ideal ranking. `scores` float64[T]: with all of them not relevant. Each returns lower and upper, float64[T], which are
the score itself, to the last bit, where nothing is unknown.

That a document moved up never lowers a score says which documents: of m relevant ones the topmost are the best choice and the
lowest, those beyond first, the worst; so m alone is tried.

The least and the greatest difference of nDCG of two runs, which of a run and nothing is its nDCG: a document has the same
grade wherever it is retrieved. A gain is split into steps: a document of grade g counts the weight w_q = gain(q) - gain(q - 1)
for each grade q up to g. With m_q of the unknown documents at grade q or above, of the n_q that are judged so, the best
ranking gains sum_q w_q H(n_q + m_q), H(n) the sum of the first n discounts. Grades between which none is judged have the same
n_q and are one step.

The greatest ratio is found as Dinkelbach (1967) does: for the ratio t found so far, each step by itself takes the number
m_q that makes most of the gain less t times the best ranking's, which makes t grow until it is the greatest. Numbers m_q
fall as grades rise, so that there are documents of such grades. A ratio below 0 has no grade but 0 and the highest (a ratio
of a linear and a convex function has its minimum in a corner). Every positive grade has a gain.
"""

from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.measures import best_gains, gain_of, topic_of
from irci.kernels.shapes import expect, expect_groups
from irci.native.compiled import njit


class Holes(NamedTuple):
    """The ranks of unjudged documents: topic t's are ranks[offsets[t]:offsets[t+1]], int64[...], from 1, ascending."""

    offsets: Array[np.int64]
    ranks: Array[np.int64]


@njit
def first_bounds(lists, holes, beyond, scores):
    """The scores twice, where all is of the same topics; or ValueError."""
    expect_groups(lists.offsets, len(scores), len(lists.ranks))
    expect_groups(holes.offsets, len(scores), len(holes.ranks))
    expect(len(lists.relevant) == len(scores) and len(beyond) == len(scores))
    return scores.copy(), scores.copy()


@njit
def average_precision_bounds(lists, holes, beyond, scores, cut):
    """Bounds of AP, or map_cut: precisions down to rank `cut` over all R.

    A hole adds its own precision, and 1 / rank to each relevant document below it.
    """
    lower, upper = first_bounds(lists, holes, beyond, scores)
    for topic in range(len(scores)):
        one, unknown = topic_of(lists, topic), holes.ranks[holes.offsets[topic] : holes.offsets[topic + 1]]
        ranks = one.ranks[(one.grades >= one.level) & (one.ranks <= cut)]
        precisions = (np.arange(1, len(ranks) + 1) / ranks).sum()
        hits, inverse = np.searchsorted(ranks, unknown), np.append(0.0, np.cumsum(1 / ranks))
        below, inverse_unknown = inverse[-1] - inverse[hits], np.append(0.0, np.cumsum(1 / unknown[::-1]))
        m = np.arange(len(unknown) + 1)
        topmost = np.cumsum(np.append(precisions, (hits + m[1:]) / unknown + below))
        if len(unknown):
            upper[topic] = max(upper[topic], (topmost[1:] / (one.relevant + m[1:])).max())
        # Of the lowest m: each hole, the relevant documents below it, and the lower holes.
        lowest = np.cumsum(np.append(precisions, ((hits + 1) / unknown + below)[::-1] + inverse_unknown[:-1]))
        first = np.int64(beyond[topic] == 0)
        if len(m) > first:
            lower[topic] = min(lower[topic], (lowest / (one.relevant + beyond[topic] + m))[first:].min())
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
def _blended(lists, holes, topic, cut, first, last, more, cumulated):
    # The sum of Q's blended ratios if holes first..last-1 have the highest grade, as have `more` in all, the others none.
    # cumulated float64[R + 1]: gains of the best ranking of what is judged, added up.
    i, end, index = lists.offsets[topic], lists.offsets[topic + 1], first
    relevant, hits, gained, total = len(cumulated) - 1, 0, 0.0, 0.0
    while i < end or index < last:
        is_hole = index < last and (i >= end or holes.ranks[index] <= lists.ranks[i])
        rank = holes.ranks[index] if is_hole else np.int64(lists.ranks[i])
        grade = lists.most if is_hole else lists.grades[i]
        index += is_hole
        i += i < end and lists.ranks[i] == rank  # a hole may be pooled, and not judged
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
        cumulated = best_gains(topic_of(lists, topic).ideal, relevant, False)
        for m in range(1, end - begin + 1):
            total = _blended(lists, holes, topic, cut, begin, begin + m, m, cumulated)
            upper[topic] = max(upper[topic], total / (relevant + m))
        for m in range(1, end - begin + beyond[topic] + 1):
            first = end - max(m - beyond[topic], 0)
            total = _blended(lists, holes, topic, cut, first, end, m, cumulated)
            lower[topic] = min(lower[topic], total / (relevant + m))
    return lower, upper


@njit
def _steps(lists, topic, exponential):
    """The steps of a topic's gains, from the highest grade down: weights float64[n], and judged documents that reach them,
    int64[n]."""
    first, last = lists.ideal_offsets[topic], lists.ideal_offsets[topic + 1]
    weights, counts = np.empty(last - first + 1), np.empty(last - first + 1, np.int64)
    steps, i, grade = 0, first, lists.most
    while grade > 0:
        while i < last and lists.ideal[i] >= grade:
            i += 1
        lower = lists.ideal[i] if i < last and lists.ideal[i] > 0 else 0
        weights[steps] = gain_of(grade, exponential) - gain_of(lower, exponential)
        counts[steps] = i - first
        steps += 1
        grade = lower
    return weights[:steps], counts[:steps]


@njit
def _greatest_ratio(gained, discounts, weights, counts, sums, start):
    """The greatest ratio from one that is reached; discounts float64[u]: of unknown documents, descending."""
    taken, ratio, highest = np.zeros(len(discounts) + 1), start, weights.sum()
    for m in range(1, len(taken)):
        taken[m] = taken[m - 1] + discounts[m - 1]
        under = 0.0
        for step in range(len(weights)):
            under += weights[step] * sums[counts[step] + m]
        ratio = max(ratio, (gained + highest * taken[m]) / under)
    while ratio >= 0:
        over, under = gained, 0.0
        for step in range(len(weights)):
            best, best_m = -np.inf, 0
            for m in range(len(taken)):
                worth = taken[m] - ratio * sums[counts[step] + m]
                if worth >= best:
                    best, best_m = worth, m
            over += weights[step] * taken[best_m]
            under += weights[step] * sums[counts[step] + best_m]
        reached = over / under if under > 0 else 0.0
        if not reached > ratio:
            break
        ratio = reached
    return ratio


@njit
def ndcg_difference_bounds(lists, offsets, discounts, gained, differences, exponential, cut):
    """Bounds of one run's nDCG down to rank `cut` less another's, of lists that share their judgments. O(rounds times grades
    times unknown documents).

    Topic t's unknown documents, of either run, have discounts[offsets[t]:offsets[t+1]], float64[...]: that in the first less
    that in the second. gained and differences float64[T]: of DCG and of nDCG, with all of them not relevant.
    """
    expect_groups(offsets, len(differences), len(discounts))
    expect(len(gained) == len(differences) and len(lists.relevant) == len(differences))
    sums = np.zeros((np.diff(lists.ideal_offsets) + np.diff(offsets)).max() + 1)
    for n in range(1, len(sums)):
        sums[n] = sums[n - 1] + (1.0 / np.log2(n + 1.0) if n <= cut else 0.0)
    lower, upper = differences.copy(), differences.copy()
    for topic in range(len(differences)):
        of_topic = np.sort(discounts[offsets[topic] : offsets[topic + 1]])
        if len(of_topic) > 0:
            steps = _steps(lists, topic, exponential)
            upper[topic] = _greatest_ratio(gained[topic], of_topic[::-1].copy(), *steps, sums, differences[topic])
            lower[topic] = -_greatest_ratio(-gained[topic], -of_topic, *steps, sums, -differences[topic])
    return lower, upper

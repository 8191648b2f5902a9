"""The least and the greatest score over all grades that unjudged documents could have: of measures that need more than a sum.

`lists` are one run's `JudgedLists` (see `measures`) over T topics. `holes`: where its unjudged documents stand down to the
cut, those whose grade can score. `beyond` int64[T]: further documents of unknown grade, which cannot score but count in R and
in the ideal ranking. `scores` float64[T]: with all of them not relevant. Each returns lower and upper, float64[T], which are
the score itself, to the last bit, where nothing is unknown.

That a document moved up never lowers a score says which documents: of m relevant ones the topmost are the best choice and the
lowest, those beyond first, the worst; so m alone is tried.

The least and the greatest nDCG, and difference of nDCG, over all grades that unjudged documents could have.

A gain is split into steps: a document of grade g counts the weight w_q = gain(q) - gain(q - 1) for each grade q up to g. With
m_q of the unknown documents at grade q or above, of the n_q that are judged so, the best ranking gains sum_q w_q H(n_q + m_q),
H(n) the sum of the first n discounts. Grades between which none is judged have the same n_q and are one step.

The greatest ratio is found as Dinkelbach (1967) does: for the ratio t found so far, each step by itself takes the number
m_q that makes most of the gain less t times the best ranking's, which makes t grow until it is the greatest. Numbers m_q
fall as grades rise, so that there are documents of such grades. The least has no grade but 0 and the highest (a ratio of a
linear and a convex function has its minimum in a corner). Arguments as in `unjudged`. Every positive grade has a gain.

Of two runs, a document has the same grade wherever it is retrieved. The unjudged documents of either come as offsets
int64[T+1] and, in ascending order within a topic, their numbers int64[...] (those of `data.retrieved`), beside which stands
what a document counts there, float64[...].
"""

from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.gains import gain_of
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


@njit
def discount_of(rank, cut):
    """The discount of a gain at this rank, 0 below the cut (and at rank 0: not retrieved)."""
    return 1.0 / np.log2(rank + 1.0) if 0 < rank <= cut else 0.0


@njit
def _cumulated_discounts(most, cut):
    # H: the sum of the first n discounts, for n up to `most`; below the cut there are none.
    sums = np.zeros(most + 1)
    for n in range(1, most + 1):
        sums[n] = sums[n - 1] + discount_of(n, cut)
    return sums


@njit
def _steps(lists, topic, exponential, weights, counts):
    """Fill the steps of a topic's gains, from the highest grade down: weight, and judged documents that reach it.

    Returns how many there are. weights float64 and counts int64, with room for one more than the topic's judged gains.
    """
    steps, grade = 0, lists.most
    i, last = lists.ideal_offsets[topic], lists.ideal_offsets[topic + 1]
    while grade > 0:
        while i < last and lists.ideal[i] >= grade:
            i += 1
        lower = lists.ideal[i] if i < last and lists.ideal[i] > 0 else 0
        weights[steps] = gain_of(grade, exponential) - gain_of(lower, exponential)
        counts[steps] = i - lists.ideal_offsets[topic]
        steps += 1
        grade = lower
    return steps


@njit
def _ideal(weights, counts, m, sums):
    # The gain of the best ranking with m more documents of the highest grade.
    total = 0.0
    for step in range(len(weights)):
        total += weights[step] * sums[counts[step] + m]
    return total


@njit
def _greatest_ratio(gained, taken, weights, counts, sums, start):
    """The greatest ratio, from one that can be reached and is not negative; taken float64[u + 1]: the sum of the m highest
    discounts of unknown documents."""
    ratio = start
    while True:
        over = gained
        under = 0.0
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
            return ratio
        ratio = reached


@njit
def _largest_sizes(lists, unknown):
    # Of a topic's judged gains, and of these with its unknown documents.
    judged = np.diff(lists.ideal_offsets)
    return judged.max(), (judged + unknown).max()


@njit
def discounted_gains(lists, cut, exponential):
    """DCG float64[T] of what is judged."""
    expect_groups(lists.offsets, len(lists.relevant), len(lists.ranks))
    gained = np.zeros(len(lists.relevant))
    for topic in range(len(gained)):
        for i in range(lists.offsets[topic], lists.offsets[topic + 1]):
            if lists.grades[i] > 0:
                gained[topic] += gain_of(lists.grades[i], exponential) * discount_of(lists.ranks[i], cut)
    return gained


@njit
def ndcg_bounds(lists, holes, beyond, scores, cut, exponential):
    """Bounds of nDCG down to rank `cut`. O(rounds times grades times unknown documents)."""
    lower, upper = first_bounds(lists, holes, beyond, scores)
    unknown = np.diff(holes.offsets) + beyond
    judged, both = _largest_sizes(lists, unknown)
    sums = _cumulated_discounts(both, cut)
    all_weights, all_counts = np.empty(judged + 1), np.empty(judged + 1, np.int64)
    gains = discounted_gains(lists, cut, exponential)
    for topic in range(len(scores)):
        if unknown[topic] == 0:
            continue
        steps = _steps(lists, topic, exponential, all_weights, all_counts)
        weights, counts = all_weights[:steps], all_counts[:steps]
        ranks = holes.ranks[holes.offsets[topic] : holes.offsets[topic + 1]]
        taken = np.zeros(len(ranks) + 1)
        for m in range(len(ranks)):
            taken[m + 1] = taken[m] + discount_of(ranks[m], cut)
        upper[topic] = _greatest_ratio(gains[topic], taken, weights, counts, sums, scores[topic])
        over, highest = gains[topic], gain_of(lists.most, exponential)
        for m in range(1, unknown[topic] + 1):
            if m > beyond[topic]:
                over += highest * discount_of(ranks[unknown[topic] - m], cut)
            lower[topic] = min(lower[topic], over / _ideal(weights, counts, m, sums))
    return lower, upper


@njit
def _greatest_difference(gained, discounts, weights, counts, sums, highest, start):
    """The greatest of the ratios whose numerator may be negative; discounts float64[u]: differences, descending."""
    taken = np.zeros(len(discounts) + 1)
    best = start
    for m in range(1, len(taken)):
        taken[m] = taken[m - 1] + discounts[m - 1]
        best = max(best, (gained + highest * taken[m]) / _ideal(weights, counts, m, sums))
    return best if best < 0 else _greatest_ratio(gained, taken, weights, counts, sums, best)


@njit
def ndcg_difference_bounds(lists, offsets, discounts, gained, differences, exponential, cut):
    """Bounds of one run's nDCG less another's, of lists that share their judgments.

    Topic t's unknown documents, of either run, have discounts[offsets[t]:offsets[t+1]], float64[...]: that in the first less
    that in the second, ascending. gained and differences float64[T]: of DCG and of nDCG, with all of them not relevant.
    """
    expect_groups(offsets, len(differences), len(discounts))
    expect(len(gained) == len(differences) and len(lists.relevant) == len(differences))
    judged, both = _largest_sizes(lists, np.diff(offsets))
    sums = _cumulated_discounts(both, cut)
    all_weights, all_counts = np.empty(judged + 1), np.empty(judged + 1, np.int64)
    lower, upper = differences.copy(), differences.copy()
    highest = gain_of(lists.most, exponential)
    for topic in range(len(differences)):
        of_topic = discounts[offsets[topic] : offsets[topic + 1]]
        if len(of_topic) == 0:
            continue
        steps = _steps(lists, topic, exponential, all_weights, all_counts)
        weights, counts = all_weights[:steps], all_counts[:steps]
        upper[topic] = _greatest_difference(
            gained[topic], of_topic[::-1].copy(), weights, counts, sums, highest, differences[topic]
        )
        lower[topic] = -_greatest_difference(
            -gained[topic], -of_topic, weights, counts, sums, highest, -differences[topic]
        )
    return lower, upper


@njit
def union_sizes(offsets, numbers, other_offsets, other_numbers):
    """int64[T]: how many documents are unjudged in either run."""
    topics = len(offsets) - 1
    expect_groups(offsets, topics, len(numbers))
    expect_groups(other_offsets, topics, len(other_numbers))
    sizes = np.zeros(topics, np.int64)
    for topic in range(topics):
        i, end = offsets[topic], offsets[topic + 1]
        j, other_end = other_offsets[topic], other_offsets[topic + 1]
        sizes[topic] = end - i + other_end - j
        while i < end and j < other_end:
            sizes[topic] -= numbers[i] == other_numbers[j]
            step = numbers[i] <= other_numbers[j]
            j += numbers[i] >= other_numbers[j]
            i += step
    return sizes


@njit
def weight_differences(offsets, numbers, weights, other_offsets, other_numbers, other_weights):
    """Counts of each document unjudged in either run, in the first less in the second: where topics
    begin, int64[T+1], and float64[...], ascending within a topic."""
    sizes = union_sizes(offsets, numbers, other_offsets, other_numbers)
    expect(len(weights) == len(numbers) and len(other_weights) == len(other_numbers))
    edges = np.zeros(len(sizes) + 1, np.int64)
    edges[1:] = np.cumsum(sizes)
    differences = np.empty(edges[-1])
    for topic in range(len(sizes)):
        i, end = offsets[topic], offsets[topic + 1]
        j, other_end = other_offsets[topic], other_offsets[topic + 1]
        for index in range(edges[topic], edges[topic + 1]):
            is_first = i < end and (j >= other_end or numbers[i] <= other_numbers[j])
            is_second = j < other_end and (i >= end or other_numbers[j] <= numbers[i])
            difference = 0.0
            if is_first:
                difference += weights[i]
                i += 1
            if is_second:
                difference -= other_weights[j]
                j += 1
            differences[index] = difference
        differences[edges[topic] : edges[topic + 1]].sort()
    return edges, differences


def signed_sums(offsets, values):
    """Sums of the negative and of the positive values, float64[T] each, of values float64[...] at offsets int64[T+1]."""
    topics = len(offsets) - 1
    expect_groups(offsets, topics, len(values))
    topic = np.repeat(np.arange(topics), np.diff(offsets))
    return np.bincount(topic, np.minimum(values, 0.0), topics), np.bincount(topic, np.maximum(values, 0.0), topics)

"""Orders of systems by their totals over many query sets: how often each pair comes out this way, that way, or equal; and by
their means over two topic sets a trial: how often the second contradicts the first."""

import math
from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.shapes import expect
from irci.native.compiled import njit

AT_ONCE = 128  # topics added up by themselves, so that rounding does not grow with the size of a set


class Fuzziness(NamedTuple):
    """When totals differ: by at least one of thresholds float64[F] times the smaller of both, and by more than rounding
    may have made of equal ones."""

    thresholds: Array[np.float64]
    rounding: float


class VersionSets(NamedTuple):
    """Query sets of versions: permutations int64[D, T, V], the version of a topic that each of V sets takes in D designs, and
    orders int64[K, n], of which the first sizes[z] (ascending, at most n) topics of one are a topic set."""

    permutations: Array[np.int64]
    orders: Array[np.int64]
    sizes: Array[np.int64]


class TopicSets(NamedTuple):
    """Query sets of topics: members int64[D, n, Q], of which the first sizes[z] (ascending, at most n) topics of a set make
    one of that size, for D designs of Q sets each."""

    members: Array[np.int64]
    sizes: Array[np.int64]


@njit
def _add(scores, columns, totals):
    # totals[S, Q], scores[S, C], columns[Q]: those that the sets take next.
    systems, sets = totals.shape
    for system in range(systems):
        for index in range(sets):
            totals[system, index] += scores[system, columns[index]]


@njit
def _count(totals, fuzziness, pair, minority, ties):
    """Fill minority[F] and ties[F], sums over pairs: sets that order them as fewer do, and sets on which they are equal."""
    thresholds, rounding = fuzziness
    difference, whole = pair
    systems, sets = totals.shape
    minority[:] = 0
    ties[:] = 0
    for first in range(systems):
        for second in range(first + 1, systems):
            for index in range(sets):
                a, b = totals[first, index], totals[second, index]
                difference[index] = a - b
                whole[index] = min(a, b)
            for f in range(len(thresholds)):
                threshold = thresholds[f]
                better, worse = 0, 0
                for index in range(sets):
                    least = max(threshold * whole[index], rounding)
                    better += difference[index] >= least
                    worse += -difference[index] >= least
                minority[f] += min(better, worse)
                ties[f] += sets - better - worse


@njit
def count_over_versions(scores, query_sets, fuzziness, minority, ties):
    """Fill minority and ties int64[K, D, Z, F] for K orders of topics, D designs, Z sizes and F thresholds.

    scores float64[S, T V], a topic's versions side by side; query_sets: VersionSets; fuzziness: Fuzziness.
    """
    permutations, orders, sizes = query_sets
    designs, topics, versions = permutations.shape
    expect(scores.shape[1] == topics * versions and sizes.min() >= 0 and sizes.max() <= orders.shape[1])
    expect(orders.min() >= 0 and orders.max() < topics and permutations.min() >= 0 and permutations.max() < versions)
    expect(minority.shape == (len(orders), designs, len(sizes), len(fuzziness.thresholds)))
    expect(ties.shape == minority.shape)
    totals = np.empty((len(scores), versions))
    columns = np.empty(versions, np.int64)
    pair = np.empty(versions), np.empty(versions)
    for trial in range(len(orders)):
        for design in range(designs):
            totals[:] = 0.0
            done = 0
            for z in range(len(sizes)):
                for index in range(done, sizes[z]):
                    topic = orders[trial, index]
                    for version in range(versions):
                        columns[version] = topic * versions + permutations[design, topic, version]
                    _add(scores, columns, totals)
                done = sizes[z]
                _count(totals, fuzziness, pair, minority[trial, design, z], ties[trial, design, z])


@njit
def count_over_subsets(scores, query_sets, fuzziness, minority, ties):
    """Fill minority and ties int64[D, Z, F] for D designs, Z sizes and F thresholds.

    scores float64[S, T]; query_sets: TopicSets; fuzziness: Fuzziness.
    """
    members, sizes = query_sets
    designs, topics, sets = members.shape
    expect(sizes.min() >= 0 and sizes.max() <= topics and members.min() >= 0 and members.max() < scores.shape[1])
    expect(minority.shape == (designs, len(sizes), len(fuzziness.thresholds)) and ties.shape == minority.shape)
    totals = np.empty((len(scores), sets))
    pair = np.empty(sets), np.empty(sets)
    for design in range(designs):
        totals[:] = 0.0
        done = 0
        for z in range(len(sizes)):
            for index in range(done, sizes[z]):
                _add(scores, members[design, index], totals)
            done = sizes[z]
            _count(totals, fuzziness, pair, minority[design, z], ties[design, z])


@njit
def means_over_sets(by_topic, sets, means):
    """Fill means float64[K, m] with those of by_topic float64[T, m] over the topics of sets int64[K, c]."""
    size = sets.shape[1]
    partial = np.empty(by_topic.shape[1])
    for trial in range(len(sets)):
        total = means[trial]
        total[:] = 0.0
        for first in range(0, size, AT_ONCE):
            partial[:] = 0.0
            for i in range(first, min(first + AT_ONCE, size)):
                of_topic = by_topic[sets[trial, i]]
                for system in range(len(partial)):
                    partial[system] += of_topic[system]
            total += partial
        total /= size


@njit
def count_swaps(first, second, nothing, width, slack, comparisons, swaps):
    """Add to comparisons and swaps int64[bins] all pairs of systems in all trials, by the difference on the first set.

    first, second float64[K, m]: means on both sets; differences of no more than `nothing` swap with none. Bins are `width`
    wide, the last one open; a difference within the share `slack` of a bin's lower edge is in it.
    """
    last = len(comparisons) - 1
    for trial in range(len(first)):
        one, other = first[trial], second[trial]
        for a in range(len(one)):
            for b in range(a + 1, len(one)):
                difference, again = one[a] - one[b], other[a] - other[b]
                index = int(min(math.floor(abs(difference) / width + slack), last))
                comparisons[index] += 1
                if difference * again < 0 and min(abs(difference), abs(again)) > nothing:
                    swaps[index] += 1

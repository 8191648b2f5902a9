"""Orders of systems by their totals over many query sets: how often each pair comes out this way, that way, or equal."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from irci.kernels.shapes import expect
from irci.native.compiled import njit

LARGER, SMALLER, MEAN, FIRST = range(4)  # what a difference is a share of


class Fuzziness(NamedTuple):
    """When totals differ: by at least one of thresholds float64[F] times `base`, one of the four above, and more than rounding
    may have made of equal ones."""

    thresholds: NDArray[np.float64]
    rounding: float
    base: int


class VersionSets(NamedTuple):
    """Query sets of versions: permutations int64[D, T, V], the version of a topic that each of V sets takes in D designs, and
    orders int64[K, n], of which the first sizes[z] (ascending, at most n) topics of one are a topic set."""

    permutations: NDArray[np.int64]
    orders: NDArray[np.int64]
    sizes: NDArray[np.int64]


class TopicSets(NamedTuple):
    """Query sets of topics: members int64[D, n, Q], of which the first sizes[z] (ascending, at most n) topics of a set make
    one of that size, for D designs of Q sets each."""

    members: NDArray[np.int64]
    sizes: NDArray[np.int64]


@njit(cache=True, nogil=True)
def _add(scores, columns, totals):
    """Add to totals[S, Q] the scores[S, C] in the Q columns that the sets take next."""
    systems, sets = totals.shape
    for system in range(systems):
        for place in range(sets):
            totals[system, place] += scores[system, columns[place]]


@njit(cache=True, nogil=True)
def _compare(totals, first, second, base, difference, whole):
    """Fill the differences of two systems on the Q sets, and what they are shares of."""
    for place in range(totals.shape[1]):
        a, b = totals[first, place], totals[second, place]
        difference[place] = a - b
        if base == LARGER:
            of = max(a, b)
        elif base == SMALLER:
            of = min(a, b)
        elif base == MEAN:
            of = (a + b) / 2
        else:
            of = a
        whole[place] = of


@njit(cache=True, nogil=True)
def _count(totals, fuzziness, pair, minority, ties):
    """Fill minority[F] and ties[F], sums over pairs: sets that order them as fewer do, and sets on which they are equal."""
    thresholds, rounding, base = fuzziness
    difference, whole = pair
    systems, sets = totals.shape
    minority[:] = 0
    ties[:] = 0
    for first in range(systems):
        for second in range(first + 1, systems):
            _compare(totals, first, second, base, difference, whole)
            for f in range(len(thresholds)):
                threshold = thresholds[f]
                better, worse = 0, 0
                for place in range(sets):
                    least = max(threshold * whole[place], rounding)
                    better += difference[place] >= least
                    worse += -difference[place] >= least
                minority[f] += min(better, worse)
                ties[f] += sets - better - worse


@njit(cache=True, nogil=True)
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
                for place in range(done, sizes[z]):
                    topic = orders[trial, place]
                    for version in range(versions):
                        columns[version] = topic * versions + permutations[design, topic, version]
                    _add(scores, columns, totals)
                done = sizes[z]
                _count(totals, fuzziness, pair, minority[trial, design, z], ties[trial, design, z])


@njit(cache=True, nogil=True)
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
            for place in range(done, sizes[z]):
                _add(scores, members[design, place], totals)
            done = sizes[z]
            _count(totals, fuzziness, pair, minority[design, z], ties[design, z])

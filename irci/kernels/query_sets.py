"""Orders of systems by their totals over many query sets: how often each pair comes out this way, that way, or equal."""

import numpy as np
from numba import njit

LARGER, SMALLER, MEAN, FIRST = range(4)  # what a difference is a share of


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
def _count(totals, thresholds, rounding, base, difference, whole, minority, ties):
    """Fill minority[F] and ties[F], sums over pairs: sets that order them as fewer do, and sets on which they are equal.

    A difference counts if it is at least thresholds[f] of its base, and more than rounding.
    """
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
def count_over_versions(scores, permutations, orders, sizes, thresholds, rounding, base, minority, ties):
    """Fill minority and ties int64[K, D, Z, F] for K orders of topics, D designs, Z sizes and F thresholds.

    scores float64[S, T V], a topic's versions side by side; permutations int64[D, T, V]: the version of a topic that each
    of the V query sets takes; orders int64[K, n]: the first sizes[z] (ascending, at most n) topics of one are a topic set.
    """
    designs, _, versions = permutations.shape
    totals = np.empty((len(scores), versions))
    columns = np.empty(versions, np.int64)
    difference, whole = np.empty(versions), np.empty(versions)
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
                _count(
                    totals,
                    thresholds,
                    rounding,
                    base,
                    difference,
                    whole,
                    minority[trial, design, z],
                    ties[trial, design, z],
                )


@njit(cache=True, nogil=True)
def count_over_subsets(scores, members, sizes, thresholds, rounding, base, minority, ties):
    """Fill minority and ties int64[D, Z, F] for D designs of Q sets each, Z sizes and F thresholds.

    scores float64[S, T]; members int64[D, n, Q]: the first sizes[z] (ascending, at most n) topics of a set make one of
    that size.
    """
    _, _, sets = members.shape
    totals = np.empty((len(scores), sets))
    difference, whole = np.empty(sets), np.empty(sets)
    for design in range(len(members)):
        totals[:] = 0.0
        done = 0
        for z in range(len(sizes)):
            for place in range(done, sizes[z]):
                _add(scores, members[design, place], totals)
            done = sizes[z]
            _count(totals, thresholds, rounding, base, difference, whole, minority[design, z], ties[design, z])

"""Orders of systems by their totals over many query sets: how often each pair comes out this way, that way, or equal."""

import numpy as np

from irci.kernels.shapes import expect
from irci.native.compiled import njit


@njit
def _count(totals, thresholds, rounding, minority, ties):
    """Fill minority[F] and ties[F], sums over pairs: sets that order them as fewer do, and sets on which they are equal."""
    systems, sets = totals.shape
    difference, whole = np.empty(sets), np.empty(sets)
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
def count_over_sets(scores, members, sizes, thresholds, rounding, minority, ties):
    """Fill minority and ties int64[D, Z, F] for D designs, Z sizes and F thresholds.

    scores float64[S, C]; members int64[D, n, Q]: columns of scores, of which the first sizes[z] (ascending, at most n) of a
    set make one of that size, for D designs of Q sets each. Totals differ by at least one of thresholds float64[F] times the
    smaller of both, and by more than `rounding` may have made of equal ones.
    """
    designs, most, sets = members.shape
    expect(sizes.min() >= 0 and sizes.max() <= most and members.min() >= 0 and members.max() < scores.shape[1])
    expect(minority.shape == (designs, len(sizes), len(thresholds)) and ties.shape == minority.shape)
    totals = np.empty((len(scores), sets))
    for design in range(designs):
        totals[:] = 0.0
        done = 0
        for z in range(len(sizes)):
            for index in range(done, sizes[z]):
                for system in range(len(scores)):
                    for of_set in range(sets):
                        totals[system, of_set] += scores[system, members[design, index, of_set]]
            done = sizes[z]
            _count(totals, thresholds, rounding, minority[design, z], ties[design, z])

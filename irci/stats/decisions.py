"""Decisions on pairs of runs: which pairs there are, what is significant, and who is better."""

import math

import numpy as np

from irci.base.types import Bools, Floats, Pairs

# Shares of a whole number of assignments are whole in spite of 1 - .95 being less than .05.
WHOLE = 1e-9


def all_pairs(runs: int) -> Pairs:
    """int64[P, 2]: every two of so many runs."""
    return np.column_stack(np.triu_indices(runs, 1)).astype(np.int64)


def critical_value(maxima: Floats, alpha: float, *, exact: bool) -> float:
    """The smallest of the maxima[N] that a statistic must exceed for p <= alpha; infinite where none can have it.

    `exact`: p is the share of maxima that are as large, the observed one among them; else (k + 1) / (N + 1).
    """
    number = len(maxima)
    allowed = math.floor(alpha * number + WHOLE) if exact else math.floor(alpha * (number + 1) + WHOLE) - 1
    if allowed < (1 if exact else 0):
        return math.inf
    place = number - 1 - allowed
    return float(np.partition(maxima, place)[place])


def separated(p: Floats, alpha: float) -> Bools:
    """bool[P]: p at most alpha, up to rounding: 1 - .95 is a little less than 50 out of 1000."""
    return p <= alpha * (1 + WHOLE)


def better(pairs: Pairs, difference: Floats, separated: Bools, runs: int) -> Bools:
    """bool[m, m]: whether run i is surely better than run j, from the separated[P] of pairs[P, 2] and their differences[P]."""
    result = np.zeros((runs, runs), np.bool_)
    up, down = separated & (difference > 0), separated & (difference < 0)
    result[pairs[up, 0], pairs[up, 1]] = True
    result[pairs[down, 1], pairs[down, 0]] = True
    return result

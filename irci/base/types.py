"""Arrays by what they hold, groups laid end to end.

Shapes stand in docstrings: float64[T, B] has T rows of B.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

Number = TypeVar("Number", bound=np.generic)
Array = np.ndarray[tuple[Any, ...], np.dtype[Number]]  # numpy.typing.NDArray, whose module takes time to load
Floats = Array[np.float64]
Bools = Array[np.bool_]
Ints = Array[np.int64]  # places, offsets, counts
Ints32 = Array[np.int32]  # ranks, rows, classes of relevance: what there is one of for each document
Pairs = Array[np.int64]  # int64[P, 2]: places of the first and of the second
Words = Array[np.uint64]  # docno hashes and keys of streams
Bytes = Array[np.uint8]  # text
Parts = Array[np.uint8]  # the part of the collection that each document is in
Values = Floats | Ints | Sequence[float] | float  # what numpy makes an array of
Ends = tuple[float, float]  # of a scale: the least and the greatest score
Lines = Array[np.signedinteger[Any]]  # of a run: int32, or int64 from 2^31 lines on

Key = TypeVar("Key")
Value = TypeVar("Value")


def offsets(sizes: Array[Any] | Sequence[int]) -> Ints:
    """int64[n + 1]: where each of n groups of these sizes begins, laid end to end from 0, and where the last one ends.

    Of bool[n] it says how many are true before each place, so that offsets(kept)[old] are the offsets of what is kept.
    """
    edges = np.zeros(len(sizes) + 1, np.int64)
    edges[1:] = np.cumsum(sizes)
    return edges


def owners(offsets: Ints) -> Ints:
    """For each element of groups laid end to end at offsets[n + 1], the number of its group."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def ranges(begins: Array[Any], sizes: Array[Any]) -> Ints:
    """Whole numbers from begins[i] on, sizes[i] of them, for each i in turn: where groups elsewhere have their elements."""
    edges = offsets(sizes)
    return np.arange(edges[-1]) + np.repeat(begins - edges[:-1], sizes)


def gathered(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """The values of each key, in the order in which they come."""
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def all_pairs(runs: int) -> Pairs:
    """int64[P, 2]: every two of so many runs."""
    return np.column_stack(np.triu_indices(runs, 1)).astype(np.int64)


# Shares of a whole number of assignments are whole in spite of 1 - .95 being less than .05.
WHOLE = 1e-9


def reaches(p: Floats | float, alpha: float) -> Bools:
    """bool[...]: p at most alpha, up to rounding: 1 - .95 is a little less than 50 out of 1000. nan: False."""
    result: Bools = np.less_equal(p, alpha * (1 + WHOLE))
    return result

"""Pairs of runs that comparisons are planned for: the one whose differences vary as those of the median pair, and the one that
only a tenth of pairs vary more than."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from irci.base.names import raw
from irci.base.types import Bools, Floats, Ints
from irci.estimators.wcw import clustered_pairs, pair_differences, pair_variances
from irci.stats.estimates import Nested, pooled
from irci.stats.tests import without_spread
from irci.studies.wcw.request import WORST


class Part(NamedTuple):
    """The scores[n, m] of one collection, its m runs by name, and each topic's cluster, int64[n], if they come in some."""

    runs: Sequence[str]
    scores: Floats
    place: Ints | None


class RunPair(NamedTuple):
    """A pair of runs, and the differences[n, 1] of their scores in each part that has both."""

    run: str
    baseline: str
    parts: Sequence[Part]


def chosen_pairs(parts: Sequence[Part]) -> Mapping[str, RunPair]:
    """The pairs to plan for, by what is said of them; none without a pair.

    They are ordered by the variance of their differences, pooled over parts, or if topics come in clusters by that of a
    cluster's mean times its topics: topics needed are in proportion to it. Pairs that score the same on every topic are left
    out, unless all do.
    """
    runs = sorted({run for part in parts for run in part.runs}, key=raw)
    places = [_places(part, runs) for part in parts]
    variances = [pair_variances(part.scores) for part in parts]
    number = len(runs) * (len(runs) - 1) // 2
    there, differ = _any(number, places), _any(number, places, [~np.isnan(each) for each in variances])
    some = np.flatnonzero(differ if differ.any() else there)
    in_clusters = parts[0].place is not None
    variance = _in_clusters(parts, places, some) if in_clusters else _pooled(number, parts, places, variances)[some]
    order = some[np.argsort(variance, kind="stable")]
    first, second = np.triu_indices(len(runs), 1)
    return {
        word: _pair(parts, runs[first[pair]], runs[second[pair]]) for word, pair in _median_and_worst(order).items()
    }


def _median_and_worst(order: Ints) -> Mapping[str, int]:
    """The first pair with which half of them, and nine in ten, are counted."""
    if len(order) < 2:
        return {"pair": int(order[0])} if len(order) else {}
    half, most = -(-len(order) // 2), -(-9 * len(order) // 10)
    return {"median of pairs": int(order[half - 1]), WORST: int(order[most - 1])}


def _places(part: Part, runs: Sequence[str]) -> Ints:
    """int64[p]: where the pairs of a part stand among those of all runs, in the order of itertools.combinations."""
    place = {run: number for number, run in enumerate(runs)}
    numbers = np.array([place[run] for run in part.runs], np.int64)
    first, second = (numbers[each] for each in np.triu_indices(len(numbers), 1))
    return np.asarray(first * len(runs) - first * (first + 1) // 2 + second - first - 1)


def _any(number: int, places: Sequence[Ints], chosen: Sequence[Bools] | None = None) -> Bools:
    result = np.zeros(number, np.bool_)
    for part, where in enumerate(places):
        result[where if chosen is None else where[chosen[part]]] = True
    return result


def _pooled(number: int, parts: Sequence[Part], places: Sequence[Ints], variances: Sequence[Floats]) -> Floats:
    squares, df = np.zeros((2, number))
    for part, where, variance in zip(parts, places, variances, strict=True):
        squares[where] += np.nan_to_num(variance) * (len(part.scores) - 1)
        df[where] += len(part.scores) - 1
    with np.errstate(invalid="ignore"):
        return np.asarray(squares / df)


def _in_clusters(parts: Sequence[Part], places: Sequence[Ints], pairs: Ints) -> Floats:
    nested_of: dict[int, list[Nested]] = {pair: [] for pair in pairs.tolist()}
    for part, where in zip(parts, places, strict=True):
        assert part.place is not None
        for pair, nested in zip(where.tolist(), clustered_pairs(part.scores, part.place), strict=True):
            if pair in nested_of:
                nested_of[pair].append(nested)
    of_all = [pooled(of_pair) for of_pair in nested_of.values()]
    return np.array([nested.of_cluster * float(nested.sizes.mean()) for nested in of_all])


def _pair(parts: Sequence[Part], first: str, second: str) -> RunPair:
    """A pair; the run is the one that scores higher. Differences that are one number but for rounding are left at 0."""
    of_pair = []
    for part in parts:
        if {first, second} <= set(part.runs):
            a, b = map(part.runs.index, (first, second))
            (differences,) = pair_differences(part.scores[:, [a, b]])
            of_pair.append(Part((), differences.T, part.place))
    if sum(float(part.scores.sum()) for part in of_pair) < 0:
        of_pair = [part._replace(scores=-part.scores) for part in of_pair]
        first, second = second, first
    return RunPair(
        first, second, [part._replace(scores=part.scores * ~without_spread(part.scores.T)) for part in of_pair]
    )

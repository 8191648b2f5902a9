"""Step-down maxima against all signs x all pairs in whole numbers, which no rounding touches: the same p to the last bit, and
from any number of threads.

Scores are k times a scale, for small whole numbers k. So sums of differences S and of their squares Q are whole, u^2 = S^2 / Q
is a correctly rounded quotient, which is equal for equal u, and u of two pairs that differ lie 1 / (2 Q^2 sqrt(T)) apart at
least: far more than what simultaneous tests take for a tie.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from helpers import keys

from irci.base.types import all_pairs
from irci.stats.signs import ROUNDING, Layer, Signs, stacked, topic_signs

LEVELS = 4  # the largest score before it is scaled

# Runs, topics, resamples, threads: blocks of 256 assignments, words of 64 and topics taken by eights leave all kinds of rests.
SHAPES = [
    (2, 1, 10, 1), (3, 2, 3, 1), (4, 7, 128, 2), (6, 8, 256, 3), (5, 9, 511, 2), (12, 16, 63, 2), (9, 17, 64, 1),
    (8, 31, 65, 4), (13, 33, 255, 2), (14, 40, 256, 2), (11, 41, 257, 3), (10, 47, 511, 7), (7, 64, 513, 2),
    (6, 100, 1000, 5),
]  # fmt: skip


def hostile(runs: int, topics: int, seed: int) -> np.ndarray:
    """Whole scores int64[runs, topics] with many ties; if there are enough runs also a constant one, one of zeros, a copy, a
    copy but for one topic, and one that is higher by a constant."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, LEVELS, (runs, topics)) + (rng.random((runs, 1)) < 0.3)
    if runs > 5:
        values[-1], values[-2], values[-3] = LEVELS // 2, 0, values[0]
        values[-4] = values[0]
        values[-4, rng.integers(topics)] = LEVELS
        values[-5] = np.minimum(values[1], LEVELS - 1) + 1
    return values


def p_in_whole_numbers(differences: np.ndarray, signs: Signs) -> np.ndarray:
    """Step-down p of differences int64[P, T], from the definition."""
    matrix = signs.matrix(0, signs.number).astype(np.int64)
    squares = (differences**2).sum(axis=1)
    observed, under = (
        np.where(squares > 0, sums**2 / np.maximum(squares, 1), 0).T
        for sums in (differences.sum(axis=1), (differences @ matrix).T)
    )
    order = np.argsort(observed, kind="stable")
    most = np.maximum.accumulate(under[order])  # of each pair and all with a smaller u
    last = np.searchsorted(observed[order], observed, side="right") - 1
    p = signs.p((most[last] >= observed[:, np.newaxis]).sum(axis=1))
    of_larger = np.maximum.accumulate(p[order][::-1])[::-1]
    step_down = of_larger[np.searchsorted(observed[order], observed)]
    return np.where(squares > 0, step_down, 1)


def check(
    tables: Sequence[tuple[np.ndarray, np.ndarray]], topics: int, resamples: int, threads: int, scale: float
) -> None:
    """Compare p of tables, whole scores[m, n] on some of the topics bool[T] each, all pairs of all of them one family."""
    layers, differences = [], []
    for values, some in tables:
        pairs = all_pairs(len(values))
        layers.append(Layer(values * scale, pairs, slice=None if some.all() else some))
        of_all = np.zeros((len(pairs), topics), np.int64)
        of_all[:, some] = values[pairs[:, 0]] - values[pairs[:, 1]]
        differences.append(of_all)
    family = np.concatenate(differences)
    assert 1 / (2 * (family**2).sum(axis=1).max() ** 2 * np.sqrt(topics)) > 5 * ROUNDING, "pairs that differ are apart"
    expected = p_in_whole_numbers(family, topic_signs(keys(topics), resamples, 1))
    for number in {1, threads}:
        found = stacked(layers, keys(topics), resamples=resamples, threads=number)
        assert np.concatenate([each.p for each in found]).tobytes() == expected.tobytes(), number


def whole(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return values, np.ones(values.shape[1], np.bool_)


@pytest.mark.parametrize("scale", [1.0, 0.01, 1 / 3])
def test_p_in_whole_numbers(scale: float) -> None:
    for seed, (runs, topics, resamples, threads) in enumerate(SHAPES):
        check([whole(hostile(runs, topics, seed))], topics, resamples, threads, scale)


def test_of_runs_that_lack_topics() -> None:
    """A family of tables on topics of their own, as slices are, and what is scored on some topics only."""
    for seed, topics in enumerate((9, 24, 50)):
        rng = np.random.default_rng(seed)
        chosen = [np.arange(topics) < topics // 2, rng.random(topics) < 0.7, np.ones(topics, np.bool_)]
        tables = [(hostile(6, int(some.sum()), seed + place), some) for place, some in enumerate(chosen)]
        check(tables, topics, 700, 3, 0.01)


@pytest.mark.check
def test_of_many_runs() -> None:
    """7,140 pairs."""
    check([whole(hostile(120, 50, 1))], 50, 777, 2, 0.01)

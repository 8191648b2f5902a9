"""Simultaneous tests against all assignments of signs; step-down maxima also in whole numbers, which no rounding touches: the
same p to the last bit, and from any number of threads.

There scores are k times a scale, for small whole numbers k. So sums of differences S and of their squares Q are whole, u^2 =
S^2 / Q is a correctly rounded quotient, which is equal for equal u, and u of two pairs that differ lie 1 / (2 Q^2 sqrt(T))
apart at least: far more than what simultaneous tests take for a tie.
"""

from collections.abc import Sequence

import naive_inference
import numpy as np
import pytest
from helpers import keys

from irci.base.types import all_pairs, reaches
from irci.stats.signs import ROUNDING, Signs, Simultaneous, p_by_signs, step_down, topic_signs

EVERY = 2**10  # resamples that stand for all assignments of signs to 10 topics


def table(runs: int, topics: int, seed: int, spread: float = 0.15) -> np.ndarray:
    """Scores of runs that differ a little, rounded so that there are ties."""
    rng = np.random.default_rng(seed)
    level = rng.beta(1, 3, topics)
    scores = level + np.linspace(0, 0.15, runs)[:, np.newaxis] + rng.normal(0, spread, (runs, topics))
    return np.clip(scores, 0, 1).round(2)


def with_copies(seed: int, topics: int = 10) -> np.ndarray:
    """Four runs, a copy of the first with two topics changed, a copy of the second, and the third plus a constant."""
    values = table(4, topics, seed)
    near = values[0].copy()
    near[[1, 4]] += (0.11, 0.04)
    return np.vstack((values, near, values[1], values[2] + 0.05))


Layer = tuple[np.ndarray, np.ndarray]  # scores, and pairs of their rows


def stacked(layers: Sequence[Layer]) -> Layer:
    """One below the other."""
    firsts = np.cumsum([0, *(len(values) for values, _ in layers)])
    pairs = [pairs + first for (_, pairs), first in zip(layers, firsts, strict=False)]
    return np.vstack([values for values, _ in layers]), np.vstack(pairs)


def columns(found: Simultaneous) -> list[np.ndarray]:
    return [found.p, found.maxima]


def test_signs_of_a_topic_are_its_own() -> None:
    """Whatever topics are beside it, and from any place on; and a test by them gives the randomization test's p."""
    signs, longer = topic_signs(keys(20)[:7], 100, 3), topic_signs(keys(20), 1000, 3)
    drawn = longer.matrix(0, 1000)[:7]
    assert np.array_equal(np.abs(drawn), np.ones((7, 1000)))
    assert (np.abs(drawn.sum(axis=1)) < 4 * np.sqrt(1000)).all()
    assert np.array_equal(signs.matrix(0, 100), drawn[:, :100])
    assert np.array_equal(longer.matrix(37, 501)[:7], drawn[:, 37:501])
    d = np.random.default_rng(1).normal(0.05, 0.1, (40, 20)).round(2)
    as_large = (np.abs(d @ longer.matrix(0, 1000)) >= np.abs(d.sum(axis=1))[:, np.newaxis] - 1e-9).sum(axis=1)
    assert p_by_signs(d, keys(20), 1000, 3).tolist() == ((as_large + 1) / 1001).tolist()


@pytest.mark.parametrize("topics", [1, 2, 6, 7, 10])
def test_signs_against_enumeration(topics: int) -> None:
    """Each assignment once, with its negative: the one observed among them."""
    signs = topic_signs(keys(topics), EVERY, 1)
    assert signs.exact
    half = signs.matrix(0, signs.number).T
    assert (half[0] == 1).all()
    found = {tuple(each) for each in half.tolist()} | {tuple(each) for each in (-half).tolist()}
    assert found == set(naive_inference.sign_vectors(topics))
    d = table(3, topics, topics) - 0.3
    d *= np.where(d.sum(axis=1) < 0, -1, 1)[:, np.newaxis]
    assert p_by_signs(d, keys(topics), EVERY, 1, one_sided=True) == pytest.approx(
        [np.mean([np.dot(s, row) >= row.sum() - 1e-9 for s in naive_inference.sign_vectors(topics)]) for row in d], abs=1e-12
    )  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(3))
def test_step_down_against_enumeration(seed: int) -> None:
    """Adjusted p from the definition."""
    values = with_copies(seed)
    pairs = all_pairs(len(values))
    found = step_down(values, pairs, keys(10), resamples=EVERY)
    assert found.signs.exact
    assert found.p == pytest.approx(naive_inference.step_down(values, pairs.tolist()), abs=1e-12)
    assert reaches(found.p, 0.2).any()
    assert not reaches(found.p, 0.05).all()


def test_maxima_against_enumeration() -> None:
    """The largest u of all pairs under each assignment; and p of other statistics by them."""
    values = with_copies(5)
    pairs = all_pairs(len(values))
    found = step_down(values, pairs, keys(10), resamples=EVERY)
    maxima = [max(column) for column in zip(*naive_inference.u_under_signs(values, pairs.tolist()), strict=True)]
    assert np.repeat(found.maxima, 2) == pytest.approx(np.sort(maxima), abs=1e-9)  # each with its negative
    by_threads = step_down(values, pairs, keys(10), resamples=EVERY, threads=3)
    assert [column.tobytes() for column in columns(by_threads)] == [column.tobytes() for column in columns(found)]
    t = np.array([0.0, 1.3, 2.6, 5.0, np.nan])
    u = np.abs(t) * np.sqrt(10 / (9 + t**2))
    expected = [np.mean(np.array(maxima) >= each - 1e-9) for each in u[:-1]]
    assert found.p_of(t, 10)[:-1] == pytest.approx(np.maximum(expected, 2.0**-9), abs=1e-12)
    assert np.isnan(found.p_of(t, 10)[-1])
    assert np.isnan(found.p_of(t, 1)).all()


def test_identical_runs_and_few_topics() -> None:
    values = table(3, 8, 1)[[0, 0, 1]]
    assert step_down(values, all_pairs(3), keys(8)).p[0] == 1
    noise = values.copy()
    noise[1] = values[0] * (1 + 4e-16)  # the same but for rounding
    assert (noise[1] != noise[0]).any()
    assert step_down(noise, all_pairs(3), keys(8)).p[0] == 1
    for topics in (2, 5):  # 2 / 2^5 > .05
        few = step_down(values[:, :topics], all_pairs(3), keys(topics))
        assert not reaches(few.p, 0.05).any()
    one = step_down(values[:, :1], all_pairs(3), keys(1))
    assert one.p.tolist() == [1, 1, 1]


def test_constant_differences() -> None:
    """Without spread signs decide: 8 topics can, at 1 / 2^7."""
    values = np.vstack((table(2, 8, 1), np.zeros(8)))
    values[2] = values[0] - 0.1
    found = step_down(values, np.array([[0, 2]]), keys(8))
    assert found.p[0] == 2 / 2**8


def test_rounding_makes_no_difference_in_ties() -> None:
    """A near copy by a last printed digit: all assignments give it the same u, though sums of runs are rounded."""
    values = table(2, 9, 1)
    values[1] = values[0]
    values[1, 4] += 1e-9
    for of_runs in (values, values[::-1]):
        assert step_down(of_runs, all_pairs(2), keys(9)).p[0] == 1


NDCG = ((0.3, 0.1, 0.2, -0.1, 0.4, 0.2, 0.1), (0.1, 0.2, -0.1, 0.1, 0.3, 0, 0.2))
RR = ((0.5, 0, 0.5, 0, 1, 0.25, 0), (0, 0.5, -0.5, 0, 0.5, 0, 0.5))


def of_differences(*rows: Sequence[float]) -> Layer:
    """Pairs with these differences from a run of zeros."""
    values = np.vstack((np.array(rows), np.zeros(len(rows[0]))))
    return values, np.array([[row, len(rows)] for row in range(len(rows))])


def test_two_measures_are_one_family_by_hand() -> None:
    """The example of two measures and two pairs, all 128 signs: each measure by itself, and both together."""
    layers = [of_differences(*NDCG), of_differences(*RR)]
    alone = [step_down(*layer, keys(7)) for layer in layers]
    assert [each.maxima[-1] for each in alone] == pytest.approx([7 / 3, 2])
    assert [each.p.tolist() for each in alone] == [[0.09375, 0.125], [0.25, 0.625]]
    assert step_down(*stacked(layers), keys(7)).p.tolist() == [0.1875, 0.25, 0.25, 0.625]
    assert step_down(*stacked(layers[::-1]), keys(7)).p.tolist() == [0.25, 0.625, 0.1875, 0.25]


def test_layers_are_those_of_one_layer() -> None:
    """Runs of one table in two layers of pairs are the family that they are in one."""
    values, pairs = table(5, 12, 6), all_pairs(5)
    parts = stacked([(values, some) for some in (pairs[:4], pairs[4:])])
    whole, of_parts = (step_down(*layer, keys(12), resamples=300) for layer in ((values, pairs), parts))
    assert np.array_equal(whole.maxima, of_parts.maxima)
    assert np.array_equal(whole.p, of_parts.p)


Whole = tuple[np.ndarray, np.ndarray]  # whole scores, and the topics that they are of
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


def check(tables: Sequence[Whole], topics: int, resamples: int, threads: int, scale: float) -> None:
    """Compare p of tables, whole scores[m, n] on some of the topics bool[T] each, all pairs of all of them one family."""
    layers, differences = [], []
    for values, some in tables:
        pairs = all_pairs(len(values))
        layers.append((np.zeros((len(values), topics)), pairs))
        layers[-1][0][:, some] = values * scale
        of_all = np.zeros((len(pairs), topics), np.int64)
        of_all[:, some] = values[pairs[:, 0]] - values[pairs[:, 1]]
        differences.append(of_all)
    family = np.concatenate(differences)
    assert 1 / (2 * (family**2).sum(axis=1).max() ** 2 * np.sqrt(topics)) > 5 * ROUNDING, "pairs that differ are apart"
    expected = p_in_whole_numbers(family, topic_signs(keys(topics), resamples, 1))
    for number in {1, threads}:
        found = step_down(*stacked(layers), keys(topics), resamples=resamples, threads=number)
        assert found.p.tobytes() == expected.tobytes(), number


def whole(values: np.ndarray) -> Whole:
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

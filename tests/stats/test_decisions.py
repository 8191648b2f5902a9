"""p and limits that agree, best p, verdicts, letters, ranks and what survives: against enumeration, counting and tables."""

import itertools

import numpy as np
import pytest
from helpers import keys

from irci.stats import decisions
from irci.stats.decisions import agreeing, letters, ranks, smallest_p, verdicts
from irci.stats.scales import differing_topics, few_differ
from irci.stats.signs import p_by_signs
from irci.stats.tests import including_zero, no_less_than_signs, of_sample


def test_p_is_no_less_than_signs_allow() -> None:
    """Three differences of which one is larger by .0001: t's p is 4.4e-07, that of signs .25."""
    p = of_sample(np.array([[0.05, 0.05, 0.0501], [0.05, -0.04, 0.0501]])).p()
    assert p[0] == pytest.approx(4.4385e-07, rel=1e-4)
    found, binds = no_less_than_signs(p, 3)
    assert found.tolist() == [0.25, p[1]]
    assert binds.tolist() == [True, False]
    found, binds = no_less_than_signs(np.array([1e-20, 0.3, np.nan]), np.array([50, 2, 9]))
    assert found[:2].tolist() == [2.0**-49, 0.5]
    assert np.isnan(found[2])
    assert binds.tolist() == [True, True, False]
    found, binds = no_less_than_signs(np.array([0.3, 0.3, 0.9]), np.array([0, 1, 0]))  # no units have no signs
    assert found.tolist() == [0.3, 1, 0.9]
    assert binds.tolist() == [False, True, False]


def test_limits_are_moved_on_the_side_of_zero_only() -> None:
    lower, upper = np.array([0.1, -0.3, -0.1, np.nan]), np.array([0.3, -0.1, 0.1, np.nan])
    every = np.ones(4, np.bool_)
    assert np.column_stack(including_zero((lower, upper), every))[:3].tolist() == [[0, 0.3], [-0.3, 0], [-0.1, 0.1]]
    value, wide = np.array([0.2, -0.2, 0.2, np.nan]), (np.full(4, -0.5), np.full(4, 0.5))
    moved = agreeing(wide, value, np.array([0.05, 0.01, 0.06, np.nan]), 0.95)
    assert np.column_stack(moved).tolist() == [[0, 0.5], [-0.5, 0], [-0.5, 0.5], [-0.5, 0.5]]
    away = (lower, upper)
    kept = agreeing(away, np.array([0.2, -0.2, 0.0, np.nan]), np.array([0.01, 0.01, 0.9, np.nan]), 0.95)
    assert np.array_equal(np.column_stack(kept), np.column_stack(away), equal_nan=True)
    held = agreeing(away, np.array([0.2, -0.2, 0.0, np.nan]), np.full(4, 0.2), 0.95)
    assert np.column_stack(held)[:3].tolist() == [[0, 0.3], [-0.3, 0], [-0.1, 0.1]]


def best_t_p(differences: np.ndarray) -> np.ndarray:
    return smallest_p(differences, "t", 0, maxt=False)


def best_signs_p(differences: np.ndarray, signs: int = 512) -> np.ndarray:
    return smallest_p(differences, "randomization", signs, maxt=False)


def test_best_p_is_that_of_the_best_case() -> None:
    """All differences turned to one side: the t test's own p; signs' own p where all can be gone through."""
    d = np.random.default_rng(6).normal(0, 0.1, (20, 9))
    d[:10, 3:] = 0
    d[10:12, 2:] *= 1e-6
    assert best_t_p(d) == pytest.approx(of_sample(np.abs(d)).p(), rel=1e-9)
    assert best_signs_p(d) == pytest.approx(p_by_signs(np.abs(d), keys(9), 512, 1), abs=1e-15)
    assert differing_topics(d)[0][:12].tolist() == [3] * 10 + [2] * 2  # what is next to nothing is none
    assert best_signs_p(d, 4).tolist() == [0.25] * 10 + [0.2] * 10
    assert (best_t_p(d) <= of_sample(d).p() * (1 + 1e-9)).all()


def test_best_p_at_the_edges() -> None:
    d = np.array([[0.0] * 6, [0.1, -0.1, 0.1, 0.1, 0.1, -0.1], [0.5, 0, 0, 0, 0, 0]])
    assert (
        best_t_p(d)[[0, 1]].tolist() == [1, p_by_signs(np.abs(d[1:2]), keys(6), 100, 1)[0]] == [1, 1 / 32]
    )  # t is infinite
    assert best_t_p(d)[2] == pytest.approx(of_sample(d).p()[2])
    assert best_signs_p(d).tolist() == [1, 1 / 32, 1]
    assert np.isnan(best_t_p(d[:, :1])).all()
    but_one = np.r_[np.full(39, 0.1), -0.1][np.newaxis]  # less by t than all 40 by signs
    assert best_t_p(but_one) == pytest.approx(of_sample(but_one).p(), rel=1e-9, abs=0)


def test_verdicts_by_their_table() -> None:
    rows = [
        # difference, adjusted p, best p, identical, p of equivalence, of not worse, few differ
        (0.0, 1.0, 1.0, True, 0.0, 0.0, False, "identical", ""),
        (0.1, 0.05, 1e-9, False, 0.5, 0.01, False, "better", ""),
        (-0.1, 0.01, 1e-9, False, 0.5, 0.5, False, "worse", ""),
        (0.01, 0.01, 1e-9, False, 0.05, 0.01, False, "better", "negligible"),
        (-0.01, 0.01, 1e-9, False, 0.01, 0.01, False, "worse", "negligible"),
        (0.01, 0.3, 0.0625, False, 0.01, 0.01, False, "equivalent", ""),
        (0.01, 0.3, 0.01, False, 0.2, 0.05, False, "not worse", ""),
        (0.01, 0.3, 0.0625, False, 0.2, 0.051, False, "inconclusive", "unresolvable"),
        (0.01, np.nan, np.nan, False, np.nan, np.nan, False, "inconclusive", "unresolvable"),
        (0.01, 0.051, 0.05, False, 0.2, 0.2, False, "inconclusive", ""),
        (0.01, 0.3, 0.0625, False, 0.2, 0.2, True, "inconclusive", "few-differ"),
    ]
    difference, p, best, identical, *of_margin, expected, reasons = (np.array(each) for each in zip(*rows, strict=True))
    found = verdicts(difference, p, best, identical, 1 - 0.95, *of_margin)
    assert [of.tolist() for of in found] == [expected.tolist(), reasons.tolist()]
    without, why = verdicts(difference, p, best, identical, 0.05)
    assert without[3:6].tolist() == ["better", "worse", "inconclusive"]
    assert why[5] == "unresolvable"


def test_few_differ_whatever_jitter_others_have() -> None:
    """Nine of fifty that differ, the others by nothing, rounding, jitter, or up to a hundredth of the largest difference; ten
    that exceed a tenth are enough."""
    rng = np.random.default_rng(8)
    for jitter in (0, 1e-16, 1e-8, 0.0019):
        d = np.r_[np.linspace(0.05, 0.2, 9), jitter * rng.uniform(-1, 1, 41)][np.newaxis]
        assert differing_topics(d)[0].tolist() == [9]
        assert few_differ(d).all()
        assert few_differ(-1000 * d).all()
    ten = np.r_[np.linspace(0.05, 0.2, 9), 0.021, np.zeros(40)][np.newaxis]
    assert not few_differ(ten).any()
    assert few_differ(np.array([[0.1, 0.2, 1e-8], [0.1, 0.2, 0.3], [0, 0, 0]])).tolist() == [True, False, True]


def test_ranks_by_counting() -> None:
    means = np.array([0.5, 0.3, 0.5, 0.1])
    better = np.zeros((4, 4), np.bool_)
    better[0, 3] = better[0, 1] = better[2, 3] = True
    found = ranks(means, better)
    assert found["value"].tolist() == [1, 3, 1, 4]
    assert found["lower"].tolist() == [1, 2, 1, 3]
    assert found["upper"].tolist() == [2, 4, 3, 4]


def test_letters_are_the_largest_sets() -> None:
    """One letter for every set of runs without a separated pair to which no run can be added, found by trying all sets."""
    rng = np.random.default_rng(5)
    for share in np.linspace(0.05, 0.95, 30):
        separated = np.triu(rng.random((8, 8)) < share, 1)
        separated |= separated.T
        sets = [set(some) for size in range(1, 9) for some in itertools.combinations(range(8), size)]
        tied = [some for some in sets if not separated[np.ix_(list(some), list(some))].any()]
        largest = [some for some in tied if not any(some < other for other in tied)]
        order = rng.permutation(8)
        names = letters(separated, order)
        assert names[order[0]][0] == "a"
        found = [{run for run, name in enumerate(names) if letter in name} for letter in sorted(set("".join(names)))]
        assert sorted(map(sorted, found)) == sorted(map(sorted, largest))


def test_letters_by_the_hundred_are_left_out() -> None:
    """Three runs apart in each of 40 groups: 3^40 sets. Nobody waits for them, and ranks have a dash."""
    group = np.arange(120) // 3
    separated = np.equal.outer(group, group) & ~np.eye(120, dtype=bool)
    assert letters(separated, np.arange(120)) is None
    assert letters(~np.eye(26, dtype=bool), np.arange(26)) == [*"abcdefghijklmnopqrstuvwxyz"]
    assert letters(~np.eye(27, dtype=bool), np.arange(27)) is None
    assert ranks(np.linspace(1, 0, 120), np.triu(separated))["letters"] == ["-"] * 120


NAN = float("nan")


def told(value: list[float], p: list[float], p_adjusted: list[float] | None = None) -> np.ndarray:
    return np.array([value, p, p if p_adjusted is None else p_adjusted])


def test_verdicts() -> None:
    """Sign and p_adjusted decide; nothing is told of a difference of 0, and of none."""
    claimed = np.array([0.1, 0.1, -0.1, -0.1, 0.1, 0.1, 0.1, -0.2])
    other = told(
        [0.2, 0.1, 0.1, 0.2, 0.0, NAN, 0.1, -0.1], [0.001, 0.04, 0.4, 0.01, 1, NAN, NAN, 0.05],
        [0.01, 0.06, 0.9, 0.05, 1, NAN, NAN, 0.05],
    )  # fmt: skip
    assert decisions.survival(claimed, other, 0.05) == [
        "confirmed", "not confirmed", "not confirmed", "reversed", *["not testable"] * 3, "confirmed",
    ]  # fmt: skip


def test_p_of_all() -> None:
    """The largest p, 1 where a sign differs, by Holm over pairs; sources that tell nothing are left out."""
    topics = told([0.1, 0.1, -0.1, 0.1], [0.001, 0.002, 0.003, 0.004])
    second = told([0.2, -0.1, -0.2, NAN], [0.01, 0.5, NAN, NAN])
    third = told([0.1, 0.1, -0.1, NAN], [0.0, 0.0, 0.0, NAN])
    by_hand = [3 * 0.01, 1.0, 4 * 0.003, NAN]  # of four pairs, the last one of which has no p
    assert decisions.p_of_all(np.stack((topics, second, third))) == pytest.approx(by_hand, nan_ok=True)

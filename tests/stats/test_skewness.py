"""Tests corrected for skewness against the formulas term by term; margins lose nothing by being wider; how often they err."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_inference import above_zero_p as plain_p
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from irci.base.types import Floats
from irci.stats.bounded import above_zero_p, hall_limits, hall_t, margin_p, share_of_baseline_p

RNG = np.random.default_rng(1)
SKEWED = RNG.exponential(0.1, (12, 20)) * RNG.choice([-1, 1], (12, 1)) + RNG.normal(0, 0.05, (12, 1))


def equivalence_p(differences: Floats, margin: Floats | float) -> Floats:
    return np.asarray(margin_p(differences, margin).max(axis=0))


def equivalence_to_baseline_p(differences: Floats, baseline: Floats, share: float) -> Floats:
    return np.asarray(share_of_baseline_p(differences, baseline, share).max(axis=0))


def test_p_is_that_of_the_plain_formula() -> None:
    for margin in (0.02, 0.1, 0.3):
        expected = np.array([[plain_p(list(margin + row)), plain_p(list(margin - row))] for row in SKEWED])
        np.testing.assert_allclose(margin_p(SKEWED, margin).T, expected, rtol=1e-9)


def test_without_skewness_they_are_the_t_tests() -> None:
    half = RNG.normal(0.01, 0.05, (15, 10))
    mirrored = np.hstack((half, 0.02 - half))
    expected = [ttost_paired(row, np.zeros(20), -0.04, 0.04)[0] for row in mirrored]
    assert equivalence_p(mirrored, 0.04) == pytest.approx(expected, rel=1e-9)
    mean, error = mirrored.mean(axis=1), stats.sem(mirrored, axis=1)
    lower, upper = hall_limits(mirrored, 2.5)
    assert lower == pytest.approx(mean - 2.5 * error, rel=1e-9, abs=1e-12)
    assert upper == pytest.approx(mean + 2.5 * error, rel=1e-9, abs=1e-12)


def test_limits_are_those_of_the_plain_formula() -> None:
    reach, number = 3.2, SKEWED.shape[1]
    for row, lower, upper in zip(SKEWED, *hall_limits(SKEWED, reach), strict=True):
        a = stats.skew(row) / math.sqrt(number)
        shifts = [3 / a * (np.cbrt(1 + a * (q - a / 6)) - 1) for q in (reach, -reach)]
        assert [lower, upper] == pytest.approx([row.mean() - stats.sem(row) * each for each in shifts], rel=1e-9)


@given(st.floats(0.01, 30), st.floats(-1, 1) | st.floats(-1e-9, 1e-9))
def test_the_limits_transformation_is_the_tests_inverse(reach: float, skew: float) -> None:
    """Down to no skewness at all, where digits are lost by the formula as it is written."""
    row = np.array([[-1.0, 1.0, -0.5, 0.5, skew, -0.25, 0.25]])
    a, (lower, upper) = stats.skew(row, axis=1) / math.sqrt(7), hall_limits(row, reach)
    for limit, q in ((lower, reach), (upper, -reach)):
        t = (row.mean(axis=1) - limit) / stats.sem(row, axis=1)
        assert hall_t(t, a)[0] == pytest.approx(q, rel=1e-9, abs=1e-9)


WILD = st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)) | st.just(0.0), min_size=2, max_size=25)


@given(WILD, st.lists(st.floats(1e-6, 3), min_size=2, max_size=8))
def test_a_wider_margin_never_loses_an_equivalence(differences: list[float], margins: list[float]) -> None:
    ordered = sorted(margins)
    d = np.tile(differences, (len(ordered), 1))
    found = equivalence_p(d, np.array(ordered)[:, np.newaxis])
    assert (np.diff(found) <= 1e-12).all()
    assert (found >= 2.0 ** -len(differences)).all()


def test_signs_bound_what_little_spread_shows() -> None:
    """Two topics that differ by .005 each are p .25, within a margin of .01 and not at it, whatever the rounding."""
    assert equivalence_p(np.full((1, 2), 0.005), 0.01)[0] == 0.25
    assert equivalence_p(np.array([[0.05, 0.05, 0.0501]]), 0.1)[0] == 2.0**-3
    at_margin = np.array([[0.3 - 0.2] * 9, [0.1] * 9, [0.4 - 0.3] * 9, [0.11] * 9, [0.0] * 9])
    assert equivalence_p(at_margin, 0.1).tolist() == [1, 1, 1, 1, 2.0**-9]
    assert np.isnan(equivalence_p(np.zeros((2, 1)), 0.1)).all()
    assert np.isnan(hall_limits(np.zeros((2, 1)), 2.0)).all()
    assert above_zero_p(np.array([[1e150, 1e150 + 1e140]]))[0] == 0.25


def test_a_share_of_the_baseline_has_fieller_s_limits() -> None:
    """Of differences and scores without skewness the ratio's limits, by the quadratic equation, are where p is alpha."""
    rng = np.random.default_rng(2)
    half = rng.multivariate_normal([0.02, 0.5], [[0.01, 0.004], [0.004, 0.02]], 10)
    d, b = np.vstack((half, 2 * np.array([0.02, 0.5]) - half)).T
    t = stats.t.ppf(0.95, 19) / math.sqrt(20)
    (v_d, v_db), (_, v_b) = np.cov(d, b)
    limits = np.roots([b.mean() ** 2 - t**2 * v_b, 2 * (t**2 * v_db - d.mean() * b.mean()), d.mean() ** 2 - t**2 * v_d])
    share = float(np.abs(limits).max())
    assert equivalence_to_baseline_p(d[np.newaxis], b[np.newaxis], share)[0] == pytest.approx(0.05, rel=1e-6)
    assert share > 0.02


def test_a_share_of_nothing_is_refused() -> None:
    d = np.tile(SKEWED[0] / 100, (4, 1))
    baseline = np.vstack((np.full(20, 0.5), np.zeros(20), np.full(20, -0.5), SKEWED[1] - SKEWED[1].mean() - 0.1))
    found = equivalence_to_baseline_p(d, baseline, 0.1)
    assert np.isnan(found).tolist() == [False, True, True, True]
    assert found[0] == equivalence_p(d[:1], 0.05)[0]


def test_rounding_is_no_spread_at_the_margin() -> None:
    """Differences of .28, as they come out of the subtraction of scores, within a margin of .28: what is left is rounding."""
    second = (np.arange(50) / 100 + 0.28).round(2)
    d = (second - np.round(second - 0.28, 2))[np.newaxis]
    assert np.ptp(d) > 0
    assert equivalence_p(d, 0.28).tolist() == [1]
    assert equivalence_p(d, 0.29).tolist() == [2.0**-50]
    baseline = d / 0.1
    assert equivalence_to_baseline_p(d, baseline + np.linspace(0, 1e-17, 50), 0.1).tolist() == [1]


def test_what_is_not_known_is_not_equivalent() -> None:
    d = np.array([[0.1, np.nan, 0.0], [0.01, 0.02, 0.0]])
    assert np.isnan(equivalence_p(d, 1)).tolist() == [True, False]
    assert np.isnan(equivalence_to_baseline_p(d, np.full((2, 3), 0.5), 0.5)).tolist() == [True, False]


def p_of_share(d: list[float], b: list[float], share: float) -> float:
    terms = [np.add(share * np.array(b), each) for each in (d, np.negative(d))]
    return max(plain_p(list(each)) for each in terms)


def test_a_greater_share_never_loses_an_equivalence() -> None:
    """By the plain formula p rises with the share from .0443 to .0571 and falls again: all shares below have the largest p of
    those above."""
    d, b = [-0.027, 0.019, -0.005, -0.015, -0.029], [0.449, 0.646, 0.524, 0.023, 0.478]
    plain = [p_of_share(d, b, share) for share in (0.166, 0.25, 1)]
    assert plain == pytest.approx([0.0443, 0.0571, 0.0457], abs=5e-5)
    every = np.append(np.geomspace(0.166, 1, 1001), np.geomspace(1.1, 1e4, 100))
    p = np.array([p_of_share(d, b, float(share)) for share in every])
    for place in (0, 150, 250, 600, 1000, 1050):
        found = equivalence_to_baseline_p(np.array([d]), np.array([b]), float(every[place]))[0]
        assert found == pytest.approx(p[place:].max(), abs=1e-6)
        assert found >= p[place:].max() * (1 - 1e-12)


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(4))
def test_p_falls_with_the_share_whatever_the_scores(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    d = np.round(rng.normal(0, 0.1, (200, n)) ** rng.choice([1, 3], (200, 1)), 3)
    b = np.round(rng.beta(0.5, 1, (200, n)), 3)
    shares = np.sort(rng.uniform(0.001, 3, 12)).tolist()
    p = np.array([equivalence_to_baseline_p(d, b, share) for share in shares])
    assert np.nanmax(np.diff(p, axis=0)) <= 1e-12
    assert (np.diff(p, axis=0) < 0).any()
    for share, found in zip(shares, p, strict=True):
        alone = np.maximum(*(above_zero_p(share * b + each, 1e-12) for each in (d, -d)))
        assert (found >= alone)[b.mean(axis=1) > 0].all()

"""Limits of the variance between effects against published ones and scipy's roots; prediction of a new collection."""

import numpy as np
import pytest
from scipy import optimize, stats

from irci.stats.meta import random_effects, tau2_limits

# Thirteen trials of BCG vaccine (G. A. Colditz et al., JAMA 271, 1994): ill and well of the vaccinated and of the others.
TRIALS = np.array([
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761),
    (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232), (17, 1699, 65, 1600),
    (186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825),
], np.float64)  # fmt: skip


def log_ratios() -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of relative risks and their standard errors."""
    ill, well, other_ill, other_well = TRIALS.T
    vaccinated, others = ill + well, other_ill + other_well
    effects = np.log(ill / vaccinated / (other_ill / others))
    return effects, np.sqrt(1 / ill - 1 / vaccinated + 1 / other_ill - 1 / others)


def test_limits_of_tau2_are_the_published_ones() -> None:
    """metafor's confint prints .1197 and 1.1115 for these trials; DerSimonian and Laird's estimate is .3088."""
    effects, errors = log_ratios()
    assert random_effects(effects, errors).tau2 == pytest.approx(0.3088, abs=5e-5)
    assert tau2_limits(effects, errors, 0.95) == pytest.approx((0.1197, 1.1115), abs=5e-5)


@pytest.mark.parametrize("number", [2, 3, 6, 30])
def test_limits_of_tau2_are_where_q_is_at_its_quantiles(number: int) -> None:
    rng = np.random.default_rng(number)
    ends = 0
    for _ in range(20):
        errors = rng.uniform(0.01, 0.1, number)
        effects = rng.normal(0.1, rng.choice([0.0, 0.05]), number) + rng.normal(0, errors)
        lower, upper = tau2_limits(effects, errors, 0.9)
        for limit, share in ((lower, 0.95), (upper, 0.05)):
            level = stats.chi2.ppf(share, number - 1)

            def excess(tau2: float, level: float = level, y: np.ndarray = effects, s: np.ndarray = errors) -> float:
                w = 1 / (s**2 + tau2)
                return float((w * (y - np.average(y, weights=w)) ** 2).sum() - level)

            expected = optimize.brentq(excess, 0, 1e6, xtol=1e-14) if excess(0) > 0 else 0.0
            assert limit == pytest.approx(expected, rel=1e-6, abs=1e-12)
            ends += limit == 0
    assert ends > 0


def test_effects_alike_or_alone_have_no_variance_to_tell() -> None:
    assert tau2_limits(np.full(5, 0.1), np.full(5, 0.02), 0.95) == (0, 0)
    for effects, errors in (
        ([0.1], [0.02]),
        ([0.1, 0.2], [0.0, 0.1]),
        ([0.1, 0.2], [np.nan, 0.1]),
        ([0.1, np.nan], [0.1, 0.1]),
        ([0.1, 0.2], [np.inf, 0.1]),
        ([0.1, np.inf], [0.1, 0.1]),
    ):
        assert np.isnan(tau2_limits(np.array(effects), np.array(errors), 0.95)).all()


def test_limits_of_tau2_of_tiny_and_huge_numbers() -> None:
    """Without errors to speak of, tau^2 is what the sum of squares over chi^2's quantiles says; units do not matter."""
    effects = np.array([0.1, 0.2, 0.5])
    expected = ((effects - effects.mean()) ** 2).sum() / stats.chi2.ppf([0.975, 0.025], 2)
    for error in (1e-9, 1e-160, 1e-200, 1e-310):
        assert tau2_limits(effects, np.full(3, error), 0.95) == pytest.approx(expected, rel=1e-9)
    mixed = (tau2_limits(effects, np.array([error, error, 0.1]), 0.95) for error in (1e-200, 1e-8))
    assert next(mixed) == pytest.approx(next(mixed), rel=1e-9)
    assert tau2_limits(np.array([0.1, 0.1, 0.5]), np.array([1e-200, 1e-200, 1.0]), 0.95)[0] == 0
    large = tau2_limits(effects * 1e100, np.full(3, 1e90), 0.95)
    assert np.array(large) / 1e200 == pytest.approx(expected, rel=1e-9)

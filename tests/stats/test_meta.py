"""Meta-analysis against published limits, scipy's roots and statsmodels; topics and documents together; other samples."""

import math

import numpy as np
import pytest
from scipy import optimize, stats
from statsmodels.stats.meta_analysis import combine_effects

from irci.estimators.means import paired_t
from irci.stats.groups import Nested
from irci.stats.meta import combined, heterogeneity, tau2_limits
from irci.stats.scales import excess
from irci.stats.tests import Estimates, of_sample, with_documents

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
    assert heterogeneity(effects[np.newaxis], errors[np.newaxis])[3] == pytest.approx(0.3088, abs=5e-5)
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


def over_topics(value: list[float], error: float, topics: int) -> Estimates:
    """Means with this error over so many topics."""
    number = len(value)
    return Estimates(np.array(value), np.full(number, error), np.full(number, topics - 1.0), np.full(number, topics))


def test_topics_and_documents_by_hand() -> None:
    """Variances .02 between topics and .005 of documents, 10 topics: V = .0025, df = 9 (.0025 / .002)^2 = 14.0625."""
    both = with_documents(over_topics([0.11], math.sqrt(0.002), 10), np.array([0.005]))
    assert (both.error[0], both.df[0]) == pytest.approx((0.05, 14.0625))
    assert (both.columns["sd_topics"][0] ** 2, both.columns["sd_documents"][0] ** 2) == pytest.approx((0.002, 0.0005))
    assert both.limits(0.95)[:, 0] == pytest.approx(0.11 + stats.t.isf([0.975, 0.025], 14.0625) * 0.05)
    assert both.p() == pytest.approx(2 * stats.t.sf(2.2, 14.0625))


def test_topics_and_documents_that_do_not_vary_are_the_t_test() -> None:
    d = np.random.default_rng(1).normal(0.03, 0.1, (5, 12))
    t, both = paired_t(d, 0.9), with_documents(of_sample(d), np.zeros(5))
    assert (both.limits(0.9), both.p()) == (pytest.approx(t.limits, abs=1e-12), pytest.approx(t.p, rel=1e-9))


def test_topics_and_documents_at_the_edges() -> None:
    """No variance between topics: normal quantiles. None at all: p 1 for no difference, nan for one. One topic: nan."""
    both = with_documents(over_topics([0.1, 0.0, 0.1], 0.0, 5), np.array([0.02, 0.0, 0.0]))
    assert both.df[0] == math.inf
    assert both.limits(0.95)[1, 0] == pytest.approx(0.1 + stats.norm.isf(0.025) * math.sqrt(0.004))
    assert both.p() == pytest.approx([2 * stats.norm.sf(0.1 / math.sqrt(0.004)), 1, math.nan], nan_ok=True)
    one = with_documents(over_topics([0.1, 0.0], math.nan, 1), np.full(2, 0.01))
    assert all(np.isnan(column).all() for column in (*one.limits(0.95), one.p(), one.df))


def test_prediction_intervals_by_the_formula() -> None:
    """The next mean varies too: by s^2 / m, over m topics that it is of, or as many as here."""
    reach = stats.t.isf(0.025, 11) * 0.2
    for others in (None, 12, 40):
        found = over_topics([0.3], 0.2 / math.sqrt(12), 12).predicting(others).limits(0.95)
        away = reach * math.sqrt(1 / 12 + 1 / (others or 12))
        assert np.concatenate(found) == pytest.approx([0.3 - away, 0.3 + away])
    assert np.isnan(over_topics([0.3], math.nan, 1).predicting(None).limits(0.95)).all()


def test_what_is_beyond_a_part_is_no_rounding() -> None:
    whole, part = np.array([0.3, 0.3, 0.1, np.nan]), np.array([0.1 + 0.2, 0.1, 0.2, 0.1])
    for one, other in ((whole, part), (1e9 * whole, 1e9 * part)):
        np.testing.assert_allclose(excess(one, other), one[0] / 0.3 * np.array([0, 0.2, 0, np.nan]), rtol=1e-12)
    assert excess(0.1 + 0.2, 0.3) == excess(0.0, 0.0) == 0
    nested = Nested(0.1 + 0.2, 4, 0.3, 5, 2.0, np.full(5, 2), (np.nan, np.nan))
    assert (nested.between, nested.correlation) == (0, 0)


@pytest.mark.parametrize("seed", range(6))
def test_combined_effects_against_statsmodels(seed: int) -> None:
    """Theirs goes on with a negative tau^2, which DerSimonian & Laird put to 0. Topics that are nan are none."""
    rng = np.random.default_rng(seed)
    errors = rng.uniform(0.1, 0.3, 12)
    effects = rng.normal(0.2, errors) + rng.normal(0, 0.4 * (seed > 1), 12)
    with np.errstate(invalid="ignore"):
        theirs = combine_effects(effects, errors**2, method_re="dl", use_t=True)
    rows = np.insert([effects, effects], 5, np.nan, axis=1), np.insert([errors, errors], 5, np.nan, axis=1)
    fixed, random = combined(*rows, "fixed"), combined(*rows, "random")
    assert (fixed.value[1], fixed.error[1]) == pytest.approx((theirs.mean_effect_fe, theirs.sd_eff_w_fe))
    q, q_p, i2, tau2 = heterogeneity(*rows)[:, 1]
    assert (q, q_p) == pytest.approx((theirs.q, stats.chi2.sf(theirs.q, 11)), rel=1e-10)
    assert (i2, tau2) == pytest.approx((max(0, theirs.i2), max(0, theirs.tau2)), abs=1e-12)
    assert fixed.limits(0.95)[:, 1] == pytest.approx(
        theirs.mean_effect_fe + stats.norm.isf([0.975, 0.025]) * theirs.sd_eff_w_fe
    )
    if theirs.tau2 > 0:
        assert (random.value[1], random.error[1]) == pytest.approx((theirs.mean_effect_re, theirs.sd_eff_w_re_hksj))
        assert random.limits(0.95)[:, 1] == pytest.approx(theirs.conf_int(alpha=0.05, use_t=True)[3])
        assert random.p()[1] == pytest.approx(2 * stats.t.sf(abs(random.value[1] / random.error[1]), 11))


def test_combined_effects_at_the_edges() -> None:
    effects, errors = np.array([[0.30], [np.nan], [0.2]]), np.array([[0.15], [np.nan], [0.1]])
    one = combined(effects, errors, "random")
    assert one.value == pytest.approx([0.3, np.nan, 0.2], nan_ok=True)
    assert np.isnan([one.error, one.p(), *one.limits(0.95)]).all()
    assert list(one.units) == [1, 0, 1]
    for method in ("fixed", "stouffer"):
        none = combined(effects, errors, method)
        assert list(np.isnan(none.value)) == list(np.isnan(none.p())) == [False, True, False]
    # Effects closer together than their errors: q as it is, so that the interval is the narrower one.
    close = combined(np.array([[0.2, 0.21, 0.2]]), np.full((1, 3), 0.1), "random")
    assert close.error == pytest.approx(np.std([0.2, 0.21, 0.2], ddof=1) / math.sqrt(3))
    alike = combined(np.full((1, 3), 0.1 + 0.2), np.array([[0.1, 0.2, 0.3]]), "random")
    assert np.isnan(alike.error).all()

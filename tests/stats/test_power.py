"""Power, topics needed and limits of effect sizes against quadrature, statsmodels and simulation; boundaries of looks against
those published and the trapezoid rule; units that differences take over other sources."""

import math

import naive_inference
import numpy as np
import pytest
from scipy import optimize, special, stats
from statsmodels.stats.power import TTestPower

from irci.estimators import differences
from irci.estimators.differences import units_needed
from irci.estimators.grouped import over_seeds, system_means
from irci.stats import power
from irci.stats.power import detectable_noncentrality, looks_at, noncentral_t_cdf, power_at
from irci.stats.tests import Estimates


@pytest.mark.parametrize("df", [1, 2, 4, 49, 6979])
@pytest.mark.parametrize("noncentrality", [-3.0, 0.0, 2.8, 20.0, 100.0])
def test_noncentral_t_against_quadrature(df: int, noncentrality: float) -> None:
    """The normal gone through and the chi-square in closed form, where irci does it the other way round."""
    for t in (-2.0, 0.0, 1.5, 0.9 * noncentrality, 1.2 * noncentrality, 12.7, 500.0):
        expected = naive_inference.noncentral_t_cdf(t, noncentrality, df)
        assert noncentral_t_cdf(t, noncentrality, df) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("df", [1, 2, 5, 49, 6979])
def test_noncentrality_is_found(df: int) -> None:
    t = np.array([-500.0, -40.0, -3.0, -0.1, 0.0, 0.2, 2.0, 5.0, 30.0, 400.0])
    for probability in (0.001, 0.025, 0.2, 0.975):
        found = power.noncentrality_of(t, df, probability)
        assert noncentral_t_cdf(t, found, df) == pytest.approx(probability, abs=1e-9)
    assert np.isnan(power.noncentrality_of(np.array([np.inf, np.nan]), df, 0.5)).all()


def t_power(effect: float, topics: int, alpha: float) -> float:
    return float(power_at(effect * math.sqrt(topics), topics - 1, alpha))


@pytest.mark.parametrize("topics", [2, 3, 5, 12, 50, 1000])
def test_power_against_quadrature(topics: int) -> None:
    for effect in (0.0, 0.05, 0.4, 2.0, 20.0):
        for alpha in (0.05, 0.05 / 1830):
            assert t_power(effect, topics, alpha) == pytest.approx(
                naive_inference.power(effect, topics, alpha), abs=1e-9
            )
    assert t_power(0.0, topics, 0.05) == pytest.approx(0.05, abs=1e-9)


@pytest.mark.parametrize(
    ("topics", "pairs", "factor"),
    [(5, 1, 1.68200), (12, 1, 0.888654), (43, 1, 0.437322), (50, 1, 0.404183), (43, 1830, 0.857801)],
)
def test_detectable_effect_of_published_factors(topics: int, pairs: int, factor: float) -> None:
    """As an independent program found them."""
    found = detectable_noncentrality(topics - 1, 0.05 / pairs, 0.8) / math.sqrt(topics)
    assert found == pytest.approx(factor, rel=2e-6)


def test_detectable_effect_has_its_power() -> None:
    """Each by itself to the last digit; of many topics it is the normal's 1.96 + .84."""
    df = np.array([1, 2, 9, 49.5, 49.5, 6999])
    for alpha, wanted in ((0.05, 0.8), (0.01, 0.95), (0.05 / 8256, 0.8)):
        found = detectable_noncentrality(df, alpha, wanted)
        assert power.power_at(found, df, alpha) == pytest.approx(wanted, abs=1e-9)
        assert found.tolist() == [float(detectable_noncentrality(freedom, alpha, wanted)) for freedom in df]
    assert detectable_noncentrality(6999, 0.05, 0.8) == pytest.approx(2.8016, abs=1e-3)


def of_topics(effect: np.ndarray, topics: int) -> Estimates:
    """Effects observed on so many topics."""
    same = (np.full(len(effect), number) for number in (1 / math.sqrt(topics), topics - 1.0, topics))
    return Estimates(effect, *same, {"effect_size": effect})


def topics_needed(effect: np.ndarray, alpha: float) -> np.ndarray:
    return units_needed(of_topics(effect, 30), alpha)


def test_topics_needed_against_statsmodels() -> None:
    effects = np.array([0.05, -0.1, 0.4, 0.8])
    theirs = [math.ceil(TTestPower().solve_power(abs(each), power=0.8, alpha=0.05)) for each in effects]
    assert topics_needed(effects, 0.05).tolist() == theirs


def test_topics_needed_is_the_fewest() -> None:
    """Enough, and one less is not; also where the first guess is far off, and for corrected alpha."""
    rng = np.random.default_rng(2)
    for alpha in (0.05, 0.05 / 8256, 0.2):
        for effect in np.exp(rng.normal(-1, 1.5, 30)).tolist():
            found = int(topics_needed(np.array([effect]), alpha)[0])
            assert t_power(effect, found, alpha) >= 0.8
            assert found == 2 or t_power(effect, found - 1, alpha) < 0.8
    assert topics_needed(np.array([1e-200, 1e-320]), 0.05).tolist() == [math.inf, math.inf]
    edges = topics_needed(np.array([0.0, 1e-6]), 0.05)
    assert edges == pytest.approx([np.inf, (2.8016 / 1e-6) ** 2], rel=1e-4)


def test_effect_size_limits_are_where_the_tails_are() -> None:
    effect = np.array([-1.2, 0.0, 0.3, 2.0])
    lower, upper = power.effect_size_limits(effect, 20, 0.9)
    for place, each in enumerate(effect):
        t = each * np.sqrt(20)
        assert naive_inference.noncentral_t_cdf(t, lower[place] * np.sqrt(20), 19) == pytest.approx(0.95, abs=1e-9)
        assert naive_inference.noncentral_t_cdf(t, upper[place] * np.sqrt(20), 19) == pytest.approx(0.05, abs=1e-9)
    mirrored = power.effect_size_limits(-effect, 20, 0.9)
    assert mirrored[0] == pytest.approx(-upper, abs=1e-8)
    assert np.isnan(power.effect_size_limits(effect, 1, 0.9)).all()


def test_a_noncentrality_of_0_is_found() -> None:
    """Of two topics, one of them without a difference, t is 1 or -1: a quantile of t but for rounding."""
    t = np.array([-1.0, 1.0])
    assert power.noncentrality_of(t, 1, 0.25) == pytest.approx([0, 1.566662535], abs=1e-8)
    assert power.noncentrality_of(t, 1, 0.75) == pytest.approx([-1.566662535, 0], abs=1e-8)


@pytest.mark.parametrize("topics", [4, 12, 50, 400])
def test_safe_topics_are_those_of_the_lower_limit(topics: int) -> None:
    """The effect size under which one no larger, either way, is seen in four experiments of five, by scipy's noncentral t."""
    effects = np.array([0.1, 0.8, -0.9, 1.7, 2.0, -4.0, 8.0]) / math.sqrt(topics)
    found, _ = differences.power(of_topics(effects, topics), 0.05, 0)
    for effect, needed in zip(np.abs(effects).tolist(), found.tolist(), strict=True):
        t, root = effect * math.sqrt(topics), math.sqrt(topics)

        def excess(x: float, t: float = t) -> float:
            return float(special.nctdtr(topics - 1, x, t) - np.nan_to_num(special.nctdtr(topics - 1, x, -t))) - 0.8

        lower = optimize.brentq(excess, 0, t + 4, xtol=1e-13) if excess(0) > 0 else 0.0
        assert needed == (topics_needed(np.array([lower / root]), 0.05)[0] if lower > 0 else math.inf)
        assert needed >= topics_needed(np.array([effect]), 0.05)[0]


def test_no_topics_are_safe_where_nothing_is_shown() -> None:
    """t below its .9 quantile: no true difference makes one as small likely enough."""
    edge = stats.t.ppf(0.9, 24) / 5
    found, _ = differences.power(of_topics(np.array([0.0, 0.999 * edge, -0.999 * edge, 1.001 * edge]), 25), 0.05, 0)
    assert np.isinf(found).tolist() == [True, True, True, False]
    no_spread = of_topics(np.array([0.5, 0.0]), 25)._replace(error=np.zeros(2))
    assert differences.power(no_spread, 0.05, 0)[0] == pytest.approx([np.nan, np.inf], nan_ok=True)


def test_the_upper_limit_of_a_variance_is_by_its_chi_square() -> None:
    variance, df = np.array([0.02, 0.02, 1.0, 0.0, 0.1]), np.array([1, 9, 49.5, 4, 0])
    found = power.variance_upper(variance, df)
    assert found[:3] == pytest.approx(variance[:3] * df[:3] / stats.chi2.ppf(0.2, df[:3]), rel=1e-12)
    assert np.isnan(found[3:]).all()
    assert power.variance_upper(1.0, 1e9) == pytest.approx(1, abs=1e-4)
    assert power.variance_upper(1.0, np.inf) == 1


LEVEL = 0.05


def power_of(value: float, variance: float, df: float) -> float:
    """Of a two-sided t test, by scipy."""
    critical, shift = stats.t.ppf(1 - LEVEL / 2, df), value / np.sqrt(variance)
    return float(stats.nct.sf(critical, df, shift) + stats.nct.cdf(-critical, df, shift))


def estimates(value: float, error: float, df: float, units: int, seeds: float | None = None) -> Estimates:
    columns, of_seeds = {} if seeds is None else {"sd_seeds_component": np.array([seeds])}, None
    if seeds is not None:  # their part of the degrees of freedom, which stays
        of_seeds = np.array([[max(0, error**4 / df - (error**2 - seeds**2) ** 2 / (units - 1))], [0], [0]])
    return Estimates(*(np.array([each]) for each in (value, error, df, units)), columns, of_seeds=of_seeds)


def test_seeds_on_more_or_fewer_topics() -> None:
    """Between the means of seeds lies, beside what is their own, their interaction with n topics, over n. No number
    is enough where many more topics have less power than .8 again: few seeds leave few degrees of freedom in the end."""
    rng, topics, pair = np.random.default_rng(1), 20, np.array([[0, 1]])
    rose_and_fell = 0
    for seeds in (3, 4, 5) * 4:
        values = np.repeat(rng.normal(0, 0.3, (2, topics)), seeds, axis=0)
        values += rng.normal(0, 0.06, (2 * seeds, 1)) + rng.normal(0, 0.1, values.shape)
        runs = [range(seeds), range(seeds, 2 * seeds)]
        of = over_seeds(values, system_means(values, runs), runs, np.array([True, True]), pair, seeds_vary=True)
        sd = np.std(values[:seeds].mean(axis=0) - values[seeds:].mean(axis=0), ddof=1)
        squares = []
        for some in runs:
            own = values[list(some)]
            left = own - own.mean(axis=1, keepdims=True) - own.mean(axis=0) + own.mean()
            residual = (left**2).sum() / (seeds - 1) / (topics - 1)
            squares.append((max(own.mean(axis=1).var(ddof=1) - residual / topics, 0), residual))

        def at(number: int, sd=sd, squares=squares, seeds=seeds) -> tuple[float, float]:
            variance, below = sd**2 / number, sd**4 / number**2 / (number - 1)
            for between, residual in (each for each in squares if each[0] > 0):
                variance += between / seeds
                below += (between + residual / number) ** 2 / seeds**2 / (seeds - 1)
                below += (residual / seeds / number) ** 2 / (seeds - 1) / (number - 1)
            return variance, variance**2 / below

        assert [of.error[0] ** 2, of.df[0]] == pytest.approx(at(topics), rel=1e-9)
        found = float(units_needed(of._replace(value=np.array([0.35])), LEVEL)[0])
        enough = [number for number in range(2, 60) if power_of(0.35, *at(number)) >= 0.8]
        in_the_end = not power_of(0.35, *at(10**7)) < 0.8  # nan, of scipy, is of power 1
        assert found == (enough[0] if enough and in_the_end else np.inf)
        rose_and_fell += bool(enough) and not in_the_end
    assert 0 < rose_and_fell < 12


def test_safe_topics_beside_seeds_are_those_of_a_smaller_difference() -> None:
    value, error, seeds = 0.2, 0.03, 0.005
    df = error**4 / ((error**2 - seeds**2) ** 2 / 29 + seeds**4 / 4)
    lower = error * optimize.brentq(
        lambda x: stats.nct.cdf(value / error, df, x) - np.nan_to_num(stats.nct.cdf(-value / error, df, x)) - 0.8, 0, 20
    )
    expected = units_needed(estimates(lower, error, df, 30, seeds), LEVEL)
    assert differences.power(estimates(value, error, df, 30, seeds), LEVEL, 0)[0].tolist() == expected.tolist()
    assert np.isfinite(expected).all()
    assert expected[0] > units_needed(estimates(value, error, df, 30, seeds), LEVEL)[0]


LOOKS = [(20, 40, 60, 80, 100), (10, 25, 50), (99, 100), (50,)]


@pytest.mark.parametrize(("sizes", "boundary"), [
    ((20, 40, 60, 80, 100), (4.8769, 3.3570, 2.6803, 2.2898, 2.0310)), ((10, 25, 50), (4.8769, 2.9626, 1.9686)),
    ((1,), (1.9600,)),
])  # fmt: skip
def test_boundaries_are_those_published(sizes: tuple[int, ...], boundary: tuple[float, ...]) -> None:
    assert looks_at(sizes, 0.05)[0] == pytest.approx(boundary, abs=5.1e-5)


@pytest.mark.parametrize("sizes", [*LOOKS, (10, 5000), tuple(range(10, 101, 3))])
def test_levels_are_those_of_the_boundaries(sizes: tuple[int, ...]) -> None:
    boundary, level = looks_at(sizes, 0.05)
    assert level == pytest.approx(2 * stats.norm.sf(boundary), rel=1e-9)


@pytest.mark.check
def test_holms_p_of_several_tests_is_held_to_what_bonferroni_allows() -> None:
    """Each of m tests that are left is held to alpha / m over all looks, and one alone to all of alpha."""
    sizes = (10, 25, 50, 75, 100)
    for tests in (1, 2, 3, 15, 100):
        level = power.levels_of_many(sizes, 0.05, tests)
        for left in range(1, tests + 1):
            assert (level <= left * looks_at(sizes, 0.05 / left)[1] * (1 + 0.005)).all()
        assert (level <= tests * looks_at(sizes, 0.05 / tests)[1]).all()

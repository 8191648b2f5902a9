"""The units that observed differences would take, over sources of variation other than topics alone."""

import numpy as np
import pytest
from scipy import optimize
from scipy.stats import nct, t

from irci.estimators.compare.power import needed_safe, units_needed
from irci.estimators.compare.seeds import Trainings
from irci.stats.estimates import Estimates
from irci.stats.power import topics_needed, topics_needed_safe

LEVEL = 0.05


def power_of(value: float, variance: float, df: float) -> float:
    """Of a two-sided t test, by scipy."""
    critical, shift = t.ppf(1 - LEVEL / 2, df), value / np.sqrt(variance)
    return float(nct.sf(critical, df, shift) + nct.cdf(-critical, df, shift))


def estimates(value: float, error: float, df: float, units: int, seeds: float | None = None) -> Estimates:
    columns, of_seeds = {} if seeds is None else {"sd_seeds_component": np.array([seeds])}, None
    if seeds is not None:  # their part of the degrees of freedom, which stays
        of_seeds = np.array([[max(0, error**4 / df - (error**2 - seeds**2) ** 2 / (units - 1)), 0, 0]])
    return Estimates(*(np.array([each]) for each in (value, error, df, units)), columns, of_seeds=of_seeds)


@pytest.mark.parametrize("effect", [0.1, 0.3, 0.5, 1, 1.5, 2, 2.5, 3, 4, 8])
@pytest.mark.parametrize("units", [3, 12, 50])
def test_units_alike_are_as_many_as_topics(effect: float, units: int) -> None:
    """With a degree of freedom less than units, the number is that of the paired t test, small or large."""
    found = units_needed(estimates(effect, 1 / np.sqrt(units), units - 1, units), LEVEL)
    assert found.tolist() == topics_needed(np.array([effect]), LEVEL, 0.8).tolist()


@pytest.mark.parametrize(("value", "seed_error", "seed_df"), [(0.1, 0.02, 2.0), (0.1, 0.03, 8.0), (0.04, 0.01, 20.0)])
def test_more_topics_leave_the_seeds_their_freedom(value: float, seed_error: float, seed_df: float) -> None:
    """Against Satterthwaite's degrees of freedom at each number of topics, whose part of the variance alone falls."""
    topics, sd = 30, 0.3

    def at(number: int) -> tuple[float, float]:
        of_topics, of_seeds = sd**2 / number, seed_error**2
        return of_topics + of_seeds, (of_topics + of_seeds) ** 2 / (of_topics**2 / (number - 1) + of_seeds**2 / seed_df)

    variance, df = at(topics)
    found = float(units_needed(estimates(value, np.sqrt(variance), df, topics, seed_error), LEVEL)[0])
    if np.isinf(found):
        assert power_of(value, *at(10**7)) < 0.8
    else:
        assert power_of(value, *at(int(found))) >= 0.8 > power_of(value, *at(int(found) - 1))


def test_seeds_on_more_or_fewer_topics() -> None:
    """Between the means of seeds lies, beside what is their own, their interaction with n topics, over n. No number
    is enough where many more topics have less power than .8 again: few seeds leave few degrees of freedom in the end."""
    rng, topics, pair = np.random.default_rng(1), 20, np.array([[0, 1]])
    rose_and_fell = 0
    for seeds in (3, 4, 5) * 4:
        values = np.repeat(rng.normal(0, 0.3, (2, topics)), seeds, axis=0)
        values += rng.normal(0, 0.06, (2 * seeds, 1)) + rng.normal(0, 0.1, values.shape)
        runs = [range(seeds), range(seeds, 2 * seeds)]
        of = Trainings(runs, np.array([True, True])).estimates(values, pair, seeds_vary=True)
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


def test_no_topics_make_up_for_two_seeds() -> None:
    """Two seeds each: the seeds' part alone, with two degrees of freedom, has less power than is wanted."""
    assert units_needed(estimates(0.103, 0.0258, 1.9, 40, 0.0248), LEVEL).tolist() == [np.inf]


@pytest.mark.parametrize("effect", [0.1, 0.4, 1.0, 3.0])
def test_safe_units_are_as_many_as_topics(effect: float) -> None:
    found = needed_safe(estimates(effect, 1 / np.sqrt(15), 14, 15), LEVEL)
    expected = topics_needed_safe(np.array([effect]), 15, LEVEL, 0.8)
    assert found.tolist() == expected.tolist()
    of_topics = Estimates(*(np.array([each]) for each in (effect, 0.3, 14.0, 15)), {"effect_size": np.array([effect])})
    assert needed_safe(of_topics, LEVEL).tolist() == expected.tolist()


def test_safe_topics_beside_seeds_are_those_of_a_smaller_difference() -> None:
    value, error, seeds = 0.2, 0.03, 0.005
    df = error**4 / ((error**2 - seeds**2) ** 2 / 29 + seeds**4 / 4)
    lower = error * optimize.brentq(
        lambda x: nct.cdf(value / error, df, x) - np.nan_to_num(nct.cdf(-value / error, df, x)) - 0.8, 0, 20
    )
    expected = units_needed(estimates(lower, error, df, 30, seeds), LEVEL)
    assert needed_safe(estimates(value, error, df, 30, seeds), LEVEL).tolist() == expected.tolist()
    assert np.isfinite(expected).all()
    assert expected[0] > units_needed(estimates(value, error, df, 30, seeds), LEVEL)[0]


def test_no_units_are_safe_without_spread_or_freedom() -> None:
    assert np.isnan(needed_safe(estimates(0.1, 0.0, np.nan, 5), LEVEL)).all()
    assert np.isnan(needed_safe(estimates(0.1, np.nan, np.nan, 1), LEVEL)).all()
    assert needed_safe(estimates(0.01, 0.1, 9.0, 10), LEVEL).tolist() == [np.inf]

"""The units that observed differences would take, over sources of variation other than topics alone."""

import numpy as np
import pytest
from scipy import optimize
from scipy.stats import nct, t

from irci.methods.compare.power import needed_safe, power
from irci.stats.estimates import Estimates
from irci.stats.power import topics_needed, topics_needed_safe

LEVEL = 0.05


def power_of(value: float, variance: float, df: float) -> float:
    """Of a two-sided t test, by scipy."""
    critical, shift = t.ppf(1 - LEVEL / 2, df), value / np.sqrt(variance)
    return float(nct.sf(critical, df, shift) + nct.cdf(-critical, df, shift))


def estimates(value: float, error: float, df: float, units: int, seeds: float | None = None) -> Estimates:
    columns = {} if seeds is None else {"sd_seeds": np.array([seeds])}
    return Estimates(np.array([value]), np.array([error]), np.array([df]), np.array([units]), columns)


@pytest.mark.parametrize("effect", [0.1, 0.3, 0.5, 1, 1.5, 2, 2.5, 3, 4, 8])
@pytest.mark.parametrize("units", [3, 12, 50])
def test_units_alike_are_as_many_as_topics(effect: float, units: int) -> None:
    """With a degree of freedom less than units, the number is that of the paired t test, small or large."""
    found = power(estimates(effect, 1 / np.sqrt(units), units - 1, units), LEVEL).needed
    assert found.tolist() == topics_needed(np.array([effect]), LEVEL, 0.8).tolist()


@pytest.mark.parametrize(("value", "seed_error", "seed_df"), [(0.1, 0.02, 2.0), (0.1, 0.03, 8.0), (0.04, 0.01, 20.0)])
def test_more_topics_leave_the_seeds_their_freedom(value: float, seed_error: float, seed_df: float) -> None:
    """Against Satterthwaite's degrees of freedom at each number of topics, whose part of the variance alone falls."""
    topics, sd = 30, 0.3

    def at(number: int) -> tuple[float, float]:
        of_topics, of_seeds = sd**2 / number, seed_error**2
        return of_topics + of_seeds, (of_topics + of_seeds) ** 2 / (of_topics**2 / (number - 1) + of_seeds**2 / seed_df)

    variance, df = at(topics)
    found = float(power(estimates(value, np.sqrt(variance), df, topics, seed_error), LEVEL).needed[0])
    if np.isinf(found):
        assert power_of(value, *at(10**7)) < 0.8
    else:
        assert power_of(value, *at(int(found))) >= 0.8 > power_of(value, *at(int(found) - 1))


def test_no_topics_make_up_for_two_seeds() -> None:
    """Two seeds each: the seeds' part alone, with two degrees of freedom, has less power than is wanted."""
    assert power(estimates(0.103, 0.0258, 1.9, 40, 0.0248), LEVEL).needed.tolist() == [np.inf]


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
    lower = error * optimize.brentq(lambda x: nct.cdf(value / error, df, x) - 0.8, 0, 20)
    expected = power(estimates(lower, error, df, 30, seeds), LEVEL).needed
    assert needed_safe(estimates(value, error, df, 30, seeds), LEVEL).tolist() == expected.tolist()
    assert np.isfinite(expected).all()
    assert expected[0] > power(estimates(value, error, df, 30, seeds), LEVEL).needed[0]


def test_no_units_are_safe_without_spread_or_freedom() -> None:
    assert np.isnan(needed_safe(estimates(0.1, 0.0, np.nan, 5), LEVEL)).all()
    assert np.isnan(needed_safe(estimates(0.1, np.nan, np.nan, 1), LEVEL)).all()
    assert needed_safe(estimates(0.01, 0.1, 9.0, 10), LEVEL).tolist() == [np.inf]

"""The units that observed differences would take, over sources of variation other than topics alone."""

import numpy as np
import pytest
from scipy.stats import nct, t

from irci.methods.compare.power import power
from irci.stats.estimates import Estimates
from irci.stats.power import topics_needed

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

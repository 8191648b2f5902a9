"""p and limits that agree: p no less than signs allow, and limits that are moved to 0 or not beyond it."""

import numpy as np
import pytest

from irci.stats.decisions import agreeing, no_less_than_p
from irci.stats.intervals import including_zero
from irci.stats.tests import no_less_than_signs, paired_t


def test_p_is_no_less_than_signs_allow() -> None:
    """Three differences of which one is larger by .0001: t's p is 4.4e-07, that of signs .25."""
    p = paired_t(np.array([[0.05, 0.05, 0.0501], [0.05, -0.04, 0.0501]]), 0.95).p
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


def test_adjusted_p_is_no_less_than_p() -> None:
    found = no_less_than_p(np.array([0.1, 0.04, 0.2, np.nan]), np.array([0.2, 0.03, np.nan, 0.1]))
    assert found[:3].tolist() == [0.2, 0.04, 0.2]
    assert np.isnan(found[3])


def test_below_six_topics_t_limits_reach_to_zero() -> None:
    """What signs cannot show at 5%, limits do not leave out; from six topics on they may."""
    for topics in range(2, 9):
        d = 0.05 + 0.001 * np.arange(topics)[np.newaxis]
        found = paired_t(d, 0.95)
        p, binds = no_less_than_signs(found.p, topics)
        assert binds[0]
        lower, upper = including_zero((found.lower, found.upper), binds & (p > 0.05))
        assert found.lower[0] > 0 or topics == 2
        assert (lower[0] > 0) == (p[0] <= 0.05) == (topics >= 6)
        assert upper[0] == found.upper[0]


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

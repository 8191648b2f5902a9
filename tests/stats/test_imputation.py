"""Several completed data sets as one: Rubin's rules by hand."""

import numpy as np
import pytest
from scipy import stats

from irci.stats.imputation import combined


def test_against_the_rules_written_out() -> None:
    """Three data sets of two estimates; of one nothing varies between them."""
    values = np.array([[0.10, 0.2], [0.16, 0.2], [0.13, 0.2]])
    errors = np.array([[0.03, 0.1], [0.05, 0.1], [0.04, 0.1]])
    found = combined(values, errors, np.array([20, 20]))
    within = (0.0009 + 0.0025 + 0.0016) / 3
    between = (0.03**2 + 0.03**2 + 0) / 2 * (4 / 3)
    df = 2 * (1 + within / between) ** 2
    assert found.value.tolist() == pytest.approx([0.13, 0.2])
    assert found.error.tolist() == pytest.approx([(within + between) ** 0.5, 0.1])
    assert found.df.tolist() == pytest.approx([df, 19])
    assert df < 19
    assert found.p()[0] == pytest.approx(2 * stats.t.sf(0.13 / (within + between) ** 0.5, df))


def test_degrees_of_freedom_are_no_more_than_those_of_units() -> None:
    found = combined(np.array([[0.1], [0.1001]]), np.array([[0.1], [0.1]]), np.array([9]))
    assert found.df.tolist() == [8]


def test_one_data_set_is_itself() -> None:
    found = combined(np.array([[0.1]]), np.array([[0.02]]), np.array([7]))
    assert (found.value.tolist(), found.error.tolist(), found.df.tolist()) == ([0.1], pytest.approx([0.02]), [6])


def test_nothing_varies_within_data_sets() -> None:
    """The imputations are the units then."""
    found = combined(np.array([[0.1], [0.3], [0.2]]), np.zeros((3, 1)), np.array([30]))
    assert found.df.tolist() == [2]
    assert found.error.tolist() == pytest.approx([(0.01 * 4 / 3) ** 0.5])

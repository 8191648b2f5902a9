"""Welch's F with permuted labels, against the specification's example, statsmodels, and a plain transcription."""

import numpy as np
import pytest
from naive_slices import FIRST, SECOND, exact_p
from scipy.stats import f as f_distribution
from statsmodels.stats.oneway import anova_oneway

from irci.stats.anova import interaction, is_exact


def test_the_worked_example() -> None:
    found = interaction(np.array([FIRST + SECOND]), np.repeat([0, 1], 5))
    assert found.f[0] == pytest.approx(41.490, abs=5e-4)
    assert found.df1[0] == 1
    assert found.df2[0] == pytest.approx(7.075, abs=5e-4)
    assert f_distribution.sf(found.f[0], found.df1[0], found.df2[0]) == pytest.approx(0.00034, abs=5e-6)
    assert found.p[0] == pytest.approx(2 / 252)


@pytest.mark.parametrize("sizes", [(5, 7), (5, 5, 9), (5, 30, 8, 6)])
def test_f_is_that_of_statsmodels(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(sizes))
    place = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    differences = rng.normal(0.1 * place, 0.1 + 0.2 * (place == 0), (4, len(place)))
    found = interaction(differences, place, resamples=64)
    for row, f, p_by in zip(differences, found.f, f_distribution.sf(found.f, found.df1, found.df2), strict=True):
        expected = anova_oneway([row[place == group] for group in range(len(sizes))], use_var="unequal")
        assert f == pytest.approx(expected.statistic, rel=1e-9)
        assert p_by == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("values", [
    [.1, .2, .3, .15, .4, .1, .05, .3], [0, 0, 0, 0, .5, 0, .5, 0], [.2] * 8, [1, 1, 1, 1, 0, 0, 0, 0], [0] * 8,
])  # fmt: skip
@pytest.mark.parametrize("place", [[0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 1, 1, 0, 1], [2, 2, 0, 1, 0, 1, 2, 0]])
def test_exact_p_is_that_of_every_arrangement(values: list[float], place: list[int]) -> None:
    found = interaction(np.array([values], float), np.array(place))
    assert found.p[0] == pytest.approx(exact_p(values, place), abs=1e-12)


def test_drawn_arrangements_come_near_all_of_them() -> None:
    """Within four Monte-Carlo errors, and the same for a pair whoever is beside it, by however many threads."""
    rng = np.random.default_rng(3)
    place = np.repeat([0, 1], (5, 6))
    differences = rng.normal(0.12 * place, 0.1, (6, 11))
    every = interaction(differences, place, resamples=462).p
    assert is_exact(np.array([5, 6]), 462)
    drawn = interaction(differences, place, resamples=461, threads=2).p
    assert (np.abs(drawn - every) < 4 * np.sqrt(every * (1 - every) / 461) + 1 / 462).all()
    assert interaction(differences[2:3], place, resamples=461).p == drawn[2:3]


def test_a_slice_of_zeros_does_not_prove_that_gains_differ() -> None:
    """Five zeros beside 45 gains: their own variance, 0, made F as large as there are digits, and p 2 in 10,001."""
    others = np.random.default_rng(1).normal(0.02, 0.1, 45)
    place = np.repeat([0, 1], (5, 45))
    assert interaction(np.array([[0.0] * 5 + others.tolist()]), place).p[0] > 0.5
    assert interaction(np.array([[0.0] * 5 + (others + 0.15).tolist()]), place).p[0] < 0.05

"""Boundaries of several looks against published ones, the plain trapezoid rule, and experiments that are stopped by them."""

import math

import numpy as np
import pytest
from scipy import stats

from irci.stats.power import levels_of_many, looks_at

LOOKS = [(20, 40, 60, 80, 100), (10, 25, 50), (99, 100), (50,)]


def naive_boundaries(sizes: tuple[int, ...], alpha: float, points: int = 4001) -> list[float]:
    """Normal boundaries by the trapezoid rule on so many points, and bisection."""
    shares, found = [size / sizes[-1] for size in sizes], list[float]()
    spent = [4 * stats.norm.sf(stats.norm.ppf(1 - alpha / 4) / math.sqrt(share)) for share in shares]
    x, weighted, before, already = np.zeros(1), np.ones(1), 0.0, 0.0
    for share, due in zip(shares, spent, strict=True):
        sd, root = math.sqrt(share - before), math.sqrt(share)
        low, high = 0.0, 40.0
        for _ in range(100):
            z = (low + high) / 2
            leaves = weighted @ (stats.norm.sf((z * root - x) / sd) + stats.norm.cdf((-z * root - x) / sd))
            low, high = (z, high) if leaves > due - already else (low, z)
        found.append(low)
        new = np.linspace(-low * root, low * root, points)
        density = np.array(
            [stats.norm.pdf(some, x[:, np.newaxis], sd).T @ weighted for some in np.split(new, [2000])], object
        )
        weighted = np.concatenate(density) * np.gradient(new)
        weighted[[0, -1]] /= 2 if points > 1 else 1
        x, before, already = new, share, due
    return found


@pytest.mark.parametrize(("sizes", "boundary"), [
    ((20, 40, 60, 80, 100), (4.8769, 3.3570, 2.6803, 2.2898, 2.0310)), ((10, 25, 50), (4.8769, 2.9626, 1.9686)),
    ((1,), (1.9600,)),
])  # fmt: skip
def test_boundaries_are_those_published(sizes: tuple[int, ...], boundary: tuple[float, ...]) -> None:
    assert looks_at(sizes, 0.05).boundary == pytest.approx(boundary, abs=5.1e-5)


@pytest.mark.check
@pytest.mark.parametrize("sizes", LOOKS)
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_boundaries_are_those_of_the_trapezoid_rule(sizes: tuple[int, ...], alpha: float) -> None:
    assert looks_at(sizes, alpha).boundary == pytest.approx(naive_boundaries(sizes, alpha), abs=2e-5)


@pytest.mark.parametrize("sizes", [*LOOKS, (10, 5000), tuple(range(10, 101, 3))])
def test_levels_are_those_of_the_boundaries(sizes: tuple[int, ...]) -> None:
    looks = looks_at(sizes, 0.05)
    assert looks.level == pytest.approx(2 * stats.norm.sf(looks.boundary), rel=1e-9)


@pytest.mark.check
def test_holms_p_of_several_tests_is_held_to_what_bonferroni_allows() -> None:
    """Each of m tests that are left is held to alpha / m over all looks, and one alone to all of alpha."""
    sizes = (10, 25, 50, 75, 100)
    for tests in (1, 2, 3, 15, 100):
        level = levels_of_many(sizes, 0.05, tests)
        for left in range(1, tests + 1):
            assert (level <= left * looks_at(sizes, 0.05 / left).level * (1 + 0.005)).all()
        assert (level <= tests * looks_at(sizes, 0.05 / tests).level).all()

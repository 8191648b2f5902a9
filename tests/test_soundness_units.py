"""How often t tests at .05 reject on 3 to 10 units (clusters, collections, topics) whose differences have mean 0: normal,
skewed, or mostly small with a few large ones; and how often they do if p is no less than signs of so many units allow.

As a script it prints a table of doc/trust.md: PYTHONPATH=tests python tests/test_soundness_units.py. Asserted is what theory
says.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest

from irci.stats.tests import constant_difference_p, no_less_than_signs, paired_t

pytestmark = pytest.mark.slow

Law = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
EXPERIMENTS = 100_000
UNITS = (3, 4, 5, 6, 8, 10)
LAWS: dict[str, Law] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "uniform": lambda rng, shape: rng.uniform(-1, 1, shape),
    "t with 3 degrees of freedom": lambda rng, shape: rng.standard_t(3, shape),
    "in steps, of which 70% are 0": lambda rng, shape: rng.choice([-1.0, 0.0, 1.0], shape, p=[0.15, 0.7, 0.15]),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1,
    "lognormal": lambda rng, shape: rng.lognormal(size=shape) - math.exp(0.5),
    "one in ten .9, the others about -.1": lambda rng, shape: (
        np.where(rng.random(shape) < 0.1, 0.9, -0.1) + rng.normal(0, 0.01, shape)
    ),
}


def rejections(law: str, units: int) -> tuple[float, float]:
    """Shares of experiments in which p is at most .05: by t (or signs, where nothing varies), and no less than signs allow."""
    rng = np.random.default_rng([units, list(LAWS).index(law)])
    differences = LAWS[law](rng, (EXPERIMENTS, units))
    by_signs = constant_difference_p(differences)
    p = np.where(np.isnan(by_signs), paired_t(differences, 0.95).p, by_signs)
    held, _ = no_less_than_signs(p, units)
    return float((p <= 0.05).mean()), float((held <= 0.05).mean())


@pytest.mark.parametrize("units", UNITS)
def test_t_of_normal_differences_errs_as_often_as_it_says(units: int) -> None:
    found, held = rejections("normal", units)
    assert found == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / EXPERIMENTS))
    assert held == (0 if units < 6 else found)


@pytest.mark.parametrize("units", UNITS)
def test_rare_large_differences_that_are_missed(units: int) -> None:
    """If none of n units has the large difference, all others are losses of about .1: t rejects, so that it errs in .9^n of
    experiments, or a few more; signs allow that from 6 units on."""
    found, held = rejections("one in ten .9, the others about -.1", units)
    missed = 0.9**units
    assert found > missed - 4 * math.sqrt(missed * (1 - missed) / EXPERIMENTS)
    assert held == (0 if units < 6 else found)


def main() -> None:
    """The table."""
    print("| differences | " + " | ".join(f"{units} units" for units in UNITS) + " |")
    print("|---|" + "---|" * len(UNITS))
    for law in LAWS:
        print(f"| {law} | " + " | ".join(f"{100 * rejections(law, units)[0]:.1f}" for units in UNITS) + " |")


if __name__ == "__main__":
    main()

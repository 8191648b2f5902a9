"""Verdicts of other sources on claims, and p that all of them agree: by definition, and how often both err."""

import numpy as np
import pytest

from irci.stats.decisions import Told, p_of_all, survival

NAN = float("nan")


def told(value: list[float], p: list[float], p_adjusted: list[float] | None = None) -> Told:
    return Told(np.array(value), np.array(p), np.array(p if p_adjusted is None else p_adjusted))


def test_verdicts() -> None:
    """Sign and p_adjusted decide; nothing is told of a difference of 0, and of none."""
    claimed = np.array([0.1, 0.1, -0.1, -0.1, 0.1, 0.1, 0.1, -0.2])
    other = told(
        [0.2, 0.1, 0.1, 0.2, 0.0, NAN, 0.1, -0.1], [0.001, 0.04, 0.4, 0.01, 1, NAN, NAN, 0.05],
        [0.01, 0.06, 0.9, 0.05, 1, NAN, NAN, 0.05],
    )  # fmt: skip
    assert survival(claimed, other, 0.05) == [
        "confirmed", "not confirmed", "not confirmed", "reversed", *["not testable"] * 3, "confirmed",
    ]  # fmt: skip


def test_p_of_all() -> None:
    """The largest p, 1 where a sign differs, by Holm over pairs; sources that tell nothing are left out."""
    claimed = np.array([0.1, 0.1, -0.1, 0.1])
    topics = told([0.1, 0.1, -0.1, 0.1], [0.001, 0.002, 0.003, 0.004])
    second = told([0.2, -0.1, -0.2, NAN], [0.01, 0.5, NAN, NAN])
    third = told([0.1, 0.1, -0.1, NAN], [0.0, 0.0, 0.0, NAN])
    by_hand = [3 * 0.01, 1.0, 4 * 0.003, NAN]  # of four pairs, the last one of which has no p
    assert p_of_all(claimed, [topics, second, third]) == pytest.approx(by_hand, nan_ok=True)


def test_a_source_given_twice_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    value, p = rng.normal(0.1, 0.1, (2, 30)), rng.uniform(0, 0.2, (2, 30))
    sources = [Told(each, of, of) for each, of in zip(value, p, strict=True)]
    once, twice = (p_of_all(value[0], [*sources, *sources[:more]]) for more in (0, 2))
    assert once.tolist() == twice.tolist()

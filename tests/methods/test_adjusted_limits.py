"""Adjusted limits against a loop over pairs, never a contradiction with p, and how often any limit misses."""

import math
from typing import Any

import numpy as np
import pytest
from helpers import keys
from scipy import stats

from irci.base.types import all_pairs
from irci.estimators.differences import adjusted_limits, over_topics
from irci.estimators.means import Design, of_differences, on_scale
from irci.stats.bounded import bounded_limits, few_differ
from irci.stats.decisions import agreeing, no_less_than_p, separated
from irci.stats.intervals import Interval
from irci.stats.signs import Layer, stacked

UNIT = (0.0, 1.0)


def limits_of(values: np.ndarray, **design: Any) -> tuple[Any, np.ndarray, Interval]:
    """All pairs of runs with values[m, T] between 0 and 1: each by itself, p adjusted by max-T, adjusted limits."""
    pairs, of_topics = all_pairs(len(values)), keys(values.shape[1])
    tested = over_topics(values, pairs, of_topics, Design(**design), ends=UNIT)
    p = no_less_than_p(stacked([Layer(values, pairs)], of_topics, resamples=499)[0].p, tested.p)
    confidence = 1 - 0.05 / len(pairs)
    alone = over_topics(values, pairs, of_topics, Design(confidence=confidence, **design), ends=UNIT).limits
    units = [(np.arange(len(pairs)), values[pairs[:, 0]] - values[pairs[:, 1]], None)]
    limits = adjusted_limits(tested, alone, units, UNIT, confidence)
    return tested, p, on_scale(agreeing(limits, tested.of.value, p, 0.95), of_differences(UNIT))


def by_loop(values: np.ndarray, tested: Any, p: np.ndarray) -> list[list[float]]:
    """The definition, pair by pair."""
    result = []
    pairs = all_pairs(len(values))
    for place, (run, other) in enumerate(pairs):
        d = values[run] - values[other]
        n = len(d)
        q, error = stats.t.ppf(1 - 0.05 / 2 / len(pairs), n - 1), d.std(ddof=1) / math.sqrt(n)
        lower, upper = d.mean() - q * error, d.mean() + q * error
        if few_differ(d[np.newaxis])[0] or tested.interval[place] == "bounded":
            lower, upper = (each.item() for each in bounded_limits(d[np.newaxis], -1.0, 1.0, 0.05 / len(pairs)))
            lower = min(lower, max(tested.limits[0][place], -1))
            upper = max(upper, min(tested.limits[1][place], 1))
        else:
            a = stats.skew(d) / math.sqrt(n)
            h = [3 / a * (np.cbrt(1 + a * (side - a / 6)) - 1) for side in (q, -q)]
            lower, upper = min(lower, d.mean() - error * h[0]), max(upper, d.mean() - error * h[1])
        if p[place] > 0.05:
            lower, upper = min(lower, 0.0), max(upper, 0.0)
        elif d.mean() > 0:
            lower = max(lower, 0.0)
        else:
            upper = min(upper, 0.0)
        result.append([max(lower, -1.0), min(upper, 1.0)])
    return result


@pytest.mark.parametrize("topics", [4, 9, 14, 40])
def test_limits_are_those_of_the_plain_definition(topics: int) -> None:
    rng = np.random.default_rng(topics)
    values = rng.beta(1, 3, topics) + rng.normal(0, 0.1, (5, topics)) + np.linspace(0, 0.3, 5)[:, np.newaxis]
    values[1, :-3], values[2, 7:] = values[0, :-3], values[3, 7:]
    values[4] = values[3] + 0.05
    values = np.clip(values, 0.001 * np.arange(topics), 1 - 0.001 * np.arange(topics))
    tested, p, limits = limits_of(values)
    assert np.column_stack(limits) == pytest.approx(np.array(by_loop(values, tested, p)), rel=1e-9, abs=1e-12)
    assert few_differ(values[:1] - values[1:2])[0] or topics == 4


def family(rng: np.random.Generator, runs: int, topics: int) -> np.ndarray:
    """Scores[runs, topics] of a random kind: coarse or fine, far apart or alike, skewed, with near copies, with shifts."""
    scores = rng.beta(1, 3, topics) + rng.normal(0, rng.choice([0.02, 0.2]), (runs, 1))
    scores = scores + rng.choice([0.01, 0.1, 0.3]) * rng.standard_t(3, (runs, topics))
    for run in range(1, runs):
        kind = rng.integers(5)
        if kind < 2:
            changed = rng.random(topics) < rng.choice([0.1, 0.5, 1.0])
            scores[run] = scores[0] + changed * rng.exponential(0.1, topics) * rng.choice([-1, 1])
        elif kind == 2:
            scores[run] = scores[0] + rng.choice([0, 0.05])
    return np.clip(scores, 0, 1).round(rng.choice([1, 2, 12]))


@pytest.mark.parametrize(
    "families", [100, pytest.param(2000, marks=pytest.mark.check), pytest.param(20_000, marks=pytest.mark.slow)]
)
def test_limits_and_adjusted_p_never_contradict_each_other(families: int) -> None:
    rng = np.random.default_rng(families)
    seen = np.zeros(3, np.int64)
    for _ in range(families):
        values = family(rng, int(rng.integers(2, 6)), int(rng.integers(2, 30)))
        tested, p, (lower, upper) = limits_of(values)
        d = tested.of.value
        is_apart, known = separated(p, 0.05), ~np.isnan(lower)
        assert known.all()
        assert (np.where(d > 0, lower >= 0, upper <= 0)[is_apart]).all()
        assert ((lower <= 0) & (upper >= 0))[~is_apart].all()
        assert (np.maximum(lower, -1) <= d + 1e-12).all()
        assert (d <= upper + 1e-12).all()
        pairs = all_pairs(len(values))
        few = few_differ(values[pairs[:, 0]] - values[pairs[:, 1]])
        seen += [is_apart.sum(), (is_apart & (lower * upper == 0)).sum(), (few & is_apart).sum()]
    assert (seen[:2] > 0).all()

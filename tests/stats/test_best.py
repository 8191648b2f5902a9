"""The best of many runs: the worked example, a plain version by all signs, edges, and how often limits hold."""

import itertools
import math

import naive_inference
import numpy as np
import pytest
from helpers import keys
from scipy import stats

from irci.bootstrap.topics import topic_counts
from irci.kernels.topics import AT_ONCE
from irci.stats.best import corrected_mean, errors_below, largest_signed, lower_limit, tied_with_best
from irci.stats.bounded import bounded_limits, lead_needs_bounds
from irci.stats.decisions import critical_value
from irci.stats.signs import topic_signs

THREE = np.array([
    [0.61, 0.48, 0.75, 0.33, 0.52, 0.67, 0.41, 0.58, 0.70, 0.45, 0.55, 0.62],
    [0.58, 0.50, 0.69, 0.30, 0.55, 0.60, 0.44, 0.49, 0.66, 0.47, 0.51, 0.57],
    [0.40, 0.52, 0.71, 0.35, 0.31, 0.66, 0.38, 0.53, 0.49, 0.39, 0.50, 0.48],
])  # fmt: skip
EVERY = 2**12
UNIT = (0.0, 1.0)


def test_three_runs_by_hand() -> None:
    """The example of three runs on 12 topics, by all 4096 signs."""
    signs = topic_signs(keys(12), EVERY, 1)
    assert tied_with_best(THREE.mean(axis=1)).tolist() == [0]
    maxima = largest_signed(THREE, signs)
    assert len(maxima) == 4096
    assert np.sort(maxima)[::-1][math.floor(0.025 * 4096) - 1] == pytest.approx(2.1496, abs=5e-5)
    assert errors_below(THREE, signs, 0.05) == pytest.approx(2.6244, abs=5e-5)
    assert lower_limit(THREE, 0, signs, 0.05, ends=None) == pytest.approx(0.4617, abs=5e-5)
    assert lower_limit(THREE, 0, signs, 0.05, ends=UNIT) == pytest.approx(0.3854, abs=5e-5)
    drawn = np.array([2, 0, 2, 0, 0, 1, 0, 2, 2, 0, 2, 1])
    counts = np.column_stack((drawn, 2 - drawn, np.ones(12), np.ones(12))).astype(np.int32)
    assert corrected_mean(THREE, 0, counts) == pytest.approx(0.5490, abs=5e-5)


def naive_width(scores: np.ndarray, alpha: float) -> float:
    """W once more, every assignment of signs gone through."""
    topics = scores.shape[1]
    rows = [(row - row.mean()).tolist() for row in scores if np.ptp(row) > 0]
    lengths = [math.sqrt(math.fsum(c * c for c in row)) for row in rows]
    largest = [
        max(np.dot(signs, row) / length for row, length in zip(rows, lengths, strict=True))
        for signs in naive_inference.sign_vectors(topics)
    ]  # fmt: skip
    place = math.floor(alpha / 2 * 2**topics + 1e-9) - 1
    alone = stats.t.ppf(1 - alpha / 2, topics - 1)
    c = sorted(largest, reverse=True)[place] if place >= 0 else math.inf
    if c * c >= topics:
        return float(stats.t.ppf(1 - alpha / 2 / len(scores), topics - 1))
    return max(c * math.sqrt((topics - 1) / (topics - c * c)), alone)


@pytest.mark.parametrize(
    ("runs", "topics", "alpha"), [(2, 3, 0.05), (4, 5, 0.05), (5, 7, 0.2), (3, 9, 0.05), (6, 9, 0.1)]
)
def test_width_against_enumeration(runs: int, topics: int, alpha: float) -> None:
    rng = np.random.default_rng([runs, topics])
    scores = np.vstack((rng.beta(1, 3, (runs, topics)).round(2), np.full(topics, 0.5)))
    signs = topic_signs(keys(topics), EVERY, 1)
    assert errors_below(scores, signs, alpha) == pytest.approx(naive_width(scores, alpha), rel=1e-9)


def test_drawn_signs_against_all() -> None:
    """12 topics: signs at random, in several blocks, against all 4096, within Monte-Carlo error of the share above."""
    scores = np.random.default_rng(5).beta(1, 2, (6, 12))
    every = largest_signed(scores, topic_signs(keys(12), EVERY, 1))
    signs = topic_signs(keys(12), EVERY - 1, 1)
    assert signs.number > 3 * AT_ONCE
    drawn = largest_signed(scores, signs)
    critical = critical_value(drawn, 0.025, exact=False)
    assert abs((every > critical).mean() - 0.025) < 4 * math.sqrt(0.025 * 0.975 / len(drawn)) + 1 / len(drawn)


def test_one_run_is_no_selection() -> None:
    """The best of one, tried alone: t's limit; a run cannot flatter itself."""
    one = THREE[:1]
    signs = topic_signs(keys(12), EVERY, 1)
    t = stats.t.interval(0.95, 11, one.mean(), stats.sem(one[0]))
    assert lower_limit(one, 0, signs, 0.05, ends=None, tried=1) == pytest.approx(t[0])
    assert corrected_mean(one, 0, topic_counts(12, 500, 1)) == one.mean()


def test_more_tried_than_there_are() -> None:
    """Bonferroni's t for so many, or the bounded limit for so many: always lower the more were tried."""
    signs = topic_signs(keys(12), EVERY, 1)
    before = 1.0
    for tried in (3, 10, 1000):
        found = lower_limit(THREE, 0, signs, 0.05, ends=None, tried=tried)
        error = stats.sem(THREE[0])
        assert found == pytest.approx(THREE[0].mean() - stats.t.ppf(1 - 0.025 / tried, 11) * error)
        bounded = bounded_limits(THREE[:1], 0.0, 1.0, 0.05 / tried)[0].item()
        assert lower_limit(THREE, 0, signs, 0.05, ends=UNIT, tried=tried) == min(found, bounded)
        assert found < before
        before = found


def test_edges() -> None:
    """Constant scores, one topic, ties; a run of zeros is nobody's rival; and what is added to all is added to limits."""
    signs = topic_signs(keys(12), EVERY, 1)
    perfect = np.vstack((np.ones(12), THREE))
    assert math.isnan(lower_limit(perfect, 0, signs, 0.05, ends=None))
    assert lower_limit(perfect, 0, signs, 0.05, ends=UNIT) == bounded_limits(perfect[:1], 0, 1, 0.05 / 4)[0].item()
    assert errors_below(np.vstack((THREE, np.zeros(12))), signs, 0.05) == errors_below(THREE, signs, 0.05)
    for ends in (None, UNIT):
        assert math.isnan(lower_limit(THREE[:, :1], 0, topic_signs(keys(1), 2, 1), 0.05, ends=ends))
    assert tied_with_best(np.array([0.2, 0.3, 0.3 + 1e-13, 0.3 - 1e-9])).tolist() == [1, 2]
    moved = lower_limit(THREE + 3, 0, signs, 0.05, ends=None)
    assert moved == pytest.approx(3 + lower_limit(THREE, 0, signs, 0.05, ends=None), abs=1e-12)
    assert errors_below(THREE[::-1], signs, 0.05) == pytest.approx(errors_below(THREE, signs, 0.05), rel=1e-12)


def test_correction_against_all_resamples() -> None:
    """Four topics, all 256 equally likely draws: the correction from the definition; and drawn ones come near."""
    scores = np.random.default_rng(3).random((3, 4)).round(2)
    means, place = scores.mean(axis=1), int(scores.mean(axis=1).argmax())
    flattery, counts = [], []
    for drawn in itertools.product(range(4), repeat=4):
        resampled = scores[:, drawn].mean(axis=1)
        tied = [run for run in range(3) if resampled[run] > resampled.max() - 1e-9]
        flattery.append(float(np.mean([resampled[run] - means[run] for run in tied])))
        counts.append(np.bincount(drawn, minlength=4))
    found = corrected_mean(scores, place, np.array(counts, np.int32).T.copy())
    assert found == pytest.approx(means[place] - np.mean(flattery), abs=1e-12)
    near = corrected_mean(scores, place, topic_counts(4, 20_000, 1))
    assert abs(near - found) < 4.5 * np.std(flattery) / math.sqrt(20_000)


def picked(rng: np.random.Generator, law: str, runs: int, topics: int) -> np.ndarray:
    """Scores of equal runs, whose mean is .5, or .9 of hits."""
    if law == "hits":
        return (rng.random((runs, topics)) < 0.9).astype(float)
    return rng.beta(1, 1, (runs, topics))


def near_the_top(rng: np.random.Generator, law: str, runs: int, topics: int) -> np.ndarray:
    """Scores of equal runs near 1, but for rare low ones, of mean .941 or 3/3.15."""
    if law == "beta":
        return rng.beta(3, 0.15, (runs, topics))
    rare = rng.random((runs, topics)) < 0.1
    return np.where(rare, rng.uniform(0, 1, (runs, topics)), rng.uniform(0.98, 1, (runs, topics)))


@pytest.mark.parametrize(("law", "mean", "topics"), [("rare", 0.941, 25), ("beta", 3 / 3.15, 60)])
def test_a_lead_near_the_top_needs_bounds(law: str, mean: float, topics: int) -> None:
    """Of 20 equal runs the best is one whose rare low scores were not seen: its lead over a baseline that hardly varies misses
    the truth far too often without bounded limits, and not with them."""
    experiments, missed, missed_without = 40, 0, 0
    for experiment in range(experiments):
        rng = np.random.default_rng([experiment, topics])
        scores, baseline = near_the_top(rng, law, 20, topics), rng.uniform(0.4, 0.6, topics)
        place = int(scores.mean(axis=1).argmax())
        assert lead_needs_bounds(scores[place], *UNIT)
        lead, signs = scores - baseline, topic_signs(keys(topics), 1000, experiment)
        missed += lower_limit(lead, place, signs, 0.05, ends=(-1.0, 1.0)) > mean - 0.5
        missed_without += lower_limit(lead, place, signs, 0.05, ends=None) > mean - 0.5
    assert missed / experiments < 0.025 + 2.6 * math.sqrt(0.025 * 0.975 / experiments)
    assert missed_without / experiments > 0.025 + 2.6 * math.sqrt(0.025 * 0.975 / experiments)


def test_ordinary_leads_need_no_bounds() -> None:
    """Scores all over the scale, or low ones; few topics, or scores that hardly vary, do."""
    rng = np.random.default_rng(2)
    for scores in (rng.beta(1, 2.5, 50), rng.random(50), rng.beta(3, 2, 25)):
        assert not lead_needs_bounds(scores, *UNIT)
        assert not lead_needs_bounds(100 * scores, 0, 100)
        assert lead_needs_bounds(scores[:10], *UNIT)
        assert lead_needs_bounds(0.5 + scores / 30, *UNIT)


@pytest.mark.slow
@pytest.mark.parametrize(("law", "mean"), [("independent", 0.5), ("hits", 0.9)])
def test_limits_of_the_best_hold(law: str, mean: float) -> None:
    """The best of 20 equal runs on 50 topics: t alone misses in four of ten experiments or more, where these limits hold in no
    fewer than they say; and the same of its lead over another such run. Of hits the best run is often one of ones, which only
    bounded limits are right for."""
    experiments, held, by_t, without, lead_held, lead_by_t = 400, 0, 0, 0, 0, 0
    corrected, values = [], []
    for experiment in range(experiments):
        *scores, baseline = picked(np.random.default_rng([experiment, law == "hits"]), law, 21, 50)
        scores = np.array(scores)
        place = tied_with_best(scores.mean(axis=1))[0]
        signs = topic_signs(keys(50), 2000, experiment)
        reach = stats.t.ppf(0.975, 49) * stats.sem(scores[place])
        value = scores[place].mean()
        upper = bounded_limits(scores[[place]], 0, 1, 0.05)[1].item() if law == "hits" else value + reach
        held += lower_limit(scores, place, signs, 0.05, ends=UNIT) <= mean <= upper
        without += not (lower_limit(scores, place, signs, 0.05, ends=None) <= mean)
        by_t += value - reach <= mean <= value + reach
        lead = scores - baseline
        d, own = lead[place].mean(), stats.t.ppf(0.975, 49) * stats.sem(lead[place])
        ends = (-1.0, 1.0) if lead_needs_bounds(scores[place], *UNIT) else None
        lead_held += lower_limit(lead, place, signs, 0.05, ends=ends) <= 0 <= d + own
        lead_by_t += d - own <= 0 <= d + own
        values.append(value)
        corrected.append(corrected_mean(scores, place, topic_counts(50, 500, experiment)))
    error = math.sqrt(0.05 * 0.95 / experiments)
    assert held / experiments > 0.95 - 2.6 * error
    assert by_t / experiments < 0.75
    assert lead_held / experiments > 0.95 - 2.6 * error
    assert lead_by_t / experiments < 0.85
    assert (without / experiments > 0.1) == (law == "hits")
    # Half of what picking adds is left where scores are near an end, less elsewhere.
    assert abs(np.mean(corrected) - mean) < 0.75 * (np.mean(values) - mean)

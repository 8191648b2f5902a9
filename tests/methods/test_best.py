"""The best of many runs: the worked example, edges, and how often limits hold."""

import itertools
import math

import numpy as np
import pytest
from helpers import keys
from scipy import stats

from irci.base.types import Ends
from irci.estimators.best import Best, best_mean, corrected_mean, limits_of_lead, lower_limit_of_lead, tied_with_best
from irci.estimators.differences import over_topics
from irci.estimators.joint_resamples import topic_counts
from irci.estimators.means import Design
from irci.stats.bounded import bounded_limits
from irci.stats.tests import adjusted

THREE = np.array([
    [0.61, 0.48, 0.75, 0.33, 0.52, 0.67, 0.41, 0.58, 0.70, 0.45, 0.55, 0.62],
    [0.58, 0.50, 0.69, 0.30, 0.55, 0.60, 0.44, 0.49, 0.66, 0.47, 0.51, 0.57],
    [0.40, 0.52, 0.71, 0.35, 0.31, 0.66, 0.38, 0.53, 0.49, 0.39, 0.50, 0.48],
])  # fmt: skip
UNIT = (0.0, 1.0)


def best_of(scores: np.ndarray, ends: Ends | None = UNIT) -> Best:
    """With t limits of each run by itself."""
    topics = scores.shape[1]
    reach = stats.t.isf(0.025, topics - 1) * stats.sem(scores, axis=1) if topics > 1 else np.full(len(scores), np.nan)
    limits = scores.mean(axis=1) - reach, scores.mean(axis=1) + reach
    return best_mean(scores, limits, keys(topics), Design(resamples=200, interval="t"), ends)


def best_lead(scores: np.ndarray, ends: Ends | None = UNIT) -> tuple[float, float]:
    """Limits of the largest difference from the first of runs with scores[k, n]."""
    pairs = np.array([(run, 0) for run in range(1, len(scores))])
    tested = over_topics(scores, pairs, keys(scores.shape[1]), Design(), ends=ends)
    differences = scores[1:] - scores[0]
    place = int(tied_with_best(differences.mean(axis=1))[0])
    lower = lower_limit_of_lead(tested, place, differences[place], len(pairs), Design(), ends)
    return limits_of_lead(tested, place, lower, adjusted(tested.p, "holm"), Design())


def test_three_runs_by_hand() -> None:
    """The example of three runs on 12 topics: the bounded limit at .05/6, and t's of the run by itself."""
    found = best_of(THREE)
    assert (found.place, found.tied, found.of) == (0, [0], 3)
    assert (found.lower, found.upper) == pytest.approx((0.3854, 0.6347), abs=5e-5)
    assert found.p == pytest.approx(0.0527, abs=5e-5)
    drawn = np.array([2, 0, 2, 0, 0, 1, 0, 2, 2, 0, 2, 1])
    counts = np.column_stack((drawn, 2 - drawn, np.ones(12), np.ones(12))).astype(np.int32)
    assert corrected_mean(THREE, 0, counts) == pytest.approx(0.5490, abs=5e-5)


def test_edges() -> None:
    """One run, a constant one, one topic, ties; a scale without ends has no lower limit."""
    one = best_of(THREE[:1])
    t = stats.t.interval(0.95, 11, THREE[0].mean(), stats.sem(THREE[0]))
    assert (one.lower, one.upper) == pytest.approx(t)
    assert one.corrected == one.value
    perfect = best_of(np.vstack((np.ones(12), THREE)))
    assert perfect.lower == pytest.approx(0.0125 ** (1 / 12), abs=1e-12)  # of four, the rule of three
    assert math.isnan(best_of(THREE, None).lower)
    assert best_of(THREE, None).upper == best_of(THREE).upper
    alone = best_of(THREE[:, :1])
    assert all(math.isnan(each) for each in (alone.lower, alone.upper, alone.corrected, alone.p))
    assert tied_with_best(np.array([0.2, 0.3, 0.3 + 1e-13, 0.3 - 1e-9])).tolist() == [1, 2]


def test_the_lead_over_a_baseline() -> None:
    """Bonferroni's t of the two others; where few topics differ no higher than the bounded limit; none without ends."""
    rng = np.random.default_rng(3)
    scores = rng.beta(2, 3, (3, 30))
    scores[1] = np.clip(scores[0] + rng.normal(0.05, 0.1, 30), 0, 1)
    lead = scores[1] - scores[0]
    lower, upper = best_lead(scores)
    value, error = lead.mean(), stats.sem(lead)
    assert value > (scores[2] - scores[0]).mean()
    assert lower == pytest.approx(value - stats.t.isf(0.0125, 29) * error)
    assert upper == pytest.approx(value + stats.t.isf(0.025, 29) * error)
    assert math.isnan(best_lead(scores, None)[0])
    assert best_lead(scores, None)[1] == upper
    scores[1] = scores[0] + np.where(np.arange(30) < 4, 0.3, 0) * (1 - scores[0])
    scores[2] = 0.9 * scores[0]
    lead = scores[1] - scores[0]
    bounded = bounded_limits(lead[np.newaxis], -1.0, 1.0, 0.025)[0].item()
    by_t = lead.mean() - stats.t.isf(0.0125, 29) * stats.sem(lead)
    assert bounded < by_t - 0.05 < 0
    assert best_lead(scores)[0] == pytest.approx(bounded)


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

"""Lambda in common of all runs against regression with an intercept for each run and topic, and how often limits then hold;
whether human topics are like the others, against scipy."""

import math

import numpy as np
import pytest
from scipy import stats

from irci.estimators.prediction_powered import BothScores, balance_p, pooled_slope

RUNS, HUMAN, OTHERS = 8, 12, 60


def drawn(seed: int, runs: int = RUNS, sees: float = 0.6) -> tuple[np.ndarray, np.ndarray]:
    """Scores of people and of a judge [runs, topics], who knows which topics are hard, and sees so much of the rest."""
    rng = np.random.default_rng(seed)
    topics = HUMAN + OTHERS
    level, own = (
        rng.normal(0.4, 0.15, topics),
        rng.normal(0, 0.1, (runs, topics)) + np.linspace(0, 0.1, runs)[:, np.newaxis],
    )
    return level + own, level + sees * own + rng.normal(0, 0.1, (runs, topics))


def by_regression(human: np.ndarray, judge: np.ndarray, *, topics: bool) -> float:
    """The coefficient of the judge's score beside an indicator for each run and, perhaps, topic."""
    runs, number = human.shape
    columns = [judge.ravel(), *np.repeat(np.eye(runs), number, axis=1)]
    columns += list(np.tile(np.eye(number), runs)) if topics else []
    return float(np.linalg.lstsq(np.column_stack(columns), human.ravel(), rcond=None)[0][0])


@pytest.mark.parametrize("of_pairs", [False, True])
@pytest.mark.parametrize("sees", [0.3, 0.8])
def test_the_slope_is_that_of_regression_on_runs_and_topics(of_pairs: bool, sees: float) -> None:
    human, judge = (each[:, :HUMAN] for each in drawn(1, sees=sees))
    expected = by_regression(human, judge, topics=of_pairs)
    assert 0 < expected < 1
    assert pooled_slope(human, judge, of_pairs=of_pairs) == pytest.approx(expected, rel=1e-10)


def test_topics_that_a_run_lacks_do_not_count() -> None:
    human, judge = (each[:, :HUMAN] for each in drawn(2))
    gappy, other = human.copy(), judge.copy()
    gappy[3, 2], other[0, 5] = np.nan, np.nan
    left = np.delete(np.arange(HUMAN), [2, 5])
    for of_pairs in (False, True):
        found = pooled_slope(gappy, other, of_pairs=of_pairs)
        assert found == pooled_slope(human[:, left], judge[:, left], of_pairs=of_pairs)


def test_the_slope_lies_between_nothing_and_trust() -> None:
    human, judge = (each[:, :HUMAN] for each in drawn(3))
    for of_pairs in (False, True):
        assert pooled_slope(human, human / 3, of_pairs=of_pairs) == 1
        assert pooled_slope(human, 1 - human, of_pairs=of_pairs) == 0
        assert pooled_slope(human, np.full_like(judge, 0.3), of_pairs=of_pairs) == 0
        assert pooled_slope(human[:4], judge[:4], of_pairs=of_pairs) is None
        assert pooled_slope(human[:5], judge[:5], of_pairs=of_pairs) is not None


def test_a_judge_blind_to_differences_counts_for_means_only() -> None:
    """He knows which topics are hard, and gives all runs the same, but for a constant and rounding."""
    human, _ = (each[:, :HUMAN] for each in drawn(4))
    blind = human.mean(axis=0) + np.arange(RUNS)[:, np.newaxis] / 10
    assert pooled_slope(human, blind, of_pairs=False) == pytest.approx(1)
    assert pooled_slope(human, blind, of_pairs=True) == 0


def test_human_topics_unlike_the_others_are_told_of() -> None:
    human, judge = drawn(5)
    scores = BothScores(human[:, :HUMAN], judge[:, :HUMAN], judge[:, HUMAN:])
    expected = stats.ttest_ind(scores.judge, scores.others, axis=1, equal_var=False).pvalue
    assert balance_p(scores) == pytest.approx(expected, rel=1e-9)
    same = BothScores(human[:, :HUMAN], np.full((RUNS, HUMAN), 0.5), np.full((RUNS, OTHERS), 0.5))
    assert balance_p(same).tolist() == [1] * RUNS
    assert np.isnan(balance_p(BothScores(human[:, :HUMAN], judge[:, :HUMAN], judge[:, HUMAN : HUMAN + 1]))).all()


def test_slopes_of_copies_or_of_too_few_topics_cannot_be_told() -> None:
    """Copies, but for rounding, of 4 runs are 4 runs; a topic by itself has no slope."""
    human, judge = (each[:, :HUMAN] for each in drawn(7))
    for of_pairs in (False, True):
        copies = [np.vstack((each[:4], each[:4] * (1 + 3e-16))) for each in (human, judge)]
        assert pooled_slope(*copies, of_pairs=of_pairs) is None
        assert pooled_slope(copies[0], np.vstack((judge[:4], judge[4:])), of_pairs=of_pairs) is not None
        for common in (0, 1, 2):
            gappy = human.copy()
            gappy[0, common:6], gappy[1, 6:] = np.nan, np.nan
            assert (pooled_slope(gappy, judge, of_pairs=of_pairs) is None) == (common < 2)


def test_balance_of_a_judge_who_does_not_vary() -> None:
    """.3 on all topics is balanced, whatever its sum's rounding; 1 on human topics and 0 elsewhere has the p of permutations,
    and one more 1 elsewhere, whose t would say far less, no smaller one."""
    rounding = np.full((1, 12), 0.3), np.full((1, 38), 0.3)
    assert np.ptp([each.mean() for each in rounding]) > 0
    assert balance_p(BothScores(rounding[0], *rounding)).tolist() == [1]
    least = 1 / math.comb(62, 12)
    for others in (np.zeros(50), np.r_[1, np.zeros(49)]):
        found = balance_p(BothScores(np.ones((1, 12)), np.ones((1, 12)), others[np.newaxis]))
        assert found == pytest.approx(least, rel=1e-9, abs=0)
    four = BothScores(np.zeros((1, 4)), np.array([[0.1, 0.11, 0.1, 0.11]]), np.array([[0.9, 0.91, 0.9, 0.9]]))
    assert balance_p(four)[0] == pytest.approx(1 / 70)

"""When limits are bounded: few topics that differ, scores at the ends of the scale, against the definitions, case by case."""

from collections import Counter

import numpy as np

from irci.estimators.means import all_at_ends, differences_due
from irci.stats.bounded import at_ends, mean_needs_bounds, nearly_constant


def test_scores_at_the_ends() -> None:
    rows = np.array([[0, 1, 1], [0, 1e-12, 1], [0, 0.5, 1], [0, 0, 0]])
    assert at_ends(rows, 0, 1).tolist() == [True, True, False, True]
    assert at_ends(rows, 0, 2).tolist() == [False, False, False, True]


def plainly_nearly_constant(scores: list[float], low: float, high: float) -> bool:
    most_frequent = Counter(scores).most_common(1)[0][1]
    far = sum(abs(score - float(np.median(scores))) > 0.05 * (high - low) for score in scores)
    return len(scores) - most_frequent < 10 or far < 10


def test_nearly_constant() -> None:
    """Rows with so many other scores, far and near, of a few to more topics, against the definition."""
    generator = np.random.default_rng(4)
    found = []
    for n in (1, 9, 10, 11, 12, 19, 20, 21, 40):
        for others in range(max(0, min(n, 14))):
            for spread in (0.01, 0.3):
                scores = [0.6] * (n - others) + list(0.6 + spread * generator.uniform(0.5, 1, others))
                expected = plainly_nearly_constant(scores, 0, 1)
                assert nearly_constant(generator.permutation(scores), 0, 1) == expected, scores
                assert nearly_constant(10 * np.array(scores), 0, 10) == expected, scores
                found.append(expected)
    assert 5 < sum(found) < len(found) - 5
    assert nearly_constant(np.random.default_rng(1).random((2, 10)), 0, 1).all()


def test_means_that_need_bounds() -> None:
    rows = np.array(
        [
            np.repeat([0.0, 1.0], 20),
            np.linspace(0, 1, 40),
            0.5 + np.linspace(0, 0.04, 40),
            np.r_[np.ones(31), np.zeros(8), 0.5],
        ]
    )
    assert mean_needs_bounds(rows, 0, 1).tolist() == [True, False, True, True]


def test_differences_that_need_bounds() -> None:
    even, odd = [0.3, 0.4, 0.5, 0.6], [0.2, 0.3, 0.4, 0.6]
    first = np.array([[0, 1, 1, 0], even, even, [0, 0.5, 1, 0], [0, 1, 0, 1], [0.5] * 4])
    second = np.array([[1, 1, 0, 0], np.subtract(even, 0.1), odd, [1, 0.5, 0, 1], [1, 0, 1, 0], [0.5] * 4])
    values, pairs, reach = np.vstack((first, second)), np.arange(12).reshape(2, 6).T, np.ptp(first - second, axis=1)
    for are_points, hits in ((False, [0, 4]), (True, [0, 1, 2, 3, 4, 5])):  # of two runs
        at_end = all_at_ends(values, (0, 1), are_points=are_points)
        due = differences_due(reach, pairs, at_end, (0, 1), "auto")
        assert np.flatnonzero(due.hits).tolist() == hits
        assert np.flatnonzero(due.equal).tolist() == [1, 5]
        assert np.flatnonzero(due.bounded).tolist() == sorted({*hits, 1, 5})
    assert not all_at_ends(values, (0, 2), are_points=True)[:6].any()

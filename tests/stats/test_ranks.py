"""Letters against their definition, ranks against counting, and how often rank intervals hold the true ranks."""

import itertools

import numpy as np

from irci.base.streams import topic_keys
from irci.base.types import all_pairs
from irci.stats.decisions import better, letters, max_t_p, ranks, separated
from irci.stats.signs import simultaneous


def decided(means: np.ndarray, p: np.ndarray, confidence: float) -> np.ndarray:
    """Whether run i is surely better than run j, from p for all pairs at once."""
    pairs = all_pairs(len(means))
    difference = means[pairs[:, 0]] - means[pairs[:, 1]]
    return better(pairs, difference, separated(np.nan_to_num(p, nan=1.0), 1 - confidence), len(means))


def surely_better(means: np.ndarray, replicates: np.ndarray, confidence: float) -> np.ndarray:
    return decided(means, max_t_p(means, replicates, all_pairs(len(means))), confidence)


def surely_better_over_topics(values: np.ndarray, signs: int, seed: int) -> np.ndarray:
    keys = topic_keys([b"%d" % topic for topic in range(values.shape[1])])
    found = simultaneous(values, all_pairs(len(values)), keys, resamples=signs, seed=seed)
    return decided(values.mean(axis=1), found.p, 0.95)


def test_letters_of_a_known_display() -> None:
    """Four runs in a row, neighbours not separated: a, ab, bc, c."""
    separated = np.abs(np.subtract.outer(range(4), range(4))) > 1
    assert letters(separated, np.arange(4)) == ["a", "ab", "bc", "c"]


def test_ranks_by_counting() -> None:
    means = np.array([0.5, 0.3, 0.5, 0.1])
    better = np.zeros((4, 4), np.bool_)
    better[0, 3] = better[0, 1] = better[2, 3] = True
    found = ranks(means, better)
    assert found.rank.tolist() == [1, 3, 1, 4]
    assert found.lower.tolist() == [1, 2, 1, 3]
    assert found.upper.tolist() == [2, 4, 3, 4]


def test_equal_runs_are_not_separated() -> None:
    rng = np.random.default_rng(1)
    replicates = rng.normal(0.3, 0.02, (2, 500))
    replicates = replicates[[0, 0, 1]]
    better = surely_better(np.array([0.3, 0.3, 0.1]), replicates, 0.95)
    assert better.tolist() == [[False, False, True], [False, False, True], [False, False, False]]
    values = rng.beta(2, 5, (2, 50))[[0, 0, 1]]
    values[2] /= 10
    better = surely_better_over_topics(values, 500, 1)
    assert better.tolist() == [[False, False, True], [False, False, True], [False, False, False]]


def test_width_against_many_pairs() -> None:
    """With independent normal replicates the width is the quantile of the studentised range, here by simulation."""
    rng = np.random.default_rng(2)
    resamples = 20_000
    replicates = rng.standard_normal((5, resamples))
    ranges = np.ptp(rng.standard_normal((5, resamples)), axis=0) / np.sqrt(2)
    width = np.quantile(ranges, 0.95)
    # Means just inside and outside of that width.
    for factor, expected in ((0.98, False), (1.02, True)):
        means = np.array([width * factor * np.sqrt(2), 0, 0, 0, 0])
        assert surely_better(means, replicates, 0.95)[0, 1] == expected


def test_letters_are_the_largest_sets() -> None:
    """One letter for every set of runs without a separated pair to which no run can be added, found by trying all sets."""
    rng = np.random.default_rng(5)
    for share in np.linspace(0.05, 0.95, 30):
        separated = np.triu(rng.random((8, 8)) < share, 1)
        separated |= separated.T
        sets = [set(some) for size in range(1, 9) for some in itertools.combinations(range(8), size)]
        tied = [some for some in sets if not separated[np.ix_(list(some), list(some))].any()]
        largest = [some for some in tied if not any(some < other for other in tied)]
        order = rng.permutation(8)
        names = letters(separated, order)
        assert names[order[0]][0] == "a"
        found = [{run for run, name in enumerate(names) if letter in name} for letter in sorted(set("".join(names)))]
        assert sorted(map(sorted, found)) == sorted(map(sorted, largest))
        assert letters(separated, order, len(largest)) == names
        assert letters(separated, order, len(largest) - 1) is None


def test_letters_by_the_hundred_are_left_out() -> None:
    """Three runs apart in each of 40 groups: 3^40 sets. Nobody waits for them, and ranks have a dash."""
    group = np.arange(120) // 3
    separated = np.equal.outer(group, group) & ~np.eye(120, dtype=bool)
    assert letters(separated, np.arange(120), 26) is None
    assert ranks(np.linspace(1, 0, 120), np.triu(separated)).letters == ["-"] * 120

"""Two sets of judgments: rank correlations, counts of pairs, kappa and biases, by hand, against plain transcriptions, scipy
and enumeration; what must be so of any two judges.
"""

import itertools

import naive_judges as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from irci.estimators import judges
from irci.estimators.joint_resamples import topic_counts
from irci.estimators.judges import agreement, biases, compare, disagreement, kappa, kappa_over_topics, order, signs

MEANS = st.lists(st.integers(0, 4), min_size=2, max_size=6)
TOPICS = 12


def scores(seed: int, runs: int = 7, topics: int = TOPICS) -> tuple[np.ndarray, np.ndarray]:
    """By one judge, and by another who is lenient and does not quite agree; with ties, as of P_10."""
    rng = np.random.default_rng(seed)
    first = np.clip(rng.normal(np.linspace(0.3, 0.6, runs)[:, np.newaxis], 0.2, (runs, topics)), 0, 1).round(1)
    return first, np.clip(first + rng.normal(0.05, 0.1, first.shape), 0, 1).round(1)


def correlations(first: list[float], second: list[float]) -> tuple[float, float]:
    of = signs(np.array(first, float)), signs(np.array(second, float))
    return judges.tau_b(*of), judges.tau_ap(*of)


def test_correlations_by_hand() -> None:
    """Runs 1 to 4; the other judge's order in words."""
    for first, second, tau, shares in (
        ([4, 3, 2, 1], [4, 2, 3, 1], 4 / 6, 1 + 1 / 2 + 1),  # 1 3 2 4
        ([4, 3, 2, 1], [3, 4, 2, 1], 4 / 6, 0 + 1 + 1),  # 2 1 3 4: on top
        ([4, 3, 2, 1], [2, 4, 3, 1], 2 / 6, 1 + 0 + 1),  # 2 3 1 4
        ([2, 4, 3, 1], [4, 3, 2, 1], 2 / 6, 0 + 1 / 2 + 1),  # the other way
        ([3, 2, 2, 1], [3, 2, 2, 1], 1, 1 + (1 + 1 / 2) / 2 + 1),
        ([4, 3, 2, 1], [1, 2, 3, 4], -1, 0),
    ):
        assert correlations(first, second) == pytest.approx((tau, 2 / 3 * shares - 1))


@given(st.data())
def test_correlations_against_naive_and_scipy(data: st.DataObject) -> None:
    """tau_AP over every order that ties allow."""
    first = data.draw(MEANS)
    second = data.draw(st.lists(st.integers(0, 4), min_size=len(first), max_size=len(first)))
    found = correlations(first, second)
    np.testing.assert_allclose(found, (naive.tau_b(first, second), naive.tau_ap(first, second)), atol=1e-12)
    np.testing.assert_allclose(found[0], stats.kendalltau(first, second).statistic, atol=1e-12)
    np.testing.assert_allclose(found[0], correlations(second, first)[0], atol=1e-12)


def test_means_that_are_all_equal_have_no_correlation() -> None:
    assert np.isnan(correlations([1, 1, 1], [1, 2, 3])).all()
    assert np.isnan(correlations([1, 2, 3], [1, 1, 1])).all()


def test_means_that_differ_by_rounding_are_tied() -> None:
    tied = signs(np.array([0.1 + 0.2, 0.3, 0.5]))
    assert (tied[0, 1], tied[0, 2], tied[2, 1]) == (0, -1, 1)


def test_orders_against_naive() -> None:
    for seed in range(3):
        first, second = scores(seed)
        found, drops = order(np.stack((first, second)), confidence=0.9, resamples=40, seed=5)
        drawn = topic_counts(TOPICS, 40, 5)
        for ours, theirs in zip(found, (naive.tau_b, naive.tau_ap), strict=True):
            # Means in tenths are equal only but for rounding: the plain version goes by sums of whole tenths.
            whole = [(each * 10).round() for each in (first, second)]
            value = theirs(*(each.sum(axis=1).tolist() for each in whole))
            np.testing.assert_allclose(ours[0], value, atol=1e-12)
            again = [theirs(a.tolist(), b.tolist()) for a, b in zip(*((each @ drawn).T for each in whole), strict=True)]
            lower, upper = np.quantile(again, [0.05, 0.95])
            further = 2 * value - upper, 2 * value - lower
            if theirs is naive.tau_ap:
                rounded = lambda *means: naive.tau_ap(*(np.round(each, 9).tolist() for each in means))  # noqa: E731
                further = naive.jackknife(rounded, *whole, 0.9)
            limits = max(-1, min(lower, further[0])), min(1, max(upper, further[1]))
            np.testing.assert_allclose(ours[1:], limits, atol=1e-9)
        drop, run = naive.largest_drop(*((each * 10).round().sum(axis=1).tolist() for each in (first, second)))
        assert (drops.max(), drops.argmax()) == (drop, run)


def test_few_runs_or_one_topic_have_no_limits() -> None:
    first, second = scores(1)
    for runs, topics, has_limits in ((4, TOPICS, False), (5, 1, False), (5, 2, True)):
        found, _ = order(np.stack((first, second))[:, :runs, :topics], confidence=0.95)
        assert np.isfinite(found[:, 0]).all()
        assert (np.isfinite(found[:, 1:]) == has_limits).all()


def test_counts_by_hand() -> None:
    """Six pairs, one of each class; in the last one the first judge's mean is 0, which has no sign."""
    compared = (
        np.array([[1.0, -1, 1, 1, -1, 0], [1.0, 1, 1, -1, -1, 1]]),
        np.array([[0.01, 0.02, 0.05, 0.2, 0.6, 1], [0.03, 0.04, 0.3, 0.01, 0.7, 0.8]]),
    )
    found = agreement(*compared, 0.05)
    assert [found[name] for name in ("AA", "AD", "MA", "MD", "PA", "PD")] == [1, 1, 1, 1, 1, 1]
    assert found["bias"] == pytest.approx(1 - 1 / (1 + 1 + 2 / 2))
    assert found["unconfirmed"] == pytest.approx(1 - 1 / 3)  # pairs 1, 2 and 4
    assert found["missed"] == pytest.approx(1 - 1 / 3)  # 1, 2 and 3
    strict = agreement(*compared, 0.02)
    assert strict["AA"] == 0
    assert (strict["bias"], strict["unconfirmed"], strict["missed"]) == (1, 1, 1)
    assert np.isnan(agreement(*compared, 0.001)["bias"])


def test_counts_against_naive() -> None:
    for seed in range(4):
        first, second = scores(seed, 9)
        first[4], second[4] = first[3], second[3]  # a pair that nobody can tell apart
        first[6] = first[5]  # and one that the other judge may
        # Whole tenths, of which a sum that is 0 is 0.
        expected = naive.counts((first * 10).round(), (second * 10).round(), 0.05)
        _, *compared, identical = compare(np.stack((first, second)))
        found = agreement(*compared, 0.05)
        ours = (*(found[name] for name in ("AA", "AD", "MA", "MD", "PA", "PD")), identical)
        assert ours == tuple(expected.values())
        assert expected["identical"] == 1


def test_corrections_are_over_the_pairs_that_differ() -> None:
    first, second = scores(2, 9)
    first[4], second[4] = first[3], second[3]
    (_, _, plain, _), (_, _, holm, _) = compare(np.stack((first, second))), compare(np.stack((first, second)), "holm")
    for before, after in zip(plain, holm, strict=True):
        assert len(before) == 35
        assert after.min() == pytest.approx(min(1, 35 * before.min()))
        assert (after >= before).all()


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_a_judge_who_agrees(seed: int) -> None:
    first, second = scores(seed, 6)
    found = agreement(*compare(np.stack((first, first)))[1:3], 0.05)
    assert (found["AD"], found["MA"], found["MD"], found["PD"]) == (0, 0, 0, 0)
    assert found["AA"] == 0 or found["bias"] == found["unconfirmed"] == found["missed"] == 0
    ((tau, *_), _), drops = order(np.stack((first, first)), confidence=0.95)
    assert tau == pytest.approx(1) or np.isnan(tau)
    assert not drops.any()
    # Swapped judges: what one does not confirm the other misses.
    ours, theirs = (agreement(*compare(np.stack(both))[1:3], 0.1) for both in ((first, second), (second, first)))
    np.testing.assert_equal(
        [ours[name] for name in ("bias", "unconfirmed", "missed")],
        [theirs[name] for name in ("bias", "missed", "unconfirmed")],
    )


CLASSIC = np.array([[20.0, 5], [10, 15]])
THREE = [(0, 0), (0, 1), (1, 1), (2, 2)]


def labels(pairs: list[tuple[int, int]], topics: list[int] | None = None) -> judges.Labels:
    first, second = np.array(pairs).T
    return judges.labels_of(np.array(topics or [0] * len(pairs)), first, second)


def test_kappa_by_hand() -> None:
    """Observed .7, by chance .5; and four documents of three grades."""
    assert kappa(CLASSIC, disagreement(np.array([0, 1]), "none")) == pytest.approx(0.4)
    few = labels(THREE)
    for weights, value in (
        ("none", 1 - 0.25 / 0.6875), ("linear", 1 - 0.125 / 0.4375), ("quadratic", 1 - 0.0625 / 0.3125),
    ):  # fmt: skip
        assert kappa(few.table, disagreement(few.grades, weights)) == pytest.approx(value)
    binary = few.binary(1, 2)
    assert binary.table.tolist() == [[2, 0], [1, 1]]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_kappa_against_naive(pairs: list[tuple[int, int]]) -> None:
    found = labels(pairs)
    other = labels([(second, first) for first, second in pairs])
    np.testing.assert_array_equal(other.table, found.table.T)
    for weights in ("none", "linear", "quadratic"):
        cost = disagreement(found.grades, weights)
        ours = kappa(found.table, cost)
        np.testing.assert_allclose(ours, naive.kappa(pairs, weights), atol=1e-12)
        np.testing.assert_allclose(ours, kappa(other.table, cost), atol=1e-12)
    same = labels([(first, first) for first, _ in pairs])
    assert kappa(same.table, disagreement(same.grades, "none")) == 1 or len(same.grades) == 1


def test_one_class_has_no_kappa() -> None:
    one = labels([(1, 1), (1, 1)], [0, 1])
    weights = disagreement(one.grades, "linear")
    assert np.isnan(kappa(one.table, weights))
    assert np.isnan(kappa_over_topics(one, "linear", confidence=0.95, resamples=20, seed=1)).all()


def test_limits_of_kappa_against_enumeration() -> None:
    """Of three topics all 27 resamples: the percentiles lie between those of the enumeration a little further in and out."""
    pairs = [(0, 0), (0, 1), (1, 1), (1, 0), (0, 0), (1, 1), (2, 1), (2, 2), (1, 2)]
    topics = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    found = labels(pairs, topics)
    every = sorted(
        naive.kappa([pair for topic in drawn for pair in pairs[3 * topic : 3 * topic + 3]], "linear")
        for drawn in itertools.product(range(3), repeat=3)
    )
    _, lower, upper = kappa_over_topics(found, "linear", confidence=0.6, resamples=20_000, seed=1)
    # Monte-Carlo error of a level of .2: sqrt(.2 * .8 / 20000) = .003, four of which are .012.
    for value, level in ((lower, 0.2), (upper, 0.8)):
        inner, outer = np.quantile(every, [level - 0.012, level + 0.012], method="inverted_cdf")
        assert inner - 1e-12 <= value <= outer + 1e-12


def test_biases_against_scipy() -> None:
    first, second = scores(5)
    found = biases(np.stack((first, second)), 0.9)
    differences = second - first
    relative = differences - differences.mean(axis=0)
    for ours, theirs in zip(found.values(), (differences, relative), strict=True):
        test = stats.ttest_1samp(theirs, 0, axis=1)
        limits = test.confidence_interval(0.9)
        np.testing.assert_allclose(ours.of.value, theirs.mean(axis=1), atol=1e-15)
        np.testing.assert_allclose(ours.p, test.pvalue, rtol=1e-9)
        np.testing.assert_allclose(ours.limits, limits, atol=1e-12)
        least, next_least = np.sort(ours.p)[:2]
        smallest = min(1, 7 * least), min(1, max(7 * least, 6 * next_least))
        assert np.sort(ours.p_adjusted)[:2] == pytest.approx(smallest)
    assert found["relative_bias"].of.value.sum() == pytest.approx(0, abs=1e-14)


def test_a_group_against_the_others() -> None:
    first, second = scores(7)
    group = np.array([True, False, True, False, False, False, False])
    found = biases(np.stack((first, second)), 0.95, group)["group_bias"]
    relative = second - first - (second - first).mean(axis=0)
    test = stats.ttest_1samp(relative[group].mean(axis=0) - relative[~group].mean(axis=0), 0)
    assert found.p[0] == pytest.approx(test.pvalue)
    assert found.of.value[0] == pytest.approx((second - first)[group].mean() - (second - first)[~group].mean())


@pytest.mark.parametrize("jitter", [0, 1e-4], ids=["the same", "nearly"])
def test_a_bias_that_is_the_same_on_all_topics_is_tested_by_signs(jitter: float) -> None:
    first, _ = scores(8, runs=3, topics=3)
    second = first + np.array([[0.3], [0.0], [-0.1]]) * [1 + jitter, 1, 1]
    tests = biases(np.stack((first, second)), 0.95, np.array([True, False, False]))
    absolute, relative, group = tests.values()
    np.testing.assert_allclose(absolute.limits[0, [0, 2]], (0, -0.1), atol=1e-3)
    np.testing.assert_allclose(absolute.limits[1, [0, 2]], (0.3, 0), atol=1e-3)
    assert (group.limits[0, 0], group.p[0]) == (0, 1 / 4)
    np.testing.assert_allclose(absolute.p, (1 / 4, 1, 1 / 4))
    np.testing.assert_allclose(relative.p, 1 / 4)
    assert relative.p_adjusted.tolist() == [0.75] * 3


def test_scores_that_differ_by_rounding_are_no_bias() -> None:
    """Grades of 0 and 3 for 0 and 1 leave nDCG as it is, but for the last bits."""
    first, _ = scores(9)
    second = first * (1 + np.finfo(float).eps * np.arange(-5, TOPICS - 5))
    assert (second != first).any()
    group = np.arange(len(first)) < 3
    for test in biases(np.stack((first, second)), 0.95, group).values():
        assert (test.of.value == 0).all()
        assert (test.p == 1).all()
    lenient = np.broadcast_to(0.1 * np.arange(1, TOPICS + 1), first.shape)  # the same to all runs: means of 3 and 4
    assert biases(np.stack((np.zeros_like(first), lenient)), 0.95, group)["group_bias"].p[0] == 1

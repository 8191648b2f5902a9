"""Two sets of judgments: rank correlations, counts of pairs, kappa and biases, by hand, against plain transcriptions, scipy
and enumeration; what must be so of any two judges.
"""

import itertools
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import naive_judges as naive
import numpy as np
import pytest
from click.testing import CliRunner
from conftest import SHARED, SMALL
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irci.bootstrap.topics import topic_counts
from irci.cli.group import main
from irci.methods.swap_error.judges.agreement import Compared, compare
from irci.methods.swap_error.judges.bias import biases, contrast
from irci.methods.swap_error.judges.labels import (
    Labels,
    disagreement,
    kappa,
    kappa_asymptotic,
    kappa_over_topics,
)
from irci.methods.swap_error.judges.order import order, signs, tau_ap, tau_b
from irci.output.report import Table

MEANS = st.lists(st.integers(0, 4), min_size=2, max_size=6)
TOPICS = 12


def scores(seed: int, runs: int = 7, topics: int = TOPICS) -> tuple[np.ndarray, np.ndarray]:
    """By one judge, and by another who is lenient and does not quite agree; with ties, as of P_10."""
    rng = np.random.default_rng(seed)
    first = np.clip(rng.normal(np.linspace(0.3, 0.6, runs)[:, np.newaxis], 0.2, (runs, topics)), 0, 1).round(1)
    return first, np.clip(first + rng.normal(0.05, 0.1, first.shape), 0, 1).round(1)


def correlations(first: list[float], second: list[float]) -> tuple[float, float]:
    of = signs(np.array(first, float)), signs(np.array(second, float))
    return tau_b(*of), tau_ap(*of)


def test_correlations_by_hand() -> None:
    """Runs 1 to 4; the other judge's order in words."""
    assert correlations([4, 3, 2, 1], [4, 2, 3, 1]) == pytest.approx((4 / 6, 2 / 3 * (1 + 1 / 2 + 1) - 1))  # 1 3 2 4
    assert correlations([4, 3, 2, 1], [3, 4, 2, 1]) == pytest.approx(
        (4 / 6, 2 / 3 * (0 + 1 + 1) - 1)
    )  # 2 1 3 4: on top
    assert correlations([4, 3, 2, 1], [2, 4, 3, 1]) == pytest.approx((2 / 6, 2 / 3 * (1 + 0 + 1) - 1))  # 2 3 1 4
    assert correlations([2, 4, 3, 1], [4, 3, 2, 1]) == pytest.approx(
        (2 / 6, 2 / 3 * (0 + 1 / 2 + 1) - 1)
    )  # the other way
    assert correlations([3, 2, 2, 1], [3, 2, 2, 1]) == pytest.approx((1, 2 / 3 * (1 + (1 + 1 / 2) / 2 + 1) - 1))
    assert correlations([4, 3, 2, 1], [1, 2, 3, 4]) == pytest.approx((-1, -1))


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
        found = order(first, second, confidence=0.9, interval="jackknife")
        for ours, theirs in ((found.tau, naive.tau_b), (found.tau_ap, naive.tau_ap)):
            # Means in tenths are equal only but for rounding: the plain version goes by sums of whole tenths.
            whole = [(each * 10).round() for each in (first, second)]
            value = theirs(*(each.sum(axis=1).tolist() for each in whole))
            np.testing.assert_allclose(ours.value, value, atol=1e-12)
            limits = naive.jackknife(
                lambda a, b, of=theirs: of(np.round(a, 9).tolist(), np.round(b, 9).tolist()), *whole, 0.9
            )
            np.testing.assert_allclose((ours.lower, ours.upper), limits, atol=1e-9)
        drop, run = naive.largest_drop(*((each * 10).round().sum(axis=1).tolist() for each in (first, second)))
        assert (found.drops.max(), found.drops.argmax()) == (drop, run)


def test_few_runs_or_one_topic_have_no_limits() -> None:
    first, second = scores(1)
    for runs, topics, has_limits in ((4, TOPICS, False), (5, 1, False), (5, 2, True)):
        found = order(first[:runs, :topics], second[:runs, :topics], confidence=0.95, interval="jackknife")
        assert np.isfinite(found.tau.value)
        assert np.isfinite([found.tau.lower, found.tau_ap.upper]).all() == has_limits


def test_percentile_limits_are_quantiles_of_the_same_topics_drawn_for_both_judges() -> None:
    first, second = scores(3)
    found = order(first, second, confidence=0.9, interval="percentile", resamples=40, seed=5)
    drawn = topic_counts(TOPICS, 40, 5)
    whole = [(each * 10).round() @ drawn for each in (first, second)]
    for ours, theirs in ((found.tau, naive.tau_b), (found.tau_ap, naive.tau_ap)):
        replicates = [theirs(a.tolist(), b.tolist()) for a, b in zip(whole[0].T, whole[1].T, strict=True)]
        np.testing.assert_allclose((ours.lower, ours.upper), np.quantile(replicates, [0.05, 0.95]), atol=1e-12)


def test_counts_by_hand() -> None:
    """Six pairs, one of each class; in the last one the first judge's mean is 0, which has no sign."""
    compared = Compared(
        (np.array([1.0, -1, 1, 1, -1, 0]), np.array([1.0, 1, 1, -1, -1, 1])),
        (np.array([0.01, 0.02, 0.05, 0.2, 0.6, 1]), np.array([0.03, 0.04, 0.3, 0.01, 0.7, 0.8])),
        identical=2,
    )
    found = compared.agreement(0.05)
    assert (found.active_agree, found.active_disagree, found.mixed_agree, found.mixed_disagree) == (1, 1, 1, 1)
    assert (found.passive_agree, found.passive_disagree, found.pairs) == (1, 1, 6)
    assert found.bias == pytest.approx(1 - 1 / (1 + 1 + 2 / 2))
    assert found.unconfirmed == pytest.approx(1 - 1 / 3)  # pairs 1, 2 and 4
    assert found.missed == pytest.approx(1 - 1 / 3)  # 1, 2 and 3
    strict = compared.agreement(0.02)
    assert (strict.active_agree, strict.first, strict.second) == (0, 2, 1)
    assert (strict.bias, strict.unconfirmed, strict.missed) == (1, 1, 1)
    assert np.isnan(compared.agreement(0.001).bias)


def test_counts_against_naive() -> None:
    for seed in range(4):
        first, second = scores(seed, 9)
        first[4], second[4] = first[3], second[3]  # a pair that nobody can tell apart
        first[6] = first[5]  # and one that the other judge may
        # Whole tenths, of which a sum that is 0 is 0.
        expected = naive.counts((first * 10).round(), (second * 10).round(), 0.05)
        compared = compare(first, second)
        found = compared.agreement(0.05)
        ours = (
            found.active_agree, found.active_disagree, found.mixed_agree, found.mixed_disagree, found.passive_agree,
            found.passive_disagree, compared.identical,
        )  # fmt: skip
        assert ours == tuple(expected.values())
        assert expected["identical"] == 1


def test_corrections_are_over_the_pairs_that_differ() -> None:
    first, second = scores(2, 9)
    first[4], second[4] = first[3], second[3]
    plain, holm = compare(first, second), compare(first, second, "holm")
    for before, after in zip(plain.p, holm.p, strict=True):
        assert len(before) == 35
        assert after.min() == pytest.approx(min(1, 35 * before.min()))
        assert (after >= before).all()


@given(st.integers(0, 10_000))
def test_a_judge_who_agrees(seed: int) -> None:
    first, second = scores(seed, 6)
    found = compare(first, first).agreement(0.05)
    assert (found.active_disagree, found.mixed_agree, found.mixed_disagree, found.passive_disagree) == (0, 0, 0, 0)
    assert found.active_agree == 0 or found.bias == found.unconfirmed == found.missed == 0
    same = order(first, first, confidence=0.95, interval="jackknife")
    assert same.tau.value == pytest.approx(1) or np.isnan(same.tau.value)
    assert not same.drops.any()
    # Swapped judges: what one does not confirm the other misses.
    ours, theirs = compare(first, second).agreement(0.1), compare(second, first).agreement(0.1)
    np.testing.assert_equal(
        (ours.bias, ours.unconfirmed, ours.missed), (theirs.bias, theirs.missed, theirs.unconfirmed)
    )


CLASSIC = np.array([[20.0, 5], [10, 15]])
THREE = [(0, 0), (0, 1), (1, 1), (2, 2)]


def labels(pairs: list[tuple[int, int]], topics: list[int] | None = None) -> Labels:
    first, second = np.array(pairs).T
    return Labels.of(np.array(topics or [0] * len(pairs)), first, second)


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
    assert binary.overlap() == pytest.approx(1 / 2)
    assert binary.means() == pytest.approx((1 / 2, 1 / 4))
    assert few.means() == pytest.approx((3 / 4, 1))
    assert few.documents == 4


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
    assert np.isnan(kappa_over_topics(one, weights, confidence=0.95, resamples=20, seed=1)).all()
    assert np.isnan(kappa_asymptotic(one, weights, confidence=0.95)).all()
    assert np.isnan(one.binary(2, 2).overlap())


def test_limits_of_kappa_against_enumeration() -> None:
    """Of three topics all 27 resamples: the percentiles lie between those of the enumeration a little further in and out."""
    pairs = [(0, 0), (0, 1), (1, 1), (1, 0), (0, 0), (1, 1), (2, 1), (2, 2), (1, 2)]
    topics = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    found = labels(pairs, topics)
    weights = disagreement(found.grades, "linear")
    every = sorted(
        naive.kappa([pair for topic in drawn for pair in pairs[3 * topic : 3 * topic + 3]], "linear")
        for drawn in itertools.product(range(3), repeat=3)
    )
    lower, upper = kappa_over_topics(found, weights, confidence=0.6, resamples=20_000, seed=1)
    # Monte-Carlo error of a level of .2: sqrt(.2 * .8 / 20000) = .003, four of which are .012.
    for value, level in ((lower, 0.2), (upper, 0.8)):
        inner, outer = np.quantile(every, [level - 0.012, level + 0.012], method="inverted_cdf")
        assert inner - 1e-12 <= value <= outer + 1e-12


def test_limits_go_by_topics_not_documents() -> None:
    """Documents repeated within their topics change nothing, though the textbook's limits become narrower."""
    pairs, topics = [(0, 0), (0, 1), (1, 1), (1, 0), (0, 0), (1, 1)], [0, 0, 1, 1, 2, 2]
    once, often = labels(pairs, topics), labels(pairs * 9, topics * 9)
    weights = disagreement(once.grades, "none")
    by_topics = [kappa_over_topics(each, weights, confidence=0.9, resamples=200, seed=1) for each in (once, often)]
    assert by_topics[0] == pytest.approx(by_topics[1])
    assert np.isnan(kappa_over_topics(labels(pairs), weights, confidence=0.9, resamples=20, seed=1)).all()
    narrow, wide = (np.ptp(kappa_asymptotic(each, weights, confidence=0.9)) for each in (often, once))
    assert narrow == pytest.approx(wide / 3)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_asymptotic_limits_against_the_delta_rule(weights: str) -> None:
    """The derivative of kappa by each share, taken numerically."""
    table = np.array([[106.0, 10, 4], [22, 28, 10], [2, 12, 6]])
    found = Labels(table[np.newaxis], np.arange(3))
    cost = disagreement(found.grades, weights)
    share, step = table / table.sum(), 1e-6
    slope = np.zeros((3, 3))
    for cell in itertools.product(range(3), repeat=2):
        up, down = share.copy(), share.copy()
        up[cell] += step
        down[cell] -= step
        # As a function of all nine shares, which then add up to nearly 1: not normalised.
        by_share = [1 - (each * cost).sum() / (each.sum(axis=1) @ cost @ each.sum(axis=0)) for each in (up, down)]
        slope[cell] = (by_share[0] - by_share[1]) / (2 * step)
    variance = ((share * slope**2).sum() - (share * slope).sum() ** 2) / table.sum()
    lower, upper = kappa_asymptotic(found, cost, confidence=0.95)
    assert upper - lower == pytest.approx(2 * stats.norm.ppf(0.975) * np.sqrt(variance), rel=1e-6)
    assert (upper + lower) / 2 == pytest.approx(float(kappa(table, cost)))


def test_biases_against_scipy() -> None:
    first, second = scores(5)
    found = biases(first, second, 0.9)
    differences = second - first
    relative = differences - differences.mean(axis=0)
    for ours, theirs in ((found.absolute, differences), (found.relative, relative)):
        test = stats.ttest_1samp(theirs, 0, axis=1)
        limits = test.confidence_interval(0.9)
        np.testing.assert_allclose(ours.mean, theirs.mean(axis=1), atol=1e-15)
        np.testing.assert_allclose(ours.p, test.pvalue, rtol=1e-9)
        np.testing.assert_allclose((ours.lower, ours.upper), limits, atol=1e-12)
    assert found.relative.mean.sum() == pytest.approx(0, abs=1e-14)
    smallest = [np.sort(test.p)[:2] for test in (found.absolute, found.relative)]
    for p, (least, next_least) in zip(found.p_adjusted, smallest, strict=True):
        assert np.sort(p)[:2] == pytest.approx([min(1, 7 * least), min(1, max(7 * least, 6 * next_least))])


def test_a_judge_as_lenient_to_all_favours_nobody() -> None:
    first, _ = scores(6)
    found = biases(first, first + 0.1 * np.arange(1, TOPICS + 1), 0.95)
    assert (found.absolute.p < 0.01).all()
    assert (found.relative.mean == 0).all()
    assert (found.relative.p == 1).all()
    assert (biases(first, first, 0.95).absolute.mean == 0).all()


def test_a_group_against_the_others() -> None:
    first, second = scores(7)
    group = np.array([True, False, True, False, False, False, False])
    found = contrast(first, second, group, 0.95)
    relative = second - first - (second - first).mean(axis=0)
    test = stats.ttest_1samp(relative[group].mean(axis=0) - relative[~group].mean(axis=0), 0)
    assert found.p[0] == pytest.approx(test.pvalue)
    assert found.mean[0] == pytest.approx((second - first)[group].mean() - (second - first)[~group].mean())


# The command.

QRELS = SMALL / "qrels.txt"
RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())]
DL19 = SHARED / "trec-dl19-passage"
LABELS = SHARED / "llm-judgments-dl19"


def irci(*args: object, status: int = 0) -> str:
    result = CliRunner().invoke(main, ["swap-error", "--procedure", "judges", *map(str, args)], prog_name="irci")
    assert result.exit_code == status, result.output
    return result.stdout if status == 0 else result.stderr


def rows(*args: object) -> dict[str, list[dict[str, Any]]]:
    """The rows by what they begin with."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in json.loads(irci(*args, "--quiet", "--format", "json"))["rows"]:
        found.setdefault(row.get("measure", row.get("table")), []).append(row)
    return found


def judged(path: Path, change: Callable[[str, str, int], int | None]) -> Path:
    """Judgments of the small collection changed, those without a new grade left out."""
    lines = [line.split() for line in QRELS.read_text().splitlines()]
    new = [(topic, docno, change(topic, docno, int(grade))) for topic, _, docno, grade in lines]
    path.write_text("".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in new if grade is not None))
    return path


def of_a_hash(topic: str, docno: str, shares: int) -> int:
    return zlib.crc32(f"{topic} {docno}".encode()) % shares


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A judge who takes every sixth grade for another."""
    return judged(tmp_path / "model.txt", lambda topic, docno, grade: grade ^ (of_a_hash(topic, docno, 6) == 0))


def test_the_same_judgments_agree_in_everything(tmp_path: Path) -> None:
    same = judged(tmp_path / "same.txt", lambda topic, docno, grade: grade)
    found = rows("--other-qrels", same, QRELS, *RUNS)
    agreeing = [found[name][0]["value"] for name in ("tau_map", "tau_ap_map", "kappa", "overlap")]
    assert agreeing == pytest.approx([1] * 4, abs=1e-15)
    assert (found["max_drop_map"][0]["value"], found["max_drop_map"][0]["run"]) == (0, "-")
    (counts,) = found["agreement_map"]
    assert [counts[name] for name in ("AD", "MA", "MD", "PD")] == [0, 0, 0, 0]
    assert {row["value"] for row in (*found["bias_map"], *found["relative_bias_map"])} == {0}
    assert {row["p"] for row in found["bias_map"]} == {1}
    for row in found["map"]:
        assert (row["value"], row["lower"], row["upper"]) == (row["value_b"], row["lower_b"], row["upper_b"])


def test_scores_are_those_of_either_judge_alone(other: Path) -> None:
    """What map-ci prints with the file of each."""
    found = rows("--other-qrels", other, QRELS, *RUNS)

    def alone(path: Path) -> dict[str, list[float]]:
        result = CliRunner().invoke(main, ["map-ci", "--quiet", "--format", "json", str(path), *RUNS])
        of_topics = [row for row in json.loads(result.stdout)["rows"] if row["population"] == "topics"]
        return {row["run"]: [row["value"], row["lower"], row["upper"]] for row in of_topics}

    ours, theirs = alone(QRELS), alone(other)
    for row in found["map"]:
        assert [row[name] for name in ("value", "lower", "upper")] == pytest.approx(ours[row["run"]], abs=1e-15)
        assert [row[name] for name in ("value_b", "lower_b", "upper_b")] == pytest.approx(theirs[row["run"]], abs=1e-15)


def test_labels_are_those_of_the_files(tmp_path: Path) -> None:
    """Of three grades; some documents are judged by one alone, and a grade of -1 is none."""
    paths = [
        judged(
            tmp_path / name,
            lambda topic, docno, grade, name=name: (
                None
                if of_a_hash(topic, docno + name, 9) == 0
                else min(grade + of_a_hash(topic, docno + name, 6) // 4, 2)
            ),
        )
        for name in ("ours", "theirs")
    ]
    paths[1].write_text(paths[1].read_text() + "1 0 nowhere -1\n1 0 anywhere 1\n")
    grades = [
        {tuple(line.split()[::2]): int(line.split()[3]) for line in path.read_text().splitlines()} for path in paths
    ]
    pairs = [(grade, grades[1][key]) for key, grade in grades[0].items() if grades[1].get(key, -1) >= 0]
    assert len(pairs) < min(map(len, grades))
    for weights in ("none", "linear", "quadratic"):
        found = rows("--other-qrels", paths[1], "--labels-only", "--weights", weights, paths[0])
        graded, binary = found["kappa"]
        assert (graded["weights"], binary["weights"]) == (weights, "binary")
        assert graded["value"] == pytest.approx(naive.kappa(pairs, weights))
        assert binary["value"] == pytest.approx(naive.kappa([(a > 0, b > 0) for a, b in pairs]))
        assert graded["documents"] == len(pairs)
    for row in found["confusion"]:
        assert row["documents"] == pairs.count((row["grade_a"], row["grade_b"]))
    assert sum(row["percent"] for row in found["confusion"]) == pytest.approx(100)
    assert found["overlap"][0]["value"] == pytest.approx(
        sum(a > 0 and b > 0 for a, b in pairs) / sum(a > 0 or b > 0 for a, b in pairs)
    )
    assert found["relevant_a"][0]["value"] == pytest.approx(sum(a > 0 for a, _ in pairs) / len(pairs))
    assert found["grade_b"][0]["value"] == pytest.approx(sum(b for _, b in pairs) / len(pairs))
    assert set(found) == {"kappa", "overlap", "relevant_a", "relevant_b", "grade_a", "grade_b", "confusion"}


def test_several_judges_have_the_lines_that_each_has_alone(other: Path, tmp_path: Path) -> None:
    """Also one who has judged half of the topics; in whatever order the runs come."""
    half = judged(tmp_path / "person.txt", lambda topic, docno, grade: grade if int(topic) % 2 else None)
    options = ["--group", "a", "-m", "P_10", "-m", "map", QRELS]
    both = rows("--other-qrels", other, "--other-qrels", half, *options, *reversed(RUNS))
    for path in (other, half):
        alone = rows("--other-qrels", path, *options, *RUNS)
        for name, of_name in alone.items():
            assert [row for row in both[name] if row["judge"] == path.stem] == of_name, name


def test_swapped_judges_transpose_the_table_and_keep_tau(other: Path) -> None:
    ours, theirs = rows("--other-qrels", other, QRELS, *RUNS), rows("--other-qrels", QRELS, other, *RUNS)
    for name in ("tau_map", "kappa"):
        for each, swapped in zip(ours[name], theirs[name], strict=True):
            assert [each[key] for key in ("value", "lower", "upper")] == pytest.approx(
                [swapped[key] for key in ("value", "lower", "upper")], abs=1e-12
            )
    cells = {(row["grade_a"], row["grade_b"]): row["documents"] for row in ours["confusion"]}
    assert cells == {(row["grade_b"], row["grade_a"]): row["documents"] for row in theirs["confusion"]}
    (first,), (second,) = ours["agreement_map"], theirs["agreement_map"]
    assert [first[name] for name in ("AA", "MA", "bias", "unconfirmed")] == [
        second[name] for name in ("AA", "MA", "bias", "missed")
    ]


def test_scales_that_differ_are_compared_as_relevant_or_not(tmp_path: Path) -> None:
    graded = judged(tmp_path / "graded.txt", lambda topic, docno, grade: 2 * grade + of_a_hash(topic, docno, 2))
    found = rows("--other-qrels", graded, "--level-b", 2, "--labels-only", QRELS)
    assert [(row["weights"], row["value"]) for row in found["kappa"]] == [("binary", 1)]
    again = rows("--other-qrels", graded, "-l", 1, "--labels-only", QRELS)
    assert again["kappa"][0]["value"] < 1
    assert again["relevant_b"][0]["value"] > again["relevant_a"][0]["value"]


def test_holes_are_told_and_left_out_if_asked_for(tmp_path: Path) -> None:
    holes = judged(
        tmp_path / "holes.txt", lambda topic, docno, grade: None if of_a_hash(topic, docno, 20) == 0 else grade
    )
    said = CliRunner().invoke(
        main, ["swap-error", "--procedure", "judges", "--other-qrels", str(holes), str(QRELS), *RUNS]
    )
    assert (
        f"irci: warning: {holes}: 5% of the retrieved documents that {QRELS} judges have no judgment here"
        in said.stderr
    )
    options = ["swap-error", "--procedure", "judges", "--common", "--other-qrels", str(holes), str(QRELS), *RUNS]
    assert "no judgment here" not in CliRunner().invoke(main, options).stderr
    found = rows("--common", "--other-qrels", holes, QRELS, *RUNS)
    assert {row["value"] for row in found["bias_map"]} == {0}
    few = judged(tmp_path / "few.txt", lambda topic, docno, grade: None if of_a_hash(topic, docno, 500) == 0 else grade)
    assert (
        "no judgment here"
        not in CliRunner().invoke(main, [*options[:3], "--other-qrels", str(few), *options[6:]]).stderr
    )


def test_limits_of_tau_without_width_are_no_certainty() -> None:
    """The lenient judge of the small collection changes scores, but not the order, whichever topic is left out."""
    options = ["swap-error", "--procedure", "judges", "--explain", "--other-qrels", str(SMALL / "llm.txt"), str(QRELS)]
    said = CliRunner().invoke(main, [*options, *RUNS])
    assert "irci: warning: llm: map: the limits of tau have no width" in said.stderr
    assert "There the limits of tau have no width, as no topic alone changes it: that is no certainty." in said.stdout
    same = CliRunner().invoke(main, [*options[:5], str(QRELS), str(QRELS), *RUNS])
    assert "no width" not in same.output


def test_limits_by_other_means_are_marked(other: Path) -> None:
    found = rows("--other-qrels", other, "--interval", "percentile", "--kappa-interval", "asymptotic", QRELS, *RUNS)
    assert found["tau_map"][0]["interval"] == "percentile (low)"
    by_topics = rows("--other-qrels", other, "--seed", 2, QRELS, *RUNS)
    again = rows("--other-qrels", other, QRELS, *RUNS)
    assert found["kappa"][0]["interval"] == "asymptotic"
    assert by_topics["kappa"][0]["value"] == found["kappa"][0]["value"] == again["kappa"][0]["value"]
    assert by_topics["kappa"][0]["lower"] != again["kappa"][0]["lower"]
    assert by_topics["tau_map"] == again["tau_map"]


def test_corrections_and_levels(other: Path) -> None:
    found = rows("--other-qrels", other, "--alpha", ".01,.2", "--correction", "holm", QRELS, *RUNS)["agreement_map"]
    assert [(row["alpha"], row["correction"]) for row in found] == [(0.01, "holm"), (0.2, "holm")]
    assert all(sum(row[name] for name in ("AA", "AD", "MA", "MD", "PA", "PD")) == row["pairs"] == 10 for row in found)


def test_what_is_refused(other: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_text("1 0 nowhere 1\n")
    twice = tmp_path / "b" / "model.txt"
    twice.parent.mkdir()
    twice.write_text(other.read_text())
    for arguments, status, message in (
        ([QRELS, *RUNS], 2, "--procedure judges takes --other-qrels FILE."),
        (["--other-qrels", other, QRELS], 2, "only QRELS given: add RUNs"),
        (["--other-qrels", other, "--labels-only", QRELS, *RUNS], 2, "give QRELS, and no RUNs."),
        (["--other-qrels", other, "--labels-only", "-m", "P_10", QRELS], 2, "leave out --measure."),
        (["--other-qrels", other, "--scores", QRELS], 2, "leave out --scores."),
        (["--other-qrels", other, "--sizes", "5", QRELS, *RUNS], 2, "--sizes is for --procedure error-rate and swap."),
        (["--other-qrels", other, "--other-qrels", twice, QRELS, *RUNS], 2, "two files of one name"),
        (["--other-qrels", other, "--group", "(", QRELS, *RUNS], 2, "--group (: not a regular expression"),
        (["--other-qrels", other, "--group", "zulu", QRELS, *RUNS], 4, "--group zulu: no run matches"),
        (["--other-qrels", other, "--group", ".", QRELS, *RUNS], 4, "--group .: all runs match"),
        (["--other-qrels", other, QRELS, RUNS[0]], 4, "needs at least two runs"),
        (["--other-qrels", elsewhere, "--labels-only", QRELS], 4, "have judged no document in common"),
        (["--other-qrels", tmp_path / "none", QRELS, *RUNS], 3, "no such file"),
        (["--other-qrels", other, "-o", other, QRELS, *RUNS], 2, "would overwrite the input"),
    ):
        assert message in irci(*arguments, status=status), arguments
    plain = CliRunner().invoke(main, ["swap-error", "--other-qrels", str(other), str(QRELS), *RUNS])
    assert (plain.exit_code, "--other-qrels is for --procedure judges." in plain.stderr) == (2, True)


def test_what_is_said_agrees_with_the_rows(other: Path) -> None:
    options = ["--other-qrels", other, "--group", "a", QRELS, *RUNS]
    found, said = rows(*options), irci(*options, "--explain", "--quiet")
    (counts,), (group,) = found["agreement_map"], found["group_bias_map"]
    significant = sum(row["p_adjusted"] <= 0.05 for row in found["relative_bias_map"])
    for sentence in (
        f"model orders 5 runs by mean AP with a Kendall's tau of {found['tau_map'][0]['value']:.4f} (95% limits over topics",
        f"At level 0.05, {counts['AA']} of 10 pairs of runs differ significantly in AP under both judges",
        f"scores runs that match a {abs(group['value']):.4f} {'higher' if group['value'] > 0 else 'lower'} than the others",
        f"QRELS finds {found['relevant_a'][0]['value']:.1%} of these relevant, model {found['relevant_b'][0]['value']:.1%}.",
        "both judges, and the runs, are taken as given",
        "compare kappas only on the same documents",
    ):
        assert sentence in said
    assert ("favours or disfavours none significantly" in said) == (significant == 0)


def test_names_in_the_picture_lie_over_nothing() -> None:
    """Of sixty runs close to each other some have names; the boxes of these and of the marks do not overlap."""
    matplotlib = pytest.importorskip("matplotlib")
    from irci.output.plots.judges import judge_panels
    from irci.output.plots.library import SETTINGS
    from irci.output.plots.panels import figure_of

    rng = np.random.default_rng(1)
    first = rng.uniform(0.3, 0.6, 60)
    second = first + rng.normal(0.1, 0.03, 60)
    some = [
        {
            "measure": "map", "topic": "all", "value": a, "lower": a - 0.05, "upper": a + 0.05, "run": f"system-{run:02}",
            "judge": "model", "value_b": b, "lower_b": b - 0.05, "upper_b": np.nan,
        }
        for run, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True))
    ]  # fmt: skip
    with matplotlib.rc_context(SETTINGS):
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        for panels in (1, 3):  # alone, and in columns
            figure = figure_of(judge_panels([Table("score", "map", some)]) * panels)
            canvas = FigureCanvasAgg(figure)
            figure.draw_without_rendering()
            axis = figure.axes[0]
            boxes = [text.get_window_extent(canvas.get_renderer()) for text in axis.texts]
            assert len(boxes) > 8
            marks = axis.transData.transform(np.column_stack((first, second)))
            assert not [1 for box in boxes for x, y in marks if box.x0 < x < box.x1 and box.y0 < y < box.y1]
            assert not [1 for a, b in itertools.combinations(boxes, 2) if a.shrunk(0.98, 0.9).overlaps(b)]


@pytest.mark.skipif(not LABELS.exists(), reason="no ../shared/data")
def test_people_and_models_on_dl19() -> None:
    """NIST against GPT-4 (UMBRELA), a person and Llama: figures found beforehand by other programs."""
    runs = sorted(str(path) for path in (DL19 / "runs").iterdir())
    qrels, measure = DL19 / "qrels.dl19-passage.gz", ["-m", "ndcg_cut_10", "--names", "file"]
    model, person = LABELS / "qrels.dl19.umbrela-gpt4.gz", LABELS / "qrels.dl19.assessor-b.gz"
    found = rows("--other-qrels", model, "--other-qrels", person, *measure, qrels, *runs)
    tau, of_person = found["tau_ndcg_cut_10"]
    assert (round(tau["value"], 3), tau["runs"], tau["topics"]) == (0.823, 61, 43)
    assert 0.87 <= of_person["value"] <= 0.89
    assert found["max_drop_ndcg_cut_10"][0]["value"] == 12
    counts, _ = found["agreement_ndcg_cut_10"]
    assert (counts["pairs"], round(counts["bias"], 3), round(counts["unconfirmed"], 2)) == (1830, 0.127, 0.18)
    assert [(round(row["value"], 2), row["documents"]) for row in found["kappa"] if row["weights"] == "none"] == [
        (0.34, 9260), (0.12, 4195),
    ]  # fmt: skip
    # Limits by topics are 4 to 5 times as wide as the textbook's, [.325, .352].
    assert 4 <= (found["kappa"][0]["upper"] - found["kappa"][0]["lower"]) / (0.352 - 0.325) <= 5.5
    bias = [row["value"] for row in found["bias_ndcg_cut_10"] if row["judge"].endswith("gpt4")]
    assert round(sum(bias) / 61, 3) == 0.087
    relative = found["relative_bias_ndcg_cut_10"]
    assert min(row["p_adjusted"] for row in relative if row["judge"].endswith("gpt4")) > 0.05


@pytest.mark.slow
@pytest.mark.skipif(not LABELS.exists(), reason="no ../shared/data")
def test_corrected_counts_and_self_preference_on_dl19() -> None:
    runs = sorted(str(path) for path in (DL19 / "runs").iterdir())
    qrels, measure = DL19 / "qrels.dl19-passage.gz", ["-m", "ndcg_cut_10", "--names", "file"]
    model, llama = LABELS / "qrels.dl19.umbrela-gpt4.gz", LABELS / "qrels.dl19.binary-llama3.2.gz"
    (counts,) = rows("--other-qrels", model, "--correction", "holm", *measure, qrels, *runs)["agreement_ndcg_cut_10"]
    assert round(counts["bias"], 3) == 0.232
    textbook = rows("--other-qrels", model, "--kappa-interval", "asymptotic", "--labels-only", qrels)["kappa"][0]
    assert (round(textbook["lower"], 3), round(textbook["upper"], 3)) == (0.325, 0.352)
    found = rows("--other-qrels", llama, "--group", "rankgpt4", "-l", 2, "--level-b", 1, *measure, qrels, *runs)
    assert sum(row["p_adjusted"] <= 0.05 for row in found["relative_bias_ndcg_cut_10"]) == 13
    (group,) = found["group_bias_ndcg_cut_10"]
    assert group["upper"] < 0

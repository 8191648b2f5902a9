"""Claims of pairs under the conditions that they hold under, through the command: equivalence where little differs or varies,
exit status, limits for all pairs at once, topics needed, a single pair."""

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import naive_inference
import numpy as np
import pytest
from command_lines import irci as command
from helpers import run_scores
from scipy import stats

from irci.base import Margin
from irci.estimators.power import within_margin
from irci.stats.bounded import bounded_limits
from irci.stats.signs import Units

NOT_EQUIVALENT = ("--fail-if", "not-equivalent", "--margin")


def asked(
    path: Path, values: np.ndarray, *options: str, pairs: str = "--baseline=r0", status: int | None = None
) -> Any:
    """The result of the command on scores[runs, topics] of AP; nan for none."""
    names = [f"{topic}" for topic in range(values.shape[1])]
    scores = run_scores(path / "scores.tsv", {f"r{run}": row for run, row in enumerate(values)}, names)
    return command("map-ci", "-n", pairs, *options, "--scores", scores, status=status)


def rows_of(path: Path, values: np.ndarray, *options: str, pairs: str = "--baseline=r0") -> list[dict[str, Any]]:
    result = asked(path, values, "--format", "json", *options, pairs=pairs)
    assert result.exit_code in (0, 5, 6), result.output
    return [row for row in json.loads(result.stdout)["rows"] if "baseline" in row]


def row_of(path: Path, values: np.ndarray, *options: str) -> dict[str, Any]:
    (row,) = rows_of(path, values, *options)
    return row


def copies(differences: dict[int, float] | list[float], topics: int) -> np.ndarray:
    """Two runs that differ on some topics."""
    scores = np.full((2, topics), 0.5)
    for topic, difference in dict(enumerate(differences) if isinstance(differences, list) else differences).items():
        scores[1, topic] += difference
    return scores


@pytest.mark.parametrize(("differ", "verdict"), [(4, "inconclusive"), (5, "better")])
def test_the_smallest_p_of_scores_of_0_and_1_is_that_of_mid_p(tmp_path: Path, differ: int, verdict: str) -> None:
    """All that differ favour one run: p is the least there is, 2^-d by McNemar's mid-p."""
    values = np.zeros((2, 50))
    values[:, 25:] = 1.0
    values[1, :differ] = 1.0
    row = row_of(tmp_path, values, "--power")
    assert (row["test"], row["verdict"]) == ("midp", verdict)
    assert row["p"] == pytest.approx(2.0**-differ, rel=1e-9)
    assert row["detectable"] is None  # by t; five topics may have p of .031, and t's never less than .0625


# Equivalence.


def test_two_topics_that_hardly_differ_are_not_equivalent(tmp_path: Path) -> None:
    """No more is shown than signs can: 2^-2."""
    row = row_of(tmp_path, copies([0.005, 0.005], 2), *NOT_EQUIVALENT, ".05")
    assert (row["p_equivalence"], row["verdict"]) == (0.25, "inconclusive")


def test_three_topics_of_fifty_that_differ_are_too_few(tmp_path: Path) -> None:
    """Which is no failure; one that fails outright comes before it."""
    values = copies([0.12, -0.04, 0.01], 50)
    result = asked(tmp_path, values, *NOT_EQUIVALENT, ".03", "--explain", status=6)
    few = "only 3 of 50 topics differ, by up to .1200"
    assert f"map: r1 against r0: inconclusive: {few} (--fail-if not-equivalent)\n" in result.stderr
    assert f"within the margin of .03 is not significant (p = .12): {few}; on up to 15.5% of other" in result.stdout
    for condition, status in (("worse", 0), ("inconclusive", 6)):
        asked(tmp_path, values, "--margin", ".03", "--fail-if", condition, status=status)
    assert row_of(tmp_path, values, "--power")["reason"] == "unresolvable"  # who asks for no margin
    values = np.vstack((values, np.full(50, 0.5) + 0.2 + np.arange(50) / 1000))
    result = asked(tmp_path, values, *NOT_EQUIVALENT, ".03", status=5)
    told = [line.split(" (")[0] for line in result.stderr.splitlines() if "--fail-if" in line]
    assert told == ["irci: map: r2 against r0: better", f"irci: map: r1 against r0: inconclusive: {few}"]


def test_nine_of_seven_thousand_may_be_equivalent(tmp_path: Path) -> None:
    values = copies(dict.fromkeys(range(9), 0.5), 7000)
    row = row_of(tmp_path, values, *NOT_EQUIVALENT, ".01")
    assert row["verdict"] == "equivalent" or row["reason"] == "negligible"
    assert row["p_equivalence"] < 1e-9
    assert row_of(tmp_path, values, "--margin", ".001")["p_equivalence"] > 0.05


@pytest.mark.parametrize(("topics", "few"), [(9, False), (10, True), (60, True)])
def test_nine_topics_that_all_differ_are_tested_by_their_spread(tmp_path: Path, topics: int, few: bool) -> None:
    d = [0.01, -0.02, 0.004, 0.03, -0.011, 0.006, 0.02, -0.015, 0.001]
    row = row_of(tmp_path, copies(d, topics), "--margin", ".04")
    if not few:
        assert row["p_equivalence"] == pytest.approx(naive_inference.equivalence_p(d, [0.04] * 9), rel=1e-9)
        assert row["verdict"] == "equivalent"
    else:  # the smallest alpha whose limits at 1 - 2 alpha lie inside
        differences = np.array([d + [0.0] * (topics - 9)])
        limits = bounded_limits(differences, -1.0, 1.0, 2 * row["p_equivalence"])
        assert max(-limits[0][0], limits[1][0]) == pytest.approx(0.04, abs=1e-6)
        assert (row["reason"] == "few-differ") == (row["p_equivalence"] > 0.05)


def test_identical_runs_pass(tmp_path: Path) -> None:
    result = asked(tmp_path, copies([], 5), *NOT_EQUIVALENT, ".01", "--explain", status=0)
    assert "\tfew-differ" not in result.stdout
    assert "have equal scores in map on all topics" in result.stdout


def test_a_scale_without_ends_shows_nothing_where_few_differ(tmp_path: Path) -> None:
    long = asked(tmp_path, copies([0.001, 0.002], 200), "-m", "lmap", *NOT_EQUIVALENT, "4", "--explain", status=6)
    assert "within the margin of 4 of logits is not significant: only 2 of 200 topics differ" in long.stdout


def hostile(rng: np.random.Generator) -> np.ndarray:
    """Sparse, tied, few or skewed differences."""
    topics = int(rng.choice([1, 2, 3, 5, 9, 10, 11, 25, 60]))
    d = rng.choice([0.002, 0.02, 0.2]) * rng.standard_t(3, topics)
    d = np.where(rng.random(topics) < rng.choice([0, 0.5, 0.9]), 0, d)
    d = rng.choice([0, 0.01]) + (np.round(d, 1) if rng.random() < 0.3 else d)
    scores = rng.uniform(0, 1, topics)
    return np.clip(np.vstack((scores, scores + d)), 0, 1)


@pytest.mark.parametrize(
    ("is_share", "families"),
    [(False, 50), (True, 15)] + [pytest.param(share, 5000, marks=pytest.mark.slow) for share in (False, True)],
)
def test_a_wider_margin_never_loses_equivalence(is_share: bool, families: int) -> None:
    rng, seen = np.random.default_rng(families), 0
    margins = [0.001, 0.01, 0.02, 0.05, 0.1, 0.3, 0.5, 0.9, *([] if is_share else [1.5, 3.0])]
    for _ in range(families):
        values = hostile(rng)
        units, pair = Units(values, np.zeros(values.shape[1], np.uint64)), np.array([[1, 0]])
        found = [within_margin(units, pair, Margin(each, is_share), (0.0, 1.0)) for each in margins]
        p = np.array([each[0][:, 0].max() for each in found])
        if is_share:  # of which Hall's p, of few topics, need not fall all along
            assert values.shape[1] < 9 or not ((p[:-1] <= 0.05) & (p[1:] > 0.05)).any(), p
        else:
            assert (np.diff(p) <= 1e-9).all() or np.isnan(p).all(), p
        assert (np.isnan(p) | (p >= 2.0 ** -values.shape[1])).all()
        seen += p.min() <= 0.05 < p.max()
    assert seen > families / 10


# A margin in percent.


def test_a_share_of_a_mean_that_is_not_above_0_is_refused(tmp_path: Path) -> None:
    values = np.vstack((np.zeros(20), np.random.default_rng(3).uniform(0.2, 0.5, (2, 20))))
    told = "5% of a baseline's mean that is not above 0"
    assert f"{told} (topics) is no margin: give an amount" in asked(tmp_path, values, "--margin", "5%", status=4).stderr
    rows = rows_of(tmp_path, values, "--margin", "5%", pairs="--all-pairs")
    assert [row["p_equivalence"] is None for row in rows] == [True, True, False]
    warned = asked(tmp_path, values, "--margin", "5%", pairs="--all-pairs").stderr
    assert f"map: no equivalence over topics for 2 pairs: {told} is no margin" in warned


# Units.


def test_clusters_of_one_size_are_as_many_topics(tmp_path: Path) -> None:
    """Of their means: where few clusters differ too."""
    rng = np.random.default_rng(5)
    dense = rng.uniform(0.2, 0.8, 40) + rng.normal(0, 0.05, (2, 40))
    sparse = copies({0: 0.1, 1: 0.02, 9: -0.04}, 40)
    (tmp_path / "clusters").write_text("".join(f"{topic} c{topic // 4}\n" for topic in range(40)))
    over = ("--clusters", str(tmp_path / "clusters"), "--population", "clusters")
    for values in (dense, sparse):
        ours = row_of(tmp_path, values, "--margin", ".05", *over)
        plain = row_of(tmp_path, values.reshape(2, 10, 4).mean(axis=2), "--margin", ".05")
        assert ours["p_equivalence"] == pytest.approx(plain["p_equivalence"], rel=1e-9)
        assert ours["verdict"] == plain["verdict"]
    said = asked(tmp_path, sparse, *NOT_EQUIVALENT, ".05", *over, status=6)
    assert "(clusters): inconclusive: only 2 of 10 clusters differ, by up to .0300" in said.stderr


# Limits for all pairs at once, and p.


@pytest.mark.parametrize("correction", ["holm", "maxt"])
def test_pairs_that_differ_on_few_topics_have_bounded_limits(tmp_path: Path, correction: str) -> None:
    """At .05 / 3, of differences on [-1, 1]; those of equal runs too, that had none of any width."""
    values = np.vstack((copies([0.3, 0.1, 0.1], 30), np.full(30, 0.5)))
    for row in rows_of(tmp_path, values, "--correction", correction, pairs="--all-pairs"):
        run, baseline = (int(row[side][1:]) for side in ("run", "baseline"))
        expected = [limit.item() for limit in bounded_limits(values[run] - values[baseline], -1.0, 1.0, 0.05 / 3)]
        assert [row["lower_adjusted"], row["upper_adjusted"]] == pytest.approx(expected, abs=1e-9)
        assert row["lower_adjusted"] < 0 < row["upper_adjusted"]


# Power.


# Little.


# Not worse: the lower side alone.


def test_not_worse_is_the_lower_side_of_equivalence(tmp_path: Path) -> None:
    """By scipy's one-sided t, no less than that; of the pair the other way round it is the upper side."""
    rng = np.random.default_rng(5)
    values = rng.uniform(0.2, 0.6, 40) + rng.normal([[0.0], [0.01]], 0.05, (2, 40))
    row, back = (row_of(tmp_path, each, "--margin", ".03") for each in (values, values[::-1]))
    assert row["p_equivalence"] == max(row["p_not_worse"], back["p_not_worse"])
    by_t = stats.ttest_1samp(values[1] - values[0] + 0.03, 0, alternative="greater").pvalue
    assert by_t * (1 - 1e-9) <= row["p_not_worse"] <= 2 * by_t


NOISE = np.random.default_rng(6).normal(0, 1, 60)
ENDS = {
    "a gain of .1": (0.1 + 0.1 * NOISE, 0, ""),
    "the same": (0.02 * NOISE, 0, ""),
    "a gain that is not significant": (0.02 + 0.2 * (NOISE - NOISE.mean()), 0, ""),
    "identical": (0 * NOISE, 0, "identical on these 60 topics; up to 4.9% of others may differ"),
    "worse": (-0.1 + 0.1 * NOISE, 5, "r1 against r0: worse (--fail-if inferior)"),
    "nothing is known": (0.3 * NOISE - 0.3 * NOISE.mean(), 6, "may be worse by more than the margin (p_not_worse = "),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_ends_of_the_gate(name: str, tmp_path: Path) -> None:
    """An improvement never fails it, a pair of which nothing is known never passes; equivalence is another question."""
    difference, status, told = ENDS[name]
    values = np.full((2, 60), 0.475)
    values[1] += difference / 2
    result = asked(tmp_path, values, "--margin", ".025", "--fail-if", "inferior", status=status)
    assert told in result.stderr
    assert ("topics would show that it is not" in result.stderr) == (name == "nothing is known")
    said = asked(tmp_path, values, "--margin", ".025", "--range", "0,10", "--explain")
    assert ("But r1 is not worse than r0 by .025 or more (p = " in said.stdout) == (
        name == "a gain that is not significant"
    )
    assert "--margin 0.025 is 0.25% of the range 0 to 10: a margin is in the units of the scores" in said.stderr
    if name == "a gain of .1":
        asked(tmp_path, values, *NOT_EQUIVALENT, ".025", status=5)


# Less than rounding, and more than the scale.


@pytest.mark.sample(5)
@pytest.mark.parametrize("topics", [2, 3, 12, 50])
@pytest.mark.parametrize("apart", [1e-13, 1e-11, 1e-10])
@pytest.mark.parametrize("kind", ["all", "jitter", "one"])
def test_copies_that_differ_by_rounding_are_identical_over_every_unit(
    tmp_path: Path, topics: int, apart: float, kind: str
) -> None:
    """A difference that no file of scores shows is none, whatever its spread: of topics, of clusters, with every p."""
    rng = np.random.default_rng(topics)
    scores = rng.uniform(0.2, 0.8, topics)
    of_kind = {"all": np.ones(topics), "jitter": rng.choice([-1, 1], topics), "one": np.arange(topics) == 0}
    values = np.vstack((scores, scores + apart * of_kind[kind], 1 - scores))
    clusters = ("--clusters", r"(?P<cluster>.).*")  # of unlike sizes, by the first digit
    for option in ((), ("--correction", "maxt"), clusters, (*clusters, "--correction", "maxt")):
        rows = rows_of(tmp_path, values, "--margin", ".02", *option)
        assert {(row["value"], row["verdict"]) for row in rows if row["run"] == "r1"} == {(0.0, "identical")}
        assert all(row["p"] in (1.0, None) for row in rows if row["run"] == "r1")


def test_jitter_is_not_counted_as_topics_that_differ(tmp_path: Path) -> None:
    """By the one rule of equivalence and of limits: less than a hundredth of the largest difference is next to nothing."""
    rng = np.random.default_rng(5)
    values = copies([0.12, -0.04, 0.01], 50)
    values[1] += 1e-5 * rng.uniform(-1, 1, 50)
    told = asked(tmp_path, values, "--margin", ".03").stderr
    hardly = "3 of 50 topics differ by more than 1% of the largest difference"
    assert f"map: {hardly}: limits assume that no rare large difference was missed" in told
    told = asked(tmp_path, values, *NOT_EQUIVALENT, ".001").stderr
    assert f"inconclusive: only {hardly}, .12" in told


@pytest.mark.parametrize(
    ("topics", "spread", "finds"), [(2, 0.01, False), (5, 0.01, False), (6, 0.01, True), (6, 0.95, False)]
)
def test_no_difference_is_detectable_that_the_scale_or_signs_rule_out(
    tmp_path: Path, topics: int, spread: float, finds: bool
) -> None:
    """With p no less than 2^(1 - topics) five topics never have .05, and on [0, 1] means never differ by more than 1."""
    d = spread * np.where(np.arange(topics) % 2, 1, -0.7)
    values = np.vstack((np.full(topics, 0.5) - d / 2, np.full(topics, 0.5) + d / 2))
    row = row_of(tmp_path, values, "--power")
    sd = d.std(ddof=1)
    if finds:  # the noncentral t distribution's power at that difference
        noncentrality = row["detectable"] / sd * np.sqrt(topics)
        critical = stats.t.isf(0.025, topics - 1)
        assert stats.nct.sf(critical, topics - 1, noncentrality) == pytest.approx(0.8, abs=1e-6)
    else:
        assert row["detectable"] is None or math.isinf(row["detectable"])
        assert topics < 6 or sd / np.sqrt(topics) * (2.57 + 0.84) > 1
    assert row["topics_needed"] is None or row["topics_needed"] >= 6
    if topics == 6 and not finds:
        told = asked(tmp_path, values, "--power", "--explain").stdout
        assert "has 80% power for no difference, however large" in told


@pytest.mark.parametrize("clusters", [(), ("--clusters", r"(?P<cluster>.).*")])
def test_verdicts_on_many_pairs_are_counted(tmp_path: Path, clusters: tuple[str, ...]) -> None:
    rng = np.random.default_rng(6)
    values = np.tile(rng.uniform(0.2, 0.7, 40), (6, 1))
    values[2] += rng.normal(0, 0.005, 40)
    values[3] += 0.1 + rng.normal(0, 0.02, 40)
    values[4:] = rng.uniform(0, 1, (2, 40))
    options = ("--power", "--margin", ".05", *clusters)
    of = rows_of(tmp_path, values, *options, pairs="--all-pairs")
    of = [row for row in of if row["population"] == ("clusters" if clusters else "topics")]
    told = asked(tmp_path, values, "--explain", *options, pairs="--all-pairs").stdout.replace("\n# ", " ")
    counts = [f"{number} {verdict}" for verdict, number in Counter(row["verdict"] for row in of).items()]
    found = re.findall(rf"verdicts on {len(of)} pairs in map are: (.*?)\.", told)
    assert sorted(counts) in [sorted(each.split(", ")) for each in found]
    needed = [row["topics_needed"] for row in of if isinstance(row["topics_needed"], int)]
    among = " to ".join(dict.fromkeys((str(min(needed)), str(max(needed)))))
    assert f"By the pair, {among} topics give 80% power even if" in told

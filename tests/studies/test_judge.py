"""map-ci --judge: lines from runs and from scores, beside plain map-ci; what is refused and warned of; few human topics."""

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from command_lines import irci as command
from command_lines import rows, warnings_of
from helpers import QRELS, SMALL, pick, run_scores, written
from scipy import stats

from irci.data.plans import in_order
from irci.wording import amount, interval_in_words, p_text

RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())][:3]
LIMITS = ("value", "lower", "upper")
HUMAN = ("1", "10", "12", "14", "15", "17", "19", "2", "5", "6", "8", "9")


irci = partial(command, "map-ci", status=0)


rows_of = partial(rows, "map-ci")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    """People's qrels, of a few topics and one that the judge does not have."""
    return _few(tmp_path_factory.mktemp("people") / "people.qrels", HUMAN, "zzz 0 law-00073 1\n")


def _few(path: Path, topics: Sequence[str], more: str = "") -> str:
    lines = Path(QRELS).read_text().splitlines(keepends=True)
    return written(path, "".join(line for line in lines if line.split()[0] in topics) + more)


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A judge of all topics who takes every sixth document for relevant, and misses every fifth relevant one."""
    lines = [line.split() for line in Path(QRELS).read_text().splitlines()]
    judged = (f"{t} 0 {d} {int((int(grade) > 0 and place % 5) or (place % 6 == 0 and 1))}\n"
              for place, (t, _, d, grade) in enumerate(lines))  # fmt: skip
    return written(tmp_path_factory.mktemp("judge") / "judge.qrels", "".join(judged))


def file_of(path: Path, scores: np.ndarray) -> str:
    """Scores[runs, topics] of runs r0, r1, ..."""
    return run_scores(path, {f"r{run}": row for run, row in enumerate(scores)})


def scores_by_both(people: str, judge: str) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Run -> topic -> AP by people, and by the judge, by the plain definition of AP."""
    found: tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]] = ({}, {})
    for of, path in zip(found, (people, judge), strict=True):
        judgments = naive.read_qrels(path)
        for run in RUNS:
            rankings = naive.read_run(run)
            of[Path(run).name.split(".")[0]] = {
                topic.decode(): naive.average_precision(
                    [int(grades.get(docno, 0) > 0) for docno in rankings.get(topic, [])],
                    sum(grade > 0 for grade in grades.values()),
                )
                for topic, grades in judgments.items()
            }
    return found


def of_row(both: tuple[dict[str, dict[str, float]], ...], row: dict[str, Any]) -> list[dict[str, float]]:
    """The scores by people and by the judge that a row is of, of a run or of a difference."""
    run, base = row["run"], row.get("baseline")
    return [{t: score - (of[base][t] if base else 0) for t, score in of[run].items()} for of in both]


def expected(
    y: dict[str, float], f: dict[str, float], lam: float | str, new_topics: bool, confidence: float = 0.95
) -> list[float]:
    others = [f[topic] for topic in sorted(f) if topic not in HUMAN]
    both = [[of[topic] for topic in HUMAN] for of in (y, f)]
    plain = naive.prediction_powered(*both, others, lam, new_topics)
    margin = stats.t.ppf((1 + confidence) / 2, plain["df"]) * plain["error"]
    return [plain["value"], plain["value"] - margin, plain["value"] + margin]


def test_lines_are_those_of_the_plain_formulas(people: str, judge: str) -> None:
    """Of runs and of differences, from runs; with fewer than 20 human topics and 5 runs lambda is 1."""
    both = scores_by_both(people, judge)
    rows = rows_of("--baseline", "alpha", "--judge", judge, people, *RUNS)
    assert len(rows) == (3 + 2) * 4
    for row in rows:
        y, f = of_row(both, row)
        chosen = 1.0 if row["estimator"] == "ppi" else 0.0
        wanted = expected(y, f, chosen, row["population"] == "topics")
        if row["interval"] == "bounded":  # a sample of few topics, as map-ci has it of these alone
            assert (row["estimator"], row["population"], "baseline" in row) == ("human", "topics", False)
            wanted[1:] = [row["lower"], row["upper"]]
        assert [row[name] for name in LIMITS] == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        assert (row["human"], row["others"]) == (len(HUMAN), len(f) - len(HUMAN))
        assert row["judge_mean"] == pytest.approx(np.mean(list(f.values())), rel=1e-12)
        correlation = np.corrcoef([y[topic] for topic in HUMAN], [f[topic] for topic in HUMAN])[0, 1]
        assert row["r"] == pytest.approx(correlation, rel=1e-9)


def test_adjusted_limits_are_those_of_bonferroni(people: str, judge: str) -> None:
    """Of three pairs each at 1 - .05/3, by the error and the degrees of freedom of the plain formulas."""
    both = scores_by_both(people, judge)
    rows = [row for row in rows_of("--all-pairs", "--judge", judge, people, *RUNS) if "p" in row]
    assert len(rows) == 3 * 4
    for row in rows:
        chosen = 1.0 if row["estimator"] == "ppi" else 0.0
        low, high = expected(*of_row(both, row), chosen, row["population"] == "topics", 1 - 0.05 / 3)[1:]
        if row["p_adjusted"] <= 0.05:  # Holm's steps find more than Bonferroni's
            low, high = (max(low, 0), high) if row["value"] > 0 else (low, min(high, 0))
        assert [row["lower_adjusted"], row["upper_adjusted"]] == pytest.approx([low, high], rel=1e-9, abs=1e-12)


def test_ranks_are_what_adjusted_p_tell_apart(people: str, judge: str) -> None:
    """Of each estimator over each population: how many runs are significantly higher, and lower; letters likewise."""
    rows = rows_of("--all-pairs", "--ranks", "--judge", judge, people, *RUNS)
    apart, ranks = 0, pick(rows, measure="rank")
    assert len(ranks) == 3 * 4
    for row in ranks:
        same = pick(rows, population=row["population"], estimator=row["estimator"])
        means = {each["run"]: each["value"] for each in pick(same, measure="map")}
        assert row["value"] == 1 + sum(mean > means[row["run"]] for mean in means.values())
        pairs = [each for each in same if row["run"] in (each["run"], each.get("baseline")) and "baseline" in each]
        found = [each for each in pairs if each["p_adjusted"] <= 0.05]
        higher = sum((each["value"] > 0) == (each["run"] == row["run"]) for each in found)
        assert (row["lower"], row["upper"]) == (1 + len(found) - higher, 3 - higher)
        letters = {each["run"]: set(each["letters"]) for each in pick(same, measure="rank")}
        for each in pairs:
            assert bool(letters[each["run"]] & letters[each["baseline"]]) == (each not in found)
        apart += len(found)
    assert 0 < apart < 2 * 3 * 4


@pytest.mark.parametrize(("human", "others", "kinds"), [(30, 9, ["bounded", "t"]), (8, 4, ["bounded"] * 2)])
def test_limits_that_rest_on_the_judge_are_not_claimed_where_people_s_scores_hardly_vary(
    human: int, others: int, kinds: list[str], tmp_path: Path
) -> None:
    """All but 9 of 30 human topics alike, and all but 10; 4 of 8, and 3: by people alone new topics have bounded limits, or
    t's."""
    rng = np.random.default_rng(1)
    by_judge, by_people = rng.random((2, 50)), np.full((2, human), 0.5)
    by_people[0, :others], by_people[1, : others + 1] = rng.random(others) / 2, rng.random(others + 1) / 2
    of_people = file_of(tmp_path / "people", by_people)
    asked = ["--judge", file_of(tmp_path / "judge", by_judge), "--scores", of_people]
    rows = rows_of(*asked)
    without = [(row["run"], row["population"], row["estimator"]) for row in pick(rows, interval="-")]
    assert without == [("r0", "topics", "ppi"), ("r0", "same-topics", "human"), ("r0", "same-topics", "ppi")]
    alone = rows_of("--population", "topics", "--scores", of_people)
    found = pick(rows, population="topics", estimator="human")
    assert [row["interval"] for row in found] == [row["interval"] for row in alone] == kinds
    for name in LIMITS:
        assert [row[name] for row in found] == pytest.approx([row[name] for row in alone], rel=1e-12)
    said, told = irci(*asked, "--explain"), "for 1 run: half or more of the human topics hardly differ"
    assert f"map: no limits with the judge, or on the same topics, {told}" in said.stderr
    assert "; with the judge: no CI." in said.stdout


def test_scores_give_the_lines_of_runs(people: str, judge: str, tmp_path: Path) -> None:
    """Whatever the order of runs in the judge's file; topics that the judge has not are dropped."""
    files = [str(tmp_path / name) for name in ("people.tsv", "judge.tsv")]
    for qrels, path, runs in ((people, files[0], RUNS), (judge, files[1], RUNS[::-1])):
        line = ["ap-ci", "-B", "0", "--missing", "zero", "--save-scores", path, qrels, *runs]
        command(*line, status=0)
    from_scores = rows_of("--missing", "zero", "--all-pairs", "--judge", files[1], "--scores", files[0])
    assert from_scores == rows_of("--missing", "zero", "--all-pairs", "--judge", judge, people, *RUNS)
    assert "1 topic that" in irci("--judge", files[1], "--scores", files[0]).stderr
    only = ",".join((*HUMAN[:6], "3", "4", "18"))
    with_topics = rows_of("--topics", only, "--judge", files[1], "--scores", files[0])
    assert with_topics == rows_of("--topics", only, "--judge", judge, people, *RUNS)
    assert (with_topics[0]["human"], with_topics[0]["others"]) == (6, 3)


def test_a_judge_who_is_the_people(people: str) -> None:
    """On these topics nothing is left open; the mean is that of all."""
    means = {row["run"]: row["value"] for row in rows_of("--population", "topics", QRELS, *RUNS)}
    exact = pick(rows_of("--judge", QRELS, people, *RUNS), population="same-topics", estimator="ppi")
    for row in exact:
        assert [row[name] for name in LIMITS] == pytest.approx([means[row["run"]]] * 3, rel=1e-12)
    assert len(exact) == 3


def test_what_is_warned_of(people: str, judge: str, tmp_path: Path) -> None:
    nine = _few(tmp_path / "nine", HUMAN[:9])
    assert "only 9 topics: judged by people in map" in irci("--judge", judge, nine, *RUNS).stderr
    assert "only" not in irci("--judge", judge, people, *RUNS).stderr
    assert "map: no gain from the judge: people judged all topics" in irci("--judge", judge, str(QRELS), *RUNS).stderr
    one = _few(tmp_path / "one", [*HUMAN, "3"])  # one topic beside people's
    said = irci("--judge", one, people, *RUNS).stderr
    assert "map: no gain from the judge for 3 runs over topics: the judge has too few topics" in said
    assert "rise" not in said
    few = command("map-ci", "--judge", judge, "--topics", "1,10,12,3,4", people, *RUNS, status=4).stderr
    assert "3 topics judged by people and by the judge" in few


def test_labels_that_were_not_made_alike(people: str, judge: str, tmp_path: Path) -> None:
    """A judge who labelled fewer of the other topics' documents."""
    lines = Path(judge).read_text().splitlines(keepends=True)
    path = tmp_path / "thin"
    path.write_text("".join(line for n, line in enumerate(lines) if line.split()[0] in HUMAN or n % 3))
    said = irci("-m", "map", "-m", "P_10", "--judge", str(path), people, *RUNS).stderr
    assert said.count("were their labels made in the same way?") == 1
    assert "alike?" not in irci("--judge", judge, people, *RUNS).stderr


def test_every_topic_is_drawn_as_often() -> None:
    """Over many seeds: each of 10 topics in about 3 of 10 samples of 3, the first of an order."""
    drawn = [in_order(map(str, range(10)), seed)[:3] for seed in range(300)]
    counts = [sum(str(topic) in each for each in drawn) for topic in range(10)]
    # Each is binomial(300, .3), of which sums to 3 a draw leave 9 free: chi-square, scaled.
    assert sum((count - 90) ** 2 for count in counts) / (90 * 0.7 * 10 / 9) < stats.chi2.ppf(0.999, 9)


def test_a_picture_has_a_series_for_each_question_and_estimator(people: str, judge: str, tmp_path: Path) -> None:
    irci("--plot", str(tmp_path / "a.svg"), "--judge", judge, people, *RUNS)
    drawn = (tmp_path / "a.svg").read_text()
    for what in ("for other topics", "for these topics"):
        assert f"{what}, people alone" in drawn
        assert f"{what}, with the judge" in drawn


@pytest.mark.parametrize(("differ", "told"), [(1, False), (5, True)])
def test_nothing_is_told_with_the_judge_where_the_human_topics_tie(tmp_path: Path, differ: int, told: bool) -> None:
    """One of 8 human topics differs: people alone have limits, the judge none, and no p; with 5 he has."""
    rng = np.random.default_rng(1)
    scores = np.tile(rng.uniform(0.2, 0.6, 30), (2, 1))
    scores[1, :differ] += rng.uniform(0.1, 0.3, 30)[:differ]
    people, judge = file_of(tmp_path / "people", scores[:, :8]), file_of(tmp_path / "judge", scores + 0.05)
    for row in rows_of("--scores", "--baseline", "r0", "-n", "--judge", judge, people):
        has = told or (row["estimator"], row["population"]) == ("human", "topics")
        assert (row["reason"] == "ties") != has
        assert [row[name] is not None for name in ("lower", "upper", "p", "p_adjusted")] == [has] * 4


# Fewer than 20 human topics: a judge of noise, an unlucky draw, one slope for all runs.


SIXTY, TWELVE = 60, 12
UNLUCKY = "were the human topics drawn at random?"
WIDER = "are wider with the judge than without"


def drawn(seed: int, runs: int, sees: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Scores [runs, topics] by people, .06 more for the second run, and by a judge who sees so much of it beside noise."""
    rng = np.random.default_rng(seed)
    people = (
        rng.normal(0.4, 0.15, SIXTY) + rng.normal(0, 0.08, (runs, SIXTY)) + 0.06 * (np.arange(runs) == 1)[:, np.newaxis]
    )
    return people, 0.5 + sees * (people - 0.4) + rng.normal(0, 0.25, (runs, SIXTY))


def files(folder: Path, people: np.ndarray, judge: np.ndarray, human: int = TWELVE) -> list[str]:
    """Options for the judge's scores of all topics and people's of the first."""
    of_judge, of_people = (
        run_scores(folder / name, {f"r{run}": row for run, row in enumerate(scores)}, measure="x")
        for name, scores in (("judge", judge), ("people", people[:, :human]))
    )
    return ["map-ci", "--judge", of_judge, "--scores", of_people]


def pair_of(words: list[str], estimator: str) -> dict[str, float]:
    """The difference over new topics."""
    (row,) = pick(rows(*words, "-n", "--baseline", "r0", "--population", "topics"), estimator=estimator)
    return row


def test_an_unlucky_draw_with_a_judge_of_noise_is_told(tmp_path: Path) -> None:
    """A draw whose limits with the judge leave out the true +.06, though he knows nothing."""
    people, judge = drawn(2849, 2)
    words = files(tmp_path, people, judge)
    with_judge, alone = pair_of(words, "ppi"), pair_of(words, "human")
    assert with_judge["upper"] < 0.06 < alone["upper"]
    assert with_judge["gain"] > 1.5
    differences = judge[1] - judge[0]
    p = stats.ttest_ind(differences[:TWELVE], differences[TWELVE:], equal_var=False).pvalue
    assert p < 0.05
    for of_run in judge:
        assert stats.ttest_ind(of_run[:TWELVE], of_run[TWELVE:], equal_var=False).pvalue > 0.05
    said = command(*words, "-n", "--baseline", "r0", "--explain", status=0)
    (told,) = (line for line in said.stderr.splitlines() if UNLUCKY in line)
    assert f"by the judge, r1 minus r0 differs by {amount(differences[:TWELVE].mean())} on the human topics" in told
    assert f"(Welch's t test: {p_text(p)})" in told
    gain = f"gain {with_judge['gain']:.2f}"
    assert f"x_diff: limits over topics {WIDER} for 1 pair (gain up to {with_judge['gain']:.2f})" in said.stderr
    value = amount(alone["value"])
    lead = f"# For the population of topics: r1 scores {value} higher than r0 in x by the 12 human topics alone"
    assert lead in said.stdout
    limits = interval_in_words(with_judge["lower"], with_judge["upper"])
    assert f"; with the judge: {limits}, wider ({gain})." in said.stdout


@pytest.mark.parametrize(("runs", "human", "pooled"), [(5, 12, True), (6, 19, True), (4, 12, False), (6, 20, False)])
def test_one_slope_for_all_runs(tmp_path: Path, runs: int, human: int, pooled: bool) -> None:
    people, judge = drawn(3, runs, sees=0.8)
    words = files(tmp_path, people, judge, human)
    few = people[:, :human], judge[:, :human]
    for row in rows(*words, "--all-pairs"):
        if row["estimator"] == "human":
            continue
        of_pair = "baseline" in row
        slope = min(1.0, max(0.0, naive.slope_by_regression(*few, topics=of_pair)))
        expected = slope if pooled else 1.0 if human < 20 else math.nan
        y, f = (
            each[int(row["run"][1])] - (each[int(row["baseline"][1])] if of_pair else 0) for each in (people, judge)
        )
        if human == 20:
            assert row["lambda"] != pytest.approx(slope, rel=1e-6)
            continue
        assert row["lambda"] == pytest.approx(expected, rel=1e-9)
        plain = naive.prediction_powered(
            y[:human].tolist(), f[:human].tolist(), f[human:].tolist(), expected, row["population"] == "topics"
        )
        margin = stats.t.ppf(0.975, plain["df"]) * plain["error"]
        found = [row[name] for name in ("value", "lower", "upper")]
        np.testing.assert_allclose(found, [plain["value"], plain["value"] - margin, plain["value"] + margin], rtol=1e-8)


def test_of_many_runs_the_smallest_p_is_adjusted(tmp_path: Path) -> None:
    """A judge who favours one of 8 runs on the human topics a little: unlike by itself, not among 8."""
    _, judge = drawn(4, 8)
    told = []
    for shift in (0.0, 0.6):
        moved = judge.copy()
        moved[5, :TWELVE] += shift
        p = [float(stats.ttest_ind(each[:TWELVE], each[TWELVE:], equal_var=False).pvalue) for each in moved]
        warned = [each for each in warnings_of(*files(tmp_path, moved / 2, moved)) if UNLUCKY in each]
        assert bool(warned) == (min(p) * 8 < 0.05)
        assert all("by the judge, r5 scores" in each and p_text(8 * min(p), "adjusted p") in each for each in warned)
        told.append(bool(warned))
    assert told == [False, True]

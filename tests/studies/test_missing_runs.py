"""Runs that lack topics: which are missing, that all other rows are as without them whatever varies, and how often equal runs
differ significantly where one lacks a tenth of the topics."""

import math
import re
from functools import partial
from pathlib import Path
from typing import Any

import command_lines
import numpy as np
import pytest
from claim_cases import SOURCES, csv_of
from command_lines import irci
from helpers import QRELS, SMALL, pick, unpacked, written
from helpers import RUN_BY_NAME as RUNS
from scipy import stats

import irci as package
from irci.data.scores import topics_and_missing

Rows = list[dict[str, Any]]
rows_of = partial(command_lines.rows, "map-ci")


# The rule.


def naive_made(table: np.ndarray[Any, Any]) -> tuple[list[bool], list[bool]]:
    """The rule in words: again and again, without those that are missing."""
    left, topics = list(range(len(table))), list(range(table.shape[1]))
    every = None
    while True:

        def have(topic: int, runs: list[int]) -> bool:
            number = sum(table[run, topic] for run in runs)
            return number > len(runs) / 2 or (len(runs) == 2 and number == 1) or len(runs) == 1

        over = [topic for topic in topics if have(topic, left)]
        every = every or over
        out = []
        for run in left:
            others = [other for other in left if other != run]
            theirs = [topic for topic in over if sum(table[other, topic] for other in others) > len(others) / 2]
            if sum(1 - table[run, topic] for topic in theirs) > len(theirs) / 10:
                out.append(run)
        left = [run for run in left if run not in out]
        if not out or not left:
            over = over if left else every
            return [topic in over for topic in topics], [run not in left for run in range(len(table))]


def test_the_rule_against_its_words() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        runs, topics = rng.integers(1, 7), rng.integers(1, 31)
        table = (rng.random((runs, topics)) > rng.choice([0.02, 0.1, 0.4], (runs, 1))).astype(float)
        found = topics_and_missing(table)
        assert (found[0].tolist(), found[1].tolist()) == naive_made(table)


# Other rows are as without a run that is missing.

SOME = np.random.default_rng(7).beta(2, 3, (8, 40)).round(6)


def table_of(runs: dict[str, np.ndarray[Any, Any]], names: list[str] | None = None, collection: str = "") -> str:
    begin, names = f"{collection}," * bool(collection), names or [f"t{topic:02}" for topic in range(40)]
    lines = [f"{begin}{run},{name},map,{value!r}" for run, scores in runs.items()
             for name, value in zip(names, scores.tolist(), strict=False) if value == value]  # fmt: skip
    return "\n".join([f"{'collection,' * bool(collection)}run,topic,measure,value", *lines, ""])


def runs_of(number: int, *, without: str = "", near: int = 0) -> dict[str, np.ndarray[Any, Any]]:
    """Runs, the second of which lacks so many topics; and, but for one that is `without`, r9, which lacks ten."""
    runs = {f"r{place}": SOME[place].copy() for place in range(number)}
    runs["r1"][5 : 5 + near] = math.nan
    if not without:
        runs["r9"] = np.where(np.arange(40) < 10, math.nan, SOME[7])
    return runs


def rows_by(folder: Path, text: str, *options: str) -> Rows:
    return rows_of("--scores", *options, written(folder / "scores.csv", text))


def others(rows: Rows) -> Rows:
    return [row for row in rows if "r9" not in (row.get("run"), row.get("baseline"))]


CLUSTERS = r"(?P<cluster>..)."
SHAPES = {
    "topics": ["--all-pairs", "--ranks", "--best", "--power", "--margin", ".05"],
    "maxt": ["--all-pairs", "--correction", "maxt"],
    "holm": ["--all-pairs", "--correction", "holm"],
    "bh": ["--baseline", "r0", "--correction", "bh"],
    "randomization": ["--baseline", "r0", "--test", "randomization"],
    "mean": ["--baseline", "mean", "--margin", "2%"],
    "z": ["--baseline", "r0", "--standardise", "z"],
    "clusters": ["--all-pairs", "--clusters", CLUSTERS, "--ranks"],
    "slices": ["--all-pairs", "--slices", r"t(?P<slice>.).", "--ranks"],
    "looks": ["--baseline", "r0", "--looks", "10,40"],
    "one": ["--interval", "bounded", "-q"],
}


@pytest.mark.parametrize(("name", "near"), [(name, 3 * (place % 2)) for place, name in enumerate(SHAPES)])
def test_a_missing_run_changes_no_other_row(name: str, near: int, tmp_path: Path) -> None:
    """To the last digit; and of it there is a mean, with 0 for what it lacks, and nothing else."""
    every, without = (
        rows_by(tmp_path, table_of(runs_of(4, near=near, without=of)), *SHAPES[name]) for of in ("", "r9")
    )
    assert others(every) == without
    of_missing = [row for row in every if row not in without and row.get("topic", "all") == "all"]
    numbers = {"lower", "upper", "p", "p_adjusted", "p_equivalence", "lower_adjusted", "upper_adjusted"}
    for row in of_missing:
        assert all(row[column] is None for column in numbers & row.keys()), row
        assert row.get("verdict", "missing") == "missing"
    mean = next(row for row in pick(of_missing, run="r9", baseline=None) if row.get("slice", "all") == "all")
    if name != "z":
        assert mean["value"] == pytest.approx(SOME[7, 10:].sum() / 40, rel=1e-12)


def split(name: str, near: int, without: str = "") -> str:
    """Two collections of 40 and 25 topics, in the first of which r9 lacks ten."""
    first, second = runs_of(4, near=near, without=without), runs_of(4, without="r9")
    if not without:
        second["r9"] = SOME[6].copy()
    names = [f"u{topic:02}" for topic in range(25)]
    other = table_of({run: scores[:25] for run, scores in second.items()}, names, "two")
    return table_of(first, collection="one") + other.partition("\n")[2]


@pytest.mark.parametrize(
    ("options", "near"), [(["--all-pairs", "--ranks"], 3), (["--baseline", "r0", "--correction", "maxt"], 0)]
)
def test_collections(options: list[str], near: int, tmp_path: Path) -> None:
    every, without = (rows_by(tmp_path, split("", near, of), *options) for of in ("", "r9"))
    assert others([row for row in every if row.get("collection") != "two"]) == [
        row for row in without if row.get("collection") != "two"
    ]
    (row,) = pick(every, run="r9", collection="all", population="collections", measure="map")
    assert row["value"] == pytest.approx((SOME[7, 10:].sum() / 40 + SOME[6, :25].mean()) / 2, rel=1e-12)
    assert row["lower"] is None
    (row,) = pick(every, run="r9", collection="two", measure="map")
    assert row["lower"] is not None  # there it is not missing


@pytest.mark.parametrize("near", [0, 3])
def test_seeds(near: int, tmp_path: Path) -> None:
    """A system with a run that is missing is missing."""
    runs = {f"{system}_s{seed}": SOME[2 * place + seed] for place, system in enumerate("abc") for seed in (0, 1)}
    runs["a_s1"] = np.where(np.arange(40) < near, math.nan, runs["a_s1"])
    lacking = {**runs, "r9_s0": SOME[6], "r9_s1": np.where(np.arange(40) < 9, math.nan, SOME[7])}
    options = ["--all-pairs", "--seeds", r"(?P<system>.+)_s(?P<seed>.)"]
    every, without = (rows_by(tmp_path, table_of(each), *options) for each in (lacking, runs))
    assert others(every) == without
    (row, *_) = pick(every, run="r9", measure="map")
    assert (row["lower"], row["value"]) == (None, pytest.approx((SOME[6].mean() + SOME[7, 9:].sum() / 40) / 2))


@pytest.mark.parametrize("near", [0, 1, 4])  # of four r9 lacks one too
def test_versions(near: int, tmp_path: Path) -> None:
    """Averaged first: who lacks one of four wordings of each topic lacks a quarter of the topics."""
    names = [f"t{topic:02}v{version}" for topic in range(10) for version in range(4)]
    runs = runs_of(3, near=near, without="r9")
    lacking = {**runs, "r9": np.where(np.arange(40) % 4 == 0, math.nan, SOME[7])}
    options = ["--all-pairs", "--versions", r"(?P<topic>t\d\d)v(?P<version>.)"]
    every, without = (rows_by(tmp_path, table_of(each, names), *options) for each in (lacking, runs))
    assert others(every) == without
    assert pick(every, run="r9", population="topics", measure="map")[0]["lower"] is None


def cut(source: str, path: Path, lacks: range) -> str:
    """A run without some topics."""
    lines = unpacked(Path(source)).decode().splitlines()
    return written(path, "".join(line + "\n" for line in lines if int(line.split()[0]) not in lacks))


@pytest.fixture
def missing(tmp_path: Path) -> str:
    return cut(RUNS["charlie"], tmp_path / "charlie", range(10, 16))


OF_RUNS = {
    "documents": "--all-pairs --ranks --population topics,documents,both -B 200",
    "maxt": "--all-pairs --correction maxt --population documents,both -B 200",
    "judgments": "--all-pairs --population topics,judgments",
    "bounds": "--all-pairs --population judgments",
    "meta": "--baseline alpha --meta random -B 200",
    "survives": "--all-pairs --survives -B 200",
    "judge": f"--all-pairs --survives -B 200 --other-qrels {SMALL}/llm.txt",
    "people": f"--all-pairs --judge {SMALL}/llm.txt",
    "topics": "-q -m gm_map",
}


@pytest.mark.parametrize(("name", "near"), [(name, 2 * (place % 2)) for place, name in enumerate(OF_RUNS)])
def test_a_missing_run_changes_no_other_row_of_rankings(name: str, near: int, tmp_path: Path, missing: str) -> None:
    bravo = cut(RUNS["bravo"], tmp_path / "bravo", range(1, 1 + near))
    asked = [*OF_RUNS[name].split(), QRELS, RUNS["alpha"], bravo, RUNS["echo"]]
    every, without = rows_of(*asked, missing), rows_of(*asked)
    assert [row for row in every if "charlie" not in (row.get("run"), row.get("baseline"))] == without
    of_missing = pick(every, run="charlie")
    assert of_missing
    assert all(row.get("p") is None for row in of_missing)


# Missing baselines, and what becomes of them.


@pytest.mark.parametrize("runs", [["alpha"], ["alpha", "bravo"]])
def test_a_missing_baseline_makes_all_pairs_missing(runs: list[str], missing: str) -> None:
    asked = ["compare", QRELS, missing, *(RUNS[run] for run in runs)]
    pairs = [row for row in command_lines.rows(*asked, "--margin", ".1") if row.get("baseline")]
    assert [row["verdict"] for row in pairs] == ["missing"] * len(runs)
    assert all(row["p"] is None and row["p_adjusted"] is None and row["lower"] is None for row in pairs)
    for condition in ("worse", "not-equivalent"):
        told = irci(*asked, "--margin", ".1", "--fail-if", condition, status=6).stderr
        assert "charlie lacks 6 of 20 topics, and so is missing (--missing zero scores 0 there, drop leaves" in told
    for how in ("zero", "drop"):
        assert irci(*asked, "--missing", how, "--fail-if", "worse").exit_code != 6


# What lacks fewer topics.


def test_of_a_run_that_lacks_a_tenth_the_larger_p_and_the_wider_limits(tmp_path: Path) -> None:
    """By scipy, with 0 and without these topics; the value is with 0."""
    runs = runs_of(3, near=4, without="r9")
    rows = rows_by(tmp_path, table_of(runs), "--all-pairs", "--interval", "t")
    filled = {run: np.nan_to_num(scores) for run, scores in runs.items()}
    there = ~np.isnan(runs["r1"])
    for row in pick(rows, measure="map_diff"):
        run, baseline = row["run"], row["baseline"]
        tests = [stats.ttest_rel(filled[run][some], filled[baseline][some]) for some in (np.ones(40, bool), there)]
        tests = tests if "r1" in (run, baseline) else tests[:1]
        limits = [test.confidence_interval(0.95) for test in tests]
        assert row["value"] == pytest.approx((filled[run] - filled[baseline]).mean(), rel=1e-12)
        assert row["p"] == pytest.approx(max(test.pvalue for test in tests), rel=1e-9)
        assert row["lower"] == pytest.approx(min(each.low for each in limits), rel=1e-9)
        assert row["upper"] == pytest.approx(max(each.high for each in limits), rel=1e-9)


NO_SURER = {
    **{name: [option for option in options if option != "--ranks"] for name, options in SHAPES.items() if name != "looks"},
    "mean": ["--all-pairs", "--clusters", CLUSTERS, "--mean", "clusters", "--margin", ".05"],
    "cdf": ["--all-pairs", "--standardise", "cdf", "--margin", ".05"],
    "t": ["--all-pairs", "--interval", "t", "--margin", "5%"],
    "prediction": ["--all-pairs", "--interval", "prediction"],
    "wilcoxon": ["--all-pairs", "--test", "wilcoxon"],
    "slices": ["--all-pairs", "--correction", "none", "--slices", r"t(?P<slice>.)."],
    "collections": ["--all-pairs", "--margin", ".05"],
}  # fmt: skip
P_OF_PAIRS = [f"p{what}{how}" for what in ("", "_equivalence", "_not_worse") for how in ("", "_adjusted")]
IDENTIFYING = ("measure", "run", "baseline", "population", "slice", "collection", "estimator")


def assert_no_surer(rows: Rows, zero: Rows, without: Rows) -> None:
    """Each p is no less, and each limit no nearer, than with 0 and without, and not there where it is not there without."""

    def key(row: dict[str, Any]) -> tuple[object, ...]:
        return *(row.get(name) for name in IDENTIFYING), "F" in row, "Q" in row, "p_best" in row

    with_0, fewer = ({key(row): row for row in rows} for rows in (zero, without))
    assert with_0.keys() == {key(row) for row in rows}
    number = 0
    for row in rows:
        others = [of.get(key(row), {}) for of in (with_0, fewer)]
        for name in row if "r1" in (row.get("run"), row.get("baseline")) else row.keys() & {"p_best"}:
            side = {"lower": -1, "upper": 1}.get(name.removeprefix("tau_").removesuffix("_adjusted"), 0)
            if side or name in ("p_best", "Q_p", *P_OF_PAIRS):
                known = [other.get(name) for other in others]
                if None in known and "p_best" not in row:  # without, another run may be the best
                    assert row[name] is None, (name, row)
                elif row[name] is not None:
                    least = max((side or 1) * each for each in known if each is not None)
                    assert (side or 1) * row[name] >= least - 1e-9 * abs(least), (name, row)
                    number += 1
    assert number > 1


@pytest.mark.parametrize(("name", "seed"), [(name, place % 4) for place, name in enumerate(NO_SURER)])
def test_p_and_limits_are_no_surer_than_with_0_or_without(name: str, seed: int, tmp_path: Path) -> None:
    """Of two runs, graded or not or near copies, the second of which lacks a tenth of the topics, side by side or not."""
    rng, two = np.random.default_rng([seed, len(name)]), name == "collections"
    scores = np.clip(SOME[6] + rng.normal(0, 0.1, (2, 40)), 0.01, 1).round(6)
    kinds = [scores, (scores > 0.4) * 1.0, np.where(rng.random(40) < 0.6, scores[0], scores)]
    graded = kinds[rng.integers(3) if name != "z" else 0]
    lacks = rng.permutation(20)[:2].tolist() + (20 + rng.permutation(20)[:2]).tolist() if two else range(12, 16)
    lacks = rng.permutation(40)[:4].tolist() if seed % 2 and not two else lacks
    lacking = [graded[0], np.where(np.isin(np.arange(40), lacks), math.nan, graded[1])]
    fewer = np.where(np.isin(np.arange(40), lacks), math.nan, graded)

    def rows(runs: Any, missing: str) -> Rows:
        table = dict(zip(("r0", "r1"), runs, strict=True))
        text = table_of(table) if not two else table_of({run: each[:20] for run, each in table.items()}, None, "one")
        if two:
            names = [f"t{topic}" for topic in range(20, 40)]
            text += table_of({run: each[20:] for run, each in table.items()}, names, "two").partition("\n")[2]
        return rows_by(tmp_path, text, "--missing", missing, *NO_SURER[name])

    assert_no_surer(rows(lacking, "auto"), rows(lacking, "zero"), rows(fewer, "zero"))


@pytest.mark.parametrize("options", [[], ["--correction", "maxt"]], ids=" ".join)
def test_the_lead_of_a_run_that_lacks_topics_is_no_surer(options: list[str], tmp_path: Path) -> None:
    """Of the best of four over a baseline: limits that allow for its having been picked hold without these topics, too."""
    rng = np.random.default_rng(2)
    runs = {f"r{run}": np.clip(SOME[0] / 2 + 0.02 * (run == 1) + rng.normal(0, 0.05, 40), 0, 1) for run in range(4)}
    baseline = ["--baseline", "r0", "--best", *options]
    lacks = np.isin(np.arange(40), rng.permutation(40)[:4])
    runs["r0"][lacks] = 0  # fewer topics then make limits wider
    fewer = {run: np.where(lacks, math.nan, scores) for run, scores in runs.items()}
    lacking = {**runs, "r1": fewer["r1"]}

    def lead(runs: dict[str, Any], missing: str) -> dict[str, Any]:
        rows = rows_by(tmp_path, table_of(runs), "--missing", missing, *baseline)
        (row,) = [row for row in rows if "of" in row and row.get("baseline")]
        assert row["run"] == "r1"
        return row

    row, others = lead(lacking, "auto"), [lead(lacking, "zero"), lead(fewer, "zero")]
    assert row["lower"] == pytest.approx(others[1]["lower"], abs=1e-12) != others[0]["lower"]
    assert row["upper"] >= max(other["upper"] for other in others) - 1e-12


def test_nothing_is_found_in_a_slice_of_which_a_run_has_no_topic(tmp_path: Path) -> None:
    """With 0 it would differ there, p .0078, and gains would differ between slices, p .0001."""
    topics = np.random.default_rng(1).beta(2, 3, 80)
    scores = np.clip(topics + np.random.default_rng(2).normal(0, 0.1, (3, 80)), 0.05, 1)
    scores[1, :8] = math.nan
    names = [f"{'ab'[topic >= 8]}{topic}" for topic in range(80)]
    runs = dict(zip("xyz", scores, strict=True))
    rows = rows_by(tmp_path, table_of(runs, names), "--all-pairs", "--slices", "(?P<slice>.).*")
    of_y = [row for row in rows if "y" in (row.get("run"), row.get("baseline"))]
    told = [row["p"] for row in of_y if "F" in row or ("p" in row and row["slice"] == "a")]
    assert told == [None] * 4
    assert all(row["p"] > 0.05 for row in of_y if "p" in row and row.get("slice") in ("all", "b"))


@pytest.mark.parametrize("lacks", [(0, 1), (30, 31, 32), (0, 1, 2, 30)])
def test_with_a_judge_nothing_is_surer(lacks: tuple[int, ...], tmp_path: Path) -> None:
    """Nor known at all where fewer than four of people's six topics are left without those that a run lacks."""
    rng = np.random.default_rng(5)
    people, judge = (np.clip(SOME[:2] + rng.normal(0, 0.05, (2, 40)), 0, 1) for _ in range(2))
    people[:, 6:] = math.nan

    def rows(missing: str, runs: slice) -> Rows:
        both = people.copy(), judge.copy()
        for of in both:
            of[runs, list(lacks)] = math.nan
        of_people, of_judge = (table_of(dict(zip(("r0", "r1"), of, strict=True))) for of in both)
        asked = ("--missing", missing, "--all-pairs", "--judge", written(tmp_path / "judge.csv", of_judge))
        return rows_by(tmp_path, of_people, *asked)

    every = rows("auto", slice(1, 2))
    if sum(topic < 6 for topic in lacks) > 2:
        of_one = pick(every, run="r1")
        assert len(of_one) == 8
        assert all(row["lower"] is row["upper"] is row.get("p") is None for row in of_one)
    else:
        assert_no_surer(every, rows("zero", slice(1, 2)), rows("zero", slice(2)))


# All or nothing: dropped for all, or scored 0.


@pytest.mark.parametrize(
    ("source", "correction"), [(source, ("holm", "maxt")[place % 2]) for place, source in enumerate(SOURCES)]
)
def test_what_a_run_lacks_is_dropped_for_all_or_scores_0(source: str, correction: str) -> None:
    """Rows are those of a table without that topic, or with 0: means, pairs, ranks, equivalence, the best."""
    head, *lines = csv_of(source, "graded", 3, 20).decode().split()
    lacks = lines[len(lines) // 2]
    run, topic, measure, _, *collection = lacks.split(",")
    options: dict[str, Any] = SOURCES[source] | {"correction": correction, "all_pairs": True, "margin": "5%"}
    options |= {"best": True} if source == "topics" else {"ranks": True}
    options |= {"population": "topics"} if source == "seeds" and correction == "maxt" else {}

    def report(lines: list[str], **missing: str) -> Any:
        return package.map_ci(scores="\n".join([head, *lines, ""]).encode(), **options, **missing)

    without = [line for line in lines if line.split(",")[1] != topic]
    filled = [",".join((run, topic, measure, "0", *collection)) if line == lacks else line for line in lines]
    for missing, expected in (("drop", without), ("zero", filled)):
        found = report([line for line in lines if line != lacks], missing=missing)
        rows, those = ([dict(row) for table in each.tables for row in table.rows] for each in (found, report(expected)))
        assert repr(rows) == repr(those)
        if source == "topics":
            told = {"drop": "1 of 20 topics left out, as not all runs have them", "zero": "1 topic missing, scored 0"}
            assert any(told[missing] in each for each in found.warnings), found.warnings


# Other commands leave it out.


@pytest.mark.parametrize(
    "line",
    ["ap-ci -B 50", "partition-anova -x 2 -B 50 --policy drop", f"judges --other-qrels {SMALL}/llm.txt -B 50",
     f"wcw --table variance --judge {SMALL}/llm.txt"],
)  # fmt: skip
def test_other_commands_leave_it_out(line: str, missing: str) -> None:
    asked = [*line.split(), QRELS, RUNS["alpha"], RUNS["bravo"], RUNS["echo"]]
    with_it = irci(*asked, missing)
    assert "charlie lacks 6 of " in with_it.stderr
    assert with_it.stdout == irci(*asked).stdout


@pytest.mark.parametrize("line", ["swap-error --sizes 5,10", "partition-anova -B 50"])
def test_versions_that_a_system_lacks(line: str, tmp_path: Path) -> None:
    """A system without three of 20 topics is left out; one without a version scores 0 there, as --missing zero says."""
    asked = [*line.split(), "--scores", "--versions", r"(?P<topic>\d+)(?P<version>\d\d)"]
    whole = (SMALL / "versions.csv").read_text().splitlines()
    missing, alone, near = (
        [*asked, written(tmp_path / name, "\n".join(each for each in whole if not re.match(lacks, each)) + "\n")]
        for name, lacks in (("missing", "charlie,1[0-2]"), ("alone", "charlie"), ("near", "charlie,101,"))
    )
    assert "charlie lacks" in irci(*missing).stderr
    assert irci(*missing).stdout == irci(*alone).stdout
    assert irci(*near).stdout == irci(*near, "--missing", "zero").stdout
    assert "charlie lacks 1/01: scored 0" in irci(*near).stderr


def test_a_run_that_one_measure_lacks_is_missing_by_that_alone(tmp_path: Path) -> None:
    """Rows are those of files with one of the measures; where all measures are one family it is missing by all."""
    rng = np.random.default_rng(8)
    cells = [(f"r{run}", f"t{topic}", name) for run in range(4) for topic in range(30) for name in ("map", "P_10")]
    lines = [
        f"{','.join(cell)},{rng.random():.3f}" for cell in cells if cell[::2] != ("r3", "P_10") or int(cell[1][1:]) > 7
    ]

    def rows(*options: str, only: str = "") -> list[dict[str, Any]]:
        path = tmp_path / "scores.csv"
        path.write_text("\n".join(["run,topic,measure,value", *(line for line in lines if only in line)]) + "\n")
        return rows_of("--scores", "--baseline", "r0", "--ranks", *options, path)

    both, apart = rows(), [row for name in ("map", "P_10") for row in rows(only=f",{name},")]
    key = lambda row: (row["run"], row["measure"], row.get("baseline", ""), row.get("ranked_by", ""))  # noqa: E731
    for row, alone in zip(sorted(both, key=key), sorted(apart, key=key), strict=True):
        assert row.keys() == alone.keys()
        numbers = [name for name, cell in alone.items() if isinstance(cell, float)]
        assert [row[name] for name in numbers] == pytest.approx([alone[name] for name in numbers], rel=1e-12)
        assert all(row[name] == cell for name, cell in alone.items() if name not in numbers)
    told = {(row["run"], row["measure"]): row["lower"] for row in both if "baseline" in row}
    assert told["r3", "map_diff"] is not None
    assert told["r3", "P_10_diff"] is None
    assert all(row["lower"] is None for row in rows("--family", "joint") if row["run"] == "r3" and "baseline" in row)


# Where all runs are missing, or all that are trained.


@pytest.mark.parametrize(("population", "baseline"), [("documents", "r0"), ("judgments", "r0"), ("topics", "median")])
def test_all_runs_may_be_missing(population: str, baseline: str) -> None:
    """Each of three lacks a third of the topics, which both others have; no warning of numpy's is given."""
    qrels = {f"t{topic}": {"d0": 1, "d1": 0} for topic in range(9)}
    ranking = {"d0": 1.0, "d1": 2.0}
    runs = {f"r{run}": {f"t{topic}": ranking for topic in range(9) if topic % 3 != run} for run in range(3)}
    report = package.compare(qrels, runs, population=[population], baseline=baseline)
    rows = [row for table in report.tables for row in table.rows]
    assert [math.isnan(row["lower"]) for row in rows] == [True] * (6 if baseline == "median" else 5)
    assert report.signature["baseline"] == baseline


def test_all_runs_of_people_may_be_missing(tmp_path: Path) -> None:
    """Each lacks three of the topics of both; a judge that has all of them gives no limits, and nothing is warned of him."""
    runs = {
        "a": np.where(np.arange(12) < 3, math.nan, SOME[0, :12]),
        "b": np.where(np.arange(12) > 8, math.nan, SOME[1, :12]),
    }
    judge = written(tmp_path / "judge.csv", table_of({"a": SOME[2, :12], "b": SOME[3, :12]}))
    rows = rows_by(tmp_path, table_of(runs), "--judge", judge, "--all-pairs")
    assert {row["lower"] for row in rows} == {None}


def test_false_alarms_of_runs_that_are_all_missing_are_refused(tmp_path: Path) -> None:
    runs = {f"r{run}": np.where(np.arange(12) // 3 == run, math.nan, SOME[run, :12]) for run in range(3)}
    path = written(tmp_path / "scores.csv", table_of(runs))
    refused = irci("stdap-ci", "--validate", "5", "--sizes", "2", "--scores", path, status=4)
    assert "too few runs: give at least 2" in refused.stderr


SEEDED = {  # systems a and b with three seeds each, the first of which lacks topics
    f"{system}_{seed}": np.where((np.arange(40) < 12) & (seed == 0), math.nan, SOME[seed + 3 * (system == "b")])
    for system in "ab" for seed in range(3)
}  # fmt: skip
BY_NAME = ["--seeds", "(?P<system>.)_(?P<seed>.)"]


def test_all_trained_systems_may_be_missing(tmp_path: Path) -> None:
    listed = ["v v -", *(f"{run} {run[0]} {run[-1]}" for run in SEEDED)]
    seeds = ["--all-pairs", "--seeds", written(tmp_path / "seeds.txt", "\n".join([*listed, ""]))]
    rows = rows_by(tmp_path, table_of({"v": SOME[7], **SEEDED}), *seeds)
    assert [row["lower"] is None for row in rows] == [False] + 5 * [True]
    asked = ["compare", "--survives", *seeds, "--population", "seeds", "--scores", tmp_path / "scores.csv"]
    assert "nothing can be said over seeds (--population topics)" in irci(*asked, status=4).stderr
    rows = rows_by(tmp_path, table_of(SEEDED), "--all-pairs", "--ranks", *BY_NAME)
    assert [row["lower"] for row in rows] == 3 * [None]


def test_differences_of_a_missing_system_are_on_the_scale_of_rows(tmp_path: Path) -> None:
    """The logarithm of geometric means over topics of geometric means over seeds."""
    rows = rows_by(tmp_path, table_of({**SEEDED, "b_0": SOME[6]}), "-m", "gm_map", "--baseline", "b", *BY_NAME)
    means = {row["run"]: row["value"] for row in rows if "baseline" not in row}
    logs = np.log(np.maximum(np.nan_to_num([SEEDED[f"a_{seed}"] for seed in range(3)]), 1e-5))
    assert means["a"] == pytest.approx(np.exp(logs.mean()), rel=1e-12)
    (difference,) = pick(rows, baseline="b", population="topics")
    assert difference["value"] == pytest.approx(math.log(means["a"] / means["b"]), rel=1e-12)

"""Scores as JSON: what pytrec_eval and ranx keep, and MTEB's results, whose tasks are topics."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_lines import printed, rows, warnings_of
from helpers import TESTDATA, refusal, written

import irci as package
from irci.data.score_files import read_scores

QRELS, RUNS = TESTDATA / "qrels.txt", sorted((TESTDATA / "runs").iterdir())


def test_levels_are_asked_for_in_memory() -> None:
    with pytest.raises(package.IrciError, match="are the measures outside"):
        package.map_ci(scores={"a": {"map": {"1": 3, "AP": 4.5}}})


def test_a_name_twice_among_many_is_found_at_once(tmp_path: Path) -> None:
    """20,000 names took 8 s where each was counted."""
    names = ", ".join(f'"{name}": {{"map": 0.5}}' for name in (*range(20_000), 19_999))
    path = written(tmp_path / "x.json", f"{{{names}}}")
    began = time.process_time()
    assert refusal(lambda: read_scores([path]), path) == [": '19999' twice in one object"]
    assert time.process_time() - began < 2


def test_results_of_pytrec_eval(tmp_path: Path) -> None:
    """The object itself, as Python has it and as json keeps it: the same rows as of its runs, but for what scores lack."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    with QRELS.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"map", "P.5"})
    found = {}
    for path in RUNS[:2]:
        with path.open() as file:
            found[path.stem] = evaluator.evaluate(pytrec_eval.parse_run(file))
    together = written(tmp_path / "all.json", found)
    (table,), _ = read_scores([together])
    for place, name in enumerate(table.runs):
        for at, topic in enumerate(table.topics):
            for measure in table.values:
                value = table.values[measure][place, at]
                assert value == found[name][topic][measure] if topic in found[name] else np.isnan(value)
    expected = rows("map-ci", "--all-pairs", "-m", "map", "--scores", together)
    assert json.loads(package.map_ci(scores=found, all_pairs=True, measures=["map"]).to_json())["rows"] == expected
    each = [written(tmp_path / f"{name}.json", scores) for name, scores in found.items()]
    assert rows("map-ci", "--all-pairs", "-m", "map", "--scores", *each) == expected


# MTEB.

Tasks = dict[str, dict[str, dict[str, float]]]  # task -> split -> subset -> main score


def result(folder: Path, task: str, splits: dict[str, dict[str, float]]) -> str:
    scores = {
        split: [
            {"hf_subset": name, "languages": ["eng-Latn"], "main_score": score, "ndcg_at_10": score / 2, "of": {"v": 1}}
            for name, score in subsets.items()
        ]
        for split, subsets in splits.items()
    }
    about = {"dataset_revision": "x", "task_name": task, "mteb_version": "2.1.0"}
    return written(folder / f"{task}.json", {**about, "scores": scores, "evaluation_time": 3.5}, indent=2)


REVISION = "0123456789abcdef0123456789abcdef01234567"
OF_MODELS: dict[str, Tasks] = {
    f"org__a/{REVISION}": {
        "ArguAna": {"test": {"default": 0.5}}, "BUCC": {"test": {"de-en": 0.75, "fr-en": 0.5}},
        "STS12": {"test": {"default": -0.25}, "dev": {"default": 1.0}},
    },
    f"b/{REVISION}": {
        "ArguAna": {"test": {"default": 0.25}}, "BUCC": {"test": {"de-en": 1.0}}, "STS12": {"test": {"default": 0.75}},
    },
    "c": {"ArguAna": {"test": {"default": 0.75}}, "BUCC": {"test": {"fr-en": 1.0, "de-en": 0.0}}},
}  # fmt: skip


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Three models: one folder names its revision, one has a description, one has neither."""
    for model, tasks in OF_MODELS.items():
        for task, splits in tasks.items():
            result(tmp_path / "results" / model, task, splits)
    written(tmp_path / "results" / "b" / REVISION / "model_meta.json", {"name": "other/b-large", "revision": "x"})
    return tmp_path / "results"


def test_tasks_are_topics(results: Path) -> None:
    """Means over the subsets of splits that all have; a model without a subset that others have has no score."""
    (table,), recognised = read_scores(sorted(map(str, results.rglob("[ABS]*.json"))))
    assert (table.topics, recognised[0][1]) == (["ArguAna", "BUCC", "STS12"], "results of MTEB, tasks as topics")
    found = dict(zip(table.runs, table.values["main_score"].tolist(), strict=True))
    nan = pytest.approx(np.nan, nan_ok=True)
    assert found == {"org/a": [0.5, 0.625, -0.25], "other/b-large": [0.25, nan, 0.75], "c": [0.75, 0.5, nan]}


def test_a_folder_of_results(results: Path) -> None:
    """Stands for all the files in it, on the command line and in Python; -m chooses another score."""
    asked = ["map-ci", "--all-pairs", "--scores"]
    found = rows(*asked, results)
    assert found == rows(*asked, *sorted(results.rglob("[ABS]*.json")))
    assert found == json.loads(package.map_ci(scores=results, all_pairs=True).to_json())["rows"]
    halves = rows(*asked, "-m", "ndcg_at_10", results)
    assert [row["value"] * 2 for row in halves] == pytest.approx([row["value"] for row in found])
    told = warnings_of(*asked, results)
    assert "STS12: 1 split that some run lacks, left out: dev" in told
    assert "other/b-large: 1 task without all subsets that other runs have, not scored: BUCC" in told


def test_tasks_that_some_run_lacks(results: Path, tmp_path: Path) -> None:
    """They count for nobody, whichever measure they are scored by, unless it is said what is to become of them."""
    asked = ["map-ci", "--scores", "--all-pairs"]
    shutil.copytree(results, tmp_path / "common", ignore=lambda *_: ["BUCC.json", "STS12.json"])
    common = rows(*asked, tmp_path / "common")
    assert rows(*asked, results) == common
    means = {row["run"]: row["value"] for row in common if "baseline" not in row}
    assert means == {"org/a": 0.5, "other/b-large": 0.25, "c": 0.75}
    lacking = "left out, as not all runs have them (other/b-large lacks 1): BUCC STS12"
    assert f"--missing auto: 2 of 3 tasks {lacking}" in warnings_of(*asked, results)
    sums = {row["run"]: row["value"] * 3 for row in rows("map-ci", "--scores", "--missing", "zero", results)}
    assert sums == pytest.approx({"org/a": 0.875, "other/b-large": 1.0, "c": 1.25})
    assert f"--missing drop: 2 of 3 tasks {lacking}" in warnings_of(*asked, "--missing", "drop", results)
    assert "1 topic missing (--missing error): BUCC" in printed(*asked, "--missing", "error", results, status=4)
    assert "left out" not in warnings_of(*asked, "--topics", "ArguAna", results)
    next(results.glob("c/ArguAna.json")).unlink()
    told = "the runs have no task in common"
    assert told in printed(*asked, results, status=4)


def test_points_over_tasks_and_families(results: Path, tmp_path: Path) -> None:
    """A task that a model lacks gives it no points, and the others one each for beating it."""
    found = rows("map-ci", "--scores", "--standardise", "rank", results)
    assert {row["run"]: row["value"] * 3 for row in found} == pytest.approx({"org/a": 4, "other/b-large": 2, "c": 3})
    clusters = written(tmp_path / "families", "ArguAna retrieval\nBUCC mining\nSTS12 similarity\n")
    found = rows("map-ci", "--scores", "--standardise", "rank", "--clusters", clusters, results)
    assert {row["population"] for row in found} == {"clusters", "topics"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda given: given.pop("scores"), "not a result of MTEB: needs task_name"),
        (lambda given: given.update(scores={"test": [{"main_score": 1}]}), "not a result of MTEB: needs task_name"),
        (lambda given: given.update(scores={"test": given["scores"]["test"] * 2}), "each subset once"),
        (lambda given: given.update(mteb_dataset_name=given.pop("task_name")), "a str, where"),
        (lambda given: given.update(scores={}), "no split that all runs have"),
    ],
)
def test_what_is_no_result(results: Path, change: Any, reason: str) -> None:
    path = results / "c" / "ArguAna.json"
    given = json.loads(path.read_text())
    change(given)
    written(path, given, indent=2)
    status = 4 if reason.startswith("no split") else 3
    assert reason in printed("map-ci", "--scores", results, status=status)


def test_what_results_lack(results: Path, tmp_path: Path) -> None:
    asked = ["map-ci", "--scores"]
    told = "no made_up in these results of MTEB; there are main_score ndcg_at_10"
    assert told in printed(*asked, "-m", "made_up", results, status=4)
    result(results / "c" / "1234567", "ArguAna", {"test": {"default": 0.5}})
    assert "main_score of run 'c' on topic 'ArguAna' twice" in printed(*asked, results, status=3)
    result(results / "c" / "1234567", "Empty", {"test": {}})
    (results / "c" / "1234567" / "ArguAna.json").unlink()
    told = "1 task without all subsets that other runs have, not scored: "
    (warned,) = [line for line in warnings_of(*asked, results) if told in line]
    assert " (the like of 1 other run: " in warned
    (tmp_path / "empty").mkdir()
    assert "is a directory" in printed(*asked, tmp_path / "empty", status=3)


def test_a_folder_of_results_is_recognised() -> None:
    """As with --scores; one with judgments holds collections."""
    asked = ["map-ci", "--quiet", "--standardise", "rank", TESTDATA / "leaderboard"]
    assert printed(*asked) == printed(*asked, "--scores")
    assert package.map_ci(TESTDATA / "leaderboard").to_text("csv") == printed(*asked[:2], "--format", "csv", asked[-1])

"""map-ci --versions: several wordings of each topic's query, however runs, topics and judgments name them."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import command_lines
import numpy as np
import pytest
from command_lines import irci
from helpers import score_table

RULE = r"(?P<topic>[^.]+)\.(?P<version>.+)"
Scores = dict[str, dict[str, dict[str, float]]]  # of each run, topic and version


invoke = partial(irci, "map-ci")
rows = partial(command_lines.rows, "map-ci")


def some_scores(sizes: Sequence[int], runs: Sequence[str] = ("A", "B", "C"), seed: int = 1) -> Scores:
    """Topics t0, t1, ... with so many versions."""
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.1, 0.6, len(sizes))

    def of_topic(topic: int, effect: float) -> dict[str, float]:
        return {f"v{v}": max(0.0, float(level[topic] + rng.normal(effect, 0.1))) for v in range(sizes[topic])}

    return {run: {f"t{topic}": of_topic(topic, 0.02 * place) for topic in range(len(sizes))}
            for place, run in enumerate(runs)}  # fmt: skip


def saved(path: Path, scores: Scores) -> str:
    """As a table, whose topic ids are TOPIC.VERSION."""
    cells = ((run, f"{topic}.{version}", value) for run, topics in scores.items()
             for topic, versions in topics.items() for version, value in versions.items())  # fmt: skip
    return str(score_table(path, cells))


def of(found: Sequence[Mapping[str, Any]], run: str, population: str, measure: str = "map_diff") -> dict[str, Any]:
    keys = {"run": run, "population": population, "measure": measure}
    return next(dict(row) for row in found if keys.items() <= row.items())


# What is missing.


def lacking(scores: Scores, run: str, topic: str, version: str) -> Scores:
    """Without one score."""
    rest = {v: value for v, value in scores[run][topic].items() if v != version}
    return {**scores, run: {**scores[run], topic: rest}}


def test_versions_that_a_system_lacks(tmp_path: Path) -> None:
    """Named, or refused."""
    file = saved(tmp_path / "s", lacking(some_scores((3, 3, 3, 3, 3)), "B", "t1", "v2"))
    options = ("--scores", "--versions", RULE, "--baseline", "A")
    assert "B: 1 version missing, scored 0: t1/v2" in invoke(*options, "--missing", "zero", file).stderr
    refused = invoke(*options, "--missing", "error", file, status=4)
    assert "B: 1 version missing (--missing error): t1/v2 ..." in refused.stderr


def test_scores_of_runs_that_are_of_no_version_make_none(tmp_path: Path) -> None:
    """A topic that only such a run is scored on is no topic of the others, on which they would score 0."""
    lines = [f"{run},{topic},map,0.{topic}" for run in ("A-1", "A-2", "other") for topic in (1, 2, 3)]
    (tmp_path / "s.csv").write_text("\n".join(["run,topic,measure,value", *lines, "other,4,map,0.9"]) + "\n")
    result = invoke("--scores", "--versions", "(?P<system>.)-(?P<version>.)", "--format", "json", tmp_path / "s.csv")
    assert "other: 4 of 4 topics that --versions does not know, ignored" in result.stderr
    row = of(json.loads(result.stdout)["rows"], "A", "topics", "map")
    assert (row["value"], row["topics"], row["versions"]) == (pytest.approx(0.2), 3, 6)


def judged(folder: Path, topics: Sequence[str]) -> Path:
    (folder / "qrels").write_text("".join(f"{topic} 0 r 1\n{topic} 0 n 0\n" for topic in topics))
    return folder / "qrels"


def run_of(folder: Path, name: str, ranks: Mapping[str, int]) -> Path:
    """A run that has the relevant document of a topic id at a rank."""
    lines = []
    for topic, rank in ranks.items():
        docnos = [*(f"x{place}" for place in range(1, rank)), "r"]
        lines += [f"{topic} Q0 {docno} {place} {-place} {name}\n" for place, docno in enumerate(docnos, 1)]
    (folder / name).write_text("".join(lines))
    return folder / name


def test_versions_of_runs_and_of_topic_ids_judged_by_topic_or_by_id(tmp_path: Path) -> None:
    """The same rankings, named in three ways: a run a version, topic ids with judgments of the topic, and of the id."""
    ranks = {("A", "1"): (1, 2, 4), ("A", "2"): (2, 2, 5), ("B", "1"): (1, 4, 4), ("B", "2"): (5, 2, 1)}
    of_runs = [
        run_of(tmp_path, f"{system}-v{version}", dict(zip("789", each, strict=True)))
        for (system, version), each in ranks.items()
    ]
    of_ids = [
        run_of(tmp_path, system, {f"{t}0{v}": ranks[system, v][place] for place, t in enumerate("789") for v in "12"})
        for system in "AB"
    ]
    by_id = r"(?P<topic>.)0(?P<version>.)"
    found = rows("--baseline", "A", "--versions", r"(?P<system>.*)-v(?P<version>\d)", judged(tmp_path, "789"), *of_runs)
    assert found == rows("--baseline", "A", "--versions", by_id, judged(tmp_path, "789"), *of_ids)
    ids = [f"{topic}0{version}" for topic in "789" for version in "12"]
    assert found == rows("--baseline", "A", "--versions", by_id, judged(tmp_path, ids), *of_ids)
    listed = tmp_path / "versions.tsv"
    listed.write_text("".join(f"{file.name}\t{file.name[0]}\t{file.name[-1]}\n" for file in of_runs))
    assert found == rows("--baseline", "A", "--versions", listed, judged(tmp_path, "789"), *of_runs)
    means = [fmean((1 / ranks["A", "1"][place], 1 / ranks["A", "2"][place])) for place in range(3)]
    assert of(found, "A", "topics", "map")["value"] == pytest.approx(fmean(means))


def test_judged_topics_that_a_run_lacks_score_0_in_any_company(tmp_path: Path) -> None:
    """In a run of one version as in trec_eval -c, whether or not another has them; by topic ids, where these are judged."""
    first = run_of(tmp_path, "A-v1", {"7": 1, "8": 1})
    second = run_of(tmp_path, "A-v2", {"7": 2, "8": 2, "9": 2})
    rule = r"(?P<system>.*)-v(?P<version>\d)"
    result = invoke("--versions", rule, "--format", "json", judged(tmp_path, "789"), first, second)
    assert "A: 1 version missing, scored 0: 9/1" in result.stderr
    assert of(json.loads(result.stdout)["rows"], "A", "topics", "map")["value"] == pytest.approx((1 + 1 + 0 + 1.5) / 6)
    result = invoke("--versions", rule, "--format", "json", judged(tmp_path, "7890"), first, second)
    assert "A: 3 versions missing, scored 0: 0/1 0/2 9/1" in result.stderr
    run = run_of(tmp_path, "B", {"701": 1, "702": 1, "801": 1})
    result = invoke("--versions", "(?P<topic>.)0(?P<version>.)", judged(tmp_path, ["701", "702", "801", "802"]), run)
    assert "B: 1 version missing, scored 0: 8/02" not in result.stderr
    assert "B: 1 version missing, scored 0: 8/2" in result.stderr

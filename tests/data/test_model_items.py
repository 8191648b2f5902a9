"""Samples of lm-evaluation-harness and logs of Inspect: whose scores they are, on which items, of which metrics."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from command_lines import irci, rows
from helpers import all_written, written

TIME = "2026-01-02T03-04-05.123456"


def sample(item: Any, **fields: Any) -> str:
    """A line as the harness writes it, with less of the question in it."""
    about = {"doc_id": item, "doc": {"q": "?"}, "target": "a", "resps": [["b"]], "doc_hash": "0"}
    return json.dumps(about | fields) + "\n"


def log(scores: dict[tuple[str, int], dict[str, Any]], task: str = "sums", model: str = "lab/a") -> str:
    samples = [
        {"id": item, "epoch": epoch, "input": "?", "scores": {name: {"value": value} for name, value in of.items()}}
        for (item, epoch), of in scores.items()
    ]
    return json.dumps({"version": 2, "eval": {"task": task, "model": model}, "samples": samples}, indent=2)


def of_topics(*arguments: object) -> dict[tuple[str, str, str, str], float]:
    """Scores by collection, run, measure and item."""
    of_items = (row for row in rows("map-ci", "-q", *arguments) if row.get("topic") != "all")
    return {(row.get("collection", ""), row["run"], row["measure"], row["topic"]): row["value"] for row in of_items}


def test_metrics_are_those_that_are_listed_or_else_all_numbers(tmp_path: Path) -> None:
    """Filters apart, but for the one called none; true is 1; words, lists and numbers that are none are left out."""
    listed = "".join(
        sample(item, filter=name, metrics=["acc", "text"], acc=item == 1, text="x", other=7)
        for item in (0, 1) for name in ("none", "strict")
    )  # fmt: skip
    plain = "".join(sample(item, acc=0.5 * item, both=[1, 2], bypass=999, broken=float("nan")) for item in (0, 1))
    files = all_written(tmp_path, {"listed.jsonl": listed, "plain.jsonl": plain})
    assert of_topics(files[0]) == {
        ("", "listed", name, item): float(item) for name in ("acc", "acc:strict") for item in ("0", "1")
    }
    assert of_topics(files[1]) == {("", "plain", "acc", "0"): 0.0, ("", "plain", "acc", "1"): 0.5}


def test_folders_are_models_and_tasks_collections(tmp_path: Path) -> None:
    """One task is no collection; files of one folder and task are called by their names instead; packed files too."""
    paths = []
    for place, (model, task) in enumerate([("a", "law"), ("a", "art"), ("b", "law"), ("b", "art")]):
        text = "".join(sample(item, acc=(item + place) % 2) for item in range(4))
        paths.append(Path(written(tmp_path / model / f"samples_{task}_{TIME}.jsonl", text)))
    found = {(row["collection"], row["run"]) for row in rows("map-ci", *paths)}
    assert found == {(task, model) for task in ("law", "art", "all") for model in "ab"}
    packed = written(paths[2].with_suffix(".jsonl.gz"), gzip.compress(paths[2].read_bytes()))
    paths[2].unlink()
    assert {key[:2] for key in of_topics(paths[0], packed)} == {("", "a"), ("", "b")}
    again = Path(written(paths[0].with_name(f"samples_law_{TIME.replace('05', '06')}.jsonl"), paths[0].read_bytes()))
    assert {key[1] for key in of_topics(paths[0], again)} == {paths[0].stem, again.stem}


def test_marks_parts_and_epochs_of_a_log(tmp_path: Path) -> None:
    """Correct 1, partially .5, incorrect and no answer 0; a part of a score is a metric; without epochs a model is a run."""
    values = {"a": ("C", 1), "b": ("P", 0.5), "c": ("I", 0), "d": ("N", 0), "e": (0.25, 0.25), "f": (True, 1)}
    one = written(tmp_path / "one.json", log({(item, 1): {"match": mark} for item, (mark, _) in values.items()}))
    assert of_topics(one) == {("", "lab/a", "match", item): value for item, (_, value) in values.items()}
    parts = {(item, epoch): {"rubric": {"tone": epoch, "fact": "C"}} for item in "xy" for epoch in (1, 2)}
    assert of_topics(written(tmp_path / "several.json", log(parts))) == {
        ("", f"lab/a_s{epoch}", f"rubric:{part}", item): value
        for epoch in (1, 2) for part, value in (("tone", epoch), ("fact", 1)) for item in "xy"
    }  # fmt: skip


def test_two_models_are_compared_in_pairs(tmp_path: Path) -> None:
    """McNemar's mid-p of 12 and 3 items that only one of two models solves, where an unpaired test would find nothing."""
    solved = {"a": [1] * 3 + [0] * 12 + [1] * 25, "b": [0] * 3 + [1] * 12 + [1] * 25}
    texts = {f"{name}.jsonl": "".join(sample(i, acc=x) for i, x in enumerate(of)) for name, of in solved.items()}
    (row,) = [row for row in rows("compare", *all_written(tmp_path, texts)) if "baseline" in row]
    ways = [1, 15, 105, 455]  # of 0 to 3 of 15
    assert row["p"] == pytest.approx(2 * (sum(ways) - ways[3] / 2) / 2**15)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([sample(0, acc=1) + "{'doc_id'\n"], "0.jsonl:2: not a sample: an object with doc_id and metrics"),
        ([sample(0, metrics=["acc"])], "0.jsonl:1: not a sample: an object with doc_id and metrics"),
        ([sample(0, acc="x")], "0.jsonl: no metric of an item is a number"),
        ([sample(0, acc=1) * 2], "0.jsonl:2: acc of run '0' on topic '0' twice"),
        ([log({("a", 1): {"match": "x"}})], "0.jsonl: no metric of an item is a number"),
        ([log({("a", 1): {"match": 1}}).replace('"task"', '"tusk"')], "0.jsonl: not a log of Inspect: needs eval.task"),
    ],
)  # fmt: skip
def test_files_refused(tmp_path: Path, texts: list[str], message: str) -> None:
    files = all_written(tmp_path, {f"{place}.jsonl": text for place, text in enumerate(texts)})
    result = irci("map-ci", *files)
    assert result.exit_code in (3, 4)
    assert message.replace("DIR", str(tmp_path)) in result.stderr

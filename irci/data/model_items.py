"""Items of language models as scores: samples of lm-evaluation-harness (jsonl, an object an item) and logs of Inspect (json).

A task is a collection, an item a topic, a metric a measure, an epoch a run of its own: MODEL_s1, MODEL_s2, ..., for --seeds.
Samples lie in MODEL/samples_TASK_TIME.jsonl; files of other names are runs on one task, called as the files.
"""

import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from irci.base.errors import DataError, FormatError, Problem
from irci.base.names import first_few, stem
from irci.base.types import gathered
from irci.data.score_formats import Cells, Lines, Number, cells_of
from irci.data.text_files import problems_of

FILE_OF_SAMPLES = re.compile(r"samples_(?P<task>.+)_\d{4}-\d\d-\d\dT[\d:.-]+\.jsonl(\.gz)?")
# Of a sample, beside its metrics, in versions that do not list these.
NO_METRICS = ("doc_id", "bypass")
MARKS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # Inspect's: correct, partially, incorrect, no answer


class Score(NamedTuple):
    """The value of a metric on an item, in which epoch of a log, in which line of the file."""

    line: int
    item: str
    epoch: int
    metric: str
    value: float


class Items(NamedTuple):
    """The scores of a file; "" for a task or a model that it does not tell."""

    path: str
    task: str
    model: str
    scores: list[Score]


def are_samples(head: str) -> bool:
    """True if a text begins as samples of lm-evaluation-harness, or as a log of Inspect."""
    is_log = '"version"' in head and '"eval"' in head
    return head.lstrip().startswith("{") and (('"doc_id"' in head and '"query_id"' not in head) or is_log)


def samples_in(lines: Lines, path: str) -> Items:
    """The scores in samples. Raises FormatError for lines that are none, and where no metric is a number."""
    scores: list[Score] = []
    with problems_of(path) as problems:
        for line, content in lines:
            try:
                sample = json.loads(content)
                item = sample["doc_id"]
                metrics = sample.get("metrics") or [name for name in sample if name not in NO_METRICS]
                values = {name: sample[name] for name in metrics}
            except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
                problems.append(Problem(line, "not a sample: an object with doc_id and metrics", "sample"))
                continue
            part = sample.get("filter", "none")
            of_part = "" if part == "none" else f":{part}"
            scores += [Score(line, str(item), 1, f"{name}{of_part}", value) for name, value in _numbers(values)]
    match = FILE_OF_SAMPLES.fullmatch(os.path.basename(path))
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    return Items(path, *((match["task"], folder) if match else ("", "")), _refused_if_none(scores, path))


def log_in(content: Mapping[str, Any], path: str) -> Items | None:
    """The scores in a log of Inspect; None of something else. Raises FormatError where no score is a number."""
    if not (isinstance(content.get("eval"), Mapping) and "samples" in content):
        return None
    scores: list[Score] = []
    try:
        for sample in content["samples"] or ():
            for scorer, score in (sample.get("scores") or {}).items():
                value = score["value"]
                of_scorer = (
                    {f"{scorer}:{part}": of_part for part, of_part in value.items()}
                    if isinstance(value, Mapping)
                    else {}
                )
                scores += [
                    Score(1, str(sample["id"]), int(sample.get("epoch", 1)), name, number)
                    for name, number in _numbers(of_scorer or {scorer: value})
                ]
        task, model = (str(content["eval"][name]) for name in ("task", "model"))
    except (AttributeError, KeyError, TypeError, ValueError):
        raise FormatError.whole_file(path, "not a log of Inspect: needs eval.task, eval.model, samples") from None
    return Items(path, task, model, _refused_if_none(scores, path))


def _numbers(values: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The values that are numbers, or words for some."""
    for name, value in values.items():
        number = float(value) if isinstance(value, Number) else MARKS.get(value) if isinstance(value, str) else value
        if isinstance(number, int | float) and math.isfinite(number):
            yield name, float(number)


def _refused_if_none(scores: list[Score], path: str) -> list[Score]:
    if not scores:
        raise FormatError.whole_file(path, "no metric of an item is a number")
    return scores


def tables_of(files: Sequence[Items]) -> Iterator[tuple[str, Cells]]:
    """The scores of each file, its run named by its model where no other file has the same on this task, else by the file.

    Raises DataError where two files of a task each have items that the other has not.
    """
    by_model = {(of_file.task, of_file.model) for of_file in files}
    are_named = len(by_model) == len(files) and all(of_file.model for of_file in files)
    has_collections = len({of_file.task for of_file in files}) > 1
    for of_task in gathered((of_file.task, of_file) for of_file in files).values():
        for other in of_task[1:]:
            _refuse_other_items(of_task[0], other)
    for path, task, model, scores in files:
        run = model if are_named else stem(path).removesuffix(".jsonl").removesuffix(".json")
        has_epochs = any(score.epoch > 1 for score in scores)
        runs = [f"{run}_s{score.epoch}" if has_epochs else run for score in scores]
        lines, items, _, metrics, values = zip(*scores, strict=True)
        yield (
            path,
            cells_of(
                lines, runs, items, metrics, list(map(repr, values)), [task] * len(scores) if has_collections else ()
            ),
        )


def _refuse_other_items(first: Items, other: Items) -> None:
    items, others = ({score.item for score in of_file.scores} for of_file in (first, other))
    if items - others and others - items:
        raise DataError(
            f"{other.path}: items that {first.path} has not ({first_few(sorted(others - items))}), which has others"
            f" ({first_few(sorted(items - others))}): are they of one task?"
        )

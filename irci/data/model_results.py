"""Results of MTEB as scores whose topics are tasks: an object a task and model, {"task_name": ..., "scores": {split:
[{"hf_subset": ..., "main_score": ...}, ...]}}, in folders MODEL/REVISION/TASK.json.

The score of a task is the mean over its splits and subsets, as in MTEB's tables. MTEB knows which a task has; here it is seen:
those splits count that all models have, and on these a model that lacks a subset which others have, has no score.

Muennighoff et al., EACL 2023; Enevoldsen et al., ICLR 2025.

Items of language models as scores: samples of lm-evaluation-harness (jsonl, an object an item) and logs of Inspect (json).

A task is a collection, an item a topic, a metric a measure, an epoch a run of its own: MODEL_s1, MODEL_s2, ..., for --seeds.
Samples lie in MODEL/samples_TASK_TIME.jsonl; files of other names are runs on one task, called as the files.
"""

import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from irci.base import DataError, FormatError, Problem, first_few, stem
from irci.base.types import gathered
from irci.data.collection_files import OF_MODEL
from irci.data.score_formats import Lines, Number, Series, parsed, series
from irci.data.text_files import problems_of, read_text_lines
from irci.wording import KindOfNotice, Notices, warn_of_topics

REVISION = re.compile("[0-9a-f]{7,40}|no_revision_available|external")


class Result(NamedTuple):
    """The scores of a task by split and subset, each with the measures that are numbers; of which run, from which file."""

    path: str
    run: str
    task: str
    scores: Mapping[str, Mapping[str, Mapping[str, float]]]


def _result_in(content: Mapping[str, Any], path: str) -> Result:
    scores: dict[str, dict[str, dict[str, float]]] = {}
    try:
        task = content["task_name"]
        for split, entries in content["scores"].items():
            scores[split] = {
                entry["hf_subset"]: {name: float(value) for name, value in entry.items() if isinstance(value, Number)}
                for entry in entries
            }
            # A number is spelled by a kind of str.
            if len(scores[split]) < len(entries) or any(type(name) is not str for name in (task, *scores[split])):
                raise ValueError(split)
    except (AttributeError, KeyError, TypeError, ValueError):
        needs = "needs task_name, and scores {split: [{hf_subset, main_score, ...}, ...]}, each subset once"
        raise FormatError.whole_file(path, f"not a result of MTEB: {needs}") from None
    return Result(path, model_of(path), task, scores)


def model_of(path: str) -> str:
    """The name of the model that a file is a result of: as model_meta.json beside it says, or else its folder, or the one
    above that if this is called as a revision."""
    folder = os.path.dirname(path)
    described = os.path.join(folder, OF_MODEL)
    if os.path.isfile(described) and (lines := read_text_lines(described)):
        name = parsed(lines, described).get("name")
        if type(name) is str and name:
            return name
    if folder and REVISION.fullmatch(os.path.basename(folder)):
        folder = os.path.dirname(folder)
    return os.path.basename(folder).replace("__", "/") or stem(path)


def of_tasks(results: Sequence[Result], measure: str | None) -> Iterator[tuple[str, Series]]:
    """The score of the task of each result by a measure, the main score if none is named: the mean over the subsets that any
    run has, of the splits that all have. Warnings tell which splits are left out, and which results, as they lack some.
    Raises DataError if no result has the measure, or a task no split that all have."""
    name = measure or "main_score"
    metrics = {
        metric for result in results for of_split in result.scores.values() for of in of_split.values() for metric in of
    }
    if results and name not in metrics:
        raise DataError(
            f"{results[0].path}: no {name} in these results of MTEB; there are {first_few(sorted(metrics))}"
        )
    lacking: dict[str, list[str]] = {}
    for task, of_task in gathered((result.task, result) for result in results).items():
        splits = [split for split in of_task[0].scores if all(split in result.scores for result in of_task)]
        left_out = sorted({split for result in of_task for split in result.scores} - set(splits))
        if not splits:
            raise DataError(f"{of_task[0].path}: {task}: no split that all runs have: {first_few(left_out)}")
        warn_of_topics(task, "that some run lacks, left out", left_out, "split")
        subsets = {split: sorted({name for result in of_task for name in result.scores[split]}) for split in splits}
        places = [(split, subset) for split in splits for subset in subsets[split]]
        for result in of_task:
            values = [result.scores[split].get(subset, {}).get(name, math.nan) for split, subset in places]
            if values and not any(map(math.isnan, values)):
                mean = sum(values) / len(values)
                yield result.path, series([((None, result.run, name), (1, task, repr(mean)))])
            else:
                lacking.setdefault(result.run, []).append(task)
    notices = Notices()
    for run, tasks in lacking.items():
        notices.add(run, KindOfNotice("without all subsets that other runs have, not scored", "task"), tasks)
    notices.tell()


FILE_OF_SAMPLES = re.compile(r"samples_(?P<task>.+)_\d{4}-\d\d-\d\dT[\d:.-]+\.jsonl(\.gz)?")
MARKS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # Inspect's: correct, partially, incorrect, no answer


ItemScore = tuple[int, int, str, str, str]  # line, epoch, metric, item, value


class Items(NamedTuple):
    """The scores of a file; "" for a task or a model that it does not tell."""

    path: str
    task: str
    model: str
    scores: list[ItemScore]


def are_samples(head: str) -> bool:
    """True if a text begins as samples of lm-evaluation-harness, or as a log of Inspect."""
    is_log = '"version"' in head and '"eval"' in head
    return head.lstrip().startswith("{") and (('"doc_id"' in head and '"query_id"' not in head) or is_log)


def read(lines: Lines, path: str, form: str) -> Result | Items | None:
    """The result, or the items, in samples or in json; None of something else. Raises FormatError for what neither MTEB nor
    the harness nor Inspect writes, and where no score of an item is a number."""
    content = {} if form == "samples" else parsed(lines, path)
    if "task_name" in content:
        return _result_in(content, path)
    if form != "samples" and not (isinstance(content.get("eval"), Mapping) and "samples" in content):
        return None
    items = _samples_in(lines, path) if form == "samples" else _log_in(content, path)
    if not items.scores:
        raise FormatError.whole_file(path, "no metric of an item is a number")
    return items


def _samples_in(lines: Lines, path: str) -> Items:
    scores: list[ItemScore] = []
    with problems_of(path) as problems:
        for line, content in lines:
            try:
                sample = json.loads(content)
                item = str(sample["doc_id"])
                metrics = sample.get("metrics") or [name for name in sample if name not in ("doc_id", "bypass")]
                values = {name: sample[name] for name in metrics}
            except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
                problems.append(Problem(line, "not a sample: an object with doc_id and metrics", "sample"))
                continue
            part = sample.get("filter", "none")
            of_part = "" if part == "none" else f":{part}"
            scores += [(line, 1, f"{name}{of_part}", item, value) for name, value in _numbers_in(values)]
    match = FILE_OF_SAMPLES.fullmatch(os.path.basename(path))
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    return Items(path, match["task"], folder, scores) if match else Items(path, "", "", scores)


def _log_in(content: Mapping[str, Any], path: str) -> Items:
    scores: list[ItemScore] = []
    try:
        for sample in content["samples"] or ():
            item, epoch = str(sample["id"]), int(sample.get("epoch", 1))
            for scorer, score in (sample.get("scores") or {}).items():
                value = {scorer: score["value"]}
                if isinstance(score["value"], Mapping):
                    value = {f"{scorer}:{part}": of_part for part, of_part in score["value"].items()}
                scores += [(1, epoch, name, item, number) for name, number in _numbers_in(value)]
        return Items(path, str(content["eval"]["task"]), str(content["eval"]["model"]), scores)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise FormatError.whole_file(path, "not a log of Inspect: needs eval.task, eval.model, samples") from None


def _numbers_in(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The values that are numbers, or words for some, as they are spelled."""
    for name, value in values.items():
        number = float(value) if isinstance(value, Number) else MARKS.get(value) if isinstance(value, str) else value
        with suppress(OverflowError):  # a whole number that no double holds
            if isinstance(number, int | float) and math.isfinite(number):
                yield name, repr(float(number))


def of_items(files: Sequence[Items]) -> Iterator[tuple[str, Series]]:
    """The scores of each file, its run named by its model where no other file has the same on this task, else by the file."""
    by_model = {(of_file.task, of_file.model) for of_file in files}
    are_named = len(by_model) == len(files) and all(of_file.model for of_file in files)
    has_collections = len({of_file.task for of_file in files}) > 1
    for path, task, model, scores in files:
        run = model if are_named else stem(path).removesuffix(".jsonl").removesuffix(".json")
        has_epochs = any(epoch > 1 for _, epoch, *_ in scores)
        collection = task if has_collections else None
        names = {epoch: f"{run}_s{epoch}" if has_epochs else run for _, epoch, *_ in scores}
        yield (
            path,
            series(
                ((collection, names[epoch], metric), (line, item, value)) for line, epoch, metric, item, value in scores
            ),
        )

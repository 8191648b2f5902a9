"""Files of scores of any format of `irci.data.score_formats`, recognised, checked and read as tables; and results of tools for
models, of which several files say together what a score is.

MTEB's, whose tasks are topics: an object a task and model, {"task_name": ..., "scores": {split: [{"hf_subset": ...,
"main_score": ...}, ...]}}, in folders MODEL/REVISION/TASK.json. The score of a task is the mean over its splits and subsets,
as in MTEB's tables. MTEB knows which a task has; here it is seen: those splits count that all models have, and on these a
model that lacks a subset which others have, has no score. Muennighoff et al., EACL 2023; Enevoldsen et al., ICLR 2025.

Items of language models: samples of lm-evaluation-harness (jsonl, an object an item) and logs of Inspect (json). A task is a
collection, an item a topic, a metric a measure, an epoch a run of its own: MODEL_s1, MODEL_s2, ..., for --seeds. Samples are
in MODEL/samples_TASK_TIME.jsonl; files of other names are runs on one task, called as the files.
"""

import json
import math
import os
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from irci.base import (
    BLANKS,
    DataError,
    FormatError,
    Problem,
    first_few,
    first_names,
    is_name,
    is_text,
    plural,
    raw,
    stem,
)
from irci.base.types import Floats, gathered
from irci.data import headers, score_formats, text_files
from irci.data.collection_files import OF_MODEL
from irci.data.score_formats import Key, Lines, Number, Records, Series, is_score, numbers, parsed, read_cells
from irci.data.scores import ALL, SMALLEST, Scores
from irci.measures import is_measure, one_name_each
from irci.wording import Notice, notices_of_run, tell_of_runs, warn_of_topics

Values = dict[Key, dict[str | None, float]]  # by topic


def read_scores(
    paths: Sequence[str],
    form: str | None = None,
    measure: str | None = None,
    memory: text_files.Memory = text_files.NOTHING,
) -> tuple[list[Scores], list[tuple[str, str]]]:
    """Read score files as one table a collection, in the order in which collections come, and say as what each was read.

    Scores without the name of a collection are of one, which is then the only one. `form`: one of FORMATS, else each file's
    is recognised. `measure`: the name of what a matrix holds, else its file's name. `memory`: what of `paths` is no path.
    Raises FormatError for rubbish, ragged rows, values that are no finite numbers or too large for a score, and a (run,
    topic, measure) of a collection twice.
    """
    recognised: list[tuple[str, str]] = []
    of_tasks, of_items = list[Result](), list[Result]()
    scores, runs_of_files = Values(), list[set[str]]()
    name_of = one_name_each()
    for path in paths:
        file, content = text_files.file_or_held(path, memory)
        content = b"" if callable(content) else content
        lines = text_files.read_text_lines(file, content, is_score)
        if not lines:
            raise FormatError.whole_file(path, "empty file: no scores")
        of_file = form or recognise(lines, path)
        if of_file in ("samples", "json") and (result := _result_in(lines, path, of_file)) is not None:
            (of_items if result.subsets is None else of_tasks).append(result)
        else:
            recognised.append((path, of_file))
            series = score_formats.read(of_file, lines, path, measure)
            runs_of_files.append(_add(scores, path, series, name_of))
    for path, records in chain(_scores_of_tasks(of_tasks, measure), _scores_of_items(of_items)):
        runs_of_files.append(_add(scores, path, score_formats.series(records), name_of))
    for files, what in (
        (of_tasks, "results of MTEB, tasks as topics"),
        (of_items, "items of language models, as topics"),
    ):
        more = f" and {plural(len(files) - 1, 'other file')}" if len(files) > 1 else ""
        recognised += [(f"{files[0].path}{more}", what)] if files else []
    number = len(set().union(*runs_of_files))
    one_a_file = not of_tasks and number == sum(map(len, runs_of_files)) == len(runs_of_files)
    tables = [table._replace(of_tasks=bool(of_tasks), one_a_file=one_a_file) for table in _tables(scores)]
    if not any(np.isfinite(values).any() for table in tables for values in table.values.values()):
        raise DataError(f"{first_names(paths)}: no score of a topic (only of all topics?)")
    for name, values in ((name, values) for table in tables for name, values in table.values.items()):
        largest = np.nanmax(np.abs(values), initial=0.0)
        if 0 < largest < SMALLEST:  # so that squares would be 0
            reason = f"no score of {name} is larger than {largest:g}: too small to compute with"
            raise DataError(f"{first_names(paths)}: {reason}")
    return tables, recognised


# How formats are recognised.


def recognise(lines: Lines, path: str) -> str:
    """The format of a file from its lines."""
    line, head = lines[0]
    if head.startswith("{"):
        with suppress(ValueError, RecursionError):  # an object of several lines, or none
            names: Container[str] = json.loads(head)  # of the object's own values
            return "ir_measures" if "query_id" in names else "samples" if "doc_id" in names else "json"
        return "json"
    _, cells = next(read_cells(lines, path))
    columns = headers.lowered(cells)
    # A header as well as the fields of a record, of a run or of qrels: no topic and no measure is called as its first cell is.
    is_by_run = headers.rows_are_runs(columns)
    is_numbered = (columns[0] in headers.TOPICS or is_by_run) and all(name.isdecimal() for name in columns[1:])
    if not is_numbered and headers.is_of_rankings(head):
        raise FormatError(path, [Problem(line, "a line of a run or of qrels, not of scores")])
    if len(headers.known(columns)) == len(headers.COLUMNS):
        return "long"
    fields = head.split("\t")
    is_header = len(fields) < 3 or is_by_run or not headers.is_number(fields[2])
    if is_numbered or (is_header and cells[0] != score_formats.RUN_ID) or len(fields) < 3:
        if len(headers.known(columns)) > 1 and not score_formats.is_of_one_run(cells):
            headers.places(cells, path, line)  # refuses them
        return "matrix"
    if len(fields) >= 6:
        why = (
            "a matrix without a header, or irci's own output, which is rounded (--save-scores FILE writes all digits)?"
        )
        raise FormatError.whole_file(path, why)
    for _, cells in read_cells(lines, path, "\t"):
        first, second = [*cells, ""][:2]
        if first == score_formats.RUN_ID or is_measure(first) != is_measure(second):
            return "trec_eval" if first == score_formats.RUN_ID or is_measure(first) else "ir_measures"
    if fields[0] != fields[0].rstrip(BLANKS):  # padded, as trec_eval does
        return "trec_eval"
    raise FormatError.whole_file(path, "trec_eval's or ir_measures' output? A header topic, measure, value tells which")


# How what was read becomes tables.


@lru_cache(1 << 16)
def _fit(name: str | None) -> str | None:
    """A name without blanks around it, "" where it cannot stand in a table; None of what needs no name."""
    own = name and name.strip(BLANKS)
    return own if own is None or (is_name(own) and is_text(own)) else ""


def _add(scores: Values, path: str, series: Series, name_of: Callable[[str], str]) -> set[str]:
    """Add the scores of a file to those of others; the names of its runs. Raises FormatError that tells all that is wrong."""
    runs = set[str]()
    with text_files.problems_of(path) as problems:
        for names, (lines, topics, spelled) in series:
            collection, run, measure = _fit(names[0]), str(_fit(names[1])), str(_fit(names[2]))
            key = collection, run, measure and name_of(measure)
            runs.add(run)
            values = spelled if isinstance(spelled, np.ndarray) else numbers(spelled, lines, problems)
            own, fit_topics = scores.setdefault(key, {}), [*map(_fit, topics)]
            of_topics = dict(zip(fit_topics, values.tolist(), strict=True))
            are_distinct = len(of_topics) == len(fit_topics) and own.keys().isdisjoint(of_topics)
            if are_distinct and "" not in key and "" not in of_topics:
                own |= of_topics  # as nearly always: a look at each score would take most of the time
                continue
            for line, topic, value in zip(lines, fit_topics, values.tolist(), strict=True):
                if topic == "" or "" in key:
                    noun = "collection" if collection == "" else "run, topic or measure"
                    reason = f"a {noun} without a name, or with a tab, a line end or a NUL in it"
                    problems.append(Problem(line, reason))
                elif topic in own:
                    within = "" if collection is None else f" of collection {collection!r}"
                    twice = f"on topic {topic!r}{within} twice", "again"
                    if topic is None:
                        twice = f"over all topics twice: is a topic called {ALL}? Rename it", "all"
                    problems.append(Problem(line, f"{key[2]} of run {run!r} {twice[0]}", twice[1]))
                else:
                    own[topic] = value
    for of_topics in scores.values():
        of_topics.pop(None, None)  # means are held against those of the same file alone
    collections = {collection for collection, _, _ in scores}
    if None in collections and len(collections) > 1:
        raise FormatError.whole_file(path, "other files have a column collection, this one has not, or the reverse")
    return runs


def _tables(scores: Values) -> Iterator[Scores]:
    """The scores of each collection that has any; runs in the order in which all come, topics sorted bytewise."""
    for collection in dict.fromkeys(collection for collection, _, _ in scores):
        of_runs: dict[tuple[str, str], dict[Any, float]] = {
            key[1:]: own for key, own in scores.items() if key[0] == collection and own
        }
        present, topics = {run for run, _ in of_runs}, {topic for own in of_runs.values() for topic in own}
        names = [run for run in dict.fromkeys(run for _, run, _ in scores) if run in present], sorted(topics, key=raw)
        row_of, column_of = ({name: index for index, name in enumerate(own)} for own in names)
        values: dict[str, Floats] = {}
        for (run, measure), own in of_runs.items():
            if measure not in values:  # setdefault would fill a table for each run
                values[measure] = np.full((len(row_of), len(column_of)), np.nan)
            values[measure][row_of[run], [*map(column_of.__getitem__, own)]] = [*own.values()]
        if of_runs:
            yield Scores(*names, values, collection)


# What tools for models write.

REVISION = re.compile("[0-9a-f]{7,40}|no_revision_available|external")
FILE_OF_SAMPLES = re.compile(r"samples_(?P<task>.+)_\d{4}-\d\d-\d\dT[\d:.-]+\.jsonl(\.gz)?")
MARKS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # Inspect's: correct, partially, incorrect, no answer


class Result(NamedTuple):
    """A model's scores on a task in a file, "" for what it does not tell: by split and subset and by measure, or of items."""

    path: str
    task: str
    model: str
    items: Sequence[tuple[int, int, str, str, str]] = ()  # line, epoch, metric, item, value as it is spelled
    subsets: Mapping[tuple[str, str], Mapping[str, float]] | None = None


def _result_in(lines: Lines, path: str, form: str) -> Result | None:
    """The result in samples or in json; None of something else. Raises FormatError for what neither MTEB nor the harness nor
    Inspect writes, and where no score of an item is a number."""
    if form == "samples":
        result = _samples_in(lines, path)
    else:
        content = parsed(lines, path)
        if "task_name" in content:
            return _of_mteb(content, path)
        if not (isinstance(content.get("eval"), Mapping) and "samples" in content):
            return None
        result = _log_in(content, path)
    if not result.items:
        raise FormatError.whole_file(path, "no metric of an item is a number")
    return result


def _of_mteb(content: Mapping[str, Any], path: str) -> Result:
    try:
        entries = [(split, entry) for split, of_split in content["scores"].items() for entry in of_split]
        scores = [{name: float(of) for name, of in entry.items() if isinstance(of, Number)} for _, entry in entries]
        keys = [(split, entry["hf_subset"]) for split, entry in entries]
        # A number is spelled by a kind of str.
        are_names = all(type(name) is str for name in (content["task_name"], *(subset for _, subset in keys)))
        if are_names and len({*keys}) == len(keys):
            splits = [(split, "") for split in content["scores"]]  # without any subset too
            subsets = dict(zip([*splits, *keys], [*({} for _ in splits), *scores], strict=True))
            return Result(path, content["task_name"], model_of(path), subsets=subsets)
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    needs = "needs task_name, and scores {split: [{hf_subset, main_score, ...}, ...]}, each subset once"
    raise FormatError.whole_file(path, f"not a result of MTEB: {needs}")


def model_of(path: str) -> str:
    """The name of the model that a file is a result of: as model_meta.json beside it says, or else its folder, or the one
    above that if this is called as a revision."""
    folder = os.path.dirname(path)
    described = os.path.join(folder, OF_MODEL)
    if os.path.isfile(described) and (lines := text_files.read_text_lines(described)):
        name = parsed(lines, described).get("name")
        if type(name) is str and name:
            return name
    if folder and REVISION.fullmatch(os.path.basename(folder)):
        folder = os.path.dirname(folder)
    return os.path.basename(folder).replace("__", "/") or stem(path)


def _scores_of_tasks(results: Sequence[Result], measure: str | None) -> Iterator[tuple[str, Records]]:
    """The score of the task of each result by a measure, the main score if none is named: the mean over the subsets that any
    run has, of the splits that all have. Warnings tell which splits are left out, and which results, as they lack some.
    Raises DataError if no result has the measure, or a task no split that all have."""
    name, scored = measure or "main_score", [(result, result.subsets or {}) for result in results]
    metrics = {metric for _, subsets in scored for of_subset in subsets.values() for metric in of_subset}
    if results and name not in metrics:
        raise DataError(
            f"{results[0].path}: no {name} in these results of MTEB; there are {first_few(sorted(metrics))}"
        )
    lacking: dict[str, list[str]] = {}
    for task, of_task in gathered((result.task, (result, subsets)) for result, subsets in scored).items():
        splits = [{split for split, _ in subsets} for _, subsets in of_task]
        of_all = set.intersection(*splits)
        left_out = sorted(set.union(*splits) - of_all)
        if not of_all:
            raise DataError(f"{of_task[0][0].path}: {task}: no split that all runs have: {first_few(left_out)}")
        warn_of_topics(task, "that some run lacks, left out", left_out, "split")
        wanted = sorted({key for _, subsets in of_task for key, of in subsets.items() if key[0] in of_all and of})
        for result, subsets in of_task:
            values = [subsets.get(subset, {}).get(name, math.nan) for subset in wanted]
            if values and not any(map(math.isnan, values)):
                mean = sum(values) / len(values)
                yield result.path, iter([((None, result.model, name), (1, task, repr(mean)))])
            else:
                lacking.setdefault(result.model, []).append(task)
    notices = list[Notice]()
    for run, tasks in lacking.items():
        notices += notices_of_run(run, "without all subsets that other runs have, not scored", tasks, noun="task")
    tell_of_runs(notices)


def _samples_in(lines: Lines, path: str) -> Result:
    scores = []
    with text_files.problems_of(path) as problems:
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
    return Result(path, match["task"], folder, scores) if match else Result(path, "", "", scores)


def _log_in(content: Mapping[str, Any], path: str) -> Result:
    scores = []
    try:
        for sample in content["samples"] or ():
            item, epoch = str(sample["id"]), int(sample.get("epoch", 1))
            for scorer, score in (sample.get("scores") or {}).items():
                value = {scorer: score["value"]}
                if isinstance(score["value"], Mapping):
                    value = {f"{scorer}:{part}": of_part for part, of_part in score["value"].items()}
                scores += [(1, epoch, name, item, number) for name, number in _numbers_in(value)]
        return Result(path, str(content["eval"]["task"]), str(content["eval"]["model"]), scores)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise FormatError.whole_file(path, "not a log of Inspect: needs eval.task, eval.model, samples") from None


def _numbers_in(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The values that are numbers, or words for some, as they are spelled."""
    for name, value in values.items():
        number = float(value) if isinstance(value, Number) else MARKS.get(value) if isinstance(value, str) else value
        with suppress(OverflowError):  # a whole number that no double holds
            if isinstance(number, int | float) and math.isfinite(number):
                yield name, repr(float(number))


def _scores_of_items(results: Sequence[Result]) -> Iterator[tuple[str, Records]]:
    """The scores of each file, its run named by its model where no other file has the same on this task, else by the file."""
    by_model = {(result.task, result.model) for result in results}
    are_named = len(by_model) == len(results) and all(result.model for result in results)
    has_collections = len({result.task for result in results}) > 1
    for path, task, model, items, _ in results:
        run = model if are_named else stem(path).removesuffix(".jsonl").removesuffix(".json")
        collection, has_epochs = task if has_collections else None, any(epoch > 1 for _, epoch, *_ in items)
        yield (
            path,
            (
                ((collection, f"{run}_s{epoch}" if has_epochs else run, metric), (line, item, value))
                for line, epoch, metric, item, value in items
            ),
        )

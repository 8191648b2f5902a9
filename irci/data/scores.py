"""Tables of scores that others (or irci) have computed, read from files of any format that `irci.data.score_formats` knows."""

import gc
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from irci.base.errors import DataError, FormatError, Problem
from irci.base.names import is_name, raw
from irci.base.numerals import decimal
from irci.base.types import Floats
from irci.data.in_memory import NOTHING, Memory, file_and_content
from irci.data.measures import named
from irci.data.score_formats import FORMATS, WHOLE, Record, recognise
from irci.data.text_files import read_text_lines

SAVED_COLUMNS = ("run", "topic", "measure", "split", "part")  # and value; collection before them, if it has a name
# Of scores: variances of variances of them are numbers still, and not all 0.
LARGEST, SMALLEST = 1e50, 1e-50
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")


@dataclass(frozen=True)
class Scores:
    """Scores float64[runs, topics] of each measure, nan where there is none; topics sorted bytewise, runs as they came.

    `collection`: what their collection is called, if it has a name.
    """

    runs: list[str]
    topics: list[str]
    values: dict[str, NDArray[np.float64]]
    collection: str | None = None


# Of one collection: (run, topic, measure) -> value.
Cells = dict[tuple[str, str, str], float]


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Rows of cells are many and have no cycles: to look for some takes as long as to read them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_no_search_for_cycles()
def read_scores(
    paths: Sequence[str], forced: str | None = None, measure: str | None = None, memory: Memory = NOTHING
) -> tuple[list[Scores], list[tuple[str, str]]]:
    """Read score files as one table a collection, in the order in which collections come, and say as what each was read.

    Scores without the name of a collection are of one, which is then the only one. `forced`: one of FORMATS, else each file's
    format is recognised. `measure`: the name of what a matrix holds, else its file's name. `memory`: what of `paths` is no
    path. Raises FormatError for rubbish, ragged rows, values that are no finite numbers or too large for a score, and a (run,
    topic, measure) of a collection twice.
    """
    seen: dict[str | None, Cells] = {}
    recognised = []
    for path in paths:
        lines = read_text_lines(*file_and_content(path, memory))
        if not lines:
            raise FormatError.whole_file(path, "empty file: no scores")
        name = forced or recognise(lines, path)
        recognised.append((path, name))
        _add(seen, path, FORMATS[name](lines, path, measure))
        if None in seen and len(seen) > 1:
            raise FormatError.whole_file(path, "other files have a column collection, this one has not, or the reverse")
    if not seen:
        raise DataError(f"{', '.join(paths)}: no score of a topic (only of all topics, or of parts?)")
    tables = [_table(cells, collection) for collection, cells in seen.items()]
    for table in tables:
        for name, values in table.values.items():
            refuse_tiny(name, values, ", ".join(paths))
    return tables, recognised


def refuse_tiny(measure: str, values: Floats, where: str) -> None:
    """Raise DataError if all scores of a measure are so small that their squares would be 0, though they are not."""
    largest = np.nanmax(np.abs(values), initial=0.0)
    if 0 < largest < SMALLEST:
        raise DataError(
            f"{where}: no score of {measure} is larger than {largest:g}: too small to compute with (multiply all)"
        )


def saved_text(*tables: Scores) -> str:
    """The long table, with tabs, that `read_scores` reads back to the last digit; each collection but one has its name."""
    named_tables = any(scores.collection is not None for scores in tables)
    lines = ["\t".join((*("collection",) * named_tables, *SAVED_COLUMNS, "value"))]
    for scores in tables:
        begin = f"{scores.collection}\t" if named_tables else ""
        for measure, values in scores.values.items():
            for run, of_run in zip(scores.runs, values, strict=True):
                lines += [
                    f"{begin}{run}\t{topic}\t{measure}\t{WHOLE}\t{WHOLE}\t{value!r}"
                    for topic, value in zip(scores.topics, of_run.tolist(), strict=True)
                    if not math.isnan(value)
                ]
    return "".join(f"{line}\n" for line in lines)


def _add(seen: dict[str | None, Cells], path: str, records: Iterator[Record]) -> None:
    problems = []
    for line, collection, run, topic, name, text in records:
        measure = _canonical(name)
        try:
            value = decimal(text)
        except ValueError:
            value = math.nan
        if DECIMAL_COMMA.fullmatch(text):
            reason = f"value {text!r} has a decimal comma; write {text.replace(',', '.')}"
            problems.append(Problem(line, reason, "comma"))
        elif not math.isfinite(value):
            problems.append(Problem(line, f"value {text!r} is not a finite number", "number"))
        elif abs(value) > LARGEST:
            problems.append(Problem(line, f"value {text!r} is beyond {LARGEST:g}: no measure has such scores", "size"))
        elif not (_is_name(run) and is_name(topic) and _is_name(measure)):
            problems.append(Problem(line, "a run, topic or measure without a name, or with a tab or a line end in it"))
        elif collection is not None and not _is_name(collection):
            problems.append(Problem(line, "a collection without a name, or with a tab or a line end in it"))
        elif (run, topic, measure) in (cells := seen.setdefault(collection, {})):
            of = "" if collection is None else f" of collection {collection!r}"
            problems.append(Problem(line, f"{measure} of run {run!r} on topic {topic!r}{of} twice", "again"))
        else:
            cells[run, topic, measure] = value
    if problems:
        raise FormatError(path, problems)


def _table(seen: Cells, collection: str | None) -> Scores:
    runs = list(dict.fromkeys(run for run, _, _ in seen))
    topics = sorted({topic for _, topic, _ in seen}, key=raw)
    measures = dict.fromkeys(measure for _, _, measure in seen)
    run_place = {run: place for place, run in enumerate(runs)}
    topic_place = {topic: place for place, topic in enumerate(topics)}
    values = {measure: np.full((len(runs), len(topics)), np.nan) for measure in measures}
    for (run, topic, measure), value in seen.items():
        values[measure][run_place[run], topic_place[topic]] = value
    return Scores(runs, topics, values, collection)


_is_name = cache(is_name)  # of names that come again and again


@cache
def _canonical(name: str) -> str:
    """AP is map: one measure has one name, whoever spelled it."""
    return named(name).name

"""Objects that users hold, as `Inputs` take them: paths, bytes, dicts, tuples, data frames, of libraries not imported
here; scores as the text of a table that files may hold too, so that one reader checks them all."""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from operator import attrgetter
from typing import Any

import numpy as np

from irci.base import STDIN, FormatError, UsageError, is_name, is_text, raw
from irci.base.types import gathered
from irci.data import headers, text_files
from irci.data.in_memory import (
    framed,
    held,
    in_stretches,
    is_frame,
    is_kind_of_name,
    is_kind_of_number,
    objects,
    of_frame,
)
from irci.data.score_formats import scores_of_run

ALONE = "run"  # the name of a run that has none of its own


Content = str | bytes | text_files.Documents  # a path, the bytes of a file, or documents


class Files:
    """Judgments, runs and scores of a call: `memory`, by names that are no paths, and the paths that stand for themselves."""

    def __init__(self) -> None:
        self.memory: dict[str, text_files.InMemory] = {}
        self.paths: set[str] = set()

    def put(self, label: str, content: Content, name: str | None = None) -> str:
        """The name that stands for something: a path that nothing else is called, or else its label, or one much like it.
        `name`: that of a run or a judge."""
        if content == STDIN:
            raise UsageError("- is standard input on the command line only: pass a binary file, as sys.stdin.buffer.")
        if isinstance(content, str) and content not in self.memory:
            if name is None:
                self.paths.add(content)
                return content
            label = label if content in self.paths else content
        while label in self.memory or label in self.paths:
            label += "*"
        self.memory[label] = text_files.InMemory(content, name)
        return label


def runs_of(runs: Any, within: str = "", number: int = 0) -> Iterator[tuple[str, Content, str | None]]:
    """The label, content and name of one run, or of each of a mapping of names to runs, a frame with a column of their names,
    or a list of files and of what has a name of its own. `within`: what labels begin with, of one of several collections;
    `number`: that of an item of a list."""

    def of_run(name: Any, run: Any) -> tuple[str, Content, str | None]:
        label = f"{within}run {name_of(name)!r}"
        return label, content_of(label, run, "run"), name_of(name)

    if (content := of_file(runs)) is not None:
        yield within + (f"run {number}" if number else "run"), content, None
    elif is_frame(runs) and set(headers.RUN) & set(framed(runs).columns):
        frame = framed(runs)
        *_, tag, _ = headers.of_ranking("runs", None, list(frame.columns), "run")
        for run, rows in gathered((run, row) for row, run in enumerate(frame[tag].to_list())).items():
            label = f"{within}run {name_of(run)!r}"
            yield label, of_frame(label, frame, "run", np.array(rows)), name_of(run)
    elif is_held(runs) and (name := getattr(runs, "name", None)):
        yield of_run(name, runs)
    elif number:
        raise UsageError(
            f"runs: item {number} is a {type(runs).__name__} without a name: name runs in memory, {{'bm25': ...}}, or"
            " give frames a column run."
        )
    elif isinstance(runs, Mapping) and not is_ranking(runs):
        yield from (of_run(name, run) for name, run in runs.items())
    elif isinstance(runs, Mapping) or is_frame(runs) or is_held(runs):
        yield of_run(ALONE, runs)
    elif not (items := _listed("runs", runs)):
        raise UsageError("no runs: the collection is empty (a generator gives its items only once).")
    elif hasattr(items[0], headers.TOPIC[0]) and not is_frame(items[0]):
        yield of_run(ALONE, items)
    else:
        for number, item in enumerate(items, 1):
            yield from runs_of(item, within, number)


def of_file(thing: Any) -> str | bytes | None:
    """The path or the bytes of what is a file, a path or bytes; None for everything else."""
    if isinstance(thing, str | os.PathLike):
        path = os.fsdecode(thing)
        if not path or set(path) & set("\0\n") or not is_text(path):
            raise UsageError(f"{path!r:.40} is not a path to a file: give the content of a file as bytes.")
        return path
    if isinstance(thing, bytes | bytearray | memoryview):
        return bytes(thing)
    if not hasattr(thing, "read") or is_frame(thing):
        return None
    content = thing.read()
    if not isinstance(content, bytes):
        raise UsageError(f"{getattr(thing, 'name', 'a file')!s} is open as text: open it in mode 'rb'.")
    return content


def is_held(thing: Any) -> bool:
    """True of an object that gives its content as a dict, as ranx's Qrels and Run do."""
    return hasattr(type(thing), "to_dict") and not isinstance(thing, Mapping) and not is_frame(thing)


def is_ranking(runs: Mapping[Any, Any]) -> bool:
    """True of a run itself, {topic: {docno: score}}, and not a mapping from names to such runs."""
    inner = next((value for value in runs.values() if not isinstance(value, Mapping) or value), None)
    return isinstance(inner, Mapping) and not isinstance(next(iter(inner.values())), Mapping)


def name_of(name: Any) -> str:
    """The name of a run, a topic, a judge or a column. Raises UsageError for what is none."""
    text = str(name) if is_kind_of_name(type(name)) else ""
    if not is_name(text) or set(text) & set("\n\r\0") or not is_text(text):
        raise UsageError(f"{name!r} is not a name: use text without tabs and line ends, or a whole number.")
    return text


def _listed(role: str, things: Any) -> list[Any]:
    if not isinstance(things, Iterable):
        raise UsageError(f"{role}: a {type(things).__name__} is neither a file, a mapping, a data frame nor a list.")
    return list(things)


def content_of(label: str, thing: Any, kind: str) -> Content:
    """The path or the bytes of a file, or documents of a mapping, without topics that have none, of a data frame, or of named
    tuples; `kind`: qrels or run."""
    content = of_file(thing)
    if content is not None:
        return content
    if is_held(thing):
        thing = thing.to_dict()
    if is_frame(thing):
        return of_frame(label, framed(thing), kind)
    if isinstance(thing, Mapping):
        for topic, documents in thing.items():
            if not isinstance(documents, Mapping):
                reason = f"a {type(documents).__name__}, not {{docno: number}}"
                raise FormatError.whole_file(f"{label}, topic {str(topic)!r}", reason)
        of_topics = {topic: documents for topic, documents in thing.items() if documents}
        numbers = list(chain.from_iterable(documents.values() for documents in of_topics.values()))
        sizes = np.array([len(documents) for documents in of_topics.values()], np.int64)
        docnos = list(chain.from_iterable(of_topics.values()))
        return lambda path: held(path, list(of_topics), sizes, docnos, numbers)
    number = headers.GRADE[0] if kind == "qrels" else headers.SCORE[0]
    fields = (headers.TOPIC[0], headers.DOCNO[0], number)  # as ir_measures' named tuples have them
    rows = _listed(label, thing)
    try:
        topics, docnos, numbers = (list(map(attrgetter(name), rows)) for name in fields)
    except AttributeError as error:
        raise FormatError.whole_file(label, f"{error}, of {', '.join(fields)}") from None
    return in_stretches(objects(topics), docnos, numbers)


Writer = Callable[[Any], str]  # of a cell; raises UsageError


def scores_of(label: str, scores: Any) -> list[tuple[str, Content]]:
    """The label and content of one file or of several; or of a data frame, of results of ir_measures' iter_calc or a mapping
    from names of runs to such, or of a mapping {run: {measure: {topic: value}}} or {run: {topic: {measure: value}}}."""
    content = of_file(scores)
    if content is not None:
        return [(label, content)]
    if is_frame(scores):
        header, writers, rows = _of_frame(label, scores)
    else:
        if not isinstance(scores, Mapping):
            scores = {ALONE: _listed(label, scores)}
            contents = [content for content in map(of_file, scores[ALONE]) if content is not None]
            if contents and len(contents) == len(scores[ALONE]):
                return [(f"{label} {number}", content) for number, content in enumerate(contents, 1)]
        header, writers = ["run", "topic", "measure", "value"], [name_of, name_of, _measure, _number]
        rows = _of_runs(label, scores)
    lines = chain([header], _written(label, writers, rows))
    return [(label, raw("".join("\t".join(cells) + "\n" for cells in lines)))]


def rows_of(label: str, thing: Any, columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows of a table of names: a mapping from what the first columns hold to what the others do, or a frame that has all
    of some `columns`, the last that fit."""
    if isinstance(thing, Mapping):
        rows: Any = ([*_cells_of(key), *_cells_of(of)] for key, of in thing.items())
        return list(_written(label, repeat(name_of), rows))
    frame = framed(thing)
    held = next((names for names in reversed(columns) if set(names) <= set(frame.columns)), None)
    if held is None:
        asks = " or ".join(", ".join(names) for names in columns)
        raise FormatError.whole_file(label, f"no columns {asks}; there are {', '.join(map(str, frame.columns))}")
    return list(_written(label, repeat(name_of), zip(*(frame[name].to_list() for name in held), strict=True)))


def _cells_of(thing: Any) -> Sequence[Any]:
    return thing if isinstance(thing, list | tuple) else [thing]


def _written(label: str, writers: Iterable[Writer], rows: Iterable[Sequence[Any]]) -> Iterator[list[str]]:
    """The cells of rows as text. Raises FormatError that shows the row where one is not what it should be."""
    for number, row in enumerate(rows, 1):
        try:
            yield [write(cell) for cell, write in zip(row, writers, strict=False)]
        except UsageError as error:
            raise FormatError.whole_file(f"{label}, row {number} {tuple(row)!r:.80}", str(error).rstrip(".")) from None


def _of_runs(label: str, runs: Mapping[Any, Any]) -> Iterator[Sequence[Any]]:
    for run, scores in runs.items():
        position = f"{label}, run {str(run)!r}"
        if isinstance(scores, Iterable) and not isinstance(scores, Mapping):
            try:
                yield from [(run, item.query_id, item.measure, item.value) for item in scores]
            except AttributeError as error:
                raise FormatError.whole_file(position, f"{error}, of query_id, measure, value") from None
        else:
            yield from ((run, topic, measure, value) for measure, topic, value in scores_of_run(scores, position))


def _of_frame(label: str, frame: Any) -> tuple[list[str], list[Writer], Iterable[Sequence[Any]]]:
    """Names of columns, what writes their cells, and rows: of a long frame, one row a score, under the names that files of
    scores may have, which may have other columns besides; or of a matrix, one row a topic (or run)."""
    frame = framed(frame)
    # Of pandas' what the index holds too, unless these are only numbers of rows.
    index = getattr(frame, "index", None)
    has_names = any(name is not None for name in getattr(index, "names", ()))
    is_long = len(headers.known(headers.lowered([str(name) for name in frame.columns]))) == len(headers.COLUMNS)
    if index is not None and not is_long and (has_names or type(index).__name__ != "RangeIndex"):
        try:
            frame = frame.reset_index() if has_names else frame.reset_index(names="topic")
        except (IndexError, ValueError):  # levels without names, or columns of the same name
            reason = "topics in the index and in a column, or levels without names"
            raise FormatError.whole_file(label, reason) from None
    header = [name_of(name) for name in frame.columns]
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise FormatError.whole_file(label, f"two columns named {twice}")
    names = headers.lowered(header)
    writers: dict[int, Writer] = {place: _cell if place else name_of for place in range(len(names))}
    if len(headers.known(names)) > 1:  # a long frame, refused if it lacks a column
        places = headers.places(header, label, None)
        writers = dict.fromkeys(sorted(places.values()), name_of)
        writers |= {places["measure"]: _measure, places["value"]: _number}
    columns = [frame.columns[place] for place in writers]
    rows = zip(*(frame[name].to_list() for name in columns), strict=True)
    return [str(name) for name in columns], [*writers.values()], rows


def _measure(value: Any) -> str:
    """A measure by its name, or as ir_measures has it."""
    return name_of(str(value) if hasattr(value, "NAME") else value)


def _cell(value: Any) -> str:
    # Of a matrix: nothing for a missing score, as a join of frames leaves it.
    return "" if not isinstance(value, str) and str(value) in ("None", "nan", "<NA>") else _number(value)


def _number(value: Any) -> str:
    if not (is_kind_of_number(type(value)) and abs(value) < math.inf):
        raise UsageError(f"value {value!r} is not a finite number.")
    return repr(int(value)) if isinstance(value, int | np.integer) else repr(float(value))

"""Scores that users hold, as the text of a table that files may hold too, so that one reader checks them all; and tables of
names."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irci.api.objects import Files, of_file
from irci.base.errors import FormatError, UsageError
from irci.base.names import is_name, is_text, raw
from irci.data.headers import COLLECTION, COLUMNS, known, lowered, not_understood
from irci.data.in_memory import collected, is_frame, is_kind_of_name, is_kind_of_number
from irci.data.inputs import ALONE
from irci.data.score_formats import OF_RUN, scores_of_run

HEADER = ("run", "topic", "measure", "value")
LABEL = "scores"


def add_scores(files: Files, scores: Any) -> None:
    """One file or several; a data frame; results of ir_measures' iter_calc, or a mapping from names of runs to such; or a
    mapping {run: {measure: {topic: value}}} or {run: {topic: {measure: value}}}."""
    content = of_file(scores)
    if content is not None:
        files.add(LABEL, content)
    elif is_frame(scores):
        files.add(LABEL, _text(_cells_of_frame(scores)))
    elif isinstance(scores, Mapping):
        files.add(LABEL, _text(_cells_of_runs(scores)))
    else:
        _add_items(files, scores)


def _add_items(files: Files, scores: Any) -> None:
    if not isinstance(scores, Iterable):
        raise UsageError(f"scores: a {type(scores).__name__} is neither a file, a data frame, a mapping nor a list.")
    items = list(scores)
    contents = [of_file(item) for item in items]
    if items and all(content is not None for content in contents):
        for number, content in enumerate(contents, 1):
            files.add(f"{LABEL} {number}", content or b"")
    else:
        files.add(LABEL, _text(_cells_of_runs({ALONE: items})))


def rows_of(label: str, thing: Any, columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows of a table of names: a mapping from what the first columns hold to what the others do, or a frame that has all
    of some `columns`, the last that fit."""
    if isinstance(thing, Mapping):
        rows = ([*_cells_of(key), *_cells_of(of)] for key, of in thing.items())
        return [[_name(cell, f"{label}, row {row}") for cell in cells] for row, cells in enumerate(rows, 1)]
    frame = collected(label, thing)
    held = next((names for names in reversed(columns) if set(names) <= set(frame.columns)), None)
    if held is None:
        asks = " or ".join(", ".join(names) for names in columns)
        raise FormatError.whole_file(label, f"no columns {asks}; there are {', '.join(map(str, frame.columns))}")
    return [list(cells) for cells in zip(*(_cells(frame[name], name, _name, label) for name in held), strict=True)]


def _cells_of(thing: Any) -> Sequence[Any]:
    return thing if isinstance(thing, list | tuple) else [thing]


def _text(lines: Iterable[Sequence[str]]) -> bytes:
    return raw("".join("\t".join(cells) + "\n" for cells in lines))


def _cells_of_runs(runs: Mapping[Any, Any]) -> Iterator[Sequence[str]]:
    yield HEADER
    for run, scores in runs.items():
        for measure, topic, value in _of_run(scores, run):
            position = f"{LABEL}, run {str(run)!r}, topic {str(topic)!r}, measure {str(measure)!r}"
            yield _name(run, position), _name(topic, position), _measure(measure, position), _number(value, position)


def _of_run(scores: Any, run: Any) -> Iterator[tuple[Any, Any, Any]]:
    if isinstance(scores, Mapping):
        yield from scores_of_run(scores, f"{LABEL}, run {str(run)!r}")
    elif isinstance(scores, Iterable) and not is_frame(scores) and of_file(scores) is None:
        for item in scores:
            try:
                yield item.measure, item.query_id, item.value
            except AttributeError:
                wrong = f"a {type(item).__name__} among the items, which lacks query_id, measure or value"
                raise FormatError.whole_file(f"{LABEL}, run {str(run)!r}", wrong) from None
    else:
        wrong = f"a {type(scores).__name__}, not {OF_RUN} or results of ir_measures' iter_calc"
        raise FormatError.whole_file(f"{LABEL}, run {str(run)!r}", wrong)


def _cells_of_frame(frame: Any) -> Iterator[Sequence[str]]:
    """A long frame, one row a score, under the names that files of scores may have; or a matrix, one row a topic (or run)."""
    frame = _with_topics(collected(LABEL, frame))
    header = [_name(name, f"{LABEL}, names of columns") for name in frame.columns]
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise FormatError.whole_file(LABEL, f"two columns named {twice}")
    if 1 < len(known(lowered(header))) < len(COLUMNS):  # a long frame that lacks a column
        raise not_understood(header, LABEL, None)
    kinds = _kinds(lowered(header))
    names = [name for name, low in zip(frame.columns, lowered(header), strict=True) if low in kinds]
    yield list(map(str, names))
    columns = [_cells(frame[name], str(name), kinds[low]) for name in names for low in lowered([str(name)])]
    yield from zip(*columns, strict=True)


def _kinds(header: Sequence[str]) -> dict[str, Callable[[Any, str], str]]:
    """How the cells of each column that is read are written; a long frame may have others."""
    column_names = known(header)
    if len(column_names) < len(COLUMNS):
        return dict.fromkeys(header[:1], _name) | dict.fromkeys(header[1:], _number_or_none)
    named = dict.fromkeys((column_names["run"], column_names["topic"], *COLLECTION), _name)
    return {
        **named,
        column_names["measure"]: _measure,
        **dict.fromkeys((column_names["value"], "split", "part"), _number),
    }


def _with_topics(frame: Any) -> Any:
    """A frame of pandas' with what its index holds, unless these are only numbers of rows."""
    index = getattr(frame, "index", None)
    names = [name for name in getattr(index, "names", ()) if name is not None]
    if len(known(lowered([str(name) for name in frame.columns]))) == len(COLUMNS):
        return frame
    if index is None or (not names and type(index).__name__ == "RangeIndex"):
        return frame
    try:
        return frame.reset_index() if names else frame.reset_index(names="topic")
    except (IndexError, ValueError):  # levels without names, or columns of the same name
        raise FormatError.whole_file(LABEL, "topics in the index and in a column, or levels without names") from None


def _cells(column: Any, name: str, write: Callable[[Any, str], str], label: str = LABEL) -> list[str]:
    position = f"{label}, column {name!r}, row "
    values = column.to_list()
    return [write(value, f"{position}{row}") for row, value in enumerate(values, 1)]


def _name(value: Any, position: str) -> str:
    text = str(value) if is_kind_of_name(type(value)) else ""
    if not is_name(text) or set(text) & set("\n\r\0") or not is_text(text):
        raise FormatError.whole_file(
            position, f"{value!r} is not a name: use text without tabs and line ends, or a whole number"
        )
    return text


def _measure(value: Any, position: str) -> str:
    """A measure by its name, or as ir_measures has it."""
    return _name(str(value) if hasattr(value, "NAME") else value, position)


def _number_or_none(value: Any, position: str) -> str:
    """A cell of a matrix, nothing for a missing score, as a join of frames leaves it."""
    is_missing = not isinstance(value, str) and str(value) in ("None", "nan", "<NA>")
    return "" if is_missing else _number(value, position)


def _number(value: Any, position: str) -> str:
    if not is_kind_of_number(type(value)):
        raise FormatError.whole_file(position, f"value {value!r} is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise FormatError.whole_file(position, f"value {value} is not a finite number")
    return repr(int(value)) if isinstance(value, int | np.integer) else repr(number)

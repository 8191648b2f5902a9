"""The formats of files of scores, from lines to cells.

trec_eval: `measure topic value` with tabs, the output of trec_eval -q, of several runs one after the other; a run ends at its
last `all` line, even without lines of topics, and is named by a `runid` line anywhere in it, else by the file.
irci: the same with `lower upper run` behind, and comments.
ir_measures: `topic measure value` with tabs, or its jsonl, which may name a collection too, one run a file.
long: csv or tsv with a header that names run, topic, measure and value (`irci.data.text_files`), and maybe collection.
matrix: csv or tsv with a header of run names, one line a topic, the topics first or not at all; or with a header that begins
with `run` and goes on with topics, one line a run; or topics and a measure, of a run called as the file.
json: objects of objects, as pytrec_eval and ranx keep them; MTEB's are read by `irci.data.model_results`.
Commas or semicolons separate what no tab does.

A line that gives no score is a summary over topics, a runid or a relstring; it is refused; or it is counted: as a comment (at
the head; irci's anywhere), or in a warning. A topic called all cannot be told from a summary: two of a run and measure are
refused.
"""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from irci.base import BLANKS, FormatError, Problem, decimal, file_name, first_few, plural, raw, stem, text
from irci.base.types import Array, Floats, Ints
from irci.data.headers import COLLECTION, COLUMNS, TOPICS, is_number, lowered, places, rows_are_runs, separator_of
from irci.data.scores import LARGEST, WHOLE
from irci.data.text_files import tell_comments
from irci.measures import is_measure
from irci.wording import notify

ALL, RUN_ID, RELEVANCE_STRING = "all", "runid", "relstring"
COMMENT = re.compile(r"#( +[^ \t]| *$)")  # what is no row of our own text; a measure called # has more blanks behind it
IDS = {*COLUMNS["topic"]} - {"query"}  # names of columns of topics, which no run has
OF_RUN = "{topic: {measure: value}} or {measure: {topic: value}}"
QUESTION = (
    "{}: are the measures outside ({}) or inside ({})? A table with columns run, topic, measure and value says so"
)
NO_OBJECT = "not an object with query_id, measure and value, each once"
RUN, TOPIC, MEASURE, COLLECTION_NAME = range(4)
Lines = Sequence[tuple[int, str]]
Column = Sequence[str] | Sequence[str | None]


class Cells(NamedTuple):
    """L scores of a file.

    lines: int64[L], the number of each one's line
    names: the runs, topics, measures and collections, each once; None is the collection without a name
    codes: int64[L] of each of the four: the place of a score's name among these
    values: float64[L]; nan where a cell of a matrix is empty
    wrong: places of what is no score, with its spelling
    means: line, collection, run and measure of each score over all topics
    """

    lines: Ints
    names: Sequence[Column]
    codes: Sequence[Array[Any]]
    values: Floats
    wrong: Sequence[tuple[int, str]]
    means: Sequence[tuple[int, str | None, str, str]]


def is_score(line: str) -> bool:
    """True if a line has the fields of a score, with tabs, whatever it begins with."""
    fields = line.split("\t")
    return len(fields) > 2 and is_number(fields[2])


def is_quoted(content: str) -> bool:
    """True of what only the csv module reads as csv has it."""
    return '"' in content or "\r" in content


def read_cells(lines: Lines, path: str, separator: str = "") -> Iterator[tuple[int, list[str]]]:
    """The cells of each line of csv, or of tsv, in which nothing is quoted; the first line tells the separator, if none is
    given."""
    separator = separator or separator_of(lines[0][1])
    for line, content in lines:
        if separator == "\t" or not is_quoted(content):
            yield line, content.split(separator)
            continue
        try:
            yield line, next(csv.reader([content], delimiter=separator))
        except csv.Error:
            raise FormatError(path, [Problem(line, "not a line of csv")]) from None


def _columns(lines: Lines, path: str, separator: str, width: int, expected: str) -> list[list[str]]:
    # The cells of lines of so many, by column, without blanks around them. Joined and split at once, far quicker than by line.
    content = "\n".join(line for _, line in lines)
    if separator != "\t" and is_quoted(content):
        rows = [cells for _, cells in read_cells(lines, path, separator)]
        widths, cells = [*map(len, rows)], [cell for row in rows for cell in row]
    else:
        widths = [line.count(separator) + 1 for _, line in lines]
        cells = content.replace("\n", separator).split(separator)
    for (line, _), own in zip(lines, widths, strict=True):
        if own != width:
            raise FormatError(path, [Problem(line, expected.format(own, width))])
    return [[cell.strip(BLANKS) for cell in cells[column::width]] if lines else [] for column in range(width)]


def _tabbed(lines: Lines, path: str) -> list[list[str]]:
    return _columns(lines, path, "\t", 3, "{} fields with tabs, expected {}")


def cells_of(
    lines: Sequence[int], runs: Column, topics: Column, measures: Column, spelled: Sequence[str], collections: Column = (),
) -> Cells:  # fmt: skip
    """The scores in columns, each name as it stands in its line; a topic None stands for all topics, which have no score."""
    columns = [runs, topics, measures, collections or [None] * len(lines)]
    means: list[Any] = []
    if None in topics:
        means = [
            (line, collection, run, measure)
            for line, run, topic, measure, collection in zip(lines, *columns, strict=True)
            if topic is None
        ]
        kept = [row for row, topic in enumerate(topics) if topic is not None]
        lines, spelled, *columns = ([column[row] for row in kept] for column in (lines, spelled, *columns))  # type: ignore
    places_of = [{name: index for index, name in enumerate(dict.fromkeys(column))} for column in columns]
    codes = [
        np.fromiter(map(places.__getitem__, column), np.int64, len(lines))
        for places, column in zip(places_of, columns, strict=True)
    ]
    values, wrong = _numbers(spelled)
    return Cells(np.array(lines, np.int64), [[*places] for places in places_of], codes, values, wrong, means)


def _or_all(topics: Iterable[str]) -> list[str | None]:
    return [None if topic == ALL else topic for topic in topics]


def _trec_eval(lines: Lines, path: str, measure: str | None) -> Cells:
    # One run after the other: one ends where a line of a topic follows one of all topics.
    measures, topics, values = _tabbed(lines, path)
    rows: list[int] = []
    runs: list[str] = []  # of the rows up to the end of the last run
    name: str | None = None
    has_ended = False
    for row, (of, topic) in enumerate(zip(measures, topics, strict=True)):
        if topic != ALL and has_ended:
            runs += [name or file_name(path)] * (len(rows) - len(runs))
            name, has_ended = None, False
        has_ended = has_ended or (topic == ALL and (len(rows) > len(runs) or of != RUN_ID))
        if of == RUN_ID:
            if name not in (None, values[row]):
                raise FormatError(path, [Problem(lines[row][0], "a second runid of one run")])
            name = values[row]
        elif not (of.startswith(RELEVANCE_STRING) and values[row].startswith("'")):
            rows.append(row)
    runs += [name or file_name(path)] * (len(rows) - len(runs))
    measures, topics, values = ([column[row] for row in rows] for column in (measures, topics, values))
    return cells_of([lines[row][0] for row in rows], runs, _or_all(topics), measures, values)


def _irci(lines: Lines, path: str, measure: str | None) -> Cells:
    comments = {line: None for line, content in lines if COMMENT.match(content) and not is_score(content)}
    tell_comments(path, len(comments), lambda: next(iter(comments)))
    records: list[tuple[Any, ...]] = []
    means: dict[tuple[str, str], list[tuple[str, list[str]]]] = {}
    for line, content in lines:
        if line in comments:
            continue
        fields = [field.strip(BLANKS) for field in content.split("\t")]
        if len(fields) < 6:
            raise FormatError(path, [Problem(line, f"{len(fields)} fields with tabs, expected 6")])
        of, topic, value, _, _, run, *further = fields
        if topic != ALL:
            records.append((line, run, topic, of, value))
            continue
        # A mean has a population, and a difference has a baseline; scores of topics have neither.
        labels = [cell for cell in further if cell and not is_number(cell)]
        before = means.setdefault((of, run), [])
        if any(labels == own or (value != mean and not (labels and own)) for mean, own in before):
            raise FormatError(path, [Problem(line, twice_all(of, run))])
        before.append((value, labels))
    return cells_of(*(zip(*records, strict=True) if records else [()] * 5))


def _ir_measures(lines: Lines, path: str, measure: str | None) -> Cells:
    runs, numbers = [file_name(path)] * len(lines), [line for line, _ in lines]
    if not lines[0][1].startswith("{"):
        topics, measures, values = _tabbed(lines, path)
        return cells_of(numbers, runs, _or_all(topics), measures, values)
    rows = []
    for line, content in lines:
        try:
            rows.append(_fields_of(json.loads(content, object_pairs_hook=_once)))
        except (ValueError, KeyError, RecursionError, AttributeError, TypeError):
            raise FormatError(path, [Problem(line, NO_OBJECT)]) from None
    collections, topics, measures, values = ([*column] for column in zip(*rows, strict=True))
    return cells_of(numbers, runs, _or_all(topics), measures, values, collections)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # A JSON object. Raises ValueError for a name that it has twice: which of both counts, nobody says.
    row = dict(pairs)
    if len(row) < len(pairs):
        raise ValueError(pairs)
    return row


def _mended(name: str) -> str:
    # Through bytes: halves of surrogate pairs, which json can spell, may be those of one letter.
    return text(raw(name)).strip(BLANKS)


def _fields_of(row: dict[str, Any]) -> tuple[str | None, str, str, str]:
    # Collection, topic, measure and value; a topic that is null stands for all. Raises KeyError, or ValueError for others.
    topic, measure, value = (row[name] for name in ("query_id", "measure", "value"))
    collections = [name for column, name in row.items() if column.lower() in COLLECTION]
    are_fit = type(measure) is str and [*map(type, collections)] in ([], [str])
    if not (are_fit and type(topic) in (str, int, type(None)) and type(value) in (str, int, float)):
        raise ValueError(row)
    collection = _mended(collections[0]) if collections else None
    return collection, ALL if topic is None else _mended(str(topic)), _mended(measure), str(value).strip(BLANKS)


def _long(lines: Lines, path: str, measure: str | None) -> Cells:
    # By header; rows over all topics are left out, and rows of parts of the collection, which a warning counts.
    head = lines[0][1]
    first, header = next(read_cells(lines, path))
    names, column_of = lowered(header), places(header, path, first)
    below = [(line, content) for line, content in lines[1:] if content != head]  # a file joined to others has it again
    columns = _columns(below, path, separator_of(head), len(header), "{} columns, expected {} as in the header")
    numbers = [line for line, _ in below]
    run, topic, of, value = (columns[column_of[column]] for column in COLUMNS)
    collection = columns[column_of["collection"]] if "collection" in column_of else []
    if "part" not in names:
        return cells_of(numbers, run, _or_all(topic), of, value, collection)
    # Tables with parts hold topics alone, so that a topic may be called all.
    parts = columns[names.index("part")]
    splits = columns[names.index("split")] if "split" in names else [WHOLE] * len(numbers)
    for line, part, split in zip(numbers, parts, splits, strict=True):
        if part == WHOLE != split:
            raise FormatError(path, [Problem(line, f"part 0 of split {split}: the whole is part 0 of split 0")])
    if lines_of_parts := [line for line, part in zip(numbers, parts, strict=True) if part != WHOLE]:
        more = ", ..." if len(lines_of_parts) > 1 else ""
        rows = plural(len(lines_of_parts), "row")
        notify("rows_of_parts", path=path, rows=rows, whole=WHOLE, line=lines_of_parts[0], more=more)
    kept = [row for row, part in enumerate(parts) if part == WHOLE]
    numbers = [numbers[row] for row in kept]
    return cells_of(
        numbers, *([column[row] for row in kept if column] for column in (run, topic, of, value, collection))
    )


def _matrix(lines: Lines, path: str, measure: str | None) -> Cells:
    # A topic column is one whose header is empty or says so; without one, topics are numbered from 1. Where the header's first
    # cell says run, lines are runs and columns topics. One column behind the topics that is called as a measure, or score or
    # value, holds that measure (asked for, if it has no name) of a run called as the file.
    cells_below = read_cells(lines, path)
    first, header = next(cells_below)
    names = [name.strip(BLANKS) for name in header]
    is_by_run = rows_are_runs(lowered(header))
    has_names = is_by_run or lowered(header)[0] in TOPICS
    if is_of_one_run(names):
        columns = [stem(path)]
        of = names[1] if is_measure(names[1]) else measure or names[1].lower()
    else:
        columns = names[has_names:]
        of = measure or file_name(path).removesuffix(".csv")
        _refuse_columns(columns, names, path, first, is_by_run=is_by_run)
    scored = [column for column, name in enumerate(columns) if not (is_by_run and name == ALL)]
    wrong: list[tuple[int, str]] = []
    means: list[tuple[int, str | None, str, str]] = []
    numbers: list[int] = []
    row_names: list[str] = []
    values: list[Floats] = []
    for index, (line, cells) in enumerate(cells_below, 1):
        if len(cells) != len(header):
            raise FormatError(path, [Problem(line, f"{len(cells)} columns, expected {len(header)} as in the header")])
        name = cells[0].strip(BLANKS) if has_names else str(index)
        if is_by_run and _has_point(name):
            says = f"the header's first cell, {names[0]}, says that lines are runs"
            raise FormatError(path, [Problem(line, f"{name!r} is not the name of a run; {says}")])
        cells = cells[has_names:]
        if len(cells) > 1 and not any(cell.strip(BLANKS) for cell in cells):  # of one run others may have a score
            raise FormatError(path, [Problem(line, "no score in any column: leave the line out")])
        if has_names and name == ALL and not is_by_run:
            means += [(line, None, run, of) for run in columns]
            continue
        if len(scored) < len(cells):
            means.append((line, None, name, of))
            cells = [cells[column] for column in scored]
        of_row, wrong_here = _numbers(cells, has_gaps=True)
        wrong += [(len(numbers) * len(scored) + cell, spelled) for cell, spelled in wrong_here]
        numbers.append(line)
        row_names.append(name)
        values.append(of_row)
    of_rows, of_columns = (RUN, TOPIC) if is_by_run else (TOPIC, RUN)
    places_of = {name: index for index, name in enumerate(dict.fromkeys(row_names))}
    in_row = np.array([places_of[name] for name in row_names], np.int64)
    size, none = len(numbers) * len(scored), [None]
    codes: list[Any] = [None, None, np.zeros(size, np.int8), np.zeros(size, np.int8)]
    codes[of_rows], codes[of_columns] = np.repeat(in_row, len(scored)), np.tile(np.arange(len(scored)), len(numbers))
    of_each: list[Column] = [[], [], [of], none]
    of_each[of_rows], of_each[of_columns] = [*places_of], [columns[index] for index in scored]
    lines_of = np.repeat(np.array(numbers, np.int64), len(scored))
    return Cells(lines_of, of_each, codes, np.concatenate([*values, np.empty(0)]), wrong, means)


def is_of_one_run(names: Sequence[str]) -> bool:
    """True of a header of topics and a measure, known by its name or called score or value."""
    if len(names) != 2 or names[0].lower() not in TOPICS:
        return False
    return names[1].lower() in COLUMNS["value"] or is_measure(names[1])


def _refuse_columns(columns: Sequence[str], names: Sequence[str], path: str, line: int, *, is_by_run: bool) -> None:
    # Refuse a header of a matrix whose columns are not different runs, or topics if lines are runs.
    are_numbers = all(map(is_number, names))  # of which none names a run
    are_measures = columns and (any if is_by_run else all)(map(is_measure, columns))
    are_unfit = not all(columns) or len({*columns}) < max(len(columns), 1) or any(map(_has_point, columns))
    has_row_numbers = not names[0] and any(name.lower() in IDS for name in columns)
    if not (are_numbers or are_measures or are_unfit or has_row_numbers):
        return
    noun = "topic" if is_by_run else "run"
    reason = f"the header must name each {noun} once, behind topic or nothing, and nothing else"
    raise FormatError(path, [Problem(line, reason)])


def _has_point(name: str) -> bool:
    # True of a decimal fraction, which is no name of a run.
    return "." in name and is_number(name)


class Number(str):
    """A number as it is spelled in JSON, which is no name."""

    __slots__ = ()


def parsed(lines: Lines, path: str) -> dict[str, Any]:
    """The object in a file. Raises FormatError for what is none, and for a name in it twice."""
    content = "\n".join(line for _, line in lines)
    try:
        thing = json.loads(
            content, object_pairs_hook=_once, parse_int=Number, parse_float=Number, parse_constant=Number
        )
    except json.JSONDecodeError as error:
        raise FormatError(path, [Problem(lines[error.lineno - 1][0], f"not JSON: {error.msg}")]) from None
    except RecursionError:
        raise FormatError.whole_file(path, "not JSON of scores: objects too deep within each other") from None
    except ValueError as error:
        ((name, _),) = Counter(name for name, _ in error.args[0]).most_common(1)
        raise FormatError.whole_file(path, f"{name!r} twice in one object") from None
    if not isinstance(thing, dict):
        raise FormatError.whole_file(path, f"not a JSON object of scores: {OF_RUN}, or such by run")
    return thing


def _json(lines: Lines, path: str, measure: str | None) -> Cells:
    # Nested objects; without names of runs they are of one, called as the file.
    content = parsed(lines, path)
    depth, inner = 0, content
    while isinstance(inner, Mapping) and inner:
        inner, depth = next(iter(inner.values())), depth + 1
    records: list[tuple[Any, ...]] = []
    for run, scores in (content if depth > 2 else {stem(path): content}).items():
        for of, topic, value in scores_of_run(scores, f"{path}, run {run!r}"):
            if not isinstance(value, Number):
                raise FormatError.whole_file(path, f"{of} of run {run!r} on topic {topic!r} is not a number")
            records.append((1, name_in(run, path), name_in(topic, path), name_in(of, path), str(value)))
    return cells_of(*(zip(*records, strict=True) if records else [()] * 5))


def name_in(name: str, path: str) -> str:
    """A name in JSON as it is printed. Raises FormatError for what no line can hold: a NUL, or half of a letter."""
    try:
        mended = _mended(name)
    except UnicodeEncodeError:
        mended = "\0"
    if "\0" in mended:
        raise FormatError.whole_file(path, f"{name!r} is not a name: half of a letter, or a NUL")
    return mended


def scores_of_run(scores: Any, position: str) -> Iterator[tuple[Any, Any, Any]]:
    """Measure, topic and value of one run's scores, by measure or by topic. Raises FormatError for other things.

    Where only one level has names of known measures, that level's are all measures.
    """
    if not isinstance(scores, Mapping):
        raise FormatError.whole_file(position, f"a {type(scores).__name__.lower()}, not {OF_RUN}")
    for name, inner in scores.items():
        if not isinstance(inner, Mapping):
            reason = f"a {type(inner).__name__.lower()}, where {OF_RUN} of a run is expected"
            raise FormatError.whole_file(f"{position}, {str(name)!r}", reason)
    inner_names = {name: None for inner in scores.values() for name in inner}
    is_by_topic = any(map(_is_measure, inner_names))
    if inner_names and is_by_topic == any(map(_is_measure, scores)):
        outside, inside = first_few([*map(str, scores)]), first_few([*map(str, inner_names)])
        reason = "both levels have names of measures" if is_by_topic else "no name is that of a measure irci knows"
        raise FormatError.whole_file(position, QUESTION.format(reason, outside, inside))
    for outer, inner in scores.items():
        for name, value in inner.items():
            yield (name, outer, value) if is_by_topic else (outer, name, value)


def _is_measure(name: Any) -> bool:
    return hasattr(name, "NAME") or (isinstance(name, str) and is_measure(name))


FORMATS: dict[str, Callable[[Lines, str, str | None], Cells]] = {
    "trec_eval": _trec_eval, "ir_measures": _ir_measures, "irci": _irci, "long": _long, "matrix": _matrix, "json": _json,
}  # fmt: skip


def _numbers(spelled: Sequence[str], *, has_gaps: bool = False) -> tuple[Floats, list[tuple[int, str]]]:
    # float64[L]: the numbers that are spelled, nan of what is no score; and the places of these with their spelling.
    # `has_gaps`: empty cells are missing scores.
    joined = "".join(spelled)
    if joined.isascii() and joined.isprintable() and "_" not in joined:
        try:
            values = np.fromiter(map(float, spelled), np.float64, len(spelled))
            if not len(values) or np.abs(values).max() <= LARGEST:  # nan is not
                return values, []
        except ValueError:
            pass
    values = np.array([_number(token) for token in spelled])
    places = np.flatnonzero(~(np.abs(values) <= LARGEST)).tolist()
    wrong = [(index, spelled[index].strip(BLANKS) if has_gaps else spelled[index]) for index in places]
    return values, [(index, token) for index, token in wrong if token or not has_gaps]


def _number(token: str) -> float:
    try:
        return decimal(token) if token else math.nan
    except ValueError:
        return math.nan


def unfit(token: str) -> tuple[str, str]:
    """Why a token is no score, and what such reasons have in common."""
    if math.isfinite(_number(token)):
        return f"value {token!r} is beyond {LARGEST:g}: no measure has such scores", "size"
    return f"value {token!r} is not a finite number", "number"


def twice_all(measure: str, run: str) -> str:
    """Reason to refuse a second line of a measure of a run over all topics."""
    return f"{measure} of run {run!r} over all topics twice: is a topic called {ALL}? Rename it"

"""The formats of score files: the rows or the matrix that the lines of each hold. `irci.data.score_files` recognises formats,
checks what is read, and makes tables.

trec_eval: `measure topic value` with tabs, the output of trec_eval -q, of several runs one after the other; a run ends at its
last `all` line, even without lines of topics, and is named by a `runid` line anywhere in it, else by the file.
irci: the same with `lower upper run` behind, and comments.
ir_measures: `topic measure value` with tabs, or its jsonl, which may name a collection too, one run a file.
long: csv or tsv with a header that names run, topic, measure and value (`irci.data.headers`), and maybe collection.
matrix: csv or tsv with a header of run names, one line a topic, the topics first or not at all; or with a header that begins
with `run` and goes on with topics, one line a run; or topics and a measure, of a run called as the file.
json: objects of objects, as pytrec_eval and ranx keep them; MTEB's are read by `irci.data.mteb_results`.
Commas or semicolons separate what no tab does.

A line that gives no score is a summary over topics, a runid or a relstring; it is refused; or it is counted: as a comment (at
the head; irci's anywhere), or in a warning. A topic called all cannot be told from a summary: two of a run and measure are
refused.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from irci.base.errors import FormatError, Problem, logger
from irci.base.names import BLANKS, file_name, first_few, plural, raw, stem, text
from irci.data.headers import (
    COLLECTION,
    COLUMNS,
    TOPICS,
    is_number,
    lowered,
    place_of_collection,
    places,
    rows_are_runs,
)
from irci.data.scores import WHOLE
from irci.data.text_files import tell_comments
from irci.measures import is_measure

ALL = "all"
RUN_ID, RELEVANCE_STRING = "runid", "relstring"
# What is no row of our own text output; a measure called # has more blanks behind it.
COMMENT = re.compile(r"#( +[^ \t]| *$)")
# What only the csv module reads as csv has it.
QUOTED = re.compile('["\r]')
# Names of columns of topics, which no run has.
IDS = {*COLUMNS["topic"]} - {"query"}
OF_RUN = "{topic: {measure: value}} or {measure: {topic: value}}"
QUESTION = (
    "{}: are the measures outside ({}) or inside ({})? A table with columns run, topic, measure and value says so"
)
Lines = Sequence[tuple[int, str]]


class ScoreLines(NamedTuple):
    """L scores, by column.

    line: the lines' numbers
    topic: None stands for all topics
    value: as they are spelled
    collection: empty where none is named
    """

    line: Sequence[int]
    run: Sequence[str]
    topic: Sequence[str | None]
    measure: Sequence[str]
    value: Sequence[str]
    collection: Sequence[str | None] = ()


class Matrix(NamedTuple):
    """Scores of one measure in lines and columns.

    columns: the names of runs, or of topics if is_by_run
    rows: number, name and cells of each line; an empty cell is a missing score. Raises FormatError on the way
    has_names: whether the file names the topics; numbers stand for them otherwise
    """

    columns: Sequence[str]
    rows: Iterable[tuple[int, str, Sequence[str]]]
    measure: str
    is_by_run: bool
    has_names: bool


def is_score(line: str) -> bool:
    """True if a line has the fields of a score, with tabs, whatever it begins with."""
    fields = line.split("\t")
    return len(fields) > 2 and is_number(fields[2])


def twice_all(measure: str, run: str) -> str:
    """Reason to refuse a second line of a measure of a run over all topics."""
    return f"{measure} of run {run!r} over all topics twice: is a topic called {ALL}? Rename it"


def separator_of(head: str) -> str:
    """Separator of the cells of a csv or tsv file with this first line."""
    if "\t" in head:
        return "\t"
    return ";" if head.count(";") > head.count(",") else ","


def cells_in(lines: Lines, path: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line of csv, or of tsv, in which nothing is quoted. Raises FormatError for what is not csv."""
    for number, line in lines:
        if separator == "\t" or not QUOTED.search(line):
            yield number, line.split(separator)
            continue
        try:
            yield number, next(csv.reader([line], delimiter=separator))
        except csv.Error:
            raise FormatError(path, [Problem(number, "not a line of csv")]) from None


def read_cells(lines: Lines, path: str) -> list[tuple[int, list[str]]]:
    """The same of all lines, of which the first tells the separator."""
    return [*cells_in(lines, path, separator_of(lines[0][1]))]


def _columns(
    lines: Lines, path: str, separator: str, width: int, expected: str = "{} columns, expected {} as in the header"
) -> list[Sequence[str]]:
    # The cells of lines of so many, by column, without blanks around them. Joined and split at once, far quicker than by line.
    content = "\n".join(line for _, line in lines)
    if separator != "\t" and QUOTED.search(content):
        rows = [*cells_in(lines, path, separator)]
        widths = [len(cells) for _, cells in rows]
        cells = [cell for _, of_line in rows for cell in of_line]
    else:
        widths = [line.count(separator) + 1 for _, line in lines]
        cells = content.replace("\n", separator).split(separator)
    for (number, _), own in zip(lines, widths, strict=True):
        if own != width:
            raise FormatError(path, [Problem(number, expected.format(own, width))])
    return [[cell.strip(BLANKS) for cell in cells[column::width]] for column in range(width)] if lines else [()] * width


def _tabbed(lines: Lines, path: str) -> list[Sequence[str]]:
    return _columns(lines, path, "\t", 3, "{} fields with tabs, expected {}")


def _or_all(topics: Iterable[str]) -> list[str | None]:
    return [None if topic == ALL else topic for topic in topics]


def _trec_eval(lines: Lines, path: str, measure: str | None) -> ScoreLines:
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
    return ScoreLines(
        [lines[row][0] for row in rows],
        runs,
        _or_all(topics[row] for row in rows),
        [measures[row] for row in rows],
        [values[row] for row in rows],
    )


def _irci(lines: Lines, path: str, measure: str | None) -> ScoreLines:
    comments = [number for number, line in lines if COMMENT.match(line) and not is_score(line)]
    tell_comments(path, len(comments), lambda: comments[0])
    left_out = set(comments)
    records: list[tuple[int, str, str | None, str, str]] = []
    means: dict[tuple[str, str], list[tuple[str, list[str]]]] = {}
    for number, line in lines:
        if number in left_out:
            continue
        fields = [field.strip(BLANKS) for field in line.split("\t")]
        if len(fields) < 6:
            raise FormatError(path, [Problem(number, f"{len(fields)} fields with tabs, expected 6")])
        of, topic, value, _, _, run, *others = fields
        if topic != ALL:
            records.append((number, run, topic, of, value))
            continue
        # A mean has a population, and a difference has a baseline; scores of topics have neither.
        labels = [cell for cell in others if cell and not is_number(cell)]
        before = means.setdefault((of, run), [])
        if any(labels == own or (value != mean and not (labels and own)) for mean, own in before):
            raise FormatError(path, [Problem(number, twice_all(of, run))])
        before.append((value, labels))
    return _rows(records)


def _rows(records: Sequence[tuple[Any, ...]]) -> ScoreLines:
    return ScoreLines(*zip(*records, strict=True)) if records else ScoreLines((), (), (), (), ())


def _ir_measures(lines: Lines, path: str, measure: str | None) -> ScoreLines:
    if not any(line.startswith("{") for _, line in lines):
        topics, measures, values = _tabbed(lines, path)
        return ScoreLines(
            [number for number, _ in lines], [file_name(path)] * len(lines), _or_all(topics), measures, values
        )
    records = []
    collection: str | None = None
    for number, line in lines:
        if line.startswith("{"):
            try:
                row = json.loads(line, object_pairs_hook=_once)
                topic, of, value = _fields_of(row)
                collection = _collection_of(row)
            except (ValueError, KeyError, RecursionError):
                reason = "not an object with query_id, measure and value, each once"
                raise FormatError(path, [Problem(number, reason)]) from None
        else:
            ((topic,), (of,), (value,)) = _tabbed([(number, line)], path)
        records.append((number, file_name(path), None if topic == ALL else topic, of, value, collection))
    return _rows(records)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # A JSON object. Raises ValueError for a name that it has twice: which of both counts, nobody says.
    row = dict(pairs)
    if len(row) < len(pairs):
        raise ValueError(pairs)
    return row


def _mended(name: str) -> str:
    # Through bytes: halves of surrogate pairs, which json can spell, may be those of one letter.
    return text(raw(name)).strip(BLANKS)


def _collection_of(row: dict[str, Any]) -> str | None:
    # The collection, if it is named. Raises ValueError where that is no name, or two.
    names = [value for name, value in row.items() if name.lower() in COLLECTION]
    if len(names) > 1 or not all(isinstance(name, str) for name in names):
        raise ValueError(row)
    return _mended(names[0]) if names else None


def _fields_of(row: dict[str, Any]) -> tuple[str, str, str]:
    # Topic, measure and value; a topic that is null stands for all. Raises KeyError, or ValueError for others.
    topic, measure, value = (row[name] for name in ("query_id", "measure", "value"))
    if not (isinstance(topic, str | int | None) and isinstance(measure, str) and isinstance(value, str | int | float)):
        raise ValueError(row)
    if isinstance(topic, bool) or isinstance(value, bool):
        raise ValueError(row)
    return ALL if topic is None else _mended(str(topic)), _mended(measure), str(value).strip(BLANKS)


def _long(lines: Lines, path: str, measure: str | None) -> ScoreLines:
    # By header; rows over all topics are left out, and rows of parts of the collection, which a warning counts.
    head = lines[0][1]
    ((first, header),) = read_cells(lines[:1], path)
    names, place = lowered(header), places(header, path, first)
    below = [(number, line) for number, line in lines[1:] if line != head]  # a file joined to others has it again
    columns = _columns(below, path, separator_of(head), len(header))
    run, topic, of, value = (columns[place[column]] for column in COLUMNS)
    numbers = [number for number, _ in below]
    collection = place_of_collection(names)
    rows = ScoreLines(numbers, run, topic, of, value, () if collection is None else columns[collection])
    if "part" not in names:
        return rows._replace(topic=_or_all(topic))
    # Tables with parts hold topics alone, so that a topic may be called all.
    split = columns[names.index("split")] if "split" in names else [WHOLE] * len(below)
    return _of_whole(rows, columns[names.index("part")], split, path)


def _of_whole(rows: ScoreLines, parts: Sequence[str], splits: Sequence[str], path: str) -> ScoreLines:
    # The rows of the whole collection.
    for number, part, split in zip(rows.line, parts, splits, strict=True):
        if part == WHOLE != split:
            raise FormatError(path, [Problem(number, f"part 0 of split {split}: the whole is part 0 of split 0")])
    others = [number for number, part in zip(rows.line, parts, strict=True) if part != WHOLE]
    if others:
        rows_of_parts = f"{plural(len(others), 'row')} of parts other than {WHOLE}, left out"
        logger.warning(f"{path}: {rows_of_parts} (line {others[0]}{', ...' if len(others) > 1 else ''})")
    kept = [row for row, part in enumerate(parts) if part == WHOLE]
    line, run, topic, measure, value, collection = ([column[row] for row in kept] if column else () for column in rows)
    return ScoreLines(line, run, topic, measure, value, collection)  # type: ignore[arg-type]


def _matrix(lines: Lines, path: str, measure: str | None) -> Matrix:
    # A topic column is one whose header is empty or says so; without one, topics are numbered from 1. Where the header's first
    # cell says run, lines are runs and columns topics. One column behind the topics that is called as a measure, or score or
    # value, holds that measure (asked for, if it has no name) of a run called as the file.
    ((first, header),) = read_cells(lines[:1], path)
    names = [name.strip(BLANKS) for name in header]
    is_by_run, is_one_run = rows_are_runs(lowered(header)), is_of_one_run(names)
    has_names = is_by_run or lowered(header)[0] in TOPICS
    if is_one_run:
        columns = [stem(path)]
        of = names[1] if is_measure(names[1]) else measure or names[1].lower()
    else:
        columns = names[has_names:]
        of = measure or file_name(path).removesuffix(".csv")
        _refuse_columns(columns, names, path, first, is_by_run=is_by_run)

    def rows() -> Iterator[tuple[int, str, Sequence[str]]]:
        for index, (number, cells) in enumerate(cells_in(lines[1:], path, separator_of(lines[0][1])), 1):
            if len(cells) != len(header):
                reason = f"{len(cells)} columns, expected {len(header)} as in the header"
                raise FormatError(path, [Problem(number, reason)])
            name = cells[0].strip(BLANKS) if has_names else str(index)
            if is_by_run and _has_point(name):
                says = f"the header's first cell, {names[0]}, says that lines are runs"
                raise FormatError(path, [Problem(number, f"{name!r} is not the name of a run; {says}")])
            cells = cells[has_names:]
            if len(cells) > 1 and not "".join(cells).strip(BLANKS):  # of one run others may have a score
                raise FormatError(path, [Problem(number, "no score in any column: leave the line out")])
            yield number, name, cells

    return Matrix(columns, rows(), of, is_by_run, has_names)


def is_of_one_run(names: Sequence[str]) -> bool:
    """True of a header of topics and a measure, known by its name or called score or value."""
    if len(names) != 2 or names[0].lower() not in TOPICS:
        return False
    return names[1].lower() in COLUMNS["value"] or is_measure(names[1])


def _refuse_columns(columns: Sequence[str], names: Sequence[str], path: str, number: int, *, is_by_run: bool) -> None:
    # Refuse a header of a matrix whose columns are not different runs, or topics if lines are runs.
    if all(map(is_number, names)):
        reason = (
            "all cells are numbers, so there is no header with run names (of runs 1,2,..., put a topic column first)"
        )
    elif columns and (any if is_by_run else all)(map(is_measure, columns)):
        reason = (
            "the columns are measures: give one measure a file, with runs as columns, or run, topic, measure, value"
        )
    elif not all(columns) or len({*columns}) < max(len(columns), 1) or any(map(_has_point, columns)):
        reason = f"the header must name each {'topic' if is_by_run else 'run'} once"
    elif not names[0] and (of_topics := [name for name in columns if name.lower() in IDS]):
        reason = f"a column before {of_topics[0]}, without a name: leave row numbers out (pandas: to_csv(index=False))"
    else:
        return
    raise FormatError(path, [Problem(number, reason)])


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
        counts = Counter(name for name, _ in error.args[0])
        twice = next(name for name, count in counts.items() if count > 1)
        raise FormatError.whole_file(path, f"{twice!r} twice in one object") from None
    if not isinstance(thing, dict):
        raise FormatError.whole_file(path, f"not a JSON object of scores: {OF_RUN}, or such by run")
    return thing


def _json(lines: Lines, path: str, measure: str | None) -> ScoreLines:
    # Nested objects; without names of runs they are of one, called as the file.
    content = parsed(lines, path)
    depth, inner = 0, content
    while isinstance(inner, Mapping) and inner:
        inner, depth = next(iter(inner.values())), depth + 1
    records = []
    for run, scores in (content if depth > 2 else {stem(path): content}).items():
        for of, topic, value in scores_of_run(scores, f"{path}, run {run!r}"):
            if not isinstance(value, Number):
                raise FormatError.whole_file(path, f"{of} of run {run!r} on topic {topic!r} is not a number")
            records.append((1, name_in(run, path), name_in(topic, path), name_in(of, path), str(value)))
    return _rows(records)


def name_in(name: str, path: str) -> str:
    """A name in JSON as it is printed. Raises FormatError for what no line can hold: a NUL, or half of a letter."""
    try:
        mended = _mended(name)
    except UnicodeEncodeError:
        mended = "\0"
    if "\0" in mended:
        raise FormatError.whole_file(path, f"{name!r} is not a name: half of a letter, or a NUL")
    return mended


def scores_of_run(scores: Any, place: str) -> Iterator[tuple[Any, Any, Any]]:
    """Measure, topic and value of one run's scores, by measure or by topic. Raises FormatError for other things.

    Where only one level has names of known measures, that level's are all measures.
    """
    if not isinstance(scores, Mapping):
        raise FormatError.whole_file(place, f"a {type(scores).__name__.lower()}, not {OF_RUN}")
    for name, inner in scores.items():
        if not isinstance(inner, Mapping):
            raise FormatError.whole_file(
                f"{place}, {str(name)!r}", f"a {type(inner).__name__.lower()}, where {OF_RUN} of a run is expected"
            )
    inner_names = {name: None for inner in scores.values() for name in inner}
    is_by_topic = any(map(_is_measure, inner_names))
    if inner_names and is_by_topic == any(map(_is_measure, scores)):
        outside, inside = first_few([*map(str, scores)]), first_few([*map(str, inner_names)])
        reason = "both levels have names of measures" if is_by_topic else "no name is that of a measure irci knows"
        raise FormatError.whole_file(place, QUESTION.format(reason, outside, inside))
    for outer, inner in scores.items():
        for name, value in inner.items():
            yield (name, outer, value) if is_by_topic else (outer, name, value)


def _is_measure(name: Any) -> bool:
    return hasattr(name, "NAME") or (isinstance(name, str) and is_measure(name))


FORMATS: dict[str, Callable[[Lines, str, str | None], ScoreLines | Matrix]] = {
    "trec_eval": _trec_eval,
    "ir_measures": _ir_measures,
    "irci": _irci,
    "long": _long,
    "matrix": _matrix,
    "json": _json,
}

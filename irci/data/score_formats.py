"""The formats of files of scores, from lines to columns.

trec_eval: `measure topic value` with tabs, the output of trec_eval -q, of several runs one after the other; a run ends at its
last `all` line, even without lines of topics, and is named by a `runid` line anywhere in it, else by the file.
ir_measures: `topic measure value` with tabs, or its jsonl, which may name a collection too, one run a file.
long: csv or tsv with a header that names run, topic, measure and value (`irci.data.text_files`), and maybe collection.
matrix: csv or tsv with a header of run names, one line a topic, the topics first, below an empty cell or one that says so, or
numbered from 1; or with a header that begins with `run` and goes on with topics, one line a run; or topics and a measure, by
its name, or called score or value (then that asked for), of a run called as the file.
json: objects of objects, as pytrec_eval and ranx keep them, of runs or of one called as the file; MTEB's: `score_files`.
Commas or semicolons separate what no tab does.

A line that gives no score is a summary over topics, a runid or a relstring; it is refused; or, at the head, it is counted as
a comment. A topic called all cannot be told from a summary: two of a run and measure are refused.
"""

import csv
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irci.base import BLANKS, FormatError, Problem, decimal, file_name, first_few, stem, takes
from irci.base.types import Floats, gathered
from irci.data.headers import COLLECTION, COLUMNS, TOPICS, is_number, lowered, places, rows_are_runs, separator_of
from irci.data.scores import ALL, LARGEST
from irci.data.text_files import problems_of
from irci.measures import is_measure

RUN_ID = "runid"
OF_RUN = "{topic: {measure: value}} or {measure: {topic: value}}"
FIELDS = "{} fields with tabs, expected {}"
AS_IN_HEADER = "{} columns, expected {} as in the header"
Lines = Sequence[tuple[int, str]]
Key = tuple[str | None, str, str]  # a collection, None if it has no name, a run and a measure
Score = tuple[int, str | None, str | None]  # line, topic (None: all of them), value as it is spelled (None: missing)
Records = Iterator[tuple[Key, Score]]
Series = Iterator[tuple[Key, tuple[Any, Any, Any]]]  # the same in three columns


def numbers(spelled: Sequence[str | None], lines: Sequence[int], problems: list[Problem]) -> Floats:
    """float64[L]: the numbers that are spelled, nan for None. Problems with these lines are added for what is no score."""
    tokens = ["nan" if token is None else token for token in spelled]
    joined = "".join(tokens)
    try:
        if not (joined.isascii() and joined.isprintable()) or "_" in joined:
            raise ValueError
        values = np.fromiter(map(float, tokens), np.float64, len(tokens))
    except ValueError:
        values = np.array([decimal(token) if takes(decimal, token) else math.nan for token in tokens])
    for index in np.flatnonzero(~(np.abs(values) <= LARGEST)).tolist():
        if (token := spelled[index]) is not None:
            size = f"beyond {LARGEST:g}: no measure has such scores", "size"
            reason, kind = size if math.isfinite(values[index]) else ("not a finite number", "number")
            problems.append(Problem(lines[index], f"value {token!r} is {reason}", kind))
    return values


def is_score(line: str) -> bool:
    """True if a line has the fields of a score, with tabs, whatever it begins with."""
    fields = line.split("\t")
    return len(fields) > 2 and is_number(fields[2])


def read_cells(
    lines: Lines, path: str, separator: str = "", expected: str = "", width: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line of csv, or of tsv, in which nothing is quoted, without blanks around them.
    `separator`: told by the first line, if none is given; `expected`: the refusal of a line that has other than so many cells,
    or than the first one, if any number will not do."""
    separator = separator or separator_of(lines[0][1])
    quoting: Any = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    reader = csv.reader((content for _, content in lines), delimiter=separator, quoting=quoting)
    number = 0
    try:
        for cells in reader:
            if reader.line_num > number + 1:  # quotation marks around the end of a line
                raise csv.Error
            width = width or len(cells)
            if expected and len(cells) != width:
                raise FormatError(path, [Problem(lines[number][0], expected.format(len(cells), width))])
            yield lines[number][0], [cell.strip(BLANKS) for cell in cells]
            number += 1
    except csv.Error:
        raise FormatError(path, [Problem(lines[number][0], "not a line of csv")]) from None


def _or_all(topic: str, value: str) -> tuple[str | None, str | None]:
    """A topic and a value; of all topics neither."""
    return (None, None) if topic == ALL else (topic, value)


def _trec_eval(lines: Lines, path: str, measure: str | None) -> Records:
    # One run after the other: one ends where a line of a topic follows one of all topics.
    names, records, has_ended = [""], list[tuple[int, str, Score]](), False  # of runs; of which run
    for line, (of, topic, value) in read_cells(lines, path, "\t", FIELDS, 3):
        if topic != ALL and has_ended:
            names.append("")
            has_ended = False
        if of == RUN_ID:
            if names[-1] not in ("", value):
                raise FormatError(path, [Problem(line, "a second runid of one run")])
            names[-1] = value
        elif not (of.startswith("relstring") and value.startswith("'")):
            records.append((len(names), of, (line, *_or_all(topic, value))))
        has_ended = has_ended or (topic == ALL and len(records) > 0 and records[-1][0] == len(names))
    return (((None, names[run - 1] or file_name(path), of), score) for run, of, score in records)


def _ir_measures(lines: Lines, path: str, measure: str | None) -> Records:
    run = file_name(path)
    if not lines[0][1].startswith("{"):
        for line, (topic, of, value) in read_cells(lines, path, "\t", FIELDS, 3):
            yield (None, run, of), (line, *_or_all(topic, value))
        return
    for line, content in lines:
        try:
            row = _loaded(content)
            topic, of, value = (row[name] for name in ("query_id", "measure", "value"))
            (collection,) = [name for column, name in row.items() if column.lower() in COLLECTION] or [None]
            topic = ALL if topic is None else topic
            if not all(isinstance(cell, str) for cell in (topic, of, value, collection or "")):
                raise ValueError(row)
        except (ValueError, KeyError, RecursionError, AttributeError, TypeError):
            raise FormatError(
                path, [Problem(line, "not an object with query_id, measure and value, each once")]
            ) from None
        yield (collection, run, of), (line, *_or_all(topic.strip(BLANKS), value))


class Number(str):
    """A number as it is spelled in JSON, which is no name."""

    __slots__ = ()


def _loaded(content: str) -> Any:
    # Raises ValueError for a name that an object has twice: which of both counts, nobody says.
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        row = dict(pairs)
        if len(row) < len(pairs):
            raise ValueError(pairs)
        return row

    return json.loads(content, object_pairs_hook=once, parse_int=Number, parse_float=Number, parse_constant=Number)


def parsed(lines: Lines, path: str) -> dict[str, Any]:
    """The object in a file. Raises FormatError for what is none, and for a name in it twice."""
    try:
        thing = _loaded("\n".join(line for _, line in lines))
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


def _long(lines: Lines, path: str, measure: str | None) -> Records:
    rows = read_cells(lines, path, "", AS_IN_HEADER)
    first, header = next(rows)
    columns = places(header, path, first)
    run, topic, of, value = (columns[column] for column in COLUMNS)
    collection = columns.get("collection")
    for line, cells in rows:
        if cells != header:  # a file joined to others has it again
            key = None if collection is None else cells[collection], cells[run], cells[of]
            yield key, (line, *_or_all(cells[topic], cells[value]))


def _matrix(lines: Lines, path: str, measure: str | None) -> Series:
    rows = read_cells(lines, path, "", AS_IN_HEADER)
    first, header = next(rows)
    is_by_run = rows_are_runs(lowered(header))
    has_names = is_by_run or lowered(header)[0] in TOPICS
    if is_of_one_run(header):
        columns = [stem(path)]
        of = header[1] if is_measure(header[1]) else measure or header[1].lower()
    else:
        columns = header[has_names:]
        of = measure or file_name(path).removesuffix(".csv")
        # Columns are different runs, or topics if lines are runs, which have no names of measures; numbers name no run.
        are_measures = columns and (any if is_by_run else all)(map(is_measure, columns))
        are_unfit = not all(columns) or len({*columns}) < max(len(columns), 1) or any(map(_has_point, columns))
        # Of a frame, beside topics, whose name no run has.
        has_row_numbers = not header[0] and any(name.lower() in {*COLUMNS["topic"]} - {"query"} for name in columns)
        if are_measures or are_unfit or has_row_numbers or all(map(is_number, header)):
            noun = "topic" if is_by_run else "run"
            reason = f"the header must name each {noun} once, behind topic or nothing, and nothing else"
            raise FormatError(path, [Problem(first, reason)])
    names, numbered, table = list[str](), list[int](), list[Floats]()
    with problems_of(path) as problems:
        for index, (line, cells) in enumerate(rows, 1):
            name = cells[0] if has_names else str(index)
            if is_by_run and _has_point(name):
                says = f"the header's first cell, {header[0]}, says that lines are runs"
                raise FormatError(path, [Problem(line, f"{name!r} is not the name of a run; {says}")])
            values = [cell or None for cell in cells[has_names:]]
            if len(values) > 1 and not any(values):  # of one run others may have a score
                raise FormatError(path, [Problem(line, "no score in any column: leave the line out")])
            names.append(name)
            numbered.append(line)
            table.append(numbers(values, [line] * len(values), problems))  # a fourth of the memory that text takes
    scores = np.array(table).reshape(len(names), len(columns))
    topics = [None if has_names and topic == ALL else topic for topic in (columns if is_by_run else names)]
    by_run = zip(names, scores, strict=True) if is_by_run else zip(columns, scores.T, strict=True)
    for index, (run, of_run) in enumerate(by_run):
        yield (None, run, of), ([numbered[index]] * len(topics) if is_by_run else numbered, topics, of_run)


def is_of_one_run(names: Sequence[str]) -> bool:
    """True of a header of topics and a measure, known by its name or called score or value."""
    if len(names) != 2 or names[0].lower() not in TOPICS:
        return False
    return names[1].lower() in COLUMNS["value"] or is_measure(names[1])


def _has_point(name: str) -> bool:
    # True of a decimal fraction, which is no name of a run.
    return "." in name and is_number(name)


def _json(lines: Lines, path: str, measure: str | None) -> Records:
    content = parsed(lines, path)
    depth, inner = 0, content
    while isinstance(inner, Mapping) and inner:
        inner, depth = next(iter(inner.values())), depth + 1
    for run, scores in (content if depth > 2 else {stem(path): content}).items():
        for of, topic, value in scores_of_run(scores, f"{path}, run {run!r}"):
            if not isinstance(value, Number):
                raise FormatError.whole_file(path, f"{of} of run {run!r} on topic {topic!r} is not a number")
            yield (None, run, of), (1, topic, value)


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
        says_so = "A table with columns run, topic, measure and value says so"
        question = f"{reason}: are the measures outside ({outside}) or inside ({inside})? {says_so}"
        raise FormatError.whole_file(position, question)
    for outer, inner in scores.items():
        for name, value in inner.items():
            yield (name, outer, value) if is_by_topic else (outer, name, value)


def _is_measure(name: Any) -> bool:
    return hasattr(name, "NAME") or (isinstance(name, str) and is_measure(name))


READERS = {"trec_eval": _trec_eval, "ir_measures": _ir_measures, "long": _long, "json": _json}
FORMATS = (*READERS, "matrix")


def read(form: str, lines: Lines, path: str, measure: str | None) -> Series:
    """The scores in the lines of a file of one of FORMATS, by runs and measures. Raises FormatError for what is none."""
    return _matrix(lines, path, measure) if form == "matrix" else series(READERS[form](lines, path, measure))


def series(records: Iterable[tuple[Key, Score]]) -> Series:
    """Scores by collections, runs and measures, as they come."""
    for key, scores in gathered(records).items():
        lines, topics, spelled = zip(*scores, strict=True)
        yield key, (lines, topics, spelled)

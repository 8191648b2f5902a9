"""The formats of score files: what each line says. `irci.data.score_recognition` tells which format a file has.

trec_eval: `measure topic value` with tabs, the output of trec_eval -q, of several runs one after the other; a run ends at its
last `all` line, even without lines of topics, and is named by a `runid` line anywhere in it, else by the file.
irci: the same with `lower upper run` behind, and comments.
ir_measures: `topic measure value` with tabs, or its jsonl, which may name a collection too, one run a file.
long: csv or tsv with a header that names run, topic, measure and value (`irci.data.headers`), and maybe collection.
matrix: csv or tsv with a header of run names, one line a topic, the topics first or not at all; or with a header that begins
with `run` and goes on with topics, one line a run; or topics and a measure, of a run called as the file.
json: objects of objects, of pytrec_eval, ranx and MTEB (`irci.data.json_scores`).
Commas or semicolons separate what no tab does.

A line that gives no score is a summary over topics, a runid or a relstring; it is refused; or it is counted: as a comment (at
the head; irci's anywhere), or in a warning. A topic called all cannot be told from a summary: two of a run and measure are
refused.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from irci.base.errors import FormatError, Problem, logger
from irci.base.names import BLANKS, file_name, plural, raw
from irci.data.headers import COLLECTION, COLUMNS, SOURCE, is_number, lowered, place_of_collection, places
from irci.data.matrix_headers import columns_of, has_point
from irci.data.origins import words_of
from irci.data.scores import WHOLE
from irci.data.text_files import tell_comments

ALL = "all"
RUN_ID, RELEVANCE_STRING = "runid", "relstring"
# What is no row of our own text output; a measure called # has more blanks behind it.
COMMENT = re.compile(r"#( +[^ \t]| *$)")
# Of scores: variances of variances of them are numbers still.
LARGEST = 1e50

# Line, collection if any is named, run, topic (None: all of them), measure, value (None: missing), and the word of an origin
# if there are.
ScoreRecord = tuple[int, str | None, str, str | None, str, str | None, *tuple[str, ...]]
Lines = Sequence[tuple[int, str]]
Rows = Sequence[tuple[int, list[str]]]


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


def read_cells(lines: Lines, path: str) -> list[tuple[int, list[str]]]:
    """The cells of csv lines, or of tsv, in which nothing is quoted, whichever the first line is; csv may have semicolons."""
    separator = separator_of(lines[0][1])
    if separator == "\t":
        return [(number, line.split("\t")) for number, line in lines]
    cells = []
    for number, line in lines:
        try:
            cells.append((number, next(csv.reader([line], delimiter=separator))))
        except csv.Error:
            raise FormatError(path, [Problem(number, "not a line of csv")]) from None
    return cells


def _tabbed(lines: Lines, path: str, number_of_fields: int, *, more: bool = False) -> Iterator[tuple[int, list[str]]]:
    for number, line in lines:
        fields = [field.strip(BLANKS) for field in line.split("\t")]
        if len(fields) < number_of_fields or (len(fields) > number_of_fields and not more):
            raise FormatError(path, [Problem(number, f"{len(fields)} fields with tabs, expected {number_of_fields}")])
        yield number, fields


def _trec_eval(lines: Lines, path: str, measure: str | None) -> Iterator[ScoreRecord]:
    # One run after the other: one ends where a line of a topic follows one of all topics.
    block: list[tuple[int, str, str, str]] = []
    name = None
    ended = False
    for number, (what, topic, value) in _tabbed(lines, path, 3):
        if topic != ALL and ended:
            yield from _named(block, name, path)
            block, name, ended = [], None, False
        ended = ended or (topic == ALL and (bool(block) or what != RUN_ID))
        if what == RUN_ID:
            if name not in (None, value):
                raise FormatError(path, [Problem(number, "a second runid of one run")])
            name = value
        elif not (what.startswith(RELEVANCE_STRING) and value.startswith("'")):
            block.append((number, topic, what, value))
    yield from _named(block, name, path)


def _named(block: Sequence[tuple[int, str, str, str]], name: str | None, path: str) -> Iterator[ScoreRecord]:
    for number, topic, measure, value in block:
        yield number, None, name or file_name(path), _or_all(topic), measure, value


def _or_all(topic: str) -> str | None:
    return None if topic == ALL else topic


def _irci(lines: Lines, path: str, measure: str | None) -> Iterator[ScoreRecord]:
    comments = [number for number, line in lines if COMMENT.match(line) and not is_score(line)]
    tell_comments(path, len(comments), lambda: comments[0])
    left_out = set(comments)
    rows = [(number, line) for number, line in lines if number not in left_out]
    means: dict[tuple[str, str], list[tuple[str, list[str]]]] = {}
    for number, (what, topic, value, _, _, run, *others) in _tabbed(rows, path, 6, more=True):
        if topic != ALL:
            yield number, None, run, topic, what, value
            continue
        # A mean is there once a population, and a difference once a baseline; a topic has neither.
        of = [cell for cell in others if cell and not is_number(cell)]
        before = means.setdefault((what, run), [])
        if any(of == names or (value != mean and not (of and names)) for mean, names in before):
            raise FormatError(path, [Problem(number, twice_all(what, run))])
        before.append((value, of))


def _ir_measures(lines: Lines, path: str, measure: str | None) -> Iterator[ScoreRecord]:
    collection = None
    for number, line in lines:
        if line.startswith("{"):
            try:
                row = json.loads(line, object_pairs_hook=_object)
                topic, what, value = _fields_of_object(row)
                collection = _collection_of_object(row)
            except (ValueError, KeyError, RecursionError):
                reason = "not an object with query_id, measure and value, each once"
                raise FormatError(path, [Problem(number, reason)]) from None
        else:
            ((_, (topic, what, value)),) = _tabbed([(number, line)], path, 3)
        yield number, collection, file_name(path), _or_all(topic), what, value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # A JSON object. Raises ValueError for a name that is there twice: which of both counts, nobody says.
    row = dict(pairs)
    if len(row) < len(pairs):
        raise ValueError(pairs)
    return row


def _collection_of_object(row: dict[str, Any]) -> str | None:
    # The collection, if it is named. Raises ValueError where that is no name, or two.
    found = [value for name, value in row.items() if name.lower() in COLLECTION]
    if len(found) > 1 or not all(isinstance(each, str) for each in found):
        raise ValueError(row)
    return raw(found[0]).decode("utf-8", "surrogateescape").strip(BLANKS) if found else None


def _fields_of_object(row: dict[str, Any]) -> tuple[str, str, str]:
    # Topic, measure and value; a topic that is null stands for all. Raises KeyError, or ValueError for others.
    topic, what, value = (row[name] for name in ("query_id", "measure", "value"))
    if not (isinstance(topic, str | int | None) and isinstance(what, str) and isinstance(value, str | int | float)):
        raise ValueError(row)
    if isinstance(topic, bool) or isinstance(value, bool):
        raise ValueError(row)
    # Through bytes: halves of surrogate pairs, which json can spell, may be those of one letter.
    named, what = (raw(name).decode("utf-8", "surrogateescape").strip(BLANKS) for name in (str(topic), what))
    return ALL if topic is None else named, what, str(value).strip(BLANKS)


def _long(lines: Lines, path: str, measure: str | None) -> Iterator[ScoreRecord]:
    # By header; rows over all topics are left out, and rows of parts of the collection, which a warning counts.
    (_, header), *rows = read_cells(lines, path)
    names = lowered(header)
    place = places(header, path, lines[0][0])
    part, split = (names.index(name) if name in names else None for name in ("part", "split"))
    collection = place_of_collection(names)
    chosen = itemgetter(*(place[column] for column in COLUMNS))
    word = place_of_words(names, header, rows, path)
    of_parts = []
    for number, cells in rows:
        if cells == header:  # of a file joined to the one before
            continue
        _refuse_ragged(cells, header, path, number)
        run, topic, what, value = [cell.strip(BLANKS) for cell in chosen(cells)]
        # Tables with parts hold topics alone, so that a topic may be called all.
        if part is not None and cells[part].strip(BLANKS) != WHOLE:
            of_parts.append(number)
        elif part is not None and split is not None and cells[split].strip(BLANKS) != WHOLE:
            raise FormatError(
                path, [Problem(number, f"part 0 of split {cells[split]}: the whole is part 0 of split 0")]
            )
        else:
            of = None if collection is None else cells[collection].strip(BLANKS)
            words = () if word is None else (cells[word].strip(BLANKS),)
            yield number, of, run, topic if part is not None else _or_all(topic), what, value, *words
    if of_parts:
        rows_of_parts = f"{plural(len(of_parts), 'row')} of parts other than {WHOLE}, left out"
        logger.warning(f"{path}: {rows_of_parts} (line {of_parts[0]}{', ...' if len(of_parts) > 1 else ''})")


def place_of_words(names: Sequence[str], header: Sequence[str], rows: Rows, path: str) -> int | None:
    """Place of the column of origins, if there is one. Raises FormatError for a cell that is none, among such as are."""
    if SOURCE not in names:
        return None
    place = names.index(SOURCE)
    words = [(number, cells[place].strip(BLANKS)) for number, cells in rows if cells != header and len(cells) > place]
    try:
        return place if words_of(word for _, word in words) else None
    except ValueError as error:
        first = next(number for number, word in words if word == str(error))
        raise FormatError(
            path, [Problem(first, f"{SOURCE} {str(error)!r} is no word of 12 hex digits, as others here are")]
        ) from None


def _refuse_ragged(cells: Sequence[str], header: Sequence[str], path: str, number: int) -> None:
    if len(cells) != len(header):
        raise FormatError(path, [Problem(number, f"{len(cells)} columns, expected {len(header)} as in the header")])


def _matrix(lines: Lines, path: str, measure: str | None) -> Iterator[ScoreRecord]:
    """A topic column is one whose header is empty or says so; without one, topics are numbered from 1. An empty cell is a
    missing score. Where the header's first cell says run, lines are runs and columns topics."""
    (first, header), *rows = read_cells(lines, path)
    columns, what, by_run, named = columns_of(header, path, first, measure)
    for place, (number, cells) in enumerate(rows, 1):
        _refuse_ragged(cells, header, path, number)
        row = cells[0].strip(BLANKS) if named else str(place)
        if by_run and has_point(row):
            first_cell = header[0].strip(BLANKS)
            reason = (
                f"{row!r} is not the name of a run; the header's first cell, {first_cell}, says that lines are runs"
            )
            raise FormatError(path, [Problem(number, reason)])
        values = [cell.strip(BLANKS) for cell in cells[named:]]
        if len(values) > 1 and not any(values):  # of one run others may have a score
            raise FormatError(path, [Problem(number, "no score in any column: leave the line out")])
        for column, value in zip(columns, values, strict=True):
            run, topic = (row, column) if by_run else (column, row)
            yield number, None, run, _or_all(topic) if named else topic, what, value or None


def _json(lines: Lines, path: str, measure: str | None) -> Iterator[ScoreRecord]:
    from irci.data.json_scores import records_of  # only for these

    return records_of(lines, path)


FORMATS: dict[str, Callable[[Lines, str, str | None], Iterator[ScoreRecord]]] = {
    "trec_eval": _trec_eval,
    "ir_measures": _ir_measures,
    "irci": _irci,
    "long": _long,
    "matrix": _matrix,
    "json": _json,
}

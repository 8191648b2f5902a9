"""Plain files of scores in one pass over their bytes (`irci.kernels.cells`): what `irci.data.score_reading` makes of their
lines, in a small part of the time, and in little more memory than the scores take.

Plain are csv and tsv, trec_eval's output and ir_measures' where nothing is wrong: whatever is out of the ordinary raises
NotPlain, and the files are read line by line, which tells lines and reasons.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from irci.base.errors import FormatError
from irci.base.names import BLANKS, decimal, file_name, is_name, raw, text
from irci.base.types import Bools, Floats, Ints, Ints32
from irci.data.headers import COLUMNS, TOPICS, lowered, place_of_collection, places, rows_are_runs
from irci.data.rankings import secret
from irci.data.score_formats import (
    ALL,
    LARGEST,
    RELEVANCE_STRING,
    RUN_ID,
    Lines,
    by_first_lines,
    by_measures,
    check_columns,
    has_point,
    is_score,
    name_of_matrix,
    names_measure,
    read_cells,
    separator_of,
)
from irci.data.scores import WHOLE
from irci.data.text_files import COMMENT, TextFile
from irci.kernels.cells import Cells, Names, fill_name_slots, find_cells, number_names, read_matrix, read_numbers

LINES = 1 << 16  # at a time
MOST_OTHERS = 1 << 14  # numbers of a matrix that are none at first sight
FIRST_NAMES = 1 << 10


class NotPlain(Exception):
    """A file that is to be read line by line."""


@dataclass
class Gathered:
    """Scores of one collection: places of runs, topics and measures by name, as they come, and parts of the table: places of
    each, int[...], and values float64[...], which they are broadcast to."""

    runs: dict[str, int] = field(default_factory=dict)
    topics: dict[str, int] = field(default_factory=dict)
    measures: dict[str, int] = field(default_factory=dict)
    parts: list[tuple[Ints32, Ints32, Ints32, Floats]] = field(default_factory=list)

    def add(self, run: "Named", topic: "Named", measure: "Named", values: Floats) -> None:
        if values.size:
            if np.abs(values).max() > LARGEST:
                raise NotPlain
            self.parts.append((run.among(self.runs), topic.among(self.topics), measure.among(self.measures), values))

    def table(self) -> tuple[list[str], list[str], dict[str, Floats]]:
        """Runs, topics sorted bytewise, and scores float64[runs, topics] of each measure. Raises NotPlain for one twice."""
        topics = sorted(self.topics, key=raw)
        place = np.empty(len(topics), np.int64)
        place[[self.topics[topic] for topic in topics]] = np.arange(len(topics))
        scores = np.full((len(self.measures), len(self.runs), len(topics)), np.nan)
        for run, topic, measure, values in self.parts:
            scores[measure, run, place[topic]] = values
        if np.count_nonzero(~np.isnan(scores)) < sum(values.size for *_, values in self.parts):
            raise NotPlain
        return list(self.runs), topics, dict(zip(self.measures, scores, strict=True))


class Named(NamedTuple):
    """Names of things, and which of them each is, int32[...]."""

    names: Sequence[str]
    which: Ints32

    def take(self, some: Bools) -> "Named":
        return self._replace(which=self.which[some])

    def in_order(self) -> list[int]:
        """Those that are there, as they come."""
        which = self.which.ravel()
        first = np.full(len(self.names), len(which))
        first[which[::-1]] = np.arange(len(which))[::-1]
        there = np.flatnonzero(first < len(which))
        return list(map(int, there[np.argsort(first[there])]))

    def among(self, known: dict[str, int]) -> Ints32:
        """Places among the names known, to which new ones are added. Raises NotPlain for what is no name."""
        place = np.zeros(len(self.names), np.int32)
        for which in self.in_order():
            if not is_name(self.names[which]):
                raise NotPlain
            place[which] = known.setdefault(self.names[which], len(known))
        return place[self.which]

    def are(self, name: str) -> Bools:
        """bool[...]: which of them are called so."""
        return np.isin(self.which, [place for place, each in enumerate(self.names) if each == name])


class Read(NamedTuple):
    """As what a file was read, how many lines were taken for comments, and the number of the first of these."""

    form: str
    comments: int
    first_comment: int


def add_file(
    found: dict[str | None, Gathered],
    path: str,
    file: TextFile,
    form: str | None,
    measure: str | None,
    name_of: Callable[[str], str],
) -> Read:
    """Add the scores of a file to those of each collection, and return as what it was read; arguments as of `read_scores`.
    Raises NotPlain for what is to be read line by line."""
    comments, begins = _head(file)
    lines: Lines = [(1, _line(file, begin)) for begin in begins]
    if not lines:
        raise NotPlain
    try:
        form = form or by_first_lines(lines, path)
        if form == "matrix":
            _add_matrix(found, path, file, begins[0], measure, name_of)
        elif form == "long":
            _add_long(found, path, file, begins[0], name_of)
        elif form in (None, "trec_eval", "ir_measures") and not lines[0][1].startswith("{"):
            form = _add_output(found, path, file, begins[0], form, name_of)
        else:
            raise NotPlain
    except FormatError:
        raise NotPlain from None
    return Read(form, len(comments), file.line_number(comments[0]) if comments else 0)


def _head(file: TextFile) -> tuple[list[int], list[int]]:
    # Where comments begin, and the first two lines behind them that are not blank.
    comments: list[int] = []
    records: list[int] = []
    begin = file.start
    while begin < file.size and len(records) < 2:
        end = file.line_end(begin)
        if file.token(begin, end).strip():
            line = _line(file, begin)
            is_comment = not records and COMMENT.match(line) and not is_score(line)
            (comments if is_comment else records).append(begin)
        begin = end + 1
    return comments, records


def _line(file: TextFile, begin: int) -> str:
    return text(file.token(begin, file.line_end(begin))).rstrip("\r")


class _Column:
    # Different names in a column, numbered as they come.
    def __init__(self) -> None:
        self.names = self._room(FIRST_NAMES)

    @staticmethod
    def _room(number: int) -> Names:
        begin, length, key = np.empty((2, number), np.int64), np.empty(number, np.int64), np.empty(number, np.uint64)
        return Names(begin[0], length, key, np.zeros(1, np.int64), np.zeros(2 * number, np.int64))

    def fill(self, file: TextFile, begin: Ints, end: Ints, numbers: Ints32) -> None:
        done = number_names(file.buffer, begin, end, 0, self.names, secret(), numbers)
        while done < len(numbers):
            old, used = self.names, int(self.names.used[0])
            self.names = self._room(2 * len(old.begin))
            for more, less in zip(self.names[:3], old[:3], strict=True):
                more[:used] = less[:used]
            self.names.used[0] = used
            fill_name_slots(self.names)
            done = number_names(file.buffer, begin, end, done, self.names, secret(), numbers)

    def texts(self, file: TextFile) -> list[str]:
        used = int(self.names.used[0])
        places = zip(self.names.begin[:used].tolist(), self.names.length[:used].tolist(), strict=True)
        return [text(file.token(begin, begin + length)) for begin, length in places]


class _Scan(NamedTuple):
    # L lines: the names of each wanted column, values float64[L], and tokens of values by line: of all that are no plain
    # number, and of lines that begin with runid.
    columns: list[Named]
    values: Floats
    tokens: dict[int, str]

    def read_others(self, kept: Bools) -> None:
        """Put the numbers among the tokens of the kept[L] lines into values."""
        for line, token in self.tokens.items():
            if kept[line]:
                self.values[line] = _number(token)


def _number(token: str) -> float:
    try:
        value = decimal(token)
    except ValueError:
        raise NotPlain from None
    if not np.isfinite(value):
        raise NotPlain
    return value


def _scanned(
    file: TextFile, begin: int, separator: str, header: tuple[int, int], wanted: Sequence[int], number: int
) -> _Scan:
    """The lines from `begin` on, of so many cells, but such as are the header, which begins and is as long as that; places of
    the `wanted` cells, the last of them the value."""
    columns = np.full(number, -1)
    columns[list(wanted)] = np.arange(len(wanted))
    form = np.array([ord(separator), separator != "\t", *header])
    room = file.occurrences(begin, file.size)
    values, numbers = np.empty(room), np.empty((len(wanted) - 1, room), np.int32)
    cells = Cells(*np.empty((2, len(wanted), min(LINES, room)), np.int64))
    names = [_Column() for _ in numbers]
    tokens: dict[int, str] = {}
    lines = 0
    while begin < file.size:
        count, begin, is_plain = find_cells(file.buffer, begin, file.size, form, columns, cells)
        if not is_plain:
            raise NotPlain
        those = slice(lines, lines + count)
        *of_names, of_value = ((each[0][:count], each[1][:count]) for each in zip(*cells, strict=True))
        for column, of_name, which in zip(names, of_names, numbers, strict=True):
            column.fill(file, *of_name, which[those])
        others = read_numbers(file.buffer, *of_value, values[those])
        told = np.union1d(others, np.flatnonzero(Named(names[0].texts(file), numbers[0][those]).are(RUN_ID)))
        for line in told.tolist():
            tokens[lines + line] = text(file.token(*(int(each[line]) for each in of_value)))
        lines += count
    found = [Named(column.texts(file), which[:lines]) for column, which in zip(names, numbers, strict=True)]
    return _Scan(found, values[:lines], tokens)


def _add_long(
    found: dict[str | None, Gathered], path: str, file: TextFile, begin: int, name_of: Callable[[str], str]
) -> None:
    line = _line(file, begin)
    ((_, header),) = read_cells([(1, line)], path)
    names, place = lowered(header), places(header, path, 1)
    collection = place_of_collection(names)
    whole = [names.index(name) for name in ("part", "split") if name in names and "part" in names]
    wanted = [place[column] for column in COLUMNS]
    wanted[-1:] = [*([] if collection is None else [collection]), *whole, wanted[-1]]
    repeated = (begin, len(raw(line)))
    scan = _scanned(file, file.line_end(begin) + 1, separator_of(line), repeated, wanted, len(header))
    (run, topic, measure), others = scan.columns[:3], scan.columns[3:]
    if any(set(each.names) - {WHOLE} for each in others[len(others) - len(whole) :]):
        raise NotPlain
    is_all = topic.are(ALL) if "part" not in names else np.zeros(len(topic.which), np.bool_)
    _add_rows(found, scan, run, topic, measure, None if collection is None else others[0], is_all, name_of)


def _add_rows(
    found: dict[str | None, Gathered],
    scan: _Scan,
    run: Named,
    topic: Named,
    measure: Named,
    collection: Named | None,
    is_all: Bools,
    name_of: Callable[[str], str],
    rows: Bools | None = None,
) -> None:
    # Some rows of a scan (by default all), of which is_all are of all topics.
    rows = np.ones(len(is_all), np.bool_) if rows is None else rows
    canonical = list(measure.names)
    for which in measure.take(rows).in_order():
        canonical[which] = name_of(canonical[which])
    measure = measure._replace(names=canonical)
    _refuse_twice([each.take(rows & is_all) for each in (run, measure, collection) if each is not None])
    kept = rows & ~is_all
    scan.read_others(kept)
    for name, some in _by_collection(collection, kept):
        found.setdefault(name, Gathered()).add(run.take(some), topic.take(some), measure.take(some), scan.values[some])


def _by_collection(collection: Named | None, kept: Bools) -> Iterator[tuple[str | None, Bools]]:
    if collection is None:
        if kept.any():
            yield None, kept
        return
    for which in collection.take(kept).in_order():
        name = collection.names[which]
        if not is_name(name):
            raise NotPlain
        yield name, kept & (collection.which == which)


def _refuse_twice(columns: Sequence[Named]) -> None:
    # Raise NotPlain where two rows have the same names.
    rows = set(zip(*([each.names[which] for which in each.which.tolist()] for each in columns), strict=True))
    if len(rows) < len(columns[0].which):
        raise NotPlain


def _add_output(
    found: dict[str | None, Gathered],
    path: str,
    file: TextFile,
    begin: int,
    form: str | None,
    name_of: Callable[[str], str],
) -> str:
    # trec_eval's, or ir_measures'.
    scan = _scanned(file, begin, "\t", (0, 0), (0, 1, 2), 3)
    first, second = scan.columns
    if form is None:
        of_first, of_second = (
            int(np.isin(each.which, [place for place, name in enumerate(each.names) if names_measure(name)]).sum())
            for each in (first, second)
        )
        form = by_measures(of_first, of_second, _line(file, begin), path)
    if form == "ir_measures":
        if any(name.startswith("{") for name in first.names):  # json, whatever it says
            raise NotPlain
        run = Named([file_name(path)], np.zeros(len(scan.values), np.int32))
        _add_rows(found, scan, run, first, second, None, first.are(ALL), name_of)
        return form
    is_id = first.are(RUN_ID)
    relevance = [line for line, token in scan.tokens.items() if token.startswith("'") and not is_id[line]]
    rows = ~is_id
    rows[[line for line in relevance if first.names[first.which[line]].startswith(RELEVANCE_STRING)]] = False
    run = _runs(path, scan, is_id, second.are(ALL), rows)
    _add_rows(found, scan, run, second, first, None, second.are(ALL), name_of, rows)
    return form


def _runs(path: str, scan: _Scan, is_id: Bools, is_all: Bools, rows: Bools) -> Named:
    """The run of each line of trec_eval's output: as `score_formats` has it, one run after the other."""
    names: dict[str, int] = {}
    which = np.empty(len(is_all), np.int32)
    begin = 0
    for end in [*(np.flatnonzero(is_all[:-1] & ~is_all[1:]) + 1).tolist(), len(is_all)]:
        block = slice(begin, end)
        any_before = np.logical_or.accumulate(rows[block])
        if end < len(is_all) and not (is_all[block] & (any_before | ~is_id[block])).any():
            continue
        named = {scan.tokens[line] for line in (begin + np.flatnonzero(is_id[block])).tolist()}
        if len(named) > 1:
            raise NotPlain
        which[block] = names.setdefault(next(iter(named), "") or file_name(path), len(names))
        begin = end
    return Named(list(names), which)


def _add_matrix(
    found: dict[str | None, Gathered],
    path: str,
    file: TextFile,
    begin: int,
    measure: str | None,
    name_of: Callable[[str], str],
) -> None:
    line, end = _line(file, begin), file.line_end(begin)
    ((_, header),) = read_cells([(1, line)], path)
    names = [name.strip(BLANKS) for name in header]
    by_run = rows_are_runs(lowered(header))
    named = by_run or lowered(header)[0] in TOPICS
    columns = names[named:]
    check_columns(columns, names, path, 1, by_run=by_run)
    size = file.size - end - 1
    room = min(file.occurrences(end + 1, file.size), size // (2 * len(columns)) + 1)
    values, places = np.empty((room, len(columns))), np.zeros((2, room), np.int64)
    others = np.empty((MOST_OTHERS, 4), np.int64)
    separator = separator_of(line)
    form = np.array([ord(separator), separator != "\t"])
    lines, count = read_matrix(file.buffer, end + 1, file.size, form, named, values, *places, others)
    if count < 0:
        raise NotPlain
    values = values[:lines]
    tokens = (text(file.token(*place)) for place in zip(*places[:, :lines].tolist(), strict=True))
    rows = list(tokens) if named else [str(place) for place in range(1, lines + 1)]
    of_all = np.array([named and name == ALL for name in (columns if by_run else rows)], np.bool_)
    if any(map(has_point, rows)) if by_run else of_all.sum() > 1:
        raise NotPlain
    for row, column, *place in others[:count].tolist():
        if not of_all[column if by_run else row]:
            values[row, column] = _number(text(file.token(*place)))
    if lines:
        _add_matrix_of(found, rows, columns, values, of_all, name_of(name_of_matrix(path, measure)), by_run=by_run)


def _add_matrix_of(
    found: dict[str | None, Gathered],
    rows: list[str],
    columns: list[str],
    values: Floats,
    of_all: Bools,
    measure: str,
    *,
    by_run: bool,
) -> None:
    runs, topics = (rows, columns) if by_run else (columns, rows)
    if of_all.any():
        topics = [topic for topic, left_out in zip(topics, of_all.tolist(), strict=True) if not left_out]
        values = values[:, ~of_all] if by_run else values[~of_all]
    if values.size:
        numbers = [np.arange(len(names), dtype=np.int32)[:, np.newaxis] for names in (runs, topics)]
        run, topic = (Named(names, which) for names, which in zip((runs, topics), numbers, strict=True))
        topic = topic._replace(which=topic.which.T)
        alone = Named([measure], np.zeros((1, 1), np.int32))
        found.setdefault(None, Gathered()).add(run, topic, alone, values if by_run else values.T)

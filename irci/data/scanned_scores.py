"""Plain files of scores in one pass over their bytes (`irci.data.scanned_cells`): what `irci.data.score_reading` makes of
their lines, in a small part of the time, and in little more memory than the scores take.

Plain are csv and tsv, trec_eval's output and ir_measures' where nothing is wrong: whatever is out of the ordinary raises
NotPlain, and the files are read line by line.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from irci.base.errors import FormatError
from irci.base.names import file_name, is_name, raw, text
from irci.base.types import Array, Bools, Floats, Ints32
from irci.data.headers import COLUMNS, SOURCE, lowered, place_of_collection, places
from irci.data.matrix_headers import columns_of, has_point
from irci.data.origins import UNKNOWN, Words, words_of
from irci.data.scanned_cells import LINES, Columns, Named, NotPlain, number_of, read_columns, read_table
from irci.data.score_formats import (
    ALL,
    LARGEST,
    RELEVANCE_STRING,
    RUN_ID,
    Lines,
    is_score,
    read_cells,
    separator_of,
)
from irci.data.score_recognition import by_first_lines, by_measures, names_measure
from irci.data.scores import WHOLE
from irci.data.text_files import COMMENT, TextFile


@dataclass
class Gathered:
    """Scores of one collection: places of runs, topics and measures by name, as they come, and parts of the table: places of
    each, int[...], and values float64[...], which they are broadcast to."""

    runs: dict[str, int] = field(default_factory=dict)
    topics: dict[str, int] = field(default_factory=dict)
    measures: dict[str, int] = field(default_factory=dict)
    parts: list[tuple[Ints32, Ints32, Ints32, Floats]] = field(default_factory=list)
    words: Words = field(default_factory=dict)

    def add(self, run: Named, topic: Named, measure: Named, values: Floats, word: Named | None = None) -> None:
        if values.size:
            if max(values.max(), -values.min()) > LARGEST:
                raise NotPlain
            for of_measure, of_run, of_word in _together(measure, run, word, matrix=values.ndim > 1):
                self.words.setdefault((of_measure, of_run), {})[of_word] = None
            self.parts.append((run.among(self.runs), topic.among(self.topics), measure.among(self.measures), values))

    def table(self) -> tuple[list[str], list[str], dict[str, Floats]]:
        """Runs, topics sorted bytewise, and scores float64[runs, topics] of each measure. Raises NotPlain for one twice."""
        topics = sorted(self.topics, key=raw)
        place = np.empty(len(topics), np.int32)
        place[[self.topics[topic] for topic in topics]] = np.arange(len(topics))
        scores = np.full((len(self.measures), len(self.runs), len(topics)), np.nan)
        for part in self.parts:
            for run, topic, measure, values in _in_pieces(*part):
                scores[measure, run, place[topic]] = values
        if scores.size - np.count_nonzero(np.isnan(scores)) < sum(values.size for *_, values in self.parts):
            raise NotPlain
        return list(self.runs), topics, dict(zip(self.measures, scores, strict=True))


def _together(measure: Named, run: Named, word: Named | None, *, matrix: bool) -> Iterator[tuple[str, str, str]]:
    # The measure, run and word of each cell, in order, few of them twice; those of a matrix are of one measure.
    if matrix:
        yield from ((measure.names[0], name, UNKNOWN) for name in run.names)
        return
    word = word or Named.alone(UNKNOWN, len(run.which))
    for begin in range(0, len(run.which), LINES):
        which = [each.which[begin : begin + LINES] for each in (measure, run, word)]
        changes = np.arange(len(which[0])) == 0
        for each in which:
            changes[1:] |= each[1:] != each[:-1]
        for cell in dict.fromkeys(zip(*(each[changes].tolist() for each in which), strict=True)):
            of_measure, of_run, of_word = cell
            yield measure.names[of_measure], run.names[of_run], word.names[of_word]


def _in_pieces(run: Ints32, topic: Ints32, measure: Ints32, values: Floats) -> Iterator[Sequence[Array[Any]]]:
    # NumPy makes wider copies of what it indexes by.
    if values.ndim > 1:
        yield run, topic, measure, values
        return
    for begin in range(0, len(values), LINES):
        yield [each[begin : begin + LINES] for each in (run, topic, measure, values)]


class Read(NamedTuple):
    """As what a file was read, how many lines were taken for comments, and the number of the first of these."""

    form: str
    comments: int
    first_comment: int


class _Rows(NamedTuple):
    # L rows, whose names and values are in columns; which of them are of one topic and of all, bool[L], as others are of none.
    run: Named
    topic: Named
    measure: Named
    collection: Named | None
    word: Named | None
    columns: Columns
    of_one: Bools
    of_all: Bools

    def add_to(self, found: dict[str | None, Gathered], name_of: Callable[[str], str]) -> None:
        canonical = {name: name_of(name) for name in self.measure.take(self.of_one | self.of_all).names}
        measure = self.measure._replace(names=[canonical.get(name, name) for name in self.measure.names])
        _refuse_twice([each.take(self.of_all) for each in (self.run, measure, self.collection) if each is not None])
        self.columns.read_others(self.of_one)
        for collection, some in self._by_collection():
            run, topic, of = (each.take(some) for each in (self.run, self.topic, measure))
            values, word = self.columns.values, self.word and self.word.take(some)
            found.setdefault(collection, Gathered()).add(run, topic, of, values if some.all() else values[some], word)

    def _by_collection(self) -> Iterator[tuple[str | None, Bools]]:
        if self.collection is None:
            if self.of_one.any():
                yield None, self.of_one
            return
        for name in self.collection.take(self.of_one).names:
            if not is_name(name):
                raise NotPlain
            yield name, self.of_one & self.collection.are(name)


def _refuse_twice(columns: Sequence[Named]) -> None:
    # Raise NotPlain where two rows have the same names.
    rows = set(zip(*([each.names[which] for which in each.which.tolist()] for each in columns), strict=True))
    if len(rows) < len(columns[0].which):
        raise NotPlain


class _Matrix(NamedTuple):
    # Values float64[rows, columns] of a measure, of runs or of topics each; those of all topics are left out.
    rows: list[str]
    columns: list[str]
    values: Floats
    measure: str
    by_run: bool

    def add_to(self, found: dict[str | None, Gathered], name_of: Callable[[str], str]) -> None:
        if not self.values.size:
            return
        rows, columns = (Named(names, np.arange(len(names), dtype=np.int32)) for names in (self.rows, self.columns))
        rows, columns = (
            rows._replace(which=rows.which[:, np.newaxis]),
            columns._replace(which=columns.which[np.newaxis]),
        )
        run, topic = (rows, columns) if self.by_run else (columns, rows)
        measure = Named.alone(name_of(self.measure), (1, 1))
        found.setdefault(None, Gathered()).add(run, topic, measure, self.values)


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
        form, scores = _scores_in(path, file, begins[0], form or by_first_lines(lines, path), measure)
        read = Read(form, len(comments), file.line_number(comments[0]) if comments else 0)
        del file  # its memory is another's now, if nobody keeps it
        scores.add_to(found, name_of)
    except FormatError:
        raise NotPlain from None
    return read


def _scores_in(
    path: str, file: TextFile, begin: int, form: str | None, measure: str | None
) -> tuple[str, _Rows | _Matrix]:
    if form == "matrix":
        return form, _matrix(path, file, begin, measure)
    if form == "long":
        return form, _long(path, file, begin)
    if form not in (None, "trec_eval", "ir_measures") or _line(file, begin).startswith("{"):
        raise NotPlain
    return _output(path, file, begin, form)


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


def _long(path: str, file: TextFile, begin: int) -> _Rows:
    line = _line(file, begin)
    ((_, header),) = read_cells([(1, line)], path)
    names, place = lowered(header), places(header, path, 1)
    collection = place_of_collection(names)
    whole = [names.index(name) for name in ("part", "split") if name in names and "part" in names]
    words = [names.index(SOURCE)] if SOURCE in names else []
    wanted = [place[column] for column in COLUMNS]
    wanted[-1:] = [*([] if collection is None else [collection]), *words, *whole, wanted[-1]]
    repeated = (begin, len(raw(line)))
    columns = read_columns(file, file.line_end(begin) + 1, separator_of(line), repeated, wanted, len(header))
    (run, topic, measure), others = columns.names[:3], columns.names[3:]
    if any(set(each.names) - {WHOLE} for each in others[len(others) - len(whole) :]):
        raise NotPlain
    of_all = topic.are(ALL) if "part" not in names else np.zeros(len(topic.which), np.bool_)
    of_collection = None if collection is None else others.pop(0)
    word = others[0] if words and _are_words(others[0].names) else None
    return _Rows(run, topic, measure, of_collection, word, columns, ~of_all, of_all)


def _are_words(names: Sequence[str]) -> bool:
    try:
        return words_of(names)
    except ValueError:
        raise NotPlain from None


def _output(path: str, file: TextFile, begin: int, form: str | None) -> tuple[str, _Rows]:
    # trec_eval's, or ir_measures'.
    columns = read_columns(file, begin, "\t", (0, 0), (0, 1, 2), 3, told=RUN_ID)
    first, second = columns.names
    if form is None:
        of_first, of_second = (
            int(np.array([names_measure(name) for name in each.names])[each.which].sum()) for each in (first, second)
        )
        form = by_measures(of_first, of_second, _line(file, begin), path)
    if form == "ir_measures":
        if any(name.startswith("{") for name in first.names):  # json, whatever it says
            raise NotPlain
        of_all = first.are(ALL)
        run = Named.alone(file_name(path), len(of_all))
        return form, _Rows(run, first, second, None, None, columns, ~of_all, of_all)
    of_all, is_id = second.are(ALL), first.are(RUN_ID)
    relevance = [line for line, token in columns.tokens.items() if token.startswith("'") and not is_id[line]]
    rows = ~is_id
    rows[[line for line in relevance if first.names[first.which[line]].startswith(RELEVANCE_STRING)]] = False
    run = _runs(path, columns.tokens, is_id, of_all, rows)
    return form, _Rows(run, second, first, None, None, columns, rows & ~of_all, rows & of_all)


def _runs(path: str, tokens: dict[int, str], is_id: Bools, is_all: Bools, rows: Bools) -> Named:
    # The run of each line of trec_eval's output: as `score_formats` has it, one run after the other.
    names: dict[str, int] = {}
    which = np.empty(len(is_all), np.int32)
    begin = 0
    for end in [*(np.flatnonzero(is_all[:-1] & ~is_all[1:]) + 1).tolist(), len(is_all)]:
        block = slice(begin, end)
        any_before = np.logical_or.accumulate(rows[block])
        if end < len(is_all) and not (is_all[block] & (any_before | ~is_id[block])).any():
            continue
        named = {tokens[line] for line in (begin + np.flatnonzero(is_id[block])).tolist()}
        if len(named) > 1:
            raise NotPlain
        which[block] = names.setdefault(next(iter(named), "") or file_name(path), len(names))
        begin = end
    return Named(list(names), which)


def _matrix(path: str, file: TextFile, begin: int, measure: str | None) -> _Matrix:
    line = _line(file, begin)
    ((_, header),) = read_cells([(1, line)], path)
    columns, what, by_run, named = columns_of(header, path, 1, measure)
    table = read_table(file, file.line_end(begin) + 1, separator_of(line), len(columns), named=named)
    rows = table.rows or [str(place) for place in range(1, len(table.values) + 1)]
    of_all = np.array([named and name == ALL for name in (columns if by_run else rows)], np.bool_)
    # Of a run, and of all topics, there is one row.
    if any(map(has_point, rows)) or (of_all.any() and len({*rows}) < len(rows)) if by_run else of_all.sum() > 1:
        raise NotPlain
    for (row, column), token in table.tokens.items():
        if not of_all[column if by_run else row]:
            table.values[row, column] = number_of(token)
    values = table.values
    if of_all.any():
        topics = [
            topic for topic, left_out in zip(columns if by_run else rows, of_all.tolist(), strict=True) if not left_out
        ]
        rows, columns = (rows, topics) if by_run else (topics, columns)
        values = values[:, ~of_all] if by_run else values[~of_all]
    return _Matrix(rows, columns, values, what, by_run)

"""Files of scores, of any format that `irci.data.score_formats` knows, read as tables."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from irci.base.errors import DataError, FormatError, Problem
from irci.base.names import BLANKS, decimal, first_names, is_name, plural, raw
from irci.base.types import Bools, Floats, Ints
from irci.data.guesses import kind_of
from irci.data.headers import COLUMNS, TOPICS, is_number, known, lowered, not_understood, rows_are_runs
from irci.data.score_formats import (
    ALL,
    FORMATS,
    RUN_ID,
    Lines,
    Matrix,
    ScoreLines,
    is_of_one_run,
    is_score,
    read_cells,
    twice_all,
)
from irci.data.scores import LARGEST, Scores, refuse_tiny
from irci.data.text_files import NOTHING, Memory, Texts, text_lines
from irci.measures import is_measure, one_name_each

NO_VALUE = ("", "nan", "na", "n/a", "<na>", "null")  # how others write that there is none
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
RANKING_HINTS = {"run": "is this a run", "qrels": "are these qrels"}
RUN, TOPIC, MEASURE = range(3)  # kinds of names
Name = TypeVar("Name", str, str | None)
UNNAMED = "a {} without a name, or with a tab or a line end in it"


def read_scores(
    paths: Sequence[str],
    forced: str | None = None,
    measure: str | None = None,
    memory: Memory = NOTHING,
) -> tuple[list[Scores], list[tuple[str, str]]]:
    """Read score files as one table a collection, in the order in which collections come, and say as what each was read.

    Scores without the name of a collection are of one, which is then the only one. `forced`: one of FORMATS, else each file's
    format is recognised. `measure`: the name of what a matrix holds, else its file's name. `memory`: what of `paths` is no
    path. Raises FormatError for rubbish, ragged rows, values that are no finite numbers or too large
    for a score, and a (run, topic, measure) of a collection twice.
    """
    texts, tables = Texts(memory), _Tables()
    recognised, results = [], []
    for path in paths:
        lines = text_lines(path, texts.read(path), is_score)
        if not lines:
            raise FormatError.whole_file(path, "empty file: no scores")
        form = forced or recognise(lines, path)
        if form == "json":
            from irci.data import mteb_results  # only for these

            if (result := mteb_results.result_in(lines, path)) is not None:
                results.append(result)
                continue
        recognised.append((path, form))
        tables.add(path, FORMATS[form](lines, path, measure))
    if results:
        for result, value in mteb_results.scored(results, measure):
            name = measure or mteb_results.MAIN
            tables.add(result.path, ScoreLines((1,), (result.run,), (result.task,), (name,), (repr(value),)))
        more = f" and {plural(len(results) - 1, 'other file')}" * (len(results) > 1)
        recognised.append((f"{results[0].path}{more}", "results of MTEB, tasks as topics"))
    found = tables.scores(of_tasks=bool(results))
    if not found:
        raise DataError(f"{first_names(paths)}: no score of a topic (only of all topics, or of parts?)")
    for table in found:
        for name, values in table.values.items():
            refuse_tiny(name, values, first_names(paths))
    return found, recognised


# How formats are recognised.


def recognise(lines: Lines, path: str) -> str:
    """The format of a file from its lines."""
    head = lines[0][1]
    if head.startswith("{"):
        return "json" if _begins_objects(head) else "ir_measures"
    names = lowered(read_cells(lines[:1], path)[0][1])
    # A header as well as the fields of a record, of a run or of qrels: no topic and no measure is called as its first cell is.
    is_numbered = (names[0] in TOPICS or rows_are_runs(names)) and all(name.isdecimal() for name in names[1:])
    if not is_numbered:
        refuse_rankings(lines, path)
    if len(known(names)) == len(COLUMNS):
        return "long"
    fields = head.split("\t")
    no_number = len(fields) >= 3 and not is_number(fields[2])
    is_header = (rows_are_runs(names) or no_number) and fields[0].strip(BLANKS) != RUN_ID
    if is_numbered or len(fields) in (1, 2) or is_header:
        _refuse_other_tables(lines, names, path)
        return "matrix"
    if len(fields) >= 6:
        return "irci"
    rows = [line.split("\t", 2) for _, line in lines]
    first, second = (_num_measures(row[place] for row in rows if len(row) > place) for place in (0, 1))
    if first != second:
        return "trec_eval" if first > second else "ir_measures"
    if fields[0] != fields[0].rstrip(BLANKS):  # padded, as trec_eval does
        return "trec_eval"
    raise FormatError.whole_file(path, "trec_eval's or ir_measures' output? A header topic, measure, value tells which")


def _num_measures(cells: Iterable[str]) -> int:
    counts = Counter(cells)
    names = {cell: cell.strip(BLANKS) for cell in counts}
    return sum(counts[cell] for cell, name in names.items() if name == RUN_ID or is_measure(name))


def _begins_objects(head: str) -> bool:
    # True of an object of objects, or of one over several lines; ir_measures' lines are objects of cells.
    try:
        thing = json.loads(head)
    except (ValueError, RecursionError):
        return '"query_id"' not in head
    return all(isinstance(inner, Mapping) for inner in thing.values()) or "scores" in thing


def refuse_rankings(lines: Lines, path: str) -> None:
    """Refuse what seems to be a run or qrels."""
    number, head = lines[0]
    if (seeming := kind_of(head)) in RANKING_HINTS:
        raise FormatError(
            path, [Problem(number, f"{RANKING_HINTS[seeming]}? Without --scores, QRELS and RUNs are read")]
        )


def _refuse_other_tables(lines: Lines, names: Sequence[str], path: str) -> None:
    header, *first = (cells for _, cells in read_cells(lines[:2], path))
    if is_of_one_run([name.strip(BLANKS) for name in header]):
        return
    has_names = names[0] in TOPICS or rows_are_runs(names)
    cells = [cell.strip(BLANKS) for cell in (first[0][has_names:] if first else ())]
    numbers = [not cell or is_number(cell.replace(",", ".")) for cell in cells]
    has_labels = len(numbers) > 1 and not numbers[0] and not has_names
    if len(known(names)) > 1 or numbers.count(False) > 1 or has_labels:
        raise not_understood(header, path, lines[0][0])


# How what was read becomes tables.


class _Tables:
    """The scores of all files, by collection."""

    def __init__(self) -> None:
        self.name_of = one_name_each()
        self.by_collection: dict[str | None, _Table] = {}
        self.runs: set[str] = set()
        self.brings_one = True  # whether each file had a run that none before it had, and only this one

    def add(self, path: str, content: ScoreLines | Matrix) -> None:
        """Add the scores of a file. Raises FormatError that tells all that is wrong with it."""
        problems = _Problems()
        runs = len(self.runs)
        if isinstance(content, Matrix):
            self._add_matrix(content, problems)
        else:
            self._add_rows(content, problems)
        problems.refuse(path)
        if None in self.by_collection and len(self.by_collection) > 1:
            raise FormatError.whole_file(path, "other files have a column collection, this one has not, or the reverse")
        self.brings_one &= len(self.runs) == runs + 1

    def _add_rows(self, rows: ScoreLines, problems: "_Problems") -> None:
        canonical = {name: self.name_of(name) for name in dict.fromkeys(rows.measure)}
        rows = rows._replace(measure=[canonical[name] for name in rows.measure])
        topics = [topic or "" for topic in rows.topic]
        kept = np.ones(len(rows.line), np.bool_)
        if None in rows.topic:
            kept = np.array([topic is not None for topic in rows.topic], np.bool_)
            self._refuse_means_twice(rows, kept, problems)
        values, wrong = _numbers(_chosen(rows.value, kept), has_gaps=False)
        places = np.flatnonzero(kept)
        for place in wrong:
            row = int(places[place])
            problems.add(row, rows.line[row], *_unfit(rows.value[row]))
        kept[places[wrong]] = False
        unnamed = {name for column in (rows.run, topics, rows.measure) for name in {*column} if not is_name(name)}
        for row in np.flatnonzero(kept).tolist() if unnamed else ():
            if unnamed & {rows.run[row], topics[row], rows.measure[row]}:
                problems.add(row, rows.line[row], UNNAMED.format("run, topic or measure"))
                kept[row] = False
        by_row = np.full(len(kept), np.nan)
        by_row[places] = values
        collections = dict.fromkeys(_chosen(rows.collection, kept)) if rows.collection else {None: None}
        for name in collections:
            of_name = kept & np.array([of == name for of in rows.collection]) if len(collections) > 1 else kept
            if name is not None and not is_name(name):
                for row in np.flatnonzero(of_name).tolist():
                    problems.add(row, rows.line[row], UNNAMED.format("collection"))
            elif of_name.any():
                columns = [_chosen(column, of_name) for column in (rows.run, topics, rows.measure)]
                self.runs.update(columns[0])
                table = self.by_collection.setdefault(name, _Table())
                run, topic, measure = (table.codes(kind, column) for kind, column in enumerate(columns))
                for place in table.add(run, topic, measure, by_row[of_name]).tolist():
                    row = int(np.flatnonzero(of_name)[place])
                    told = _twice(columns[RUN][place], columns[TOPIC][place], columns[MEASURE][place], name)
                    problems.add(row, rows.line[row], told, "again")

    def _refuse_means_twice(self, rows: ScoreLines, kept: Bools, problems: "_Problems") -> None:
        means = set()
        for row in np.flatnonzero(~kept).tolist():
            collection = rows.collection[row] if rows.collection else None
            mean = collection, rows.run[row], rows.measure[row]
            if mean in means:
                problems.add(row, rows.line[row], twice_all(rows.measure[row], rows.run[row]), "all")
            means.add(mean)

    def _add_matrix(self, matrix: Matrix, problems: "_Problems") -> None:
        measure, width = self.name_of(matrix.measure), len(matrix.columns)
        is_kept = np.array([not (matrix.is_by_run and name == ALL) for name in matrix.columns], np.bool_)
        columns = _chosen(matrix.columns, is_kept)
        is_unnamed = not is_name(measure) or not all(map(is_name, columns))
        lines: list[int] = []
        names: list[str] = []
        rows: list[Floats] = []
        means: set[str] = set()
        for place, (number, name, cells) in enumerate(matrix.rows):
            # One mean a run: in the line of all topics, or in the column of all.
            for run in ([name] * (not is_kept.all())) if matrix.is_by_run else matrix.columns[:1]:
                if matrix.is_by_run or (matrix.has_names and name == ALL):
                    if run in means:
                        problems.add(place * width, number, twice_all(measure, run), "all")
                    means.add(run)
            if not matrix.is_by_run and matrix.has_names and name == ALL:
                continue
            if not is_kept.all():
                cells = _chosen(cells, is_kept)
            values, wrong = _numbers(cells, has_gaps=True)
            for column in wrong:
                problems.add(place * width + column, number, *_unfit(cells[column].strip(BLANKS)))
            if (not is_name(name) or is_unnamed) and len(wrong) < len(cells):
                first = next(column for column in range(len(cells)) if column not in wrong)
                problems.add(place * width + first, number, UNNAMED.format("run, topic or measure"))
            lines.append(number)
            names.append(name)
            rows.append(values)
        if problems or not lines or not is_kept.any():
            return
        table = self.by_collection.setdefault(None, _Table())
        of_rows, of_columns = (RUN, TOPIC) if matrix.is_by_run else (TOPIC, RUN)
        codes = {
            of_rows: np.repeat(table.codes(of_rows, names), len(columns)),
            of_columns: np.tile(table.codes(of_columns, columns), len(lines)),
        }
        of_measure = np.full(len(codes[RUN]), table.codes(MEASURE, [measure])[0])
        self.runs.update(names if matrix.is_by_run else columns)
        for place in table.add(codes[RUN], codes[TOPIC], of_measure, np.concatenate(rows)).tolist():
            row, column = divmod(place, len(columns))
            pair = {of_rows: names[row], of_columns: columns[column]}
            problems.add(place, lines[row], _twice(pair[RUN], pair[TOPIC], measure, None), "again")

    def scores(self, *, of_tasks: bool) -> list[Scores]:
        """A table a collection."""
        one_a_file = self.brings_one and not of_tasks
        return [
            Scores(*table.arrays(), collection, of_tasks=of_tasks, one_a_file=one_a_file)
            for collection, table in self.by_collection.items()
        ]


class _Table:
    """The scores of a collection.

    names: the codes of runs, of topics and of measures, in the order in which they come
    files: each one's scores: codes of the three, int64[L] each, and values float64[L]
    cells: the codes of all scores, from where files share runs
    """

    def __init__(self) -> None:
        self.names: tuple[dict[str, int], ...] = ({}, {}, {})
        self.files: list[tuple[Ints, Ints, Ints, Floats]] = []
        self.cells: set[tuple[int, int, int]] | None = None
        self.runs_before = 0

    def codes(self, kind: int, names: Sequence[str]) -> Ints:
        """int64[L]: the codes of names of a kind, RUN, TOPIC or MEASURE."""
        code_of = self.names[kind]
        if kind == RUN:
            self.runs_before = len(code_of)
        return np.fromiter((code_of.setdefault(name, len(code_of)) for name in names), np.int64, len(names))

    def add(self, run: Ints, topic: Ints, measure: Ints, values: Floats) -> Ints:
        """Add a file's scores; the places of those that are there already, in this file or in one before."""
        key = (run * len(self.names[MEASURE]) + measure) * len(self.names[TOPIC]) + topic
        order = np.argsort(key, kind="stable")
        again: Ints = order[1:][key[order[1:]] == key[order[:-1]]]
        if run.min() < self.runs_before and self.cells is None:
            self.cells = {cell for *codes, _ in self.files for cell in _triples(*codes)}
        if self.cells is not None:
            own = [*_triples(run, topic, measure)]
            again = np.union1d(again, [index for index, cell in enumerate(own) if cell in self.cells]).astype(np.int64)
            self.cells.update(own)
        self.files.append((run, topic, measure, values))
        return again

    def arrays(self) -> tuple[list[str], list[str], dict[str, Floats]]:
        """Runs, topics sorted bytewise, and scores float64[runs, topics] of each measure."""
        runs, topics, measures = self.names
        in_order = sorted(topics, key=raw)
        place = np.empty(len(topics), np.int64)
        place[[topics[name] for name in in_order]] = np.arange(len(topics))
        scores = np.full((len(measures), len(runs), len(topics)), np.nan)
        for run, topic, measure, values in self.files:
            scores[measure, run, place[topic]] = values
        return list(runs), in_order, dict(zip(measures, scores, strict=True))


def _triples(run: Ints, topic: Ints, measure: Ints) -> Iterable[tuple[int, int, int]]:
    return zip(run.tolist(), topic.tolist(), measure.tolist(), strict=True)


class _Problems:
    """Problems of a file, by place of the score, which orders those of one line."""

    def __init__(self) -> None:
        self.by_place: list[tuple[int, Problem]] = []

    def __bool__(self) -> bool:
        return bool(self.by_place)

    def add(self, place: int, line: int, reason: str, kind: str = "") -> None:
        self.by_place.append((place, Problem(line, reason, kind)))

    def refuse(self, path: str) -> None:
        """Raise FormatError if anything is wrong."""
        if self.by_place:
            raise FormatError(path, [problem for _, problem in sorted(self.by_place, key=lambda problem: problem[0])])


def _chosen(column: Sequence[Name], kept: Bools) -> Sequence[Name]:
    return column if kept.all() else [column[index] for index in np.flatnonzero(kept).tolist()]


def _twice(run: str, topic: str, measure: str, collection: str | None) -> str:
    where = "" if collection is None else f" of collection {collection!r}"
    return f"{measure} of run {run!r} on topic {topic!r}{where} twice"


def _numbers(spelled: Sequence[str], *, has_gaps: bool) -> tuple[Floats, list[int]]:
    """float64[L]: the numbers that are spelled, nan of what is no score; and the places of these. `has_gaps`: empty cells are
    missing scores."""
    joined = "".join(spelled)
    if joined.isascii() and joined.isprintable() and "_" not in joined:
        try:
            values = np.fromiter(map(float, spelled), np.float64, len(spelled))
            if not len(values) or np.abs(values).max() <= LARGEST:  # nan is not
                return values, []
        except ValueError:
            pass
    values = np.array([_number(token) for token in spelled])
    wrong = np.flatnonzero(~(np.abs(values) <= LARGEST)).tolist()
    return values, [place for place in wrong if not has_gaps or spelled[place].strip(BLANKS)]


def _number(token: str) -> float:
    try:
        return decimal(token) if token else math.nan
    except ValueError:
        return math.nan


def _unfit(token: str) -> tuple[str, str]:
    """Why a token is no score, and what such reasons have in common."""
    if DECIMAL_COMMA.fullmatch(token):
        return f"value {token!r} has a decimal comma; write {token.replace(',', '.')}", "comma"
    if math.isfinite(_number(token)):
        return f"value {token!r} is beyond {LARGEST:g}: no measure has such scores", "size"
    hint = "; leave a missing score out (of a matrix: an empty cell)" if token.lower() in NO_VALUE else ""
    return f"value {token!r} is not a finite number{hint}", "number"

"""Files of scores of any format of `irci.data.score_formats`, recognised, checked and read as tables."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from irci.base.errors import DataError, FormatError, Problem
from irci.base.names import BLANKS, first_names, is_name, plural, raw
from irci.base.types import Bools, Floats, Ints
from irci.data.headers import COLUMNS, TOPICS, is_number, kind_of, known, lowered, not_understood, rows_are_runs
from irci.data.score_formats import (
    COLLECTION_NAME,
    FORMATS,
    MEASURE,
    RUN,
    RUN_ID,
    TOPIC,
    Cells,
    Column,
    Lines,
    cells_of,
    is_of_one_run,
    is_score,
    parsed,
    read_cells,
    twice_all,
    unfit,
)  # fmt: skip
from irci.data.scores import Scores, refuse_tiny
from irci.data.text_files import NOTHING, Memory, file_and_content, read_text_lines
from irci.measures import is_measure, one_name_each

RANKING_HINTS = {"run": "is this a run", "qrels": "are these qrels"}


def read_scores(
    paths: Sequence[str], form: str | None = None, measure: str | None = None, memory: Memory = NOTHING
) -> tuple[list[Scores], list[tuple[str, str]]]:
    """Read score files as one table a collection, in the order in which collections come, and say as what each was read.

    Scores without the name of a collection are of one, which is then the only one. `form`: one of FORMATS, else each file's
    is recognised. `measure`: the name of what a matrix holds, else its file's name. `memory`: what of `paths` is no path.
    Raises FormatError for rubbish, ragged rows, values that are no finite numbers or too large for a score, and a (run,
    topic, measure) of a collection twice.
    """
    tables, recognised, results = _Tables(), [], []
    for path in paths:
        lines = read_text_lines(*file_and_content(path, memory), is_score)
        if not lines:
            raise FormatError.whole_file(path, "empty file: no scores")
        of_file = form or recognise(lines, path)
        if of_file == "json":
            from irci.data import mteb_results  # only for these

            if (result := mteb_results.result_in(parsed(lines, path), path)) is not None:
                results.append(result)
                continue
        recognised.append((path, of_file))
        tables.add(path, FORMATS[of_file](lines, path, measure))
    if results:
        for result, value in mteb_results.scored(results, measure):
            name = measure or mteb_results.MAIN
            tables.add(result.path, cells_of([1], [result.run], [result.task], [name], [repr(value)]))
        more = f" and {plural(len(results) - 1, 'other file')}" if len(results) > 1 else ""
        recognised.append((f"{results[0].path}{more}", "results of MTEB, tasks as topics"))
    scores = tables.scores(of_tasks=bool(results))
    if not scores:
        raise DataError(f"{first_names(paths)}: no score of a topic (only of all topics, or of parts?)")
    for table in scores:
        for name, values in table.values.items():
            refuse_tiny(name, values, first_names(paths))
    return scores, recognised


# How formats are recognised.


def recognise(lines: Lines, path: str) -> str:
    """The format of a file from its lines."""
    head = lines[0][1]
    if head.startswith("{"):
        return "json" if _begins_objects(head) else "ir_measures"
    names = lowered(read_cells(lines[:1], path)[0][1])
    # A header as well as the fields of a record, of a run or of qrels: no topic and no measure is called as its first cell is.
    names_lines = names[0] in TOPICS or rows_are_runs(names)
    is_numbered = names_lines and all(name.isdecimal() for name in names[1:])
    if not is_numbered:
        refuse_rankings(lines, path)
    if len(known(names)) == len(COLUMNS):
        return "long"
    fields = head.split("\t")
    no_number = len(fields) >= 3 and not is_number(fields[2])
    is_header = (rows_are_runs(names) or no_number) and fields[0].strip(BLANKS) != RUN_ID
    if is_numbered or len(fields) in (1, 2) or is_header:
        _refuse_other_tables(lines, path, names_lines=names_lines)
        return "matrix"
    if len(fields) >= 6:
        return "irci"
    rows = [line.split("\t", 2) for _, line in lines]
    first, second = (_num_measures(row[field] for row in rows if len(row) > field) for field in (0, 1))
    if first != second:
        return "trec_eval" if first > second else "ir_measures"
    if fields[0] != fields[0].rstrip(BLANKS):  # padded, as trec_eval does
        return "trec_eval"
    raise FormatError.whole_file(path, "trec_eval's or ir_measures' output? A header topic, measure, value tells which")


def _num_measures(cells: Iterable[str]) -> int:
    counts = Counter(cells)
    return sum(
        count for cell, count in counts.items() if cell.strip(BLANKS) == RUN_ID or is_measure(cell.strip(BLANKS))
    )


def _begins_objects(head: str) -> bool:
    # True of an object of objects, or of one over several lines; ir_measures' lines are objects of cells.
    try:
        thing = json.loads(head)
    except (ValueError, RecursionError):
        return '"query_id"' not in head
    return all(isinstance(inner, Mapping) for inner in thing.values()) or "scores" in thing


def refuse_rankings(lines: Lines, path: str) -> None:
    """Refuse what seems to be a run or qrels."""
    line, head = lines[0]
    if (kind := kind_of(head)) in RANKING_HINTS:
        raise FormatError(path, [Problem(line, f"{RANKING_HINTS[kind]}? Without --scores, QRELS and RUNs are read")])


def _refuse_other_tables(lines: Lines, path: str, *, names_lines: bool) -> None:
    header, *rows = (cells for _, cells in read_cells(lines[:2], path))
    if is_of_one_run([name.strip(BLANKS) for name in header]):
        return
    cells = [cell.strip(BLANKS) for cell in (rows[0][names_lines:] if rows else ())]
    numbers = [not cell or is_number(cell.replace(",", ".")) for cell in cells]
    has_labels = len(numbers) > 1 and not numbers[0] and not names_lines
    if len(known(lowered(header))) > 1 or numbers.count(False) > 1 or has_labels:
        raise not_understood(header, path, lines[0][0])


# How what was read becomes tables.


class _Table:
    """The scores of a collection.

    names: the codes of runs, of topics and of measures, in the order in which they come
    files: each one's scores: codes of the three, int64[L] each, and values float64[L]
    keys: one number a score of all files, from where files share runs
    """

    def __init__(self) -> None:
        self.names: tuple[dict[str, int], ...] = ({}, {}, {})
        self.files: list[tuple[Ints, Ints, Ints, Floats]] = []
        self.keys: set[int] | None = None

    def add(self, names: Sequence[Sequence[str]], codes: Sequence[Ints], values: Floats) -> Ints:
        """Add a file's scores; the places of those that are there already, in this file or in one before."""
        is_known_run = any(name in self.names[RUN] for name in names[RUN])
        for code_of, of_file in zip(self.names, names, strict=True):
            for name in of_file:
                code_of.setdefault(name, len(code_of))
        run, topic, measure = (
            np.array([code_of[name] for name in of_file], np.int64)[code]
            for code_of, of_file, code in zip(self.names, names, codes, strict=True)
        )
        key = _keys(run, topic, measure)
        again: Ints = np.empty(0, np.int64)
        in_order = np.sort(key)
        if (in_order[1:] == in_order[:-1]).any():
            order = np.argsort(key, kind="stable")
            again = order[1:][key[order[1:]] == key[order[:-1]]]
        if is_known_run and self.keys is None:
            self.keys = {known_key for *of_file, _ in self.files for known_key in _keys(*of_file).tolist()}
        if self.keys is not None:
            own = key.tolist()
            repeated = [index for index, own_key in enumerate(own) if own_key in self.keys]
            again = np.union1d(again, np.array(repeated, np.int64))
            self.keys.update(own)
        self.files.append((run, topic, measure, values))
        return again

    def arrays(self) -> tuple[list[str], list[str], dict[str, Floats]]:
        """Runs, topics sorted bytewise, and scores float64[runs, topics] of each measure."""
        runs, topics, measures = self.names
        in_order = sorted(topics, key=raw)
        position = np.empty(len(topics), np.int64)
        position[[topics[name] for name in in_order]] = np.arange(len(topics))
        scores = np.full((len(measures), len(runs), len(topics)), np.nan)
        for run, topic, measure, values in self.files:
            scores[measure, run, position[topic]] = values
        return list(runs), in_order, dict(zip(measures, scores, strict=True))


def _keys(run: Ints, topic: Ints, measure: Ints) -> Ints:
    # One number a score, different for up to 2^20 runs, 2^22 topics and 2^21 measures: tables of more fit into no memory.
    return (run << 43) | (topic << 21) | measure


class _Tables:
    """The scores of all files, by collection."""

    def __init__(self) -> None:
        self.name_of = one_name_each()
        self.by_collection: dict[str | None, _Table] = {}
        self.brings_one = True  # whether each file had a run that none before it had, and only this one
        self.runs: set[str] = set()

    def add(self, path: str, cells: Cells) -> None:
        """Add the scores of a file. Raises FormatError that tells all that is wrong with it."""
        names = [*cells.names]
        names[MEASURE] = [self.name_of(str(name)) for name in names[MEASURE]]
        lines, problems, means = cells.lines, [], set()
        for line, collection, run, measure in cells.means:
            mean = collection, run, self.name_of(measure)
            if mean in means:
                problems.append(Problem(line, twice_all(mean[2], run), "all"))
            means.add(mean)
        problems += [Problem(int(lines[index]), *unfit(token)) for index, token in cells.wrong]
        is_fit: Bools = np.ones(len(lines), np.bool_)
        is_fit[[index for index, _ in cells.wrong]] = False
        for kinds, noun in (((RUN, TOPIC, MEASURE), "run, topic or measure"), ((COLLECTION_NAME,), "collection")):
            for kind in kinds:
                is_unfit = np.array([name is not None and not is_name(name) for name in names[kind]], np.bool_)
                places = np.flatnonzero(is_unfit[cells.codes[kind]] & is_fit).tolist() if is_unfit.any() else []
                is_fit[places] = False
                reason = f"a {noun} without a name, or with a tab or a line end in it"
                problems += [Problem(int(lines[index]), reason) for index in dict.fromkeys(places)]
        before = len(self.runs)
        collection_of = cells.codes[COLLECTION_NAME]
        for index, name in enumerate(names[COLLECTION_NAME]):
            rows = np.flatnonzero(is_fit & (collection_of == index))
            if len(rows):
                self._add_rows(name, rows if len(rows) < len(lines) else None, names, cells, problems)
        if problems:
            raise FormatError(path, problems)
        if None in self.by_collection and len(self.by_collection) > 1:
            raise FormatError.whole_file(path, "other files have a column collection, this one has not, or the reverse")
        self.brings_one &= len(self.runs) == before + 1

    def _add_rows(
        self, collection: str | None, rows: Ints | None, names: Sequence[Column], cells: Cells, problems: list[Problem]
    ) -> None:
        """Add the scores of one collection in these rows (None: all)."""
        of_each, codes, values = [], [], cells.values if rows is None else cells.values[rows]
        for kind in (RUN, TOPIC, MEASURE):
            code, own = cells.codes[kind], [*names[kind]]
            if rows is not None:  # the names that stand in these, in order
                _, first, code = np.unique(code[rows], return_index=True, return_inverse=True)
                order = np.argsort(first)
                own = [own[index] for index in cells.codes[kind][rows[first[order]]].tolist()]
                code = np.argsort(order)[code]
            of_each.append(own)
            codes.append(code)
        self.runs.update(map(str, of_each[RUN]))
        table = self.by_collection.setdefault(collection, _Table())
        where = "" if collection is None else f" of collection {collection!r}"
        for index in table.add(of_each, codes, values).tolist():
            run, topic, measure = (own[code[index]] for own, code in zip(of_each, codes, strict=True))
            line = int(cells.lines[index if rows is None else rows[index]])
            problems.append(Problem(line, f"{measure} of run {run!r} on topic {topic!r}{where} twice", "again"))

    def scores(self, *, of_tasks: bool) -> list[Scores]:
        """A table a collection."""
        one_a_file = self.brings_one and not of_tasks
        return [
            Scores(*table.arrays(), collection, of_tasks=of_tasks, one_a_file=one_a_file)
            for collection, table in self.by_collection.items()
        ]

"""Files of scores of any format of `irci.data.score_formats`, recognised, checked and read as tables."""

import json
import math
from collections.abc import Container, Iterator, Sequence
from itertools import compress
from typing import Any

import numpy as np

from irci.base import BLANKS, DataError, FormatError, Problem, first_names, is_name, is_text, places_by_name, plural
from irci.base.types import Floats, Ints, Ints32
from irci.data import headers, model_results, text_files
from irci.data.score_formats import FORMATS, RUN_ID, Cells, Lines, is_of_one_run, is_score, read_cells, twice_all
from irci.data.scores import Scores, refuse_tiny
from irci.measures import is_measure, one_name_each

COLLECTION, RUN, MEASURE, TOPIC = range(4)  # kinds of names


def read_scores(
    paths: Sequence[str],
    form: str | None = None,
    measure: str | None = None,
    memory: text_files.Memory = text_files.NOTHING,
) -> tuple[list[Scores], list[tuple[str, str]]]:
    """Read score files as one table a collection, in the order in which collections come, and say as what each was read.

    Scores without the name of a collection are of one, which is then the only one. `form`: one of FORMATS, else each file's
    is recognised. `measure`: the name of what a matrix holds, else its file's name. `memory`: what of `paths` is no path.
    Raises FormatError for rubbish, ragged rows, values that are no finite numbers or too large for a score, and a (run,
    topic, measure) of a collection twice.
    """
    tables, recognised, results, items = Tables(), [], [], []
    for path in paths:
        file, content = text_files.file_or_held(path, memory)
        content = b"" if isinstance(content, text_files.Documents) else content
        lines = text_files.read_text_lines(file, content, is_score)
        if not lines:
            raise FormatError.whole_file(path, "empty file: no scores")
        of_file = form or recognise(lines, path)
        of_model = model_results.read(lines, path, of_file) if of_file in ("samples", "json") else None
        if isinstance(of_model, model_results.Result):
            results.append(of_model)
        elif of_model is not None:
            items.append(of_model)
        else:
            recognised.append((path, of_file))
            tables.add(path, FORMATS[of_file](lines, path, measure))
    for path, cells in (*model_results.of_tasks(results, measure), *model_results.of_items(items)):
        tables.add(path, cells)
    for files, what in ((results, "results of MTEB, tasks as topics"), (items, "items of language models, as topics")):
        more = f" and {plural(len(files) - 1, 'other file')}" if len(files) > 1 else ""
        recognised += [(f"{files[0].path}{more}", what)] if files else []
    of_tasks, one_a_file = bool(results), tables.brings_one and not results
    scores = [table._replace(of_tasks=of_tasks, one_a_file=one_a_file) for table in tables.by_collection()]
    if not any(np.isfinite(values).any() for table in scores for values in table.values.values()):
        raise DataError(f"{first_names(paths)}: no score of a topic (only of all topics, or of parts?)")
    for table in scores:
        for name, values in table.values.items():
            refuse_tiny(name, values, first_names(paths))
    return scores, recognised


# How formats are recognised.


def recognise(lines: Lines, path: str) -> str:
    """The format of a file from its lines."""
    line, head = lines[0]
    if head.startswith("{"):
        try:
            names: Container[str] = json.loads(head)  # of the object's own values
        except (ValueError, RecursionError):  # an object of several lines, or none
            names = [name for name in ("query_id", "doc_id") if f'"{name}"' in head]
        return "ir_measures" if "query_id" in names else "samples" if "doc_id" in names else "json"
    _, cells = next(read_cells(lines, path))
    columns = headers.lowered(cells)
    # A header as well as the fields of a record, of a run or of qrels: no topic and no measure is called as its first cell is.
    names_lines = columns[0] in headers.TOPICS or headers.rows_are_runs(columns)
    is_numbered = names_lines and all(name.isdecimal() for name in columns[1:])
    if not is_numbered and headers.is_of_rankings(head):
        raise FormatError(path, [Problem(line, "a line of a run or of qrels, not of scores")])
    if len(headers.known(columns)) == len(headers.COLUMNS):
        return "long"
    fields = head.split("\t")
    no_number = len(fields) >= 3 and not headers.is_number(fields[2])
    is_header = (headers.rows_are_runs(columns) or no_number) and cells[0] != RUN_ID
    if is_numbered or len(fields) < 3 or is_header:
        if len(headers.known(columns)) > 1 and not is_of_one_run(cells):
            raise headers.not_understood(cells, path, line)
        return "matrix"
    if len(fields) >= 6:
        return "irci"
    for _, cells in read_cells(lines, path, "\t"):
        first, second = [*cells, ""][:2]
        if first == RUN_ID or is_measure(first) != is_measure(second):
            return "trec_eval" if first == RUN_ID or is_measure(first) else "ir_measures"
    if fields[0] != fields[0].rstrip(BLANKS):  # padded, as trec_eval does
        return "trec_eval"
    raise FormatError.whole_file(path, "trec_eval's or ir_measures' output? A header topic, measure, value tells which")


# How what was read becomes tables.


class Tables:
    """The scores of all files, by collection."""

    def __init__(self) -> None:
        self.name_of = one_name_each()
        # Collections, runs, measures and topics in the order in which they come, with their codes.
        self.names: tuple[dict[Any, int], ...] = ({}, {}, {}, {})
        self.brings_one = True  # whether each file had a run that none before it had, and only this one
        self.files: list[tuple[str, Ints, list[Ints], Floats]] = []  # path, lines, codes of the four, values

    def add(self, path: str, cells: Cells) -> None:
        """Add the scores of a file. Raises FormatError that tells what is wrong with it but scores that are there twice, which
        `by_collection` does."""
        runs_before, problems = len(self.names[RUN]), list(cells.problems)
        codes = [self._coded(path, cells.lines, names, kind) for kind, names in enumerate(cells[1:5])]
        lines, values, *codes = map(np.ravel, np.broadcast_arrays(np.array(cells.lines, int), cells.values, *codes))
        is_mean = codes[TOPIC] == self.names[TOPIC].get(None, -1)
        if is_mean.any():  # else a copy of all of them would be made
            means = [code[is_mean] for code in codes[:TOPIC]]
            for index in _again(means).tolist():
                _, run, measure = ([*own][code[index]] for own, code in zip(self.names, means, strict=False))
                problems.append(Problem(int(lines[is_mean][index]), twice_all(measure, run), "all"))
            lines, values, *codes = (column[~is_mean] for column in (lines, values, *codes))
        if problems:
            raise FormatError(path, problems)
        self.brings_one &= len(self.names[RUN]) == runs_before + 1
        self.files.append((path, lines, codes, values))
        if None in self.names[COLLECTION] and len(self.names[COLLECTION]) > 1:
            raise FormatError.whole_file(path, "other files have a column collection, this one has not, or the reverse")

    def _coded(self, path: str, lines: Any, names: Any, kind: int) -> Ints:
        # The codes of names, of which new ones get the next.
        names = np.asarray(names, object)
        column = names.ravel().tolist()
        name_of = {name: name and name.strip(BLANKS) for name in dict.fromkeys(column)}
        unfit = {name for name, own in name_of.items() if own is not None and not (is_name(own) and is_text(own))}
        if unfit:
            noun = "collection" if kind == COLLECTION else "run, topic or measure"
            reason = f"a {noun} without a name, or with a tab, a line end or a NUL in it"
            named_lines = zip(np.ravel(lines).tolist(), column, strict=False)
            raise FormatError(path, [Problem(line, reason) for line, name in named_lines if name in unfit])
        if kind == MEASURE:
            name_of = {name: self.name_of(own) for name, own in name_of.items()}
        code_of = self.names[kind]
        own_code = {name: code_of.setdefault(own, len(code_of)) for name, own in name_of.items()}
        return np.fromiter(map(own_code.__getitem__, column), np.int32, len(column)).reshape(names.shape)

    def by_collection(self) -> Iterator[Scores]:
        """The scores of each collection, runs and measures as they come, topics sorted bytewise. Raises FormatError for scores
        that are there twice."""
        if not self.files:
            return
        codes = [np.concatenate(of_files) for of_files in zip(*(codes for _, _, codes, _ in self.files), strict=True)]
        values = np.concatenate([of_file for *_, of_file in self.files])
        names = [[*code_of] for code_of in self.names]
        for collection, code in self.names[COLLECTION].items():
            rows = np.flatnonzero(codes[COLLECTION] == code)
            (runs, run), (measures, measure), (topics, topic) = (
                _compact(names[kind], codes[kind][rows]) for kind in (RUN, MEASURE, TOPIC)
            )
            order = places_by_name(topics)
            topics, topic = [topics[index] for index in order], np.argsort(order).astype(np.int32)[topic]
            scores = np.full((len(measures), len(runs), len(topics)), np.nan)
            is_there = np.zeros(scores.shape, np.bool_)
            is_there[measure, run, topic] = True
            if is_there.sum() < len(rows):  # which takes a tenth of the memory that their places take
                self._refuse(rows[_again([run, measure, topic])], names, codes)
            scores[measure, run, topic] = values[rows]
            if runs:
                yield Scores(runs, topics, dict(zip(measures, scores, strict=True)), collection)

    def _refuse(self, again: Ints, names: Sequence[list[Any]], codes: Sequence[Ints]) -> None:
        # Scores that are there twice, of the first file in which there are any.
        begin = 0
        for path, lines, *_ in self.files:
            with text_files.problems_of(path) as problems:
                for index in again[(begin <= again) & (again < begin + len(lines))].tolist():
                    collection, run, measure, topic = (own[code[index]] for own, code in zip(names, codes, strict=True))
                    where = "" if collection is None else f" of collection {collection!r}"
                    reason = f"{measure} of run {run!r} on topic {topic!r}{where} twice"
                    problems.append(Problem(int(lines[index - begin]), reason, "again"))
            begin += len(lines)


def _compact(names: Sequence[Any], codes: Ints) -> tuple[list[Any], Ints32]:
    """The names that occur, and of each code the place of its name among these."""
    occurs = np.bincount(codes, minlength=len(names)) > 0
    return [*compress(names, occurs)], (np.cumsum(occurs, dtype=np.int32) - 1)[codes]


def _again(codes: Sequence[Ints | Ints32]) -> Ints:
    """The places of codes that stand together before."""
    sizes = [int(code.max(initial=0)) + 1 for code in codes]
    keys, places = np.ravel_multi_index(codes, sizes), np.arange(len(codes[0]))
    first = np.zeros(math.prod(sizes), np.int64)
    first[keys[::-1]] = places[::-1]
    return np.flatnonzero(first[keys] != places)

"""Files of scores of any format of `irci.data.score_formats`, recognised, checked and read as tables."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irci.base import BLANKS, DataError, FormatError, Problem, first_names, is_name, plural, raw
from irci.base.types import Array, Bools, Floats, Ints
from irci.data import headers, model_results, score_formats, text_files
from irci.data.scores import Scores, refuse_tiny
from irci.measures import is_measure, one_name_each


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
        lines = text_files.read_text_lines(*text_files.file_and_content(path, memory), score_formats.is_score)
        if not lines:
            raise FormatError.whole_file(path, "empty file: no scores")
        of_file = form or recognise(lines, path)
        if of_file == "samples":
            items.append(model_results.samples_in(lines, path))
            continue
        if of_file == "json":
            content = score_formats.parsed(lines, path)
            if (log := model_results.log_in(content, path)) is not None:
                items.append(log)
                continue
            if (result := model_results.result_in(content, path)) is not None:
                results.append(result)
                continue
        recognised.append((path, of_file))
        tables.add(path, score_formats.FORMATS[of_file](lines, path, measure))
    if results:
        for result, value in model_results.scored(results, measure):
            name = measure or model_results.MAIN
            tables.add(result.path, score_formats.cells_of([1], [result.run], [result.task], [name], [repr(value)]))
    for path, cells in model_results.tables_of(items):
        tables.add(path, cells)
    for files, what in ((results, "results of MTEB, tasks as topics"), (items, "items of language models, as topics")):
        more = f" and {plural(len(files) - 1, 'other file')}" if len(files) > 1 else ""
        recognised += [(f"{files[0].path}{more}", what)] if files else []
    of_tasks, one_a_file = bool(results), tables.brings_one and not results
    scores = [
        Scores(runs, topics, values, collection, of_tasks=of_tasks, one_a_file=one_a_file)
        for collection, runs, topics, values in tables.by_collection()
    ]
    if not any(np.isfinite(values).any() for table in scores for values in table.values.values()):
        raise DataError(f"{first_names(paths)}: no score of a topic (only of all topics, or of parts?)")
    for table in scores:
        for name, values in table.values.items():
            refuse_tiny(name, values, first_names(paths))
    return scores, recognised


# How formats are recognised.


def recognise(lines: score_formats.Lines, path: str) -> str:
    """The format of a file from its lines."""
    head = lines[0][1]
    if head.startswith("{"):
        if '"doc_id"' in head and model_results.are_samples(head):
            return "samples"
        return "json" if _begins_objects(head) else "ir_measures"
    line, header = next(score_formats.read_cells(lines, path))
    names = headers.lowered(header)
    # A header as well as the fields of a record, of a run or of qrels: no topic and no measure is called as its first cell is.
    names_lines = names[0] in headers.TOPICS or headers.rows_are_runs(names)
    is_numbered = names_lines and all(name.isdecimal() for name in names[1:])
    if not is_numbered:
        refuse_rankings(lines, path)
    if len(headers.known(names)) == len(headers.COLUMNS):
        return "long"
    fields = head.split("\t")
    no_number = len(fields) >= 3 and not headers.is_number(fields[2])
    is_header = (headers.rows_are_runs(names) or no_number) and fields[0].strip(BLANKS) != score_formats.RUN_ID
    if is_numbered or len(fields) in (1, 2) or is_header:
        if len(headers.known(names)) > 1 and not score_formats.is_of_one_run([name.strip(BLANKS) for name in header]):
            raise headers.not_understood(header, path, line)
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
        count
        for cell, count in counts.items()
        if cell.strip(BLANKS) == score_formats.RUN_ID or is_measure(cell.strip(BLANKS))
    )


def _begins_objects(head: str) -> bool:
    # True of an object of objects, or of one over several lines; ir_measures' lines are objects of cells.
    try:
        thing = json.loads(head)
    except (ValueError, RecursionError):
        return '"query_id"' not in head
    return all(isinstance(inner, Mapping) for inner in thing.values()) or any(
        name in thing for name in ("scores", "samples")
    )


def refuse_rankings(lines: score_formats.Lines, path: str) -> None:
    """Refuse what seems to be a run or qrels."""
    line, head = lines[0]
    if headers.is_of_rankings(head):
        raise FormatError(path, [Problem(line, "a line of a run or of qrels, not of scores")])


# How what was read becomes tables.


class Tables:
    """The scores of all files, by collection."""

    def __init__(self) -> None:
        self.name_of = one_name_each()
        # Runs, topics, measures and collections in the order in which they come, with their codes.
        self.names: tuple[dict[Any, int], ...] = ({}, {}, {}, {})
        self.brings_one = True  # whether each file had a run that none before it had, and only this one
        self.files: list[tuple[str, Ints, list[Array[Any]], Floats]] = []  # path, lines, codes of the four, values

    def add(self, path: str, cells: score_formats.Cells) -> None:
        """Add the scores of a file. Raises FormatError that tells all that is wrong with it but scores that are there twice,
        which `by_collection` does."""
        names = [*cells.names]
        names[score_formats.MEASURE] = [self.name_of(str(name)) for name in names[score_formats.MEASURE]]
        lines, problems, means = cells.lines, [], set()
        for line, collection, run, measure in cells.means:
            mean = collection, run, self.name_of(measure)
            if mean in means:
                problems.append(Problem(line, score_formats.twice_all(mean[2], run), "all"))
            means.add(mean)
        problems += [Problem(int(lines[index]), *score_formats.unfit(token)) for index, token in cells.wrong]
        is_fit: Bools = np.ones(len(lines), np.bool_)
        is_fit[[index for index, _ in cells.wrong]] = False
        for kind in (score_formats.RUN, score_formats.TOPIC, score_formats.MEASURE, score_formats.COLLECTION_NAME):
            is_unfit = np.array([isinstance(name, str) and not is_name(name) for name in names[kind]], np.bool_)
            places = np.flatnonzero(is_unfit[cells.codes[kind]] & is_fit).tolist() if is_unfit.any() else []
            is_fit[places] = False
            noun = "collection" if kind == score_formats.COLLECTION_NAME else "run, topic or measure"
            reason = f"a {noun} without a name, or with a tab, a line end or a NUL in it"
            problems += [Problem(int(lines[index]), reason) for index in places]
        if problems:
            raise FormatError(path, problems)
        before = len(self.names[score_formats.RUN])
        codes = [
            np.array([code_of.setdefault(name, len(code_of)) for name in own], np.int32)[code]
            for code_of, own, code in zip(self.names, names, cells.codes, strict=True)
        ]
        self.brings_one &= len(self.names[score_formats.RUN]) == before + 1
        self.files.append((path, lines, codes, cells.values))
        if None in self.names[score_formats.COLLECTION_NAME] and len(self.names[score_formats.COLLECTION_NAME]) > 1:
            raise FormatError.whole_file(path, "other files have a column collection, this one has not, or the reverse")

    def by_collection(self) -> Iterator[tuple[Any, list[str], list[str], dict[str, Floats]]]:
        """Each collection, its runs as they come, its topics sorted bytewise, and scores float64[runs, topics] by measure.
        Raises FormatError for scores that are there twice."""
        if not self.files:
            return
        names, sizes = [[*code_of] for code_of in self.names], [*map(len, self.names)]
        codes = [np.concatenate(of_files) for of_files in zip(*(codes for _, _, codes, _ in self.files), strict=True)]
        values = np.concatenate([of_file for *_, of_file in self.files])
        self._refuse_again(np.ravel_multi_index(codes, np.maximum(sizes, 1)), names, codes)
        for index, collection in enumerate(names[score_formats.COLLECTION_NAME]):
            is_only = len(names[score_formats.COLLECTION_NAME]) == 1
            rows = slice(None) if is_only else np.flatnonzero(codes[score_formats.COLLECTION_NAME] == index)
            orders, places = [], []
            for kind in (score_formats.RUN, score_formats.TOPIC, score_formats.MEASURE):
                code = codes[kind][rows]
                first = np.full(sizes[kind], len(code))
                first[code[::-1]] = np.arange(len(code))[::-1]
                order = np.argsort(first)[: np.count_nonzero(first < len(code))].tolist()
                if kind == score_formats.TOPIC:
                    order.sort(key=lambda topic: raw(names[score_formats.TOPIC][topic]))
                first[order] = np.arange(len(order))
                orders.append([names[kind][code] for code in order])
                places.append(first[code])
            (runs, topics, measures), (run, topic, measure) = orders, places
            if runs:
                scores = np.full((len(measures), len(runs), len(topics)), np.nan)
                scores[measure, run, topic] = values[rows]
                yield collection, runs, topics, dict(zip(measures, scores, strict=True))

    def _refuse_again(self, key: Ints, names: Sequence[Sequence[Any]], codes: Sequence[Array[Any]]) -> None:
        in_order = np.sort(key)
        if not (in_order[1:] == in_order[:-1]).any():
            return
        order = np.argsort(key, kind="stable")
        again = np.sort(order[1:][key[order[1:]] == key[order[:-1]]])
        begin = 0
        for path, lines, *_ in self.files:
            problems = []
            for index in again[(begin <= again) & (again < begin + len(lines))].tolist():
                run, topic, measure, collection = (own[code[index]] for own, code in zip(names, codes, strict=True))
                where = "" if collection is None else f" of collection {collection!r}"
                reason = f"{measure} of run {run!r} on topic {topic!r}{where} twice"
                problems.append(Problem(int(lines[index - begin]), reason, "again"))
            if problems:
                raise FormatError(path, problems)
            begin += len(lines)

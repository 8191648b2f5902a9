"""Files of scores of any format of `irci.data.score_formats`, recognised, checked and read as tables."""

import json
from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from irci.base import BLANKS, DataError, FormatError, Problem, first_names, is_name, is_text, plural, raw
from irci.base.types import Floats
from irci.data import headers, model_results, score_formats, text_files
from irci.data.score_formats import RUN_ID, Lines, Series, is_of_one_run, is_score, numbers, read_cells, twice_all
from irci.data.scores import SMALLEST, Scores
from irci.measures import is_measure, one_name_each

Values = dict[tuple[str, str], dict[str, float]]  # by run and measure, and by topic


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
    recognised, results, items = [], [], []
    by_collection: dict[str | None, Values] = {}
    runs_of_files: list[dict[str, None]] = []
    name_of = one_name_each()
    for path in paths:
        file, content = text_files.file_or_held(path, memory)
        content = b"" if callable(content) else content
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
            series = score_formats.read(of_file, lines, path, measure)
            runs_of_files.append(_add(by_collection, path, series, name_of))
    for path, series in chain(model_results.of_tasks(results, measure), model_results.of_items(items)):
        runs_of_files.append(_add(by_collection, path, series, name_of))
    for files, what in ((results, "results of MTEB, tasks as topics"), (items, "items of language models, as topics")):
        more = f" and {plural(len(files) - 1, 'other file')}" if len(files) > 1 else ""
        recognised += [(f"{files[0].path}{more}", what)] if files else []
    order = {run: None for runs in runs_of_files for run in runs}
    one_a_file = not results and len(order) == sum(map(len, runs_of_files)) == len(runs_of_files)
    tables = [
        _table(values, order, collection)._replace(of_tasks=bool(results), one_a_file=one_a_file)
        for collection, values in by_collection.items()
        if any(values.values())
    ]
    if not any(np.isfinite(values).any() for table in tables for values in table.values.values()):
        raise DataError(f"{first_names(paths)}: no score of a topic (only of all topics?)")
    for table in tables:
        for name, values in table.values.items():
            largest = np.nanmax(np.abs(values), initial=0.0)
            if 0 < largest < SMALLEST:  # so that squares would be 0
                reason = f"no score of {name} is larger than {largest:g}: too small to compute with"
                raise DataError(f"{first_names(paths)}: {reason}")
    return tables, recognised


# How formats are recognised.


def recognise(lines: Lines, path: str) -> str:
    """The format of a file from its lines."""
    line, head = lines[0]
    if head.startswith("{"):
        try:
            names: Container[str] = json.loads(head)  # of the object's own values
        except (ValueError, RecursionError):  # an object of several lines, or none
            return "json"
        return "ir_measures" if "query_id" in names else "samples" if "doc_id" in names else "json"
    _, cells = next(read_cells(lines, path))
    columns = headers.lowered(cells)
    # A header as well as the fields of a record, of a run or of qrels: no topic and no measure is called as its first cell is.
    is_by_run = headers.rows_are_runs(columns)
    is_numbered = (columns[0] in headers.TOPICS or is_by_run) and all(name.isdecimal() for name in columns[1:])
    if not is_numbered and headers.is_of_rankings(head):
        raise FormatError(path, [Problem(line, "a line of a run or of qrels, not of scores")])
    if len(headers.known(columns)) == len(headers.COLUMNS):
        return "long"
    fields = head.split("\t")
    is_header = len(fields) < 3 or is_by_run or not headers.is_number(fields[2])
    if is_numbered or (is_header and cells[0] != RUN_ID) or len(fields) < 3:
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


@lru_cache(1 << 16)
def _fit(name: str | None) -> str | None:
    """A name without blanks around it, "" where it cannot stand in a table; None of what needs no name."""
    own = name and name.strip(BLANKS)
    return own if own is None or (is_name(own) and is_text(own)) else ""


def _add(
    by_collection: dict[str | None, Values], path: str, series: Series, name_of: Callable[[str], str]
) -> dict[str, None]:
    """Add the scores of a file to those of others; the names of its runs. Raises FormatError that tells all that is wrong."""
    runs: dict[str, None] = {}
    means: set[tuple[str | None, ...]] = set()
    with text_files.problems_of(path) as problems:
        for key, (lines, topics, spelled) in series:
            collection, run, measure = map(_fit, key)
            runs[str(run)] = None
            is_named = bool(run and measure and collection != "")
            measure = name_of(measure) if measure else ""
            values = spelled if isinstance(spelled, np.ndarray) else numbers(spelled, lines, problems)
            own = by_collection.setdefault(collection, {}).setdefault((str(run), measure), {})
            names: list[Any] = [*map(_fit, topics)]
            of_topics = dict(zip(names, values.tolist(), strict=True))
            if is_named and len(of_topics) == len(names) and all(of_topics) and own.keys().isdisjoint(of_topics):
                own |= of_topics  # as nearly always: a look at each score would take most of the time
                continue
            for line, topic, value in zip(lines, names, values.tolist(), strict=True):
                if topic == "" or not is_named:
                    noun = "collection" if collection == "" else "run, topic or measure"
                    reason = f"a {noun} without a name, or with a tab, a line end or a NUL in it"
                    problems.append(Problem(line, reason))
                elif topic is None and (collection, run, measure) in means:
                    problems.append(Problem(line, twice_all(measure, str(run)), "all"))
                elif topic is None:
                    means.add((collection, run, measure))
                elif topic in own:
                    within = "" if collection is None else f" of collection {collection!r}"
                    reason = f"{measure} of run {run!r} on topic {topic!r}{within} twice"
                    problems.append(Problem(line, reason, "again"))
                else:
                    own[topic] = value
    if None in by_collection and len(by_collection) > 1:
        raise FormatError.whole_file(path, "other files have a column collection, this one has not, or the reverse")
    return runs


def _table(values: Values, order: Iterable[str], collection: str | None) -> Scores:
    """The scores of a collection; runs in the order in which all come, topics sorted bytewise."""
    of_runs = {key: own for key, own in values.items() if own}
    present = {run for run, _ in of_runs}
    runs = [run for run in order if run in present]
    topics = sorted({topic for own in of_runs.values() for topic in own}, key=raw)
    row_of, column_of = ({name: index for index, name in enumerate(names)} for names in (runs, topics))
    scores: dict[str, Floats] = {}
    for (run, measure), own in of_runs.items():
        if measure not in scores:  # setdefault would fill a table for each run
            scores[measure] = np.full((len(runs), len(topics)), np.nan)
        scores[measure][row_of[run], [*map(column_of.__getitem__, own)]] = [*own.values()]
    return Scores(runs, topics, scores, collection)

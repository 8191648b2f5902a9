"""Files of scores, of any format that `irci.data.score_formats` knows, read as tables."""

import gc
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial

import numpy as np

from irci.base.errors import DataError, FormatError, Problem
from irci.base.names import decimal, first_names, is_name, multiplied, plural, raw
from irci.data.measures import one_name_each
from irci.data.origins import UNKNOWN, Origins, Words, gathered
from irci.data.scanned_cells import NotPlain
from irci.data.scanned_scores import Gathered, add_file
from irci.data.score_formats import FORMATS, LARGEST, ScoreRecord, is_score, twice_all
from irci.data.score_recognition import recognise
from irci.data.scores import Scores, refuse_tiny
from irci.data.text_files import NOTHING, Memory, Texts, problems_of, tell_comments, text_lines

NO_VALUE = ("", "nan", "na", "n/a", "<na>", "null")  # how others write that there is none
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")

Cells = dict[tuple[str, str, str], float]  # of one collection: (run, topic, measure) -> value
# Of names that come again and again.
_is_name = cache(is_name)


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    # Rows of cells are many and have no cycles: to look for some takes as long as to read them.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def read_scores(
    paths: Sequence[str],
    forced: str | None = None,
    measure: str | None = None,
    memory: Memory = NOTHING,
    scale: float | None = None,
) -> tuple[list[Scores], list[tuple[str, str]]]:
    """Read score files as one table a collection, in the order in which collections come, and say as what each was read.

    Scores without the name of a collection are of one, which is then the only one. `forced`: one of FORMATS, else each file's
    format is recognised. `measure`: the name of what a matrix holds, else its file's name. `memory`: what of `paths` is no
    path; `scale` multiplies all. Raises FormatError for rubbish, ragged rows, values that are no finite numbers or too large
    for a score, and a (run, topic, measure) of a collection twice.
    """
    texts = Texts(memory)
    try:
        if scale is not None:  # of what is spelled
            raise NotPlain
        tables, recognised = _in_one_pass(paths, texts, forced, measure)
    except (NotPlain, FormatError):
        tables, recognised = _line_by_line(paths, texts, forced, measure, scale)
    for table in tables:
        for name, values in table.values.items():
            refuse_tiny(name, values, first_names(paths))
    return tables, recognised


def _in_one_pass(
    paths: Sequence[str], texts: Texts, forced: str | None, measure: str | None
) -> tuple[list[Scores], list[tuple[str, str]]]:
    """The same of plain files; raises NotPlain if there are others."""
    found: dict[str | None, Gathered] = {}
    name_of = one_name_each()
    read, runs = [], []
    for path in paths:
        read.append(add_file(found, path, texts.read(path), forced, measure, name_of))
        runs.append(sum(len(each.runs) for each in found.values()))
    if not found or (None in found and len(found) > 1):
        raise NotPlain
    tables = [
        Scores(*each.table(), collection, gathered(each.words), one_a_file=_each_brings_one(runs))
        for collection, each in found.items()
    ]
    for path, file in zip(paths, read, strict=True):
        tell_comments(path, file.comments, partial(int, file.first_comment))
    return tables, [(path, file.form) for path, file in zip(paths, read, strict=True)]


@_no_search_for_cycles()
def _line_by_line(
    paths: Sequence[str], texts: Texts, forced: str | None, measure: str | None, scale: float | None
) -> tuple[list[Scores], list[tuple[str, str]]]:
    """The same of any files; what is wrong is told with its line."""
    seen: dict[str | None, Cells] = {}
    words: dict[str | None, Words] = {}
    recognised = []
    name_of = one_name_each()
    results, runs = [], []
    known: set[str] = set()
    for path in paths:
        lines = text_lines(path, texts.read(path), is_score)
        if not lines:
            raise FormatError.whole_file(path, "empty file: no scores")
        name = forced or recognise(lines, path)
        if name == "json":
            from irci.data import mteb_results  # only for these

            if (result := mteb_results.result_in(lines, path)) is not None:
                results.append(result)
                continue
        recognised.append((path, name))
        known |= _add(seen, words, path, FORMATS[name](lines, path, measure), scale, name_of)
        if None in seen and len(seen) > 1:
            raise FormatError.whole_file(path, "other files have a column collection, this one has not, or the reverse")
        runs.append(len(known))
    if results:
        for result, value in mteb_results.scored(results, measure):
            record = (1, None, result.run, result.task, measure or mteb_results.MAIN, repr(value))
            _add(seen, words, result.path, iter([record]), scale, name_of)
        more = f" and {plural(len(results) - 1, 'other file')}" * (len(results) > 1)
        recognised.append((f"{results[0].path}{more}", "results of MTEB, tasks as topics"))
    if not seen:
        raise DataError(f"{first_names(paths)}: no score of a topic (only of all topics, or of parts?)")
    tables = [
        _table(cells, collection, gathered(words[collection]), of_tasks=bool(results))._replace(
            one_a_file=not results and _each_brings_one(runs)
        )
        for collection, cells in seen.items()
    ]
    return tables, recognised


def _each_brings_one(runs: Sequence[int]) -> bool:
    """True if there is one run more behind each file, of so many then."""
    return list(runs) == list(range(1, len(runs) + 1))


def _add(
    seen: dict[str | None, Cells],
    words: dict[str | None, Words],
    path: str,
    records: Iterator[ScoreRecord],
    scale: float | None,
    name_of: Callable[[str], str],
) -> set[str]:
    """Add the scores of a file to those seen, and their words; the runs that it has scores of."""
    runs: set[str] = set()
    means: set[tuple[str | None, str, str]] = set()
    with problems_of(path) as problems:
        for line, collection, run, topic, name, given, *word in records:
            measure = name_of(name)
            if topic is None:
                if (collection, run, measure) in means:
                    problems.append(Problem(line, twice_all(measure, run), "all"))
                means.add((collection, run, measure))
                continue
            value = math.nan if given is None else _value(given, scale)
            if given is not None and (unfit := _unfit(given, value)):
                problems.append(Problem(line, *unfit))
            elif not (_is_name(run) and is_name(topic) and _is_name(measure)):
                problems.append(
                    Problem(line, "a run, topic or measure without a name, or with a tab or a line end in it")
                )
            elif collection is not None and not _is_name(collection):
                problems.append(Problem(line, "a collection without a name, or with a tab or a line end in it"))
            elif (run, topic, measure) in (cells := seen.setdefault(collection, {})):
                of = "" if collection is None else f" of collection {collection!r}"
                problems.append(Problem(line, f"{measure} of run {run!r} on topic {topic!r}{of} twice", "again"))
            else:
                cells[run, topic, measure] = value
                runs.add(run)
                of_run = words.setdefault(collection, {}).setdefault((measure, run), {})
                of_run[word[0] if word else UNKNOWN] = None
    return runs


def _value(given: str, scale: float | None) -> float:
    # nan for what is no number.
    try:
        return decimal(given) if scale is None else multiplied(given, scale)
    except ValueError:
        return math.nan


def _unfit(given: str, value: float) -> tuple[str, str] | None:
    """Why what is given is no score, and what such reasons have in common."""
    if DECIMAL_COMMA.fullmatch(given):
        return f"value {given!r} has a decimal comma; write {given.replace(',', '.')}", "comma"
    if not math.isfinite(value):
        hint = "; leave a missing score out (of a matrix: an empty cell)" if given.lower() in NO_VALUE else ""
        return f"value {given!r} is not a finite number{hint}", "number"
    if abs(value) > LARGEST:
        return f"value {given!r} is beyond {LARGEST:g}: no measure has such scores", "size"
    return None


def _table(seen: Cells, collection: str | None, origins: Origins, *, of_tasks: bool) -> Scores:
    runs = {run: place for place, run in enumerate(dict.fromkeys(run for run, _, _ in seen))}
    topics = {topic: place for place, topic in enumerate(sorted({topic for _, topic, _ in seen}, key=raw))}
    values = {measure: np.full((len(runs), len(topics)), np.nan) for measure in dict.fromkeys(of for _, _, of in seen)}
    for (run, topic, measure), value in seen.items():
        values[measure][runs[run], topics[topic]] = value
    return Scores(list(runs), list(topics), values, collection, origins, of_tasks)

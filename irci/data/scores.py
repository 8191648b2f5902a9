"""Files of scores that others (or irci) have computed, recognised by their content.

trec_eval: `measure topic value` with tabs, the output of trec_eval -q, of several runs one after the other; a run ends at its
last `all` line and is named by a `runid` line anywhere in it, else by the file. irci: the same with `lower upper run`
behind. ir_measures: `topic measure value` with tabs, or its jsonl, one run a file. long: csv or tsv with a header that
names run, topic, measure and value. matrix: csv with a header of run names, one line a topic, the topics first or not at all.
"""

import csv
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from irci.data.measures import named, parse
from irci.data.names import file_name, is_name, raw
from irci.data.text_files import decimal, read_text_lines
from irci.errors import DataError, FormatError, Problem

ALL = "all"
RUN_ID = "runid"
# Header names that long files use, in lower case.
COLUMNS = {
    "run": ("run", "system", "tag", "name"),
    "topic": ("topic", "query", "qid", "query_id", "topic_id"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
}
WHOLE = "0"  # the split, and the part, that is the whole collection
SAVED_COLUMNS = ("run", "topic", "measure", "split", "part")  # and value

Record = tuple[int, str, str, str, str]  # line, run, topic, measure, value
Lines = Sequence[tuple[int, str]]


@dataclass(frozen=True)
class Scores:
    """Scores float64[runs, topics] of each measure, nan where there is none; topics sorted bytewise, runs as they came."""

    runs: list[str]
    topics: list[str]
    values: dict[str, NDArray[np.float64]]


def read_scores(
    paths: Sequence[str], forced: str | None = None, measure: str | None = None
) -> tuple[Scores, list[tuple[str, str]]]:
    """Read score files as one table, and say as what each was read.

    `forced`: one of FORMATS, else each file's format is recognised. `measure`: the name of what a matrix holds, else its
    file's name. Raises FormatError for rubbish, ragged rows, values that are no finite numbers and a (run, topic,
    measure) twice.
    """
    seen: dict[tuple[str, str, str], float] = {}
    recognised = []
    for path in paths:
        lines = read_text_lines(path)
        if not lines:
            raise FormatError.whole_file(path, "empty file: no scores")
        name = forced or _recognise(lines, path)
        recognised.append((path, name))
        _add(seen, path, FORMATS[name](lines, path, measure))
    if not seen:
        raise DataError(f"{', '.join(paths)}: no score of a topic (only of all topics?)")
    return _table(seen), recognised


def saved_text(scores: Scores) -> str:
    """The long table, with tabs, that `read_scores` reads back to the last digit."""
    lines = ["\t".join((*SAVED_COLUMNS, "value"))]
    for measure, values in scores.values.items():
        for run, of_run in zip(scores.runs, values, strict=True):
            lines += [
                f"{run}\t{topic}\t{measure}\t{WHOLE}\t{WHOLE}\t{value!r}"
                for topic, value in zip(scores.topics, of_run.tolist(), strict=True)
                if not math.isnan(value)
            ]
    return "".join(f"{line}\n" for line in lines)


def _add(seen: dict[tuple[str, str, str], float], path: str, records: Iterator[Record]) -> None:
    problems = []
    for line, run, topic, name, text in records:
        measure = _canonical(name)
        try:
            value = decimal(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            problems.append(Problem(line, f"value {text!r} is not a finite number"))
        elif not (is_name(run) and is_name(topic) and is_name(measure)):
            problems.append(Problem(line, "a run, topic or measure without a name, or with a tab or a line end in it"))
        elif (run, topic, measure) in seen:
            problems.append(Problem(line, f"{measure} of run {run!r} on topic {topic!r} again"))
        else:
            seen[run, topic, measure] = value
    if problems:
        raise FormatError(path, problems)


def _table(seen: dict[tuple[str, str, str], float]) -> Scores:
    runs = list(dict.fromkeys(run for run, _, _ in seen))
    topics = sorted({topic for _, topic, _ in seen}, key=raw)
    measures = dict.fromkeys(measure for _, _, measure in seen)
    run_place = {run: place for place, run in enumerate(runs)}
    topic_place = {topic: place for place, topic in enumerate(topics)}
    values = {measure: np.full((len(runs), len(topics)), np.nan) for measure in measures}
    for (run, topic, measure), value in seen.items():
        values[measure][run_place[run], topic_place[topic]] = value
    return Scores(runs, topics, values)


def _recognise(lines: Lines, path: str) -> str:
    """The format of a file from its first lines."""
    head = lines[0][1]
    if head.startswith("{"):
        return "ir_measures"
    header = {cell.strip().lower() for cell in read_cells(lines[:1], path)[0][1]}
    if all(header & set(names) for names in COLUMNS.values()):
        return "long"
    fields = head.split("\t")
    if len(fields) in (1, 2) or (len(fields) >= 3 and not _is_number(fields[2]) and fields[0].strip() != RUN_ID):
        return "matrix"
    if len(fields) >= 6:
        return "irci"
    rows = [line.split("\t") for _, line in lines]
    first, second = (sum(len(row) > i and _is_measure(row[i]) for row in rows) for i in (0, 1))
    if first != second:
        return "trec_eval" if first > second else "ir_measures"
    if fields[0] != fields[0].rstrip():  # padded, as trec_eval does
        return "trec_eval"
    raise FormatError.whole_file(path, "trec_eval's or ir_measures' output? Say which by --scores-format")


@cache
def _is_measure(name: str) -> bool:
    try:
        parse(name.strip())
    except ValueError:
        return name.strip() == RUN_ID
    return True


@cache
def _canonical(name: str) -> str:
    """AP is map: one measure has one name, whoever spelled it."""
    return named(name).name


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_cells(lines: Lines, path: str) -> list[tuple[int, list[str]]]:
    """The cells of csv lines, or of tsv, in which nothing is quoted, whichever the first line is."""
    if "\t" in lines[0][1]:
        return [(number, line.split("\t")) for number, line in lines]
    cells = []
    for number, line in lines:
        try:
            cells.append((number, next(csv.reader([line]))))
        except csv.Error:
            raise FormatError(path, [Problem(number, "no line of csv")]) from None
    return cells


def _tabbed(lines: Lines, path: str, least: int) -> Iterator[tuple[int, list[str]]]:
    for number, line in lines:
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) < least:
            raise FormatError(path, [Problem(number, f"{len(fields)} fields with tabs, expected {least}")])
        yield number, fields


def _trec_eval(lines: Lines, path: str, measure: str | None) -> Iterator[Record]:
    """One run after the other: one ends where a line of a topic follows one of all topics."""
    block: list[tuple[int, str, str, str]] = []
    name = None
    ended = False
    for number, (what, topic, value, *_) in _tabbed(lines, path, 3):
        if topic != ALL and ended:
            yield from _named(block, name, path)
            block, name, ended = [], None, False
        ended = ended or topic == ALL
        if what == RUN_ID:
            name = value
        elif topic != ALL and not value.startswith("'"):  # relstring is no score
            block.append((number, topic, what, value))
    yield from _named(block, name, path)


def _named(block: Sequence[tuple[int, str, str, str]], name: str | None, path: str) -> Iterator[Record]:
    for number, topic, measure, value in block:
        yield number, name or file_name(path), topic, measure, value


def _irci(lines: Lines, path: str, measure: str | None) -> Iterator[Record]:
    for number, (what, topic, value, _, _, run, *_) in _tabbed(lines, path, 6):
        if topic != ALL:
            yield number, run, topic, what, value


def _ir_measures(lines: Lines, path: str, measure: str | None) -> Iterator[Record]:
    for number, line in lines:
        if line.startswith("{"):
            try:
                row = json.loads(line)
                topic, what, value = (str(row[name]).strip() for name in ("query_id", "measure", "value"))
                raw(topic + what)
            except (ValueError, KeyError, RecursionError):
                raise FormatError(path, [Problem(number, "no object with query_id, measure and value")]) from None
        else:
            ((_, (topic, what, value, *_)),) = _tabbed([(number, line)], path, 3)
        if topic not in (ALL, "None"):
            yield number, file_name(path), topic, what, value


def _long(lines: Lines, path: str, measure: str | None) -> Iterator[Record]:
    """By header; rows of a part of the collection, or over all topics, are left out."""
    (_, header), *rows = read_cells(lines, path)
    names = [name.strip().lower() for name in header]
    try:
        place = {
            column: next(names.index(name) for name in known if name in names) for column, known in COLUMNS.items()
        }
    except StopIteration:
        raise FormatError(path, [Problem(lines[0][0], "no header that names run, topic, measure and value")]) from None
    part = names.index("part") if "part" in names else None
    for number, cells in rows:
        if cells == header:  # of a file joined to the one before
            continue
        if len(cells) != len(header):
            raise FormatError(path, [Problem(number, f"{len(cells)} columns, expected {len(header)} as in the header")])
        run, topic, what, value = (cells[place[column]].strip(" ") for column in COLUMNS)
        # Tables with parts hold topics alone, so that a topic may be called all.
        if cells[part].strip() == WHOLE if part is not None else topic != ALL:
            yield number, run, topic, what, value


def _matrix(lines: Lines, path: str, measure: str | None) -> Iterator[Record]:
    """A topic column is one whose header is empty or says so; without one, topics are numbered from 1."""
    (_, header), *rows = read_cells(lines, path)
    names = [name.strip() for name in header]
    with_topics = names[0].lower() in ("", *COLUMNS["topic"], "topics", "topic id", "query id", "id", "qnum")
    runs = names[1:] if with_topics else names
    if len(set(runs)) < len(runs) or not all(runs) or any("." in run and _is_number(run) for run in runs):
        raise FormatError(path, [Problem(lines[0][0], "the header is no list of different run names")])
    for place, (number, cells) in enumerate(rows, 1):
        if len(cells) != len(header):
            raise FormatError(path, [Problem(number, f"{len(cells)} columns, expected {len(header)} as in the header")])
        topic = cells[0].strip() if with_topics else str(place)
        if with_topics and topic == ALL:
            continue
        for run, value in zip(runs, cells[with_topics:], strict=True):
            yield number, run, topic, measure or file_name(path).removesuffix(".csv"), value.strip()


FORMATS: dict[str, Callable[[Lines, str, str | None], Iterator[Record]]] = {
    "trec_eval": _trec_eval,
    "ir_measures": _ir_measures,
    "irci": _irci,
    "long": _long,
    "matrix": _matrix,
}

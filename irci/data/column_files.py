"""Runs and judgments in columns: csv or tsv whose header names them, among which are BEIR's qrels; and MS MARCO's runs.

Commas, semicolons or tabs separate the cells under a header; cells may be quoted as csv has it. MS MARCO's runs have no
header: blanks separate `qid pid rank`, and the third column is ranks, or the file is refused, lest scores be read upside down.
"""

import csv
import io
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irci.base.choices import Ties
from irci.base.errors import FormatError, Problem
from irci.base.names import BLANKS, plural, text
from irci.base.types import Ints, owners
from irci.data.headers import DOCNO, RANK, RUN, SCORE, TOPIC, column_named, grade_named, lowered
from irci.data.in_memory import qrels_of as qrels_of_documents
from irci.data.in_memory import run_of as run_of_documents
from irci.data.text_files import COMMENT, Documents, TextFile, tell_comments
from irci.data.trec_files import INTEGER, Qrels, Run, number_in

Rows = list[tuple[int, list[str]]]


def is_header(line: str) -> bool:
    """True if a line names columns of rankings or of judgments."""
    names = _names(line)
    return len(names) > 1 and column_named(names, DOCNO) is not None


def has_ranks(line: str) -> bool:
    """True if a line has three fields, of which the last may be a rank."""
    fields = line.split()
    return len(fields) == 3 and INTEGER.fullmatch(fields[2].encode()) is not None


def _separator(line: str) -> str:
    return "\t" if "\t" in line else ";" if line.count(";") > line.count(",") else ","


def _names(line: str) -> list[str]:
    try:
        return lowered(next(csv.reader([line], delimiter=_separator(line), strict=True), []))
    except csv.Error:
        return []


def _rows(path: str, file: TextFile) -> Rows:
    # The header and what is under it, with the numbers of lines.
    lines = text(file.token(file.start, file.size)).split("\n")
    head = next(number for number, line in enumerate(lines) if line.strip(BLANKS) and not COMMENT.match(line))
    tell_comments(path, sum(bool(line.strip(BLANKS)) for line in lines[:head]), lambda: 1)
    source = io.StringIO("\n".join(lines[head:]), newline="")
    cells = csv.reader(source, delimiter=_separator(lines[head]), strict=True)
    rows = []
    last = 0
    try:
        for row in cells:
            if row and any(cell.strip(BLANKS) for cell in row):
                rows.append((head + last + 1, [cell.strip(BLANKS) for cell in row]))
            last = cells.line_num
    except csv.Error:
        raise FormatError(path, [Problem(head + last + 1, "not a line of csv")]) from None
    return rows


class Columns(NamedTuple):
    """Names of the columns that are read, the number's and the others'."""

    topic: str
    docno: str
    number: str
    rank: str | None
    run: str | None


def _columns(path: str, line: int, names: Sequence[str], number: str | None, wanted: str) -> Columns:
    topic, docno = column_named(names, TOPIC), column_named(names, DOCNO)
    if topic is None or docno is None or number is None:
        lacking = [
            each
            for each, found in zip(("query_id", "doc_id", wanted), (topic, docno, number), strict=True)
            if not found
        ]
        reason = f"header not understood: no {', '.join(lacking)}; found {', '.join(names)}"
        raise FormatError(path, [Problem(line, reason)])
    columns = Columns(topic, docno, number, column_named(names, RANK), column_named(names, RUN))
    for name in columns:
        if name is not None and names.count(name) > 1:
            raise FormatError(path, [Problem(line, f"two columns named {name}")])
    return columns


def _documents(path: str, rows: Rows, columns: Columns, names: Sequence[str]) -> Documents:
    ragged = [(number, len(row)) for number, row in rows if len(row) != len(names)]
    if ragged:
        problems = [
            Problem(number, f"{plural(found, 'column')}, expected {len(names)} as in the header", "")
            for number, found in ragged
        ]
        raise FormatError(path, problems)
    topics, docnos, numbers = ([row[names.index(name)] for _, row in rows] for name in columns[:3])
    begins = [place for place in range(len(topics)) if place == 0 or topics[place] != topics[place - 1]]
    sizes = np.diff(begins, append=len(topics)).astype(np.int64)
    ranks = None if columns.rank is None else _values([row[names.index(columns.rank)] for _, row in rows])
    return Documents([topics[place] for place in begins], sizes, docnos, _values(numbers), ranks)


def _values(cells: Sequence[str]) -> list[object]:
    # Numbers, or what is none as it is.
    return [value if (value := number_in(cell.encode())) == value else cell for cell in cells]


def run_of(path: str, file: TextFile, threads: int, ties: Ties) -> Run:
    """The run in a text with a header. Raises FormatError for what is none."""
    (line, header), *rows = _rows(path, file)
    names = lowered(header)
    score = column_named(names, SCORE)
    columns = _columns(path, line, names, score or column_named(names, RANK), "score or rank")
    documents = _documents(path, rows, columns, names)
    tags = [row[names.index(columns.run)] for _, row in rows] if columns.run else []
    other = next((number for (number, _), tag in zip(rows, tags, strict=False) if tag != tags[0]), None)
    run = run_of_documents(path, documents, ties)
    if score is None:
        run = in_order_of_ranks(run, gaps=True)
    return run._replace(tag=tags[0].encode() if tags else b"", other_tag_line=other)


def qrels_of(path: str, file: TextFile) -> Qrels:
    """The judgments in a text with a header. Raises FormatError for what is none."""
    (line, header), *rows = _rows(path, file)
    names = lowered(header)
    columns = _columns(path, line, names, grade_named(names), "relevance")
    return qrels_of_documents(path, _documents(path, rows, columns, names))


def ranked_run_of(path: str, file: TextFile, threads: int, ties: Ties) -> Run:
    """The run in a text of lines `qid pid rank`. Raises FormatError for what is none."""
    lines = file.token(file.start, file.size).split(b"\n")
    numbered = [(number, text(line).strip(BLANKS)) for number, line in enumerate(lines, 1)]
    rows = [(number, line.split()) for number, line in numbered if line and not COMMENT.match(line)]
    columns, names = Columns("qid", "pid", "rank", "rank", None), ["qid", "pid", "rank"]
    return in_order_of_ranks(run_of_documents(path, _documents(path, rows, columns, names), ties), gaps=False)


def in_order_of_ranks(run: Run, *, gaps: bool) -> Run:
    """A run whose scores are ranks, ordered by these. Raises FormatError for what is no rank, or a topic's twice; without
    `gaps` for topics whose ranks are not all from 1 or 0 on, and for ranks that fall from line to line everywhere."""
    rank, topic = run.score[run.lines], owners(run.offsets)
    _refuse_rank(run, np.flatnonzero((rank < 0) | (rank != np.floor(rank)) | (rank >= 2.0**53)), "is no rank")
    order = np.lexsort((rank, topic))
    again = (np.diff(topic[order]) == 0) & (np.diff(rank[order]) == 0)
    _refuse_rank(run, order[1:][again], "twice")
    if not gaps:
        first = np.flatnonzero(np.diff(topic, prepend=-1))
        lowest, sizes = np.minimum.reduceat(rank, first), np.diff(run.offsets)[topic[first]]
        wrong = (lowest > 1) | (np.maximum.reduceat(rank, first) - lowest >= sizes)
        _refuse_rank(
            run, first[wrong], "among others than 1 to the number of documents (or from 0): are these scores? " + NAMED
        )
        steps = np.diff(rank)[np.diff(topic) == 0]
        if len(steps) and (steps < 0).all():
            raise FormatError.whole_file(run.path, "the third column falls from line to line: " + NAMED)
    return run._replace(score=-run.score)


NAMED = "are these scores? A header query_id, doc_id, score says so, with tabs"


def _refuse_rank(run: Run, wrong: Ints, what: str) -> None:
    if len(wrong):
        place = int(wrong.min())
        topic = text(run.topics[int(owners(run.offsets)[place])])
        reason = f"rank {run.score[run.lines[place]]:.17g} of topic {topic!r} {what}"
        raise FormatError.whole_file(run.path, reason)

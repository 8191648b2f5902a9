"""Runs and judgments in other formats than TREC's.

Columns: csv or tsv whose header names them, among which are BEIR's qrels. Commas, semicolons or tabs separate the cells. In
csv cells may be quoted; with tabs, if the header is. Files without quotation marks are read by the compiled scanner, others
by Python's csv.

JSON: {topic: {docno: number}}, as pytrec_eval, ranx and MTEB keep it. MTEB keeps what it knows of a model beside the topics,
or beside subsets, {subset: {split: {topic: {docno: score}}}}.
"""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, islice
from typing import Any

import numpy as np

from irci.base import BLANKS, FormatError, Problem, plural, raw, text
from irci.data import headers, in_memory, text_files
from irci.data.rankings import Kind, Records
from irci.kernels.scan import Layout

QUOTE = '"'
ROLES = ("topic", "docno", "number", "tag", "rank")  # of columns
WANTED = {"run": "score or rank", "qrels": "relevance"}
OF_MODEL = "mteb_model_meta"
STRING = re.compile(r'"(?:[^"\\]|\\.)*+"(\s*:)?')  # the group tells that it is a name


# Columns.


def _header_cells(line: str) -> list[str]:
    separator, line = headers.separator_of(line), line.removesuffix("\r")
    if not _may_be_quoted(line):
        return headers.lowered(line.split(separator))
    try:
        return headers.lowered(next(csv.reader([line], delimiter=separator, strict=True), []))
    except csv.Error:
        return []


def _may_be_quoted(header: str) -> bool:
    return headers.separator_of(header) != "\t" or header.lstrip(BLANKS).startswith(QUOTE)


def is_header(line: str) -> bool:
    """True if a line names columns of rankings or of judgments."""
    names = _header_cells(line)
    return len(names) > 1 and headers.column_named(names, headers.DOCNO) is not None


def columns(
    path: str, file: text_files.TextFile, start: int, kind: Kind, *, with_ranks: bool
) -> text_files.Documents | tuple[text_files.TextFile, Records]:
    """Cells below the header at a place: quoted ones as Python's csv reads them, others for the scanner. Raises FormatError
    where the header does not name what is needed, or twice."""
    end, line = file.line_end(start), file.line_number(start)
    header = text(file.token(start, end))
    names, is_run = _header_cells(header), kind == "run"
    number = headers.column_named(names, (*headers.SCORE, *headers.RANK)) if is_run else headers.grade_named(names)
    wanted = {
        "query_id": headers.column_named(names, headers.TOPIC),
        "doc_id": headers.column_named(names, headers.DOCNO),
        WANTED[kind]: number,
    }
    lacking = [name for name, column in wanted.items() if column is None]
    if lacking:
        reason = f"header not understood: no {', '.join(lacking)}; found {', '.join(names)}"
        raise FormatError(path, [Problem(line, reason)])
    by_rank = number in headers.RANK
    tag = headers.column_named(names, headers.RUN) if is_run else None
    rank = headers.column_named(names, headers.RANK) if is_run and not by_rank else None
    for name in (*wanted.values(), tag):
        if name is not None and names.count(name) > 1:
            raise FormatError(path, [Problem(line, f"two columns named {name}")])
    text_files.tell_comments_above(path, file, start)
    if end + 1 >= file.size:
        raise _without_lines(path, names)
    has_scores = number in headers.SCORE  # which a run may have, and BEIR's qrels
    separator, below = headers.separator_of(header), file._replace(start=end + 1)
    places = {role: names.index(name) for role, name in zip(ROLES, (*wanted.values(), tag, rank), strict=True) if name}

    if _may_be_quoted(header) and file.occurrences(end + 1, file.size, ord(QUOTE)) > 0:
        documents = _quoted(path, below, names, separator, places, is_run=is_run, with_ranks=with_ranks)
        return documents._replace(by_rank=by_rank and is_run, only_whole=has_scores)
    topic, docno, of_number = (places[role] for role in ROLES[:3])
    layout = Layout(ord(separator), topic, docno, of_number, places.get("tag", -1), len(names))
    role = str(number) if is_run else "grade"
    return below, Records(names, layout, places.get("rank"), role, by_rank=by_rank and is_run, only_whole=has_scores)


def _without_lines(path: str, names: list[str]) -> FormatError:
    return FormatError.whole_file(path, f"empty file: no line of {', '.join(names)} below the header")


def _quoted(
    path: str, below: text_files.TextFile, names: list[str], separator: str, places: Mapping[str, int], *, is_run: bool,
    with_ranks: bool,
) -> text_files.Documents:  # fmt: skip
    # What Python's csv reads, with its tags.
    above = below.line_number(below.start) - 1
    source = io.StringIO(text(below.token(below.start, below.size)), newline="\n")
    reader = csv.reader(source, delimiter=separator, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    with text_files.problems_of(path) as problems:
        try:
            for row in reader:
                if len(row) == len(names):
                    rows.append(row)
                    lines.append(above + reader.line_num)
                elif len(row) > 1 or (row and row[0].strip(BLANKS)):
                    reason = f"{plural(len(row), 'column')}, expected {len(names)} as in the header"
                    problems.append(Problem(above + reader.line_num, reason, "fields"))
        except csv.Error as error:
            problems.append(Problem(above + reader.line_num, f"not csv: {error}"))
    if not rows:
        raise _without_lines(path, names)

    def column(role: str, cell: Callable[[str], Any] = str) -> list[Any]:
        return [cell(row[places[role]].strip(BLANKS)) for row in rows]

    ranks = column("rank", _grade) if with_ranks and "rank" in places else None
    numbers = column("number", _number if is_run else _grade)
    documents = in_memory.in_stretches(in_memory.objects(column("topic")), column("docno"), numbers, ranks)
    tags = column("tag", raw) if "tag" in places else [b""]
    other = next((line for line, tag in zip(lines, tags, strict=False) if tag != tags[0]), None)
    return documents._replace(header=names, tag=tags[0], other_tag_line=other, line_of=lines.__getitem__)


def _number(cell: str) -> float | str:
    # What is no number stays as it is, to be told.
    value = text_files.number_in(raw(cell))
    return cell if math.isnan(value) else value


def _grade(cell: str) -> float | str:
    return int(cell) if text_files.is_integer(raw(cell)) else _number(cell)


# JSON.


def is_json(line: str) -> bool:
    """True if a line begins an object, or an array, which is none of these."""
    return line.lstrip(BLANKS).startswith(("{", "["))


def json_documents(path: str, file: text_files.TextFile, start: int, kind: Kind) -> text_files.Documents:
    """The documents in the object at a place; of a file of MTEB's those of its only split. Raises FormatError for others."""
    text_files.tell_comments_above(path, file, start)
    first = file.line_number(start)
    content = text(file.token(start, file.size))
    try:
        members = parsed = json.loads(content, object_pairs_hook=tuple)  # in order, with names that are there twice
    except RecursionError:
        raise FormatError.whole_file(path, "objects too deep within each other") from None
    except ValueError as error:  # of json's own, but where a number has thousands of digits
        problem = Problem(first - 1 + getattr(error, "lineno", 1), f"not JSON: {getattr(error, 'msg', error)}")
        raise FormatError(path, [problem]) from None
    if isinstance(parsed, tuple) and any(name == OF_MODEL for name, _ in parsed):
        members = _without_model(path, parsed)

    def line_of_name(number: int) -> int | None:
        """The line of a name, by how many are before it; of MTEB's files nobody knows how many."""
        if members is not parsed:
            return None
        name = next(islice((name for name in STRING.finditer(content) if name[1]), number, None))
        return first + content.count("\n", 0, name.start())

    if not isinstance(members, tuple):
        reason = "an object {topic: {docno: number}} is expected"
        raise FormatError(path, [Problem(first, reason)])
    topics: set[str] = set()
    names = 0
    for topic, documents in members:
        if not isinstance(documents, tuple):
            reason = f"topic {topic!r}: an object {{docno: number}} is expected"
        else:
            reason = f"topic {topic!r} twice" if topic in topics else in_memory.unfit("topic", topic)
        if reason:
            raise FormatError(path, [Problem(line_of_name(names), reason)])
        topics.add(topic)
        names += 1 + len(documents)
    sizes = [len(documents) for _, documents in members]
    if not any(sizes):
        raise FormatError.whole_file(path, "empty file: no document in {topic: {docno: number}}")
    ends = [*accumulate(sizes)]

    def line_of(document: int) -> int | None:
        return line_of_name(document + 1 + sum(end <= document for end in ends))

    pairs = [pair for _, documents in members for pair in documents]
    return text_files.Documents(
        [topic for topic, documents in members if documents],
        np.array([size for size in sizes if size], np.int64),
        [docno for docno, _ in pairs],
        [dict(number) if isinstance(number, tuple) else number for _, number in pairs],
        line_of=line_of,
        only_whole=True,
    )


def _without_model(path: str, members: Sequence[tuple[str, Any]]) -> Any:
    """The members beside MTEB's model: topics, or {subset: {split: topics}}, of which there must be one split."""
    subsets = tuple(member for member in members if member[0] != OF_MODEL)
    splits_of = [(subset, splits) for subset, splits in subsets if isinstance(splits, tuple)]
    inner = [(f"{subset}/{split}", topics) for subset, splits in splits_of for split, topics in splits]
    if not inner or not isinstance(inner[0][1], tuple):
        return subsets
    if len(inner) > 1 or len(splits_of) < len(subsets):
        names = ", ".join(name for name, _ in inner)
        raise FormatError.whole_file(path, f"several splits, where a run is one: {names}")
    return inner[0][1]

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
import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, islice
from typing import Any

import numpy as np

from irci.base import BLANKS, FormatError, Problem, raw, text
from irci.data import headers, in_memory, text_files
from irci.data.rankings import DocumentRows, Form, Kind, Records
from irci.data.text_files import TextFile
from irci.kernels.scan import Layout

QUOTE = '"'
TO_BLANKS = dict.fromkeys(map(ord, BLANKS), " ")
BEIR = ["query-id", "corpus-id", "score"]  # its qrels' header
OF_MODEL = "mteb_model_meta"
STRING = re.compile(r'"(?:[^"\\]|\\.)*+"(\s*:)?')  # the group tells that it is a name


# Columns.


def columns(path: str, file: TextFile, start: int, kind: Kind) -> tuple[TextFile, Records] | None:
    """The table below the header at a place, for the scanner; None if the line there names no columns of rankings or of
    judgments. Raises FormatError where the header does not name what is needed, or twice, and for what is no csv."""
    end, line = file.line_end(start), file.line_number(start)
    header = text(file.token(start, end)).removesuffix("\r")
    separator = headers.separator_of(header)
    may_be_quoted = separator != "\t" or header.lstrip(BLANKS).startswith(QUOTE)
    quoting: Any = csv.QUOTE_MINIMAL if may_be_quoted else csv.QUOTE_NONE
    try:
        names = headers.lowered(next(csv.reader([header], delimiter=separator, quoting=quoting, strict=True), []))
    except csv.Error:
        return None
    if len(names) < 2 or headers.column_named(names, headers.DOCNO) is None:
        return None
    columns = headers.of_ranking(path, line, names, kind)
    below = file._replace(start=min(end + 1, file.size - 1))
    if may_be_quoted and file.occurrences(end + 1, file.size, ord(QUOTE)) > 0:
        separator, below = "\t", _unquoted(path, below, separator)
    topic, docno, number, tag, rank = (names.index(name) if name else -1 for name in columns)
    layout = Layout(ord(separator), topic, docno, number, tag, len(names))
    is_ambiguous = names == BEIR if kind == "run" else columns[2] in headers.SCORE
    return below, Records(names, layout, rank, Form(by_rank=columns[2] in headers.RANK, is_ambiguous=is_ambiguous))


def _unquoted(path: str, below: TextFile, separator: str) -> TextFile:
    """The same table as Python's csv reads it, with tabs between cells that have none: each row on the line where it ends."""
    above = below.line_number(below.start) - 1
    reader = csv.reader(io.StringIO(text(below.content), newline="\n"), delimiter=separator, strict=True)
    lines: list[str] = []
    try:
        for row in reader:
            lines += [""] * (above + reader.line_num - 1 - len(lines))
            lines.append("\t".join([cell.translate(TO_BLANKS) for cell in row]))
    except csv.Error as error:
        raise FormatError(path, [Problem(above + reader.line_num, f"not csv: {error}")]) from None
    return TextFile.of(path, *text_files.with_room(bytearray(raw("\n".join(lines)))))


# JSON.


def json_rows(path: str, file: TextFile, start: int, kind: Kind) -> DocumentRows:
    """The rows of the object at a place; of a file of MTEB's those of its only split. Raises FormatError for others."""
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
    sizes: dict[str, int] = {}
    pairs: list[tuple[str, Any]] = []
    for topic, documents in members:
        if not isinstance(documents, tuple):
            reason = f"topic {topic!r}: an object {{docno: number}} is expected"
        else:
            reason = f"topic {topic!r} twice" if topic in sizes else in_memory.unfit("topic", topic)
        if reason:
            raise FormatError(path, [Problem(line_of_name(len(sizes) + len(pairs)), reason)])
        sizes[topic] = len(documents)
        pairs += documents
    if not pairs:
        raise FormatError.whole_file(path, "empty file: no document in {topic: {docno: number}}")
    ends = [*accumulate(sizes.values())]
    return in_memory.held(
        path,
        [topic for topic, size in sizes.items() if size],
        np.array([size for size in sizes.values() if size], np.int64),
        [docno for docno, _ in pairs],
        [dict(number) if isinstance(number, tuple) else number for _, number in pairs],
        line_of=lambda document: line_of_name(document + 1 + bisect_right(ends, document)),
        form=Form(is_ambiguous=kind == "qrels"),
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

"""Runs and judgments in columns: csv or tsv whose header names them, among which are BEIR's qrels.

Commas, semicolons or tabs separate the cells under a header. In csv cells may be quoted; with tabs, if the header is. Files
without quotation marks are read by the compiled scanner, others by Python's csv.
"""

import csv
import io
import math
from collections.abc import Callable
from typing import Any, Literal

from irci.base.errors import FormatError, Problem
from irci.base.names import BLANKS, plural, raw, text
from irci.base.records import Record
from irci.base.types import Floats
from irci.data import in_memory, scanned
from irci.data.frames import in_stretches, objects
from irci.data.guesses import HINTS
from irci.data.headers import DOCNO, GRADE, RANK, RUN, SCORE, TOPIC, column_named, grade_named, lowered
from irci.data.rankings import Qrels, Run, has_fractions, whole
from irci.data.scanned import Asked, Records
from irci.data.text_files import Documents, TextFile, is_integer, number_in, problems_of, tell_comments_above
from irci.kernels.scan import Layout

QUOTE = '"'
BEIR = ["query-id", "corpus-id", "score"]  # its qrels' header
Kind = Literal["run", "qrels"]
WANTED = {"run": "score or rank", "qrels": "relevance"}


class Header(Record):
    """The names of columns, what separates them, whether cells may be quoted."""

    names: list[str]
    separator: str
    is_quoted: bool

    @classmethod
    def of(cls, line: str) -> "Header":
        separator = "\t" if "\t" in line else ";" if line.count(";") > line.count(",") else ","
        is_quoted = separator != "\t" or line.lstrip(BLANKS).startswith(QUOTE)
        line = line.removesuffix("\r")
        try:
            cells = (
                next(csv.reader([line], delimiter=separator, strict=True), []) if is_quoted else line.split(separator)
            )
        except csv.Error:
            cells = []
        return cls(lowered(cells), separator, is_quoted)

    def has(self, known: tuple[str, ...]) -> int | None:
        """The place of the column that has one of these names."""
        name = column_named(self.names, known)
        return None if name is None else self.names.index(name)


class Columns(Record):
    """The header of a text, what is below it, and the places of topic, docno, number, tag and rank (None: without)."""

    header: Header
    below: TextFile
    topic: int
    docno: int
    number: int
    tag: int | None
    rank: int | None

    @property
    def what(self) -> str:
        """The name of the column of numbers."""
        return self.header.names[self.number]

    def has_quotes(self) -> bool:
        below = self.below
        return self.header.is_quoted and below.occurrences(below.start, below.size, ord(QUOTE)) > 0

    def records(self) -> Records:
        """How the scanner finds what is below."""
        names, tag = self.header.names, -1 if self.tag is None else self.tag
        layout = Layout(ord(self.header.separator), self.topic, self.docno, self.number, tag, len(names))
        return Records(names, layout, self.rank)


def is_header(line: str) -> bool:
    """True if a line names columns of rankings or of judgments."""
    header = Header.of(line)
    return len(header.names) > 1 and header.has(DOCNO) is not None


def _columns(path: str, file: TextFile, place: int, kind: Kind) -> Columns:
    # The columns that the header at a place names.
    end, line = file.line_end(place), file.line_number(place)
    header = Header.of(text(file.token(place, end)))
    names = header.names
    number = grade_named(names) if kind == "qrels" else column_named(names, (*SCORE, *RANK))
    wanted = {"query_id": column_named(names, TOPIC), "doc_id": column_named(names, DOCNO), WANTED[kind]: number}
    lacking = [name for name, column in wanted.items() if column is None]
    if lacking:
        is_other = lacking == [WANTED[kind]] and header.has(GRADE if kind == "run" else SCORE) is not None
        reason = f"header not understood: no {', '.join(lacking)}; found {', '.join(names)}"
        raise FormatError(path, [Problem(line, reason)], hint=HINTS["qrels" if kind == "run" else "run"] * is_other)
    tag = column_named(names, RUN) if kind == "run" else None
    for name in (*wanted.values(), tag):
        if name is not None and names.count(name) > 1:
            raise FormatError(path, [Problem(line, f"two columns named {name}")])
    tell_comments_above(path, file, place)
    if end + 1 >= file.size:
        raise FormatError.whole_file(path, f"empty file: no line of {', '.join(names)} below the header")
    topic, docno, of_number = (names.index(str(name)) for name in wanted.values())
    has_ranks = kind == "run" and number not in RANK
    return Columns(
        header, file._replace(start=end + 1), topic, docno, of_number,
        None if tag is None else names.index(tag), header.has(RANK) if has_ranks else None,
    )  # fmt: skip


def run_of(path: str, file: TextFile, place: int, asked: Asked) -> Run:
    """The run in a text whose header is at a place. Raises FormatError for what is none."""
    columns = _columns(path, file, place, "run")
    by_rank = columns.what in RANK
    if columns.has_quotes():
        documents, tags = _documents(path, columns, "run", with_ranks=asked.ties == "rank")
        other = next((line for line, tag in tags if tag != tags[0][1]), None)
        run = in_memory.run_of(path, documents, asked.ties, asked.duplicates)._replace(
            tag=tags[0][1], other_tag_line=other
        )
    else:
        gaps: Literal["with gaps"] | None = "with gaps" if by_rank else None
        run = scanned.run_of(path, columns.below, columns.records(), asked, what=columns.what, by_rank=gaps)
    if columns.header.names == BEIR and not len(whole(run.score)[1]):
        reason = "BEIR's header of qrels, and whole numbers below it"
        raise FormatError(path, [Problem(None, reason)], hint=HINTS["qrels"])
    return run


def qrels_of(path: str, file: TextFile, place: int) -> Qrels:
    """The judgments in a text whose header is at a place. Raises FormatError for what is none."""
    columns = _columns(path, file, place, "qrels")

    def meant(numbers: Floats) -> str:  # BEIR's qrels have scores too, as any run
        return HINTS["run"] if columns.what in SCORE and has_fractions(numbers) else ""

    if not columns.has_quotes():
        return scanned.qrels_of(path, columns.below, columns.records(), meant)
    return in_memory.qrels_of(path, _documents(path, columns, "qrels")[0]._replace(meant=meant))


def _documents(
    path: str, columns: Columns, kind: Kind, *, with_ranks: bool = False
) -> tuple[Documents, list[tuple[int, bytes]]]:
    # What Python's csv reads, and the tags with their lines.
    below, (names, separator, _) = columns.below, columns.header._asdict().values()
    above = below.line_number(below.start) - 1
    source = io.StringIO(text(below.token(below.start, below.size)), newline="\n")
    reader = csv.reader(source, delimiter=separator, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    with problems_of(path) as problems:
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
        raise FormatError.whole_file(path, f"empty file: no line of {', '.join(names)} below the header")

    def column(place: int, cell: Callable[[str], Any] = str) -> list[Any]:
        return [cell(row[place].strip(BLANKS)) for row in rows]

    number = _grade if kind == "qrels" else _number
    ranks = column(columns.rank, _grade) if with_ranks and columns.rank is not None else None
    documents = in_stretches(
        objects(column(columns.topic)), column(columns.docno), column(columns.number, number), ranks
    )
    tags = [(0, b"")] if columns.tag is None else [*zip(lines, column(columns.tag, raw), strict=True)]
    return documents._replace(by_rank=columns.what in RANK and kind == "run", line_of=lines.__getitem__), tags


def _number(cell: str) -> float | str:
    # What is no number stays as it is, to be told.
    value = number_in(raw(cell))
    return cell if math.isnan(value) else value


def _grade(cell: str) -> float | str:
    return int(cell) if is_integer(raw(cell)) else _number(cell)

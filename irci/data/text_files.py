"""Text files: their lines and places in them, and what stands for a file; names of columns in headers and data frames, and
what a file may be instead by its first line."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from irci.base import BLANKS, LINES, FormatError, Problem, Record, decimal, logger, plural, raw, takes, text
from irci.base.types import Array, Bytes, Floats, Ints
from irci.data.file_bytes import BYTE_ORDER_MARK, HEAD, binary_kind, first_line_in, read_bytes
from irci.kernels.words import NEWLINE, count_bytes
from irci.measures import is_measure

SHARE = 4 << 20  # bytes that are worth a thread
LONG = 1000  # bytes of a line: those behind do not tell what it is
DIGITS = 18  # of a whole number, at most
# Of a comment, in files that may have some: a name that begins with # is one field of a record.
COMMENT = re.compile(f"[{BLANKS}]*#+([{BLANKS}]|$)")
Values = Sequence[Any] | Array[Any]


class Documents(Record):
    """L documents as they are given, in stretches of one topic each: `topics` and how many documents, int64[S].
    `docnos`, `numbers` (scores or grades; ranks for scores, if `by_rank`) and `ranks` (if there are any): L of each.
    Of a file: `line_of` gives the line that a document is on, if that is known; `meant` what the file may be instead, by its
    numbers, if it is refused."""

    topics: Sequence[Any]
    sizes: Ints
    docnos: Sequence[Any]
    numbers: Values
    ranks: Values | None = None
    by_rank: bool = False
    line_of: Callable[[int], int | None] | None = None
    meant: Callable[[Floats], str] = lambda numbers: ""


class InMemory(Record):
    """Content that a name among `Inputs.files` stands for: the path of a file, the bytes of one, or documents.
    `name`: that of a run or a judge, if no tag or file decides."""

    content: str | bytes | Documents
    name: str | None = None


Memory = Mapping[str, InMemory]
NOTHING: Memory = {}


def file_and_content(path: str, memory: Memory) -> tuple[str, bytes | None]:
    """The file to read for what is named `path`, and the bytes that stand for one."""
    content = memory[path].content if path in memory else path
    return (content, None) if isinstance(content, str) else (path, content if isinstance(content, bytes) else b"")


def read_lines(path: str) -> list[bytes]:
    """The lines of a list of names, stripped; blank ones are left out, and comments wherever they stand.
    Raises FormatError if there is no such file, or if it is something else."""
    file = TextFile.read(path)
    lines = [line.strip() for line in file.token(file.start, file.size).splitlines()]
    is_comment = [len(line.split()) > 1 and COMMENT.match(text(line)) is not None for line in lines]
    tell_comments(path, sum(is_comment), lambda: is_comment.index(True) + 1)
    return [line for line, is_note in zip(lines, is_comment, strict=True) if line and not is_note]


def read_text_lines(
    path: str, content: bytes | None = None, is_record: Callable[[str], bool] = lambda line: False
) -> list[tuple[int, str]]:
    """The lines of a text file with their numbers, blank ones and comments at the head left out.
    `is_record`: True for what has the fields of a record, and so is one, whatever it begins with."""
    file = TextFile.read(path, content)
    lines = file.token(file.start, file.size).split(b"\n")
    numbered = [(number, text(line).rstrip("\r")) for number, line in enumerate(lines, 1) if line.strip()]
    records = (i for i, (_, line) in enumerate(numbered) if not COMMENT.match(line) or is_record(line))
    head = next(records, len(numbered))
    tell_comments(path, head, lambda: numbered[0][0])
    return numbered[head:]


def tell_comments(path: str, number: int, first_line: Callable[[], int]) -> None:
    """Say how many lines of a file were taken for comments, and which is the first."""
    if number:
        taken = "comments, left out (line {}, ...)" if number > 1 else "a comment, left out (line {})"
        logger.info(f"{path}: {plural(number, 'line')} taken for {taken.format(first_line())}")


def tell_comments_above(path: str, file: "TextFile", start: int) -> None:
    """Say how many lines of a text before a place are comments: all that are not blank."""
    lines = [number for number, line in enumerate(file.token(file.start, start).split(b"\n"), 1) if line.strip()]
    tell_comments(path, len(lines), lambda: lines[0])


def fields_of(line: str) -> list[str]:
    """The fields of a line, with blanks between them; other scripts' blanks are letters."""
    return [text(field) for field in raw(line).split()]


def has_fields(number: int) -> Callable[[str], bool]:
    """Pattern of lines that have so many fields, with blanks between them."""
    return lambda line: len(fields_of(line)) == number


@contextmanager
def problems_of(path: str) -> Iterator[list[Problem]]:
    """Problems gathered as a file is gone through; if there are any it is refused, by a FormatError that tells all."""
    problems: list[Problem] = []
    yield problems
    if problems:
        raise FormatError(path, problems)


def table_of(
    path: str,
    records: Iterable[tuple[int, Sequence[str]]],
    wrong: Callable[[Sequence[str]], tuple[str, str] | None],
    role: str,
    keys: int = 1,
) -> dict[tuple[str, ...], tuple[str, ...]]:
    """The other fields of each record of a file, a line's number and its fields, by the first `keys`. Raises FormatError for
    those `wrong`, which tells the reason and the kind of problem, and for a key twice; `role`: what a row is called, with {}
    for its keys."""
    table: dict[tuple[str, ...], tuple[str, ...]] = {}
    with problems_of(path) as problems:
        for number, fields in records:
            key = tuple(fields[:keys])
            if (problem := wrong(fields)) is not None:
                problems.append(Problem(number, *problem))
            elif key in table:
                problems.append(Problem(number, f"{role.format(*key)} twice", "again"))
            else:
                table[key] = tuple(fields[keys:])
    return table


def number_in(token: bytes) -> float:
    """Number that float() makes of a token; nan if none."""
    try:
        # float() takes 1_000, which C's atof reads as 1: neither reading is safe.
        return float(token) if b"_" not in token else math.nan
    except ValueError:
        return math.nan


def is_finite(token: bytes) -> bool:
    """True if a token is a finite number."""
    return math.isfinite(number_in(token))


def is_integer(token: bytes) -> bool:
    """True if a token is what scanners take for a whole number."""
    digits = token[token[:1] in (b"-", b"+") :]
    return digits.isdigit() and len(digits) <= DIGITS


class TextFile(Record):
    """The text of a file: buffer[start:size] without a byte order mark, ending in a newline, followed by padding."""

    buffer: Bytes
    start: int
    size: int

    @classmethod
    def read(cls, path: str, content: bytes | None = None) -> "TextFile":
        """Read a file, or what it holds if that is given, unpacking it if it is gzip."""
        return cls.of(path, *read_bytes(path, content))

    @classmethod
    def of(cls, path: str, buffer: Bytes, size: int) -> "TextFile":
        """The text in bytes that `read_bytes` read of a file. Raises FormatError for what is no text."""
        if size and not buffer[:size].min():
            if kind := binary_kind(buffer):
                raise FormatError.whole_file(path, kind)
            line = int(count_bytes(buffer, 0, _find(b"\0", buffer, 0, size), NEWLINE)) + 1
            raise FormatError(path, [Problem(line, "binary data (a NUL byte), not text")])
        newline = _find(b"\n", buffer, 0, size)
        carriage_return = _find(b"\r", buffer, 0, newline)
        if buffer[carriage_return:newline].tobytes().strip():
            raise FormatError.whole_file(path, "lines end in CR alone, not in LF or CR LF")
        buffer[size:] = ord("\n")
        if not size or buffer[size - 1] != ord("\n"):
            size += 1
        start = len(BYTE_ORDER_MARK) if buffer[: len(BYTE_ORDER_MARK)].tobytes() == BYTE_ORDER_MARK else 0
        return cls(buffer, start, size)

    def shares(self, threads: int) -> list[int]:
        """Edges of shares of the text, at lines: where each begins, and where the last one ends."""
        number = max(1, min(threads, (self.size - self.start) // SHARE))
        edges = [self.start]
        for share in range(1, number):
            middle = self.start + (self.size - self.start) * share // number
            edges.append(self.line_end(max(middle, edges[-1])) + 1)
        return sorted({*(min(edge, self.size) for edge in edges), self.size})

    def occurrences(self, begin: int, end: int, byte: int = NEWLINE) -> int:
        """How many bytes between two places are newlines, or others."""
        return int(count_bytes(self.buffer, begin, end, byte))

    def token(self, begin: int, end: int) -> bytes:
        return self.buffer[begin:end].tobytes()

    def line_end(self, position: int) -> int:
        return _find(b"\n", self.buffer, position, len(self.buffer))

    def first_line(self) -> str:
        """The first line that is neither blank nor a comment of a run's, shortened; or nothing."""
        return first_line_in(self.token(self.start, min(self.size, self.start + HEAD)))[:LONG]

    def line_number(self, position: int) -> int:
        return self.occurrences(0, position) + 1


def _find(byte: bytes, buffer: Bytes, begin: int, end: int) -> int:
    # Where a byte is first between two places; the second one if it is not there.
    piece = LONG
    while begin < end:
        position = buffer[begin : min(begin + piece, end)].tobytes().find(byte)
        if position >= 0:
            return begin + position
        begin, piece = begin + piece, min(16 * piece, SHARE)
    return end


class Problems:
    """Problems of a file; only the first ones of a kind are worded, however many there are."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.counts: dict[str, int] = {}
        self.worded: list[Problem] = []

    def add(self, kind: str, positions: Ints, reason: Callable[[int], str]) -> None:
        """A kind of problem: where it occurs, and what to say of the i-th occurrence."""
        if len(positions):
            self.counts[kind] = len(positions)
        for i in np.argsort(positions, kind="stable")[: 1 + LINES].tolist():
            self.worded.append(Problem(self.file.line_number(positions[i]), reason(i), kind))

    def refuse(self, path: str, num_lines: int, expected: str, meant: Callable[[], str] = str) -> None:
        """Raise FormatError if there is any problem, or no line at all. `meant`: gives what the file may be, or nothing."""
        if self.worded:
            raise FormatError(path, self.worded, self.counts, meant())
        if num_lines == 0:
            raise FormatError.whole_file(path, f"empty file: no line of {expected}")


def shown(token: bytes) -> str:
    """A token as a message shows it: quoted, escaped, shortened."""
    text = token.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= 40 else text[:37] + "...")


# The names of a column in lower case; where a header has several of them, the first here is meant.
COLUMNS = {
    "run": ("run", "run_id", "runid", "system", "model", "tag", "name"),
    "topic": ("topic", "topic_id", "qid", "query_id", "query"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
}
# The names of a column of rankings and judgments, as ir_measures, PyTerrier, ranx and BEIR have them; the first here is meant.
TOPIC = ("query_id", "qid", "q_id", "query-id", "topic_id", "topic")
DOCNO = ("doc_id", "docno", "doc-id", "corpus_id", "corpus-id", "document_id", "docid", "pid")
SCORE, RANK = ("score",), ("rank",)
GRADE = ("relevance", "label", "grade", "rel")
RUN = ("run", "run_id", "tag", "system")
# Of a column that long tables may have besides, where topics of several collections stand in one table.
COLLECTION = ("collection", "dataset")
# Of the column with the topics in a matrix, whose header may be empty too.
TOPICS = ("", *COLUMNS["topic"], "topics", "topic id", "query id", "id", "qnum")

# What headers of score files have that first lines of runs and of qrels have not.
OF_SCORE_FILES = r"(?i)\b(measure|metric|value|score|topic|qid|query_id)\b"
OF_SCORES = "are these scores? They are read with --scores"
HINTS = {
    "run": "is this a run? QRELS come first, then RUNs",
    "qrels": "are these qrels? QRELS come first, then RUNs",
    "scores": OF_SCORES,
}
OF_DOCUMENTS = {  # what a line that says docno may be
    True: "are these lines of JSON, a document each? Write them as csv, or as one object {topic: {docno: number}}",
    False: "is this a header? Tabs, commas or semicolons separate columns that have one",
}
WITHOUT_HEADER = {
    "run": "is this a run with tabs or commas? Its header query_id, doc_id, score (or rank) is missing",
    "qrels": "is the second column (0) missing? Or, of qrels with tabs or commas, the header query_id, doc_id, relevance?",
}


def lowered(header: Sequence[str]) -> list[str]:
    """The names in a header, case and blanks around them aside."""
    return [name.strip(BLANKS).lower() for name in header]


def separator_of(header: str) -> str:
    """The separator of the cells of a csv or tsv file with this header."""
    if "\t" in header:
        return "\t"
    return ";" if header.count(";") > header.count(",") else ","


def is_number(text: str) -> bool:
    """True if a cell is what float() takes, so that it is no name."""
    return takes(float, text)


_is_decimal = partial(takes, decimal)


def column_named(names: Sequence[str], spellings: Sequence[str]) -> str | None:
    """The name among these that a column is known by, if there is one."""
    return next((name for name in spellings if name in names), None)


def grade_named(names: Sequence[str]) -> str | None:
    """The name of the column of grades; BEIR calls it score, which no run of more columns is taken for."""
    return column_named(names, GRADE) or (column_named(names, SCORE) if len(names) == 3 else None)


def known(names: Sequence[str], more: Sequence[str] = ()) -> dict[str, str]:
    """Column of scores -> its name among these; `more`: columns of other tables, which are called nothing else."""
    columns: Mapping[str, Sequence[str]] = {**COLUMNS, **{column: (column,) for column in more}}
    names_of = {column: column_named(names, spellings) for column, spellings in columns.items()}
    return {column: name for column, name in names_of.items() if name is not None}


def places(header: Sequence[str], path: str, line: int, more: Sequence[str] = ()) -> dict[str, int]:
    """Places of run, topic, measure, value and `more`, and of the collection if there is one. Raises FormatError for a column
    that is not there, or twice."""
    names = lowered(header)
    columns = known(names, more)
    if len(columns) < len(COLUMNS) + len(more):
        raise not_understood(header, path, line, more)
    for name in (*columns.values(), *COLLECTION, "split", "part"):
        if names.count(name) > 1:
            raise FormatError(path, [Problem(line, f"two columns named {name}")])
    if set(COLLECTION) <= set(names):
        reason = f"columns {' and '.join(COLLECTION)}: which of the two names the collection? Leave out the other"
        raise FormatError(path, [Problem(line, reason)])
    collection = column_named(names, COLLECTION)
    columns |= {"collection": collection} if collection is not None else {}
    return {column: names.index(name) for column, name in columns.items()}


def not_understood(header: Sequence[str], path: str, line: int | None, more: Sequence[str] = ()) -> FormatError:
    """The refusal of a header: what is needed, and what is there."""
    needed = [*list(COLUMNS)[:-1], *more, "value"]
    columns = known(lowered(header), more)
    lacking = [column for column in needed if column not in columns]
    of_these = f" (no {', '.join(lacking)})" if columns and lacking else ""
    names = ", ".join(name.strip(BLANKS) for name in header)
    reason = f"header not understood: needs {', '.join(needed)}; found {names}{of_these}"
    return FormatError(path, [Problem(line, reason)])


def rows_are_runs(names: Sequence[str]) -> bool:
    """True if the header of a matrix says that its lines are runs, not topics."""
    return names[0] in COLUMNS["run"] and set(known(names)) == {"run"} and len(names) > 1


# Guesses at what a file is that was given as something else.


MOST_FIELDS = 6  # of a run's line


def is_of_scores(line: str) -> bool:
    """True of the first line of a table of scores, which no run and no qrels has. JSON may be either."""
    separator = next((candidate for candidate in "\t;," if candidate in line), "")
    if not separator or line.startswith(("{", "[")):
        return False
    cells = [cell.strip(BLANKS) for cell in line.split(separator)]
    names = lowered(cells)
    if {*DOCNO} & {*names}:
        return False
    are_runs = len(cells) > MOST_FIELDS and not any(map(_is_decimal, cells))  # of a matrix without topics' names
    is_matrix = names[0] in TOPICS[1:] or rows_are_runs(names) or are_runs
    if len(cells) == 3 and separator == "\t" and not is_matrix:
        has_measure = is_measure(cells[0]) or is_measure(cells[1])
        return cells[0] == "runid" or (_is_decimal(cells[2]) and has_measure)
    is_irci = len(cells) > 5 and all(map(_is_decimal, cells[2:5])) and is_measure(cells[0])
    return len(known(names)) == len(COLUMNS) or is_irci or is_matrix


def kind_of(line: str) -> str | None:
    """The kind of a file with this first line: run, qrels, scores, or None if nothing in particular."""
    fields, cells = line.split(), re.split("[\t,;]", line)
    is_score = len(cells) == 3 and _is_decimal(cells[2])  # trec_eval's output, and ir_measures'
    is_irci = len(cells) > 5 and cells[0] != cells[0].rstrip() and all(map(_is_decimal, cells[2:5]))
    if line.startswith("{") or len(re.findall(OF_SCORE_FILES, line)) > 1 or is_score or is_irci:
        return "scores"
    if "\t" in line and (len(fields) < 2 or fields[1].upper() not in ("0", "Q0")):  # a table of another kind
        return None
    if len(fields) == 4 and re.fullmatch("-?[0-9]+", fields[3]):
        return "qrels"
    return "run" if len(fields) == 6 and _is_decimal(fields[4]) else None


def hint(line: str, given_as: str) -> str:
    """A question about a file with this first line that was given as a run, or as qrels."""
    if of_documents := hint_of_documents(line):
        return of_documents
    kind = kind_of(line)
    has_fields = given_as == "qrels" and len(line.split()) == 4  # TREC's: it is their values that are wrong
    if kind in (None, "scores") and not has_fields:
        cells = [cell.strip(BLANKS) for cell in re.split("[\t,;]", line)]
        cells = cells if len(cells) > 1 else line.split()
        if 3 <= len(cells) <= 5 and any(map(_is_decimal, cells[2:])) and not any(map(is_measure, cells)):
            return WITHOUT_HEADER[given_as]
    return HINTS[kind] if kind is not None and kind != given_as else ""


def hint_of_documents(line: str) -> str:
    """A question about a line that says docno, or the like, where no such word is a name; or nothing."""
    words = lowered(re.findall(r"[\w-]+", line))
    return OF_DOCUMENTS["{" in line] if {*DOCNO} & {*words} and {*TOPIC} & {*words} else ""

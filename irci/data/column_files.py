"""Runs and judgments in columns: csv or tsv whose header names them, among which are BEIR's qrels; and MS MARCO's runs.

Commas, semicolons or tabs separate the cells under a header. In csv cells may be quoted; with tabs, if the header is. MS
MARCO's runs have no header: blanks separate `qid pid rank`, and the third column is ranks, or the file is refused, lest scores
be read upside down.
"""

import csv
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from irci.base.errors import FormatError, Problem
from irci.base.names import BLANKS, plural, raw, spelled, text
from irci.base.types import Floats, Ints
from irci.data.guesses import HINTS
from irci.data.headers import DOCNO, GRADE, RANK, RUN, SCORE, TOPIC, column_named, grade_named, lowered
from irci.data.rankings import Docnos, Qrels, Run, secret
from irci.data.ranks import Gaps, whole
from irci.data.scanned import (
    HASHED,
    MEND_HASHED,
    Asked,
    Reader,
    Scanned,
    as_qrels,
    as_run,
    numbers_of,
    scanned,
    unfit,
)
from irci.data.text_files import TextFile, is_finite, number_in, shown, tell_comments_above
from irci.kernels.fields import LONGEST
from irci.kernels.records import Found
from irci.kernels.scan_columns import BY_BLANKS, scan_columns

QUOTE = '"'
MORE = 1 << 16  # bytes behind a line in which a quoted cell is looked for that ends in another
BEIR = ["query-id", "corpus-id", "score"]  # its qrels' header


class Columns(NamedTuple):
    """Columns and what is between them: a byte, or BY_BLANKS; whether cells may be quoted; the places of topic, docno, number
    and tag (-1: none)."""

    names: list[str]
    separator: int
    is_quoted: bool
    topic: int
    docno: int
    number: int
    tag: int = -1

    def scan(self, begin: int, end: int, docnos: Docnos, number: Floats) -> Found:
        """The cells of lines from one place to another."""
        places = np.array([*self[3:], len(self.names), self.is_quoted], np.int64)
        found: Found = scan_columns(begin, end, self.separator, places, docnos, number, secret())
        return found

    def wrong(self, file: TextFile, place: int) -> str:
        """Reason why the line at a place is no record."""
        line = file.token(place, min(file.line_end(place), place + LONGEST))
        if self.separator == BY_BLANKS:
            if line.startswith(b"#"):
                return f"{HASHED} ({' '.join(self.names)}): {MEND_HASHED}"
            return f"{plural(len(line.split()), 'field')}, expected {len(self.names)} ({' '.join(self.names)})"
        if self.is_quoted:  # a quoted cell goes on behind the line's end
            line += file.token(place + len(line), min(file.size, place + len(line) + MORE))
        try:
            cells = _cells(text(line), chr(self.separator), is_quoted=self.is_quoted)
        except csv.Error:
            return "quotation marks where csv has none, or a quoted cell that does not end"
        if len(cells) != len(self.names):
            return f"{plural(len(cells), 'column')}, expected {len(self.names)} as in the header"
        for what, cell in (("topic", cells[self.topic]), ("document", cells[self.docno])):
            name = raw(cell.strip(BLANKS))
            if reason := unfit(name):
                return f"{what} {shown(name)} {reason}"
        return "a name in quotation marks, where the header is in none: are they part of it?"


def is_header(line: str) -> bool:
    """True if a line names columns of rankings or of judgments."""
    names = lowered(_header(line)[0])
    return len(names) > 1 and column_named(names, DOCNO) is not None


def has_ranks(line: str) -> bool:
    """True if a line has three fields, of which the last is a whole number, however it is spelled."""
    fields = raw(line).split()
    return len(fields) == 3 and number_in(fields[2]).is_integer()


def _header(line: str) -> tuple[list[str], str, bool]:
    # The cells of a header, what separates them, and whether cells may be quoted.
    separator = "\t" if "\t" in line else ";" if line.count(";") > line.count(",") else ","
    is_quoted = separator != "\t" or line.lstrip(BLANKS).startswith(QUOTE)
    try:
        return _cells(line, separator, is_quoted=is_quoted), separator, is_quoted
    except csv.Error:
        return [], separator, is_quoted


def _cells(line: str, separator: str, *, is_quoted: bool) -> list[str]:
    if not is_quoted:
        return line.rstrip("\r").split(separator)
    lines = (f"{each}\n" for each in line.split("\n"))
    return next(csv.reader(lines, delimiter=separator, strict=True), [])


def _columns(path: str, file: TextFile, place: int, wanted: str, kind: str) -> tuple[Columns, TextFile]:
    # The columns that the header at a place names; and the text behind it. `wanted`: what the number is called.
    end = file.line_end(place)
    line = file.line_number(place)
    header, separator, is_quoted = _header(text(file.token(place, end)))
    names = lowered(header)
    found = [column_named(names, TOPIC), column_named(names, DOCNO)]
    found.append(grade_named(names) if kind == "qrels" else column_named(names, (*SCORE, *RANK)))
    if None in found:
        lacking = [name for name, there in zip(("query_id", "doc_id", wanted), found, strict=True) if there is None]
        other = column_named(names, GRADE if kind == "run" else SCORE)
        reason = f"header not understood: no {', '.join(lacking)}; found {', '.join(names)}"
        meant = HINTS["qrels" if kind == "run" else "run"] if other and lacking == [wanted] else ""
        raise FormatError(path, [Problem(line, reason)], hint=meant)
    tag = column_named(names, RUN) if kind == "run" else None
    for name in (*found, tag):
        if name is not None and names.count(name) > 1:
            raise FormatError(path, [Problem(line, f"two columns named {name}")])
    topic, docno, number = (names.index(str(name)) for name in found)
    place_of_tag = -1 if tag is None else names.index(tag)
    columns = Columns(names, ord(separator), is_quoted, topic, docno, number, place_of_tag)
    tell_comments_above(path, file, place)
    if end + 1 >= file.size:
        raise FormatError.whole_file(path, f"empty file: no line of {', '.join(names)} below the header")
    return columns, file._replace(start=end + 1)


def _reader(columns: Columns, file: TextFile, threads: int) -> Reader:
    has_quotes = columns.is_quoted and threads > 1 and file.occurrences(file.start, file.size, ord(QUOTE)) > 0
    expected = ", ".join(columns.names)
    return Reader(expected, columns.scan, partial(columns.wrong, file), decode=_undoubled, shares=not has_quotes)


def _undoubled(names: list[bytes]) -> list[bytes]:
    return [name.replace(b'""', b'"') for name in names]


def run_of(path: str, file: TextFile, place: int, asked: Asked) -> Run:
    """The run in a text whose header is at a place. Raises FormatError for what is none."""
    columns, below = _columns(path, file, place, "score or rank", "run")
    by_rank: Gaps | None = None
    reader = _reader(columns, below, asked.threads)
    number = columns.names[columns.number]
    ranks = _ranks(columns, below, asked) if number not in RANK else None
    found = scanned(path, below, reader, number, asked.threads)
    if columns.names == BEIR and len(found.number) and not found.problems.worded and not len(whole(found.number)[1]):
        raise FormatError(
            path, [Problem(None, "BEIR's header of qrels, and whole numbers below it")], hint=HINTS["qrels"]
        )
    if number in RANK:
        asked, by_rank = asked._replace(ties="docno"), "with gaps"
    return as_run(
        path, reader, found, asked, ranks=ranks and partial(ranks, found), tag=_tag(below, found), by_rank=by_rank
    )


def _tag(file: TextFile, found: Scanned) -> bytes:
    # The first line's, without doubled quotation marks if it is quoted.
    begin, end, _ = found.found.tags
    tag = file.token(begin, end)
    return tag.replace(b'""', b'"') if begin and file.token(begin - 1, begin) == QUOTE.encode() else tag


def _ranks(columns: Columns, file: TextFile, asked: Asked) -> Callable[[Scanned], Ints] | None:
    # What gives int64[L], the ranks beside scores, if ties go by them: others are problems. They are looked for before names
    # are decoded, in whose places there is something else then.
    rank = column_named(columns.names, RANK)
    if rank is None or asked.ties != "rank":
        return None
    reader = _reader(columns._replace(number=columns.names.index(rank)), file, asked.threads)
    number, tokens = numbers_of(file, reader, asked.threads)

    def ranks(found: Scanned) -> Ints:
        places, wrong = whole(number)
        what = [shown(tokens.get(line, raw(spelled(number[line])))) for line in wrong.tolist()]
        found.problems.add(
            "rank", found.docnos.start[wrong], lambda i: f"rank {what[i]} is not an integer (--ties rank)"
        )
        return places

    return ranks


def qrels_of(path: str, file: TextFile, place: int) -> Qrels:
    """The judgments in a text whose header is at a place. Raises FormatError for what is none."""
    columns, below = _columns(path, file, place, "relevance", "qrels")
    reader = _reader(columns, below, 1)
    found = scanned(path, below, reader, "grade")
    is_score = columns.names[columns.number] in SCORE  # as in BEIR's qrels, and in any run
    has_fractions = is_score and not found.problems.worded and len(whole(found.number)[1]) > 0
    return as_qrels(path, reader, found, lambda: HINTS["run"] if has_fractions else "")


def ranked_run_of(path: str, file: TextFile, place: int, asked: Asked) -> Run:
    """The run in a text of lines `qid pid rank`. Raises FormatError for what is none."""
    columns = Columns(["qid", "pid", "rank"], BY_BLANKS, False, 0, 1, 2)
    reader = Reader(" ".join(columns.names), columns.scan, partial(columns.wrong, file), is_number=is_finite)
    found = scanned(path, file, reader, "rank", asked.threads)
    return as_run(path, reader, found, asked._replace(ties="docno"), by_rank="without gaps")

"""Formats of runs and of qrels: how the first bytes, and the first line that is no comment, tell each, and who reads it.

A text whose first record is one of a TREC run, or of TREC qrels, is that: no other format is looked for. What is none of the
others either is read as TREC, whose reader says what is wrong.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from irci.base.choices import Ties
from irci.base.names import text
from irci.data import column_files, json_files, parquet_files, trec_files
from irci.data.text_files import LONG, TextFile, read_bytes
from irci.data.trec_files import INTEGER, Qrels, Run, is_finite


class Records(NamedTuple):
    """How TREC's records are told from other lines: a pattern of their fields, of which the last is a number, and what tells
    numbers."""

    fields: re.Pattern[bytes]
    is_number: Callable[[bytes], bool]

    @classmethod
    def of(cls, number: int, rest: str, is_number: Callable[[bytes], bool]) -> "Records":
        between = r"[ \t\v\f\r]"
        return cls(re.compile(rf"{between}*(\S++)(?:{between}+(\S++)){{{number - 1}}}{rest}".encode()), is_number)


RUN = Records.of(5, r"[ \t\v\f\r]+\S", is_finite)
QRELS = Records.of(4, r"[ \t\v\f\r]*\n", lambda number: INTEGER.fullmatch(number) is not None)
BEGIN_OF_NUMBER = re.compile(rb"[-+.0-9]")


class Format(NamedTuple):
    """A format other than TREC's: what tells it by the first line; how runs and qrels of it are read, if there are such."""

    looks_so: Callable[[str], bool]
    run: Callable[[str, TextFile, int, Ties], Run] | None
    qrels: Callable[[str, TextFile], Qrels] | None


FORMATS = {
    "json": Format(json_files.looks_so, json_files.run_of, json_files.qrels_of),
    "columns": Format(column_files.is_header, column_files.run_of, column_files.qrels_of),
    "ranks": Format(column_files.has_ranks, column_files.ranked_run_of, None),
}


def read_run(path: str, threads: int = 1, ties: Ties = "docno", content: bytes | None = None) -> Run:
    """Read a run file of any format, plain or gzip, or standard input for `-`, or what the file holds if that is given.

    `ties`: what orders documents with equal scores. Raises FormatError for what is no run.
    """
    buffer, size = read_bytes(path, content)
    if parquet_files.looks_so(buffer, size):
        return parquet_files.run_of(path, buffer, size, ties)
    file = TextFile.of(path, buffer, size)
    for each in FORMATS.values() if (line := foreign_line(file, RUN)) else ():
        if each.run is not None and each.looks_so(line):
            return each.run(path, file, threads, ties)
    return trec_files.run_of(path, file, threads, ties)


def read_qrels(path: str, content: bytes | None = None) -> Qrels:
    """Read relevance judgments of any format, as `read_run` does runs. Raises FormatError for what is no qrels."""
    buffer, size = read_bytes(path, content)
    if parquet_files.looks_so(buffer, size):
        return parquet_files.qrels_of(path, buffer, size)
    file = TextFile.of(path, buffer, size)
    for each in FORMATS.values() if (line := foreign_line(file, QRELS)) else ():
        if each.qrels is not None and each.looks_so(line):
            return each.qrels(path, file)
    return trec_files.qrels_of(path, file)


def foreign_line(file: TextFile, records: Records) -> str:
    """The first line that TREC's reader takes for no comment, shortened; empty if it reads that line, or if there is none."""
    position = file.start
    while position < file.size:
        end = file.line_end(position)
        begins = file.token(position, min(end, position + LONG)).split(maxsplit=1)
        found = records.fields.match(file.buffer.data, position, end + 1)
        if begins and not (begins[0].strip(b"#") == b"" and (found is None or not BEGIN_OF_NUMBER.match(found[2]))):
            return (
                "" if found and records.is_number(found[2]) else text(file.token(position, min(end, position + LONG)))
            )
        position = end + 1
    return ""

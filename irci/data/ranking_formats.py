"""Formats of runs and of qrels: how the first bytes, and the first line that is no comment, tell each, and who reads it.

A text whose first record is one of a TREC run, or of TREC qrels, is that: no other format is looked for. What is none of the
others either is read as TREC, whose reader says what is wrong.
"""

import re
from collections.abc import Callable

from irci.base.choices import Duplicates, Ties
from irci.base.names import text
from irci.base.records import Record
from irci.base.types import Bytes
from irci.data import trec_files
from irci.data.file_bytes import read_bytes
from irci.data.rankings import Qrels, Run
from irci.data.scanned import Asked
from irci.data.text_files import TextFile, is_finite, is_integer

LONGEST_HEADER = 1 << 16  # bytes of a line that tell what it is


class Records(Record):
    """How TREC's records are told from other lines: a pattern of their fields, of which the last is a number, and what tells
    numbers."""

    fields: re.Pattern[bytes]
    is_number: Callable[[bytes], bool]

    @classmethod
    def of(cls, number: int, rest: str, is_number: Callable[[bytes], bool]) -> "Records":
        between = r"[ \t\v\f\r]"
        return cls(re.compile(rf"{between}*(\S++)(?:{between}+(\S++)){{{number - 1}}}{rest}".encode()), is_number)


RUN = Records.of(5, r"[ \t\v\f\r]+\S", is_finite)
QRELS = Records.of(4, r"[ \t\v\f\r]*\n", is_integer)


class Format(Record):
    """A format other than TREC's: what tells it by the first line; how runs and qrels of it are read, if there are such."""

    looks_so: Callable[[str], bool]
    run: Callable[[str, TextFile, int, Asked], Run] | None
    qrels: Callable[[str, TextFile, int], Qrels] | None


def formats() -> dict[str, Format]:
    """All formats that are looked for, by name, in this order."""
    from irci.data import column_files, json_files  # take time

    return {
        "json": Format(json_files.looks_so, json_files.run_of, json_files.qrels_of),
        "columns": Format(column_files.is_header, column_files.run_of, column_files.qrels_of),
        "ranks": Format(column_files.has_ranks, column_files.ranked_run_of, None),
    }


def read_run(
    path: str, threads: int = 1, ties: Ties = "docno", content: bytes | None = None, duplicates: Duplicates = "error"
) -> Run:
    """Read a run file of any format, plain or gzip, or standard input for `-`, or what the file holds if that is given.

    `ties`: what orders documents with equal scores; `duplicates`: what becomes of a document that a topic has again. Raises
    FormatError for what is no run.
    """
    asked = Asked(threads, ties, duplicates)
    buffer, size = read_bytes(path, content)
    if _is_parquet(buffer, size):
        from irci.data import parquet_files  # takes time

        return parquet_files.run_of(path, buffer, size, asked)
    file = TextFile.of(path, buffer, size)
    place, line = foreign_line(file, RUN)
    found = next((each.run for each in formats().values() if each.run and each.looks_so(line)), None) if line else None
    return trec_files.run_of(path, file, asked) if found is None else found(path, file, place, asked)


def read_qrels(path: str, content: bytes | None = None) -> Qrels:
    """Read relevance judgments of any format, as `read_run` does runs. Raises FormatError for what is no qrels."""
    buffer, size = read_bytes(path, content)
    if _is_parquet(buffer, size):
        from irci.data import parquet_files  # takes time

        return parquet_files.qrels_of(path, buffer, size)
    file = TextFile.of(path, buffer, size)
    place, line = foreign_line(file, QRELS)
    found = (
        next((each.qrels for each in formats().values() if each.qrels and each.looks_so(line)), None) if line else None
    )
    return trec_files.qrels_of(path, file) if found is None else found(path, file, place)


def _is_parquet(buffer: Bytes, size: int) -> bool:
    # Such a file begins and ends with the same bytes, and before the last of them tells how long its footer is: as text, four
    # letters would be the length of one of 150 MB or more.
    is_marked = size > 12 and buffer[:4].tobytes() == buffer[size - 4 : size].tobytes() == b"PAR1"
    return is_marked and int.from_bytes(buffer[size - 8 : size - 4].tobytes(), "little") <= size - 12


def foreign_line(file: TextFile, records: Records) -> tuple[int, str]:
    """Where the first line begins that TREC's reader takes for no comment, and that line, shortened; it is empty if that
    reader reads it or refuses it for its #, or if there is none."""
    position = file.start
    while position < file.size:
        end = file.line_end(position)
        head = file.token(position, min(end, position + LONGEST_HEADER))
        content = head.strip()
        fields = records.fields.match(file.buffer.data, position, end + 1)
        is_record = fields is not None and records.is_number(fields[2])
        if content and (not content.startswith(b"#") or (is_record and not content[1:2].isspace())):
            return position, "" if is_record else text(head)
        position = end + 1
    return position, ""

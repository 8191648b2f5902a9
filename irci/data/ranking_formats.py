"""Formats of runs and of qrels: how the first bytes, and the first line that is no comment, tell each, and who reads it.

A text whose first record is one of a TREC run, or of TREC qrels, is that: no other format is looked for. What is none of the
others either is read as TREC, whose reader says what is wrong.
"""

import re
from collections.abc import Callable

from irci.base.choices import Duplicates, Ties
from irci.base.names import text
from irci.base.types import Bytes
from irci.data import trec_files
from irci.data.file_bytes import read_bytes
from irci.data.rankings import Qrels, Run
from irci.data.scanned import Asked
from irci.data.text_files import TextFile, is_finite, is_integer

LONGEST_HEADER = 1 << 16  # bytes of a line that tell what it is
BETWEEN = r"[ \t\v\f\r]"
# Lines of a TREC run and of qrels: their fields, of which the last here is a number.
RUN = re.compile(rf"{BETWEEN}*(\S++)(?:{BETWEEN}+(\S++)){{4}}{BETWEEN}+\S".encode())
QRELS = re.compile(rf"{BETWEEN}*(\S++)(?:{BETWEEN}+(\S++)){{3}}{BETWEEN}*\n".encode())


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
        from irci.data import frames, in_memory  # take time

        return in_memory.run_of(path, frames.of_parquet(path, buffer, size, "run"), ties, duplicates)
    file = TextFile.of(path, buffer, size)
    place, line = foreign_line(file, RUN, is_finite)
    if line:
        from irci.data import column_files, json_files

        if json_files.looks_so(line):
            return json_files.run_of(path, file, place, asked)
        if column_files.is_header(line):
            return column_files.run_of(path, file, place, asked)
        if trec_files.has_ranks(line):
            return trec_files.ranked_run_of(path, file, asked)
    return trec_files.run_of(path, file, asked)


def read_qrels(path: str, content: bytes | None = None) -> Qrels:
    """Read relevance judgments of any format, as `read_run` does runs. Raises FormatError for what is no qrels."""
    buffer, size = read_bytes(path, content)
    if _is_parquet(buffer, size):
        from irci.data import frames, in_memory

        return in_memory.qrels_of(path, frames.of_parquet(path, buffer, size, "qrels"))
    file = TextFile.of(path, buffer, size)
    place, line = foreign_line(file, QRELS, is_integer)
    if line:
        from irci.data import column_files, json_files

        if json_files.looks_so(line):
            return json_files.qrels_of(path, file, place)
        if column_files.is_header(line):
            return column_files.qrels_of(path, file, place)
    return trec_files.qrels_of(path, file)


def _is_parquet(buffer: Bytes, size: int) -> bool:
    # Such a file begins and ends with the same bytes, and before the last of them tells how long its footer is: as text, four
    # letters would be the length of one of 150 MB or more.
    is_marked = size > 12 and buffer[:4].tobytes() == buffer[size - 4 : size].tobytes() == b"PAR1"
    return is_marked and int.from_bytes(buffer[size - 8 : size - 4].tobytes(), "little") <= size - 12


def foreign_line(file: TextFile, record: re.Pattern[bytes], is_number: Callable[[bytes], bool]) -> tuple[int, str]:
    """Where the first line begins that TREC's reader takes for no comment, and that line, shortened; it is empty if that
    reader reads it or refuses it for its #, or if there is none."""
    position = file.start
    while position < file.size:
        end = file.line_end(position)
        head = file.token(position, min(end, position + LONGEST_HEADER))
        content = head.strip()
        fields = record.match(file.buffer.data, position, end + 1)
        is_record = fields is not None and is_number(fields[2])
        if content and (not content.startswith(b"#") or (is_record and not content[1:2].isspace())):
            return position, "" if is_record else text(head)
        position = end + 1
    return position, ""

"""TREC runs and qrels, from bytes to arrays. The only module that opens input files.

Runs: `topic Q0 docno rank score tag`, the rank ignored; qrels: `topic iteration docno grade`. Fields are separated by
blanks or tabs in any number; blank lines and lines that start with `#` are skipped, as trec_eval does.
"""

import gzip
import math
import sys
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from irci.errors import FormatError, Problem
from irci.kernels.ranking import find_duplicates
from irci.kernels.scan import count_lines, line_number, scan_qrels, scan_run

STDIN = "-"
GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
RUN_FIELDS = "topic Q0 docno rank score tag"
QRELS_FIELDS = "topic iteration docno grade"
NAME_PREFIX = "input."
NAME_SUFFIXES = (".gz", ".txt", ".run")


@dataclass(frozen=True)
class Docnos:
    """Document identifiers as places in a file's bytes: uint8[n], int64[L], int32[L], and their hashes uint64[L]."""

    buffer: NDArray[np.uint8]
    start: NDArray[np.int64]
    length: NDArray[np.int32]
    hash: NDArray[np.uint64]

    def take(self, rows: NDArray[np.int64]) -> "Docnos":
        """The docnos at `rows`, in that order, over the same bytes."""
        return Docnos(self.buffer, self.start[rows], self.length[rows], self.hash[rows])


@dataclass(frozen=True)
class Run:
    """One run file: L lines, grouped by topic.

    `lines` int64[L] are indices into docnos and score, in file order inside a topic; the topic named topics[g] has
    lines[offsets[g]:offsets[g+1]]. `tag` is the first line's; `other_tag_line` a line with another one.
    """

    path: str
    tag: bytes
    other_tag_line: int | None
    topics: list[bytes]
    docnos: Docnos
    score: NDArray[np.float64]
    lines: NDArray[np.int64]
    offsets: NDArray[np.int64]
    lines_with_extra_fields: int


@dataclass(frozen=True)
class Qrels:
    """Judgments, J rows grouped by topic: topics sorted bytewise, topics[t] has rows offsets[t]:offsets[t+1]."""

    topics: list[bytes]
    docnos: Docnos
    grade: NDArray[np.int64]
    offsets: NDArray[np.int64]


def text(name: bytes) -> str:
    """A topic's or a run's name for printing; bytes that are no UTF-8 survive the way out."""
    return name.decode("utf-8", "surrogateescape")


def file_name(path: str) -> str:
    """The name of a run taken from its file: the base name without `input.`, .gz, .txt and .run."""
    name = PurePath(path).name if path != STDIN else "stdin"
    stem = name.removeprefix(NAME_PREFIX)
    while stem.endswith(NAME_SUFFIXES):
        stem = stem[: stem.rindex(".")]
    return stem or name


def read_run(path: str) -> Run:
    """Read a run file, plain or gzip, or standard input for `-`.

    Raises FormatError for what is no run: too few fields, a score that is no finite number, a docno twice in a topic.
    """
    data = _read_bytes(path)
    buffer = np.frombuffer(data, np.uint8)
    (
        start, length, docno_hash, score, stretch_line, stretch_start, stretch_length,
        short, slow, extra, tag_start, tag_end, other_tag,
    ) = scan_run(buffer, _text_start(data), count_lines(buffer))  # fmt: skip
    docnos = Docnos(buffer, start, length, docno_hash)
    problems = [_wrong_fields(data, buffer, at, RUN_FIELDS) for at in short.tolist()]
    problems += _read_slow_scores(data, buffer, slow, score)
    topics, lines, offsets = _group_by_topic(data, stretch_line, stretch_start, stretch_length, len(score))
    problems += _duplicates(data, docnos, topics, lines, offsets)
    _refuse(path, problems, len(score), RUN_FIELDS)
    return Run(
        path=path,
        tag=data[tag_start:tag_end],
        other_tag_line=int(line_number(buffer, other_tag)) if other_tag >= 0 else None,
        topics=topics,
        docnos=docnos,
        score=score,
        lines=lines,
        offsets=offsets,
        lines_with_extra_fields=int(extra),
    )


def read_qrels(path: str) -> Qrels:
    """Read relevance judgments, plain or gzip, or standard input for `-`.

    Raises FormatError for what is no qrels: other than four fields, a grade that is no integer, a docno twice in a
    topic.
    """
    data = _read_bytes(path)
    buffer = np.frombuffer(data, np.uint8)
    (
        start, length, docno_hash, grade, stretch_line, stretch_start, stretch_length, wrong, rubbish,
    ) = scan_qrels(buffer, _text_start(data), count_lines(buffer))  # fmt: skip
    docnos = Docnos(buffer, start, length, docno_hash)
    problems = [_wrong_fields(data, buffer, at, QRELS_FIELDS) for at in wrong.tolist()]
    problems += [
        Problem(line_number(buffer, begin), f"grade {_shown(data[begin:end])} is not an integer")
        for _, begin, end in rubbish.tolist()
    ]
    topics, lines, offsets = _group_by_topic(data, stretch_line, stretch_start, stretch_length, len(grade))
    problems += _duplicates(data, docnos, topics, lines, offsets)
    _refuse(path, problems, len(grade), QRELS_FIELDS)
    order = sorted(range(len(topics)), key=topics.__getitem__)
    rows = np.concatenate([lines[offsets[group] : offsets[group + 1]] for group in order])
    sizes = np.diff(offsets)[order]
    return Qrels(
        topics=[topics[group] for group in order],
        docnos=docnos.take(rows),
        grade=grade[rows],
        offsets=np.concatenate(([0], np.cumsum(sizes))),
    )


def _read_bytes(path: str) -> bytes:
    """The text of a file, unpacked if it is gzip, ending in a newline."""
    try:
        if path == STDIN:
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                data = file.read()
        if data.startswith(GZIP_MAGIC):
            data = gzip.decompress(data)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError.whole_file(path, f"damaged gzip file ({_lower_first(str(error))})") from None
    except OSError as error:
        raise FormatError.whole_file(path, _lower_first(error.strerror or str(error))) from None
    nul = data.find(b"\0")
    if nul >= 0:
        raise FormatError(path, [Problem(data.count(b"\n", 0, nul) + 1, "binary data (a NUL byte), not text")])
    return data if data.endswith(b"\n") else data + b"\n"


def _lower_first(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def _text_start(data: bytes) -> int:
    return len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0


def _shown(token: bytes) -> str:
    """A token as a message shows it: quoted, escaped, shortened."""
    shown = token.decode("utf-8", "backslashreplace")
    return repr(shown if len(shown) <= 40 else shown[:37] + "...")


def _wrong_fields(data: bytes, buffer: NDArray[np.uint8], at: int, expected: str) -> Problem:
    fields = len(data[at : data.index(b"\n", at)].split())
    noun = "field" if fields == 1 else "fields"
    return Problem(line_number(buffer, at), f"{fields} {noun}, expected {len(expected.split())} ({expected})")


def _read_slow_scores(
    data: bytes, buffer: NDArray[np.uint8], slow: NDArray[np.int64], score: NDArray[np.float64]
) -> list[Problem]:
    """Fill in the scores the scanner left to float(); say which are no finite numbers."""
    problems = []
    for line, begin, end in slow.tolist():
        token = data[begin:end]
        try:
            # float() takes 1_000, which C's atof reads as 1: neither reading is safe.
            score[line] = float(token) if b"_" not in token else math.nan
        except ValueError:
            score[line] = math.nan
        if not math.isfinite(score[line]):
            problems.append(Problem(line_number(buffer, begin), f"score {_shown(token)} is not a finite number"))
    return problems


def _group_by_topic(
    data: bytes,
    stretch_line: NDArray[np.int64],
    stretch_start: NDArray[np.int64],
    stretch_length: NDArray[np.int32],
    num_lines: int,
) -> tuple[list[bytes], NDArray[np.int64], NDArray[np.int64]]:
    """Topics in order of appearance, their lines grouped, and where each group begins."""
    index: dict[bytes, int] = {}
    stretch_topic = [
        index.setdefault(data[begin : begin + length], len(index))
        for begin, length in zip(stretch_start.tolist(), stretch_length.tolist(), strict=True)
    ]
    if len(index) == len(stretch_topic):  # every topic in one piece
        return list(index), np.arange(num_lines), np.append(stretch_line, num_lines)
    line_topic = np.repeat(stretch_topic, np.diff(stretch_line, append=num_lines))
    offsets = np.concatenate(([0], np.cumsum(np.bincount(line_topic))))
    return list(index), np.argsort(line_topic, kind="stable"), offsets


def _duplicates(
    data: bytes,
    docnos: Docnos,
    topics: Sequence[bytes],
    lines: NDArray[np.int64],
    offsets: NDArray[np.int64],
) -> Iterable[Problem]:
    pairs = find_duplicates(docnos.buffer, docnos.start, docnos.length, docnos.hash, lines, offsets)
    if not len(pairs):
        return
    line_topic = np.empty(len(lines), np.int64)
    line_topic[lines] = np.repeat(np.arange(len(topics)), np.diff(offsets))
    for line, earlier in pairs.tolist():
        begin = docnos.start[line]
        docno = _shown(data[begin : begin + docnos.length[line]])
        yield Problem(
            line_number(docnos.buffer, begin),
            f"document {docno} again for topic {_shown(topics[line_topic[line]])}"
            f" (first on line {line_number(docnos.buffer, docnos.start[earlier])})",
        )


def _refuse(path: str, problems: Sequence[Problem], num_lines: int, expected: str) -> None:
    if problems:
        raise FormatError(path, problems)
    if num_lines == 0:
        raise FormatError.whole_file(path, f"empty file: no line of {expected}")

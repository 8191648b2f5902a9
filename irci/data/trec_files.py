"""TREC runs and qrels, from bytes to arrays.

Runs: `topic Q0 docno rank score tag`, the rank ignored; qrels: `topic iteration docno grade`. Fields are separated by
blanks or tabs in any number; blank lines and lines that start with `#` are skipped, as trec_eval does.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from irci.data.text_files import Problems, TextFile, shown
from irci.kernels.ranking import find_duplicates
from irci.kernels.scan import LONGEST, scan_qrels, scan_run
from irci.threads import in_order, in_shares

RUN_FIELDS = "topic Q0 docno rank score tag"
QRELS_FIELDS = "topic iteration docno grade"


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

    def texts(self) -> Iterator[bytes]:
        """The docnos themselves, one after the other."""
        memory = self.buffer.data
        for start, length in zip(self.start.tolist(), self.length.tolist(), strict=True):
            yield bytes(memory[start : start + length])


@dataclass(frozen=True)
class Run:
    """One run file: L lines, grouped by topic.

    `lines` int32[L] (int64 from 2^31 lines on) are indices into docnos and score, in file order inside a topic; the topic
    named topics[g] has lines[offsets[g]:offsets[g+1]]. `tag` is the first line's; `other_tag_line` a line with another one.
    """

    path: str
    tag: bytes
    other_tag_line: int | None
    topics: list[bytes]
    docnos: Docnos
    score: NDArray[np.float64]
    lines: NDArray[Any]
    offsets: NDArray[np.int64]
    lines_with_extra_fields: int


@dataclass(frozen=True)
class Qrels:
    """Judgments, J rows grouped by topic: topics sorted bytewise, topics[t] has rows offsets[t]:offsets[t+1]."""

    topics: list[bytes]
    docnos: Docnos
    grade: NDArray[np.int64]
    offsets: NDArray[np.int64]
    highest_grade: int  # of the whole file, whatever topics are kept

    def only(self, keep: NDArray[np.bool_]) -> "Qrels":
        """Those of the topics where bool[T] `keep` is true."""
        sizes = np.diff(self.offsets)
        rows = np.flatnonzero(np.repeat(keep, sizes))
        return Qrels(
            topics=[topic for topic, kept in zip(self.topics, keep.tolist(), strict=True) if kept],
            docnos=self.docnos.take(rows),
            grade=self.grade[rows],
            offsets=np.concatenate(([0], np.cumsum(sizes[keep]))),
            highest_grade=self.highest_grade,
        )


def read_run(path: str, threads: int = 1) -> Run:
    """Read a run file, plain or gzip, or standard input for `-`; each thread takes a share of a large one.

    Raises FormatError for what is no run: too few fields, a score that is no finite number, a docno twice in a topic.
    """
    file = TextFile.read(path)
    docnos, score, scan = _scan_in_shares(file, threads)
    problems = Problems(file)
    problems.add(scan.short, lambda i: _wrong_fields(file, scan.short[i], RUN_FIELDS))
    unread = scan.slow[_read_slow_scores(file, scan.slow, score)]
    problems.add(unread[:, 1], lambda i: f"score {shown(file.token(*unread[i, 1:]))} is not a finite number")
    topics, lines, offsets = _group_by_topic(
        file, scan.stretch_line, scan.stretch_start, scan.stretch_length, len(score)
    )
    _add_duplicates(problems, docnos, topics, lines, offsets, threads)
    problems.refuse(path, len(score), RUN_FIELDS)
    return Run(
        path=path,
        tag=file.token(scan.tag_start, scan.tag_end),
        other_tag_line=file.line_number(scan.other_tag) if scan.other_tag >= 0 else None,
        topics=topics,
        docnos=docnos,
        score=score,
        lines=lines,
        offsets=offsets,
        lines_with_extra_fields=scan.lines_with_extra_fields,
    )


class Scan(NamedTuple):
    """What `scan_run` says of one share of a file, and of all of it."""

    lines: int
    stretch_line: NDArray[np.int64]
    stretch_start: NDArray[np.int64]
    stretch_length: NDArray[np.int32]
    short: NDArray[np.int64]
    slow: NDArray[np.int64]
    lines_with_extra_fields: int
    tag_start: int
    tag_end: int
    other_tag: int


def _scan_in_shares(file: TextFile, threads: int) -> tuple[Docnos, NDArray[np.float64], Scan]:
    """The docnos and scores of a file, and what else is found in it; positions are those of the file."""
    edges = file.shares(threads)
    shares = len(edges) - 1
    room = np.cumsum([0, *in_order(lambda share: file.newlines(*edges[share : share + 2]), range(shares), shares)])
    # docno start, length, hash; score
    columns = [np.empty(room[-1], kind) for kind in (np.int64, np.int32, np.uint64, np.float64)]

    def scan(share: int) -> Scan:
        here = slice(*room[share : share + 2])
        return Scan(*scan_run(file.buffer, *edges[share : share + 2], *(column[here] for column in columns)))

    found = list(in_order(scan, range(shares), shares))
    lines = [each.lines for each in found]
    if sum(lines) < room[-1]:  # blank lines and comments leave room
        columns = [
            np.concatenate([column[at : at + some] for at, some in zip(room, lines, strict=False)])
            for column in columns
        ]
    return Docnos(file.buffer, *columns[:3]), columns[3], _joined(file, found)


def _joined(file: TextFile, shares: Sequence[Scan]) -> Scan:
    """What is said of all shares: lines are counted from the first one's."""
    before = np.concatenate(([0], np.cumsum([share.lines for share in shares])))
    for share, lines_before in zip(shares, before, strict=False):
        share.stretch_line[:] += lines_before
        share.slow[:, 0] += lines_before
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(share, name) for share in shares])
        for name in ("stretch_line", "stretch_start", "stretch_length", "short", "slow")
    }
    tagged = [share for share in shares if share.lines] or shares[:1]
    first = tagged[0]
    tag = file.token(first.tag_start, first.tag_end)
    # A share whose first tag is not the file's begins with the other tag.
    others = [
        share.other_tag if file.token(share.tag_start, share.tag_end) == tag else int(share.stretch_start[0])
        for share in tagged
    ]
    return first._replace(
        **arrays,
        lines=int(before[-1]),
        lines_with_extra_fields=sum(share.lines_with_extra_fields for share in shares),
        other_tag=next((other for other in others if other >= 0), -1),
    )


def read_qrels(path: str) -> Qrels:
    """Read relevance judgments, plain or gzip, or standard input for `-`.

    Raises FormatError for what is no qrels: other than four fields, a grade that is no integer, a docno twice in a
    topic.
    """
    file = TextFile.read(path)
    (
        start, length, docno_hash, grade, stretch_line, stretch_start, stretch_length, wrong, rubbish,
    ) = scan_qrels(file.buffer, file.start, file.size, file.newlines(0, file.size))  # fmt: skip
    docnos = Docnos(file.buffer, start, length, docno_hash)
    problems = Problems(file)
    problems.add(wrong, lambda i: _wrong_fields(file, wrong[i], QRELS_FIELDS))
    problems.add(rubbish[:, 1], lambda i: f"grade {shown(file.token(*rubbish[i, 1:]))} is not an integer")
    topics, lines, offsets = _group_by_topic(file, stretch_line, stretch_start, stretch_length, len(grade))
    _add_duplicates(problems, docnos, topics, lines, offsets)
    problems.refuse(path, len(grade), QRELS_FIELDS)
    order = sorted(range(len(topics)), key=topics.__getitem__)
    rows = np.concatenate([lines[offsets[group] : offsets[group + 1]] for group in order])
    sizes = np.diff(offsets)[order]
    return Qrels(
        topics=[topics[group] for group in order],
        docnos=docnos.take(rows),
        grade=grade[rows],
        offsets=np.concatenate(([0], np.cumsum(sizes))),
        highest_grade=int(grade.max()),
    )


def _wrong_fields(file: TextFile, at: int, expected: str) -> str:
    end = file.line_end(at)
    if end - at > LONGEST:
        return f"a line of {end - at} bytes"
    fields = len(file.token(at, end).split())
    hint = (
        "; is this a run? The qrels come first"
        if expected == QRELS_FIELDS and fields == RUN_FIELDS.count(" ") + 1
        else ""
    )
    return f"{fields} {'field' if fields == 1 else 'fields'}, expected {len(expected.split())} ({expected}){hint}"


def _read_slow_scores(file: TextFile, slow: NDArray[np.int64], score: NDArray[np.float64]) -> list[int]:
    """Fill in the scores the scanner left to float(); return which of these are no finite numbers."""
    unread = []
    for i, (line, begin, end) in enumerate(slow.tolist()):
        token = file.token(begin, end)
        try:
            # float() takes 1_000, which C's atof reads as 1: neither reading is safe.
            score[line] = float(token) if b"_" not in token else math.nan
        except ValueError:
            score[line] = math.nan
        if not math.isfinite(score[line]):
            unread.append(i)
    return unread


def _group_by_topic(
    file: TextFile,
    stretch_line: NDArray[np.int64],
    stretch_start: NDArray[np.int64],
    stretch_length: NDArray[np.int32],
    num_lines: int,
) -> tuple[list[bytes], NDArray[Any], NDArray[np.int64]]:
    """Topics in order of appearance, their lines grouped, and where each group begins."""
    # A topic that goes on from one share into the next is one stretch.
    index: dict[bytes, int] = {}
    stretch_topic = [
        index.setdefault(file.token(begin, begin + length), len(index))
        for begin, length in zip(stretch_start.tolist(), stretch_length.tolist(), strict=True)
    ]
    first = np.diff(stretch_topic, prepend=-1) != 0
    whole = np.int32 if num_lines < 2**31 else np.int64
    if len(index) == first.sum():  # every topic in one piece
        return list(index), np.arange(num_lines, dtype=whole), np.append(stretch_line[first], num_lines)
    line_topic = np.repeat(stretch_topic, np.diff(stretch_line, append=num_lines))
    offsets = np.concatenate(([0], np.cumsum(np.bincount(line_topic))))
    return list(index), np.argsort(line_topic, kind="stable").astype(whole), offsets


def _add_duplicates(
    problems: Problems,
    docnos: Docnos,
    topics: Sequence[bytes],
    lines: NDArray[Any],
    offsets: NDArray[np.int64],
    threads: int = 1,
) -> None:
    def of_topics(some: slice) -> NDArray[np.int64]:
        found: NDArray[np.int64] = find_duplicates(
            docnos.buffer, docnos.start, docnos.length, docnos.hash, lines, offsets[some.start : some.stop + 1]
        )
        return found

    found = in_shares(of_topics, len(offsets) - 1, threads)
    pairs = np.concatenate(found) if found else np.empty((0, 2), np.int64)
    if not len(pairs):
        return
    file = problems.file
    line_topic = np.empty(len(lines), np.int64)
    line_topic[lines] = np.repeat(np.arange(len(topics)), np.diff(offsets))

    def reason(i: int) -> str:
        line, earlier = pairs[i]
        docno = shown(file.token(docnos.start[line], docnos.start[line] + docnos.length[line]))
        first = file.line_number(docnos.start[earlier])
        return f"document {docno} again for topic {shown(topics[line_topic[line]])} (first on line {first})"

    problems.add(docnos.start[pairs[:, 0]], reason)

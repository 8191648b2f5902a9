"""TREC runs and qrels, from bytes to arrays; document identifiers, as places in the bytes that name them.

Runs: `topic Q0 docno rank score tag`, the rank ignored unless ties go by it; qrels: `topic iteration docno grade`. Fields
are separated by blanks or tabs in any number. Blank lines and comments are skipped, as trec_eval does; but a topic may begin
with `#`, so a comment has a blank behind its `#`, and not the fields of a record.
Bytes alone say whether two documents are the same.
"""

import math
import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, assert_never

import numpy as np

from irci.base.choices import Ties
from irci.base.names import plural
from irci.base.types import Bools, Bytes, Floats, Ints, Ints32, Lines, Words, offsets, owners, ranges
from irci.data.text_files import Problems, TextFile, shown, tell_comments
from irci.kernels.hashing import public_hashes
from irci.kernels.ranking import find_duplicates
from irci.kernels.scan import LONGEST, QrelsScan, RunScan, Stretches, scan_qrels, scan_ranks, scan_run
from irci.system.work import in_order, in_shares

# Of this process alone, so that nobody can make docnos for which tables are slow. No result depends on it.
_secret: Words = np.frombuffer(os.urandom(16), np.uint64) | np.array([0, 1], np.uint64)


def secret() -> Words:
    """uint64[2]: what tables of docnos are keyed by in this process."""
    return _secret


class Docnos(NamedTuple):
    """Document identifiers as places in a file's bytes: uint8[n], int64[L], int32[L], and their hashes uint64[L], under this
    process's secret, for tables."""

    buffer: Bytes
    start: Ints
    length: Ints32
    hash: Words

    @classmethod
    def room(cls, buffer: Bytes, lines: int) -> "Docnos":
        return cls(buffer, np.empty(lines, np.int64), np.empty(lines, np.int32), np.empty(lines, np.uint64))

    def take(self, rows: Ints | slice) -> "Docnos":
        return Docnos(self.buffer, self.start[rows], self.length[rows], self.hash[rows])

    def public_hashes(self) -> Words:
        """uint64[L]: the hashes that splits and streams are keyed by, the same everywhere. Different docnos may share one."""
        return np.asarray(public_hashes(self))

    def texts(self) -> Iterator[bytes]:
        memory = self.buffer.data
        for start, length in zip(self.start.tolist(), self.length.tolist(), strict=True):
            yield bytes(memory[start : start + length])


RUN_FIELDS = "topic Q0 docno rank score tag"
QRELS_FIELDS = "topic iteration docno grade"
INTEGER = re.compile(rb"[-+]?[0-9]{1,18}")  # what is taken for one


class Run(NamedTuple):
    """One run file: L lines, grouped by topic.

    `lines` int32[L] (int64 from 2^31 lines on) are indices into docnos and score, in file order inside a topic; the topic
    named topics[g] has lines[offsets[g]:offsets[g+1]]. `tag` is the first line's; `other_tag_line` a line with another one.
    `precedence` int64[L]: which of the documents with equal scores comes first, the lowest; int64[0] where docnos decide.
    """

    path: str
    tag: bytes
    other_tag_line: int | None
    topics: list[bytes]
    docnos: Docnos
    score: Floats
    precedence: Ints
    lines: Lines
    offsets: Ints
    lines_with_extra_fields: int


class Qrels(NamedTuple):
    """Judgments, J rows grouped by topic: topics sorted bytewise, topics[t] has rows offsets[t]:offsets[t+1]."""

    topics: list[bytes]
    docnos: Docnos
    grade: Ints
    offsets: Ints
    highest_grade: int  # of the whole file, whatever topics are kept

    def only(self, keep: Bools) -> "Qrels":
        sizes = np.diff(self.offsets)
        rows = np.flatnonzero(np.repeat(keep, sizes))
        topics = [topic for topic, kept in zip(self.topics, keep.tolist(), strict=True) if kept]
        return self.take(rows, offsets(sizes[keep]))._replace(topics=topics)

    def take(self, rows: Ints, offsets: Ints) -> "Qrels":
        """The judgments in these rows, grouped by topic at new offsets; all topics stay."""
        return self._replace(docnos=self.docnos.take(rows), grade=self.grade[rows], offsets=offsets)


def read_run(path: str, threads: int = 1, ties: Ties = "docno", content: bytes | None = None) -> Run:
    """Read a run file, plain or gzip, or standard input for `-`; each thread takes a share of a large one.

    `ties`: what orders documents with equal scores. `content`: what the file holds, if that is known. Raises FormatError for
    what is no run: too few fields, a score that is no finite number, a docno twice in a topic; a rank that is no integer if
    ties go by rank.
    """
    return run_of(path, TextFile.read(path, content), threads, ties)


def run_of(path: str, file: TextFile, threads: int, ties: Ties) -> Run:
    """The run in a text. Raises FormatError as `read_run` does."""
    docnos, score, scan = _scan_in_shares(file, threads)
    tell_comments(path, scan.comments, lambda: file.line_number(scan.first_comment))
    problems = Problems(file)
    problems.add("fields", scan.short, lambda i: _wrong_fields(file, scan.short[i], RUN_FIELDS))
    unread = scan.slow[_read_slow_scores(file, scan.slow, score)]
    problems.add("score", unread[:, 1], lambda i: f"score {shown(file.token(*unread[i, 1:]))} is not a finite number")
    precedence = _precedence(problems, docnos, ties)
    topics, lines, topic_offsets = _by_topic(problems, docnos, scan.stretches, threads)
    problems.refuse(path, len(score), RUN_FIELDS, "run")
    return Run(
        path=path,
        tag=file.token(scan.tag_start, scan.tag_end),
        other_tag_line=file.line_number(scan.other_tag) if scan.other_tag >= 0 else None,
        topics=topics,
        docnos=docnos,
        score=score,
        precedence=precedence,
        lines=lines,
        offsets=topic_offsets,
        lines_with_extra_fields=scan.lines_with_extra_fields,
    )


def _precedence(problems: Problems, docnos: Docnos, ties: Ties) -> Ints:
    # int64[L]: places of lines among those with the same score, the lowest first; ranks are read only here.
    file, lines = problems.file, len(docnos.start)
    match ties:
        case "docno":
            return np.empty(0, np.int64)
        case "file":
            return np.arange(lines)
        case "rank":
            rank = np.empty(lines, np.int64)
            rubbish: Ints = scan_ranks(docnos, rank)
            problems.add(
                "rank",
                rubbish[:, 0],
                lambda i: f"rank {shown(file.token(*rubbish[i]))} is not an integer (--ties rank)",
            )
            return rank
        case _:
            assert_never(ties)


def _scan_in_shares(file: TextFile, threads: int) -> tuple[Docnos, Floats, RunScan]:
    # The docnos and scores of a file, and what else is found in it; positions are those of the file.
    edges = file.shares(threads)
    shares = len(edges) - 1
    room = offsets(list(in_order(lambda share: file.newlines(*edges[share : share + 2]), range(shares), shares)))
    docnos, score = Docnos.room(file.buffer, room[-1]), np.empty(room[-1])

    def scan(share: int) -> RunScan:
        here = slice(*room[share : share + 2])
        found: RunScan = scan_run(edges[share], edges[share + 1], docnos.take(here), score[here], secret())
        return found

    found = list(in_order(scan, range(shares), shares))
    lines = np.array([each.lines for each in found])
    if lines.sum() < room[-1]:  # blank lines and comments leave room
        filled = ranges(room[:-1], lines)
        docnos, score = docnos.take(filled), score[filled]
    return docnos, score, _joined(file, found)


def _joined(file: TextFile, shares: Sequence[RunScan]) -> RunScan:
    # The findings of all shares as one: lines are counted from the first one's.
    before = offsets([share.lines for share in shares])
    for share, lines_before in zip(shares, before, strict=False):
        share.stretches.line[:] += lines_before
        share.slow[:, 0] += lines_before
    tagged = [share for share in shares if share.lines] or shares[:1]
    first = tagged[0]
    tag = file.token(first.tag_start, first.tag_end)
    # A share whose first tag is not the file's begins with the other tag.
    others = [
        share.other_tag if file.token(share.tag_start, share.tag_end) == tag else int(share.stretches.start[0])
        for share in tagged
    ]
    return first._replace(
        lines=int(before[-1]),
        stretches=Stretches(*map(np.concatenate, zip(*(share.stretches for share in shares), strict=True))),
        short=np.concatenate([share.short for share in shares]),
        slow=np.concatenate([share.slow for share in shares]),
        lines_with_extra_fields=sum(share.lines_with_extra_fields for share in shares),
        other_tag=next((other for other in others if other >= 0), -1),
        comments=sum(share.comments for share in shares),
        first_comment=next((share.first_comment for share in shares if share.comments), -1),
    )


def read_qrels(path: str, content: bytes | None = None) -> Qrels:
    """Read relevance judgments, plain or gzip, or standard input for `-`, or from what the file holds.

    Raises FormatError for what is no qrels: other than four fields, a grade that is no integer, a docno twice in a
    topic.
    """
    return qrels_of(path, TextFile.read(path, content))


def qrels_of(path: str, file: TextFile) -> Qrels:
    """The judgments in a text. Raises FormatError as `read_qrels` does."""
    room = file.newlines(0, file.size)
    docnos, grade = Docnos.room(file.buffer, room), np.empty(room, np.int64)
    scan: QrelsScan = scan_qrels(file.start, file.size, docnos, grade, secret())
    tell_comments(path, scan.comments, lambda: file.line_number(scan.first_comment))
    docnos, grade = docnos.take(slice(scan.lines)), grade[: scan.lines]
    problems = Problems(file)
    problems.add("fields", scan.wrong, lambda i: _wrong_fields(file, scan.wrong[i], QRELS_FIELDS))
    problems.add(
        "grade", scan.rubbish[:, 1], lambda i: f"grade {shown(file.token(*scan.rubbish[i, 1:]))} is not an integer"
    )
    topics, lines, topic_offsets = _by_topic(problems, docnos, scan.stretches)
    problems.refuse(path, len(grade), QRELS_FIELDS, "qrels")
    return sorted_by_topic(topics, docnos, grade, lines, topic_offsets)


def sorted_by_topic(topics: Sequence[bytes], docnos: Docnos, grade: Ints, lines: Lines, topic_offsets: Ints) -> Qrels:
    """Judgments whose lines[topic_offsets[g]:topic_offsets[g+1]] are of the topic named topics[g]."""
    order = sorted(range(len(topics)), key=topics.__getitem__)
    sizes = np.diff(topic_offsets)[order]
    rows = lines[ranges(topic_offsets[order], sizes)]
    return Qrels(
        topics=[topics[group] for group in order],
        docnos=docnos.take(rows),
        grade=grade[rows],
        offsets=offsets(sizes),
        highest_grade=int(grade.max()),
    )


def _wrong_fields(file: TextFile, at: int, expected: str) -> str:
    end = file.line_end(at)
    if end - at > LONGEST:
        return f"a line of {end - at} bytes"
    line = file.token(at, end)
    hint = "; a comment needs a blank after its #" if line.startswith(b"#") else ""
    return f"{plural(len(line.split()), 'field')}, expected {len(expected.split())} ({expected}){hint}"


def _read_slow_scores(file: TextFile, slow: Ints, score: Floats) -> list[int]:
    # Fill in the scores the scanner left to float(); return which of these are no finite numbers.
    unread = []
    for i, (line, begin, end) in enumerate(slow.tolist()):
        score[line] = number_in(file.token(begin, end))
        if not math.isfinite(score[line]):
            unread.append(i)
    return unread


def number_in(token: bytes) -> float:
    """What float() makes of a token; nan if nothing."""
    try:
        # float() takes 1_000, which C's atof reads as 1: neither reading is safe.
        return float(token) if b"_" not in token else math.nan
    except ValueError:
        return math.nan


def is_finite(token: bytes) -> bool:
    """True if a token is a finite number."""
    return math.isfinite(number_in(token))


def grouped(topic_of: Sequence[bytes], begins: Ints, num_lines: int) -> tuple[list[bytes], Lines, Ints]:
    """Topics, their lines and where each group begins, from stretches that begin at lines int64[S] and name their topics."""
    # A topic that goes on from one share into the next is one stretch.
    index: dict[bytes, int] = {}
    stretch_topic = [index.setdefault(topic, len(index)) for topic in topic_of]
    first = np.diff(stretch_topic, prepend=-1) != 0
    whole = np.int32 if num_lines < 2**31 else np.int64
    if len(index) == first.sum():  # every topic in one piece
        return list(index), np.arange(num_lines, dtype=whole), np.append(begins[first], num_lines)
    line_topic = np.repeat(stretch_topic, np.diff(begins, append=num_lines))
    return list(index), np.argsort(line_topic, kind="stable").astype(whole), offsets(np.bincount(line_topic))


def _by_topic(
    problems: Problems, docnos: Docnos, stretches: Stretches, threads: int = 1
) -> tuple[list[bytes], Lines, Ints]:
    # Documents that a topic has twice are problems.
    file = problems.file
    places = zip(stretches.start.tolist(), stretches.length.tolist(), strict=True)
    topic_of = [file.token(begin, begin + length) for begin, length in places]
    topics, lines, topic_offsets = grouped(topic_of, stretches.line, len(docnos.start))

    def of_topics(some: slice) -> Ints:
        return np.asarray(find_duplicates(docnos, lines, topic_offsets[some.start : some.stop + 1]))

    pairs = np.concatenate(in_shares(of_topics, len(topics), threads) or [np.empty((0, 2), np.int64)])

    def reason(i: int) -> str:
        line, earlier = pairs[i]
        topic = topics[owners(topic_offsets)[np.flatnonzero(lines == line)[0]]]
        docno = shown(file.token(docnos.start[line], docnos.start[line] + docnos.length[line]))
        first = file.line_number(docnos.start[earlier])
        return f"document {docno} twice for topic {shown(topic)}, first on line {first}"

    problems.add("document", docnos.start[pairs[:, 0]], reason)
    return topics, lines, topic_offsets

"""Runs and qrels as arrays, however they were given; document identifiers, as places in the bytes that name them.

Bytes alone say whether two documents are the same.
"""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from irci.base.records import Record
from irci.base.types import Bools, Bytes, Floats, Ints, Ints32, Lines, Words, offsets, ranges
from irci.kernels.hashing import public_hashes

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


class Run(Record):
    """One run: L lines of a file, or documents in one, grouped by topic.

    `lines` int32[L] (int64 from 2^31 lines on) are indices into docnos and score, in file order inside a topic; the topic
    named topics[g] has lines[offsets[g]:offsets[g+1]]. `tag` is the first line's; `other_tag_line` a line with another one.
    It is empty where nothing names one. `precedence` int64[L]: which of the documents with equal scores comes first, the
    lowest; int64[0] where docnos decide. `duplicates`: how many documents were left out, as their topic has them with a better
    rank.
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
    lines_with_extra_fields: int = 0
    duplicates: int = 0


class Qrels(Record):
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


def sorted_by_topic(topics: Sequence[bytes], docnos: Docnos, grade: Ints, lines: Lines, topic_offsets: Ints) -> Qrels:
    """Judgments whose lines[topic_offsets[g]:topic_offsets[g+1]] are of the topic named topics[g]."""
    order = sorted(range(len(topics)), key=topics.__getitem__)
    if order == list(range(len(topics))) and len(lines) == len(grade) and (np.diff(lines) == 1).all():  # nothing moves
        return Qrels(list(topics), docnos, grade, topic_offsets, highest_grade=int(grade.max()))
    sizes = np.diff(topic_offsets)[order]
    rows = lines[ranges(topic_offsets[order], sizes)]
    return Qrels(
        topics=[topics[group] for group in order],
        docnos=docnos.take(rows),
        grade=grade[rows],
        offsets=offsets(sizes),
        highest_grade=int(grade.max()),
    )

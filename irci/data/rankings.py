"""Runs and qrels as arrays, however they were given; document identifiers, as places in the bytes that name them.

Bytes alone say whether two documents are the same.
"""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from irci.base import Record, UsageError, spelled
from irci.base.choices import Ties
from irci.base.types import Array, Bools, Bytes, Floats, Ints, Ints32, Lines, Words, offsets, owners, ranges
from irci.kernels.hashing import public_hashes
from irci.kernels.ranking import are_counted
from irci.kernels.scan import WHOLE

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
    grade: Array[Any]  # int64[J], or float64[J] where some are no whole numbers
    offsets: Ints
    highest_grade: int  # of the whole file, whatever topics are kept, rounded up

    def only(self, keep: Bools) -> "Qrels":
        sizes = np.diff(self.offsets)
        rows = np.flatnonzero(np.repeat(keep, sizes))
        topics = [topic for topic, kept in zip(self.topics, keep.tolist(), strict=True) if kept]
        return self.take(rows, offsets(sizes[keep]))._replace(topics=topics)

    def take(self, rows: Ints, offsets: Ints) -> "Qrels":
        """The judgments in these rows, grouped by topic at new offsets; all topics stay."""
        return self._replace(docnos=self.docnos.take(rows), grade=self.grade[rows], offsets=offsets)


def judgments_digest(qrels: Qrels) -> str:
    """SHA-256 of judgments, 64 hex digits, whatever format they came in: of lines `topic TAB docno TAB grade LF`, sorted
    bytewise by topic and docno. Of TREC's `awk '{print $1 "\\t" $3 "\\t" $4}' FILE | LC_ALL=C sort | sha256sum` prints it."""
    import hashlib  # takes time

    digest = hashlib.sha256()
    for topic, begin, end in zip(qrels.topics, qrels.offsets[:-1].tolist(), qrels.offsets[1:].tolist(), strict=True):
        docnos = qrels.docnos.take(slice(begin, end)).texts()
        judgments = sorted(zip(docnos, qrels.grade[begin:end].tolist(), strict=True))
        digest.update(b"".join([b"%b\t%b\t%b\n" % (topic, docno, _spelled(grade)) for docno, grade in judgments]))
    return digest.hexdigest()


def _spelled(grade: float) -> bytes:
    return (spelled(grade) if isinstance(grade, float) else str(grade)).encode()


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


def sorted_by_topic(
    topics: Sequence[bytes], docnos: Docnos, grade: Array[Any], lines: Lines, topic_offsets: Ints
) -> Qrels:
    """Judgments whose lines[topic_offsets[g]:topic_offsets[g+1]] are of the topic named topics[g]."""
    order = sorted(range(len(topics)), key=topics.__getitem__)
    if order == list(range(len(topics))) and len(lines) == len(grade) and (np.diff(lines) == 1).all():  # nothing moves
        return Qrels(list(topics), docnos, grade, topic_offsets, highest_grade=math.ceil(grade.max().item()))
    sizes = np.diff(topic_offsets)[order]
    rows = lines[ranges(topic_offsets[order], sizes)]
    return Qrels(
        topics=[topics[group] for group in order],
        docnos=docnos.take(rows),
        grade=grade[rows],
        offsets=offsets(sizes),
        highest_grade=math.ceil(grade.max().item()),
    )


# Whether ranks may be lacking, as where documents were left out, or are 1, 2, ... in every topic (or 0, 1, ... in every one),
# as numbers must be that are not said to be ranks.
Gaps = Literal["with gaps", "without gaps"]
SAID = "are these scores? A header says so: query_id, doc_id, score, with tabs between them"
ANY = "below a header (query_id, doc_id, rank, with tabs between them) ranks begin anywhere"


def whole(numbers: Floats) -> tuple[Ints, Ints]:
    """int64[L]: whole numbers; and the places of those that are none, or too large to tell."""
    is_whole = (np.abs(numbers) < WHOLE) & (numbers == np.floor(numbers))
    return np.where(is_whole, numbers, 0).astype(np.int64), np.flatnonzero(~is_whole)


def has_fractions(numbers: Floats) -> bool:
    """True if some are no whole numbers, as grades are."""
    return bool((np.floor(numbers) < numbers).any())


def are_fractions(numbers: Floats) -> bool:
    """True if all can be grades, and some are no whole numbers."""
    return bool((np.abs(numbers) < WHOLE).all()) and has_fractions(numbers)


def wrong_ranks(rank: Floats, lines: Lines, edges: Ints, gaps: Gaps) -> tuple[Ints, str] | None:
    """Lines whose rank is none, and why: those of the first kind of which there are some.

    rank float64[L]; lines by topic, those of topic g at edges int64[G+1].
    """
    sizes, first = np.diff(edges), edges[:-1][np.diff(edges) > 0]
    if are_counted(rank, lines, edges):  # as nearly always
        return None if gaps == "with gaps" else _other_beginnings(rank, lines[first])
    of_line, topic = rank[lines], owners(edges)
    wrong = np.append(whole(rank)[1], np.flatnonzero(rank < 0))
    if len(wrong):
        return np.unique(wrong), "is not a whole number from 0 on" + f"; {SAID}" * (gaps == "without gaps")
    order = np.lexsort((of_line, topic))
    again = order[1:][(np.diff(topic[order]) == 0) & (np.diff(of_line[order]) == 0)]
    if len(again):
        return lines[again].astype(np.int64), f"twice in its topic; {SAID}"
    if gaps == "with gaps":
        return None
    lowest = np.repeat(of_line[order[first]], sizes[sizes > 0])
    beyond = np.flatnonzero((of_line - lowest >= np.repeat(sizes, sizes)) | (lowest > 1))
    if len(beyond):
        return lines[beyond].astype(np.int64), f"where a topic has ranks 1, 2, ... or 0, 1, ...; {SAID}"
    falls = np.diff(of_line)[np.diff(topic) == 0] < 0
    if len(falls) and falls.all():
        return lines[first[:1]].astype(np.int64), f"first, and the others fall from line to line; {SAID}"
    return _other_beginnings(rank, lines[order[first]])


def _other_beginnings(rank: Floats, begins: Lines) -> tuple[Ints, str] | None:
    # The lines with the lowest ranks, one a topic, that begin with 0 where most topics do with 1, or the reverse.
    is_zero = rank[begins] == 0
    if is_zero.all() or not is_zero.any():
        return None
    usual = int(2 * np.count_nonzero(is_zero) <= len(begins))
    return begins[is_zero == usual].astype(np.int64), f"begins its topic, where others begin with {usual}; {ANY}"


def precedence(path: str, ties: Ties, lines: int, ranks: Callable[[], Ints] | None) -> Ints:
    """int64[L]: places of lines among those with the same score, the lowest first; int64[0] where docnos decide.
    `ranks`: reads those of a run, if it has any. Raises UsageError where it has none and ties go by them."""
    if ties == "rank":
        if ranks is None:
            raise UsageError(f"{path} has no ranks for --ties rank, as TREC's runs and a column rank have.")
        return ranks()
    return np.arange(lines if ties == "file" else 0)


def without_duplicates(run: Run, again: Ints) -> Run:
    """The run without all but the best of the documents that a topic has several times: that with the highest score, of these
    that with the lowest precedence, of these the first.

    again int64[D, 2]: lines with a document that their topic has before, and the first lines with it.
    """
    if not len(again):
        return run
    first = np.unique(again[:, 1])
    of, those = np.concatenate((first, again[:, 1])), np.concatenate((first, again[:, 0]))
    places = run.precedence[those] if len(run.precedence) else np.zeros(len(those), np.int64)
    order = np.lexsort((those, places, -run.score[those], of))
    is_kept = np.ones(len(run.score), np.bool_)
    is_kept[those[order[1:][np.diff(of[order]) == 0]]] = False
    kept = is_kept[run.lines]
    return run._replace(lines=run.lines[kept], offsets=offsets(kept)[run.offsets], duplicates=len(again))

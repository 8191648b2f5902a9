"""A test collection and what runs retrieve of it: the ranks of the judged documents, all that survives of a run alone; and a
number for each document that several retrieve, which comparisons need of runs whose text is let go; ties of a run; and
documents that have the id of their topic.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from irci.base import DataError
from irci.base.choices import Sight
from irci.base.streams import told_apart
from irci.base.types import Array, Bools, Floats, Ints, Ints32, Lines, Words, offsets, owners, ranges
from irci.data.rankings import Docnos, Qrels, Run, secret
from irci.kernels.hashing import HEAD, Interned, intern_documents, interned_documents, table_hashes
from irci.kernels.ranking import judged_ranks
from irci.kernels.words import PADDING
from irci.measures.ties import Ties
from irci.system import in_shares

UNJUDGED = -1  # the grade of what is pooled and not judged
NOTHING = -2


class Relevance(NamedTuple):
    """Judgments that matter to a measure, in G classes of documents that it takes for alike; and of a run, the ranks of those
    that it retrieves.

    `classes` int32[J]: each judgment's, -1 where it does not matter; of a run, those of `ranks`. `gains` float64[G],
    ascending: the grade of each class. `counts` int64[T, G]: documents of each topic. `level`: the lowest relevant grade;
    `most`: the highest of the scale; `graded`: whether grades matter, and with them the ideal ranking.
    `ranks` int32[...], from 1: topic t's are [offsets[t]:offsets[t+1]], ascending. `retrieved` int64[T]: documents, relevant
    or not.
    """

    classes: Ints32
    gains: Floats
    counts: Ints
    level: Any = 1
    most: int = 1
    graded: bool = False
    offsets: Ints = np.zeros(1, np.int64)
    ranks: Ints32 = np.empty(0, np.int32)
    retrieved: Ints = np.empty(0, np.int64)

    @classmethod
    def of(cls, qrels: Qrels, sight: Sight, level: float = 1, most: int | None = None) -> "Relevance":
        """The judgments that a measure with this sight sees; a negative grade means unjudged, whatever the level (as in
        trec_eval)."""
        level = max(math.ceil(level) if qrels.grade.dtype.kind == "i" else level, 0)
        grade = qrels.grade
        match sight:
            case "relevance":
                seen = np.where(grade >= level, level, NOTHING)
            case "gains":
                seen, level = np.where(grade > 0, grade, NOTHING), 1
            case "grades":
                seen = np.where((grade > 0) | (grade >= level), grade, NOTHING)
            case "judgments":
                seen = np.where(grade >= level, level, np.where(grade >= 0, level - 1, UNJUDGED))
        matters = seen != NOTHING
        # Without counts numpy loads its masked arrays, to look whether these are any.
        gains = np.unique(seen[matters], return_counts=True)[0] if matters.any() else np.array([level])
        classes = np.where(matters, np.searchsorted(gains, seen), -1).astype(np.int32)
        cell = owners(qrels.offsets)[matters] * len(gains) + classes[matters]
        return cls(
            classes=classes,
            gains=gains.astype(np.float64),
            counts=np.bincount(cell, minlength=len(qrels.topics) * len(gains)).reshape(len(qrels.topics), len(gains)),
            level=level,
            most=qrels.highest_grade if most is None else most,
            graded=sight in ("gains", "grades"),
        )

    @property
    def num_relevant(self) -> Ints:
        """int64[T]: R, the relevant documents of each topic."""
        return np.asarray(self.counts[:, self.gains >= self.level].sum(axis=1))

    def of_run(self, judged: "JudgedRun") -> "Relevance":
        """The ranks of the documents that matter in a run."""
        classes = self.classes[judged.rows]
        is_seen = classes >= 0
        return self._replace(
            classes=classes[is_seen], offsets=offsets(is_seen)[judged.offsets], ranks=judged.ranks[is_seen],
            retrieved=judged.retrieved,
        )  # fmt: skip

    def only(self, keep: Bools) -> "Relevance":
        """The same of a run on some topics, bool[T]."""
        sizes = np.diff(self.offsets)
        is_kept = np.repeat(keep, sizes)
        return self._replace(
            classes=self.classes[is_kept], counts=self.counts[keep], offsets=offsets(sizes[keep]),
            ranks=self.ranks[is_kept], retrieved=self.retrieved[keep],
        )  # fmt: skip


class JudgedRun(NamedTuple):
    """The judged documents that one run retrieves, for the T topics of the collection.

    Topic t's are [offsets[t]:offsets[t+1]] of `ranks` (int32, from 1, ascending) and `rows` (int32, of the qrels).
    `retrieved` and `tied` int64[T]: documents retrieved; judged ones whose score another document shares. `missing`
    bool[T]: the run has no line for the topic. `lines` int32[...]: the run's lines in ranking order, topic t's
    [line_offsets[t]:line_offsets[t+1]].
    """

    offsets: Ints
    ranks: Ints32
    rows: Ints32
    retrieved: Ints
    tied: Ints
    missing: Bools
    lines: Lines
    line_offsets: Ints

    @property
    def places(self) -> Ints:
        """int64[...]: the places of the judged documents among all that are retrieved, topic after topic."""
        return np.asarray(self.line_offsets[owners(self.offsets)] + self.ranks - 1)


def judge(
    qrels: Qrels, run: Run, depth: int | None = None, threads: int = 1, *, judged_only: bool = False
) -> JudgedRun:
    """Order a run as trec_eval does (score descending, ties by docno descending bytewise) and look its documents up.

    `depth`: keep only so many documents a topic (trec_eval's -M). `judged_only`: of these, only those with a grade of 0 or
    more (its -J), as if others had not been retrieved. Each thread takes a share of the topics.
    """
    span_of = dict(zip(run.topics, pairwise(run.offsets.tolist()), strict=True))
    of_run = [run.lines[slice(*span_of.get(topic, (0, 0)))] for topic in qrels.topics]
    lines, edges = np.concatenate([run.lines[:0], *of_run]), offsets([*map(len, of_run)])
    deepest, is_graded = len(lines) if depth is None else depth, qrels.grade >= 0
    missing = [topic not in span_of for topic in qrels.topics]

    def of_topics(part: slice) -> tuple[Array[Any], ...]:
        own = slice(part.start, part.stop + 1)
        shares: tuple[Array[Any], ...] = judged_ranks(
            run.docnos, run.score, run.precedence, lines, edges[own], deepest, qrels.docnos, is_graded,
            qrels.offsets[own], judged_only,
        )  # fmt: skip
        return shares

    shares = in_shares(of_topics, len(of_run), threads, len(run.lines))
    ranks, rows, numbers, retrieved, tied = map(np.concatenate, zip(*shares, strict=True))
    if depth is not None or judged_only:
        lines, edges = lines[ranges(edges[:-1], retrieved)], offsets(retrieved)
    return JudgedRun(offsets(numbers), ranks, rows, retrieved, tied, np.array(missing, np.bool_), lines, edges)


class RetrievedDocuments:
    """Numbers for the documents of runs added one after the other.

    The judged documents of a topic have the first numbers, in the order of the qrels; others the next, as they come. A docno
    is kept once a topic, whichever runs retrieve it. `seen` bool[J]: the judgments that comparisons of rankings look at;
    `to_the_end`: whether they look at what is retrieved below too.

    No document's stream depends on which runs are read, but for two docnos that nobody judged and that share the public hash
    (by chance one pair in 2^64; forged ones do): alone, either has the hash itself as its word; together, the first bytewise.
    """

    def __init__(self, qrels: Qrels, seen: Bools, *, to_the_end: bool = False) -> None:
        self._qrels, self._seen, self._to_the_end = qrels, seen, to_the_end
        self._known = Interned(
            np.empty(0, np.uint64), np.zeros(1, np.uint64), np.zeros(2, np.int64), np.diff(qrels.offsets)
        )

    def add(self, run: Run, judged: JudgedRun) -> list[Ints32]:
        """Topic by topic, the documents that a run retrieves down to the last one that matters, in order: all that a
        comparison of rankings looks at."""
        topic, numbers_seen = owners(judged.offsets), self._seen[judged.rows]
        depths = judged.retrieved.copy() if self._to_the_end else np.zeros(len(judged.retrieved), np.int64)
        np.maximum.at(depths, topic[numbers_seen], judged.ranks[numbers_seen])
        lines, edges = judged.lines[ranges(judged.line_offsets[:-1], depths)], offsets(depths)
        numbers = np.full(len(lines), -1, np.int32)
        within = judged.ranks <= depths[topic]
        places = edges[topic[within]] + judged.ranks[within] - 1
        numbers[places] = judged.rows[within] - self._qrels.offsets[topic[within]]
        unjudged = np.flatnonzero(numbers < 0)
        new, unjudged_lines = np.empty(len(unjudged), np.int32), lines[unjudged]
        self._make_room(len(new), int((run.docnos.length[unjudged_lines] // 8 + HEAD + 1).sum()))
        intern_documents(run.docnos, unjudged_lines, owners(edges)[unjudged], self._known, secret(), new)
        numbers[unjudged] = new
        return np.split(numbers, edges[1:-1])

    def _make_room(self, documents: int, words: int) -> None:
        # Room for so many documents more, whose records take so many words: where there is none, all are entered anew.
        known, counts = self._known, np.diff(self._qrels.offsets)
        words += int(known.used[0]) + PADDING // 8
        documents += int(known.used[1])
        if len(known.words) >= words and len(known.slots) >= 2 * documents:
            return
        slots = np.zeros(1 << (2 * documents - 1).bit_length(), np.uint64)
        larger = np.empty(max(words, 2 * len(known.words)), np.uint64)
        self._known = Interned(larger, slots, np.zeros(2, np.int64), counts)
        topic, _, start, length = interned_documents(known)
        buffer, lines = known.words.view(np.uint8), np.arange(len(topic), dtype=np.int32)
        docnos = Docnos(buffer, start, length, table_hashes(buffer, start, length, secret()))
        intern_documents(docnos, lines, topic, self._known, secret(), np.empty(len(topic), np.int32))

    def by_topic(self) -> list[Words]:
        """Topic by topic, words that key the streams of the documents, by their numbers: their docnos' public hashes, told
        apart where equal."""
        qrels, edges = self._qrels, offsets(self._known.counts)
        topic, number, start, length = interned_documents(self._known)
        docnos = Docnos(self._known.words.view(np.uint8), start, length, np.empty(len(start), np.uint64))
        words = np.empty(edges[-1], np.uint64)
        words[ranges(edges[:-1], np.diff(qrels.offsets))] = qrels.docnos.public_hashes()
        words[edges[topic] + number] = docnos.public_hashes()
        of_topics = np.split(words, edges[1:-1])
        for topic_index, of_topic in enumerate(of_topics):
            if (np.diff(np.sort(of_topic)) == 0).any():
                judged = list(qrels.docnos.take(slice(*qrels.offsets[topic_index : topic_index + 2])).texts())
                of_topic[:] = told_apart(
                    of_topic, judged, list(docnos.take(np.flatnonzero(topic == topic_index)).texts())
                )
        return of_topics


def ties_of(run: Run, judged: JudgedRun) -> Ties:
    """The ties of the judged documents."""
    score, places = run.score[judged.lines], judged.places
    begins = np.append(True, score[1:] != score[:-1])[: len(score)]
    begins[judged.line_offsets[:-1][np.diff(judged.line_offsets) > 0]] = True
    tie = np.cumsum(begins)[places] - 1
    sizes = np.diff(np.flatnonzero(begins), append=len(score))
    first = offsets(sizes)[tie] - judged.line_offsets[owners(judged.offsets)] + 1
    return Ties(first, sizes[tie])


BETWEEN = 0.5  # the grade of what is unjudged, between what is judged irrelevant and what is relevant


def extremes(judged: JudgedRun, ties: Ties, qrels: Qrels) -> Iterator[JudgedRun]:
    """The run as it is judged with the documents of each tie by grade, from the lowest and from the highest: the orders that
    measures of relevance like least and most, as any two neighbours in the wrong order would do better exchanged. Ties across
    --depth are told of as far as it reaches."""
    grades, topic = qrels.grade[judged.rows], owners(judged.offsets)
    is_next = (np.diff(topic) != 0) | (np.diff(ties.first) != 0)
    tie = np.cumsum(np.append(0, is_next)[: len(topic)])
    counts = np.bincount(tie)
    within, unjudged = np.arange(len(tie)) - offsets(counts)[tie], ties.size - counts[tie]
    for sign in (1, -1):
        order = np.lexsort((sign * grades, tie))
        is_below = sign * grades[order] > sign * BETWEEN  # of what is unjudged
        ranks = ties.first + within + np.where(is_below, unjudged, 0)
        yield judged._replace(ranks=ranks.astype(judged.ranks.dtype), rows=judged.rows[order])


def without_identical_ids(run: Run) -> tuple[Run, int]:
    """The run without documents that have the id of their topic, which stays though nothing is left of it; and how many these
    are. Raises DataError if there are no others."""
    keep = np.ones(len(run.lines), np.bool_)
    for topic, begin, end in zip(run.topics, run.offsets[:-1].tolist(), run.offsets[1:].tolist(), strict=True):
        docnos = run.docnos.take(run.lines[begin:end])
        as_long = np.flatnonzero(docnos.length == len(topic))
        letters = docnos.buffer[docnos.start[as_long, np.newaxis] + np.arange(len(topic))]
        keep[begin + as_long] = (letters != np.frombuffer(topic, np.uint8)).any(axis=1)
    if not keep.any():
        raise DataError(f"{run.path}: all documents have the id of their topic (--ignore-identical-ids)")
    return run._replace(lines=run.lines[keep], offsets=offsets(keep)[run.offsets]), int((~keep).sum())

"""A test collection and what a run retrieves of it: the ranks of the judged documents, all that survives of a run."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from irci.base.choices import Sight
from irci.base.types import Bools, Floats, Ints, Ints32, Lines, offsets, owners, ranges
from irci.data.trec_files import Qrels, Run
from irci.kernels.ranking import JudgedRanks, JudgmentTables, Ranked, RunLines, judged_ranks, judgment_tables
from irci.system.work import in_shares

UNJUDGED = -1  # the grade of what is pooled and not judged
NOTHING = -2
MANY_LINES = 200_000  # of a run, from which on threads share the work


@dataclass(frozen=True)
class Collection:
    """Judgments with a lookup table from a docno's hash to its row, one a topic."""

    qrels: Qrels
    tables: JudgmentTables

    @classmethod
    def of(cls, qrels: Qrels) -> "Collection":
        return cls(qrels, judgment_tables(qrels.docnos.hash, qrels.offsets))


@dataclass(frozen=True)
class Relevance:
    """Judgments that matter to a measure, in G classes of documents that it takes for alike.

    `classes` int32[J]: each judgment's, -1 where it does not matter. `gains` float64[G], ascending: the grade of each class.
    `counts` int64[T, G]: documents of each topic. `level`: the lowest relevant grade; `most`: the highest of the scale;
    `graded`: whether grades matter, and with them the ideal ranking.
    """

    classes: Ints32
    gains: Floats
    counts: Ints
    level: int
    most: int
    graded: bool

    @classmethod
    def of(cls, qrels: Qrels, sight: Sight, level: int = 1, most: int | None = None) -> "Relevance":
        """The judgments that a measure with this sight sees; a negative grade means unjudged, whatever the level (as in
        trec_eval)."""
        level = max(level, 0)
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


@dataclass(frozen=True)
class JudgedRun:
    """The judged documents that one run retrieves, for the T topics of the collection.

    Topic t's are [offsets[t]:offsets[t+1]] of `ranks` (int32, from 1, ascending) and `rows` (int32, of the qrels).
    `retrieved` and `tied` int64[T]: documents retrieved; judged ones whose score another document shares. `missing`
    bool[T]: the run has no line for the topic. `unknown_topics`: topics of the run without judgments. `lines` int32[...]: the
    run's lines in ranking order, topic t's [line_offsets[t]:line_offsets[t+1]].
    """

    offsets: Ints
    ranks: Ints32
    rows: Ints32
    retrieved: Ints
    tied: Ints
    missing: Bools
    unknown_topics: list[bytes]
    lines: Lines
    line_offsets: Ints

    def without_lines(self) -> "JudgedRun":
        return replace(self, lines=np.empty(0, self.lines.dtype), line_offsets=np.zeros_like(self.line_offsets))


class RelevantRanks(NamedTuple):
    """Ranks of the relevant documents of T topics in one run.

    Topic t's are [offsets[t]:offsets[t+1]] of `ranks` (int32, from 1, ascending) and of `classes` (int32, into `gains`).
    `gains` float64[G], ascending: the grade of each class. `counts` int64[T, G]: documents in the collection. `retrieved`
    int64[T]: documents retrieved, relevant or not. `level`, `most` and `graded` as in
    `Relevance`.
    """

    offsets: Ints
    ranks: Ints32
    classes: Ints32
    gains: Floats
    counts: Ints
    retrieved: Ints
    level: int = 1
    most: int = 1
    graded: bool = False

    @property
    def num_relevant(self) -> Ints:
        return np.asarray(self.counts[:, self.gains >= self.level].sum(axis=1))

    def only(self, keep: Bools) -> "RelevantRanks":
        sizes = np.diff(self.offsets)
        found = np.repeat(keep, sizes)
        return self._replace(
            offsets=offsets(sizes[keep]), ranks=self.ranks[found], classes=self.classes[found],
            counts=self.counts[keep], retrieved=self.retrieved[keep],
        )  # fmt: skip


def judge(
    collection: Collection, run: Run, depth: int | None = None, threads: int = 1, *, judged_only: bool = False
) -> JudgedRun:
    """Order a run as trec_eval does (score descending, ties by docno descending bytewise) and look its documents up.

    `depth`: keep only so many documents a topic (trec_eval's -M). `judged_only`: of these, only those with a grade of 0 or
    more (its -J). Each thread takes a share of the topics.
    """
    qrels = collection.qrels
    group_of = {topic: group for group, topic in enumerate(run.topics)}
    group_of_topic = np.array([group_of.get(topic, -1) for topic in qrels.topics], np.int64)
    # What is not judged comes last in `sizes`, and has none.
    sizes = np.append(np.diff(run.offsets), 0)[group_of_topic]
    line_offsets = offsets(sizes)
    lines = np.empty(line_offsets[-1], run.lines.dtype)
    run_lines = RunLines(run.docnos, run.score, run.precedence, run.lines, run.offsets)

    def of_topics(some: slice) -> JudgedRanks:
        edges = slice(some.start, some.stop + 1)
        tables = JudgmentTables(collection.tables.slots, collection.tables.offsets[edges])
        found: JudgedRanks = judged_ranks(
            run_lines, group_of_topic[some], len(run.lines) if depth is None else depth, qrels.docnos, tables,
            Ranked(lines, line_offsets[edges]),
        )  # fmt: skip
        return found

    shares = in_shares(of_topics, len(group_of_topic), threads if len(run.lines) > MANY_LINES else 1)
    retrieved = np.concatenate([share.retrieved for share in shares])
    if depth is not None:
        lines = lines[ranges(line_offsets[:-1], retrieved)]
        line_offsets = offsets(retrieved)
    known = set(qrels.topics)
    judged = JudgedRun(
        offsets=offsets(np.concatenate([np.diff(share.offsets) for share in shares])),
        ranks=np.concatenate([share.ranks for share in shares]),
        rows=np.concatenate([share.rows for share in shares]),
        retrieved=retrieved,
        tied=np.concatenate([share.tied for share in shares]),
        missing=group_of_topic < 0,
        unknown_topics=[topic for topic in run.topics if topic not in known],
        lines=lines,
        line_offsets=line_offsets,
    )
    return _without_unjudged(judged, qrels) if judged_only else judged


def _without_unjudged(judged: JudgedRun, qrels: Qrels) -> JudgedRun:
    # The ranking without documents that have no grade, or a negative one, as if they had not been retrieved.
    graded = qrels.grade[judged.rows] >= 0
    edges = offsets(graded)[judged.offsets]
    sizes = np.diff(edges)
    places = judged.line_offsets[owners(judged.offsets)] + judged.ranks - 1
    return replace(
        judged,
        offsets=edges,
        ranks=ranges(np.ones(len(sizes), np.int64), sizes).astype(np.int32),
        rows=judged.rows[graded],
        retrieved=sizes,
        lines=judged.lines[places[graded]],
        line_offsets=edges,
    )


def relevant_ranks(judged: JudgedRun, relevance: Relevance) -> RelevantRanks:
    """The ranks of the relevant documents that a run retrieves."""
    classes = relevance.classes[judged.rows]
    found = classes >= 0
    return RelevantRanks(
        offsets=offsets(found)[judged.offsets],
        ranks=judged.ranks[found],
        classes=classes[found],
        gains=relevance.gains,
        counts=relevance.counts,
        retrieved=judged.retrieved,
        level=relevance.level,
        most=relevance.most,
        graded=relevance.graded,
    )

"""A test collection and what a run retrieves of it: the ranks of the judged documents, all that survives of a run."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from irci.kernels.ranking import judged_ranks, judgment_tables
from irci.trec import Qrels, Run


@dataclass(frozen=True)
class Collection:
    """Judgments with a lookup table from a docno's hash to its row, one a topic (see `judgment_tables`)."""

    qrels: Qrels
    slots: NDArray[np.int32]
    table_offsets: NDArray[np.int64]

    @classmethod
    def of(cls, qrels: Qrels) -> "Collection":
        """The collection that these judgments describe."""
        return cls(qrels, *judgment_tables(qrels.docnos.hash, qrels.offsets))

    def num_relevant(self, relevance_level: int) -> NDArray[np.int64]:
        """int64[T]: the relevant documents of each topic, those of at least this grade."""
        relevant = np.concatenate(([0], np.cumsum(is_relevant(self.qrels.grade, relevance_level))))
        return np.diff(relevant[self.qrels.offsets])


@dataclass(frozen=True)
class JudgedRun:
    """The judged documents that one run retrieves, for the T topics of the collection.

    Topic t's are [offsets[t]:offsets[t+1]] of `ranks` (int32, from 1, ascending) and `rows` (int32, of the qrels).
    `retrieved` and `tied` int64[T]: documents retrieved; judged ones whose score another document shares. `missing`
    bool[T]: the run has no line for the topic. `unknown_topics`: topics of the run without judgments.
    """

    offsets: NDArray[np.int64]
    ranks: NDArray[np.int32]
    rows: NDArray[np.int32]
    retrieved: NDArray[np.int64]
    tied: NDArray[np.int64]
    missing: NDArray[np.bool_]
    unknown_topics: list[bytes]


@dataclass(frozen=True)
class RelevantRanks:
    """Where the relevant documents of T topics stand in one run.

    Topic t's are [offsets[t]:offsets[t+1]] of `ranks` (int32, from 1, ascending) and of `classes` (int32, into `gains`).
    `gains` float64[G], ascending: the gain of each class (a single class of gain 1 where relevance is binary). `counts`
    int64[T, G]: relevant documents in the collection. `retrieved` int64[T]: documents retrieved, relevant or not.
    """

    offsets: NDArray[np.int64]
    ranks: NDArray[np.int32]
    classes: NDArray[np.int32]
    gains: NDArray[np.float64]
    counts: NDArray[np.int64]
    retrieved: NDArray[np.int64]

    @property
    def num_relevant(self) -> NDArray[np.int64]:
        """int64[T]: R, the relevant documents in the collection."""
        total: NDArray[np.int64] = self.counts.sum(axis=1)
        return total

    def topics(self, some: slice) -> "RelevantRanks":
        """Those of a stretch of topics."""
        first, last, _ = some.indices(len(self.counts))
        offsets = self.offsets[first : last + 1]
        found = slice(offsets[0], offsets[-1])
        return RelevantRanks(
            offsets - offsets[0],
            self.ranks[found],
            self.classes[found],
            self.gains,
            self.counts[some],
            self.retrieved[some],
        )


def is_relevant(grade: NDArray[np.int64], relevance_level: int) -> NDArray[np.bool_]:
    """Whether a grade counts as relevant; a negative one means unjudged, whatever the level (as in trec_eval)."""
    return grade >= max(relevance_level, 0)


def judge(collection: Collection, run: Run, depth: int | None = None) -> JudgedRun:
    """Order a run as trec_eval does (score descending, ties by docno descending bytewise) and look its documents up.

    `depth`: keep only so many documents a topic (trec_eval's -M).
    """
    qrels = collection.qrels
    group_of = {topic: group for group, topic in enumerate(run.topics)}
    group_of_topic = np.array([group_of.get(topic, -1) for topic in qrels.topics], np.int64)
    offsets, ranks, rows, retrieved, tied = judged_ranks(
        run.docnos.buffer, run.docnos.start, run.docnos.length, run.docnos.hash, run.score, run.lines, run.offsets,
        group_of_topic, len(run.lines) if depth is None else depth,
        qrels.docnos.buffer, qrels.docnos.start, qrels.docnos.length, qrels.docnos.hash,
        collection.slots, collection.table_offsets,
    )  # fmt: skip
    known = set(qrels.topics)
    return JudgedRun(
        offsets=offsets,
        ranks=ranks,
        rows=rows,
        retrieved=retrieved,
        tied=tied,
        missing=group_of_topic < 0,
        unknown_topics=[topic for topic in run.topics if topic not in known],
    )


def relevant_ranks(collection: Collection, judged: JudgedRun, relevance_level: int = 1) -> RelevantRanks:
    """The ranks of the relevant documents, those of at least this grade, all alike."""
    return _ranks_of(collection, judged, is_relevant(collection.qrels.grade, relevance_level), np.ones(1))


def graded_ranks(collection: Collection, judged: JudgedRun) -> RelevantRanks:
    """The ranks of the documents with a positive grade, which is their gain (trec_eval's ndcg takes no notice of -l)."""
    grade = collection.qrels.grade
    return _ranks_of(collection, judged, grade > 0, np.unique(grade[grade > 0]).astype(np.float64))


def _ranks_of(
    collection: Collection, judged: JudgedRun, relevant: NDArray[np.bool_], gains: NDArray[np.float64]
) -> RelevantRanks:
    """Those of the judgments bool[J] called relevant; with several gains, each one's class is its grade's."""
    qrels = collection.qrels
    classes = np.zeros(len(relevant), np.int32)
    if len(gains) > 1:
        classes[relevant] = np.searchsorted(gains, qrels.grade[relevant])
    topic = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.offsets))[relevant]
    counts = np.zeros((len(qrels.topics), len(gains)), np.int64)
    np.add.at(counts, (topic, classes[relevant]), 1)
    found = relevant[judged.rows]
    return RelevantRanks(
        offsets=np.concatenate(([0], np.cumsum(found)))[judged.offsets],
        ranks=judged.ranks[found],
        classes=classes[judged.rows][found],
        gains=gains,
        counts=counts,
        retrieved=judged.retrieved,
    )

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
    """Where the relevant documents of T topics stand: topic t's ranks are ranks[offsets[t]:offsets[t+1]] (int32, from 1,
    ascending) and num_relevant[t] (int64) are in the collection."""

    offsets: NDArray[np.int64]
    ranks: NDArray[np.int32]
    num_relevant: NDArray[np.int64]

    def topics(self, some: slice) -> "RelevantRanks":
        """Those of a stretch of topics."""
        first, last, _ = some.indices(len(self.num_relevant))
        offsets = self.offsets[first : last + 1]
        return RelevantRanks(offsets - offsets[0], self.ranks[offsets[0] : offsets[-1]], self.num_relevant[some])


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
    """The ranks of the relevant documents alone."""
    relevant = is_relevant(collection.qrels.grade[judged.rows], relevance_level)
    count = np.concatenate(([0], np.cumsum(relevant)))
    return RelevantRanks(
        offsets=count[judged.offsets],
        ranks=judged.ranks[relevant],
        num_relevant=collection.num_relevant(relevance_level),
    )

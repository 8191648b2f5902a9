"""The parts of a split collection: every run scored on each, with the part's own judgments, as replicates of its scores.

Voorhees, Samarov & Soboroff, "Using replicates in information retrieval evaluation", ACM TOIS 36(2), 2017.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from irci.base.choices import Policy
from irci.base.errors import DataError
from irci.base.names import text
from irci.base.types import Bools, Floats, Ints, Parts, offsets
from irci.data.collection import JudgedRun, Relevance
from irci.data.docnos import Docnos
from irci.data.measures import JudgmentsByLevel, Measure
from irci.data.splits import MOST_ATTEMPTS, BalancedSplit, HashSplit, Split
from irci.data.trec_files import Qrels
from irci.kernels.parts import ranks_within_part

NAMED = 5  # topics in a message
WAYS_ON = (
    "leave them out of such splits (--policy drop), impute their scores (--policy zero or mean), or take fewer parts"
    " (-x)"
)


@dataclass(frozen=True)
class SplitCollection:
    """A collection split into x parts: the part of each judgment, and each part's judgments.

    `relevant` int64[T, x]: the relevant documents of each topic and part.
    """

    split: Split
    part: Parts
    judgments: list[JudgmentsByLevel]
    relevant: Ints

    @classmethod
    def of(cls, qrels: Qrels, split: Split, parts: int, level: int, highest: int | None) -> "SplitCollection":
        part = split.of(qrels.docnos)
        judgments = [
            JudgmentsByLevel(qrels_of_part(qrels, part, number), level, highest or qrels.highest_grade)
            for number in range(parts)
        ]
        return cls(split, part, judgments, np.array([each.at(None).relevant for each in judgments]).T)

    def scores(self, ranked: Docnos, judged: JudgedRun, measures: Sequence[Measure]) -> Floats:
        """float64[measures, T, x]: one run's scores on each part; nan where the part has no relevant document.

        `ranked`: the docnos of judged.lines.
        """
        part_of_line = self.split.of(ranked)
        values = np.empty((len(measures), *self.relevant.shape))
        for number, judgments in enumerate(self.judgments):
            lists = judgments.of_run(_run_within_part(judged, part_of_line, self.part, number))
            for place, measure in enumerate(measures):
                score, relevant = measure.scores(lists.at(measure.level)), judgments.at(measure.level).relevant
                values[place, :, number] = np.where(relevant > 0, score, np.nan)
        return values


def qrels_of_part(qrels: Qrels, part: Parts, number: int) -> Qrels:
    """The judgments of the documents in one part; all topics stay."""
    kept = part == number
    return qrels.take(np.flatnonzero(kept), offsets(kept)[qrels.offsets])


def _run_within_part(judged: JudgedRun, part_of_line: Parts, part_of_row: Parts, number: int) -> JudgedRun:
    """The part of a run's ranking that is in one part of the documents, ranks counted anew and rows those of the part's
    judgments."""
    kept, ranks, retrieved = ranks_within_part(part_of_line, judged.line_offsets, judged.ranks, judged.offsets, number)
    new_row = np.cumsum(part_of_row == number, dtype=np.int32) - np.int32(1)
    return replace(
        judged,
        offsets=offsets(kept)[judged.offsets],
        ranks=ranks,
        rows=new_row[judged.rows[kept]],
        retrieved=retrieved,
    )


def hash_splits(qrels: Qrels, level: int, *, splits: int, parts: int, seed: int, policy: Policy) -> list[Split]:
    """Random splits; with `redraw`, such that every topic has a relevant document in every part.

    Raises DataError naming the topics for which there can be none, and the ways on.
    """
    bases = [HashSplit(seed, split, parts) for split in range(1, splits + 1)]
    if policy != "redraw":
        return list(bases)
    relevant = Relevance.binary(qrels, level).classes >= 0
    topic_offsets = offsets(relevant)[qrels.offsets]
    # Documents that share a hash share a part, so that as many parts take as many hashes.
    hashes = [np.unique(of_topic) for of_topic in np.split(qrels.docnos.public_hashes()[relevant], topic_offsets[1:-1])]
    small = [place for place, of_topic in enumerate(hashes) if len(of_topic) < parts]
    if small:
        raise DataError(_too_few(qrels, small, parts), WAYS_ON)
    try:
        return [BalancedSplit.of_topics(base, hashes) for base in bases]
    except ValueError as error:
        raise DataError(
            f"no split in {MOST_ATTEMPTS:,} attempts gives these topics, which share documents, relevant documents in all"
            f" {parts} parts: {_named(qrels, error.args[0])}",
            WAYS_ON,
        ) from None


def _too_few(qrels: Qrels, topics: Sequence[int], parts: int) -> str:
    count = "1 topic has" if len(topics) == 1 else f"{len(topics)} topics have"
    return f"{count} too few relevant documents for {parts} parts: {_named(qrels, topics)}"


def _named(qrels: Qrels, topics: Sequence[int]) -> str:
    names = [text(qrels.topics[topic]) for topic in topics]
    return " ".join(names[:NAMED]) + (" ..." if len(names) > NAMED else "")


def balanced(y: Floats, policy: Policy) -> tuple[Floats, Bools]:
    """Scores y[T, m, x] made complete, and bool[T] the topics kept.

    A cell without a score fails its topic: `zero` scores it 0, `mean` the mean of the run's other parts, else the topic goes.
    """
    missing = np.isnan(y)
    match policy:
        case "zero":
            return np.where(missing, 0.0, y), np.ones(len(y), np.bool_)
        case "mean":
            scored = (~missing).sum(axis=2, keepdims=True)
            means = np.divide(np.where(missing, 0.0, y).sum(axis=2, keepdims=True), scored, where=scored > 0, out=None)
            kept = np.asarray((scored > 0).all(axis=(1, 2)))
            return np.where(missing, means, y)[kept], kept
        case "redraw" | "drop":
            kept = np.asarray(~missing.any(axis=(1, 2)))
            return y[kept], kept

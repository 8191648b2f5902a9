"""The parts of a split collection: every run scored on each, with the part's own judgments, as replicates of its scores.

Voorhees, Samarov & Soboroff, "Using replicates in information retrieval evaluation", ACM TOIS 36(2), 2017.
"""

from collections.abc import Sequence
from functools import partial
from typing import assert_never

import numpy as np

from irci.base.choices import Policy
from irci.base.errors import DataError
from irci.base.names import first_few, plural, raw, text
from irci.base.records import Record
from irci.base.types import Bools, Floats, Ints, Parts, offsets
from irci.data.collection import JudgedRun, Relevance
from irci.data.experiment import Experiment
from irci.data.inputs import Inputs, where
from irci.data.missing import not_missing
from irci.data.part_scores import PartScores
from irci.data.rankings import Docnos, Qrels
from irci.data.splits import MOST_ATTEMPTS, BalancedSplit, FileSplit, HashSplit, Split
from irci.kernels.parts import ranks_within_part
from irci.measures import MAP, JudgmentsByLevel, Measure
from irci.system.work import in_order

WAYS_ON = (
    "leave them out of such splits (--policy drop), impute their scores (--policy zero or mean), or take fewer parts"
    " (-x)"
)


class SplitCollection(Record):
    """A collection split into x parts: the part of each judgment, and each part's judgments.
    `relevant` int64[T, x]: the relevant documents of each topic and part."""

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
        return cls(split, part, judgments, np.array([judgment.at(None).relevant for judgment in judgments]).T)

    def scores(self, ranked: Docnos, judged: JudgedRun, measures: Sequence[Measure]) -> Floats:
        """float64[measures, T, x]: one run's scores on each part; nan where the part has no relevant document.
        `ranked`: the docnos of judged.lines."""
        part_of_line = self.split.of(ranked)
        values = np.empty((len(measures), *self.relevant.shape))
        for number, judgments in enumerate(self.judgments):
            lists = judgments.of_run(_run_within_part(judged, part_of_line, self.part, number))
            for index, measure in enumerate(measures):
                score, relevant = measure.scores(lists(measure.level)), judgments.at(measure.level).relevant
                values[index, :, number] = np.where(relevant > 0, score, np.nan)
        return values


def qrels_of_part(qrels: Qrels, part: Parts, number: int) -> Qrels:
    """The judgments of the documents in one part; all topics stay."""
    kept = part == number
    return qrels.take(np.flatnonzero(kept), offsets(kept)[qrels.offsets])


def _run_within_part(judged: JudgedRun, part_of_line: Parts, part_of_row: Parts, number: int) -> JudgedRun:
    # The part of a run's ranking that is in one part of the documents, ranks counted anew and rows those of the part's
    # judgments.
    kept, ranks, retrieved = ranks_within_part(part_of_line, judged.line_offsets, judged.ranks, judged.offsets, number)
    new_row = np.cumsum(part_of_row == number, dtype=np.int32) - np.int32(1)
    return judged._replace(
        offsets=offsets(kept)[judged.offsets], ranks=ranks, rows=new_row[judged.rows[kept]], retrieved=retrieved
    )


def hash_splits(qrels: Qrels, level: int, *, splits: int, parts: int, seed: int, policy: Policy) -> list[Split]:
    """Random splits; with `redraw`, such that every topic has a relevant document in every part.
    Raises DataError naming the topics for which there can be none, and the ways on."""
    bases = [HashSplit(seed, split, parts) for split in range(1, splits + 1)]
    if policy != "redraw":
        return list(bases)
    relevant = Relevance.of(qrels, "relevance", level).classes >= 0
    topic_offsets = offsets(relevant)[qrels.offsets]
    # Documents that share a hash share a part, so that as many parts take as many hashes.
    hashes = [np.unique(of_topic) for of_topic in np.split(qrels.docnos.public_hashes()[relevant], topic_offsets[1:-1])]
    small = [index for index, of_topic in enumerate(hashes) if len(of_topic) < parts]
    if small:
        count = "1 topic has" if len(small) == 1 else f"{len(small)} topics have"
        names = first_few([text(qrels.topics[topic]) for topic in small])
        raise DataError(f"{count} too few relevant documents for {parts} parts: {names}", WAYS_ON)
    try:
        return [BalancedSplit.of_topics(base, hashes) for base in bases]
    except ValueError as error:
        raise DataError(
            f"no split in {MOST_ATTEMPTS:,} attempts gives these topics, which share documents, relevant documents in all"
            f" {parts} parts: {first_few([text(qrels.topics[topic]) for topic in error.args[0]])}",
            WAYS_ON,
        ) from None


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
        case _:
            assert_never(policy)


class Splitting(Record):
    """A way of splitting documents: into so many `parts`, at random so many times, or as a file says; `policy`: see
    `parts.balanced`."""

    parts: int | str = 2
    splits: int = 1
    policy: Policy = "redraw"
    seed: int = 1


def score_parts(splitting: Splitting, inputs: Inputs, measures: Sequence[Measure]) -> PartScores:
    """Scores of every run on every part of every split and on the whole."""
    measures = measures or [MAP]
    experiment = Experiment(inputs, measures)
    experiment.tells_missing = inputs.missing != "auto"
    qrels = experiment.qrels
    chosen, num_parts = _splits(qrels, inputs.relevance_level, splitting)
    splits = [SplitCollection.of(qrels, split, num_parts, inputs.relevance_level, inputs.max_grade) for split in chosen]
    found, absent = [], []
    for run in experiment.runs():
        whole = np.array([run.scores(measure) for measure in measures])
        ranked = run.run.docnos.take(run.judged.lines)
        score = partial(SplitCollection.scores, ranked=ranked, judged=run.judged, measures=measures)
        on_parts = list(in_order(score, splits, inputs.threads))
        for values in on_parts:
            values[:, ~run.kept] = np.nan
        found.append((run.name, whole, on_parts))
        absent.append(run.judged.missing)
    made = not_missing([name for name, *_ in found], np.array(absent), inputs, experiment.topics)
    found = [of_run for of_run, is_made in zip(found, made, strict=True) if is_made]
    found.sort(key=lambda of_run: raw(of_run[0]))
    # Where a run lacks a topic, all do: the analysis needs the same topics of all.
    common = np.asarray(~np.any([np.isnan(whole).any(axis=0) for _, whole, _ in found], axis=0))
    if not common.any():
        raise DataError("the runs have no topic in common")
    return PartScores(
        runs=[name for name, _, _ in found],
        topics=where(experiment.topics, common),
        whole={m.name: np.stack([whole[i, common] for _, whole, _ in found], axis=1) for i, m in enumerate(measures)},
        splits={
            m.name: [np.stack([of[split][i, common] for _, _, of in found], axis=1) for split in range(len(chosen))]
            for i, m in enumerate(measures)
        },
        numbers=list(range(1, len(chosen) + 1)),
        relevant=[each.relevant[common] for each in splits],
    )


def _splits(qrels: Qrels, level: int, splitting: Splitting) -> tuple[list[Split], int]:
    parts, policy = splitting.parts, splitting.policy
    if isinstance(parts, int):
        splits = hash_splits(qrels, level, splits=splitting.splits, parts=parts, seed=splitting.seed, policy=policy)
        return splits, parts
    given = FileSplit.read(parts)
    if len(given.names) < 2:
        raise DataError(f"{parts}: a split needs at least two parts")
    if policy == "redraw":
        counts = SplitCollection.of(qrels, given, len(given.names), level, None).relevant
        empty = [text(topic) for topic, of_topic in zip(qrels.topics, counts, strict=True) if not of_topic.all()]
        if empty:
            raise DataError(
                f"{parts}: a part without relevant documents of {plural(len(empty), 'topic')}: {' '.join(empty[:5])};"
                " given parts cannot be redrawn: --policy drop, zero or mean"
            )
    return [given], len(given.names)

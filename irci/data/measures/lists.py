"""Lists that measures score: the judged documents that a run retrieves, and what there is, at a relevance level."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from irci.base.types import Bools, Ints, Ints32, offsets, owners
from irci.data.collection import JudgedRun, RelevantRanks
from irci.data.trec_files import Qrels
from irci.kernels.gains import ideal_rankings
from irci.kernels.shapes import expect_groups


class JudgedLists(NamedTuple):
    """Judged documents that one run retrieves, and those there are: see `irci.kernels.measures`."""

    offsets: Ints
    ranks: Ints32
    grades: Ints
    level: int
    retrieved: Ints
    relevant: Ints
    nonrelevant: Ints
    ideal: Ints
    ideal_offsets: Ints
    most: int


def lists_of_ranks(lists: RelevantRanks, grades: Ints | None = None) -> JudgedLists:
    """The lists that kernels take, from the ranks of the documents that a measure sees; `grades` int64[...]: theirs, if at
    hand."""
    class_grade = lists.gains.astype(np.int64)
    ideal = lists.graded & ((class_grade > 0) | (class_grade >= lists.level))
    best, edges = ideal_rankings(np.ascontiguousarray(lists.counts[:, ideal]), class_grade[ideal])
    return JudgedLists(
        offsets=lists.offsets,
        ranks=lists.ranks,
        grades=class_grade[lists.classes] if grades is None else grades,
        level=lists.level,
        retrieved=lists.retrieved,
        relevant=lists.num_relevant,
        nonrelevant=lists.counts[:, (class_grade >= 0) & (class_grade < lists.level)].sum(axis=1),
        ideal=best,
        ideal_offsets=edges,
        most=lists.most,
    )


@dataclass(frozen=True)
class Judgments:
    """Judgments as measures need them: counts a topic, gains in descending order, the highest grade."""

    level: int
    grade: Ints
    relevant: Ints
    nonrelevant: Ints
    ideal: Ints
    ideal_offsets: Ints
    most: int

    @classmethod
    def of(cls, qrels: Qrels, level: int, highest: int | None = None) -> "Judgments":
        """The judgments of qrels, documents of at least this grade being relevant; `highest`: the end of the scale of
        grades."""
        level = max(level, 0)
        topic = owners(qrels.offsets)

        def count(chosen: Bools | Ints) -> Ints:
            return np.bincount(topic[chosen], minlength=len(qrels.topics))

        gainful = np.flatnonzero((qrels.grade > 0) | (qrels.grade >= level))
        order = gainful[np.lexsort((-qrels.grade[gainful], topic[gainful]))]
        return cls(
            level=level,
            grade=qrels.grade,
            relevant=count(qrels.grade >= level),
            nonrelevant=count((qrels.grade >= 0) & (qrels.grade < level)),
            ideal=qrels.grade[order],
            ideal_offsets=offsets(count(order)),
            most=qrels.highest_grade if highest is None else highest,
        )

    def of_run(self, judged: JudgedRun) -> JudgedLists:
        expect_groups(judged.offsets, len(self.relevant), min(len(judged.ranks), len(judged.rows)))
        expect_groups(self.ideal_offsets, len(self.relevant), len(self.ideal))
        return JudgedLists(
            judged.offsets, judged.ranks, self.grade[judged.rows], self.level, judged.retrieved,
            self.relevant, self.nonrelevant, self.ideal, self.ideal_offsets, self.most,
        )  # fmt: skip


class JudgmentsByLevel:
    """The judgments of one collection at each relevance level that a measure asks for, each made once.

    `level`: of the measures that have none of their own (-l). `on_new`: told each other level, when it is first asked for.
    """

    def __init__(
        self,
        qrels: Qrels,
        level: int,
        highest: int | None = None,
        on_new: Callable[[int, Judgments], None] | None = None,
    ) -> None:
        self._qrels, self._highest, self._on_new = qrels, highest, on_new
        self._at: dict[int | None, Judgments] = {None: Judgments.of(qrels, level, highest)}

    def at(self, level: int | None) -> Judgments:
        """Those at a measure's own level, or at that of all measures that have none."""
        if level not in self._at:
            assert level is not None
            self._at[level] = Judgments.of(self._qrels, level, self._highest)
            if self._on_new is not None:
                self._on_new(level, self._at[level])
        return self._at[level]

    def of_run(self, judged: JudgedRun) -> "RunLists":
        return RunLists(self, judged)


class RunLists:
    """Judged documents that one run retrieves, at each relevance level that a measure asks for."""

    def __init__(self, judgments: JudgmentsByLevel, judged: JudgedRun) -> None:
        self._judgments, self._judged = judgments, judged
        self._at: dict[int | None, JudgedLists] = {}

    def at(self, level: int | None) -> JudgedLists:
        if level not in self._at:
            self._at[level] = self._judgments.at(level).of_run(self._judged)
        return self._at[level]

"""Lists that measures score, the judged documents that a run retrieves and what there is, at a relevance level; and scorers of
the table's rows: float64[T] of one run's lists, with the row's parameter, from the kernels.

`cut` is a rank, None for no cut; a topic without relevant documents scores 0 by most measures (see the table).
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irci.base.types import Bools, Floats, Ints, Ints32, offsets, owners
from irci.kernels import gains, measures
from irci.kernels.measures import INFINITE
from irci.kernels.shapes import expect_groups

if TYPE_CHECKING:
    from irci.data.collection import JudgedRun, RelevantRanks
    from irci.data.rankings import Qrels


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

    @classmethod
    def of_no_run(cls, qrels: "Qrels", level: int, highest: int | None = None) -> "JudgedLists":
        """Judgments alone, documents of at least this grade being relevant, with the grades of all rows; `highest`: the end of
        the scale of grades."""
        level = max(level, 0)
        topic = owners(qrels.offsets)

        def count(selected: Bools | Ints) -> Ints:
            return np.bincount(topic[selected], minlength=len(qrels.topics))

        gainful = np.flatnonzero((qrels.grade > 0) | (qrels.grade >= level))
        order = gainful[np.lexsort((-qrels.grade[gainful], topic[gainful]))]
        none = np.zeros(len(qrels.topics), np.int64)
        return cls(
            offsets=np.append(none, 0),
            ranks=np.empty(0, np.int32),
            grades=qrels.grade,
            level=level,
            retrieved=none,
            relevant=count(qrels.grade >= level),
            nonrelevant=count((qrels.grade >= 0) & (qrels.grade < level)),
            ideal=qrels.grade[order],
            ideal_offsets=offsets(count(order)),
            most=qrels.highest_grade if highest is None else highest,
        )

    def of_run(self, judged: "JudgedRun") -> "JudgedLists":
        """The lists of a run, of those of no run."""
        expect_groups(judged.offsets, len(self.relevant), min(len(judged.ranks), len(judged.rows)))
        expect_groups(self.ideal_offsets, len(self.relevant), len(self.ideal))
        return self._replace(
            offsets=judged.offsets, ranks=judged.ranks, grades=self.grades[judged.rows], retrieved=judged.retrieved
        )


def lists_of_ranks(lists: "RelevantRanks", grades: Ints | None = None) -> JudgedLists:
    """The lists that kernels take, from the ranks of the documents that a measure sees; `grades` int64[...]: theirs, if at
    hand."""
    class_grade = lists.gains.astype(np.int64)
    ideal = lists.graded & ((class_grade > 0) | (class_grade >= lists.level))
    best, edges = gains.ideal_rankings(np.ascontiguousarray(lists.counts[:, ideal]), class_grade[ideal])
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


class JudgmentsByLevel:
    """The judgments of one collection at each relevance level that a measure asks for, each made once.
    `level`: of the measures that have none of their own (-l). `on_new`: told each other level, when it is first asked for."""

    def __init__(
        self,
        qrels: "Qrels",
        level: int,
        highest: int | None = None,
        on_new: Callable[[int, JudgedLists], None] | None = None,
    ) -> None:
        self._qrels, self._highest, self._on_new = qrels, highest, on_new
        self._at: dict[int | None, JudgedLists] = {None: JudgedLists.of_no_run(qrels, level, highest)}

    def at(self, level: int | None) -> JudgedLists:
        """Those at a measure's own level, or at that of all measures that have none."""
        if level not in self._at:
            assert level is not None
            self._at[level] = JudgedLists.of_no_run(self._qrels, level, self._highest)
            if self._on_new is not None:
                self._on_new(level, self._at[level])
        return self._at[level]

    def of_run(self, judged: "JudgedRun") -> "ListsByLevel":
        """The lists of one run, each made once."""
        return cache(lambda level: self.at(level).of_run(judged))


ListsByLevel = Callable[[int | None], JudgedLists]

RECALLS = tuple(i / 10 for i in range(11))
MULTIPLE_ROUNDING = 0.9  # trec_eval's, of multiples of R: up, but for what is less than a tenth above
P_OF_TREC_EVAL = 0.9


def _down_to_cut(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Floats]:
    def score(lists: JudgedLists, cut: int | None = None) -> Floats:
        return np.asarray(kernel(lists, cut or INFINITE, *arguments))

    return score


hits = _down_to_cut(measures.hits)
ap = _down_to_cut(measures.average_precision)
reciprocal_rank = _down_to_cut(measures.reciprocal_rank)
ndcg = _down_to_cut(gains.ndcg, False)
ndcg_exp = _down_to_cut(gains.ndcg, True)
q_measure = _down_to_cut(measures.q_measure, 1.0)
p_plus = _down_to_cut(measures.p_plus, 1.0)
err = _down_to_cut(measures.expected_reciprocal_rank, False)
nerr = _down_to_cut(measures.expected_reciprocal_rank, True)


def share(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """float64[T]: part / whole, 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=np.asarray(whole) > 0)


def r_precision(lists: JudgedLists, multiple: float = 1.0) -> Floats:
    """Precision at so many times R documents."""
    ranks = np.floor(multiple * lists.relevant + MULTIPLE_ROUNDING)
    return np.asarray(measures.precision_at(lists, ranks.astype(np.int64)))


def interpolated_precision(lists: JudgedLists, *recalls: float) -> Floats:
    """The mean of interpolated precisions at these recalls; at the eleven of 11pt_avg if none is given."""
    return np.asarray(measures.interpolated_precision(lists, np.array(recalls or RECALLS)))


def recall(lists: JudgedLists, cut: int | None = None) -> Floats:
    """recall, and set_recall."""
    return share(hits(lists, cut), lists.relevant)


def set_precision(lists: JudgedLists) -> Floats:
    """set_P."""
    return share(hits(lists), lists.retrieved)


def set_f(lists: JudgedLists, beta: float = 1.0) -> Floats:
    """F of set_P and set_recall."""
    p, r = set_precision(lists), recall(lists)
    return share((beta + 1) * p * r, r + beta * p)


def unjudged(lists: JudgedLists, cut: int) -> Floats:
    """unj: places below the end of the ranking count as judged."""
    return np.asarray((np.minimum(lists.retrieved, cut) - measures.judged(lists, cut)) / cut)


def judged(lists: JudgedLists, cut: int | None = None) -> Floats:
    """Judged: there are no places below the end of the ranking."""
    return share(measures.judged(lists, cut or INFINITE), np.minimum(lists.retrieved, cut or INFINITE))


def rbp(lists: JudgedLists, p: float = P_OF_TREC_EVAL) -> Floats:
    """RBP with gains."""
    return np.asarray(measures.rank_biased_precision(lists, p))


def rbp_residual(lists: JudgedLists, p: float = P_OF_TREC_EVAL) -> Floats:
    """The residual of RBP."""
    return np.asarray(measures.rank_biased_residual(lists, p))

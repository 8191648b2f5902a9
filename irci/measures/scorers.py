"""Lists that measures score, the judged documents that a run retrieves and what there is, at a relevance level; and scorers of
the table's rows: float64[T] of one run's lists, with the row's parameter, from the kernels.

`cut` is a rank, None for no cut; a topic without relevant documents scores 0 by most measures (see the table).

Measures by the intents of a topic, as ndeval and NTCIREVAL have them.

In place of a grade each document has a number here, by which its grades are found, one an intent; 0 is that of documents
relevant to none. Numbers of a topic's documents rise with their docnos: of equal gains ndeval takes the last docno's first.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irci.base.types import Array, Bools, Floats, Ints, Ints32, offsets, owners
from irci.kernels import measures
from irci.kernels.measures import INFINITE
from irci.kernels.shapes import expect_groups

if TYPE_CHECKING:
    from irci.data.collection import JudgedRun, Relevance
    from irci.data.rankings import Qrels


class JudgedLists(NamedTuple):
    """Judged documents that one run retrieves, and those there are: see `irci.kernels.measures`."""

    offsets: Ints
    ranks: Ints32
    grades: Array[Any]  # int64[...] or, as those of the judgments, float64[...]
    level: Any  # a float where grades are
    retrieved: Ints
    relevant: Ints
    nonrelevant: Ints
    ideal: Array[Any]
    ideal_offsets: Ints
    most: int

    @classmethod
    def of_no_run(cls, qrels: "Qrels", level: float, highest: int | None = None) -> "JudgedLists":
        """Judgments alone, documents of at least this grade being relevant, with the grades of all rows; `highest`: the end of
        the scale of grades."""
        is_whole = qrels.grade.dtype.kind == "i"
        level = max(math.ceil(level) if is_whole else float(level), 0)
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


def lists_of_ranks(lists: "Relevance", grades: Ints | None = None) -> JudgedLists:
    """The lists that kernels take, from the ranks of the documents that a measure sees; `grades` int64[...]: theirs, if at
    hand."""
    class_grade = lists.gains.astype(np.int64)
    ideal = lists.graded & ((class_grade > 0) | (class_grade >= lists.level))
    counts, descending = lists.counts[:, ideal][:, ::-1], class_grade[ideal][::-1]
    return JudgedLists(
        offsets=lists.offsets,
        ranks=lists.ranks,
        grades=class_grade[lists.classes] if grades is None else grades,
        level=lists.level,
        retrieved=lists.retrieved,
        relevant=lists.num_relevant,
        nonrelevant=lists.counts[:, (class_grade >= 0) & (class_grade < lists.level)].sum(axis=1),
        ideal=np.repeat(np.tile(descending, len(counts)), counts.ravel()),
        ideal_offsets=offsets(counts.sum(axis=1)),
        most=lists.most,
    )


ListsByLevel = Callable[[int | None], JudgedLists]


def judgments_by_level(qrels: "Qrels", level: float, highest: int | None = None) -> ListsByLevel:
    """The judgments of one collection at each relevance level that a measure asks for, each made once.
    `level`: of the measures that have none of their own (-l)."""
    return cache(lambda own: JudgedLists.of_no_run(qrels, level if own is None else own, highest))


def lists_by_level(judgments: ListsByLevel, judged: "JudgedRun") -> ListsByLevel:
    """The lists of one run at each relevance level, each made once."""
    return cache(lambda level: judgments(level).of_run(judged))


RECALLS = tuple(i / 10 for i in range(11))
MULTIPLE_ROUNDING = 0.9  # trec_eval's, of multiples of R: up, but for what is less than a tenth above
P_OF_TREC_EVAL = 0.9


def hits(lists: JudgedLists, cut: int | Ints = INFINITE, least: float | None = None) -> Floats:
    """The number of relevant documents, or of those of at least this grade, down to a rank, or one of each topic."""
    cuts = np.full(len(lists.relevant), cut, np.int64)
    return np.asarray(measures.hits(lists, cuts, lists.level if least is None else type(lists.level)(least)))


def down_to_cut(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Floats]:
    """The scores that a kernel gives down to a cut."""
    return lambda lists, cut=None: np.asarray(kernel(lists, cut or INFINITE, *arguments))


def share(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """float64[T]: part / whole, 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=np.asarray(whole) > 0)


def r_precision(lists: JudgedLists, multiple: float = 1.0) -> Floats:
    """Precision at so many times R documents."""
    ranks = np.floor(multiple * lists.relevant + MULTIPLE_ROUNDING).astype(np.int64)
    return share(hits(lists, ranks), ranks)


def interpolated_precision(lists: JudgedLists, *recalls: float) -> Floats:
    """The mean of interpolated precisions at these recalls; at the eleven of 11pt_avg if none is given."""
    return np.asarray(measures.interpolated_precision(lists, np.array(recalls or RECALLS)))


def recall(lists: JudgedLists, cut: int | Ints = INFINITE) -> Floats:
    """recall, and set_recall."""
    return share(hits(lists, cut), lists.relevant)


def set_f(lists: JudgedLists, beta: float = 1.0) -> Floats:
    """F of set_P and set_recall."""
    p, r = share(hits(lists), lists.retrieved), recall(lists)
    return share((beta + 1) * p * r, r + beta * p)


Grades = Mapping[str, int]  # by intent, above 0
Ranked = list[tuple[int, Grades]]  # relevant documents of a topic with their ranks
ALPHA = 0.5  # by which another document of the same intent is worth less
_grades: list[Grades] = [{}]


def numbered(documents: Iterable[Grades]) -> Iterator[int]:
    """The numbers of documents, in ascending order of their docnos, with these grades."""
    for grades in documents:
        relevant = {intent: grade for intent, grade in grades.items() if grade > 0}
        if relevant:
            _grades.append(relevant)
        yield len(_grades) - 1 if relevant else 0


def over_topics(of_topic: Callable[[Ranked, tuple[int, ...], int], float]) -> Callable[..., Floats]:
    """Scores float64[T]; `of_topic`: of the documents retrieved above a cut, and the numbers of those there are."""

    def score(lists: JudgedLists, cut: int | None = None) -> Floats:
        cut, scores = cut or INFINITE, np.zeros(len(lists.relevant))
        for topic in range(len(scores)):
            retrieved, judged = (
                slice(*edges[topic : topic + 2].tolist()) for edges in (lists.offsets, lists.ideal_offsets)
            )
            relevant = tuple(number for number in lists.ideal[judged].tolist() if number)
            ranked = [
                (rank, _grades[number])
                for rank, number in zip(lists.ranks[retrieved].tolist(), lists.grades[retrieved].tolist(), strict=True)
                if rank <= cut and number > 0
            ]
            if relevant:
                scores[topic] = of_topic(ranked, relevant, cut)
        return scores

    return score


@lru_cache(1 << 12)
def _best_gains(relevant: tuple[int, ...], cut: int) -> tuple[float, ...]:
    """Gains of the best ranking, made greedily, of documents in descending order of docnos."""
    intents = sorted({intent for number in relevant for intent in _grades[number]})
    is_relevant = np.array([[intent in _grades[number] for intent in intents] for number in relevant], np.float64)
    seen, left = np.zeros(len(intents)), np.ones(len(relevant), np.bool_)
    gains = []
    for _ in range(min(cut, len(relevant))):
        gain = np.where(left, is_relevant @ (1 - ALPHA) ** seen, -1)
        best = int(gain.argmax())
        gains.append(float(gain[best]))
        seen, left[best] = seen + is_relevant[best], False
    return tuple(gains)


def by_novelty(weight: Callable[[int], float]) -> Callable[..., Floats]:
    """Gains by intent, each (1 - alpha) to the power of how many documents above have it, weighted by rank, over the best."""

    def of_topic(ranked: Ranked, relevant: tuple[int, ...], cut: int) -> float:
        seen: dict[str, int] = {}
        total = 0.0
        for rank, grades in ranked:
            total += weight(rank) * sum((1 - ALPHA) ** seen.get(intent, 0) for intent in grades)
            seen |= {intent: seen.get(intent, 0) + 1 for intent in grades}
        return total / sum(weight(rank) * gain for rank, gain in enumerate(_best_gains(relevant, cut), 1))

    return over_topics(of_topic)


def discount(rank: int) -> float:
    """The weight of a rank in DCG."""
    return 1 / math.log2(rank + 1)


def dsharp(ranked: Ranked, relevant: tuple[int, ...], cut: int) -> float:
    """The mean of the share of intents found and of nDCG whose gains are grades summed over intents, all equally likely."""
    found, intents = ({intent for grades in of for intent in grades}
                      for of in ([grades for _, grades in ranked], [_grades[number] for number in relevant]))  # fmt: skip
    best = sorted((sum(_grades[number].values()) for number in relevant), reverse=True)[:cut]
    ideal = sum(discount(rank) * gain for rank, gain in enumerate(best, 1))
    ndcg = sum(discount(rank) * sum(grades.values()) for rank, grades in ranked) / ideal
    return (len(found) / len(intents) + ndcg) / 2

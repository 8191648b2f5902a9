"""Lists that measures score, the judged documents that a run retrieves and what there is, at a relevance level; and scorers of
the table's rows: float64[T] of one run's lists, with the row's parameter, from the kernels.

`cut` is a rank, None for no cut; a topic without relevant documents scores 0 by most measures (see the table).

Measures by the intents of a topic are as ndeval and NTCIREVAL have them. In place of a grade each document has a row of
`intents`; row 0 is that of documents relevant to none. Rows of a topic's documents ascend with their docnos: of equal gains
ndeval takes the last docno's first.
"""

import math
from collections.abc import Callable
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

NO_INTENTS = np.zeros((1, 0))


class JudgedLists(NamedTuple):
    """Judged documents that one run retrieves, and those there are: see `irci.kernels.measures`. `intents`
    float64[D+1, I]: grades by intent, of which `grades` and `ideal` are rows where judgments are by intent."""

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
    intents: Floats = NO_INTENTS

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
            intents=qrels.intents,
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
    topic = owners(lists.offsets)
    is_hit = lists.grades >= (lists.level if least is None else least)
    is_hit &= lists.ranks <= np.broadcast_to(cut, len(lists.relevant))[topic]
    return np.bincount(topic[is_hit], minlength=len(lists.relevant)).astype(np.float64)


def reciprocal_rank(lists: JudgedLists, cut: int | None = None) -> Floats:
    """One over the rank of the first relevant document; 0 if there is none down to rank `cut`."""
    scores = np.zeros(len(lists.relevant))
    is_hit = (lists.grades >= lists.level) & (lists.ranks <= (cut or INFINITE))
    scores[owners(lists.offsets)[is_hit][::-1]] = 1 / lists.ranks[is_hit][::-1]  # the first is written last
    return scores


def rank_biased_precision(lists: JudgedLists, persistence: float = P_OF_TREC_EVAL, *, binary: bool = False) -> Floats:
    """RBP: (1 - p) times the sum of p^(rank - 1) gain."""
    weights = np.full(lists.ranks.max(initial=0) + 1, persistence)  # by rank, each that of the rank above times p
    weights[:2] = 1.0
    return np.asarray((1.0 - persistence) * measures.rank_biased_gain(lists, (weights.cumprod(), binary)))


def rank_biased_residual(lists: JudgedLists, persistence: float = P_OF_TREC_EVAL) -> Floats:
    """The gain of RBP if all that is not judged were relevant: p^retrieved, of the ranks below the ranking's end, and
    (1 - p) times the sum of p^(rank - 1) over the retrieved documents that are not judged."""
    edges = offsets(lists.retrieved)
    topic, is_judged = owners(edges), lists.grades >= 0
    weights = persistence ** (np.arange(edges[-1]) - edges[topic])
    weights[(edges[owners(lists.offsets)] + lists.ranks - 1)[is_judged]] = 0.0
    total = np.bincount(topic, weights, len(lists.relevant))
    return np.asarray(persistence**lists.retrieved + (1.0 - persistence) * total)


def by_kernel(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Floats]:
    """The scores that a kernel gives, by the measure's parameter, if it has one, and these arguments."""
    return lambda lists, *parameter: np.asarray(kernel(lists, (*parameter, *arguments)))


def expected_reciprocal_rank(lists: JudgedLists, cut: int | None = None, *, normalised: bool = False) -> Floats:
    """ERR, or nERR: users stop at a document of grade g with probability (2^g - 1) / 2^highest."""
    highest = max(lists.grades.max(initial=0), lists.ideal.max(initial=0))
    stops = (2.0 ** np.arange(highest + 1) - 1) / 2.0**lists.most
    return np.asarray(measures.expected_reciprocal_rank(lists, (cut or INFINITE, stops, normalised)))


def down_to_cut(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Floats]:
    """The scores that a kernel gives down to a cut."""
    return lambda lists, cut=None: np.asarray(kernel(lists, (cut or INFINITE, *arguments)))


def share(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """float64[T]: part / whole, 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=np.asarray(whole) > 0)


def r_precision(lists: JudgedLists, multiple: float = 1.0) -> Floats:
    """Precision at so many times R documents."""
    ranks = np.floor(multiple * lists.relevant + MULTIPLE_ROUNDING).astype(np.int64)
    return share(hits(lists, ranks), ranks)


def interpolated_precision(lists: JudgedLists, *recalls: float) -> Floats:
    """The mean of interpolated precisions at these recalls; at the eleven of 11pt_avg if none is given."""
    return np.asarray(measures.interpolated_precision(lists, (np.array(recalls or RECALLS),)))


def recall(lists: JudgedLists, cut: int | Ints = INFINITE) -> Floats:
    """recall, and set_recall."""
    return share(hits(lists, cut), lists.relevant)


def set_f(lists: JudgedLists, beta: float = 1.0) -> Floats:
    """F of set_P and set_recall."""
    p, r = share(hits(lists), lists.retrieved), recall(lists)
    return share((beta + 1) * p * r, r + beta * p)


ALPHA = 0.5  # by which another document of the same intent is worth less


def over_topics(of_topic: Callable[[Floats, Ints32, Floats, int], float]) -> Callable[..., Floats]:
    """Scores float64[T]; `of_topic`: of a topic's relevant documents' grades by intent, float64[n, I] of those retrieved down
    to a cut, with their ranks, and float64[R, I] of all that there are, the last docno's first."""

    def score(lists: JudgedLists, cut: int | None = None) -> Floats:
        cut, scores = cut or INFINITE, np.zeros(len(lists.relevant))
        for topic in range(len(scores)):
            retrieved, judged = (
                slice(*edges[topic : topic + 2].tolist()) for edges in (lists.offsets, lists.ideal_offsets)
            )
            relevant = lists.intents[lists.ideal[judged][lists.ideal[judged] > 0]]
            ranks, rows = lists.ranks[retrieved], lists.grades[retrieved]
            is_kept = (ranks <= cut) & (rows > 0)
            if len(relevant):
                scores[topic] = of_topic(lists.intents[rows[is_kept]], ranks[is_kept], relevant, cut)
        return scores

    return score


@lru_cache(1 << 12)
def _best_gains(relevant: bytes, number: int, cut: int) -> Floats:
    """Gains of the best ranking, made greedily, of so many documents, of which bool[R, I] says whether they are relevant."""
    is_relevant = np.frombuffer(relevant, np.bool_).reshape(number, -1).astype(np.float64)
    seen, left = np.zeros(is_relevant.shape[1]), np.ones(number, np.bool_)
    gains = np.zeros(min(cut, number))
    for index in range(len(gains)):
        gain = np.where(left, is_relevant @ (1 - ALPHA) ** seen, -1)
        best = int(gain.argmax())
        gains[index] = gain[best]
        seen, left[best] = seen + is_relevant[best], False
    return gains


def by_novelty(weight: Callable[[Any], Floats]) -> Callable[..., Floats]:
    """Gains by intent, each (1 - alpha) to the power of how many documents above have it, weighted by rank, over the best."""

    def of_topic(grades: Floats, ranks: Ints32, relevant: Floats, cut: int) -> float:
        has_intent = grades > 0
        gains = (has_intent * (1 - ALPHA) ** (has_intent.cumsum(axis=0) - has_intent)).sum(axis=1)
        best = _best_gains((relevant > 0).tobytes(), len(relevant), cut)
        return math.fsum(weight(ranks) * gains) / math.fsum(weight(np.arange(1, len(best) + 1)) * best)

    return over_topics(of_topic)


def discount(ranks: Array[Any]) -> Floats:
    """The weights of ranks in DCG."""
    return np.asarray(1 / np.log2(ranks + 1.0))


def dsharp(grades: Floats, ranks: Ints32, relevant: Floats, cut: int) -> float:
    """The mean of the share of intents found and of nDCG whose gains are grades summed over intents, all equally likely."""
    best = np.sort(relevant.sum(axis=1))[::-1][:cut]
    ideal = math.fsum(discount(np.arange(1, len(best) + 1)) * best)
    ndcg = math.fsum(discount(ranks) * grades.sum(axis=1)) / ideal
    intents_found, intents = ((documents > 0).any(axis=0).sum() for documents in (grades, relevant))
    return float((intents_found / intents + ndcg) / 2)

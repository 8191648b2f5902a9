"""Measures by the intents of a topic, as ndeval and NTCIREVAL have them.

In place of a grade each document has a number here, by which its grades are found, one an intent; 0 is that of documents
relevant to none. Numbers of a topic's documents rise with their docnos: of equal gains ndeval takes the last docno's first.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

import numpy as np

from irci.base.types import Floats
from irci.kernels.measures import INFINITE
from irci.measures.scorers import JudgedLists

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


def _over_topics(of_topic: Callable[[Ranked, tuple[int, ...], int], float]) -> Callable[..., Floats]:
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


def _by_novelty(weight: Callable[[int], float]) -> Callable[..., Floats]:
    """Gains by intent, each (1 - alpha) to the power of how many documents above have it, weighted by rank, over the best."""

    def of_topic(ranked: Ranked, relevant: tuple[int, ...], cut: int) -> float:
        seen: dict[str, int] = {}
        total = 0.0
        for rank, grades in ranked:
            total += weight(rank) * sum((1 - ALPHA) ** seen.get(intent, 0) for intent in grades)
            seen |= {intent: seen.get(intent, 0) + 1 for intent in grades}
        return total / sum(weight(rank) * gain for rank, gain in enumerate(_best_gains(relevant, cut), 1))

    return _over_topics(of_topic)


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def _dsharp(ranked: Ranked, relevant: tuple[int, ...], cut: int) -> float:
    """The mean of the share of intents found and of nDCG whose gains are grades summed over intents, all equally likely."""
    found, intents = ({intent for grades in of for intent in grades}
                      for of in ([grades for _, grades in ranked], [_grades[number] for number in relevant]))  # fmt: skip
    best = sorted((sum(_grades[number].values()) for number in relevant), reverse=True)[:cut]
    ideal = sum(_discount(rank) * gain for rank, gain in enumerate(best, 1))
    ndcg = sum(_discount(rank) * sum(grades.values()) for rank, grades in ranked) / ideal
    return (len(found) / len(intents) + ndcg) / 2


alpha_ndcg = _by_novelty(_discount)
nerr_ia = _by_novelty(lambda rank: 1 / rank)
dsharp_ndcg = _over_topics(_dsharp)

"""Measures as plain transcriptions of their definitions, and what resampled documents make of them, copy by copy.

A ranking is a list of grades, None where a document is not judged and -1 where it is pooled but not judged; `missing` are the
grades of judged documents that it does not retrieve.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import naive
import numpy as np

Grade = int | None


@dataclass(frozen=True)
class Topic:
    """A ranking of one topic, the judged documents that it lacks, the relevance level and the highest grade of the scale."""

    ranking: tuple[Grade, ...]
    missing: tuple[int, ...]
    level: int = 1
    most: int = 3

    @cached_property
    def hits(self) -> list[int]:
        """1 for each relevant document retrieved, 0 for each other."""
        return [int(grade is not None and grade >= max(self.level, 0)) for grade in self.ranking]

    @cached_property
    def judged(self) -> list[int]:
        """All grades that are no -1."""
        return [grade for grade in (*self.ranking, *self.missing) if grade is not None and grade >= 0]

    @cached_property
    def num_relevant(self) -> int:
        """R."""
        return sum(grade >= self.level for grade in self.judged)

    @cached_property
    def gains(self) -> list[int]:
        """The grades retrieved, 0 for what is not judged."""
        return [max(grade or 0, 0) for grade in self.ranking]

    def resampled(self, copies: Sequence[int]) -> "Topic":
        """So many copies of each document, adjacent; those retrieved come first."""
        retrieved = [grade for grade, k in zip(self.ranking, copies, strict=False) for _ in range(k)]
        lacked = [grade for grade, k in zip(self.missing, copies[len(self.ranking) :], strict=True) for _ in range(k)]
        return Topic(tuple(retrieved), tuple(lacked), self.level, self.most)


def precision(topic: Topic, cut: int) -> float:
    """P."""
    return sum(topic.hits[:cut]) / cut


def recall(topic: Topic, cut: int) -> float:
    """Recall at a cut."""
    return sum(topic.hits[:cut]) / topic.num_relevant if topic.num_relevant else 0.0


def ap(topic: Topic, cut: int = 10**9) -> float:
    """AP, of the first `cut` documents."""
    return naive.average_precision(topic.hits[:cut], topic.num_relevant)


def reciprocal_rank(topic: Topic) -> float:
    """RR."""
    return 1 / (topic.hits.index(1) + 1) if any(topic.hits) else 0.0


def bpref(topic: Topic) -> float:
    """bpref."""
    r = topic.num_relevant
    nonrelevant = sum(grade < topic.level for grade in topic.judged)
    total, above = 0.0, 0
    for grade in topic.ranking:
        if grade is None or grade < 0:
            continue
        if grade >= topic.level:
            total += 1 - min(above, r) / min(r, nonrelevant) if above else 1.0
        else:
            above += 1
    return total / r if r else 0.0


def inferred_ap(topic: Topic) -> float:
    """infAP: precisions above a relevant document estimated from the judged part of the pool."""
    total = 0.0
    for place, hit in enumerate(topic.hits):
        if hit and place == 0:
            total += 1
        elif hit:
            above = topic.ranking[:place]
            pooled = sum(grade is not None for grade in above)
            relevant = sum(topic.hits[:place])
            nonrelevant = sum(grade is not None and 0 <= grade < topic.level for grade in above)
            share = (relevant + 1e-5) / (relevant + nonrelevant + 2e-5)
            total += 1 / (place + 1) + place / (place + 1) * pooled / place * share
    return total / topic.num_relevant if topic.num_relevant else 0.0


def interpolated(topic: Topic, recalls: Sequence[float]) -> float:
    """Mean of the interpolated precisions at these recalls."""
    found = np.cumsum(topic.hits)
    best = []
    for wanted in recalls:
        least = max(math.floor(wanted * topic.num_relevant + 0.5), 1)
        ranks = [rank for rank, hit in enumerate(topic.hits, 1) if hit and found[rank - 1] >= least]
        best.append(max((found[rank - 1] / rank for rank in ranks), default=0.0))
    return sum(best) / len(best)


def ndcg(topic: Topic, cut: int = 10**9, exponential: bool = False) -> float:
    """nDCG, whatever the level."""

    def gain(grade: int) -> int:
        return 2**grade - 1 if exponential else grade

    return naive.ndcg_at([gain(g) for g in topic.gains], [gain(g) for g in topic.judged], cut)


def rbp(topic: Topic, persistence: float) -> float:
    """RBP with grades over the topic's highest for gains."""
    most = max([1, *topic.judged])
    return (1 - persistence) * sum(gain / most * persistence**i for i, gain in enumerate(topic.gains))


def binary_gain(topic: Topic) -> float:
    """binG."""
    terms = [1 / math.log2(2 + place - sum(topic.hits[:place])) for place, hit in enumerate(topic.hits) if hit]
    return sum(terms) / topic.num_relevant if topic.num_relevant else 0.0


def normalised_gain(topic: Topic) -> float:
    """G: below the last document with a gain the best ranking gains 1 a rank."""
    ideal = sorted((grade for grade in topic.judged if grade > 0), reverse=True)
    total, gained = 0.0, 0
    for rank, gain in enumerate(topic.gains, 1):
        gained += gain
        if gain:
            best = sum(ideal[:rank]) + max(rank - len(ideal), 0)
            total += gain / math.log2(2 + best - gained)
    return total / sum(ideal) if ideal else 0.0


def _dcg(gains: Sequence[int], cut: int) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains[:cut]))


def ndcg_at_relevant(topic: Topic) -> float:
    """ndcg_rel."""
    ideal = sorted((grade for grade in topic.judged if grade > 0), reverse=True)
    ranks = [rank for rank, gain in enumerate(topic.gains, 1) if gain]
    ranks += [10**9] * (len(ideal) - len(ranks))
    return sum(_dcg(topic.gains, rank) / _dcg(ideal, rank) for rank in ranks) / len(ideal) if ideal else 0.0


def ndcg_at_levels(topic: Topic) -> float:
    """Rndcg."""
    ideal = sorted((grade for grade in topic.judged if grade > 0), reverse=True)
    if not ideal or not topic.num_relevant:
        return 0.0
    ranks = [rank for rank in range(1, len(ideal) + 1) if rank == len(ideal) or ideal[rank] != ideal[rank - 1]]
    ranks += [10**9] * (len(topic.ranking) > len(ideal) + 1)
    return sum(_dcg(topic.gains, rank) / _dcg(ideal, rank) for rank in ranks) / len(ranks)


def residual(topic: Topic, persistence: float) -> float:
    """rbp_resid."""
    holes = [place for place, grade in enumerate(topic.ranking) if grade is None or grade < 0]
    depth = len(topic.ranking)
    return persistence**depth + (1 - persistence) * sum(persistence**place for place in holes)


def judged_above(topic: Topic, cut: int) -> int:
    """Judged documents among the first."""
    return sum(grade is not None and grade >= 0 for grade in topic.ranking[:cut])


def set_f(topic: Topic, beta: float) -> float:
    """F of the set retrieved, as trec_eval weighs it."""
    if not any(topic.hits):
        return 0.0
    p, r = sum(topic.hits) / len(topic.hits), sum(topic.hits) / topic.num_relevant
    return (beta + 1) * p * r / (r + beta * p)


def _of_grades(function: Callable[..., float], cut: int = 10**9) -> Callable[[Topic], float]:
    def score(topic: Topic) -> float:
        ranking = [-1 if grade is None else grade for grade in topic.ranking]
        missing = [grade for grade in topic.missing if grade >= 0]
        return function(ranking, missing, cut, topic.level, topic.most)

    return score


# Each with what a resample must have to be kept: a relevant document, a gain, or nothing.
MEASURES: dict[str, tuple[Callable[[Topic], float], str]] = {
    "map": (ap, "relevant"),
    "map_cut_2": (lambda topic: ap(topic, 2), "relevant"),
    "Rprec": (lambda topic: recall(topic, topic.num_relevant), "relevant"),
    "bpref": (bpref, "relevant"),
    "recip_rank": (reciprocal_rank, ""),
    "iprec_at_recall_0.50": (lambda topic: interpolated(topic, [0.5]), "relevant"),
    "P_2": (lambda topic: precision(topic, 2), ""),
    "recall_2": (lambda topic: recall(topic, 2), "relevant"),
    "infAP": (inferred_ap, "relevant"),
    "11pt_avg": (lambda topic: interpolated(topic, [i / 10 for i in range(11)]), "relevant"),
    "ndcg": (ndcg, "gain"),
    "ndcg_cut_2": (lambda topic: ndcg(topic, 2), "gain"),
    "ndcg_exp_cut_2": (lambda topic: ndcg(topic, 2, True), "gain"),
    "success_2": (lambda topic: float(any(topic.hits[:2])), ""),
    "set_P": (lambda topic: sum(topic.hits) / len(topic.hits) if topic.hits else 0.0, ""),
    "set_recall": (lambda topic: recall(topic, 10**9), "relevant"),
    "set_F": (lambda topic: set_f(topic, 1), "relevant"),
    "rbp_p=0.8": (lambda topic: rbp(topic, 0.8), ""),
    "Q": (_of_grades(naive.q_measure), "relevant"),
    "Q_2": (_of_grades(naive.q_measure, 2), "relevant"),
    "Pplus": (_of_grades(naive.p_plus), ""),
    "ERR": (_of_grades(naive.err), ""),
    "nERR@2": (_of_grades(naive.nerr, 2), "gain at level"),
    "RR@2": (lambda topic: reciprocal_rank(topic) if any(topic.hits[:2]) else 0.0, ""),
    "Rprec_mult_0.60": (
        lambda topic: precision(topic, k) if (k := math.floor(0.6 * topic.num_relevant + 0.9)) else 0.0, "relevant",
    ),
    "utility": (lambda topic: 2.0 * sum(topic.hits) - len(topic.hits), ""),
    "binG": (binary_gain, "relevant"),
    "G": (normalised_gain, "gain"),
    "ndcg_rel": (ndcg_at_relevant, "gain"),
    "Rndcg": (ndcg_at_levels, "gain at level"),
    "relative_P_2": (lambda topic: sum(topic.hits[:2]) / min(2, topic.num_relevant), "relevant"),
    "set_relative_P": (
        lambda topic: sum(topic.hits) / min(len(topic.hits), topic.num_relevant) if topic.hits else 0.0, "relevant",
    ),
    "set_map": (
        lambda topic: sum(topic.hits) ** 2 / (len(topic.hits) * topic.num_relevant) if topic.hits else 0.0, "relevant",
    ),
    "rbp_resid_p=0.8": (lambda topic: residual(topic, 0.8), ""),
    "unj_5": (lambda topic: (min(len(topic.ranking), 5) - judged_above(topic, 5)) / 5, ""),
    "Judged@2": (
        lambda topic: judged_above(topic, 2) / min(len(topic.ranking), 2) if topic.ranking else 0.0, "",
    ),
    "RBP(p=0.8,rel=1)": (lambda topic: 0.2 * sum(hit * 0.8**place for place, hit in enumerate(topic.hits)), ""),
    "nDCG(dcg='exp-log2')": (lambda topic: ndcg(topic, 10**9, True), "gain"),
}  # fmt: skip


def is_defined(topic: Topic, needs: str) -> bool:
    """Whether a resample is kept."""
    if needs == "relevant":
        return topic.num_relevant > 0
    if needs == "gain at level":
        return any(grade >= max(topic.level, 1) for grade in topic.judged)
    return needs == "" or any(topic.judged)


def every_outcome(topic: Topic, most_copies: int) -> Iterator[tuple[Topic, float]]:
    """All resamples with so many copies of a document at most, and their probabilities."""
    poisson = [math.exp(-1) / math.factorial(k) for k in range(most_copies + 1)]
    for copies in itertools.product(range(most_copies + 1), repeat=len(topic.ranking) + len(topic.missing)):
        yield topic.resampled(copies), math.prod(poisson[k] for k in copies)

"""Measures of gain, discounted by rank or by what was missed, or averaged over ranks, added up in trec_eval's order.

They take `JudgedLists` as the kernels in `measures` do. Gains are grades; every positive one counts, whatever the level.
"""

import numpy as np

from irci.kernels.measures import best_gains, deepest
from irci.native.compiled import njit

COMMON_RANKS = 5000


@njit
def _best_gains(lists, topic, is_discounted):
    # Of all documents with a gain.
    gainful = (lists.ideal[lists.ideal_offsets[topic] : lists.ideal_offsets[topic + 1]] > 0).sum()
    return best_gains(lists, topic, gainful, is_discounted)


@njit
def binary_gain(lists):
    """binG: the mean over all R of 1 / log2(2 + documents above that are not relevant) of the relevant ones retrieved."""
    scores = np.zeros(len(lists.relevant))
    for topic in range(len(scores)):
        hits, total = 0, 0.0
        for i in range(lists.offsets[topic], lists.offsets[topic + 1]):
            if lists.grades[i] >= lists.level:
                hits += 1
                total += 1.0 / np.log2(2.0 + lists.ranks[i] - hits)
        if hits > 0:
            scores[topic] = total / lists.relevant[topic]
    return scores


@njit
def normalised_gain(lists):
    """G: the sum of gain / log2(2 + what the best ranking would have gained down to this rank - what this one has), over all
    there is to gain; below its last gainful document the best ranking is taken to gain 1 a rank."""
    scores = np.zeros(len(lists.relevant))
    for topic in range(len(scores)):
        best = _best_gains(lists, topic, False)
        gainful, gained, total = len(best) - 1, 0.0, 0.0
        for i in range(lists.offsets[topic], lists.offsets[topic + 1]):
            if lists.grades[i] > 0:
                gained += lists.grades[i]
                beyond = max(lists.ranks[i] - gainful, 0)
                missed = best[min(lists.ranks[i], gainful)] - gained
                total += lists.grades[i] / np.log2(2.0 + beyond + missed)
        if gainful > 0:
            scores[topic] = total / best[gainful]
    return scores


@njit
def gain_of(grade, exponential):
    """A grade's gain."""
    return 2.0**grade - 1.0 if exponential else float(grade)


@njit
def _discount(table, rank):
    return table[rank] if rank < len(table) else np.log2(rank + 1.0)


@njit
def ndcg(lists, cut, exponential):
    """Gains (grades, or 2^grade - 1) discounted by log2(rank + 1) down to rank `cut`, over those of the best ranking.

    Every positive grade counts, whatever the level, as in trec_eval.
    """
    scores = np.zeros(len(lists.relevant))
    # Of as many ranks as come often: each is looked up many times.
    discounts = np.log2(np.arange(min(deepest(lists), cut, COMMON_RANKS) + 1) + 1.0)
    for topic in range(len(scores)):
        total = 0.0
        for i in range(lists.offsets[topic], lists.offsets[topic + 1]):
            if lists.ranks[i] > cut:
                break
            if lists.grades[i] > 0:
                total += gain_of(lists.grades[i], exponential) / _discount(discounts, lists.ranks[i])
        best = 0.0
        first = lists.ideal_offsets[topic]
        for i in range(first, min(lists.ideal_offsets[topic + 1], first + cut)):
            best += gain_of(lists.ideal[i], exponential) / _discount(discounts, i - first + 1)
        if best > 0:
            scores[topic] = total / best
    return scores


@njit
def ndcg_at_relevant(lists):
    """ndcg_rel: the mean over the documents with a gain of the ndcg down to their ranks; for those not retrieved, of all."""
    scores = np.zeros(len(lists.relevant))
    for topic in range(len(scores)):
        best = _best_gains(lists, topic, True)
        gainful, hits, gained, total = len(best) - 1, 0, 0.0, 0.0
        for i in range(lists.offsets[topic], lists.offsets[topic + 1]):
            if lists.grades[i] > 0:
                hits += 1
                gained += lists.grades[i] / np.log2(lists.ranks[i] + 1.0)
                total += gained / best[min(lists.ranks[i], gainful)]
        if gainful > 0:
            scores[topic] = (total + (gainful - hits) * gained / best[gainful]) / gainful
    return scores


@njit
def ndcg_at_levels(lists):
    """Rndcg: the mean of ndcg down to the ranks at which the best ranking goes on to a lower gain (the last: to none), and, if
    more than one document is retrieved beyond, of all of it. 0 without relevant documents."""
    scores = np.zeros(len(lists.relevant))
    for topic in range(len(scores)):
        best = _best_gains(lists, topic, True)
        gainful, start = len(best) - 1, lists.ideal_offsets[topic]
        if lists.relevant[topic] == 0 or gainful == 0:
            continue
        i, points, gained, total = lists.offsets[topic], 0, 0.0, 0.0
        for rank in range(1, gainful + 1 + (lists.retrieved[topic] > gainful + 1)):
            if rank < gainful and lists.ideal[start + rank] == lists.ideal[start + rank - 1]:
                continue
            while i < lists.offsets[topic + 1] and (lists.ranks[i] <= rank or rank > gainful):
                if lists.grades[i] > 0:
                    gained += lists.grades[i] / np.log2(lists.ranks[i] + 1.0)
                i += 1
            total += gained / best[min(rank, gainful)]
            points += 1
        scores[topic] = total / points
    return scores

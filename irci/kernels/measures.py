"""Scores of rankings, added up in trec_eval's order so that they equal its doubles: each measure is a function of one topic,
and as a kernel takes the T topics of one run as `JudgedLists` and the measure's parameters, a tuple, and returns float64[T].

`JudgedLists` have offsets int64[T+1], ranks int32[...] and grades int64[...] of the judged documents retrieved; level, the
lowest relevant grade; retrieved, relevant and nonrelevant int64[T]; and the gains of the best ranking in descending order,
ideal int64[...] at ideal_offsets int64[T+1]. Gains are grades, or 2^grade - 1; every positive one counts, whatever the level.
"""

import math
from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.native.compiled import njit

INFINITE = 1 << 62
INFERENCE_EPSILON = 0.00001  # infAP's smoothing
# log2(rank + 1) of ranks that come often, from 0 on: by C's function, as those of other ranks in kernels.
LOGARITHMS = np.array([math.log2(rank + 1.0) for rank in range(1001)])


class Topic(NamedTuple):
    """What `JudgedLists` have of one topic. `relevant`: how many relevant documents there are, R."""

    ranks: Array[np.int32]
    grades: Array[np.int64]
    ideal: Array[np.int64]
    level: int
    retrieved: int
    relevant: int
    nonrelevant: int
    most: int


@njit
def topic_of(lists, topic):
    """One topic of `JudgedLists`."""
    documents = slice(lists.offsets[topic], lists.offsets[topic + 1])
    ideal = lists.ideal[lists.ideal_offsets[topic] : lists.ideal_offsets[topic + 1]]
    counts = lists.retrieved[topic], lists.relevant[topic], lists.nonrelevant[topic]
    return Topic(lists.ranks[documents], lists.grades[documents], ideal, lists.level, *counts, lists.most)


def over_topics(function):
    """A kernel that scores each topic by this function."""
    of_topic = njit(function)

    def scores(lists, parameters):
        scores = np.empty(len(lists.relevant))
        for topic in range(len(scores)):
            scores[topic] = of_topic(topic_of(lists, topic), *parameters)
        return scores

    for name in ("__module__", "__name__", "__qualname__", "__doc__"):  # it is found by
        setattr(scores, name, getattr(function, name))
    return njit(scores)


@njit
def share(part, whole):
    """0 where there is no whole."""
    return part / whole if whole > 0 else 0.0


@over_topics
def average_precision(topic, cut):
    """AP, or map_cut: precisions down to rank `cut` over all R."""
    hits, total = 0, 0.0
    for i, rank in enumerate(topic.ranks):
        if rank > cut:
            break
        if topic.grades[i] >= topic.level:
            hits += 1
            total += hits / rank
    return share(total, topic.relevant)


@over_topics
def interpolated_precision(topic, recalls):
    """The mean over recalls float64[k], ascending, of the highest precision at or below the rank where each is reached.

    iprec_at_recall with one recall, 11pt_avg with eleven. The number of relevant documents it takes is recall R rounded,
    halves up (trec_eval 10; earlier ones added .9). The sum runs from the highest recall down.
    """
    i, hits = len(topic.ranks) - 1, (topic.grades >= topic.level).sum()
    best, total = 0.0, 0.0
    for recall in recalls[::-1]:
        wanted = int(np.floor(recall * topic.relevant + 0.5))
        while i >= 0 and hits >= max(wanted, 1):
            if topic.grades[i] >= topic.level:
                best = max(best, hits / topic.ranks[i])
                hits -= 1
            i -= 1
        total += best
    return total / len(recalls)


@over_topics
def bpref(topic):
    """The mean over the relevant documents of the share of the first R judged non-relevant ones not ranked above."""
    above, total = 0, 0.0
    for grade in topic.grades:
        if grade >= topic.level:
            total += 1.0 - min(above, topic.relevant) / min(topic.relevant, topic.nonrelevant) if above > 0 else 1.0
        elif grade >= 0:
            above += 1
    return share(total, topic.relevant)


@over_topics
def inferred_ap(topic):
    """infAP, for pools of which a sample is judged (grades below 0: pooled, not judged)."""
    relevant = nonrelevant = unjudged = 0
    total = 0.0
    for i, grade in enumerate(topic.grades):
        if grade < 0:
            unjudged += 1
        elif grade < topic.level:
            nonrelevant += 1
        else:
            above = topic.ranks[i] - 1.0
            if above == 0:
                total += 1.0
            else:
                pooled = (relevant + nonrelevant + unjudged) / above
                precision = (relevant + INFERENCE_EPSILON) / (relevant + nonrelevant + 2 * INFERENCE_EPSILON)
                total += 1.0 / (above + 1.0) + above / (above + 1.0) * pooled * precision
            relevant += 1
    return share(total, topic.relevant)


@over_topics
def rank_biased_gain(topic, weights, binary):
    """The sum of gains weighted by rank, weights float64[deepest + 1]; gains are grades over the topic's highest, if that is
    above 1, as in trec_eval. Or, if binary, all relevant documents gain 1."""
    highest = max(topic.ideal[0], 1) if len(topic.ideal) > 0 else 1
    total = 0.0
    for i, rank in enumerate(topic.ranks):
        if binary:
            total += weights[rank] * (topic.grades[i] >= topic.level)
        elif topic.grades[i] > 0:
            total += topic.grades[i] / highest * weights[rank]
    return total


@njit
def log2_above(rank):
    """log2(rank + 1)."""
    return LOGARITHMS[rank] if rank < len(LOGARITHMS) else np.log2(rank + 1.0)


@njit
def best_gains(ideal, number, is_discounted):
    """The gains of so many documents, the best first, added up from 0 on, float64[number + 1]: as they are, or discounted by
    log2(rank + 1)."""
    best = np.zeros(min(number, len(ideal)) + 1)
    for rank in range(1, len(best)):
        best[rank] = best[rank - 1] + ideal[rank - 1] / (log2_above(rank) if is_discounted else 1.0)
    return best


@njit
def _blended_ratios(topic, cut):
    """The sum of the blended ratios at the relevant documents down to rank `cut`, and their number."""
    best = best_gains(topic.ideal, topic.relevant, False)
    hits, gained, total = 0, 0.0, 0.0  # sums of grades may pass any integer
    for i, rank in enumerate(topic.ranks):
        if rank > cut:
            break
        if topic.grades[i] >= topic.level:
            hits += 1
            gained += topic.grades[i]
            total += (hits + gained) / (rank + best[min(rank, len(best) - 1)])
    return total, hits


@over_topics
def q_measure(topic, cut):
    """Q: the mean over all R of the blended ratio (C + cg) / (rank + cg*) at the relevant documents."""
    return share(_blended_ratios(topic, cut)[0], topic.relevant)


@over_topics
def p_plus(topic, cut):
    """P+: the mean blended ratio down to the highest-ranked of the documents of highest gain among those down to `cut`."""
    preferred, highest = 0, -1
    for i, rank in enumerate(topic.ranks):
        if rank <= cut and topic.grades[i] >= topic.level and topic.grades[i] > highest:
            highest, preferred = topic.grades[i], rank
    total, hits = _blended_ratios(topic, preferred)
    return share(total, hits)


@over_topics
def expected_reciprocal_rank(topic, cut, stops, normalised):
    """ERR: sum of p / rank times the chance of not having stopped above, p = (2^grade - 1) / 2^highest; or that over the best
    ranking's. stops float64[...]: p by grade."""
    total, best, going_on = 0.0, 0.0, 1.0
    for i, rank in enumerate(topic.ranks):
        if rank <= cut and topic.grades[i] >= topic.level:
            stop = stops[topic.grades[i]]
            total += going_on * stop / rank
            going_on *= 1.0 - stop
    if not normalised:
        return total
    going_on = 1.0
    for i, grade in enumerate(topic.ideal[:cut]):
        if grade >= topic.level:
            best += going_on * stops[grade] / (i + 1.0)
            going_on *= 1.0 - stops[grade]
    return share(total, best)


@over_topics
def binary_gain(topic):
    """binG: the mean over all R of 1 / log2(2 + documents above that are not relevant) of the relevant ones retrieved."""
    hits, total = 0, 0.0
    for i, rank in enumerate(topic.ranks):
        if topic.grades[i] >= topic.level:
            hits += 1
            total += 1.0 / np.log2(2.0 + rank - hits)
    return share(total, topic.relevant)


@over_topics
def normalised_gain(topic):
    """G: the sum of gain / log2(2 + what the best ranking would have gained down to this rank - what this one has), over all
    there is to gain; below its last gainful document the best ranking is taken to gain 1 a rank."""
    gainful = (topic.ideal > 0).sum()
    best, gained, total = best_gains(topic.ideal, gainful, False), 0.0, 0.0
    for i, rank in enumerate(topic.ranks):
        if topic.grades[i] > 0:
            gained += topic.grades[i]
            missed = best[min(rank, gainful)] - gained
            total += topic.grades[i] / np.log2(2.0 + max(rank - gainful, 0) + missed)
    return share(total, best[gainful])


@njit
def gain_of(grade, exponential):
    """A grade's gain."""
    return 2.0**grade - 1.0 if exponential else float(grade)


@over_topics
def ndcg(topic, cut, exponential):
    """Gains discounted by log2(rank + 1) down to rank `cut`, over those of the best ranking."""
    total, best = 0.0, 0.0
    for i, rank in enumerate(topic.ranks):
        if rank > cut:
            break
        if topic.grades[i] > 0:
            total += gain_of(topic.grades[i], exponential) / log2_above(rank)
    for i, grade in enumerate(topic.ideal[:cut]):
        best += gain_of(grade, exponential) / log2_above(i + 1)
    return share(total, best)


@over_topics
def ndcg_at_relevant(topic):
    """ndcg_rel: the mean over the documents with a gain of the ndcg down to their ranks; for those not retrieved, of all."""
    gainful = (topic.ideal > 0).sum()
    best, hits, gained, total = best_gains(topic.ideal, gainful, True), 0, 0.0, 0.0
    if gainful == 0:
        return 0.0
    for i, rank in enumerate(topic.ranks):
        if topic.grades[i] > 0:
            hits += 1
            gained += topic.grades[i] / log2_above(rank)
            total += gained / best[min(rank, gainful)]
    return (total + (gainful - hits) * gained / best[gainful]) / gainful


@over_topics
def ndcg_at_levels(topic):
    """Rndcg: the mean of ndcg down to the ranks at which the best ranking goes on to a lower gain (the last: to none), and, if
    more than one document is retrieved beyond, of all of it. 0 without relevant documents."""
    gainful = (topic.ideal > 0).sum()
    if topic.relevant == 0 or gainful == 0:
        return 0.0
    best = best_gains(topic.ideal, gainful, True)
    i, points, gained, total = 0, 0, 0.0, 0.0
    for rank in range(1, gainful + 1 + (topic.retrieved > gainful + 1)):
        if rank < gainful and topic.ideal[rank] == topic.ideal[rank - 1]:
            continue
        while i < len(topic.ranks) and (topic.ranks[i] <= rank or rank > gainful):
            if topic.grades[i] > 0:
                gained += topic.grades[i] / log2_above(topic.ranks[i])
            i += 1
        total += gained / best[min(rank, gainful)]
        points += 1
    return total / points

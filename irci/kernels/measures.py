"""Scores of rankings, topic by topic, added up in trec_eval's order so that they equal its doubles.

Every kernel takes the T topics of one run as `JudgedLists` and returns float64[T]; a topic without relevant documents
scores 0. `lists` has offsets int64[T+1], ranks int32[...] and grades int64[...] of the judged documents retrieved; level, the
lowest relevant grade; retrieved, relevant and nonrelevant int64[T]; and the relevant documents' gains in descending order,
ideal int64[...] at ideal_offsets int64[T+1]. The helpers each look at one topic.
"""

import numpy as np

from irci.native.compiled import njit

INFINITE = 1 << 62
INFERENCE_EPSILON = 0.00001  # infAP's smoothing


@njit
def average_precision(lists, cut):
    """AP, or map_cut: precisions down to rank `cut` over all R."""
    scores = np.zeros(len(lists.relevant))
    for topic in range(len(scores)):
        hits, total = 0, 0.0
        for i in range(lists.offsets[topic], lists.offsets[topic + 1]):
            if lists.ranks[i] > cut:
                break
            if lists.grades[i] >= lists.level:
                hits += 1
                total += hits / lists.ranks[i]
        if lists.relevant[topic] > 0:
            scores[topic] = total / lists.relevant[topic]
    return scores


@njit
def interpolated_precision(lists, recalls):
    """The mean over recalls float64[k], ascending, of the highest precision at or below the rank where each is reached.

    iprec_at_recall with one recall, 11pt_avg with eleven. The number of relevant documents it takes is recall R rounded,
    halves up (trec_eval 10; earlier ones added .9). The sum runs from the highest recall down.
    """
    scores = np.zeros(len(lists.relevant))
    for topic in range(len(scores)):
        i = lists.offsets[topic + 1] - 1
        hits = (lists.grades[lists.offsets[topic] : i + 1] >= lists.level).sum()
        best, total = 0.0, 0.0
        for k in range(len(recalls) - 1, -1, -1):
            wanted = int(np.floor(recalls[k] * lists.relevant[topic] + 0.5))
            while i >= lists.offsets[topic] and hits >= max(wanted, 1):
                if lists.grades[i] >= lists.level:
                    best = max(best, hits / lists.ranks[i])
                    hits -= 1
                i -= 1
            total += best
        scores[topic] = total / len(recalls)
    return scores


@njit
def bpref(lists):
    """The mean over the relevant documents of the share of the first R judged non-relevant ones not ranked above."""
    scores = np.zeros(len(lists.relevant))
    for topic in range(len(scores)):
        r = lists.relevant[topic]
        possible = min(r, lists.nonrelevant[topic])
        above, total = 0, 0.0
        for i in range(lists.offsets[topic], lists.offsets[topic + 1]):
            if lists.grades[i] >= lists.level:
                total += 1.0 - min(above, r) / possible if above > 0 else 1.0
            elif lists.grades[i] >= 0:
                above += 1
        if r > 0:
            scores[topic] = total / r
    return scores


@njit
def inferred_ap(lists):
    """infAP, for pools of which a sample is judged (grades below 0: pooled, not judged)."""
    scores = np.zeros(len(lists.relevant))
    for topic in range(len(scores)):
        relevant = nonrelevant = unjudged = 0
        total = 0.0
        for i in range(lists.offsets[topic], lists.offsets[topic + 1]):
            if lists.grades[i] < 0:
                unjudged += 1
            elif lists.grades[i] < lists.level:
                nonrelevant += 1
            else:
                above = lists.ranks[i] - 1.0
                if above == 0:
                    total += 1.0
                else:
                    pooled = (relevant + nonrelevant + unjudged) / above
                    share = (relevant + INFERENCE_EPSILON) / (relevant + nonrelevant + 2 * INFERENCE_EPSILON)
                    total += 1.0 / (above + 1.0) + above / (above + 1.0) * pooled * share
                relevant += 1
        if lists.relevant[topic] > 0:
            scores[topic] = total / lists.relevant[topic]
    return scores


@njit
def deepest(lists):
    """The lowest rank of a judged document, 0 without any."""
    return lists.ranks.max() if len(lists.ranks) > 0 else 0


@njit
def rank_biased_precision(lists, persistence, binary):
    """(1 - p) times the sum of p^(rank - 1) gain; gains are grades, over the topic's highest if that is above 1: every
    positive grade counts, whatever the level, as in trec_eval. Or, if binary, all relevant documents gain 1."""
    scores = np.zeros(len(lists.relevant))
    weights = np.ones(deepest(lists) + 1)  # p^(rank - 1) by rank
    for rank in range(2, len(weights)):
        weights[rank] = weights[rank - 1] * persistence
    for topic in range(len(scores)):
        first = lists.ideal_offsets[topic]
        highest = lists.ideal[first] if first < lists.ideal_offsets[topic + 1] else 0
        total = 0.0
        for i in range(lists.offsets[topic], lists.offsets[topic + 1]):
            if binary:
                total += weights[lists.ranks[i]] * (lists.grades[i] >= lists.level)
            elif lists.grades[i] > 0:
                total += lists.grades[i] / max(highest, 1) * weights[lists.ranks[i]]
        scores[topic] = (1.0 - persistence) * total
    return scores


@njit
def best_gains(lists, topic, number, is_discounted):
    """The gains of so many documents, the topic's best first, added up from 0 on, float64[number + 1]: as they are, or
    discounted by log2(rank + 1)."""
    first = lists.ideal_offsets[topic]
    best = np.zeros(min(number, lists.ideal_offsets[topic + 1] - first) + 1)
    for rank in range(1, len(best)):
        best[rank] = best[rank - 1] + lists.ideal[first + rank - 1] / (np.log2(rank + 1.0) if is_discounted else 1.0)
    return best


@njit
def _blended_ratios(lists, topic, cut, beta):
    """The sum of the blended ratios at the relevant documents down to rank `cut`, and their number."""
    best = best_gains(lists, topic, lists.relevant[topic], False)
    hits, gained, total = 0, 0.0, 0.0  # sums of grades may pass any integer
    for i in range(lists.offsets[topic], lists.offsets[topic + 1]):
        if lists.ranks[i] > cut:
            break
        if lists.grades[i] >= lists.level:
            hits += 1
            gained += lists.grades[i]
            total += (hits + beta * gained) / (lists.ranks[i] + beta * best[min(lists.ranks[i], len(best) - 1)])
    return total, hits


@njit
def q_measure(lists, cut, beta):
    """Q: the mean over all R of the blended ratio (C + beta cg) / (rank + beta cg*) at the relevant documents."""
    scores = np.zeros(len(lists.relevant))
    for topic in range(len(scores)):
        if lists.relevant[topic] > 0:
            scores[topic] = _blended_ratios(lists, topic, cut, beta)[0] / lists.relevant[topic]
    return scores


@njit
def p_plus(lists, cut, beta):
    """P+: the mean blended ratio down to the highest-ranked of the documents of highest gain among those down to `cut`."""
    scores = np.zeros(len(lists.relevant))
    for topic in range(len(scores)):
        preferred = 0
        highest = -1
        for i in range(lists.offsets[topic], lists.offsets[topic + 1]):
            if lists.ranks[i] <= cut and lists.grades[i] >= lists.level and lists.grades[i] > highest:
                highest = lists.grades[i]
                preferred = lists.ranks[i]
        if preferred > 0:
            total, hits = _blended_ratios(lists, topic, preferred, beta)
            scores[topic] = total / hits
    return scores


@njit
def expected_reciprocal_rank(lists, cut, normalised):
    """ERR: sum of p / rank times the chance of not having stopped above, p = (2^grade - 1) / 2^highest; or that over the best
    ranking's."""
    scores = np.zeros(len(lists.relevant))
    highest = max(lists.grades.max() if len(lists.grades) > 0 else 0, lists.ideal.max() if len(lists.ideal) > 0 else 0)
    stops = np.array([(2.0**grade - 1.0) / 2.0**lists.most for grade in range(highest + 1)])
    for topic in range(len(scores)):
        going_on = 1.0
        for i in range(lists.offsets[topic], lists.offsets[topic + 1]):
            if lists.ranks[i] <= cut and lists.grades[i] >= lists.level:
                stop = stops[lists.grades[i]]
                scores[topic] += going_on * stop / lists.ranks[i]
                going_on *= 1.0 - stop
        if normalised:
            best, going_on = 0.0, 1.0
            first = lists.ideal_offsets[topic]
            for i in range(first, min(lists.ideal_offsets[topic + 1], first + cut)):
                if lists.ideal[i] >= lists.level:
                    stop = stops[lists.ideal[i]]
                    best += going_on * stop / (i - first + 1.0)
                    going_on *= 1.0 - stop
            scores[topic] = scores[topic] / best if best > 0 else 0.0
    return scores

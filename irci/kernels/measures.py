"""Scores of rankings, added up in trec_eval's order so that they equal its doubles."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def average_precision(offsets, ranks, num_relevant):
    """AP float64[T] of T rankings whose relevant documents stand at ranks[offsets[t]:offsets[t+1]] (0 where R = 0)."""
    topics = len(num_relevant)
    scores = np.zeros(topics)
    for topic in range(topics):
        if num_relevant[topic] == 0:
            continue
        precisions = 0.0
        for i in range(offsets[topic], offsets[topic + 1]):
            precisions += (i - offsets[topic] + 1) / ranks[i]
        scores[topic] = precisions / num_relevant[topic]
    return scores


@njit(cache=True, nogil=True)
def precision(offsets, ranks, cuts):
    """The share float64[T] of relevant documents among the first cuts[t] (0 where that is 0)."""
    topics = len(cuts)
    scores = np.zeros(topics)
    for topic in range(topics):
        found = 0
        for i in range(offsets[topic], offsets[topic + 1]):
            found += ranks[i] <= cuts[topic]
        if cuts[topic] > 0:
            scores[topic] = found / cuts[topic]
    return scores


@njit(cache=True, nogil=True)
def ndcg(offsets, ranks, classes, gains, counts, cut):
    """nDCG float64[T] at a cut: gains discounted by log2(rank + 1), over those of the best ranking (0 where these are 0).

    ranks and classes as in `RelevantRanks`; gains float64[G], ascending; counts int64[T, G].
    """
    topics = len(counts)
    scores = np.zeros(topics)
    for topic in range(topics):
        found = 0.0
        for i in range(offsets[topic], offsets[topic + 1]):
            if ranks[i] <= cut:
                found += gains[classes[i]] / np.log2(ranks[i] + 1.0)
        ideal = 0.0
        rank = 0
        for which in range(len(gains) - 1, -1, -1):
            for _ in range(min(counts[topic, which], cut - rank)):
                rank += 1
                ideal += gains[which] / np.log2(rank + 1.0)
        if ideal > 0:
            scores[topic] = found / ideal
    return scores

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

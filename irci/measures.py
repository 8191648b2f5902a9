"""Scores of runs, as trec_eval computes them."""

import numpy as np
from numpy.typing import NDArray

from irci.collection import RelevantRanks
from irci.kernels.measures import average_precision as _average_precision


def average_precision(lists: RelevantRanks) -> NDArray[np.float64]:
    """AP float64[T] in [0, 1]: the mean over the relevant documents of the precision at their ranks.

    A topic without relevant documents scores 0, as in trec_eval's `map`.
    """
    scores: NDArray[np.float64] = _average_precision(lists.offsets, lists.ranks, lists.num_relevant)
    return scores


def mean_over_topics(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean over the first axis, added up in topic order as trec_eval does (numpy's pairwise sum may differ)."""
    total = np.zeros(scores.shape[1:])
    for of_topic in scores:
        total = total + of_topic
    return total / len(scores)

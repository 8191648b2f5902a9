"""Influence of single documents on AP: the jackknife's differences and the infinitesimal jackknife's derivatives.

`lists`: where the relevant documents of T topics stand, as in `collection.RelevantRanks`; ap float64[T]: their AP.
"""

import numpy as np

from irci.kernels.shapes import expect, expect_groups
from irci.native.compiled import njit


@njit(cache=True, nogil=True)
def ap_acceleration(lists, ap):
    """BCa's acceleration float64[T], sum d^3 / (6 (sum d^2)^1.5) over d = AP - AP without one document.

    Over all retrieved documents and the relevant ones that are not; those of one gap share a value. Below the last
    relevant document d = 0; where R = 1 the relevant document is skipped. nan where every d is 0.
    """
    offsets, ranks = lists.offsets, lists.ranks
    topics = len(ap)
    expect_groups(offsets, topics, len(ranks))
    expect(len(lists.counts) == topics)
    acceleration = np.full(topics, np.nan)
    for topic in range(topics):
        r = lists.counts[topic].sum()
        first, last = offsets[topic], offsets[topic + 1]
        squares = cubes = 0.0
        # From the bottom: what the relevant documents below add with their rank as it is, and moved up by one.
        below = below_moved = below_moved_one_less = 0.0
        for i in range(last - 1, first - 1, -1):
            found = i - first + 1.0
            rank = float(ranks[i])
            above = ap[topic] * r - below - found / rank
            if r > 1:
                d = ap[topic] - (above + below_moved_one_less) / (r - 1)
                squares += d * d
                cubes += d * d * d
            below += found / rank
            gap = ranks[i] - (ranks[i - 1] if i > first else 0) - 1
            if rank > 1:
                below_moved += found / (rank - 1)
                below_moved_one_less += (found - 1) / (rank - 1)
            d = (below - below_moved) / r
            squares += gap * d * d
            cubes += gap * d * d * d
        if r > 1:
            d = -ap[topic] / (r - 1)
            unretrieved = r - (last - first)
            squares += unretrieved * d * d
            cubes += unretrieved * d * d * d
        if squares > 0:
            acceleration[topic] = cubes / (6 * squares**1.5)
    return acceleration


@njit(cache=True, nogil=True)
def ap_delta_sd(lists, ap):
    """The infinitesimal jackknife's sd of AP* float64[T]: the root of the sum of squared derivatives of AP by the documents'
    weights, each weight having the variance 1 of a Poisson(1) count (0 where R = 0)."""
    offsets, ranks = lists.offsets, lists.ranks
    topics = len(ap)
    expect_groups(offsets, topics, len(ranks))
    expect(len(lists.counts) == topics)
    sd = np.zeros(topics)
    for topic in range(topics):
        r = lists.counts[topic].sum()
        if r == 0:
            continue
        first, last = offsets[topic], offsets[topic + 1]
        squares = (r - (last - first)) * ap[topic] ** 2
        # Derivatives of the precisions at and below a document by its weight, if it is non-relevant and if relevant.
        falls = rises = 0.0
        for i in range(last - 1, first - 1, -1):
            precision = (i - first + 1.0) / ranks[i]
            falls -= precision / ranks[i]
            rises += (1.0 - precision) / ranks[i]
            squares += (precision + rises - ap[topic]) ** 2
            squares += (ranks[i] - (ranks[i - 1] if i > first else 0) - 1) * falls**2
        sd[topic] = np.sqrt(squares) / r
    return sd

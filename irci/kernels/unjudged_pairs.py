"""Unjudged documents of two runs, found in both or in one: a document has the same grade wherever it is retrieved.

A run's unjudged documents come as offsets int64[T+1] and, in ascending order within a topic, their numbers int64[...] (those
of `data.retrieved`), beside which stands what a document counts there, float64[...].
"""

import numpy as np

from irci.kernels.shapes import expect, expect_groups
from irci.native.compiled import njit


@njit(cache=True, nogil=True)
def union_sizes(offsets, numbers, other_offsets, other_numbers):
    """int64[T]: how many documents are unjudged in either run."""
    topics = len(offsets) - 1
    expect_groups(offsets, topics, len(numbers))
    expect_groups(other_offsets, topics, len(other_numbers))
    sizes = np.zeros(topics, np.int64)
    for topic in range(topics):
        i, end = offsets[topic], offsets[topic + 1]
        j, other_end = other_offsets[topic], other_offsets[topic + 1]
        sizes[topic] = end - i + other_end - j
        while i < end and j < other_end:
            sizes[topic] -= numbers[i] == other_numbers[j]
            step = numbers[i] <= other_numbers[j]
            j += numbers[i] >= other_numbers[j]
            i += step
    return sizes


@njit(cache=True, nogil=True)
def weight_differences(offsets, numbers, weights, other_offsets, other_numbers, other_weights):
    """Counts of each document unjudged in either run, in the first less in the second: where topics
    begin, int64[T+1], and float64[...], ascending within a topic."""
    sizes = union_sizes(offsets, numbers, other_offsets, other_numbers)
    expect(len(weights) == len(numbers) and len(other_weights) == len(other_numbers))
    edges = np.zeros(len(sizes) + 1, np.int64)
    edges[1:] = np.cumsum(sizes)
    differences = np.empty(edges[-1])
    for topic in range(len(sizes)):
        i, end = offsets[topic], offsets[topic + 1]
        j, other_end = other_offsets[topic], other_offsets[topic + 1]
        for place in range(edges[topic], edges[topic + 1]):
            is_first = i < end and (j >= other_end or numbers[i] <= other_numbers[j])
            is_second = j < other_end and (i >= end or other_numbers[j] <= numbers[i])
            difference = 0.0
            if is_first:
                difference += weights[i]
                i += 1
            if is_second:
                difference -= other_weights[j]
                j += 1
            differences[place] = difference
        differences[edges[topic] : edges[topic + 1]].sort()
    return edges, differences


def signed_sums(offsets, values):
    """Sums of the negative and of the positive values, float64[T] each, of values float64[...] at offsets int64[T+1]."""
    topics = len(offsets) - 1
    expect_groups(offsets, topics, len(values))
    topic = np.repeat(np.arange(topics), np.diff(offsets))
    return np.bincount(topic, np.minimum(values, 0.0), topics), np.bincount(topic, np.maximum(values, 0.0), topics)

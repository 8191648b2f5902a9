"""Two topic sets a trial: the means of all systems over a set, and how often the second set contradicts the first."""

import math

import numpy as np

from irci.native.compiled import njit

AT_ONCE = 128  # topics added up by themselves, so that rounding does not grow with the size of a set


@njit(cache=True, nogil=True)
def means_over_sets(by_topic, sets, means):
    """Fill means float64[K, m] with those of by_topic float64[T, m] over the topics of sets int64[K, c]."""
    size = sets.shape[1]
    some = np.empty(by_topic.shape[1])
    for trial in range(len(sets)):
        total = means[trial]
        total[:] = 0.0
        for first in range(0, size, AT_ONCE):
            some[:] = 0.0
            for i in range(first, min(first + AT_ONCE, size)):
                of_topic = by_topic[sets[trial, i]]
                for system in range(len(some)):
                    some[system] += of_topic[system]
            for system in range(len(some)):
                total[system] += some[system]
        for system in range(len(total)):
            total[system] /= size


@njit(cache=True, nogil=True)
def count_swaps(first, second, nothing, relative, width, slack, comparisons, swaps):
    """Add to comparisons and swaps int64[bins] all pairs of systems in all trials, by the difference on the first set.

    first, second float64[K, m]: means on both sets; differences of no more than `nothing` swap with none. Bins are `width`
    wide, the last one open; a difference within the share `slack` of a bin's lower edge is in it. `relative`: differences are
    shares of the larger mean.
    """
    last = len(comparisons) - 1
    for trial in range(len(first)):
        one, other = first[trial], second[trial]
        for a in range(len(one)):
            for b in range(a + 1, len(one)):
                difference, again = one[a] - one[b], other[a] - other[b]
                size = abs(difference)
                if relative:
                    size /= max(one[a], one[b], nothing)
                place = int(min(math.floor(size / width + slack), last))
                comparisons[place] += 1
                if difference * again < 0 and min(abs(difference), abs(again)) > nothing:
                    swaps[place] += 1

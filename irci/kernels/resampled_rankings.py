"""What is made of a ranking's resamples, which lie side by side: scores, added up, or the rankings, written down copy by copy
for whatever scores rankings.

What stands between two documents that matter counts only through its total, and so do neighbours of one class; so a ranking
is a sequence of steps: ranks that non-relevant copies take, and then those of a class. With n entries so far, F of them
non-relevant, a step of K copies adds `sum_{j=1..K} (n - F + j)/(n + j) = K - F (H[n + K] - H[n])` to the sum of precisions;
the other measures need only where a step begins and ends. Each is added over all lanes, by vector instructions.
"""

from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.generator import LANES
from irci.native.compiled import njit

# What becomes of a resample: a score that is added up, or a list that is written down. The others than AP are cut at a rank.
AVERAGE_PRECISION, PRECISION, R_PRECISION, NDCG, WRITTEN_DOWN = range(5)
AHEAD = 4  # copies that are written at a time, whether there are so many or not: a branch taken at random costs more


class Scoring(NamedTuple):
    """A way of scoring: `measure`, one of the five above, and `cut`, the rank it is cut at (P, nDCG).

    `gains` float64[G], ascending: the grades of the classes of documents that matter. A resample without a document of the
    classes from `needed` on is drawn again (G: none is). `cumulative` float64[...]: the harmonic numbers H_0 = 0, H_1, ...
    for AP, for nDCG the cumulative discounts up to the cut, else unused.
    """

    measure: int
    cut: int
    gains: Array[np.float64]
    needed: int
    cumulative: Array[np.float64]


class Steps(NamedTuple):
    """A block of resamples of one ranking, by lane: the entries before and after each step's copies, int32[..., LANES], and
    their class, int64[...]; all entries and the copies in the collection of the classes that are needed, int32[LANES], and of
    each class, int32[G, LANES]."""

    begins: Array[np.int32]
    ends: Array[np.int32]
    classes: Array[np.int64]
    retrieved: Array[np.int32]
    relevant: Array[np.int32]
    copies: Array[np.int32]


class ResampledLists(NamedTuple):
    """L resampled rankings, in any order: of the i-th, offsets int64[L+1] say where the judged documents' ranks int32[...]
    (from 1, ascending) and grades int64[...] are; retrieved int64[L] are all copies retrieved, copies int64[L, G] those of
    each class in the collection; place int64[L] says whose scores are theirs: where in scores[rankings, resamples]."""

    offsets: Array[np.int64]
    ranks: Array[np.int32]
    grades: Array[np.int64]
    retrieved: Array[np.int64]
    copies: Array[np.int64]
    place: Array[np.int64]


@njit
def room_for_steps(most, classes):
    """Room for so many steps."""
    return Steps(
        np.empty((most, LANES), np.int32),
        np.empty((most, LANES), np.int32),
        np.empty(most, np.int64),
        np.empty(LANES, np.int32),
        np.empty(LANES, np.int32),
        np.empty((classes, LANES), np.int32),
    )


@njit
def room_for_lists(scoring, number):
    """Room for so many lists, if these are written down, but not yet for their documents."""
    number, classes = number if scoring.measure == WRITTEN_DOWN else 0, len(scoring.gains)
    return ResampledLists(
        np.zeros(number + 1, np.int64),
        np.empty(0, np.int32),
        np.empty(0, np.int64),
        np.empty(number, np.int64),
        np.empty((number, classes), np.int64),
        np.empty(number, np.int64),
    )


@njit
def count_relevant(needed, copies, relevant):
    """Add the copies of the classes that are needed up."""
    relevant[:] = 0
    for kind in range(needed, len(copies)):
        for lane in range(LANES):
            relevant[lane] += copies[kind, lane]


@njit
def _ideal_gains(lanes, gains, discount, copies):
    # The discounted gains of the best ranking of all copies: highest gains first.
    last = len(discount) - 1
    ideal = np.zeros(LANES)
    for lane in range(lanes):
        placed = 0
        for kind in range(len(gains) - 1, -1, -1):
            begin = min(placed, last)
            placed += copies[kind, lane]
            ideal[lane] += gains[kind] * (discount[min(placed, last)] - discount[begin])
    return ideal


@njit
def divisors(lanes, scoring, steps):
    """What each lane's sum is divided by, float64[LANES]; 0 where the score is undefined."""
    if scoring.measure == NDCG:
        return _ideal_gains(lanes, scoring.gains, scoring.cumulative, steps.copies)
    if scoring.measure == PRECISION:
        return np.full(LANES, float(scoring.cut))
    return steps.relevant.astype(np.float64)


@njit
def _add_precisions(lanes, harmonic, begin, end, hits, difference, sums):
    for lane in range(lanes):
        difference[lane] = harmonic[np.uint32(end[lane])] - harmonic[np.uint32(begin[lane])]
    for lane in range(lanes):
        sums[lane] += (end[lane] - begin[lane]) - (begin[lane] - hits[lane]) * difference[lane]
        hits[lane] += end[lane] - begin[lane]


@njit
def _add_up(lanes, scoring, steps, number):
    """Each lane's sum over so many steps, float64[LANES]."""
    measure, gains, cumulative = scoring.measure, scoring.gains, scoring.cumulative
    begins, ends, classes = steps.begins, steps.ends, steps.classes
    sums, difference, hits = np.zeros(LANES), np.empty(LANES), np.zeros(LANES, np.int32)
    cuts = steps.relevant if measure == R_PRECISION else np.full(LANES, min(scoring.cut, 2**31 - 1), np.int32)
    last = len(cumulative) - 1
    for step in range(number):
        begin, end = begins[step], ends[step]
        if measure == AVERAGE_PRECISION:
            _add_precisions(lanes, cumulative, begin, end, hits, difference, sums)
        elif measure == NDCG:
            gain = gains[classes[step]]
            for lane in range(lanes):
                sums[lane] += gain * (cumulative[min(end[lane], last)] - cumulative[min(begin[lane], last)])
        else:
            for lane in range(lanes):
                sums[lane] += min(end[lane], cuts[lane]) - min(begin[lane], cuts[lane])
    return sums


@njit
def _with_room(lists, needed):
    if needed <= len(lists.ranks):
        return lists
    ranks = np.concatenate((lists.ranks, np.empty(needed, np.int32)))
    grades = np.concatenate((lists.grades, np.empty(needed, np.int64)))
    return ResampledLists(lists.offsets, ranks, grades, lists.retrieved, lists.copies, lists.place)


@njit
def _write_list(lane, gains, steps, number, lists, done):
    # Behind those that are written, with room for AHEAD more copies.
    ranks, grades = lists.ranks, lists.grades
    begins, ends, classes = steps.begins, steps.ends, steps.classes
    used = lists.offsets[done]
    for step in range(number):
        rank = begins[step, lane]
        grade = np.int64(gains[classes[step]])
        for i in range(AHEAD):
            ranks[used + i] = rank + 1 + i
            grades[used + i] = grade
        count = ends[step, lane] - rank
        for i in range(AHEAD, count):
            ranks[used + i] = rank + 1 + i
            grades[used + i] = grade
        used += count
    lists.offsets[done + 1] = used
    lists.retrieved[done] = steps.retrieved[lane]
    for kind in range(len(steps.copies)):
        lists.copies[done, kind] = steps.copies[kind, lane]


@njit(error_model="numpy")
def settle(lanes, scoring, steps, number, divisor, places, scores, lists, done):
    """Score the rankings of so many lanes, of so many steps, or write them down behind so many that are in the lists.

    divisor float64[LANES]: what sums are divided by; places int64[LANES]: where in all of scores[rankings, resamples] a lane's
    score goes, below 0 if nowhere. Returns the lists, which are larger ones where there was no room, and how many these are.
    """
    if scoring.measure == WRITTEN_DOWN:
        copies = (steps.ends[:number, :lanes] - steps.begins[:number, :lanes]).sum()
        lists = _with_room(lists, lists.offsets[done] + copies + AHEAD)
        for lane in range(lanes):
            if places[lane] >= 0:
                _write_list(lane, scoring.gains, steps, number, lists, done)
                lists.place[done] = places[lane]
                done += 1
        return lists, done
    sums, flat = _add_up(lanes, scoring, steps, number), scores.ravel()
    for lane in range(lanes):
        if places[lane] >= 0:
            flat[places[lane]] = sums[lane] / divisor[lane]
    return lists, done


@njit
def written(lists, done):
    """So many lists, without the room behind them."""
    used = lists.offsets[done]
    return ResampledLists(
        lists.offsets[: done + 1],
        lists.ranks[:used],
        lists.grades[:used],
        lists.retrieved[:done],
        lists.copies[:done],
        lists.place[:done],
    )

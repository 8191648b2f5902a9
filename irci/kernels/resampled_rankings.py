"""Rankings under resampled documents, written down copy by copy, for whatever scores rankings.

`corpus_bootstrap` adds a score up while it draws; here the copies of judged documents are listed with their ranks, as
`measures` takes them. Draws and streams are the same: a resample holds the same ranking in both.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from irci.kernels.corpus_bootstrap import STEP_ENDS, UNRETRIEVED, WIDTH, advance, count_unretrieved, most_steps_of
from irci.kernels.generator import LANES, STATE_WORDS, draw, seed_lanes
from irci.kernels.jit import njit
from irci.kernels.poisson_tables import look_up

AHEAD = 4  # copies that are written at a time, whether there are so many or not: a branch taken at random costs more


class ResampledLists(NamedTuple):
    """L resampled rankings, in any order: of the i-th, offsets int64[L+1] say where the judged documents' ranks int32[...]
    (from 1, ascending) and grades int64[...] are; retrieved int64[L] are all copies retrieved, copies int64[L, G] those of
    each class in the collection; place int64[L] says which ranking and resample it is: ranking * resamples + resample."""

    offsets: NDArray[np.int64]
    ranks: NDArray[np.int32]
    grades: NDArray[np.int64]
    retrieved: NDArray[np.int64]
    copies: NDArray[np.int64]
    place: NDArray[np.int64]


@njit(cache=True, nogil=True)
def with_room(array, needed):
    """The array, or if it has no room for so many elements a larger one that begins like it."""
    if needed <= len(array):
        return array
    larger = np.empty(2 * needed, array.dtype)
    larger[: len(array)] = array
    return larger


@njit(cache=True, nogil=True)
def write_copies(lane, steps, step_grade, begins, ends, ranks, grades, used):
    """Write one lane's copies of judged documents; return where they end. There is room for AHEAD more."""
    for step in range(steps):
        rank = begins[step, lane]
        grade = step_grade[step]
        for i in range(AHEAD):
            ranks[used + i] = rank + 1 + i
            grades[used + i] = grade
        count = ends[step, lane] - rank
        for i in range(AHEAD, count):
            ranks[used + i] = rank + 1 + i
            grades[used + i] = grade
        used += count
    return used


@njit(cache=True, nogil=True)
def _count_retrieved(lanes, before, after, total):
    for lane in range(lanes):
        total[lane] += after[lane] - before[lane]


@njit(cache=True, nogil=True)
def _is_defined(lane, total, needed):
    """Whether there is a copy of a document of one of the classes from `needed` on; always if there is no such class."""
    found = 0
    for which in range(needed, len(total)):
        found += total[which, lane]
    return found > 0 or needed == len(total)


@njit(cache=True, nogil=True)
def resample_lists(class_grade, needed, tables, plan, streams, rankings, resamples, expected):
    """The rankings [rankings[0], rankings[1]) of a plan under the resamples [resamples[0], resamples[1]), as ResampledLists.

    class_grade int64[G]: the grade of each class. A resample without a document of the classes from `needed` on is drawn
    again (needed = G: none is). tables: AliasTables, in which the lookups of plan: Plan are; streams: Streams; expected: how
    many copies there will be, about.
    """
    actions, classes, offsets = plan.actions, plan.classes, plan.offsets
    number = (rankings[1] - rankings[0]) * (resamples[1] - resamples[0])
    list_offsets = np.zeros(number + 1, np.int64)
    ranks = np.empty(expected + AHEAD, np.int32)
    grades = np.empty(expected + AHEAD, np.int64)
    retrieved = np.empty(number, np.int64)
    copies = np.empty((number, len(class_grade)), np.int64)
    place = np.empty(number, np.int64)
    state = np.empty((STATE_WORDS, LANES), np.uint64)
    bits = np.empty(LANES, np.uint64)
    packed = np.zeros(LANES, np.uint32)
    irrelevant = np.empty(LANES, np.int32)
    before = np.empty(LANES, np.int32)
    after = np.empty(LANES, np.int32)
    total = np.empty((len(class_grade), LANES), np.int32)
    resample = np.empty(LANES, np.int64)
    most_steps = most_steps_of(offsets[rankings[0] : rankings[1] + 1], actions)
    begins = np.empty((most_steps, LANES), np.int32)
    ends = np.empty((most_steps, LANES), np.int32)
    step_grade = np.empty(most_steps, np.int64)
    used = done = 0
    for ranking in range(rankings[0], rankings[1]):
        if offsets[ranking] == offsets[ranking + 1]:  # nothing to draw, and nothing to write down
            continue
        begun = resamples[0]
        kept = 0
        while begun < resamples[1] or kept > 0:
            drawn = min(LANES, kept + resamples[1] - begun)
            seed_lanes(state, streams.word, streams.keys[ranking], begun, kept, drawn)
            for lane in range(kept, drawn):
                resample[lane] = begun + lane - kept
            begun += drawn - kept
            lanes = min(LANES, (drawn + WIDTH - 1) // WIDTH * WIDTH)
            irrelevant[:] = 0
            after[:] = 0
            total[:] = 0
            steps = 0
            lower_half = True
            for i in range(offsets[ranking], offsets[ranking + 1]):
                lower_half = not lower_half
                if not lower_half:
                    draw(lanes, state, bits)
                look_up(lanes, bits, 0 if lower_half else 32, tables, plan.tables[i], packed)
                if actions[i] == UNRETRIEVED:
                    count_unretrieved(lanes, packed, total[classes[i]])
                elif actions[i] == STEP_ENDS:
                    advance(lanes, packed, irrelevant, before, after)
                    begins[steps] = before
                    ends[steps] = after
                    step_grade[steps] = class_grade[classes[i]]
                    _count_retrieved(lanes, before, after, total[classes[i]])
                    steps += 1
            kept = 0
            for lane in range(drawn):
                if not _is_defined(lane, total, needed):
                    resample[kept] = resample[lane]
                    for word in range(STATE_WORDS):
                        state[word, kept] = state[word, lane]
                    kept += 1
                    continue
                room = used + after[lane] - irrelevant[lane] + AHEAD
                ranks, grades = with_room(ranks, room), with_room(grades, room)
                used = write_copies(lane, steps, step_grade, begins, ends, ranks, grades, used)
                list_offsets[done + 1] = used
                retrieved[done] = after[lane]
                copies[done] = total[:, lane]
                place[done] = (ranking - rankings[0]) * (resamples[1] - resamples[0]) + resample[lane] - resamples[0]
                done += 1
    return ResampledLists(
        list_offsets[: done + 1], ranks[:used], grades[:used], retrieved[:done], copies[:done], place[:done]
    )

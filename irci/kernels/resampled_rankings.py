"""Rankings under resampled documents, written down copy by copy, for whatever scores rankings.

`corpus_bootstrap` and, of several rankings, `paired_bootstrap` add scores up while they draw; here the copies of judged
documents are listed with their ranks, as `measures` takes them. Draws and streams are the same: a resample holds the same
ranking in both.
"""

from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.corpus_bootstrap import (
    STEP_ENDS,
    UNRETRIEVED,
    advance,
    begin_lanes,
    count_retrieved,
    count_unretrieved,
    expect_plan,
    keep_lane,
    most_steps_of,
)
from irci.kernels.generator import LANES, STATE_WORDS, draw, look_up
from irci.kernels.paired_bootstrap import draw_documents, expect_rankings, pass_group, room_for_documents
from irci.kernels.shapes import expect
from irci.native.compiled import njit

AHEAD = 4  # copies that are written at a time, whether there are so many or not: a branch taken at random costs more


class ResampledLists(NamedTuple):
    """L resampled rankings, in any order: of the i-th, offsets int64[L+1] say where the judged documents' ranks int32[...]
    (from 1, ascending) and grades int64[...] are; retrieved int64[L] are all copies retrieved, copies int64[L, G] those of
    each class in the collection; place int64[L] says which ranking and resample it is: ranking * resamples + resample."""

    offsets: Array[np.int64]
    ranks: Array[np.int32]
    grades: Array[np.int64]
    retrieved: Array[np.int64]
    copies: Array[np.int64]
    place: Array[np.int64]


@njit(forceinline=True)
def _room_for_steps(most):
    # Judged neighbours of one class, lane by lane: where they begin and end, and their grade.
    return np.empty((most, LANES), np.int32), np.empty((most, LANES), np.int32), np.empty(most, np.int64)


@njit
def _room_for_lists(number, classes, copies):
    # For so many lists, of so many classes, and copies of judged documents in all.
    return ResampledLists(
        np.zeros(number + 1, np.int64),
        np.empty(copies + AHEAD, np.int32),
        np.empty(copies + AHEAD, np.int64),
        np.empty(number, np.int64),
        np.empty((number, classes), np.int64),
        np.empty(number, np.int64),
    )


@njit
def _with_room(lists, done, copies):
    # The lists, of which so many are written, or if they have no room for so many copies more, larger ones.
    needed = lists.offsets[done] + copies + AHEAD
    if needed <= len(lists.ranks):
        return lists
    ranks = np.concatenate((lists.ranks, np.empty(needed, np.int32)))
    grades = np.concatenate((lists.grades, np.empty(needed, np.int64)))
    return ResampledLists(lists.offsets, ranks, grades, lists.retrieved, lists.copies, lists.place)


@njit
def _write_list(lane, number, steps, after, total, place, lists, done):
    # One lane's ranking, of so many steps, behind those that are written. There is room for AHEAD more copies.
    ranks, grades = lists.ranks, lists.grades
    begins, ends, step_grade = steps
    used = lists.offsets[done]
    for step in range(number):
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
    lists.offsets[done + 1] = used
    lists.retrieved[done] = after[lane]
    for kind in range(len(total)):
        lists.copies[done, kind] = total[kind, lane]
    lists.place[done] = place


@njit
def _written(lists, done):
    used = lists.offsets[done]
    return ResampledLists(
        lists.offsets[: done + 1],
        lists.ranks[:used],
        lists.grades[:used],
        lists.retrieved[:done],
        lists.copies[:done],
        lists.place[:done],
    )


@njit
def resample_lists(class_grade, needed, tables, plan, streams, rankings, resamples, expected):
    """The rankings [rankings[0], rankings[1]) of a plan under the resamples [resamples[0], resamples[1]), as ResampledLists.

    class_grade int64[G]: the grade of each class. A resample without a document of the classes from `needed` on is drawn
    again (needed = G: none is). tables: AliasTables, in which the lookups of plan: Plan are; streams: Streams; expected: how
    many copies there will be, about.
    """
    actions, classes, offsets = plan.actions, plan.classes, plan.offsets
    expect_plan(tables, plan, streams, rankings)
    expect(len(classes) == 0 or (classes.min() >= 0 and classes.max() < len(class_grade)))
    per_ranking = resamples[1] - resamples[0]
    lists = _room_for_lists((rankings[1] - rankings[0]) * per_ranking, len(class_grade), expected)
    steps = _room_for_steps(most_steps_of(offsets[rankings[0] : rankings[1] + 1], actions))
    begins, ends, step_grade = steps
    state, bits = np.empty((STATE_WORDS, LANES), np.uint64), np.empty(LANES, np.uint64)
    packed, resample = np.zeros(LANES, np.uint32), np.empty(LANES, np.int64)
    irrelevant, before, after = np.empty(LANES, np.int32), np.empty(LANES, np.int32), np.empty(LANES, np.int32)
    total = np.empty((len(class_grade), LANES), np.int32)
    done = 0
    for ranking in range(rankings[0], rankings[1]):
        if offsets[ranking] == offsets[ranking + 1]:  # nothing to draw, and nothing to write down
            continue
        begun = resamples[0]
        kept = 0
        while begun < resamples[1] or kept > 0:
            drawn = min(LANES, kept + resamples[1] - begun)
            lanes = begin_lanes(streams, ranking, begun, kept, drawn, state, resample)
            begun += drawn - kept
            irrelevant[:] = 0
            after[:] = 0
            total[:] = 0
            step = 0
            for i in range(offsets[ranking], offsets[ranking + 1]):
                shift = 0 if (i - offsets[ranking]) % 2 else 32
                if shift:
                    draw(lanes, state, bits)
                look_up(lanes, bits, shift, tables, plan.tables[i], packed)
                if actions[i] == UNRETRIEVED:
                    count_unretrieved(lanes, packed, total[classes[i]])
                elif actions[i] == STEP_ENDS:
                    advance(lanes, packed, irrelevant, before, after)
                    begins[step] = before
                    ends[step] = after
                    step_grade[step] = class_grade[classes[i]]
                    count_retrieved(lanes, before, after, total[classes[i]])
                    step += 1
            kept = 0
            lists = _with_room(lists, done, (after[:drawn] - irrelevant[:drawn]).sum())
            for lane in range(drawn):
                if needed < len(total) and total[needed:, lane].sum() == 0:
                    keep_lane(lane, kept, state, resample)
                    kept += 1
                    continue
                place = (ranking - rankings[0]) * per_ranking + resample[lane] - resamples[0]
                _write_list(lane, step, steps, after, total, place, lists, done)
                done += 1
    return _written(lists, done)


@njit
def paired_lists(class_grade, needed, rankings, first_block, last_block, resamples):
    """The rankings of rankings: NumberedRankings under the resamples of some blocks of LANES, of `resamples` in all, as
    ResampledLists, whose place is run * resamples + resample.

    class_grade int64[G]: the grade of each class. A resample without a document of the classes from `needed` on is drawn
    again for all runs alike (needed = G: none is).
    """
    classes, offsets = rankings.classes, rankings.offsets
    runs = len(offsets) - 1
    expect_rankings(rankings, runs, len(class_grade))
    number = runs * (min(last_block * LANES, resamples) - first_block * LANES)
    expected = (rankings.documents < len(classes)).sum() * (last_block - first_block) * LANES
    lists = _room_for_lists(number, len(class_grade), expected)
    steps = _room_for_steps(len(classes))  # at most one a relevant document
    begins, ends, grade = steps
    copies, words, values, total, relevant, gap = room_for_documents(rankings, len(class_grade))
    irrelevant, before, after = np.empty(LANES, np.int32), np.empty(LANES, np.int32), np.empty(LANES, np.int32)
    done = 0
    for block in range(first_block, last_block):
        draw_documents(rankings, block, needed, words, values, copies, total, relevant)
        for run in range(runs):
            i, end, groups = offsets[run], offsets[run + 1], 0
            irrelevant[:] = 0
            after[:] = 0
            while i < end:
                i, kind = pass_group(rankings, i, end, copies, gap, irrelevant, before, after)
                if kind >= 0:
                    begins[groups] = before
                    ends[groups] = after
                    grade[groups] = class_grade[kind]
                    groups += 1
            lists = _with_room(lists, done, (after - irrelevant).sum())
            for lane in range(min(LANES, resamples - block * LANES)):
                _write_list(lane, groups, steps, after, total, run * resamples + block * LANES + lane, lists, done)
                done += 1
    return _written(lists, done)

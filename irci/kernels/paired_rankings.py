"""Several rankings of one topic under the same resampled documents, written down copy by copy, for whatever scores rankings.

`paired_bootstrap` adds scores up while it draws; the copies are the same here.
"""

import numpy as np

from irci.kernels.generator import LANES
from irci.kernels.jit import njit
from irci.kernels.paired_bootstrap import (
    SUMMANDS,
    WORDS,
    add_copies,
    add_copies_of_four,
    are_irrelevant,
    draw_copies,
    draw_relevant,
    note,
    pass_gap,
    pass_relevant,
)
from irci.kernels.resampled_rankings import AHEAD, ResampledLists, with_room, write_copies
from irci.kernels.shapes import expect, expect_groups


@njit(cache=True, nogil=True)
def _most_groups(documents, offsets, num_relevant):
    """The most documents that matter in one ranking."""
    most = 0
    for run in range(len(offsets) - 1):
        here = 0
        for i in range(offsets[run], offsets[run + 1]):
            here += documents[i] < num_relevant
        most = max(most, here)
    return most


@njit(cache=True, nogil=True)
def _place_groups(rankings, run, copies, class_grade, gap, irrelevant, before, after, begins, ends, step_grade):
    """Where a ranking's groups of neighbours of one class begin and end, lane by lane; their number. `after`: all copies."""
    classes, documents = rankings.classes, rankings.documents
    num_relevant = len(classes)
    i, end = rankings.offsets[run], rankings.offsets[run + 1]
    after[:] = 0
    summed = groups = 0
    while i < end:
        document = documents[i]
        if document >= num_relevant:
            if are_irrelevant(documents, i, end, num_relevant):
                add_copies_of_four(copies, documents, i, gap)
                i += 4
            else:
                add_copies(copies, document, gap)
                i += 1
            summed += 4
            if summed < SUMMANDS:
                continue
        if summed > 0:
            pass_gap(gap, irrelevant, after)
            summed = 0
        if document >= num_relevant:
            continue
        note(after, before)
        which = classes[document]
        while i < end and documents[i] < num_relevant and classes[documents[i]] == which:
            pass_relevant(copies, documents[i], after)
            i += 1
        begins[groups] = before
        ends[groups] = after
        step_grade[groups] = class_grade[which]
        groups += 1
    if summed > 0:
        pass_gap(gap, irrelevant, after)
    return groups


@njit(cache=True, nogil=True)
def paired_lists(class_grade, needed, rankings, first_block, last_block, resamples):
    """The rankings of rankings: NumberedRankings under the resamples of some blocks of LANES, of `resamples` in all, as
    ResampledLists, whose place is run * resamples + resample.

    class_grade int64[G]: the grade of each class. A resample without a document of the classes from `needed` on is drawn
    again for all runs alike (needed = G: none is).
    """
    keys, classes, documents, offsets = rankings.keys, rankings.classes, rankings.documents, rankings.offsets
    expect_groups(offsets, len(offsets) - 1, len(documents))
    expect(0 < len(classes) <= len(keys) and classes.min() >= 0 and classes.max() < len(class_grade))
    expect(len(documents) == 0 or (documents.min() >= 0 and documents.max() < len(keys)))
    runs = len(offsets) - 1
    number = runs * (min(last_block * LANES, resamples) - first_block * LANES)
    list_offsets = np.zeros(number + 1, np.int64)
    room = (documents < len(classes)).sum() * (last_block - first_block) * LANES + AHEAD
    ranks = np.empty(room, np.int32)
    grades = np.empty(room, np.int64)
    retrieved = np.empty(number, np.int64)
    counts = np.empty((number, len(class_grade)), np.int64)
    place = np.empty(number, np.int64)
    copies = np.empty((len(keys) + 1, LANES), np.uint8)
    words = np.empty(WORDS, np.uint64)
    values = words.view(np.uint16)
    total = np.empty((len(class_grade), LANES), np.int32)
    relevant = np.empty(LANES, np.int32)
    gap = np.zeros(LANES, np.uint16)
    irrelevant = np.zeros(LANES, np.int32)
    before = np.empty(LANES, np.int32)
    after = np.empty(LANES, np.int32)
    most = _most_groups(documents, offsets, len(classes))
    begins = np.empty((most, LANES), np.int32)
    ends = np.empty((most, LANES), np.int32)
    step_grade = np.empty(most, np.int64)
    used = done = 0
    for block in range(first_block, last_block):
        draw_relevant(keys, classes, block, needed, words, values, copies, total, relevant)
        for document in range(len(classes), len(keys)):
            draw_copies(keys[document], block, words, values, copies, document)
        for run in range(runs):
            groups = _place_groups(
                rankings, run, copies, class_grade, gap, irrelevant, before, after, begins, ends, step_grade
            )
            for lane in range(min(LANES, resamples - block * LANES)):
                needed_room = used + after[lane] + AHEAD
                ranks, grades = with_room(ranks, needed_room), with_room(grades, needed_room)
                used = write_copies(lane, groups, step_grade, begins, ends, ranks, grades, used)
                list_offsets[done + 1] = used
                retrieved[done] = after[lane]
                counts[done] = total[:, lane]
                place[done] = run * resamples + block * LANES + lane
                done += 1
    return ResampledLists(list_offsets, ranks[:used], grades[:used], retrieved, counts, place)

"""Several rankings of one topic under the same resampled documents, written down copy by copy, for whatever scores rankings.

`paired_bootstrap` adds scores up while it draws; the copies are the same here.
"""

import numpy as np

from irci.kernels.generator import LANES
from irci.kernels.paired_bootstrap import WORDS, draw_copies, draw_relevant, expect_rankings, pass_group
from irci.kernels.resampled_rankings import room_for_lists, room_for_steps, with_room, write_list, written
from irci.native.compiled import njit


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
def _place_groups(rankings, run, copies, class_grade, gap, irrelevant, before, after, steps):
    """Write where a ranking's groups of neighbours of one class begin and end, lane by lane, into steps: Steps; return their
    number. `after`: all copies; `irrelevant`: those that do not matter."""
    i, end = rankings.offsets[run], rankings.offsets[run + 1]
    irrelevant[:] = 0
    after[:] = 0
    groups = 0
    while i < end:
        i, which = pass_group(rankings, i, end, copies, gap, irrelevant, before, after)
        if which < 0:
            break
        steps.begins[groups] = before
        steps.ends[groups] = after
        steps.grade[groups] = class_grade[which]
        groups += 1
    return groups


@njit(cache=True, nogil=True)
def paired_lists(class_grade, needed, rankings, first_block, last_block, resamples):
    """The rankings of rankings: NumberedRankings under the resamples of some blocks of LANES, of `resamples` in all, as
    ResampledLists, whose place is run * resamples + resample.

    class_grade int64[G]: the grade of each class. A resample without a document of the classes from `needed` on is drawn
    again for all runs alike (needed = G: none is).
    """
    keys, classes, documents, offsets = rankings.keys, rankings.classes, rankings.documents, rankings.offsets
    runs = len(offsets) - 1
    expect_rankings(rankings, runs, len(class_grade))
    number = runs * (min(last_block * LANES, resamples) - first_block * LANES)
    expected = (documents < len(classes)).sum() * (last_block - first_block) * LANES
    lists = room_for_lists(number, len(class_grade), expected)
    steps = room_for_steps(_most_groups(documents, offsets, len(classes)))
    copies = np.empty((len(keys) + 1, LANES), np.uint8)
    words = np.empty(WORDS, np.uint64)
    values = words.view(np.uint16)
    total = np.empty((len(class_grade), LANES), np.int32)
    relevant = np.empty(LANES, np.int32)
    gap = np.zeros(LANES, np.uint16)
    irrelevant = np.empty(LANES, np.int32)
    before = np.empty(LANES, np.int32)
    after = np.empty(LANES, np.int32)
    done = 0
    for block in range(first_block, last_block):
        draw_relevant(keys, classes, block, needed, words, values, copies, total, relevant)
        for document in range(len(classes), len(keys)):
            draw_copies(keys[document], block, words, values, copies, document)
        for run in range(runs):
            groups = _place_groups(rankings, run, copies, class_grade, gap, irrelevant, before, after, steps)
            lists = with_room(lists, done, (after - irrelevant).sum())
            for lane in range(min(LANES, resamples - block * LANES)):
                write_list(lane, groups, steps, after, total, run * resamples + block * LANES + lane, lists, done)
                done += 1
    return written(lists, done)

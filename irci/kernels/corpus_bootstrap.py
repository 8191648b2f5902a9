"""Single rankings under resampled documents, many resamples side by side.

Every document's multiplicity is Poisson(1), and sums of Poisson counts are Poisson: a step of a ranking
(`resampled_rankings`) is one lookup or several (`look_up`), and each random word serves two lookups. The work of a step is
split in stages that each run over all lanes, so that those without table lookups become vector instructions and none has a
branch.
"""

from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.generator import COUNT_BITS, LANES, STATE_WORDS, AliasTables, draw, look_up, seed_lanes
from irci.kernels.resampled_rankings import count_relevant, divisors, room_for_lists, room_for_steps, settle, written
from irci.kernels.shapes import expect, expect_groups
from irci.native.compiled import njit

# What to do after a lookup.
STEP_GOES_ON, STEP_ENDS, UNRETRIEVED = range(3)


class Plan(NamedTuple):
    """The lookups of T rankings in `tables`: their tables' numbers int32[...], what to do after each, uint8[...], and the
    class int32[...] that it counts for; topic t's are [offsets[t]:offsets[t+1]]. Their streams are keyed by
    the purpose's `word` of the seed and the topics' `keys` uint64[T]."""

    tables: AliasTables
    numbers: Array[np.int32]
    actions: Array[np.uint8]
    classes: Array[np.int32]
    offsets: Array[np.int64]
    word: np.uint64
    keys: Array[np.uint64]


@njit
def _end_step(lanes, packed, retrieved, begin, end, copies):
    # Move every lane over one step; clear the drawn counts.
    for lane in range(lanes):
        relevant = np.int32(packed[lane] & 0xFFFF)
        begin[lane] = retrieved[lane] + np.int32(packed[lane] >> COUNT_BITS)
        end[lane] = begin[lane] + relevant
        retrieved[lane] = end[lane]
        copies[lane] += relevant
        packed[lane] = 0


@njit
def _pass_ranking(plan, ranking, lanes, state, bits, packed, steps):
    # Draw one ranking in so many lanes; return the number of its steps.
    begins, ends, kinds, retrieved, copies = steps.begins, steps.ends, steps.classes, steps.retrieved, steps.copies
    tables, numbers, actions, classes = plan.tables, plan.numbers, plan.actions, plan.classes
    first = plan.offsets[ranking]
    retrieved[:] = 0
    copies[:] = 0
    number = 0
    for i in range(first, plan.offsets[ranking + 1]):
        shift = 0 if (i - first) % 2 else 32
        if shift:
            draw(lanes, state, bits)
        look_up(lanes, bits, shift, tables, numbers[i], packed)
        if actions[i] == UNRETRIEVED:
            of_class = copies[classes[i]]
            for lane in range(lanes):
                of_class[lane] += np.int32(packed[lane] & 0xFFFF)
                packed[lane] = 0
        elif actions[i] == STEP_ENDS:
            _end_step(lanes, packed, retrieved, begins[number], ends[number], copies[classes[i]])
            kinds[number] = classes[i]
            number += 1
    return number


@njit
def resample(scoring, plan, rankings, resamples, scores):
    """Fill scores float64[n, B], in the resamples [resamples[0], resamples[1]), of the rankings [rankings[0], rankings[1]) of
    plan: Plan, by scoring: Scoring; or return these as ResampledLists. A ranking without a lookup is in neither.

    A resample in which the score is undefined is drawn again by its own stream, beside others: few lanes are left to the end
    of a ranking.
    """
    offsets, tables, gains, needed = plan.offsets, plan.tables, scoring.gains, scoring.needed
    number = min(len(plan.numbers), min(len(plan.actions), len(plan.classes)))
    expect_groups(offsets, len(offsets) - 1, number)
    expect(0 <= rankings[0] <= rankings[1] <= min(len(offsets) - 1, len(plan.keys)))
    expect(rankings[1] - rankings[0] == len(scores) and 0 <= resamples[0] <= resamples[1] <= scores.shape[1])
    expect(len(tables.bits) == len(tables.offset) and len(tables.choice) == len(tables.threshold))
    expect(number == 0 or (plan.classes.min() >= 0 and plan.classes.max() < len(gains)))
    lists, done, most = room_for_lists(scoring, len(scores) * (resamples[1] - resamples[0])), 0, 0
    for ranking in range(rankings[0], rankings[1]):
        most = max(most, (plan.actions[offsets[ranking] : offsets[ranking + 1]] == STEP_ENDS).sum())
    steps = room_for_steps(most, len(gains))
    state, bits = np.empty((STATE_WORDS, LANES), np.uint64), np.empty(LANES, np.uint64)
    packed, in_lane, places = np.zeros(LANES, np.uint32), np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for row in range(len(scores)):
        ranking = rankings[0] + row
        begun, kept = resamples[0], 0
        while offsets[ranking] < offsets[ranking + 1] and (begun < resamples[1] or kept > 0):
            lanes = min(LANES, kept + resamples[1] - begun)
            seed_lanes(state, plan.word, plan.keys[ranking], begun, kept, lanes)
            for lane in range(kept, lanes):
                in_lane[lane] = begun + lane - kept
            begun += lanes - kept
            number = _pass_ranking(plan, ranking, lanes, state, bits, packed, steps)
            count_relevant(needed, steps.copies, steps.relevant)
            places[:lanes] = row * scores.shape[1] + in_lane[:lanes]
            kept = 0
            for lane in range(lanes):
                if needed < len(gains) and steps.relevant[lane] == 0:
                    places[lane] = -1
                    in_lane[kept] = in_lane[lane]
                    for word in range(STATE_WORDS):
                        state[word, kept] = state[word, lane]
                    kept += 1
            divisor = divisors(lanes, scoring, steps)
            lists, done = settle(lanes, scoring, steps, number, divisor, places, scores, lists, done)
    return written(lists, done)

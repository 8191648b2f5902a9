"""Scores of one ranking under resampled documents, many resamples side by side.

Every document's multiplicity is Poisson(1). What stands between two relevant documents matters only through its total, and
so do neighbouring relevant documents of the same gain; so a ranking is a sequence of steps (gap, run): a number of
non-relevant documents, then a number of relevant ones, each a Poisson count. With n entries so far, F of them
non-relevant, a run of K copies adds `sum_{j=1..K} (n - F + j)/(n + j) = K - F (H[n + K] - H[n])` to the sum of precisions;
the other measures need only where a run begins and ends.

A step is one lookup or several (`look_up`), and each random word serves two lookups. The work of a step is split in stages
that each run over all lanes, so that those without table lookups become vector instructions and none has a branch.

The jackknife's differences and the infinitesimal jackknife's derivatives of AP, by single documents, are here too.
"""

from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.generator import COUNT_BITS, LANES, STATE_WORDS, draw, look_up, seed_lanes
from irci.kernels.shapes import expect, expect_groups
from irci.native.compiled import njit

# What a score is; the others than AP are cut at a rank.
AVERAGE_PRECISION, PRECISION, R_PRECISION, NDCG = range(4)
# What to do after a lookup.
STEP_GOES_ON, STEP_ENDS, UNRETRIEVED = range(3)

WIDTH = 16  # lanes at work are a multiple of it: what is left over would take single instructions


class Scoring(NamedTuple):
    """A way of scoring: `measure`, one of the four above, and `cut`, the rank it is cut at (P, nDCG).

    `gains` float64[G], ascending, of the classes of relevant documents (one class unless nDCG). `cumulative` float64[...]:
    the harmonic numbers H_0 = 0, H_1, ... for AP, for nDCG the cumulative discounts up to the cut, else unused.
    """

    measure: int
    cut: int
    gains: Array[np.float64]
    cumulative: Array[np.float64]


class Plan(NamedTuple):
    """The lookups of T rankings: their tables' numbers int32[...], what to do after each, uint8[...], and the class int32[...]
    that it counts for; topic t's are [offsets[t]:offsets[t+1]]."""

    tables: Array[np.int32]
    actions: Array[np.uint8]
    classes: Array[np.int32]
    offsets: Array[np.int64]


class Streams(NamedTuple):
    """Keys of streams: the purpose's word of the seed, and keys uint64[T] of the topics."""

    word: np.uint64
    keys: Array[np.uint64]


@njit
def advance(lanes, packed, irrelevant, before, after):
    """Move every lane over one step: F, n before the run and n after it; clear the drawn counts."""
    for lane in range(lanes):
        drawn = packed[lane]
        gap = np.int32(drawn >> COUNT_BITS)
        irrelevant[lane] += gap
        before[lane] = after[lane] + gap
        after[lane] = before[lane] + np.int32(drawn & 0xFFFF)
        packed[lane] = 0


@njit
def count_unretrieved(lanes, packed, total):
    """Add the copies drawn of relevant documents that nobody retrieved to total int32[LANES]; clear the drawn counts."""
    for lane in range(lanes):
        total[lane] += np.int32(packed[lane] & 0xFFFF)
        packed[lane] = 0


@njit
def subtract_harmonics(lanes, harmonic, before, after, difference):
    """H[after] - H[before]: over the ranks of the run."""
    for lane in range(lanes):
        difference[lane] = harmonic[np.uint32(after[lane])] - harmonic[np.uint32(before[lane])]


@njit
def add_precisions(lanes, irrelevant, before, after, difference, scores):
    """Add the precisions at the entries of the run."""
    for lane in range(lanes):
        scores[lane] += (after[lane] - before[lane]) - irrelevant[lane] * difference[lane]


@njit
def add_hits(lanes, cuts, before, after, scores):
    """Add the entries of the run that stand at the lane's rank of cuts int32[LANES] or above."""
    for lane in range(lanes):
        scores[lane] += min(after[lane], cuts[lane]) - min(before[lane], cuts[lane])


@njit
def add_gains(lanes, gain, discount, before, after, scores):
    """Add the discounted gains of the run."""
    cut = len(discount) - 1
    for lane in range(lanes):
        scores[lane] += gain * (discount[min(after[lane], cut)] - discount[min(before[lane], cut)])


@njit
def count_retrieved(lanes, before, after, total):
    """Add the copies of the run to total int32[LANES]."""
    for lane in range(lanes):
        total[lane] += after[lane] - before[lane]


@njit
def _ideal_gains(lanes, gains, discount, total, ideal):
    # The discounted gains of the best ranking of all copies: highest gains first.
    cut = len(discount) - 1
    for lane in range(lanes):
        placed = 0
        ideal[lane] = 0.0
        for kind in range(len(gains) - 1, -1, -1):
            begin = min(placed, cut)
            placed += total[kind, lane]
            ideal[lane] += gains[kind] * (discount[min(placed, cut)] - discount[begin])


@njit
def find_divisor(lanes, scoring, total, relevant, divisor):
    """Fill the divisor of each lane's sum, from copies by class and relevant ones; 0 where the score is undefined."""
    if scoring.measure == NDCG:
        _ideal_gains(lanes, scoring.gains, scoring.cumulative, total, divisor)
        return
    for lane in range(lanes):
        divisor[lane] = scoring.cut if scoring.measure == PRECISION else relevant[lane]


@njit
def most_steps_of(offsets, actions):
    """The most steps that one ranking has."""
    most = 0
    for ranking in range(len(offsets) - 1):
        most = max(most, (actions[offsets[ranking] : offsets[ranking + 1]] == STEP_ENDS).sum())
    return most


@njit
def expect_plan(tables, plan, streams, rankings):
    """Expect that lookups, streams and the rankings [rankings[0], rankings[1]) are within their arrays."""
    offsets = plan.offsets
    expect_groups(offsets, len(offsets) - 1, min(len(plan.tables), min(len(plan.actions), len(plan.classes))))
    expect(0 <= rankings[0] <= rankings[1] <= min(len(offsets) - 1, len(streams.keys)))
    expect(len(tables.bits) == len(tables.offset) and len(tables.choice) == len(tables.threshold))


@njit
def begin_lanes(streams, ranking, begun, kept, drawn, state, resample):
    """Give resamples from `begun` on, and their streams, to the lanes that drew none again; return the lanes to be at work."""
    seed_lanes(state, streams.word, streams.keys[ranking], begun, kept, drawn)
    for lane in range(kept, drawn):
        resample[lane] = begun + lane - kept
    return min(LANES, (drawn + WIDTH - 1) // WIDTH * WIDTH)


@njit
def keep_lane(lane, kept, state, resample):
    """Have a lane's resample drawn again, going on with its stream, in lane `kept`."""
    resample[kept] = resample[lane]
    for word in range(STATE_WORDS):
        state[word, kept] = state[word, lane]


@njit(error_model="numpy")
def _finish(drawn, sums, divisor, resample, state, undefined, scores):
    """Store the scores of the first `drawn` lanes' resamples; return how many are undefined, which become the first lanes.

    An undefined score is stored too, until it is drawn again: a branch that is taken at random costs more.
    """
    kept = 0
    for lane in range(drawn):
        scores[resample[lane]] = sums[lane] / divisor[lane]
        undefined[kept] = lane
        kept += divisor[lane] == 0
    for i in range(kept):
        keep_lane(undefined[i], i, state, resample)
    return kept


@njit
def resample_scores(scoring, tables, plan, streams, first_list, scores):
    """Fill scores float64[n, B] for the n lists from first_list on, each under B resamples.

    scoring: Scoring; tables: AliasTables, in which the lookups of plan: Plan are; streams: Streams. A resample in which the
    score is undefined (no relevant document; P never is) is drawn again, beside others: few lanes are left to the end of a
    list.
    """
    measure, gains, cumulative = scoring.measure, scoring.gains, scoring.cumulative
    actions, classes, offsets = plan.actions, plan.classes, plan.offsets
    resamples = scores.shape[1]
    expect_plan(tables, plan, streams, (first_list, first_list + len(scores)))
    state, bits = np.empty((STATE_WORDS, LANES), np.uint64), np.empty(LANES, np.uint64)
    packed, resample = np.zeros(LANES, np.uint32), np.empty(LANES, np.int64)
    irrelevant, before, after = np.empty(LANES, np.int32), np.empty(LANES, np.int32), np.empty(LANES, np.int32)
    cuts = np.full(LANES, min(scoring.cut, 2**31 - 1), np.int32)
    total = np.empty((len(gains), LANES), np.int32)
    difference, sums, divisor = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    relevant, undefined = np.empty(LANES, np.int32), np.empty(LANES, np.int64)
    traced = most_steps_of(offsets[first_list : first_list + len(scores) + 1], actions) if measure == R_PRECISION else 0
    trace_before = np.empty((traced, LANES), np.int32)
    trace_after = np.empty((traced, LANES), np.int32)
    for row in range(len(scores)):
        ranking = first_list + row
        if offsets[ranking] == offsets[ranking + 1]:  # nothing relevant stands where it could count
            scores[row] = 0.0
            continue
        begun = kept = 0
        while begun < resamples or kept > 0:
            drawn = min(LANES, kept + resamples - begun)
            lanes = begin_lanes(streams, ranking, begun, kept, drawn, state, resample)
            begun += drawn - kept
            irrelevant[:] = 0
            after[:] = 0
            total[:] = 0
            sums[:] = 0.0
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
                    if measure == AVERAGE_PRECISION:
                        subtract_harmonics(lanes, cumulative, before, after, difference)
                        add_precisions(lanes, irrelevant, before, after, difference, sums)
                    elif measure == PRECISION:
                        add_hits(lanes, cuts, before, after, sums)
                    elif measure == NDCG:
                        add_gains(lanes, gains[classes[i]], cumulative, before, after, sums)
                        count_retrieved(lanes, before, after, total[classes[i]])
                    else:
                        trace_before[steps] = before
                        trace_after[steps] = after
                        steps += 1
            for lane in range(lanes):
                relevant[lane] = after[lane] - irrelevant[lane] + total[0, lane]
            for step in range(steps):  # R-precision: now it is known at which rank
                add_hits(lanes, relevant, trace_before[step], trace_after[step], sums)
            find_divisor(lanes, scoring, total, relevant, divisor)
            kept = _finish(drawn, sums, divisor, resample, state, undefined, scores[row])


@njit
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
            hits = i - first + 1.0
            rank = float(ranks[i])
            above = ap[topic] * r - below - hits / rank
            if r > 1:
                d = ap[topic] - (above + below_moved_one_less) / (r - 1)
                squares += d * d
                cubes += d * d * d
            below += hits / rank
            gap = ranks[i] - (ranks[i - 1] if i > first else 0) - 1
            if rank > 1:
                below_moved += hits / (rank - 1)
                below_moved_one_less += (hits - 1) / (rank - 1)
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


@njit
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

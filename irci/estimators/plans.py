"""Plans by which rankings are drawn: steps of a gap and a run of relevant documents, each a lookup or several in alias tables.

Between two documents that matter, and among neighbours that are alike, only totals do; sums of Poisson counts are Poisson.
"""

import numpy as np

from irci.base.types import Bools, Ints, Words32, offsets, owners, ranges
from irci.data.collection import RelevantRanks
from irci.kernels.corpus_bootstrap import STEP_ENDS, STEP_GOES_ON, UNRETRIEVED, Plan
from irci.kernels.poisson_tables import AliasTables, pair_table

# A gap and a run of relevant documents are drawn as one while their table is small: larger ones crowd the caches.
JOINT_GAP = 48
JOINT_RUN = 4
# Packed counts have 16 bits: larger rates are drawn in pieces, which is exact.
LARGEST_RATE = 1 << 14
# The gap of a step that only counts relevant documents nobody retrieved.
NOT_IN_RANKING = -1

Lookup = tuple[int, int]  # the number of a table, and what to do after it


class StepTables:
    """The alias tables that rankings need, each built once and kept from run to run, since gaps recur.

    They lie end to end in `threshold` uint32[...] and `choice` uint32[..., 2], which double when full; table i has
    2^bits[i] cells from offset[i] on and adds at most most_entries[i] entries to a ranking.
    """

    def __init__(self) -> None:
        self._number: dict[tuple[int, int], int] = {}
        self._used = 0
        self.threshold = np.zeros(1 << 16, np.uint32)
        self.choice = np.zeros((1 << 16, 2), np.uint32)
        self.offset: list[int] = []
        self.bits: list[int] = []
        self.most_entries: list[int] = []

    def number(self, gap: int, run: int) -> int:
        """The number of the table for (Poisson(gap), Poisson(run))."""
        if (gap, run) not in self._number:
            self._number[gap, run] = len(self.bits)
            self._append(*pair_table(float(gap), float(run)))
        return self._number[gap, run]

    def _append(self, bits: int, threshold: Words32, choice: Words32, irrelevant: int, relevant: int) -> None:
        first, last = self._used, self._used + len(threshold)
        while last > len(self.threshold):
            self.threshold = np.concatenate((self.threshold, np.zeros_like(self.threshold)))
            self.choice = np.concatenate((self.choice, np.zeros_like(self.choice)))
        self.threshold[first:last] = threshold
        self.choice[first:last] = choice
        self._used = last
        self.offset.append(first)
        self.bits.append(bits)
        self.most_entries.append(irrelevant + relevant)

    def arrays(self) -> AliasTables:
        return AliasTables(self.threshold, self.choice, np.array(self.offset, np.int64), np.array(self.bits, np.int64))

    def lookups(self, gap: int, run: int) -> list[Lookup]:
        if gap == NOT_IN_RANKING:
            return [(self.number(0, piece), UNRETRIEVED) for piece in _pieces(run)]
        if gap <= JOINT_GAP and run <= JOINT_RUN:
            return [(self.number(gap, run), STEP_ENDS)]
        gaps = [(self.number(piece, 0), STEP_ENDS) for piece in _pieces(gap)]
        if gaps and run:
            gaps[-1] = (gaps[-1][0], STEP_GOES_ON)
        return gaps + [(self.number(0, piece), STEP_ENDS) for piece in _pieces(run)]


def most_entries(plan: Plan, tables: StepTables) -> int:
    """The most entries that any resampled ranking can have, relevant documents that are not retrieved included."""
    entries_before = offsets(np.array(tables.most_entries, np.int64)[plan.tables])[plan.offsets]
    return int(np.diff(entries_before).max(initial=0))


def _pieces(rate: int) -> list[int]:
    whole, rest = divmod(rate, LARGEST_RATE)
    return [LARGEST_RATE] * whole + [rest] * (rest > 0)


def _steps(lists: RelevantRanks, drawn: Bools, to_the_end: bool) -> tuple[Ints, Ints, Ints, Ints]:
    """Every ranking that is `drawn` as steps, at last what it does not retrieve: topic, gap, run and class, each int64[steps].
    `to_the_end`: with a gap behind the last document that matters."""
    topic = owners(lists.offsets)
    gap = np.diff(lists.ranks, prepend=0).astype(np.int64) - 1
    is_first = np.diff(topic, prepend=-1) != 0
    gap[is_first] = lists.ranks[is_first] - 1
    begins = np.flatnonzero(is_first | (gap > 0) | (np.diff(lists.classes, prepend=-1) != 0))
    run = np.diff(begins, append=len(gap))
    missing = lists.counts.copy()
    np.subtract.at(missing, (topic, lists.classes), 1)
    rest_topic, rest_class = np.nonzero(missing * drawn[:, np.newaxis])
    tail_topic, tail = _tails(lists, drawn if to_the_end else np.zeros_like(drawn))
    topics = np.concatenate((topic[begins], rest_topic, tail_topic))
    gaps: Ints = np.concatenate((gap[begins], np.full(len(rest_topic), NOT_IN_RANKING), tail))
    runs: Ints = np.concatenate((run, missing[rest_topic, rest_class], np.zeros_like(tail)))
    classes: Ints = np.concatenate((lists.classes[begins], rest_class, np.zeros_like(tail)))
    order = np.flatnonzero(drawn[topics])
    order = order[np.argsort(topics[order], kind="stable")]
    return topics[order], gaps[order], runs[order], classes[order]


def _tails(lists: RelevantRanks, wanted: Bools) -> tuple[Ints, Ints]:
    # The wanted topics whose rankings go on behind their last document that matters, and for how many documents.
    last = np.zeros(len(wanted), np.int64)
    found = np.diff(lists.offsets) > 0
    last[found] = lists.ranks[lists.offsets[1:][found] - 1]
    tail = lists.retrieved - last
    topics = np.flatnonzero(wanted & (tail > 0))
    return topics, tail[topics]


def plan_of(lists: RelevantRanks, tables: StepTables, drawn: Bools, to_the_end: bool = False) -> Plan:
    """The lookups of the rankings that are drawn, bool[T]; `to_the_end`: with what stands behind the last document that
    matters."""
    topic, gap, run, classes = _steps(lists, drawn, to_the_end)
    _, first_of_kind, kind_of_step = np.unique(gap << 32 | run, return_index=True, return_inverse=True)
    kinds = zip(gap[first_of_kind].tolist(), run[first_of_kind].tolist(), strict=True)
    lookups = [tables.lookups(gap, run) for gap, run in kinds]
    length = np.array([len(each) for each in lookups], np.int64)
    flat = np.array([lookup for each in lookups for lookup in each], np.int64).reshape(-1, 2)
    of_step = length[kind_of_step]
    chosen = flat[ranges(offsets(length)[kind_of_step], of_step)]
    return Plan(
        tables=chosen[:, 0].astype(np.int32),
        actions=chosen[:, 1].astype(np.uint8),
        classes=np.repeat(classes, of_step).astype(np.int32),
        offsets=offsets(np.bincount(topic, weights=of_step, minlength=len(lists.counts)).astype(np.int64)),
    )

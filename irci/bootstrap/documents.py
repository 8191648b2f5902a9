"""The corpus bootstrap: scores of rankings under resampled documents (Cormack & Lynam, SIGIR 2006, section 3).

The collection is taken for a sample of a population of similar documents. Resampling it with replacement gives every
document a Poisson(1) number of copies, adjacent in the ranking; topic and system are fixed.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from irci.data.collection import RelevantRanks
from irci.kernels.corpus_bootstrap import (
    AVERAGE_PRECISION,
    NDCG,
    PRECISION,
    R_PRECISION,
    STEP_ENDS,
    STEP_GOES_ON,
    UNRETRIEVED,
    Plan,
    Scoring,
    Streams,
    resample_scores,
)
from irci.kernels.poisson_tables import NEGLIGIBLE, AliasTables, pair_table
from irci.memory import claim
from irci.streams import Purpose, seed_word
from irci.threads import in_order
from irci.types import Floats, Ints, Words, Words32, offsets, owners, ranges

Result = TypeVar("Result")

# A gap and a run of relevant documents are drawn as one while their table is small: larger ones crowd the caches.
JOINT_GAP = 48
JOINT_RUN = 4
# Packed counts have 16 bits: larger rates are drawn in pieces, which is exact.
LARGEST_RATE = 1 << 14
# Scores of a block: what is done to them next still finds them in the second-level cache.
SCORES_AT_ONCE = 1 << 16
BLOCKS_A_THREAD = 4  # at least, so that none waits long for another
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
        self.threshold = np.empty(1 << 16, np.uint32)
        self.choice = np.empty((1 << 16, 2), np.uint32)
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
            self.threshold = np.concatenate((self.threshold, np.empty_like(self.threshold)))
            self.choice = np.concatenate((self.choice, np.empty_like(self.choice)))
        self.threshold[first:last] = threshold
        self.choice[first:last] = choice
        self._used = last
        self.offset.append(first)
        self.bits.append(bits)
        self.most_entries.append(irrelevant + relevant)

    def arrays(self) -> AliasTables:
        """All tables as kernels take them."""
        return AliasTables(self.threshold, self.choice, np.array(self.offset, np.int64), np.array(self.bits, np.int64))

    def lookups(self, gap: int, run: int) -> list[Lookup]:
        """The lookups that draw one step."""
        if gap == NOT_IN_RANKING:
            return [(self.number(0, piece), UNRETRIEVED) for piece in _pieces(run)]
        if gap <= JOINT_GAP and run <= JOINT_RUN:
            return [(self.number(gap, run), STEP_ENDS)]
        gaps = [(self.number(piece, 0), STEP_ENDS) for piece in _pieces(gap)]
        if gaps:
            gaps[-1] = (gaps[-1][0], STEP_GOES_ON)
        return gaps + [(self.number(0, piece), STEP_ENDS) for piece in _pieces(run)]


def resampled_scores(lists: RelevantRanks, keys: Words, **options: Any) -> Floats:
    """The scores float64[T, B] of one run's T rankings, each under B independent resamples; options as in `by_block`."""
    return np.concatenate(list(by_block(lambda some, scores: scores, lists, keys, **options)))


def by_block(
    work: Callable[[slice, Floats], Result],
    lists: RelevantRanks,
    keys: Words,
    *,
    resamples: int,
    seed: int,
    measure: int = AVERAGE_PRECISION,
    cut: int = 0,
    tables: StepTables | None = None,
    threads: int = 1,
) -> Iterator[Result]:
    """What `work` makes of the scores float64[n, B] of some n of one run's T rankings, each under B independent resamples of
    the documents; block by block in order, several at once, so that memory holds few of them and what caches hold is used.

    `work` is told which topics, a slice, and their scores; it may keep and change these.
    `keys` uint64[T]: the topics' stream keys; the same key and seed give the same draws, so equal rankings agree exactly.
    `measure`: AVERAGE_PRECISION, PRECISION or NDCG at rank `cut`, or R_PRECISION. A resample in which the measure is undefined
    (no relevant document, except for PRECISION) is drawn again. A ranking without a relevant document scores 0.
    Source: Cormack & Lynam 2006, section 3; the count of copies in the limit of a large collection.
    """
    tables = tables or StepTables()
    plan = _plan(_within_reach(lists, measure, cut), tables)
    scoring = Scoring(measure, cut, lists.gains, cumulative_terms(measure, cut, _most_entries(plan, tables)))
    alias_tables = tables.arrays()
    streams = Streams(seed_word(seed, Purpose.CORPUS_BOOTSTRAP), keys)

    def of_block(some: slice) -> Result:
        scores = np.empty((some.stop - some.start, resamples))
        resample_scores(scoring, alias_tables, plan, streams, some.start, scores)
        return work(some, scores)

    size = max(1, min(SCORES_AT_ONCE // resamples, math.ceil(len(keys) / (BLOCKS_A_THREAD * threads))))
    claim(min(size * threads, len(keys)), resamples)
    blocks = [slice(first, min(first + size, len(keys))) for first in range(0, len(keys), size)]
    return in_order(of_block, blocks, threads)


def add_rows(total: Floats, rows: Floats) -> None:
    """Add rows [n, B] to total [B] one after the other, so that the last bit of a sum over topics knows of no blocks."""
    for row in rows:
        total += row


def lowest_rank(measure: int, cut: int, num_relevant: Ints) -> Floats:
    """The rank, float64[T], below which no resample brings a document above the cut.

    A document at rank r has N ~ Poisson(r - 1) entries above it; lower down, P(N < cut) < 2^-40. R-precision is cut at
    R* ~ Poisson(R). The bounds are Chernoff's.
    """
    if measure == AVERAGE_PRECISION:
        return np.full(len(num_relevant), np.inf)
    e = -math.log(NEGLIGIBLE)
    most_relevant = num_relevant + e / 3 + np.sqrt(e * e / 9 + 2 * e * num_relevant)
    cuts = most_relevant if measure == R_PRECISION else np.full(len(num_relevant), float(cut))
    reach: Floats = 1 + cuts + e + np.sqrt(e * e + 2 * e * cuts)
    return reach


def _within_reach(lists: RelevantRanks, measure: int, cut: int) -> RelevantRanks:
    """Without the documents that cannot come above the cut; they still count as relevant."""
    if measure == AVERAGE_PRECISION:
        return lists
    kept = lists.ranks <= lowest_rank(measure, cut, lists.num_relevant)[owners(lists.offsets)]
    left = offsets(kept)[lists.offsets]
    within = lists._replace(offsets=left, ranks=lists.ranks[kept], classes=lists.classes[kept])
    # Precision is divided by the cut: what it does not retrieve need not be counted.
    return within._replace(counts=np.diff(left)[:, np.newaxis]) if measure == PRECISION else within


def cumulative_terms(measure: int, cut: int, entries: int) -> Floats:
    """The sums of which a run of copies adds a difference: harmonic numbers for AP, discounts up to the cut for nDCG; in a
    ranking of at most so many entries."""
    if measure == AVERAGE_PRECISION:
        terms = 1 / np.arange(1.0, entries + 1)
    elif measure == NDCG:
        terms = 1 / np.log2(np.arange(2.0, min(cut, entries) + 2))
    else:
        terms = np.empty(0)
    return np.concatenate(([0.0], np.cumsum(terms)))


def _most_entries(plan: Plan, tables: StepTables) -> int:
    """The most entries that any resampled ranking can have, relevant documents that are not retrieved included."""
    entries_before = offsets(np.array(tables.most_entries, np.int64)[plan.tables])[plan.offsets]
    return int(np.diff(entries_before).max(initial=0))


def _pieces(rate: int) -> list[int]:
    """The rate as a sum of rates that a table can hold."""
    whole, rest = divmod(rate, LARGEST_RATE)
    return [LARGEST_RATE] * whole + [rest] * (rest > 0)


def _steps(lists: RelevantRanks) -> tuple[Ints, Ints, Ints, Ints]:
    """Every ranking as steps, and at last what it does not retrieve: topic, gap, run and class, each int64[steps].

    Topics of which nothing relevant is retrieved have no steps.
    """
    found = np.diff(lists.offsets)
    topic = owners(lists.offsets)
    gap = np.diff(lists.ranks, prepend=0).astype(np.int64) - 1
    is_first = np.diff(topic, prepend=-1) != 0
    gap[is_first] = lists.ranks[is_first] - 1
    begins = np.flatnonzero(is_first | (gap > 0) | (np.diff(lists.classes, prepend=-1) != 0))
    run = np.diff(begins, append=len(gap))
    missing = lists.counts.copy()
    np.subtract.at(missing, (topic, lists.classes), 1)
    rest_topic, rest_class = np.nonzero(missing * (found > 0)[:, np.newaxis])
    topics = np.concatenate((topic[begins], rest_topic))
    gaps: Ints = np.concatenate((gap[begins], np.full(len(rest_topic), NOT_IN_RANKING)))
    runs: Ints = np.concatenate((run, missing[rest_topic, rest_class]))
    classes: Ints = np.concatenate((lists.classes[begins], rest_class))
    order = np.argsort(topics, kind="stable")
    return topics[order], gaps[order], runs[order], classes[order]


def _plan(lists: RelevantRanks, tables: StepTables) -> Plan:
    """The lookups of all rankings."""
    topic, gap, run, classes = _steps(lists)
    _, first_of_kind, kind_of_step = np.unique(gap << 32 | run, return_index=True, return_inverse=True)
    kinds = zip(gap[first_of_kind].tolist(), run[first_of_kind].tolist(), strict=True)
    lookups = [tables.lookups(gap, run) for gap, run in kinds]
    length = np.array([len(each) for each in lookups], np.int64)
    flat = np.array([lookup for each in lookups for lookup in each], np.int64).reshape(-1, 2)
    of_step = length[kind_of_step]
    chosen = flat[ranges(offsets(length)[kind_of_step], of_step)]
    per_topic = np.bincount(topic, weights=of_step, minlength=len(lists.counts)).astype(np.int64)
    return Plan(
        tables=chosen[:, 0].astype(np.int32),
        actions=chosen[:, 1].astype(np.uint8),
        classes=np.repeat(classes, of_step).astype(np.int32),
        offsets=offsets(per_topic),
    )

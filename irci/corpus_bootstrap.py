"""The corpus bootstrap: AP* of rankings under resampled documents (Cormack & Lynam, SIGIR 2006, section 3).

The collection is taken for a sample of a population of similar documents. Resampling it with replacement gives every
document a Poisson(1) number of copies, adjacent in the ranking; topic and system are fixed.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from irci.collection import RelevantRanks
from irci.kernels.corpus_bootstrap import STEP_ENDS, STEP_GOES_ON, UNRETRIEVED, resample_ap
from irci.kernels.poisson_tables import pair_table
from irci.resampling import Purpose, seed_word

# A gap and a run of relevant documents are drawn together while their table is small enough for the first-level cache.
JOINT_GAP = 24
JOINT_RUN = 3
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

    def _append(
        self, bits: int, threshold: NDArray[np.uint32], choice: NDArray[np.uint32], irrelevant: int, relevant: int
    ) -> None:
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


def resampled_ap(
    lists: RelevantRanks,
    keys: NDArray[np.uint64],
    *,
    resamples: int,
    seed: int,
    tables: StepTables | None = None,
    threads: int = 1,
) -> NDArray[np.float64]:
    """AP* float64[T, B] of one run's T rankings, each under B independent resamples of the documents.

    `keys` uint64[T]: the topics' stream keys; the same key and seed give the same draws, so equal rankings agree exactly.
    A resample without relevant documents is drawn again. Rankings without a retrieved relevant document have AP* = 0.
    Source: Cormack & Lynam 2006, section 3; the count of copies in the limit of a large collection.
    """
    tables = tables or StepTables()
    numbers, actions, offsets = _plan(lists, tables)
    if len(numbers) == 0:
        return np.zeros((len(keys), resamples))
    ap = np.empty((len(keys), resamples))
    entries = np.concatenate(([0], np.cumsum(np.array(tables.most_entries)[numbers])))
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, np.diff(entries[offsets]).max() + 2))))
    word = seed_word(seed, Purpose.CORPUS_BOOTSTRAP)
    table_arrays = tables.threshold, tables.choice, np.array(tables.offset), np.array(tables.bits)

    def fill(first: int, last: int) -> None:
        resample_ap(*table_arrays, harmonic, numbers, actions, offsets, keys, word, first, last, ap)

    if threads == 1:
        fill(0, len(keys))
    else:
        bounds = _even_shares(offsets, threads)
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, bounds[:-1], bounds[1:]))
    return ap


def _pieces(rate: int) -> list[int]:
    """The rate as a sum of rates that a table can hold."""
    whole, rest = divmod(rate, LARGEST_RATE)
    return [LARGEST_RATE] * whole + [rest] * (rest > 0)


def _steps(lists: RelevantRanks) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Every ranking as steps (gap, run), and at last what it does not retrieve: topic, gap, run, each int64[steps].

    Topics of which nothing relevant is retrieved have no steps.
    """
    found = np.diff(lists.offsets)
    topic = np.repeat(np.arange(len(found)), found)
    gap = np.diff(lists.ranks, prepend=0).astype(np.int64) - 1
    is_first = np.diff(topic, prepend=-1) != 0
    gap[is_first] = lists.ranks[is_first] - 1
    begins = np.flatnonzero(is_first | (gap > 0))
    run = np.diff(begins, append=len(gap))
    unretrieved = np.where(found > 0, lists.num_relevant - found, 0)
    rest = np.flatnonzero(unretrieved)
    topics = np.concatenate((topic[begins], rest))
    order = np.argsort(topics, kind="stable")
    gaps = np.concatenate((gap[begins], np.full(len(rest), NOT_IN_RANKING)))
    runs = np.concatenate((run, unretrieved[rest]))
    return topics[order], gaps[order], runs[order]


def _plan(lists: RelevantRanks, tables: StepTables) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int64]]:
    """The lookups of all rankings: table numbers, actions, and where each topic's begin (int64[T+1])."""
    topic, gap, run = _steps(lists)
    _, first_of_kind, kind_of_step = np.unique(gap << 32 | run, return_index=True, return_inverse=True)
    lookups = [
        tables.lookups(gap, run)
        for gap, run in zip(gap[first_of_kind].tolist(), run[first_of_kind].tolist(), strict=True)
    ]
    length = np.array([len(each) for each in lookups], np.int64)
    flat = np.array([lookup for each in lookups for lookup in each], np.int64).reshape(-1, 2)
    steps_length = length[kind_of_step]
    ends = np.cumsum(steps_length)
    within = np.arange(steps_length.sum()) - np.repeat(ends - steps_length, steps_length)
    chosen = flat[np.repeat((np.cumsum(length) - length)[kind_of_step], steps_length) + within]
    num_topics = len(lists.num_relevant)
    per_topic = np.bincount(topic, weights=steps_length, minlength=num_topics).astype(np.int64)
    offsets = np.concatenate(([0], np.cumsum(per_topic)))
    return chosen[:, 0].astype(np.int32), chosen[:, 1].astype(np.uint8), offsets


def _even_shares(offsets: NDArray[np.int64], threads: int) -> list[int]:
    """Bounds between lists that split the lookups about evenly, several shares a thread."""
    targets = np.linspace(0, offsets[-1], 4 * threads + 1)[1:-1]
    return [0, *np.searchsorted(offsets, targets).tolist(), len(offsets) - 1]

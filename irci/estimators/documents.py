"""The corpus bootstrap: scores of rankings under resampled documents (Cormack & Lynam, SIGIR 2006, section 3).

The collection is taken for a sample of a population of similar documents. Resampling it with replacement gives every
document a Poisson(1) number of copies, adjacent in the ranking; topic and system are fixed. Few measures have a kernel that
adds up their score while it draws; for any other the resampled rankings are written down and scored as all rankings are.

Rankings are drawn by plans: steps of a gap and a run of relevant documents, each a lookup or several in alias tables. Between
two documents that matter, and among neighbours that are alike, only totals do; sums of Poisson counts are Poisson.
"""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeVar

import numpy as np

from irci.base.streams import Purpose, seed_word
from irci.base.types import Array, Bools, Floats, Ints, Words, offsets, owners, ranges
from irci.data.collection import Relevance
from irci.kernels import resampled_rankings as kernels
from irci.kernels.corpus_bootstrap import STEP_ENDS, STEP_GOES_ON, UNRETRIEVED, Plan, resample
from irci.kernels.generator import LANES, NEGLIGIBLE, AliasTables, pair_table
from irci.measures import MAP, Measure, lists_of_ranks
from irci.system import claim, in_order

Result = TypeVar("Result")

# The measures, by family, whose resampled scores are added up, which is faster than to write resampled rankings down; and
# what the kernels call them.
ADDED_UP = {
    "map": kernels.AVERAGE_PRECISION,
    "Rprec": kernels.R_PRECISION,
    "P": kernels.PRECISION,
    "ndcg": kernels.NDCG,
    "ndcg_cut": kernels.NDCG,
}
# Scores of a block: what is done to them next still finds them in the second-level cache.
SCORES_AT_ONCE = 1 << 16
COPIES_AT_ONCE = 1 << 16  # likewise, of the copies of documents that are written down
BLOCKS_A_THREAD = 4  # at least, so that none waits long for another
# A gap and a run of relevant documents are drawn as one while their table is small: larger ones crowd the caches.
JOINT_GAP = 48
JOINT_RUN = 4
# Packed counts have 16 bits: larger rates are drawn in pieces, which is exact.
LARGEST_RATE = 1 << 14
# The gap of a step that only counts relevant documents nobody retrieved.
NOT_IN_RANKING = -1

Rates = tuple[int, int]  # of a gap and of a run
Lookup = tuple[Rates, int]  # that of a table, and what to do after it


@lru_cache(1 << 12)  # gaps recur, in a run and from run to run
def _table(gap: int, run: int) -> tuple[int, Array[np.uint32], Array[np.uint32], int]:
    """The table for (Poisson(gap), Poisson(run)): bits, threshold and choice; and how many entries it adds at most."""
    bits, threshold, choice, irrelevant, relevant = pair_table(float(gap), float(run))
    return bits, threshold, choice, irrelevant + relevant


def _lookups(gap: int, run: int) -> list[Lookup]:
    if gap == NOT_IN_RANKING:
        return [((0, piece), UNRETRIEVED) for piece in _pieces(run)]
    if gap <= JOINT_GAP and run <= JOINT_RUN:
        return [((gap, run), STEP_ENDS)]
    gaps = [((piece, 0), STEP_ENDS) for piece in _pieces(gap)]
    if gaps and run:
        gaps[-1] = (gaps[-1][0], STEP_GOES_ON)
    return gaps + [((0, piece), STEP_ENDS) for piece in _pieces(run)]


def _pieces(rate: int) -> list[int]:
    whole, rest = divmod(rate, LARGEST_RATE)
    return [LARGEST_RATE] * whole + [rest] * (rest > 0)


def _steps(lists: Relevance, drawn: Bools, to_the_end: bool) -> Ints:
    """Every ranking that is `drawn` as steps, at last what it does not retrieve: topic, gap, run and class, int64[4, steps].
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
    tail = np.zeros(len(drawn), np.int64)
    if to_the_end:
        tail = np.where(drawn, lists.retrieved, 0)
        has_any = drawn & (np.diff(lists.offsets) > 0)
        tail[has_any] -= lists.ranks[lists.offsets[1:][has_any] - 1]
    tail_topic = np.flatnonzero(tail > 0)
    tail = tail[tail_topic]
    retrieved = topic[begins], gap[begins], run, lists.classes[begins]
    rest = rest_topic, np.full_like(rest_topic, NOT_IN_RANKING), missing[rest_topic, rest_class], rest_class
    steps = np.hstack((retrieved, rest, (tail_topic, tail, np.zeros_like(tail), np.zeros_like(tail))))
    steps = steps[:, drawn[steps[0]]]
    return steps[:, np.argsort(steps[0], kind="stable")]


def plan_of(lists: Relevance, drawn: Bools, to_the_end: bool, word: np.uint64, keys: Words) -> tuple[Plan, int]:
    """The lookups of the rankings that are drawn, bool[T], and the most entries that any can have when it is resampled;
    `to_the_end`: with what stands behind the last document that matters."""
    topic, gap, run, classes = _steps(lists, drawn, to_the_end)
    _, first_of_kind, kind_of_step = np.unique(gap << 32 | run, return_index=True, return_inverse=True)
    lookups = list(map(_lookups, gap[first_of_kind].tolist(), run[first_of_kind].tolist()))
    number_of: dict[Rates, int] = {}
    flat = [(number_of.setdefault(rates, len(number_of)), action) for of_kind in lookups for rates, action in of_kind]
    bits, threshold, choice, entries = zip(*(_table(*rates) for rates in number_of or [(0, 0)]), strict=True)
    length = np.array([len(of_kind) for of_kind in lookups], np.int64)
    of_step = length[kind_of_step]
    in_order_of_steps = np.array(flat, np.int64).reshape(-1, 2)[ranges(offsets(length)[kind_of_step], of_step)]
    edges = offsets(np.bincount(topic, weights=of_step, minlength=len(lists.counts)).astype(np.int64))
    most = np.diff(offsets(np.array(entries)[in_order_of_steps[:, 0]])[edges]).max(initial=0)
    plan = Plan(
        tables=AliasTables(
            np.concatenate(threshold),
            np.concatenate(choice),
            offsets([*map(len, threshold)])[:-1],
            np.array(bits, np.int64),
        ),
        numbers=in_order_of_steps[:, 0].astype(np.int32),
        actions=in_order_of_steps[:, 1].astype(np.uint8),
        classes=np.repeat(classes, of_step).astype(np.int32),
        offsets=edges,
        word=word,
        keys=keys,
    )
    return plan, int(most)


def by_block(
    work: Callable[[slice, Floats], Result], lists: Relevance, keys: Words, *, resamples: int, seed: int,
    measure: Measure = MAP, threads: int = 1,
) -> Iterator[Result]:  # fmt: skip
    """The results of `work` on the scores float64[n, B] of some n of one run's T rankings, each under B independent resamples
    of the documents; block by block in order, several at once, so that memory holds few of them and what caches hold is used.

    `work` is told which topics, a slice, and their scores; it may keep and change these.
    `lists`: where the documents stand that `measure` sees (`Measure.relevance`); `keys` uint64[T]: the topics' stream keys;
    the same key and seed give the same draws, so equal rankings agree exactly. A resample in which the measure is undefined
    is drawn again. A ranking without a document that matters scores 0.
    Source: Cormack & Lynam 2006, section 3; the count of copies in the limit of a large collection.
    """
    within, to_the_end = _within_reach(lists, measure), measure.family.sees_retrieved
    drawn = ((np.diff(within.offsets) > 0) | to_the_end) & can_be_drawn(measure, lists)
    plan, entries = plan_of(within, drawn, to_the_end, seed_word(seed, Purpose.CORPUS_BOOTSTRAP), keys)
    scoring = scoring_of(measure, within, entries)
    is_written = scoring.measure == kernels.WRITTEN_DOWN

    def scores_of(index: slice) -> Floats:
        scores = np.zeros((index.stop - index.start, resamples))
        # The ideal ranking is written down too.
        copies = int(lists.offsets[index.stop] - lists.offsets[index.start])
        copies += int(lists.counts[index].sum()) if lists.graded else 0
        at_once = max(LANES, COPIES_AT_ONCE // max(1, copies)) if is_written else resamples
        for first in range(0, resamples, at_once):
            part = first, min(first + at_once, resamples)
            score_written(measure, within, resample(scoring, plan, (index.start, index.stop), part, scores), scores)
        return scores

    scores_at_once = COPIES_AT_ONCE * len(keys) // max(1, len(within.ranks)) if is_written else SCORES_AT_ONCE
    size = max(1, min(scores_at_once // resamples, math.ceil(len(keys) / (BLOCKS_A_THREAD * threads))))
    claim(min(size * threads, len(keys)), resamples)
    blocks = [slice(first, min(first + size, len(keys))) for first in range(0, len(keys), size)]
    return in_order(lambda index: work(index, scores_of(index)), blocks, threads)


def first_needed(measure: Measure, gains: Floats, level: int) -> int:
    """The first of the classes of which a resample must have a document for the measure to be defined; behind the last class
    where none is needed."""
    least = {"": math.inf, "relevant": level, "gain": max(level, 1)}[measure.family.undefined_without]
    return int(np.searchsorted(gains, least))


def can_be_drawn(measure: Measure, seen: Relevance) -> Bools:
    """bool[T]: the topics that have a document without which a resample is undefined; where none is needed, those that have
    relevant documents, or all for a measure that looks at what is retrieved besides."""
    needed = first_needed(measure, seen.gains, seen.level)
    if needed < len(seen.gains):
        return np.asarray(seen.counts[:, needed:].sum(axis=1) > 0)
    return np.asarray((seen.num_relevant > 0) | measure.family.sees_retrieved)


def score_written(measure: Measure, relevance: Relevance, resampled: kernels.ResampledLists, scores: Floats) -> None:
    """Fill in the scores float64[rankings, B] of those that are written down."""
    if len(resampled.place):
        lists = relevance._replace(
            counts=resampled.copies, offsets=resampled.offsets, ranks=resampled.ranks, retrieved=resampled.retrieved
        )
        scores.ravel()[resampled.place] = measure.scores(lists_of_ranks(lists, resampled.grades))


def lowest_rank(measure: Measure, num_relevant: Ints) -> Floats:
    """The rank, float64[T], below which no resample brings a document above the cut.

    A document at rank r has N ~ Poisson(r - 1) entries above it; lower down, P(N < cut) < 2^-40. R-precision is cut at
    R* ~ Poisson(R). The bounds are Chernoff's.
    """
    e = -math.log(NEGLIGIBLE)
    if measure.family.name == "Rprec":
        cuts = num_relevant + e / 3 + np.sqrt(e * e / 9 + 2 * e * num_relevant)
    else:
        cuts = np.full(len(num_relevant), float(measure.cut or np.inf))
    return np.asarray(1 + cuts + e + np.sqrt(e * e + 2 * e * cuts))


def _within_reach(lists: Relevance, measure: Measure) -> Relevance:
    # Without the documents that cannot come above the cut; they still count as relevant.
    kept = lists.ranks <= lowest_rank(measure, lists.num_relevant)[owners(lists.offsets)]
    if kept.all() and not measure.cut:
        return lists
    left = offsets(kept)[lists.offsets]
    within = lists._replace(offsets=left, ranks=lists.ranks[kept], classes=lists.classes[kept])
    # What is divided by the cut, or by nothing: what it does not retrieve need not be counted.
    uncounted = measure.family.sight == "relevance" and measure.family.undefined_without == ""
    return within._replace(counts=np.diff(left)[:, np.newaxis]) if uncounted else within


def scoring_of(measure: Measure, seen: Relevance, entries: int) -> kernels.Scoring:
    """How a measure's scores are added up, with the sums of which a run of copies adds a difference: harmonic numbers for AP,
    discounts up to the cut (0: none) for nDCG; in a ranking of at most so many entries."""
    resampled_as, cut, terms = ADDED_UP.get(measure.family.name, kernels.WRITTEN_DOWN), measure.cut, np.empty(0)
    if resampled_as == kernels.AVERAGE_PRECISION:
        terms = 1 / np.arange(1.0, entries + 1)
    elif resampled_as == kernels.NDCG:
        terms = 1 / np.log2(np.arange(2.0, min(cut or entries, entries) + 2))
    cumulative = np.concatenate(([0.0], np.cumsum(terms)))
    return kernels.Scoring(resampled_as, cut, seen.gains, first_needed(measure, seen.gains, seen.level), cumulative)

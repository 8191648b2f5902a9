"""The corpus bootstrap: scores of rankings under resampled documents (Cormack & Lynam, SIGIR 2006, section 3).

The collection is taken for a sample of a population of similar documents. Resampling it with replacement gives every
document a Poisson(1) number of copies, adjacent in the ranking; topic and system are fixed. Few measures have a kernel that
adds up their score while it draws; for any other the resampled rankings are written down and scored as all rankings are.
"""

import math
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from irci.base.streams import Purpose, seed_word
from irci.base.types import Bools, Floats, Ints, Words, offsets, owners
from irci.data.collection import Relevance, RelevantRanks
from irci.estimators.plans import StepTables, most_entries, plan_of
from irci.kernels.corpus_bootstrap import (
    AVERAGE_PRECISION,
    NDCG,
    PRECISION,
    R_PRECISION,
    Scoring,
    Streams,
    resample_scores,
)
from irci.kernels.generator import LANES
from irci.kernels.poisson_tables import NEGLIGIBLE
from irci.kernels.resampled_rankings import ResampledLists, resample_lists
from irci.measures import MAP, Measure, lists_of_ranks
from irci.system.work import claim, in_order

Result = TypeVar("Result")
Scorer = Callable[[slice], Floats]  # the scores float64[n, B] of some n rankings

# The measures, by family, whose resampled scores are added up, which is faster than to write resampled rankings down; and
# what the kernels call them.
ADDED_UP = {"map": AVERAGE_PRECISION, "Rprec": R_PRECISION, "P": PRECISION, "ndcg": NDCG, "ndcg_cut": NDCG}
# Scores of a block: what is done to them next still finds them in the second-level cache.
SCORES_AT_ONCE = 1 << 16
COPIES_AT_ONCE = 1 << 16  # likewise, of the copies of documents that are written down
BLOCKS_A_THREAD = 4  # at least, so that none waits long for another


def by_block(
    work: Callable[[slice, Floats], Result],
    lists: RelevantRanks,
    keys: Words,
    *,
    resamples: int,
    seed: int,
    measure: Measure = MAP,
    tables: StepTables | None = None,
    threads: int = 1,
    written_down: bool = False,
) -> Iterator[Result]:
    """The results of `work` on the scores float64[n, B] of some n of one run's T rankings, each under B independent resamples
    of the documents; block by block in order, several at once, so that memory holds few of them and what caches hold is used.

    `work` is told which topics, a slice, and their scores; it may keep and change these.
    `lists`: where the documents stand that `measure` sees (`Measure.relevance`); `keys` uint64[T]: the topics' stream keys;
    the same key and seed give the same draws, so equal rankings agree exactly. A resample in which the measure is undefined
    is drawn again. A ranking without a document that matters scores 0. `written_down`: even where there is a faster way.
    Source: Cormack & Lynam 2006, section 3; the count of copies in the limit of a large collection.
    """
    within, has_any = _within_reach(lists, measure), can_be_drawn(measure, lists)
    streams = Streams(seed_word(seed, Purpose.CORPUS_BOOTSTRAP), keys)
    if measure.family.name not in ADDED_UP or written_down:
        scores_of = _rankings_scored(within, has_any, measure, resamples, tables or StepTables(), streams)
        scores_at_once = COPIES_AT_ONCE * len(keys) // max(1, len(within.ranks))
    else:
        scores_of = _scores_added_up(within, measure, resamples, tables or StepTables(), streams)
        scores_at_once = SCORES_AT_ONCE
    size = max(1, min(scores_at_once // resamples, math.ceil(len(keys) / (BLOCKS_A_THREAD * threads))))
    claim(min(size * threads, len(keys)), resamples)
    blocks = [slice(first, min(first + size, len(keys))) for first in range(0, len(keys), size)]
    return in_order(lambda some: work(some, scores_of(some)), blocks, threads)


def _scores_added_up(
    lists: RelevantRanks, measure: Measure, resamples: int, tables: StepTables, streams: Streams
) -> Scorer:
    resampled_as = ADDED_UP[measure.family.name]
    plan = plan_of(lists, tables, np.diff(lists.offsets) > 0)
    cumulative = cumulative_terms(resampled_as, measure.cut, most_entries(plan, tables))
    scoring = Scoring(resampled_as, measure.cut, lists.gains, cumulative)
    alias_tables = tables.arrays()

    def scores_of(some: slice) -> Floats:
        scores = np.empty((some.stop - some.start, resamples))
        resample_scores(scoring, alias_tables, plan, streams, some.start, scores)
        return scores

    return scores_of


def _rankings_scored(
    lists: RelevantRanks, has_any: Bools, measure: Measure, resamples: int, tables: StepTables, streams: Streams
) -> Scorer:
    # Scores of any measure: the resampled rankings are written down, some at a time, and scored by the measure itself.
    class_grade = lists.gains.astype(np.int64)
    needed = first_needed(measure, lists.gains, lists.level)
    drawn = ((np.diff(lists.offsets) > 0) | measure.family.looks_at.retrieved) & has_any
    plan = plan_of(lists, tables, drawn, measure.family.looks_at.retrieved)
    alias_tables = tables.arrays()

    def scores_of(some: slice) -> Floats:
        scores = np.zeros((some.stop - some.start, resamples))
        copies = max(1, int(lists.offsets[some.stop] - lists.offsets[some.start]))
        best = int(lists.counts[some].sum()) if lists.graded else 0  # the ideal ranking is written down too
        at_once = max(LANES, COPIES_AT_ONCE // (copies + best))
        for first in range(0, resamples, at_once):
            last = min(first + at_once, resamples)
            found = resample_lists(
                class_grade, needed, alias_tables, plan, streams, (some.start, some.stop), (first, last),
                copies * (last - first) * 9 // 8,
            )  # fmt: skip
            block = np.zeros((some.stop - some.start) * (last - first))
            block[found.place] = score_resampled(measure, lists, found)
            scores[:, first:last] = block.reshape(-1, last - first)
        return scores

    return scores_of


def first_needed(measure: Measure, gains: Floats, level: int) -> int:
    """The first of the classes of which a resample must have a document for the measure to be defined; behind the last class
    where none is needed."""
    match measure.family.undefined_without:
        case "":
            return len(gains)
        case "relevant":
            return int(np.searchsorted(gains, level))
        case "gain":
            return int(np.searchsorted(gains, max(level, 1)))


def can_be_drawn(measure: Measure, seen: Relevance | RelevantRanks) -> Bools:
    """bool[T]: the topics that have a document without which a resample is undefined; where none is needed, those that have
    relevant documents, or all for a measure that looks at what is retrieved besides."""
    needed = first_needed(measure, seen.gains, seen.level)
    if needed < len(seen.gains):
        return np.asarray(seen.counts[:, needed:].sum(axis=1) > 0)
    return np.asarray((seen.num_relevant > 0) | measure.family.looks_at.retrieved)


def score_resampled(measure: Measure, relevance: Relevance | RelevantRanks, found: ResampledLists) -> Floats:
    """The scores float64[L] of rankings written down."""
    lists = RelevantRanks(
        found.offsets, found.ranks, np.empty(0, np.int32), relevance.gains, found.copies, found.retrieved,
        relevance.level, relevance.most, relevance.graded,
    )  # fmt: skip
    return measure.scores(lists_of_ranks(lists, found.grades))


def add_rows(total: Floats, rows: Floats) -> None:
    """Add rows [n, B] to total [B] one after the other, so that the last bit of a sum over topics knows of no blocks."""
    for row in rows:
        total += row


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


def _within_reach(lists: RelevantRanks, measure: Measure) -> RelevantRanks:
    # Without the documents that cannot come above the cut; they still count as relevant.
    kept = lists.ranks <= lowest_rank(measure, lists.num_relevant)[owners(lists.offsets)]
    if kept.all() and not measure.cut:
        return lists
    left = offsets(kept)[lists.offsets]
    within = lists._replace(offsets=left, ranks=lists.ranks[kept], classes=lists.classes[kept])
    # What is divided by the cut, or by nothing: what it does not retrieve need not be counted.
    uncounted = measure.sight == "relevance" and measure.family.undefined_without == ""
    return within._replace(counts=np.diff(left)[:, np.newaxis]) if uncounted else within


def cumulative_terms(measure: int, cut: int, entries: int) -> Floats:
    """The sums of which a run of copies adds a difference: harmonic numbers for AP, discounts up to the cut (0: none) for
    nDCG; in a ranking of at most so many entries."""
    if measure == AVERAGE_PRECISION:
        terms = 1 / np.arange(1.0, entries + 1)
    elif measure == NDCG:
        terms = 1 / np.log2(np.arange(2.0, min(cut or entries, entries) + 2))
    else:
        terms = np.empty(0)
    return np.concatenate(([0.0], np.cumsum(terms)))

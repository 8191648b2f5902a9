"""The least and the greatest difference of two runs' scores over all grades that unjudged documents of either could have.

A document has the same grade in both runs, and one that only the other retrieves may be relevant too, and so counts in R and
in the ideal ranking of both. So neither limit follows from those of single runs. For P and RBP the documents count one by one;
for nDCG the ratio is treated as that of one run (`irci.kernels.unjudged_gains`): exact. For the other measures the bounds are
outer ones, which no grades need reach: the least score of one, less the greatest of the other, each over the unknown
documents of both.
"""

import numpy as np

from irci.base.choices import BoundsKind
from irci.base.records import Record
from irci.base.types import Floats, Ints, offsets, owners
from irci.data.collection import RankedDocuments
from irci.data.rankings import Qrels
from irci.estimators.unjudged.bounds import (
    OF_GAIN,
    RBP,
    Limits,
    Unknown,
    bounds_kind,
    cut_of,
    limits,
    rbp_tail,
    rbp_weights,
)
from irci.kernels.unjudged import Holes, find_holes
from irci.kernels.unjudged_gains import (
    discounted_gains,
    ndcg_difference_bounds,
    signed_sums,
    union_sizes,
    weight_differences,
)
from irci.measures import JudgedLists, Measure
from irci.stats.scales import PLAIN, Scale

ADDED = ("P", "set_P", *RBP)
ROUNDING = 1e-12  # a mean difference as small as this is rounding


class UnjudgedDocuments(Record):
    """A run's documents without a grade: topic t's from offsets[t] to offsets[t+1] of `numbers`, ascending, which runs share
    that are numbered together, and `ranks`, int64[...] each."""

    offsets: Ints
    numbers: Ints
    ranks: Ints

    @classmethod
    def of(cls, ranked: RankedDocuments, qrels: Qrels) -> "UnjudgedDocuments":
        """Those of a run that is numbered to its end."""
        topic = owners(ranked.offsets)
        number = ranked.numbers.astype(np.int64)
        is_known = number < np.diff(qrels.offsets)[topic]
        is_judged = np.zeros(len(number), np.bool_)
        is_judged[is_known] = qrels.grade[qrels.offsets[topic[is_known]] + number[is_known]] >= 0
        chosen = np.flatnonzero(~is_judged)
        chosen = chosen[np.lexsort((number[chosen], topic[chosen]))]
        ranks = chosen - ranked.offsets[topic[chosen]] + 1
        return cls(offsets(np.bincount(topic[chosen], minlength=len(qrels.topics))), number[chosen], ranks)

    def down_to(self, cut: int) -> "UnjudgedDocuments":
        kept = self.ranks <= cut
        return UnjudgedDocuments(offsets(kept)[self.offsets], self.numbers[kept], self.ranks[kept])


class Side(Record):
    """One run of a pair by one measure. `weights` float64[...]: what each of its unknown documents counts, where that is all
    there is to it; `gained` float64[T]: its DCG; `holes`: those that can score, by rank."""

    lists: JudgedLists
    scores: Floats
    unknown: UnjudgedDocuments
    holes: Holes
    weights: Floats
    gained: Floats


class DifferenceBounds(Record):
    """Differences on T topics: the difference on the measure's scale and its bounds, float64[T] each."""

    value: Floats
    lower: Floats
    upper: Floats


def difference_kind(measure: Measure, highest: int, level: int) -> BoundsKind | None:
    """The kind of the bounds of differences: see `bounds_kind`."""
    name = measure.base.family.name
    if name in OF_GAIN or name in ("P", "set_P"):
        return "exact"
    return "outer" if (kind := bounds_kind(measure, highest, level)) == "exact" else kind


def side(measure: Measure, lists: JudgedLists, scores: Floats, documents: UnjudgedDocuments) -> Side:
    """The part of one run in its pairs."""
    name, cut = measure.base.family.name, cut_of(measure)
    unknown = documents.down_to(cut)
    weights, gained = np.empty(0), np.empty(0)
    if name in RBP:
        weights = rbp_weights(measure, unknown.ranks)
    elif name in ADDED:
        depth = np.full(len(lists.retrieved), measure.cut) if measure.cut else lists.retrieved
        weights = np.where(unknown.ranks <= cut, 1.0 / np.maximum(depth, 1)[owners(unknown.offsets)], 0.0)
    elif name in OF_GAIN:
        weights = np.where(unknown.ranks <= cut, 1.0 / np.log2(unknown.ranks + 1.0), 0.0)
        gained = discounted_gains(lists, cut, measure.family.exponential)
    return Side(lists, scores, unknown, find_holes(lists, cut), weights, gained)


def difference_bounds(measure: Measure, run: Side, baseline: Side, scale: Scale = PLAIN) -> DifferenceBounds:
    """A pair's, run less baseline."""
    name = measure.base.family.name
    value = scale.forward(run.scores) - scale.forward(baseline.scores)
    kind = bounds_kind(measure, run.lists.most, run.lists.level)
    if kind is None:
        return DifferenceBounds(value, np.full(len(value), np.nan), np.full(len(value), np.nan))
    if name in ADDED:
        lower, upper = _added(measure, run, baseline)
    elif name in OF_GAIN:
        lower, upper = ndcg_difference_bounds(
            run.lists, *_differing(run, baseline), run.gained - baseline.gained, run.scores - baseline.scores,
            measure.family.exponential, cut_of(measure),
        )  # fmt: skip
    else:
        lower, upper = _outer(measure, run, baseline, kind, scale)
    return DifferenceBounds(value, np.minimum(lower, value), np.maximum(upper, value))


def _differing(run: Side, baseline: Side) -> tuple[Ints, Floats]:
    found: tuple[Ints, Floats] = weight_differences(
        run.unknown.offsets, run.unknown.numbers, run.weights,
        baseline.unknown.offsets, baseline.unknown.numbers, baseline.weights,
    )  # fmt: skip
    return found


def _added(measure: Measure, run: Side, baseline: Side) -> Limits:
    """Every unknown document by itself adds its weight in the run less that in the baseline, or nothing."""
    lowered, raised = signed_sums(*_differing(run, baseline))
    value = run.scores - baseline.scores
    lower, upper = value + lowered, value + raised
    if measure.base.family.name in RBP:
        return lower - rbp_tail(measure, baseline.lists), upper + rbp_tail(measure, run.lists)
    return lower, upper


def _outer(measure: Measure, run: Side, baseline: Side, kind: BoundsKind, scale: Scale) -> Limits:
    """The bounds of either run over the unknown documents of both, set against each other, on a scale. Documents that only
    the other run retrieves cannot score."""
    sizes = union_sizes(run.unknown.offsets, run.unknown.numbers, baseline.unknown.offsets, baseline.unknown.numbers)
    both = (
        Unknown(measure, of.lists, of.holes, sizes - np.diff(of.holes.offsets), of.scores, tail=False)
        for of in (run, baseline)
    )
    (low, high), (other_low, other_high) = (map(scale.forward, limits(of, kind)) for of in both)
    return low - other_high, high - other_low


def is_sure(lower: float, upper: float) -> bool:
    """True if a difference has the same sign whatever grades the documents have, or is always 0."""
    return lower > ROUNDING or upper < -ROUNDING or -ROUNDING <= lower <= upper <= ROUNDING

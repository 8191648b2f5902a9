"""Unjudged documents: the least and the greatest score of a run, or difference of two, over all grades that they could have.

Estimates nothing: every unjudged document that counts takes each grade of the scale in turn, R and the ideal ranking are those
of its grades, and the ends of what scores there are, are found exactly (`irci.kernels.unjudged`). Unjudged documents that are
not retrieved stay not relevant. Worst cases, of which nothing says how likely they are. Moffat & Zobel 2008 have the residual
of RBP, which keeps the divisor of gains that judged documents give it.

Of a pair a document has the same grade in both runs, and one that only the other retrieves may be relevant too, and so counts
in R and in the ideal ranking of both. So neither limit follows from those of single runs. For P and RBP the documents count
one by one; for nDCG the ratio is treated as that of one run (`irci.kernels.unjudged`): exact. For the other measures the
bounds are outer ones, which no grades need reach: the least score of one, less the greatest of the other, each over the
unknown documents of both.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from irci.base.choices import BoundsKind
from irci.base.types import Floats, Ints, offsets, owners
from irci.data.collection import RankedDocuments
from irci.data.rankings import Qrels
from irci.kernels import unjudged
from irci.kernels.measures import INFINITE, hits
from irci.measures import JudgedLists, Measure
from irci.measures.scorers import P_OF_TREC_EVAL, share
from irci.stats.scales import PLAIN, Scale

OF_GAIN = ("ndcg", "ndcg_cut", "ndcg_exp", "ndcg_exp_cut")
RBP = ("rbp", "rbp_binary")
ADDED = ("P", "set_P", *RBP)
ROUNDING = 1e-12  # a mean difference as small as this is rounding
Limits = tuple[Floats, Floats]


class Bounds(NamedTuple):
    """Bounds on T topics: the score, its bounds, and the share judged of the documents looked at, float64[T] each. A measure
    without bounds has the kind None, and nan."""

    value: Floats
    lower: Floats
    upper: Floats
    judged: Floats = np.empty(0)
    kind: BoundsKind | None = None


class Unknown(NamedTuple):
    """The known and the unknown of one run's topics by one measure.

    cut: int  # down to which rank documents can score
    holes: Holes  # unknown documents that can score
    number: int64[T]  # of these
    beyond: int64[T]  # unknown documents that cannot
    tail: bool  # all ranks below the list's end are unknown too
    """

    measure: Measure
    cut: int
    lists: JudgedLists
    holes: unjudged.Holes
    number: Ints
    beyond: Ints
    scores: Floats
    tail: bool

    @property
    def depth(self) -> Ints:
        """int64[T]: how many documents are looked at, k even where fewer are retrieved; without a cutoff all."""
        return np.full(len(self.scores), self.cut) if self.measure.cut else self.lists.retrieved


def bounds_kind(measure: Measure, highest: int, level: int) -> BoundsKind | None:
    """The kind of the bounds of a measure: exact; outer ones, which no grades need reach; those over two grades, 0 and the
    highest; None if there are none. `level`: the lowest relevant grade."""
    name = measure.base.family.name
    if name == "Q":
        return "exact" if highest == level else "two-grade"
    return None if name not in RULES else "outer" if name == "nERR" else "exact"


def difference_kind(measure: Measure, highest: int, level: int) -> BoundsKind | None:
    """The kind of the bounds of differences: see `bounds_kind`."""
    name = measure.base.family.name
    if name in OF_GAIN or name in ("P", "set_P"):
        return "exact"
    return "outer" if (kind := bounds_kind(measure, highest, level)) == "exact" else kind


def bounds(measure: Measure, lists: JudgedLists, scores: Floats) -> Bounds:
    """One run's by a measure, of its lists at the measure's level and its scores float64[T] there."""
    cut = measure.cut or INFINITE
    holes: unjudged.Holes = unjudged.find_holes(lists, cut)
    number = np.diff(holes.offsets)
    kind = bounds_kind(measure, lists.most, lists.level)
    unknown = Unknown(measure, cut, lists, holes, number, np.zeros_like(number), scores, tail=True)
    lower, upper = np.full((2, len(scores)), np.nan) if kind is None else RULES[measure.base.family.name](unknown)
    return Bounds(scores, lower, upper, share(np.minimum(lists.retrieved, cut) - number, unknown.depth), kind)


def _precision(run: Unknown) -> Limits:
    """All holes relevant, or none."""
    return run.scores, share(hits(run.lists, run.cut) + run.number, run.depth)


def _success(run: Unknown) -> Limits:
    return run.scores, np.maximum(run.scores, run.number > 0)


def _reciprocal_rank(run: Unknown) -> Limits:
    """The first hole may be relevant."""
    has_any = run.number > 0
    upper = run.scores.copy()
    upper[has_any] = np.maximum(upper[has_any], 1.0 / run.holes.ranks[run.holes.offsets[:-1][has_any]])
    return run.scores, upper


def _recall(run: Unknown) -> Limits:
    """(c + a) / (R + a) grows with a; those beyond make R larger and find nothing."""
    c, relevant = hits(run.lists, run.cut), run.lists.relevant
    return share(c, relevant + run.beyond), share(c + run.number, relevant + run.number)


def _by_kernel(kernel: Callable[..., Limits], *arguments: bool) -> Callable[[Unknown], Limits]:
    """A rule of measures with a cutoff, whose bounds a kernel finds; `arguments`: its last ones."""
    return lambda run: kernel(run.lists, run.holes, run.beyond, run.scores, run.cut, *arguments)


def _rbp(run: Unknown) -> Limits:
    """The residual: the weights of the holes, and of all ranks below the list's end if these are unknown too. Unjudged
    documents reach the divisor of gains, which stays that of the judged ones."""
    weights = _rbp_weights(run.measure, run.holes.ranks)
    residual = np.bincount(owners(run.holes.offsets), weights=weights, minlength=len(run.scores)).astype(np.float64)
    return run.scores, run.scores + residual + (_rbp_tail(run.measure, run.lists) if run.tail else 0.0)


def _persistence(measure: Measure) -> float:
    return P_OF_TREC_EVAL if measure.parameter is None else measure.parameter


def _rbp_weights(measure: Measure, ranks: Ints) -> Floats:
    # The amount that a gain of 1 at these ranks adds to RBP.
    p = _persistence(measure)
    return np.asarray((1.0 - p) * p ** (ranks - 1.0), np.float64)


def _rbp_tail(measure: Measure, lists: JudgedLists) -> Floats:
    # float64[T]: what all ranks below the end of a list would add.
    return np.asarray(_persistence(measure) ** lists.retrieved.astype(np.float64))


RULES: dict[str, Callable[[Unknown], Limits]] = {
    "P": _precision, "set_P": _precision, "success": _success, "recip_rank": _reciprocal_rank, "recall": _recall,
    "set_recall": _recall, "Rprec": lambda run: unjudged.r_precision_bounds(run.lists, run.holes, run.beyond, run.scores),
    **dict.fromkeys(("map", "map_cut"), _by_kernel(unjudged.average_precision_bounds)),
    **dict.fromkeys(OF_GAIN[:2], _by_kernel(unjudged.ndcg_bounds, False)),
    **dict.fromkeys(OF_GAIN[2:], _by_kernel(unjudged.ndcg_bounds, True)),
    "ERR": _by_kernel(unjudged.reciprocal_rank_bounds, False), "nERR": _by_kernel(unjudged.reciprocal_rank_bounds, True),
    "Q": _by_kernel(unjudged.q_bounds), **dict.fromkeys(RBP, _rbp),
}  # fmt: skip


class UnjudgedDocuments(NamedTuple):
    """A run's documents without a grade: topic t's from offsets[t] to offsets[t+1] of `numbers`, ascending, which runs share
    that are numbered together, and `ranks`, int64[...] each."""

    offsets: Ints
    numbers: Ints
    ranks: Ints


def unjudged_documents(ranked: RankedDocuments, qrels: Qrels) -> UnjudgedDocuments:
    """Those of a run that is numbered to its end."""
    topic = owners(ranked.offsets)
    number = ranked.numbers.astype(np.int64)
    is_known = number < np.diff(qrels.offsets)[topic]
    is_judged = np.zeros(len(number), np.bool_)
    is_judged[is_known] = qrels.grade[qrels.offsets[topic[is_known]] + number[is_known]] >= 0
    position = np.flatnonzero(~is_judged)
    position = position[np.lexsort((number[position], topic[position]))]
    ranks = position - ranked.offsets[topic[position]] + 1
    return UnjudgedDocuments(
        offsets(np.bincount(topic[position], minlength=len(qrels.topics))), number[position], ranks
    )


class Side(NamedTuple):
    """The part of one run in its pairs, by one measure.

    unknown: UnjudgedDocuments  # that can score
    holes: Holes  # the same, by rank
    weights: float64[...]  # what each of them counts, where that is all there is to it
    gained: float64[T]  # DCG
    """

    lists: JudgedLists
    scores: Floats
    unknown: UnjudgedDocuments
    holes: unjudged.Holes
    weights: Floats
    gained: Floats


def side(measure: Measure, lists: JudgedLists, scores: Floats, documents: UnjudgedDocuments) -> Side:
    """The part of one run in its pairs."""
    name, cut = measure.base.family.name, measure.cut or INFINITE
    kept = documents.ranks <= cut
    ranks = documents.ranks[kept]
    unknown = UnjudgedDocuments(offsets(kept)[documents.offsets], documents.numbers[kept], ranks)
    weights, gained = np.empty(0), np.empty(0)
    if name in RBP:
        weights = _rbp_weights(measure, ranks)
    elif name in ADDED:
        depth = np.full(len(lists.retrieved), measure.cut) if measure.cut else lists.retrieved
        weights = 1.0 / np.maximum(depth, 1)[owners(unknown.offsets)]
    elif name in OF_GAIN:
        weights = 1.0 / np.log2(ranks + 1.0)
        gained = unjudged.discounted_gains(lists, cut, measure.family.exponential)
    return Side(lists, scores, unknown, unjudged.find_holes(lists, cut), weights, gained)


def difference_bounds(measure: Measure, run: Side, baseline: Side, scale: Scale = PLAIN) -> Bounds:
    """Bounds of a pair's differences, run less baseline, on the measure's scale."""
    name, cut = measure.base.family.name, measure.cut or INFINITE
    value = scale.forward(run.scores) - scale.forward(baseline.scores)
    if bounds_kind(measure, run.lists.most, run.lists.level) is None:
        return Bounds(value, np.full(len(value), np.nan), np.full(len(value), np.nan))
    own, other = run.unknown, baseline.unknown
    if name in ADDED or name in OF_GAIN:
        differing: tuple[Ints, Floats] = unjudged.weight_differences(
            own.offsets, own.numbers, run.weights, other.offsets, other.numbers, baseline.weights
        )
        of_scores = run.scores - baseline.scores
    if (
        name in ADDED
    ):  # every unknown document by itself adds its weight in the run less that in the baseline, or nothing
        lowered, raised = unjudged.signed_sums(*differing)
        lower, upper = of_scores + lowered, of_scores + raised
        if name in RBP:
            lower, upper = lower - _rbp_tail(measure, baseline.lists), upper + _rbp_tail(measure, run.lists)
    elif name in OF_GAIN:
        gained, exponential = run.gained - baseline.gained, measure.family.exponential
        lower, upper = unjudged.ndcg_difference_bounds(run.lists, *differing, gained, of_scores, exponential, cut)
    else:  # the bounds of either over the unknown documents of both; those that only the other retrieves cannot score
        sizes = unjudged.union_sizes(own.offsets, own.numbers, other.offsets, other.numbers)
        limits = []
        for part in (run, baseline):
            number = np.diff(part.holes.offsets)
            unknown = Unknown(measure, cut, part.lists, part.holes, number, sizes - number, part.scores, tail=False)
            limits.append([scale.forward(limit) for limit in RULES[name](unknown)])
        (low, high), (other_low, other_high) = limits
        lower, upper = low - other_high, high - other_low
    return Bounds(value, np.minimum(lower, value), np.maximum(upper, value))


def is_sure(lower: float, upper: float) -> bool:
    """True if a difference has the same sign whatever grades the documents have, or is always 0."""
    return lower > ROUNDING or upper < -ROUNDING or -ROUNDING <= lower <= upper <= ROUNDING

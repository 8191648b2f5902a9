"""The least and the greatest score over all grades that the unjudged documents a run retrieves could have.

Estimates nothing: every unjudged document that counts takes each grade of the scale in turn, R and the ideal ranking are those
of its grades, and the ends of what scores there are, are found exactly (`irci.kernels.unjudged`). Unjudged documents that are
not retrieved stay not relevant. Worst cases, of which nothing says how likely they are.

Moffat & Zobel 2008 have the residual of RBP, which keeps the divisor of gains that judged documents give it.
"""

from collections.abc import Callable

import numpy as np

from irci.base.choices import BoundsKind
from irci.base.records import Record
from irci.base.types import Floats, Ints, owners
from irci.kernels import unjudged
from irci.kernels.measures import INFINITE, found
from irci.kernels.unjudged import Holes
from irci.kernels.unjudged_gains import ndcg_bounds
from irci.measures import JudgedLists, Measure
from irci.measures.scorers import P_OF_TREC_EVAL, share

OF_GAIN = ("ndcg", "ndcg_cut", "ndcg_exp", "ndcg_exp_cut")
RBP = ("rbp", "rbp_binary")


class Bounds(Record):
    """Bounds on T topics: the score, its bounds, and the share judged of the documents looked at, float64[T] each. A measure
    without bounds has the kind None, and nan."""

    value: Floats
    lower: Floats
    upper: Floats
    judged: Floats
    kind: BoundsKind | None


class Unknown(Record):
    """The known and the unknown of one run's topics by one measure: `holes` can score, `beyond` int64[T] others cannot."""

    measure: Measure
    lists: JudgedLists
    holes: Holes
    beyond: Ints
    scores: Floats
    tail: bool

    @property
    def number(self) -> Ints:
        return np.diff(self.holes.offsets)


Limits = tuple[Floats, Floats]


def cut_of(measure: Measure) -> int:
    """Down to which rank documents can score."""
    return measure.cut or INFINITE


def bounds_kind(measure: Measure, highest: int, level: int) -> BoundsKind | None:
    """The kind of the bounds of a measure: exact; outer ones, which no grades need reach; those over two grades, 0 and the
    highest; None if there are none. `level`: the lowest relevant grade."""
    name = measure.base.family.name
    if name == "Q":
        return "exact" if highest == level else "two-grade"
    return None if name not in RULES else "outer" if name == "nERR" else "exact"


def bounds(measure: Measure, lists: JudgedLists, scores: Floats) -> Bounds:
    """One run's by a measure, of its lists at the measure's level and its scores float64[T] there."""
    holes: Holes = unjudged.find_holes(lists, cut_of(measure))
    beyond = np.zeros(len(scores), np.int64)
    kind = bounds_kind(measure, lists.most, lists.level)
    # Of the first k documents, k even where fewer are retrieved; without a cutoff of all.
    seen = np.minimum(lists.retrieved, cut_of(measure))
    whole = np.full(len(seen), measure.cut) if measure.cut else lists.retrieved
    lower, upper = limits(Unknown(measure, lists, holes, beyond, scores, tail=True), kind)
    return Bounds(scores, lower, upper, share(seen - np.diff(holes.offsets), whole), kind)


def limits(of: Unknown, kind: BoundsKind | None) -> Limits:
    """The bounds float64[T] each; nan where there is no rule for them."""
    if kind is None:
        return np.full(len(of.scores), np.nan), np.full(len(of.scores), np.nan)
    return RULES[of.measure.base.family.name](of)


def _precision(of: Unknown) -> Limits:
    """All holes relevant, or none."""
    depth = np.full(len(of.scores), of.measure.cut) if of.measure.cut else of.lists.retrieved
    return of.scores, share(found(of.lists, cut_of(of.measure)) + of.number, depth)


def _success(of: Unknown) -> Limits:
    return of.scores, np.maximum(of.scores, of.number > 0)


def _reciprocal_rank(of: Unknown) -> Limits:
    """The first hole may be relevant."""
    has_any = of.number > 0
    upper = of.scores.copy()
    upper[has_any] = np.maximum(upper[has_any], 1.0 / of.holes.ranks[of.holes.offsets[:-1][has_any]])
    return of.scores, upper


def _recall(of: Unknown) -> Limits:
    """(c + a) / (R + a) grows with a; those beyond make R larger and find nothing."""
    c, relevant = found(of.lists, cut_of(of.measure)), of.lists.relevant
    return share(c, relevant + of.beyond), share(c + of.number, relevant + of.number)


def _r_precision(of: Unknown) -> Limits:
    both: Limits = unjudged.r_precision_bounds(of.lists, of.holes, of.beyond, of.scores)
    return both


def _by_kernel(kernel: Callable[..., Limits], *others: bool) -> Callable[[Unknown], Limits]:
    """A rule of measures with a cutoff, whose bounds a kernel finds; `others`: its last arguments."""
    return lambda of: kernel(of.lists, of.holes, of.beyond, of.scores, cut_of(of.measure), *others)


def _rbp(of: Unknown) -> Limits:
    """The residual: the weights of the holes, and of all ranks below the list's end if these are unknown too. Unjudged
    documents reach the divisor of gains, which stays that of the judged ones."""
    weights = rbp_weights(of.measure, of.holes.ranks)
    of_holes = np.bincount(owners(of.holes.offsets), weights=weights, minlength=len(of.scores))
    residual = of_holes.astype(np.float64) + (rbp_tail(of.measure, of.lists) if of.tail else 0.0)
    return of.scores, of.scores + residual


def persistence(measure: Measure) -> float:
    """RBP's p."""
    return P_OF_TREC_EVAL if measure.parameter is None else measure.parameter


def rbp_weights(measure: Measure, ranks: Ints) -> Floats:
    """The amount that a gain of 1 at these ranks adds to RBP."""
    p = persistence(measure)
    return np.asarray((1.0 - p) * p ** (ranks - 1.0), np.float64)


def rbp_tail(measure: Measure, lists: JudgedLists) -> Floats:
    """float64[T]: what all ranks below the end of a list would add."""
    return np.asarray(persistence(measure) ** lists.retrieved.astype(np.float64))


RULES: dict[str, Callable[[Unknown], Limits]] = {
    "P": _precision, "set_P": _precision, "success": _success, "recip_rank": _reciprocal_rank, "recall": _recall,
    "set_recall": _recall, "Rprec": _r_precision,
    **dict.fromkeys(("map", "map_cut"), _by_kernel(unjudged.average_precision_bounds)),
    **dict.fromkeys(OF_GAIN[:2], _by_kernel(ndcg_bounds, False)),
    **dict.fromkeys(OF_GAIN[2:], _by_kernel(ndcg_bounds, True)),
    "ERR": _by_kernel(unjudged.reciprocal_rank_bounds, False), "nERR": _by_kernel(unjudged.reciprocal_rank_bounds, True),
    "Q": _by_kernel(unjudged.q_bounds), **dict.fromkeys(RBP, _rbp),
}  # fmt: skip

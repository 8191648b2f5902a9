"""Unjudged documents: the least and the greatest score of a run, or difference of two, over all grades that they could have.

Estimates nothing: every unjudged document that counts takes each grade of the scale in turn, R and the ideal ranking are those
of its grades, and the ends of what scores there are, are found exactly. Unjudged documents that are not retrieved stay not
relevant. Worst cases, of which nothing says how likely they are. Moffat & Zobel 2008 have the residual of RBP, which keeps the
divisor of gains that judged documents give it.

Of a pair a document has the same grade in both runs, and one that only the other retrieves may be relevant too, and so counts
in R and in the ideal ranking of both. So neither limit follows from those of single runs. For P and RBP the documents count
one by one; for nDCG the ratio is treated (`irci.kernels.unjudged`): exact. For the other measures the bounds are outer ones,
which no grades need reach: the least score of one, less the greatest of the other, each over the unknown documents of both.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from irci.base.types import Bools, Floats, Ints, Ints32, offsets, owners
from irci.data.collection import JudgedRun
from irci.data.rankings import Qrels
from irci.kernels import unjudged
from irci.kernels.measures import INFINITE
from irci.measures import JudgedLists, Measure
from irci.measures.scorers import P_OF_TREC_EVAL, share
from irci.stats.scales import PLAIN, Scale

OF_GAIN = ("ndcg", "ndcg_cut", "ndcg_exp", "ndcg_exp_cut")
RBP = ("rbp", "rbp_binary")
PRECISION = ("P", "set_P")
BOUNDED = (
    *OF_GAIN, *RBP, *PRECISION, "success", "recip_rank", "recall", "set_recall", "ERR", "nERR", "map", "map_cut",
    "Rprec", "Q",
)  # fmt: skip
ROUNDING = 1e-12  # a mean difference as small as this is rounding


def unjudged_documents(
    judged: JudgedRun, qrels: Qrels, ranked: Sequence[Ints32] | None = None
) -> tuple[unjudged.Holes, Ints]:
    """The ranks of a run's documents without a grade, and their numbers int64[...], which runs share that are numbered
    together, to their ends."""
    edges = judged.line_offsets
    is_unjudged = np.ones(edges[-1], np.bool_)
    is_unjudged[judged.places[qrels.grade[judged.rows] >= 0]] = False
    places = np.flatnonzero(is_unjudged)
    ranks = places - edges[owners(edges)[places]] + 1
    numbers = ranks if ranked is None else np.concatenate(ranked)[places].astype(np.int64)
    return unjudged.Holes(offsets(is_unjudged)[edges], ranks), numbers


class Side(NamedTuple):
    """One run as a measure sees it, on T topics.

    depth: int64[T]  # how many documents are looked at, k even where fewer are retrieved; without a cutoff all
    holes: Holes  # unknown documents that can score
    keys: int64[...]  # of these: 2^32 times the topic plus the document's number
    weights: float64[...]  # what each of them adds to what is gained; 0 where scores are no sums
    gained: float64[T]  # DCG, or else the score
    tail: float64[T]  # what the ranks below the list's end, all unknown, would add
    """

    measure: Measure
    lists: JudgedLists
    scores: Floats
    depth: Ints
    holes: unjudged.Holes
    keys: Ints
    weights: Floats
    gained: Floats
    tail: Floats


def side(measure: Measure, lists: JudgedLists, scores: Floats, holes: unjudged.Holes, numbers: Ints) -> Side:
    """One run by a measure, of its lists at the measure's level, its scores float64[T] there and its unjudged documents."""
    name, cut = measure.base.family.name, measure.cut or INFINITE
    depth = np.full(len(scores), measure.cut) if measure.cut else lists.retrieved
    is_kept = holes.ranks <= cut
    holes = unjudged.Holes(offsets(is_kept)[holes.offsets], holes.ranks[is_kept])
    topic = owners(holes.offsets)
    ranks, weights, gained, tail = holes.ranks, np.zeros(len(topic)), scores, np.zeros(len(scores))
    if name in RBP:
        p = P_OF_TREC_EVAL if measure.parameter is None else measure.parameter
        weights, tail = np.asarray((1.0 - p) * p ** (ranks - 1.0), np.float64), p ** lists.retrieved.astype(np.float64)
    elif name in PRECISION:
        weights = 1.0 / np.maximum(depth, 1)[topic]
    elif name in OF_GAIN:
        is_gain = (lists.grades > 0) & (lists.ranks <= cut)
        grades = lists.grades[is_gain].astype(np.float64)
        gains = (2.0**grades - 1.0 if measure.family.exponential else grades) / np.log2(lists.ranks[is_gain] + 1.0)
        gained = np.bincount(owners(lists.offsets)[is_gain], gains, len(scores)).astype(np.float64)
        weights = 1.0 / np.log2(ranks + 1.0)
    return Side(measure, lists, scores, depth, holes, topic << 32 | numbers[is_kept], weights, gained, tail)


def bounds_kind(
    measure: Measure, highest: int, level: int, *, of_pairs: bool
) -> Literal["exact", "two-grade", "outer"] | None:
    """The kind of the bounds of a measure, or of its differences: exact; outer ones, which no grades need reach; those over
    two grades, 0 and the highest; None if there are none. `level`: the lowest relevant grade."""
    name = measure.base.family.name
    if name not in BOUNDED:
        return None
    if name == "Q" and highest > level:
        return "two-grade"
    is_outer = of_pairs and name not in (*OF_GAIN, *PRECISION)
    return "outer" if is_outer or name == "nERR" else "exact"


def bounds(run: Side) -> Floats:
    """float64[4, T]: one run's scores, their bounds, nan of a measure without, and the share judged of what is looked at."""
    number, retrieved = np.diff(run.holes.offsets), np.minimum(run.lists.retrieved, run.measure.cut or INFINITE)
    return np.vstack((difference_bounds(run), share(retrieved - number, run.depth)))


def difference_bounds(run: Side, *baseline: Side, scale: Scale = PLAIN) -> Floats:
    """float64[3, T]: the scores of a run, or less those of a baseline, on the measure's scale, and their bounds."""
    sides, measure = (run, *baseline), run.measure
    of_sides = [(scale.forward(side.scores), side.scores, side.gained) for side in sides]
    value, scores, gained = np.subtract.reduce(of_sides)
    # Of topic t are weights[edges[t]:edges[t+1]] of unknown documents of either.
    keys, place = np.unique(np.concatenate([side.keys for side in sides]), return_inverse=True)
    weights = np.concatenate([run.weights, *(-side.weights for side in baseline)])
    weights = np.bincount(place, weights, len(keys)).astype(np.float64)
    edges = np.searchsorted(keys, np.arange(len(value) + 1) << 32)
    if measure.base.family.name in OF_GAIN:
        lower, upper = unjudged.ndcg_difference_bounds(
            run.lists, edges, weights, gained, scores, measure.family.exponential, measure.cut or INFINITE
        )
    elif measure.base.family.name in (*RBP, *PRECISION):  # each adds its weight by itself, or nothing
        lower, upper = (
            gained + np.bincount(owners(edges), sign(weights, 0.0), len(gained)) for sign in (np.minimum, np.maximum)
        )
        lower, upper = lower - sum(side.tail for side in baseline), upper + run.tail
    else:  # the bounds of either over the unknown documents of both; those that only the other retrieves cannot score
        (lower, upper), *others = (
            map(scale.forward, _limits(side, np.diff(edges) - np.diff(side.holes.offsets))) for side in sides
        )
        for low, high in others:
            lower, upper = lower - high, upper - low
    return np.stack((value, np.minimum(lower, value), np.maximum(upper, value)))


def _limits(run: Side, beyond: Ints) -> tuple[Floats, Floats]:
    """Bounds of one run's scores; `beyond` int64[T]: further unknown documents, which cannot score."""
    measure, lists, holes, scores = run.measure.base, run.lists, run.holes, run.scores
    name, number = measure.family.name, np.diff(holes.offsets)
    if name not in BOUNDED:
        return np.full_like(scores, np.nan), np.full_like(scores, np.nan)
    if name in ("Rprec", "map", "map_cut", "Q"):
        kernels = {"Rprec": unjudged.r_precision_bounds, "Q": unjudged.q_bounds}
        cut = () if name == "Rprec" else (run.measure.cut or INFINITE,)
        lower, upper = kernels.get(name, unjudged.average_precision_bounds)(lists, holes, beyond, scores, *cut)
        return lower, upper
    # All holes relevant, and none but those beyond, which make R larger and find nothing: (c + a) / (R + a) grows with a.
    topic = np.concatenate((owners(lists.offsets), owners(holes.offsets)))
    ranks = np.concatenate((lists.ranks, holes.ranks.astype(np.int32)))
    grades = np.concatenate((lists.grades, np.full(len(holes.ranks), lists.most, lists.grades.dtype)))
    order, edges = np.lexsort((ranks, topic)), lists.offsets + holes.offsets
    relevant = lists.relevant + number
    highest = measure.scores(lists._replace(offsets=edges, ranks=ranks[order], grades=grades[order], relevant=relevant))
    lowest = lists._replace(relevant=lists.relevant + beyond)
    if name == "nERR":  # outer ones, from those of ERR, which grows with every grade, and of the best ranking's
        edges = lists.ideal_offsets
        ideal = np.insert(lists.ideal, np.repeat(edges[:-1], number + beyond), lists.most)
        lowest = lists._replace(ideal=ideal, ideal_offsets=edges + offsets(number + beyond))
        highest = np.minimum(np.where(lists.relevant > 0, highest, number > 0), 1.0)
    return np.minimum(scores, measure.scores(lowest)), np.maximum(scores, highest)


def is_sure(lower: Floats, upper: Floats) -> Bools:
    """bool[...]: differences that have the same sign whatever grades the documents have, or are always 0."""
    return (lower > ROUNDING) | (upper < -ROUNDING) | ((lower >= -ROUNDING) & (upper <= ROUNDING))

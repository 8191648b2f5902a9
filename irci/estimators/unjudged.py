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

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from irci.base.choices import BoundsKind
from irci.base.types import Floats, Ints, offsets, owners
from irci.data.collection import JudgedRun, RankedDocuments
from irci.data.rankings import Qrels
from irci.kernels import unjudged
from irci.kernels.measures import INFINITE
from irci.measures import JudgedLists, Measure
from irci.measures.scorers import P_OF_TREC_EVAL, share
from irci.stats.scales import PLAIN, Scale

OF_GAIN = ("ndcg", "ndcg_cut", "ndcg_exp", "ndcg_exp_cut")
RBP = ("rbp", "rbp_binary")
ROUNDING = 1e-12  # a mean difference as small as this is rounding
Limits = tuple[Floats, Floats]


class Bounds(NamedTuple):
    """Bounds on T topics: the score, or difference, and its bounds, float64[T] each; of a run the share judged of the
    documents looked at, float64[T]. Without bounds the kind is None, and they are nan."""

    value: Floats
    lower: Floats
    upper: Floats
    kind: BoundsKind | None
    judged: Floats | None = None


def unjudged_documents(
    judged: JudgedRun, qrels: Qrels, ranked: RankedDocuments | None = None
) -> tuple[unjudged.Holes, Ints]:
    """The ranks of a run's documents without a grade, and their numbers int64[...], which runs share that are numbered
    together, to their ends."""
    edges = judged.line_offsets
    is_unjudged = np.ones(edges[-1], np.bool_)
    is_unjudged[judged.places[qrels.grade[judged.rows] >= 0]] = False
    places = np.flatnonzero(is_unjudged)
    ranks = places - edges[owners(edges)[places]] + 1
    numbers = ranks if ranked is None else ranked.numbers[places].astype(np.int64)
    return unjudged.Holes(offsets(is_unjudged)[edges], ranks), numbers


class Side(NamedTuple):
    """One run as a measure sees it, on T topics.

    holes: Holes  # unknown documents that can score
    numbers: int64[...]  # of these, ascending within a topic
    weights: float64[...]  # what each of them adds, in the order of numbers, to what is gained; 0 where scores are no sums
    gained: float64[T]  # DCG, or else the score
    highest: float64[T]  # its score if every hole has the highest grade, and the best ranking stays
    tail: float64[T]  # what the ranks below the list's end, all unknown, would add
    """

    measure: Measure
    lists: JudgedLists
    scores: Floats
    holes: unjudged.Holes
    numbers: Ints
    weights: Floats
    gained: Floats
    highest: Floats
    tail: Floats

    @property
    def depth(self) -> Ints:
        """int64[T]: how many documents are looked at, k even where fewer are retrieved; without a cutoff all."""
        return np.full(len(self.scores), self.measure.cut) if self.measure.cut else self.lists.retrieved

    def limits(self, beyond: Ints) -> Limits:
        """Bounds of its scores; `beyond` int64[T]: further unknown documents, which cannot score."""
        return RULES[self.measure.base.family.name](self, beyond)


def _all_relevant(lists: JudgedLists, holes: unjudged.Holes) -> JudgedLists:
    """Lists with the highest grade of each hole, which count among the relevant documents, not in the ideal ranking."""
    number, topic = np.diff(holes.offsets), np.concatenate((owners(lists.offsets), owners(holes.offsets)))
    ranks = np.concatenate((lists.ranks, holes.ranks.astype(np.int32)))
    grades = np.concatenate((lists.grades, np.full(len(holes.ranks), lists.most, lists.grades.dtype)))
    order, edges = np.lexsort((ranks, topic)), offsets(np.bincount(topic, minlength=len(number)))
    relevant = lists.relevant + number
    return lists._replace(offsets=edges, ranks=ranks[order], grades=grades[order], relevant=relevant)


def side(measure: Measure, lists: JudgedLists, scores: Floats, holes: unjudged.Holes, numbers: Ints) -> Side:
    """One run by a measure, of its lists at the measure's level, its scores float64[T] there and its unjudged documents."""
    name, cut = measure.base.family.name, measure.cut or INFINITE
    is_kept = holes.ranks <= cut
    holes = unjudged.Holes(offsets(is_kept)[holes.offsets], holes.ranks[is_kept])
    topic, numbers = owners(holes.offsets), numbers[is_kept]
    order = np.lexsort((numbers, topic))
    highest, nothing = measure.base.scores(_all_relevant(lists, holes)), np.zeros(len(scores))
    of_run = Side(measure, lists, scores, holes, numbers[order], np.zeros(len(order)), scores, highest, nothing)
    if name in RBP:
        p = P_OF_TREC_EVAL if measure.parameter is None else measure.parameter
        weights = np.asarray((1.0 - p) * p ** (holes.ranks[order] - 1.0), np.float64)
        return of_run._replace(weights=weights, tail=p ** lists.retrieved.astype(np.float64))
    if name in OF_GAIN:
        is_gain = (lists.grades > 0) & (lists.ranks <= cut)
        grades = lists.grades[is_gain].astype(np.float64)
        gains = (2.0**grades - 1.0 if measure.family.exponential else grades) / np.log2(lists.ranks[is_gain] + 1.0)
        gained = np.bincount(owners(lists.offsets)[is_gain], gains, len(scores)).astype(np.float64)
        return of_run._replace(weights=1.0 / np.log2(holes.ranks[order] + 1.0), gained=gained)
    if name in ("P", "set_P"):
        return of_run._replace(weights=1.0 / np.maximum(of_run.depth, 1)[topic])
    return of_run


def bounds_kind(measure: Measure, highest: int, level: int, *, of_pairs: bool = False) -> BoundsKind | None:
    """The kind of the bounds of a measure, or of its differences: exact; outer ones, which no grades need reach; those over
    two grades, 0 and the highest; None if there are none. `level`: the lowest relevant grade."""
    name = measure.base.family.name
    if name not in RULES:
        return None
    if name == "Q" and highest > level:
        return "two-grade"
    is_outer = of_pairs and name not in (*OF_GAIN, "P", "set_P")
    return "outer" if is_outer or name == "nERR" else "exact"


def bounds(run: Side) -> Bounds:
    """Those of one run."""
    number, retrieved = np.diff(run.holes.offsets), np.minimum(run.lists.retrieved, run.measure.cut or INFINITE)
    kind = bounds_kind(run.measure, run.lists.most, run.lists.level)
    lower, upper = np.full((2, len(number)), np.nan) if kind is None else run.limits(np.zeros_like(number))
    return Bounds(run.scores, lower, upper, kind, share(retrieved - number, run.depth))


def difference_bounds(run: Side, baseline: Side, scale: Scale = PLAIN) -> Bounds:
    """Those of a pair's differences, run less baseline, on the measure's scale."""
    value = scale.forward(run.scores) - scale.forward(baseline.scores)
    kind = bounds_kind(run.measure, run.lists.most, run.lists.level, of_pairs=True)
    if kind is None:
        nothing = np.full(len(value), np.nan)
        return Bounds(value, nothing, nothing, kind)
    if run.measure.base.family.name in (*OF_GAIN, *RBP, "P", "set_P"):
        lower, upper = _by_weights(run, baseline)
    else:  # the bounds of either over the unknown documents of both; those that only the other retrieves cannot score
        sizes = np.diff(_weight_differences(run, baseline)[0])
        (low, high), (other_low, other_high) = (
            [scale.forward(limit) for limit in one.limits(sizes - np.diff(one.holes.offsets))]
            for one in (run, baseline)
        )
        lower, upper = low - other_high, high - other_low
    return Bounds(value, np.minimum(lower, value), np.maximum(upper, value), kind)


def _weight_differences(run: Side, baseline: Side) -> tuple[Ints, Floats]:
    differences: tuple[Ints, Floats] = unjudged.weight_differences(
        run.holes.offsets, run.numbers, run.weights, baseline.holes.offsets, baseline.numbers, baseline.weights
    )
    return differences


def _by_weights(run: Side, baseline: Side) -> Limits:
    """Every unknown document by itself adds its weight in the run less that in the baseline, or nothing."""
    edges, weights = _weight_differences(run, baseline)
    measure, gained = run.measure, run.gained - baseline.gained
    if measure.base.family.name in OF_GAIN:
        limits: Limits = unjudged.ndcg_difference_bounds(
            run.lists, edges, weights, gained, run.scores - baseline.scores, measure.family.exponential,
            measure.cut or INFINITE,
        )  # fmt: skip
        return limits
    lowered, raised = (np.bincount(owners(edges), sign(weights, 0.0), len(gained)) for sign in (np.minimum, np.maximum))
    return gained + lowered - baseline.tail, gained + raised + run.tail


def _alone(run: Side, beyond: Ints) -> Limits:
    """Those of its difference from a run that retrieves nothing."""
    nothing, none = np.zeros(len(run.scores)), np.empty(0)
    holes = unjudged.Holes(np.zeros_like(run.holes.offsets), np.empty(0, np.int64))
    baseline = run._replace(
        scores=nothing, holes=holes, numbers=holes.ranks, weights=none, gained=nothing, tail=nothing
    )
    return _by_weights(run, baseline)


def _all_or_none(run: Side, beyond: Ints) -> Limits:
    """All holes relevant, and none but those beyond, which make R larger and find nothing: (c + a) / (R + a) grows with a."""
    lower = run.measure.base.scores(run.lists._replace(relevant=run.lists.relevant + beyond))
    return np.minimum(run.scores, lower), np.maximum(run.scores, run.highest)


def _normalised(run: Side, beyond: Ints) -> Limits:
    """Outer ones of nERR, from those of ERR, which grows with every grade, and of the best ranking's."""
    lists, edges, number = run.lists, run.lists.ideal_offsets, np.diff(run.holes.offsets)
    ideal = np.insert(lists.ideal, np.repeat(edges[:-1], number + beyond), lists.most)
    lower = run.measure.base.scores(lists._replace(ideal=ideal, ideal_offsets=edges + offsets(number + beyond)))
    highest = np.where(lists.relevant > 0, run.highest, number > 0)
    return np.minimum(run.scores, lower), np.maximum(run.scores, np.minimum(highest, 1.0))


def _by_kernel(kernel: Callable[..., Limits]) -> Callable[[Side, Ints], Limits]:
    """A rule of measures with a cutoff, whose bounds a kernel finds."""
    return lambda run, beyond: kernel(run.lists, run.holes, beyond, run.scores, run.measure.cut or INFINITE)


RULES: dict[str, Callable[[Side, Ints], Limits]] = {
    **dict.fromkeys(("P", "set_P", "success", "recip_rank", "recall", "set_recall", "ERR"), _all_or_none),
    **dict.fromkeys((*OF_GAIN, *RBP), _alone), "nERR": _normalised,
    **dict.fromkeys(("map", "map_cut"), _by_kernel(unjudged.average_precision_bounds)),
    "Rprec": lambda run, beyond: unjudged.r_precision_bounds(run.lists, run.holes, beyond, run.scores),
    "Q": _by_kernel(unjudged.q_bounds),
}  # fmt: skip


def is_sure(lower: float, upper: float) -> bool:
    """True if a difference has the same sign whatever grades the documents have, or is always 0."""
    return lower > ROUNDING or upper < -ROUNDING or -ROUNDING <= lower <= upper <= ROUNDING

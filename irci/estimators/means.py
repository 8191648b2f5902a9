"""How means of runs over topics, of scores as they are (MAP) or on the logit or log scale (L-MAP, GMAP), and differences of
them are estimated and tested; and how means vary with the documents.

Topics are taken for a random sample of a population. Their scores already vary with the documents, so that the interval over
topics covers both. Resampled documents, topics fixed, say whether other collections of this size and kind would agree (in an
endless one the mean is lower where few documents are relevant), and assume that the collection is a sample of similar
documents. G. V. Cormack and T. R. Lynam, "Statistical precision of information retrieval evaluation", SIGIR 2006, 533-540.

Bounded limits in place of t's: for which means and differences over topics, and what p goes with them.

Means get them where all scores of the run are an end of the scale, or hardly vary. Differences where all scores of both runs
are ends, when McNemar's mid-p takes the place of t's (limits hold 0 if and only if it is above alpha); or where all
differences are equal, when p is that of signs: it assumes that differences are symmetric about their mean, which limits do
not, so that they may contain 0 though p is small. Borda points have one rule for both: where limits are bounded, p is theirs.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from irci.base import choices
from irci.base.types import Bools, Ends, Floats, Ints, Pairs, Words, reaches
from irci.data.collection import Relevance
from irci.estimators.ap_ci import IntervalMethod, resampled_limits
from irci.measures import Measure
from irci.stats import intervals, tests
from irci.stats.bounded import bounded_limits, bounded_p
from irci.stats.groups import group_means
from irci.stats.scales import PLAIN, SAME, at_ends, mean_needs_bounds
from irci.stats.signs import p_by_signs, sign_test, signed_ranks
from irci.system import with_progress

WHERE_DUE: tuple[choices.TopicInterval, ...] = ("auto", *choices.OVER_DOCUMENTS)
BOUNDED: tuple[choices.TopicInterval, ...] = (*WHERE_DUE, "bounded")


def are_of_two(ends: Ends) -> bool:
    """True of points between these ends that two runs share."""
    return ends[1] - ends[0] == 1


def due(
    scores: Floats, terms: Floats, ends: Ends, interval: choices.TopicInterval, *, are_points: bool = False
) -> tuple[Bools, Bools]:
    """The contrasts, bool[P] each, of two runs whose scores[P, 2, n] are all ends of the scale, or points of two runs; and
    that get bounded limits, as those do and where their terms[P, n] are all equal on the scale. A mean, of scores[P, 1, n],
    gets them where it `mean_needs_bounds`."""
    if scores.shape[1] == 1:
        hits, needs_bounds = np.zeros(len(terms), np.bool_), mean_needs_bounds(terms, *ends)
    else:
        hits = np.asarray(at_ends(scores, *ends).all(axis=1) | (are_points and are_of_two(ends)))
        needs_bounds = hits | (np.ptp(terms, axis=1) <= SAME * (ends[1] - ends[0]))
    return hits, (needs_bounds & (interval in WHERE_DUE)) | (interval == "bounded")


def of_differences(ends: Ends) -> Ends:
    """The scale of differences of scores on a scale."""
    reach = ends[1] - ends[0]
    return -reach, reach


def limits_by_ends(terms: Floats, value: Floats, ends: Ends, confidence: float, threads: int = 1) -> intervals.Interval:
    """Bounded limits float64[P] of the means of terms[P, n], value[P], which they hold whatever the confidence."""
    limits = bounded_limits(np.clip(terms, *ends), *ends, 1 - confidence, threads=threads)
    return intervals.holding_both(limits, np.stack((value, value)))


class Design(NamedTuple):
    """The choices that change a digit of means, differences, ranks and combined effects.

    `test` is for topics, and so is `interval`, but for parametric and linear, which are for documents, and leave topics the
    limits of auto: t's, or bounded ones (`edges`). `signs`: assignments of them, for tests by signs. `meta`: "" for none.
    `new_topics`: over how many a predicted mean is, None for as many again.
    """

    interval: choices.TopicInterval = "auto"
    resamples: int = 2000
    signs: int = 10_000
    confidence: float = 0.95
    seed: int = 1
    small_r: choices.SmallR = "wider"
    test: choices.TopicTest = "t"
    correction: choices.PairCorrection = "holm"
    meta: choices.MetaMethod | Literal[""] = ""
    new_topics: int | None = None


def by_ends(
    scores: Floats, terms: Floats, value: Floats, ends: Ends, design: Design, *, are_points: bool = False,
    group: Ints | None = None,
) -> tuple[intervals.Interval, Floats]:  # fmt: skip
    """Bounded limits[2, P] of contrasts value[P], made of terms[P, n], of scores[P, k, n] of one run or of two, nan of those
    that get none; and p[P] of differences that have another than t's: McNemar's mid-p, which limits invert, where all scores
    are ends, and that of points. `group`: of each term, where groups vary; else limits hold 0 where p is above alpha, of
    differences by t that which signs can give."""
    limits, p, alpha = np.full((2, len(terms)), np.nan), np.full(len(terms), np.nan), 1 - design.confidence
    hits, is_bounded = due(scores, terms, ends, design.interval, are_points=are_points)
    are_means, of_points = scores.shape[1] == 1, are_points and group is None
    scale, has_p = (ends, hits) if are_means else (of_differences(ends), is_bounded if of_points else hits)
    units = terms if group is None else group_means(terms, group)
    if is_bounded.any():
        limits[:, is_bounded] = limits_by_ends(units[is_bounded], value[is_bounded], scale, design.confidence)
    if has_p.any() and design.interval != "t":
        # Mid-p of points of two runs that never tie errs in 7.0% of experiments on 8 topics. Of more runs p errs in 0 to 7.5%
        # with 6 to 25 topics where equal ones are next to each other on each, never more often than p of signs.
        is_by_signs, clipped = of_points and are_of_two(ends), np.clip(units[has_p], *scale)
        p[has_p] = sign_test(clipped) if is_by_signs else bounded_p(clipped, *scale)
    if group is None and not are_means:
        least = tests.least_of_signs(terms.shape[1])
        p = np.maximum(p, least) if are_points else p
        limits = tests.including_zero(limits, ~reaches(np.where(np.isnan(p), least, p), alpha))
    return limits, p


class Tested(NamedTuple):
    """P estimates, their limits, two-sided p[P], and for each the test that p comes from, object[P], "" where there is none.

    Tests: t, randomization, wilcoxon, sign, signs (where the difference is the same on all units, so that t would be
    infinite), "t, signs" (t's p is less than signs of so many units can give, which is then taken), midp
    (McNemar's mid-p, of scores that are ends of the scale), points (the sign test, of Borda points of two runs), bounded (the
    p that bounded limits invert), or normal (from a resampled standard error).
    `interval`: the kinds of their limits, object[P], or one for all. `p_adjusted`: for all that are one family, once these
    are, and `limits_adjusted`, if they are asked for.
    """

    of: tests.Estimates
    limits: intervals.Interval
    p: Floats
    test: np.ndarray
    interval: np.ndarray = np.array("t", object)
    p_adjusted: Floats = np.empty(0)
    limits_adjusted: intervals.Interval | None = None

    @classmethod
    def by_t(cls, of: tests.Estimates, held: Ints | int, confidence: float) -> "Tested":
        """Student's t of differences; limits reach 0, and p is no less, where signs of so many units, held[P], can tell no
        more."""
        p, is_less = tests.no_less_than_signs(of.p(), held)
        names = np.where(of.constant & (of.value != 0), "signs", np.where(is_less, "t, signs", "t"))
        return cls(of, tests.reaching_zero(of.limits(confidence), held, confidence), p, names.astype(object))

    def no_surer_than(self, other: "Tested", is_held: Bools) -> "Tested":
        """The same with the larger p and the wider limits of these and of another, nan where either is, for some of the
        estimates."""
        larger = is_held & ((other.p > self.p) | np.isnan(other.p))
        limits = np.where(is_held, intervals.holding_both(self.limits, other.limits), self.limits)
        p, test = np.where(is_held, np.maximum(self.p, other.p), self.p), np.where(larger, other.test, self.test)
        return self._replace(limits=limits, p=p, test=test)


def paired_t(differences: Floats, confidence: float) -> Tested:
    """The paired t test of differences[P, T]; limits of differences that are all equal are these, but for 0."""
    of, topics = tests.of_sample(differences), differences.shape[1]
    tested, both = Tested.by_t(of, topics, confidence), np.stack((of.value, of.value))
    limits = np.where(of.constant, tests.reaching_zero(both, topics, confidence), tested.limits)
    return tested._replace(limits=limits)


def document_errors(
    value: Floats, lists: Relevance, keys: Words, measures: Sequence[Measure], design: Design, *, threads: int = 1
) -> tuple[intervals.Interval, list[tuple[float, str, float]]]:
    """How the scores value[T] of one run and their means vary with the documents: the limits[T] of each topic's score, those
    of ap-ci (logit, corrected for small R where the measure is AP, unless small_r is none), nan where R = 0; and of each mean
    the standard error, the kind of limits, +- z errors, and the mean variance of the topics' replicates (ddof 1).

    `measures`: several means of one base measure (MAP, L-MAP and GMAP all average AP); `lists` and `keys` as for ap_ci, and
    with the same replicates. An error is the sd of the resampled mean, AP's topics with corrected limits by these
    (`error_of_mean`); where it is asked for the rule of `parametric_error`, and for MAP by default the wider of
    both: by the rule alone, means over 5 topics with scores near 1 lie inside in 70 to 91 of 100 cases.
    """
    base = measures[0].base
    scales = [measure.scale() for measure in measures]
    # The parametric interval, which its paper prefers for MAP.
    may_be = design.interval != "linear" and base.family.name == "map"
    by_rule = [design.interval == "parametric" or (may_be and scale == PLAIN) for scale in scales]
    kind = "logit" if base.family.interval == "logit" or design.interval == "parametric" else "percentile"
    kinds = (kind, "replaced-logit") if any(by_rule) else (kind,)
    settings = IntervalMethod(None, design.resamples, design.confidence, design.seed, design.small_r)
    result = resampled_limits(value, lists, keys, kinds, scales, settings, measure=base, threads=threads)
    limits_by_kind = {
        kind: np.where(lists.num_relevant == 0, np.nan, limits) for kind, limits in result.corrected.items()
    }
    errors = []
    for scale, may_be_parametric, error, variances in zip(
        scales, by_rule, result.errors, result.variances, strict=True
    ):
        in_words = "linear"
        if may_be_parametric:
            on_scale = limits_by_kind["replaced-logit" if scale == PLAIN else kind]
            by_formula = intervals.parametric_error(value, on_scale, scale, design.confidence)
            if design.interval == "parametric" or by_formula > error:
                error, in_words = by_formula, "parametric"
        error = error if lists.num_relevant.any() else math.nan
        errors.append((error, in_words, float(variances.mean())))
    return limits_by_kind[kind], errors


def over_topics(
    values: Floats, pairs: Pairs, keys: Words, design: Design, ends: Ends | None = None, *, are_points: bool = False
) -> Tested:
    """Means of values[rows, T] (on the measure's scale), or differences of them, topics varying; `keys` uint64[T]: stream
    keys, `ends` those of the scale, if it has any; `are_points`: they are Borda points.

    Limits are by t, or where the means over other topics will lie, but for those that get bounded ones; none where nothing
    varies. p of differences is by t, no less than the least that signs can give, but of those that get bounded ones, and by
    signs or ranks.
    """
    interval, confidence, are_means = design.interval, design.confidence, bool((pairs[:, 1] == tests.NOTHING).any())
    by_t, (value, sd, own_p) = are_means or design.test == "t", np.full((3, len(pairs)), np.nan)
    bounded, units = np.full((2, len(pairs)), np.nan), np.zeros(len(pairs), np.int64)
    groups = tests.common_topics(values, pairs[:, [0, 0]] if are_means else pairs)
    blocks = [(mask, index) for mask, index in tests.in_blocks(groups) if mask.any()]
    for mask, index in blocks if are_means else with_progress(blocks, "block of pairs"):
        terms = values[pairs[index, 0]][:, mask] if are_means else tests.on_topics(values, pairs[index], mask)
        (value[index], sd[index]), units[index] = tests.mean_and_sd(terms), mask.sum()
        if not by_t and design.test == "sign":
            own_p[index] = sign_test(terms)
        elif not by_t:
            ranks = signed_ranks(terms) if design.test == "wilcoxon" else terms
            own_p[index] = p_by_signs(ranks, keys[mask], design.signs, design.seed)
        if ends is not None:
            scores = terms[:, np.newaxis] if are_means else values[pairs[index]][:, :, mask]
            bounded[:, index], p = by_ends(scores, terms, value[index], ends, design, are_points=are_points)
            own_p[index] = p if by_t else own_p[index]
    with np.errstate(divide="ignore", invalid="ignore"):
        error, effect_size = sd / np.sqrt(units), value / sd
    effect_size = np.where((sd == 0) & (value == 0), 0.0, np.where(np.isinf(effect_size), np.nan, effect_size))
    df = np.where(error > 0 if are_means else units > 0, units - 1.0, np.nan)
    of = tests.Estimates(value, error, df, units, {"effect_size": effect_size})
    result = Tested.by_t(of, 0 if are_means else units, confidence)
    limits, kind, is_bounded, is_plain = result.limits, "t", ~np.isnan(bounded[0]), np.isnan(own_p)
    if interval == "prediction":
        limits, kind = of.predicting(design.new_topics).limits(confidence), "prediction"
    of_ends = "midp" if not are_points or ends is None else "points" if are_of_two(ends) else "bounded"
    p = np.where(is_plain, result.p, own_p)
    names = np.where(is_plain, result.test, of_ends if by_t else design.test).astype(object)
    p[(units < 2) | are_means] = np.nan  # whatever the test, one topic tells nothing of others
    names[(units == 0) | are_means] = ""
    kinds = np.where(is_bounded, "bounded", kind).astype(object)
    return Tested(of, np.where(is_bounded, bounded, limits), p, names, kinds)


def topic_means(values: Floats, design: Design, ends: Ends | None) -> Tested:
    """The means of values[runs, T] by themselves, topics varying."""
    alone = np.column_stack((np.arange(len(values)), np.full(len(values), tests.NOTHING)))
    return over_topics(values, alone, np.empty(0, np.uint64), design, ends=ends)

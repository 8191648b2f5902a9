"""Differences between runs: of their means over documents, topics or both, on single topics, and these combined.

A pair is (run, baseline), two rows of a table of scores; the difference is the run's score less the baseline's. Every result
has the column `effect_size`: the mean difference divided by the standard deviation of the differences over topics.

Limits of differences that account for the number of pairs, as their adjusted p does.

With m pairs they are at confidence 1 - alpha/m (Bonferroni), which holds for all pairs at once; for Benjamini and Hochberg's p
at 1 - R alpha/m, of the R pairs that are significant, of which on average no more than alpha miss (the false coverage rate:
experiments that select none count as 0; others have none). That is proved for independent statistics and some that depend
positively; pairs of runs on the same topics are neither.

Limits by the largest statistic of all pairs under signs are never wider than these where units count alike, and miss as often;
so p alone is by that. Over clusters of unlike sizes they may be: p is then the more cautious one.

Y. Benjamini and D. Yekutieli, "False discovery rate-adjusted multiple confidence intervals for selected parameters", JASA 100,
2005.
"""

from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np

from irci.base import Record
from irci.base.choices import MetaMethod
from irci.base.types import Bools, Ends, Floats, Ints, Pairs, ProgressBar, Words, as_they_are, reaches
from irci.estimators.joint_resamples import JointResamples
from irci.estimators.means import (
    Design,
    Tested,
    all_at_ends,
    are_of_two,
    differences_due,
    limits_by_ends,
    of_differences,
    p_of_hits,
    p_of_points,
)
from irci.stats import signs
from irci.stats.bounded import Moments, few_differ, hall_limits, moments_of_pairs
from irci.stats.decisions import separated
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval, both_populations, normal_interval, prediction_interval, wider
from irci.stats.meta import METHODS, Combined
from irci.stats.scales import LOGIT, SAME, mean_over_topics
from irci.stats.tests import (
    common_topics,
    constant_p,
    in_blocks,
    including_zero,
    least_of_signs,
    no_less_than_signs,
    normal_p,
    on_topics,
    reaching_zero,
)
from irci.system import special


def over_topics(
    values: Floats,
    pairs: Pairs,
    keys: Words,
    design: Design,
    progress: ProgressBar = as_they_are,
    ends: Ends | None = None,
    threads: int = 1,
    *,
    are_points: bool = False,
) -> Tested:
    """Differences of means of values[rows, T] (on the measure's scale), topics varying; `keys` uint64[T]: stream keys, `ends`
    those of the scale, if it has any; `are_points`: they are Borda points. p by t is no less than the least that signs can
    give. Limits and p are by moments, but for differences that get bounded ones, and tests by signs or ranks."""
    moments, at_ends = _moments(values, pairs, ends, threads, are_points=are_points)
    units, confidence, interval = moments.topics, design.confidence, design.interval
    with np.errstate(divide="ignore", invalid="ignore"):
        error, effect_size = moments.sd / np.sqrt(units), moments.mean / moments.sd
    is_nothing = (moments.sd == 0) & (moments.mean == 0)
    effect_size = np.where(is_nothing, 0.0, np.where(np.isinf(effect_size), np.nan, effect_size))
    df = np.where(units > 0, units - 1.0, np.nan)
    of = Estimates(moments.mean, error, df, units, {"effect_size": effect_size})
    hits, equal, bounded = differences_due(moments.reach, at_ends, ends, interval)
    if interval == "prediction":
        predicted = prediction_interval(of.value, moments.sd, units, confidence, design.new_topics)
        limits = np.where(error > 0, predicted, np.nan)
    else:
        limits = reaching_zero(of.limits(confidence), units, confidence)
    kinds = np.full(len(pairs), "prediction" if interval == "prediction" else "t", object)
    p, tests = np.full(len(pairs), np.nan), np.full(len(pairs), design.test, object)
    if design.test == "t":
        p, tests = _p_by_t(of, moments, equal, None if interval == "t" else ends)
    has_p_of_hits = design.test == "t" and interval != "t" and not are_points
    blocks = [(mask, index) for mask, index in in_blocks(common_topics(values, pairs)) if mask.any()]
    for mask, index in progress(blocks, "block of pairs"):
        if design.test != "t":
            p[index] = _p_by_signs(on_topics(values, pairs[index], mask), keys[mask], design)
        if ends is not None and len(due := index[bounded[index]]):
            differences = on_topics(values, pairs[due], mask)
            of_ends = limits_by_ends(differences, of.value[due], of_differences(ends), confidence)
            of_ends = np.where(hits[due], of_ends, reaching_zero(of_ends, units[due], confidence))
            if are_points:
                p_of_limits = p_of_points(differences, ends)
                of_ends = including_zero(of_ends, ~np.asarray(reaches(p_of_limits, 1 - confidence)))
                if design.test == "t":
                    p[due], tests[due] = p_of_limits, "points" if are_of_two(ends) else "bounded"
            limits[:, due], kinds[due] = of_ends, "bounded"
        if ends is not None and has_p_of_hits and len(due := index[hits[index]]):
            p[due], tests[due] = p_of_hits(on_topics(values, pairs[due], mask), ends), "midp"
    p[units < 2] = np.nan  # whatever the test, one topic tells nothing of others
    tests[units == 0] = kinds[units == 0] = ""
    return Tested(of, limits, p, tests, kinds)


def _moments(
    values: Floats, pairs: Pairs, ends: Ends | None, threads: int, *, are_points: bool
) -> tuple[Moments, Bools]:
    """Moments of the differences of pairs[P, 2], nan of those without topics, and bool[P]: all scores of both are ends."""
    moments, at_ends = np.full((5, len(pairs)), np.nan), np.zeros(len(pairs), np.bool_)
    topics = np.zeros(len(pairs), np.int64)
    for mask, index in common_topics(values, pairs):
        if mask.any():
            rows, of_rows = values, pairs[index]
            if not mask.all():
                selected, places = np.unique(of_rows, return_inverse=True)
                rows, of_rows = values[selected][:, mask], places.reshape(of_rows.shape)
            topics[index], moments[:, index] = mask.sum(), moments_of_pairs(rows, of_rows, threads)[1:]
            at_ends[index] = all_at_ends(rows, ends, are_points=are_points)[of_rows].all(axis=1)
    return Moments(topics, *moments), at_ends


def _p_by_t(of: Estimates, moments: Moments, equal: Bools, ends: Ends | None) -> tuple[Floats, np.ndarray]:
    """t's p[P] where it is no less than what signs can give, and that of signs where differences do not vary; the names of
    tests, object[P]. `ends`: None to do without."""
    p, is_less = no_less_than_signs(of.p(), of.units)
    by_signs = constant_p(moments.without_spread & (moments.largest > 0), of.units)
    if ends is not None:  # which tells what is rounding
        differ = moments.largest > SAME * (ends[1] - ends[0])
        of_equal = np.where(differ, least_of_signs(of.units), 1.0)
        by_signs = np.where(equal & (of.units > 1), of_equal, by_signs)
    is_by_signs = ~np.isnan(by_signs)
    tests = np.where(is_less, "t, signs", "t").astype(object)
    tests[is_by_signs] = np.where(by_signs < 1, "signs", "t")[is_by_signs]
    return np.where(is_by_signs, by_signs, p), tests


def _p_by_signs(differences: Floats, keys: Words, design: Design) -> Floats:
    """Two-sided p[P] of differences[P, T] by a test of signs or ranks."""
    match design.test:
        case "randomization":
            return signs.p_by_signs(differences, signs.topic_signs(keys, design.signs, design.seed))
        case "wilcoxon":
            return signs.wilcoxon_p(differences, signs.topic_signs(keys, design.signs, design.seed))
        case "sign":
            return signs.sign_test(differences)
    raise AssertionError(design.test)


def over_documents(differences: Estimates, errors: Floats, confidence: float) -> Tested:
    """The differences with limits d +- z error and normal p from standard errors[P] (Cormack & Lynam 2006, section 6).

    nan where there is a difference but no error: see `normal_p`.
    """
    p = normal_p(differences.value, errors)
    estimates = differences._replace(error=errors, df=np.full(len(p), np.inf))
    limits = normal_interval(estimates.value, np.where(np.isnan(p), np.nan, errors), confidence)
    return Tested(estimates, limits, p, np.full(len(p), "normal", object))


def over_both(differences: Estimates, values: Floats, pairs: Pairs, sd: Floats, confidence: float) -> Tested:
    """The differences of means of pairs[P, 2] of values[rows, T] with limits and p for other topics and other documents, from
    the sd[P, T] of single topics under resampled documents, anew for each copy of a topic (see `both_populations`). p is no
    less than the least that signs of the topics can give."""
    of_documents = np.full(len(pairs), np.nan)
    for mask, index in in_blocks(common_topics(values, pairs)):
        if mask.any():
            of_documents[index] = mean_over_topics(sd[index][:, mask].T ** 2)
    limits, p, error, df, parts = both_populations(
        differences.value, differences.error, of_documents, differences.units, confidence
    )
    estimates = differences._replace(error=error, df=df, columns={**differences.columns, **parts})
    p, is_less = no_less_than_signs(p, estimates.units)
    limits = reaching_zero(limits, estimates.units, confidence)
    return Tested(estimates, limits, p, np.where(is_less, "t, signs", "t"))


def combined(values: Floats, pairs: Pairs, joint: JointResamples, method: MetaMethod) -> Iterator[tuple[Combined, int]]:
    """For each pair its differences of logits on single topics combined into one, and how many topics tell nothing and are
    left out.

    `values` float64[rows, T]: scores as they are. Left out: a score of exactly 0 or 1 (its logit is set by epsilon), rankings
    that cannot score differently. (Cormack & Lynam 2006, section 6.)
    """
    on_scale = np.vstack((LOGIT.forward(values), np.zeros(values.shape[1])))
    at_end = np.vstack(((values == 0) | (values == 1), np.zeros(values.shape[1], np.bool_)))
    for (run, baseline), sd, same in zip(pairs, joint.sd[LOGIT.name], joint.same, strict=True):
        effects = on_scale[run] - on_scale[baseline]
        scored = ~np.isnan(effects)
        usable: Bools = scored & ~(at_end[run] | at_end[baseline] | same)
        usable &= sd > 0  # else too few resamples to vary
        left_out = int(scored.sum() - usable.sum())
        yield METHODS[method](effects[usable], sd[usable]) if usable.any() else Combined(), left_out


OnUnits = tuple[
    Ints, Floats, Floats | None
]  # p pairs, their differences[p, U] on U units, and weights[U] if these differ


# (1 + confidence) / 2 is still less than 1.
MOST = 1 - float(np.finfo(float).eps)


class Adjusted(Record):
    """The contrasts of a family over one source: each by itself, p adjusted for their number, and limits if asked for."""

    tested: Tested
    p_adjusted: Floats
    limits_adjusted: Interval | None


def level(
    p_adjusted: Floats, correction: Literal["holm", "bh"], confidence: float, of_family: Floats | None = None
) -> tuple[float, Bools]:
    """The confidence of each limit of the pairs with p_adjusted[P], of a family with these and others, and which pairs[P] have
    limits.

    holm: 1 - alpha / m, all; bh: 1 - R alpha / m, the R pairs that are significant. m: the pairs of the family with a p.
    """
    of_family = p_adjusted if of_family is None else of_family
    tested = int((~np.isnan(of_family)).sum())
    if correction == "holm":
        selected, missing = np.ones(len(p_adjusted), np.bool_), 1
    else:
        selected, in_family = (separated(np.nan_to_num(p, nan=1.0), 1 - confidence) for p in (p_adjusted, of_family))
        missing = int(in_family.sum())
    if missing >= tested:
        return confidence, selected
    return min(1 - missing * (1 - confidence) / tested, MOST), selected


def adjusted_limits(
    tested: Tested, limits: Interval, units: Iterable[OnUnits], ends: Ends | None, confidence: float, threads: int = 1
) -> Interval:
    """Limits[P] at a confidence that accounts for the number of pairs, from those of each pair by itself at that confidence;
    nan of pairs that have none.

    Those by t are widened to Hall's, for the skewness of the differences on `units`; but where fewer than 10 units differ, and
    the scores' scale has `ends`, they are bounded, and hold what the pair's own ones do of the scale.
    """
    result = limits.copy()
    is_by_t = np.broadcast_to(tested.interval == "t", result[0].shape)
    for index, differences, weights in units:
        few, of_some = few_differ(differences), result[:, index]
        number = differences.shape[1]
        if weights is None and number > 1:
            reach = -float(special.stdtrit(number - 1, (1 - confidence) / 2))
            is_skewed = is_by_t[index] & ~few & ~np.isnan(of_some[0])
            of_some = np.where(is_skewed, wider(of_some, hall_limits(differences, reach)), of_some)
        if ends is not None and few.any():
            scale, value = of_differences(ends), tested.of.value[index][few]
            bounded = limits_by_ends(differences[few], value, scale, confidence, threads=threads)
            of_some[:, few] = wider(bounded, np.clip(tested.limits[:, index][:, few], *scale))
        result[:, index] = of_some
    return result

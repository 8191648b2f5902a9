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

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, assert_never

import numpy as np

from irci.base import Record
from irci.base.choices import MetaMethod
from irci.base.types import Bools, Ends, Floats, Ints, Pairs, ProgressBar, Words, as_they_are, reaches
from irci.estimators.joint_resamples import JointResamples, common_topics, in_blocks, on_topics
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
from irci.stats.intervals import (
    Interval,
    both_populations,
    including_zero,
    normal_interval,
    prediction_interval,
    wider,
)
from irci.stats.meta import METHODS, Combined
from irci.stats.scales import LOGIT, SAME, mean_over_topics
from irci.stats.tests import (
    PairedTest,
    constant_p,
    least_of_signs,
    no_less_than_signs,
    normal_p,
    reaching_zero,
    t_test,
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
    give."""
    value, effect_size, p, error = np.full((4, len(pairs)), np.nan)
    limits, units = np.full((2, len(pairs)), np.nan), np.zeros(len(pairs), np.int64)
    tests, kinds = np.full((2, len(pairs)), "", object)
    for index, block in progress(
        list(_blocks(values, pairs, ends, design, threads, are_points=are_points)), "block of pairs"
    ):
        topics = block.moments.topics
        result = t_test(block.moments.mean, block.moments.sd, topics, design.confidence)
        value[index], effect_size[index] = result.mean, result.effect_size
        error[index], units[index] = block.moments.sd / np.sqrt(topics), topics
        limits[:, index], kinds[index] = _limits(block, result, error[index], design, ends)
        p[index], tests[index] = _p(block, keys[block.mask], result.p, design, ends)
    p[units < 2] = np.nan  # whatever the test, one topic tells nothing of others
    df = np.where(units > 0, units - 1.0, np.nan)
    estimates = Estimates(value, error, df, units, {"effect_size": effect_size})
    return Tested(estimates, limits, p, tests, kinds)


class _Block(Record):
    # Pairs[P, 2] of rows of values, on topics bool[T] that all of them have: moments of their differences, which
    # bounds are due (`differences_due`), and the differences of some of them where moments do not do; whether scores
    # are Borda points.
    values: Floats
    pairs: Pairs
    mask: Bools
    moments: Moments
    hits: Bools
    equal: Bools
    bounded: Bools
    are_points: bool

    def differences(self, index: Bools | slice = slice(None)) -> Floats:
        return on_topics(self.values, self.pairs[index], self.mask)


def _blocks(
    values: Floats, pairs: Pairs, ends: Ends | None, design: Design, threads: int, *, are_points: bool
) -> Iterator[tuple[Ints, _Block]]:
    # Places of pairs, and these; none of pairs without topics.
    for mask, group in common_topics(values, pairs):
        if mask.any():
            rows, of_rows = values, pairs[group]
            if not mask.all():
                those, places = np.unique(of_rows, return_inverse=True)
                rows, of_rows = values[those][:, mask], places.reshape(of_rows.shape)
            moments, at_end = (
                moments_of_pairs(rows, of_rows, threads),
                all_at_ends(rows, ends, are_points=are_points),
            )
            first = 0
            for _, index in in_blocks([(mask, group)]):
                block = slice(first, first := first + len(index))
                of_block = moments.take(block)
                due = differences_due(of_block.reach, of_rows[block], at_end, ends, design.interval)
                yield index, _Block(values, pairs[index], mask, of_block, *due, are_points)


def _limits(
    block: _Block, paired: PairedTest, error: Floats, design: Design, ends: Ends | None
) -> tuple[Interval, Floats]:
    """Limits of the mean of the differences, of which the t test is known and the standard errors[P], and their kinds,
    object[P]; nan of differences that are all equal, unless bounded ones are due."""
    topics, confidence = block.moments.topics, design.confidence
    if design.interval == "prediction":
        with_spread = prediction_interval(paired.mean, block.moments.sd, topics, confidence, design.new_topics)
    else:
        with_spread = reaching_zero(paired.limits, topics, confidence)
    limits = np.where(error > 0, with_spread, np.nan)
    kinds = np.full(len(error), "prediction" if design.interval == "prediction" else "t", object)
    if ends is not None and block.bounded.any():
        index = block.bounded
        scale = of_differences(ends)
        limits[:, index] = limits_by_ends(block.differences(index), paired.mean[index], scale, confidence)
        kinds[index] = "bounded"
        limits = np.where(block.hits, limits, reaching_zero(limits, topics, confidence))
        if block.are_points:
            holds = np.zeros(len(error), np.bool_)
            holds[index] = ~np.asarray(reaches(p_of_points(block.differences(index), ends), 1 - confidence))
            limits = including_zero(limits, holds)
    return limits, kinds


def _p(block: _Block, keys: Words, p_of_t: Floats, design: Design, ends: Ends | None) -> tuple[Floats, Floats]:
    """Two-sided p[P] of the differences by the test asked for, and the names of tests, object[P], which may be others where
    t is asked for."""
    names = np.full(len(p_of_t), design.test, object)
    match design.test:
        case "t":
            return _p_by_t(block, p_of_t, names, None if design.interval == "t" else ends)
        case "randomization":
            return signs.p_by_signs(block.differences(), signs.topic_signs(keys, design.signs, design.seed)), names
        case "wilcoxon":
            return signs.wilcoxon_p(block.differences(), signs.topic_signs(keys, design.signs, design.seed)), names
        case "sign":
            return signs.sign_test(block.differences()), names
        case _:
            assert_never(design.test)


def _p_by_t(block: _Block, p_of_t: Floats, names: Floats, ends: Ends | None) -> tuple[Floats, Floats]:
    """t's p[P] where it is no less than what signs can give; that of signs where differences do not vary, McNemar's where
    scores are ends of the scale, and that of points where their limits are bounded. `ends`: None to do without."""
    topics, largest = block.moments.topics, block.moments.largest
    p, is_less = no_less_than_signs(p_of_t, topics)
    names[is_less] = "t, signs"
    by_signs = constant_p(block.moments.without_spread & (largest > 0), topics)
    if ends is not None and topics > 1:  # which tells what is rounding
        differ = largest > SAME * (ends[1] - ends[0])
        by_signs = np.where(block.equal, np.where(differ, least_of_signs(topics), 1.0), by_signs)
    index = ~np.isnan(by_signs)
    p[index], names[index] = by_signs[index], np.where(by_signs[index] < 1, "signs", "t")
    if ends is not None and block.are_points:
        p[block.bounded] = p_of_points(block.differences(block.bounded), ends)
        names[block.bounded] = "points" if are_of_two(ends) else "bounded"
    elif ends is not None and block.hits.any():
        p[block.hits], names[block.hits] = p_of_hits(block.differences(block.hits), ends), "midp"
    return p, names


def randomization(values: Floats, pairs: Pairs, units_of: Callable[[Bools], signs.Units], design: Design) -> Floats:
    """Two-sided p[P] of pairs of rows of values[rows, M] by one sign a unit.

    units_of: those of the scores bool[M] that two rows share
    """
    p = np.full(len(pairs), np.nan)
    for mask, index in common_topics(values, pairs):
        if mask.any():
            units = units_of(mask)
            differences = on_topics(units.values, pairs[index])
            p[index] = signs.p_by_signs(differences, signs.topic_signs(units.keys, design.signs, design.seed))
    return p


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

"""Differences between runs: of their means over documents, topics or both, on single topics, and these combined.

A pair is (run, baseline), two rows of a table of scores; the difference is the run's score less the baseline's. Every result
has the column `effect_size`: the mean difference divided by the standard deviation of the differences over topics.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import assert_never

import numpy as np

from irci.base.choices import MetaMethod, TopicTest
from irci.base.records import Record
from irci.base.types import Bools, Ends, Floats, Ints, Pairs, ProgressBar, Words, as_they_are, reaches
from irci.estimators.compare.edges import (
    Due,
    all_at_ends,
    are_of_two,
    differences_due,
    limits,
    of_differences,
    p_of_hits,
    p_of_points,
)
from irci.estimators.compare.means import Design, Tested
from irci.estimators.joint_resamples import JointMeans, TopicSpreads, common_topics, in_blocks, on_topics
from irci.stats.bounded import Moments, moments_of_pairs
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval, both_populations, including_zero, normal_interval, prediction_interval
from irci.stats.meta import METHODS, Combined
from irci.stats.scales import SAME, Scale, mean_over_topics
from irci.stats.signs import Units, directions, p_by_signs, sign_test, topic_signs, wilcoxon_p
from irci.stats.tests import (
    PairedTest,
    constant_p,
    least_of_signs,
    no_less_than_signs,
    normal_p,
    reaching_zero,
    t_test,
)


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
    value, lower, upper, effect_size, p, error = columns = np.full((6, len(pairs)), np.nan)
    units = np.zeros(len(pairs), np.int64)
    tests, kinds = np.full((2, len(pairs)), "", object)
    for index, block in progress(
        list(_blocks(values, pairs, ends, design, threads, are_points=are_points)), "block of pairs"
    ):
        topics = block.moments.topics
        result = t_test(block.moments.mean, block.moments.sd, topics, design.confidence)
        columns[:5, index] = result
        error[index], units[index] = block.moments.error, topics
        (lower[index], upper[index]), kinds[index] = _limits(block, result, error[index], design, ends)
        p[index], tests[index] = _p(block, keys[block.mask], result.p, design, ends)
    p[units < 2] = np.nan  # whatever the test, one topic tells nothing of others
    df = np.where(units > 0, units - 1.0, np.nan)
    estimates = Estimates(value, error, df, units, {"effect_size": effect_size})
    return Tested(estimates, (lower, upper), p, tests.tolist(), kinds.tolist())


class _Block(Record):
    # Pairs[P, 2] of rows of values, on topics bool[T] that all of them have: moments of their differences, which
    # bounds are due, and the differences of some of them where moments do not do; whether scores are Borda points.
    values: Floats
    pairs: Pairs
    mask: Bools
    moments: Moments
    due: Due
    are_points: bool

    def differences(self, index: Bools | slice = slice(None)) -> Floats:
        return on_topics(self.values, self.pairs[index], self.mask)


def _blocks(
    values: Floats, pairs: Pairs, ends: Ends | None, design: Design, threads: int = 1, *, are_points: bool = False
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
                yield index, _Block(values, pairs[index], mask, of_block, due, are_points)


def limits_over_topics(
    values: Floats, pairs: Pairs, design: Design, ends: Ends | None = None, *, are_points: bool = False
) -> Interval:
    """The limits that `over_topics` gives, without its tests."""
    lower, upper = np.full((2, len(pairs)), np.nan)
    for index, block in _blocks(values, pairs, ends, design, are_points=are_points):
        result = t_test(block.moments.mean, block.moments.sd, block.moments.topics, design.confidence)
        (lower[index], upper[index]), _ = _limits(block, result, block.moments.error, design, ends)
    return lower, upper


def _limits(
    block: _Block, paired: PairedTest, error: Floats, design: Design, ends: Ends | None
) -> tuple[Interval, Floats]:
    """Limits of the mean of the differences, of which the t test is known and the standard errors[P], and their kinds,
    object[P]; nan of differences that are all equal, unless bounded ones are due."""
    topics, confidence = block.moments.topics, design.confidence
    if design.interval == "prediction":
        sd = error * np.sqrt(topics)
        with_spread = prediction_interval(paired.mean, sd, topics, confidence, design.new_topics)
    else:
        with_spread = reaching_zero((paired.lower, paired.upper), topics, confidence)
    lower, upper = (np.where(error > 0, limit, np.nan) for limit in with_spread)
    kinds = np.full(len(error), "prediction" if design.interval == "prediction" else "t", object)
    if ends is not None and block.due.bounded.any():
        index = block.due.bounded
        bounded = limits(block.differences(index), paired.mean[index], of_differences(ends), confidence)
        lower[index], upper[index] = bounded
        kinds[index] = "bounded"
        by_signs = reaching_zero((lower, upper), topics, confidence)
        lower, upper = (np.where(block.due.hits, *both) for both in zip((lower, upper), by_signs, strict=True))
        if block.are_points:
            holds = np.zeros(len(error), np.bool_)
            holds[index] = ~np.asarray(reaches(p_of_points(block.differences(index), ends), 1 - confidence))
            lower, upper = including_zero((lower, upper), holds)
    return (lower, upper), kinds


def _p(block: _Block, keys: Words, p_of_t: Floats, design: Design, ends: Ends | None) -> tuple[Floats, Floats]:
    """Two-sided p[P] of the differences by the test asked for, and the names of tests, object[P], which may be others where
    t is asked for."""
    names = np.full(len(p_of_t), design.test, object)
    match design.test:
        case "t":
            return _p_by_t(block, p_of_t, names, None if design.interval == "t" else ends)
        case "randomization":
            return p_by_signs(block.differences(), topic_signs(keys, design.signs, design.seed)), names
        case "wilcoxon":
            return wilcoxon_p(block.differences(), topic_signs(keys, design.signs, design.seed)), names
        case "sign":
            return sign_test(block.differences()).p, names
        case _:
            assert_never(design.test)


def _p_by_t(block: _Block, p_of_t: Floats, names: Floats, ends: Ends | None) -> tuple[Floats, Floats]:
    """t's p[P] where it is no less than what signs can give; that of signs where differences do not vary, McNemar's where
    scores are ends of the scale, and that of points where their limits are bounded. `ends`: None to do without."""
    topics, largest, due = block.moments.topics, block.moments.largest, block.due
    p, is_less = no_less_than_signs(p_of_t, topics)
    names[is_less] = "t, signs"
    by_signs = constant_p(block.moments.without_spread & (largest > 0), topics)
    if ends is not None and topics > 1:  # which tells what is rounding
        differ = largest > SAME * (ends[1] - ends[0])
        by_signs = np.where(due.equal, np.where(differ, least_of_signs(topics), 1.0), by_signs)
    index = ~np.isnan(by_signs)
    p[index], names[index] = by_signs[index], np.where(by_signs[index] < 1, "signs", "t")
    if ends is not None and block.are_points:
        p[due.bounded] = p_of_points(block.differences(due.bounded), ends)
        names[due.bounded] = "points" if are_of_two(ends) else "bounded"
    elif ends is not None and due.hits.any():
        p[due.hits], names[due.hits] = p_of_hits(block.differences(due.hits), ends), "midp"
    return p, names


def randomization(values: Floats, pairs: Pairs, units_of: Callable[[Bools], Units], design: Design) -> Floats:
    """Two-sided p[P] of pairs of rows of values[rows, M] by one sign a unit.

    units_of: those of the scores bool[M] that two rows share
    """
    p = np.full(len(pairs), np.nan)
    for mask, index in common_topics(values, pairs):
        if mask.any():
            units = units_of(mask)
            differences = on_topics(units.values, pairs[index], np.ones(len(units.keys), np.bool_))
            p[index] = p_by_signs(differences, topic_signs(units.keys, design.signs, design.seed))
    return p


def over_documents(differences: Estimates, errors: Floats, confidence: float) -> Tested:
    """The differences with limits d +- z error and normal p from standard errors[P] (Cormack & Lynam 2006, section 6).

    nan where there is a difference but no error: see `normal_p`.
    """
    p = normal_p(differences.value, errors)
    estimates = differences._replace(error=errors, df=np.full(len(p), np.inf))
    limits = normal_interval(estimates.value, np.where(np.isnan(p), np.nan, errors), confidence)
    return Tested(estimates, limits, p, ["normal"] * len(p))


def over_both(differences: Estimates, values: Floats, spreads: TopicSpreads, confidence: float) -> Tested:
    """The differences of means of values[rows, T] with limits and p for other topics and other documents, from the spreads of
    single topics under resampled documents, anew for each copy of a topic (see `both_populations`). p is no less
    than the least that signs of the topics can give."""
    pairs = spreads.pairs
    columns = np.full((7, len(pairs)), np.nan)
    for mask, index in in_blocks(common_topics(values, pairs)):
        topics = int(mask.sum())
        if topics:
            result = on_topics(values, pairs[index], mask)
            # In topic order, so that a pair's last digit does not depend on the number of pairs.
            squares = topics * mean_over_topics((result.T - mean_over_topics(result.T)) ** 2)
            variance = squares / (topics - 1) if topics > 1 else np.full(len(index), np.nan)
            of_documents = mean_over_topics(spreads.sd[index][:, mask].T ** 2)
            columns[:, index] = both_populations(differences.value[index], variance, of_documents, topics, confidence)
    lower, upper, p, error, df, sd_documents, sd_topics = columns
    parts = {"sd_documents": sd_documents, "sd_topics": sd_topics, "df": df}
    estimates = differences._replace(error=error, df=df, columns={**differences.columns, **parts})
    p, is_less = no_less_than_signs(p, estimates.units)
    limits = reaching_zero((lower, upper), estimates.units, confidence)
    return Tested(estimates, limits, p, np.where(is_less, "t, signs", "t").tolist())


def joint_errors(joint: Sequence[tuple[JointMeans, Ints]], pairs: Pairs, scale: Scale) -> Floats:
    """The standard errors[P] of differences of means from joint resamples; each set with the pairs it is for."""
    errors = np.full(len(pairs), np.nan)
    for means, selected in joint:
        replicates = means.means(scale)
        row = {run: index for index, run in enumerate(means.rows.tolist())}
        for pair in selected.tolist():
            run, baseline = (row[item] for item in pairs[pair].tolist())
            errors[pair] = (replicates[run] - replicates[baseline]).std(ddof=1)
    return errors


def independent_errors(errors: Floats, pairs: Pairs) -> Floats:
    """The standard errors[P] of differences of runs whose documents are resampled each by themselves, sqrt(e_x^2 + e_y^2),
    from those of the runs' means (Cormack & Lynam 2006, section 6)."""
    of_run, of_baseline = errors[pairs].T
    return np.asarray(np.sqrt(of_run**2 + of_baseline**2))


def combined(values: Floats, spreads: TopicSpreads, method: MetaMethod) -> Iterator[tuple[Combined | None, int]]:
    """For each pair its effects on single topics combined into one, and how many topics tell nothing and are left out.

    `values` float64[rows, T]: scores as they are. Left out: a score of exactly 0 or 1 (its logit is set by epsilon), rankings
    that cannot score differently. None where no topic is left. (Cormack & Lynam 2006, section 6.)
    """
    on_scale = np.vstack((spreads.scale.forward(values), np.zeros(values.shape[1])))
    at_end = np.vstack(((values == 0) | (values == 1), np.zeros(values.shape[1], np.bool_)))
    for (run, baseline), sd, same in zip(spreads.pairs, spreads.sd, spreads.same, strict=True):
        effects = on_scale[run] - on_scale[baseline]
        scored = ~np.isnan(effects)
        usable: Bools = scored & ~(at_end[run] | at_end[baseline] | same)
        usable &= sd > 0  # else too few resamples to vary
        left_out = int(scored.sum() - usable.sum())
        yield (METHODS[method](effects[usable], sd[usable]) if usable.any() else None), left_out


def mean_values(values: Floats, pairs: Pairs) -> tuple[Floats, Floats]:
    """The mean of the run and of the baseline of each pair, float64[P] each, over the topics both are scored on."""
    means = np.full((2, len(pairs)), np.nan)
    for mask, index in in_blocks(common_topics(values, pairs)):
        if mask.any():
            for side in (0, 1):
                means[side, index] = mean_over_topics(values[pairs[index, side]][:, mask].T)
    return means[0], means[1]


def directions_over_topics(values: Floats, pairs: Pairs, means: Floats, test: TopicTest) -> Floats:
    """The signs, float64[P], of what a test speaks of: of the differences of means[P], or of what ranks and signs of
    differences of values[rows, T] go by."""
    result = np.sign(means)
    if test in ("wilcoxon", "sign"):
        for mask, index in in_blocks(common_topics(values, pairs)):
            if mask.any():
                result[index] = directions(on_topics(values, pairs[index], mask), test)
    return result

"""Differences between runs: of their means over documents, topics or both, on single topics, and these combined.

A pair is (run, baseline), two rows of a table of scores; the difference is the run's score less the baseline's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np

from irci.base.choices import MetaMethod
from irci.base.types import Bools, Floats, Ints, Pairs, Progress, Words, as_they_are
from irci.bootstrap.joint_resamples import JointMeans, TopicSpreads, common_topics, in_blocks, on_topics
from irci.bootstrap.topics import topic_counts, topic_limits
from irci.methods.map_ci.means import Settings
from irci.stats.intervals import Interval, both_populations, normal_interval, prediction_interval
from irci.stats.meta import METHODS, Combined
from irci.stats.scales import Scale, mean_over_topics
from irci.stats.signs import constant_difference_p, is_exact, p_by_signs, sign_test, topic_signs, wilcoxon
from irci.stats.tests import PAIRS_AT_ONCE, PairedTest, normal_p, paired_t, without_spread


@dataclass(frozen=True)
class Differences:
    """Of P pairs, float64[P] each: difference, limits, two-sided p, effect size (mean / sd over topics), the standard error.

    `test`: for each pair what p comes from: t, randomization, wilcoxon, sign, signs (where the difference is the same on all
    topics, so that t would be infinite), or normal (from the resampled standard error). `p_error`: the Monte-Carlo error of p
    where signs are drawn. Of topics and documents together: `sd_documents`, `sd_topics`, `df`, `share_documents`.
    """

    value: Floats
    lower: Floats
    upper: Floats
    p: Floats
    effect_size: Floats
    error: Floats
    test: list[str]
    p_error: Floats | None = None
    both: dict[str, Floats] | None = None


def over_topics(
    values: Floats, pairs: Pairs, keys: Words, settings: Settings, progress: Progress = as_they_are
) -> Differences:
    """Differences of means of values[rows, T] (on the measure's scale), topics varying; `keys` uint64[T]: stream keys.

    Simultaneous limits are not found here, as they are of all pairs at once: those of t stand for them.
    """
    columns = np.full((7, len(pairs)), np.nan)
    tests = [_name_of(settings)] * len(pairs)
    by_signs, any_drawn = settings.test in ("randomization", "wilcoxon"), False
    for mask, some in progress(in_blocks(common_topics(values, pairs)), "block of pairs"):
        if mask.any():
            differences = on_topics(values, pairs[some], mask)
            found = paired_t(differences, settings.confidence)
            columns[:5, some] = found
            columns[5, some] = _errors(differences)
            columns[1:3, some] = _limits(differences, found, columns[5, some], settings)
            columns[4, some] = _p(differences, keys[mask], found.p, settings)
            is_drawn = by_signs and not is_exact(int(mask.sum()), settings.signs)
            columns[6, some] = np.sqrt(columns[4, some] * (1 - columns[4, some]) / settings.signs) if is_drawn else 0.0
            any_drawn |= is_drawn
            constant = _p_without_spread(differences, settings)
            is_constant = ~np.isnan(constant)
            columns[4, some] = np.where(is_constant, constant, columns[4, some])
            for pair in some[is_constant].tolist():
                tests[pair] = "signs"
    mean, lower, upper, effect_size, p, error, p_error = columns
    return Differences(mean, lower, upper, p, effect_size, error, tests, p_error if any_drawn else None)


def limits_over_topics(values: Floats, pairs: Pairs, settings: Settings) -> Interval:
    """The limits that `over_topics` gives, without its tests."""
    lower, upper = np.full((2, len(pairs)), np.nan)
    for mask, some in in_blocks(common_topics(values, pairs)):
        if mask.any():
            differences = on_topics(values, pairs[some], mask)
            found = paired_t(differences, settings.confidence)
            lower[some], upper[some] = _limits(differences, found, _errors(differences), settings)
    return lower, upper


def _p_without_spread(differences: Floats, settings: Settings) -> Floats:
    """p[P] where t would be infinite, for lack of spread: what signs can say is all there is; else nan."""
    if _name_of(settings) != "t":
        return np.full(len(differences), np.nan)
    return constant_difference_p(differences)


def _errors(differences: Floats) -> Floats:
    """The standard errors[P] of the means of differences[P, T], added up in topic order; nan of one topic."""
    topics = differences.shape[1]
    if topics < 2:
        return np.full(len(differences), np.nan)
    squares = mean_over_topics((differences.T - mean_over_topics(differences.T)) ** 2)
    return np.where(without_spread(differences), 0.0, np.sqrt(squares / (topics - 1)))


def _name_of(settings: Settings) -> str:
    return "t" if settings.test == "normal" else settings.test


def _limits(differences: Floats, found: PairedTest, error: Floats, settings: Settings) -> Interval:
    """Limits of the mean of differences[P, T], of which the t test is known and the standard errors[P]."""
    lower, upper = _of_kind(differences, found, error, settings)
    spread = np.isnan(_p_without_spread(differences, settings))
    return np.where(spread, lower, found.mean), np.where(spread, upper, found.mean)


def _of_kind(differences: Floats, found: PairedTest, error: Floats, settings: Settings) -> Interval:
    """The same where differences have spread: of the kind asked for."""
    mean, topics = found.mean, differences.shape[1]
    match settings.interval:
        case "t" | "simultaneous":
            return found.lower, found.upper
        case "prediction":
            return prediction_interval(mean, error * np.sqrt(topics), topics, settings.confidence, settings.new_topics)
        case "percentile" | "bca" | "bootstrap-t":
            if topics < 2:
                return np.full(len(mean), np.nan), np.full(len(mean), np.nan)
            counts = topic_counts(topics, settings.resamples, settings.seed)
            lower, upper = np.empty((2, len(differences)))
            for first in range(0, len(differences), PAIRS_AT_ONCE):
                some = slice(first, first + PAIRS_AT_ONCE)
                lower[some], upper[some] = topic_limits(
                    differences[some], settings.interval, counts, settings.confidence
                )
            return lower, upper
        case _:
            assert_never(settings.interval)


def _p(differences: Floats, keys: Words, p_of_t: Floats, settings: Settings) -> Floats:
    """Two-sided p[P] of differences[P, T] by the test asked for."""
    match settings.test:
        case "t" | "normal":
            return p_of_t
        case "randomization":
            return p_by_signs(differences, topic_signs(keys, settings.signs, settings.seed))
        case "wilcoxon":
            return wilcoxon(differences, topic_signs(keys, settings.signs, settings.seed)).p
        case "sign":
            return sign_test(differences).p
        case _:
            assert_never(settings.test)


def over_documents(differences: Differences, errors: Floats, confidence: float) -> Differences:
    """The differences with limits d +- z error and normal p from standard errors[P] (Cormack & Lynam 2006, section 6).

    nan where there is a difference but no error: see `normal_p`.
    """
    p = normal_p(differences.value, errors)
    lower, upper = normal_interval(differences.value, np.where(np.isnan(p), np.nan, errors), confidence)
    return Differences(
        differences.value, lower, upper, p, differences.effect_size, errors, ["normal"] * len(p)
    )  # fmt: skip


def over_both(differences: Differences, values: Floats, spreads: TopicSpreads, settings: Settings) -> Differences:
    """The differences of means of values[rows, T] with limits and p for other topics and other documents, from the spreads of
    single topics under resampled documents (see `both_populations`)."""
    pairs = spreads.pairs
    columns = np.full((8, len(pairs)), np.nan)
    for mask, some in in_blocks(common_topics(values, pairs)):
        topics = int(mask.sum())
        if topics:
            found = on_topics(values, pairs[some], mask)
            # In topic order, so that a pair's last digit does not depend on the number of pairs.
            squares = topics * mean_over_topics((found.T - mean_over_topics(found.T)) ** 2)
            variance = squares / (topics - 1) if topics > 1 else np.full(len(some), np.nan)
            of_documents = mean_over_topics(spreads.sd[some][:, mask].T ** 2)
            columns[:, some] = both_populations(
                differences.value[some], variance, of_documents, topics, settings.confidence,
                shared=settings.slots == "shared",
            )  # fmt: skip
    lower, upper, p, error, df, sd_documents, sd_topics, share = columns
    parts = {"sd_documents": sd_documents, "sd_topics": sd_topics, "df": df, "share_documents": share}
    test = ["t"] * len(pairs)
    return replace(differences, lower=lower, upper=upper, p=p, error=error, p_error=None, both=parts, test=test)


def joint_errors(joint: Sequence[tuple[JointMeans, Ints]], pairs: Pairs, scale: Scale) -> Floats:
    """The standard errors[P] of differences of means from joint resamples; each set with the pairs it is for."""
    errors = np.full(len(pairs), np.nan)
    for means, some in joint:
        replicates = means.means(scale)
        row = {run: place for place, run in enumerate(means.rows.tolist())}
        for pair in some.tolist():
            run, baseline = (row[each] for each in pairs[pair].tolist())
            errors[pair] = (replicates[run] - replicates[baseline]).std(ddof=1)
    return errors


def independent_errors(errors: Floats, pairs: Pairs) -> Floats:
    """The standard errors[P] of differences of runs whose documents are resampled each by themselves, sqrt(e_x^2 + e_y^2),
    from those of the runs' means (Cormack & Lynam 2006, section 6)."""
    of_run, of_baseline = errors[pairs].T
    both: Floats = np.sqrt(of_run**2 + of_baseline**2)
    return both


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
    for mask, some in in_blocks(common_topics(values, pairs)):
        if mask.any():
            for side in (0, 1):
                means[side, some] = mean_over_topics(values[pairs[some, side]][:, mask].T)
    return means[0], means[1]

"""Differences between runs: of their means over documents, topics or both, on single topics, and these combined.

A pair is (run, baseline), two rows of a table of scores; the difference is the run's score less the baseline's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from irci.bootstrap.joint_means import JointMeans
from irci.bootstrap.joint_resamples import TopicSpreads, common_topics
from irci.bootstrap.topics import topic_counts, topic_limits
from irci.choices import MetaMethod, ResampledInterval, TopicInterval, TopicTest
from irci.stats.intervals import Interval, normal_interval
from irci.stats.meta import METHODS, Combined
from irci.stats.scales import Scale, mean_over_topics
from irci.stats.tests import PAIRS_AT_ONCE, normal_p, paired_t, sign_flip
from irci.types import Floats, Ints, Ints32, Pairs, Words


@dataclass(frozen=True)
class Differences:
    """Of P pairs, float64[P] each: difference, limits, two-sided p and effect size (mean / sd over topics).

    `test`: what p comes from: t, randomization, or normal (from the resampled standard error).
    """

    value: Floats
    lower: Floats
    upper: Floats
    p: Floats
    effect_size: Floats
    test: str


def over_topics(
    values: Floats,
    pairs: Pairs,
    keys: Words,
    *,
    interval: TopicInterval,
    test: TopicTest,
    resamples: int,
    seed: int,
    confidence: float,
) -> Differences:
    """Differences of means of values[rows, T] (on the measure's scale), topics varying.

    `interval`: t (the paired t's), percentile or bca of the means over resampled topics. `test`: t or randomization, for
    which `keys` uint64[T] are the topics' stream keys.
    """
    columns = np.full((5, len(pairs)), np.nan)
    for mask, some in common_topics(values, pairs):
        if not mask.any():
            continue
        differences = values[pairs[some, 0]][:, mask] - values[pairs[some, 1]][:, mask]
        columns[:, some] = paired_t(differences, confidence)
        if interval != "t" and mask.sum() > 1:
            counts = topic_counts(int(mask.sum()), resamples, seed)
            columns[1:3, some] = _resampled_limits(differences, interval, counts, confidence)
        if test == "randomization":
            columns[4, some] = sign_flip(differences, keys[mask], resamples, seed)
    mean, lower, upper, effect_size, p = columns
    return Differences(mean, lower, upper, p, effect_size, test)


def _resampled_limits(differences: Floats, interval: ResampledInterval, counts: Ints32, confidence: float) -> Interval:
    """Percentile or BCa limits of the mean of differences[P, T]; equal runs keep their 0."""
    lower, upper = np.empty((2, len(differences)))
    for first in range(0, len(differences), PAIRS_AT_ONCE):
        some = slice(first, first + PAIRS_AT_ONCE)
        lower[some], upper[some] = topic_limits(differences[some], interval, counts, confidence)
    return lower, upper


def from_errors(differences: Differences, errors: Floats, confidence: float) -> Differences:
    """Differences with limits d +- z error and normal p from their standard errors[P] (Cormack & Lynam 2006, section 6).

    nan where there is a difference but no error: see `normal_p`.
    """
    p = normal_p(differences.value, errors)
    lower, upper = normal_interval(differences.value, np.where(np.isnan(p), np.nan, errors), confidence)
    return Differences(differences.value, lower, upper, p, differences.effect_size, "normal")


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
        usable = scored & ~(at_end[run] | at_end[baseline] | same)
        usable &= sd > 0  # else too few resamples to vary
        left_out = int(scored.sum() - usable.sum())
        yield (METHODS[method](effects[usable], sd[usable]) if usable.any() else None), left_out


def independent_errors(errors: Floats, pairs: Pairs) -> Floats:
    """The standard errors[P] of differences of runs whose documents are resampled each by themselves, sqrt(e_x^2 + e_y^2),
    from those of the runs' means (Cormack & Lynam 2006, section 6)."""
    of_run, of_baseline = errors[pairs].T
    both: Floats = np.sqrt(of_run**2 + of_baseline**2)
    return both


def mean_values(values: Floats, pairs: Pairs) -> tuple[Floats, Floats]:
    """The mean of the run and of the baseline of each pair, float64[P] each, over the topics both are scored on."""
    means = np.full((2, len(pairs)), np.nan)
    for mask, some in common_topics(values, pairs):
        if mask.any():
            for side in (0, 1):
                means[side, some] = mean_over_topics(values[pairs[some, side]][:, mask].T)
    return means[0], means[1]

"""Differences between runs: of their means over documents, topics or both, on single topics, and these combined.

A pair is (run, baseline), two rows of a table of scores; the difference is the run's score less the baseline's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from irci.bootstrap.joint_means import JointMeans
from irci.bootstrap.topics import topic_counts, topic_limits
from irci.choices import MetaMethod, ResampledInterval, TopicInterval, TopicTest
from irci.data.measures import mean_over_topics
from irci.stats.intervals import Interval, normal_interval
from irci.stats.meta import METHODS, Combined
from irci.stats.scales import Scale
from irci.stats.tests import PAIRS_AT_ONCE, normal_p, paired_t, sign_flip
from irci.types import Bools, Floats, Ints, Ints32, Pairs, Words

NOTHING = -1  # as a baseline: the run's own score is the effect


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


def common_topics(values: Floats, pairs: Pairs) -> list[tuple[Bools, Ints]]:
    """The topics bool[T] that both of a pair are scored on in values[rows, T], and which pairs these are."""
    scored = ~np.isnan(values)
    masks, which = np.unique(scored[pairs[:, 0]] & scored[pairs[:, 1]], axis=0, return_inverse=True)
    return [(mask, np.flatnonzero(which.ravel() == place)) for place, mask in enumerate(masks)]


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


@dataclass
class TopicSpreads:
    """How much differences on single topics vary with the documents: sd float64[P, T] on a scale, ddof 1.

    `same` bool[P, T]: rankings that cannot score differently, told by their structure (`ranking_structures`).
    """

    pairs: Pairs
    scale: Scale
    num_topics: int
    sd: Floats = field(init=False)
    same: Bools = field(init=False)

    def __post_init__(self) -> None:
        self.sd = np.full((len(self.pairs), self.num_topics), np.nan)
        self.same = np.zeros(self.sd.shape, np.bool_)

    def add(self, topic: int, scores: Floats, structures: Words) -> None:
        """Take a topic's replicates [rows, B] and the structures uint64[rows] of its rankings."""
        # A last row, which NOTHING is, for pairs without a baseline.
        on_scale = np.vstack((self.scale.forward(scores), np.zeros(scores.shape[1])))
        for first in range(0, len(self.pairs), PAIRS_AT_ONCE):
            some = slice(first, first + PAIRS_AT_ONCE)
            run, baseline = self.pairs[some].T
            self.sd[some, topic] = (on_scale[run] - on_scale[baseline]).std(axis=1, ddof=1)
            self.same[some, topic] = (baseline != NOTHING) & (structures[run] == structures[baseline])


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


def mean_values(values: Floats, pairs: Pairs) -> tuple[Floats, Floats]:
    """The mean of the run and of the baseline of each pair, float64[P] each, over the topics both are scored on."""
    means = np.full((2, len(pairs)), np.nan)
    for mask, some in common_topics(values, pairs):
        if mask.any():
            for side in (0, 1):
                means[side, some] = mean_over_topics(values[pairs[some, side]][:, mask].T)
    return means[0], means[1]

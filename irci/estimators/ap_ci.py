"""ap-ci: how precise is a topic's average precision?

Estimates AP of one run on each topic, their mean, and how much these would vary over collections of this size and kind: what
a limit is about is the expected score over these, not the score in an endless one, which is lower where few documents are
relevant. Resampled: the documents, each with a Poisson(1) number of copies; topics and system are fixed, so nothing is said
about other topics. Assumes that the collection is a sample of similar documents (same relevance, neighbouring rank). The same
resampling applied to other measures is an experiment of ours, and so is the mean's share of the small-R correction.

G. V. Cormack and T. R. Lynam, "Statistical precision of information retrieval evaluation", SIGIR 2006, 533-540.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irci.base.choices import ApInterval, SmallR
from irci.base.records import Checked, Record
from irci.base.types import Bools, Floats, Words
from irci.data.collection import RelevantRanks
from irci.kernels.corpus_bootstrap import ap_acceleration, ap_delta_sd
from irci.measures import MAP, Measure
from irci.stats.intervals import (
    Interval,
    bca_interval,
    corrected,
    delta_logit_interval,
    error_of_mean,
    logit_interval,
    normal_interval,
    percentile_interval,
)
from irci.stats.scales import PLAIN, Scale, replaced_logit

if TYPE_CHECKING:
    from irci.estimators.documents import StepTables


class IntervalMethod(Checked):
    """The choices that change a digit.

    `interval`: the measure's own if None; parametric takes no resamples. `published`: bca takes order statistics as the
    paper's S-Plus did. bca, parametric and the small-R correction are for AP alone.
    """

    interval: ApInterval | None = None
    resamples: int = 2000
    confidence: float = 0.95
    seed: int = 1
    small_r: SmallR = "wider"
    published: bool = False

    def kind_of(self, measure: Measure) -> ApInterval:
        return self.interval or measure.family.interval

    def gives_limits(self, measure: Measure) -> bool:
        """True if a measure gets limits: its documents can be resampled, and are."""
        return measure.scores_topics and (self.interval == "parametric" or self.resamples > 0)


class ApIntervals(Record):
    """One run's scores and limits, float64[T] in topic order (nan limits where R = 0), and the mean with its own.

    `corrected` bool[T]: limits from the small-R correction; `fallen_back` bool[T]: BCa undefined, percentile taken.
    """

    measure: Measure
    value: Floats
    lower: Floats
    upper: Floats
    corrected: Bools
    fallen_back: Bools
    summary: float
    summary_lower: float
    summary_upper: float

    @property
    def useless(self) -> Bools:
        """bool[T]: intervals wider than .9."""
        return np.clip(self.upper, 0, 1) - np.clip(self.lower, 0, 1) > 0.9


def ap_ci(
    value: Floats, lists: RelevantRanks, keys: Words, settings: IntervalMethod, *, measure: Measure = MAP,
    threads: int = 1, tables: StepTables | None = None,
) -> ApIntervals:  # fmt: skip
    """Confidence intervals of one run's scores value[T], and of their mean.

    `lists`: the ranks that the measure looks at; `keys` uint64[T]: the topics' stream keys (`streams.topic_keys`). The
    mean's limits are always mean +- z standard errors, topics resampled independently, whatever `settings.interval`: topics
    whose logit limits (or parametric ones) need the small-R correction vary as `error_of_mean` says. Limits are
    nan for a topic without relevant documents. The measure must be one that gets limits. `tables` can be shared between runs.
    """
    kind, confidence = settings.kind_of(measure), settings.confidence
    small_r: SmallR = settings.small_r if measure.family is MAP.family else "none"
    if kind == "parametric":
        sd = ap_delta_sd(lists, value)
        limits, fallen_back = delta_logit_interval(value, sd, confidence), np.zeros(len(value), np.bool_)
        for_mean, changed = corrected(value, limits, lists.num_relevant, lists.retrieved, confidence, small_r)
        error_of_others = float(np.sqrt((sd[~changed] ** 2).sum()) / len(value))
        error = error_of_mean(error_of_others, for_mean, changed, confidence)
    else:
        result = resampled_limits(
            value, lists, keys, (kind,), (PLAIN,), measure=measure, resamples=settings.resamples, seed=settings.seed,
            confidence=confidence, small_r=small_r, order_statistic=settings.published, tables=tables, threads=threads,
        )  # fmt: skip
        limits, fallen_back, error = result.limits[kind], result.fallen_back, result.errors[0]
    limits, is_corrected = corrected(value, limits, lists.num_relevant, lists.retrieved, confidence, small_r)
    undefined = lists.num_relevant == 0
    if undefined.all():  # what no topic has the mean has not either
        error = math.nan
    summary = measure.summary(value)
    of_summary = map(float, normal_interval(summary, error, confidence))
    lower, upper = (np.where(undefined, np.nan, limit) for limit in limits)
    return ApIntervals(measure, value, lower, upper, is_corrected, fallen_back & ~undefined, summary, *of_summary)


def without_limits(value: Floats, measure: Measure) -> ApIntervals:
    """Scores value[T] for which no documents can be resampled: all limits are nan.

    A nan score is none: it takes no part in the summary and has no row.
    """
    nothing, nowhere = np.full(len(value), np.nan), np.zeros(len(value), np.bool_)
    scored = value[~np.isnan(value)]
    summary = measure.summary(scored) if len(scored) else math.nan
    return ApIntervals(measure, value, nothing, nothing, nowhere, nowhere, summary, math.nan, math.nan)


class ResampledLimits(NamedTuple):
    """Limits of T topics' scores from their replicates, and what these say of means.

    limits: dict[str, Interval]  # by the kind of interval, not corrected
    fallen_back: bool[T]  # BCa undefined, percentile taken
    for_mean: Interval  # logit limits with the small-R correction, if there is one
    is_corrected: bool[T]  # where that changes them
    errors: list[float]  # standard errors of the means, one a scale
    centres: list[float]  # means of what is resampled of the means: with a small-R correction of topics without one
    """

    limits: dict[str, Interval]
    fallen_back: Bools
    for_mean: Interval
    is_corrected: Bools
    errors: list[float]
    centres: list[float]


def resampled_limits(
    value: Floats, lists: RelevantRanks, keys: Words, kinds: Sequence[str], scales: Sequence[Scale], *,
    measure: Measure, resamples: int, seed: int, confidence: float, small_r: SmallR,
    order_statistic: bool = False, tables: StepTables | None = None, threads: int = 1,
) -> ResampledLimits:  # fmt: skip
    """Limits of the scores value[T] of several kinds, and standard errors of their means on several scales, from one pass
    over the replicates. Acceleration is known for AP; without it BCa is but bias-corrected."""
    from irci.estimators.documents import add_rows, by_block  # takes time

    topics, needs_logit = len(value), small_r != "none"
    limits = {kind: np.empty((2, topics)) for kind in ((*kinds, "logit") if needs_logit else kinds)}
    for_mean, fallen_back, is_corrected = np.empty((2, topics)), np.zeros(topics, np.bool_), np.zeros(topics, np.bool_)
    sums = np.zeros((len(scales), resamples))  # of the topics whose limits stand
    knows_acceleration = "bca" in kinds and measure.family is MAP.family
    acceleration = ap_acceleration(lists, value) if knows_acceleration else np.zeros(topics)

    def work(index: slice, replicates: Floats) -> list[Floats]:
        scores = value[index]
        for kind, of_kind in limits.items():
            match kind:
                case "logit":
                    of_kind[:, index] = logit_interval(scores, replicates, confidence)
                case "replaced-logit":
                    of_kind[:, index] = logit_interval(scores, replicates, confidence, replaced_logit)
                case "percentile":
                    of_kind[:, index] = percentile_interval(replicates, confidence)
                case "bca":
                    of_kind[:, index], defined = bca_interval(
                        scores, replicates, acceleration[index], confidence, order_statistic=order_statistic
                    )
                    fallen_back[index] = ~defined
                case "linear":
                    of_kind[:, index] = normal_interval(scores, replicates.std(axis=-1, ddof=1), confidence)
                case "delta-logit":
                    of_kind[:, index] = delta_logit_interval(scores, replicates.std(axis=-1, ddof=1), confidence)
                case _:
                    raise AssertionError(f"{kind}: not of replicates")
        if needs_logit:
            lower, upper = limits["logit"][:, index]
            relevant, retrieved = lists.num_relevant[index], lists.retrieved[index]
            for_mean[:, index], is_corrected[index] = corrected(
                scores, (lower, upper), relevant, retrieved, confidence, small_r
            )
        standing = replicates[~is_corrected[index]]
        return [scale.forward(standing) for scale in scales]

    for on_scales in by_block(
        work, lists, keys, measure=measure, resamples=resamples, seed=seed, tables=tables, threads=threads
    ):
        for total, replicates in zip(sums, on_scales, strict=True):
            add_rows(total, replicates)
    corrected_limits = for_mean[0], for_mean[1]
    errors = [
        error_of_mean(float((total / topics).std(ddof=1)), corrected_limits, is_corrected, confidence, scale)
        for total, scale in zip(sums, scales, strict=True)
    ]
    by_kind = {kind: (lower, upper) for kind, (lower, upper) in limits.items()}
    centres = [float((total / topics).mean()) for total in sums]
    return ResampledLimits(by_kind, fallen_back, corrected_limits, is_corrected, errors, centres)

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
from typing import TYPE_CHECKING, assert_never

import numpy as np

from irci.base.choices import ApInterval, SmallR
from irci.base.records import Checked, Record
from irci.base.types import Bools, Floats, Words
from irci.data.collection import RelevantRanks
from irci.kernels.influence import ap_acceleration, ap_delta_sd
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

if TYPE_CHECKING:
    from irci.estimators.plans import StepTables


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
    small_r = settings.small_r if measure.family is MAP.family else "none"
    settings = settings._replace(interval=settings.kind_of(measure), small_r=small_r)
    fallen_back = np.zeros(len(value), np.bool_)
    if settings.interval == "parametric":
        limits, error = _limits_without_replicates(value, lists, settings)
    else:
        limits, fallen_back, error = _resampled_limits(value, lists, keys, settings, measure, threads, tables)
    limits, is_corrected = _corrected(value, limits, lists, settings)
    undefined = lists.num_relevant == 0
    if undefined.all():  # what no topic has the mean has not either
        error = math.nan
    summary = measure.summary(value)
    of_summary = map(float, normal_interval(summary, error, settings.confidence))
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


def _corrected(
    value: Floats, limits: Interval, lists: RelevantRanks, settings: IntervalMethod, some: slice = slice(None)
) -> tuple[Interval, Bools]:
    num_relevant, retrieved = lists.num_relevant[some], lists.retrieved[some]
    return corrected(value[some], limits, num_relevant, retrieved, settings.confidence, settings.small_r)


def _limits_without_replicates(value: Floats, lists: RelevantRanks, settings: IntervalMethod) -> tuple[Interval, float]:
    sd = ap_delta_sd(lists, value)
    limits = delta_logit_interval(value, sd, settings.confidence)
    for_mean, changed = _corrected(value, limits, lists, settings)
    of_others = float(np.sqrt((sd[~changed] ** 2).sum()) / len(value))
    return limits, error_of_mean(of_others, for_mean, changed, settings.confidence)


def _resampled_limits(
    value: Floats, lists: RelevantRanks, keys: Words, settings: IntervalMethod, measure: Measure, threads: int,
    tables: StepTables | None,
) -> tuple[Interval, Bools, float]:  # fmt: skip
    """The limits of each topic, where BCa fell back, and the standard error of the mean."""
    from irci.estimators.documents import add_rows, by_block  # take time
    from irci.estimators.plans import StepTables

    limits, for_mean = np.empty((2, 2, len(value)))
    fallen_back, changed = np.zeros((2, len(value)), np.bool_)
    sum_of_others = np.zeros(settings.resamples)  # the replicates of topics whose limits stand
    acceleration = ap_acceleration(lists, value) if settings.interval == "bca" else np.full(len(value), np.nan)

    def work(some: slice, replicates: Floats) -> tuple[slice, Floats]:
        found, fallen_back[some] = _interval(settings, value[some], replicates, acceleration[some])
        limits[:, some] = found
        if settings.small_r != "none":
            if settings.interval != "logit":
                found = logit_interval(value[some], replicates, settings.confidence)
            for_mean[:, some], changed[some] = _corrected(value, found, lists, settings, some)
        return some, replicates

    for some, replicates in by_block(
        work, lists, keys, measure=measure,
        resamples=settings.resamples, seed=settings.seed, tables=tables or StepTables(), threads=threads,
    ):  # fmt: skip
        add_rows(sum_of_others, replicates[~changed[some]])
    of_others = float((sum_of_others / len(value)).std(ddof=1))
    error = error_of_mean(of_others, (for_mean[0], for_mean[1]), changed, settings.confidence)
    return (limits[0], limits[1]), fallen_back, error


def _interval(
    settings: IntervalMethod, value: Floats, replicates: Floats, acceleration: Floats
) -> tuple[Interval, Bools]:
    """The limits of each topic's score value[T] from its replicates[T, B], and where BCa had to fall back.

    Only BCa looks at the acceleration[T].
    """
    nowhere = np.zeros(len(value), np.bool_)
    match settings.interval:
        case "logit":
            return logit_interval(value, replicates, settings.confidence), nowhere
        case "percentile":
            return percentile_interval(replicates, settings.confidence), nowhere
        case "bca":
            limits, defined = bca_interval(
                value, replicates, acceleration, settings.confidence, order_statistic=settings.published
            )
            return limits, ~defined
        case "linear":
            return normal_interval(value, replicates.std(axis=-1, ddof=1), settings.confidence), nowhere
        case "parametric" | None:
            raise AssertionError(f"{settings.interval}: not of replicates")
        case _:
            assert_never(settings.interval)

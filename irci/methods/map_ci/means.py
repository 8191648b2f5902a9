"""map-ci: how precise is a run's mean score, and is one run really better than another?

Estimates means over topics, of scores as they are (MAP) or on the logit or log scale (L-MAP, GMAP), and differences of them.
Resampled: the documents (topics fixed: would other collections of this size and kind agree? In an endless one the mean is
lower where few documents are relevant), the topics (documents fixed: would other topics?), or both. Documents assume that the
collection is a sample of similar documents; topics, that they are a random sample of a population. The scores of topics
already vary with the documents, so that the interval over topics covers both; resampling both counts the documents twice and,
unless topics are few, is conservative.

G. V. Cormack and T. R. Lynam, "Statistical precision of information retrieval evaluation", SIGIR 2006, 533-540.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

import numpy as np

from irci.bootstrap.documents import StepTables, add_rows, by_block
from irci.bootstrap.joint_means import JointMeans
from irci.bootstrap.topics import topic_limits
from irci.choices import (
    BOTH,
    DOCUMENTS,
    TOPICS,
    Correction,
    DocumentMethod,
    MetaMethod,
    Pairing,
    Population,
    Slots,
    SmallR,
    TopicInterval,
    TopicTest,
    check,
)
from irci.data.collection import RelevantRanks
from irci.data.measures import Measure
from irci.stats.intervals import (
    Interval,
    logit_interval,
    normal_interval,
    parametric_error,
    t_interval,
)
from irci.stats.scales import EPSILON, Scale, mean_over_topics
from irci.stats.small_r import corrected, error_of_mean
from irci.types import Bools, Floats, Ints32, Words


@dataclass(frozen=True)
class Settings:
    """What changes a digit.

    `method` is for documents, `interval` and `test` are for topics. `slots`: whether a topic drawn twice has other documents
    each time (fresh) or the same (shared). `pairing`: whether two runs share their resampled documents. `meta`: "" for none.
    """

    method: DocumentMethod = "bootstrap"
    interval: TopicInterval = "t"
    resamples: int = 2000
    confidence: float = 0.95
    seed: int = 1
    epsilon: float = EPSILON
    small_r: SmallR | Literal["none"] = "wider"
    slots: Slots = "fresh"
    pairing: Pairing = "paired"
    test: TopicTest = "t"
    correction: Correction = "holm"
    meta: MetaMethod | Literal[""] = ""

    def __post_init__(self) -> None:
        check(self)

    def signature(self) -> dict[str, str | float]:
        """All of it."""
        return asdict(self)

    def scale(self, measure: Measure) -> Scale:
        """The scale on which a measure is averaged."""
        return measure.scale(self.epsilon)


@dataclass(frozen=True)
class MeanInterval:
    """The mean of one run's scores on the measure's scale, with limits and standard error (nan where there is none).

    `components`: for BOTH, the standard deviations due to documents and to topics.
    """

    measure: Measure
    scale: Scale
    population: Population
    value: float
    lower: float
    upper: float
    error: float = math.nan
    components: tuple[float, float] | None = None


@dataclass(frozen=True)
class DocumentIntervals:
    """One run under resampled documents: the limits[T] of each topic's score, and the means' intervals.

    The limits of topics are those of ap-ci (logit, corrected for small R where the measure is AP, unless small_r is none);
    nan where R = 0.
    """

    lower: Floats
    upper: Floats
    means: list[MeanInterval]


def without_limits(value: Floats, measure: Measure, population: Population, scale: Scale) -> MeanInterval:
    """The mean of scores value[T] for which nothing can be resampled; nan of none."""
    mean = float(mean_over_topics(scale.forward(value))) if len(value) else np.nan
    return MeanInterval(measure, scale, population, mean, np.nan, np.nan)


def document_intervals(
    value: Floats,
    lists: RelevantRanks,
    keys: Words,
    measures: Sequence[Measure],
    settings: Settings,
    *,
    threads: int = 1,
    tables: StepTables | None = None,
) -> DocumentIntervals:
    """How the scores value[T] of one run and their means vary with the documents.

    `measures`: several means of one base measure (MAP, L-MAP and GMAP all average AP); `lists` and `keys` as for ap_ci, and
    with the same replicates. bootstrap: mean +- z times the sd of the resampled mean, AP's topics with corrected limits by
    these (`error_of_mean`); parametric: the delta rule of `parametric_error`.
    """
    base = measures[0].base
    resampled_as = base.family.resampled_as
    assert resampled_as is not None
    scales = [settings.scale(measure) for measure in measures]
    small_r = settings.small_r if base.family.name == "map" else "none"
    num_relevant = lists.num_relevant
    sums = np.zeros((len(scales), settings.resamples))  # of the topics whose limits stand
    lower, upper = np.empty((2, len(value)))
    is_corrected = np.zeros(len(value), np.bool_)

    def work(some: slice, replicates: Floats) -> tuple[slice, Interval, Bools, list[Floats]]:
        limits = logit_interval(value[some], replicates, settings.confidence, settings.epsilon)
        limits, changed = corrected(
            value[some], limits, num_relevant[some], lists.retrieved[some], settings.confidence, small_r
        )
        return some, limits, changed, [scale.forward(replicates[~changed]) for scale in scales]

    for some, limits, changed, on_scales in by_block(
        work, lists, keys, measure=resampled_as, cut=base.cut,
        resamples=settings.resamples, seed=settings.seed, tables=tables, threads=threads,
    ):  # fmt: skip
        (lower[some], upper[some]), is_corrected[some] = limits, changed
        for total, replicates in zip(sums, on_scales, strict=True):
            add_rows(total, replicates)
    lower[num_relevant == 0] = upper[num_relevant == 0] = np.nan
    if settings.method == "parametric":
        errors = [
            parametric_error(value, (lower, upper), scale, settings.confidence, settings.epsilon) for scale in scales
        ]
    else:
        of_others = [float((of_scale / len(value)).std(ddof=1)) for of_scale in sums]
        errors = [
            error_of_mean(error, (lower, upper), is_corrected, settings.confidence, scale)
            for error, scale in zip(of_others, scales, strict=True)
        ]
    if not num_relevant.any():
        errors = [math.nan] * len(errors)
    means = [
        _normal(measure, scale, DOCUMENTS, value, error, settings)
        for measure, scale, error in zip(measures, scales, errors, strict=True)
    ]
    return DocumentIntervals(lower, upper, means)


def topic_interval(value: Floats, measure: Measure, settings: Settings, counts: Ints32) -> MeanInterval:
    """How the mean of value[T] varies with the topics: the t interval, or quantiles of the means over the topics drawn.

    `counts` int32[T, B]: as in `topic_counts` (not looked at for t).
    """
    scale = settings.scale(measure)
    scores = scale.forward(value)
    mean = float(mean_over_topics(scores)) if len(scores) else np.nan
    if len(scores) < 2:
        return without_limits(value, measure, TOPICS, scale)
    limits: Interval
    error = float(scores.std(ddof=1) / np.sqrt(len(scores)))
    if settings.interval == "t":
        limits = t_interval(mean, error, len(scores) - 1, settings.confidence)
    else:
        limits = topic_limits(scores[np.newaxis], settings.interval, counts, settings.confidence)
    lower, upper = (float(np.squeeze(limit)) for limit in limits)
    return MeanInterval(measure, scale, TOPICS, mean, lower, upper, error)


def joint_interval(value: Floats, measure: Measure, settings: Settings, joint: JointMeans) -> MeanInterval:
    """How the mean of value[T] varies with both topics and documents: mean +- z sd, and the sd due to each."""
    scale = settings.scale(measure)
    interval = _normal(measure, scale, BOTH, value, float(joint.means(scale)[0].std(ddof=1)), settings)
    documents, topics = joint.components(scale)
    return replace(interval, components=(float(documents[0]), float(topics[0])))


def _normal(
    measure: Measure, scale: Scale, population: Population, value: Floats, error: float, settings: Settings
) -> MeanInterval:
    mean = float(mean_over_topics(scale.forward(value)))
    lower, upper = normal_interval(mean, error, settings.confidence)
    return MeanInterval(measure, scale, population, mean, float(lower), float(upper), error)

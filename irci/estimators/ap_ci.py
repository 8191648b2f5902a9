"""ap-ci: how precise is a topic's average precision?

Estimates AP of one run on each topic, their mean, and how much these would vary over collections of this size and kind: what
a limit is about is the expected score over these, not the score in an endless one, which is lower where few documents are
relevant. Resampled: the documents, each with a Poisson(1) number of copies; topics and system are fixed, so nothing is said
about other topics. Assumes that the collection is a sample of similar documents (same relevance, neighbouring rank). The same
resampling applied to other measures is an experiment of ours, and so is the mean's share of the small-R correction.

G. V. Cormack and T. R. Lynam, "Statistical precision of information retrieval evaluation", SIGIR 2006, 533-540.

Split-half validation: does an interval from one half of the documents hold the score on the other half?

Where the model is right, the difference of the halves' scores has sqrt(2) times the standard deviation of either, so that
the interval holds a share 2 Phi(z / sqrt(2)) - 1 of them, 83.4% at 95% confidence (Cormack & Lynam 2006, section 4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from irci.base.choices import ApInterval, SmallR
from irci.base.types import Bools, Floats, Ints, Words, owners
from irci.data.collection import JudgedRun, Relevance
from irci.data.parts import Split
from irci.data.rankings import Qrels
from irci.estimators.documents import by_block
from irci.measures import MAP, Measure, lists_of_ranks
from irci.stats import intervals
from irci.stats.scales import EPSILON, LOGIT, PLAIN, Scale, mean_over_topics, replaced_logit

Limits = Callable[[Floats, Floats, float], intervals.Interval]


class IntervalMethod(NamedTuple):
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


class ApIntervals(NamedTuple):
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


def ap_ci(
    value: Floats, lists: Relevance, keys: Words, settings: IntervalMethod, *, measure: Measure = MAP, threads: int = 1
) -> ApIntervals:
    """Confidence intervals of one run's scores value[T], and of their mean.

    `lists`: the ranks that the measure looks at; `keys` uint64[T]: the topics' stream keys (`streams.topic_keys`). The
    mean's limits are always mean +- z standard errors, topics resampled independently, whatever `settings.interval`: topics
    whose logit limits (or parametric ones) need the small-R correction vary as `error_of_mean` says. Limits are
    nan for a topic without relevant documents. The measure must be one that gets limits.
    """
    kind, confidence = settings.kind_of(measure), settings.confidence
    if kind == "parametric":
        sd = ap_delta_sd(lists, value)
        limits, fallen_back = intervals.delta_logit_interval(value, sd, confidence), np.zeros(len(value), np.bool_)
        better, changed = intervals.corrected(
            value, limits, lists.num_relevant, lists.retrieved, confidence, settings.small_r
        )
        error_of_others = float(np.sqrt((sd[~changed] ** 2).sum()) / len(value))
        error = intervals.error_of_mean(error_of_others, better, changed, confidence)
    else:
        result = resampled_limits(value, lists, keys, (kind,), (PLAIN,), settings, measure=measure, threads=threads)
        limits, better, fallen_back = result.limits[kind], result.corrected[kind], result.fallen_back
        error = result.errors[0]
    is_corrected = (better != limits).any(axis=0)
    undefined = lists.num_relevant == 0
    if undefined.all():  # what no topic has the mean has not either
        error = math.nan
    summary = measure.summary(value)
    of_summary = map(float, intervals.normal_interval(summary, error, confidence))
    lower, upper = np.where(undefined, np.nan, better)
    return ApIntervals(measure, value, lower, upper, is_corrected, fallen_back & ~undefined, summary, *of_summary)


def without_limits(value: Floats, measure: Measure) -> ApIntervals:
    """Scores value[T] for which no documents can be resampled: all limits are nan.

    A nan score is none: it takes no part in the summary and has no row.
    """
    nothing, nowhere = np.full(len(value), np.nan), np.zeros(len(value), np.bool_)
    scored = value[~np.isnan(value)]
    summary = measure.summary(scored) if len(scored) else math.nan
    return ApIntervals(measure, value, nothing, nothing, nowhere, nowhere, summary, math.nan, math.nan)


def _ranked(lists: Relevance, ap: Floats) -> Iterator[tuple[int, float, Floats, Floats, Floats]]:
    """Yield of each topic the number of relevant documents and AP; of those retrieved float64[n] ranks, how many relevant ones
    stand from the first down to each, and how many others in the gap above it."""
    for topic, (r, score) in enumerate(zip(lists.counts.sum(axis=1).tolist(), ap.tolist(), strict=True)):
        ranks = lists.ranks[lists.offsets[topic] : lists.offsets[topic + 1]].astype(np.float64)
        yield r, score, ranks, np.arange(1.0, len(ranks) + 1), np.diff(ranks, prepend=0.0) - 1


def ap_acceleration(lists: Relevance, ap: Floats) -> Floats:
    """BCa's acceleration float64[T], sum d^3 / (6 (sum d^2)^1.5) over d = AP - AP without one document.

    Over all retrieved documents and the relevant ones that are not; those of one gap share a value. Below the last
    relevant document d = 0; where R = 1 the relevant document is skipped. nan where every d is 0.
    """
    accelerations = []
    for r, score, ranks, hits, gaps in _ranked(lists, ap):
        one_up, rest = np.maximum(ranks - 1, 1), max(r - 1, 1)
        # What relevant documents add: with their rank as it is, moved up by one, and with a relevant one less above, too.
        added, moved, with_less = hits / ranks, np.where(ranks > 1, hits / one_up, 0.0), (hits - 1) / one_up
        of_relevant = score - (score * r - _from_here_down(added) + _from_here_down(with_less) - with_less) / rest
        of_gaps = (_from_here_down(added) - _from_here_down(moved)) / max(r, 1)
        d = np.concatenate((of_relevant, of_gaps, [-score / rest]))
        number = np.concatenate((np.full(len(ranks), float(r > 1)), gaps, [(r - len(ranks)) * (r > 1)]))
        squares = number @ d**2
        accelerations.append(number @ d**3 / (6 * squares**1.5) if squares > 0 else math.nan)
    return np.array(accelerations)


def ap_delta_sd(lists: Relevance, ap: Floats) -> Floats:
    """The infinitesimal jackknife's sd of AP* float64[T]: the root of the sum of squared derivatives of AP by the documents'
    weights, each weight having the variance 1 of a Poisson(1) count (0 where R = 0)."""
    sds = []
    for r, score, ranks, hits, gaps in _ranked(lists, ap):
        precisions = hits / ranks
        # Derivatives of the precisions at and below a document by its weight, if it is non-relevant and if relevant.
        falls, rises = -_from_here_down(precisions / ranks), _from_here_down((1 - precisions) / ranks)
        squares = (r - len(ranks)) * score**2 + ((precisions + rises - score) ** 2).sum()
        sds.append(math.sqrt(squares + (gaps * falls**2).sum()) / max(r, 1))
    return np.array(sds)


def _from_here_down(terms: Floats) -> Floats:
    # The sums float64[n] of terms[n] from each on, added up from the last.
    return np.cumsum(terms[::-1])[::-1]


class ResampledLimits(NamedTuple):
    """Limits of T topics' scores from their replicates, and what these say of means."""

    limits: dict[str, intervals.Interval]  # by the kind of interval
    corrected: dict[str, intervals.Interval]  # these with the small-R correction
    fallen_back: Bools  # [T], BCa undefined, percentile taken
    errors: list[float]  # standard errors of the means, one a scale
    centres: list[float]  # means of what is resampled of the means: with a small-R correction of topics without one
    variances: Floats  # [scales, T], of replicates, ddof 1


# Limits of scores[n] from their standard deviations, and from their replicates[n, B], but for BCa's.
BY_SD: dict[str, Limits] = {"linear": intervals.normal_interval, "delta-logit": intervals.delta_logit_interval}
BY_REPLICATES: dict[str, Limits] = {
    "logit": intervals.logit_interval,
    "replaced-logit": partial(intervals.logit_interval, logit=replaced_logit),
    "percentile": lambda _, replicates, confidence: intervals.percentile_interval(replicates, confidence),
}


def resampled_limits(
    value: Floats, lists: Relevance, keys: Words, kinds: Sequence[str], scales: Sequence[Scale], settings: IntervalMethod, *,
    measure: Measure, corrects_means: bool = True, threads: int = 1,
) -> ResampledLimits:  # fmt: skip
    """Limits of the scores value[T] of several kinds, and standard errors of their means on several scales, from one pass
    over replicates. AP alone has an acceleration, without which BCa is but bias-corrected, and the small-R correction."""
    topics, is_ap = len(value), measure.family is MAP.family
    resamples, confidence = settings.resamples, settings.confidence
    small_r = settings.small_r if is_ap else "none"
    needs_logit = corrects_means and small_r != "none"
    limits = {kind: np.empty((2, topics)) for kind in ((*kinds, "logit") if needs_logit else kinds)}
    fallen_back, is_corrected = np.zeros((2, topics), np.bool_)
    sums = np.zeros((len(scales), resamples))  # of the topics whose limits stand
    acceleration = ap_acceleration(lists, value) if is_ap and "bca" in kinds else np.zeros(topics)
    variances = np.empty((len(scales), topics))

    def small_r_corrected(limits: intervals.Interval, index: slice = slice(None)) -> tuple[intervals.Interval, Bools]:
        of_lists = lists.num_relevant[index], lists.retrieved[index]
        return intervals.corrected(value[index], limits, *of_lists, confidence, small_r)

    def work(index: slice, replicates: Floats) -> list[Floats]:
        scores = value[index]
        for kind, of_kind in limits.items():
            if kind == "bca":
                of_kind[:, index], defined = intervals.bca_interval(
                    scores, replicates, acceleration[index], confidence, order_statistic=settings.published
                )
                fallen_back[index] = ~defined
            elif kind in BY_SD:
                of_kind[:, index] = BY_SD[kind](scores, replicates.std(-1, ddof=1), confidence)
            else:
                of_kind[:, index] = BY_REPLICATES[kind](scores, replicates, confidence)
        if needs_logit:
            is_corrected[index] = small_r_corrected(limits["logit"][:, index], index)[1]
        on_scales = [scale.forward(replicates) for scale in scales]
        variances[:, index] = [of_scale.var(axis=1, ddof=1) for of_scale in on_scales]
        return [of_scale[~is_corrected[index]] for of_scale in on_scales]

    for on_scales in by_block(
        work, lists, keys, measure=measure, resamples=resamples, seed=settings.seed, threads=threads
    ):
        for total, replicates in zip(sums, on_scales, strict=True):
            for of_topic in replicates:  # one after the other, so that the last bit of a sum knows of no blocks
                total += of_topic
    better = {kind: small_r_corrected(of_kind)[0] for kind, of_kind in limits.items()}
    for_mean = better["logit" if needs_logit else kinds[0]]
    errors = [
        intervals.error_of_mean(float((total / topics).std(ddof=1)), for_mean, is_corrected, confidence, scale)
        for total, scale in zip(sums, scales, strict=True)
    ]
    centres = [float((total / topics).mean()) for total in sums]
    return ResampledLimits(limits, better, fallen_back, errors, centres, variances)


KINDS = ("linear", "logit", "delta-logit", "percentile", "bca")
MODELLED = KINDS[:3]  # for quantiles the model predicts nothing
MEANS = ("map/bootstrap", "lmap/bootstrap", "map/parametric", "lmap/parametric")
SCALES: tuple[Scale, Scale] = (PLAIN, LOGIT)
BELOW, INSIDE, ABOVE = range(3)


# One run on one half of the documents: its scores[T], and where the documents stand there that the measure sees.
Half = tuple[Floats, Relevance]


def in_halves(qrels: Qrels, relevance: Relevance, split: Split) -> list[Relevance]:
    """Judgments that matter to a measure, with the number of documents of each topic and class in either half."""
    seen = np.flatnonzero(relevance.classes >= 0)
    cell = owners(qrels.offsets)[seen] * len(relevance.gains) + relevance.classes[seen]
    part, shape = split(qrels.docnos.take(seen)), relevance.counts.shape
    counts = [np.bincount(cell[part == half], minlength=relevance.counts.size).reshape(shape) for half in (0, 1)]
    return [relevance._replace(counts=of_half) for of_half in counts]


def on_halves(judged: Sequence[JudgedRun], halves: Sequence[Relevance], measure: Measure = MAP) -> list[Half]:
    """One run on either half, of which its judged documents are given, and what matters."""
    lists = [relevance.of_run(half) for relevance, half in zip(halves, judged, strict=True)]
    return [(measure.scores(lists_of_ranks(of_half)), of_half) for of_half in lists]


def outcome(
    here: Half, on_other: Half, listed: Bools, keys: Words, settings: IntervalMethod, measure: Measure = MAP, *,
    threads: int = 1,
) -> tuple[Ints, Floats]:  # fmt: skip
    """The outcome of one half's intervals on the other half's scores, for one run: of its topics int64[kinds,
    corrected or not, all or R > 5, below/in/above]; of means float64[MEANS, 4]: value, lower, upper, and the value on the
    other half.

    `listed` bool[T]: topics for which the run retrieves anything. A topic takes part if it is listed and either half has
    relevant documents; a half list that became empty scores 0. `published`, as in the paper: scores of 0 and 1, which logits
    clamp, count as inside where the clamped ones are; resampled intervals of means have no small-R correction, and MAP's is
    centred on the mean of resampled MAP.
    """
    (value, lists), (other, other_lists) = here, on_other
    usable = listed & (lists.num_relevant > 0) & (other_lists.num_relevant > 0)
    lists, value, other = lists.only(usable), value[usable], other[usable]
    topics = np.zeros((len(KINDS), 2, 2, 3), np.int64)
    if not usable.any():
        return topics, np.full((len(MEANS), 4), np.nan)
    result = resampled_limits(
        value, lists, keys[usable], (*KINDS, "replaced-logit"), SCALES, settings._replace(published=False),
        measure=measure, corrects_means=not settings.published, threads=threads,
    )  # fmt: skip
    many = lists.num_relevant > 5
    clamped = np.clip(other, EPSILON, 1 - EPSILON)
    for kind, name in enumerate(KINDS):
        for correction, (lower, upper) in enumerate((result.limits[name], result.corrected[name])):
            low, high = lower - intervals.SAME_SCORE, upper + intervals.SAME_SCORE
            position = np.where(other < low, BELOW, np.where(other > high, ABOVE, INSIDE))
            if settings.published and "logit" in name:
                position[(low <= clamped) & (clamped <= high)] = INSIDE
            topics[kind, correction] = [np.bincount(index, minlength=3) for index in (position, position[many])]
    errors = [*result.errors] + [
        intervals.parametric_error(value, result.corrected[kind], scale, settings.confidence)
        for kind, scale in zip(("replaced-logit", "logit"), SCALES, strict=True)
    ]
    means: list[Floats] = []
    for scale, error in zip(SCALES * 2, errors, strict=True):
        own_mean, other_mean = (float(mean_over_topics(scale.forward(scores))) for scores in (value, other))
        centre = result.centres[0] if settings.published and not means else own_mean
        limits = map(float, intervals.normal_interval(centre, error, settings.confidence))
        means.append(scale.back(np.array([own_mean, *limits, other_mean])))
    return topics, np.array(means)

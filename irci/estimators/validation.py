"""Split-half validation: does an interval from one half of the documents hold the score on the other half?

Where the model is right, the difference of the halves' scores has sqrt(2) times the standard deviation of either, so that
the interval holds a share 2 Phi(z / sqrt(2)) - 1 of them, 83.4% at 95% confidence (Cormack & Lynam 2006, section 4).
"""

import math
import threading
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from irci.base.choices import SmallR
from irci.base.records import Checked
from irci.base.types import Bools, Floats, Ints, Words, offsets, owners
from irci.data.collection import Collection, JudgedRun, Relevance, RelevantRanks, relevant_ranks
from irci.data.rankings import Run
from irci.data.splits import Split
from irci.estimators.documents import add_rows, by_block
from irci.estimators.plans import StepTables
from irci.kernels.influence import ap_acceleration
from irci.kernels.parts import ranks_within_part
from irci.measures import MAP, Measure, lists_of_ranks
from irci.stats.intervals import (
    SAME_SCORE,
    Interval,
    bca_interval,
    corrected,
    delta_logit_interval,
    error_of_mean,
    linear_interval,
    logit_interval,
    normal_interval,
    normal_quantile,
    parametric_error,
    percentile_interval,
)
from irci.stats.scales import EPSILON, PLAIN, Scale, clamped_logit, logit_scale, mean_over_topics

KINDS = ("linear", "logit", "delta-logit", "percentile", "bca")
ON_LOGIT_SCALE = ("logit", "delta-logit")
MODELLED = ("linear", "logit", "delta-logit")  # for quantiles the model predicts nothing
MEANS = ("map/bootstrap", "lmap/bootstrap", "map/parametric", "lmap/parametric")
BELOW, INSIDE, ABOVE = range(3)


class SplitHalf(Checked):
    """The choices that change a digit: as for ap-ci, and the halves: so many random splits, md5, or a
    file. `published`: scores of 0 and 1, which
    logits clamp, count as inside where the clamped ones are, as in the paper."""

    resamples: int = 2000
    confidence: float = 0.95
    seed: int = 1
    epsilon: float = EPSILON
    small_r: SmallR = "wider"
    validate: int | str = 20
    published: bool = False

    def predicted(self) -> float:
        """The share of scores on the other half that an interval should hold."""
        return 2 * NormalDist().cdf(normal_quantile(self.confidence) / math.sqrt(2)) - 1


class Half(NamedTuple):
    """One run on one half of the documents: its scores[T], and where the documents stand there that the measure sees."""

    value: Floats
    lists: RelevantRanks


class Outcome(NamedTuple):
    """Outcome of one half's intervals on the other half's scores, for one run.

    `topics` int64[kinds, corrected or not, all or R > 5, below/in/above]; `means` float64[MEANS, 4]:
    value, lower, upper, and the other half's value.
    """

    topics: Ints
    means: Floats


def split_counts(collection: Collection, relevance: Relevance, split: Split) -> Ints:
    """int64[2, T, G]: the documents of each half and class."""
    qrels = collection.qrels
    seen = np.flatnonzero(relevance.classes >= 0)
    cell = owners(qrels.offsets)[seen] * len(relevance.gains) + relevance.classes[seen]
    part = split.of(qrels.docnos.take(seen))
    counts = [np.bincount(cell[part == half], minlength=relevance.counts.size) for half in (0, 1)]
    return np.array(counts).reshape(2, *relevance.counts.shape)


def halves_of(
    run: Run, judged: JudgedRun, relevance: Relevance, split: Split, counts: Ints, measure: Measure = MAP
) -> tuple[Half, Half]:
    """One run on either half: lists split in order, ranks counted anew."""
    lists = relevant_ranks(judged, relevance)
    part = split.of(run.docnos.take(judged.lines))
    found = []
    for half in (0, 1):
        kept, ranks, retrieved = ranks_within_part(part, judged.line_offsets, lists.ranks, lists.offsets, half)
        in_half = lists._replace(
            offsets=offsets(kept)[lists.offsets], ranks=ranks, classes=lists.classes[kept], counts=counts[half],
            retrieved=retrieved,
        )  # fmt: skip
        found.append(Half(measure.scores(lists_of_ranks(in_half)), in_half))
    return found[0], found[1]


class Validator:
    """Makes intervals from halves, with alias tables kept for each thread; in a `with` block, which stops what other threads
    are at if it is left by an error or an interrupt."""

    def __init__(self, settings: SplitHalf, measure: Measure = MAP) -> None:
        self.settings = settings
        self.measure = measure
        self._local = threading.local()
        self._stopped = False

    def __enter__(self) -> "Validator":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stopped = kind is not None

    def outcome(self, here: Half, there: Half, listed: Bools, keys: Words) -> Outcome:
        """The outcome of one half's intervals on the other's scores.

        `listed` bool[T]: topics for which the run retrieves anything. A topic takes part if it is listed and either half has
        relevant documents; a half list that became empty scores 0.
        """
        usable = listed & (here.lists.num_relevant > 0) & (there.lists.num_relevant > 0)
        lists, value, other = here.lists.only(usable), here.value[usable], there.value[usable]
        topics = np.zeros((len(KINDS), 2, 2, 3), np.int64)
        if not usable.any():
            return Outcome(topics, np.full((len(MEANS), 4), np.nan))
        limits, sums = self._resampled(lists, value, keys[usable])
        many = lists.num_relevant > 5
        for kind, name in enumerate(KINDS):
            better, changed = self._corrected(value, limits[name], lists)
            for correction, of_kind in enumerate((limits[name], better)):
                found = self._place(name, of_kind, other)
                topics[kind, correction] = [np.bincount(some, minlength=3) for some in (found, found[many])]
            if name == "logit":
                means = self._means(value, other, sums, better, changed)
        return Outcome(topics, means)

    def _corrected(
        self, value: Floats, limits: Interval, lists: RelevantRanks, some: slice = slice(None)
    ) -> tuple[Interval, Bools]:
        num_relevant, retrieved = lists.num_relevant[some], lists.retrieved[some]
        small_r = self.settings.small_r if self.measure.family is MAP.family else "none"
        return corrected(value[some], limits, num_relevant, retrieved, self.settings.confidence, small_r)

    def _resampled(self, lists: RelevantRanks, value: Floats, keys: Words) -> tuple[dict[str, Interval], list[Floats]]:
        """The limits of each topic by kind, and the sums of AP* and of its logit, float64[B], over topics whose logit limits
        stand."""
        settings = self.settings
        if not hasattr(self._local, "tables"):
            self._local.tables = StepTables()
        limits: dict[str, Interval] = {name: (np.empty(len(value)), np.empty(len(value))) for name in KINDS}
        sums: list[Floats] = [np.zeros(settings.resamples), np.zeros(settings.resamples)]
        # Of other measures the acceleration is not known; without one, BCa is but bias-corrected.
        acceleration = ap_acceleration(lists, value) if self.measure.family is MAP.family else np.zeros(len(value))

        def work(some: slice, replicates: Floats) -> tuple[slice, Floats, dict[str, Interval]]:
            point = value[some]
            return some, replicates, {
                "linear": linear_interval(point, replicates, settings.confidence),
                "logit": logit_interval(point, replicates, settings.confidence, settings.epsilon),
                "delta-logit": delta_logit_interval(point, replicates.std(axis=-1, ddof=1), settings.confidence),
                "percentile": percentile_interval(replicates, settings.confidence),
                "bca": bca_interval(point, replicates, acceleration[some], settings.confidence)[0],
            }  # fmt: skip

        for some, replicates, found in by_block(
            work, lists, keys, measure=self.measure,
            resamples=settings.resamples, seed=settings.seed, tables=self._local.tables,
        ):  # fmt: skip
            if self._stopped:
                raise KeyboardInterrupt
            for name, (lower, upper) in found.items():
                limits[name][0][some], limits[name][1][some] = lower, upper
            _, changed = self._corrected(value, found["logit"], lists, some)
            add_rows(sums[0], replicates[~changed])
            add_rows(sums[1], clamped_logit(replicates[~changed], settings.epsilon))
        return limits, sums

    def _place(self, kind: str, limits: Interval, other: Floats) -> Ints:
        """BELOW, INSIDE or ABOVE of each of the other half's scores."""
        lower, upper = limits
        place = np.where(other < lower - SAME_SCORE, BELOW, np.where(other > upper + SAME_SCORE, ABOVE, INSIDE))
        if self.settings.published and kind in ON_LOGIT_SCALE:
            clamped = np.clip(other, self.settings.epsilon, 1 - self.settings.epsilon)
            place[(lower - SAME_SCORE <= clamped) & (clamped <= upper + SAME_SCORE)] = INSIDE
        return place

    def _means(
        self, value: Floats, other: Floats, sums: Sequence[Floats], limits: Interval, is_corrected: Bools
    ) -> Floats:
        """float64[MEANS, 4]: value, lower and upper limit on this half, and the value on the other, as map-ci has them."""
        settings, rows = self.settings, []
        scales: tuple[Scale, Scale] = (PLAIN, logit_scale(settings.epsilon))
        by_bootstrap = [
            error_of_mean(float((total / len(value)).std(ddof=1)), limits, is_corrected, settings.confidence, scale)
            for total, scale in zip(sums, scales, strict=True)
        ]
        by_formula = [parametric_error(value, limits, scale, settings.confidence, settings.epsilon) for scale in scales]
        for errors in (by_bootstrap, by_formula):
            for scale, error in zip(scales, errors, strict=True):
                here, there = (float(mean_over_topics(scale.forward(scores))) for scores in (value, other))
                lower, upper = normal_interval(here, error, settings.confidence)
                rows.append(scale.back(np.array([here, float(lower), float(upper), there])))
        return np.array(rows)


def place_of_means(means: Floats) -> Ints:
    """int64[..., 3]: of means[..., runs, 4] as in `Outcome`, how many runs are below, in and above their intervals."""
    value, lower, upper, other = np.moveaxis(means, -1, 0)
    scored = ~np.isnan(value)
    below, above = scored & (other < lower), scored & (other > upper)
    return np.stack([each.sum(axis=-1) for each in (below, scored & ~below & ~above, above)], axis=-1)


def shares(counts: Ints) -> Iterator[tuple[Floats, float, float]]:
    """For counts[..., cases, 3], cases one split and direction each: percentages below, in and above on average, the standard
    deviation of that inside over cases, and the mean number of lists. Cases without lists take no part."""
    for of_cases in counts.reshape(-1, *counts.shape[-2:]):
        total = of_cases.sum(axis=1)
        percent = 100 * of_cases[total > 0] / total[total > 0, np.newaxis]
        if not len(percent):
            yield np.full(3, np.nan), math.nan, 0.0
            continue
        sd = float(percent[:, INSIDE].std(ddof=1)) if len(percent) > 1 else math.nan
        yield percent.mean(axis=0), sd, float(total.mean())

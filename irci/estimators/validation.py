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
from irci.estimators.ap_ci import resampled_limits
from irci.estimators.documents import StepTables
from irci.kernels.parts import ranks_within_part
from irci.measures import MAP, Measure, lists_of_ranks
from irci.stats.intervals import (
    SAME_SCORE,
    Interval,
    corrected,
    normal_interval,
    normal_quantile,
    parametric_error,
)
from irci.stats.scales import EPSILON, LOGIT, PLAIN, Scale, mean_over_topics

KINDS = ("linear", "logit", "delta-logit", "percentile", "bca")
ON_LOGIT_SCALE = ("logit", "delta-logit")
MODELLED = ("linear", "logit", "delta-logit")  # for quantiles the model predicts nothing
MEANS = ("map/bootstrap", "lmap/bootstrap", "map/parametric", "lmap/parametric")
SCALES: tuple[Scale, Scale] = (PLAIN, LOGIT)
BELOW, INSIDE, ABOVE = range(3)


class SplitHalf(Checked):
    """The choices that change a digit: as for ap-ci, and the halves: so many random splits, md5, or a file. `published`, as in
    the paper: scores of 0 and 1, which logits clamp, count as inside where the clamped ones are; resampled intervals of means
    have no small-R correction, and MAP's is centred on the mean of resampled MAP."""

    resamples: int = 2000
    confidence: float = 0.95
    seed: int = 1
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
    result = []
    for half in (0, 1):
        kept, ranks, retrieved = ranks_within_part(part, judged.line_offsets, lists.ranks, lists.offsets, half)
        in_half = lists._replace(
            offsets=offsets(kept)[lists.offsets], ranks=ranks, classes=lists.classes[kept], counts=counts[half],
            retrieved=retrieved,
        )  # fmt: skip
        result.append(Half(measure.scores(lists_of_ranks(in_half)), in_half))
    return result[0], result[1]


class Validator:
    """Makes intervals from halves, with alias tables kept for each thread."""

    def __init__(self, settings: SplitHalf, measure: Measure = MAP) -> None:
        self.settings = settings
        self.measure = measure
        self._local = threading.local()

    def outcome(self, here: Half, on_other: Half, listed: Bools, keys: Words) -> Outcome:
        """The outcome of one half's intervals on the other's scores.

        `listed` bool[T]: topics for which the run retrieves anything. A topic takes part if it is listed and either half has
        relevant documents; a half list that became empty scores 0.
        """
        usable = listed & (here.lists.num_relevant > 0) & (on_other.lists.num_relevant > 0)
        lists, value, other = here.lists.only(usable), here.value[usable], on_other.value[usable]
        topics = np.zeros((len(KINDS), 2, 2, 3), np.int64)
        if not usable.any():
            return Outcome(topics, np.full((len(MEANS), 4), np.nan))
        if not hasattr(self._local, "tables"):
            self._local.tables = StepTables()
        settings, measure = self.settings, self.measure
        small_r: SmallR = settings.small_r if measure.family is MAP.family else "none"
        result = resampled_limits(
            value, lists, keys[usable], (*KINDS, "replaced-logit"), SCALES,
            measure=measure, resamples=settings.resamples, seed=settings.seed, confidence=settings.confidence,
            small_r="none" if settings.published else small_r, tables=self._local.tables,
        )  # fmt: skip
        many = lists.num_relevant > 5
        for kind, name in enumerate(KINDS):
            limits = result.limits[name]
            better, _ = corrected(value, limits, lists.num_relevant, lists.retrieved, settings.confidence, small_r)
            for correction, of_kind in enumerate((limits, better)):
                position = self._place(name, of_kind, other)
                topics[kind, correction] = [np.bincount(index, minlength=3) for index in (position, position[many])]
            if name == "logit":
                for_map, _ = corrected(
                    value,
                    result.limits["replaced-logit"],
                    lists.num_relevant,
                    lists.retrieved,
                    settings.confidence,
                    small_r,
                )
                centre = result.centres[0] if settings.published else None
                means = self._means(value, other, result.errors, (for_map, better), centre)
        return Outcome(topics, means)

    def _place(self, kind: str, limits: Interval, other: Floats) -> Ints:
        """BELOW, INSIDE or ABOVE of each of the other half's scores."""
        lower, upper = limits
        position = np.where(other < lower - SAME_SCORE, BELOW, np.where(other > upper + SAME_SCORE, ABOVE, INSIDE))
        if self.settings.published and kind in ON_LOGIT_SCALE:
            clamped = np.clip(other, EPSILON, 1 - EPSILON)
            position[(lower - SAME_SCORE <= clamped) & (clamped <= upper + SAME_SCORE)] = INSIDE
        return position

    def _means(
        self,
        value: Floats,
        other: Floats,
        errors: Sequence[float],
        limits: tuple[Interval, Interval],
        centre: float | None,
    ) -> Floats:
        """float64[MEANS, 4]: value, lower and upper limit on this half, and the value on the other, as map-ci has them; from
        the resampled errors on either scale, and each topic's limits for parametric ones on it. `centre`: of the first."""
        settings = self.settings
        rows: list[Floats] = []
        by_formula = [
            parametric_error(value, on_scale, scale, settings.confidence)
            for scale, on_scale in zip(SCALES, limits, strict=True)
        ]
        for scale, error in zip(SCALES * 2, (*errors, *by_formula), strict=True):
            here, on_other = (float(mean_over_topics(scale.forward(scores))) for scores in (value, other))
            middle = here if rows or centre is None else centre
            lower, upper = normal_interval(middle, error, settings.confidence)
            rows.append(scale.back(np.array([here, float(lower), float(upper), on_other])))
        return np.array(rows)


def place_of_means(means: Floats) -> Ints:
    """int64[..., 3]: of means[..., runs, 4] as in `Outcome`, how many runs are below, in and above their intervals."""
    value, lower, upper, other = np.moveaxis(means, -1, 0)
    scored = ~np.isnan(value)
    below, above = scored & (other < lower), scored & (other > upper)
    return np.stack([item.sum(axis=-1) for item in (below, scored & ~below & ~above, above)], axis=-1)


def shares(counts: Ints) -> Iterator[tuple[Floats, float]]:
    """For counts[..., cases, 3], cases one split and direction each: percentages below, in and above on average, and the
    standard deviation of that inside over cases. Cases without lists take no part."""
    for of_cases in counts.reshape(-1, *counts.shape[-2:]):
        total = of_cases.sum(axis=1)
        percent = 100 * of_cases[total > 0] / total[total > 0, np.newaxis]
        if not len(percent):
            yield np.full(3, np.nan), math.nan
            continue
        sd = float(percent[:, INSIDE].std(ddof=1)) if len(percent) > 1 else math.nan
        yield percent.mean(axis=0), sd

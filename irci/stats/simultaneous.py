"""Many pairs of runs on the same topics: which differ, and limits that hold for all at once, by one sign a topic.

The statistic of a pair is u = |sum D| / sqrt(sum D^2), which grows with the paired t: t = u sqrt((T - 1) / (T - u^2)). Signs
leave its denominator as it is, so that near copies, which differ on few topics k, stay below sqrt(k) instead of setting the
width for all. It assumes that where runs are equal their deviations from the topic's level are jointly symmetric.

Pairs on several measures, or on several slices of the topics, make one family too: `Layer`s, stacked, under the same signs. u
makes their scales comparable; that of a slice of n topics is at most sqrt(n), so that small ones cost nothing. How limits and
p agree: `irci.stats.agreement`.

Step-down maxima: P. H. Westfall and S. S. Young, "Resampling-based multiple testing", 1993; J. P. Romano and M. Wolf, "Exact
and approximate stepdown methods for multiple hypothesis testing", JASA 100, 2005. In retrieval: L. Boytsov, A. Belova and
P. Westfall, "Deciding on an adjustment for multiplicity in IR experiments", SIGIR 2013.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irci.base.records import Record
from irci.base.types import Bools, Floats, Ints, Pairs, Words
from irci.kernels.topics import AT_ONCE, TOPICS_AT_ONCE, step_down_counts
from irci.stats.decisions import critical_value
from irci.stats.intervals import Interval
from irci.stats.moments import moments_of_pairs
from irci.stats.scales import SAME, mean_over_topics
from irci.stats.signs import ROUNDING, Signs, topic_signs
from irci.stats.tests import as_t
from irci.system.work import in_shares


class Layer(NamedTuple):
    """Rows of scores values[m, n] (on the measure's scale) that are compared in pairs[P, 2]: of one measure, or on one slice.

    weights float64[n]: how much each topic (or rather what has a sign) counts, if not alike; its values are so many times its
    score. `slice`: which of all U topics these n are, bool[U]; None for all.
    """

    values: Floats
    pairs: Pairs
    weights: Floats | None = None
    slice: Bools | None = None

    @property
    def centred(self) -> "Layer":
        """The same less the means of rows."""
        values, weights = self.values, self.weights
        if weights is None:
            return self._replace(values=values - mean_over_topics(values.T)[:, np.newaxis])
        return self._replace(values=values - (values.sum(axis=1) / weights.sum())[:, np.newaxis] * weights)


class _Statistics(NamedTuple):
    # Of P pairs, float64[P] each, what signs do not change: mean differences, sums of squares of differences and of these less
    # their mean, rounding in u.
    mean: Floats
    squares: Floats
    centred_squares: Floats
    slack: Floats


class _Stack(Record):
    # Layers whose pairs, one layer's after the other's, are one family, under the same signs.
    layers: Sequence[Layer]
    statistics: Sequence[_Statistics]
    signs: Signs
    threads: int

    @cached_property
    def scores(self) -> Floats:
        """float64[rows, U]: the layers' one below the other, 0 outside of their slices."""
        return self._below(self.layers)

    @cached_property
    def pairs(self) -> Pairs:
        """int64[P, 2]: those of the layers, as rows of the scores."""
        first = np.cumsum([0] + [len(layer.values) for layer in self.layers])
        return np.concatenate([layer.pairs + row for layer, row in zip(self.layers, first, strict=False)])

    @cached_property
    def maxima_of_centred(self) -> Floats:
        """The largest u under each of the signs, in order, of differences less their mean."""
        centred = [layer.centred for layer in self.layers]
        squares = [
            each.centred_squares if layer.weights is None else _statistics(layer, self.threads).squares
            for each, layer in zip(self.statistics, centred, strict=True)
        ]
        inverse, none = _inverse_root(np.concatenate(squares)), np.zeros(len(self.pairs))
        return np.sort(_step_down(self._below(centred), self.pairs, inverse, none, self.signs, self.threads)[1])

    def _below(self, layers: Sequence[Layer]) -> Floats:
        if len(layers) == 1 and layers[0].slice is None:
            return layers[0].values
        whole = []
        for layer in layers:
            rows = np.zeros((len(layer.values), len(self.signs.bits)))
            rows[:, slice(None) if layer.slice is None else layer.slice] = layer.values
            whole.append(rows)
        return np.vstack(whole)


class Simultaneous(Record):
    """Comparisons of P pairs, float64[P] each: difference of means, its standard error, u, adjusted p and limits.

    `p` is the step-down one, which decides; `p_single` that of the single step, with the maximum over all pairs, which the
    limits agree with: limits that leave out 0 imply p <= 1 - confidence, not the other way round. `maxima_as_they_are`: the
    largest u of the whole family under each of the `signs`, in order. Limits, and what they come from, are found when they are
    first asked for: it takes as long as all the rest. The pairs are those of `layer`, and the family those of the whole
    `stack`; `slack`: rounding in u.
    """

    difference: Floats
    error: Floats
    u: Floats
    p: Floats
    p_single: Floats
    signs: Signs
    maxima_as_they_are: Floats
    layer: Layer
    stack: _Stack
    slack: Floats
    confidence: float

    @property
    def exact(self) -> bool:
        return self.signs.exact

    @property
    def maxima(self) -> tuple[Floats, Floats]:
        """The largest u under each of the `signs`, in order, of differences as they are and of these less their mean."""
        return self.maxima_as_they_are, self.stack.maxima_of_centred

    @cached_property
    def critical(self) -> float:
        """The number that u must exceed; infinite where there are too few topics."""
        # Where means differ the centred differences are the right ones; nearly always they ask for more.
        return max(critical_value(each, 1 - self.confidence, exact=self.exact) for each in self.maxima)

    @property
    def largest_u(self) -> Floats:
        """`critical` as exactly as the u of each pair is known: less exactly for near copies."""
        return self.critical + self.slack

    @property
    def width(self) -> float:
        """`critical` as a t: the limits are difference +- that many standard errors."""
        return float(as_t(self.critical, self.layer.values.shape[1]))

    @cached_property
    def _limits(self) -> Interval:
        # For all pairs at once; nan where there are too few topics.
        values, pairs, weights, _ = self.layer
        if weights is not None:
            first, second = pairs.T
            return limits_by_signs(values[first] - values[second], weights, self.largest_u)
        widths = as_t(self.largest_u, values.shape[1])
        reach = np.where(np.isfinite(widths), widths, np.nan) * self.error
        return self.difference - reach, self.difference + reach

    @property
    def lower(self) -> Floats:
        return self._limits[0]

    @property
    def upper(self) -> Floats:
        return self._limits[1]

    def p_of(self, t: Floats, topics: int) -> Floats:
        """p[P] of statistics t[P] on so many topics, for all pairs at once: at most alpha where |t| exceeds `width`.
        So pairs whose standard error is another one (topics and documents together) have p, limits and ranks that agree."""
        if topics < 2:
            return np.full(len(t), np.nan)
        u = np.abs(t) * np.sqrt(topics / (topics - 1 + np.square(t)))
        counts = [self.signs.number - np.searchsorted(each, u * (1 - ROUNDING), side="left") for each in self.maxima]
        # Among all assignments there is always the observed one.
        return np.where(np.isnan(t), np.nan, self.signs.p(np.maximum(np.maximum(*counts), int(self.signs.exact))))


def simultaneous(
    values: Floats,
    pairs: Pairs,
    keys: Words,
    *,
    weights: Floats | None = None,
    resamples: int = 10_000,
    seed: int = 1,
    confidence: float = 0.95,
    threads: int = 1,
) -> Simultaneous:
    """Compare the family pairs[P, 2] of rows of values[m, T]: that of a single `Layer`, as of `stacked`."""
    layer = Layer(values, pairs, weights)
    return stacked([layer], keys, resamples=resamples, seed=seed, confidence=confidence, threads=threads)[0]


def stacked(
    layers: Sequence[Layer],
    keys: Words,
    *,
    resamples: int = 10_000,
    seed: int = 1,
    confidence: float = 0.95,
    threads: int = 1,
) -> list[Simultaneous]:
    """Compare the pairs of all layers, one family, by the same signs of topics; keys uint64[U]: the topics' streams.

    Limits of a layer with weights are those of `limits_by_signs`, and there are no standard errors. Raises ValueError where a
    score is missing (nan): signs need topics that all runs share.
    """
    if any(np.isnan(layer.values).any() for layer in layers):
        raise ValueError("joint signs need scores of every run on every topic")
    signs = topic_signs(keys, resamples, seed)
    statistics = [_statistics(layer, threads) for layer in layers]
    stack = _Stack(layers, statistics, signs, threads)
    inverse = _inverse_root(np.concatenate([each.squares for each in statistics]))
    slack = np.concatenate([each.slack for each in statistics])
    sums = [np.abs(each.mean) * layer.values.shape[1] for layer, each in zip(layers, statistics, strict=True)]
    u = np.concatenate(sums) * inverse
    order = np.argsort(-u, kind="stable")
    counts, maxima = _step_down(stack.scores, stack.pairs[order], inverse[order], (u - slack)[order], signs, threads)
    p = np.empty(len(u))
    p[order] = np.maximum.accumulate(signs.p(counts))
    maxima.sort()
    single = signs.p(signs.number - np.searchsorted(maxima, u - slack, side="left"))
    ends = np.cumsum([len(layer.pairs) for layer in layers])
    found = []
    for layer, each, last in zip(layers, statistics, ends.tolist(), strict=True):
        some, same = slice(last - len(layer.pairs), last), each.squares == 0
        found.append(Simultaneous(
            *_differences(layer, each), u[some], np.where(same, 1.0, p[some]), np.where(same, 1.0, single[some]), signs,
            maxima, layer, stack, each.slack, confidence,
        ))  # fmt: skip
    return found


def _differences(layer: Layer, found: _Statistics) -> tuple[Floats, Floats]:
    # Differences of means, and their standard errors, which weights leave none of.
    values, pairs, weights, _ = layer
    error, topics = np.full(len(pairs), np.nan), values.shape[1]
    if weights is not None:
        return (values[pairs[:, 0]] - values[pairs[:, 1]]).sum(axis=1) / weights.sum(), error
    return found.mean, np.sqrt(found.centred_squares / topics / (topics - 1)) if topics > 1 else error


def _inverse_root(squares: Floats) -> Floats:
    # 1 / sqrt; 0 where there is nothing to divide by, so that the pair never counts.
    with np.errstate(divide="ignore"):
        return np.where(squares > 0, 1 / np.sqrt(squares), 0.0)


def _statistics(layer: Layer, threads: int) -> _Statistics:
    values, pairs = layer.values, layer.pairs
    topics = values.shape[1]
    found = moments_of_pairs(values, pairs, threads, same=-1.0)
    mean, squares, centred = found.mean, topics * (found.squares / topics), topics * (found.centred / topics)
    largest = np.abs(values).max(axis=1, initial=0.0)
    nothing = topics * (SAME * np.maximum(largest[pairs[:, 0]], largest[pairs[:, 1]])) ** 2
    squares = np.where(squares <= nothing, 0.0, squares)
    centred = np.where(centred <= nothing, 0.0, centred)
    # Sums of runs are rounded before they are subtracted: that may be much next to a near copy's sum D^2.
    total = np.abs(values).sum(axis=1)
    rounding = topics * np.finfo(float).eps * (total[pairs[:, 0]] + total[pairs[:, 1]])
    slack = ROUNDING + rounding * _inverse_root(squares)
    return _Statistics(np.where(squares == 0, 0.0, mean), squares, centred, slack)


def _step_down(
    values: Floats, pairs: Pairs, inverse: Floats, thresholds: Floats, signs: Signs, threads: int
) -> tuple[Ints, Floats]:
    # Counts int64[P] of how often the largest u of a pair and those after it reaches its threshold; the largest u of
    # all[N].
    rows, topics = values.shape
    scores = np.zeros((rows, -(-topics // TOPICS_AT_ONCE) * TOPICS_AT_ONCE))
    scores[:, :topics] = values
    maxima = np.empty(signs.number)

    def work(blocks: slice) -> Ints:
        counts = np.zeros(len(pairs), np.int64)
        step_down_counts(
            scores, signs.bits, signs.number, blocks.start, blocks.stop, pairs, inverse, thresholds, counts, maxima
        )
        return counts

    return np.sum(in_shares(work, -(-signs.number // AT_ONCE), threads), axis=0, dtype=np.int64), maxima


def limits_by_signs(terms: Floats, weights: Floats, u: Floats) -> Interval:
    """Limits of the means sum terms[P, U] / sum weights[U]: all x that leave |sum (terms - x weights)| / sqrt(sum (terms -
    x weights)^2) at most u[P]; nan where no x is too far off, as where a single unit has most of the weight.

    So they contain 0 if the pair's own u is no larger. Of equal weights they are mean +- as_t(u) standard errors. (Limits by
    the standard error of CR2 and as_t(u) would not do: with clusters of unlike sizes 20% of them erred where 5% should.)
    """
    total = weights.sum()
    value = terms.sum(axis=1) / total
    rest = terms - value[:, np.newaxis] * weights
    # x = value - y, where lead y^2 - 2 u^2 b y - u^2 a <= 0.
    a, b, squares = (rest**2).sum(axis=1), rest @ weights, np.square(u)
    with np.errstate(invalid="ignore"):
        lead = total**2 - squares * (weights**2).sum()
        lead = np.where(lead > 0, lead, np.nan)
        root = np.sqrt((squares * b) ** 2 + lead * squares * a)
        return value - (squares * b + root) / lead, value - (squares * b - root) / lead

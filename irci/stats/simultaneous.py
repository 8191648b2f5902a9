"""Many pairs of runs on the same topics: which differ, by one sign a topic.

The statistic of a pair is u = |sum D| / sqrt(sum D^2), which grows with the paired t: t = u sqrt((T - 1) / (T - u^2)). Signs
leave its denominator as it is, so that near copies, which differ on few topics k, stay below sqrt(k) instead of setting the
width for all. It assumes that where runs are equal their deviations from the topic's level are jointly symmetric.

Pairs on several measures, or on several slices of the topics, make one family too: `Layer`s, stacked, under the same signs. u
makes their scales comparable; that of a slice of n topics is at most sqrt(n), so that small ones cost nothing.

Step-down maxima: P. H. Westfall and S. S. Young, "Resampling-based multiple testing", 1993; J. P. Romano and M. Wolf, "Exact
and approximate stepdown methods for multiple hypothesis testing", JASA 100, 2005. In retrieval: L. Boytsov, A. Belova and
P. Westfall, "Deciding on an adjustment for multiplicity in IR experiments", SIGIR 2013.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irci.base.records import Record
from irci.base.types import Bools, Floats, Ints, Pairs, Words
from irci.kernels.topics import AT_ONCE, TOPICS_AT_ONCE, step_down_counts
from irci.stats.moments import moments_of_pairs
from irci.stats.scales import SAME
from irci.stats.signs import ROUNDING, Signs, topic_signs
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


class Simultaneous(Record):
    """Comparisons of P pairs, float64[P] each: u, and p, adjusted step by step, which decides.

    `maxima`: the largest u of the whole family under each of the `signs`, ascending.
    """

    u: Floats
    p: Floats
    signs: Signs
    maxima: Floats

    def p_of(self, t: Floats, topics: int) -> Floats:
        """p[P] of statistics t[P] on so many topics, for all pairs at once in a single step: of pairs whose standard error is
        another one (topics and documents together)."""
        if topics < 2:
            return np.full(len(t), np.nan)
        u = np.abs(t) * np.sqrt(topics / (topics - 1 + np.square(t)))
        count = self.signs.number - np.searchsorted(self.maxima, u * (1 - ROUNDING), side="left")
        # Among all assignments there is always the observed one.
        return np.where(np.isnan(t), np.nan, self.signs.p(np.maximum(count, int(self.signs.exact))))


def simultaneous(
    values: Floats,
    pairs: Pairs,
    keys: Words,
    *,
    weights: Floats | None = None,
    resamples: int = 10_000,
    seed: int = 1,
    threads: int = 1,
) -> Simultaneous:
    """Compare the family pairs[P, 2] of rows of values[m, T]: that of a single `Layer`, as of `stacked`."""
    layer = Layer(values, pairs, weights)
    return stacked([layer], keys, resamples=resamples, seed=seed, threads=threads)[0]


def stacked(
    layers: Sequence[Layer], keys: Words, *, resamples: int = 10_000, seed: int = 1, threads: int = 1
) -> list[Simultaneous]:
    """Compare the pairs of all layers, one family, by the same signs of topics; keys uint64[U]: the topics' streams.

    Raises ValueError where a score is missing (nan): signs need topics that all runs share.
    """
    if any(np.isnan(layer.values).any() for layer in layers):
        raise ValueError("joint signs need scores of every run on every topic")
    signs = topic_signs(keys, resamples, seed)
    # The layers' scores one below the other, 0 outside of their slices.
    ends = np.cumsum([0] + [len(layer.values) for layer in layers])
    scores = np.zeros((ends[-1], -(-len(keys) // TOPICS_AT_ONCE) * TOPICS_AT_ONCE))
    for layer, first, last in zip(layers, ends, ends[1:], strict=False):
        scores[first:last, : len(keys)][:, slice(None) if layer.slice is None else layer.slice] = layer.values
    u, inverse, slack = np.hstack([_statistics(layer, threads) for layer in layers])
    order = np.argsort(-u, kind="stable")
    pairs = np.concatenate([layer.pairs + row for layer, row in zip(layers, ends, strict=False)])[order]
    ordered, thresholds, maxima = inverse[order], (u - slack)[order], np.empty(signs.number)

    def work(blocks: slice) -> Ints:
        # How often the largest u of a pair and those after it reaches its threshold; the largest u of all.
        counts = np.zeros(len(pairs), np.int64)
        step_down_counts(
            scores, signs.bits, signs.number, blocks.start, blocks.stop, pairs, ordered, thresholds, counts, maxima
        )
        return counts

    as_large: Ints = np.sum(in_shares(work, -(-signs.number // AT_ONCE), threads), axis=0, dtype=np.int64)
    p = np.empty(len(u))
    p[order] = np.maximum.accumulate(signs.p(as_large))
    p[inverse == 0] = 1.0
    maxima.sort()
    parts = np.cumsum([len(layer.pairs) for layer in layers])[:-1]
    both = zip(np.split(u, parts), np.split(p, parts), strict=True)
    return [Simultaneous(of_layer, p_of_layer, signs, maxima) for of_layer, p_of_layer in both]


def _statistics(layer: Layer, threads: int) -> Floats:
    # float64[3, P]: u; 1 / sqrt(sum D^2), which signs do not change, 0 where there is nothing to divide by, so that the pair
    # never counts; rounding in u.
    values, pairs = layer.values, layer.pairs
    topics = values.shape[1]
    moments = moments_of_pairs(values, pairs, threads, same=-1.0)
    squares = topics * (moments.squares / topics)
    largest = np.abs(values).max(axis=1, initial=0.0)
    nothing = topics * (SAME * np.maximum(largest[pairs[:, 0]], largest[pairs[:, 1]])) ** 2
    with np.errstate(divide="ignore"):
        inverse = np.where(squares > nothing, 1 / np.sqrt(squares), 0.0)
    # Sums of runs are rounded before they are subtracted: that may be much next to a near copy's sum D^2.
    total = np.abs(values).sum(axis=1)
    rounding = topics * np.finfo(float).eps * (total[pairs[:, 0]] + total[pairs[:, 1]])
    return np.stack((np.abs(moments.mean) * topics * inverse, inverse, ROUNDING + rounding * inverse))

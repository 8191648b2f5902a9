"""Many pairs of runs on the same topics: which differ, and limits that hold for all at once, by one sign a topic.

The statistic of a pair is u = |sum D| / sqrt(sum D^2), which grows with the paired t: t = u sqrt((T - 1) / (T - u^2)). Signs
leave its denominator as it is, so that near copies, which differ on few topics k, stay below sqrt(k) instead of setting the
width for all. It assumes that where runs are equal their deviations from the topic's level are jointly symmetric.

p and limits do not contradict each other: where limits leave out 0, p is at most alpha, and the other way round. A limit of 0
itself is left out where p is at most alpha, and included where it is not. Limits for all pairs that rest on the largest
statistic alone are too narrow where few topics differ, or differences are skewed: so they are the widest of several. M.
Bonferroni's, by Student's t; P. Hall's (irci.stats.skewness).

Step-down maxima: P. H. Westfall and S. S. Young, "Resampling-based multiple testing", 1993; J. P. Romano and M. Wolf, "Exact
and approximate stepdown methods for multiple hypothesis testing", JASA 100, 2005. In retrieval: L. Boytsov, A. Belova and
P. Westfall, "Deciding on an adjustment for multiplicity in IR experiments", SIGIR 2013.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irci.base.types import Bools, Floats, Ints, Pairs, Words
from irci.kernels.topics import AT_ONCE, step_down_counts
from irci.stats.decisions import critical_value, few_differ, separated
from irci.stats.intervals import Interval, including_zero
from irci.stats.scales import SAME, mean_over_topics
from irci.stats.signs import ROUNDING, Signs, topic_signs
from irci.stats.skewness import hall_limits
from irci.stats.tests import PAIRS_AT_ONCE, as_t, mean_and_sd
from irci.system import special
from irci.system.work import in_shares


@dataclass(frozen=True)
class Simultaneous:
    """Comparisons of P pairs, float64[P] each: difference of means, its standard error, u, adjusted p and limits.

    `p` is the step-down one, which decides; `p_single` that of the single step, with the maximum over all pairs, which the
    limits agree with: limits that leave out 0 imply p <= 1 - confidence, not the other way round. `maxima_as_they_are`: the
    largest u under each of the `signs`, in order. Limits, and what they come from, are found when they are first asked for:
    it takes as long as all the rest. The family is pairs[P, 2] of rows of values[m, T], with weights[T] if any;
    `centred_squares`: the sums of squares of differences less their mean; `slack`: rounding in u.
    """

    difference: Floats
    error: Floats
    u: Floats
    p: Floats
    p_single: Floats
    signs: Signs
    maxima_as_they_are: Floats
    values: Floats
    pairs: Pairs
    weights: Floats | None
    centred_squares: Floats
    slack: Floats
    confidence: float
    threads: int

    @property
    def exact(self) -> bool:
        return self.signs.exact

    @cached_property
    def maxima(self) -> tuple[Floats, Floats]:
        """The largest u under each of the `signs`, in order, of differences as they are and of these less their mean."""
        values, weights, squares = self.values, self.weights, self.centred_squares
        if weights is None:
            centred = values - mean_over_topics(values.T)[:, np.newaxis]
        else:
            centred = values - (values.sum(axis=1) / weights.sum())[:, np.newaxis] * weights
            _, squares, *_ = _statistics(centred, self.pairs)
        inverse, none = _inverse_root(squares), np.zeros(len(self.pairs))
        of_centred = _step_down(centred, self.pairs, inverse, none, self.signs, self.threads)[1]
        return self.maxima_as_they_are, np.sort(of_centred)

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
        return float(as_t(self.critical, self.values.shape[1]))

    @cached_property
    def _limits(self) -> Interval:
        # For all pairs at once; nan where there are too few topics.
        if self.weights is not None:
            first, second = self.pairs.T
            return limits_by_signs(self.values[first] - self.values[second], self.weights, self.largest_u)
        widths = as_t(self.largest_u, self.values.shape[1])
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
    """Compare the family pairs[P, 2] of rows of values[m, T] (on the measure's scale); keys uint64[T]: the topics' streams.

    weights float64[T]: how much each topic (or rather what has a sign) counts, if not alike; its values are so many times its
    score. Limits are then those of `limits_by_signs`, and there are no standard errors. Raises ValueError where a score is
    missing (nan): signs need topics that all runs share.
    """
    if np.isnan(values).any():
        raise ValueError("joint signs need scores of every run on every topic")
    topics = values.shape[1]
    signs = topic_signs(keys, resamples, seed)
    difference, squares, centred_squares, slack = _statistics(values, pairs)
    inverse = _inverse_root(squares)
    u = np.abs(difference) * topics * inverse
    order = np.argsort(-u, kind="stable")
    counts, maxima = _step_down(values, pairs[order], inverse[order], (u - slack)[order], signs, threads)
    p = np.empty(len(pairs))
    p[order] = np.maximum.accumulate(signs.p(counts))
    same = squares == 0
    maxima.sort()
    single = signs.p(signs.number - np.searchsorted(maxima, u - slack, side="left"))
    error = np.full(len(pairs), np.nan)
    if weights is not None:
        difference = (values[pairs[:, 0]] - values[pairs[:, 1]]).sum(axis=1) / weights.sum()
    elif topics > 1:
        error = np.sqrt(centred_squares / topics / (topics - 1))
    return Simultaneous(
        difference, error, u, np.where(same, 1.0, p), np.where(same, 1.0, single), signs, maxima, values, pairs, weights,
        centred_squares, slack, confidence, threads,
    )  # fmt: skip


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


def _inverse_root(squares: Floats) -> Floats:
    # 1 / sqrt; 0 where there is nothing to divide by, so that the pair never counts.
    with np.errstate(divide="ignore"):
        return np.where(squares > 0, 1 / np.sqrt(squares), 0.0)


def _statistics(values: Floats, pairs: Pairs) -> tuple[Floats, Floats, Floats, Floats]:
    # Mean differences, sums of squares of differences and of these less their mean, rounding in u: what signs do not change.
    topics = values.shape[1]
    columns = np.empty((3, len(pairs)))
    for first in range(0, len(pairs), PAIRS_AT_ONCE):
        some = pairs[first : first + PAIRS_AT_ONCE]
        differences = values[some[:, 0]] - values[some[:, 1]]
        mean = mean_over_topics(differences.T)  # in topic order, whoever else is in the family
        squares = topics * mean_over_topics(differences.T**2)
        centred = topics * mean_over_topics((differences.T - mean) ** 2)
        columns[:, first : first + len(some)] = mean, squares, centred
    mean, squares, centred = columns
    largest = np.abs(values).max(axis=1, initial=0.0)
    nothing = topics * (SAME * np.maximum(largest[pairs[:, 0]], largest[pairs[:, 1]])) ** 2
    squares = np.where(squares <= nothing, 0.0, squares)
    centred = np.where(centred <= nothing, 0.0, centred)
    # Sums of runs are rounded before they are subtracted: that may be much next to a near copy's sum D^2.
    total = np.abs(values).sum(axis=1)
    rounding = topics * np.finfo(float).eps * (total[pairs[:, 0]] + total[pairs[:, 1]])
    return np.where(squares == 0, 0.0, mean), squares, centred, ROUNDING + rounding * _inverse_root(squares)


def _step_down(
    values: Floats, pairs: Pairs, inverse: Floats, thresholds: Floats, signs: Signs, threads: int
) -> tuple[Ints, Floats]:
    # Counts int64[P] of how often the largest u of a pair and those after it reaches its threshold; the largest u of
    # all[N].
    by_topic = np.ascontiguousarray(values.T)
    maxima = np.empty(signs.number)

    def work(blocks: slice) -> Ints:
        counts = np.zeros(len(pairs), np.int64)
        step_down_counts(
            by_topic, signs.bits, signs.number, blocks.start, blocks.stop, pairs, inverse, thresholds, counts, maxima
        )
        return counts

    return np.sum(in_shares(work, -(-signs.number // AT_ONCE), threads), axis=0, dtype=np.int64), maxima


def no_less_than_p(p_adjusted: Floats, p: Floats) -> Floats:
    """p_adjusted[P] where it is no less than p[P], which another test may have given; nan where it is nan."""
    return np.where(np.isnan(p_adjusted), np.nan, np.fmax(p_adjusted, p))


def leaving_out_zero(limits: Interval, value: Floats, some: Bools, narrower: Interval) -> Interval:
    """Limits[P] of value[P] that leave out 0 for some[P] of them: where they do not, the side towards 0 is that of `narrower`
    ones, and where these do not either, it is 0, which is then left out. nan stays nan."""
    lower, upper = limits
    with np.errstate(invalid="ignore"):
        up, down = some & (value > 0) & (lower <= 0), some & (value < 0) & (upper >= 0)
    # fmax and fmin: narrower ones may be nan.
    return np.where(up, np.fmax(narrower[0], 0), lower), np.where(down, np.fmin(narrower[1], 0), upper)


def agreeing(limits: Interval, value: Floats, p: Floats, confidence: float, narrower: Interval) -> Interval:
    """Limits[P] of value[P] that leave out 0 where p[P] is at most 1 - confidence, and nowhere else: by those of `narrower`
    ones, else by being 0. As they are where p is nan; nan stays nan."""
    apart = separated(p, 1 - confidence)
    return leaving_out_zero(including_zero(limits, ~apart & ~np.isnan(p)), value, apart, narrower)


def limits_at_once(
    differences: Floats,
    at_once: Interval,
    p_adjusted: Floats,
    confidence: float,
    family: float,
    bounded: Interval | None = None,
) -> Interval:
    """Limits[P] of the means of differences[P, n], of a family of so many pairs (P of which may be given at a time), that hold
    for all of it at once, each the widest of three: `at_once`, by the largest statistic (nan: no topics enough); Bonferroni's
    t; Hall's.

    Where `few_differ`, they are those of `bounded` at confidence 1 - (1 - confidence)/family, if it has any (not nan), else
    Bonferroni's t; other pairs, too, may have `bounded` ones. They leave out 0 where p_adjusted[P] is at most 1 - confidence,
    and nowhere else. n = 1, or nothing varies: nan but for `bounded` ones.
    """
    mean, sd = mean_and_sd(differences)
    topics = differences.shape[1]
    lower, upper = np.full((2, len(mean)), np.nan)
    if topics > 1:
        reach = -float(special.stdtrit(topics - 1, (1 - confidence) / (2 * family)))
        error = sd / np.sqrt(topics)
        skewed, few = hall_limits(differences, reach), few_differ(differences)
        lower, upper = mean - reach * error, mean + reach * error
        lower = np.where(few, lower, np.fmin(np.fmin(lower, skewed[0]), at_once[0]))
        upper = np.where(few, upper, np.fmax(np.fmax(upper, skewed[1]), at_once[1]))
        lower, upper = np.where(sd > 0, lower, np.nan), np.where(sd > 0, upper, np.nan)
    if bounded is not None:
        known = ~np.isnan(bounded[0])
        lower, upper = np.where(known, bounded[0], lower), np.where(known, bounded[1], upper)
    return agreeing((lower, upper), mean, p_adjusted, confidence, at_once)

"""Analysis of variance of scores by topic, system and part of the collection, balanced, in closed form; the tests of all pairs
of systems that go with it; and whether differences differ between slices of the topics.

y[n, m, x]: n topics, m systems, x parts. Effects sum to zero. Models (Voorhees, Samarov & Soboroff, TOIS 2017; the wider
family is that of Ferro & Sanderson, SIGIR 2019, whose MD2, MD3 and MD6 these are): additive, topic + system; interaction, with
topic x system; parts, also with part, system x part and topic x part.

nested = interaction + part(topic) is for parts that are each of one topic, as versions of its query: the k-th of one topic has
nothing to do with the k-th of another. They are a sample, so that a topic is held against them, and all else against the
error, which is system x part(topic).
"""

import math
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from irci.base.choices import Model
from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, Ints
from irci.kernels.anova import count_as_large, draw_labels, permuted_ranges, welch_f
from irci.stats.scales import SAME_SUM
from irci.stats.signs import ROUNDING
from irci.stats.tests import Estimates, mean_and_sd
from irci.system import in_shares, special

# What residuals are, as a share of the squared scores, where a model fits exactly: rounding, squared.
EXACT_FIT = 1e-28
# The sources of variation, and the factorial terms (by their axes) that each has the effects of.
TERMS: dict[str, tuple[tuple[int, ...], ...]] = {
    "topic": ((0,),),
    "system": ((1,),),
    "topic:system": ((0, 1),),
    "part": ((2,),),
    "system:part": ((1, 2),),
    "topic:part": ((0, 2),),
    "part(topic)": ((2,), (0, 2)),
}
_CROSSED = ("topic", "system", "topic:system", "part", "system:part", "topic:part")
MODELS: dict[Model, tuple[str, ...]] = {
    "additive": _CROSSED[:2], "interaction": _CROSSED[:3], "parts": _CROSSED, "nested": (*_CROSSED[:3], "part(topic)"),
}  # fmt: skip


class Anova(NamedTuple):
    """A fitted model: the effects of the m systems, residuals[n, m, x] and their degrees of freedom, and the table.

    `table`: for each source, then error and total, degrees of freedom, sum of squares, mean square, F, p, omega squared
    ((SS - df MS_error) / (SS_total + MS_error), of what F is held against); nan where there is none.
    """

    system: Floats
    residuals: Floats
    df: int
    table: dict[str, tuple[int, float, float, float, float, float]]


def anova(y: Floats, model: Model) -> Anova:
    """Fit one of MODELS to scores y[n, m, x] by least squares.
    Raises ValueError if no degree of freedom is left."""
    sizes = y.shape
    rounding = EXACT_FIT * np.square(y).sum()
    y = y - y.mean()  # before squares are taken: leading digits that all scores share cost none of those that differ
    effects = {source: sum((_effect(y, axes) for axes in TERMS[source]), np.zeros(sizes)) for source in MODELS[model]}
    residuals = y - y.mean() - sum(effects.values())
    if np.square(residuals).sum() <= rounding:
        residuals = np.zeros_like(residuals)
    dfs = {source: sum(math.prod(sizes[axis] - 1 for axis in axes) for axes in TERMS[source]) for source in effects}
    df = y.size - 1 - sum(dfs.values())
    if df < 1:
        raise ValueError(f"model {model} has no degree of freedom left with {sizes[0]} topics and {sizes[2]} parts")
    # Sums of squares and degrees of freedom of each source, then of error and total; and what F is held against.
    ss = np.array([*(np.square(of).sum() for of in (*effects.values(), residuals, y - y.mean()))])
    freedom = np.array([*dfs.values(), df, y.size - 1], np.int64)
    error = np.full((2, len(ss)), [[ss[-2]], [df]])
    error[:, -2:] = math.nan
    if model == "nested":  # parts of a topic, the last source, are a sample, which topics, the first, are held against
        error[:, 0] = ss[-3], freedom[-3]
    with np.errstate(divide="ignore", invalid="ignore"):
        ms, error_ms = ss / freedom, error[0] / error[1]
        f = np.where((freedom > 0) & (error_ms > 0), ms / error_ms, math.nan)
        omega2 = np.where(ss[-1] > 0, (ss - freedom * error_ms) / (ss[-1] + error_ms), math.nan)
    columns = freedom, ss, ms, f, special.fdtrc(freedom, error[1], f), omega2
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return Anova(effects["system"][0, :, 0], residuals, df, dict(zip([*effects, "error", "total"], rows, strict=True)))


def _effect(y: Floats, axes: tuple[int, ...]) -> Floats:
    # The effect of a factorial term: the mean over the other axes without what smaller effects explain.
    effect: Floats = y.mean(axis=tuple({0, 1, 2}.difference(axes)), keepdims=True)
    for axis in axes:
        effect = effect - effect.mean(axis=axis, keepdims=True)
    return effect


def unpaired_t(first: Floats, second: Floats) -> Floats:
    """Two-sided p[P] of Student's t test of the means of first[P, T] and second[P, T], topics taken for unrelated."""
    (mean, sd), (other_mean, other_sd), topics = mean_and_sd(first), mean_and_sd(second), first.shape[1]
    error, df = np.sqrt((sd**2 + other_sd**2) / topics), np.full(len(mean), 2.0 * topics - 2)
    of = Estimates(mean - other_mean, error, df, np.zeros(len(mean), np.int64))
    return np.where((of.value == 0) & (df > 0), 1.0, of.p())


def tukey(values: Floats, resamples: int, seed: int) -> Floats:
    """p[P] of the randomized Tukey HSD for all pairs of the m systems of values[T, m]: how often labels shuffled within topics
    make the largest difference of means as large, (k + 1)/(B + 1). (Carterette, ACM TOIS 30(1), 2012.)
    """
    ranges = np.empty(resamples)
    permuted_ranges(np.ascontiguousarray(values), seed_word(seed, Purpose.TUKEY), np.uint64(0), ranges)
    means = values.mean(axis=0)
    first, second = np.triu_indices(values.shape[1], 1)
    difference = np.abs(means[first] - means[second])
    ranges.sort()
    as_large = resamples - np.searchsorted(ranges, difference * (1 - SAME_SUM) - SAME_SUM, side="left")
    return np.asarray((as_large + 1) / (resamples + 1))


FEWEST_TOPICS = 5  # of a group whose variance is worth dividing by
NEXT_TO_NOTHING = 0.1  # of a pair's root mean square difference; no more than that is no difference
LEAST_VARIANCE = 1e-18  # of a group without spread, as a share of the largest D^2
NO_F = 1e-9  # F below that is rounding
AT_ONCE = 256  # arrangements in a block


def interaction(
    differences: Floats, group: Ints, *, resamples: int = 10_000, seed: int = 1, threads: int = 1
) -> tuple[Floats, Floats, Floats, Floats]:
    """Do differences[P, n] differ between groups of topics beyond chance? Welch's F, its degrees of freedom, and p by permuted
    labels of groups, float64[P] each. group int64[n]: the group of each, 0 to G - 1, two or more of them, with two topics or
    more each.

    p is exact where all arrangements of labels are no more than `resamples`, else (k + 1)/(B + 1). A group of which fewer than
    3 topics differ may look as if it did not vary: its variance is no less than that over all topics, in each arrangement
    anew. By its own, equal gains that one in ten topics of a group of 5 or 10 took part in had p <= .05 in 46 and 32%.
    """
    terms, sizes = np.ascontiguousarray(differences.T), np.bincount(group)
    pairs = terms.shape[1]
    largest = np.square(terms).max(axis=0, initial=0.0)
    least = np.where(largest > 0, LEAST_VARIANCE * largest, 1.0)
    of_all = np.maximum(terms.var(axis=0, ddof=1), least)
    bounds = np.stack((least, NEXT_TO_NOTHING * np.sqrt(np.square(terms).mean(axis=0)), of_all))
    f, df2 = np.empty((2, pairs))
    welch_f(terms, group, sizes, bounds, np.empty((3, len(sizes), pairs)), f, df2)
    thresholds = f * (1 - ROUNDING) - NO_F
    arrangements = np.array(list(_all_arrangements(sizes.tolist())), np.int64) if is_exact(sizes, resamples) else None
    number = resamples if arrangements is None else len(arrangements)
    word = seed_word(seed, Purpose.SLICES)

    def work(blocks: slice) -> Ints:
        counts = np.zeros(pairs, np.int64)
        for first in range(blocks.start * AT_ONCE, min(blocks.stop * AT_ONCE, number), AT_ONCE):
            labels = np.empty((min(AT_ONCE, number - first), len(group)), np.int64)
            if arrangements is None:
                draw_labels(word, group, first, labels)
            else:
                labels = arrangements[first : first + AT_ONCE]
            count_as_large(terms, labels, sizes, bounds, thresholds, counts)
        return counts

    count = np.sum(in_shares(work, -(-number // AT_ONCE), threads), axis=0)
    p = count / number if arrangements is not None else (count + 1) / (number + 1)
    return f, np.full(pairs, len(sizes) - 1.0), df2, p


def is_exact(sizes: Ints, resamples: int) -> bool:
    """True where all arrangements of labels of groups of these sizes[G] are gone through."""
    left, number = int(sizes.sum()), 1
    for size in sizes.tolist():
        number *= math.comb(left, size)
        left -= size
        if number > resamples:
            return False
    return True


def _all_arrangements(sizes: list[int]) -> Iterator[list[int]]:
    # Every choice of the topics of the last group, with every arrangement of the others among the rest.
    topics, last = sum(sizes), len(sizes) - 1
    if last == 0:
        yield [0] * topics
        return
    for selected in combinations(range(topics), sizes[last]):
        for labels in _all_arrangements(sizes[:last]):
            rest = iter(labels)
            yield [last if topic in selected else next(rest) for topic in range(topics)]

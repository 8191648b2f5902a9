"""Analysis of variance of scores by topic, system and part of the collection, balanced, in closed form; its residual bootstrap
and the tests of all pairs of systems that go with it; and whether differences differ between slices of the topics.

y[n, m, x]: n topics, m systems, x parts. Effects sum to zero. Models (Voorhees, Samarov & Soboroff, TOIS 2017; the wider
family is that of Ferro & Sanderson, SIGIR 2019, whose MD2, MD3 and MD6 these are): additive, topic + system; interaction, with
topic x system; parts, also with part, system x part and topic x part.

nested = interaction + part(topic) is for parts that are each of one topic, as versions of its query: the k-th of one topic has
nothing to do with the k-th of another. They are a sample, so that a topic is held against them, and all else against the
error, which is system x part(topic).

The bootstrap assumes that scores on a part represent those on the whole, and that residuals are exchangeable. The topics are
fixed: nothing is said about others.
"""

import math
from typing import NamedTuple

import numpy as np

from irci.base.choices import Model
from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, Ints, Words, all_pairs
from irci.kernels.anova import count_as_large, draw_labels, drawn_sums, permuted_ranges, welch_f
from irci.kernels.generator import LANES
from irci.stats.intervals import percentile_interval
from irci.stats.scales import SAME_SUM
from irci.stats.signs import ROUNDING, p_by_signs
from irci.stats.tests import PAIRS_AT_ONCE, mean_and_sd, no_less_than_signs, of_sample, welch
from irci.system import claim, in_order, in_shares, special

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


# Differences of effects that are no larger are 0: where scores are tied, rounding alone makes them.
TIED_EFFECTS = 1e-12


def residual_bootstrap(
    fit: Anova, resamples: int, seed: int, *, split: int, published: bool = False, threads: int = 1, is_centred: bool = True
) -> Floats:  # fmt: skip
    """Replicates float64[m, B] of the effects of m systems in a fitted model; a system's place, by name, keys its draws.

    Its residuals are rescaled by sqrt(N / df), so that their variance is the error's, unless as `published` they are left as
    they are. `split`: which split it is, for independent draws; `is_centred`: replicates are effects, which add up to 0, and
    not means that also vary together. The bootstrap refits y* = fit + e*; of that only
    s*_j = s_j + mean_j(e*) - mean(e*) is needed.
    """
    topics, systems, parts = fit.residuals.shape
    residuals = fit.residuals.ravel() * (1 if published else np.sqrt(fit.residuals.size / fit.df))
    draws = topics * parts
    word, key = seed_word(seed, Purpose.RESIDUALS), np.uint64(split)
    # Whole blocks of lanes, several a thread.
    step = LANES * max(1, -(-resamples // (4 * threads * LANES)))
    claim(2 * systems, resamples)  # they are sorted in a copy
    replicates = np.empty((systems, resamples))

    def fill(first: int) -> None:
        drawn_sums(residuals, word, key, draws, first, replicates[:, first : first + step])

    list(in_order(fill, range(0, resamples, step), threads))
    replicates /= draws  # in place: these are the largest arrays
    if is_centred:
        replicates -= replicates.mean(axis=0)
    replicates += fit.system[:, np.newaxis]
    return replicates


def effect_limits(fit: Anova, replicates: Floats, confidence: float) -> Floats:
    """Limits float64[2, m] of effects from replicates[m, B]; nan where the model fits every score, which is no certainty."""
    if not fit.residuals.any():
        return np.full((2, len(fit.system)), np.nan)
    return percentile_interval(replicates, confidence)


def pair_p_values(fit: Anova, replicates: Floats, *, published: bool) -> Floats:
    """Two-sided p[P] of all pairs' differences of effects, in the order of `all_pairs`, from replicates[m, B].

    Twice the smaller tail of s*_i - s*_j beyond 0, (k + 1)/(B + 1); `published`: the tails of each system's own distribution
    beyond the other's estimate, which ignores half the variance. Without residuals p is nan, and 1 of systems that are alike.
    """
    value, pairs, resamples = fit.system, all_pairs(len(replicates)), replicates.shape[1]
    if not fit.residuals.any():
        return np.where(np.abs(np.diff(value[pairs])[:, 0]) <= TIED_EFFECTS, 1, np.nan)
    if published:  # [m, m]: how many of each system's replicates reach each system's effect from below and from above
        low, high = np.take_along_axis(pairs, np.argsort(value[pairs], axis=1, kind="stable"), axis=1).T
        ordered = np.sort(replicates, axis=1)
        above = resamples - np.array([np.searchsorted(own, value - TIED_EFFECTS, side="left") for own in ordered])
        below = np.array([np.searchsorted(own, value + TIED_EFFECTS, side="right") for own in ordered])
        return np.asarray(np.minimum((above[low, high] + below[high, low] + 2) / (resamples + 1), 1))
    differences = (replicates[other] - replicates[system] for system, other in pairs.tolist())
    tails = np.array([[(of <= TIED_EFFECTS).sum(), (of >= -TIED_EFFECTS).sum()] for of in differences])
    return np.asarray(np.minimum(2 * (tails.min(axis=1) + 1) / (resamples + 1), 1))


def unpaired_t(values: Floats) -> Floats:
    """Two-sided p[P] of Student's t test of the means of all pairs of systems of values[T, m], topics taken for unrelated."""
    sides, topics = all_pairs(values.shape[1]).T, len(values)
    mean, sd = mean_and_sd(values.T)
    of = welch(mean[sides], sd[sides], np.full((2, 1), topics))
    return np.where((of.value == 0) & (topics > 1), 1.0, of._replace(df=np.full(len(of.df), 2.0 * topics - 2)).p())


def tukey(values: Floats, resamples: int, seed: int) -> Floats:
    """p[P] of the randomized Tukey HSD for all pairs of the m systems of values[T, m]: how often labels shuffled within topics
    make the largest difference of means as large, (k + 1)/(B + 1). (Carterette, ACM TOIS 30(1), 2012.)
    """
    ranges = np.empty(resamples)
    permuted_ranges(np.ascontiguousarray(values), seed_word(seed, Purpose.TUKEY), np.uint64(0), ranges)
    means = values.mean(axis=0)
    difference = np.abs(np.subtract(*means[all_pairs(values.shape[1]).T]))
    ranges.sort()
    as_large = resamples - np.searchsorted(ranges, difference * (1 - SAME_SUM) - SAME_SUM, side="left")
    return np.asarray((as_large + 1) / (resamples + 1))


PAIRS = 16 * PAIRS_AT_ONCE  # whose scores are looked at together


def p_of_test(scores: Floats, test: str, keys: Words, resamples: int, seed: int) -> Floats:
    """Two-sided p[P] of all pairs of the m systems of scores[T, m] by a test over topics with stream keys[T]."""
    if test in ("tukey", "unpaired-t"):
        return tukey(scores, resamples, seed) if test == "tukey" else unpaired_t(scores)
    blocks, pairs = [], all_pairs(scores.shape[1])
    for first in range(0, len(pairs), PAIRS):
        differences = np.subtract(*scores.T[pairs[first : first + PAIRS].T])
        if test == "t":
            blocks.append(no_less_than_signs(of_sample(differences).p(), len(scores))[0])
        else:
            is_one_sided = test == "randomization-one-sided"
            blocks.append(p_by_signs(differences, keys, resamples, seed, one_sided=is_one_sided))
    return np.concatenate(blocks)


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
    f, df2 = welch_f(terms, group, sizes, bounds)
    thresholds = f * (1 - ROUNDING) - NO_F
    arrangements = np.array(_all_arrangements(sizes.tolist())) if is_exact(sizes, resamples) else None
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
    return math.prod(map(math.comb, np.cumsum(sizes).tolist(), sizes.tolist())) <= resamples


def _all_arrangements(sizes: list[int]) -> list[list[int]]:
    # The labels of one topic after the other, each of a group that has members left.
    arrangements: list[list[int]] = [[]]
    for _ in range(sum(sizes)):
        arrangements = [
            [*labels, group] for labels in arrangements for group, size in enumerate(sizes) if labels.count(group) < size
        ]  # fmt: skip
    return arrangements

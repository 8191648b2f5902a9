"""How much a difference itself differs between parts of the topics: between slices (Welch's F), between collections (Cochran's
Q). That it is significant in one part and not in another says nothing of that."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from irci.base.names import plural
from irci.base.types import Floats, Ints
from irci.comparison.family import Family
from irci.comparison.sources.collections import in_each
from irci.data.notices import warn_of_topics
from irci.data.rules import GroupedTopics
from irci.data.scores import lie_within
from irci.estimators.compare.edges import holding_both, replaced
from irci.estimators.compare.grouped import Groups
from irci.estimators.joint_resamples import common_topics, in_blocks, on_topics
from irci.output.tables import PValue, Row
from irci.stats.anova import FEWEST_TOPICS, interaction
from irci.stats.meta import random_effects, tau2_limits
from irci.stats.scales import PLAIN, SAME
from irci.stats.tests import adjusted
from irci.wording import notify

WIDE = 3  # times the spread of the other slices
FEW_TOPICS = 10  # of a slice that spreads so much


class SlicesCompared(NamedTuple):
    """F of P pairs between G slices.

    f: float64[4, P]  # F, df1, df2, p
    slices: by run and baseline, which are compared, and which have too few topics
    wide: int64[G]  # the pairs whose differences vary much more in a slice than elsewhere
    """

    f: Floats
    slices: dict[tuple[str, str], tuple[list[str], list[str]]]
    wide: Ints


def between_slices(family: Family, slices: GroupedTopics) -> tuple[list[Row], SlicesCompared]:
    """For each pair whether its difference differs between slices; p adjusted for all pairs of the family by Holm's method."""
    result = _interaction(family, slices)
    f = result.f
    if (without := family.without_lacking) is not None:
        of_fewer = _interaction(without, slices).f
        is_surer = family.lacks_topics(family.scored.sources[0]) & ~(of_fewer[3] <= f[3])
        f = np.where(is_surer, of_fewer, f)
    _warn_of_slices(family.measure.name, f[3], result, slices)
    rows: list[Row] = [
        {**names, "F": f, "df": df1, "p": PValue(p), "p_adjusted": PValue(p_adjusted)}
        for names, (f, df1, _, p), p_adjusted in zip(
            _names(family), f.T.tolist(), adjusted(f[3], "holm").tolist(), strict=True
        )
    ]
    return rows, result


def _names(family: Family) -> Iterator[dict[str, str]]:
    return ({"run": family.names[run], "baseline": family.names[other]} for run, other in family.pairs.tolist())


def _interaction(family: Family, slices: GroupedTopics) -> SlicesCompared:
    design, names = family.design, slices.names
    f, wide = np.full((4, len(family.pairs)), np.nan), np.zeros(len(names), np.int64)
    compared: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for mask, places in in_blocks(common_topics(family.values, family.pairs)):
        slice_of_topic = slices.place[mask]
        is_large = np.bincount(slice_of_topic, minlength=len(names)) >= FEWEST_TOPICS
        large = np.flatnonzero(is_large)
        of_pair = (
            [names[index] for index in large.tolist()],
            [names[index] for index in np.flatnonzero(~is_large).tolist()],
        )
        compared |= {(family.names[run], family.names[other]): of_pair for run, other in family.pairs[places].tolist()}
        if len(large) < 2:
            continue
        in_large = np.isin(slice_of_topic, large)
        label = np.searchsorted(large, slice_of_topic[in_large])
        differences = on_topics(family.values, family.pairs[places], mask)[:, in_large]
        f[:, places] = interaction(differences, label, resamples=design.signs, seed=design.seed, threads=family.threads)
        wide[large] += _spread_much(differences, label)
    return SlicesCompared(f, compared, wide)


def _spread_much(differences: Floats, label: Ints) -> Ints:
    """int64[G]: for how many of differences[P, n] each group, if it is small, varies much more than the others do."""
    groups = int(label.max()) + 1
    pairs, sizes = np.zeros(groups, np.int64), np.bincount(label)
    squares = np.array([differences[:, label == group].var(axis=1) * sizes[group] for group in range(groups)])
    for group in np.flatnonzero(sizes < FEW_TOPICS).tolist():
        elsewhere = (squares.sum(axis=0) - squares[group]) / (len(label) - sizes[group] - groups + 1)
        own = squares[group] / (sizes[group] - 1)
        pairs[group] = ((own > WIDE**2 * elsewhere) & (own > (SAME * np.abs(differences).max(axis=1)) ** 2)).sum()
    return pairs


def _warn_of_slices(measure: str, p: Floats, result: SlicesCompared, slices: GroupedTopics) -> None:
    small = dict.fromkeys(name for _, left_out in result.slices.values() for name in left_out)
    if without := int(np.isnan(p).sum()):
        few = f"fewer than two slices of {FEWEST_TOPICS} topics or more"
        notify("lacking", measure=measure, what="F", who=f" for {plural(without, 'pair')}", why=few)
    elif small:
        warn_of_topics(measure, f"of fewer than {FEWEST_TOPICS} topics, left out of F", [*small], "slice")
    for name, pairs in zip(slices.names, result.wide.tolist(), strict=True):
        if pairs:
            notify("slice_varies", measure=measure, slice=name, least=FEW_TOPICS, pairs=pairs, times=WIDE)


def between_collections(family: Family, groups: Groups) -> list[Row]:
    """How much the differences of each pair vary from collection to collection, `groups` of topics."""
    statistics, limits = _heterogeneity(family, groups)
    if (without := family.without_lacking) is not None:
        lacks, (of_fewer, limits_of_fewer) = (
            family.lacks_topics(family.scored.sources[0]),
            _heterogeneity(without, groups),
        )
        statistics = np.where(lacks & ~(of_fewer[1] <= statistics[1]), of_fewer, statistics)
        limits_both = holding_both((limits[0], limits[1]), (limits_of_fewer[0], limits_of_fewer[1]))
        limits = np.array(replaced((limits[0], limits[1]), lacks, limits_both))
    if unknown := int(np.isnan(statistics[0]).sum()):
        pairs = plural(unknown, "pair")
        why = "their variance cannot be estimated in some collection"
        notify("lacking", measure=family.measure.name, what="Q", who=f" for {pairs}", why=why)
    return [
        {
            **names, "Q": q, "df": groups.number - 1, "Q_p": PValue(p), "I2": i2, "tau2": tau2, "tau": math.sqrt(tau2),
            "lower": lower, "upper": upper,
        }
        for names, (q, p, i2, tau2, lower, upper) in zip(
            _names(family), np.vstack((statistics, limits)).T.tolist(), strict=True
        )
    ]  # fmt: skip


def _heterogeneity(family: Family, groups: Groups) -> tuple[Floats, Floats]:
    """Q, its p, I^2 and tau^2 [4, P] of pairs, nan where the variance cannot be estimated in some collection; and limits
    [2, P] of tau, at most half of the range of differences, the largest standard deviation of true differences of scores
    that have ends (T. Popoviciu, Mathematica 9, 1935)."""
    request, measure, values = family.request, family.measure, family.values
    effects, errors = in_each(groups, values, family.pairs)
    is_plain = request.scale(measure) == PLAIN and family.scored.signature.get("standardise") is None
    ends = (request.range or measure.ends) if is_plain else None
    is_on_scale = ends is not None and lie_within(values[~np.isnan(values)], ends)
    most = ends[1] - ends[0] if ends is not None and is_on_scale else math.inf
    statistics, limits = np.full((4, len(effects)), np.nan), np.empty((2, len(effects)))
    for index, (effect, error) in enumerate(zip(effects, errors, strict=True)):
        if (error > 0).all():
            model = random_effects(effect, error)
            statistics[:, index] = model.q, model.q_p, model.i2, model.tau2
        limits[:, index] = np.sqrt(np.minimum(tau2_limits(effect, error, request.confidence), most**2))
    return statistics, limits

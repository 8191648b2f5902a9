"""What differences between runs can show on these topics: equivalence within a margin, the least difference that would have
been found, the topics that this one would take, and a verdict.
"""

from dataclasses import dataclass

import numpy as np

from irci.base.types import Bools, Floats, Ints, Pairs
from irci.bootstrap.joint_resamples import common_topics, in_blocks, on_topics
from irci.methods.map_ci.differences import Differences
from irci.methods.map_ci.means import Settings
from irci.stats.decisions import Verdict, best_signs_p, best_t_p, differing_topics, separated, verdicts
from irci.stats.intervals import reversal_probability
from irci.stats.power import detectable_effect, effect_size_limits, topics_needed
from irci.stats.signs import directions, is_exact
from irci.stats.tests import adjusted, equivalence_t

POWER = 0.8


@dataclass(frozen=True)
class Resolution:
    """Of P pairs, float64[P] each, topics varying: the smallest p that their differences could have had, p of equivalence and
    that adjusted by Holm (None without a margin), verdicts; where the test finds a direction that is not that of the means
    (bool); the least true difference that a t test of the pair alone finds with power .8; and what `Power` holds, if it is
    asked for."""

    smallest_p: Floats
    p_equivalence: Floats | None
    p_equivalence_adjusted: Floats | None
    verdict: list[Verdict]
    contradicts: Bools
    detectable: Floats
    power: "Power | None"


@dataclass(frozen=True)
class Power:
    """Of P pairs, float64[P] each: the least true difference that a t test of the pair alone, not adjusted for the others,
    finds with power .8; the topics that the one observed would take; the probability that another such experiment reverses
    its sign; the effect size's limits."""

    detectable: Floats
    topics_needed: Floats
    reversal: Floats
    effect_lower: Floats
    effect_upper: Floats


def resolution(
    values: Floats,
    pairs: Pairs,
    differences: Differences,
    p_adjusted: Floats,
    settings: Settings,
    margin: Floats | None,
    *,
    with_power: bool,
) -> Resolution:
    """What the differences over topics of values[rows, T] can show; `margin`[P]: differences below it do not matter."""
    alpha = 1 - settings.confidence
    columns = np.full((7, len(pairs)), np.nan)
    identical = np.zeros(len(pairs), np.bool_)
    direction = np.sign(differences.value)
    for mask, some in in_blocks(common_topics(values, pairs)):
        if not mask.any():
            continue
        found = on_topics(values, pairs[some], mask)
        topics = found.shape[1]
        identical[some] = differing_topics(found) == 0
        columns[0, some] = _smallest_p(found, settings)
        if settings.test in ("wilcoxon", "sign"):
            direction[some] = directions(found, settings.test)
        if margin is not None:
            columns[1, some] = equivalence_t(found, margin[some], margin[some], alpha).p
        if topics > 1:
            columns[2, some] = detectable_effect(topics, alpha, POWER) * differences.error[some] * np.sqrt(topics)
        if with_power and topics > 1:
            columns[3:, some] = _power(topics, differences, some, settings.confidence)
    p_equivalence = None if margin is None else columns[1]
    in_family = None if p_equivalence is None else adjusted(p_equivalence, "holm")
    verdict = verdicts(direction, p_adjusted, columns[0], identical, alpha, in_family)
    contradicts = separated(p_adjusted, alpha) & (direction * differences.value < 0)
    power = Power(*columns[2:]) if with_power else None
    return Resolution(columns[0], p_equivalence, in_family, verdict, contradicts, columns[2], power)


def _smallest_p(differences: Floats, settings: Settings) -> Floats:
    """The smallest p[P] that tests of differences[P, T] of these sizes can give (adjusted p, where that is of signs)."""
    by_signs = settings.correction == "maxt" or settings.test in ("randomization", "wilcoxon", "sign")
    if not by_signs:
        return best_t_p(differences)
    draws = settings.correction == "maxt" or settings.test != "sign"
    exact = is_exact(differences.shape[1], settings.signs)
    return best_signs_p(differences, 1 / (settings.signs + 1) if draws and not exact else 0.0)


def _power(topics: int, differences: Differences, some: Ints, confidence: float) -> Floats:
    """The columns of `Power` but the first, [4, P], for pairs `some` on so many topics."""
    error, effect = differences.error[some], differences.effect_size[some]
    needed = topics_needed(np.abs(effect), 1 - confidence, POWER)
    reversal = reversal_probability(differences.value[some], error, topics)
    return np.array([needed, reversal, *effect_size_limits(effect, topics, confidence)])

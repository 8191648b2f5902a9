"""The ground of all sources of scores that come in groups: the groups vary, or they are given and their members vary.

And rows of such sources for plain topics: kinds of limits and tests as where topics alone are looked at, figures by t those of
the source.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from irci.base.choices import TOPICS
from irci.base.types import Bools, Floats, Ints, Pairs, Words
from irci.comparison.family import Family, Source
from irci.estimators.compare.adjusted_limits import Adjusted
from irci.estimators.compare.differences import limits_over_topics, over_topics
from irci.estimators.compare.edges import named, replaced, wider
from irci.estimators.compare.grouped import Groups
from irci.estimators.compare.means import Tested, bounded_mean
from irci.estimators.joint_resamples import NOTHING
from irci.stats.decisions import agreeing
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval
from irci.stats.power import MANY_GROUPS, fewest_groups
from irci.stats.signs import Units
from irci.stats.tests import reaching_zero
from irci.wording import notify

UNTOLD = "these"  # topics of groups, over which groups are no surer
ALONE = np.array([[0, NOTHING]])


class GroupSource(Source):
    """Groups, a sample (`groups_vary`) or given. `counts`: what columns of the numbers of groups and members are called;
    `noun`: what a group is called where it is told, once, that scores are alike within each."""

    counts: Mapping[str, str] = {}
    noun = ""
    predicts = False  # limits are for one more group, not for a mean
    _told_alike = False

    def __init__(self, groups: Groups, name: str, *, groups_vary: bool, of_these: Source | None = None) -> None:
        """`of_these`: the topics of these groups, over which a narrower claim is no less sure."""
        self.groups, self.groups_vary, self.of_these = groups, groups_vary, of_these
        self.name, self.counts_topics = name, name == TOPICS

    @property
    def key(self) -> str:
        return f"{super().key} of {self.members_of}"  # and not topics as a plain sample

    def finished(self, family: Family, result: Adjusted) -> Adjusted:
        if self.of_these is None:
            return result
        result = no_surer(result, family.over(self.of_these), selects=family.design.correction == "bh")
        if not family.is_of_pairs or self.predicts:
            return result
        # Limits over topics may stand alone, where means of groups are all equal, which few are by chance.
        confidence, adjusted = family.design.confidence, result.limits_adjusted
        of, limits = result.tested.of, result.tested.limits
        tested = result.tested._replace(limits=reaching_zero(limits, self.held_to_signs(of), confidence))
        if adjusted is not None:
            adjusted = agreeing(adjusted, of.value, result.p_adjusted, confidence)
        return Adjusted(tested, result.p_adjusted, adjusted)

    def estimates(self, values: Floats, pairs: Pairs) -> Estimates:
        estimates = self.groups.estimates(values, pairs, groups_are_a_sample=self.groups_vary)
        if self.noun and not self.groups_vary and not self._told_alike and self.groups.are_alike_within(estimates):
            self._told_alike = True
            why = f"scores do not vary over the topics of each {self.noun}"
            notify("lacking", measure=f"{self.noun}s", what="limits over topics", who="", why=why)
        return estimates._replace(columns={column: estimates.columns[name] for name, column in self.counts.items()})

    def mean_of(self, scores: Floats) -> float:
        return float(self.groups.estimates(scores[np.newaxis], ALONE, groups_are_a_sample=self.groups_vary).value[0])

    def topics_per_unit(self, family: Family) -> float:
        return len(family.scored.topics) / self.groups.number if self.groups_vary else 1.0

    def holds_to_signs(self, units: Ints) -> Bools:
        return super().holds_to_signs(units) & (self.counts_topics | (units < MANY_GROUPS))

    def fewest_units(self, alpha: float) -> int:
        return super().fewest_units(alpha) if self.counts_topics else fewest_groups(alpha)

    def units(self, values: Floats, mask: Bools) -> Units:
        return self.groups.units(values, mask, groups_are_a_sample=self.groups_vary)


def both_sources(of: Callable[..., GroupSource], names: Sequence[str]) -> list[GroupSource]:
    """The sources of these names, that of topics made by `of` whether it has rows or not; without any it is no population."""
    of_these = of(TOPICS)
    if TOPICS not in names:
        of_these.name, of_these._told_alike = UNTOLD, True
    return [of_these if name == TOPICS else of(name, of_these) for name in names]


def no_surer(result: Adjusted, narrower: Adjusted, *, selects: bool) -> Adjusted:
    """Findings over groups with limits no narrower, and p no less, than over topics of these: few groups that happen to agree
    would make limits too narrow by far. What groups tell nothing of stays so. `selects`: only pairs that both select have
    adjusted limits."""
    is_known = ~np.isnan(result.tested.of.error)

    def limits(own: Interval, other: Interval) -> Interval:
        return replaced(own, is_known, wider(own, other))

    def p(own: Floats, other: Floats) -> Floats:
        return np.where(is_known, np.fmax(own, other), own)

    tested, other_tested = result.tested, narrower.tested
    adjusted = result.limits_adjusted
    if adjusted is not None and narrower.limits_adjusted is not None:
        by_others = ~np.isnan(narrower.p_adjusted) & np.isnan(narrower.limits_adjusted[0])
        unselected = (np.isnan(adjusted[0]) | by_others) & selects
        adjusted = replaced(
            limits(adjusted, narrower.limits_adjusted), unselected, (np.array(np.nan), np.array(np.nan))
        )
    tested = tested._replace(limits=limits(tested.limits, other_tested.limits), p=p(tested.p, other_tested.p))
    return Adjusted(tested, p(result.p_adjusted, narrower.p_adjusted), adjusted)


def differences_on_plain_topics(family: Family, values: Floats, keys: Words, tested: Tested) -> Tested:
    """Differences of what the family compares, values[rows, T]; keys uint64[T]: streams of signs."""
    on_topics = over_topics(values, family.pairs, keys, family.design, ends=family.ends, are_points=family.are_points)
    own = _by_t(on_topics)
    return tested._replace(
        limits=replaced(on_topics.limits, own, tested.limits), p=np.where(own, tested.p, on_topics.p), test=on_topics.test,
        interval=on_topics.interval,
    )  # fmt: skip


def means_on_plain_topics(alone: Family, values: Floats, tested: Tested) -> Tested:
    """Means of values[rows, T]."""
    intervals = [bounded_mean(scores[~np.isnan(scores)], alone.ends, alone.design) for scores in values]
    is_bounded = np.array([interval is not None for interval in intervals])
    lower, upper = np.array([(np.nan, np.nan) if interval is None else interval for interval in intervals]).T
    kinds = named(["t"] * len(intervals), is_bounded, "bounded")
    return tested._replace(limits=replaced(tested.limits, is_bounded, (lower, upper)), interval=kinds)


def limits_on_plain_topics(
    family: Family, values: Floats, tested: Tested, confidence: float, own: Interval
) -> Interval:
    """Limits of differences of values[rows, T] at another confidence; `own`: those of the source there."""
    design = family.design._replace(confidence=confidence)
    of_topics = limits_over_topics(values, family.pairs, design, family.ends, are_points=family.are_points)
    return replaced(of_topics, _by_t(tested), own)


def _by_t(tested: Tested) -> Bools:
    """bool[P]: limits are t's, and p is what the test gives."""
    return np.asarray((np.array(tested.interval, object) == "t") & (np.array(tested.test, object) != "t, signs"))

"""Warnings of scores and differences that hardly vary: what limits then assume, and where there are none."""

from collections.abc import Iterable, Sequence

import numpy as np

from irci.base.choices import TOPICS
from irci.base.errors import logger
from irci.base.names import plural
from irci.base.types import Bools, Floats
from irci.bootstrap.joint_resamples import common_topics, in_blocks, on_topics
from irci.methods.compare.edges import limits, of_differences
from irci.methods.compare.means import Tested
from irci.stats.decisions import FEW_DIFFERING, differing_topics
from irci.studies.compare.family import Family, Source
from irci.studies.wording import amount

SYMMETRIC = "and assumes that differences are symmetric about their mean; the limits do not, and may contain 0"


def warn_of_constant(family: Family, shown: int, sources: Sequence[Source]) -> None:
    """Say how many of the pairs shown differ by one number on all units, and how many of all have no limits as nothing
    varies."""
    told: dict[str, None] = {}
    for source in _of_units(sources):
        tested = family.over(source).tested
        if not tested.test:  # bounds over judgments, of which nothing is tested
            continue
        without = _without_limits(tested)[:shown]
        signs = np.array(tested.test[:shown], object) == "signs"
        units = source.counted
        for chosen, happens in ((signs & ~without, SYMMETRIC), (signs & without, "and there are no limits")):
            if count := int(chosen.sum()):
                equal = f"{plural(count, 'pair')} with the same difference on all {units}"
                told[f"{equal}: p comes from the signs, {happens}"] = None
        if count := int((~signs & without).sum()):
            told[f"{plural(count, 'pair')} with the same difference on all {units}: no limits"] = None
    _tell(family.title, told)


def warn_of_constant_means(alone: Family, sources: Sequence[Source]) -> None:
    """Say how many means have no limits as nothing varies."""
    told: dict[str, None] = {}
    for source in _of_units(sources):
        if count := int(_without_limits(alone.over(source).tested).sum()):
            told[f"{plural(count, 'mean')} of scores that are the same on all {source.counted}: no limits"] = None
    _tell(alone.title, told)


def _of_units(sources: Sequence[Source]) -> Iterable[Source]:
    # Documents are resampled, and what these resamples do not change is told where pairs are.
    return (source for source in sources if not source.observes or source.name == TOPICS)


def _without_limits(tested: Tested) -> Bools:
    """bool[P]: nothing varies, and there are no limits."""
    found: Bools = tested.of.is_told & (tested.of.error == 0) & np.isnan(tested.limits[0])
    return found


def _tell(title: str, told: Iterable[str]) -> None:
    for each in told:
        logger.warning(f"{title}: {each}")


def warn_of_few_differing(family: Family, shown: int, sources: Sequence[Source]) -> None:
    """Say of the pairs shown that limits by t over plain topics are sure only if no rare large difference was missed, where
    fewer than 10 topics differ; of a single pair what bounded limits are."""
    topics = next((source for source in sources if source.observes and source.name == TOPICS), None)
    if topics is None:
        return
    by_t = np.array(family.over(topics).tested.interval[:shown], object) == "t"
    few = 0
    for mask, some in in_blocks(common_topics(family.values, family.pairs[:shown])):
        if mask.any():
            differences = on_topics(family.values, family.pairs[some], mask)
            differ = differing_topics(differences)
            is_few = by_t[some] & (differ > 0) & (differ < FEW_DIFFERING)
            few += int(is_few.sum())
            if shown == 1 and few:
                _warn_of_pair(family, differences, int(differ[0]))
                return
    if few:
        logger.warning(
            f"{family.title}: fewer than {FEW_DIFFERING} topics differ in {few} of {plural(shown, 'pair')}, whose limits"
            " assume that no rare large difference was missed (--interval bounded)"
        )


def _warn_of_pair(family: Family, differences: Floats, differ: int) -> None:
    bounded = ""
    if family.ends is not None:
        scale, mean = of_differences(family.ends), differences.mean(axis=1)
        lower, upper = (each.item() for each in limits(differences, mean, scale, "bounded", family.design.confidence))
        bounded = f"; bounded limits are [{amount(lower)}, {amount(upper)}]"
    number, hardly = differences.shape[1], int((differences != 0).sum()) > differ
    which = (
        f"{differ} of {plural(number, 'topic')} differ{'s' * (differ == 1)}"
        if differ < number
        else f"only {plural(number, 'topic')} differ"
    )
    which += " by more than 1% of the largest difference" * hardly
    logger.warning(f"{family.title}: {which}: limits assume that no rare large difference was missed{bounded}")

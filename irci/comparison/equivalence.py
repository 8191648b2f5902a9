"""Equivalence within a margin over one source of variation: p, where too few units differ, and what is said of these."""

import numpy as np

from irci.base.errors import DataError
from irci.base.names import Margin, plural
from irci.base.records import Record
from irci.base.types import Bools, Floats, Ints
from irci.comparison.family import Family, Source
from irci.comparison.wording import amount
from irci.estimators.compare.power import within_margin
from irci.estimators.joint_resamples import NOTHING, common_topics, in_blocks
from irci.stats.bounded import share_limit
from irci.stats.tests import adjusted
from irci.wording import notify


class Equivalence(Record):
    """Equivalence of P pairs, [P] each: the margin as a difference, p[2, P] of its `sides`, the larger of which is p, and the
    first p of the run not being worse by the margin, both adjusted by Holm's method too; how many of how many
    units differ by more than next to nothing, whether these are too few for tests by spread, the largest difference, and
    the share of it that the `rest` do not exceed, 0 where they do not differ. `counted`: what units are. `confidence`: of
    limits."""

    margin: Floats
    sides: Floats
    p_adjusted: Floats
    p_not_worse_adjusted: Floats
    differing: Ints
    units: Ints
    few: Bools
    largest: Floats
    rest: Floats
    counted: str
    confidence: float

    @property
    def alpha(self) -> float:
        """The level of tests."""
        return 1 - self.confidence

    @property
    def p(self) -> Floats:
        """p[P] of equivalence."""
        return np.asarray(self.sides.max(axis=0))

    def how_few(self, index: int) -> str:
        """The number of units on which a pair differs, of how many, and by how much."""
        differing, units = int(self.differing[index]), int(self.units[index])
        if not differing:
            return f"none of {units} {self.counted} differs on average"
        differ = "differs" if differing == 1 else "differ"
        largest = amount(float(self.largest[index]))
        rest = float(self.rest[index])
        by = f"more than {rest:.0%} of the largest difference, {largest}" if rest else f"up to {largest}"
        comma = "" if rest else ","
        return f"only {differing} of {units} {self.counted} {differ}{comma} by {by}"

    def how_few_of_others(self, index: int) -> str:
        """`how_few`, and of how many others the same may be true."""
        share = share_limit(int(self.differing[index]), int(self.units[index]), 1 - self.confidence)
        of_others = (
            f"on up to {share:.1%} of other {self.counted} the two may differ ({100 * self.confidence:g}% confidence)"
        )
        return f"{self.how_few(index)}; {of_others}"


def equivalence(family: Family, source: Source) -> Equivalence | None:
    """Equivalence of the pairs of a family; None without a margin. Raises DataError where
    the margin is a share of means none of which is above 0."""
    margin = family.request.margin
    if margin is None:
        return None
    pairs, values, ends = family.pairs, source.of_runs(family.values), family.ends
    number = len(pairs)
    p, largest, rest = np.full((2, number), np.nan), *np.full((2, number), np.nan)
    (differing, units), few = np.zeros((2, number), np.int64), np.zeros(number, np.bool_)
    for mask, in_block in in_blocks(common_topics(values, pairs)):
        if mask.any():
            of_units = source.units(family.values, mask)
            of_block = within_margin(of_units, pairs[in_block], margin, ends)
            p[:, in_block], differing[in_block], few[in_block], largest[in_block], rest[in_block] = of_block
            units[in_block] = len(of_units.keys)
    if not source.observes:
        own = _own_p(family, source, margin)
        if not source.units_alone:  # but by how much others than units vary may be seen where these do not
            few &= differing > 0
            p[:, differing == 0] = np.nan
        p = np.where(few, p if source.units_alone else np.maximum(p, own), np.fmax(p, own))
    amounts = np.full(number, margin.amount)
    if margin.is_share:
        means = source.baseline_means(family)
        _refuse_no_share(family, source, margin, means)
        amounts, p = margin.amount * means, np.where(means > 0, p, np.nan)
    if (without := family.without_lacking) is not None:
        without_near = equivalence(without, source)
        assert without_near is not None
        p = np.where(family.lacks_topics(source), np.maximum(p, without_near.sides), p)
    narrower = None if source.of_these is None else equivalence(family, source.of_these)
    if narrower is not None:
        p = np.where(np.isnan(p), p, np.fmax(p, narrower.sides))
    confidence = family.design.confidence
    of_both, of_lower = (adjusted(of_units, "holm") for of_units in (p.max(axis=0), p[0]))
    if narrower is not None:  # of which more pairs may be known, and so be one family
        of_both = np.where(np.isnan(of_both), of_both, np.fmax(of_both, narrower.p_adjusted))
        of_lower = np.where(np.isnan(of_lower), of_lower, np.fmax(of_lower, narrower.p_not_worse_adjusted))
    return Equivalence(amounts, p, of_both, of_lower, differing, units, few, largest, rest, source.counted, confidence)


def _own_p(family: Family, source: Source, margin: Margin) -> Floats:
    """p[2, P] of both ends by Student's t with the errors and the freedom that a source gives estimates."""
    if not margin.is_share:
        return family.over(source).tested.of.margin_p(margin.amount)
    pairs, p = family.pairs, np.full((2, len(family.pairs)), np.nan)
    alone = np.column_stack((pairs[:, 1], np.full(len(pairs), NOTHING)))
    is_positive = source.estimates(family.values, alone).above_zero_p()
    for baseline in np.unique(pairs[:, 1]).tolist():
        with_baseline = pairs[:, 1] == baseline
        for side, sign in enumerate((1, -1)):
            # The run less (1 - q) of the baseline is above 0, less (1 + q) below.
            values = family.values.copy()
            values[source.rows_of(baseline)] *= 1 - sign * margin.amount
            of = source.estimates(values, pairs[with_baseline])
            p[side, with_baseline] = of._replace(value=sign * of.value).above_zero_p()
    return np.asarray(np.maximum(p, is_positive))


def _refuse_no_share(family: Family, source: Source, margin: Margin, means: Floats) -> None:
    """Refuse, or warn of, baselines of whose means there is no share."""
    without = int((means <= 0).sum())
    if not without:
        return
    if not (means > 0).any():
        raise DataError(
            f"{family.title}: {margin} of a baseline's mean that is not above 0 ({source.name}) is no margin: give an amount"
        )
    notify(
        "lacking", measure=family.title, what=f"equivalence over {source.name}", who=f" for {plural(without, 'pair')}",
        why=f"{margin} of a baseline's mean that is not above 0 is no margin",
    )  # fmt: skip

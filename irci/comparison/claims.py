"""Claims on pairs of runs: a verdict in a word, equivalence within a margin, what they could have shown."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, assert_never

import numpy as np

from irci.base.choices import FailIf
from irci.base.errors import DataError
from irci.base.names import Margin, plural
from irci.base.records import Record
from irci.base.types import Bools, Floats, Ints
from irci.comparison.family import Family, Source
from irci.comparison.wording import amount, p_text, verdict_of
from irci.estimators.joint_resamples import NOTHING, common_topics, in_blocks, on_topics
from irci.estimators.power import Power, detectable_differences, power, smallest_p, units_needed, within_margin
from irci.stats.bounded import share_limit
from irci.stats.decisions import Reason, Verdict, separated, verdicts
from irci.stats.estimates import Estimates
from irci.stats.tests import adjusted, least_of_signs
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


# Topics from which on McNemar's mid-p has power .75 to .88, by exact sums, where t has .8; with fewer it may have .33.
LIKE_T = 20


class ConditionFinding(NamedTuple):
    """A pair of which a condition holds, or, if it does not fail, is left open, and why."""

    fails: bool
    why: str


class Resolution(Record):
    """Claims on the P pairs shown, over one source, float64[P] each: the smallest p that their differences could have had;
    verdicts and their reasons; where the test finds a direction that is not that of the means (bool); the least true
    difference that a t test of the pair alone finds with power .8, nan where p is McNemar's, since the spread of 0 and 1
    changes with it; equivalence, if there is a margin; and the rest of what power is about, if it is asked for.
    `topics_for_margin`: units that show a run to be not worse by the margin."""

    smallest_p: Floats
    verdict: list[Verdict]
    reason: list[Reason]
    contradicts: Bools
    detectable: Floats
    equivalence: Equivalence | None = None
    power: Power | None = None
    topics_per_unit: float = 1.0
    topics_for_margin: Floats = np.empty(0)

    def how_few(self, index: int) -> str:
        """On how few units a pair differs, and how many others may, where that is why nothing is shown; else nothing."""
        if self.equivalence is None or self.reason[index] != "few-differ":
            return ""
        return self.equivalence.how_few_of_others(index)

    def told_of(self, condition: FailIf, index: int) -> "ConditionFinding | None":
        """Finding of --fail-if on a pair: that the condition holds, or is left open, and why; None where neither is so."""
        verdict, reason = self.verdict[index], self.reason[index]
        few = f" ({reason})" if reason else ""
        if self.equivalence is not None and reason == "few-differ":
            few = f": {self.equivalence.how_few(index)}"
        match condition:
            case "worse":
                return ConditionFinding(True, verdict) if verdict == "worse" else None
            case "inconclusive":
                return ConditionFinding(False, f"{verdict}{few}") if verdict == "inconclusive" else None
            case "not-equivalent":
                return (
                    None
                    if verdict == "identical" or self._is_equivalent(index)
                    else ConditionFinding(reason != "few-differ", verdict + few)
                )
            case "inferior":
                return None if verdict == "identical" or self._is_not_worse(index) else self._of_inferior(index, few)
            case "reversed":  # of which claims tell
                return None
            case _:
                assert_never(condition)

    def _is_equivalent(self, index: int) -> bool:
        assert self.equivalence is not None
        return bool(separated(self.equivalence.p_adjusted, self.equivalence.alpha)[index])

    def _is_not_worse(self, index: int) -> bool:
        assert self.equivalence is not None
        return bool(separated(self.equivalence.p_not_worse_adjusted, self.equivalence.alpha)[index])

    def _of_inferior(self, index: int, few: str) -> "ConditionFinding":
        """A run that is worse, or not shown to be not worse by the margin: how many topics would show that."""
        assert self.equivalence is not None
        if self.verdict[index] == "worse":
            return ConditionFinding(True, "worse")
        p = p_text(float(self.equivalence.p_not_worse_adjusted[index]), "p_not_worse")
        reason = "" if np.isnan(self.equivalence.p_not_worse_adjusted[index]) else f" ({p})"
        needed = float(np.ceil(self.topics_for_margin[index] * self.topics_per_unit))
        if np.isfinite(needed):
            reason += f"; about {needed:.0f} topics would show that it is not, if the true difference is the one seen"
        return ConditionFinding(False, f"may be worse by more than the margin{few}{reason}")

    @cached_property
    def topics_needed(self) -> Floats:
        """The topics that cautious estimates of the differences would take, in as many more units like these."""
        assert self.power is not None
        return np.ceil(self.power.needed * self.topics_per_unit)


def resolution(family: Family, source: Source) -> Resolution:
    """Claims on the pairs of a family."""
    adjusted_ = family.over(source)
    of, p_adjusted, alpha = adjusted_.tested.of, adjusted_.p_adjusted, family.request.alpha
    held = source.held_to_signs(of)
    least = np.where(np.isnan(p_adjusted), np.nan, _smallest_p(family, source, held > 0))
    # Nothing is called unresolvable because the least p is not worked out, unless it is held to that of signs.
    of_signs = np.where(np.isnan(least) & (held > 0), least_of_signs(of.units), least)
    possible = least if source.observes else np.where(np.isnan(p_adjusted), np.nan, np.nan_to_num(of_signs))
    same = source.identical(family, _identical(family, source) & ~(of.error > 0))
    direction = source.directions(family, of.value)
    within = equivalence(family, source)
    in_margin = (None, None, None) if within is None else (within.p_adjusted, within.p_not_worse_adjusted, within.few)
    fewest = family.fewest_units(source, of)
    of_mcnemar, _ = _of_mcnemar(family, source)
    power = _power(family, of, of_mcnemar, fewest) if family.request.power else None
    of_t = of._replace(df=np.where(of_mcnemar, np.nan, of.df))
    detectable = detectable_differences(of_t, alpha, family.ends, fewest)
    return Resolution(
        least,
        *verdicts(direction, p_adjusted, possible, same, alpha, *in_margin),
        separated(p_adjusted, alpha) & (direction * of.value < 0),
        detectable,
        within,
        power,
        source.topics_per_unit(family),
        _topics_for_margin(of, within),
    )


def _topics_for_margin(of: Estimates, within: Equivalence | None) -> Floats:
    """float64[P]: units that show 80% of the time that a run is not worse by the margin, were true differences those seen."""
    if within is None:
        return np.full(len(of.value), np.nan)
    above = of.value + within.margin
    level = 2 * within.alpha / max(int((~np.isnan(within.sides[0])).sum()), 1)  # of the side that is asked about
    needed = units_needed(of._replace(value=np.where(above > 0, above, np.nan)), min(level, 0.5))
    return np.where((above > 0) & (of.units > 1), needed, np.inf)


def _power(family: Family, of: Estimates, of_mcnemar: Bools, fewest: Ints) -> Power:
    """Power of P pairs. t's number of topics serves McNemar's mid-p[P], too, but from `LIKE_T` on."""
    enough: Ints = np.where(of_mcnemar, np.maximum(fewest, LIKE_T), fewest)
    return power(of, family.request.alpha, enough)


def failures(
    family: Family, resolution_of_pairs: Resolution, source: Source, is_selected: Bools, *, untold: bool = False
) -> Iterator[str]:
    """The pairs of which --fail-if holds, or of which it is `untold`, of the chosen ones, bool[P]."""
    names, over = family.names, "" if source.observes else f" ({source.name})"
    pairs = family.pairs[: len(is_selected)].tolist()
    for index in np.flatnonzero(is_selected).tolist():
        run, baseline = (names[row] for row in pairs[index])
        for condition in family.request.fail_if or ():
            finding = resolution_of_pairs.told_of(condition, index)
            if finding is not None and finding.fails is not untold:
                of_pair = (
                    f"{family.measure.name}: {run} against {baseline}{over}: {verdict_of(finding.why, family.measure)}"
                )
                yield f"{of_pair} (--fail-if {condition})"
                break


def identical_on_these(family: Family, resolution_of_pairs: Resolution, source: Source) -> Iterator[str]:
    """The pairs that --fail-if inferior lets pass as they score the same, and how many other topics may differ."""
    for index, (run, baseline) in enumerate(family.pairs[: len(resolution_of_pairs.verdict)].tolist()):
        if resolution_of_pairs.verdict[index] == "identical" and resolution_of_pairs.equivalence is not None:
            within = resolution_of_pairs.equivalence
            units = int(within.units[index])
            share = share_limit(0, units, family.request.alpha)
            of_pair = f"{family.measure.name}: {family.names[run]} against {family.names[baseline]}"
            yield f"{of_pair}: identical on these {units} {within.counted}; up to {share:.1%} of others may differ"


def _identical(family: Family, source: Source) -> Bools:
    """Pairs that score the same on every topic, bool[P]."""
    values, pairs = source.of_runs(family.values), family.pairs
    result = np.zeros(len(pairs), np.bool_)
    for mask, in_block in in_blocks(common_topics(values, pairs)):
        if mask.any():
            result[in_block] = ~on_topics(values, pairs[in_block], mask).any(axis=1)
    return result


def _of_mcnemar(family: Family, source: Source) -> tuple[Bools, Bools]:
    """bool[P]: pairs whose p is McNemar's, and those of which it is his exact one, the sign test's of points."""
    tests = np.array(family.over(source).tested.test or [""] * len(family.pairs), object)
    exact = np.asarray(tests == "points")
    return exact | (tests == "midp"), exact


def _smallest_p(family: Family, source: Source, held: Bools) -> Floats:
    """The least p[P] that differences of these sizes could have had; nan where that is not worked out: by t, if units are not
    alike in weight, or have no signs. Of d topics that differ McNemar's p, which is not adjusted by signs, is 2^-d, or
    2^(1 - d) where it is exact. `held` bool[P]: p by t is held to signs."""
    design, pairs, least = family.design, family.pairs, np.full(len(family.pairs), np.nan)
    if not source.has_draws:
        return least
    of_mcnemar, exact = _of_mcnemar(family, source)
    for mask, in_block in in_blocks(common_topics(source.of_runs(family.values), pairs)):
        if mask.any():
            units = source.units(family.values, mask)
            differences = on_topics(units.values, pairs[in_block], np.ones(len(units.keys), np.bool_))
            maxt = family.correction_over(source.name) == "maxt"
            if units.weights is None or maxt or design.test != "t":
                least[in_block] = smallest_p(differences, design.test, design.signs, maxt=maxt, held=held[in_block])
                if not maxt:
                    differing = (differences != 0).sum(axis=1)
                    of_hits = np.exp2(exact[in_block] - differing.astype(np.float64))
                    least[in_block] = np.where(of_mcnemar[in_block], of_hits, least[in_block])
    return least

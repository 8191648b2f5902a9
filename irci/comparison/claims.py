"""Claims on pairs of runs: a verdict in a word, equivalence within a margin, what they could have shown."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from irci.base import DataError, Margin, logger, plural
from irci.base.choices import FailIf
from irci.base.types import Bools, Floats, Ints, reaches
from irci.comparison.family import Family, once
from irci.comparison.sources import Source
from irci.estimators.differences import detectable_differences, power, units_needed, within_margin
from irci.stats.bounded import share_limit
from irci.stats.decisions import Reason, Verdict, separated, smallest_p, verdicts
from irci.stats.intervals import Interval
from irci.stats.tests import NOTHING, adjusted, contrasts, least_of_signs
from irci.wording import amount, notify, p_text, verdict_of


class Resolution(NamedTuple):
    """Claims on the P pairs shown, over one source, [P] each.

    smallest_p: the smallest p that their differences could have had
    detectable: the least true difference that a t test of the pair alone finds with power .8, nan where p is McNemar's, since
        the spread of 0 and 1 changes with it
    topics_needed: that cautious estimates of the differences would take, in as many more units like these
    effect_limits: of effect sizes, if there are any, where power is asked for

    Where there is a margin:
    sides: float64[2, P]  # p of either end, the larger of which is p of equivalence; the first: of not being worse
    p_equivalence, p_not_worse: both adjusted by Holm's method
    differing, units: how many of how many units differ by more than next to nothing
    few: whether these are too few for tests by spread
    largest: the largest difference
    topics_for_margin: that show a run to be not worse
    """

    smallest_p: Floats
    verdict: list[Verdict]
    reason: list[Reason]
    detectable: Floats
    topics_needed: Floats
    effect_limits: Interval | None = None
    sides: Floats = np.empty((2, 0))
    p_equivalence: Floats = np.empty(0)
    p_not_worse: Floats = np.empty(0)
    differing: Ints = np.empty(0, np.int64)
    units: Ints = np.empty(0, np.int64)
    few: Bools = np.empty(0, np.bool_)
    largest: Floats = np.empty(0)
    topics_for_margin: Floats = np.empty(0)

    def how_few(self, index: int, counted: str) -> str:
        """The number of units, counted as these, on which a pair differs, of how many, and by how much, where that is why
        nothing is shown within the margin; else nothing."""
        if self.reason[index] != "few-differ":
            return ""
        differing, units = int(self.differing[index]), int(self.units[index])
        if not differing:
            return f"none of {units} {counted} differs on average"
        differ = f"only {differing} of {units} {counted} {'differs' if differing == 1 else 'differ'} much"
        return f"{differ}, by up to {amount(float(self.largest[index]))}"


# Topics from which on McNemar's mid-p has power .75 to .88, by exact sums, where t has .8; with fewer it may have .33.
LIKE_T = 20


@once
def resolution(family: Family, source: Source) -> Resolution:
    """Claims on the pairs of a family over a source."""
    tested, request, alpha = family.over(source), family.request, family.alpha
    of, p_adjusted, is_held = tested.of, tested.p_adjusted, source.held_to_signs(tested.of) > 0
    of_mcnemar = np.isin(tested.test, ("midp", "points"))
    least = np.where(np.isnan(p_adjusted), np.nan, _smallest_p(family, source, is_held, tested.test))
    # Nothing is called unresolvable because the least p is not worked out, unless it is held to that of signs.
    of_signs = np.where(np.isnan(least) & is_held, least_of_signs(of.units), least)
    possible = least if source.observes else np.where(np.isnan(p_adjusted), np.nan, np.nan_to_num(of_signs))
    same = np.zeros(len(family.pairs), np.bool_)
    for in_block, _, differences in contrasts(family.values, family.pairs):
        same[in_block] = ~differences.any(axis=1)
    same &= ~(of.error > 0)
    topics_per_unit, fewest = source.topics_per_unit(family), family.fewest_units(source, of)
    within, in_margin = dict[str, Any](), tuple[Any, ...]()
    if request.margin is not None:
        within = _within(family, source, request.margin)
        in_margin = within["p_equivalence"], within["p_not_worse"], within["few"]
        # Were true differences those seen.
        above = of.value + _amounts(family, source, request.margin)
        level = 2 * alpha / max(int((~np.isnan(within["sides"][0])).sum()), 1)  # of the side that is asked about
        needed = units_needed(of._replace(value=np.where(above > 0, above, np.nan)), min(level, 0.5))
        within["topics_for_margin"] = np.ceil(np.where((above > 0) & (of.units > 1), needed, np.inf) * topics_per_unit)
    needed, effect_limits = np.full(len(least), np.nan), None
    if request.power:
        # t's number of topics serves McNemar's mid-p, too, but from `LIKE_T` on.
        needed, effect_limits = power(of, alpha, np.where(of_mcnemar, np.maximum(fewest, LIKE_T), fewest))
    of_t = of._replace(df=np.where(of_mcnemar, np.nan, of.df))
    return Resolution(
        least,
        *verdicts(source.directions(family, of.value), p_adjusted, possible, same, alpha, *in_margin),
        detectable_differences(of_t, alpha, family.ends, fewest),
        np.ceil(needed * topics_per_unit),
        effect_limits,
        **within,
    )


def _within(family: Family, source: Source, margin: Margin) -> dict[str, Any]:
    """Equivalence within a margin, as fields of `Resolution`."""
    p, differing, units, few, largest = _sides(family, source, margin)
    p = family.held(p, lambda without: _sides(without, source, margin)[0])
    of_these = None if source.of_these is None else resolution(family, source.of_these)
    if of_these is not None:
        p = np.where(np.isnan(p), p, np.fmax(p, of_these.sides))
    of_both, of_lower = (adjusted(of_units, "holm") for of_units in (p.max(axis=0), p[0]))
    if of_these is not None:  # of which more pairs may be known, and so be one family
        of_both = np.where(np.isnan(of_both), of_both, np.fmax(of_both, of_these.p_equivalence))
        of_lower = np.where(np.isnan(of_lower), of_lower, np.fmax(of_lower, of_these.p_not_worse))
    return {
        "sides": p, "p_equivalence": of_both, "p_not_worse": of_lower, "differing": differing, "units": units, "few": few,
        "largest": largest,
    }  # fmt: skip


def _sides(family: Family, source: Source, margin: Margin) -> tuple[Floats, Ints, Ints, Bools, Floats]:
    """p[2, P] of both ends of a margin; on how many of how many units pairs differ, if these are few, and by how much."""
    number = len(family.pairs)
    p, largest = np.full((2, number), np.nan), np.full(number, np.nan)
    (differing, units), few = np.zeros((2, number), np.int64), np.zeros(number, np.bool_)
    for in_block, of_units, _ in family.on_units(source):
        of_block = within_margin(of_units, family.pairs[in_block], margin, family.ends)
        p[:, in_block], differing[in_block], few[in_block], largest[in_block] = of_block
        units[in_block] = len(of_units.keys)
    if not source.observes:
        # p by Student's t with the errors and the freedom that a source gives estimates.
        of, is_positive = family.over(source).of, np.zeros(number)
        less, more = (of._replace(value=of.value + side * margin.amount) for side in (1, -1))
        if margin.is_share:  # the run less (1 - q) of the baseline is above 0, less (1 + q) below
            less, more = (source.estimates(family, family.pairs, 1 + side * margin.amount) for side in (-1, 1))
            alone = np.column_stack((family.pairs[:, 1], np.full(number, NOTHING)))
            is_positive = source.estimates(family, alone).above_zero_p()
        own = np.stack((less.above_zero_p(), more._replace(value=-more.value).above_zero_p()))
        own = np.maximum(own, is_positive)
        if not source.units_alone:  # but by how much others than units vary may be seen where these do not
            few &= differing > 0
            p[:, differing == 0] = np.nan
        p = np.where(few, p if source.units_alone else np.maximum(p, own), np.fmax(p, own))
    if margin.is_share:
        p = np.where(source.baseline_means(family) > 0, p, np.nan)
    return p, differing, units, few, largest


def _amounts(family: Family, source: Source, margin: Margin) -> Floats:
    """A margin[P] as differences. Raises DataError where it is a share of means none of which is above 0."""
    if not margin.is_share:
        return np.full(len(family.pairs), margin.amount)
    means, of_mean = source.baseline_means(family), f"{margin} of a baseline's mean that is not above 0"
    if not (means > 0).any() and (means <= 0).any():
        raise DataError(f"{family.title}: {of_mean} ({source.name}) is no margin: give an amount")
    if without_share := int((means <= 0).sum()):
        of_pairs = {"what": f"equivalence over {source.name}", "who": f" for {plural(without_share, 'pair')}"}
        notify("lacking", measure=family.title, **of_pairs, why=f"{of_mean} is no margin")
    return np.asarray(margin.amount * means)


def _smallest_p(family: Family, source: Source, held: Bools, tests: np.ndarray) -> Floats:
    """The least p[P] that differences of these sizes could have had; nan where that is not worked out: by t, if units are not
    alike in weight, or have no signs. Of d topics that differ McNemar's p, which is not adjusted by signs, is 2^-d, or
    2^(1 - d) where it is exact, the sign test's p of points. `held` bool[P]: p by t is held to signs."""
    design, least = family.design, np.full(len(family.pairs), np.nan)
    if not source.has_draws:
        return least
    maxt = family.correction_over(source.name) == "maxt"
    for in_block, units, differences in family.on_units(source):
        if units.weights is not None and not maxt and design.test == "t":
            continue
        least[in_block] = smallest_p(differences, design.test, design.signs, maxt=maxt, held=held[in_block])
        if not maxt:
            of_block, differing = tests[in_block], (differences != 0).sum(axis=1)
            of_hits = np.exp2((of_block == "points") - differing.astype(np.float64))
            least[in_block] = np.where(np.isin(of_block, ("midp", "points")), of_hits, least[in_block])
    return least


def signs_of(family: Family, source: Source) -> Ints:
    """int64[P]: 1 or -1 where a pair differs significantly, as the test points, else 0."""
    if source.tells_verdicts:
        verdicts = resolution(family, source).verdict
        return np.array([(verdict == "better") - (verdict == "worse") for verdict in verdicts], np.int64)
    adjusted = family.over(source)
    significant = separated(adjusted.p_adjusted, family.alpha)
    return np.where(significant, np.sign(adjusted.of.value), 0).astype(np.int64)


def failures(family: Family) -> Iterator[tuple[bool, str]]:
    """The pairs of which a condition of --fail-if holds (True), or is left open, the first of either, over the first source
    that tells of them, or the first. Says of runs that --fail-if inferior lets pass, as they score the same, how many other
    topics may differ."""
    asked = [condition for condition in family.request.fail_if or () if condition != "reversed"]  # of which claims tell
    sources, measure = [source for source in family.scored.sources if source.tells_verdicts], family.measure
    if not asked or not sources or family.is_diagnostic:
        return
    first = np.array([family.over(source).of.is_told for source in sources]).argmax(axis=0)
    for index, names in enumerate(family.names_of_pairs()):
        source, by_result = sources[first[index]], dict[bool, str]()
        pair, over = "{run} against {baseline}".format(**names), "" if source.observes else f" ({source.name})"
        claims = resolution(family, source)
        if "inferior" in asked and claims.verdict[index] == "identical":
            units = int(claims.units[index])
            may_differ = f"up to {share_limit(0, units, family.alpha):.1%} of others may differ"
            logger.info(f"{measure.name}: {pair}: identical on these {units} {source.counted}; {may_differ}")
        for condition in asked:
            fails, why = _condition(claims, condition, index, family.alpha, source.counted)
            if why:
                verdict = verdict_of(why, measure)
                by_result.setdefault(fails, f"{measure.name}: {pair}{over}: {verdict} (--fail-if {condition})")
        yield from by_result.items()


def _condition(claims: Resolution, condition: FailIf, index: int, alpha: float, counted: str) -> tuple[bool, str]:
    """True if a condition of --fail-if holds of a pair, False if that is left open, and why; "" where neither is so."""
    verdict, reason, few = claims.verdict[index], claims.reason[index], claims.how_few(index, counted)
    few = f": {few}" if few else f" ({reason})" * bool(reason)
    if condition in ("worse", "inconclusive"):
        return condition == "worse", (verdict + few * (condition == "inconclusive")) * (verdict == condition)
    is_equivalence = condition == "not-equivalent"
    p = float((claims.p_equivalence if is_equivalence else claims.p_not_worse)[index])
    if verdict == "identical" or reaches(p, alpha):
        return False, ""
    if is_equivalence:
        return reason != "few-differ", verdict + few
    if verdict == "worse":
        return True, verdict
    # How many topics would show that a run is not worse by the margin.
    because, needed = "" if np.isnan(p) else f" ({p_text(p, 'p_not_worse')})", float(claims.topics_for_margin[index])
    if np.isfinite(needed):
        because += f"; about {needed:.0f} topics would show that it is not, if the true difference is the one seen"
    return False, f"may be worse by more than the margin{few}{because}"

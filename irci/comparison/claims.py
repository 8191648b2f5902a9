"""Claims on pairs of runs: a verdict in a word, equivalence within a margin, what they could have shown."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from irci.base import DataError, Margin, logger, plural
from irci.base.choices import FailIf
from irci.base.types import Bools, Floats, Ints, reaches
from irci.comparison.family import Family, once
from irci.comparison.sources import Source
from irci.estimators.differences import detectable_differences, power, units_needed, within_margin
from irci.stats.bounded import share_limit
from irci.stats.decisions import smallest_p, verdicts
from irci.stats.scales import differing_topics
from irci.stats.tests import NOTHING, adjusted, contrasts, least_of_signs
from irci.wording import amount, notify, p_text, verdict_of

# Topics from which on McNemar's mid-p has power .75 to .88, by exact sums, where t has .8; with fewer it may have .33.
LIKE_T = 20


@once
def resolution(family: Family, source: Source) -> Mapping[str, np.ndarray]:
    """Claims on the P pairs of a family over a source, as columns [P]:

    verdict, reason: object[P]  # words, "" for no reason
    smallest_p: the smallest p that their differences could have had
    detectable: the least true difference that a t test of the pair alone finds with power .8, nan where p is McNemar's, since
        the spread of 0 and 1 changes with it

    Where power is asked for:
    topics_needed: that cautious estimates of the differences would take, in as many more units like these
    effect_lower, effect_upper: limits of effect sizes, if there are any

    Where there is a margin:
    p_equivalence, p_not_worse, p_not_better: the larger p of both ends, and that of either
    p_equivalence_adjusted, p_not_worse_adjusted: by Holm's method
    few: bool[P]  # whether units that differ by more than next to nothing are too few for tests by spread
    topics_for_margin: that show a run to be not worse
    """
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
    columns = {} if request.margin is None else _within(family, source, request.margin)
    in_margin = [columns[name] for name in ("p_equivalence_adjusted", "p_not_worse_adjusted", "few") if columns]
    verdict, reason = verdicts(source.directions(family, of.value), p_adjusted, possible, same, alpha, *in_margin)
    fewest, of_t = family.fewest_units(source, of), of._replace(df=np.where(of_mcnemar, np.nan, of.df))
    columns |= {"smallest_p": least, "detectable": detectable_differences(of_t, alpha, family.ends, fewest)}
    if request.power:
        # t's number of topics serves McNemar's mid-p, too, but from `LIKE_T` on.
        needed, effect_limits = power(of, alpha, np.where(of_mcnemar, np.maximum(fewest, LIKE_T), fewest))
        columns["topics_needed"] = np.ceil(needed * source.topics_per_unit)
        if effect_limits is not None:
            columns["effect_lower"], columns["effect_upper"] = effect_limits
    return {**columns, "verdict": verdict, "reason": reason}


def _within(family: Family, source: Source, margin: Margin) -> dict[str, np.ndarray]:
    """The columns on equivalence within a margin."""
    p, few = _sides(family, source, margin)
    p = family.held(p, lambda without: _sides(without, source, margin)[0])
    of_these = None if source.of_these is None else resolution(family, source.of_these)
    if of_these is not None:
        p = np.where(np.isnan(p), p, np.fmax(p, (of_these["p_not_worse"], of_these["p_not_better"])))
    result = {"p_equivalence": p.max(axis=0), "p_not_worse": p[0], "p_not_better": p[1], "few": few}
    for name in ("p_equivalence", "p_not_worse"):
        column = f"{name}_adjusted"
        result[column] = adjusted(result[name], "holm")
        if of_these is not None:  # of which more pairs may be known, and so be one family
            result[column] = np.where(np.isnan(p[0]), np.nan, np.fmax(result[column], of_these[column]))
    # Were true differences those seen.
    of = family.over(source).of
    above = of.value + _amounts(family, source, margin)
    level = 2 * family.alpha / max(int((~np.isnan(p[0])).sum()), 1)  # of the side that is asked about
    needed = units_needed(of._replace(value=np.where(above > 0, above, np.nan)), min(level, 0.5))
    for_margin = np.where((above > 0) & (of.units > 1), needed, np.inf) * source.topics_per_unit
    return {**result, "topics_for_margin": np.ceil(for_margin)}


def _sides(family: Family, source: Source, margin: Margin) -> tuple[Floats, Bools]:
    """p[2, P] of both ends of a margin; and whether too few units differ for tests by their spread."""
    number = len(family.pairs)
    p, (few, differs) = np.full((2, number), np.nan), np.zeros((2, number), np.bool_)
    for in_block, of_units, differences in family.on_units(source):
        baselines = of_units.values[family.pairs[in_block, 1]]
        p[:, in_block], few[in_block] = within_margin(of_units, differences, baselines, margin, family.ends)
        differs[in_block] = differences.any(axis=1)
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
            few &= differs
            p[:, ~differs] = np.nan
        p = np.where(few, p if source.units_alone else np.maximum(p, own), np.fmax(p, own))
    if margin.is_share:
        p = np.where(source.baseline_means(family) > 0, p, np.nan)
    return p, few


def how_few(family: Family, source: Source, index: int) -> tuple[str, float]:
    """Where too few units differ for a pair to be shown within the margin: in words, how many of how many, and by how much;
    and the share of others on which the two may differ. Else "" and nan."""
    if resolution(family, source)["reason"][index] != "few-differ":
        return "", np.nan
    of_pair = replace(family, comparison=family.comparison._replace(pairs=family.pairs[[index]]))
    ((_, of_units, differences),) = of_pair.on_units(source)
    differences = differences / of_units.counts
    differing, units = int(differing_topics(differences)[0][0]), differences.shape[1]
    few = f"only {differing} of {units} {source.counted} {'differs' if differing == 1 else 'differ'} much"
    few += f", by up to {amount(float(np.abs(differences).max()))}"
    none = f"none of {units} {source.counted} differs on average"
    return few if differing else none, share_limit(differing, units, family.alpha)


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
        verdicts = resolution(family, source)["verdict"]
        return np.array([(verdict == "better") - (verdict == "worse") for verdict in verdicts], np.int64)
    adjusted = family.over(source)
    significant = reaches(adjusted.p_adjusted, family.alpha)
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
        if "inferior" in asked and resolution(family, source)["verdict"][index] == "identical":
            units = int(family.over(source).of.units[index])
            may_differ = f"up to {share_limit(0, units, family.alpha):.1%} of others may differ"
            logger.info(f"{measure.name}: {pair}: identical on these {units} {source.counted}; {may_differ}")
        for condition in asked:
            fails, why = _condition(family, source, index, condition)
            if why:
                verdict = verdict_of(why, measure)
                by_result.setdefault(fails, f"{measure.name}: {pair}{over}: {verdict} (--fail-if {condition})")
        yield from by_result.items()


def _condition(family: Family, source: Source, index: int, condition: FailIf) -> tuple[bool, str]:
    """True if a condition of --fail-if holds of a pair, False if that is left open, and why; "" where neither is so."""
    claims, (few, _) = resolution(family, source), how_few(family, source, index)
    verdict, reason = claims["verdict"][index], claims["reason"][index]
    few = f": {few}" if few else f" ({reason})" * bool(reason)
    if condition in ("worse", "inconclusive"):
        return condition == "worse", (verdict + few * (condition == "inconclusive")) * (verdict == condition)
    is_equivalence = condition == "not-equivalent"
    if verdict == "identical":
        return False, ""
    p = float(claims["p_equivalence_adjusted" if is_equivalence else "p_not_worse_adjusted"][index])
    if reaches(p, family.alpha):
        return False, ""
    if is_equivalence:
        return reason != "few-differ", verdict + few
    if verdict == "worse":
        return True, verdict
    # How many topics would show that a run is not worse by the margin.
    because, needed = "" if np.isnan(p) else f" ({p_text(p, 'p_not_worse')})", float(claims["topics_for_margin"][index])
    if np.isfinite(needed):
        because += f"; about {needed:.0f} topics would show that it is not, if the true difference is the one seen"
    return False, f"may be worse by more than the margin{few}{because}"

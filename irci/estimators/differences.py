"""Differences between runs: of their means over documents, topics or both, on single topics, and these combined; equivalence
within a margin; and the power of tests: the least p, the least difference that is found, the units that one would take.

A pair is (run, baseline), two rows of a table of scores; the difference is the run's score less the baseline's. Every result
has the column `effect_size`: the mean difference divided by the standard deviation of the differences over topics.

Limits of differences that account for the number of pairs, as their adjusted p does.

With m pairs they are at confidence 1 - alpha/m (Bonferroni), which holds for all pairs at once; for Benjamini and Hochberg's p
at 1 - R alpha/m, of the R pairs that are significant, of which on average no more than alpha miss (the false coverage rate:
experiments that select none count as 0; others have none). That is proved for independent statistics and some that depend
positively; pairs of runs on the same topics are neither.

Limits by the largest statistic of all pairs under signs are never wider than these where units count alike, and miss as often;
so p alone is by that. Over clusters of unlike sizes they may be: p is then the more cautious one.

Y. Benjamini and D. Yekutieli, "False discovery rate-adjusted multiple confidence intervals for selected parameters", JASA 100,
2005.

A unit is what varies by itself: a topic, a cluster, a collection. Power is that of the test of a pair alone, not adjusted for
others, .8 throughout. With more units of the same kind the squared error falls in proportion to them, but for the part that
they do not make (that of seeds). Degrees of freedom rise in proportion to the units less one; with seeds they are
Satterthwaite's at each number of topics, which can fall with more of them.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from irci.base import Margin
from irci.base.choices import MetaMethod, PairCorrection
from irci.base.types import Bools, Ends, Floats, Ints, Pairs, Words, reaches
from irci.estimators.joint_resamples import JointResamples
from irci.estimators.means import (
    Design,
    Tested,
    are_of_two,
    differences_due,
    limits_by_ends,
    of_differences,
    p_of_hits,
    p_of_points,
)
from irci.stats.bounded import differing_topics, few_differ, hall_limits, margin_p, share_below, share_of_baseline_p
from irci.stats.decisions import separated
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval, both_populations, normal_interval, prediction_interval, wider
from irci.stats.meta import METHODS, Combined
from irci.stats.power import (
    MOST_TOPICS,
    detectable_noncentrality,
    effect_size_limits,
    fewest,
    power_at,
    safe_noncentrality,
)
from irci.stats.scales import LOGIT, mean_over_topics
from irci.stats.signs import Units, p_by_signs, sign_test, signed_ranks
from irci.stats.tests import (
    common_topics,
    in_blocks,
    including_zero,
    mean_and_sd,
    no_less_than_signs,
    normal_p,
    on_topics,
    reaching_zero,
)
from irci.system import special, with_progress


def over_topics(
    values: Floats, pairs: Pairs, keys: Words, design: Design,
    ends: Ends | None = None, *, are_points: bool = False,
) -> Tested:  # fmt: skip
    """Differences of means of values[rows, T] (on the measure's scale), topics varying; `keys` uint64[T]: stream keys, `ends`
    those of the scale, if it has any; `are_points`: they are Borda points. p by t is no less than the least that signs can
    give. Limits and p are by t, but for differences that get bounded ones, and tests by signs or ranks."""
    interval, confidence, by_t = design.interval, design.confidence, design.test == "t"
    value, sd, own_p, *own_limits = np.full((5, len(pairs)), np.nan)
    units, is_bounded = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.bool_)
    own_tests = np.full(len(pairs), "" if by_t else design.test, object)
    blocks = [(mask, index) for mask, index in in_blocks(common_topics(values, pairs)) if mask.any()]
    for mask, index in with_progress(blocks, "block of pairs"):
        differences, topics = on_topics(values, pairs[index], mask), int(mask.sum())
        (value[index], sd[index]), units[index] = mean_and_sd(differences), topics
        if design.test == "sign":
            own_p[index] = sign_test(differences)
        elif not by_t:
            terms = signed_ranks(differences) if design.test == "wilcoxon" else differences
            own_p[index] = p_by_signs(terms, keys[mask], design.signs, design.seed)
        if ends is None:
            continue
        scores = values[pairs[index]][:, :, mask]
        hits, due = differences_due(scores, differences, ends, interval, are_points=are_points)
        if by_t and interval != "t" and hits.any() and not are_points:
            own_p[index[hits]], own_tests[index[hits]] = p_of_hits(differences[hits], ends), "midp"
        if due.any():
            bounded = index[due]
            limits = limits_by_ends(differences[due], value[bounded], of_differences(ends), confidence)
            limits = np.where(hits[due], limits, reaching_zero(limits, topics, confidence))
            if are_points:
                p_of_limits = p_of_points(differences[due], ends)
                limits = including_zero(limits, ~np.asarray(reaches(p_of_limits, 1 - confidence)))
                if by_t:
                    own_p[bounded], own_tests[bounded] = p_of_limits, "points" if are_of_two(ends) else "bounded"
            (own_limits[0][bounded], own_limits[1][bounded]), is_bounded[bounded] = limits, True
    with np.errstate(divide="ignore", invalid="ignore"):
        error, effect_size = sd / np.sqrt(units), value / sd
    effect_size = np.where((sd == 0) & (value == 0), 0.0, np.where(np.isinf(effect_size), np.nan, effect_size))
    of = Estimates(value, error, np.where(units > 0, units - 1.0, np.nan), units, {"effect_size": effect_size})
    result, kind, has_own = Tested.by_t(of, units, confidence), "t", own_tests != ""
    limits = result.limits
    if interval == "prediction":
        predicted = prediction_interval(value, sd, units, confidence, design.new_topics)
        limits, kind = np.where(error > 0, predicted, np.nan), "prediction"
    p, tests = np.where(has_own, own_p, result.p), np.where(has_own, own_tests, result.test)
    p[units < 2] = np.nan  # whatever the test, one topic tells nothing of others
    kinds = np.where(is_bounded, "bounded", kind).astype(object)
    tests[units == 0] = kinds[units == 0] = ""
    return Tested(of, np.where(is_bounded, own_limits, limits), p, tests, kinds)


def over_documents(differences: Estimates, errors: Floats, confidence: float) -> Tested:
    """The differences with limits d +- z error and normal p from standard errors[P] (Cormack & Lynam 2006, section 6).

    nan where there is a difference but no error: see `normal_p`.
    """
    p = normal_p(differences.value, errors)
    estimates = differences._replace(error=errors, df=np.full(len(p), np.inf))
    limits = normal_interval(estimates.value, np.where(np.isnan(p), np.nan, errors), confidence)
    return Tested(estimates, limits, p, np.full(len(p), "normal", object))


def over_both(differences: Estimates, values: Floats, pairs: Pairs, sd: Floats, confidence: float) -> Tested:
    """The differences of means of pairs[P, 2] of values[rows, T] with limits and p for other topics and other documents, from
    the sd[P, T] of single topics under resampled documents, anew for each copy of a topic (see `both_populations`). p is no
    less than the least that signs of the topics can give."""
    of_documents = np.full(len(pairs), np.nan)
    for mask, index in in_blocks(common_topics(values, pairs)):
        if mask.any():
            of_documents[index] = mean_over_topics(sd[index][:, mask].T ** 2)
    limits, p, error, df, parts = both_populations(
        differences.value, differences.error, of_documents, differences.units, confidence
    )
    estimates = differences._replace(error=error, df=df, columns={**differences.columns, **parts})
    p, is_less = no_less_than_signs(p, estimates.units)
    limits = reaching_zero(limits, estimates.units, confidence)
    return Tested(estimates, limits, p, np.where(is_less, "t, signs", "t"))


NO_SPREAD = 1e-9  # of resampled logits: less is rounding


def combined(values: Floats, pairs: Pairs, joint: JointResamples, method: MetaMethod) -> Iterator[tuple[Combined, int]]:
    """For each pair its differences of logits on single topics combined into one, and how many topics tell nothing and are
    left out.

    `values` float64[rows, T]: scores as they are. Left out: a score of exactly 0 or 1 (its logit is set by epsilon), rankings
    that cannot score differently, or did in no resample. (Cormack & Lynam 2006, section 6.)
    """
    on_scale = np.vstack((LOGIT.forward(values), np.zeros(values.shape[1])))
    at_end = np.vstack(((values == 0) | (values == 1), np.zeros(values.shape[1], np.bool_)))
    for (run, baseline), sd in zip(pairs, joint.sd[LOGIT.name], strict=True):
        effects = on_scale[run] - on_scale[baseline]
        scored = ~np.isnan(effects)
        usable: Bools = scored & ~(at_end[run] | at_end[baseline]) & (sd > NO_SPREAD)
        left_out = int(scored.sum() - usable.sum())
        yield METHODS[method](effects[usable], sd[usable]) if usable.any() else Combined(), left_out


# (1 + confidence) / 2 is still less than 1.
MOST = 1 - float(np.finfo(float).eps)


def level(
    p_adjusted: Floats, correction: PairCorrection, confidence: float, of_family: Floats | None = None
) -> tuple[float, Bools]:
    """The confidence of each limit of the pairs with p_adjusted[P], of a family with these and others, and which pairs[P] have
    limits.

    bh: 1 - R alpha / m, the R pairs that are significant; else 1 - alpha / m, all. m: the pairs of the family with a p.
    """
    of_family = p_adjusted if of_family is None else of_family
    tested = int((~np.isnan(of_family)).sum())
    selected, missing = np.ones(len(p_adjusted), np.bool_), 1
    if correction == "bh":
        selected, in_family = (separated(np.nan_to_num(p, nan=1.0), 1 - confidence) for p in (p_adjusted, of_family))
        missing = int(in_family.sum())
    if missing >= tested:
        return confidence, selected
    return min(1 - missing * (1 - confidence) / tested, MOST), selected


def adjusted_limits(
    tested: Tested, limits: Interval, on_units: Iterable[tuple[Ints, Units, Floats]], ends: Ends | None,
    confidence: float, threads: int = 1,
) -> Interval:  # fmt: skip
    """Limits[P] at a confidence that accounts for the number of pairs, from those of each pair by itself at that confidence;
    nan of pairs that have none. `on_units`: blocks of pairs, their places, units and differences[p, U].

    Those by t are widened to Hall's, for the skewness of the differences on units; but where fewer than 10 units differ, and
    the scores' scale has `ends`, they are bounded, and hold what the pair's own ones do of the scale.
    """
    result = limits.copy()
    is_by_t = np.broadcast_to(tested.interval == "t", result[0].shape)
    for index, units, of_units in on_units:
        differences, number = of_units / units.counts, len(units.keys)
        few, of_some = few_differ(differences), result[:, index]
        if units.weights is None and number > 1:
            reach = -float(special.stdtrit(number - 1, (1 - confidence) / 2))
            is_skewed = is_by_t[index] & ~few & ~np.isnan(of_some[0])
            of_some = np.where(is_skewed, wider(of_some, hall_limits(differences, reach)), of_some)
        if ends is not None and few.any():
            scale, value = of_differences(ends), tested.of.value[index][few]
            bounded = limits_by_ends(differences[few], value, scale, confidence, threads=threads)
            of_some[:, few] = wider(bounded, np.clip(tested.limits[:, index][:, few], *scale))
        result[:, index] = of_some
    return result


POWER = 0.8
MOST_UNITS = 10**7  # more are as good as none; of plain topics any number is told


def detectable_differences(of: Estimates, alpha: float, ends: Ends | None, fewest: int | Ints) -> Floats:
    """float64[P]: the true differences that tests at level alpha find with power .8; nan without freedom, or where nothing
    varies; infinite where scores between `ends` leave no room for any, or where units are fewer than the `fewest` that
    p <= alpha takes."""
    result = np.full(len(of.value), np.nan)
    varies = (of.units > 1) & (of.df > 0) & (of.error > 0)
    result[varies] = detectable_noncentrality(of.df[varies], alpha, POWER) * of.error[varies]
    none: Bools = of.units < fewest
    if ends is not None:
        none = none | (result > ends[1] - ends[0])
    return np.where(none & ~np.isnan(result), np.inf, result)


def power(of: Estimates, alpha: float, fewest: int | Ints) -> tuple[Floats, Interval | None]:
    """Power of P differences, float64[P] each: the units (topics, ...) that the 80% lower limit of the size of the true
    difference takes, in standard errors, infinite where that is 0; and the effect size's limits, if it has one. `fewest`, a
    number or int64[P]: as for `detectable_differences`. The column `sd_seeds_component`, if there is one, is the part of the
    error that more units leave."""
    varies, effect_size, limits = (of.df > 0) & (of.error > 0), of.columns.get("effect_size"), None
    lower = np.full(len(of.value), np.nan)
    lower[varies] = safe_noncentrality(np.abs(of.value[varies] / of.error[varies]), of.df[varies])
    needed = units_needed(of._replace(value=lower * of.error), alpha)
    if effect_size is not None:
        needed = np.where(effect_size == 0, np.inf, needed)  # identical runs
        limits = effect_size_limits(np.asarray(effect_size, np.float64), of.units, 1 - alpha)
    return np.where(of.units < 2, np.nan, np.maximum(needed, fewest)), limits


def units_needed(of: Estimates, alpha: float) -> Floats:
    """float64[P]: the fewest units that find true differences of these sizes with power .8; infinite if none do."""
    most = MOST_TOPICS if "effect_size" in of.columns else float(MOST_UNITS)
    seeds = of.columns.get("sd_seeds_component", np.zeros(len(of.value)))
    fixed = np.nan_to_num(seeds) ** 2
    variance = of.error**2
    stays, falls, vanishes = np.zeros((3, len(of.value))) if of.of_seeds is None else of.of_seeds

    def suffice(number: Floats, index: Ints) -> Bools:
        now = (variance - fixed)[index] * of.units[index] / number
        of_seeds = stays[index] + falls[index] / number + vanishes[index] / (number * (number - 1))
        df = np.where(
            fixed[index] > 0,
            (fixed[index] + now) ** 2 / (now**2 / (number - 1) + of_seeds),
            of.df[index] * (number - 1) / (of.units[index] - 1),
        )
        return power_at(np.abs(of.value[index]) / np.sqrt(fixed[index] + now), df, alpha) >= POWER

    with np.errstate(divide="ignore", invalid="ignore"):
        varies = np.flatnonzero((variance > 0) & (of.df > 0) & (of.units > 1))
        # Beside few seeds power can rise and fall again, but simulated it then never was what it seems to be in between.
        possible = varies[(of.value[varies] != 0) & suffice(np.full(len(varies), most), varies)]
        guess = np.full(len(of.value), np.nan)
        guess[varies] = np.inf
        z = special.ndtri(POWER) - special.ndtri(alpha / 2)  # as if t were normal
        alike = of.units[possible] * (z * of.error[possible] / of.value[possible]) ** 2
        guess[possible] = np.where(fixed[possible] > 0, 2.0, np.minimum(alike, most / 2))
        return fewest(suffice, guess, most, fixed > 0)


def within_margin(units: Units, pairs: Pairs, margin: Margin, ends: Ends | None) -> tuple[Floats, Ints, Bools, Floats]:
    """Equivalence of pairs[P, 2] of rows of units; `ends` of the scale of scores, None if it has none. [P] each: p[2, P] that
    the lower and the upper end are reached (nan: not known), on how many units they differ by more than next to nothing,
    whether these are too few for tests by their spread, and the largest difference on one.

    Each p is the smallest alpha at which a limit at confidence 1 - 2 alpha lies inside the margin, and no less than 2^-U, what
    signs can say. Units that do not count alike have one only where few differ; with no ends, these have none. There, one
    that is not seen is taken to count as much as the largest.
    """
    differences = on_topics(units.values, pairs)
    rest = units.values[pairs[:, 1]] if margin.is_share else np.broadcast_to(units.counts, differences.shape)
    terms = margin.amount * rest
    of_scores = differences / units.counts  # not by how much a unit counts in the mean
    size = np.abs(of_scores).max(axis=1, initial=0.0)
    few, p = few_differ(of_scores), np.full((2, len(pairs)), np.nan)
    if units.weights is None:
        is_share = margin.is_share
        p = share_of_baseline_p(differences, rest, margin.amount) if is_share else margin_p(differences, terms)
    p[:, few] = np.nan
    if ends is not None and few.any():
        run, baseline = np.meshgrid(ends, ends)  # of any score of either
        for side, sign in enumerate((1, -1)):
            possible = sign * (run - baseline) + margin.amount * (baseline if margin.is_share else 1.0)
            low, high = possible.min() * units.counts.max(), possible.max() * units.counts.max()
            p[side, few] = share_below(terms[few] + sign * differences[few], low, high)
        p[:, few] = np.maximum(p[:, few], 2.0 ** -len(units.keys))
    differing, _ = differing_topics(of_scores)
    return p, differing, few, size

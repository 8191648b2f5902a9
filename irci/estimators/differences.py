"""Differences between runs: of their means over documents, or topics and documents, on single topics, and these combined;
equivalence within a margin; and the power of tests: the least difference that is found, the units that one would take.

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

from collections.abc import Iterable

import numpy as np

from irci.base import Margin
from irci.base.choices import MetaMethod, PairCorrection
from irci.base.types import Bools, Ends, Floats, Ints, Pairs, reaches
from irci.estimators.joint_resamples import JointResamples
from irci.estimators.means import Tested, limits_by_ends, of_differences
from irci.stats import meta
from irci.stats.bounded import hall_limits, margin_p, share_below, share_of_baseline_p
from irci.stats.intervals import Interval, wider
from irci.stats.power import (
    MOST_TOPICS,
    detectable_noncentrality,
    effect_size_limits,
    fewest,
    power_at,
    safe_noncentrality,
)
from irci.stats.scales import LOGIT, few_differ
from irci.stats.signs import Units
from irci.stats.tests import Estimates
from irci.system import special

NO_SPREAD = 1e-9  # of resampled logits: less is rounding


def combined(values: Floats, pairs: Pairs, joint: JointResamples, method: MetaMethod) -> Estimates:
    """For each pair its differences of logits on single topics combined into one; the column left_out: how many topics tell
    nothing and are left out.

    `values` float64[rows, T]: scores as they are. Left out: a score of exactly 0 or 1 (its logit is set by epsilon), rankings
    that cannot score differently, or did in no resample. (Cormack & Lynam 2006, section 6.)
    """
    on_scale = np.vstack((LOGIT.forward(values), np.zeros(values.shape[1])))
    at_end = np.vstack(((values == 0) | (values == 1), np.zeros(values.shape[1], np.bool_)))
    (run, baseline), sd = pairs.T, joint.sd[LOGIT.name]
    effects = on_scale[run] - on_scale[baseline]
    is_usable = ~np.isnan(effects) & ~at_end[run] & ~at_end[baseline] & (sd > NO_SPREAD)
    left_out = (~np.isnan(effects) & ~is_usable).sum(axis=1)
    of = meta.combined(np.where(is_usable, effects, np.nan), np.where(is_usable, sd, np.nan), method)
    return of._replace(columns={"left_out": left_out, **of.columns})


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
        selected, in_family = (reaches(np.nan_to_num(p, nan=1.0), 1 - confidence) for p in (p_adjusted, of_family))
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


def within_margin(
    units: Units, differences: Floats, baselines: Floats, margin: Margin, ends: Ends | None
) -> tuple[Floats, Bools]:
    """Equivalence of pairs by their differences[P, U] on units, from baselines[P, U]; `ends` of the scale of scores, None if
    it has none. p[2, P] that the lower and the upper end are reached (nan: not known); and bool[P], whether units on which
    pairs differ by more than next to nothing are too few for tests by their spread.

    Each p is the smallest alpha at which a limit at confidence 1 - 2 alpha lies inside the margin, and no less than 2^-U, what
    signs can say. Units that do not count alike have one only where few differ; with no ends, these have none. There, one
    that is not seen is taken to count as much as the largest.
    """
    rest = baselines if margin.is_share else np.broadcast_to(units.counts, differences.shape)
    terms = margin.amount * rest
    # Scores do not depend on how much a unit counts in the mean.
    few, p = few_differ(differences / units.counts), np.full((2, len(differences)), np.nan)
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
    return p, few

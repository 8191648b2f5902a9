"""Equivalence within a margin, and the power of tests of differences: the least p, the least difference that is found, the
units that one would take.

A unit is what varies by itself: a topic, a cluster, a collection. Power is that of the test of a pair alone, not adjusted for
others, .8 throughout. With more units of the same kind the squared error falls in proportion to them, but for the part that
they do not make (that of seeds). Degrees of freedom rise in proportion to the units less one; with seeds they are
Satterthwaite's at each number of topics, which can fall with more of them.
"""

import numpy as np

from irci.base import Margin
from irci.base.choices import TopicTest
from irci.base.types import Bools, Ends, Floats, Ints, Pairs
from irci.stats.bounded import differing_topics, few_differ, margin_p, share_below, share_of_baseline_p
from irci.stats.decisions import best_signs_p, best_t_p
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval
from irci.stats.power import (
    MOST_TOPICS,
    detectable_noncentrality,
    effect_size_limits,
    fewest,
    power_at,
    safe_noncentrality,
    topics_guess,
)
from irci.stats.signs import Units, is_exact
from irci.stats.tests import least_of_signs, on_topics

POWER = 0.8
MOST_UNITS = 10**7  # more are as good as none; of plain topics any number is told


def smallest_p(differences: Floats, test: TopicTest, signs: int, *, maxt: bool, held: Bools) -> Floats:
    """The smallest p[P] that tests of differences[P, U] of these sizes can give: adjusted p, if `maxt` makes it of signs.
    `held` bool[P]: p by t is held to what signs of so many units can give."""
    of_t: Floats = np.maximum(best_t_p(differences), np.where(held, least_of_signs(differences.shape[1]), 0.0))
    if test == "t" and not maxt:
        return of_t
    draws = maxt or test != "sign"
    exact = is_exact(differences.shape[1], signs)
    least = best_signs_p(differences, 1 / (signs + 1) if draws and not exact else 0.0)
    # Adjusted p is no less than p.
    return np.fmax(least, of_t) if test == "t" else least


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
    """Power of P differences, float64[P] each: the units (topics, ...) that the lower limit of the one observed takes, and
    the effect size's limits, if it has one. `fewest`, a number or int64[P]: as for `detectable_differences`. The column
    `sd_seeds_component`, if there is one, is the part of the error that more units leave."""
    needed = np.where(of.units < 2, np.nan, np.maximum(needed_safe(of, alpha), fewest))
    limits = None
    if "effect_size" in of.columns:
        limits = effect_size_limits(np.asarray(of.columns["effect_size"], np.float64), of.units, 1 - alpha)
    return needed, limits


def units_needed(of: Estimates, alpha: float) -> Floats:
    """float64[P]: the fewest units that find true differences of these sizes with power .8; infinite if none do."""
    most = MOST_TOPICS if "effect_size" in of.columns else float(MOST_UNITS)
    seeds = of.columns.get("sd_seeds_component", np.zeros(len(of.value)))
    fixed = np.nan_to_num(seeds) ** 2
    variance = of.error**2
    stays, falls, vanishes = np.zeros((3, len(of.value))) if of.of_seeds is None else of.of_seeds.T

    def reaches(number: Floats, index: Ints) -> Bools:
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
        possible = varies[(of.value[varies] != 0) & reaches(np.full(len(varies), most), varies)]
        guess = np.full(len(of.value), np.nan)
        guess[varies] = np.inf
        alike = topics_guess(of.value[possible] / of.error[possible] / np.sqrt(of.units[possible]), alpha, POWER)
        guess[possible] = np.where(fixed[possible] > 0, 2.0, np.minimum(alike, most / 2))
        return fewest(reaches, guess, most, fixed > 0)


def needed_safe(of: Estimates, alpha: float) -> Floats:
    """The units[P] that the 80% lower limit of the size of the true difference takes, in standard errors: infinite where that
    is 0."""
    varies = (of.df > 0) & (of.error > 0)
    lower = np.full(len(of.value), np.nan)
    lower[varies] = safe_noncentrality(np.abs(of.value[varies] / of.error[varies]), of.df[varies])
    needed = units_needed(of._replace(value=lower * of.error), alpha)
    return np.where(of.columns.get("effect_size", lower) == 0, np.inf, needed)  # identical runs


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
        if margin.is_share:
            p = share_of_baseline_p(differences, rest, margin.amount)
        else:
            p = margin_p(differences, terms[:, 0], terms[:, 0])
    p[:, few] = np.nan
    if ends is not None and few.any():
        largest, margins, differences = float(units.counts.max()), terms[few], differences[few]
        low, high = (np.array(item) * largest for item in _ends(margin, ends))
        of_both = share_below(margins + differences, *low), share_below(margins - differences, *high)
        p[:, few] = np.maximum(of_both, 2.0 ** -len(units.keys))
    differing, _ = differing_topics(of_scores)
    return p, differing, few, size


def _ends(margin: Margin, ends: Ends) -> tuple[Ends, Ends]:
    """The least and the greatest that margin + difference, and margin - difference, can be on one topic."""
    if not margin.is_share:
        length = ends[1] - ends[0]
        return (margin.amount - length, margin.amount + length), (margin.amount - length, margin.amount + length)
    below, above = (
        [sign * (run - baseline) + margin.amount * baseline for run in ends for baseline in ends] for sign in (1, -1)
    )
    return (min(below), max(below)), (min(above), max(above))

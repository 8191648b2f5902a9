"""wcw: how many topics does a measure need, and how wide can an interval get with so many?

Estimates nothing: from the variance of a measure's scores within a system it plans topic sets. Assumes that variance for all
systems and no covariance between them, which is conservative; a difference of two systems then has variance 2 sigma^2. Half
the variance of a pair's own differences, in place of sigma^2, plans for that pair.

Where topics come in clusters, these are sampled: for the variance of a topic's score stands that of a cluster's mean,
sigma_b^2 + sigma_w^2 / n, and for the number of topics that of clusters. If sizes n_g differ, it is G times the variance of a
mean over all topics, sigma_b^2 G sum n_g^2 / N^2 + sigma_w^2 G / N, or over G means, sigma_b^2 + sigma_w^2 mean(1 / n_g).

T. Sakai, "Evaluating evaluation measures with worst-case confidence interval widths", EVIA 2017. Distributions are
scipy.special's, so that nothing needs compiling.
"""

import math
from bisect import bisect_left
from typing import Literal, NamedTuple

import numpy as np

from irci.stats.power import crossing, power_at
from irci.system import special

MOST_TOPICS = 10**9
MEDIAN, WORST = "median of pairs", "90th percentile of pairs"  # of the variances of pairs' differences
Formula = Literal["anova", "ci", "t"]  # a range of several means; the width of an interval; a difference of two
# Nagata's a and b for lambda = a + b sqrt(m - 1), by (alpha, power).
NAGATA = {
    (0.01, 0.9): (10.439, 5.213), (0.01, 0.8): (7.736, 4.551), (0.05, 0.9): (7.049, 4.244), (0.05, 0.8): (4.860, 3.584),
}  # fmt: skip
# Where lambda is about 4 z^2, so that the ANOVA tool can stand in for the interval: alpha, power, systems.
EQUIVALENT = ((0.05, 0.8, 10), (0.05, 0.9, 5), (0.01, 0.8, 18), (0.01, 0.9, 10))


class TopicSetDesign(NamedTuple):
    """Settings that topics are planned by."""

    alpha: float = 0.05  # significance level
    power: float = 0.8  # with which a true difference is to be found
    systems: int = 10  # m, compared by the ANOVA
    # The noncentral F by the normal of Sakai's spreadsheet, topics sought from equation (2) upwards.
    published: bool = False
    df_share: float = 1.0  # degrees of freedom over n - 1; clusters of unlike sizes have fewer

    @property
    def stands_in(self) -> bool:
        return (round(self.alpha, 9), round(self.power, 9), self.systems) in EQUIVALENT

    def df(self, topics: int) -> float:
        """Degrees of freedom of the variance of a difference on so many topics."""
        return self.df_share * (topics - 1)


def anova_power(topics: int, noncentrality: float, settings: TopicSetDesign) -> float:
    """The power of a one-way ANOVA of m systems: P(F' >= F_alpha) with m - 1 and m (n - 1) degrees of freedom."""
    between, within = settings.systems - 1, settings.systems * settings.df(topics)
    critical = float(special.fdtri(between, within, 1 - settings.alpha))
    if settings.published:
        c = (between + 2 * noncentrality) / (between + noncentrality)
        f = (between + noncentrality) ** 2 / (between + 2 * noncentrality)
        above = np.sqrt(critical / within) * np.sqrt(2 * within - 1) - np.sqrt(c / between) * np.sqrt(2 * f - 1)
        return float(1 - special.ndtr(above / np.sqrt(c / between + critical / within)))
    below = float(special.ncfdtr(between, within, noncentrality, critical))
    return 1.0 if np.isnan(below) else 1 - below  # nan for large noncentralities, where the power is 1


def worst_case_width(topics: int, variance: float, formula: Formula, settings: TopicSetDesign) -> float:
    """The width that n topics assure: the smallest range of means (anova) or difference (t) found with the power asked for, or
    the expected width of a difference's t interval (ci): 2 t sqrt(2 sigma^2 / n) c4, c4 = E[s] / sigma. Infinite if df < 1."""
    df = settings.df(topics)
    if df < 1:
        return math.inf
    if formula == "anova":
        noncentrality = crossing(lambda value: anova_power(topics, float(value), settings), settings.power)
        return float(np.sqrt(2 * variance * noncentrality / topics))
    if formula == "t":
        shift = crossing(lambda value: power_at(value, df, settings.alpha), settings.power)
        return float(shift * np.sqrt(2 * variance / topics))
    c4 = np.sqrt(2 / df) * np.exp(special.gammaln((df + 1) / 2) - special.gammaln(df / 2))
    t = float(special.stdtrit(df, 1 - settings.alpha / 2))
    return float(2 * t * np.sqrt(2 * variance / topics) * c4)


def topics_needed(width: float, variance: float, formula: Formula, settings: TopicSetDesign) -> int:
    """The smallest number of topics (or of what else the variance is of), at least 2, that assures a width (or finds such a
    range or difference). Raises ValueError for more than `MOST_TOPICS`."""
    if variance == 0:
        return 2

    def suffices(topics: int) -> bool:
        df = settings.df(topics)
        if df < 1 or formula == "ci":
            return worst_case_width(topics, variance, formula, settings) <= width
        if formula == "anova":
            return anova_power(topics, topics * width**2 / (2 * variance), settings) >= settings.power
        return bool(power_at(width / math.sqrt(2 * variance / topics), df, settings.alpha) >= settings.power)

    first = 2.0
    if formula == "anova" and settings.published:
        linear = linear_noncentrality(settings)
        start = exact_noncentrality(settings) if np.isnan(linear) else linear
        first = max(first, 2 * variance * start / width**2)
    low = high = int(min(first, MOST_TOPICS))
    while not suffices(high):
        low, high = high, 2 * high
        if high > MOST_TOPICS:
            raise ValueError(f"more than {MOST_TOPICS:,}")
    return low + bisect_left(range(low, high), True, key=suffices)


def exact_noncentrality(settings: TopicSetDesign) -> float:
    """lambda that gives noncentral chi-square with m - 1 degrees of freedom the power asked for."""
    degrees = settings.systems - 1
    critical = float(special.chdtri(degrees, settings.alpha))
    return float(crossing(lambda value: 1 - special.chndtr(critical, degrees, value), settings.power))


def linear_noncentrality(settings: TopicSetDesign) -> float:
    """Nagata's formula for the same, a + b sqrt(m - 1); nan for an alpha and a power that it does not cover."""
    a, b = NAGATA.get((round(settings.alpha, 9), round(settings.power, 9)), (np.nan, np.nan))
    return float(a + b * np.sqrt(settings.systems - 1))

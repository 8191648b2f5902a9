"""Topics that belong together once more, plainly from the definitions: full matrices, loops, every assignment of signs."""

import math
from collections.abc import Sequence

import numpy as np
from naive_inference import two_sided_by_signs
from scipy import linalg, stats


def cr2(
    values: Sequence[float], clusters: Sequence[object], correlation: float | None = None
) -> tuple[float, float, float]:
    """The mean, its variance by CR2 and Bell and McCaffrey's degrees of freedom, of the regression on a constant alone.

    Residuals of a cluster are multiplied by (I - H_gg)^(-1/2), the symmetric root; the degrees of freedom are those of the
    quadratic form in errors of the covariance V, 1 on the diagonal and the correlation (by default the intra-cluster one of
    these values) within clusters: (tr P)^2 / tr P^2, P = G'VG, G_g = (I - H)_g' A_g x_g / N.
    """
    y, n = np.array(values, float), len(values)
    x = np.ones((n, 1))
    hat = x @ linalg.inv(x.T @ x) @ x.T
    residuals = (np.eye(n) - hat) @ y
    covariance = np.eye(n)
    variance, columns = 0.0, []
    correlation = intra_cluster_correlation(values, clusters) if correlation is None else correlation
    for cluster in dict.fromkeys(clusters):
        members = [place for place, each in enumerate(clusters) if each == cluster]
        root = linalg.inv(linalg.sqrtm(np.eye(len(members)) - hat[np.ix_(members, members)]))
        variance += float(x[members, 0] @ root @ residuals[members]) ** 2 / n**2
        columns.append((np.eye(n) - hat)[:, members] @ root @ x[members, 0] / n)
        covariance[np.ix_(members, members)] += correlation * (1 - np.eye(len(members)))
    p = np.column_stack(columns).T @ covariance @ np.column_stack(columns)
    return float(y.mean()), variance, float(np.trace(p) ** 2 / np.trace(p @ p))


def intra_cluster_correlation(values: Sequence[float], clusters: Sequence[object]) -> float:
    """The correlation of two members of a cluster by one-way analysis of variance, not below 0; 0 of clusters of one."""
    found = by_group(values, clusters)
    n, mean = len(values), math.fsum(values) / len(values)
    own = [math.fsum(of) / len(of) for of in found]
    if n == len(found):
        return 0.0
    between = math.fsum(len(of) * (each - mean) ** 2 for of, each in zip(found, own, strict=True)) / (len(found) - 1)
    within = math.fsum((v - each) ** 2 for of, each in zip(found, own, strict=True) for v in of) / (n - len(found))
    size = (n - math.fsum(len(of) ** 2 for of in found) / n) / (len(found) - 1)
    share = max(0.0, between - within) / size
    return share / (share + within) if share + within > 0 else 0.0


def mean_of_means(values: Sequence[float], groups: Sequence[object]) -> tuple[float, float, float]:
    """The mean of the groups' means, groups a sample: its variance and degrees of freedom."""
    means = [math.fsum(of) / len(of) for of in by_group(values, groups)]
    mean = math.fsum(means) / len(means)
    spread = math.fsum((each - mean) ** 2 for each in means) / (len(means) - 1)
    return mean, spread / len(means), len(means) - 1


def strata(values: Sequence[float], groups: Sequence[object], macro: bool) -> tuple[float, float, float]:
    """The mean over members, or of the groups' means, of groups that are given: variance, and Satterthwaite's freedom."""
    found = by_group(values, groups)
    weights = [1 / len(found) if macro else len(of) / len(values) for of in found]
    mean, variance, below = 0.0, 0.0, 0.0
    for weight, of in zip(weights, found, strict=True):
        own = math.fsum(of) / len(of)
        s2 = math.fsum((each - own) ** 2 for each in of) / (len(of) - 1)
        mean += weight * own
        variance += weight**2 * s2 / len(of)
        below += (weight**2 * s2 / len(of)) ** 2 / (len(of) - 1)
    return mean, variance, variance**2 / below


def limits_and_p(found: tuple[float, float, float], confidence: float = 0.95) -> tuple[float, float, float]:
    """Of a mean, its variance and degrees of freedom: mean -+ t standard errors, and the two-sided p of a mean of 0."""
    mean, variance, df = found
    reach = stats.t.ppf((1 + confidence) / 2, df) * math.sqrt(variance)
    return mean - reach, mean + reach, 2 * stats.t.sf(abs(mean) / math.sqrt(variance), df)


def of_few(
    found: tuple[float, float, float], units: int, *, topics: bool = False, confidence: float = 0.95
) -> tuple[float, float, float]:
    """The same of a difference on so many units: p of topics, and of fewer than six other units, no less than if all 2^units
    signs, of which two are as large, were gone through; where that is too much, limits hold 0."""
    lower, upper, p = limits_and_p(found, confidence)
    least = 2 / 2**units if topics or units < 6 else 0.0
    if least > 1 - confidence:
        lower, upper = min(lower, 0.0), max(upper, 0.0)
    return lower, upper, max(p, least)


def no_surer(own: tuple[float, float, float], others: tuple[float, float, float]) -> tuple[float, float, float]:
    """Limits and p over groups, where those over members of these groups are wider, or p larger, these."""
    return min(own[0], others[0]), max(own[1], others[1]), max(own[2], others[2])


def by_group(values: Sequence[float], groups: Sequence[object]) -> list[list[float]]:
    """The values of each group."""
    return [
        [value for value, each in zip(values, groups, strict=True) if each == group] for group in dict.fromkeys(groups)
    ]


def p_by_signs(values: Sequence[float], units: Sequence[object]) -> float:
    """Two-sided p of the sum of the values by all assignments of one sign a unit."""
    return two_sided_by_signs([math.fsum(of) for of in by_group(values, units)])


Table = Sequence[Sequence[float]]  # the scores of each seed of a system on each topic


def over_seeds(first: Table, second: Table | None = None) -> tuple[float, float, float]:
    """A system's mean, or that less a second one's, seeds and topics a sample: its variance and degrees of freedom."""
    systems = [first] if second is None else [first, second]
    number = len(first[0])
    by_topic = [[math.fsum(seed[t] for seed in of) / len(of) for t in range(number)] for of in systems]
    d = [by_topic[0][t] - (by_topic[1][t] if second is not None else 0) for t in range(number)]
    mean = math.fsum(d) / number
    of_topics = math.fsum((each - mean) ** 2 for each in d) / (number - 1) / number
    variance, below = of_topics, of_topics**2 / (number - 1)
    for of in systems:
        b, ms = _seed_squares(of)
        share, free = 1 / len(of), len(of) - 1
        own = max(0.0, b - ms / number) * share
        if own > 0:
            variance += own
            below += (b * share) ** 2 / free + (ms * share / number) ** 2 / (free * (number - 1))
    return mean, variance, variance**2 / below


def _seed_squares(scores: Table) -> tuple[float, float]:
    """The variance between the means of seeds, and the mean square of residuals from the table's margins; of two or more."""
    seeds, number = len(scores), len(scores[0])
    rows = [math.fsum(seed) / number for seed in scores]
    columns = [math.fsum(seed[t] for seed in scores) / seeds for t in range(number)]
    mean = math.fsum(rows) / seeds
    if seeds == 1:
        return 0.0, 0.0
    residuals = [scores[r][t] - rows[r] - columns[t] + mean for r in range(seeds) for t in range(number)]
    return (
        math.fsum((row - mean) ** 2 for row in rows) / (seeds - 1),
        math.fsum(each**2 for each in residuals) / ((seeds - 1) * (number - 1)),
    )

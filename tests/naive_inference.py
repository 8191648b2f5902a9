"""Simultaneous tests, equivalence, power and their like once more, plainly from their definitions.

Here every assignment of signs is gone through and every integral is left to scipy's adaptive quadrature: slow, and short
enough to be checked by eye.
"""

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import integrate, special, stats

Pair = tuple[int, int]


def sign_vectors(topics: int) -> list[tuple[int, ...]]:
    """All 2^T of them."""
    return list(itertools.product((1, -1), repeat=topics))


def u_statistic(differences: Sequence[float]) -> float:
    """|sum D| / sqrt(sum D^2); 0 for runs that are the same."""
    length = math.sqrt(math.fsum(d * d for d in differences))
    return abs(math.fsum(differences)) / length if length > 0 else 0.0


def u_under_signs(values: np.ndarray, pairs: Sequence[Pair]) -> list[list[float]]:
    """For every pair its u under every assignment of signs."""
    table = []
    for i, j in pairs:
        d = values[i] - values[j]
        table.append(
            [u_statistic([s * each for s, each in zip(signs, d, strict=True)]) for signs in sign_vectors(len(d))]
        )
    return table


def step_down(values: np.ndarray, pairs: Sequence[Pair]) -> list[float]:
    """Adjusted p: of the pair in question and those with a smaller u, the largest u under signs; never falling with u."""
    return step_down_of_layers([dict(enumerate((values[i] - values[j]).tolist())) for i, j in pairs], values.shape[1])


def step_down_of_layers(differences: Sequence[Mapping[int, float]], topics: int) -> list[float]:
    """The same for pairs of several measures or slices, each with its differences on those topics that it has."""
    observed = [u_statistic(list(each.values())) for each in differences]
    under = [
        [u_statistic([signs[t] * d for t, d in each.items()]) for each in differences] for signs in sign_vectors(topics)
    ]
    p_of = [
        sum(max(u for u, o in zip(row, observed, strict=True) if o <= own) >= own - 1e-9 for row in under) / len(under)
        for own in observed
    ]
    return [max(p for p, u in zip(p_of, observed, strict=True) if u >= own) if own else 1.0 for own in observed]


def signed_ranks(differences: Sequence[float]) -> list[float]:
    """Mean ranks of |D| with the signs of D; zeros dropped before ranking."""
    sizes = [round(abs(d), 12) for d in differences]
    ranked = [size for size in sizes if size > 0]
    ranks = [
        (sum(other < size for other in ranked) + sum(other <= size for other in ranked) + 1) / 2 if size > 0 else 0.0
        for size in sizes
    ]
    return [math.copysign(rank, d) for rank, d in zip(ranks, differences, strict=True)]


def two_sided_by_signs(terms: Sequence[float]) -> float:
    """How often signs at random make a sum as large on either side."""
    sums = [
        abs(math.fsum(s * each for s, each in zip(signs, terms, strict=True))) for signs in sign_vectors(len(terms))
    ]
    return sum(each >= sums[0] - 1e-12 for each in sums) / len(sums)


def normal_density(z: float) -> float:
    """Of the standard normal."""
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def noncentral_t_cdf(t: float, noncentrality: float, df: float) -> float:
    """P((Z + lambda) / sqrt(chi2 / df) <= t), Z gone through: the chi-square's own distribution function does the rest."""

    def given(z: float) -> float:
        shifted = z + noncentrality
        if t == 0:
            return float(shifted <= 0)
        least = df * (shifted / t) ** 2  # the chi-square at which they are equal
        if t > 0:
            return 1.0 if shifted <= 0 else float(special.chdtrc(df, least))
        return 0.0 if shifted >= 0 else float(special.chdtr(df, least))

    # Where the chi-square's share goes from 1 to 0 it may do so within a small part of the range.
    step = 9 * abs(t) / math.sqrt(2 * df)
    points = (-noncentrality, t - noncentrality - step, t - noncentrality, t - noncentrality + step)
    edges = [-9.0, *sorted({min(max(point, -9.0), 9.0) for point in points}), 9.0]
    return sum(
        integrate.quad(lambda z: normal_density(z) * given(z), low, high, limit=400, epsabs=1e-13)[0]
        for low, high in itertools.pairwise(edges)
        if low < high
    )


def power(effect: float, topics: int, alpha: float) -> float:
    """Of the two-sided t test where the true difference is so many standard deviations."""
    df, noncentrality = topics - 1, effect * math.sqrt(topics)
    critical = float(stats.t.isf(alpha / 2, df))
    return 1 - noncentral_t_cdf(critical, noncentrality, df) + noncentral_t_cdf(-critical, noncentrality, df)


def _moments(terms: Sequence[float]) -> tuple[float, float, float]:
    """Mean, variance (n - 1), third central moment (n)."""
    mean = math.fsum(terms) / len(terms)
    squares, cubes = (math.fsum((each - mean) ** power for each in terms) for power in (2, 3))
    return mean, squares / (len(terms) - 1), cubes / len(terms)


def above_zero_p(terms: Sequence[float]) -> float:
    """One-sided p of a mean above 0: the larger of Student's t and Hall's (1992) cubic transformation, at least 2^-n."""
    n, (x, s2, m3) = len(terms), _moments(terms)
    hall = x + m3 / (6 * s2 * n) + m3 * x**2 / (3 * s2**2) + m3**2 * x**3 / (27 * s2**4)
    return float(max(2.0**-n, *(stats.t.sf(each / math.sqrt(s2 / n), n - 1) for each in (x, hall))))


def equivalence_p(differences: Sequence[float], margins: Sequence[float]) -> float:
    """Two one-sided tests of the means of margin + difference and margin - difference, topic by topic."""
    both = zip(margins, differences, strict=True)
    up, down = zip(*((margin + each, margin - each) for margin, each in both), strict=True)
    return max(above_zero_p(up), above_zero_p(down))


def bonferroni_or_hall(differences: Sequence[float], alpha: float, pairs: float) -> tuple[float, float]:
    """The wider of t limits at alpha / pairs and those that Hall's transformation gives, by its inverse in closed form."""
    n, (mean, s2, m3) = len(differences), _moments(differences)
    q, error = float(stats.t.ppf(1 - alpha / (2 * pairs), n - 1)), math.sqrt(s2 / n)
    skewness = m3 / (s2 * (n - 1) / n) ** 1.5 / math.sqrt(n)

    def inverse(q: float) -> float:
        if skewness == 0:
            return q
        return float(3 / skewness * (np.cbrt(1 + skewness * (q - skewness / 6)) - 1))

    return mean - error * max(q, inverse(q)), mean + error * max(q, -inverse(-q))

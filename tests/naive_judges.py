"""Plain transcriptions of what is said of two sets of judgments: rank correlations, counts of pairs, kappa."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from scipy import stats


def tau_b(first: Sequence[float], second: Sequence[float]) -> float:
    """Concordant less discordant pairs, by the geometric mean of the pairs that each does not tie."""
    concordant = discordant = ties_first = ties_second = 0
    for i, j in itertools.combinations(range(len(first)), 2):
        a, b = first[i] - first[j], second[i] - second[j]
        ties_first += a == 0
        ties_second += b == 0
        concordant += a * b > 0
        discordant += a * b < 0
    pairs = math.comb(len(first), 2)
    untied = (pairs - ties_first) * (pairs - ties_second)
    return (concordant - discordant) / math.sqrt(untied) if untied else math.nan


def tau_ap(first: Sequence[float], second: Sequence[float]) -> float:
    """Walking down the second's ranking, in every order that its ties allow, the mean of these: what share of the runs above
    each place the first also has above it, ties in either counting one half."""
    if len(set(first)) == 1 or len(set(second)) == 1:
        return math.nan
    groups = [
        list(group)
        for _, group in itertools.groupby(sorted(range(len(second)), key=lambda i: -second[i]), lambda i: second[i])
    ]
    found = []
    for orders in itertools.product(*(itertools.permutations(group) for group in groups)):
        ranking = list(itertools.chain(*orders))
        total = 0.0
        for place, run in enumerate(ranking[1:], 2):
            credit = 0.0
            for above in ranking[: place - 1]:
                if second[above] == second[run] or first[above] == first[run]:
                    credit += 0.5
                else:
                    credit += first[above] > first[run]
            total += credit / (place - 1)
        found.append(2 / (len(ranking) - 1) * total - 1)
    return sum(found) / len(found)


def largest_drop(first: Sequence[float], second: Sequence[float]) -> tuple[int, int]:
    """The most places that a run falls, and the first run that does."""
    ranks = [[1 + sum(other > mine for other in means) for mine in means] for means in (first, second)]
    drops = [after - before for before, after in zip(*ranks, strict=True)]
    return max(drops), drops.index(max(drops))


def jackknife(
    statistic: Callable[[Sequence[float], Sequence[float]], float],
    first: np.ndarray,
    second: np.ndarray,
    confidence: float,
) -> tuple[float, float]:
    """The statistic of the means of first and second [R, T] -+ z jackknife errors over topics, no further than -1 and 1."""
    topics = first.shape[1]
    without = [
        statistic(*(np.delete(each, topic, axis=1).mean(axis=1).tolist() for each in (first, second)))
        for topic in range(topics)
    ]
    error = math.sqrt((topics - 1) / topics * sum((each - np.mean(without)) ** 2 for each in without))
    value = statistic(first.mean(axis=1).tolist(), second.mean(axis=1).tolist())
    z = stats.norm.ppf((1 + confidence) / 2)
    return max(value - z * error, -1.0), min(value + z * error, 1.0)


def counts(first: np.ndarray, second: np.ndarray, alpha: float) -> dict[str, int]:
    """Pairs of runs by what paired t tests of the scores [R, T] of either judge say of them."""
    found = dict.fromkeys(("AA", "AD", "MA", "MD", "PA", "PD", "identical"), 0)
    for i, j in itertools.combinations(range(len(first)), 2):
        a, b = first[i] - first[j], second[i] - second[j]
        if not a.any() and not b.any():
            found["identical"] += 1
            continue
        significant = 0
        for differences in (a, b):
            significant += bool(stats.ttest_1samp(differences, 0).pvalue <= alpha) if differences.any() else False
        same = np.sign(a.mean()) == np.sign(b.mean())
        found["PMA"[significant] + ("A" if same else "D")] += 1
    return found


def kappa(pairs: Iterable[tuple[int, int]], weights: str = "none") -> float:
    """1 less the disagreement observed by that expected of the same margins."""
    given = list(pairs)
    cost: dict[str, Callable[[int, int], float]] = {
        "none": lambda i, j: float(i != j),
        "linear": lambda i, j: abs(i - j),
        "quadratic": lambda i, j: (i - j) ** 2,
    }
    observed = sum(cost[weights](i, j) for i, j in given) / len(given)
    ours, theirs = (Counter(grades) for grades in zip(*given, strict=True))
    expected = sum(ours[i] * theirs[j] * cost[weights](i, j) for i in ours for j in theirs) / len(given) ** 2
    return 1 - observed / expected if expected else math.nan

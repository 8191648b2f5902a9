"""Verdicts: what can be said of a pair of runs in a word, and what could have been said at best.

A difference that is not significant is not "no difference": it is `equivalent` where a test within a margin says so,
`unresolvable` where no outcome on these topics could have been significant, else `unresolved`.
"""

from typing import Literal

import numpy as np

from irci.base.choices import FailIf
from irci.base.types import Bools, Floats, Ints
from irci.stats.decisions import separated
from irci.stats.signs import constant_difference_p
from irci.stats.simultaneous import as_t
from irci.stats.tests import SAME
from irci.system import special

Verdict = Literal[
    "identical", "better", "worse", "better-negligible", "worse-negligible", "equivalent", "unresolvable", "unresolved"
]
# Of which of them --fail-if speaks.
FAILING: dict[FailIf, tuple[Verdict, ...]] = {
    "worse": ("worse",),
    "not-equivalent": ("better", "worse", "unresolved", "unresolvable"),
    "unresolved": ("unresolved", "unresolvable"),
}


def differing_topics(differences: Floats) -> Ints:
    """int64[P]: on how many topics differences[P, T] are not 0, but for rounding."""
    size = np.abs(differences)
    return np.asarray((size > SAME * size.max(axis=1, initial=0.0, keepdims=True)).sum(axis=1))


def best_t_p(differences: Floats) -> Floats:
    """p[P] of the paired t test had every one of differences[P, T] favoured one run: the least that their sizes allow.

    Unadjusted: what is not significant so is not under any correction. Identical runs: 1. Differences of one size, whose t
    would be infinite: 2^(1 - T), by signs, or less if all but one do. One topic: nan.
    """
    topics = differences.shape[1]
    if topics < 2:
        return np.full(len(differences), np.nan)
    size = np.abs(differences)
    root = np.sqrt((size**2).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):  # squares of tiny differences are 0
        u = np.where(root > 0, size.sum(axis=1) / root, 0.0)
    p = np.where(root > 0, 2 * special.stdtr(topics - 1, -as_t(u, topics)), 1.0)
    constant = constant_difference_p(size)
    all_but_one = 2 * special.stdtr(topics - 1, -(topics - 2) / 2)
    return np.where(np.isnan(constant), p, np.minimum(constant, all_but_one))


def best_signs_p(differences: Floats, smallest: float = 0.0) -> Floats:
    """p[P] of tests by signs, of differences or their ranks, had each of differences[P, T] favoured one run: 2^(1 - k).

    k: on how many topics they differ. `smallest`: the smallest p that the number of resamples allows. Identical runs: 1.
    """
    least = 2.0 ** (1 - np.maximum(differing_topics(differences), 1))
    return np.maximum(least, smallest)


def verdicts(
    difference: Floats,
    p_adjusted: Floats,
    best_p: Floats,
    identical: Bools,
    alpha: float,
    p_equivalence: Floats | None = None,
) -> list[Verdict]:
    """One for each of P pairs, the first that applies; all arrays [P].

    difference: what the test speaks of, run less baseline. identical: whether the two score the same on every topic.
    best_p: of the test in use (nan: it can tell nothing). p_equivalence: adjusted too, where there is a margin.
    """
    differ = separated(p_adjusted, alpha) & (difference != 0)
    same = np.zeros(len(difference), np.bool_) if p_equivalence is None else separated(p_equivalence, alpha)
    up = difference > 0
    first: list[Verdict] = np.select(
        [identical, differ & same & up, differ & same, differ & up, differ, same, separated(best_p, alpha)],
        ["identical", "better-negligible", "worse-negligible", "better", "worse", "equivalent", "unresolved"],
        "unresolvable",
    ).tolist()
    return first

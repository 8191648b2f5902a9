"""Wilcoxon's signed-rank test and the sign test of paired differences; agreement of two orders.

The tests ask whether differences are symmetric about 0, or have median 0, and not whether the means that are printed differ:
where differences are skewed they reject equal means ever more often the more topics there are. F. Wilcoxon, Biometrics
Bulletin 1, 1945.
"""

from typing import Literal, NamedTuple

import numpy as np

from irci.base.types import Floats
from irci.stats.signs import Signs, p_by_signs
from irci.stats.tests import SAME
from irci.system import special


class SignedRanks(NamedTuple):
    """Wilcoxon's test of P pairs, float64[P] each: the sum of signed ranks, its normal form (tie-corrected, not continuous),
    two-sided p.

    The sign of the sum is the direction that the test speaks of. Of no differences: 0, nan and 1.
    """

    total: Floats
    z: Floats
    p: Floats


class SignTest(NamedTuple):
    """The sign test of P pairs, float64[P] each: numbers of differences above and below 0, and two-sided binomial p."""

    above: Floats
    below: Floats
    p: Floats


def wilcoxon(differences: Floats, signs: Signs) -> SignedRanks:
    """Wilcoxon's test of differences[P, T], its p by signs of topics: exact, ties and all, where these are gone through.

    Differences of 0 are dropped before ranking. Ranks of ties are their mean.
    """
    terms = np.array([signed_ranks(row) for row in differences]).reshape(differences.shape)
    total = terms.sum(axis=1)
    with np.errstate(invalid="ignore"):
        z = total / np.sqrt((terms**2).sum(axis=1))
    return SignedRanks(total, z, p_by_signs(terms, signs))


def signed_ranks(differences: Floats) -> Floats:
    """The ranks of |D|, differences[T], with the signs of D; 0 where D is. Sizes that differ by rounding are ties."""
    size = np.abs(differences)
    rounding = SAME * size.max(initial=0.0)
    ranked = np.flatnonzero(size > rounding)
    order = ranked[np.argsort(size[ranked], kind="stable")]
    group = np.cumsum(np.diff(size[order], prepend=0.0) > rounding)
    places = np.arange(1.0, len(order) + 1)
    ranks = np.zeros(len(size))
    sizes = np.bincount(group, minlength=1)
    ranks[order] = (np.bincount(group, places, minlength=1) / np.maximum(sizes, 1))[group]
    return np.where(size > rounding, np.copysign(ranks, differences), 0.0)


def directions(differences: Floats, test: Literal["wilcoxon", "sign"]) -> Floats:
    """The sign[P] of what the test speaks of, which need not be that of the mean of differences[P, T]."""
    if test == "wilcoxon":
        return np.sign([signed_ranks(row).sum() for row in differences])
    found = sign_test(differences)
    return np.sign(found.above - found.below)


def sign_test(differences: Floats) -> SignTest:
    """The sign test of differences[P, T]: how many of those that are not 0 lie above it, against a fair coin; p 1 of none."""
    rounding = SAME * np.abs(differences).max(axis=1, initial=0.0, keepdims=True)
    above, below = (differences > rounding).sum(axis=1), (differences < -rounding).sum(axis=1)
    p = np.minimum(1.0, 2 * special.bdtr(np.minimum(above, below), above + below, 0.5))
    return SignTest(above.astype(np.float64), below.astype(np.float64), p)


def tau_b(first: Floats, second: Floats) -> float:
    """Kendall's tau_b of values[R] of the same things (Biometrika 33, 1945); nan where all of one are equal.

    To the last bit that of scipy.stats.kendalltau, which takes longer to load than a command to run.
    """
    signs = [np.sign(values[:, np.newaxis] - values) for values in (first, second)]
    untied = [np.count_nonzero(each) // 2 for each in signs]
    if 0 in untied:
        return float("nan")
    tau = (signs[0] * signs[1]).sum() / 2 / np.sqrt(untied[0]) / np.sqrt(untied[1])
    return float(min(1.0, max(-1.0, tau)))

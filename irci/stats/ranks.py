"""Which runs are really tied: simultaneous intervals of all pairwise differences, ranks and letters.

A pair is separated where its interval, of a width that holds for all pairs at once (max-|t| of the resamples: J. P. Romano
and M. Wolf, JASA 100, 2005), leaves out 0. Letters: H.-P. Piepho, "An algorithm for a letter-based representation of
all-pairwise comparisons", Journal of Computational and Graphical Statistics 13, 2004.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from irci.types import Bools, Floats, Ints, Ints32

ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Ranks(NamedTuple):
    """Of m runs: rank (1 the best, equal means the same), the limits within which it lies, and letters.

    Runs that share a letter are separated by none of the comparisons.
    """

    rank: Ints
    lower: Ints
    upper: Ints
    letters: list[str]


def ranks(means: Floats, better: Bools) -> Ranks:
    """From the means[m] and better[m, m]: whether run i is surely better than run j."""
    return Ranks(
        rank=1 + (means > means[:, np.newaxis]).sum(axis=1),
        lower=1 + better.sum(axis=0),
        upper=len(means) - better.sum(axis=1),
        letters=letters(better | better.T, np.argsort(-means, kind="stable")),
    )


def surely_better(means: Floats, replicates: Floats, confidence: float) -> Bools:
    """bool[m, m] from means[m] and replicates[m, B] under joint resamples, with one standard error a pair from these."""
    errors = np.array([(replicates[i] - replicates).std(axis=1, ddof=1) for i in range(len(means))])
    centred = replicates - replicates.mean(axis=1, keepdims=True)
    most = np.zeros(replicates.shape[1])
    for i, of_run in enumerate(centred):
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(of_run - centred[i + 1 :]) / errors[i, i + 1 :, np.newaxis]
        np.maximum(most, np.where(np.isfinite(t), t, 0).max(axis=0, initial=0), out=most)
    width = np.quantile(most, confidence)
    # A difference of scores that no resample changes is no certainty.
    better: Bools = (means[:, np.newaxis] - means > width * errors) & (errors > 0)
    return better


def surely_better_over_topics(values: Floats, counts: Ints32, confidence: float) -> Bools:
    """bool[m, m] from values[m, T] and how often each resample draws each topic, counts[T, B]; studentised.

    Each resampled difference is divided by its own standard error, so that few topics mean wide intervals.
    """
    topics = values.shape[1]
    if topics < 2:
        return np.zeros((len(values), len(values)), np.bool_)
    means = values.mean(axis=1)
    centred = values - means[:, np.newaxis]
    most = np.array([np.abs(t).max(initial=0.0) for t in _t_of_pairs(centred, counts)])
    width = np.quantile(most, confidence, method="higher")  # never between a number and an infinite one
    errors = np.sqrt(_variances(centred @ centred.T / topics) / (topics - 1))
    # An infinite width (a resample of one topic only) separates nothing.
    with np.errstate(invalid="ignore"):
        better: Bools = (means[:, np.newaxis] - means > width * errors) & np.isfinite(width)
    return better


def _t_of_pairs(centred: Floats, counts: Ints32) -> Iterator[Floats]:
    """For each resample the t statistics [m, m] of all differences between runs, whose true means are 0."""
    topics = centred.shape[1]
    # Of equal runs (sd 0) the mean is 0 too; rounding must not tell them apart.
    tiny = 1e-14 * np.square(centred).sum(axis=1).max(initial=0.0)
    for drawn in counts.T:
        mean = centred @ drawn / topics
        variances = _variances((centred * drawn) @ centred.T / topics) - (mean[:, np.newaxis] - mean) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (mean[:, np.newaxis] - mean) / np.sqrt(np.maximum(variances, 0) / (topics - 1))
        yield np.where(np.abs(mean[:, np.newaxis] - mean) ** 2 <= tiny, 0.0, t)


def _variances(products: Floats) -> Floats:
    """Mean squares of differences [m, m] from mean products [m, m]."""
    squares = np.diag(products)
    return np.maximum(squares[:, np.newaxis] + squares - 2 * products, 0)


def letters(separated: Bools, order: Ints) -> list[str]:
    """A compact letter display: two runs share a letter unless they are separated, bool[m, m]; best of `order` first."""
    # A group is a number whose bits are its runs, the best the lowest.
    groups = [(1 << len(order)) - 1]
    in_order = separated[np.ix_(order, order)]
    for i, j in zip(*np.nonzero(np.triu(in_order)), strict=True):
        pair = 1 << int(i) | 1 << int(j)
        kept = [group for group in groups if group & pair != pair]
        for group in groups:
            if group & pair == pair:
                for half in (group & ~(1 << int(i)), group & ~(1 << int(j))):
                    if not any(half & other == half for other in kept):
                        kept = [other for other in kept if other & half != other] + [half]
        groups = kept
    names = [""] * len(order)
    for number, group in enumerate(sorted(groups, key=_members)):
        for place in _members(group):
            names[int(order[place])] += _letter(number)
    return names


def _members(group: int) -> list[int]:
    """The places of a group's runs, ascending."""
    return [place for place in range(group.bit_length()) if group >> place & 1]


def _letter(number: int) -> str:
    """a to z, A to Z, then a1, b1, ..."""
    round_, place = divmod(number, len(ALPHABET))
    return ALPHABET[place] + (str(round_) if round_ else "")

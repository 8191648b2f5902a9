"""Which runs are really tied: simultaneous intervals of all pairwise differences, ranks and letters.

A pair is separated where its interval, of a width that holds for all pairs at once (max-|t| of the resamples: J. P. Romano
and M. Wolf, JASA 100, 2005), leaves out 0. Letters: H.-P. Piepho, "An algorithm for a letter-based representation of
all-pairwise comparisons", Journal of Computational and Graphical Statistics 13, 2004.
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from irci.types import Bools, Floats, Ints, Ints32

ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_LETTERS = 26  # nobody reads more


class Ranks(NamedTuple):
    """Of m runs: rank (1 the best, equal means the same), the limits within which it lies, and letters.

    Runs that share a letter are separated by none of the comparisons; where more than MOST_LETTERS were needed, all have "-".
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
        letters=letters(better | better.T, np.argsort(-means, kind="stable"), MOST_LETTERS) or ["-"] * len(means),
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


def letters(separated: Bools, order: Ints, most: int | None = None) -> list[str] | None:
    """A compact letter display: two runs share a letter unless they are separated, bool[m, m]; best of `order` first.

    None where it takes more than `most` letters, which real collections may by the hundred.
    """
    groups = list(itertools.islice(_groups(separated[np.ix_(order, order)]), None if most is None else most + 1))
    if most is not None and len(groups) > most:
        return None
    names = [""] * len(order)
    for number, group in enumerate(sorted(groups, key=_members)):
        for place in _members(group):
            names[int(order[place])] += _letter(number)
    return names


def _groups(separated: Bools) -> Iterator[int]:
    """All largest sets of runs without a separated pair, each a number whose bits are its runs.

    The maximal cliques of the graph of pairs that are not separated, one after the other, so that whoever counts can stop
    early. (C. Bron and J. Kerbosch, CACM 16, 1973, with the pivots of E. Tomita et al., Theor. Comput. Sci. 363, 2006.)
    """
    near = [sum(1 << int(other) for other in np.flatnonzero(~row) if other != run) for run, row in enumerate(separated)]
    # What is in the set, what may still join it, and what could but was gone through before.
    stack = [(0, (1 << len(near)) - 1, 0)]
    while stack:
        group, possible, past = stack.pop()
        if not possible | past:
            yield group
            continue
        pivot = max(_members(possible | past), key=lambda run: (near[run] & possible).bit_count())
        for run in _members(possible & ~near[pivot]):
            stack.append((group | 1 << run, possible & near[run], past & near[run]))
            possible &= ~(1 << run)
            past |= 1 << run


def _members(group: int) -> list[int]:
    """The places of a group's runs, ascending."""
    return [place for place in range(group.bit_length()) if group >> place & 1]


def _letter(number: int) -> str:
    """a to z, A to Z, then a1, b1, ..."""
    round_, place = divmod(number, len(ALPHABET))
    return ALPHABET[place] + (str(round_) if round_ else "")

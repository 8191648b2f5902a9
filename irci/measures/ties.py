"""Scores expected over all orders of documents with equal scores, each order as likely as any other.

Closed forms of AP, P, recall, RR and nDCG are those of F. McSherry and M. Najork, "Computing information retrieval performance
measures efficiently in the presence of tied scores", ECIR 2008; success, RBP and ERR are worked out likewise.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irci.base.types import Array, Bools, Floats, Ints, owners
from irci.kernels.measures import INFINITE
from irci.measures.scorers import P_OF_TREC_EVAL, JudgedLists, share

if TYPE_CHECKING:
    from irci.measures.table import Measure

ORDERLESS = ("num_", "set_", "utility")  # begin names of what is retrieved, in whatever order


class Ties(NamedTuple):
    """The ties of the judged documents of `JudgedLists`, int64[...]: the ranks of their first documents, and how many they
    have."""

    first: Ints
    size: Ints


def has_expectation(measure: "Measure") -> bool:
    """True if a measure's score over all orders of ties is known."""
    name = measure.base.family.name
    return name in EXPECTED or name.startswith(ORDERLESS)


def expected_scores(measure: "Measure", lists: JudgedLists, ties: Ties, is_tied: Bools) -> Floats:
    """float64[T]: the mean of a measure's scores over all orders of ties; of topics without any, not bool[T], the score. So it
    is of measures without expectation too, which nobody may ask for: shares of judged documents, for a warning."""
    expected, scores = EXPECTED.get(measure.base.family.name), measure.scores(lists)
    return scores if expected is None else np.where(is_tied, expected(lists, ties, measure.parameter), scores)


def _mean_weights(
    lists: JudgedLists, ties: Ties, gains: Floats, cumulative: Callable[[Ints], Any], cut: int = INFINITE
) -> Floats:
    """Sums over documents of gains[...] times the mean weight of the ranks of their ties; cumulative: of ranks the sums of
    weights down to them."""
    above, last = (np.minimum(ranks, cut) for ranks in (ties.first - 1, ties.first + ties.size - 1))
    weights = (cumulative(last) - cumulative(above)) / ties.size
    return np.asarray(np.bincount(owners(lists.offsets), gains * weights, len(lists.relevant)), np.float64)


def _relevant(lists: JudgedLists) -> Floats:
    return np.asarray(lists.grades >= lists.level, np.float64)


def _hits(lists: JudgedLists, ties: Ties, cut: float | None) -> Floats:
    return _mean_weights(lists, ties, _relevant(lists), lambda ranks: ranks.astype(np.float64), int(cut or INFINITE))


def _gains(grades: Array[Any], *, exponential: bool) -> Floats:
    return np.asarray(np.where(grades > 0, 2.0**grades - 1 if exponential else grades, 0.0), np.float64)


def _ndcg(lists: JudgedLists, ties: Ties, cut: float | None, *, exponential: bool = False) -> Floats:
    cut = int(cut or INFINITE)
    places = np.arange(len(lists.ideal)) - lists.ideal_offsets[owners(lists.ideal_offsets)]
    deepest = max(int((ties.first + ties.size).max(initial=1)), len(places) + 1)
    discounts = np.concatenate(([0.0], np.cumsum(1 / np.log2(np.arange(1, deepest) + 1.0))))
    gained = _mean_weights(lists, ties, _gains(lists.grades, exponential=exponential), discounts.__getitem__, cut)
    best = np.where(places < cut, _gains(lists.ideal, exponential=exponential) / np.log2(places + 2.0), 0.0)
    return share(gained, np.bincount(owners(lists.ideal_offsets), best, len(gained)))


def _rbp(lists: JudgedLists, ties: Ties, persistence: float | None, *, binary: bool = False) -> Floats:
    p = P_OF_TREC_EVAL if persistence is None else persistence
    gains = _relevant(lists)
    if not binary:
        highest = np.ones(len(lists.relevant))
        np.maximum.at(highest, owners(lists.ideal_offsets), lists.ideal)
        gains = np.maximum(lists.grades, 0) / highest[owners(lists.offsets)]
    return _mean_weights(lists, ties, gains, lambda ranks: 1 - p**ranks)


def _each_tie(lists: JudgedLists, ties: Ties, is_counted: Bools) -> Iterator[tuple[int, int, int, Ints]]:
    """Topic, first rank, size, and the rows that count of each tie that has any, in order."""
    rows, topic = np.flatnonzero(is_counted), owners(lists.offsets)
    begins = (np.diff(topic[rows]) != 0) | (np.diff(ties.first[rows]) != 0)
    for part in np.split(rows, np.flatnonzero(begins) + 1) if len(rows) else ():
        yield int(topic[part[0]]), int(ties.first[part[0]]), int(ties.size[part[0]]), part


def _ap(lists: JudgedLists, ties: Ties, cut: float | None) -> Floats:
    totals, hits = np.zeros((2, len(lists.relevant)))
    for topic, first, size, rows in _each_tie(lists, ties, lists.grades >= lists.level):
        places = np.arange(min(size, int(cut or INFINITE) - first + 1))
        # A relevant document there, with those above the tie, itself, and those of the others that stand before it.
        above = hits[topic] + 1 + places * (len(rows) - 1) / max(size - 1, 1)
        totals[topic] += len(rows) / size * (above / (first + places)).sum()
        hits[topic] += len(rows)
    return share(totals, lists.relevant)


def _first_stop(
    lists: JudgedLists, ties: Ties, cut: float | None, *, graded: bool = False, by_rank: bool = True
) -> Floats:
    """The expected 1 / rank, or with `by_rank` False probability, at which a user stops who goes down to the cut: at each
    relevant document, or by its grade as ERR has it."""
    scores, going_on = np.zeros(len(lists.relevant)), np.ones(len(lists.relevant))
    for topic, first, size, rows in _each_tie(lists, ties, lists.grades >= lists.level):
        stops = (2.0 ** lists.grades[rows] - 1) / 2.0**lists.most if graded else np.ones(len(rows))
        ranks = first + np.arange(min(size, int(cut or INFINITE) - first + 1))
        for stop, number in zip(*np.unique(stops, return_counts=True), strict=True):
            passing = np.delete(1 - stops, np.argmax(stops == stop))
            passed = _mean_products(passing, size - 1)[: len(ranks)]
            scores[topic] += going_on[topic] * stop * number / size * (passed / ranks if by_rank else passed).sum()
        going_on[topic] *= (1 - stops).prod()
    return np.minimum(scores, 1.0)  # but for rounding


def _mean_products(factors: Floats, number: int) -> Floats:
    """float64[number + 1]: the mean product of 0, 1, ... of so many numbers, these factors and ones, drawn without
    replacement."""
    means = np.ones(number - len(factors) + 1)
    for factor in factors.tolist():
        drawn = np.arange(len(means) + 1) / len(means)  # the share that draws the new one too
        means = (1 - drawn) * np.append(means, 0.0) + drawn * factor * np.append(0.0, means)
    return means


# By families of the table of measures; each takes the measure's parameter.
EXPECTED: dict[str, Callable[[JudgedLists, Ties, float | None], Floats]] = {
    "map": _ap,
    "map_cut": _ap,
    "recip_rank": _first_stop,
    "P": lambda lists, ties, cut: _hits(lists, ties, cut) / (cut or 1),
    "recall": lambda lists, ties, cut: share(_hits(lists, ties, cut), lists.relevant),
    "relative_P": lambda lists, ties, cut: share(_hits(lists, ties, cut), np.minimum(lists.relevant, cut or INFINITE)),
    "success": partial(_first_stop, by_rank=False),
    "ndcg": _ndcg,
    "ndcg_cut": _ndcg,
    "ndcg_exp": partial(_ndcg, exponential=True),
    "ndcg_exp_cut": partial(_ndcg, exponential=True),
    "rbp": _rbp,
    "rbp_binary": partial(_rbp, binary=True),
    "ERR": partial(_first_stop, graded=True),
}

"""Scorers of the table's rows: float64[T] of one run's lists, with the row's parameter, from the kernels.

`cut` is a rank, None for no cut; a topic without relevant documents scores 0 by most measures (see the table).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from irci.base.types import Floats, Ints
from irci.data.measures.lists import JudgedLists
from irci.kernels import measures
from irci.kernels.measures import INFINITE

RECALLS = tuple(i / 10 for i in range(11))
MULTIPLE_ROUNDING = 0.9  # trec_eval's, of multiples of R: up, but for what is less than a tenth above
P_OF_TREC_EVAL = 0.9


def _down_to_cut(kernel: Callable[..., Any], *others: Any) -> Callable[..., Floats]:
    def score(lists: JudgedLists, cut: int | None = None) -> Floats:
        return np.asarray(kernel(lists, cut or INFINITE, *others))

    return score


found = _down_to_cut(measures.found)
ap = _down_to_cut(measures.average_precision)
reciprocal_rank = _down_to_cut(measures.reciprocal_rank)
ndcg = _down_to_cut(measures.ndcg, False)
ndcg_exp = _down_to_cut(measures.ndcg, True)
q_measure = _down_to_cut(measures.q_measure, 1.0)
p_plus = _down_to_cut(measures.p_plus, 1.0)
err = _down_to_cut(measures.expected_reciprocal_rank, False)
nerr = _down_to_cut(measures.expected_reciprocal_rank, True)


def share(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """float64[T]: part / whole, 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=np.asarray(whole) > 0)


def topics(lists: JudgedLists) -> Floats:
    """1 for each topic."""
    return np.ones(len(lists.relevant))


def retrieved(lists: JudgedLists) -> Floats:
    """The number retrieved."""
    return lists.retrieved.astype(np.float64)


def relevant(lists: JudgedLists) -> Floats:
    """R."""
    return lists.relevant.astype(np.float64)


def r_precision(lists: JudgedLists, multiple: float = 1.0) -> Floats:
    """Precision at so many times R documents."""
    ranks = np.floor(multiple * lists.relevant + MULTIPLE_ROUNDING)
    return np.asarray(measures.precision_at(lists, ranks.astype(np.int64)))


def interpolated_precision(lists: JudgedLists, *recalls: float) -> Floats:
    """The mean of interpolated precisions at these recalls; at the eleven of 11pt_avg if none is given."""
    return np.asarray(measures.interpolated_precision(lists, np.array(recalls or RECALLS)))


def precision(lists: JudgedLists, cut: int) -> Floats:
    """P."""
    return found(lists, cut) / cut


def recall(lists: JudgedLists, cut: int | None = None) -> Floats:
    """recall, and set_recall."""
    return share(found(lists, cut), lists.relevant)


def relative_precision(lists: JudgedLists, cut: int) -> Floats:
    """P over the highest there can be."""
    return share(found(lists, cut), np.minimum(lists.relevant, cut))


def success(lists: JudgedLists, cut: int) -> Floats:
    """1 if any is found."""
    return (found(lists, cut) > 0).astype(np.float64)


def set_precision(lists: JudgedLists) -> Floats:
    """set_P."""
    return share(found(lists), lists.retrieved)


def set_relative_precision(lists: JudgedLists) -> Floats:
    """set_P over the highest there can be."""
    return share(found(lists), np.minimum(lists.retrieved, lists.relevant))


def set_map(lists: JudgedLists) -> Floats:
    """set_P times set_recall."""
    return share(found(lists) ** 2, lists.retrieved * lists.relevant)


def set_f(lists: JudgedLists, beta: float = 1.0) -> Floats:
    """F of set_P and set_recall."""
    p, r = set_precision(lists), recall(lists)
    return share((beta + 1) * p * r, r + beta * p)


def utility(lists: JudgedLists) -> Floats:
    """Relevant documents retrieved less the others."""
    return 2 * found(lists) - lists.retrieved


def judged_not_relevant(lists: JudgedLists) -> Floats:
    """Judged documents retrieved that are not relevant."""
    return np.asarray(measures.judged(lists, INFINITE) - found(lists))


def unjudged(lists: JudgedLists, cut: int) -> Floats:
    """unj: places below the end of the ranking count as judged."""
    return np.asarray((np.minimum(lists.retrieved, cut) - measures.judged(lists, cut)) / cut)


def judged(lists: JudgedLists, cut: int | None = None) -> Floats:
    """Judged: there are no places below the end of the ranking."""
    return share(measures.judged(lists, cut or INFINITE), np.minimum(lists.retrieved, cut or INFINITE))


def rbp(lists: JudgedLists, p: float = P_OF_TREC_EVAL) -> Floats:
    """RBP with gains."""
    return np.asarray(measures.rank_biased_precision(lists, p))


def rbp_residual(lists: JudgedLists, p: float = P_OF_TREC_EVAL) -> Floats:
    """The residual of RBP."""
    return np.asarray(measures.rank_biased_residual(lists, p))

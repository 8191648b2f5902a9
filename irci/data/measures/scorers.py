"""How each row of the table scores one run: float64[T] of its lists, with the row's parameter, from the kernels.

`cut` is a rank, None for no cut; a topic without relevant documents scores 0 by most measures (see the table).
"""

import numpy as np

from irci.base.types import Floats, Ints
from irci.data.measures.lists import JudgedLists
from irci.kernels import measures
from irci.kernels.measures import INFINITE

RECALLS = tuple(i / 10 for i in range(11))
MULTIPLE_ROUNDING = 0.9  # trec_eval's, of multiples of R: up, but for what is less than a tenth above
P_OF_TREC_EVAL = 0.9


def share(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """part / whole, 0 where there is no whole."""
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


def found(lists: JudgedLists, cut: int | None = None) -> Floats:
    """Relevant documents retrieved."""
    number: Floats = measures.found(lists, cut or INFINITE)
    return number


def ap(lists: JudgedLists, cut: int | None = None) -> Floats:
    """AP, and map_cut."""
    score: Floats = measures.average_precision(lists, cut or INFINITE)
    return score


def r_precision(lists: JudgedLists, multiple: float = 1.0) -> Floats:
    """Precision at so many times R documents."""
    ranks = np.floor(multiple * lists.relevant + MULTIPLE_ROUNDING)
    score: Floats = measures.precision_at(lists, ranks.astype(np.int64))
    return score


def reciprocal_rank(lists: JudgedLists, cut: int | None = None) -> Floats:
    """1 / rank of the first relevant document down to the cut."""
    score: Floats = measures.reciprocal_rank(lists, cut or INFINITE)
    return score


def interpolated_precision(lists: JudgedLists, recall: float) -> Floats:
    """Interpolated precision at one recall."""
    score: Floats = measures.interpolated_precision(lists, np.array([recall]))
    return score


def eleven_points(lists: JudgedLists) -> Floats:
    """The mean of interpolated precisions."""
    score: Floats = measures.interpolated_precision(lists, np.array(RECALLS))
    return score


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


def ndcg(lists: JudgedLists, cut: int | None = None) -> Floats:
    """ndcg, and ndcg_cut."""
    score: Floats = measures.ndcg(lists, cut or INFINITE, False)
    return score


def ndcg_exp(lists: JudgedLists, cut: int | None = None) -> Floats:
    """ndcg with gains 2^grade - 1."""
    score: Floats = measures.ndcg(lists, cut or INFINITE, True)
    return score


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
    number: Floats = measures.judged(lists, INFINITE) - found(lists)
    return number


def unjudged(lists: JudgedLists, cut: int) -> Floats:
    """unj: places below the end of the ranking count as judged."""
    share: Floats = (np.minimum(lists.retrieved, cut) - measures.judged(lists, cut)) / cut
    return share


def judged(lists: JudgedLists, cut: int | None = None) -> Floats:
    """Judged: there are no places below the end of the ranking."""
    return share(measures.judged(lists, cut or INFINITE), np.minimum(lists.retrieved, cut or INFINITE))


def rbp(lists: JudgedLists, p: float = P_OF_TREC_EVAL) -> Floats:
    """RBP with gains."""
    score: Floats = measures.rank_biased_precision(lists, p)
    return score


def rbp_residual(lists: JudgedLists, p: float = P_OF_TREC_EVAL) -> Floats:
    """The residual of RBP."""
    score: Floats = measures.rank_biased_residual(lists, p)
    return score


def q_measure(lists: JudgedLists, cut: int | None = None) -> Floats:
    """Q with beta 1."""
    score: Floats = measures.q_measure(lists, cut or INFINITE, 1.0)
    return score


def p_plus(lists: JudgedLists, cut: int | None = None) -> Floats:
    """P+ with beta 1."""
    score: Floats = measures.p_plus(lists, cut or INFINITE, 1.0)
    return score


def err(lists: JudgedLists, cut: int | None = None) -> Floats:
    """ERR."""
    score: Floats = measures.expected_reciprocal_rank(lists, cut or INFINITE, lists.most, False)
    return score


def nerr(lists: JudgedLists, cut: int | None = None) -> Floats:
    """ERR over that of the best ranking."""
    score: Floats = measures.expected_reciprocal_rank(lists, cut or INFINITE, lists.most, True)
    return score

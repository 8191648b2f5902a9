"""Ranks that order documents in place of scores; and documents that a topic has twice."""

from typing import Literal

import numpy as np

from irci.base.types import Floats, Ints, Lines, offsets, owners
from irci.kernels.ranking import are_counted
from irci.kernels.scan import WHOLE

# Whether ranks may be lacking, as where documents were left out, or are 1, 2, ... in every topic (or 0, 1, ... in every one),
# as numbers must be that are not said to be ranks.
Gaps = Literal["with gaps", "without gaps"]
SAID = "are these scores? A header says so: query_id, doc_id, score, with tabs between them"
ANY = "below a header (query_id, doc_id, rank, with tabs between them) ranks begin anywhere"


def whole(numbers: Floats) -> tuple[Ints, Ints]:
    """int64[L]: whole numbers; and the places of those that are none, or too large to tell."""
    is_whole = (np.abs(numbers) < WHOLE) & (numbers == np.floor(numbers))
    return np.where(is_whole, numbers, 0).astype(np.int64), np.flatnonzero(~is_whole)


def has_fractions(numbers: Floats) -> bool:
    """True if some are no whole numbers, as grades are."""
    return bool((np.floor(numbers) < numbers).any())


def wrong_ranks(rank: Floats, lines: Lines, edges: Ints, gaps: Gaps) -> tuple[Ints, str] | None:
    """Lines whose rank is none, and why: those of the first kind of which there are some.

    rank float64[L]; lines by topic, those of topic g at edges int64[G+1].
    """
    sizes, first = np.diff(edges), edges[:-1][np.diff(edges) > 0]
    if are_counted(rank, lines, edges):  # as nearly always
        return None if gaps == "with gaps" else _other_beginnings(rank, lines[first])
    of_line, topic = rank[lines], owners(edges)
    wrong = np.append(whole(rank)[1], np.flatnonzero(rank < 0))
    if len(wrong):
        return np.unique(wrong), "is not a whole number from 0 on" + f"; {SAID}" * (gaps == "without gaps")
    order = np.lexsort((of_line, topic))
    again = order[1:][(np.diff(topic[order]) == 0) & (np.diff(of_line[order]) == 0)]
    if len(again):
        return lines[again].astype(np.int64), f"twice in its topic; {SAID}"
    if gaps == "with gaps":
        return None
    lowest = np.repeat(of_line[order[first]], sizes[sizes > 0])
    beyond = np.flatnonzero((of_line - lowest >= np.repeat(sizes, sizes)) | (lowest > 1))
    if len(beyond):
        return lines[beyond].astype(np.int64), f"where a topic has ranks 1, 2, ... or 0, 1, ...; {SAID}"
    falls = np.diff(of_line)[np.diff(topic) == 0] < 0
    if len(falls) and falls.all():
        return lines[first[:1]].astype(np.int64), f"first, and the others fall from line to line; {SAID}"
    return _other_beginnings(rank, lines[order[first]])


def _other_beginnings(rank: Floats, begins: Lines) -> tuple[Ints, str] | None:
    # The lines with the lowest ranks, one a topic, that begin with 0 where most topics do with 1, or the reverse.
    is_zero = rank[begins] == 0
    if is_zero.all() or not is_zero.any():
        return None
    usual = int(2 * np.count_nonzero(is_zero) <= len(begins))
    return begins[is_zero == usual].astype(np.int64), f"begins its topic, where others begin with {usual}; {ANY}"


def without_duplicates(score: Floats, precedence: Ints, lines: Lines, edges: Ints, again: Ints) -> tuple[Lines, Ints]:
    """Lines by topic, and where each topic's begin, without all but the best of those with the same document: that with the
    highest score, of these that with the lowest precedence int64[L] (int64[0]: none), of these the first.

    again int64[D, 2]: lines with a document that their topic has before, and the first lines with it.
    """
    first = np.unique(again[:, 1])
    of, those = np.concatenate((first, again[:, 1])), np.concatenate((first, again[:, 0]))
    places = precedence[those] if len(precedence) else np.zeros(len(those), np.int64)
    order = np.lexsort((those, places, -score[those], of))
    is_kept = np.ones(len(score), np.bool_)
    is_kept[those[order[1:][np.diff(of[order]) == 0]]] = False
    kept = is_kept[lines]
    return lines[kept], offsets(kept)[edges]

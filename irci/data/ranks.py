"""Ranks that order documents in place of scores; and documents that a topic has twice."""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from irci.base.types import Floats, Ints, Lines, offsets, owners
from irci.kernels.ranking import are_counted

# Whether ranks may be lacking, as where documents were left out, or are 1, 2, ... (or 0, 1, ...), as numbers must be that are
# not said to be ranks.
Gaps = Literal["with gaps", "without gaps"]
SAID = "are these scores? A header says so: query_id, doc_id, score, with tabs between them"
WHOLE = 2.0**53  # below it a double holds every whole number


def whole(numbers: Floats) -> tuple[Ints, Ints]:
    """int64[L]: whole numbers; and the places of those that are none, or too large to tell."""
    is_whole = (np.abs(numbers) < WHOLE) & (numbers == np.floor(numbers))
    return np.where(is_whole, numbers, 0).astype(np.int64), np.flatnonzero(~is_whole)


def wrong_ranks(rank: Floats, lines: Lines, edges: Ints, gaps: Gaps) -> Iterator[tuple[Ints, str]]:
    """Lines whose rank is none, and why: by kinds, of which the next ones are looked for if there are none of a kind.

    rank float64[L]; lines by topic, those of topic g at edges int64[G+1].
    """
    if are_counted(rank, lines, edges):
        return  # as nearly always
    sizes, first = np.diff(edges), edges[:-1][np.diff(edges) > 0]
    of_line = rank[lines]
    wrong = np.append(whole(rank)[1], np.flatnonzero(rank < 0))
    if len(wrong):
        yield np.unique(wrong), "is not a whole number from 0 on"
        return
    lowest = np.repeat(np.minimum.reduceat(of_line, first), sizes[sizes > 0])
    topic = owners(edges)
    order = np.lexsort((of_line, topic))
    again = order[1:][(np.diff(topic[order]) == 0) & (np.diff(of_line[order]) == 0)]
    if len(again):
        yield lines[again].astype(np.int64), f"twice in its topic; {SAID}"
        return
    if gaps == "with gaps":
        return
    beyond = np.flatnonzero((of_line - lowest >= np.repeat(sizes, sizes)) | (lowest > 1))
    if len(beyond):
        yield lines[beyond].astype(np.int64), f"where a topic has ranks 1, 2, ... or 0, 1, ...; {SAID}"
        return
    falls = np.diff(of_line)[np.diff(topic) == 0] < 0
    if len(falls) and falls.all():
        yield lines[first[:1]].astype(np.int64), f"first, and the others fall from line to line; {SAID}"


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

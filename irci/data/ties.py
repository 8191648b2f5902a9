"""Ties: the orders of documents with equal scores that favour a run least and most."""

import numpy as np

from irci.base.types import Bools, Floats, Ints, owners
from irci.data.collection import JudgedRun
from irci.data.rankings import Qrels, Run

UNJUDGED = 0.5  # between what is judged irrelevant and what is relevant


def extremes(run: Run, judged: JudgedRun, qrels: Qrels) -> tuple[JudgedRun, JudgedRun]:
    """The run as it is judged with the documents of each tie by grade, from the lowest and from the highest: the orders that
    measures of relevance like least and most, as any two neighbours in the wrong order would do better exchanged. Ties across
    --depth are told of as far as it reaches."""
    group, tied = _groups(run, judged)
    places = judged.line_offsets[owners(judged.offsets)] + judged.ranks - 1
    concerned = np.zeros(len(tied), np.bool_)
    concerned[group[places]] = True
    moved = np.flatnonzero((concerned & tied)[group])
    grades = np.full(len(group), UNJUDGED)
    grades[places] = qrels.grade[judged.rows]
    return _by_grade(judged, places, group, moved, grades), _by_grade(judged, places, group, moved, -grades)


def _groups(run: Run, judged: JudgedRun) -> tuple[Ints, Bools]:
    """int64[N]: the tie that each retrieved document is in, in order; and bool[G]: the ties of more than one."""
    score = run.score[judged.lines]
    begins = np.ones(len(score), np.bool_)
    begins[1:] = score[1:] != score[:-1]
    begins[judged.line_offsets[:-1][np.diff(judged.line_offsets) > 0]] = True
    group = np.cumsum(begins) - 1
    return group, np.bincount(group, minlength=1) > 1


def _by_grade(judged: JudgedRun, places: Ints, group: Ints, moved: Ints, keys: Floats) -> JudgedRun:
    """The judged run with the documents at the places moved by their keys, within each tie."""
    found = np.arange(len(group))
    found[moved[np.lexsort((keys[moved], group[moved]))]] = moved
    by_place = np.argsort(found[places])  # topics stay in order
    first = judged.line_offsets[owners(judged.offsets)]
    ranks = (found[places][by_place] - first + 1).astype(judged.ranks.dtype)
    return judged._replace(ranks=ranks, rows=judged.rows[by_place])

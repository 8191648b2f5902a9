"""Whom does another judge favour? Each run's score by that judge less its score by the first, over topics.

Only the bias relative to the mean of all runs can change an order; it depends on which runs those are.
"""

from dataclasses import dataclass

import numpy as np

from irci.base.types import Bools, Floats
from irci.stats.signs import paired_t_or_signs
from irci.stats.tests import SAME_SUM, PairedTest, adjusted


@dataclass(frozen=True)
class Biases:
    """Paired t tests, of R runs each, and their p adjusted by Holm's method: the bias of each run, and relative to all."""

    absolute: PairedTest
    relative: PairedTest
    p_adjusted: tuple[Floats, Floats]


def biases(first: Floats, second: Floats, confidence: float) -> Biases:
    """Biases by scores first[R, T] and second[R, T] of the same runs on the same topics by either judge."""
    differences = _differences(first, second)
    absolute = paired_t_or_signs(differences, confidence)
    relative = paired_t_or_signs(_but_for_rounding(differences - differences.mean(axis=0), differences), confidence)
    return Biases(absolute, relative, (adjusted(absolute.p, "holm"), adjusted(relative.p, "holm")))


def contrast(first: Floats, second: Floats, group: Bools, confidence: float) -> PairedTest:
    """The mean bias of the runs of a group, bool[R], less that of the others, topic by topic: a test of one."""
    differences = _differences(first, second)
    of_topics = differences[group].mean(axis=0) - differences[~group].mean(axis=0)
    return paired_t_or_signs(_but_for_rounding(of_topics[np.newaxis], differences), confidence)


def _differences(first: Floats, second: Floats) -> Floats:
    """float64[R, T]: second less first; 0 where the same score comes of other grades, as nDCG of 0 and 3 for 0 and 1."""
    return _but_for_rounding(second - first, np.stack((first, second)).reshape(-1, first.shape[1]))


def _but_for_rounding(found: Floats, of: Floats) -> Floats:
    """found[R, T], 0 where it is rounding beside what it comes `of`, float64[N, T]."""
    return np.where(np.abs(found) <= SAME_SUM * np.abs(of).max(axis=0), 0.0, found)

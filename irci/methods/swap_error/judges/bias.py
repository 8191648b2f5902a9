"""Whom does another judge favour? Each run's score by that judge less its score by the first, over topics.

Only the bias relative to the mean of all runs can change an order; it depends on which runs those are.
"""

from dataclasses import dataclass

import numpy as np

from irci.stats.tests import SAME_SUM, PairedTest, adjusted, paired_t
from irci.types import Bools, Floats


@dataclass(frozen=True)
class Biases:
    """Paired t tests, of R runs each, and their p adjusted by Holm's method: the bias of each run, and relative to all."""

    absolute: PairedTest
    relative: PairedTest
    p_adjusted: tuple[Floats, Floats]


def biases(first: Floats, second: Floats, confidence: float) -> Biases:
    """Of scores first[R, T] and second[R, T] by either judge of the same runs on the same topics."""
    differences = second - first
    absolute = paired_t(differences, confidence)
    relative = paired_t(_relative(differences), confidence)
    return Biases(absolute, relative, (adjusted(absolute.p, "holm"), adjusted(relative.p, "holm")))


def _relative(differences: Floats) -> Floats:
    """Less the mean over runs; what is left of runs that do not differ is rounding."""
    found = differences - differences.mean(axis=0)
    return np.where(np.abs(found) <= SAME_SUM * np.abs(differences).max(axis=0), 0.0, found)


def contrast(first: Floats, second: Floats, group: Bools, confidence: float) -> PairedTest:
    """The mean bias of the runs of a group, bool[R], less that of the others, topic by topic: a test of one."""
    differences = second - first
    of_topics = differences[group].mean(axis=0) - differences[~group].mean(axis=0)
    return paired_t(of_topics[np.newaxis], confidence)

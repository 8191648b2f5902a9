"""Are two runs the same but for a margin? Two one-sided tests, of a difference at or below -low and at or above high.

Both must reject, each at level alpha: no correction is needed for there being two. Not finding a difference says nothing of
the kind. D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for assessing the
equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15, 1987.
"""

from typing import NamedTuple

import numpy as np

from irci.base.types import Floats
from irci.stats.intervals import t_interval
from irci.stats.scales import mean_over_topics
from irci.stats.tests import without_spread
from irci.system import special


class Equivalence(NamedTuple):
    """Equivalence of P pairs, float64[P] each: p, and limits at confidence 1 - 2 alpha, which lie within the margin where p <
    alpha."""

    p: Floats
    lower: Floats
    upper: Floats


def equivalence_t(differences: Floats, low: Floats | float, high: Floats | float, alpha: float) -> Equivalence:
    """Two one-sided t tests of differences[P, T] for -low < mean < high; margins above 0, one or P of them.

    Without spread p is 0 for a difference inside the margins and 1 for one outside; with one topic all is nan.
    """
    topics = differences.shape[1]
    if topics < 2:
        nothing = np.full(len(differences), np.nan)
        return Equivalence(nothing, nothing, nothing)
    mean = mean_over_topics(differences.T)
    squares = topics * mean_over_topics((differences.T - mean) ** 2)
    error = np.where(without_spread(differences), 0.0, np.sqrt(squares / topics / (topics - 1)))
    below, above = mean + low, mean - high
    with np.errstate(divide="ignore", invalid="ignore"):
        # The lower tails of both: 1 - F would lose digits.
        p = np.maximum(special.stdtr(topics - 1, -below / error), special.stdtr(topics - 1, above / error))
    p = np.where(error > 0, p, np.where((below > 0) & (above < 0), 0.0, 1.0))
    return Equivalence(p, *t_interval(mean, error, topics - 1, 1 - 2 * alpha))

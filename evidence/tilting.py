"""Equal runs that keep what the data have: topics of a pair weighted so that the mean difference is 0, or any other.

Weights w_t ~ exp(l D_t) (B. Efron, "Nonparametric standard errors and confidence intervals", Canadian Journal of Statistics
9, 1981) leave differences of 0 as they are, and the range and the skew. Subtracting the mean makes differences of -d of all
those that are 0: where runs often have the same score, that is another population, on which tests by ranks and signs fail.
"""

import numpy as np

from irci.base.types import Floats

LEAST_DIFFERING = 6  # topics of a pair
LEAST_EFFECTIVE = 0.7  # of its topics: 1 / sum w^2
HALVINGS = 200


def tilting_weights(differences: Floats, delta: float = 0.0) -> Floats | None:
    """Weights[T] ~ exp(l D_t), adding up to 1, that give differences[T] the mean delta; None unless it lies between them."""
    beyond = differences - delta
    if beyond.min() >= 0 or beyond.max() <= 0:
        return None
    low, high = -1.0, 1.0
    while _mean(beyond, low) > 0:
        low *= 2
    while _mean(beyond, high) < 0:
        high *= 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _mean(beyond, middle) < 0 else (low, middle)
    return _weights(beyond, (low + high) / 2)


def usable_weights(differences: Floats, delta: float = 0.0) -> Floats | None:
    """Those weights, unless few topics differ or a few have most of the weight."""
    weights = tilting_weights(differences, delta)
    if weights is None or np.count_nonzero(differences) < LEAST_DIFFERING:
        return None
    return weights if 1 / (weights**2).sum() >= LEAST_EFFECTIVE * len(differences) else None


def _mean(beyond: Floats, slope: float) -> float:
    return float(_weights(beyond, slope) @ beyond)


def _weights(beyond: Floats, slope: float) -> Floats:
    exponents = slope * beyond
    weights = np.exp(exponents - exponents.max())
    return np.asarray(weights / weights.sum())

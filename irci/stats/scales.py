"""Means over topics, and the scales they are taken on: scores as they are, their logits (L-MAP) or their logarithms (GMAP)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from irci.base.types import Floats

# Where the logit of 0 and 1 is taken: GMAP's floor.
EPSILON = 1e-5
GEOMETRIC_FLOOR = 1e-5


def clamped_logit(scores: Floats, epsilon: float = EPSILON) -> Floats:
    """ln(p / (1 - p)) of p moved into [epsilon, 1 - epsilon]."""
    clamped = np.clip(scores, epsilon, 1 - epsilon)
    return np.log(clamped / (1 - clamped))


def expit(logits: Floats) -> Floats:
    """The inverse of the logit."""
    with np.errstate(over="ignore"):  # exp of a large number is inf, whose inverse is the right limit
        probabilities: Floats = 1 / (1 + np.exp(-logits))
    return probabilities


def floored_log(scores: Floats) -> Floats:
    """ln p of p at least GMAP's floor."""
    return np.log(np.maximum(scores, GEOMETRIC_FLOOR))


def _same(scores: Floats) -> Floats:
    return scores


@dataclass(frozen=True)
class Scale:
    """A scale: what a score becomes on it, and the way back."""

    name: str
    forward: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]


PLAIN = Scale("", _same, _same)
LOG = Scale("log", floored_log, np.exp)


def logit_scale(epsilon: float = EPSILON) -> Scale:
    """The scale of log odds, 0 and 1 moved inwards by epsilon."""
    return Scale("logit", partial(clamped_logit, epsilon=epsilon), expit)


def mean_over_topics(scores: Floats) -> Floats:
    """The mean over the first axis, added up in topic order as trec_eval does (numpy's pairwise sum may differ)."""
    return added_up(scores) / len(scores)


def added_up(scores: Floats) -> Floats:
    """The sum over the first axis in its order, whatever else there is along the others."""
    total = np.zeros(scores.shape[1:])
    for each in scores:
        total = total + each
    return total

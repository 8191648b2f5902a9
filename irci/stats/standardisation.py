"""Scores standardised over systems, so that every topic counts alike.

Webber, Moffat & Zobel, SIGIR 2008 (z, and its normal distribution function); Sakai, ICTIR 2016 (std-AB).
"""

import numpy as np

from irci.base.choices import Standardisation
from irci.base.types import Floats
from irci.system import special

SLOPE, MIDDLE = 0.15, 0.5  # of std-AB


def reference_factors(scores: Floats, ddof: int = 1) -> tuple[Floats, Floats]:
    """The mean and sd of scores[..., runs, topics] over the reference runs, each [..., topics]; sd nan where all are equal."""
    # Equal scores may leave a sum of rounding errors for a variance.
    same = np.ptp(scores, axis=-2) == 0
    with np.errstate(invalid="ignore", divide="ignore"):
        sd = scores.std(axis=-2, ddof=ddof) if scores.shape[-2] > ddof else np.zeros(same.shape)
    return scores.mean(axis=-2), np.where(same | ~(sd > 0), np.nan, sd)


def standardised(scores: Floats, mean: Floats, sd: Floats, kind: Standardisation) -> Floats:
    """Scores by a reference's factors: `z`, (score - mean) / sd; `cdf`: the normal distribution function of it, in (0, 1);
    `ab`: .15 z + .5, clipped to [0, 1]."""
    z: Floats = (scores - mean) / sd
    match kind:
        case "z":
            return z
        case "cdf":
            return np.asarray(special.ndtr(z), np.float64)
        case "ab":
            return np.clip(SLOPE * z + MIDDLE, 0, 1)

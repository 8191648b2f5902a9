"""Scores standardised over systems, so that every topic counts alike.

Webber, Moffat & Zobel, SIGIR 2008 (z, and its normal distribution function); Sakai, ICTIR 2016 (std-AB).
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

KINDS = ("z", "cdf", "ab")
SLOPE, MIDDLE = 0.15, 0.5  # of std-AB


def standardise(scores: Floats, kind: str) -> Floats:
    """Scores [runs, topics] less their topic's mean over runs, over its sd (ddof 1); nan where that is 0 or undefined.

    `z` as it is; `cdf`: the normal distribution function of it, in (0, 1); `ab`: .15 z + .5, clipped to [0, 1].
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        sd = scores.std(axis=0, ddof=1) if len(scores) > 1 else np.zeros(scores.shape[1])
        # Equal scores may leave a sum of rounding errors for a variance.
        same = np.ptp(scores, axis=0) == 0
        z = np.where((sd > 0) & ~same, (scores - scores.mean(axis=0)) / sd, np.nan)
    match kind:
        case "z":
            return z
        case "cdf":
            from scipy.special import ndtr

            return np.asarray(ndtr(z), np.float64)
        case _:
            return np.clip(SLOPE * z + MIDDLE, 0, 1)

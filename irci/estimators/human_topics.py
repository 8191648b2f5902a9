"""Topics that people must judge, if a judge (a language model's, say) has judged many?

Plans what `irci.estimators.compare.prediction_powered` will do with a tuned lambda: from the variance of a run's scores over
topics, the correlation of the judge's scores with people's, and the number of topics that the judge has. Scores are taken as
normal; lambda is estimated, which costs (n - 2)/(n - 3) and a degree of freedom.

W. G. Cochran, Sampling Techniques, 1977, chapters 7 and 12 (regression estimator, two-phase sampling).
"""

from typing import Literal

import numpy as np

from irci.base.types import Floats, Ints
from irci.system import special

FEWEST = 4
LEAST_OTHERS = 2  # topics of the judge's alone, for it to help over new topics
AT_ONCE = 4096
Varies = Literal["topics", "judgments"]


def widths(human: Ints, variance: float, correlation: float, judged: int, varies: Varies, confidence: float) -> Floats:
    """float64[k]: the width 2 t se of a mean's interval with so many human topics [k], no more than `judged`, at least 4.

    New topics: se^2 = sigma^2 (1 - r^2)/n (n - 2)/(n - 3) + sigma^2 r^2/M with Satterthwaite's degrees of freedom; these:
    (1 - n/M) sigma^2 (1 - r^2)/n (n - 2)/(n - 3), t with n - 2. Without a correlation, or for new topics without two
    topics that only the judge has, the classical interval, n - 1.
    """
    n = human.astype(np.float64)
    helps = (correlation > 0) & ((varies == "judgments") | (n <= judged - LEAST_OTHERS))
    degrees = np.where(helps, n - 2, n - 1)
    shared = np.where(helps, correlation**2, 0.0)
    v1 = variance * (1 - shared) / n * np.where(helps, (n - 2) / (n - 3), 1.0)
    v2 = variance * shared / judged
    if varies == "judgments":
        v1, v2 = v1 * (1 - n / judged), np.zeros_like(n)
    elif variance > 0:
        degrees = np.where(helps, (v1 + v2) ** 2 / (v1**2 / degrees + v2**2 / (judged - 1)), degrees)
    return np.asarray(2 * special.stdtrit(degrees, (1 + confidence) / 2) * np.sqrt(v1 + v2))


def least_width(variance: float, correlation: float, judged: int, varies: Varies, confidence: float) -> float:
    """The width that no number of human topics makes narrower. It falls up to where too few topics are the judge's alone."""
    last = np.arange(max(FEWEST, judged - LEAST_OTHERS), judged + 1)
    return float(widths(last, variance, correlation, judged, varies, confidence).min())


def topics_needed(
    width: float, variance: float, correlation: float, judged: int, varies: Varies, confidence: float
) -> int | None:
    """The fewest human topics, at least 4, whose interval is no wider; None if not even all that the judge has will do."""
    for first in range(FEWEST, judged + 1, AT_ONCE):
        human = np.arange(first, min(first + AT_ONCE, judged + 1))
        narrow = widths(human, variance, correlation, judged, varies, confidence) <= width
        if narrow.any():
            return int(human[np.argmax(narrow)])
    return None


def within_correlation(y: Floats, f: Floats) -> float:
    """The correlation of y[n, m] and f[n, m] within columns, over all of them; 0 where either does not vary, or below 0."""
    y, f = y - y.mean(axis=0), f - f.mean(axis=0)
    squares = float((y**2).sum() * (f**2).sum())
    return max(float((y * f).sum()) / np.sqrt(squares), 0.0) if squares > 0 else 0.0

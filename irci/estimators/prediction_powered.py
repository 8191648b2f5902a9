"""Means of scores that people's judgments give on a few topics and a judge's (a language model's, say) on all of them.

Estimated is the mean human score: over exactly these topics (`judgments`), or over all topics of their kind (`topics`). The
judge's mean over all topics is corrected by how far it is out, on average, on the topics that people judged too. Assumes that
those were drawn by lot, and that the judge worked alike on all topics; how good it is makes limits narrow or wide, not wrong.
For a difference of two runs all scores are differences.

A. N. Angelopoulos et al., "Prediction-powered inference", Science 382, 2023 (lambda = 1); A. N. Angelopoulos, J. C. Duchi and
T. Zrnic, "PPI++", arXiv 2311.01453 (tuned, there with the variance of all f); H. Oosterhuis et al., KDD 2024. They are the
difference and the regression estimator of W. G. Cochran, Sampling Techniques, 1977, chapters 7 and 12. Quantiles are t's here,
not z's, which hold too seldom with few topics.

Topics that people must judge, if a judge (a language model's, say) has judged many?

Plans what `prediction_powered` will do with a tuned lambda: from the variance of a run's scores over
topics, the correlation of the judge's scores with people's, and the number of topics that the judge has. Scores are taken as
normal; lambda is estimated, which costs (n - 2)/(n - 3) and a degree of freedom.

W. G. Cochran, Sampling Techniques, 1977, chapters 7 and 12 (regression estimator, two-phase sampling).
"""

from typing import Literal, NamedTuple

import numpy as np

from irci.base import Record
from irci.base.types import Bools, Floats, Ints
from irci.stats.tests import different_rows, without_spread
from irci.system import special

Varies = Literal[
    "topics", "judgments"
]  # new topics; or these, whose human judgments on others than a sample are unknown

FEWEST, FEW = 4, 10  # human topics: refused below, warned of below
TUNED_FROM = 20
RUNS_POOLED = 5  # fewer have no slope in common
LEAST_OTHERS = 2  # topics of the judge's alone, for lambda to be other than 0 over new topics
NEAR, FEW_FARTHER = 0.01, 10  # of the scale about the median difference; fewer topics that lie farther show too little
# A sum of squares smaller than this share of the whole is rounding.
SAME = 1e-12


class Estimate(NamedTuple):
    """Estimates of P means, float64[P] each: the estimate, its limits, p of the t test of 0, degrees of freedom, lambda, the
    width as a share of what the human topics alone give (nan where that is 0), the standard error, the judge's mean over all
    topics, and the correlation of both's scores of the human topics (nan where either does not vary)."""

    value: Floats
    lower: Floats
    upper: Floats
    p: Floats
    df: Floats
    lam: Floats
    gain: Floats
    error: Floats
    judge_mean: Floats
    r: Floats


class BothScores(Record):
    """Estimates of P runs or pairs: `human` float64[P, n] and `judge` float64[P, n] on the human topics, `others` float64[P,
    N] of the judge on the rest."""

    human: Floats
    judge: Floats
    others: Floats

    @property
    def number(self) -> int:
        """Human topics."""
        return int(self.human.shape[-1])

    @property
    def rest(self) -> int:
        """Other topics."""
        return int(self.others.shape[-1])


def prediction_powered(scores: BothScores, varies: Varies, lam: float | None, confidence: float) -> Estimate:
    """The mean of y, corrected by lambda times (the judge's mean elsewhere - its mean on the human topics).

    `topics`: elsewhere is on the other topics, se^2 = v1 + lambda^2 var(others)/N; `judgments`: on all, se^2 = v1 (1 - n/M).
    `lam` a number: v1 = s^2(y - lambda f)/n; None: tuned, v1 by the jackknife; 0: the human topics alone, whose t limits are
    narrower for these topics (Cochran 2.19). Limits by t with Satterthwaite's degrees of freedom, n - 1 for `judgments`.
    Without other topics (for `topics`, two of them) lambda is 0.
    """
    n, rest = scores.number, scores.rest
    new = varies == "topics"
    centred_y, centred_f = _centred(scores.human), _centred(scores.judge)
    y: Floats = scores.human.mean(axis=-1)
    f: Floats = scores.judge.mean(axis=-1)
    has_others = rest >= (LEAST_OTHERS if new else 1)
    mean_elsewhere = scores.others.mean(axis=-1) if has_others else f
    centre = mean_elsewhere if new else (n * f + rest * mean_elsewhere) / (n + rest)
    lambdas = np.full(len(y), 0.0 if not has_others or lam is None else lam)
    if lam is None and has_others:
        lambdas = _slope(scores, new)
    v1 = (_centred(scores.human - lambdas[:, np.newaxis] * scores.judge) ** 2).sum(axis=-1) / (n - 1) / n
    if lam is None and has_others:
        v1 = np.where(lambdas > 0, _jackknife(scores, centre, new), v1)
    v2 = lambdas**2 * scores.others.var(axis=-1, ddof=1) / rest if new and has_others else np.zeros(len(y))
    alone = (centred_y**2).sum(axis=-1) / (n - 1) / n
    if not new:
        v1, alone = v1 * (rest / (n + rest)), alone * (rest / (n + rest))
    value = y + lambdas * (centre - f)
    # From the parts of the variance, and that of human topics alone, to limits and p.
    degrees, one = n - 1, np.ones(len(value))
    with np.errstate(invalid="ignore", divide="ignore"):
        both = (v1 + v2) ** 2 / (v1**2 / degrees + v2**2 / (rest - 1))
        df = np.where(v2 > 0, both, degrees * one)
        error = np.sqrt(v1 + v2)
        margin = special.stdtrit(df, (1 + confidence) / 2) * error
        width_alone = special.stdtrit(degrees * one, (1 + confidence) / 2) * np.sqrt(alone)
        gain = np.where(width_alone > 0, margin / width_alone, np.nan)
        p = np.where(error > 0, 2 * special.stdtr(df, -np.abs(value) / error), np.nan)
        r = (centred_y * centred_f).sum(axis=-1) / np.sqrt((centred_y**2).sum(axis=-1) * (centred_f**2).sum(axis=-1))
    judge_mean = np.concatenate([scores.judge, scores.others], axis=-1).mean(axis=-1)
    return Estimate(value, value - margin, value + margin, p, df, lambdas, gain, error, judge_mean, r)


def _centred(values: Floats) -> Floats:
    """values[P, n] less their mean; exactly 0 where all are the same but for rounding."""
    relative: Floats = np.where(without_spread(values)[:, np.newaxis], 0.0, values - values[:, :1])
    return np.asarray(relative - relative.mean(axis=-1, keepdims=True))


def mostly_ties(human: Floats, length: float) -> Bools:
    """bool[P]: half or more of the differences human[P, n] lie within .01 of the scale's length of their median, and fewer
    than 10 farther: how much others do is not known, and limits with the judge hold too seldom."""
    farther = np.abs(human - np.median(human, axis=-1, keepdims=True)) > (NEAR + SAME) * length
    number = farther.sum(axis=-1)
    return np.asarray((2 * number <= human.shape[-1]) & (number < FEW_FARTHER))


def pooled_slope(human: Floats, judge: Floats, *, of_pairs: bool) -> float:
    """Lambda for all runs alike where human topics are too few for a slope of each: that of least squares of human[m, n] on
    judge[m, n], both less the run's mean and, for differences of pairs, less the topic's too, within 0 and 1. Else a judge who
    is blind to differences would be trusted for knowing which topics are hard. Topics that a run lacks (nan) do not count.

    0 where the judge has no spread; 1 where it cannot be told: of fewer than 5 runs that are not copies of others on the
    topics that all have, or fewer than 4 of these.
    """
    common = ~np.isnan(human + judge).any(axis=0)
    if common.sum() < FEWEST or different_rows(np.hstack((human, judge))[:, np.tile(common, 2)]) < RUNS_POOLED:
        return 1.0
    y, f = _centred(human[:, common]), _centred(judge[:, common])
    if of_pairs:
        y, f = _centred(y.T).T, _centred(f.T).T
    y, f, whole = (item.reshape(1, -1) for item in (y, f, judge[:, common]))
    slope = _ratio((y * f).sum(axis=-1), (f**2).sum(axis=-1), SAME * (whole**2).sum(axis=-1))
    return min(1.0, float(slope[0]))


def _slope(scores: BothScores, new: bool) -> Floats:
    """float64[P]: cov(y, f)/var(f) of the human topics, for new topics over 1 + n/N; no less than 0, without a cap at 1."""
    y, f = _centred(scores.human), _centred(scores.judge)
    return _ratio((y * f).sum(axis=-1), (f**2).sum(axis=-1), 0.0) / (1 + scores.number / scores.rest if new else 1)


def _ratio(products: Floats, squares: Floats, least: Floats | float) -> Floats:
    """products / squares, 0 where that is negative, or squares are no more than `least`."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(squares > least, np.maximum(products / squares, 0.0), 0.0)


def _jackknife(scores: BothScores, centre: Floats, new: bool) -> Floats:
    """float64[P]: (n - 1)/n times the squares of the estimates without each human topic about their mean, lambda anew each
    time. Sums without a topic are those of all less its share, n/(n - 1) times its square."""
    n = scores.number
    y, f = _centred(scores.human), _centred(scores.judge)
    products = (y * f).sum(axis=-1, keepdims=True) - n / (n - 1) * y * f
    all_squares = (f**2).sum(axis=-1, keepdims=True)
    squares = all_squares - n / (n - 1) * f**2
    lam = _ratio(products, squares, SAME * all_squares) / (1 + (n - 1) / scores.rest if new else 1)
    to_centre = (centre - scores.judge.mean(axis=-1))[:, np.newaxis] + f / (n - 1)
    left_out = -y / (n - 1) + lam * to_centre
    squares_about_mean: Floats = (_centred(left_out) ** 2).sum(axis=-1)
    return (n - 1) / n * squares_about_mean


AT_ONCE = 4096


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

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

import math
from typing import NamedTuple

import numpy as np

from irci.base.types import Bools, Floats, Ints
from irci.stats.tests import Estimates, different_rows, without_spread
from irci.system import special

FEWEST = 4  # human topics: fewer are refused
TUNED_FROM = 20
RUNS_POOLED = 5  # fewer have no slope in common
LEAST_OTHERS = 2  # topics of the judge's alone, for lambda to be other than 0 over new topics
NEAR, FEW_FARTHER = 0.01, 10  # of the scale about the median difference; fewer topics that lie farther show too little
# A sum of squares smaller than this share of the whole is rounding.
SAME = 1e-12


class BothScores(NamedTuple):
    """Estimates of P runs or pairs: `human` float64[P, n] and `judge` float64[P, n] on the human topics, `others` float64[P,
    N] of the judge on the rest."""

    human: Floats
    judge: Floats
    others: Floats


def prediction_powered(scores: BothScores, lam: float | None, confidence: float, *, new_topics: bool) -> Estimates:
    """The mean of y, corrected by lambda times (the judge's mean elsewhere - its mean on the human topics).

    For new topics elsewhere is on the other topics, se^2 = v1 + lambda^2 var(others)/N; for these on all, se^2 = v1 (1 - n/M).
    `lam` a number: v1 = s^2(y - lambda f)/n; None: tuned, v1 by the jackknife; 0: the human topics alone, whose t limits are
    narrower for these topics (Cochran 2.19). Satterthwaite's degrees of freedom, n - 1 for these topics. Without other topics
    (for new ones, two of them) lambda is 0.

    Columns: `human` and `others`, the numbers of topics; `lambda`; `r`, the correlation of both's scores of the human topics
    (nan where either does not vary); `gain`, the width as a share of what the human topics alone give (nan where that is 0);
    `judge_mean`, the judge's mean over all topics.
    """
    (pairs, n), rest = scores.human.shape, scores.others.shape[-1]
    y, f = _centred(scores.human), _centred(scores.judge)
    has_others = rest >= (LEAST_OTHERS if new_topics else 1)
    judge_mean = np.concatenate((scores.judge, scores.others), axis=-1).mean(axis=-1)
    centre = scores.others.mean(axis=-1) if new_topics and has_others else judge_mean
    to_centre = centre - scores.judge.mean(axis=-1)
    lambdas, jackknifed = np.full(pairs, (lam or 0.0) * has_others), None
    if lam is None and has_others:
        lambdas, jackknifed = _tuned(y, f, to_centre, rest if new_topics else math.inf)
    alone, v1 = (
        (_centred(values) ** 2).sum(axis=-1) / (n - 1) / n
        for values in (scores.human, scores.human - lambdas[:, np.newaxis] * scores.judge)
    )
    if jackknifed is not None:
        v1 = np.where(lambdas > 0, jackknifed, v1)
    v2 = lambdas**2 * scores.others.var(axis=-1, ddof=1) / rest if new_topics and has_others else np.zeros(pairs)
    if not new_topics:
        v1, alone = v1 * (rest / (n + rest)), alone * (rest / (n + rest))
    with np.errstate(invalid="ignore", divide="ignore"):
        both = (v1 + v2) ** 2 / (v1**2 / (n - 1) + v2**2 / (rest - 1))
        df, error = np.where(v2 > 0, both, n - 1.0), np.sqrt(v1 + v2)
        reach, reach_alone = (special.stdtrit(freedom, (1 + confidence) / 2) for freedom in (df, n - 1.0))
        gain = np.where(alone > 0, reach * error / (reach_alone * np.sqrt(alone)), np.nan)
        r = (y * f).sum(axis=-1) / np.sqrt((y**2).sum(axis=-1) * (f**2).sum(axis=-1))
    numbers = {"human": np.full(pairs, n), "others": np.full(pairs, rest)}
    columns = {**numbers, "lambda": lambdas, "r": r, "gain": gain, "judge_mean": judge_mean}
    value = scores.human.mean(axis=-1) + lambdas * to_centre
    return Estimates(value, error, df, numbers["human"], columns)


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
    squares = (f**2).sum()
    return float(np.clip((y * f).sum() / squares, 0, 1)) if squares > SAME * (judge[:, common] ** 2).sum() else 0.0


def _ratio(products: Floats, squares: Floats, least: Floats | float) -> Floats:
    """products / squares, 0 where that is negative, or squares are no more than `least`."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(squares > least, np.maximum(products / squares, 0.0), 0.0)


def _tuned(y: Floats, f: Floats, to_centre: Floats, rest: float) -> tuple[Floats, Floats]:
    """Lambda float64[P], cov(y, f)/var(f) of the centred scores y[P, n] and f[P, n] over 1 + n/N, no less than 0, without a
    cap at 1; and the jackknife's variance of the estimate, (n - 1)/n times the squares of those without each human topic
    about their mean, lambda anew each time. `rest`: N, infinite for these topics. Sums without a topic are those of all less
    its share, n/(n - 1) times its square."""
    n = y.shape[-1]
    products, squares = (y * f).sum(axis=-1, keepdims=True), (f**2).sum(axis=-1, keepdims=True)
    lam = _ratio(products, squares, 0.0)[:, 0] / (1 + n / rest)
    less = n / (n - 1)
    without = _ratio(products - less * y * f, squares - less * f**2, SAME * squares) / (1 + (n - 1) / rest)
    left_out = -y / (n - 1) + without * (to_centre[:, np.newaxis] + f / (n - 1))
    squares_about_mean: Floats = (_centred(left_out) ** 2).sum(axis=-1)
    return lam, squares_about_mean / less


AT_ONCE = 4096


def widths(
    human: Ints, variance: float, correlation: float, judged: int, confidence: float, *, new_topics: bool
) -> Floats:
    """float64[k]: the width 2 t se of a mean's interval with so many human topics [k], no more than `judged`, at least 4.

    New topics: se^2 = sigma^2 (1 - r^2)/n (n - 2)/(n - 3) + sigma^2 r^2/M with Satterthwaite's degrees of freedom; these:
    (1 - n/M) sigma^2 (1 - r^2)/n (n - 2)/(n - 3), t with n - 2. Without a correlation, or for new topics without two
    topics that only the judge has, the classical interval, n - 1.
    """
    n = human.astype(np.float64)
    helps = (correlation > 0) & (n <= judged - LEAST_OTHERS * new_topics)
    degrees = np.where(helps, n - 2, n - 1)
    shared = np.where(helps, correlation**2, 0.0)
    v1 = variance * (1 - shared) / n * np.where(helps, (n - 2) / (n - 3), 1.0)
    v2 = variance * shared / judged
    if not new_topics:
        v1, v2 = v1 * (1 - n / judged), np.zeros_like(n)
    elif variance > 0:
        degrees = np.where(helps, (v1 + v2) ** 2 / (v1**2 / degrees + v2**2 / (judged - 1)), degrees)
    return np.asarray(2 * special.stdtrit(degrees, (1 + confidence) / 2) * np.sqrt(v1 + v2))


def least_width(variance: float, correlation: float, judged: int, confidence: float, *, new_topics: bool) -> float:
    """The width that no number of human topics makes narrower. It falls up to where too few topics are the judge's alone."""
    last = np.arange(max(FEWEST, judged - LEAST_OTHERS), judged + 1)
    return float(widths(last, variance, correlation, judged, confidence, new_topics=new_topics).min())


def topics_needed(
    width: float, variance: float, correlation: float, judged: int, confidence: float, *, new_topics: bool
) -> float:
    """The fewest human topics, at least 4, whose interval is no wider; nan if not even all that the judge has will do."""
    for first in range(FEWEST, judged + 1, AT_ONCE):
        human = np.arange(first, min(first + AT_ONCE, judged + 1))
        narrow = widths(human, variance, correlation, judged, confidence, new_topics=new_topics) <= width
        if narrow.any():
            return int(human[np.argmax(narrow)])
    return np.nan


def within_correlation(y: Floats, f: Floats) -> float:
    """The correlation of y[n, m] and f[n, m] within columns, over all of them; 0 where either does not vary, or below 0."""
    y, f = y - y.mean(axis=0), f - f.mean(axis=0)
    squares = float((y**2).sum() * (f**2).sum())
    return max(float((y * f).sum()) / np.sqrt(squares), 0.0) if squares > 0 else 0.0

"""stdap-ci: what mean score would a new sample of topics give, comparably across papers?

Estimates the mean of scores standardised by reference systems, topic by topic. Topics vary: they are taken for a random
sample; the reference systems are fixed, so that only intervals under the same reference can be compared.

L. A. F. Park, "Confidence intervals for information retrieval evaluation", ADCS 2010.
"""

from collections.abc import Sequence

import numpy as np

from irci.base.streams import Purpose, seed_word
from irci.base.types import Ends, Floats, Ints
from irci.estimators.grouped import Groups
from irci.estimators.means import Design, Tested, topic_means
from irci.stats.intervals import SAME_SCORE, normal_quantile
from irci.stats.scales import reference_factors
from irci.stats.tests import NOTHING
from irci.system import claim, special


def means_of(
    scores: Floats, confidence: float, ends: Ends | None, clusters: Groups | None
) -> tuple[Tested, Floats, Ints]:
    """The means of scores[R, T], of which nan are none, with t intervals, which end where a scale with `ends` does; bounded
    ones where scores are such an end or hardly vary (`irci.stats.bounded`). nan limits of one topic or cluster. And float64[R]
    standard deviations (ddof 1) of the scores, and int64[R] topics."""
    design = Design(confidence=confidence)
    tested = topic_means(scores, design, ends)
    topics = tested.of.units
    sd = tested.of.error * np.sqrt(topics)
    if clusters is not None:
        alone = np.column_stack((np.arange(len(scores)), np.full(len(scores), NOTHING)))
        tested = Tested.by_t(clusters.estimates(scores, alone), 0, confidence)
        if ends is not None:
            bounded = clusters.bounded(tested, np.zeros(len(scores), np.bool_), scores, alone, ends, design)
            limits, interval = np.where(tested.of.units > 1, bounded.limits, tested.limits), bounded.interval
            tested = tested._replace(limits=limits, interval=np.where(tested.of.units > 1, interval, "t"))
    if ends is not None:
        tested = tested._replace(limits=np.clip(tested.limits, *ends))
    return tested, sd, topics


def type_one(
    scores: Floats, alphas: Sequence[float], sizes: Sequence[int], trials: int, references: int, seed: int = 1
) -> tuple[Floats, Floats]:
    """Park's experiment (2010, section 3) on scores[m, N] of m systems on N topics, by so many samples of each of Z sizes,
    without replacement, of scores standardised by `references` random systems for each sample (0: raw, -1: by all).

    Error float64[Z, alphas, known or not, m], the share of trials whose interval misses the mean of all topics; and the mean
    width [Z, alphas, known or not]. Samples without an interval count for nothing.

    Each system has its own samples, and one sample of a size is the beginning of the next. Its mean and standard deviation
    over all topics (ddof 0) are the truth. With random references every trial has its own, and the truth under these.
    """
    (systems, topics), largest = scores.shape, max(sizes)
    normal = np.array([normal_quantile(1 - alpha) for alpha in alphas])
    with np.errstate(invalid="ignore"):
        # By the number of scores in a sample, of which 0 and 1 give no interval.
        df = np.maximum(np.arange(largest + 1) - 1, 0)
        student = special.stdtrit(df, 1 - np.array(alphas)[:, np.newaxis] / 2)
    claim(3, trials, max(topics, largest))
    claim(4 * 2, len(alphas), trials)
    error = np.empty((len(sizes), len(alphas), 2, systems))
    width, defined = np.zeros((2, *error.shape))
    for system in range(systems):
        rng = np.random.default_rng([int(seed_word(seed, Purpose.TYPE_ONE)), system])
        values: Floats = scores[system]  # [N], or [trials, N] by random references; nan where these do not differ
        if references:
            of_trials = rng.random((trials, systems)).argpartition(references - 1, axis=1) if references > 0 else None
            mean, sd = reference_factors(scores if of_trials is None else scores[of_trials[:, :references]])
            values = (values - mean) / sd
        drawn = rng.random((trials, topics)).argsort(axis=1)[:, :largest]
        sampled = np.take_along_axis(np.broadcast_to(values, (trials, topics)), drawn, axis=1)
        truth, sigma, _ = _mean_and_sd(values, ddof=0)
        for index, size in enumerate(sizes):
            mean, sd, count = _mean_and_sd(sampled[:, :size], ddof=1)
            root = np.sqrt(np.where(count > 0, count, np.nan))
            half = np.stack([np.multiply.outer(normal, sigma / root), student[:, count] * sd / root], axis=1)
            missed = np.abs(mean - truth) > half + SAME_SCORE * (1 + np.abs(truth))
            width[index, ..., system] = 2 * np.nansum(half, axis=-1)
            defined[index, ..., system] = number = (~np.isnan(half)).sum(axis=-1)
            with np.errstate(invalid="ignore"):
                error[index, ..., system] = missed.sum(axis=-1) / number
    return error, width.sum(axis=-1) / np.maximum(defined.sum(axis=-1), 1)


def _mean_and_sd(values: Floats, ddof: int) -> tuple[Floats, Floats, Ints]:
    """Mean, standard deviation and number of values[..., n] along the last axis, nan left out; nan of too few."""
    count = (~np.isnan(values)).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.nansum(values, axis=-1) / count
        squares = np.nansum((values - mean[..., np.newaxis]) ** 2, axis=-1)
        sd = np.sqrt(squares / np.where(count > ddof, count - ddof, np.nan))
    return mean, sd, count

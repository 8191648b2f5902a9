"""stdap-ci: what mean score would a new sample of topics give, comparably across papers?

Estimates the mean of scores standardised by reference systems, topic by topic. Topics vary: they are taken for a random
sample; the reference systems are fixed, so that only intervals under the same reference can be compared.

L. A. F. Park, "Confidence intervals for information retrieval evaluation", ADCS 2010.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from irci.intervals import normal_quantile, t_interval
from irci.resampling import Purpose, seed_word
from irci.standardisation import reference_factors

Floats = NDArray[np.float64]

TRIALS = 1000


class Mean(NamedTuple):
    """A mean of n scores with its t interval, and their standard deviation (ddof 1)."""

    value: float
    lower: float
    upper: float
    sd: float
    topics: int


def mean_interval(mean: float, sd: float, topics: int, confidence: float) -> Mean:
    """mean +- t s / sqrt(n), n - 1 degrees of freedom (Park 2010, equation 2); nan limits of one score."""
    lower, upper = t_interval(mean, sd / math.sqrt(topics) if topics > 1 else math.nan, topics - 1, confidence)
    return Mean(mean, float(lower), float(upper), sd, topics)


def interval_of(scores: Floats, confidence: float) -> Mean:
    """That of scores[n], of which nan are none."""
    scored = scores[~np.isnan(scores)]
    sd = float(scored.std(ddof=1)) if len(scored) > 1 else math.nan
    return mean_interval(float(scored.mean()) if len(scored) else math.nan, sd, len(scored), confidence)


class Welch(NamedTuple):
    """The difference of two means of unrelated samples: Welch's interval and p, effect size (difference / pooled sd)."""

    value: float
    lower: float
    upper: float
    p: float
    effect_size: float
    df: float


def welch(first: Mean, second: Mean, confidence: float) -> Welch:
    """From two published means, standard deviations and numbers of topics (Park 2010, section 6; Welch 1947)."""
    from scipy.special import stdtr, stdtrit

    a, b = first.sd**2 / first.topics, second.sd**2 / second.topics
    error = math.sqrt(a + b)
    difference = first.value - second.value
    if error == 0:
        return Welch(difference, difference, difference, 1.0 if difference == 0 else 0.0, math.nan, math.nan)
    df = (a + b) ** 2 / (a**2 / (first.topics - 1) + b**2 / (second.topics - 1))
    margin = float(stdtrit(df, (1 + confidence) / 2)) * error
    squares = (first.topics - 1) * first.sd**2 + (second.topics - 1) * second.sd**2
    pooled = math.sqrt(squares / (first.topics + second.topics - 2))
    p = 2 * float(stdtr(df, -abs(difference) / error))
    return Welch(difference, difference - margin, difference + margin, p, difference / pooled, df)


@dataclass(frozen=True)
class Experiment:
    """What is tried: samples of so many topics out of all, `replace` or not, of scores standardised by `references` random
    systems for each sample (0: raw, -1: by all), their sd with `ddof`."""

    sizes: tuple[int, ...] = (5,)
    trials: int = TRIALS
    replace: bool = False
    references: int = -1
    ddof: int = 1
    seed: int = 1

    def signature(self) -> dict[str, str | float | bool]:
        """All of it."""
        return {**asdict(self), "sizes": " ".join(map(str, self.sizes))}


class TypeOne(NamedTuple):
    """For one size of sample: error float64[alphas, known or not, m], the share of trials whose interval misses the mean of
    all topics; width [alphas, known or not], the mean; finite-population factor; and a statistic for the Q-Q plot.

    `chi2` float64[m, trials]: (n - 1) s^2 / sigma^2, chi-square with n - 1 degrees of freedom for normal scores (Cochran).
    """

    size: int
    error: Floats
    width: Floats
    factor: float
    chi2: Floats
    means: Floats


def type_one(scores: Floats, alphas: Sequence[float], experiment: Experiment) -> Iterator[TypeOne]:
    """Park's experiment (2010, section 3) on scores[m, N] of m systems on N topics, one result a size of sample.

    Each system has its own samples, and one sample of a size is the beginning of the next. Its mean and standard deviation
    over all topics (ddof 0) are the truth. With random references every trial has its own, and the truth under these.
    """
    from scipy.special import stdtrit

    systems, topics = scores.shape
    quantiles = np.array([normal_quantile(1 - alpha) for alpha in alphas])
    largest = max(experiment.sizes)
    sums = [[np.empty((systems, experiment.trials)) for _ in range(4)] for _ in experiment.sizes]
    for system in range(systems):
        rng = np.random.default_rng([int(seed_word(experiment.seed, Purpose.TYPE_ONE)), system])
        values, mean, sd = _population(scores, system, experiment, rng)
        drawn = _samples(rng, topics, largest, experiment)
        sampled = np.take_along_axis(np.broadcast_to(values, (experiment.trials, topics)), drawn, axis=1)
        for size, found in zip(experiment.sizes, sums, strict=True):
            of_size = sampled[:, :size]
            found[0][system], found[1][system] = _mean_and_sd(of_size)
            found[2][system], found[3][system] = mean, sd
    for size, (mean, sd, truth, sigma) in zip(experiment.sizes, sums, strict=True):
        estimated = np.array([stdtrit(size - 1, 1 - alpha / 2) for alpha in alphas])
        half = np.stack([np.multiply.outer(quantiles, sigma), np.multiply.outer(estimated, sd)], axis=1) / math.sqrt(
            size
        )
        error = (np.abs(mean - truth) > half).mean(axis=-1)
        factor = 1.0 if experiment.replace else math.sqrt((topics - size) / (topics - 1))
        yield TypeOne(size, error, 2 * np.nanmean(half, axis=(2, 3)), factor, (size - 1) * (sd / sigma) ** 2, mean)


def _population(
    scores: Floats, system: int, experiment: Experiment, rng: np.random.Generator
) -> tuple[Floats, Floats | float, Floats | float]:
    """A system's scores on all topics, float64[N] or [trials, N], and their mean and sd (ddof 0)."""
    values = scores[system]
    if experiment.references == -1:
        mean, sd = reference_factors(scores, experiment.ddof)
        values = (values - mean) / sd
    elif experiment.references > 0:
        chosen = rng.random((experiment.trials, len(scores))).argpartition(experiment.references - 1, axis=1)
        mean, sd = reference_factors(scores[chosen[:, : experiment.references]], experiment.ddof)
        values = (values - mean) / sd
    return values, np.nanmean(values, axis=-1), np.nanstd(values, axis=-1)


def _samples(rng: np.random.Generator, topics: int, size: int, experiment: Experiment) -> NDArray[np.int64]:
    """int64[trials, size]: topics drawn."""
    if experiment.replace:
        return rng.integers(0, topics, (experiment.trials, size))
    return rng.random((experiment.trials, topics)).argsort(axis=1)[:, :size]


def _mean_and_sd(sampled: Floats) -> tuple[Floats, Floats]:
    """Of sampled[trials, n] along the last axis, topics without a standardised score left out."""
    if not np.isnan(sampled).any():
        return sampled.mean(axis=1), sampled.std(axis=1, ddof=1)
    count = (~np.isnan(sampled)).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.nansum(sampled, axis=1) / count
        squares = np.nansum((sampled - mean[:, np.newaxis]) ** 2, axis=1)
        return mean, np.sqrt(squares / np.maximum(count - 1, 0))

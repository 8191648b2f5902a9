"""How often 95% limits of a mean over topics hold it, on real scores, and how wide they are.

A matrix of real scores is taken for the population: topics are drawn from it with replacement, and the mean to be held is that
over all its topics."""

import math
from collections.abc import Iterator

import numpy as np
from matrices import Matrix, matrices
from page import Section, Table

from irci.base.types import Floats
from irci.estimators.means import paired_t
from irci.stats.bounded import bounded_limits
from irci.stats.intervals import Interval
from irci.stats.scales import mean_needs_bounds

CONFIDENCE = 0.95
SIZES = (10, 25, 50)
RUNS = 40
DRAWS = 100  # samples of topics of each run
WORTH_SAYING = 0.005


def limits(scores: Floats) -> dict[str, Interval]:
    """By kind, the limits of the means of samples of scores[R, T]."""
    t, bounded = paired_t(scores, CONFIDENCE), bounded_limits(scores, 0.0, 1.0, 1 - CONFIDENCE)
    due = mean_needs_bounds(scores, 0.0, 1.0)
    return {
        "t": t.limits,
        "bounded": bounded,
        "t or bounded": np.where(due, bounded, t.limits),
    }


def lines(matrix: Matrix) -> Iterator[list[object]]:
    """A line a number of topics: for each kind how often limits hold the mean, and their mean width."""
    runs = np.random.default_rng(1).permutation(len(matrix.values))[:RUNS]
    for topics in SIZES:
        rng = np.random.default_rng(topics)
        found: dict[str, list[Floats]] = {}
        for run in runs.tolist():
            drawn = rng.choice(matrix.values[run], (DRAWS, topics))
            for kind, of in limits(drawn).items():
                found.setdefault(kind, []).append(np.array(of) - matrix.values[run].mean())
        yield [matrix.name, len(runs), topics, *(_cell(np.concatenate(of, axis=1)) for of in found.values())]


def _cell(beyond: Floats) -> str:
    """Coverage with its Monte-Carlo error, width, and how often there are no limits: limits less the truth, float64[2, N]."""
    lower, upper = beyond[:, ~np.isnan(beyond[0])]
    held, without = float(((lower <= 0) & (upper >= 0)).mean()), float(np.isnan(beyond[0]).mean())
    error = math.sqrt(held * (1 - held) / len(lower))
    absent = f", {100 * without:.0f}% without" if without >= WORTH_SAYING else ""
    return f"{100 * held:.1f} ± {100 * error:.1f} ({(upper - lower).mean():.2f}{absent})"


def section() -> Section:
    """All matrices that are there."""
    caption = (
        "Coverage of 95% limits of means over topics, in % ± Monte-Carlo error (mean width, samples without limits)"
    )
    found = [line for matrix in matrices() for line in lines(matrix)]
    told = f"{RUNS} runs, or all there are, {DRAWS} samples of topics of each."
    told += " `t or bounded`: bounded limits where all scores are 0 or 1, or fewer than 10 topics differ much from the others."
    headers = ["scores", "runs", "topics", *limits(np.zeros((1, 2)))]
    return Section("Limits of means", " ".join((__doc__ or "").split()) + f" {told}", [Table(caption, headers, found)])

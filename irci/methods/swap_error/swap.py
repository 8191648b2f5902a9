"""swap-error --procedure swap: how often do two experiments of a size disagree, given the difference that one of them shows?

Two topic sets of c topics each; a pair of systems swaps if the one set says that the first is better and the other that
the second is. Swap rates are tabulated by the difference on the one set and by c; an exponential extrapolates them.

E. M. Voorhees and C. Buckley, "The effect of topic set size on retrieval experiment error", SIGIR 2002; with topics drawn
with replacement: T. Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import assert_never

import numpy as np

from irci.choices import SwapDraw, check
from irci.stats.intervals import SAME_SCORE
from irci.streams import Purpose, seed_word
from irci.types import Floats, Ints

NUM_BINS = 21
BIN_WIDTH = 0.01
START = (1.0, 0.25)  # of the search for A1 and A2, where it begins first
FIT_TOLERANCE = 1e-6  # by which squares must be less to be less
LEAST_SIZES = 3  # with a rate, for a fit of two parameters


@dataclass(frozen=True)
class Settings:
    """How topic sets are drawn (disjoint: `partition`; or `bootstrap`), how often, and if bins are shares of the larger."""

    draw: SwapDraw = "partition"
    trials: int = 50
    relative: bool = False
    seed: int = 1

    def __post_init__(self) -> None:
        check(self)

    def signature(self) -> dict[str, str | float]:
        """What changes a digit."""
        return asdict(self)


@dataclass(frozen=True)
class Swaps:
    """For Z sizes: comparisons and swaps int64[Z, NUM_BINS], in bins of .01 of the difference on the first set, the last open.

    `fitted` float64[NUM_BINS, 2]: A1 and A2 of rate = A1 exp(-A2 c); nan where there is no fit, as in the first bin.
    """

    sizes: tuple[int, ...]
    comparisons: Ints
    swaps: Ints
    fitted: Floats

    def rates(self) -> Floats:
        """float64[Z, NUM_BINS]; nan where nothing was compared."""
        return np.where(self.comparisons > 0, self.swaps / np.maximum(self.comparisons, 1), np.nan)

    def extrapolated(self, size: int) -> Floats:
        """float64[NUM_BINS]: rates with so many topics, from the fits."""
        factor, slope = self.fitted.T
        return np.where(factor == 0, 0.0, factor * np.exp(-slope * size))


def bin_label(place: int) -> str:
    """How a bin is called."""
    low = f"{place * BIN_WIDTH:.2f}-"
    return low if place == NUM_BINS - 1 else f"{low}{(place + 1) * BIN_WIDTH:.2f}"


def swaps(scores: Floats, sizes: Sequence[int], settings: Settings) -> Swaps:
    """The swap method for scores[S, T], every size once; the first 10 of 50 trials are those of 10."""
    found = [
        count_swaps(scores, *topic_sets(scores.shape[1], size, settings), relative=settings.relative) for size in sizes
    ]
    comparisons, swapped = (np.array(each) for each in zip(*found, strict=True))
    with np.errstate(invalid="ignore"):
        rates = np.where(comparisons > 0, swapped / np.maximum(comparisons, 1), np.nan)
    fitted = np.full((NUM_BINS, 2), np.nan)
    for place in range(1, NUM_BINS):  # the first bin, of differences next to nothing, is not for fitting
        fitted[place] = _fit(np.array(sizes, np.float64), rates[:, place])
    return Swaps(tuple(sizes), comparisons, swapped, fitted)


def topic_sets(topics: int, size: int, settings: Settings) -> tuple[Ints, Ints]:
    """int64[K, size] each: the topics of both sets in each trial."""
    word = int(seed_word(settings.seed, Purpose.SWAPS))
    generators = [np.random.default_rng([word, size, trial]) for trial in range(settings.trials)]
    match settings.draw:
        case "bootstrap":
            drawn = np.array([rng.integers(0, topics, 2 * size) for rng in generators])
        case "partition":
            drawn = np.array([rng.permutation(topics)[: 2 * size] for rng in generators])
        case _:
            assert_never(settings.draw)
    return drawn[:, ::2], drawn[:, 1::2]


def count_swaps(scores: Floats, first: Ints, second: Ints, *, relative: bool = False) -> tuple[Ints, Ints]:
    """Comparisons and swaps int64[NUM_BINS] of all pairs over K trials, for scores[S, T] and topic sets [K, c]."""
    means = scores[:, first].mean(axis=2), scores[:, second].mean(axis=2)
    a, b = np.triu_indices(len(scores), 1)
    difference, other = (mean[a] - mean[b] for mean in means)
    # Means of the same scores in another order, or of scores that add up to the same, are equal.
    nothing = SAME_SCORE * (1 + np.abs(means[0]).max())
    size = np.abs(difference)
    if relative:
        size = size / np.maximum(np.maximum(means[0][a], means[0][b]), nothing)
    bins = np.minimum(np.floor(size / BIN_WIDTH + 1e-9), NUM_BINS - 1).astype(np.int64)
    swapped = (difference * other < 0) & (np.minimum(np.abs(difference), np.abs(other)) > nothing)
    return np.bincount(bins.ravel(), minlength=NUM_BINS), np.bincount(bins[swapped], minlength=NUM_BINS)


def _fit(sizes: Floats, rates: Floats) -> tuple[float, float]:
    """A1 and A2 by least squares; (0, nan) if there was no swap; nan if there are too few sizes, no fit is found that is
    better than no swaps at all, or one that rises with the size, of which there is nothing to extrapolate.
    """
    from scipy.optimize import OptimizeWarning, curve_fit

    known = ~np.isnan(rates)
    if known.sum() < LEAST_SIZES:
        return math.nan, math.nan
    if not rates[known].any():
        return 0.0, math.nan
    sizes, rates = sizes[known], rates[known]
    least, best = float((rates**2).sum()), (math.nan, math.nan)
    # Far beyond 1 / .25 topics the usual start sees no slope to go down: begin near the rates as well.
    for start in (START, (float(rates.max()), 1 / float(sizes.mean()))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OptimizeWarning)  # of a covariance that is not asked for
            try:
                found, _ = curve_fit(exponential, sizes, rates, start)
            except RuntimeError:
                continue
        squares = float(((exponential(sizes, *found) - rates) ** 2).sum())
        if squares < least * (1 - FIT_TOLERANCE):
            least, best = squares, (float(found[0]), float(found[1]))
    return best if best[1] >= 0 else (math.nan, math.nan)


def exponential(size: Floats, factor: float, slope: float) -> Floats:
    """The swap rate with so many topics (Voorhees & Buckley 2002, section 3)."""
    with np.errstate(over="ignore"):
        rate: Floats = factor * np.exp(-slope * size)
    return rate


def difference_needed(rates: Floats, highest: float) -> float:
    """The lower edge of the first bin from which on no known rate of rates[NUM_BINS] is above `highest`; nan without one."""
    known = np.flatnonzero(~np.isnan(rates))
    above = np.flatnonzero(rates > highest)
    good = known[known > (above[-1] if len(above) else 0)]
    return float(good[0]) * BIN_WIDTH if len(good) else math.nan

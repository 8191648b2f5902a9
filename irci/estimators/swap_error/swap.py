"""swap-error --procedure swap: how often do two experiments of a size disagree, given the difference that one of them shows?

Two topic sets of c topics each; a pair of systems swaps if the one set says that the first is better and the other that
the second is. Swap rates are tabulated by the difference on the one set and by c; a curve in c extrapolates them.

The curve is a probit, Phi(-(a + b sqrt(c))). That is the form of the rate of two means of c normal scores each about one
difference, for b sqrt(c) standard errors away from 0. Published: a exp(-b c), of Voorhees & Buckley (section 3), which falls
too fast beyond the sizes fitted.

E. M. Voorhees and C. Buckley, "The effect of topic set size on retrieval experiment error", SIGIR 2002.
"""

import math
import warnings
from collections.abc import Sequence

import numpy as np

from irci.base.records import Record
from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, Ints, ProgressBar, as_they_are
from irci.kernels import query_sets as kernels
from irci.stats.intervals import SAME_SCORE
from irci.stats.tests import different_rows
from irci.system import special
from irci.system.work import in_order

NOTHING_KNOWN = (math.nan, math.nan)
LEAST_SIZES = 3  # with a rate, for a fit of two parameters
START = (1.0, 0.25)  # of the search for an exponential, where it begins first
# Of scoring, which takes about ten. It has no end where all swaps are at the smallest sizes; later rates are near 0 by then.
STEPS = 100


def probit(size: Floats | float, start: Floats | float, slope: Floats | float) -> Floats:
    """The swap rate Phi(-(start + slope sqrt(size)))."""
    return np.asarray(special.ndtr(-(start + slope * np.sqrt(size))))


def exponential(size: Floats | float, factor: Floats | float, slope: Floats | float) -> Floats:
    """The swap rate factor exp(-slope size)."""
    with np.errstate(over="ignore"):
        return np.asarray(factor * np.exp(-slope * size))


def fit_probit(sizes: Floats, comparisons: Ints, swaps: Ints) -> tuple[float, float]:
    """a and b of one bin, by maximum likelihood of swaps[Z] out of comparisons[Z] with sizes[Z] topics.

    Likelihood and not squares of rates: a rate of one in three weighs less than one of a hundred in three hundred, and there
    is one maximum, wherever the search begins. (Comparisons of one trial depend on each other; that leaves the estimate
    consistent, and its error is not used.) (inf, 0) if there was no swap; nan if there are too few sizes, or the curve rises.
    """
    compared = comparisons > 0
    if compared.sum() < LEAST_SIZES:
        return NOTHING_KNOWN
    sizes, comparisons, swaps = sizes[compared], comparisons[compared], swaps[compared]
    if not swaps.any():
        return math.inf, 0.0
    if (swaps == comparisons).all():
        return NOTHING_KNOWN
    columns = np.column_stack((np.ones(len(sizes)), np.sqrt(sizes)))
    curve = np.array([-special.ndtri(swaps.sum() / comparisons.sum()), 0.0])
    for _ in range(STEPS):
        z = columns @ curve
        log_rate, log_rest = special.log_ndtr(-z), special.log_ndtr(z)
        log_density = -z * z / 2 - math.log(2 * math.pi) / 2
        # Fisher's scoring: inverse information times the derivative of the log likelihood; the rate falls as z grows.
        information = comparisons * np.exp(2 * log_density - log_rate - log_rest)
        slope = (comparisons - swaps) * np.exp(log_density - log_rest) - swaps * np.exp(log_density - log_rate)
        products = columns.T @ (information[:, np.newaxis] * columns)
        step = np.linalg.lstsq(products, columns.T @ slope, rcond=None)[0]
        curve = curve + step
        if np.abs(step).max() < 1e-9:
            break
    return (float(curve[0]), float(curve[1])) if curve[1] >= 0 else NOTHING_KNOWN


def fit_exponential(sizes: Floats, comparisons: Ints, swaps: Ints) -> tuple[float, float]:
    """a and b of one bin, by least squares of rates; (0, nan) if there was no swap; nan if there are too few sizes, no fit is
    found that is better than no swaps at all, or one that rises with the size, of which there is nothing to extrapolate.
    """
    from scipy.optimize import OptimizeWarning, curve_fit

    compared = comparisons > 0
    if compared.sum() < LEAST_SIZES:
        return NOTHING_KNOWN
    if not swaps.any():
        return 0.0, math.nan
    sizes, rates = sizes[compared], swaps[compared] / comparisons[compared]
    least, best = float((rates**2).sum()), NOTHING_KNOWN
    # Far beyond 1 / .25 topics the usual start sees no slope to go down: begin near the rates as well.
    for start in (START, (float(rates.max()), 1 / float(sizes.mean()))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OptimizeWarning)  # of a covariance that is not asked for
            try:
                result, _ = curve_fit(exponential, sizes, rates, start)
            except RuntimeError:
                continue
        squares = float(((exponential(sizes, *result) - rates) ** 2).sum())
        if squares < least * (1 - 1e-6):  # less, but for rounding
            least, best = squares, (float(result[0]), float(result[1]))
    return best if best[1] >= 0 else NOTHING_KNOWN


NUM_BINS = 21
BIN_WIDTH = 0.01
BIN_SLACK = 1e-9  # of a bin: .3 - .1 is not .2
# Runs that differ, 45 pairs, for a curve: by one pair 5% was promised where by all pairs of its collection 27% swap.
LEAST_RUNS = 10


class SwapTrials(Record):
    """Number of draws of two disjoint topic sets; published: the paper's exponential extrapolates, and no probit."""

    trials: int = 50
    seed: int = 1
    published: bool = False


class Swaps(Record):
    """For Z sizes: comparisons and swaps int64[Z, NUM_BINS], in bins of .01 of the difference on the first set, the last open.

    `runs`: how many of those compared are not copies of others. `fitted` float64[NUM_BINS, 2]: the curve's a and b; nan where
    there is no fit, as in the first bin, and in all of fewer than LEAST_RUNS runs.
    """

    runs: int
    sizes: tuple[int, ...]
    comparisons: Ints
    swaps: Ints
    published: bool
    fitted: Floats

    @classmethod
    def of(cls, runs: int, sizes: Sequence[int], comparisons: Ints, swaps: Ints, *, published: bool) -> "Swaps":
        """With the curve of every bin but the first, of differences next to nothing, which is not for fitting."""
        fit_of = fit_exponential if published else fit_probit
        fitted = np.full((NUM_BINS, 2), np.nan)
        for index in range(1, NUM_BINS) if runs >= LEAST_RUNS else ():
            fitted[index] = fit_of(np.array(sizes, np.float64), comparisons[:, index], swaps[:, index])
        return cls(runs, tuple(sizes), comparisons, swaps, published, fitted)

    @property
    def pairs(self) -> int:
        """The number of pairs of these runs."""
        return math.comb(self.runs, 2)

    @property
    def has_curves(self) -> bool:
        """True if some bin has a curve, without which no difference can be named, nor anything of other sizes."""
        return not np.isnan(self.fitted).all()

    def rates(self) -> Floats:
        """float64[Z, NUM_BINS]; nan where nothing was compared."""
        return np.where(self.comparisons > 0, self.swaps / np.maximum(self.comparisons, 1), np.nan)

    def predicted(self, size: int) -> Floats:
        """float64[NUM_BINS]: rates with so many topics, by the curves."""
        a, b = self.fitted.T
        if not self.published:
            return probit(size, a, b)
        return np.where(a == 0, 0.0, np.minimum(exponential(size, a, b), 1.0))

    def sizes_of(self, position: int) -> list[int]:
        """The sizes that the curve of a bin was fitted on, those with comparisons; none without a curve."""
        if np.isnan(self.fitted[position, 0]):
            return []
        return [size for size, number in zip(self.sizes, self.comparisons[:, position], strict=True) if number]

    @staticmethod
    def is_extrapolated(size: int, sizes: Sequence[int]) -> bool:
        """True if a size lies outside those that a curve was fitted on; not without a curve."""
        return bool(sizes) and not min(sizes) <= size <= max(sizes)


def swaps(
    scores: Floats, sizes: Sequence[int], settings: SwapTrials, *, weights: Floats | None = None, threads: int = 1,
    progress: ProgressBar = as_they_are,
) -> Swaps:  # fmt: skip
    """The swap method for scores[S, T], every size once; the first 10 of 50 trials are those of 10.

    With `weights` float64[T], of clusters in place of topics, a mean is the sum of scores divided by that of weights.
    """

    def of_size(size: int) -> tuple[Ints, Ints]:
        sets = topic_sets(scores.shape[1], size, settings)
        return count_swaps(scores, *sets, weights=weights)

    result = list(in_order(of_size, progress(sizes, "size"), threads))
    comparisons, swapped = (np.array(item) for item in zip(*result, strict=True))
    return Swaps.of(different_rows(scores), sizes, comparisons, swapped, published=settings.published)


def topic_sets(topics: int, size: int, settings: SwapTrials) -> tuple[Ints, Ints]:
    """int64[K, size] each: the topics of both sets in each trial."""
    word = int(seed_word(settings.seed, Purpose.SWAPS))
    generators = [np.random.default_rng([word, size, trial]) for trial in range(settings.trials)]
    drawn = np.array([rng.permutation(topics)[: 2 * size] for rng in generators])
    return drawn[:, ::2], drawn[:, 1::2]


def count_swaps(scores: Floats, first: Ints, second: Ints, *, weights: Floats | None = None) -> tuple[Ints, Ints]:
    """Comparisons and swaps int64[NUM_BINS] of all pairs over K trials, for scores[S, T] and topic sets [K, c]."""
    rows = scores if weights is None else np.vstack((scores, weights))
    by_topic = np.ascontiguousarray(rows.T)
    means = np.empty((2, len(first), len(rows)))
    for sets, of_set in zip((first, second), means, strict=True):
        kernels.means_over_sets(by_topic, np.ascontiguousarray(sets), of_set)
    if weights is not None:
        means = np.ascontiguousarray(means[..., :-1] / means[..., -1:])
    # Means of the same scores in another order, or of scores that add up to the same, are equal.
    nothing = SAME_SCORE * (1 + float(np.abs(means[0]).max()))
    comparisons, swapped = np.zeros((2, NUM_BINS), np.int64)
    kernels.count_swaps(means[0], means[1], nothing, BIN_WIDTH, BIN_SLACK, comparisons, swapped)
    return comparisons, swapped


def difference_needed(rates: Floats, highest: float) -> float:
    """The lower edge of the first bin from which on no known rate of rates[NUM_BINS] is above `highest`; nan without one."""
    compared = np.flatnonzero(~np.isnan(rates))
    above = np.flatnonzero(rates > highest)
    good = compared[compared > (above[-1] if len(above) else 0)]
    return float(good[0]) * BIN_WIDTH if len(good) else math.nan

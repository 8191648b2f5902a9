"""swap-error: how often do sets of topics put two systems in the wrong order?

error-rate: the share of (pair of systems, query set) on which the set disagrees with the majority of the sets, differences
below the fuzziness counting as equal. Query sets vary: versions of each topic's query shuffled into sets (the paper's), or
subsets of the topics. What most sets say is taken for true; no rate exceeds 50%.
C. Buckley and E. M. Voorhees, "Evaluating evaluation measure stability", SIGIR 2000.

discriminative-power: what share of all pairs of systems does a bootstrap test tell apart? Topics vary. For each pair the
per-topic differences, centred, are drawn with replacement; the achieved significance level is the share of resamples whose t
is as far from 0 as the observed one.
T. Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, Figures 1 and 3.

swap: of two sets of c topics each the one says that the first system is better, the other that the second is. Rates are by the
difference on the one set and by c; a curve in c extrapolates them: the probit Phi(-(a + b sqrt(c))), which has the form of the
rate of two means of c normal scores each about one difference, for b sqrt(c) standard errors away from 0. Published: a
exp(-b c), of Voorhees & Buckley (section 3), which falls too fast beyond the sizes fitted.
E. M. Voorhees and C. Buckley, "The effect of topic set size on retrieval experiment error", SIGIR 2002.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, Ints, all_pairs
from irci.estimators.joint_resamples import topic_counts
from irci.kernels import query_sets
from irci.stats.intervals import SAME_SCORE
from irci.stats.scales import SAME_SUM
from irci.stats.tests import PAIRS_AT_ONCE, different_rows
from irci.system import claim, in_order, in_shares, special, with_progress

DESIGNS, SETS = 50, 100  # how often subsets of the topics are drawn, or versions assigned to sets; subsets in a design
TRIALS = 100  # topic sets of each size, with versions


def thresholds(fuzziness: Sequence[float]) -> Floats:
    """float64[F]: from which share of the smaller score on a difference counts, for percentages, but for rounding."""
    return np.array(fuzziness) / 100 * (1 - SAME_SUM)


def rounding(scores: Floats, size: int) -> float:
    """Below which totals of so many scores are equal: they are added up in different orders."""
    return SAME_SUM * size * float(np.abs(scores).max(initial=0.0)) + np.finfo(np.float64).tiny


def counts(totals: Floats, threshold: float) -> Ints:
    """int64[P, 3]: on how many of the Q sets of totals[S, Q] the first of a pair is better, worse, equal (section 3)."""
    first, second = np.triu_indices(len(totals), 1)
    a, b = totals[first], totals[second]
    least = np.maximum(threshold * np.minimum(a, b), rounding(totals, 1))
    better, worse = (a - b >= least).sum(axis=1), (b - a >= least).sum(axis=1)
    return np.column_stack((better, worse, totals.shape[1] - better - worse))


def _generators(seed: int, purpose: Purpose, draws: int, *key: int) -> list[np.random.Generator]:
    """A generator for each of so many draws, which does not depend on their number."""
    word = int(seed_word(seed, purpose))
    return [np.random.default_rng([word, *key, draw]) for draw in range(draws)]


def designs_of_versions(topics: int, versions: int, designs: int = DESIGNS, seed: int = 1) -> Ints:
    """int64[D, T, V]: for each design and topic a permutation of its versions over the V query sets (section 3.2)."""
    claim(designs, topics, versions)
    plain = np.tile(np.arange(versions), (topics, 1))
    return np.array([rng.permuted(plain, axis=1) for rng in _generators(seed, Purpose.VERSIONS, designs)])


def orders_of_topics(topics: int, largest: int, trials: int = TRIALS, seed: int = 1) -> Ints:
    """int64[K, largest]: for each trial topics in random order, whose beginnings are the topic sets of all sizes."""
    return np.array([rng.permutation(topics)[:largest] for rng in _generators(seed, Purpose.TOPIC_SETS, trials)])


def subsets_of_topics(topics: int, size: int, designs: int = DESIGNS, seed: int = 1, sets: int = SETS) -> Ints:
    """int64[D, size, Q]: the topics of the Q query sets of each design."""
    claim(designs, size, sets)
    generators = _generators(seed, Purpose.TOPIC_SETS, designs)
    return np.array([rng.random((sets, topics)).argsort(axis=1)[:, :size].T for rng in generators])


# Of a size and fuzziness: mean rate, sd (ddof 1) and mean share of ties, over draws (designs or trials) of so many sets.
Rate = dict[str, float]


def error_rates(
    scores: Floats, sizes: Sequence[int], fuzziness: Sequence[float], *, designs: int = DESIGNS, trials: int = TRIALS,
    sets: int = SETS, seed: int = 1, threads: int = 1,
) -> list[Rate]:  # fmt: skip
    """For scores[S, T] of S systems on T topics, or [S, T, V] on V versions of each, and ascending sizes.

    Without versions query sets are subsets of the topics, each without replacement; mean and sd are over the designs, each of
    which has query sets of its own. With versions and all topics they are over the designs; with fewer, over the trials, of
    each of which the rate is that of all its designs.
    """
    topics, columns = scores.shape[1], np.ascontiguousarray(scores.reshape(len(scores), -1))
    if scores.ndim == 2:
        subsets = subsets_of_topics(topics, sizes[-1], designs, seed, sets)[:, np.newaxis]
        return _rates(columns, lambda design: subsets[design], designs, sizes, fuzziness, threads)
    versions, rates = scores.shape[2], list[Rate]()
    permutations = designs_of_versions(topics, versions, designs, seed)

    def members(order: Ints) -> Ints:
        return np.asarray(permutations[:, order] + versions * order[:, np.newaxis])

    if fewer := [size for size in sizes if size < topics]:
        orders = orders_of_topics(topics, fewer[-1], trials, seed)
        rates += _rates(columns, lambda trial: members(orders[trial]), trials, fewer, fuzziness, threads)
    if topics in sizes:
        of_all = members(np.arange(topics))[:, np.newaxis]
        rates += _rates(columns, lambda design: of_all[design], designs, [topics], fuzziness, threads)
    return rates


def _rates(
    scores: Floats, members_of: Callable[[int], Ints], draws: int, sizes: Sequence[int], fuzziness: Sequence[float],
    threads: int,
) -> list[Rate]:  # fmt: skip
    """Rates of scores[S, C] over so many draws: of each, members_of(draw) int64[D, n, Q] has the sets of its designs."""
    shares = np.empty((2, len(sizes), len(fuzziness), draws))
    criteria = np.array(sizes), thresholds(fuzziness), rounding(scores, sizes[-1])

    def count(index: slice) -> None:
        for draw in range(draws)[index]:
            members = members_of(draw)
            minority, ties = np.empty((2, len(members), *shares.shape[1:3]), np.int64)
            query_sets.count_over_sets(scores, members, *criteria, minority, ties)
            shares[..., draw] = minority.mean(axis=0), ties.mean(axis=0)

    in_shares(count, draws, threads)
    sets = members_of(0).shape[2]
    shares /= sets * math.comb(len(scores), 2)
    of_draws = shares.reshape(2, -1, draws)
    sd = of_draws[0].std(axis=1, ddof=1) if draws > 1 else np.full(of_draws.shape[1], np.nan)
    cells = zip(itertools.product(sizes, fuzziness), *of_draws.mean(axis=2).tolist(), sd.tolist(), strict=True)
    return [
        {"size": size, "rate": rate, "sd": sd, "ties": ties, "fuzziness": percent, "sets": sets, "draws": draws}
        for (size, percent), rate, ties, sd in cells
    ]


# What may be left, as a share, of a difference, a variance or a t that is 0: they are had as differences of sums.
CANCELLATION = 1e-10


def discriminative_power(
    scores: Floats, alphas: Sequence[float], resamples: int, seed: int, *, weights: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """Bootstrap tests of all P pairs of scores[S, T], the same topics drawn for all of them: achieved significance levels [P],
    mean differences [P], and [A]: of |mean of resampled differences| at the (B alpha)-th largest |t|, the largest over all
    pairs. B alpha must be at least 1.

    With `weights` float64[T], of clusters in place of topics, a mean is the sum of scores divided by that of weights.
    """
    weights = np.ones(scores.shape[1]) if weights is None else weights
    scores, weights = scores / weights.mean(), weights / weights.mean()
    first, second = np.triu_indices(len(scores), 1)
    counts = topic_counts(scores.shape[1], resamples, seed).astype(np.float64)
    # The whole number below, or the one meant: 1000 x .07 is 70.
    ranks = np.floor(resamples * np.array(alphas) * (1 + 1e-12)).astype(np.int64)
    asl, difference = np.empty((2, len(first)))
    required = np.zeros(len(alphas))
    for start in range(0, len(first), PAIRS_AT_ONCE):
        index = slice(start, start + PAIRS_AT_ONCE)
        a, b = scores[first[index]], scores[second[index]]
        between = a - b
        nothing = CANCELLATION * np.maximum(np.abs(a), np.abs(b)).max(axis=1, keepdims=True)
        asl[index], drawn = _levels(between, weights, nothing, counts, ranks)
        difference[index], required = between.mean(axis=1), np.maximum(required, drawn.max(axis=0))
    return asl, difference, required


def _levels(terms: Floats, weights: Floats, nothing: Floats, counts: Floats, ranks: Ints) -> tuple[Floats, Floats]:
    """Levels [P] and |mean| at the given ranks of |t|, [P, A], for differences terms[P, T] and counts[T, B] of topics drawn.

    What is not above nothing[P, 1] is 0 but for rounding. weights[T], of mean 1: the mean of a resample is the ratio of sums
    of differences and of weights, whose variance is that of what differences are more than weights times the mean.
    """

    def rounded(values: Floats) -> Floats:
        return np.where(np.abs(values) <= nothing, 0.0, values)

    topics = terms.shape[1]
    mean = rounded(terms.mean(axis=1, keepdims=True))
    centred = rounded(terms - weights * mean)
    observed = _t(mean, (centred**2).sum(axis=1, keepdims=True) / (topics - 1), mean**2, topics)
    weight = weights @ counts / topics
    means = rounded(centred @ counts / topics / weight)
    squares = centred**2 @ counts / topics
    products, square = centred * weights @ counts / topics, weights**2 @ counts / topics
    variance = (squares - means * (2 * products - means * square)) / weight**2
    resampled = _t(means, variance * topics / (topics - 1), squares / weight**2, topics)
    asl = (resampled >= observed * (1 - CANCELLATION)).mean(axis=1)
    order = np.argsort(-resampled, axis=1, kind="stable")
    return asl, np.take_along_axis(np.abs(means), order[:, ranks - 1], axis=1)


def _t(mean: Floats, variance: Floats, squares: Floats, topics: int) -> Floats:
    """|t| of means[...]; without variance infinite, or 0 if the mean is 0 too."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(mean) / np.sqrt(np.maximum(variance, 0.0) / topics)
    constant = variance <= CANCELLATION * squares
    return np.where(constant, np.where(mean == 0, 0.0, np.inf), t)


NOTHING_KNOWN = (math.nan, math.nan)
LEAST_SIZES = 3  # with a rate, for a fit of two parameters
START = (1.0, 0.25)  # of the search for an exponential, where it begins first
CONVERGED = (1, 2, 3, 4)  # of MINPACK's status
# Of scoring, which takes about ten. It has no end where all swaps are at the smallest sizes; later rates are near 0 by then.
STEPS = 100


def probit(size: Floats | float, start: Floats | float, slope: Floats | float) -> Floats:
    """The swap rate Phi(-(start + slope sqrt(size)))."""
    return np.asarray(special.ndtr(-(start + slope * np.sqrt(size))))


def exponential(size: Floats | float, factor: Floats | float, slope: Floats | float) -> Floats:
    """The swap rate factor exp(-slope size)."""
    with np.errstate(over="ignore"):
        return np.asarray(factor * np.exp(-slope * size))


def fit(sizes: Floats, comparisons: Ints, swaps: Ints, *, published: bool = False) -> tuple[float, float]:
    """a and b of the probit of one bin, or `published` of its exponential, from swaps[Z] out of comparisons[Z] with sizes[Z]
    topics. A rate of 0 if there was no swap; nan of too few sizes, or where the curve rises."""
    compared = comparisons > 0
    if compared.sum() < LEAST_SIZES:
        return NOTHING_KNOWN
    if not swaps.any():
        return (0.0, 0.0) if published else (math.inf, 0.0)
    curve = (_fit_exponential if published else _fit_probit)(sizes[compared], comparisons[compared], swaps[compared])
    return curve if curve[1] >= 0 else NOTHING_KNOWN


def _fit_probit(sizes: Floats, comparisons: Ints, swaps: Ints) -> tuple[float, float]:
    """By maximum likelihood and not squares of rates: a rate of one in three weighs less than one of a hundred in three
    hundred, and there is one maximum, wherever the search begins. (Comparisons of one trial depend on each other; that leaves
    the estimate consistent, and its error is not used.)"""
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
    return float(curve[0]), float(curve[1])


def _fit_exponential(sizes: Floats, comparisons: Ints, swaps: Ints) -> tuple[float, float]:
    """By least squares of rates; nan if no fit is found that is better than no swaps at all."""
    from scipy.optimize import leastsq

    rates = swaps / comparisons
    least, best = float((rates**2).sum()), NOTHING_KNOWN
    # Far beyond 1 / .25 topics the usual start sees no slope to go down: begin near the rates as well.
    for start in (START, (float(rates.max()), 1 / float(sizes.mean()))):
        result, *_, status = leastsq(lambda curve: exponential(sizes, *curve) - rates, start, full_output=True)
        squares = float(((exponential(sizes, *result) - rates) ** 2).sum())
        if status in CONVERGED and squares < least * (1 - 1e-6):  # less, but for rounding
            least, best = squares, (float(result[0]), float(result[1]))
    return best


NUM_BINS = 21
BIN_WIDTH = 0.01
BIN_SLACK = 1e-9  # of a bin: .3 - .1 is not .2
# Runs that differ, 45 pairs, for a curve: by one pair 5% was promised where by all pairs of its collection 27% swap.
LEAST_RUNS = 10


class Swaps(NamedTuple):
    """Swaps of Z sizes in bins of .01 of the difference on the first set, the last open."""

    runs: int  # of those compared that are not copies of others
    sizes: Ints  # [Z], ascending
    comparisons: Ints  # [Z, NUM_BINS]
    swaps: Ints  # [Z, NUM_BINS]
    curve: Callable[[float, Floats, Floats], Floats]
    fitted: Floats  # [NUM_BINS, 2]: the curve's a and b; nan in the first bin, without a fit, and below LEAST_RUNS runs
    fitted_on: Floats  # [NUM_BINS, 2]: the least and the greatest size with comparisons, of bins with a curve; else nan

    @property
    def has_curves(self) -> bool:
        """True if some bin has a curve, without which no difference can be named, nor anything of other sizes."""
        return not np.isnan(self.fitted).all()

    def counts_of(self, size: int) -> tuple[Ints, Ints]:
        """Comparisons and swaps int64[NUM_BINS] with sets of a size, 0 of one that was not drawn."""
        drawn = self.sizes == size
        return self.comparisons[drawn].sum(axis=0), self.swaps[drawn].sum(axis=0)

    def predicted(self, size: int) -> Floats:
        """float64[NUM_BINS]: rates with so many topics, by the curves."""
        return np.minimum(self.curve(size, *self.fitted.T), 1)

    def at(self, size: int) -> dict[str, Any]:
        """By column, rates with sets of a size as measured and as fitted; of one not drawn there are only the latter."""
        comparisons, swapped = self.counts_of(size)
        rate = np.where(comparisons > 0, swapped / np.maximum(comparisons, 1), np.nan)
        return {
            "size": size, "difference": np.arange(NUM_BINS) / round(1 / BIN_WIDTH), "rate": rate,
            "predicted": self.predicted(size), "comparisons": comparisons,
            "extrapolated": (size < self.fitted_on[:, 0]) | (size > self.fitted_on[:, 1]),
        }  # fmt: skip

    def needed(self, size: int, highest: float) -> tuple[float, tuple[int, int] | None]:
        """The difference needed by sets of a size, nan if none is enough; if that lies outside the sizes that it rests on, the
        least and greatest of these."""
        needed = difference_needed(self.predicted(size), highest)
        least, most = self.sizes[[0, -1]] if math.isnan(needed) else self.fitted_on[round(needed / BIN_WIDTH)]
        return needed, None if least <= size <= most else (int(least), int(most))

    def left_out(self, size: int, needed: float) -> int:
        """How many bins of larger differences have no curve, though there are comparisons."""
        is_unknown = np.isnan(self.predicted(size)) & self.comparisons.any(axis=0)
        return 0 if math.isnan(needed) else int(is_unknown[round(needed / BIN_WIDTH) :].sum())


def swaps(
    scores: Floats, sizes: Sequence[int], trials: int = 50, seed: int = 1, *, published: bool = False,
    weights: Floats | None = None, threads: int = 1,
) -> Swaps:  # fmt: skip
    """The swap method for scores[S, T], every size once, by so many draws of two sets of topics; the first 10 of 50 trials are
    those of 10. `published`: the paper's exponential extrapolates, and no probit.

    With `weights` float64[T], of clusters in place of topics, a mean is the sum of scores divided by that of weights.
    """

    def of_size(size: int) -> Ints:
        return count_swaps(scores, *topic_sets(scores.shape[1], size, trials, seed), weights=weights)

    counts = np.array(list(in_order(of_size, with_progress(sizes, "size"), threads)))
    runs, drawn = different_rows(scores), np.array(sizes)
    curve = exponential if published else probit
    fitted, fitted_on = np.full((2, NUM_BINS, 2), np.nan)
    # Differences in the first bin are next to nothing, which is not for fitting.
    for index in range(1, NUM_BINS) if runs >= LEAST_RUNS else ():
        fitted[index] = fit(drawn.astype(np.float64), *counts[:, :, index].T, published=published)
        if not np.isnan(fitted[index, 0]):
            fitted_on[index] = drawn[counts[:, 0, index] > 0][[0, -1]]
    return Swaps(runs, drawn, counts[:, 0], counts[:, 1], curve, fitted, fitted_on)


def topic_sets(topics: int, size: int, trials: int = 50, seed: int = 1) -> tuple[Ints, Ints]:
    """int64[K, size] each: the topics of both sets in each trial."""
    generators = _generators(seed, Purpose.SWAPS, trials, size)
    drawn = np.array([rng.permutation(topics)[: 2 * size] for rng in generators])
    return drawn[:, ::2], drawn[:, 1::2]


def count_swaps(scores: Floats, first: Ints, second: Ints, *, weights: Floats | None = None) -> Ints:
    """Comparisons and swaps int64[2, NUM_BINS] of all pairs over K trials, for scores[S, T] and topic sets [K, c]."""
    rows = np.vstack((scores, np.ones(scores.shape[1]) if weights is None else weights))
    is_member = np.zeros((2, len(first), scores.shape[1]))
    np.put_along_axis(is_member, np.stack((first, second)), 1.0, axis=2)
    totals = is_member @ rows.T
    means = totals[..., :-1] / totals[..., -1:]
    # Means of the same scores in another order, or of scores that add up to the same, are equal.
    nothing = SAME_SCORE * (1 + float(np.abs(means[0]).max()))
    counts, (system, other) = np.zeros((2, NUM_BINS), np.int64), all_pairs(len(scores)).T
    for of_trial in means.swapaxes(0, 1):
        difference, again = of_trial[:, system] - of_trial[:, other]
        size = np.abs(difference)
        index = np.minimum(np.floor(size / BIN_WIDTH + BIN_SLACK), NUM_BINS - 1).astype(np.int64)
        swapped = (difference * again < 0) & (np.minimum(size, np.abs(again)) > nothing)
        counts += [np.bincount(of_pairs, minlength=NUM_BINS) for of_pairs in (index, index[swapped])]
    return counts


def difference_needed(rates: Floats, highest: float) -> float:
    """The lower edge of the first bin from which on no known rate of rates[NUM_BINS] is above `highest`; nan without one."""
    compared = np.flatnonzero(~np.isnan(rates))
    above = np.flatnonzero(rates > highest)
    good = compared[compared > (above[-1] if len(above) else 0)]
    return float(good[0]) * BIN_WIDTH if len(good) else math.nan

"""Pairs of runs: which are compared, their differences on common topics, estimates of means and differences with a standard
error and degrees of freedom of their own, tests of these, and corrections for making many.

Sources: M. D. Smucker, J. Allan and B. Carterette, "A comparison of statistical significance tests for information
retrieval evaluation", CIKM 2007 (paired t, sign-flip randomization); S. Holm 1979; Y. Benjamini and Y. Hochberg 1995.
Two one-sided tests: D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for
assessing the equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15, 1987.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, assert_never

import numpy as np

from irci.base import places_by_name
from irci.base.choices import Correction, Pooled
from irci.base.types import Bools, Floats, Ints, Pairs, offsets
from irci.stats.intervals import Interval
from irci.stats.scales import SAME, mean_over_topics
from irci.system import special

PAIRS_AT_ONCE = 256
BLOCK = 2**20  # differences on single topics at a time
NOTHING = -1  # as a baseline: the run's own score is the effect
POOLED: tuple[Pooled, ...] = ("mean", "median")


class Comparison(NamedTuple):
    """Comparisons of rows of a table of scores: pairs int64[P, 2] of (run, baseline).
    `names`: of the rows; if `pooled` is mean or median, the last row is that of the runs."""

    names: list[str]
    pairs: Pairs
    pooled: Pooled | None = None

    @classmethod
    def alone(cls, runs: Sequence[str]) -> "Comparison":
        """Every run by itself."""
        return cls(list(runs), np.column_stack((np.arange(len(runs)), np.full(len(runs), NOTHING))))

    @classmethod
    def of(cls, runs: Sequence[str], baselines: Sequence[str] = (), *, all_pairs: bool = False) -> "Comparison":
        """All pairs, or against each baseline: a run, or the mean or median of all; the first run if none is named. Two
        baselines are one pair, with the first as baseline."""
        if all_pairs:
            earlier, later = np.triu_indices(len(runs), 1)
            return cls(list(runs), np.column_stack((later, earlier)))
        pooled = next((name for name in POOLED if name in baselines and name not in runs), None)
        names = [*runs, *([pooled] if pooled else [])]
        places = [names.index(name) for name in baselines] or [0]
        pairs = [
            (run, baseline)
            for index, baseline in enumerate(places)
            for run in range(len(runs))
            if run != baseline and (run not in places[:index] or baseline == len(runs))  # the pooled one is no run
        ]
        return cls(names, np.array(pairs, np.int64).reshape(-1, 2), pooled)

    @property
    def is_of_pairs(self) -> bool:
        """True if contrasts are differences."""
        return bool((self.pairs[:, 1] != NOTHING).any())

    def table(self, values: Floats) -> Floats:
        """Scores[runs, ...] with the row of the pooled runs, if there is one."""
        if self.pooled is None:
            return values
        return np.vstack((values, pool(values[places_by_name(self.names[:-1])], self.pooled)))


def pool(scores: Floats, pooled: Pooled) -> Floats:
    """The mean or median over the first axis, whose order it depends on in its last bits only; nan of none."""
    if not len(scores):
        return np.full(scores.shape[1:], np.nan)
    return np.asarray(scores.mean(axis=0) if pooled == "mean" else np.median(scores, axis=0), np.float64)


def common_topics(values: Floats, pairs: Pairs) -> list[tuple[Bools, Ints]]:
    """The topics bool[T] that both of a pair are scored on in values[rows, T], and which pairs these are."""
    if len(pairs) and not np.isnan(values).any():
        return [(np.ones(values.shape[1], np.bool_), np.arange(len(pairs)))]
    # Rows lack the same topics by and large: there are few kinds of them, and of pairs.
    of_rows, kind = np.unique(~np.isnan(values), axis=0, return_inverse=True)
    kinds, kind_of_pair = np.unique(kind.ravel()[pairs] @ (len(of_rows), 1), return_inverse=True)
    first, second = np.divmod(kinds, len(of_rows))
    masks, of_kind = np.unique(of_rows[first] & of_rows[second], axis=0, return_inverse=True)
    group = of_kind.ravel()[kind_of_pair.ravel()]
    order, edges = np.argsort(group, kind="stable"), offsets(np.bincount(group, minlength=len(masks))).tolist()
    return [(mask, order[low:high]) for mask, (low, high) in zip(masks, pairwise(edges), strict=True)]


def in_blocks(groups: Iterable[tuple[Bools, Ints]]) -> list[tuple[Bools, Ints]]:
    """The pairs of `common_topics` in blocks, so that their differences on single topics take little memory at a time."""
    blocks = []
    for mask, index in groups:
        # Whole numbers of what the tests take at once: no last digit depends on the size of a block.
        size = PAIRS_AT_ONCE * max(1, BLOCK // (PAIRS_AT_ONCE * max(1, int(mask.sum()))))
        blocks += [(mask, index[first : first + size]) for first in range(0, len(index), size)]
    return blocks


def on_topics(values: Floats, pairs: Pairs, mask: Bools | slice = slice(None), share: float = 1.0) -> Floats:
    """The differences [P, T] of values[rows, T], a run less a share of its baseline, on the topics of the mask, but for what
    is rounding beside the pair's largest score: 0 where they are no more, and all the first where they lie no farther
    apart."""
    of_run, of_baseline = values[pairs[:, 0]][:, mask], share * values[pairs[:, 1]][:, mask]
    differences = of_run - of_baseline
    largest = np.maximum(np.abs(of_run), np.abs(of_baseline)).max(axis=1, initial=0.0, keepdims=True)
    rounding = SAME * largest
    differences = np.where(np.abs(differences) <= rounding, 0.0, differences)
    low, high = (
        end(differences, axis=1, initial=start, keepdims=True) for end, start in ((np.min, np.inf), (np.max, -np.inf))
    )
    return np.where(high - low <= rounding, differences[:, :1], differences)


def contrasts(values: Floats, pairs: Pairs, share: float = 1.0) -> Iterator[tuple[Ints, Bools, Floats]]:
    """Blocks of pairs[P, 2] of rows of values[rows, T], a run, or a run less a share of its baseline: which [p] of the pairs,
    the topics bool[T] that both are scored on, of which there are some, and the contrasts float64[p, topics] there."""
    of_rows = np.vstack((values, np.zeros(values.shape[1])))  # a last row, which NOTHING is
    for mask, index in in_blocks(common_topics(of_rows, pairs)):
        if mask.any():
            yield index, mask, on_topics(of_rows, pairs[index], mask, share)


def mean_and_sd(differences: Floats) -> tuple[Floats, Floats]:
    """Mean[P] and standard deviation[P] (ddof 1) of differences[P, T]: 0 where all are one number, nan of one topic."""
    topics = differences.shape[1]
    # In topic order, so that a pair's last digit does not depend on the number of pairs.
    mean = mean_over_topics(differences.T)
    if topics < 2:
        return mean, np.full(len(mean), np.nan)
    squares = mean_over_topics((differences.T - mean) ** 2)
    same = without_spread(differences)  # whose sd may come out as rounding
    return mean, np.where(same, 0.0, np.sqrt(squares * topics / (topics - 1)))


def without_spread(differences: Floats) -> Bools:
    """bool[P]: whether all of differences[P, T] are one number, up to rounding."""
    return np.asarray(np.ptp(differences, axis=1) <= SAME * np.abs(differences).max(axis=1, initial=0.0))


class Estimates(NamedTuple):
    """P means or differences, float64[P] each: value, standard error (0: nothing varies; nan: not known) and degrees of
    freedom (infinite: normal).

    `units` int64[P]: how many things vary, which each have a sign. `columns`: what else is told of each, by name. `told`
    bool[P]: which of them something is said of; None: all. `of_seeds` float64[3, P]: where systems are trained several times,
    the seeds' terms in the denominator of the degrees of freedom, by what becomes of them with n topics: the first stays, the
    second falls as 1 / n and the third as 1 / (n^2 - n); None: there are no seeds.
    """

    value: Floats
    error: Floats
    df: Floats
    units: Ints
    columns: Mapping[str, Floats | Ints] = {}
    told: Bools | None = None
    of_seeds: Floats | None = None

    def limits(self, confidence: float) -> Interval:
        """value +- t standard errors; nan where nothing varies, which is no certainty, or the error or the freedom lacks."""
        freedom, position = np.unique(self.df, return_inverse=True)
        t = special.stdtrit(freedom, (1 + confidence) / 2)[position]
        reach = np.where((self.error > 0) & np.isfinite(t), t * self.error, np.nan)
        return np.stack((self.value - reach, self.value + reach))

    def p(self) -> Floats:
        """Two-sided p[P] of a value of 0; where nothing varies but the value is not 0, what signs can say: 2^(1 - units), as t
        is infinite, and that no assignment of signs makes a larger mean is all that can be said."""
        with np.errstate(divide="ignore", invalid="ignore"):
            p = 2 * special.stdtr(self.df, -np.abs(self.value / self.error))
        return np.where(self.constant, np.where(self.value == 0, 1.0, 2.0 ** (1 - self.units)), p)

    def above_zero_p(self) -> Floats:
        """One-sided p[P] of values above 0 by t, no less than 2^-units, what signs can say; where nothing varies that is all,
        or 1."""
        with np.errstate(divide="ignore", invalid="ignore"):
            p = special.stdtr(self.df, -self.value / self.error)
        p = np.where(self.constant, np.where(self.value > 0, 0.0, 1.0), p)
        return np.asarray(np.maximum(p, np.exp2(-self.units.astype(np.float64))))

    def predicting(self, number: int | None) -> "Estimates":
        """The mean over so many other units, or as many again, with the error of both means."""
        return self._replace(error=self.error * np.sqrt(1 + self.units / (number or np.maximum(self.units, 1))))

    @property
    def is_told(self) -> Bools:
        return np.ones(len(self.value), np.bool_) if self.told is None else self.told

    @property
    def constant(self) -> np.ndarray:
        """bool[P]: where nothing varies, though there are units that could."""
        return np.asarray((self.error == 0) & (self.units > 1))


def of_sample(values: Floats) -> Estimates:
    """The means of values[P, n]."""
    (mean, sd), number = mean_and_sd(values), values.shape[1]
    return estimates(mean, sd / np.sqrt(number), number - 1.0, number)


def with_documents(of: Estimates, variances: Floats) -> Estimates:
    """Estimates over topics for other documents too, from variances[P]: the mean over topics of each topic's variance (ddof 1)
    under resampled documents, anew for each copy of a topic. Over their number it is added to the squared error, with
    Satterthwaite's degrees of freedom, the documents' part taken as known; as scores of topics already vary with the documents
    that is conservative. Columns of these and of the parts. Where nothing varies the error of what is not 0 is nan."""
    of_topics = of.error**2
    with np.errstate(divide="ignore", invalid="ignore"):
        of_documents = variances / of.units
        variance = of_topics + of_documents
        df = np.where(of_topics == 0, np.inf, (of.units - 1) * (variance / of_topics) ** 2)
    columns = {**of.columns, "sd_documents": np.sqrt(of_documents), "sd_topics": of.error, "df": df}
    error = np.where((variance == 0) & (of.value != 0), np.nan, np.sqrt(variance))
    return of._replace(error=error, df=df, columns=columns)


def estimates(value: Floats, error: Floats, df: Floats | float, units: int) -> Estimates:
    """Estimates without degrees of freedom where nothing varies, or nothing can be said about it."""
    freedom = np.where(error > 0, np.broadcast_to(df, error.shape), np.nan)
    return Estimates(value, error, freedom, np.full(len(value), units))


def different_rows(values: Floats) -> int:
    """How many rows of values[m, T] are not copies of others, but for rounding."""
    same = SAME * float(np.abs(values).max(initial=0.0))
    kept = np.zeros(len(values), np.bool_)
    for index, row in enumerate(values):
        kept[index] = not (np.abs(values[kept] - row) <= same).all(axis=1).any()
    return int(kept.sum())


def welch(mean: Floats, sd: Floats, number: Ints) -> Estimates:
    """The differences of means[2, P] of unrelated samples, the first less the second, from their standard deviations and
    numbers, by degrees of freedom of B. L. Welch, Biometrika 34, 1947; no limits and no p where neither varies."""
    variances = sd**2 / number
    with np.errstate(divide="ignore", invalid="ignore"):
        df = variances.sum(axis=0) ** 2 / (variances**2 / (number - 1)).sum(axis=0)
    return Estimates(mean[0] - mean[1], np.sqrt(variances.sum(axis=0)), df, np.zeros(len(df), np.int64))


def unequal_variances_p(first: Floats, second: Floats) -> Floats:
    """Two-sided p[...] of Welch's t test of the means of first[..., n] and second[..., N], no less than permutations can give,
    1 over the ways to choose n of n + N values, which is p where neither varies, or 1 if they are equal. nan of less than two
    values each."""
    sizes = first.shape[-1], second.shape[-1]
    if min(sizes) < 2:
        return np.full(first.shape[:-1], np.nan)
    rows = first.reshape(-1, sizes[0]), second.reshape(-1, sizes[1])
    mean, sd = np.swapaxes([mean_and_sd(row) for row in rows], 0, 1)
    of = welch(mean, sd, np.array(sizes)[:, np.newaxis])
    size = np.maximum(*(np.abs(row).max(axis=1) for row in rows))
    p = np.where(np.abs(of.value) <= SAME * size, 1.0, np.where(of.error == 0, 0.0, of.p()))
    ways = math.lgamma(sum(sizes) + 1) - math.lgamma(sizes[0] + 1) - math.lgamma(sizes[1] + 1)
    return np.asarray(np.maximum(p, math.exp(-ways))).reshape(first.shape[:-1])


def normal_p(difference: Floats, sd: Floats) -> Floats:
    """Two-sided p = 2 Phi(-|d| / sd) (Cormack & Lynam 2006, section 6).
    Where nothing varies, 1 for no difference and nan for one: scores of 0 and 1 that no resample changes are no certainty."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p: Floats = 2 * special.ndtr(-np.abs(difference) / sd)
    return np.where(sd == 0, np.where(difference == 0, 1.0, np.nan), p)


def adjusted(p: Floats, correction: Correction) -> Floats:
    """p[P] adjusted for their number: `holm` (family-wise), `bh` (false discovery rate) or `none`; nan stays nan."""
    result = p.copy()
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    left = np.arange(len(order), 0, -1)
    if correction == "holm":
        result[order] = np.minimum(np.maximum.accumulate(p[order] * left), 1)
    elif correction == "bh":
        falling = order[::-1]
        result[falling] = np.minimum(np.minimum.accumulate(p[falling] * (len(order) / left)), 1)
    elif correction != "none":
        assert_never(correction)
    return result


def least_of_signs(units: Ints | int) -> Floats:
    """The smallest two-sided p[...] that signs of so many units can give, two of all 2^units."""
    return np.exp2(1.0 - np.asarray(units))


def no_less_than_signs(p: Floats, units: Ints | int) -> tuple[Floats, Bools]:
    """Two-sided p[P] of tests by t, no less than the smallest that signs of so many units (topics, clusters, ...) can give,
    2^(1 - units), and bool[P]: where that is more than it was. As it was of no units; nan stays nan."""
    number = np.broadcast_to(units, p.shape)
    least = np.where(number > 0, least_of_signs(number), 0.0)
    return np.maximum(p, least), p < least


def reaching_zero(limits: Interval, units: Ints | int, confidence: float) -> Interval:
    """Limits[P] that hold 0 where p of tests by t of so many units, which `no_less_than_signs`, is above 1 - confidence
    whatever the data; nan stays nan."""
    return including_zero(limits, np.greater(units, 0) & (least_of_signs(units) > 1 - confidence))


def including_zero(limits: Interval, index: Bools) -> Interval:
    """Limits[P] that reach to 0 for some[P] of them; nan stays nan."""
    return np.where(index, np.stack((np.minimum(limits[0], 0), np.maximum(limits[1], 0))), limits)

"""swap-error: how often do query sets of a size order two systems as the fewer of them do?

The error rate of a measure is the share of (pair of systems, query set) on which the set disagrees with the majority of
the sets, differences below the fuzziness counting as equal. Query sets vary: versions of each topic's query shuffled into
sets (the paper's), or subsets of the topics. What most sets say is taken for true; no rate exceeds 50%.

C. Buckley and E. M. Voorhees, "Evaluating evaluation measure stability", SIGIR 2000.

Discriminative power: what share of all pairs of systems does a bootstrap test tell apart? Topics vary. For each pair the
per-topic differences, centred, are drawn with replacement; the achieved significance level is the share of resamples whose t
is as far from 0 as the observed one.

T. Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, Figures 1 and 3.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from irci.base.records import Checked, Record
from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, Ints
from irci.estimators.joint_resamples import topic_counts
from irci.kernels import query_sets
from irci.kernels.query_sets import Fuzziness, TopicSets, VersionSets
from irci.stats.tests import PAIRS_AT_ONCE, SAME_SUM
from irci.system.work import claim, in_shares


class QuerySetDesign(Checked):
    """Fuzziness and how often query sets are drawn.

    fuzziness: percent of the smaller score
    designs: how often versions are assigned to sets, or subsets of the topics are drawn
    trials: topic sets of each size, with versions
    sets: subsets in a design, without versions
    """

    fuzziness: tuple[float, ...] = (5.0,)
    designs: int = 50
    trials: int = 100
    sets: int = 100
    seed: int = 1

    def thresholds(self) -> Floats:
        """float64[F]: from which share on a difference counts; a share that is the fuzziness but for rounding counts too."""
        return np.array(self.fuzziness) / 100 * (1 - SAME_SUM)

    def over(self, scores: Floats, sizes: Ints) -> Fuzziness:
        """When totals of up to sizes[-1] of these scores differ."""
        return Fuzziness(self.thresholds(), rounding(scores, int(sizes[-1])))

    def signature(self) -> dict[str, str | float]:
        return self._asdict() | {"fuzziness": " ".join(f"{percent:g}" for percent in self.fuzziness)}


class Rate(NamedTuple):
    """The error rate of one topic set size and fuzziness: its mean, its standard deviation (ddof 1) and mean share of ties
    over `draws` designs or trials, each of `sets` query sets.
    """

    size: int
    fuzziness: float
    rate: float
    sd: float
    ties: float
    sets: int
    draws: int


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


def designs_of_versions(topics: int, versions: int, settings: QuerySetDesign) -> Ints:
    """int64[D, T, V]: for each design and topic a permutation of its versions over the V query sets (section 3.2)."""
    claim(settings.designs, topics, versions)
    word = int(seed_word(settings.seed, Purpose.VERSIONS))
    plain = np.tile(np.arange(versions), (topics, 1))
    return np.array(
        [np.random.default_rng([word, design]).permuted(plain, axis=1) for design in range(settings.designs)]
    )


def orders_of_topics(topics: int, largest: int, settings: QuerySetDesign) -> Ints:
    """int64[K, largest]: for each trial topics in random order, whose beginnings are the topic sets of all sizes."""
    word = int(seed_word(settings.seed, Purpose.TOPIC_SETS))
    return np.array(
        [np.random.default_rng([word, trial]).permutation(topics)[:largest] for trial in range(settings.trials)]
    )


def error_rates_over_versions(
    cube: Floats, sizes: Sequence[int], settings: QuerySetDesign, threads: int = 1
) -> Iterator[Rate]:
    """For cube[T, V, S], the scores of S systems on V versions of each of T topics.

    With all topics, mean and sd are over the designs; with fewer, over the trials, of each of which the rate is that of all
    its designs.
    """
    topics, versions, systems = cube.shape
    permutations = designs_of_versions(topics, versions, settings)
    scores = np.ascontiguousarray(cube.reshape(topics * versions, systems).T)

    def counted(orders: Ints, sizes: Ints, threads: int) -> tuple[Floats, Floats]:
        fuzziness = settings.over(scores, sizes)

        def count(selected: slice, minority: Ints, ties: Ints) -> None:
            sets = VersionSets(permutations, orders[selected], sizes)
            query_sets.count_over_versions(scores, sets, fuzziness, minority, ties)

        return _counted(count, (len(orders), len(permutations), len(sizes), len(settings.fuzziness)), threads)

    fewer = np.array([size for size in sorted(sizes) if size < topics], np.int64)
    by_size: dict[int, tuple[Floats, Floats]] = {}
    if len(fewer):
        minority, ties = counted(orders_of_topics(topics, int(fewer[-1]), settings), fewer, threads)
        for index, size in enumerate(fewer.tolist()):
            by_size[size] = minority[:, :, index].mean(axis=1), ties[:, :, index].mean(axis=1)
    if topics in sizes:
        minority, ties = counted(np.arange(topics)[np.newaxis], np.array([topics]), 1)
        by_size[topics] = minority[0, :, 0], ties[0, :, 0]
    for size in sizes:
        yield from _rates(size, *by_size[size], versions, systems, settings)


def error_rates_over_topics(
    scores: Floats, sizes: Sequence[int], settings: QuerySetDesign, threads: int = 1
) -> Iterator[Rate]:
    """For scores[S, T] without versions: query sets are settings.sets subsets of the topics, each without replacement.

    Mean and sd are over the designs, each of which has query sets of its own.
    """
    systems, topics = scores.shape
    scores = np.ascontiguousarray(scores)
    ascending = sorted(sizes)
    members = subsets_of_topics(topics, ascending[-1], settings)
    fuzziness = settings.over(scores, np.array(ascending))

    def count(index: slice, minority: Ints, ties: Ints) -> None:
        sets = TopicSets(members[index], np.array(ascending))
        query_sets.count_over_subsets(scores, sets, fuzziness, minority, ties)

    minority, ties = _counted(count, (len(members), len(ascending), len(settings.fuzziness)), threads)
    for size in sizes:
        position = ascending.index(size)
        yield from _rates(size, minority[:, position], ties[:, position], settings.sets, systems, settings)


def subsets_of_topics(topics: int, size: int, settings: QuerySetDesign) -> Ints:
    """int64[D, size, Q]: the topics of the Q query sets of each design."""
    word = int(seed_word(settings.seed, Purpose.TOPIC_SETS))
    claim(settings.designs, size, settings.sets)
    members = np.empty((settings.designs, size, settings.sets), np.int64)
    for design in range(settings.designs):
        rng = np.random.default_rng([word, design])
        members[design] = rng.random((settings.sets, topics)).argsort(axis=1)[:, :size].T
    return members


def _counted(count: Callable[[slice, Ints, Ints], None], shape: tuple[int, ...], threads: int) -> tuple[Floats, Floats]:
    """The minorities and ties that `count` fills in, float64[shape] each, a share of the first axis a thread."""
    claim(2, *shape)
    minority, ties = np.empty((2, *shape), np.int64)
    in_shares(lambda index: count(index, minority[index], ties[index]), shape[0], threads)
    return minority.astype(np.float64), ties.astype(np.float64)


def _rates(
    size: int, minority: Floats, ties: Floats, sets: int, systems: int, settings: QuerySetDesign
) -> Iterator[Rate]:
    comparisons = sets * math.comb(systems, 2)
    errors, equal = minority / comparisons, ties / comparisons
    for index, percent in enumerate(settings.fuzziness):
        sd = float(errors[:, index].std(ddof=1)) if len(errors) > 1 else math.nan
        yield Rate(size, percent, float(errors[:, index].mean()), sd, float(equal[:, index].mean()), sets, len(errors))


# What may be left, as a share, of a difference, a variance or a t that is 0: they are had as differences of sums.
CANCELLATION = 1e-10


class PowerOfTests(Record):
    """The power of P pairs' tests: achieved significance level asl[P], mean difference[P], and drawn[P, A]: |mean of resampled
    differences| at the (B alpha)-th largest |t| for each alpha.
    """

    asl: Floats
    difference: Floats
    drawn: Floats
    alphas: tuple[float, ...]

    def shares(self) -> Floats:
        """float64[A]: the share of pairs with a level below alpha."""
        return np.array([(self.asl < alpha).mean() for alpha in self.alphas])

    def differences(self) -> Floats:
        """float64[A]: the estimated difference required, the largest `drawn` over all pairs."""
        return np.asarray(self.drawn.max(axis=0))


def discriminative_power(
    scores: Floats, alphas: tuple[float, ...], resamples: int, seed: int, *, weights: Floats | None = None
) -> PowerOfTests:
    """All pairs of scores[S, T], the same topics drawn for all of them; B alpha must be at least 1.

    With `weights` float64[T], of clusters in place of topics, a mean is the sum of scores divided by that of weights.
    """
    weights = np.ones(scores.shape[1]) if weights is None else weights
    scores, weights = scores / weights.mean(), weights / weights.mean()
    first, second = np.triu_indices(len(scores), 1)
    counts = topic_counts(scores.shape[1], resamples, seed).astype(np.float64)
    ranks = [round_down(resamples * alpha) for alpha in alphas]
    asl, difference = np.empty((2, len(first)))
    drawn = np.empty((len(first), len(alphas)))
    for start in range(0, len(first), PAIRS_AT_ONCE):
        index = slice(start, start + PAIRS_AT_ONCE)
        a, b = scores[first[index]], scores[second[index]]
        between = a - b
        nothing = CANCELLATION * np.maximum(np.abs(a), np.abs(b)).max(axis=1, keepdims=True)
        asl[index], drawn[index] = _levels(between, weights, nothing, counts, ranks)
        difference[index] = between.mean(axis=1)
    return PowerOfTests(asl, difference, drawn, alphas)


def round_down(number: float) -> int:
    """The whole number below, or the one meant: 1000 x .07 is 70."""
    return math.floor(number * (1 + 1e-12))


def _levels(
    differences: Floats, weights: Floats, nothing: Floats, counts: Floats, ranks: list[int]
) -> tuple[Floats, Floats]:
    """Levels [P] and |mean| at the given ranks of |t|, [P, A], for differences[P, T] and counts[T, B] of topics drawn.

    What is not above nothing[P, 1] is 0 but for rounding. weights[T], of mean 1: the mean of a resample is the ratio of sums
    of differences and of weights, whose variance is that of what differences are more than weights times the mean.
    """

    def rounded(values: Floats) -> Floats:
        return np.where(np.abs(values) <= nothing, 0.0, values)

    topics = differences.shape[1]
    mean = rounded(differences.mean(axis=1, keepdims=True))
    centred = rounded(differences - weights * mean)
    observed = _t(mean, (centred**2).sum(axis=1, keepdims=True) / (topics - 1), mean**2, topics)
    weight = weights @ counts / topics
    means = rounded(centred @ counts / topics / weight)
    squares = centred**2 @ counts / topics
    products, square = centred * weights @ counts / topics, weights**2 @ counts / topics
    variance = (squares - means * (2 * products - means * square)) / weight**2
    resampled = _t(means, variance * topics / (topics - 1), squares / weight**2, topics)
    asl = (resampled >= observed * (1 - CANCELLATION)).mean(axis=1)
    order = np.argsort(-resampled, axis=1, kind="stable")
    at = [np.take_along_axis(np.abs(means), order[:, rank - 1 : rank], axis=1)[:, 0] for rank in ranks]
    return asl, np.column_stack(at)


def _t(mean: Floats, variance: Floats, squares: Floats, topics: int) -> Floats:
    """|t| of means[...]; without variance infinite, or 0 if the mean is 0 too."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(mean) / np.sqrt(np.maximum(variance, 0.0) / topics)
    constant = variance <= CANCELLATION * squares
    return np.where(constant, np.where(mean == 0, 0.0, np.inf), t)

"""swap-error: how often do query sets of a size order two systems as the fewer of them do?

The error rate of a measure is the share of (pair of systems, query set) on which the set disagrees with the majority of
the sets, differences below the fuzziness counting as equal. Query sets vary: versions of each topic's query shuffled into
sets (the paper's), or subsets of the topics. What most sets say is taken for true; no rate exceeds 50%.

C. Buckley and E. M. Voorhees, "Evaluating evaluation measure stability", SIGIR 2000.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from irci.base.records import Checked
from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, Ints
from irci.kernels import query_sets
from irci.kernels.query_sets import Fuzziness, TopicSets, VersionSets
from irci.stats.tests import SAME_SUM
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

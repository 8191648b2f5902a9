"""Which runs are compared, and the joint resamples that this takes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from irci.bootstrap.joint_means import JointMeans, pool, resamples_needed, with_pooled_runs
from irci.bootstrap.shared_documents import Rankings, paired_replicates
from irci.bootstrap.topics import topic_counts
from irci.data.names import places_by_name
from irci.methods.map_ci.differences import NOTHING, Pairs, TopicSpreads, common_topics
from irci.methods.map_ci.means import BOTH, DOCUMENTS, Settings
from irci.stats.scales import Scale

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

POOLED = ("mean", "median")


@dataclass(frozen=True)
class Comparison:
    """Which rows of a table of scores are compared: pairs int64[P, 2] of (run, baseline).

    `names`: of the rows; if `pooled` is mean or median, the last row is that of the runs. `order`: the runs sorted by name.
    """

    names: list[str]
    pairs: Pairs
    pooled: str | None
    order: NDArray[np.int64]

    @classmethod
    def of(cls, runs: Sequence[str], baseline: str | None, compare: bool, all_pairs: bool, alone: bool) -> "Comparison":
        """Against the baseline (a run, or the mean or median of all; the first run if None) if `compare`, or `all_pairs`; if
        neither, no pair, or every run `alone`."""
        order = np.array(places_by_name(runs))
        if all_pairs:
            pairs = [(later, first) for first in range(len(runs)) for later in range(first + 1, len(runs))]
            return cls(list(runs), _as_pairs(pairs), None, order)
        if not compare:
            pairs = [(run, NOTHING) for run in range(len(runs))] if alone else []
            return cls(list(runs), _as_pairs(pairs), None, order)
        if baseline in POOLED and baseline not in runs:
            pairs = [(run, len(runs)) for run in range(len(runs))]
            return cls([*runs, str(baseline)], _as_pairs(pairs), baseline, order)
        first = 0 if baseline is None else runs.index(baseline)
        return cls(list(runs), _as_pairs((run, first) for run in range(len(runs)) if run != first), None, order)

    def table(self, values: Floats) -> Floats:
        """Scores[runs, T] with the row of the pooled runs, if there is one."""
        return values if self.pooled is None else np.vstack((values, pool(values[self.order], self.pooled)))


def _as_pairs(pairs: Iterable[tuple[int, int]]) -> Pairs:
    return np.array(list(pairs), np.int64).reshape(-1, 2)


@dataclass
class Together:
    """What joint resamples of all runs give: means for pairs (with the pairs they are for) and for ranks, by population; and
    the spreads of single topics by scale."""

    for_pairs: dict[str, list[tuple[JointMeans, NDArray[np.int64]]]] = field(default_factory=dict)
    for_ranks: dict[str, JointMeans] = field(default_factory=dict)
    spreads: dict[str, TopicSpreads] = field(default_factory=dict)


def resampled_together(
    rankings: Rankings,
    keys: NDArray[np.uint64],
    comparison: Comparison,
    values: Floats,
    settings: Settings,
    *,
    populations: Sequence[str],
    scales: Sequence[Scale],
    topic_scales: Sequence[Scale],
    with_ranks: bool,
    threads: int = 1,
) -> Together:
    """One pass over the topics with the same resampled documents for all runs.

    `values` float64[rows, T]: the table of scores, nan where a run has dropped a topic. `populations`: documents, both.
    `scales`: on which means are compared; `topic_scales`: on which single topics are.
    """
    together = Together(
        spreads={scale.name: TopicSpreads(comparison.pairs, scale, values.shape[1]) for scale in topic_scales}
    )
    runs = np.arange(len(rankings.runs))
    for population in populations:
        if len(comparison.pairs):
            together.for_pairs[population] = [
                (_joint_means(np.unique(comparison.pairs[some]), mask, population, scales, settings), some)
                for mask, some in common_topics(values, comparison.pairs)
                if mask.any()
            ]
        if with_ranks:
            scored = np.asarray(~np.isnan(values[runs]).any(axis=0))
            together.for_ranks[population] = _joint_means(runs, scored, population, scales, settings)
    joint = [means for sets in together.for_pairs.values() for means, _ in sets] + list(together.for_ranks.values())
    needed = resamples_needed(joint, values.shape[1])
    if together.spreads:
        needed = [max(each, settings.resamples) for each in needed]
    replicates = paired_replicates(rankings, keys, resamples=needed, seed=settings.seed, threads=threads)
    for topic, of_topic in enumerate(replicates):
        scores = with_pooled_runs(of_topic, comparison.pooled, comparison.order)
        for means in joint:
            means.add(topic, scores)
        for spreads in together.spreads.values():
            # The pooled runs have no ranking; they differ from none only where all are the same.
            structures = np.append(of_topic.structures, of_topic.structures[0] if _all_same(of_topic.structures) else 0)
            spreads.add(topic, scores[:, : settings.resamples], structures)
    return together


def joint_means_of_run(
    rankings: Rankings,
    keys: NDArray[np.uint64],
    scored: Bools,
    settings: Settings,
    scales: Sequence[Scale],
    threads: int,
) -> JointMeans:
    """The means of a single run under resampled topics and documents; `scored` bool[T]: its topics."""
    means = _joint_means(np.arange(1), scored, BOTH, scales, settings)
    needed = resamples_needed([means], len(scored))
    replicates = paired_replicates(rankings, keys, resamples=needed, seed=settings.seed, threads=threads)
    for topic, of_topic in enumerate(replicates):
        means.add(topic, of_topic.scores)
    return means


def _all_same(structures: NDArray[np.uint64]) -> bool:
    return bool((structures == structures[0]).all())


def _joint_means(
    rows: NDArray[np.int64], topics: Bools, population: str, scales: Sequence[Scale], settings: Settings
) -> JointMeans:
    counts = None
    if population == BOTH:
        counts = np.zeros((len(topics), settings.resamples), np.int32)
        counts[topics] = topic_counts(int(topics.sum()), settings.resamples, settings.seed)
    assert population in (DOCUMENTS, BOTH)
    return JointMeans(rows, topics, settings.resamples, scales, counts, settings.slots == "fresh")

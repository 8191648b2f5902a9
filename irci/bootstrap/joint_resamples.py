"""Joint resamples of several runs: which runs are compared, and one pass over the topics with the same resampled documents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from irci.bootstrap.joint_means import JointMeans, pool, resamples_needed, with_pooled_runs
from irci.bootstrap.shared_documents import Rankings, paired_replicates
from irci.bootstrap.topics import topic_counts
from irci.choices import BOTH, DOCUMENTS, Pooled, Population
from irci.data.names import places_by_name
from irci.stats.scales import Scale
from irci.stats.tests import PAIRS_AT_ONCE
from irci.types import Bools, Floats, Ints, Pairs, Words

NOTHING = -1  # as a baseline: the run's own score is the effect
POOLED: tuple[Pooled, ...] = ("mean", "median")


@dataclass(frozen=True)
class Comparison:
    """Which rows of a table of scores are compared: pairs int64[P, 2] of (run, baseline).

    `names`: of the rows; if `pooled` is mean or median, the last row is that of the runs. `order`: the runs sorted by name.
    """

    names: list[str]
    pairs: Pairs
    pooled: Pooled | None
    order: Ints

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
        for pooled in POOLED:
            if baseline == pooled and pooled not in runs:
                pairs = [(run, len(runs)) for run in range(len(runs))]
                return cls([*runs, pooled], _as_pairs(pairs), pooled, order)
        first = 0 if baseline is None else runs.index(baseline)
        return cls(list(runs), _as_pairs((run, first) for run in range(len(runs)) if run != first), None, order)

    def table(self, values: Floats) -> Floats:
        """Scores[runs, T] with the row of the pooled runs, if there is one."""
        return values if self.pooled is None else np.vstack((values, pool(values[self.order], self.pooled)))


def _as_pairs(pairs: Iterable[tuple[int, int]]) -> Pairs:
    return np.array(list(pairs), np.int64).reshape(-1, 2)


def common_topics(values: Floats, pairs: Pairs) -> list[tuple[Bools, Ints]]:
    """The topics bool[T] that both of a pair are scored on in values[rows, T], and which pairs these are."""
    scored = ~np.isnan(values)
    masks, which = np.unique(scored[pairs[:, 0]] & scored[pairs[:, 1]], axis=0, return_inverse=True)
    return [(mask, np.flatnonzero(which.ravel() == place)) for place, mask in enumerate(masks)]


@dataclass
class TopicSpreads:
    """How much differences on single topics vary with the documents: sd float64[P, T] on a scale, ddof 1.

    `same` bool[P, T]: rankings that cannot score differently, told by their structure (`ranking_structures`).
    """

    pairs: Pairs
    scale: Scale
    num_topics: int
    sd: Floats = field(init=False)
    same: Bools = field(init=False)

    def __post_init__(self) -> None:
        self.sd = np.full((len(self.pairs), self.num_topics), np.nan)
        self.same = np.zeros(self.sd.shape, np.bool_)

    def add(self, topic: int, scores: Floats, structures: Words) -> None:
        """Take a topic's replicates [rows, B] and the structures uint64[rows] of its rankings."""
        # A last row, which NOTHING is, for pairs without a baseline.
        on_scale = np.vstack((self.scale.forward(scores), np.zeros(scores.shape[1])))
        for first in range(0, len(self.pairs), PAIRS_AT_ONCE):
            some = slice(first, first + PAIRS_AT_ONCE)
            run, baseline = self.pairs[some].T
            self.sd[some, topic] = (on_scale[run] - on_scale[baseline]).std(axis=1, ddof=1)
            self.same[some, topic] = (baseline != NOTHING) & (structures[run] == structures[baseline])


@dataclass
class JointResamples:
    """What joint resamples of all runs give: means for pairs (with the pairs they are for) and for ranks, by population; and
    the spreads of single topics by scale."""

    for_pairs: dict[Population, list[tuple[JointMeans, Ints]]] = field(default_factory=dict)
    for_ranks: dict[Population, JointMeans] = field(default_factory=dict)
    spreads: dict[str, TopicSpreads] = field(default_factory=dict)


@dataclass(frozen=True)
class Draws:
    """How often documents (and topics) are resampled, and whether a topic drawn twice gets other documents (`fresh`)."""

    resamples: int
    seed: int
    fresh: bool = True


@dataclass(frozen=True)
class Wanted:
    """What joint resamples are for: means on `scales` for `populations` (documents, both), differences on single topics on
    `topic_scales`, ranks."""

    populations: Sequence[Population]
    scales: Sequence[Scale]
    topic_scales: Sequence[Scale]
    ranks: bool


def joint_resamples(
    rankings: Rankings,
    keys: Words,
    comparison: Comparison,
    values: Floats,
    draws: Draws,
    wanted: Wanted,
    *,
    threads: int = 1,
) -> JointResamples:
    """One pass over the topics with the same resampled documents for all runs.

    `values` float64[rows, T]: the table of scores, nan where a run has dropped a topic.
    """
    found = JointResamples(
        spreads={scale.name: TopicSpreads(comparison.pairs, scale, values.shape[1]) for scale in wanted.topic_scales}
    )
    runs = np.arange(len(rankings.runs))
    for population in wanted.populations:
        if len(comparison.pairs):
            found.for_pairs[population] = [
                (_joint_means(np.unique(comparison.pairs[some]), mask, population, wanted.scales, draws), some)
                for mask, some in common_topics(values, comparison.pairs)
                if mask.any()
            ]
        if wanted.ranks:
            scored = np.asarray(~np.isnan(values[runs]).any(axis=0))
            found.for_ranks[population] = _joint_means(runs, scored, population, wanted.scales, draws)
    joint = [means for sets in found.for_pairs.values() for means, _ in sets] + list(found.for_ranks.values())
    needed = resamples_needed(joint, values.shape[1])
    if found.spreads:
        needed = [max(each, draws.resamples) for each in needed]
    replicates = paired_replicates(rankings, keys, resamples=needed, seed=draws.seed, threads=threads)
    for topic, of_topic in enumerate(replicates):
        scores = with_pooled_runs(of_topic, comparison.pooled, comparison.order)
        for means in joint:
            means.add(topic, scores)
        for spreads in found.spreads.values():
            # The pooled runs have no ranking; they differ from none only where all are the same.
            structures = np.append(of_topic.structures, of_topic.structures[0] if _all_same(of_topic.structures) else 0)
            spreads.add(topic, scores[:, : draws.resamples], structures)
    return found


def joint_means_of_run(
    rankings: Rankings, keys: Words, scored: Bools, draws: Draws, scales: Sequence[Scale], threads: int
) -> JointMeans:
    """The means of a single run under resampled topics and documents; `scored` bool[T]: its topics."""
    means = _joint_means(np.arange(1), scored, BOTH, scales, draws)
    needed = resamples_needed([means], len(scored))
    replicates = paired_replicates(rankings, keys, resamples=needed, seed=draws.seed, threads=threads)
    for topic, of_topic in enumerate(replicates):
        means.add(topic, of_topic.scores)
    return means


def _all_same(structures: Words) -> bool:
    return bool((structures == structures[0]).all())


def _joint_means(
    rows: Ints, topics: Bools, population: Population, scales: Sequence[Scale], draws: Draws
) -> JointMeans:
    counts = None
    if population == BOTH:
        counts = np.zeros((len(topics), draws.resamples), np.int32)
        counts[topics] = topic_counts(int(topics.sum()), draws.resamples, draws.seed)
    assert population in (DOCUMENTS, BOTH)
    return JointMeans(rows, topics, draws.resamples, scales, counts, draws.fresh)

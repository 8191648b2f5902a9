"""Joint resamples of several runs, the paired corpus bootstrap: one pass over the topics with the same resampled documents.

Every document of a topic has one multiplicity, Poisson(1), in all rankings. It depends on the seed, the topic and the docno
alone, so a run's replicates are the same whatever it is compared with, and all differences come from one collection.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, Ints, Ints32, Words, offsets, owners
from irci.data.collection import Relevance
from irci.data.rankings import Qrels
from irci.estimators.documents import COPIES_AT_ONCE, can_be_drawn, lowest_rank, score_written, scoring_of
from irci.kernels.generator import LANES
from irci.kernels.paired_bootstrap import MOST_COPIES, NumberedRankings, resample_together
from irci.kernels.resampled_rankings import WRITTEN_DOWN
from irci.kernels.topics import draw_topics, mean_over_drawn
from irci.measures import MAP, Measure
from irci.stats.scales import Scale
from irci.stats.tests import PAIRS_AT_ONCE, Comparison, common_topics
from irci.system import claim, in_order


class Rankings(NamedTuple):
    """Several runs' rankings of T topics, as far as a measure looks, and what it sees of the judgments.

    `runs`: of each, topic by topic, the numbers of its documents, in order; `documents`: the words of those of each topic, by
    their numbers. `seen` int32[...]: the numbers of the documents that
    matter, `classes` int32[...] into the classes of `relevance`; topic t's are [offsets[t]:offsets[t+1]].
    """

    runs: list[Sequence[Ints32]]
    documents: Sequence[Words]
    seen: Ints32
    classes: Ints32
    offsets: Ints
    relevance: Relevance
    measure: Measure

    @classmethod
    def of(
        cls, qrels: Qrels, relevance: Relevance, runs: Sequence[tuple[Relevance, Sequence[Ints32]]],
        documents: Sequence[Words], measure: Measure = MAP,
    ) -> "Rankings":  # fmt: skip
        seen = relevance.classes >= 0
        numbers = np.arange(len(seen)) - qrels.offsets[owners(qrels.offsets)]
        lowest, lists = lowest_rank(measure, relevance.num_relevant), []
        for relevant, ranked in runs:
            if not measure.family.sees_retrieved:  # down to the last document that matters above the lowest rank
                topic, depth = owners(relevant.offsets), np.zeros(len(lowest), np.int64)
                within = relevant.ranks <= lowest[topic]
                np.maximum.at(depth, topic[within], relevant.ranks[within])
                ranked = [own[:deepest] for own, deepest in zip(ranked, depth.tolist(), strict=True)]
            lists.append(ranked)
        return cls(
            lists, documents, seen=numbers[seen].astype(np.int32), classes=relevance.classes[seen],
            offsets=offsets(seen)[qrels.offsets], relevance=relevance, measure=measure,
        )  # fmt: skip


def paired_replicates(
    rankings: Rankings, keys: Words, *, resamples: int, seed: int, threads: int = 1
) -> Iterator[Floats]:
    """The scores float64[runs, B] of all runs on each topic in turn, under joint resamples of the documents.

    `keys` uint64[T]: the topics' stream keys. A resample in which the measure is undefined is drawn again, for all runs
    alike. A ranking without a document that matters scores 0.
    Source: Cormack & Lynam 2006, section 3, for one run; the pairing is ours.
    """
    measure, relevance = rankings.measure, rankings.relevance
    # The ideal ranking holds what is relevant and not retrieved too.
    longest = max((len(own) for run in rankings.runs for own in run), default=0)
    longest += int(np.diff(rankings.offsets).max(initial=0))
    scoring = scoring_of(measure, relevance, MOST_COPIES * longest)
    word, drawn = seed_word(seed, Purpose.PAIRED_BOOTSTRAP), can_be_drawn(measure, relevance)

    def of_topic(topic: int) -> Floats:
        scores, lists = np.zeros((len(rankings.runs), resamples)), [run[topic] for run in rankings.runs]
        index, numbers = slice(*rankings.offsets[topic : topic + 2]), np.concatenate(lists)
        seen, classes = rankings.seen[index], rankings.classes[index]
        # Those that matter, and are retrieved, are numbered anew: the relevant ones in their order, then the others.
        words = rankings.documents[topic]
        is_other = np.zeros(len(words), np.bool_)
        is_other[numbers] = True
        is_other[seen] = False
        needed = np.concatenate((seen, np.flatnonzero(is_other)))
        new = np.empty(len(words), np.int32)
        new[needed] = np.arange(len(needed))
        if (len(numbers) or measure.family.sees_retrieved) and len(classes) and drawn[topic]:
            numbered = NumberedRankings(
                word, keys[topic], words[needed], classes, new[numbers], offsets([*map(len, lists)])
            )
            blocks = -(-resamples // LANES)
            at_once = max(1, COPIES_AT_ONCE // (LANES * max(1, len(numbers))))
            at_once = at_once if scoring.measure == WRITTEN_DOWN else blocks
            for first in range(0, blocks, at_once):
                part = first, min(first + at_once, blocks)
                score_written(measure, relevance, resample_together(scoring, numbered, part, scores), scores)
        return scores

    return in_order(of_topic, range(len(keys)), threads)


class JointResamples(NamedTuple):
    """Findings of joint resamples of the documents on P pairs and on all rows, by the name of a scale.

    errors: dict[str, float64[P]]  # standard errors of differences of means, on the topics of each pair
    means: dict[str, float64[rows, B]]  # replicates of means on the topics that all rows have, if there are any
    sd: dict[str, float64[P, T]]  # of differences on single topics, ddof 1
    """

    errors: dict[str, Floats]
    means: dict[str, Floats]
    sd: dict[str, Floats]


def joint_resamples(
    rankings: Rankings, keys: Words, comparison: Comparison, values: Floats, *, scales: Sequence[Scale], all_runs: bool,
    topic_scales: Sequence[Scale], resamples: int, seed: int, threads: int = 1,
) -> JointResamples:  # fmt: skip
    """One pass over the topics with the same resampled documents for all runs: means of pairs, and of `all_runs`, on `scales`,
    differences on single topics on `topic_scales`. `values` float64[rows, T]: the table of scores, nan where a run has dropped
    a topic."""
    number = len(comparison.pairs)
    errors = {scale.name: np.full(number, np.nan) for scale in scales}
    sd = {scale.name: np.full((number, values.shape[1]), np.nan) for scale in topic_scales}
    result = JointResamples(errors, {}, sd)
    # Topics, the rows that are averaged over them, and of which pairs they are, by places among these rows.
    groups = [
        (mask, *np.unique(comparison.pairs[index], return_inverse=True), index)
        for mask, index in (common_topics(values, comparison.pairs) if scales else [])
        if mask.any()
    ]
    if scales and all_runs and (common := ~np.isnan(values).any(axis=0)).any():
        groups.append((common, np.arange(len(values)), *np.empty((2, 0), np.int64)))
    if not groups and not sd:
        return result
    # Added up in topic order.
    sums = [np.zeros((len(scales), len(rows), resamples)) for _, rows, *_ in groups]
    replicates = paired_replicates(rankings, keys, resamples=resamples, seed=seed, threads=threads)
    for topic, of_topic in enumerate(replicates):
        scores = comparison.table(of_topic)
        for (mask, rows, *_), totals in zip(groups, sums, strict=True):
            for total, scale in zip(totals, scales, strict=True) if mask[topic] else ():
                total += scale.forward(scores[rows])
        for scale in topic_scales:
            # A last row, which NOTHING is, for pairs without a baseline.
            on_scale = np.vstack((scale.forward(scores), np.zeros(resamples)))
            for first in range(0, number, PAIRS_AT_ONCE):
                index = slice(first, first + PAIRS_AT_ONCE)
                run, baseline = comparison.pairs[index].T
                sd[scale.name][index, topic] = (on_scale[run] - on_scale[baseline]).std(axis=1, ddof=1)
    for (mask, _, places, of_group), totals in zip(groups, sums, strict=True):
        for means, scale in zip(totals / mask.sum(), scales, strict=True):
            if not len(of_group):
                result.means[scale.name] = means
            for pair, (run, baseline) in zip(of_group.tolist(), places.reshape(-1, 2).tolist(), strict=True):
                errors[scale.name][pair] = (means[run] - means[baseline]).std(ddof=1)
    return result


def topic_counts(num_topics: int, resamples: int, seed: int, purpose: Purpose = Purpose.TOPIC_BOOTSTRAP) -> Ints32:
    """int32[T, B]: how often each of T topics is drawn in each resample; a column adds up to T."""
    claim(num_topics, resamples, bytes_each=4)
    counts = np.empty((num_topics, resamples), np.int32)
    draw_topics(seed_word(seed, purpose), counts)
    return counts


def resampled_means(values: Floats, counts: Ints32) -> Floats:
    """float64[N, B]: the means of values[N, T] over the topics drawn, counts[T, B]."""
    means = np.empty((len(values), counts.shape[1]))
    mean_over_drawn(np.ascontiguousarray(values), counts, means)
    return means

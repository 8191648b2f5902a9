"""The paired corpus bootstrap: scores of several runs under the same resampled documents.

Every document of a topic has one multiplicity, Poisson(1), in all rankings. It depends on the seed, the topic and the docno
alone, so a run's replicates are the same whatever it is compared with, and all differences come from one collection.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from irci.base.records import Record
from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, Ints, Ints32, Words, offsets, owners, ranges
from irci.data.collection import Collection, JudgedRun, RankedDocuments, Relevance, TopicDocuments, relevant_ranks
from irci.data.rankings import secret
from irci.estimators.documents import (
    ADDED_UP,
    COPIES_AT_ONCE,
    can_be_drawn,
    cumulative_terms,
    first_needed,
    lowest_rank,
    score_resampled,
)
from irci.kernels.corpus_bootstrap import Scoring
from irci.kernels.generator import LANES
from irci.kernels.paired_bootstrap import (
    MOST_COPIES,
    NumberedRankings,
    document_keys,
    number_documents,
    paired_scores,
    ranking_structures,
)
from irci.kernels.resampled_rankings import paired_lists
from irci.measures import MAP, Measure
from irci.system.work import in_order

Scorer = Callable[[NumberedRankings, Floats], None]  # fills the scores float64[runs, B] of one topic


class Rankings(Record):
    """Several runs' rankings of T topics, as far as a measure looks, and what it sees of the judgments.

    `documents`: those of the topics, by whose numbers rankings are told. `seen` int32[...]: the numbers of the documents that
    matter, `classes` int32[...] into the classes of `relevance`; topic t's are [offsets[t]:offsets[t+1]].
    """

    runs: list[RankedDocuments]
    documents: TopicDocuments
    seen: Ints32
    classes: Ints32
    offsets: Ints
    relevance: Relevance
    measure: Measure

    @classmethod
    def of(
        cls,
        collection: Collection,
        relevance: Relevance,
        runs: Sequence[tuple[JudgedRun, RankedDocuments]],
        documents: TopicDocuments,
        measure: Measure = MAP,
    ) -> "Rankings":
        qrels = collection.qrels
        seen = relevance.classes >= 0
        numbers = np.arange(len(seen)) - qrels.offsets[owners(qrels.offsets)]
        lowest = lowest_rank(measure, relevance.num_relevant)
        return cls(
            runs=[
                ranked if measure.family.looks_at.retrieved else _down_to_last_seen(judged, ranked, relevance, lowest)
                for judged, ranked in runs
            ],
            documents=documents,
            seen=numbers[seen].astype(np.int32),
            classes=relevance.classes[seen],
            offsets=offsets(seen)[qrels.offsets],
            relevance=relevance,
            measure=measure,
        )

    def of_topic(self, topic: int) -> tuple[Ints32, Ints, Ints32, Ints32]:
        """One topic's documents, run after run, where each run's begin, and the numbers and classes of what matters."""
        lists = [run.numbers[run.offsets[topic] : run.offsets[topic + 1]] for run in self.runs]
        index = slice(self.offsets[topic], self.offsets[topic + 1])
        return np.concatenate(lists), offsets([*map(len, lists)]), self.seen[index], self.classes[index]


class Replicates(NamedTuple):
    """One topic's scores float64[runs, B], and `structures` int64[runs], equal where rankings cannot score differently: the
    first run of that structure."""

    scores: Floats
    structures: Ints


def paired_replicates(
    rankings: Rankings,
    keys: Words,
    *,
    resamples: Sequence[int],
    seed: int,
    threads: int = 1,
    written_down: bool = False,
) -> Iterator[Replicates]:
    """The scores of all runs on each topic in turn, under resamples[t] joint resamples of the documents.

    `keys` uint64[T]: the topics' stream keys. A resample in which the measure is undefined is drawn again, for all runs
    alike. A ranking without a document that matters scores 0. `written_down`: even where there is a faster way.
    Source: Cormack & Lynam 2006, section 3, for one run; the pairing is ours.
    """
    is_fast = rankings.measure.family.name in ADDED_UP and not written_down
    scores_of = _scores_added_up(rankings) if is_fast else _rankings_scored(rankings)
    word = seed_word(seed, Purpose.PAIRED_BOOTSTRAP)
    to_the_end = rankings.measure.family.looks_at.retrieved
    drawn = can_be_drawn(rankings.measure, rankings.relevance)

    def of_topic(topic: int) -> Replicates:
        numbers, run_offsets, seen, classes = rankings.of_topic(topic)
        words = rankings.documents.of_topic(topic)
        documents, numbered = number_documents(numbers, seen, len(words))
        structures = ranking_structures(len(numbered), classes, documents, run_offsets, secret())
        scores = np.zeros((len(rankings.runs), resamples[topic]))
        if (len(documents) or to_the_end) and len(classes) and drawn[topic]:
            document_keys_of_topic = document_keys(word, keys[topic], words[numbered])
            scores_of(NumberedRankings(document_keys_of_topic, classes, documents, run_offsets), scores)
        return Replicates(scores, structures)

    return in_order(of_topic, range(len(keys)), threads)


def _scores_added_up(rankings: Rankings) -> Scorer:
    measure = rankings.measure
    resampled_as = ADDED_UP[measure.family.name]
    # The ideal ranking holds what is relevant and not retrieved too.
    longest = max(int(np.diff(run.offsets).max(initial=0)) for run in rankings.runs)
    longest += int(np.diff(rankings.offsets).max(initial=0))
    cumulative = cumulative_terms(resampled_as, measure.cut, MOST_COPIES * longest)
    scoring = Scoring(resampled_as, measure.cut, rankings.relevance.gains, cumulative)

    def scores_of(numbered: NumberedRankings, scores: Floats) -> None:
        paired_scores(scoring, numbered, scores)

    return scores_of


def _rankings_scored(rankings: Rankings) -> Scorer:
    measure, relevance = rankings.measure, rankings.relevance
    class_grade = relevance.gains.astype(np.int64)
    needed = first_needed(measure, relevance.gains, relevance.level)

    def scores_of(numbered: NumberedRankings, scores: Floats) -> None:
        resamples = scores.shape[1]
        blocks = -(-resamples // LANES)
        at_once = max(1, COPIES_AT_ONCE // (LANES * max(1, len(numbered.documents))))
        for first in range(0, blocks, at_once):
            result = paired_lists(class_grade, needed, numbered, first, min(first + at_once, blocks), resamples)
            scores.ravel()[result.place] = score_resampled(measure, relevance, result)

    return scores_of


def _down_to_last_seen(
    judged: JudgedRun, ranked: RankedDocuments, relevance: Relevance, lowest: Floats
) -> RankedDocuments:
    # A run's rankings as far as its last document that matters at or above rank lowest[T].
    lists = relevant_ranks(judged, relevance)
    topic = owners(lists.offsets)
    within = lists.ranks <= lowest[topic]
    depth = np.zeros(len(lowest), np.int64)
    np.maximum.at(depth, topic[within], lists.ranks[within])
    return RankedDocuments(offsets(depth), ranked.numbers[ranges(ranked.offsets[:-1], depth)])

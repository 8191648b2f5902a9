"""The paired corpus bootstrap: scores of several runs under the same resampled documents.

Every document of a topic has one multiplicity, Poisson(1), in all rankings. It depends on the seed, the topic and the docno
alone, so a run's replicates are the same whatever it is compared with, and all differences come from one collection.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from irci.bootstrap.documents import cumulative_terms, lowest_rank
from irci.data.collection import Collection, JudgedRun, Relevance, relevant_ranks
from irci.data.docnos import secret
from irci.data.retrieved import RankedDocuments, TopicDocuments
from irci.kernels.corpus_bootstrap import AVERAGE_PRECISION, Scoring
from irci.kernels.paired_bootstrap import MOST_COPIES, NumberedRankings, document_keys, paired_scores
from irci.kernels.structures import number_documents, ranking_structures
from irci.streams import Purpose, seed_word
from irci.threads import in_order
from irci.types import Floats, Ints, Ints32, Words, offsets, owners, ranges


@dataclass(frozen=True)
class Rankings:
    """Several runs' rankings of T topics, each down to its last relevant document, and what is relevant.

    `documents`: those of the topics, by whose numbers rankings are told. `relevant` int32[...]: the numbers of the relevant
    ones, `classes` int32[...] into `gains` float64[G]; topic t's are [offsets[t]:offsets[t+1]].
    """

    runs: list[RankedDocuments]
    documents: TopicDocuments
    relevant: Ints32
    classes: Ints32
    gains: Floats
    offsets: Ints
    measure: int
    cut: int

    @classmethod
    def of(
        cls,
        collection: Collection,
        relevance: Relevance,
        runs: Sequence[tuple[JudgedRun, RankedDocuments]],
        documents: TopicDocuments,
        measure: int | None = AVERAGE_PRECISION,
        cut: int = 0,
    ) -> "Rankings":
        """The rankings of runs judged, with their documents, as far as the measure (as in `resampled_scores`) looks."""
        assert measure is not None, "documents cannot be resampled"
        qrels = collection.qrels
        relevant = relevance.classes >= 0
        numbers = np.arange(len(relevant)) - qrels.offsets[owners(qrels.offsets)]
        lowest = lowest_rank(measure, cut, relevance.counts.sum(axis=1))
        return cls(
            runs=[_down_to_last_relevant(judged, ranked, relevance, lowest) for judged, ranked in runs],
            documents=documents,
            relevant=numbers[relevant].astype(np.int32),
            classes=relevance.classes[relevant],
            gains=relevance.gains,
            offsets=offsets(relevant)[qrels.offsets],
            measure=measure,
            cut=cut,
        )

    def of_topic(self, topic: int) -> tuple[Ints32, Ints, Ints32, Ints32]:
        """One topic's documents, run after run, where each run's begin, and the numbers and classes of what is relevant."""
        lists = [run.numbers[run.offsets[topic] : run.offsets[topic + 1]] for run in self.runs]
        some = slice(self.offsets[topic], self.offsets[topic + 1])
        return np.concatenate(lists), offsets([*map(len, lists)]), self.relevant[some], self.classes[some]


class Replicates(NamedTuple):
    """One topic's scores float64[runs, B], and `structures` int64[runs], equal where rankings cannot score differently: the
    first run of that structure."""

    scores: Floats
    structures: Ints


def paired_replicates(
    rankings: Rankings, keys: Words, *, resamples: Sequence[int], seed: int, threads: int = 1
) -> Iterator[Replicates]:
    """The scores of all runs on each topic in turn, under resamples[t] joint resamples of the documents.

    `keys` uint64[T]: the topics' stream keys. A resample in which the measure is undefined (no relevant document, except for
    PRECISION) is drawn again, for all runs alike. A ranking without a relevant document scores 0.
    Source: Cormack & Lynam 2006, section 3, for one run; the pairing is ours.
    """
    # The ideal ranking holds what is relevant and not retrieved too.
    longest = max(int(np.diff(run.offsets).max(initial=0)) for run in rankings.runs)
    longest += int(np.diff(rankings.offsets).max(initial=0))
    cumulative = cumulative_terms(rankings.measure, rankings.cut, MOST_COPIES * longest)
    scoring = Scoring(rankings.measure, rankings.cut, rankings.gains, cumulative)
    word = seed_word(seed, Purpose.PAIRED_BOOTSTRAP)

    def of_topic(topic: int) -> Replicates:
        numbers, run_offsets, relevant, classes = rankings.of_topic(topic)
        words = rankings.documents.of_topic(topic)
        documents, chosen = number_documents(numbers, relevant, len(words))
        structures = ranking_structures(len(chosen), classes, documents, run_offsets, secret())
        scores = np.zeros((len(rankings.runs), resamples[topic]))
        if len(documents):
            document_keys_of_topic = document_keys(word, keys[topic], words[chosen])
            numbered = NumberedRankings(document_keys_of_topic, classes, documents, run_offsets)
            paired_scores(scoring, numbered, scores)
        return Replicates(scores, structures)

    return in_order(of_topic, range(len(keys)), threads)


def _down_to_last_relevant(
    judged: JudgedRun, ranked: RankedDocuments, relevance: Relevance, lowest: Floats
) -> RankedDocuments:
    """A run's rankings as far as its last relevant document at or above rank lowest[T]."""
    lists = relevant_ranks(judged, relevance)
    topic = owners(lists.offsets)
    within = lists.ranks <= lowest[topic]
    depth = np.zeros(len(lowest), np.int64)
    np.maximum.at(depth, topic[within], lists.ranks[within])
    return RankedDocuments(offsets(depth), ranked.numbers[ranges(ranked.offsets[:-1], depth)])

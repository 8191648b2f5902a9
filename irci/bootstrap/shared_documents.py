"""The paired corpus bootstrap: scores of several runs under the same resampled documents.

Every document of a topic has one multiplicity, Poisson(1), in all rankings. It depends on the seed, the topic and the docno
alone, so a run's replicates are the same whatever it is compared with, and all differences come from one collection.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from irci.bootstrap.documents import cumulative_terms, lowest_rank
from irci.data.collection import Collection, JudgedRun, RankedHashes, Relevance, relevant_ranks
from irci.kernels.corpus_bootstrap import AVERAGE_PRECISION
from irci.kernels.generator import LANES
from irci.kernels.paired_bootstrap import (
    MOST_COPIES,
    document_keys,
    number_documents,
    paired_scores,
    ranking_structures,
)
from irci.streams import Purpose, seed_word
from irci.threads import in_order


@dataclass(frozen=True)
class Rankings:
    """Several runs' rankings of T topics, each down to its last relevant document, and what is relevant.

    `relevant` uint64[...]: docno hashes of the relevant documents, `classes` int32[...] into `gains` float64[G]; topic t's are
    [offsets[t]:offsets[t+1]].
    """

    runs: list[RankedHashes]
    relevant: NDArray[np.uint64]
    classes: NDArray[np.int32]
    gains: NDArray[np.float64]
    offsets: NDArray[np.int64]
    measure: int
    cut: int

    @classmethod
    def of(
        cls,
        collection: Collection,
        relevance: Relevance,
        runs: Sequence[tuple[JudgedRun, RankedHashes]],
        measure: int | None = AVERAGE_PRECISION,
        cut: int = 0,
    ) -> "Rankings":
        """Those of runs judged, with their documents, as far as the measure (as in `resampled_scores`) looks."""
        assert measure is not None, "documents cannot be resampled"
        qrels = collection.qrels
        relevant = relevance.classes >= 0
        lowest = lowest_rank(measure, cut, relevance.counts.sum(axis=1))
        return cls(
            runs=[_down_to_last_relevant(judged, hashes, relevance, lowest) for judged, hashes in runs],
            relevant=qrels.docnos.hash[relevant],
            classes=relevance.classes[relevant],
            gains=relevance.gains,
            offsets=np.concatenate(([0], np.cumsum(relevant)))[qrels.offsets],
            measure=measure,
            cut=cut,
        )

    def of_topic(
        self, topic: int
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint64], NDArray[np.int32]]:
        """One topic's docno hashes, run after run, where each run's begin, and the hashes and classes of what is relevant."""
        lists = [run.hashes[run.offsets[topic] : run.offsets[topic + 1]] for run in self.runs]
        some = slice(self.offsets[topic], self.offsets[topic + 1])
        offsets = np.cumsum([0, *(len(each) for each in lists)])
        return np.concatenate(lists), offsets, self.relevant[some], self.classes[some]


class Replicates(NamedTuple):
    """One topic's scores float64[runs, B], and `structures` uint64[runs], equal where rankings cannot score differently."""

    scores: NDArray[np.float64]
    structures: NDArray[np.uint64]


def paired_replicates(
    rankings: Rankings, keys: NDArray[np.uint64], *, resamples: Sequence[int], seed: int, threads: int = 1
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
    word = seed_word(seed, Purpose.PAIRED_BOOTSTRAP)

    def of_topic(topic: int) -> Replicates:
        hashes, offsets, relevant, classes = rankings.of_topic(topic)
        documents, known = number_documents(hashes, relevant)
        structures = ranking_structures(known, classes, documents, offsets)
        scores = np.zeros((len(rankings.runs), resamples[topic]))
        if len(documents):
            paired_scores(
                rankings.measure, rankings.cut, rankings.gains, cumulative, document_keys(word, keys[topic], known), classes,
                documents, offsets, 0, -(-resamples[topic] // LANES), scores,
            )  # fmt: skip
        return Replicates(scores, structures)

    return in_order(of_topic, range(len(keys)), threads)


def _down_to_last_relevant(
    judged: JudgedRun, ranked: RankedHashes, relevance: Relevance, lowest: NDArray[np.float64]
) -> RankedHashes:
    """A run's rankings as far as its last relevant document at or above rank lowest[T]."""
    lists = relevant_ranks(judged, relevance)
    topic = np.repeat(np.arange(len(lowest)), np.diff(lists.offsets))
    within = lists.ranks <= lowest[topic]
    depth = np.zeros(len(lowest), np.int64)
    np.maximum.at(depth, topic[within], lists.ranks[within])
    offsets = np.concatenate(([0], np.cumsum(depth)))
    place = np.arange(offsets[-1]) + np.repeat(ranked.offsets[:-1] - offsets[:-1], depth)
    return RankedHashes(offsets, ranked.hashes[place])

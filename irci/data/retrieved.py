"""Documents that several runs retrieve, each with a number: what comparisons need of runs whose text is let go."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irci.base.streams import told_apart
from irci.base.types import Bools, Ints, Ints32, Words, offsets, owners, ranges
from irci.data.collection import JudgedRun
from irci.data.docnos import Docnos, secret
from irci.data.trec_files import Qrels, Run
from irci.kernels.interning import HEAD, Interned, fill_slots, has_equal, intern_documents, interned_documents
from irci.kernels.words import PADDING


@dataclass(frozen=True)
class RankedDocuments:
    """The documents that one run retrieves, in order: topic t's are numbers[offsets[t]:offsets[t+1]], int32[...]."""

    offsets: Ints
    numbers: Ints32


@dataclass(frozen=True)
class TopicDocuments:
    """The documents of T topics by their numbers: what their streams are keyed by, words uint64[...], all different within a
    topic; topic t's from offsets[t] to offsets[t+1]."""

    offsets: Ints
    words: Words

    def of_topic(self, topic: int) -> Words:
        return self.words[self.offsets[topic] : self.offsets[topic + 1]]


class RetrievedDocuments:
    """Numbers for the documents of runs added one after the other.

    The judged documents of a topic have the first numbers, in the order of the qrels; others the next, as they come. A docno
    is kept once a topic, whichever runs retrieve it. `seen` bool[J]: the judgments that comparisons of rankings look at;
    `to_the_end`: whether they look at what is retrieved below too.

    No document's stream depends on which runs are read, but for two docnos that nobody judged and that share the public hash
    (by chance one pair in 2^64; forged ones do): alone, either has the hash itself as its word; together, the first bytewise.
    """

    def __init__(self, qrels: Qrels, seen: Bools, *, to_the_end: bool = False) -> None:
        self._qrels, self._seen, self._to_the_end = qrels, seen, to_the_end
        self._known = Interned(
            np.empty(0, np.uint64), np.zeros(1, np.uint64), np.zeros(2, np.int64), np.diff(qrels.offsets)
        )

    def add(self, run: Run, judged: JudgedRun) -> RankedDocuments:
        """The documents that a run retrieves down to the last one that matters: all that a comparison of rankings looks at."""
        topic, found = owners(judged.offsets), self._seen[judged.rows]
        depths = judged.retrieved.copy() if self._to_the_end else np.zeros(len(judged.retrieved), np.int64)
        np.maximum.at(depths, topic[found], judged.ranks[found])
        lines, edges = judged.lines[ranges(judged.line_offsets[:-1], depths)], offsets(depths)
        numbers = np.full(len(lines), -1, np.int32)
        within = judged.ranks <= depths[topic]
        places = edges[topic[within]] + judged.ranks[within] - 1
        numbers[places] = judged.rows[within] - self._qrels.offsets[topic[within]]
        others = np.flatnonzero(numbers < 0)
        numbers[others] = self._numbers(run.docnos, lines[others], owners(edges)[others])
        return RankedDocuments(edges, numbers)

    def _numbers(self, docnos: Docnos, lines: NDArray[Any], topics: Ints) -> Ints32:
        self._make_room(len(lines), int((docnos.length[lines] // 8 + HEAD + 1).sum()))
        numbers = np.empty(len(lines), np.int32)
        intern_documents(docnos, lines, topics, self._known, secret(), numbers)
        return numbers

    def _make_room(self, documents: int, words: int) -> None:
        # Room for so many documents more, whose records take so many words.
        known = self._known
        words += int(known.used[0]) + PADDING // 8
        documents += int(known.used[1])
        if len(known.words) < words:
            larger = np.empty(max(words, 2 * len(known.words)), np.uint64)
            larger[: known.used[0]] = known.words[: known.used[0]]
            self._known = known = known._replace(words=larger)
        if len(known.slots) < 2 * documents:
            self._known = known._replace(slots=np.zeros(1 << (2 * documents - 1).bit_length(), np.uint64))
            fill_slots(self._known, secret())

    def by_topic(self) -> TopicDocuments:
        """Words that key the streams of the documents: their docnos' public hashes, told apart where equal."""
        qrels, edges = self._qrels, offsets(self._known.counts)
        topic, number, start, length = interned_documents(self._known)
        docnos = Docnos(self._known.words.view(np.uint8), start, length, np.empty(len(start), np.uint64))
        words = np.empty(edges[-1], np.uint64)
        words[ranges(edges[:-1], np.diff(qrels.offsets))] = qrels.docnos.public_hashes()
        words[edges[topic] + number] = docnos.public_hashes()
        for each in range(len(edges) - 1):
            of_topic = words[edges[each] : edges[each + 1]]
            if has_equal(of_topic, secret()):
                judged = list(qrels.docnos.take(slice(*qrels.offsets[each : each + 2])).texts())
                of_topic[:] = told_apart(of_topic, judged, list(docnos.take(np.flatnonzero(topic == each)).texts()))
        return TopicDocuments(edges, words)

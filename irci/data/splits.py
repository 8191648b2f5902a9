"""Splitting the documents of a collection into parts, by the docno alone: no part depends on which runs are read."""

import hashlib
from collections.abc import Sequence

import numpy as np

from irci.base.errors import DataError, FormatError
from irci.base.names import raw, text
from irci.base.records import Record
from irci.base.streams import Purpose, seed_word
from irci.base.types import Ints, Parts, Words, gathered, offsets
from irci.data.rankings import Docnos
from irci.data.text_files import fields_of, has_fields, read_text_lines, table_of
from irci.kernels.generator import splitmix
from irci.kernels.parts import balanced_attempt, part_of_hash

MOST_ATTEMPTS = 1_000_000


class HashSplit(Record):
    """A split by a salted hash: part = mix(docno hash, seed, split, attempt) mod parts, so that sizes are binomial.
    It is a split of hashes: documents whose docnos share one are in one part, and with later attempts move together.
    `redrawn` uint64[...]: sorted hashes of documents with a later attempt, `attempts` int64[...] theirs."""

    seed: int
    split: int
    parts: int = 2
    redrawn: Words = np.empty(0, np.uint64)
    attempts: Ints = np.empty(0, np.int64)

    def of(self, docnos: Docnos) -> Parts:
        hashes = docnos.public_hashes()
        part = self.of_hashes(hashes)
        if len(self.redrawn):
            position = np.minimum(np.searchsorted(self.redrawn, hashes), len(self.redrawn) - 1)
            changed = self.redrawn[position] == hashes
            for attempt in np.unique(self.attempts[position[changed]]).tolist():
                documents = np.flatnonzero(changed)[self.attempts[position[changed]] == attempt]
                part[documents] = self.of_hashes(hashes[documents], attempt)
        return part

    def of_hashes(self, hashes: Words, attempt: int = 0) -> Parts:
        return np.asarray(part_of_hash(hashes, _mixed(self.word, attempt), self.parts))

    @property
    def word(self) -> np.uint64:
        return _mixed(seed_word(self.seed, Purpose.SPLIT), self.split)

    def balanced(self, hashes: Sequence[Words]) -> "HashSplit":
        """The split in which every topic has a relevant document in every part: where chance fails, another attempt is made.
        `hashes`: of each topic's relevant documents.

        Topics that share a relevant document are redrawn as one and others by themselves, which samples splits given that all
        topics pass. Raises ValueError for topics, given by their places, for which no attempt out of MOST_ATTEMPTS succeeds.
        """
        redrawn: dict[int, int] = {}
        for topics in joined_topics(hashes):
            joined = np.concatenate([hashes[topic] for topic in topics])
            edges = offsets([len(hashes[topic]) for topic in topics])
            attempt = balanced_attempt(joined, edges, self.word, self.parts, MOST_ATTEMPTS)
            if attempt < 0:
                raise ValueError(topics)
            if attempt > 0:
                redrawn.update((hash_word, int(attempt)) for hash_word in joined.tolist())
        order = sorted(redrawn)
        attempts = np.array([redrawn[hash_word] for hash_word in order], np.int64)
        return self._replace(redrawn=np.array(order, np.uint64), attempts=attempts)


def _mixed(word: np.uint64, number: int) -> np.uint64:
    return np.uint64(splitmix(word ^ np.uint64(splitmix(np.uint64(number)))))


class Md5Split(Record):
    """Two halves by the parity of the docno's MD5 digest, its last bit (Cormack & Lynam 2006, section 4, name no bit)."""

    def of(self, docnos: Docnos) -> Parts:
        digests = (hashlib.md5(docno, usedforsecurity=False).digest()[-1] & 1 for docno in docnos.texts())
        return np.fromiter(digests, np.uint8, len(docnos.hash))


class FileSplit(Record):
    """Parts as a file says, one document a line: docno and the name of its part."""

    path: str
    part_of: dict[bytes, int]
    names: list[str]

    @classmethod
    def read(cls, path: str, parts: int | None = None) -> "FileSplit":
        """Read a file of so many parts, which are numbered in the order of their names.
        Raises FormatError for a line of other than two fields, a document twice, or another number of parts."""
        named = table_of(
            path,
            ((number, fields_of(line)) for number, line in read_text_lines(path, is_record=has_fields(2))),
            lambda fields: None if len(fields) == 2 else (f"{len(fields)} fields, expected 2 (docno part)", "fields"),
            "document {!r}",
        )
        names = sorted({name for (name,) in named.values()}, key=raw)
        if len(names) > 255:
            raise FormatError.whole_file(path, f"{len(names)} parts, more than 255")
        if parts is not None and len(names) != parts:
            raise FormatError.whole_file(path, f"{len(names)} parts, expected {parts}")
        number_of = {name: number for number, name in enumerate(names)}
        return cls(path, {raw(docno): number_of[name] for (docno,), (name,) in named.items()}, names)

    def of(self, docnos: Docnos) -> Parts:
        """uint8[n]: the part of each document. Raises DataError for one that is not in the file."""
        part = np.empty(len(docnos.hash), np.uint8)
        for index, docno in enumerate(docnos.texts()):
            number = self.part_of.get(docno)
            if number is None:
                raise DataError(f"{self.path}: no part for document {text(docno)!r}")
            part[index] = number
        return part


def joined_topics(hashes: Sequence[Words]) -> list[list[int]]:
    """The topics in groups that share relevant documents, directly or by way of others."""
    group = list(range(len(hashes)))

    def root(topic: int) -> int:
        while group[topic] != topic:
            group[topic] = group[group[topic]]
            topic = group[topic]
        return topic

    first_with: dict[int, int] = {}
    for topic, of_topic in enumerate(hashes):
        for document in of_topic.tolist():
            group[root(topic)] = root(first_with.setdefault(document, topic))
    return list(gathered((root(topic), topic) for topic in range(len(hashes))).values())


Split = HashSplit | Md5Split | FileSplit


def halves(of: int | str, seed: int) -> Sequence[Split]:
    """The splits in two that are asked for: so many random ones, `md5`, or a file's."""
    if isinstance(of, int):
        return [HashSplit(seed, split) for split in range(1, of + 1)]
    return [Md5Split() if of == "md5" else FileSplit.read(of, 2)]

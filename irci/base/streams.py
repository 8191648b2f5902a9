"""Random streams, made nowhere else: keyed by (seed, purpose, topic), never by run or thread."""

import enum
from collections.abc import Sequence
from hashlib import blake2b
from itertools import chain, count

import numpy as np

from irci.base.types import Array


class Purpose(enum.IntEnum):
    """The purpose of a stream. The numbers are part of every published result: add to them, never change one."""

    CORPUS_BOOTSTRAP = 1
    PAIRED_BOOTSTRAP = 2
    TOPIC_BOOTSTRAP = 3
    SIGN_FLIP = 4
    SPLIT = 5
    RESIDUALS = 6
    TUKEY = 7
    TYPE_ONE = 8
    REFERENCES = 9
    VERSIONS = 10
    TOPIC_SETS = 11
    SWAPS = 12
    LABELS = 13
    SAMPLE = 14
    SLICES = 15


def seed_word(seed: int, purpose: Purpose) -> np.uint64:
    """The 64-bit word from which all streams of this purpose are derived."""
    low, high = np.random.SeedSequence(seed, spawn_key=(purpose,)).generate_state(2).tolist()
    return np.uint64(low | high << 32)


def topic_keys(topics: Sequence[bytes], key: bytes = b"") -> Array[np.uint64]:
    """uint64[T]: the first 8 bytes, little-endian, of each topic identifier's BLAKE2b hash, which may have a key."""
    digests = b"".join(blake2b(topic, digest_size=8, key=key).digest() for topic in topics)
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def told_apart(hashes: Array[np.uint64], judged: Sequence[bytes], unjudged: Sequence[bytes]) -> Array[np.uint64]:
    """Words uint64[D] that key the streams of a topic's documents: the hashes uint64[D] of their docnos, judged ones and then
    others, where no two are the same.

    Judged documents choose before others, and bytewise among either: the hash if none before has it, or else the first 8
    bytes, little-endian, of the docno's BLAKE2b hash, salted by 0, or by 1, 2, ... (8 bytes, little-endian) where that is
    taken too. So a judged document's word never depends on which runs are read. That of an unjudged one does where another
    unjudged one of its topic has its hash: by chance one pair in 2^64 has, forged ones do.
    """
    words = hashes.copy()
    docnos = [*judged, *unjudged]
    taken: set[int] = set()
    for position in sorted(range(len(docnos)), key=lambda position: (position >= len(judged), docnos[position])):
        salts = (number.to_bytes(8, "little") for number in count())
        digests = (blake2b(docnos[position], digest_size=8, salt=salt).digest() for salt in salts)
        choices = chain([int(hashes[position])], (int.from_bytes(digest, "little") for digest in digests))
        words[position] = word = next(word for word in choices if word not in taken)
        taken.add(word)
    return words

"""The only place where randomness is born: streams keyed by (seed, purpose, topic), never by run or thread."""

import enum
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray


class Purpose(enum.IntEnum):
    """What a stream is for. The numbers are part of every published result: add to them, never change one."""

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


def seed_word(seed: int, purpose: Purpose) -> np.uint64:
    """The 64-bit word from which all streams of this purpose are derived."""
    sequence = np.random.SeedSequence(seed, spawn_key=(int(purpose),))
    return np.uint64(sequence.generate_state(1, np.uint64)[0])


def topic_keys(topics: Sequence[bytes]) -> NDArray[np.uint64]:
    """uint64[T]: the first 8 bytes, little-endian, of each topic identifier's BLAKE2b hash."""
    digests = b"".join(blake2b(topic, digest_size=8).digest() for topic in topics)
    return np.frombuffer(digests, "<u8").astype(np.uint64)

"""Random streams, made nowhere else: keyed by (seed, purpose, topic), never by run or thread."""

import enum
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import accumulate, chain, count, pairwise, permutations, repeat
from operator import index
from typing import TYPE_CHECKING

import numpy as np

from irci.base.types import Array

if TYPE_CHECKING:
    from hashlib import _Hash, blake2b
else:
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b


MASK = 2**32 - 1
INIT_A, MULT_A, INIT_B, MULT_B = 0x43B0D7E5, 0x931E8875, 0x8B51F9DD, 0x58F38DED
MIX_MULT_L, MIX_MULT_R = 0xCA01F9DD, 0x4973F715


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
    low, high = _state(seed, purpose)
    return np.uint64(low | high << 32)


def _state(seed: int, purpose: int) -> tuple[int, int]:
    """np.random.SeedSequence(seed, spawn_key=(purpose,)).generate_state(2), without numpy.random, which takes time to load.

    After O'Neill's seed_seq_fe (2015), whose names these are; numpy promises that its results do not change (NEP 19).
    """
    seed = index(seed)
    if seed < 0:
        raise ValueError("expected non-negative integer")
    entropy = [seed >> shift & MASK for shift in range(0, seed.bit_length(), 32)]
    entropy += [0] * (4 - len(entropy)) + [purpose]
    multipliers = _multipliers(INIT_A, MULT_A)
    pool = [_hashed(multipliers, word) for word in entropy[:4]]
    for source, target in permutations(range(4), 2):
        pool[target] = _mixed(pool[target], _hashed(multipliers, pool[source]))
    for word in entropy[4:]:
        pool = [_mixed(element, _hashed(multipliers, word)) for element in pool]
    multipliers = _multipliers(INIT_B, MULT_B)
    return _hashed(multipliers, pool[0]), _hashed(multipliers, pool[1])


def _multipliers(first: int, factor: int) -> Iterator[tuple[int, int]]:
    return pairwise(accumulate(repeat(factor), lambda one, other: one * other & MASK, initial=first))


def _hashed(multipliers: Iterator[tuple[int, int]], word: int) -> int:
    before, after = next(multipliers)
    word = (word ^ before) * after & MASK
    return word ^ word >> 16


def _mixed(one: int, other: int) -> int:
    word = (MIX_MULT_L * one - MIX_MULT_R * other) & MASK
    return word ^ word >> 16


def topic_keys(topics: Sequence[bytes], key: bytes = b"") -> Array[np.uint64]:
    """uint64[T]: the first 8 bytes, little-endian, of each topic identifier's BLAKE2b hash, which may have a key."""
    digests = b"".join(blake2b(topic, digest_size=8, key=key).digest() for topic in topics)
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def lots(seed: int, topics: Sequence[bytes]) -> Array[np.uint64]:
    """uint64[T]: a number for each topic, whatever others there are; those with the lowest n are a random sample of n."""
    return topic_keys(topics, seed_word(seed, Purpose.SAMPLE).tobytes())


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


__all__ = ["blake2b", "sha256"]


def sha256(data: bytes) -> "_Hash":
    """The SHA-256 of these bytes, an object as hashlib's; its code is loaded when it is first asked for."""
    for name in ("_sha2", "_sha256"):  # from Python 3.12 on, and in 3.11
        try:
            return import_module(name).sha256(data)  # type: ignore[no-any-return]
        except ImportError:
            continue
    import hashlib

    return hashlib.sha256(data)

"""Docnos that share the public hash, made by going through it backwards, as anybody with the source could."""

import naive
import numpy as np

FINALISER = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))  # shifts and multipliers of splitmix64
LENGTH = 16  # bytes of what is made: a first word that is chosen, and a second one that makes up for it
SPACES = np.frombuffer(b" \t\n\v\f\r\0", np.uint8)


def unmixed(word: int) -> int:
    """What the finaliser makes this word of."""
    for shift, multiplier in reversed(FINALISER):
        word = word * pow(multiplier, -1, 2**64) % 2**64
        whole = word
        for _ in range(64 // shift):
            whole = word ^ whole >> shift
        word = whole
    return word


def mixed(words: np.ndarray) -> np.ndarray:
    """What the finaliser makes of each word."""
    for shift, multiplier in FINALISER:
        words = (words ^ words >> np.uint64(shift)) * np.uint64(multiplier)
    return words


def twins(number: int, docno: bytes = b"a docno", seed: int = 0) -> list[bytes]:
    """So many docnos of printable first halves, all different, with the hash of this one."""
    before_length = (unmixed(naive.docno_hash(docno)) - LENGTH) % 2**64
    state = np.uint64(unmixed(unmixed(before_length)))
    rng = np.random.default_rng(seed)
    first = np.unique(rng.integers(ord("A"), ord("z"), (2 * number + 100, 8), np.uint8).view(np.uint64).ravel())
    both = np.stack((first, mixed(first) ^ state), axis=1).view(np.uint8)
    found = both[~np.isin(both, SPACES).any(axis=1)][:number]
    assert len(found) == number
    return [bytes(each) for each in found]

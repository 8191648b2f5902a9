"""Document identifiers, as places in the bytes that name them. Bytes alone say whether two are the same document."""

import os
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from irci.base.types import Bytes, Ints, Ints32, Words
from irci.kernels.hashing import public_hashes

# Of this process alone, so that nobody can make docnos for which tables are slow. No result depends on it.
_secret: Words = np.frombuffer(os.urandom(16), np.uint64) | np.array([0, 1], np.uint64)


def secret() -> Words:
    """uint64[2]: what tables of docnos are keyed by in this process."""
    return _secret


class Docnos(NamedTuple):
    """Document identifiers as places in a file's bytes: uint8[n], int64[L], int32[L], and their hashes uint64[L], under this
    process's secret, for tables."""

    buffer: Bytes
    start: Ints
    length: Ints32
    hash: Words

    @classmethod
    def room(cls, buffer: Bytes, lines: int) -> "Docnos":
        return cls(buffer, np.empty(lines, np.int64), np.empty(lines, np.int32), np.empty(lines, np.uint64))

    def take(self, rows: Ints | slice) -> "Docnos":
        return Docnos(self.buffer, self.start[rows], self.length[rows], self.hash[rows])

    def public_hashes(self) -> Words:
        """uint64[L]: the hashes that splits and streams are keyed by, the same everywhere. Different docnos may share one."""
        return np.asarray(public_hashes(self))

    def texts(self) -> Iterator[bytes]:
        memory = self.buffer.data
        for start, length in zip(self.start.tolist(), self.length.tolist(), strict=True):
            yield bytes(memory[start : start + length])

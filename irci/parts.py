"""Splitting the documents of a collection into parts, by the docno alone: no part depends on which runs are read."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from irci.errors import DataError, FormatError, Problem
from irci.kernels.generator import splitmix
from irci.kernels.parts import part_of_hash
from irci.resampling import Purpose, seed_word
from irci.trec import Docnos, read_text_lines, text

Parts = NDArray[np.uint8]


@dataclass(frozen=True)
class HashSplit:
    """A split by a salted hash: part = mix(docno hash, seed, split, attempt) mod parts, so that sizes are binomial."""

    seed: int
    split: int
    parts: int = 2
    attempt: int = 0

    def of(self, docnos: Docnos) -> Parts:
        """uint8[n]: the part of each document."""
        word = int(seed_word(self.seed, Purpose.SPLIT))
        for number in (self.split, self.attempt):
            word = int(splitmix(np.uint64(word) ^ splitmix(np.uint64(number))))
        part: Parts = part_of_hash(docnos.hash, np.uint64(word), self.parts)
        return part


@dataclass(frozen=True)
class Md5Split:
    """Two halves by the parity of the docno's MD5 digest, its last bit (Cormack & Lynam 2006, section 4, name no bit)."""

    def of(self, docnos: Docnos) -> Parts:
        """uint8[n]: the half of each document."""
        digests = (hashlib.md5(docno, usedforsecurity=False).digest()[-1] & 1 for docno in docnos.texts())
        return np.fromiter(digests, np.uint8, len(docnos.hash))


@dataclass(frozen=True)
class FileSplit:
    """Parts as a file says, one document a line: docno and the name of its part."""

    path: str
    part_of: dict[bytes, int]
    names: list[str]

    @classmethod
    def read(cls, path: str, parts: int | None = None) -> "FileSplit":
        """Read a file of so many parts, which are numbered in the order of their names.

        Raises FormatError for a line of other than two fields, a document twice, or another number of parts.
        """
        named: dict[bytes, bytes] = {}
        problems = []
        for number, line in read_text_lines(path):
            fields = [field.encode("utf-8", "surrogateescape") for field in line.split()]
            if len(fields) != 2:
                problems.append(Problem(number, f"{len(fields)} fields, expected 2 (docno part)"))
            elif fields[0] in named:
                problems.append(Problem(number, f"document {text(fields[0])!r} again"))
            else:
                named[fields[0]] = fields[1]
        if problems:
            raise FormatError(path, problems)
        names = sorted(set(named.values()))
        if parts is not None and len(names) != parts:
            raise FormatError.whole_file(path, f"{len(names)} parts, expected {parts}")
        number_of = {name: number for number, name in enumerate(names)}
        return cls(path, {docno: number_of[name] for docno, name in named.items()}, [text(name) for name in names])

    def of(self, docnos: Docnos) -> Parts:
        """uint8[n]: the part of each document. Raises DataError for one that is not in the file."""
        part = np.empty(len(docnos.hash), np.uint8)
        for place, docno in enumerate(docnos.texts()):
            number = self.part_of.get(docno)
            if number is None:
                raise DataError(f"{self.path}: no part for document {text(docno)!r}")
            part[place] = number
        return part


Split = HashSplit | Md5Split | FileSplit


def halves(split_by: str, splits: int, seed: int) -> Sequence[Split]:
    """The splits in two that are asked for: `hash` (so many), `md5`, or a file."""
    if split_by == "hash":
        return [HashSplit(seed, split) for split in range(1, splits + 1)]
    return [Md5Split() if split_by == "md5" else FileSplit.read(split_by, 2)]

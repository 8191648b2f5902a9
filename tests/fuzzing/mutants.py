"""Valid files turned into others."""

import gzip
import random
import re
from collections.abc import Callable, Sequence
from functools import partial

from fuzzing.plain_text import BOM
from irci.data import text_files

TOKENS = [
    b"1e999", b"-0.0", b"-0", b"1e-320", b"5e-324", b"2.2250738585072011e-308", b"0x1p3", b"1_0", b"nan", b"-inf",
    b"Infinity", b"\x00", b"\r", b"\r\n", b"\n", b"\n\n", b"\x0b", b"\x0c", b"\t", b"  ", BOM, b"#", b" #", b"\x1c",
    b"\x1f", b"\x7f", b"\x85", b"\xa0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc2\xa0", b"\xe2\x80\xa8",
    b"\xef\xbc\x91", b"\xd9\xa1", b"+5", b"5.", b".5", b"1e+05", b"1E5", b"1e", b"--1", b"9007199254740993", b"1e23",
    b"123456789012345678901234567890", b"1" * 400, b"0" * 30 + b"1.5", b"x" * 64, b"x" * 5000, b"000000000000000000",
    b"9" * 18, b"9" * 19, b"-9223372036854775808", b'"', b'""', b",", b"'", b"{", b"}", b"[", b":", b"\\u0009",
    b"\\ud800", b"all", b"runid", b"run", b"topic", b"part", b"split", b"value", b"measure", b"map", b"AP", b"P_10",
    b"P_5,10", b"num_ret", b"None", b"null", b"0", b"1", b"2", b"1.0", b"1000000000000", b"iprec_at_recall_0.101",
    b"P_99999999999", b"\x1f\x8b", b"Q0", b"1e16", b"8.5e22", b"1.7976931348623159e308",
]  # fmt: skip
LINES, WORDS = rb"(\n)", rb"([\s,]+)"  # what separates pieces of a file


class Mutator:
    """Valid files turned into others, by a generator of its own: the same seed, the same files."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        of_lines = [partial(self.edit, separator=LINES, change=change) for change in (self.again, self.swap, self.drop)]
        of_words = [partial(self.edit, separator=WORDS, change=change) for change in (self.replace, self.swap)]
        of_bytes = [self.change_bytes, self.insert_token, self.delete_stretch, self.copy_stretch, self.truncate]
        self.ways = [*of_bytes, *of_words, *of_lines]

    def mutant(self, seeds: Sequence[bytes]) -> bytes:
        """One of the files, changed in one to six ways; at times spliced with another, at times packed."""
        data = self.random.choice(seeds)
        if data.startswith(text_files.GZIP_MAGIC) and self.random.random() < 0.5:
            return self.change_bytes(data) if self.random.random() < 0.5 else self.truncate(data)
        if data.startswith(text_files.GZIP_MAGIC):
            data = gzip.decompress(data)
        if self.random.random() < 0.1:
            other = self.random.choice(seeds)
            data = self.truncate(data) + other[self._place(other) :]
        for _ in range(min(1 + int(self.random.expovariate(0.8)), 6)):
            data = self.random.choice(self.ways)(data)
        return gzip.compress(data, 1) if self.random.random() < 0.01 else data

    def _place(self, data: bytes) -> int:
        return self.random.randrange(len(data) + 1)

    def change_bytes(self, data: bytes) -> bytes:
        """A few bytes become others."""
        changed = bytearray(data)
        for _ in range(self.random.randint(1, 3) if data else 0):
            changed[self.random.randrange(len(data))] = self.random.randrange(256)
        return bytes(changed)

    def insert_token(self, data: bytes) -> bytes:
        """Something special anywhere."""
        place = self._place(data)
        return data[:place] + self.random.choice(TOKENS) + data[place:]

    def delete_stretch(self, data: bytes) -> bytes:
        """A few bytes less."""
        place = self._place(data)
        return data[:place] + data[place + self.random.randint(1, 8) :]

    def copy_stretch(self, data: bytes) -> bytes:
        """A few bytes of the file somewhere else again."""
        source, target = self._place(data), self._place(data)
        return data[:target] + data[source : source + self.random.randint(1, 40)] + data[target:]

    def truncate(self, data: bytes) -> bytes:
        """The file breaks off."""
        return data[: self._place(data)]

    def edit(self, data: bytes, separator: bytes, change: Callable[[list[bytes], int, int], None]) -> bytes:
        """Something becomes of a piece, and perhaps of another one; separators lie between all pieces."""
        pieces = re.split(separator, data[:20000])
        change(pieces, *(2 * self.random.randrange(len(pieces) // 2 + 1) for _ in range(2)))
        return b"".join(pieces) + data[20000:]

    def swap(self, pieces: list[bytes], one: int, other: int) -> None:
        """Two pieces change places."""
        pieces[one], pieces[other] = pieces[other], pieces[one]

    def again(self, pieces: list[bytes], one: int, other: int) -> None:
        """A piece once more, anywhere."""
        pieces[other:other] = [pieces[one], b"\n"]

    def drop(self, pieces: list[bytes], one: int, other: int) -> None:
        """A piece less."""
        del pieces[one : one + 2]

    def replace(self, pieces: list[bytes], one: int, other: int) -> None:
        """Something special, or another of the file's own pieces, in place of one."""
        pieces[one] = self.random.choice(TOKENS) if self.random.random() < 0.7 else pieces[other]

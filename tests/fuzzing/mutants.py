"""Valid files turned into others."""

import gzip
import random
import re
from collections.abc import Sequence

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
SEPARATED = re.compile(rb"[^\s,]+")


class Mutator:
    """Valid files turned into others, by a generator of its own: the same seed, the same files."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.ways = [
            self.change_bytes, self.insert_token, self.replace_token, self.swap_tokens, self.duplicate_line, self.swap_lines,
            self.delete_line, self.delete_stretch, self.truncate, self.copy_stretch,
        ]  # fmt: skip

    def mutant(self, seeds: Sequence[bytes]) -> bytes:
        """One of the files, changed in one to six ways; at times spliced with another, at times packed."""
        data = self.random.choice(seeds)
        if data.startswith(text_files.GZIP_MAGIC) and self.random.random() < 0.5:
            return self.change_bytes(data) if self.random.random() < 0.5 else self.truncate(data)
        if data.startswith(text_files.GZIP_MAGIC):
            data = gzip.decompress(data)
        if self.random.random() < 0.1:
            other = self.random.choice(seeds)
            data = data[: self.random.randrange(len(data) + 1)] + other[self.random.randrange(len(other) + 1) :]
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

    def _tokens(self, data: bytes) -> list[re.Match[bytes]]:
        return list(SEPARATED.finditer(data[:20000]))

    def replace_token(self, data: bytes) -> bytes:
        """Something special, or another of the file's own tokens, in place of one."""
        tokens = self._tokens(data)
        if not tokens:
            return data
        old = self.random.choice(tokens)
        new = self.random.choice(TOKENS) if self.random.random() < 0.7 else self.random.choice(tokens)[0]
        return data[: old.start()] + new + data[old.end() :]

    def swap_tokens(self, data: bytes) -> bytes:
        """Two tokens change places."""
        tokens = self._tokens(data)
        if len(tokens) < 2:
            return data
        a, b = sorted(self.random.sample(tokens, 2), key=lambda found: found.start())
        return data[: a.start()] + b[0] + data[a.end() : b.start()] + a[0] + data[b.end() :]

    def duplicate_line(self, data: bytes) -> bytes:
        """A line once more, anywhere."""
        lines = data.split(b"\n")
        lines.insert(self.random.randrange(len(lines) + 1), self.random.choice(lines))
        return b"\n".join(lines)

    def swap_lines(self, data: bytes) -> bytes:
        """Two lines change places."""
        lines = data.split(b"\n")
        a, b = (self.random.randrange(len(lines)) for _ in range(2))
        lines[a], lines[b] = lines[b], lines[a]
        return b"\n".join(lines)

    def delete_line(self, data: bytes) -> bytes:
        """A line less."""
        lines = data.split(b"\n")
        del lines[self.random.randrange(len(lines))]
        return b"\n".join(lines)

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

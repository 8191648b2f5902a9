"""Text files, plain or gzip: the only module that opens input."""

import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from irci.errors import SHOWN, FormatError, Problem
from irci.kernels.scan import count_lines
from irci.kernels.words import PADDING
from irci.names import STDIN, text

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PIECE = 16 << 20  # bytes to unpack at a time
SUSPICIOUS, MOST_PACKED = 256 << 20, 100  # runs pack to a fifth or a tenth
SHARE = 4 << 20  # bytes that are worth a thread


def decimal(token: str) -> float:
    """The number that a token spells. Raises ValueError for what only Python takes for one: 1_000, digits of other scripts."""
    if "_" in token or not token.isascii():
        raise ValueError(token)
    return float(token)


def whole_number(token: str) -> int:
    """The same for whole numbers, below 2^53."""
    if decimal(token) >= 2**53:
        raise ValueError(token)
    return int(token)


def read_lines(path: str) -> list[bytes]:
    """The lines of a text file that are neither blank nor comments, stripped.

    Raises FileNotFoundError if there is none, FormatError if it is something else.
    """
    if path != STDIN and not os.path.lexists(path):
        raise FileNotFoundError(path)
    file = TextFile.read(path)
    lines = [line.strip() for line in file.token(file.start, file.size).splitlines()]
    return [line for line in lines if line and not line.startswith(b"#")]


def read_text_lines(path: str) -> list[tuple[int, str]]:
    """The lines of a text file with their numbers, blank ones and comments at the head left out."""
    text_of_file = TextFile.read(path)
    lines = text_of_file.token(text_of_file.start, text_of_file.size).split(b"\n")
    numbered = [(number, text(line).rstrip("\r")) for number, line in enumerate(lines, 1) if line.strip()]
    head = next((i for i, (_, line) in enumerate(numbered) if not line.lstrip().startswith("#")), len(numbered))
    return numbered[head:]


@dataclass(frozen=True)
class TextFile:
    """The text of a file: buffer[start:size] without a byte order mark, ending in a newline, followed by padding."""

    data: bytearray
    buffer: NDArray[np.uint8]
    start: int
    size: int

    @classmethod
    def read(cls, path: str) -> "TextFile":
        """Read a file, unpacking it if it is gzip."""
        data = _read_bytes(path)
        nul = data.find(b"\0")
        if nul >= 0:
            line = data.count(b"\n", 0, nul) + 1
            raise FormatError(path, [Problem(line, "binary data (a NUL byte), not text")])
        if b"\n" not in data and b"\r" in data.rstrip():
            raise FormatError.whole_file(path, "lines end in CR alone, not in LF or CR LF")
        if not data.endswith(b"\n"):
            data += b"\n"
        size = len(data)
        data += b"\n" * PADDING
        buffer = np.frombuffer(data, np.uint8)
        start = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
        return cls(data, buffer, start, size)

    def shares(self, threads: int) -> list[int]:
        """Where shares of the text begin, at lines, and where the last one ends."""
        number = max(1, min(threads, (self.size - self.start) // SHARE))
        edges = [self.start]
        for share in range(1, number):
            middle = self.start + (self.size - self.start) * share // number
            edges.append(self.data.find(b"\n", max(middle, edges[-1]), self.size) + 1 or self.size)
        return sorted({*edges, self.size})

    def newlines(self, edges: Sequence[int], share: slice) -> int:
        """How many lines a share has."""
        return int(count_lines(self.buffer, edges[share.start], edges[share.stop]))

    def token(self, begin: int, end: int) -> bytes:
        """The bytes from `begin` to before `end`."""
        return bytes(self.data[begin:end])

    def line_number(self, position: int) -> int:
        """The number, from 1, of the line that holds this byte."""
        return self.data.count(b"\n", 0, position) + 1


class Problems:
    """What is wrong with a file; only the first ones are worded, however many there are."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.count = 0
        self.worded: list[Problem] = []

    def add(self, positions: NDArray[np.int64], reason: Callable[[int], str]) -> None:
        """A kind of problem: where it occurs, and what to say of the i-th occurrence."""
        self.count += len(positions)
        for i in np.argsort(positions, kind="stable")[:SHOWN].tolist():
            self.worded.append(Problem(self.file.line_number(positions[i]), reason(i)))

    def refuse(self, path: str, num_lines: int, expected: str) -> None:
        """Raise FormatError if there is any problem, or no line at all."""
        if self.count:
            raise FormatError(path, self.worded, self.count)
        if num_lines == 0:
            raise FormatError.whole_file(path, f"empty file: no line of {expected}")


def _read_bytes(path: str) -> bytearray:
    """What a file holds, unpacked if it is gzip."""
    try:
        if path == STDIN:
            data = bytearray(sys.stdin.buffer.read())
        else:
            with open(path, "rb") as file:
                # Room for what is appended, so that the text is not copied for it.
                data = bytearray(os.fstat(file.fileno()).st_size + PADDING + 1)
                del data[file.readinto(data) :]
                data += file.read()
        return _unpacked(data) if data.startswith(GZIP_MAGIC) else data
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError.whole_file(path, f"damaged gzip file ({_lower_first(str(error))})") from None
    except OSError as error:
        raise FormatError.whole_file(path, _lower_first(error.strerror or str(error))) from None


def _unpacked(data: bytearray) -> bytearray:
    """What gzip data hold, one member after the other; refused if that is out of all proportion."""
    text = bytearray()
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        while piece := file.read(PIECE):
            text += piece
            if len(text) > SUSPICIOUS and len(text) > MOST_PACKED * len(data):
                raise gzip.BadGzipFile(f"unpacks to more than {MOST_PACKED} times its size: no file of this kind does")
    return text


def _lower_first(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def shown(token: bytes) -> str:
    """A token as a message shows it: quoted, escaped, shortened."""
    shown = token.decode("utf-8", "backslashreplace")
    return repr(shown if len(shown) <= 40 else shown[:37] + "...")

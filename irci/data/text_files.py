"""Text files, plain or gzip: their bytes, lines and places in them, and what stands for a file; only here input is opened."""

import io
import math
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from irci.base import BLANKS, STDIN, FormatError, Problem, logger, plural, raw, spelled, text
from irci.base.types import Bytes
from irci.data import BYTES, receipts
from irci.kernels.words import NEWLINE, PADDING

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
HEAD = 1 << 16  # bytes that tell what a file is
PIECE = 1 << 20  # bytes to look through at a time
SUSPICIOUS, MOST_PACKED = 256 << 20, 100  # runs pack to a fifth or a tenth


def read_bytes(path: str, content: bytes | None = None) -> tuple[Bytes, int]:
    """The bytes of a file, or of what it holds, unpacked if it is gzip, with room for a newline and padding behind; and how
    many there are. Raises FormatError for what cannot be read."""
    kept = receipts.get()
    # Where a report is verified, whose line may name a pipe, or a device without an end.
    only_files = kept is not None and kept.only_files
    if only_files and path != STDIN and os.path.exists(path) and not os.path.isfile(path):
        raise FormatError.whole_file(path, "not a file")
    try:
        if content is not None or path == STDIN:
            buffer, size = with_room(bytearray(sys.stdin.buffer.read() if content is None else content))
        else:
            with open(path, "rb") as file:
                expected = os.fstat(file.fileno()).st_size
                buffer = np.empty(expected + PADDING + 1, np.uint8)
                size = file.readinto(buffer[:expected].data)
                buffer = buffer[: size + PADDING + 1]
                if rest := file.read():  # what is no file proper has no size; others may have grown
                    buffer, size = with_room(bytearray(buffer[:size]) + rest)
    except OSError as error:
        raise FormatError.whole_file(path, (error.strerror or str(error)).lower()) from None
    if size >= len(GZIP_MAGIC) and buffer[: len(GZIP_MAGIC)].tobytes() == GZIP_MAGIC:
        buffer, size = with_room(_unpacked(path, buffer[:size]))
    if kept is not None:
        import hashlib  # takes time

        kept.digests[BYTES + path] = hashlib.sha256(buffer[:size].data).hexdigest()
    return buffer, size


def _unpacked(path: str, packed: Bytes) -> bytearray:
    import gzip  # takes time

    data, most = bytearray(), max(SUSPICIOUS, MOST_PACKED * len(packed))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed.data)) as file:
            while piece := file.read(1 << 20):
                data += piece
                if len(data) > most:
                    raise EOFError(f"unpacks to more than {MOST_PACKED} times its size: no file of this kind does")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError.whole_file(path, f"damaged gzip file ({error})") from None
    return data


def head_of(path: str) -> bytes:
    """The first bytes of a file, unpacked; none of what is no file, which may be read but once, or cannot be read."""
    try:
        if not os.path.isfile(path):
            return b""
        with open(path, "rb", buffering=0) as file:
            head = file.read(HEAD)
        if head.startswith(GZIP_MAGIC):
            head = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(head, HEAD)
    except (OSError, ValueError, zlib.error):
        return b""
    return head


def first_line(path: str) -> str:
    """The first line of a file that is no comment and not blank; "" where that cannot be told without reading all of it."""
    lines = head_of(path).removeprefix(BYTE_ORDER_MARK).split(b"\n")
    contents = ((line, line.strip()) for line in lines[:-1])
    line = next((line for line, content in contents if content and not content.startswith(b"#")), b"")
    return line.decode("utf-8", "replace").rstrip("\r")


def tag_of(path: str) -> str:
    """The tag of a TREC run, of its first line; "" of other files."""
    fields = first_line(path).split()
    is_of_run = len(fields) == 6 and math.isfinite(number_in(raw(fields[4])))  # and no header
    return fields[5] if is_of_run else ""


def with_room(data: bytearray) -> tuple[Bytes, int]:
    """The same bytes as an array that has room for a newline and padding behind, and how many there are."""
    size = len(data)
    data += bytes(PADDING + 1)
    return np.frombuffer(data, np.uint8), size


SHARE = 4 << 20  # bytes that are worth a thread
# Of a comment, in files that may have some: a name that begins with # is one field of a record.
COMMENT = re.compile(f"[{BLANKS}]*#+([{BLANKS}]|$)")
Documents = Callable[[str], Any]  # the rows, for a label, of what a program holds (`irci.data.in_memory.held`)


class InMemory(NamedTuple):
    """Content that a name among `Inputs.files` stands for: the path of a file, the bytes of one, or documents.
    `name`: that of a run or a judge, if no tag or file decides."""

    content: str | bytes | Documents
    name: str | None = None


Memory = Mapping[str, InMemory]
NOTHING: Memory = {}


def file_or_held(path: str, memory: Memory) -> tuple[str, bytes | Documents | None]:
    """The file to read for what is named `path`, and what stands for one."""
    content = memory[path].content if path in memory else path
    return (content, None) if isinstance(content, str) else (path, content)


def read_lines(path: str) -> list[bytes]:
    """The lines of a list of names, stripped; blank ones are left out, and comments wherever they stand.
    Raises FormatError if there is no such file, or if it is something else."""
    file = TextFile.read(path)
    lines = [line.strip() for line in file.content.splitlines()]
    is_comment = [len(line.split()) > 1 and COMMENT.match(text(line)) is not None for line in lines]
    tell_comments(path, sum(is_comment), lambda: is_comment.index(True) + 1)
    return [line for line, is_note in zip(lines, is_comment, strict=True) if line and not is_note]


def read_text_lines(
    path: str, content: bytes | None = None, is_record: Callable[[str], bool] = lambda line: False
) -> list[tuple[int, str]]:
    """The lines of a text file with their numbers, blank ones and comments at the head left out.
    `is_record`: True for what has the fields of a record, and so is one, whatever it begins with."""
    file = TextFile.read(path, content)
    lines = file.content.split(b"\n")
    numbered = [(number, text(line).rstrip("\r")) for number, line in enumerate(lines, 1) if line.strip()]
    records = (i for i, (_, line) in enumerate(numbered) if not COMMENT.match(line) or is_record(line))
    head = next(records, len(numbered))
    tell_comments(path, head, lambda: numbered[0][0])
    return numbered[head:]


def tell_comments(path: str, number: int, first_line: Callable[[], int]) -> None:
    """Say how many lines of a file were taken for comments, and which is the first."""
    if number:
        taken = "comments, left out (line {}, ...)" if number > 1 else "a comment, left out (line {})"
        logger.info(f"{path}: {plural(number, 'line')} taken for {taken.format(first_line())}")


def fields_of(line: str) -> list[str]:
    """The fields of a line, with blanks between them; other scripts' blanks are letters."""
    return [text(field) for field in raw(line).split()]


def cells_of(line: str) -> list[str]:
    """The cells of a line, with tabs between them, without blanks around them."""
    return [cell.strip(BLANKS) for cell in line.split("\t")]


def read_fields(
    path: str, content: bytes | None = None, fields: Callable[[str], list[str]] = fields_of
) -> list[tuple[int, list[str]]]:
    """The fields of each line of a text file, with its number."""
    return [(number, fields(line)) for number, line in read_text_lines(path, content)]


@contextmanager
def problems_of(path: str) -> Iterator[list[Problem]]:
    """Problems gathered as a file is gone through; if there are any it is refused, by a FormatError that tells all."""
    problems: list[Problem] = []
    yield problems
    if problems:
        raise FormatError(path, problems)


def table_of(
    path: str,
    records: Iterable[tuple[int, Sequence[str]]],
    wrong: Callable[[Sequence[str]], str],
    role: str,
    keys: int = 1,
) -> dict[tuple[str, ...], tuple[str, ...]]:
    """The other fields of each record of a file, a line's number and its fields, by the first `keys`. Raises FormatError for
    those `wrong`, which tells the reason, "" of others, and for a key twice; `role`: what a row is called, with {} for its
    keys."""
    table: dict[tuple[str, ...], tuple[str, ...]] = {}
    with problems_of(path) as problems:
        for number, fields in records:
            key = tuple(fields[:keys])
            if reason := wrong(fields):
                problems.append(Problem(number, reason, "fields"))
            elif key in table:
                problems.append(Problem(number, f"{role.format(*key)} twice", "again"))
            else:
                table[key] = tuple(fields[keys:])
    return table


def number_in(token: bytes) -> float:
    """Number that float() makes of a token; nan if none."""
    try:
        # float() takes 1_000, which C's atof reads as 1: neither reading is safe.
        return float(token) if b"_" not in token else math.nan
    except ValueError:
        return math.nan


class TextFile(NamedTuple):
    """The text of a file: buffer[start:size] without a byte order mark, ending in a newline, followed by padding."""

    buffer: Bytes
    start: int
    size: int

    @classmethod
    def read(cls, path: str, content: bytes | None = None) -> "TextFile":
        """Read a file, or what it holds if that is given, unpacking it if it is gzip."""
        return cls.of(path, *read_bytes(path, content))

    @classmethod
    def of(cls, path: str, buffer: Bytes, size: int) -> "TextFile":
        """The text in bytes that `read_bytes` read of a file. Raises FormatError for what is no text."""
        if size and not buffer[:size].min():
            line = int(np.count_nonzero(buffer[: _find(b"\0", buffer, 0, size)] == NEWLINE)) + 1
            raise FormatError(path, [Problem(line, "binary data (a NUL byte), not text")])
        newline = _find(b"\n", buffer, 0, size)
        carriage_return = _find(b"\r", buffer, 0, newline)
        if buffer[carriage_return:newline].tobytes().strip():
            raise FormatError.whole_file(path, "lines end in CR alone, not in LF or CR LF")
        buffer[size:] = ord("\n")
        if not size or buffer[size - 1] != ord("\n"):
            size += 1
        start = len(BYTE_ORDER_MARK) if buffer[: len(BYTE_ORDER_MARK)].tobytes() == BYTE_ORDER_MARK else 0
        return cls(buffer, start, size)

    def shares(self, threads: int) -> list[int]:
        """Edges of shares of the text, at lines: where each begins, and where the last one ends."""
        number = max(1, min(threads, (self.size - self.start) // SHARE))
        edges = [self.start]
        for share in range(1, number):
            middle = self.start + (self.size - self.start) * share // number
            edges.append(self.line_end(max(middle, edges[-1])) + 1)
        return sorted({*(min(edge, self.size) for edge in edges), self.size})

    def occurrences(self, begin: int, end: int, byte: int = NEWLINE) -> int:
        """How many bytes between two places are newlines, or others."""
        pieces = (self.buffer[start : min(start + PIECE, end)] for start in range(begin, end, PIECE))
        return sum(int(np.count_nonzero(piece == byte)) for piece in pieces)

    def token(self, begin: int, end: int) -> bytes:
        return self.buffer[begin:end].tobytes()

    @property
    def content(self) -> bytes:
        """The text as it is."""
        return self.token(self.start, self.size)

    def line_end(self, position: int) -> int:
        return _find(b"\n", self.buffer, position, len(self.buffer))

    def line_number(self, position: int) -> int:
        return self.occurrences(0, position) + 1


def _find(byte: bytes, buffer: Bytes, begin: int, end: int) -> int:
    # Where a byte is first between two places; the second one if it is not there.
    match = re.compile(byte).search(buffer.data, begin, end)
    return match.start() if match else end


def shown(cell: Any) -> str:
    """A cell of a file, or a value, as a message shows it, shortened: bytes quoted and escaped, a number as it is."""
    if isinstance(cell, bytes):
        text = cell.decode("utf-8", "backslashreplace")
        return repr(text if len(text) <= 40 else text[:37] + "...")
    cell = cell.item() if isinstance(cell, np.generic) else cell
    spelling = spelled(cell) if isinstance(cell, float) else repr(cell)
    return spelling if len(spelling) <= 40 else spelling[:37] + "..."

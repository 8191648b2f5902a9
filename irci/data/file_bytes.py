"""Bytes of files, plain or gzip: the only module that opens input."""

import io
import os
import stat
import sys
import zlib
from contextlib import suppress
from typing import Any

import numpy as np

from irci.base import STDIN, FormatError
from irci.base.types import Bytes
from irci.data.receipts import kept
from irci.kernels.words import PADDING

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
HEAD = 1 << 16  # bytes that tell what a file is
PIECE, PACKED_PIECE = 16 << 20, 1 << 16  # bytes to read, and to unpack, at a time
SUSPICIOUS, MOST_PACKED = 256 << 20, 100  # runs pack to a fifth or a tenth
# What files that are no text begin with, and what to do with each.
BINARY = {
    b"\xff\xfe": "UTF-16 text, not UTF-8: convert it by iconv -f UTF-16 -t UTF-8",
    b"\xfe\xff": "UTF-16 text, not UTF-8: convert it by iconv -f UTF-16 -t UTF-8",
    b"PK\x03\x04": "a zip archive, not text: unpack it",
    b"PAR1": "parquet, which is read where it holds a run or qrels: write it as csv",
    b"ARROW1": "Arrow's format, or feather: write it as parquet or csv",
    GZIP_MAGIC: "packed by gzip twice: unpack it",
    b"BZh": "packed by bzip2, not by gzip: unpack it",
    b"\xfd7zXZ\0": "packed by xz, not by gzip: unpack it",
    b"\x28\xb5\x2f\xfd": "packed by zstd, not by gzip: unpack it",
    b"\x04\x22\x4d\x18": "packed by lz4, not by gzip: unpack it",
}


def binary_kind(buffer: Bytes) -> str:
    """Kind of a file with these bytes, if it is known not to be text."""
    head = buffer[:8].tobytes()
    return next((kind for magic, kind in BINARY.items() if head.startswith(magic)), "")


def read_bytes(path: str, content: bytes | None = None) -> tuple[Bytes, int]:
    """The bytes of a file, or of what it holds, unpacked if it is gzip, with room for a newline and padding behind; and how
    many there are. Raises FormatError for what cannot be read."""
    receipts = kept()
    _refuse_no_file(path)
    buffer, size = _unpacked(path, content)
    if receipts is not None:
        receipts.add_bytes(path, buffer, size)
    return buffer, size


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
    return first_line_in(head_of(path))


def first_line_in(head: bytes) -> str:
    """The same of the first bytes of a file."""
    lines = head.removeprefix(BYTE_ORDER_MARK).split(b"\n")
    contents = ((line, line.strip()) for line in lines[:-1])
    line = next((line for line, content in contents if content and not content.startswith(b"#")), b"")
    return line.decode("utf-8", "replace").rstrip("\r")


def tag_of(path: str) -> str:
    """The tag of a TREC run, of its first line; "" of other files."""
    fields = first_line(path).split()
    if len(fields) != len(["topic", "Q0", "docno", "rank", "score", "tag"]):
        return ""
    try:
        float(fields[4])
    except ValueError:  # a header
        return ""
    return fields[5]


def _refuse_no_file(path: str) -> None:
    # Where a report is verified, whose line may name a pipe, or a device without an end.
    receipts = kept()
    only_files = receipts is not None and receipts.only_files
    if only_files and path != STDIN and os.path.exists(path) and not os.path.isfile(path):
        raise FormatError.whole_file(path, "not a file")


def pipe_at(path: str) -> tuple[int, int] | None:
    """The named pipe that a path leads to, by its numbers; None if that is something else."""
    with suppress(OSError, ValueError):
        status = os.stat(path)
        return (status.st_dev, status.st_ino) if stat.S_ISFIFO(status.st_mode) else None
    return None


def bytes_of_pipe(path: str) -> bytes:
    """The bytes that a pipe, or standard input, gives, once."""
    _refuse_no_file(path)
    if path == STDIN:
        return sys.stdin.buffer.read()
    with open(path, "rb", buffering=0) as file:
        return file.readall()


def _unpacked(path: str, content: bytes | None) -> tuple[Bytes, int]:
    try:
        if content is not None:
            buffer, size = _in_pieces(io.BytesIO(content))
        elif path == STDIN:
            buffer, size = _in_pieces(sys.stdin.buffer)
        else:
            with open(path, "rb", buffering=0) as file:
                buffer, size = _whole(file)
        if size < len(GZIP_MAGIC) or buffer[: len(GZIP_MAGIC)].tobytes() != GZIP_MAGIC:
            return buffer, size
        return _of_gzip(buffer[:size])
    except (EOFError, zlib.error) as error:
        raise FormatError.whole_file(path, f"damaged gzip file ({_lower_first(str(error))})") from None
    except OSError as error:
        raise FormatError.whole_file(path, f"{_lower_first(error.strerror or str(error))}{_meant(path)}") from None


def _of_gzip(packed: Bytes) -> tuple[Bytes, int]:
    """The bytes in members of gzip one after the other, behind which zeros may stand, and their number. Raises zlib.error or
    EOFError for others, and for what is out of all proportion to what it is unpacked from."""
    data, most = bytearray(), max(SUSPICIOUS, MOST_PACKED * len(packed))
    member: Any = None
    for begin in range(0, len(packed), PACKED_PIECE):
        piece = packed[begin : begin + PACKED_PIECE].tobytes()
        while piece := piece if member else piece.lstrip(b"\0"):
            member = member or zlib.decompressobj(16 + zlib.MAX_WBITS)
            data += member.decompress(piece)
            if len(data) > most:
                raise EOFError(f"unpacks to more than {MOST_PACKED} times its size: no file of this kind does")
            piece, member = member.unused_data, None if member.eof else member
    if member:
        raise EOFError("compressed file ended before the end-of-stream marker was reached")
    return _with_room(data)


def _meant(path: str) -> str:
    """Hint at what a path that is no file may mean."""
    if os.path.isdir(path):
        return f": name the files in it, {os.path.join(path, '*')}"
    is_list = "," in path and all(map(os.path.exists, path.split(",")))
    return ": files have blanks between them, not commas" if is_list else ""


def _whole(file: io.FileIO) -> tuple[Bytes, int]:
    expected = os.fstat(file.fileno()).st_size
    buffer = np.empty(expected + PADDING + 1, np.uint8)
    size = 0
    while size < expected and (got := file.readinto(buffer[size:expected].data)):
        size += got
    rest, more = _in_pieces(file)  # what is no file proper has no size; others may have grown
    return (np.concatenate((buffer[:size], rest)), size + more) if more else (buffer[: size + PADDING + 1], size)


def _in_pieces(file: Any) -> tuple[Bytes, int]:
    data = bytearray()
    while piece := file.read(PIECE):
        data += piece
    return _with_room(data)


def _with_room(data: bytearray) -> tuple[Bytes, int]:
    size = len(data)
    data += bytes(PADDING + 1)
    return np.frombuffer(data, np.uint8), size


def _lower_first(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")

"""Receipts: digests of what is read, so that a result can be checked against files.

A file's is SHA-256 of its uncompressed bytes: `zcat FILE | sha256sum` prints it. That of judgments is the same for every
format that they may come in: of lines `topic TAB docno TAB grade LF`, sorted bytewise by topic and docno, of all that a file
holds; for TREC's `awk '{print $1 "\\t" $3 "\\t" $4}' FILE | LC_ALL=C sort | sha256sum` prints it.
Files are hashed by a thread beside the one that reads them: hashing takes no lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from irci.base.types import Bytes, Ints
    from irci.data.trec_files import Docnos, Qrels

SMALL = 1 << 16  # bytes that are not worth a thread
AT_ONCE = 100_000  # judgments
Digest = Callable[[], str]


class Receipts:
    """Digests by path, of bytes or of judgments, in the order in which they were read."""

    def __init__(self) -> None:
        self._of_bytes: dict[str, Digest] = {}
        self._of_judgments: dict[str, Digest] = {}
        self._last: threading.Thread | None = None

    def add_bytes(self, path: str, buffer: Bytes, size: int) -> None:
        """Have buffer[:size], what was read of a file, hashed."""
        self._of_bytes[path] = self._begun(lambda: _sha256(buffer[:size]), size)

    def add_judgments(self, path: str, qrels: Qrels) -> None:
        """Have judgments hashed, in place of the file that they come from."""
        self._of_bytes.pop(path, None)
        self._of_judgments[path] = self._begun(lambda: judgments_digest(qrels), len(qrels.grade))

    def _begun(self, work: Digest, size: int) -> Digest:
        if size < SMALL:
            return work
        if self._last is not None:
            self._last.join()  # memory is for one file at a time
        found: list[str] = []
        self._last = thread = threading.Thread(target=lambda: found.append(work()))
        thread.start()

        def digest() -> str:
            thread.join()
            return found[0]

        return digest

    def judgments(self, path: str) -> str:
        """The digest of judgments that were read of this path, 64 hex digits."""
        return self._of_judgments[path]()

    def signature(self) -> dict[str, str]:
        """The digests as settings of a result."""
        of_judgments = {f"{JUDGMENTS}{path}": digest() for path, digest in self._of_judgments.items()}
        return of_judgments | {f"{BYTES}{path}": digest() for path, digest in self._of_bytes.items()}


# Of names in signatures, before the path.
JUDGMENTS, BYTES = "judgments:", "sha256:"
_kept: ContextVar[Receipts | None] = ContextVar("receipts", default=None)


@contextmanager
def keeping() -> Iterator[None]:
    """In the block receipts are kept of what is read, until it turns out that nobody wants them."""
    before = _kept.set(Receipts())
    try:
        yield
    finally:
        _kept.reset(before)


def kept() -> Receipts | None:
    """The receipts of what has been read, if any are kept."""
    return _kept.get()


def keep_none() -> None:
    """No receipts from here on, as nobody wants them."""
    _kept.set(None)


def _sha256(data: Bytes) -> str:
    import hashlib  # takes time

    return hashlib.sha256(data.data).hexdigest()


def judgments_digest(qrels: Qrels) -> str:
    """SHA-256 of judgments in canonical form, 64 hex digits."""
    import hashlib

    digest, first = hashlib.sha256(), 0
    for topic in range(1, len(qrels.topics) + 1):
        if topic == len(qrels.topics) or qrels.offsets[topic + 1] - qrels.offsets[first] > AT_ONCE:
            digest.update(_lines(qrels, first, topic).data)
            first = topic
    return digest.hexdigest()


def _lines(qrels: Qrels, first: int, last: int) -> Bytes:
    # The lines of these topics, uint8[...]: as rows filled up with NULs, which no text has.
    import numpy as np

    edges = qrels.offsets[first : last + 1]
    rows = slice(int(edges[0]), int(edges[-1]))
    docnos, grade = qrels.docnos.take(rows), qrels.grade[rows]
    cells = _cells(docnos)
    topic = np.repeat(np.arange(last - first), np.diff(edges))
    names = np.array(qrels.topics[first:last], np.bytes_)[topic]
    keys = [topic, *cells.view(">u8").astype(np.uint64).T]
    if not _ascend(keys):
        order = np.lexsort(keys[::-1])
        cells, grade = cells[order], grade[order]
    tab = np.full((len(grade), 1), ord("\t"), np.uint8)
    end = np.full((len(grade), 1), ord("\n"), np.uint8)
    whole = np.hstack((_bytes(names), tab, cells, tab, _bytes(_texts(grade)), end)).ravel()
    lines: Bytes = whole[whole != 0]
    return lines


def _cells(docnos: Docnos) -> Bytes:
    # The bytes of docnos, uint8[J, w], w a multiple of 8, filled up with NULs.
    import numpy as np

    width = -(-int(docnos.length.max(initial=1)) // 8) * 8
    buffer = docnos.buffer
    if docnos.start.max(initial=0) + width > len(buffer):
        buffer = np.concatenate((buffer, np.zeros(width, np.uint8)))
    cells = np.lib.stride_tricks.sliding_window_view(buffer, width)[docnos.start]
    cells *= np.arange(width, dtype=np.int32) < docnos.length[:, None]
    return cells


def _ascend(keys: Sequence[NDArray[Any]]) -> bool:
    # True if rows ascend by the first key, and where that is the same by the next.
    less, same = keys[0][:-1] < keys[0][1:], keys[0][:-1] == keys[0][1:]
    for key in keys[1:]:
        less = less | (same & (key[:-1] < key[1:]))
        same = same & (key[:-1] == key[1:])
    return bool(less.all())


def _texts(numbers: Ints) -> NDArray[Any]:
    # Numbers in decimals, bytes[n].
    import numpy as np

    least, most = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    if most - least > len(numbers):
        return numbers.astype(np.bytes_)
    return np.array([b"%d" % number for number in range(least, most + 1)], np.bytes_)[numbers - least]


def _bytes(texts: NDArray[Any]) -> Bytes:
    # Texts as uint8[n, w].
    return texts.view("u1").reshape(len(texts), -1)

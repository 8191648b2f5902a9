"""Receipts: digests of what is read, so that a result can be checked against files.

A file's is SHA-256 of its uncompressed bytes: `zcat FILE | sha256sum` prints it. Judgments have one of their own
(`irci.data.canonical`). Files are hashed one after the other, beside the thread that reads them: hashing takes no lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irci.base.types import Bytes

SMALL = 1 << 16  # bytes that are not worth a thread
AHEAD = 1 << 26  # bytes that may be in memory to be hashed, unless one file has more
Digest = Callable[[], str]


class Receipts:
    """Digests by path, of bytes or of judgments, in the order in which they were read."""

    def __init__(self) -> None:
        self._of_bytes: dict[str, Digest] = {}
        self._of_judgments: dict[str, Digest] = {}
        self._running: list[tuple[threading.Thread, int]] = []  # each waits for the one before

    def add_bytes(self, path: str, buffer: Bytes, size: int) -> None:
        """Have buffer[:size], what was read of a file, hashed."""
        self._of_bytes[path] = self._begun(lambda: _sha256(buffer[:size]), size)

    def add_judgments(self, path: str, digest: Digest) -> None:
        """Have judgments hashed, in place of the file that they come from."""
        self._of_bytes.pop(path, None)
        self._of_judgments[path] = self._begun(digest, SMALL)

    def _begun(self, work: Digest, size: int) -> Digest:
        if size < SMALL:
            return work
        self._make_room(size)
        last, found = self._running[-1][0] if self._running else None, []

        def after_the_last() -> None:
            if last is not None:
                last.join()
            found.append(work())

        thread = threading.Thread(target=after_the_last)
        thread.start()
        self._running.append((thread, size))

        def digest() -> str:
            thread.join()
            return found[0]

        return digest

    def _make_room(self, size: int) -> None:
        self._running = [each for each in self._running if each[0].is_alive()]
        while self._running and size + sum(each for _, each in self._running) > AHEAD:
            self._running.pop(0)[0].join()

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

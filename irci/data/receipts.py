"""Receipts: digests of what is read, so that a result can be checked against files.

A file's is SHA-256 of its uncompressed bytes: `zcat FILE | sha256sum` prints it. Judgments have one of their own
(`irci.data.rankings.judgments_digest`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irci.base.types import Bytes


class Receipts:
    """Digests by path, of bytes or of judgments, 64 hex digits each, in the order in which they were read. `only_files`:
    nothing but files and standard input may be read, as strangers say what."""

    def __init__(self, *, only_files: bool) -> None:
        self.only_files = only_files
        self._of_bytes: dict[str, str] = {}
        self._of_judgments: dict[str, str] = {}

    def add_bytes(self, path: str, buffer: Bytes, size: int) -> None:
        """Hash buffer[:size], what was read of a file."""
        import hashlib  # takes time

        self._of_bytes[path] = hashlib.sha256(buffer[:size].data).hexdigest()

    def add_judgments(self, path: str, digest: str) -> None:
        """Take the digest of judgments in place of that of the file that they come from."""
        self._of_bytes.pop(path, None)
        self._of_judgments[path] = digest

    def judgments(self, path: str) -> str:
        """The digest of judgments that were read of this path."""
        return self._of_judgments[path]

    def signature(self) -> dict[str, str]:
        """The digests as settings of a result."""
        of_judgments = {f"{JUDGMENTS}{path}": digest for path, digest in self._of_judgments.items()}
        return of_judgments | {f"{BYTES}{path}": digest for path, digest in self._of_bytes.items()}


# Of names in signatures, before the path.
JUDGMENTS, BYTES = "judgments:", "sha256:"
_kept: ContextVar[Receipts | None] = ContextVar("receipts", default=None)


@contextmanager
def keeping(*, only_files: bool = False) -> Iterator[None]:
    """In the block receipts are kept of what is read, until it turns out that nobody wants them."""
    before = _kept.set(Receipts(only_files=only_files))
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

"""Data that are read: text and TREC files, the experiment (read, judge, score), score tables, parts, versions; and receipts.

Receipts are digests of what is read, so that a result can be checked against files. A file's is SHA-256 of its uncompressed
bytes: `zcat FILE | sha256sum` prints it. Judgments have one of their own (`irci.data.rankings.judgments_digest`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

# Of names in signatures, before the path.
JUDGMENTS, BYTES = "judgments:", "sha256:"


class Receipts(NamedTuple):
    """Digests of bytes or of judgments, 64 hex digits each, by kind and path. `only_files`: nothing but files and standard
    input may be read, as strangers say what."""

    only_files: bool
    digests: dict[str, str]

    def signature(self) -> dict[str, str]:
        """The digests as settings of a result, those of judgments first, in the order in which they were read."""
        return dict(sorted(self.digests.items(), key=lambda digest: digest[0].startswith(BYTES)))


# What is kept of what has been read, if anything is; set to None where nobody wants it.
receipts: ContextVar[Receipts | None] = ContextVar("receipts", default=None)


@contextmanager
def keeping(*, only_files: bool = False) -> Iterator[None]:
    """In the block receipts are kept of what is read, until it turns out that nobody wants them."""
    before = receipts.set(Receipts(only_files, {}))
    try:
        yield
    finally:
        receipts.reset(before)

"""The canonical form of judgments, which has one digest whatever format they come in.

It is lines `topic TAB docno TAB grade LF`, sorted bytewise by topic and docno, of all that a file holds. For TREC's
`awk '{print $1 "\\t" $3 "\\t" $4}' FILE | LC_ALL=C sort | sha256sum` prints its digest.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from irci.base.types import Array, Bytes, Ints
from irci.data.rankings import Docnos, Qrels

AT_ONCE = 10_000  # judgments
WORD = 8  # bytes
MASKS = np.array([(1 << 8 * length) - 1 for length in range(WORD + 1)], "<u8")  # of the first bytes of a word


def judgments_digest(qrels: Qrels) -> str:
    """SHA-256 of judgments in canonical form, 64 hex digits."""
    digest, first = hashlib.sha256(), 0
    for topic in range(1, len(qrels.topics) + 1):
        if topic == len(qrels.topics) or qrels.offsets[topic + 1] - qrels.offsets[first] > AT_ONCE:
            digest.update(_lines(qrels, first, topic).data)
            first = topic
    return digest.hexdigest()


def _lines(qrels: Qrels, first: int, last: int) -> Bytes:
    # The lines of these topics, uint8[...]: as rows filled up with NULs, which no text has.
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
    columns = _bytes(names), cells[:, : docnos.length.max(initial=1)], _bytes(_texts(grade))
    ends = np.cumsum([each.shape[1] + 1 for each in columns])
    whole = np.empty((len(grade), ends[-1]), np.uint8)
    for column, end in zip(columns, ends.tolist(), strict=True):
        whole[:, end - 1 - column.shape[1] : end - 1] = column
        whole[:, end - 1] = ord("\t" if end < ends[-1] else "\n")
    lines: Bytes = whole[whole != 0]
    return lines


def _cells(docnos: Docnos) -> Bytes:
    # The bytes of docnos, uint8[J, w], w a multiple of 8, filled up with NULs.
    width = -(-int(docnos.length.max(initial=1)) // 8) * 8
    buffer = docnos.buffer
    if docnos.start.max(initial=0) + width > len(buffer):
        buffer = np.concatenate((buffer, np.zeros(width, np.uint8)))
    cells = np.lib.stride_tricks.sliding_window_view(buffer, width)[docnos.start]
    words, begins = cells.view("<u8"), np.arange(0, width, WORD)
    words &= MASKS[np.clip(docnos.length[:, None] - begins, 0, WORD)]
    return cells


def _ascend(keys: Sequence[Array[Any]]) -> bool:
    # True if rows ascend by the first key, and where that is the same by the next.
    less, same = keys[0][:-1] < keys[0][1:], keys[0][:-1] == keys[0][1:]
    for key in keys[1:]:
        less = less | (same & (key[:-1] < key[1:]))
        same = same & (key[:-1] == key[1:])
    return bool(less.all())


def _texts(numbers: Ints) -> Array[Any]:
    # Numbers in decimals, bytes[n].
    least, most = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    if most - least > len(numbers):
        return numbers.astype(np.bytes_)
    return np.array([b"%d" % number for number in range(least, most + 1)], np.bytes_)[numbers - least]


def _bytes(texts: Array[Any]) -> Bytes:
    # Texts as uint8[n, w].
    return texts.view("u1").reshape(len(texts), -1)

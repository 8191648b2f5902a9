"""Kernels refuse arrays that do not go together, where they would read or write past one."""

from collections.abc import Callable

import numpy as np
import pytest

from irci.data import rankings as ours
from irci.data.rankings import Docnos
from irci.kernels import hashing, paired_bootstrap, ranking, scan, topics, words
from irci.kernels.resampled_rankings import AVERAGE_PRECISION, Scoring
from irci.kernels.words import PADDING

KEYS = np.arange(3, dtype=np.uint64)


def text(content: bytes, lines: int, padding: int = PADDING) -> Docnos:
    buffer = np.frombuffer(bytearray(content + bytes(padding)), np.uint8)
    return Docnos(buffer, np.empty(lines, np.int64), np.empty(lines, np.int32), np.empty(lines, np.uint64))


def ints(*numbers: int, kind: type = np.int64) -> np.ndarray:
    return np.array(numbers, kind)


SCORING = Scoring(AVERAGE_PRECISION, 0, np.ones(1), 0, np.ones(2 + 20 * 3))
ONE, FOUR = ints(0, kind=np.int32), ints(0, 0, 0, 0, kind=np.int32)
SHORT = hashing.Interned(np.zeros(2, np.uint64), np.zeros(4, np.uint64), ints(0, 0), ints(0))
LAYOUT = scan.Layout(words.BLANK, 0, 2, 4, 5, 6, True, False)
LINE = b"1 Q0 a 1 1 x\n"

SECRET = ours.secret()


def scanned(end: int, of: Docnos, layout: scan.Layout = LAYOUT) -> object:
    return scan.scan_records(0, end, layout, of, np.empty(1), SECRET)


def scores_of(documents: np.ndarray, offsets: np.ndarray, classes: np.ndarray) -> object:
    numbered = paired_bootstrap.NumberedRankings(KEYS[0], KEYS[1], KEYS, classes, documents, offsets)
    return paired_bootstrap.resample_together(SCORING, numbered, (0, 1), np.empty((1, 1)))


def judged(of: Docnos, edges: np.ndarray) -> object:
    is_graded = np.ones(1, np.bool_)
    return ranking.judged_ranks(of, np.ones(1), ints(), ONE, ints(0, 1), 1, of, is_graded, edges, False)


WRONG: dict[str, Callable[[], object]] = {
    "no room for a line": lambda: scanned(26, text(LINE * 2, 1)),
    "no padding": lambda: scanned(13, text(LINE, 1, 8)),
    "no newline": lambda: scanned(12, text(LINE[:-1], 1)),
    "no room for hashes": lambda: scanned(13, text(LINE, 0)),
    "a column beyond the others": lambda: scanned(13, text(LINE, 1), LAYOUT._replace(tag=6)),
    "groups beyond the lines": lambda: ranking.find_duplicates(text(LINE, 1), FOUR[:1], ints(0, 2)),
    "judgments beyond the rows": lambda: judged(text(LINE, 1), ints(0, 2)),
    "more classes than keys": lambda: scores_of(ONE, ints(0, 1), FOUR),
    "a document without a key": lambda: scores_of(ONE + 3, ints(0, 1), ONE),
    "harmonic numbers that end too early": lambda: scores_of(FOUR, ints(0, 4), ONE),
    "no room for a record": lambda: hashing.intern_documents(
        text(b"a", 1)._replace(start=ints(0), length=ONE + 1, hash=KEYS[:1]), ONE, ints(0), SHORT, SECRET, ONE.copy()
    ),
    "counts of other topics": lambda: topics.mean_over_drawn(np.ones((1, 3)), FOUR.reshape(2, 2), np.empty((1, 2))),
}


@pytest.mark.parametrize("name", WRONG)
def test_arrays_that_do_not_go_together(name: str) -> None:
    with pytest.raises(ValueError, match="do not go together"):
        WRONG[name]()

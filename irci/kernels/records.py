"""Records that scanners of rankings and of judgments find: the arrays they fill, an entry a record, and what they return."""

from typing import NamedTuple

import numpy as np

from irci.base.types import Array
from irci.kernels.shapes import expect
from irci.kernels.words import same_bytes
from irci.native.compiled import njit

WHOLE = 2.0**53  # below it a double holds every whole number


class Stretches(NamedTuple):
    """S stretches of records with one topic: the first's index int64[S]; the topic's place int64[S] and length int32[S]."""

    line: Array[np.int64]
    start: Array[np.int64]
    length: Array[np.int32]


class Tags(NamedTuple):
    """Where the first record's tag begins and ends; and the position of the first line with another one (-1 if none)."""

    start: int
    end: int
    other: int


class Comments(NamedTuple):
    """The number of lines that are comments, and the first one's position (-1 if none)."""

    number: int
    first: int


class Found(NamedTuple):
    """Findings of a scanner in L records (lines, where each is one) beside docnos and numbers.

    `short` int64[...]: positions of lines that are none; `slow` int64[..., 3]: (line index, start, end) of numbers that were
    not read, scores for float() to read or grades that are no integer; `escaped` int64[..., 3]: (line index, start, end) of
    docnos with escaped characters, or (-1 - index of stretch, start, end) of topics; the number of lines with more fields
    than a record has.
    """

    lines: int
    stretches: Stretches
    short: Array[np.int64]
    slow: Array[np.int64]
    escaped: Array[np.int64]
    lines_with_extra_fields: int
    tags: Tags
    comments: Comments


class Room(NamedTuple):
    """Arrays that a scanner of L records fills, beside docnos and numbers: of stretches int64[L, 3], the first record's index
    and the topic's place and length; and of what else is Found.

    It takes them out before its loop, and hands none of them to a function in there: both would count references.
    """

    stretch: Array[np.int64]
    short: Array[np.int64]
    slow: Array[np.int64]
    escaped: Array[np.int64]


@njit(cache=True, nogil=True)
def room_for(docnos, number):
    """Room for as many records as there are numbers; or ValueError, if docnos have another size."""
    size = len(number)
    expect(len(docnos.start) == size and len(docnos.length) == size and len(docnos.hash) == size)
    stretch, slow, escaped = (
        np.empty((size, 3), np.int64),
        np.empty((size, 3), np.int64),
        np.empty((2 * size, 3), np.int64),
    )
    return Room(stretch, np.empty(size + 1, np.int64), slow, escaped)


@njit(cache=True, nogil=True, forceinline=True)
def are_same(text, begin, end, other, other_end):
    """True if text[begin:end] and text[other:other_end] are the same bytes."""
    return end - begin == other_end - other and same_bytes(text, begin, text, other, end - begin)


@njit(cache=True, nogil=True, forceinline=True)
def with_tag(text, tags, position, begin, end):
    """The tags that were found, with that of the line at a position, text[begin:end]."""
    if tags.end == 0:
        return Tags(begin, end, tags.other)
    if tags.other < 0 and not are_same(text, begin, end, tags.start, tags.end):
        return Tags(tags.start, tags.end, position)
    return tags


@njit(cache=True, nogil=True, forceinline=True)
def with_comment(comments, position):
    """The comments that were found, with one at a position."""
    return Comments(comments.number + 1, comments.first if comments.number else position)


@njit(cache=True, nogil=True)
def found_in(room, counts, tags, comments):
    """What was Found, from the room of which only so much was taken: counts of lines, stretches, short, slow and escaped ones,
    and of lines with extra fields."""
    lines, stretches, shorts, slows, escapes, longs = counts
    stretch = room.stretch[:stretches]
    of_topics = Stretches(stretch[:, 0].copy(), stretch[:, 1].copy(), stretch[:, 2].astype(np.int32))
    return Found(
        lines, of_topics, room.short[:shorts], room.slow[:slows], room.escaped[:escapes], longs, tags, comments
    )

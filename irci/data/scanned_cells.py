"""Cells of plain tables of scores in one pass over their bytes (`irci.kernels.cells`): columns of names and of values, and
matrices.

Plain is what is not out of the ordinary: all else raises NotPlain, and is read line by line, which tells lines and reasons.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irci.base.names import decimal, is_name, text
from irci.base.types import Bools, Floats, Ints, Ints32
from irci.data.rankings import secret
from irci.data.text_files import TextFile
from irci.kernels.cells import Cells, Names, fill_name_slots, find_cells, number_names, read_matrix, read_numbers

LINES = 1 << 16  # at a time
MOST_OTHERS = 1 << 14  # numbers of a matrix that are none at first sight
FIRST_NAMES = 1 << 10


class NotPlain(Exception):
    """A file that is to be read line by line."""


class Named(NamedTuple):
    """Names, each of some cell, as they come, and which of them each cell has, int32[...]."""

    names: Sequence[str]
    which: Ints32

    @classmethod
    def alone(cls, name: str, shape: int | tuple[int, ...]) -> "Named":
        """One name for all cells of a shape."""
        return cls([name], np.zeros(shape, np.int32))

    def take(self, some: Bools) -> "Named":
        """Those of some cells, bool[L] of int32[L]."""
        if some.all():
            return self
        which = self.which[some]
        first = np.full(len(self.names), len(which), np.int32)
        first[which[::-1]] = np.arange(len(which), dtype=np.int32)[::-1]
        there = [place for place in np.argsort(first, kind="stable").tolist() if first[place] < len(which)]
        number = np.zeros(len(self.names), np.int32)
        number[there] = np.arange(len(there))
        return Named([self.names[place] for place in there], number[which])

    def among(self, known: dict[str, int]) -> Ints32:
        """Places among the names known, to which new ones are added, int32[...]. Raises NotPlain for what is no name."""
        if not all(map(is_name, self.names)):
            raise NotPlain
        place = np.array([known.setdefault(name, len(known)) for name in self.names], np.int32)
        return self.which if (place == np.arange(len(place))).all() else place[self.which]

    def are(self, name: str) -> Bools:
        """bool[...]: which of them are called so."""
        return np.array([each == name for each in self.names], np.bool_)[self.which]


class Columns(NamedTuple):
    """L lines: the names of each wanted column, values float64[L], and tokens of values by line: of all that are no plain
    number, and of lines whose first name is one of those asked for."""

    names: list[Named]
    values: Floats
    tokens: dict[int, str]

    def read_others(self, kept: Bools) -> None:
        """Put the numbers among the tokens of the kept[L] lines into values."""
        for line, token in self.tokens.items():
            if kept[line]:
                self.values[line] = number_of(token)


def number_of(token: str) -> float:
    """A finite number. Raises NotPlain for what is none."""
    try:
        value = decimal(token)
    except ValueError:
        raise NotPlain from None
    if not np.isfinite(value):
        raise NotPlain
    return value


class _Numbered:
    # Different names in a column, numbered as they come.
    def __init__(self) -> None:
        self.names = self._room(FIRST_NAMES)

    @staticmethod
    def _room(number: int) -> Names:
        begin, length, key = np.empty(number, np.int64), np.empty(number, np.int64), np.empty(number, np.uint64)
        return Names(begin, length, key, np.zeros(1, np.int64), np.zeros(2 * number, np.int64))

    def fill(self, file: TextFile, begin: Ints, end: Ints, numbers: Ints32) -> None:
        done = number_names(file.buffer, begin, end, 0, self.names, secret(), numbers)
        while done < len(numbers):
            old, used = self.names, int(self.names.used[0])
            self.names = self._room(2 * len(old.begin))
            for more, less in zip(self.names[:3], old[:3], strict=True):
                more[:used] = less[:used]
            self.names.used[0] = used
            fill_name_slots(self.names)
            done = number_names(file.buffer, begin, end, done, self.names, secret(), numbers)

    def texts(self, file: TextFile) -> list[str]:
        used = int(self.names.used[0])
        return _texts(file, self.names.begin[:used], self.names.length[:used])


def _texts(file: TextFile, begin: Ints, length: Ints) -> list[str]:
    return [text(file.token(at, at + size)) for at, size in zip(begin.tolist(), length.tolist(), strict=True)]


def read_columns(
    file: TextFile,
    begin: int,
    separator: str,
    header: tuple[int, int],
    wanted: Sequence[int],
    number: int,
    told: str | None = None,
) -> Columns:
    """The lines from `begin` on, of so many cells, but such as are the header, which begins and is as long as that; places of
    the `wanted` cells, the last of them the value. `told`: a first wanted cell of which values' tokens are kept."""
    columns = np.full(number, -1)
    columns[list(wanted)] = np.arange(len(wanted))
    form = np.array([ord(separator), separator != "\t", *header])
    room = file.occurrences(begin, file.size)
    values, numbers = np.empty(room), np.empty((len(wanted) - 1, room), np.int32)
    cells = Cells(*np.empty((2, len(wanted), min(LINES, room)), np.int64))
    names = [_Numbered() for _ in numbers]
    tokens: dict[int, str] = {}
    lines = 0
    while begin < file.size:
        count, begin, is_plain = find_cells(file.buffer, begin, file.size, form, columns, cells)
        if not is_plain:
            raise NotPlain
        those = slice(lines, lines + count)
        *of_names, of_value = ((each[0][:count], each[1][:count]) for each in zip(*cells, strict=True))
        for column, of_name, which in zip(names, of_names, numbers, strict=True):
            column.fill(file, *of_name, which[those])
        others = read_numbers(file.buffer, *of_value, values[those])
        is_told = Named(names[0].texts(file), numbers[0][those]).are(told) if told else np.zeros(count, np.bool_)
        for line in np.union1d(others, np.flatnonzero(is_told)).tolist():
            tokens[lines + line] = text(file.token(*(int(each[line]) for each in of_value)))
        lines += count
    found = [Named(column.texts(file), which[:lines]) for column, which in zip(names, numbers, strict=True)]
    return Columns(found, values[:lines], tokens)


class Table(NamedTuple):
    """A matrix: what names its L rows (None if nothing does), values float64[L, columns], and tokens of those that are no
    plain number, by row and column."""

    rows: list[str] | None
    values: Floats
    tokens: dict[tuple[int, int], str]


def read_table(file: TextFile, begin: int, separator: str, columns: int, *, named: bool) -> Table:
    """The lines from `begin` on, of so many numbers each, behind a name if they are named."""
    room = min(file.occurrences(begin, file.size), (file.size - begin) // (2 * columns) + 1)
    values, places = np.empty((room, columns)), np.zeros((2, room), np.int64)
    others = np.empty((MOST_OTHERS, 4), np.int64)
    form = np.array([ord(separator), separator != "\t"])
    lines, count = read_matrix(file.buffer, begin, file.size, form, named, values, *places, others)
    if count < 0:
        raise NotPlain
    tokens = {(row, column): text(file.token(*place)) for row, column, *place in others[:count].tolist()}
    rows = _texts(file, places[0, :lines], places[1, :lines] - places[0, :lines]) if named else None
    return Table(rows, values[:lines], tokens)

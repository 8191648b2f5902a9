"""Tables: rows of one kind; and the words of a paper's caption and of a source of variation."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from irci.output.kinds import KINDS, Kind, printed_name, stem

Cell = str | float | int | bool | None
Row = Mapping[str, Cell]
Signature = Mapping[str, Cell]
NO_WORD = "-"  # a word that there is none of: an empty cell would be no cell in text


class PValue(float):
    """A p-value, told to readers as less than `least` where it is: below that its digits mean nothing."""

    def __new__(cls, p: float, least: float = 1e-16) -> "PValue":
        self = super().__new__(cls, p)
        self.least = least
        return self

    least: float

    def __str__(self) -> str:
        return f"<1e-{-math.log10(self.least):.0f}" if self < self.least else format(float(self), ".4g")


OF_LIMITS = ("lower", "upper", "lower_adjusted", "upper_adjusted")


class Bounded(dict[str, Cell]):
    """A row whose score lies in [0, 1], or whose difference of two such scores in [-1, 1], as the study declares that knows
    its measure: rows of one table may be of several.

    Its limits are what their formula gives, which may lie beyond; whoever reads them is shown `as_read`.
    """


def as_read(row: Row) -> Row:
    """A row for reading: limits of a bounded score are shown no further than it goes."""
    if not isinstance(row, Bounded):
        return row
    least = -1.0 if "baseline" in row else 0.0
    return {
        name: min(max(cell, least), 1.0) if name in OF_LIMITS and isinstance(cell, float) else cell
        for name, cell in row.items()
    }


class Rows(Sequence[Row]):
    """So many rows, each made when it is looked at: those of millions of pairs take no memory."""

    def __init__(self, number: int, make: Callable[[int], Row]) -> None:
        self._places = range(number)
        self._make = make  # the row at a place, from 0 on

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Row]:
        # Without this a row that raises IndexError would be taken for the end.
        return map(self._make, self._places)

    def __getitem__(self, index: Any) -> Any:
        selected = self._places[index]
        return self._make(selected) if isinstance(selected, int) else list(map(self._make, selected))

    def __reduce__(self) -> Any:
        return list, (list(self),)  # what makes them is not pickled


class Table(NamedTuple):
    """Rows of one kind, all with the same columns.

    `measure`: the one that all rows are of, or "" where each row names its own. Rows of estimates begin with the column
    measure; the others have no column for the name of their table, which is made of the kind and the measure.
    """

    kind: Kind
    measure: str
    rows: Sequence[Row]

    @property
    def name(self) -> str:
        """The first cell of its rows, unless they are estimates: error_rate_map."""
        return "_".join(filter(None, (printed_name(self.kind), self.measure)))

    @property
    def columns(self) -> list[str]:
        """The names of the columns, as they are printed."""
        first = [] if KINDS[self.kind].is_estimate else ["table"]
        return [*first, *self.rows[0]] if self.rows else []

    def printed(self) -> Iterator[Row]:
        """The rows with their first column."""
        if KINDS[self.kind].is_estimate:
            yield from self.rows
        else:
            yield from ({"table": self.name, **row} for row in self.rows)


def number(row: Row, column: str) -> float:
    """The number that a cell holds, nan if none."""
    cell = row[column]
    return float(cell) if isinstance(cell, float | int) else math.nan


def tables(kind: Kind, measure: str, rows: Iterable[Row]) -> list[Table]:
    """Rows as a table; no rows are no table."""
    listed = rows if isinstance(rows, Rows) else list(rows)
    if not listed:
        return []
    unknown = set(map(stem, listed[0])).difference(KINDS[kind].columns)
    assert not unknown, f"columns that tables of the kind {kind} do not have: {unknown}"
    return [Table(kind, measure, listed)]


def rows_of(**columns: Any) -> list[Row]:
    """Rows made of columns: lists and arrays of one length, and single cells that all rows have."""
    lists = {name: column.tolist() if hasattr(column, "tolist") else column for name, column in columns.items()}
    (number,) = {len(column) for column in lists.values() if isinstance(column, list)}
    return [
        {name: column[index] if isinstance(column, list) else column for name, column in lists.items()}
        for index in range(number)
    ]


ALL = "all"
# Columns that name a part of what means are over, ALL for the whole, and what the mean over that is called.
PARTS = {"collection": "mean", "slice": "all topics"}


def part_of(row: Row) -> str:
    """The part that a row is of, ALL where it is of the whole; "" where there are no parts."""
    return next((str(row[column]) for column in PARTS if column in row), "")


class Caption(NamedTuple):
    """The words of a paper's caption for a table of means, which become sentences: of what and over how many topics they are
    means, what their limits are, how runs were tested against a baseline, and how all of them for letters, if they were.
    `selection`: sentences as they are, where runs were tested.
    """

    means: str
    limits: str
    test: str = ""
    test_of_letters: str = ""
    selection: Sequence[str] = ()


class SourceInReport(NamedTuple):
    """A source of variation in words: its label in pictures, and what a page says that varies with it and what does not.

    `mean`, `means`: what the mean over several collections is called in a list of them, and in a legend.
    """

    label: str
    page: str = ""
    mean: str = ""
    means: str = ""

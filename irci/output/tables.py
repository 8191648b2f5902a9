"""Tables and what else a study says: plain sentences, the settings that would make them again; and tables sorted, and with a
column for the width of intervals.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Any, NamedTuple, cast

from irci.base.choices import Sort
from irci.base.errors import UsageError
from irci.base.names import visible
from irci.base.types import gathered
from irci.output.kinds import KINDS, Kind, printed_name, title

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
    """A row for reading: limits of a bounded score are shown no further than it goes, and so wide is its interval."""
    if not isinstance(row, Bounded):
        return row
    least = -1.0 if "baseline" in row else 0.0
    limits = {name: cell for name in OF_LIMITS if isinstance(cell := row.get(name), float)}
    shown = {name: min(max(limit, least), 1.0) for name, limit in limits.items()}
    width = {"width": shown["upper"] - shown["lower"]} if "width" in row else {}
    return {**row, **shown, **width}


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

    def __getitem__(self, place: Any) -> Any:
        chosen = self._places[place]
        return self._make(chosen) if isinstance(chosen, int) else list(map(self._make, chosen))

    def __reduce__(self) -> Any:
        return list, (list(self),)  # what makes them is not pickled


@dataclass(frozen=True)
class Table:
    """Rows of one kind, all with the same columns.

    `measure`: the one that all rows are of, or "" where each row names its own. Rows of estimates begin with the column
    measure; the others have no column for the name of their table, which is made of the kind and the measure.
    """

    kind: Kind
    measure: str
    rows: Sequence[Row]

    def __post_init__(self) -> None:
        unknown = set(self.rows[0] if self.rows else ()).difference(KINDS[self.kind].columns)
        assert not unknown, f"columns that tables of the kind {self.kind} do not have: {unknown}"

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


def tables(kind: Kind, measure: str, rows: Iterable[Row]) -> list[Table]:
    """Rows as a table; no rows are no table."""
    found = rows if isinstance(rows, Rows) else list(rows)
    return [Table(kind, measure, found)] if found else []


ALL = "all"
# Columns that name a part of what means are over, ALL for the whole, and what the mean over that is called.
PARTS = {"collection": "mean", "slice": "all topics"}


def part_of(row: Row) -> str:
    """The part that a row is of, ALL where it is of the whole; "" where there are no parts."""
    return next((str(row[column]) for column in PARTS if column in row), "")


class Note(NamedTuple):
    """The title of the tables of one kind, the question they answer, and what their columns mean, but for those that another
    note before has told.
    """

    title: str
    answer: str
    columns: Mapping[str, str]


class Caption(NamedTuple):
    """The words of a paper's caption for a table of means, which become sentences: of what and over how many topics they are
    means, what their limits are, how runs were tested against a baseline, and how all of them for letters, if they were.
    `selection`: sentences as they are, where runs were tested; `best`: of the best run, where it was asked for.
    """

    means: str
    limits: str
    test: str = ""
    test_of_letters: str = ""
    selection: Sequence[str] = ()
    best: Sequence[str] = ()


class Source(NamedTuple):
    """A source of variation in words: its label in pictures, and what a page says that varies with it and what does not.

    `mean`, `means`: what the mean over several collections is called in a list of them, and in a legend.
    """

    label: str
    page: str = ""
    mean: str = ""
    means: str = ""


@dataclass(frozen=True, repr=False)
class Answer:
    """The answer to a command: tables in order of output, and what else can be asked of them.

    `signature`: all settings that change a digit, but for the version. `explain` makes the plain sentences, `conclude` one for
    each measure where that is not the first that names it, and `drawn` the tables that pictures show where these are not the
    ones printed: each only if somebody wants them. `failures`: of which
    pairs a condition holds that the user wants to fail on; `untold`: of which that cannot be told. `files`: what else is to
    be written, by path. `caption`: what a table of runs by measures says of one population ("" where rows name none); None
    where there is no such table. `sources`: what varies, by the name of the population in rows, the first where rows name
    none. `warnings`: what was warned of on the way, of a report that a function of `irci` gave. `canonical`: from a name of a
    measure to the one that all its spellings have in common.
    """

    tables: Sequence[Table]
    signature: Signature
    explain: Callable[[], Iterable[str]] = tuple
    conclude: Callable[[], Iterable[str]] | None = None
    drawn: Callable[[], Sequence[Table]] | None = None
    failures: Sequence[str] = ()
    untold: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    caption: Callable[[str], Caption] | None = None
    sources: Mapping[str, Source] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    canonical: Callable[[str], str] = str

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: all that is made when it is asked for, made."""
        populations = dict.fromkeys(str(row.get("population", "")) for table in self.tables for row in table.rows)
        captions = {name: self.caption(name) for name in populations} if self.caption is not None else {}
        made = {
            "explain": self.sentences.copy,
            "conclude": None if self.conclude is None else self.conclusion.copy,
            "drawn": None if self.drawn is None else list(self.drawn()).copy,
            "caption": None if self.caption is None else captions.__getitem__,
        }
        return vars(self) | made

    @property
    def sentences(self) -> list[str]:
        """The result in plain words, what was asked for first; no name in them is obeyed by a terminal."""
        return list(map(visible, self.explain()))

    @property
    def conclusion(self) -> list[str]:
        """The answer in a sentence for each measure: what the study concludes, or else the first sentence that names it."""
        if self.conclude is not None:
            return list(map(visible, self.conclude()))
        said, words = self.sentences, map(re.escape, self.measures)
        naming = [[each for each in said if re.search(rf"(?<!\S){word}(?![^\s.,:;)])", each)] for word in words]
        return list(dict.fromkeys(each[0] for each in naming if each)) or said[:1]

    @property
    def measures(self) -> list[str]:
        """The measures that tables are of, in order."""
        if named := str(self.signature.get("measures") or "").split():
            return named
        rows = (row for table in self.tables if not table.measure for row in table.rows if "measure" in row)
        named_in = chain((table.measure for table in self.tables), (str(row["measure"]) for row in rows))
        return list(dict.fromkeys(filter(None, named_in)))

    @property
    def runs(self) -> list[str]:
        """The runs that rows are of, a baseline before them."""
        baselines: dict[str, None] = {}
        runs: dict[str, None] = {}
        for row in (row for table in self.tables if "run" in table.columns for row in table.rows):
            runs[str(row["run"])] = None
            if baseline := row.get("baseline"):
                baselines[str(baseline)] = None
        return list(baselines | runs)

    @property
    def notes(self) -> list[Note]:
        """A note a kind, in order. A column is told again where it means something else than in the note before."""
        found: list[Note] = []
        told: dict[str, str] = {}
        for kind in dict.fromkeys(table.kind for table in self.tables):
            of, of_kind = KINDS[kind], [table for table in self.tables if table.kind == kind]
            measures = {table.measure for table in of_kind}
            columns = dict.fromkeys(column for table in of_kind for column in table.columns)
            words = {column: _cells(of_kind, column) for column in columns if of.has_words(column)}
            meanings = {
                column: of.meaning(column, words.get(column))
                for column in columns
                if not of.goes_without_saying(column)
            }
            new = {column: what for column, what in meanings.items() if told.get(column) != what}
            told |= new
            found.append(Note(title(kind, *measures) if len(measures) == 1 else title(kind), of.answer, new))
        return found

    @property
    def explanation(self) -> list[str]:
        """Sentences and notes as lines of text."""
        notes = [
            [f"{note.title}: {note.answer}", *(f"  {column}: {what}" for column, what in note.columns.items())]
            for note in self.notes
        ]
        return [*self.sentences, *chain.from_iterable(notes)]

    @property
    def confidence(self) -> float | None:
        """The confidence of the limits, if there are any."""
        confidence = self.signature.get("confidence")
        return confidence if isinstance(confidence, float) else None

    @property
    def pictures(self) -> Sequence[Table]:
        """The tables that pictures show."""
        return self.tables if self.drawn is None else self.drawn()

    def table(self, kind: Kind, measure: str | None = None) -> Table:
        """All rows of one kind, as one table; `measure`: in any spelling. Raises UsageError if there are none, or of several
        measures with none named."""
        asked = None if measure is None else self.canonical(measure)
        found = [
            table for table in self.tables if table.kind == kind and asked in (None, self.canonical(table.measure))
        ]
        if not found:
            raise self._no_table(f"{kind} {measure or ''}".strip())
        measures = dict.fromkeys(table.measure for table in found)
        if len(measures) > 1 and not KINDS[kind].is_estimate:  # whose rows do not name theirs
            raise UsageError(f"tables {kind!r} of several measures: name one of {', '.join(measures)}")
        rows = found[0].rows if len(found) == 1 else [row for table in found for row in table.rows]
        return Table(kind, found[0].measure if len(measures) == 1 else "", rows)

    def _no_table(self, wanted: str) -> UsageError:
        measures = gathered((table.kind, table.measure) for table in self.tables)
        there = [f"{kind} (of {', '.join(of)})" if any(of) else kind for kind, of in measures.items()]
        return UsageError(f"no table {wanted}; there are {'; '.join(there)}")


def _cells(tables: Iterable[Table], column: str) -> set[Cell]:
    return {row.get(column) for table in tables for row in table.rows}


# Rows that agree in these are sorted by value among themselves.
COMPARABLE = ("measure", "ranked_by", "population", "collection", "slice", "estimator")


def arranged(tables: Sequence[Table], sort: Sort | None, *, with_width: bool) -> list[Table]:
    """The tables sorted, and with a column for the width of intervals, where they are of a kind that has such."""
    widened = [_widened(table) if with_width and KINDS[table.kind].limits else table for table in tables]
    return widened if sort is None else list(_sorted(widened, sort))


def _widened(table: Table) -> Table:
    def row(place: int) -> Row:
        given = table.rows[place]
        wider = {**given, "width": float(cast(float, given["upper"]) - cast(float, given["lower"]))}
        return Bounded(wider) if isinstance(given, Bounded) else wider

    return Table(table.kind, table.measure, Rows(len(table.rows), row))


def _sorted(tables: Sequence[Table], sort: Sort) -> Iterator[Table]:
    for (together, measure), stretch in groupby(tables, lambda each: (KINDS[each.kind].sorted_with, each.measure)):
        if not together:  # these are not sorted
            yield from stretch
            continue
        rows = [(table.kind, row) for table in stretch for row in table.rows]
        if sort == "name":  # bytewise; all rows of a run, or of a pair, stay together and in order
            rows.sort(key=lambda each: [_bytes(each[1].get(name, "")) for name in ("run", "baseline", "runs")])
        else:
            rows = _by_value(rows)
        for (kind, _), same in groupby(rows, lambda each: (each[0], tuple(each[1]))):
            yield Table(kind, measure, [row for _, row in same])


def _by_value(rows: Sequence[tuple[Kind, Row]]) -> list[tuple[Kind, Row]]:
    """The best first, of each measure, population and topic by itself: topics in their order, before what is of all."""
    places: dict[tuple[object, ...], int] = {}
    kinds: dict[Kind, int] = {}

    def key(each: tuple[Kind, Row]) -> tuple[int, bytes, int, bool, float]:
        kind, row = each
        group = places.setdefault(tuple(row.get(column) for column in COMPARABLE), len(places))
        value = row.get("value", row.get("difference"))
        number = float(value) if isinstance(value, float | int) else math.nan
        best_first = 0.0 if math.isnan(number) else number if KINDS[kind].cell == "rank" else -number
        return kinds.setdefault(kind, len(kinds)), _bytes(row.get("topic", "")), group, math.isnan(number), best_first

    return sorted(rows, key=key)


def _bytes(name: object) -> bytes:
    return str(name).encode("utf-8", "surrogateescape")

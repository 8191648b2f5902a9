"""What a study says: tables that declare their kind, plain sentences, and the settings that would make them again."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from irci.base.choices import FORMATS, Format, Layout, Limits, why_no_notes
from irci.base.errors import UsageError, plural
from irci.output.kinds import KINDS, Kind, printed_name, title

if TYPE_CHECKING:
    from irci.output.notebook import Drawing

Cell = str | float | int | bool | None
Row = Mapping[str, Cell]
Signature = Mapping[str, Cell]
NO_WORD = "-"  # a word that there is none of: an empty cell would be no cell in text


class PValue(float):
    """A p-value, told to readers as less than `least` where it is: below that its digits mean nothing."""

    def __new__(cls, p: float, least: float = 1e-16) -> "PValue":
        """The number, which machines get as it is."""
        self = super().__new__(cls, p)
        self.least = least
        return self

    least: float

    def __str__(self) -> str:
        return f"<1e-{-math.log10(self.least):.0f}" if self < self.least else format(float(self), ".4g")


class Bounded(dict[str, Cell]):
    """A row whose score lies in [0, 1], as the study declares that knows its measure: rows of one table may be of several.

    Its limits are what their formula gives, which may lie beyond; whoever reads them is shown `as_read`.
    """


def as_read(row: Row) -> Row:
    """A row for reading: limits of a bounded score are shown no further than it goes, and so wide is its interval."""
    if not isinstance(row, Bounded):
        return row
    limits = {name: cell for name, cell in row.items() if name in ("lower", "upper") and isinstance(cell, float)}
    shown = {name: min(max(limit, 0.0), 1.0) for name, limit in limits.items()}
    width = {"width": shown["upper"] - shown["lower"]} if "width" in row else {}
    return {**row, **shown, **width}


class Rows(Sequence[Row]):
    """So many rows, each made when it is looked at: those of millions of pairs take no memory."""

    def __init__(self, number: int, make: Callable[[int], Row]) -> None:
        """`make`: the row at a place, from 0 on."""
        self._places = range(number)
        self._make = make

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Row]:
        # Without this a row that raises IndexError would be taken for the end.
        return map(self._make, self._places)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> "list[Row]": ...
    def __getitem__(self, place: int | slice) -> "Row | list[Row]":
        chosen = self._places[place]
        return self._make(chosen) if isinstance(chosen, int) else list(map(self._make, chosen))


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


def _plain(cell: Cell) -> Cell:
    """A p-value as any number."""
    return float(cell) if isinstance(cell, float) else cell


def tables(kind: Kind, measure: str, rows: Iterable[Row]) -> list[Table]:
    """Rows as a table; no rows are no table."""
    found = rows if isinstance(rows, Rows) else list(rows)
    return [Table(kind, measure, found)] if found else []


class Note(NamedTuple):
    """The title of the tables of one kind, the question they answer, and what their columns mean, but for those that another
    note before has told.
    """

    title: str
    answer: str
    columns: Mapping[str, str]

    def lines(self) -> Iterator[str]:
        """The note as text, one line a column."""
        yield f"{self.title}: {self.answer}"
        yield from (f"  {column}: {what}" for column, what in self.columns.items())


def notes_on(tables: Sequence[Table]) -> Iterator[Note]:
    """A note a kind, in order. A column is told again where it means something else than in the note before."""
    told: dict[str, str] = {}
    for kind in dict.fromkeys(table.kind for table in tables):
        of_kind = [table for table in tables if table.kind == kind]
        measures = list(dict.fromkeys(table.measure for table in of_kind))
        columns = dict.fromkeys(column for table in of_kind for column in table.columns)
        of = KINDS[kind]
        meanings = {column: of.meaning(column) for column in columns if not of.goes_without_saying(column)}
        new = {column: what for column, what in meanings.items() if told.get(column) != what}
        told |= new
        yield Note(title(kind, *measures) if len(measures) == 1 else title(kind), of.answer, new)


class Caption(NamedTuple):
    """The words of a paper's caption for a table of means, which become sentences: of what and over how many topics they are
    means, what their limits are, how runs were tested against a baseline, and how all of them for letters, if they were.
    """

    means: str
    limits: str
    test: str = ""
    test_of_letters: str = ""


class Source(NamedTuple):
    """A source of variation in words: its label in pictures, and what a page says that varies with it and what does not.

    `mean`, `means`: what the mean over several collections is called in a list of them, and in a legend.
    """

    label: str
    page: str = ""
    mean: str = ""
    means: str = ""


@dataclass(frozen=True, repr=False)
class Report:
    """The answer to a command: tables in order of output, and what else can be asked of them.

    `signature`: all settings that change a digit, but for the version. `explain` makes the plain sentences, and `drawn` the
    tables that pictures show where these are not the ones printed: both only if somebody wants them. `failures`: of which
    pairs a condition holds that the user wants to fail on. `files`: what else is to be written, by path. `caption`: what a
    table of runs by measures says of one population ("" where rows name none); None where there is no such table.
    `sources`: what varies, by the name of the population in rows, the first where rows name none. `warnings`: what was
    warned of on the way, of a report that a function of `irci` gave.
    """

    tables: Sequence[Table]
    signature: Signature
    explain: Callable[[], Iterable[str]] = tuple
    drawn: Callable[[], Sequence[Table]] | None = None
    failures: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    caption: Callable[[str], Caption] | None = None
    sources: Mapping[str, Source] = field(default_factory=dict)
    warnings: Sequence[str] = ()

    @property
    def sentences(self) -> list[str]:
        """The result in plain words, what was asked for first."""
        return list(self.explain())

    @property
    def notes(self) -> list[Note]:
        """Notes on its tables and their columns."""
        return list(notes_on(self.tables))

    @property
    def explanation(self) -> list[str]:
        """Sentences and notes as lines of text."""
        return [*self.sentences, *(line for note in self.notes for line in note.lines())]

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
        """All rows of one kind, as one table. Raises UsageError if there are none, or of several measures with none named."""
        found = [table for table in self.tables if table.kind == kind and measure in (None, table.measure)]
        if not found:
            raise self._no_table(f"{kind} {measure or ''}".strip())
        measures = dict.fromkeys(table.measure for table in found)
        if len(measures) > 1 and not KINDS[kind].is_estimate:  # whose rows do not name theirs
            raise UsageError(f"tables {kind!r} of several measures: name one of {', '.join(measures)}")
        rows = found[0].rows if len(found) == 1 else [row for table in found for row in table.rows]
        return Table(kind, found[0].measure if len(measures) == 1 else "", rows)

    def _no_table(self, wanted: str) -> UsageError:
        there = dict.fromkeys(f"{table.kind} {table.measure}".strip() for table in self.tables)
        return UsageError(f"no table {wanted}; there are {', '.join(there)}")

    def to_pandas(self, kind: Kind | None = None) -> Any:
        """The rows of one kind, or all, as a pandas.DataFrame with the columns of tsv. Raises UsageError without pandas."""
        try:
            import pandas
        except ImportError:
            raise UsageError("to_pandas needs pandas: pip install pandas") from None
        tables = [table for table in self.tables if kind in (None, table.kind)]
        if kind is not None and not tables:
            raise self._no_table(kind)
        rows = (row for table in tables for row in table.printed())
        return pandas.DataFrame([{name: _plain(cell) for name, cell in row.items()} for row in rows])

    def to_json(self, explain: bool = False) -> str:
        """The text that the command prints with --format json; `explain`: and with --explain."""
        return self.to_text("json", explain=explain)

    def to_text(
        self,
        form: Format = "text",
        digits: int | None = None,
        explain: bool = False,
        layout: Layout = "long",
        limits: Limits = "brackets",
    ) -> str:
        """The text that the command prints with these --format, --digits, --explain, --layout and --limits; all but html.

        Raises UsageError for a layout that there is not, and for sentences in a format that has no place for them.
        """
        from irci.output import formats, wide

        if layout == "wide":
            if self.caption is None or form not in wide.FORMS:
                forms = ", ".join(wide.FORMS)
                raise UsageError(f"the layout wide is for means of runs, of ap_ci, map_ci and stdap_ci, in {forms}")
            writer = wide.writer(form, wide.DIGITS if digits is None else digits, limits, self.caption)
        elif layout != "long" or form not in FORMATS or not FORMATS[form].writer:
            raise UsageError(f"no format {form!r} in the layout {layout!r}; there are {', '.join(formats.FORMS)}")
        else:
            writer = formats.writer(form, formats.DIGITS if digits is None else digits)
        if explain and why_no_notes(form):
            raise UsageError(f"explain {why_no_notes(form)}")
        explained = self.sentences if layout == "wide" else self.explanation
        return "".join(writer(self.tables, self.signature, explained if explain else ()))

    def plot(self) -> "Drawing":
        """The picture of --plot, which a notebook shows, and which can be saved. Raises UsageError without matplotlib."""
        from irci.output.notebook import drawing_of

        return drawing_of(self)

    def __repr__(self) -> str:
        rows = sum(len(table.rows) for table in self.tables)
        return f"<irci.Report of {self.signature.get('command', '?')}: {plural(rows, 'row')}; .to_text(), .sentences, .plot()>"

    def _repr_html_(self) -> str:
        """The tables, the sentences, the warnings and the picture, for a notebook."""
        from irci.output.notebook import html_of

        return html_of(self)

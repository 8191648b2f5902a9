"""The answer to a command: tables, plain sentences, and the settings that would make them again."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from irci.base.errors import UsageError
from irci.base.names import visible
from irci.base.records import Record
from irci.base.types import gathered
from irci.output.kinds import KINDS, Kind, stem, title
from irci.output.shown import stretches
from irci.output.tables import Caption, Cell, Signature, SourceInReport, Table


class Note(Record):
    """The title of the tables of one kind, the question they answer, and what their columns mean, but for those that another
    note before has told.
    """

    title: str
    answer: str
    columns: Mapping[str, str]


class Answer(Record):
    """The answer to a command: tables in order of output, and what else can be asked of them.

    `signature`: all settings that change a digit, but for the version. `explain` makes the plain sentences, `conclude` one for
    each measure where that is not the first that names it, and `drawn` the tables that pictures show where these are not the
    ones printed: each only if somebody wants them. `remarks`: lines below the rows of a plain call, where people read them.
    `failures`: of which pairs a condition holds that the user wants to fail on; `untold`: of which that cannot be told.
    `files`: what else is to be written, by path. `caption`: what a table of runs by measures says of one population (""
    where rows name none); None where there is no such table. `sources`: what varies, by the name of the population in
    rows, the first where rows name none. `warnings`: what was warned of on the way, of a report that a function of `irci`
    gave. `canonical`: from a name of a measure to the one that all its spellings have in common.
    """

    tables: Sequence[Table]
    signature: Signature
    explain: Callable[[], Iterable[str]] = tuple
    conclude: Callable[[], Iterable[str]] | None = None
    drawn: Callable[[], Sequence[Table]] | None = None
    remarks: Sequence[str] = ()
    failures: Sequence[str] = ()
    untold: Sequence[str] = ()
    files: Mapping[str, str] = {}
    caption: Callable[[str], Caption] | None = None
    sources: Mapping[str, SourceInReport] = {}
    warnings: Sequence[str] = ()
    canonical: Callable[[str], str] = str

    def __getstate__(self) -> dict[str, Any]:
        """State to be pickled: all that is made when it is asked for, made."""
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
                stem(column): of.meaning(column, words.get(column))
                for column in columns
                if not of.goes_without_saying(column)
            }
            new = {column: what for column, what in meanings.items() if told.get(column) != what}
            told |= new
            found.append(Note(title(kind, *measures) if len(measures) == 1 else title(kind), of.answer, new))
        return found

    @property
    def explanation(self) -> list[str]:
        """Sentences, and notes on the columns that people are shown, as lines of text."""
        shown = {stem(column) for stretch in stretches(self.tables, self.signature) for column in stretch.header}
        notes = [
            [
                f"{note.title}: {note.answer}",
                *(f"  {column}: {what}" for column, what in note.columns.items() if column in shown),
            ]
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

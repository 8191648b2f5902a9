"""A report: the answer to a command, and all forms that it takes."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple, get_args

from irci.base import UsageError, either, plural, raw, visible
from irci.base.choices import IN_WIDE, NO_NOTES, OF_PAPERS, Format, Layout, Limits, Sort, Span
from irci.base.types import gathered
from irci.output.tables import (
    KINDS,
    Kind,
    Row,
    Signature,
    Table,
    goes_without_saying,
    meaning,
    meanings,
    stem,
    title,
)

# Rows that agree in these are sorted by value among themselves.
COMPARABLE = ("measure", "ranked_by", "population", "collection", "slice", "estimator")


class Report(NamedTuple):
    """The answer to a command: its tables, sentences and warnings, as text, data frame, picture or cell of a notebook.

    tables: in order of output
    signature: all settings that change a digit, and the version
    explain, conclude: make the sentences, and one for each measure where that is not the first that names it
    drawn: makes the tables that pictures show where these are not the ones printed
    remarks: lines below the rows of a plain call, where people read them
    failures, untold: pairs for which a condition of --fail-if holds, and for which it cannot be decided
    files: what else is to be written, by path
    caption: makes sentences below a table of runs by measures, beside what its rows tell; None where there is no such table
    sources: words for what varies, by the name of the population in rows, the first where rows name none: what it is `over`
        in headers, its `label` in pictures, a sentence for a `page`, and what the `mean` over several collections is called,
        in a legend the `means`
    warnings: given on the way, of a report that a function of `irci` returned
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
    caption: Callable[[], Iterable[str]] | None = None
    sources: Mapping[str, Mapping[str, str]] = {}
    warnings: Sequence[str] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Make all that is made when it is asked for, as functions of a study cannot be pickled."""
        made: dict[str, Any] = {
            "explain": self.sentences.copy,
            "conclude": None if self.conclude is None else self.conclusion.copy,
            "drawn": None if self.drawn is None else list(self.drawn()).copy,
            "caption": None if self.caption is None else list(self.caption()).copy,
        }
        return Report, tuple(self._replace(**made))

    @property
    def sentences(self) -> list[str]:
        """The result in plain words, what was asked for first; no name in them is obeyed by a terminal."""
        return list(map(visible, self.explain()))

    @property
    def conclusion(self) -> list[str]:
        """The answer in a sentence for each measure: what the study concludes, or else the first sentence that names it."""
        if self.conclude is not None:
            return list(map(visible, self.conclude()))
        sentences, firsts = self.sentences, []
        for word in map(re.escape, self.measures):
            name = re.compile(rf"(?<!\S){word}(?![^\s.,:;)])")
            firsts += [sentence for sentence in sentences if name.search(sentence)][:1]
        return list(dict.fromkeys(firsts)) or sentences[:1]

    @property
    def explanation(self) -> list[str]:
        """Sentences, and what the tables and the columns that people are shown mean, as lines of text.

        A column is explained again where it means something else than in the table before.
        """
        from irci.output.formats import stretches

        lines, explained = self.sentences, dict[str, str]()
        printed = (table for _, tables, _ in stretches(self) for table in tables)
        for kind, tables in gathered((table.kind, table) for table in printed).items():
            measures = {table.measure for table in tables}
            lines.append(
                f"{title(kind, *measures) if len(measures) == 1 else title(kind)}: {meanings()[kind]['answer']}"
            )
            for column in dict.fromkeys(stem(column) for table in tables for column in table.columns):
                text = meaning(kind, column)
                if not goes_without_saying(kind, column) and explained.get(column) != text:
                    explained[column] = text
                    lines.append(f"  {column}: {text}")
        return lines

    @property
    def measures(self) -> list[str]:
        """The measures that tables are of, in order."""
        if names := str(self.signature.get("measures") or "").split():
            return names
        rows = (row for table in self.tables if not table.measure for row in table.rows if "measure" in row)
        of_tables = chain((table.measure for table in self.tables), (str(row["measure"]) for row in rows))
        return list(dict.fromkeys(filter(None, of_tables)))

    @property
    def runs(self) -> list[str]:
        """The runs that rows are of, a baseline before them."""
        rows = [row for table in self.tables if "run" in table.columns for row in table.rows]
        baselines = [str(row["baseline"]) for row in rows if row.get("baseline")]
        return list(dict.fromkeys([*baselines, *(str(row["run"]) for row in rows)]))

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
        """All rows of one kind, as one table; `measure`: as rows name it. Raises UsageError if there are none, or of several
        measures with none named."""
        tables = [table for table in self.tables if table.kind == kind and measure in (None, table.measure)]
        if not tables:
            raise self._no_table(f"{kind} {measure or ''}".strip())
        measures = dict.fromkeys(table.measure for table in tables)
        if len(measures) > 1 and not KINDS[kind].is_estimate:  # whose rows do not name theirs
            raise UsageError(f"tables {kind!r} of several measures: name one of {', '.join(measures)}")
        rows = tables[0].rows if len(tables) == 1 else [row for table in tables for row in table.rows]
        return Table(kind, tables[0].measure if len(measures) == 1 else "", rows)

    def _no_table(self, wanted: str) -> UsageError:
        by_kind = gathered((table.kind, table.measure) for table in self.tables)
        tables = [f"{kind} (of {', '.join(names)})" if any(names) else kind for kind, names in by_kind.items()]
        return UsageError(f"no table {wanted}; there are {'; '.join(tables)}")

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
        return pandas.DataFrame(
            [{name: float(cell) if isinstance(cell, float) else cell for name, cell in row.items()} for row in rows]
        )  # a p-value as any number

    def to_json(self, explain: bool = False) -> str:
        """The text that the command prints with --format json; `explain`: and with --explain."""
        return self.to_text("json", explain=explain)

    def to_text(
        self, form: Format = "text", digits: int | None = None, explain: bool = False, layout: Layout | None = None,
        limits: Limits | None = None,
    ) -> str:  # fmt: skip
        """The text that the command prints with these --format, --digits, --explain, --layout and --limits; all but html.

        Raises UsageError for a layout or a format that there is not, and for sentences in a format that has no place for them.
        """
        layout = layout or self.layout_in(form)
        if explain and form in NO_NOTES:
            raise UsageError(f"explain cannot be used with {either(NO_NOTES, 'and')}")
        notes = (self.sentences if layout == "wide" else self.explanation) if explain else ()
        return "".join(pieces(self, form, layout, notes, digits, limits))

    def layout_in(self, form: Format) -> Layout:
        """The layout of a format if none is asked for: a paper's table in a paper's format, where it leaves nothing out."""
        if form not in OF_PAPERS or self.caption is None:  # without loading what writes a paper's table
            return "long"
        from irci.output.wide import has_whole_result

        return "wide" if has_whole_result(self) else "long"

    def plot(self, ax: Any = None, panel: int | str | None = None, width: Span | float | None = None) -> Any:
        """The picture of --plot, a `Drawing`, which a notebook shows, and which can be saved; or with `ax`, one of its panels
        drawn into these axes of matplotlib's, which are given back. `panel`: the kind of table that it draws
        ("difference", the first of several measures), with a measure ("difference nDCG@10"), or its place, from 0; the first
        unless given.
        `width`: of the whole picture, as --plot-width.

        Raises UsageError without matplotlib, for a panel that there is not, and for what is no width; DataError if there is
        nothing to draw.
        """
        from irci.output.notebook import drawing_of, drawn_into

        if ax is None and panel is not None:
            raise UsageError("panel= is one to be drawn into ax=.")
        return drawing_of(self, width) if ax is None else drawn_into(ax, self, panel or 0, width)

    def figure(self, width: Span | float | None = None) -> Any:
        """The picture of --plot as a matplotlib.figure.Figure, to be changed and saved; `width`: as --plot-width. Raises what
        `plot` raises."""
        from irci.output.notebook import inches_of
        from irci.output.plots import figure

        return figure(self, inches_of(width))

    def __str__(self) -> str:
        """The answer and the rows, as a terminal shows them."""
        return "".join(f"{sentence}\n" for sentence in self.conclusion) + "\n" + self.to_text("table")

    def __repr__(self) -> str:
        rows = sum(len(table.rows) for table in self.tables)
        return f"<irci.Report of {self.signature.get('command', '?')}: {plural(rows, 'row')}; .to_text(), .sentences, .plot()>"

    def _repr_html_(self) -> str:
        """The tables, the sentences, the warnings and the picture, for a notebook."""
        from irci.output.notebook import html_of

        return html_of(self)


def pieces(
    report: Report, form: Format, layout: Layout, notes: Sequence[str], digits: int | None, limits: Limits | None
) -> Iterator[str]:
    """The text of a report in pieces. Raises UsageError for a layout or a format that there is not."""
    from irci.output import formats

    forms = [form for form in formats.WRITTEN if layout == "long" or form in IN_WIDE]
    if form not in forms or layout not in get_args(Layout):
        raise UsageError(f"no format {form!r} in the layout {layout!r}; there are {', '.join(forms)}")
    if layout == "long":
        return formats.written(report, form, notes, formats.DIGITS if digits is None else digits)
    from irci.output import wide

    return iter([wide.written(report, form, notes, wide.DIGITS if digits is None else digits, limits)])


def arranged(tables: Sequence[Table], sort: Sort | None) -> list[Table]:
    """Sort tables: by name bytewise, all rows of a run, or of a pair, together; by value the best first, those of each
    measure, population and topic separately: topics in their order, before what is of all."""
    if sort is None:
        return list(tables)
    places: dict[tuple[object, ...], int] = {}  # of kinds, and of rows that are comparable, in order of appearance

    def key(of_kind: tuple[Kind, Row]) -> tuple[Any, ...]:
        kind, row = of_kind
        if sort == "name":
            return raw(str(row.get("run", ""))), raw(str(row.get("baseline", "")))
        kind_place = places.setdefault((kind,), len(places))
        group = places.setdefault(tuple(row.get(column) for column in COMPARABLE), len(places))
        value = row.get("value", row.get("difference"))
        number = float(value) if isinstance(value, float | int) else math.nan
        best_first = 0.0 if math.isnan(number) else number if KINDS[kind].cell == "rank" else -number
        return kind_place, raw(str(row.get("topic", ""))), group, math.isnan(number), best_first

    arranged: list[Table] = []
    families = groupby(tables, lambda table: (KINDS[table.kind].sorted_with, table.measure))
    for (sorted_with, measure), stretch in families:
        if not sorted_with:
            arranged += stretch
            continue
        places.clear()
        rows = sorted(((table.kind, row) for table in stretch for row in table.rows), key=key)
        for (kind, _), same in groupby(rows, lambda of_kind: (of_kind[0], tuple(of_kind[1]))):
            arranged.append(Table(kind, measure, [row for _, row in same]))
    return arranged


def joined(reports: Sequence[Report]) -> Report:
    """Reports by different measures as one: tables of a kind one after another, and what is said, once."""
    first = reports[0]
    kinds = list(dict.fromkeys(table.kind for report in reports for table in report.tables))
    common = set.intersection(*(set(report.signature.items()) for report in reports))
    signature = {name: cell for name, cell in first.signature.items() if (name, cell) in common}
    measures = " ".join(str(report.signature["measures"]) for report in reports)

    def of_kinds(tables: Iterable[Sequence[Table]]) -> list[Table]:
        return sorted(chain.from_iterable(tables), key=lambda table: kinds.index(table.kind))

    return first._replace(
        tables=of_kinds(report.tables for report in reports),
        signature={"command": first.signature["command"], "measures": measures, **signature},
        explain=lambda: dict.fromkeys(chain.from_iterable(report.sentences for report in reports)),
        conclude=lambda: dict.fromkeys(chain.from_iterable(report.conclusion for report in reports)),
        failures=[failure for report in reports for failure in report.failures],
        untold=[pair for report in reports for pair in report.untold],
        drawn=lambda: of_kinds(report.pictures for report in reports),
        caption=None,
        sources={name: source for report in reports for name, source in report.sources.items()},
    )

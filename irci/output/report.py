"""A report: the answer to a command, and all forms that it takes."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from irci.base.choices import OF_PAPERS, Format, Layout, Limits, Sort, Span, why_no_notes
from irci.base.errors import UsageError
from irci.base.names import plural
from irci.output.answer import Answer
from irci.output.kinds import KINDS, Kind
from irci.output.tables import Row, Table


class Report(Answer):
    """The answer to a command: its tables, sentences and warnings, as text, data frame, picture or cell of a notebook."""

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
        self,
        form: Format = "text",
        digits: int | None = None,
        explain: bool = False,
        layout: Layout | None = None,
        limits: Limits | None = None,
    ) -> str:
        """The text that the command prints with these --format, --digits, --explain, --layout and --limits; all but html.

        Raises UsageError for a layout or a format that there is not, and for sentences in a format that has no place for them.
        """
        from irci.output import formats, wide

        layout = layout or self.layout_in(form)
        if layout == "wide":
            if self.caption is None or form not in wide.FORMS:
                forms = ", ".join(wide.FORMS)
                raise UsageError(f"the layout wide is for means of runs, of ap_ci, map_ci and stdap_ci, in {forms}")
            writer = wide.writer(form, wide.DIGITS if digits is None else digits, limits, self.caption)
        elif layout != "long" or form not in formats.WRITERS:
            raise UsageError(f"no format {form!r} in the layout {layout!r}; there are {', '.join(formats.WRITERS)}")
        else:
            writer = formats.writer(form, formats.DIGITS if digits is None else digits, tuple(self.sources))
        if explain and why_no_notes(form):
            raise UsageError(f"explain {why_no_notes(form)}")
        explained = self.sentences if layout == "wide" else self.explanation
        return "".join(writer(self.tables, self.signature, explained if explain else ()))

    def layout_in(self, form: Format) -> Layout:
        """The layout of a format if none is asked for: a paper's table in a paper's format, where it leaves nothing out."""
        if form not in OF_PAPERS or self.caption is None:  # without loading what writes a paper's table
            return "long"
        from irci.output.wide import has_whole_result

        return "wide" if has_whole_result(self.tables) else "long"

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
        if ax is not None and width is not None:
            raise UsageError("width= is that of the whole picture; a panel is as wide as its axes.")
        return drawing_of(self, width) if ax is None else drawn_into(ax, self, panel or 0)

    def figure(self, width: Span | float | None = None) -> Any:
        """The picture of --plot as a matplotlib.figure.Figure, to be changed and saved; `width`: as --plot-width. Raises what
        `plot` raises."""
        from irci.output.notebook import figure_of

        return figure_of(self, width)

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


# Rows that agree in these are sorted by value among themselves.
COMPARABLE = ("measure", "ranked_by", "population", "collection", "slice", "estimator")


def arranged(tables: Sequence[Table], sort: Sort | None) -> list[Table]:
    """The tables sorted."""
    return list(tables) if sort is None else list(_sorted(tables, sort))


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

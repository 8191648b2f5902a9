"""Tables of parts of all topics, slices or collections, as one: the rows of a run, or pair, of one part after another."""

import math
from collections.abc import Iterable, Sequence
from itertools import chain

from irci.base.types import gathered
from irci.measures import Measure, named
from irci.output.report import Report
from irci.output.tables import NO_WORD, Bounded, Cell, Row, Table, tables

KEYS = {"estimate": ("run", "measure"), "difference": ("run", "baseline")}


def together(parts: Iterable[Sequence[Table]]) -> list[Table]:
    """The tables of all parts: those of means, one a run, then the others in their order."""
    rows: dict[tuple[str, str], list[Row]] = {}
    for table in (table for of_part in parts for table in of_part):
        rows.setdefault((table.kind, table.measure), []).extend(table.rows)
    merged: list[Table] = []
    for (kind, measure), of_kind in rows.items():
        by_key = gathered((tuple(row.get(name) for name in KEYS.get(kind, ())), row) for row in of_kind)
        in_order = _aligned([row for of_key in by_key.values() for row in of_key])
        if kind == "estimate":
            by_run = gathered((row["run"], row) for row in in_order)
            merged = [*(table for of_run in by_run.values() for table in tables(kind, "", of_run)), *merged]
        else:
            merged += tables(kind, measure, in_order)
    return merged


def _aligned(rows: Sequence[Row]) -> list[Row]:
    """The rows with the columns that any of them has, nan (or -) where one has none."""
    every = {name: cell for row in rows for name, cell in row.items()}
    nothing = {name: NO_WORD if isinstance(cell, str) else math.nan for name, cell in every.items()}
    return [row if len(row) == len(every) else _like(row, {**nothing, **row}) for row in rows]


def _like(row: Row, cells: Row) -> Row:
    return Bounded(cells) if isinstance(row, Bounded) else cells


def with_part(table: Table, column: str, name: str) -> Table:
    """The table with a column that names the part, behind the population."""
    return table._replace(rows=[_like(row, _behind(row, column, name)) for row in table.rows])


def _behind(row: Row, column: str, name: str) -> Row:
    cells: dict[str, Cell] = {}
    for each, cell in row.items():
        cells[each] = cell
        if each == "population":
            cells[column] = name
    return cells


def measures_named(names: Sequence[str], asked: Sequence[Measure]) -> list[Measure]:
    """The measures of base measures of these names: those asked for, or where none are these themselves."""
    return [measure for measure in asked if measure.base.name in names] or [named(name) for name in names]


def joined(reports: Sequence[Report]) -> Report:
    """Reports by different measures as one: tables of a kind one after another, and what is said, once."""
    first = reports[0]
    kinds = dict.fromkeys(table.kind for report in reports for table in report.tables)
    signature = {
        name: cell
        for name, cell in first.signature.items()
        if all(report.signature.get(name) == cell for report in reports)
    }
    measures = " ".join(str(report.signature["measures"]) for report in reports)

    def of_kinds(tables: Sequence[Sequence[Table]]) -> list[Table]:
        return [table for kind in kinds for of_report in tables for table in of_report if table.kind == kind]

    return first._replace(
        tables=of_kinds([report.tables for report in reports]),
        signature={"command": first.signature["command"], "measures": measures, **signature},
        explain=lambda: dict.fromkeys(chain.from_iterable(report.sentences for report in reports)),
        conclude=lambda: dict.fromkeys(chain.from_iterable(report.conclusion for report in reports)),
        failures=[failure for report in reports for failure in report.failures],
        untold=[pair for report in reports for pair in report.untold],
        drawn=lambda: of_kinds([report.pictures for report in reports]),
        caption=None,
        sources={name: source for report in reports for name, source in report.sources.items()},
    )

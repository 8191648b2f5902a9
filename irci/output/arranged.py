"""Tables sorted."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from irci.base.choices import Sort
from irci.output.kinds import KINDS, Kind
from irci.output.tables import Row, Table

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

"""Estimates as a grid, a row a run and a column a measure: what a paper's table shows. Computes nothing but half a width.

Differences from a baseline and ranks stand with the estimate of their run. Of several populations one is shown: the topics
rather than the documents, as a claim about a system needs them, else the first. So the mean over collections is about other
collections, unless only topics were asked for; single ones have none but topics.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from irci.base.choices import DOCUMENTS, SEEDS, TOPICS, Limits
from irci.base.records import Record
from irci.base.types import gathered, reaches
from irci.output.kinds import CLAIMED_OVER, KINDS, stem
from irci.output.tables import ALL, PARTS, Cell, Row, Table, as_read, part_of
from irci.output.wording import as_typed

# How the name of what differences are of goes on behind the measure's, where means are of logits or logarithms.
SCALES = ("", "_logit", "_log")
DAGGER = "†"
# Columns of differences whose names alone do not say so.
OF_DIFFERENCES = (*KINDS["estimate"].columns, "lower_adjusted", "upper_adjusted")
# Columns that say which cell it is, or the same in all.
OF_CLAIMS = ("run", "baseline", "value", "p_adjusted")  # which the difference has
PLACES = ("measure", "topic", "run", "baseline", "population", *PARTS, "ranked_by", "corrected")


@dataclass
class Entry:
    """The rows about a run by a measure; no row is an empty one."""

    estimate: Row = field(default_factory=dict)
    difference: Row = field(default_factory=dict)
    rank: Row = field(default_factory=dict)
    claim: Row = field(default_factory=dict)

    def columns(self, measure: str) -> Iterator[tuple[str, Cell]]:
        """All of it under names of their own: map, map_lower, ..., map_diff, ..., map_p, ..., map_rank, ..., map_letters; and
        map_claim_documents, ..., map_claim_survives, ..., of a significant difference."""
        for row, kind in ((self.estimate, ""), (self.difference, "diff"), (self.rank, "rank")):
            for name, cell in row.items():
                if name not in PLACES:
                    of_kind = kind if name in OF_DIFFERENCES else ""
                    yield "_".join(filter(None, (measure, of_kind, "" if name == "value" else name))), cell
        yield from ((f"{measure}_claim_{name}", cell) for name, cell in self.claim.items() if name not in OF_CLAIMS)


class Column(NamedTuple):
    """The means in a column: of a measure, and of several collections (or slices) one, or ALL, which is called `whole`; or
    beside these how many sources of variation confirm the differences (`survives`)."""

    measure: str
    part: str = ""
    whole: str = ""
    survives: bool = False

    @classmethod
    def of(cls, row: Row, measure: object) -> "Column":
        return cls(str(measure), part_of(row), next((whole for column, whole in PARTS.items() if column in row), ""))

    def title(self, several: bool) -> str:
        if self.survives:
            return f"{as_typed(self.measure)}, survives" if several else "survives"
        if not self.part:
            return as_typed(self.measure)
        what = self.whole if self.part == ALL else self.part
        return f"{as_typed(self.measure)}, {what}" if several else what

    @property
    def prefix(self) -> str:  # of names of columns for machines
        return self.measure if self.part in ("", ALL) else f"{self.measure}_{self.part}"


class Shown(NamedTuple):
    """A cell for reading: a number, whether it is bold, signs of significance, and limits, if there are any."""

    value: str
    is_bold: bool = False
    marks: str = ""
    limits: str = ""


class Grid(Record):
    """Entries by run and column, in the order of output: the baseline, if it is one of the runs, comes first. `population`:
    that of means, of several collections of the mean over them."""

    runs: Sequence[str]
    columns: Sequence[Column]
    entries: Mapping[tuple[str, Column], Entry]
    population: str
    baseline: str

    @classmethod
    def of(cls, tables: Sequence[Table]) -> "Grid":
        scores, differences, ranks, claims = (
            [(table.measure, row) for table in tables if KINDS[table.kind].cell == cell for row in table.rows]
            for cell in ("score", "difference", "rank", "claim")
        )
        population = _shown_population([row for _, row in scores])
        entries: dict[tuple[str, Column], Entry] = {}
        for _, row in scores:
            place = str(row["run"]), Column.of(row, row["measure"])
            if _is_shown(row, population):
                entries[place] = Entry(estimate=row)
            elif row["topic"] == "all":  # without limits, if there are only those of another population
                entries.setdefault(place, Entry(estimate={"value": row["value"]}))
        columns = _in_order(list(entries))
        for measure, row in differences:
            for column in columns:
                is_of = measure in (column.measure + scale for scale in SCALES)
                if is_of and column == Column.of(row, column.measure) and _is_shown(row, population):
                    entries[str(row["run"]), column].difference = row
        for _, row in ranks:
            for column in columns:
                is_of = str(row["ranked_by"]) == column.measure and column.part in ("", part_of(row) or ALL)
                if is_of and _is_shown(row, population):
                    entries[str(row["run"]), column].rank = row
        baseline, *others = {str(row["baseline"]) for _, row in differences} or {""}
        if others:  # all pairs, of which a run has several
            baseline = ""
            entries = {place: Entry(entry.estimate, rank=entry.rank) for place, entry in entries.items()}
        for measure, row in claims if baseline else ():
            run = next(str(row[side]) for side in ("run", "baseline") if row[side] != baseline)
            for column in columns:
                if measure in (column.measure + scale for scale in SCALES) and column.part in ("", ALL):
                    entries[run, column].claim = row
        runs = sorted(dict.fromkeys(run for run, _ in entries), key=lambda run: run != baseline)
        return cls(runs, columns, entries, population, baseline)

    @property
    def titles(self) -> list[str]:
        several = len({column.measure for column in self.columns}) > 1
        return [column.title(several) for column in self.columns_shown]

    @property
    def sources_of_claims(self) -> list[str]:
        """Sources that claims are tried by, in words."""
        names = dict.fromkeys(name for entry in self.entries.values() for name in entry.claim)
        return [name.partition(":")[2] or CLAIMED_OVER[name] for name in names if stem(name) in CLAIMED_OVER]

    @property
    def columns_shown(self) -> list[Column]:
        """The columns for reading, behind each of means one of claims, if there are any."""
        found = []
        for column in self.columns:
            has_claims = any(self.entries.get((run, column), Entry()).claim for run in self.runs)
            found += [column, column._replace(survives=True)] if has_claims else [column]
        return found

    @property
    def is_tested(self) -> bool:
        found = (entry.difference.get("p_adjusted") for entry in self.entries.values())
        return any(isinstance(p, float) and not math.isnan(p) for p in found)

    def is_ranked(self, column: Column) -> bool:
        """True if all pairs of runs were compared: bold are then all runs that none is significantly above."""
        return any(self.entries.get((run, column), Entry()).rank for run in self.runs)

    def cells(self, column: Column, digits: int, limits: Limits, alpha: float) -> list[Shown]:
        entries = [self.entries.get((run, column._replace(survives=False)), Entry()) for run in self.runs]
        if column.survives:
            return [Shown("{survives} of {of}".format(**each.claim) if each.claim else "") for each in entries]
        # As a paper prints them: without the zero before the point where all lies in [0, 1].
        rows = [as_read(entry.estimate) for entry in entries]
        without_zero = all(0 <= number <= 1 or math.isnan(number) for row in rows for number in _numbers(row))

        def told(cell: Cell) -> str:
            if not isinstance(cell, float):
                return "" if cell is None else str(cell)
            text = f"{cell:.{digits}f}"
            return text.removeprefix("0") if without_zero else text

        values = [told(row.get("value")) for row in rows]
        scores = [row["value"] for row in rows if row]
        numbers = [score for score in scores if isinstance(score, float) and not math.isnan(score)]
        # A count has no best.
        highest = told(max(numbers)) if numbers and len(numbers) == len(scores) and len(set(values)) > 1 else ""
        is_ranked = self.is_ranked(column)
        show_half = limits == "plus-minus" and all(map(_is_symmetrical, rows))
        return [
            Shown(
                value,
                is_bold=entry.rank.get("lower") == 1 if is_ranked else value == highest != "",
                marks=_marks(entry, alpha),
                limits="" if limits == "none" else _limits(row, told, show_half=show_half),
            )
            for value, entry, row in zip(values, entries, rows, strict=True)
        ]


def _in_order(places: Sequence[tuple[str, Column]]) -> list[Column]:
    # As they come, first those of the run that has most; the mean over collections behind them all, measure by measure.
    fullest = sorted(gathered(places).values(), key=len, reverse=True)
    found = list(dict.fromkeys(column for columns in fullest for column in columns))
    measures = list(dict.fromkeys(column.measure for column in found))
    return sorted(found, key=lambda column: (measures.index(column.measure), column.part == ALL))


def _shown_population(estimates: Sequence[Row]) -> str:
    found = dict.fromkeys(str(row.get("population", "")) for row in estimates if row.get("collection", ALL) == ALL)
    if SEEDS in found:  # for which not all runs have rows
        return SEEDS
    return TOPICS if {TOPICS, DOCUMENTS} <= set(found) else next(iter(found), "")


def _is_shown(row: Row, population: str) -> bool:
    is_single = row.get("collection", ALL) != ALL
    return row.get("population", "") == (TOPICS if is_single else population) and row["topic"] == "all"


def _numbers(row: Row) -> list[float]:
    return [cell for name in ("value", "lower", "upper") if isinstance(cell := row.get(name), float)]


def _is_symmetrical(row: Row) -> bool:
    numbers = _numbers(row)
    if len(numbers) < 3 or math.isnan(sum(numbers)):
        return True  # what has no limits lies in the middle of them
    value, lower, upper = numbers
    return math.isclose(value - lower, upper - value, rel_tol=1e-9, abs_tol=1e-12)


def _limits(row: Row, told: Callable[[Cell], str], *, show_half: bool) -> str:
    numbers = _numbers(row)
    if len(numbers) < 2 or math.isnan(sum(numbers)):
        return ""
    lower, upper = numbers[-2:]
    return f"± {told((upper - lower) / 2)}" if show_half else f"[{told(lower)}, {told(upper)}]"


def _marks(entry: Entry, alpha: float) -> str:
    # Runs that share one are not significantly different.
    letters = str(entry.rank.get("letters", "")).strip("-")
    p = entry.difference.get("p_adjusted")
    differs = isinstance(p, float) and reaches(p, alpha) and entry.difference.get("value") != 0
    return letters + DAGGER * bool(differs)

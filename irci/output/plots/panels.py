"""The parts of panels: lists of intervals, matrices and curves, whatever kind of table they show.

A value has a bar from limit to limit. Its mark is hollow where p is large or a sign undetermined, and a cross where there
are no limits. Bounds over the grades of unjudged documents are hatched boxes, as they are no confidence intervals.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from irci.base import visible_unicode
from irci.base.choices import JUDGMENTS
from irci.base.types import gathered, reaches
from irci.output.kinds import Kind
from irci.output.tables import ALL, SourceInReport, Table, as_read, part_of

LONGEST_LABEL = 32  # letters
LEAST_LABEL = 12
GAP = "…"
SEPARATED = re.compile(r".*[-_./:+ ]", re.DOTALL)  # up to the last sign between parts of a name
Row = Mapping[str, Any]

# Okabe & Ito's colours, which those who do not see red or green tell apart; each series has a mark and dashes of its own too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = (
    "-", (0, (4, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (2, 3)), (0, (8, 3)), (0, (4, 2, 1, 2, 1, 2)), (0, (1, 4)),
)  # fmt: skip
GREY, PALE = "#999999", "#dddddd"
# Inches.
WIDTH = 7.0  # of a picture
LEAST_STEP, LEAST_SIZE, LETTER = (
    0.115,
    7.0,
    0.058,
)  # of letters in print, the least that can be read; and points of these
SHARE_OF_NAMES = 0.38  # of a picture's width
RUN_COLUMNS = ("run", "baseline")
ALPHA = 0.05
# Rows of a list of no more than FEW: inches for each, and points of its letters; of longer ones, the least.
FEW, STEP, SIZE = 25, 0.2, 8.0
PAGE = 10.4  # inches: a list of so many rows that it would be higher is as high, and not all of them are named
CURVES = 2.6  # inches: the height of curves
MARK, EDGE = 3.5, 0.8  # points: a mark's size, and the line around it
SPREAD = 0.6  # of a row, which several series share
BOX = 0.3  # of a row: a box of bounds
LOOKS: dict[str, dict[str, Any]] = {"filled": {}, "hollow": {"markerfacecolor": "white"}, "cross": {"marker": "x"}}
HOLLOW: dict[str, Any] = {"markerfacecolor": "none", "markeredgewidth": EDGE}  # hides no mark that it lies upon
ERROR_BAR = {"linestyle": "none", "elinewidth": 1.0, "capsize": 1.5, "markersize": MARK}
BOUNDS = "bounds, worst cases"
SIGNS_OF_BOUNDS = {
    "determined": "sign determined: no grades would change it",
    "undetermined": "sign undetermined: some grades might change it",
}
LESS, NEITHER, GREATER = "#D55E00", "#ffffff", "#0072B2"
# What the colours of a matrix stand for: signs, or shares of splits.
SIGNS = {"row is better": 1, "no significant difference": 0, "row is worse": -1}
SHARES = {
    "row is better in all splits": 1, "in half of them": 0.5, "no significant difference": 0,
    "row is worse in half of them": -0.5, "in all splits": -1,
}  # fmt: skip
Series = tuple[str, Sequence[float], Sequence[float]]  # name, x, y


class Naming(NamedTuple):
    """Short names of runs.

    short: by name
    prefix: what all names begin with, and no short one does
    """

    short: Mapping[str, str] = {}
    prefix: str = ""

    def notes(self, words: Iterable[str]) -> list[str]:
        """Explain, below a panel with these words, a prefix and gaps if it has names without it, or with them."""
        text = "\n".join(words)
        notes = []
        if self.prefix and any(name in text for name in self.short.values()):
            notes.append(f"all names of runs begin with {label(self.prefix, 2 * LONGEST_LABEL)}")
        if GAP in text:
            notes.append(f"{GAP} stands for letters left out")
        return notes


def naming(names: Iterable[str], longest: int) -> Naming:
    """Shorten names if any is too long: first by the whole parts that all begin with, then in the middle."""
    distinct = list(dict.fromkeys(names))
    if max(map(len, distinct), default=0) <= longest:
        return Naming({name: name for name in distinct})
    begin, end = min(distinct), max(distinct)  # what these two begin with, all do
    same = next((length for length, letters in enumerate(zip(begin, end, strict=False)) if len({*letters}) > 1), 0)
    parts = SEPARATED.match(begin[:same])
    prefix = parts.group() if parts else ""
    short: dict[str, str] = {}
    for name in distinct:
        rest, number = name[len(prefix) :], 1
        short[name] = label(rest, longest)
        while list(short.values()).count(short[name]) > 1:  # what tells them apart is in the gap
            number += 1
            short[name] = label(rest, longest, f"{GAP}{number}{GAP}")
    return Naming(short, prefix)


def label(name: object, longest: int = LONGEST_LABEL, gap: str = GAP) -> str:
    """Shorten a name to its beginning and end, with a gap between them."""
    text = str(name)
    if len(text) <= longest:
        return text
    end = (longest - len(gap)) // 2
    return text[: longest - len(gap) - end] + gap + text[len(text) - end :]


def drawable(name: str) -> str:
    """Write as escapes what can neither be drawn nor stand in an svg: all that is neither printable nor a blank."""
    return "".join(
        letter if letter.isprintable() or letter.isspace() else letter.encode("unicode_escape").decode()
        for letter in visible_unicode(name)
    )


class Panel(NamedTuple):
    """One of the pictures below each other.

    height: inches of its axes
    naming, kind: names of runs that it may show; kind of the tables that it draws
    """

    title: str
    height: float
    draw: Callable[[Any], None]
    naming: Naming = Naming()
    kind: Kind = "estimate"


class Content:
    """The tables that a picture shows, the words for what varies in them, and the inches of its width."""

    def __init__(self, tables: Sequence[Table], sources: Mapping[str, SourceInReport], width: float) -> None:
        self.tables, self.sources, self.width = tables, sources, width

    def rows(self, kind: Kind) -> list[Row]:
        """Return rows with names as they can be drawn; `of_measure`: the table's measure, `varies`: what varies."""
        rows = [
            {**as_read(row), "of_measure": table.measure, "varies": self._varies(row.get("population"))}
            for table in self.tables
            if table.kind == kind
            for row in table.rows
        ]
        return [{name: self._drawn(name, cell) for name, cell in row.items()} for row in rows]

    @cached_property
    def naming(self) -> Naming:
        """Names of runs as all panels show them; shorter where rows name two."""
        rows = [row for table in self.tables for row in table.rows]
        names = {drawable(str(row[column])) for row in rows for column in RUN_COLUMNS if column in row}
        has_pairs = len({row["baseline"] for row in rows if "baseline" in row}) > 1
        room = int(SHARE_OF_NAMES * self.width / LETTER) // (2 if has_pairs else 1)
        return naming(sorted(names), min(LONGEST_LABEL, max(LEAST_LABEL, room)))

    def colour_of(self, row: Row) -> int:
        """Return the number of what varies among all that does: that of its colour in every panel."""
        return list(self.sources.values()).index(row["varies"]) if row["varies"] in self.sources.values() else 0

    def _drawn(self, column: str, cell: Any) -> Any:
        if not isinstance(cell, str):
            return cell
        return self.naming.short.get(drawable(cell), drawable(cell)) if column in RUN_COLUMNS else drawable(cell)

    def _varies(self, population: object) -> SourceInReport:
        name = next(iter(self.sources), "") if population is None else str(population)
        return self.sources.get(name, SourceInReport(drawable(name)))


def style(number: int, *, is_marked: bool = True, is_dashed: bool = False) -> dict[str, Any]:
    """Return the colour of a series, its mark, and dashes, in whose gaps shows whatever curve it lies upon."""
    mark = {"marker": MARKS[(number + number // len(COLOURS)) % len(MARKS)]} if is_marked else {}
    dashes = {"linestyle": DASHES[number % len(DASHES)]} if is_dashed else {}
    return {"color": COLOURS[number % len(COLOURS)], **mark, **dashes}


def key(axis: Any, text: str, **look: Any) -> None:
    """Add an entry to the legend."""
    axis.plot([], [], label=text, **{"linestyle": "none", "markersize": 4, **look})


def patch(axis: Any, text: str, colour: Any) -> None:
    """Add an entry to the legend for a class of areas."""
    axis.fill([], [], label=text, facecolor=colour, edgecolor=GREY, linewidth=0.5)


def grouped(rows: Iterable[Row], *columns: str) -> dict[tuple[Any, ...], list[Row]]:
    """Gather rows with the same values in some columns, in order of appearance."""
    return gathered((tuple(row.get(column) for column in columns), row) for row in rows)


def of_all(rows: Iterable[Row]) -> list[Row]:
    """Select rows over all collections or slices, or of the one there is."""
    return [row for row in rows if part_of(row) in ("", ALL)]


def p_of(row: Row) -> float:
    """Return the p-value that decides about a pair: the adjusted one, if there is one; nan where there is none."""
    p = row.get("p_adjusted", row.get("p"))
    return math.nan if p is None else float(p)


def is_filled(row: Row) -> bool:
    """Return False where p is larger than alpha, or a sign is undetermined; a row without p says nothing else of that."""
    return row.get("sign") != "undetermined" if math.isnan(p_of(row)) else bool(reaches(p_of(row), ALPHA))


def has_limits(row: Row) -> bool:
    """Return whether both limits can be drawn."""
    return math.isfinite(row["lower"]) and math.isfinite(row["upper"])


def and_limits(quantity: str, rows: Iterable[Row]) -> str:
    """Name an axis that shows a value, and limits if there are any."""
    return f"{quantity} and limits" if any(map(has_limits, rows)) else quantity


def keys(axis: Any, rows: Sequence[Row]) -> None:
    """Explain filled and hollow marks, and crosses, in the legend if rows have such."""
    if any(not math.isnan(p_of(row)) for row in rows):
        name = "p (not adjusted)"
        if "p_adjusted" in rows[0]:
            name = "adjusted p" if any(row["p_adjusted"] != row.get("p") for row in rows) else "p"
        key(axis, f"{name} ≤ {ALPHA}", color=GREY, marker="o")
        key(axis, f"{name} > {ALPHA}", color=GREY, marker="o", markerfacecolor="white")
    signs = {row.get("sign") for row in rows}
    for sign, text in SIGNS_OF_BOUNDS.items():
        if sign in signs:
            key(axis, text, color=GREY, marker="o", **LOOKS["hollow" if sign == "undetermined" else "filled"])
    if any(math.isfinite(row["value"]) and not has_limits(row) for row in rows):
        key(axis, "no limits", color=GREY, marker="x")


def bars(axis: Any, places: Iterable[float], rows: Sequence[Row], *, is_vertical: bool = False, **look: Any) -> None:
    """Draw a mark for each value, and a bar from lower to upper, of each limit that there is; bounds are boxes."""

    def mark_of(row: Row) -> tuple[str, bool]:
        mark = "cross" if not has_limits(row) else "filled" if is_filled(row) else "hollow"
        return mark, row.get("population") == JUDGMENTS

    finite = ((position, row) for position, row in zip(places, rows, strict=True) if math.isfinite(row["value"]))
    for (mark, are_bounds), marked in gathered((mark_of(row), (position, row)) for position, row in finite).items():
        at, of_mark = zip(*marked, strict=True)
        along, across, spread = ("x", "y", "yerr") if is_vertical else ("y", "x", "xerr")
        where = {along: at, across: [row["value"] for row in of_mark]}
        if are_bounds:
            _boxes(
                axis,
                [(position, row) for position, row in marked if row["upper"] > row["lower"]],
                is_vertical=is_vertical,
            )
        else:
            where[spread] = whiskers(of_mark)
        axis.errorbar(**where, **{**ERROR_BAR, **look, **LOOKS[mark]})


def _boxes(axis: Any, boxed: Sequence[tuple[float, Row]], *, is_vertical: bool) -> None:
    """Draw hatched boxes from bound to bound."""
    look = {"facecolor": "none", "edgecolor": GREY, "hatch": "//////", "linewidth": 0.7}
    if BOUNDS not in axis.get_legend_handles_labels()[1]:
        look["label"] = BOUNDS
    if boxed:
        sizes, lows = [row["upper"] - row["lower"] for _, row in boxed], [row["lower"] for _, row in boxed]
        axis.use_sticky_edges = False  # room beside the boxes
        (axis.bar if is_vertical else axis.barh)([position for position, _ in boxed], sizes, BOX, lows, **look)


def whiskers(rows: Sequence[Row]) -> list[list[float]]:
    """Return the distances of limits below and above values, 0 where there are none."""
    lower, value, upper = ([row[name] for row in rows] for name in ("lower", "value", "upper"))
    return [
        [max(end - begin, 0.0) if math.isfinite(end - begin) else 0.0 for begin, end in zip(*ends, strict=True)]
        for ends in ((lower, value), (value, upper))
    ]


def step_of(rows: int) -> tuple[float, float]:
    """Return the inches for each row of a list of so many, and the points of its letters."""
    return (STEP, SIZE) if rows <= FEW else (LEAST_STEP, LEAST_SIZE)


def list_panel(title: str, names: Sequence[object], draw: Callable[[Any], None], *, series: int = 1) -> Panel:
    """Return a panel of names with something beside each; of several series, so that no mark hides another."""
    rows = max(len(names), 2)
    apart = 1.0 if series == 1 else max(1.6 if rows <= FEW else 1.25, 0.6 * series)
    return Panel(title, min(step_of(rows)[0] * apart * rows, PAGE), draw)


def interval_panel(
    title: str, xlabel: str, names: Mapping[Any, str], series: Mapping[tuple[str, int], Sequence[tuple[Any, Row]]], *,
    span: tuple[float, float] | None = None, has_zero: bool = False,
    shares_rows: bool = True, then: Callable[[Any], None] = lambda axis: None,
) -> Panel:  # fmt: skip
    """Return a list with the intervals of one series or several.

    names: what stands at the left, by the keys of rows, in order
    series: by label and number of the colour, rows with their keys
    span, has_zero, then: ends of the axis; whether 0 is drawn; what else is drawn
    shares_rows: whether series stand beside the same names, below each other
    """
    places, sharing = {name: position for position, name in enumerate(names)}, len(series) if shares_rows else 1

    def draw(axis: Any) -> None:
        apart = 72 * panel.height / len(names) * SPREAD / sharing
        marks: dict[str, Any] = {"markersize": max(min(MARK, apart - EDGE), 1.5), "markeredgewidth": EDGE}
        for number, ((text, colour), rows) in enumerate(series.items()):
            shift = (number - (sharing - 1) / 2) * SPREAD / sharing if shares_rows else 0
            bars(axis, [places[name] + shift for name, _ in rows], [row for _, row in rows], **style(colour), **marks)
            if len(series) > 1 and text:
                key(axis, text, **style(colour))
        keys(axis, [row for rows in series.values() for _, row in rows])
        note = name_rows(axis, list(names.values()))
        if has_zero:
            axis.axvline(0, color="black", linewidth=0.8)
        axis.set(xlabel=xlabel + note, xlim=span)
        then(axis)

    panel = list_panel(title, list(names.values()), draw, series=sharing)
    return panel


def name_rows(axis: Any, names: Sequence[str]) -> str:
    """Write names, which are not too long, down the left side, the first on top; return a note if these are not all."""
    step, size = step_of(len(names))
    *ticks, note = some_named(names, min(len(names) * step, PAGE))
    axis.set_yticks(*ticks, fontsize=size)
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", color=PALE, linewidth=0.6)
    axis.set_axisbelow(True)
    return note


def some_named(names: Sequence[str], inches: float) -> tuple[Sequence[int], Sequence[str], str]:
    """Return places and names of those along an axis that can be read, equally far apart; and a note on them."""
    step = max(math.ceil(round(len(names) * LEAST_STEP / inches, 6)), 1)
    places = range(0, len(names), step)
    return places, [names[index] for index in places], f" (one in {step} is named)" if step > 1 else ""


def matrix_panel(title: str, rows: Sequence[Row], values: Sequence[float], width: float) -> Panel:
    """Return a matrix of runs by runs, in order of their scores, of values from -1 (row is worse) to 1 (row is better)."""
    # The sum of a run's differences from all others is in order of its score.
    above = dict.fromkeys((name for row in rows for name in (row["run"], row["baseline"])), 0.0)
    for row in rows:
        above[row["run"]] += row["value"]
        above[row["baseline"]] -= row["value"]
    names = sorted(above, key=lambda name: -above[name])
    room = width - LETTER * max(map(len, names)) - 0.4
    side = max(1.0, min(step_of(len(names))[0] * len(names), room))

    def draw(axis: Any) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        place_of = {name: index for index, name in enumerate(names)}
        cells = [[0.0] * len(names) for _ in names]
        for row, value in zip(rows, values, strict=True):
            first, second = place_of[row["run"]], place_of[row["baseline"]]
            cells[first][second], cells[second][first] = value, -value
        colours = LinearSegmentedColormap.from_list("signs", [LESS, NEITHER, GREATER], N=257)
        axis.imshow(cells, cmap=colours, vmin=-1, vmax=1, interpolation="nearest")
        axis.set_anchor("NW")
        *ticks, note = some_named(names, side)
        axis.set_xticks(*ticks, rotation=90, fontsize=LEAST_SIZE)
        axis.set_yticks(*ticks, fontsize=LEAST_SIZE)
        axis.tick_params(length=0)
        axis.set_xlabel(f"runs by score{note}")
        for text, value in (SIGNS if set(values) <= {-1, 0, 1} else SHARES).items():
            patch(axis, text, colours((value + 1) / 2))

    return Panel(title, side, draw)


def curve_panel(
    title: str, xlabel: str, ylabel: str, series: Sequence[Series], *, is_marked: bool = False,
    spread: Sequence[Sequence[float]] = (), then: Callable[[Any], None] = lambda axis: None,
) -> Panel:  # fmt: skip
    """Return a panel with a line for each series, points that are no numbers left out; one that is alone needs no name.

    spread: float[points] for each, bars up and down
    then: what else is drawn
    """

    def draw(axis: Any) -> None:
        for number, (name, xs, ys) in enumerate(series):
            points = [index for index, y in enumerate(ys) if math.isfinite(y)]
            look = {
                "markersize": MARK,
                "linewidth": 1.3,
                **HOLLOW,
                **style(number, is_marked=is_marked, is_dashed=True),
            }
            if len(series) > 1:
                look["label"] = name
            if spread:
                look |= {"yerr": [spread[number][index] for index in points], "elinewidth": 0.6, "capsize": 1.5}
            if points:
                axis.errorbar([xs[index] for index in points], [ys[index] for index in points], **look)
        axis.grid(color=PALE, linewidth=0.6)
        axis.set(xlabel=xlabel, ylabel=ylabel, ylim=(0, None))
        then(axis)

    return Panel(title, CURVES, draw)


def series_of(rows: Sequence[Row], x: str, y: str, **columns: str) -> list[Series]:
    """Return a series for the values of columns, named by those that differ, each in its form ("{} topics")."""
    return [
        (name_of(group[0], rows, **columns), [row[x] for row in group], [row[y] for row in group])
        for group in grouped(rows, *columns).values()
    ]


def name_of(row: Row, rows: Sequence[Row], **columns: str) -> str:
    """Name the series of a row: by the values of those columns that differ among all rows."""
    parts = [
        form.format(label(row[column]) if column == "of_measure" else row[column])
        for column, form in columns.items()
        if column in row and len({str(other[column]) for other in rows}) > 1
    ]
    return ", ".join(parts) or label(str(row.get("of_measure", "")))


def of_one(rows: Sequence[Row]) -> str:
    """Name the measure and the fuzziness in a title if there is but one, for which no legend speaks."""
    measures = {str(row["of_measure"]) for row in rows}
    fuzziness = {row["fuzziness"] for row in rows if "fuzziness" in row}
    measure = f" of {measures.pop()}" if len(measures) == 1 else ""
    return measure + (f" at {fuzziness.pop():g}% fuzziness" if len(fuzziness) == 1 else "")


def ticks_at(values: Iterable[float], axis: Any) -> None:
    """Put ticks below at the values asked for, as many as can be read."""
    ordered = sorted(set(values))
    least = (ordered[-1] - ordered[0]) / 25
    ticks = ordered[:1]
    for value in ordered[1:]:
        if value - ticks[-1] >= least:
            ticks.append(value)
    axis.set_xticks(ticks, [f"{value:g}" for value in ticks])

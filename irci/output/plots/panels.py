"""The parts of panels: lists of intervals, matrices and curves, whatever kind of table they show.

A value has a bar from limit to limit. Its mark is hollow where p is large or a sign undetermined, and a cross where there
are no limits. Bounds over the grades of unjudged documents are hatched boxes, as they are no confidence intervals.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, count
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from irci.base import visible_unicode
from irci.base.choices import JUDGMENTS
from irci.base.types import gathered, reaches
from irci.output.tables import ALL, Kind, Table, as_read, part_of

LONGEST_LABEL = 32  # letters
LEAST_LABEL = 12
GAP = "…"
Row = Mapping[str, Any]
Drawn = Callable[[Any], object]  # what is drawn on axes

# Okabe & Ito's colours, which those who do not see red or green tell apart; each series has a mark and dashes of its own too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = (
    "-", (0, (4, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (2, 3)), (0, (8, 3)), (0, (4, 2, 1, 2, 1, 2)), (0, (1, 4)),
)  # fmt: skip
GREY, PALE = "#999999", "#dddddd"
LESS, NEITHER, GREATER = "#D55E00", "#ffffff", "#0072B2"
# Inches.
WIDTH = 7.0  # of a picture
LEAST_STEP, LETTER = 0.115, 0.058  # of letters in print, the least that can be read
LEAST_SIZE = 7.0  # points of these
SHARE_OF_NAMES = 0.38  # of a picture's width
# Rows of a list of no more than FEW: inches for each, and points of its letters; of longer ones, the least.
FEW, STEP, SIZE = 25, 0.2, 8.0
PAGE = 10.4  # inches: a list of so many rows that it would be higher is as high, and not all of them are named
CURVES = 2.6  # inches: the height of curves
MARK, EDGE = 3.5, 0.8  # points: a mark's size, and the line around it
SPREAD = 0.6  # of a row, which several marks share
BOX = 0.3  # of a row: a box of bounds
RUN_COLUMNS = ("run", "baseline")
ALPHA = 0.05
LOOKS: dict[str, dict[str, Any]] = {"filled": {}, "hollow": {"markerfacecolor": "white"}, "cross": {"marker": "x"}}
BOUNDS = "bounds, worst cases"
SIGNS_OF_BOUNDS = {
    "determined": ("sign determined: no grades would change it", "filled"),
    "undetermined": ("sign undetermined: some grades might change it", "hollow"),
}
# What the colours of a matrix stand for: signs, or shares of splits.
SIGNS = {"row is better": 1, "no significant difference": 0, "row is worse": -1}
SHARES = {
    "row is better in all splits": 1, "in half of them": 0.5, "no significant difference": 0,
    "row is worse in half of them": -0.5, "in all splits": -1,
}  # fmt: skip


def short_names(names: Iterable[str], longest: int) -> dict[str, str]:
    """Shorten long names in the middle; where what is left is the same, a number in the gap tells them apart."""
    short: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (len(name), name)):
        gaps = chain([GAP], (f"{GAP}{number}{GAP}" for number in count(2)))
        short[name] = next(text for gap in gaps if (text := label(name, longest, gap)) not in short.values())
    return short


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
    kind: that of the tables that it draws
    """

    title: str
    height: float
    draw: Drawn
    kind: Kind = "estimate"


class Content:
    """The tables that a picture shows, the words for what varies in them, and the inches of its width.

    short: names of runs as all panels show them, by names; shorter where rows name two
    """

    def __init__(self, tables: Sequence[Table], sources: Mapping[str, Mapping[str, str]], width: float) -> None:
        self.tables, self.sources, self.width = tables, sources, width
        rows = [row for table in tables for row in table.rows]
        names = {drawable(str(row[column])) for row in rows for column in RUN_COLUMNS if column in row}
        has_pairs = len({row["baseline"] for row in rows if "baseline" in row}) > 1
        room = int(SHARE_OF_NAMES * width / LETTER) // (2 if has_pairs else 1)
        self.short = short_names(names, min(LONGEST_LABEL, max(LEAST_LABEL, room)))

    def rows(self, kind: Kind) -> list[Row]:
        """Return rows with names as they can be drawn; `name`: what stands beside them, the run's; `of_measure`: the table's
        measure, `varies`: what varies, `series`: its label, and the number of its colour in every panel."""
        rows: list[Row] = []
        names = [*self.sources]
        of_kind = ((table.measure, row) for table in self.tables if table.kind == kind for row in table.rows)
        for measure, row in of_kind:
            cells: dict[str, Any] = {
                name: drawable(cell) if isinstance(cell, str) else cell for name, cell in as_read(row).items()
            }
            cells |= {name: self.short.get(cells[name], cells[name]) for name in RUN_COLUMNS if name in cells}
            name = str(row.get("population", next(iter(names), "")))
            source = self.sources.get(name) or {"label": drawable(name)}
            cells |= {"name": cells.get("run"), "of_measure": drawable(measure), "varies": source}
            rows.append({**cells, "series": (source["label"], names.index(name) if name in names else 0)})
        return rows


def style(number: int, *, is_marked: bool = True, is_dashed: bool = False) -> dict[str, Any]:
    """Return the colour of a series, its mark, and dashes, in whose gaps shows whatever curve it lies upon."""
    mark = {"marker": MARKS[(number + number // len(COLOURS)) % len(MARKS)]} if is_marked else {}
    dashes = {"linestyle": DASHES[number % len(DASHES)]} if is_dashed else {}
    return {"color": COLOURS[number % len(COLOURS)], **mark, **dashes}


def key(axis: Any, text: str, **look: Any) -> None:
    """Add an entry to the legend."""
    axis.plot([], [], label=text, **{"linestyle": "none", "markersize": 4, **look})


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


def has_limits(row: Row) -> bool:
    """Return whether both limits can be drawn."""
    return math.isfinite(row["lower"]) and math.isfinite(row["upper"])


def or_value_alone(words: str, rows: Iterable[Row]) -> str:
    """Take the limits out of words of an axis where there are none."""
    return words if any(map(has_limits, rows)) else words.replace(" and limits", "")


def keys(axis: Any, rows: Sequence[Row]) -> None:
    """Explain filled and hollow marks, and crosses, in the legend if rows have such."""
    texts: dict[str, str] = {}  # each with its look
    if any(not math.isnan(p_of(row)) for row in rows):
        name = "p (not adjusted)"
        if "p_adjusted" in rows[0]:
            name = "adjusted p" if any(row["p_adjusted"] != row.get("p") for row in rows) else "p"
        texts = {f"{name} ≤ {ALPHA}": "filled", f"{name} > {ALPHA}": "hollow"}
    signs = {row.get("sign") for row in rows}
    texts |= dict(entry for sign, entry in SIGNS_OF_BOUNDS.items() if sign in signs)
    if any(math.isfinite(row["value"]) and not has_limits(row) for row in rows):
        texts["no limits"] = "cross"
    for text, look in texts.items():
        key(axis, text, **{"color": GREY, "marker": "o", **LOOKS[look]})


def bars(axis: Any, places: Iterable[float], rows: Iterable[Row], *, is_vertical: bool = False, **look: Any) -> None:
    """Draw a mark for each value, and a bar from lower to upper, of each limit that there is; bounds are boxes."""
    along, across, spread = ("x", "y", "yerr") if is_vertical else ("y", "x", "xerr")
    marked: dict[tuple[str, bool], list[tuple[float, Row]]] = {}
    for position, row in zip(places, rows, strict=True):
        if math.isfinite(row["value"]):  # a row without p says by its sign alone
            p = p_of(row)
            is_filled = row.get("sign") != "undetermined" if math.isnan(p) else reaches(p, ALPHA)
            mark = "cross" if not has_limits(row) else "filled" if is_filled else "hollow"
            marked.setdefault((mark, row.get("population") == JUDGMENTS), []).append((position, row))
    for (mark, are_bounds), of_mark in marked.items():
        at = np.array([position for position, _ in of_mark])
        lower, value, upper = np.array([[row[name] for name in ("lower", "value", "upper")] for _, row in of_mark]).T
        where: dict[str, Any] = {along: at, across: value}
        if not are_bounds:
            where[spread] = np.nan_to_num([value - lower, upper - value], posinf=0).clip(0)
        elif (is_wide := upper > lower).any():
            box = {"facecolor": "none", "edgecolor": GREY, "hatch": "//////", "linewidth": 0.7}
            if BOUNDS not in axis.get_legend_handles_labels()[1]:
                box["label"] = BOUNDS
            axis.use_sticky_edges = False  # room beside the boxes
            draw = axis.bar if is_vertical else axis.barh
            draw(at[is_wide], (upper - lower)[is_wide], BOX, lower[is_wide], **box)
        line = {"linestyle": "none", "elinewidth": 1.0, "capsize": 1.5, "markersize": MARK}
        axis.errorbar(**where, **{**line, **look, **LOOKS[mark]})


def height_of(rows: int, series: int = 1) -> float:
    """Return the inches of a list of so many rows; of several series, so that no mark hides another."""
    rows = max(rows, 2)
    apart = 1.0 if series == 1 else max(1.6 if rows <= FEW else 1.25, 0.6 * series)
    return min((STEP if rows <= FEW else LEAST_STEP) * apart * rows, PAGE)


def interval_panel(
    title: str, xlabel: str, rows: Sequence[Row], *, span: tuple[float, float] | None = None,
    then: Drawn = lambda axis: None,
) -> Panel:  # fmt: skip
    """Return a list of intervals, in order; those of one name share its row. 0 is drawn where they are of differences.

    span, then: ends of the axis; what else is drawn
    """
    by_name = gathered((row["name"], row) for row in rows)
    sharing = max(map(len, by_name.values()))
    height = height_of(len(by_name), sharing)
    series = gathered(
        (row["series"], (line + (index - (len(of_name) - 1) / 2) * SPREAD / sharing, row))
        for line, of_name in enumerate(by_name.values())
        for index, row in enumerate(sorted(of_name, key=lambda row: row["series"][1]))
    )

    def draw(axis: Any) -> None:
        apart = 72 * height / len(by_name) * SPREAD / sharing
        marks: dict[str, Any] = {"markersize": max(min(MARK, apart - EDGE), 1.5), "markeredgewidth": EDGE}
        for text, colour in sorted(series, key=itemgetter(1)):
            places, of_series = zip(*series[text, colour], strict=True)
            bars(axis, places, of_series, **style(colour), **marks)
            if len(series) > 1 and text:
                key(axis, text, **style(colour))
        keys(axis, rows)
        note = name_rows(axis, [*by_name])
        if "baseline" in rows[0]:
            axis.axvline(0, color="black", linewidth=0.8)
        axis.set(xlabel=or_value_alone(xlabel, rows) + note, xlim=span)
        then(axis)

    return Panel(title, height, draw)


def name_rows(axis: Any, names: Sequence[str]) -> str:
    """Write names, which are not too long, down the left side, the first on top; return a note if these are not all."""
    *ticks, note = some_named(names, height_of(len(names)))
    axis.set_yticks(*ticks, fontsize=SIZE if len(names) <= FEW else LEAST_SIZE)
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
    side = max(1.0, min((STEP if len(names) <= FEW else LEAST_STEP) * len(names), room))

    def draw(axis: Any) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        cells, place_of = np.zeros((len(names), len(names))), {name: index for index, name in enumerate(names)}
        for row, value in zip(rows, values, strict=True):
            first, second = place_of[row["run"]], place_of[row["baseline"]]
            cells[first, second], cells[second, first] = value, -value
        colours = LinearSegmentedColormap.from_list("signs", [LESS, NEITHER, GREATER], N=257)
        axis.imshow(cells, cmap=colours, vmin=-1, vmax=1, interpolation="nearest")
        axis.set_anchor("NW")
        *ticks, note = some_named(names, side)
        axis.set_xticks(*ticks, rotation=90, fontsize=LEAST_SIZE)
        axis.set_yticks(*ticks, fontsize=LEAST_SIZE)
        axis.tick_params(length=0)
        axis.set_xlabel(f"runs by score{note}")
        for text, value in (SIGNS if set(values) <= {-1, 0, 1} else SHARES).items():
            axis.fill([], [], label=text, facecolor=colours((value + 1) / 2), edgecolor=GREY, linewidth=0.5)

    return Panel(title, side, draw)


def curve_panel(
    title: str, axes: tuple[str, str], rows: Sequence[Row], x: str, y: str, names: Mapping[str, str], *,
    spread: str = "", is_marked: bool = False, then: Drawn = lambda axis: None,
) -> Panel:  # fmt: skip
    """Return a panel with a line for each series, points that are no numbers left out; one that is alone needs no name.

    axes: their names
    x, y, spread: columns; the last of bars up and down
    names: the columns that tell series apart, each with how it stands in their names ("{} topics")
    then: what else is drawn
    """

    differing = [column for column in names if len({str(row.get(column)) for row in rows}) > 1]

    def draw(axis: Any) -> None:
        series = grouped(rows, *names)
        for number, of_series in enumerate(series.values()):
            points = [row for row in of_series if math.isfinite(row[y])]
            look = {"markersize": MARK, "linewidth": 1.3, "markerfacecolor": "none", "markeredgewidth": EDGE}
            look |= style(number, is_marked=is_marked, is_dashed=True)
            if len(series) > 1:
                words = [names[column].format(label(of_series[0][column])) for column in differing]
                look["label"] = ", ".join(words) or label(of_series[0]["of_measure"])
            if spread:
                errors = np.nan_to_num([row[spread] for row in points], posinf=0)
                look |= {"yerr": errors, "elinewidth": 0.6, "capsize": 1.5}
            if points:
                axis.errorbar([row[x] for row in points], [row[y] for row in points], **look)
        axis.grid(color=PALE, linewidth=0.6)
        axis.set(xlabel=axes[0], ylabel=axes[1], ylim=(0, None))
        then(axis)

    return Panel(title, CURVES, draw)


def of_one(rows: Sequence[Row]) -> str:
    """Name the measure and the fuzziness in a title if there is but one, for which no legend speaks."""
    measures = {str(row["of_measure"]) for row in rows}
    fuzziness = {row["fuzziness"] for row in rows if "fuzziness" in row}
    measure = f" of {measures.pop()}" if len(measures) == 1 else ""
    return measure + (f" at {fuzziness.pop():g}% fuzziness" if len(fuzziness) == 1 else "")


def ticks_at(values: Iterable[float], axis: Any) -> None:
    """Put ticks below at the values asked for, as many as can be read."""
    ordered = sorted(set(values))
    ticks = ordered[:1]
    for value in ordered[1:]:
        if value - ticks[-1] >= (ordered[-1] - ordered[0]) / 25:
            ticks.append(value)
    axis.set_xticks(ticks, [f"{value:g}" for value in ticks])

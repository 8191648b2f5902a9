"""Common parts of the pictures: panels in columns, colours, marks and dashes, legends, labels that fit."""

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from irci.base.names import visible_unicode
from irci.base.types import gathered
from irci.output.kinds import Kind
from irci.output.tables import Source, Table, as_read

Row = Mapping[str, Any]

# Okabe & Ito's colours, which those who do not see red or green tell apart; each series has a mark and dashes of its own too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = (
    "-", (0, (4, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (2, 3)), (0, (8, 3)), (0, (4, 2, 1, 2, 1, 2)), (0, (1, 4)),
)  # fmt: skip
GREY = "#999999"
PALE = "#dddddd"
LONGEST_LABEL = 32
WIDTH, NARROW = 7.0, 5.0  # inches: of a column that is alone, and of one among several
PAGE = 11.0  # inches: what is higher takes several columns
LETTER, ENTRY = 0.06, 0.55  # inches: a letter of a legend, and what else an entry takes
MOST_LINES = 4
TITLE_LETTER = 0.068
STEPS = ((25, 0.2, 8.0), (60, 0.13, 6.0))  # so many rows of a list: inches for each, size of letters
LEAST_STEP, LEAST_SIZE = 0.085, 5.0


@dataclass(frozen=True)
class Panel:
    """A title, the inches of its axes and of what is around them (title, legend, labels), and what draws on the axes.

    `beside`: inches of names at the left; `least`: those that it needs in all, among other columns. `stacked`: it shares
    its horizontal axis with others, below which it must stand.
    """

    title: str
    height: float
    draw: Callable[[Any], None]
    width: float = WIDTH
    around: float = 0.9
    beside: float = 0.6
    least: float = NARROW
    stacked: bool = False

    def width_among(self, columns: int) -> float:
        return max(self.least, NARROW) if self.width <= WIDTH and columns > 1 else self.width


@dataclass(frozen=True)
class Content:
    """The tables that a picture shows, and the words for what varies in them."""

    tables: Sequence[Table]
    sources: Mapping[str, Source] = field(default_factory=dict)

    def rows(self, kind: Kind) -> list[Row]:
        """Names as they can be drawn; `of_measure`: the table's measure, `varies`: what varies."""
        rows = [
            {**as_read(row), "of_measure": table.measure, "varies": self._varies(row.get("population"))}
            for table in self.tables
            if table.kind == kind
            for row in table.rows
        ]
        return [{name: drawable(cell) if isinstance(cell, str) else cell for name, cell in row.items()} for row in rows]

    def _varies(self, population: object) -> Source:
        name = next(iter(self.sources), "") if population is None else str(population)
        return self.sources.get(name, Source(drawable(name)))


@dataclass(frozen=True)
class Page:
    """Panels in rows of so many columns; its height, and the widths of columns, in inches."""

    panels: Sequence[Panel]
    columns: int

    @property
    def rows(self) -> list[Sequence[Panel]]:
        return [self.panels[first : first + self.columns] for first in range(0, len(self.panels), self.columns)]

    @property
    def widths(self) -> list[float]:
        return [
            max(panel.width_among(self.columns) for panel in self.panels[place :: self.columns])
            for place in range(self.columns)
        ]

    @property
    def height(self) -> float:
        return sum(max(panel.height + panel.around for panel in row) for row in self.rows)


def page_of(panels: Sequence[Panel]) -> Page:
    """As few columns as fit a page, or make one that is no higher than wide."""
    if any(panel.stacked for panel in panels):
        return Page(panels, 1)
    pages = (Page(panels, columns) for columns in range(1, len(panels)))
    return next((page for page in pages if page.height <= max(PAGE, sum(page.widths))), Page(panels, len(panels)))


def figure_of(panels: Sequence[Panel], confidence: str = "") -> Any:
    """A figure with the panels, axes of a column below each other; limits are called those of this confidence."""
    from matplotlib.figure import Figure

    page = page_of(panels)
    figure: Any = Figure(figsize=(sum(page.widths), page.height), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.06, w_pad=0.06)
    heights = [max(panel.height for panel in row) for row in page.rows]
    grid = figure.add_gridspec(len(heights), page.columns, width_ratios=page.widths, height_ratios=heights)
    for place, panel in enumerate(panels):
        axis = figure.add_subplot(grid[divmod(place, page.columns)])
        draw_on(axis, panel, panel.width_among(page.columns) - panel.beside - 0.3, panel.height + 0.2, confidence)
    return figure


def draw_on(axis: Any, panel: Panel, width: float, height: float, confidence: str) -> None:
    """A panel on axes of so many inches, with its title and legend; limits are called those of this confidence."""
    axis.set_title(wrapped(panel.title, width), loc="left")
    panel.draw(axis)
    legend(axis, width)
    for name, length in ((axis.xaxis.label, width), (axis.yaxis.label, height)):
        name.set_text(wrapped(name.get_text().replace("limits", f"{confidence}limits"), length))


def style(place: int, *, marked: bool = True, dashed: bool = False) -> dict[str, Any]:
    """The colour of a series, and its mark; and dashes, in whose gaps shows whatever curve it lies upon."""
    mark = {"marker": MARKS[(place + place // len(COLOURS)) % len(MARKS)]} if marked else {}
    dashes = {"linestyle": DASHES[place % len(DASHES)]} if dashed else {}
    return {"color": COLOURS[place % len(COLOURS)], **mark, **dashes}


def key(axis: Any, text: str, **look: Any) -> None:
    """An entry of the legend."""
    axis.plot([], [], label=text, **{"linestyle": "none", "markersize": 4, **look})


def patch(axis: Any, text: str, colour: Any) -> None:
    """An entry of the legend for a class of areas."""
    from matplotlib.patches import Rectangle

    axis.add_patch(Rectangle((0, 0), 0, 0, label=text, facecolor=colour, edgecolor=GREY, linewidth=0.5))


def wrapped(title: str, width: float) -> str:
    """A title, or the name of an axis, in lines of no more than so many inches; each line of it takes at most three."""
    most = max(int(width / TITLE_LETTER), 10)
    return "\n".join(
        line if len(line) <= most else textwrap.fill(line, most, max_lines=3, placeholder=" …")
        for line in title.split("\n")
    )


def legend(axis: Any, width: float) -> None:
    """A legend of the labelled artists, where it hides nothing: above the axes, in lines of this width, or beside them."""
    names = axis.get_legend_handles_labels()[1]
    if not names:
        return
    entries = [ENTRY + LETTER * len(name) for name in names]
    # As few lines, each column filled before the next one, as are no wider than that.
    filled = (
        [entries[first : first + lines] for first in range(0, len(names), lines)] for lines in range(1, len(names))
    )
    columns = next((len(some) for some in filled if sum(map(max, some)) <= width), 1)
    lines = -(-len(names) // columns)
    where: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
    if lines <= MOST_LINES:
        axis.set_title(axis.get_title(loc="left"), loc="left", pad=8 + 13 * lines)
        where = {"loc": "lower left", "bbox_to_anchor": (-0.01, 1.0), "ncols": columns}
    axis.legend(**where, frameon=False, borderaxespad=0.1, handletextpad=0.4, handlelength=2.4, labelspacing=0.3)


def ticks_at(line: Any, values: Iterable[float]) -> None:
    """The values asked for on an axis (x or y), as many as can be read."""
    chosen = sorted(set(values))
    least = (chosen[-1] - chosen[0]) / 25
    shown = chosen[:1]
    for value in chosen[1:]:
        if value - shown[-1] >= least:
            shown.append(value)
    line.set_ticks(shown, [f"{value:g}" for value in shown])


def label(name: object) -> str:
    """A name that is not too long."""
    text = str(name)
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


def drawable(name: str) -> str:
    """A name as it can be drawn, and stand in an svg: what is not printable, nor a blank, is written as escapes."""
    return "".join(
        letter if letter.isprintable() or letter.isspace() else letter.encode("unicode_escape").decode()
        for letter in visible_unicode(name)
    )


def grouped(rows: Iterable[Row], *columns: str) -> dict[tuple[Any, ...], list[Row]]:
    """Rows with the same values in some columns, in order of appearance."""
    return gathered((tuple(row.get(column) for column in columns), row) for row in rows)


def step_of(rows: int) -> tuple[float, float]:
    """Inches for each row of a list of so many, and the size of its letters."""
    return next(((step, size) for most, step, size in STEPS if rows <= most), (LEAST_STEP, LEAST_SIZE))


def names_width(names: Sequence[object]) -> float:
    """Inches for the names of a list."""
    return 0.1 + max(len(label(name)) for name in names) * step_of(len(names))[1] * 0.0083


def list_panel(
    title: str, names: Sequence[object], draw: Callable[[Any], None], around: float, beside: float = 0, series: int = 1
) -> Panel:
    """A list of names with something beside each, of several series. `beside`: inches of the names, if not of these."""
    rows = len(names)
    height = step_of(rows)[0] * max(rows, 2) * (1 if series == 1 else 1.25 if rows > STEPS[0][0] else 1.6)
    return Panel(title, height, draw, around=around, beside=beside or names_width(names))


def name_rows(axis: Any, names: Sequence[str]) -> None:
    """Names, which are not too long, down the left side, the first on top."""
    axis.set_yticks(range(len(names)), names, fontsize=step_of(len(names))[1])
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", color=PALE, linewidth=0.6)
    axis.set_axisbelow(True)

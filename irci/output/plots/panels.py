"""Common parts of the pictures: panels in columns, colours, marks and dashes, legends."""

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from irci.base.records import Record
from irci.base.types import gathered
from irci.output.kinds import KINDS, Kind
from irci.output.plots.names import LEAST_LABEL, LONGEST_LABEL, Naming, drawable, naming
from irci.output.tables import SourceInReport, Table, as_read
from irci.output.wording import as_typed, in_words

Row = Mapping[str, Any]

# Okabe & Ito's colours, which those who do not see red or green tell apart; each series has a mark and dashes of its own too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = (
    "-", (0, (4, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (2, 3)), (0, (8, 3)), (0, (4, 2, 1, 2, 1, 2)), (0, (1, 4)),
)  # fmt: skip
GREY = "#999999"
PALE = "#dddddd"
WIDTH, NARROW = 7.0, 5.0  # inches: of a column that is alone, and of one among several
PAD = 0.06  # inches around panels
LEAST_LACK = 0.05  # inches
AROUND = 1.5  # inches more around panels in columns of print, whose words take more lines
LEAST_WIDTH = 3.3  # inches: of one among several in a picture whose width is given
OF_NAMES = 0.38  # of such a width
PAGE = 11.0  # inches: what is higher takes several columns
LETTER, ENTRY = 0.06, 0.55  # inches: a letter of a legend, and what else an entry takes
MOST_LINES = 4
TITLE_LETTER = 0.068
LETTER_OF_SIZE = 0.0083  # inches: a letter of a name, for each point of its size
RUN_COLUMNS = ("run", "baseline")
LEAST_STEP, LEAST_SIZE = 0.115, 7.0  # inches and points: of letters in print, the least that can be read


class Panel(Record):
    """A title, the inches of its axes and of what is around them (title, legend, labels), and what draws on the axes.

    `beside`: inches of names at the left; `least`: those that it needs in all, among other columns. `stacked`: it shares
    its horizontal axis with others, below which it must stand. `naming`: the names of runs that it may show; `kind`: of the
    tables that it draws.
    """

    title: str
    height: float
    draw: Callable[[Any], None]
    width: float = WIDTH
    around: float = 0.9
    beside: float = 0.6
    least: float = NARROW
    stacked: bool = False
    naming: Naming = Naming()
    kind: Kind = "estimate"

    def is_of(self, measure: str) -> bool:
        """True if the title names a measure, in this spelling or another."""
        words = {in_words(word.rstrip(":,")) for word in self.title.split()}
        return (
            in_words(measure) in words
            or re.search(rf"(?<!\S){re.escape(as_typed(measure))}(?![^\s:,])", self.title) is not None
        )

    def width_among(self, columns: int) -> float:
        return max(self.least, NARROW) if self.width <= WIDTH and columns > 1 else self.width


class Content(Record):
    """The tables that a picture shows, and the words for what varies in them; the inches of a panel, if they are given."""

    tables: Sequence[Table]
    sources: Mapping[str, SourceInReport] = {}
    width: float | None = None

    def rows(self, kind: Kind) -> list[Row]:
        """Names as they can be drawn; `of_measure`: the table's measure, `varies`: what varies."""
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
        drawn = [table for table in self.tables if KINDS[table.kind].picture]
        names = [
            {drawable(str(row[column])) for row in table.rows for column in RUN_COLUMNS if column in row}
            for table in drawn
        ]
        baselines = {row["baseline"] for table in drawn for row in table.rows if "baseline" in row}
        longest = LONGEST_LABEL
        if self.width is not None:
            room = OF_NAMES * self.width / (LEAST_SIZE * LETTER_OF_SIZE)
            longest = min(longest, max(LEAST_LABEL, int(room) // (2 if len(baselines) > 1 else 1)))
        return naming(sorted(set().union(*names)), longest)

    def place_of(self, row: Row) -> int:
        """The place of what varies among all that does: of its colour in every panel."""
        return list(self.sources.values()).index(row["varies"]) if row["varies"] in self.sources.values() else 0

    def _drawn(self, column: str, cell: Any) -> Any:
        if not isinstance(cell, str):
            return cell
        return self.naming.short.get(drawable(cell), drawable(cell)) if column in RUN_COLUMNS else drawable(cell)

    def _varies(self, population: object) -> SourceInReport:
        name = next(iter(self.sources), "") if population is None else str(population)
        return self.sources.get(name, SourceInReport(drawable(name)))


class Page(Record):
    """Panels in rows of so many columns; its height, and the widths of columns, in inches. `width`: of all, if it is given."""

    panels: Sequence[Panel]
    columns: int
    width: float | None = None

    @property
    def rows(self) -> list[Sequence[Panel]]:
        return [self.panels[first : first + self.columns] for first in range(0, len(self.panels), self.columns)]

    @property
    def widths(self) -> list[float]:
        if self.width is not None:
            return [self.width / self.columns] * self.columns
        return [
            max(panel.width_among(self.columns) for panel in self.panels[index :: self.columns])
            for index in range(self.columns)
        ]

    @property
    def heights(self) -> list[float]:
        """The inches of the axes of each row."""
        return [max(panel.height for panel in row) for row in self.rows]

    @property
    def height(self) -> float:
        return sum(max(panel.height + panel.around for panel in row) for row in self.rows)


def page_of(panels: Sequence[Panel]) -> Page:
    """As few columns as fit a page, or make one that is no higher than wide."""
    if any(panel.stacked for panel in panels):
        return Page(panels, 1)
    pages = (Page(panels, columns) for columns in range(1, len(panels)))
    return next((page for page in pages if page.height <= max(PAGE, sum(page.widths))), Page(panels, len(panels)))


def page_as_wide(panels: Callable[[float], Sequence[Panel]], width: float) -> Page:
    """A page of this width, of as few columns as fit one, of panels that are made for the width of a column."""
    pages = [Page(panels(width), 1, width)]
    if not any(panel.stacked for panel in pages[0].panels):
        most = min(int(width / LEAST_WIDTH), len(pages[0].panels))
        pages += [Page(panels(width / columns), columns, width) for columns in range(2, most + 1)]
    return next((page for page in pages if page.height <= PAGE), pages[-1])


def figure_of(page: Page, confidence: str = "") -> Any:
    """A figure with the panels, axes of a column below each other; limits are called those of this confidence."""
    from matplotlib.figure import Figure

    # High enough for what is around narrow axes; `fit_height` takes away what is too much.
    height = page.height + (0 if page.width is None else AROUND * len(page.rows))
    figure: Any = Figure(figsize=(sum(page.widths), height), layout="constrained")
    figure.get_layout_engine().set(h_pad=PAD, w_pad=PAD)
    grid = figure.add_gridspec(
        len(page.heights), page.columns, width_ratios=page.widths, height_ratios=page.heights
    )  # fmt: skip
    for index, panel in enumerate(page.panels):
        axis = figure.add_subplot(grid[divmod(index, page.columns)])
        whole = panel.width_among(page.columns) if page.width is None else page.widths[0]
        width = max(whole - panel.beside - 0.3, 1.0)
        draw_on(axis, panel, width, panel.height + 0.2, confidence, _left(page, panel))
    return figure


def fit_height(figure: Any, page: Page) -> None:
    """Lay a figure out, and make it as high as its axes need to be as high as they should, whatever stands around them."""
    for _ in range(4):
        figure.get_layout_engine().execute(figure)
        moved = page.width is not None and _begin_at_left(figure, page)
        first = figure.axes[:: page.columns]
        lacks = (
            sum(page.heights) - sum(axis.get_position(original=True).height for axis in first) * figure.get_figheight()
        )
        if abs(lacks) < LEAST_LACK and not moved:
            return
        figure.set_figheight(round(max(figure.get_figheight() + lacks, _least_height(figure, page)), 2))


def _least_height(figure: Any, page: Page) -> float:
    """Inches that axes of their heights and what stands around them take: those of a matrix, which is square, are less high
    than the room that they were given, and what stands below them is not below that."""
    around = []
    for axis in figure.axes:
        whole = axis.get_tightbbox().height / figure.dpi
        around.append(whole - axis.get_position().height * figure.get_figheight())
    rows: list[list[float]] = [around[first : first + page.columns] for first in range(0, len(around), page.columns)]
    return sum(height + max(row) + 2 * PAD for height, row in zip(page.heights, rows, strict=True))


def _begin_at_left(figure: Any, page: Page) -> bool:
    """Let titles and legends begin where names at the left do; false if they did."""
    moved = False
    for index, axis in enumerate(figure.axes):
        if page.width is None or _left(page, page.panels[index]) == 0:
            continue
        axis.apply_aspect()
        box = axis.get_position()
        column = index % page.columns / page.columns + PAD / page.width
        at = round(min((column - box.x0) / box.width, 0), 2)
        moved |= axis._left_title.get_position()[0] != at
        axis._left_title.set_x(at)
        if axis.get_legend():
            axis.get_legend().set_bbox_to_anchor((at - 0.01, 1.0), axis.transAxes)
            axis.get_legend().set_in_layout(False)  # the title above it leaves room for it
    return moved


def _left(page: Page, panel: Panel) -> float:
    """Inches of names over which the title of a panel begins: where it is narrow."""
    return panel.beside if page.width is not None and page.widths[0] < NARROW else 0.0


def draw_on(axis: Any, panel: Panel, width: float, height: float, confidence: str, left: float = 0.0) -> None:
    """A panel on axes of so many inches, with its title and legend; limits are called those of this confidence.

    `left`: inches beside the axes that words above and below them may take too.
    """
    axis.set_title(wrapped(panel.title, width + left), loc="left")
    panel.draw(axis)
    legend(axis, width + left)
    for name, length in ((axis.xaxis.label, width + left), (axis.yaxis.label, height)):
        name.set_text(wrapped(name.get_text().replace("limits", f"{confidence}limits"), length))
    if axis.get_xlabel():
        notes = (
            textwrap.fill(note, _letters(width + left), break_on_hyphens=False)
            for note in panel.naming.notes(_words(axis))
        )
        axis.set_xlabel("\n".join([axis.get_xlabel(), *notes]), loc="right" if left else "center")


def _words(axis: Any) -> list[str]:
    """The words of a panel in which there may be names."""
    ticks = [text.get_text() for text in (*axis.get_xticklabels(), *axis.get_yticklabels(), *axis.texts)]
    return [axis.get_title(loc="left"), *ticks]


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
    most = _letters(width)
    return "\n".join(
        line if len(line) <= most else textwrap.fill(line, most, max_lines=3, placeholder=" …")
        for line in title.split("\n")
    )


def _letters(width: float) -> int:
    """Letters of a title that so many inches hold."""
    return max(int(width / TITLE_LETTER), 10)


def legend(axis: Any, width: float) -> None:
    """A legend of the labelled artists, where it hides nothing: above the axes, in lines of this width, or beside them.

    Beside axes that are as narrow as a column of print there is no room.
    """
    marks, names = axis.get_legend_handles_labels()
    if not names:
        return
    names = [textwrap.fill(name, max(int((width - ENTRY) / LETTER), 10)) for name in names]
    entries = [ENTRY + LETTER * max(map(len, name.split("\n"))) for name in names]
    # As few lines, each column filled before the next one, as are no wider than that.
    filled = (
        [entries[first : first + lines] for first in range(0, len(names), lines)] for lines in range(1, len(names))
    )
    columns = next((len(some) for some in filled if sum(map(max, some)) <= width), 1)
    lines = -(-sum(name.count("\n") + 1 for name in names) // columns)
    where: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
    if lines <= MOST_LINES or width < LEAST_WIDTH:
        axis.set_title(axis.get_title(loc="left"), loc="left", pad=8 + 13 * lines)
        where = {"loc": "lower left", "bbox_to_anchor": (-0.01, 1.0), "ncols": columns}
    look = {"frameon": False, "borderaxespad": 0.1, "handletextpad": 0.4, "handlelength": 2.4, "labelspacing": 0.3}
    axis.legend(marks, names, **where, **look)


def ticks_at(line: Any, values: Iterable[float]) -> None:
    """The values asked for on an axis (x or y), as many as can be read."""
    chosen = sorted(set(values))
    least = (chosen[-1] - chosen[0]) / 25
    shown = chosen[:1]
    for value in chosen[1:]:
        if value - shown[-1] >= least:
            shown.append(value)
    line.set_ticks(shown, [f"{value:g}" for value in shown])


def grouped(rows: Iterable[Row], *columns: str) -> dict[tuple[Any, ...], list[Row]]:
    """Rows with the same values in some columns, in order of appearance."""
    return gathered((tuple(row.get(column) for column in columns), row) for row in rows)

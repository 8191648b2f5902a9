"""Panels on a page: how large each is, in how many columns they stand, their titles and legends; names as pictures
show them: drawable, short enough, different where runs are."""

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from irci.base import visible_unicode
from irci.base.types import gathered
from irci.output.kinds import Kind
from irci.output.shown import as_typed, in_words
from irci.output.tables import SourceInReport, Table, as_read

LONGEST_LABEL = 32  # letters
LEAST_LABEL = 12
GAP = "…"
SEPARATED = re.compile(r".*[-_./:+ ]", re.DOTALL)  # up to the last sign between parts of a name


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
    """Shorten names if any is too long: first by a common prefix, then in the middle."""
    distinct = list(dict.fromkeys(names))
    if max(map(len, distinct), default=0) <= longest:
        return Naming({name: name for name in distinct})
    prefix = _common_prefix(distinct)
    short: dict[str, str] = {}
    for name in distinct:
        rest, number = name[len(prefix) :], 1
        short[name] = label(rest, longest)
        while list(short.values()).count(short[name]) > 1:  # what tells them apart is in the gap
            number += 1
            short[name] = label(rest, longest, f"{GAP}{number}{GAP}")
    return Naming(short, prefix)


def _common_prefix(names: Sequence[str]) -> str:
    """Return the whole parts that all of several names begin with, and none consists of."""
    first, last = min(names), max(names)  # what these two begin with, all do
    same = 0
    while first != last and same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    parts = SEPARATED.match(first[:same])
    prefix = parts.group() if parts else ""
    return "" if prefix == first else prefix


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


Row = Mapping[str, Any]

# Okabe & Ito's colours, which those who do not see red or green tell apart; each series has a mark and dashes of its own too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = (
    "-", (0, (4, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (2, 3)), (0, (8, 3)), (0, (4, 2, 1, 2, 1, 2)), (0, (1, 4)),
)  # fmt: skip
GREY, PALE = "#999999", "#dddddd"
# Inches.
WIDTH, NARROW, LEAST_WIDTH = 7.0, 5.0, 3.3  # of a picture; of one whose words begin below names; of a column of print
PAD = 0.08  # around panels
LETTER, ENTRY, TITLE_LETTER = 0.06, 0.55, 0.068  # a letter of a legend, what else an entry takes, a letter of a title
LEAST_STEP, LEAST_SIZE = 0.115, 7.0  # and points: of letters in print, the least that can be read
LETTER_OF_SIZE = 0.0083  # a letter of a name, for each point of its size
SHARE_OF_NAMES = 0.38  # of a given width
MOST_LINES = 4  # of a legend above its panel
RUN_COLUMNS = ("run", "baseline")


class Panel(NamedTuple):
    """One of the pictures below each other.

    height, width: inches of its axes, and of all
    beside: inches of names at the left
    naming, kind: names of runs that it may show; kind of the tables that it draws
    """

    title: str
    height: float
    draw: Callable[[Any], None]
    width: float = WIDTH
    beside: float = 0.6
    naming: Naming = Naming()
    kind: Kind = "estimate"

    def is_of(self, measure: str) -> bool:
        """Return whether the title names a measure, in this spelling or another."""
        words = {in_words(word.rstrip(":,")) for word in self.title.split()}
        typed = rf"(?<!\S){re.escape(as_typed(measure))}(?![^\s:,])"
        return in_words(measure) in words or re.search(typed, self.title) is not None


class Content:
    """The tables that a picture shows, the words for what varies in them, and the inches of a panel, if they are given."""

    def __init__(
        self, tables: Sequence[Table], sources: Mapping[str, SourceInReport], width: float | None = None
    ) -> None:
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
        longest = LONGEST_LABEL
        if self.width is not None:
            has_pairs = len({row["baseline"] for row in rows if "baseline" in row}) > 1
            room = SHARE_OF_NAMES * self.width / (LEAST_SIZE * LETTER_OF_SIZE)
            longest = min(longest, max(LEAST_LABEL, int(room) // (2 if has_pairs else 1)))
        return naming(sorted(names), longest)

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


def figure_of(panels: Sequence[Panel], width: float | None = None, confidence: str = "") -> Any:
    """Draw panels below each other, their axes in one column.

    width: inches, if these are given
    confidence: what limits are called after, "95% "
    """
    from matplotlib.figure import Figure

    whole = max(panel.width for panel in panels) if width is None else width
    heights = [panel.height for panel in panels]
    figure: Any = Figure(figsize=(whole, sum(heights)))
    explained: set[object] = set()  # legends, of which the same is not shown again for another measure
    for panel in panels:
        axis = figure.add_axes((0.1, 0, 0.8, panel.height / sum(heights)), label=str(len(figure.axes)))
        draw_on(axis, panel, whole, panel.height + 0.2, confidence, explained)
    return figure


def place_panels(figure: Any, panels: Sequence[Panel]) -> None:
    """Give axes their heights and one width, and the figure the height that they take with the words around them.

    Places are rounded: matplotlib's own layouts differ in their last bits from time to time.
    """
    width = figure.get_figwidth()
    for _ in range(2):  # the words around axes depend a little on their width
        around = []  # inches at the left, below, at the right and above
        for axis in figure.axes:
            axis.apply_aspect()
            words, box = axis.get_tightbbox(for_layout_only=True), axis.bbox
            column = (
                axis.get_position(original=True).x1 * figure.bbox.width
            )  # of a matrix, which is square, box is a part
            sizes = box.x0 - words.x0, box.y0 - words.y0, words.x1 - column, words.y1 - box.y1
            around.append([max(round(size / figure.dpi, 2), 0.0) for size in sizes])
        left, right = (PAD + max(sizes[side] for sizes in around) for side in (0, 2))
        height = sum(panel.height + sizes[1] + sizes[3] + 2 * PAD for panel, sizes in zip(panels, around, strict=True))
        figure.set_figheight(height)
        top = height
        for axis, panel, (_, below, _, above) in zip(figure.axes, panels, around, strict=True):
            top -= PAD + above + panel.height
            box = left / width, top / height, max(width - left - right, 0.5) / width, panel.height / height
            axis.set_position([round(part, 6) for part in box])
            top -= PAD + below
    if width < NARROW:  # titles and legends begin where names at the left do
        for axis in figure.axes:
            begin = round((PAD - left) / (width - left - right), 2)
            axis._left_title.set_x(begin)
            if axis.get_legend():
                axis.get_legend().set_bbox_to_anchor((begin - 0.01, 1.0), axis.transAxes)


def draw_on(
    axis: Any, panel: Panel, width: float, height: float, confidence: str, explained: set[object] | None = None
) -> None:
    """Draw a panel with its title and legend.

    width, height: inches of the whole panel, and of its axes
    explained: legends that other panels have, to which its own is added
    """
    is_narrow = width < NARROW
    of_axes = width - 0.3 - (0 if is_narrow else panel.beside)
    axis.set_title(wrapped(panel.title, of_axes), loc="left")
    panel.draw(axis)
    entries = (panel.kind, *axis.get_legend_handles_labels()[1])
    if explained is None or entries not in explained:
        legend(axis, of_axes)
    if explained is not None:
        explained.add(entries)
    for name, length in ((axis.xaxis.label, of_axes), (axis.yaxis.label, height)):
        name.set_text(wrapped(name.get_text().replace("limits", f"{confidence}limits"), length))
    if axis.get_xlabel():
        ticks = [text.get_text() for text in (*axis.get_xticklabels(), *axis.get_yticklabels(), *axis.texts)]
        notes = [
            textwrap.fill(note, _letters(of_axes), break_on_hyphens=False)
            for note in panel.naming.notes([axis.get_title(loc="left"), *ticks])
        ]
        axis.set_xlabel("\n".join([axis.get_xlabel(), *notes]), loc="right" if is_narrow else "center")


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
    from matplotlib.patches import Rectangle

    axis.add_patch(Rectangle((0, 0), 0, 0, label=text, facecolor=colour, edgecolor=GREY, linewidth=0.5))


def wrapped(title: str, width: float) -> str:
    """Break a title, or the name of an axis, into lines of so many inches, at most three for each line of it."""
    most = _letters(width)
    return "\n".join(
        line if len(line) <= most else textwrap.fill(line, most, max_lines=3, placeholder=" …")
        for line in title.split("\n")
    )


def _letters(width: float) -> int:
    return max(int(width / TITLE_LETTER), 10)


def legend(axis: Any, width: float) -> None:
    """Explain labelled artists where nothing is hidden: above the axes, in lines of this width, or beside them.

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
    columns = next((len(blocks) for blocks in filled if sum(map(max, blocks)) <= width), 1)
    lines = -(-sum(name.count("\n") + 1 for name in names) // columns)
    where: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
    if lines <= MOST_LINES or width < LEAST_WIDTH:
        axis.set_title(axis.get_title(loc="left"), loc="left", pad=8 + 13 * lines)
        where = {"loc": "lower left", "bbox_to_anchor": (-0.01, 1.0), "ncols": columns}
    look = {"frameon": False, "borderaxespad": 0.1, "handletextpad": 0.4, "handlelength": 2.4, "labelspacing": 0.3}
    axis.legend(marks, names, **where, **look).set_in_layout("ncols" not in where)  # the title above leaves room for it


def grouped(rows: Iterable[Row], *columns: str) -> dict[tuple[Any, ...], list[Row]]:
    """Gather rows with the same values in some columns, in order of appearance."""
    return gathered((tuple(row.get(column) for column in columns), row) for row in rows)

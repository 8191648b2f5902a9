"""What the pictures have in common: panels one below the other, colours and marks, labels that fit."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from irci.errors import visible_unicode
from irci.output.kinds import Kind
from irci.output.report import Table, as_read

Row = Mapping[str, Any]

# Okabe & Ito's colours, which those who do not see red or green tell apart; each series has a mark of its own too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
GREY = "#999999"
LONGEST_LABEL = 32
WIDTH = 7.0  # inches
LONGEST_LETTERS = 16
LINE_OF_NAMES = 75  # letters
MANY = 40  # rows that take small letters


@dataclass(frozen=True)
class Panel:
    """A title, a size in inches, and what draws it on matplotlib's axes."""

    title: str
    height: float
    draw: Callable[[Any], None]
    width: float = WIDTH


def figure_of(panels: Sequence[Panel], confidence: str = "") -> Any:
    """A figure with the panels one below the other; limits are called those of this confidence."""
    from matplotlib.figure import Figure

    heights = [panel.height for panel in panels]
    width = max(panel.width for panel in panels)
    figure = Figure(figsize=(width, sum(heights)), layout="constrained")
    rows = figure.subfigures(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    for panel, row in zip(panels, rows, strict=True):
        # A panel narrower than others leaves the rest of its row empty.
        rest = width - panel.width
        axis, *empty = row.subplots(
            1, 1 if rest == 0 else 2, squeeze=False, width_ratios=[panel.width, rest][: 2 if rest else 1]
        )[0]
        for each in empty:
            each.set_axis_off()
        axis.set_title(panel.title)
        panel.draw(axis)
        for name in (axis.xaxis.label, axis.yaxis.label):
            name.set_text(name.get_text().replace("limits", f"{confidence}limits"))
    return figure


def style(place: int) -> dict[str, Any]:
    """The colour and the mark of a series."""
    return {"color": COLOURS[place % len(COLOURS)], "marker": MARKS[(place + place // len(COLOURS)) % len(MARKS)]}


def legend(axis: Any) -> None:
    """The names of the series, where they hide nothing: above the axes if they fit a line, else beside them."""
    names = axis.get_legend_handles_labels()[1]
    if len(names) < 2:
        return
    if sum(len(name) + 6 for name in names) <= LINE_OF_NAMES:
        axis.set_title(axis.get_title(loc="left"), pad=22)
        where = {"loc": "lower left", "bbox_to_anchor": (-0.01, 0.99), "ncols": len(names)}
    else:
        where = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
    axis.legend(**where, borderaxespad=0.1, handletextpad=0.4)


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
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(column) for column in columns), []).append(row)
    return groups


def rows_of(tables: Iterable[Table], *kinds: Kind) -> list[Row]:
    """The rows of the tables of these kinds, names as they can be drawn; `of_measure`: the table's measure."""
    return [
        {
            name: drawable(cell) if isinstance(cell, str) else cell
            for name, cell in {**as_read(row), "of_measure": table.measure}.items()
        }
        for table in tables
        if table.kind in kinds
        for row in table.rows
    ]


def list_height(rows: float) -> float:
    """Inches for a list of names with something beside each."""
    return 0.9 + (0.13 if rows > MANY else 0.2) * max(rows, 2)


def name_rows(axis: Any, names: Sequence[object]) -> None:
    """Names down the left side, the first on top."""
    axis.set_yticks(range(len(names)), [label(name) for name in names], fontsize=6 if len(names) > MANY else 8)
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)

"""Tables -> pictures: those that people know from the papers, drawn by matplotlib without a display. Computes nothing."""

from __future__ import annotations

import io
import logging
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from irci.base import DataError
from irci.base.choices import Picture
from irci.output.kinds import Kind, printed_name, title
from irci.output.plots import runs, studies
from irci.output.plots.panels import LEAST_WIDTH, NARROW, Content, Panel

if TYPE_CHECKING:
    from irci.output.report import Report

# What draws each kind of table; pictures stand below one another in this order.
PICTURES: Mapping[Kind, Callable[[Content], Iterator[Panel]]] = {
    "topic": partial(runs.topic_panels, "topic", ("run",)),
    "estimate": runs.mean_panels,
    "difference": runs.difference_panels,
    "claim": runs.claim_panels,
    "topic_difference": partial(runs.topic_panels, "topic_difference", ("run", "baseline", "population")),
    "meta": runs.combined_panels,
    "rank": runs.rank_panels,
    "effect": runs.effect_panels,
    "vote": runs.vote_panels,
    "score": studies.score_panels,
    "confusion": studies.confusion_panels,
    "judged_pairs": studies.judged_pairs_panels,
    "type_one": studies.type_one_panels,
    "error_rate": studies.error_rate_panels,
    "swap": studies.swap_panels,
    "level": studies.level_panels,
    "width": studies.width_panels,
    "noncentrality": studies.noncentrality_panels,
}
SETTINGS: dict[Any, Any] = {
    "font.size": 8, "axes.titlesize": 9, "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False,
    "legend.fontsize": 8, "svg.hashsalt": "irci", "svg.fonttype": "none", "pdf.fonttype": 42,
    "figure.dpi": 150, "text.parse_math": False,
}  # fmt: skip
MOST_PANELS = 24
# Inches.
PAD = 0.08  # around panels
LETTER, ENTRY, TITLE_LETTER = 0.06, 0.55, 0.068  # a letter of a legend, what else an entry takes, a letter of a title
MOST_LINES = 4  # of a legend above its panel
MOST_PIXELS = 1 << 16  # of a side
NOTHING_TO_DRAW = "--plot: there is nothing to draw in this output"
OF_PROGRAM_OR_TIME = {"png": "Software", "svg": "Date", "pdf": "CreationDate"}  # metadata that is left out


def panels_of(report: Report, width: float | None = None) -> list[Panel]:
    """Return the panels of a report; `width`: their inches, if these are given."""
    content = Content(report.pictures, report.sources, width)
    kinds = {table.kind for table in content.tables}
    return [
        panel._replace(naming=content.naming, kind=kind)
        for kind, panels in PICTURES.items()
        if kind in kinds
        for panel in panels(content)
    ]


def panel_called(panels: Sequence[Panel], name: str) -> Panel | None:
    """Find the first panel of a kind of table, or that of a measure, or with a title, if one follows: "difference map"."""
    kind, _, about = name.partition(" ")
    of_kind = [panel for panel in panels if kind in (printed_name(panel.kind), title(panel.kind))]
    return next((panel for panel in of_kind if not about or panel.is_of(about) or panel.title == about), None)


def draw(report: Report, picture: Picture, width: float | None = None) -> bytes:
    """Return the picture of a report as a file of this kind; `width`: its inches, if these are given.

    Raises DataError if there is nothing to draw, or too much.
    """
    panels = _panels(report, width)
    height = sum(panel.height for panel in panels)
    if picture == "png" and height * SETTINGS["figure.dpi"] >= MOST_PIXELS:
        raise DataError(f"--plot: {height:.0f} inches are too high for .png: choose .svg or .pdf, or fewer runs")
    return _file(panels, width, picture, report.confidence)


def figure(report: Report, width: float | None = None) -> Any:
    """Return the picture of a report as a figure of matplotlib's. Raises DataError as `draw` does."""
    panels = _panels(report, width)
    with drawing():
        drawn = figure_of(panels, width, _in_percent(report.confidence))
        place_panels(drawn, panels)
        return drawn


def draw_each(report: Report) -> tuple[list[str], Iterator[bytes]]:
    """Return the titles of all panels of a report, and the first ones each as an svg, drawn when they are taken."""
    panels = panels_of(report)
    drawn = (_file([panel], None, "svg", report.confidence) for panel in panels[:MOST_PANELS])
    return [panel.title for panel in panels], drawn


def draw_panel(axis: Any, panel: Panel, confidence: float | None) -> None:
    """Draw one panel on axes of a user's own, with that user's settings."""
    box, inch = axis.get_window_extent(), axis.figure.dpi
    draw_on(axis, panel, box.width / inch, box.height / inch, _in_percent(confidence))
    axis.set_title("", loc="left")
    width = box.width / inch * SETTINGS["axes.titlesize"] / axis.title.get_fontsize()
    axis.set_title(wrapped(panel.title, width))  # where one of the user's own takes its place
    if axis.get_legend():
        # At the top of the axes, with room made for it: above them it would lie on the title, lower on data.
        axis.get_legend().remove()
        inside = axis.legend(*axis.get_legend_handles_labels(), loc="upper right", frameon=False, borderaxespad=0.2)
        share = min(inside.get_window_extent().height / axis.get_window_extent().height + 0.02, 0.5)
        bottom, top = axis.get_ylim()
        axis.set_ylim(bottom, top + (top - bottom) * share / (1 - share))


def _panels(report: Report, width: float | None) -> list[Panel]:
    panels = panels_of(report, width)
    if not panels:
        raise DataError(NOTHING_TO_DRAW)
    if len(panels) > MOST_PANELS:
        raise DataError(f"--plot: {len(panels)} panels are too many for one picture: choose fewer measures or runs")
    return panels


def _in_percent(confidence: float | None) -> str:
    return "" if confidence is None else f"{100 * confidence:g}% "


def _file(panels: Sequence[Panel], width: float | None, picture: Picture, confidence: float | None) -> bytes:
    out = io.BytesIO()
    with drawing():
        from matplotlib.backend_bases import get_registered_canvas_class

        drawn = figure_of(panels, width, _in_percent(confidence))
        if picture != "png":
            drawn.set_dpi(72)  # as these have it, whatever is asked for
        get_registered_canvas_class(picture)(drawn)
        place_panels(drawn, panels)
        drawn.savefig(out, format=picture, metadata={OF_PROGRAM_OR_TIME[picture]: None})
    return out.getvalue()


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


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with our settings and matplotlib's defaults; what it would say of letters that its fonts lack is not said."""
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)
    import matplotlib

    with warnings.catch_warnings(), matplotlib.rc_context():
        warnings.simplefilter("ignore", UserWarning)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield

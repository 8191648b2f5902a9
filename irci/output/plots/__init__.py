"""Tables -> pictures: those that people know from the papers, drawn by matplotlib without a display. Computes nothing."""

import io
import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from typing import Any

from irci.base.choices import Picture
from irci.base.errors import DataError
from irci.output.answer import Answer
from irci.output.kinds import KINDS, Kind, printed_name, title
from irci.output.plots.panels import (
    Content,
    Page,
    Panel,
    draw_on,
    figure_of,
    fit_height,
    page_as_wide,
    page_of,
    wrapped,
)  # fmt: skip

SETTINGS: dict[Any, Any] = {
    "font.size": 8, "axes.titlesize": 9, "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False,
    "legend.fontsize": 8, "svg.hashsalt": "irci", "svg.fonttype": "none", "pdf.fonttype": 42,
    "figure.dpi": 150, "text.parse_math": False,
}  # fmt: skip
# What matplotlib reads of the environment: its backend (a window, or nonsense), its settings, the time (or nonsense).
READ = ("MPLBACKEND", "MATPLOTLIBRC", "SOURCE_DATE_EPOCH")
MOST_PANELS = 24
MOST_PIXELS = 1 << 16  # of a side
NOTHING_TO_DRAW = "--plot: there is nothing to draw in this output"
OF_PROGRAM_OR_TIME = {"png": "Software", "svg": "Date", "pdf": "CreationDate"}  # metadata that is left out


def panels_of(report: Answer, width: float | None = None) -> list[Panel]:
    """The panels of a report, those of each kind of table that it has by the functions that its row names.

    `width`: their inches, if these are given.
    """
    content = Content(report.pictures, report.sources, width)
    shown = {table.kind for table in content.tables}
    panels: list[Panel] = []
    drawn: dict[str, Kind] = {}  # each picture by the first kind of table that it is of
    for kind, row in KINDS.items():
        for name in row.picture.split() if kind in shown else ():
            drawn.setdefault(name, kind)
    for name, kind in drawn.items():
        module, function = name.split(":")  # of this folder
        found = getattr(import_module(f"{__name__}.{module}"), function)(content)
        panels += (panel._replace(naming=content.naming, kind=kind) for panel in found)
    return panels


def panel_called(panels: Sequence[Panel], name: str) -> Panel | None:
    """The panel of a kind of table, by its printed name or its title, and if a measure or the panel's own title follows that
    one, else the first: difference nDCG@10; or none."""
    kind, _, asked = name.partition(" ")
    of_kind = [panel for panel in panels if kind in (printed_name(panel.kind), title(panel.kind))]
    return next((panel for panel in of_kind if not asked or panel.is_of(asked) or panel.title == asked), None)


def draw(report: Answer, picture: Picture, width: float | None = None) -> bytes:
    """The picture of a report as a file of this kind; `width`: its inches, if these are given.

    Raises DataError if there is nothing to draw, or too much.
    """
    page = _checked(report, width)
    if picture == "png" and page.height * SETTINGS["figure.dpi"] >= MOST_PIXELS:
        raise DataError(f"--plot: {page.height:.0f} inches are too high for .png: choose .svg or .pdf, or fewer runs")
    return _drawn(page, picture, report.confidence)


def figure(report: Answer, width: float | None = None) -> Any:
    """The picture of a report as a figure of matplotlib's, not yet laid out. Raises DataError as `draw` does."""
    page = _checked(report, width)
    with drawing():
        drawn = figure_of(page, confidence_of(report.confidence))
        fit_height(drawn, page)
        return drawn


def draw_panel(axis: Any, panel: Panel, confidence: float | None) -> None:
    """Draw one panel on axes of a user's own, with that user's settings."""
    box = axis.get_window_extent()
    inch = axis.figure.dpi
    draw_on(axis, panel, box.width / inch, box.height / inch, confidence_of(confidence))
    axis.set_title("", loc="left")
    width = box.width / inch * SETTINGS["axes.titlesize"] / axis.title.get_fontsize()
    axis.set_title(wrapped(panel.title, width))  # where one of the user's own takes its place
    if axis.get_legend():
        _legend_inside(axis)


def _legend_inside(axis: Any) -> None:
    """Put the legend at the top of the axes, with room made for it: above them it would lie on the title, lower on data."""
    axis.get_legend().remove()
    inside = axis.legend(*axis.get_legend_handles_labels(), loc="upper right", frameon=False, borderaxespad=0.2)
    share = min(inside.get_window_extent().height / axis.get_window_extent().height + 0.02, 0.5)
    bottom, top = axis.get_ylim()
    axis.set_ylim(bottom, top + (top - bottom) * share / (1 - share))


def _checked(report: Answer, width: float | None) -> Page:
    page = page_of(panels_of(report)) if width is None else page_as_wide(partial(panels_of, report), width)
    if not page.panels:
        raise DataError(NOTHING_TO_DRAW)
    refuse_too_many(len(page.panels))
    return page


def confidence_of(confidence: float | None) -> str:
    """Name of limits of this confidence, before the word."""
    return "" if confidence is None else f"{100 * confidence:g}% "


def draw_each(report: Answer) -> tuple[list[str], Iterator[bytes]]:
    """The titles of all panels of a report, and the first ones each as an svg of its own, drawn when they are taken."""
    panels = panels_of(report)
    drawn = (_drawn(page_of([panel]), "svg", report.confidence) for panel in panels[:MOST_PANELS])
    return [panel.title for panel in panels], drawn


def _drawn(page: Page, picture: Picture, confidence: float | None) -> bytes:
    out = io.BytesIO()
    with drawing():
        figure = figure_of(page, confidence_of(confidence))
        settle(figure, page, picture)
        figure.savefig(out, format=picture, metadata={OF_PROGRAM_OR_TIME[picture]: None})
    return out.getvalue()


def refuse_too_many(panels: int) -> None:
    """Raise DataError for more panels than a picture should have."""
    if panels > MOST_PANELS:
        raise DataError(f"--plot: {panels} panels are too many for one picture: choose fewer measures or runs")


@contextmanager
def drawing() -> Iterator[None]:
    """Drawing with our settings and matplotlib's defaults; what it would say of letters that its fonts lack is not said."""
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)
    with _environment(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with _elsewhere():
            import matplotlib
        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(SETTINGS)
            yield


def settle(figure: Any, page: Page, picture: Picture) -> None:
    """Place the panels, once and for all. matplotlib solves for places in an order of memory addresses, so that their last
    bits are not the same every time, and with them names in an svg and signs of zeros in a pdf: these bits are rounded off.
    """
    from matplotlib.backend_bases import get_registered_canvas_class

    if picture != "png":
        figure.set_dpi(72)  # as these have it, whatever is asked for
    get_registered_canvas_class(picture)(figure)
    fit_height(figure, page)
    figure.set_layout_engine("none")
    for axis in figure.axes:
        place = axis.get_position(original=True)
        place.set_points(place.get_points().round(12) + 0.0)  # no zero is negative
        axis.set_position(place)


@contextmanager
def _environment() -> Iterator[None]:
    kept = {name: os.environ.pop(name) for name in READ if name in os.environ}
    os.environ["MATPLOTLIBRC"] = os.devnull
    try:
        yield
    finally:
        del os.environ["MATPLOTLIBRC"]
        os.environ.update(kept)


@contextmanager
def _elsewhere() -> Iterator[None]:
    """A folder without a file matplotlibrc: the first one that is read when matplotlib is loaded, and broken it ends that."""
    with ExitStack() as stack:
        try:
            here = os.open(os.curdir, os.O_RDONLY)
        except OSError:  # a folder that may be passed but not read: it cannot be come back to
            yield
            return
        stack.callback(os.close, here)
        stack.callback(os.fchdir, here)
        os.chdir(os.sep)
        yield

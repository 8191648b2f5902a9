"""Tables -> pictures: those that people know from the papers, drawn by matplotlib without a display. Computes nothing."""

from __future__ import annotations

import io
import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from irci.base import DataError
from irci.base.choices import Picture
from irci.output.kinds import printed_name, title
from irci.output.plots import layout, runs, studies

if TYPE_CHECKING:
    from irci.output.report import Report

# What draws each kind of table; pictures stand below one another in this order.
PICTURES = {
    "topic": runs.topic_panels,
    "estimate": runs.mean_panels,
    "difference": runs.difference_panels,
    "claim": runs.claim_panels,
    "topic_difference": runs.topic_difference_panels,
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
# What matplotlib reads of the environment: its backend (a window, or nonsense), its settings, the time (or nonsense).
READ = ("MPLBACKEND", "MATPLOTLIBRC", "SOURCE_DATE_EPOCH")
MOST_PANELS = 24
MOST_PIXELS = 1 << 16  # of a side
NOTHING_TO_DRAW = "--plot: there is nothing to draw in this output"
OF_PROGRAM_OR_TIME = {"png": "Software", "svg": "Date", "pdf": "CreationDate"}  # metadata that is left out


def panels_of(report: Report, width: float | None = None) -> list[layout.Panel]:
    """Return the panels of a report; `width`: their inches, if these are given."""
    content = layout.Content(report.pictures, report.sources, width)
    kinds = {table.kind for table in content.tables}
    return [
        panel._replace(naming=content.naming, kind=kind)
        for kind, panels in PICTURES.items()
        if kind in kinds
        for panel in panels(content)
    ]


def panel_called(panels: Sequence[layout.Panel], name: str) -> layout.Panel | None:
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
        drawn = layout.figure_of(panels, width, _in_percent(report.confidence))
        layout.place_panels(drawn, panels)
        return drawn


def draw_each(report: Report) -> tuple[list[str], Iterator[bytes]]:
    """Return the titles of all panels of a report, and the first ones each as an svg, drawn when they are taken."""
    panels = panels_of(report)
    drawn = (_file([panel], None, "svg", report.confidence) for panel in panels[:MOST_PANELS])
    return [panel.title for panel in panels], drawn


def draw_panel(axis: Any, panel: layout.Panel, confidence: float | None) -> None:
    """Draw one panel on axes of a user's own, with that user's settings."""
    box, inch = axis.get_window_extent(), axis.figure.dpi
    layout.draw_on(axis, panel, box.width / inch, box.height / inch, _in_percent(confidence))
    axis.set_title("", loc="left")
    width = box.width / inch * SETTINGS["axes.titlesize"] / axis.title.get_fontsize()
    axis.set_title(layout.wrapped(panel.title, width))  # where one of the user's own takes its place
    if axis.get_legend():
        # At the top of the axes, with room made for it: above them it would lie on the title, lower on data.
        axis.get_legend().remove()
        inside = axis.legend(*axis.get_legend_handles_labels(), loc="upper right", frameon=False, borderaxespad=0.2)
        share = min(inside.get_window_extent().height / axis.get_window_extent().height + 0.02, 0.5)
        bottom, top = axis.get_ylim()
        axis.set_ylim(bottom, top + (top - bottom) * share / (1 - share))


def refuse_too_many(panels: int) -> None:
    """Raise DataError for more panels than a picture should have."""
    if panels > MOST_PANELS:
        raise DataError(f"--plot: {panels} panels are too many for one picture: choose fewer measures or runs")


def _panels(report: Report, width: float | None) -> list[layout.Panel]:
    panels = panels_of(report, width)
    if not panels:
        raise DataError(NOTHING_TO_DRAW)
    refuse_too_many(len(panels))
    return panels


def _in_percent(confidence: float | None) -> str:
    return "" if confidence is None else f"{100 * confidence:g}% "


def _file(panels: Sequence[layout.Panel], width: float | None, picture: Picture, confidence: float | None) -> bytes:
    out = io.BytesIO()
    with drawing():
        from matplotlib.backend_bases import get_registered_canvas_class

        drawn = layout.figure_of(panels, width, _in_percent(confidence))
        if picture != "png":
            drawn.set_dpi(72)  # as these have it, whatever is asked for
        get_registered_canvas_class(picture)(drawn)
        layout.place_panels(drawn, panels)
        drawn.savefig(out, format=picture, metadata={OF_PROGRAM_OR_TIME[picture]: None})
    return out.getvalue()


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with our settings and matplotlib's defaults; what it would say of letters that its fonts lack is not said."""
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)
    environment = {name: os.environ.pop(name) for name in READ if name in os.environ}
    os.environ["MATPLOTLIBRC"] = os.devnull
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            with _elsewhere():
                import matplotlib
            with matplotlib.rc_context():
                matplotlib.rcdefaults()
                matplotlib.rcParams.update(SETTINGS)
                yield
    finally:
        del os.environ["MATPLOTLIBRC"]
        os.environ.update(environment)


@contextmanager
def _elsewhere() -> Iterator[None]:
    """Work in a folder without a file matplotlibrc: the first one that is read when matplotlib is loaded."""
    with ExitStack() as stack:
        with suppress(OSError):  # a folder that may be passed but not read: it cannot be come back to
            here = os.open(os.curdir, os.O_RDONLY)
            stack.callback(os.close, here)
            stack.callback(os.fchdir, here)
            os.chdir(os.sep)
        yield

"""Tables -> pictures: those that people know from the papers, drawn by matplotlib without a display. Computes nothing."""

import io
from collections.abc import Iterator, Sequence
from importlib import import_module

from irci.base.choices import Picture
from irci.base.errors import DataError
from irci.output.kinds import KINDS
from irci.output.plots.library import SETTINGS, drawing, settle
from irci.output.plots.panels import Content, Panel, figure_of, page_of
from irci.output.report import Report

MOST_PANELS = 24
MOST_PIXELS = 1 << 16  # of a side
OF_PROGRAM_OR_TIME = {"png": "Software", "svg": "Date", "pdf": "CreationDate"}  # metadata that is left out


def panels_of(report: Report) -> list[Panel]:
    """The panels of a report, those of each kind of table by the function that its row names."""
    content = Content(report.pictures, report.sources)
    panels: list[Panel] = []
    for name in dict.fromkeys(kind.picture for kind in KINDS.values() if kind.picture):
        module, function = name.split(":")  # of this folder
        panels += getattr(import_module(f"{__name__}.{module}"), function)(content)
    return panels


def draw(report: Report, picture: Picture) -> bytes:
    """The picture of a report as a file of this kind. Raises DataError if there is nothing to draw, or too much."""
    panels = panels_of(report)
    if not panels:
        raise DataError("--plot: there is nothing to draw in this output")
    refuse_too_many(len(panels))
    height = page_of(panels).height
    if picture == "png" and height * SETTINGS["figure.dpi"] >= MOST_PIXELS:
        raise DataError(f"--plot: {height:.0f} inches are too high for .png: choose .svg or .pdf, or fewer runs")
    return _drawn(panels, picture, report.confidence)


def draw_each(report: Report) -> tuple[list[str], Iterator[bytes]]:
    """The titles of all panels of a report, and the first ones each as an svg of its own, drawn when they are taken."""
    panels = panels_of(report)
    drawn = (_drawn([panel], "svg", report.confidence) for panel in panels[:MOST_PANELS])
    return [panel.title for panel in panels], drawn


def _drawn(panels: Sequence[Panel], picture: Picture, confidence: float | None) -> bytes:
    out = io.BytesIO()
    with drawing():
        figure = figure_of(panels, "" if confidence is None else f"{100 * confidence:g}% ")
        settle(figure, picture)
        figure.savefig(out, format=picture, metadata={OF_PROGRAM_OR_TIME[picture]: None})
    return out.getvalue()


def refuse_too_many(panels: int) -> None:
    """Raise DataError for more panels than a picture should have."""
    if panels > MOST_PANELS:
        raise DataError(f"--plot: {panels} panels are too many for one picture: choose fewer measures or runs")

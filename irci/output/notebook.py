"""A report, and its picture, as a notebook shows them. Computes nothing."""

from __future__ import annotations

import importlib.util
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

from irci.base import DataError, UsageError
from irci.base.choices import INCHES, NARROWEST, WIDEST, Picture, Span
from irci.output.page import element, framed, image, listed, paragraph
from irci.output.plots import NOTHING_TO_DRAW, draw, panels_of, write_words
from irci.output.tables import printed_name, title
from irci.system import write_file

if TYPE_CHECKING:
    from irci.output.report import Report

DIGITS = 4


class Drawing(NamedTuple):
    """A picture of a report; a notebook shows it. `svg`: its text; `width`: its inches, if these were given."""

    report: Report
    svg: str
    width: float | None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file that ends in .png, .svg or .pdf."""
        kind = os.fspath(path).rpartition(".")[2].lower()
        if kind not in get_args(Picture):
            raise UsageError(f"{os.fspath(path)!r} does not end in .{', .'.join(get_args(Picture))}")
        write_file(os.fspath(path), draw(self.report, cast(Picture, kind), self.width))

    def __repr__(self) -> str:
        return "<irci picture: a notebook shows it; .save('figure.svg')>"

    def _repr_svg_(self) -> str:
        return self.svg


def drawing_of(report: Report, width: Span | float | None = None) -> Drawing:
    """Draw a report as wide as a span in print, or so many inches. Raises what `inches_of` and `draw` raise."""
    inches = inches_of(width)
    return Drawing(report, draw(report, "svg", inches).decode(), inches)


def inches_of(width: Any) -> float | None:
    """The inches of a picture. Raises UsageError for what is no width, and without matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        raise UsageError("plot needs matplotlib: pip install 'irci[plot]'")
    inches: Any = dict[Any, float](INCHES).get(width, width) if isinstance(width, str) else width
    if inches is not None and not (isinstance(inches, float | int) and NARROWEST <= inches <= WIDEST):
        spans = " or ".join(map(repr, INCHES))
        raise UsageError(f"width={width!r} is no width: {spans}, or from {NARROWEST:g} to {WIDEST:g} inches.")
    return inches


def drawn_into(axis: Any, report: Report, wanted: int | str, width: object) -> Any:
    """Draw one panel of a report's picture, by its place or words, into axes. Raises what `drawing_of` raises, and UsageError
    for no such panel."""
    if inches_of(width) is not None:
        raise UsageError("width= is that of the whole picture; a panel is as wide as its axes.")
    if not hasattr(axis, "get_window_extent"):
        raise UsageError(f"ax={axis!r} are no axes; a picture is saved by .plot().save(path).")
    panels = panels_of(report)
    if not panels:
        raise DataError(NOTHING_TO_DRAW)
    kind, *words = str(wanted).split() or [""]
    matches = [
        panel
        for index, panel in enumerate(panels)
        if wanted == index
        or (
            kind in (printed_name(panel.kind), title(panel.kind))
            and {*words} <= {word.strip(":,") for word in panel.title.split()}
        )
    ]
    if not matches:
        names = (f"{index} or {printed_name(panel.kind)!r}: {panel.title}" for index, panel in enumerate(panels))
        raise UsageError(f"no panel {wanted!r}; there are {'; '.join(names)}")
    panel = matches[0]
    panel.draw(axis)
    write_words(axis, panel, report.confidence)
    axis.set_title(panel.title, wrap=True)
    if axis.get_legend_handles_labels()[1]:
        axis.legend(frameon=False)
    return axis


def html_of(report: Report) -> str:
    """The sentences, the picture, the tables and the warnings as HTML."""
    pieces = list(map(paragraph, report.sentences))
    with suppress(DataError, UsageError):  # nothing to draw, too much, or nothing to draw it with
        pieces.append(image("", drawing_of(report).svg.encode()))
    pieces += framed(report.tables, DIGITS)
    if report.warnings:
        pieces.append(element("p", "Warnings:") + listed(report.warnings))
    return "".join(pieces)

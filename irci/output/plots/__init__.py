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

import numpy as np

from irci.base import DataError
from irci.base.choices import Picture
from irci.output.plots import runs, studies
from irci.output.plots.panels import GAP, WIDTH, Content, Panel
from irci.output.tables import Kind

if TYPE_CHECKING:
    from irci.output.report import Report

# What draws each kind of table; pictures stand below one another in this order.
PICTURES: Mapping[Kind, Callable[[Content], Iterator[Panel]]] = {
    "topic": partial(runs.topic_panels, "topic"),
    "estimate": runs.mean_panels,
    "difference": runs.difference_panels,
    "claim": runs.claim_panels,
    "topic_difference": partial(runs.topic_panels, "topic_difference"),
    "meta": runs.combined_panels,
    "rank": runs.rank_panels,
    "effect": runs.effect_panels,
    "vote": runs.vote_panels,
    "score": studies.score_panels,
    "confusion": studies.confusion_panels,
    "error_rate": studies.error_rate_panels,
    "swap": studies.swap_panels,
    "level": studies.level_panels,
    "width": studies.width_panels,
}
SETTINGS: dict[Any, Any] = {
    "font.size": 8, "axes.titlesize": 9, "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False,
    "legend.fontsize": 8, "svg.hashsalt": "irci", "svg.fonttype": "none", "pdf.fonttype": 42,
    "figure.dpi": 150, "text.parse_math": False,
}  # fmt: skip
MOST_PANELS = 24
# Inches.
PAD, ABOVE, BETWEEN = 0.05, 0.08, 0.16  # left of titles and legends, below titles, between panels
LETTER_OF_POINT, ENTRY = 0.0076, 0.55  # a letter, for each point of its size; what else an entry of a legend takes
WORDS = (1.2, 0.2, 0.7, 0.6)  # to begin with: at the left of axes, at the right, above and below
NOTHING_TO_DRAW = "--plot: there is nothing to draw in this output"
OF_PROGRAM_OR_TIME = {"png": "Software", "svg": "Date", "pdf": "CreationDate"}  # metadata that is left out


def panels_of(report: Report, width: float | None = None) -> list[Panel]:
    """Return the panels of a report; `width`: their inches, those of a page unless given."""
    content = Content(report.pictures, report.sources, width or WIDTH)
    kinds = {table.kind for table in content.tables}
    return [
        panel._replace(kind=kind) for kind, panels in PICTURES.items() if kind in kinds for panel in panels(content)
    ]


def draw(report: Report, picture: Picture, width: float | None = None) -> bytes:
    """Return the picture of a report as a file of this kind. Raises DataError as `figure` does."""
    return file_of(figure(report, width), picture)


def figure(report: Report, width: float | None = None) -> Any:
    """Return the picture of a report as a figure of matplotlib's; `width`: its inches, those of a page unless given.

    Raises DataError if there is nothing to draw, or too much.
    """
    panels = panels_of(report, width)
    if not panels:
        raise DataError(NOTHING_TO_DRAW)
    if len(panels) > MOST_PANELS:
        raise DataError(f"--plot: {len(panels)} panels are too many for one picture: choose fewer measures or runs")
    return figure_of(panels, width, report.confidence)


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


@drawing()
def file_of(figure: Any, picture: Picture, *, is_opaque: bool = True) -> bytes:
    """Return a figure as a file of this kind; on white unless told."""
    out = io.BytesIO()
    metadata = {OF_PROGRAM_OR_TIME[picture]: None}
    figure.savefig(out, format=picture, metadata=metadata, transparent=not is_opaque)
    return out.getvalue()


@drawing()
def figure_of(panels: Sequence[Panel], width: float | None, confidence: float | None) -> Any:
    """Draw panels below each other, their axes in one column, each as high as its panel asks for.

    width: inches, those of a page unless given
    confidence: of limits
    """
    from matplotlib.figure import Figure

    figure: Any = Figure((width or WIDTH, 1.0))
    axes = [figure.add_axes((0, 0, 1, 1), label=str(index)) for index in range(len(panels))]
    heights = [panel.height for panel in panels]
    _place(axes, heights, np.tile(WORDS, (len(panels), 1)))
    explained: set[object] = set()  # legends, of which the same is not shown again for another measure
    for axis, panel in zip(axes, panels, strict=True):
        panel.draw(axis)
        write_words(axis, panel, confidence)
        entries = (panel.kind, *axis.get_legend_handles_labels()[1])
        _write_above(axis, panel.title, has_legend=entries not in explained)
        explained.add(entries)
    for _ in range(2):  # as words take other lines where they have other room
        _place(axes, heights, np.array([_words_around(axis) for axis in axes]))
    return figure


def _place(axes: Sequence[Any], heights: Sequence[float], words: Any) -> None:
    """Put axes below each other; words: inches, float64[panels, 4], at the left, at the right, above and below."""
    figure, (left, right) = axes[0].figure, words[:, :2].max(axis=0) + PAD
    width, whole = figure.get_figwidth(), round(sum(heights) + words[:, 2:].sum() + len(axes) * BETWEEN, 3)
    figure.set_figheight(whole)
    top = whole - BETWEEN / 2
    for axis, height, (_, _, above, below) in zip(axes, heights, words.tolist(), strict=True):
        bottom = top - above - height
        inches = (left / width, bottom / whole, 1 - (left + right) / width, height / whole)
        axis.set_position(np.round(inches, 6))
        top = bottom - below - BETWEEN


def _words_around(axis: Any) -> Any:
    """Return the inches that words take beside axes: at the left, at the right, above and below."""
    outside = axis.get_tightbbox(for_layout_only=True)
    inside = axis.get_position(original=True).transformed(axis.figure.transFigure)
    beyond = [inside.x0 - outside.x0, outside.x1 - inside.x1, outside.y1 - inside.y1, inside.y0 - outside.y0]
    return np.clip(beyond, 0, None) / axis.figure.dpi


def write_words(axis: Any, panel: Panel, confidence: float | None) -> None:
    """Name the axes of a panel, with a note if names in it are not whole."""
    limits = "limits" if confidence is None else f"{100 * confidence:g}% limits"
    texts = [panel.title, *(tick.get_text() for tick in (*axis.get_xticklabels(), *axis.get_yticklabels()))]
    note = f"\n{GAP} stands for letters left out" if any(GAP in text for text in texts) else ""
    axis.set_xlabel(axis.get_xlabel().replace("limits", limits) + note, wrap=True)
    axis.set_ylabel(wrapped(axis.get_ylabel().replace("limits", limits), panel.height))


def _write_above(axis: Any, title: str, *, has_legend: bool) -> None:
    """Write a title above axes, from the left of the picture on, and between them a legend of labelled artists."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    width, height, begin = axis.figure.get_figwidth(), ABOVE, PAD / axis.figure.get_figwidth()
    across = blended_transform_factory(axis.figure.transFigure, axis.transAxes)
    marks, names = axis.get_legend_handles_labels()
    if names and has_legend:
        names = [wrapped(name, width - ENTRY) for name in names]
        letters = max(len(line) for name in names for line in name.split("\n"))
        columns = max(int(width / (ENTRY + letters * SETTINGS["font.size"] * LETTER_OF_POINT)), 1)
        legend = axis.legend(
            marks, names, loc="lower left", bbox_to_anchor=(begin, 1.0), bbox_transform=across, ncols=columns,
            frameon=False, borderaxespad=0.1, borderpad=0.1, handletextpad=0.4, labelspacing=0.3,
        )  # fmt: skip
        legend.set_in_layout(False)  # the title above leaves room for it
        height += legend.get_window_extent().height / axis.figure.dpi
    lines = wrapped(title, width - 2 * PAD, SETTINGS["axes.titlesize"])
    above = across + ScaledTranslation(0, height, axis.figure.dpi_scale_trans)
    axis.set_title(lines, loc="left", x=begin, y=1.0, transform=above)


def wrapped(text: str, width: float, size: float = SETTINGS["font.size"]) -> str:
    """Break a text into lines of so many inches; `size`: points of its letters."""
    letters = max(int(width / (size * LETTER_OF_POINT)), 10)
    return "\n".join(textwrap.fill(line, letters, break_on_hyphens=False) for line in text.split("\n"))

"""Tables -> pictures: those that people know from the papers, drawn by matplotlib without a display. Computes nothing."""

import io
from collections.abc import Callable, Iterator, Sequence

from irci.base.choices import Picture
from irci.base.errors import DataError
from irci.output.plots.curves import curve_panels
from irci.output.plots.histograms import histogram_panels
from irci.output.plots.intervals import interval_panels
from irci.output.plots.judges import judge_panels
from irci.output.plots.library import SETTINGS, drawing, settle
from irci.output.plots.matrices import matrix_panels
from irci.output.plots.panels import Panel, figure_of, page_of
from irci.output.report import Table

MOST_PANELS = 24
MOST_PIXELS = 1 << 16  # of a side
METADATA: dict[Picture, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
KINDS: tuple[Callable[[Sequence[Table]], list[Panel]], ...] = (
    interval_panels,
    matrix_panels,
    histogram_panels,
    curve_panels,
    judge_panels,
)


def draw(tables: Sequence[Table], picture: Picture, confidence: float | None = None) -> bytes:
    """The picture of tables as a file of this kind; `confidence` is told where there are limits.

    Raises DataError if there is nothing to draw, or too much.
    """
    panels = [panel for panels_of in KINDS for panel in panels_of(tables)]
    if not panels:
        raise DataError("--plot: there is nothing to draw in this output")
    refuse_too_many(len(panels))
    height = page_of(panels).height
    if picture == "png" and height * SETTINGS["figure.dpi"] >= MOST_PIXELS:
        raise DataError(f"--plot: {height:.0f} inches are too high for .png: choose .svg or .pdf, or fewer runs")
    out = io.BytesIO()
    with drawing():
        figure = figure_of(panels, "" if confidence is None else f"{100 * confidence:g}% ")
        settle(figure, picture)
        figure.savefig(out, format=picture, metadata=METADATA[picture])
    return out.getvalue()


def draw_each(tables: Sequence[Table], confidence: float | None = None) -> tuple[list[str], Iterator[bytes]]:
    """The titles of all panels of tables, and the first ones each as an svg of its own, drawn when they are taken."""
    panels = [panel for panels_of in KINDS for panel in panels_of(tables)]
    return [panel.title for panel in panels], (_as_svg(panel, confidence) for panel in panels[:MOST_PANELS])


def _as_svg(panel: Panel, confidence: float | None) -> bytes:
    out = io.BytesIO()
    with drawing():
        figure = figure_of([panel], "" if confidence is None else f"{100 * confidence:g}% ")
        settle(figure, "svg")
        figure.savefig(out, format="svg", metadata=METADATA["svg"])
    return out.getvalue()


def refuse_too_many(panels: int) -> None:
    """Raise DataError for more panels than a picture should have."""
    if panels > MOST_PANELS:
        raise DataError(f"--plot: {panels} panels are too many for one picture: choose fewer measures or runs")

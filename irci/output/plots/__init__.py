"""Tables -> pictures: those that people know from the papers, drawn by matplotlib without a display. Computes nothing."""

import io
from collections.abc import Callable, Sequence
from typing import Any

from irci.choices import Picture
from irci.errors import DataError
from irci.output.plots.curves import curve_panels
from irci.output.plots.histograms import histogram_panels
from irci.output.plots.intervals import interval_panels
from irci.output.plots.matrices import matrix_panels
from irci.output.plots.panels import Panel, figure_of
from irci.output.report import Table

MOST_PANELS = 24
METADATA: dict[Picture, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
SETTINGS: dict[Any, Any] = {
    "font.size": 8, "axes.titlesize": 9, "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False,
    "legend.frameon": False, "legend.fontsize": 8, "svg.hashsalt": "irci", "svg.fonttype": "none",
    "figure.dpi": 150, "text.parse_math": False,
}  # fmt: skip

KINDS: tuple[Callable[[Sequence[Table]], list[Panel]], ...] = (
    interval_panels,
    matrix_panels,
    histogram_panels,
    curve_panels,
)


def draw(tables: Sequence[Table], picture: Picture, confidence: float | None = None) -> bytes:
    """The picture of tables as a file of this kind; `confidence` is told where there are limits.

    Raises DataError if there is nothing to draw, or too much.
    """
    import matplotlib

    matplotlib.use("Agg")
    panels = [panel for panels_of in KINDS for panel in panels_of(tables)]
    if not panels:
        raise DataError("--plot: nothing in these rows can be drawn")
    if len(panels) > MOST_PANELS:
        raise DataError(f"--plot: {len(panels)} panels are too many for one picture: choose fewer measures or runs")
    out = io.BytesIO()
    with matplotlib.rc_context(SETTINGS):
        figure_of(panels, "" if confidence is None else f"{100 * confidence:g}% ").savefig(
            out, format=picture, metadata=METADATA[picture]
        )
    return out.getvalue()

"""Tables -> pictures: those that people know from the papers, drawn by matplotlib without a display. Computes nothing."""

import io
from collections.abc import Callable, Sequence

from irci.choices import Picture
from irci.errors import DataError
from irci.output.plots.curves import curve_panels
from irci.output.plots.histograms import histogram_panels
from irci.output.plots.intervals import interval_panels
from irci.output.plots.library import drawing, settle
from irci.output.plots.matrices import matrix_panels
from irci.output.plots.panels import Panel, figure_of
from irci.output.report import Table

MOST_PANELS = 24
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
)


def draw(tables: Sequence[Table], picture: Picture, confidence: float | None = None) -> bytes:
    """The picture of tables as a file of this kind; `confidence` is told where there are limits.

    Raises DataError if there is nothing to draw, or too much.
    """
    panels = [panel for panels_of in KINDS for panel in panels_of(tables)]
    if not panels:
        raise DataError("--plot: nothing in these rows can be drawn")
    if len(panels) > MOST_PANELS:
        raise DataError(f"--plot: {len(panels)} panels are too many for one picture: choose fewer measures or runs")
    out = io.BytesIO()
    with drawing():
        figure = figure_of(panels, "" if confidence is None else f"{100 * confidence:g}% ")
        settle(figure, picture)
        figure.savefig(out, format=picture, metadata=METADATA[picture])
    return out.getvalue()

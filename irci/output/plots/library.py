"""matplotlib as it comes: a picture depends on the tables drawn, on nothing that the user has set for matplotlib."""

import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from irci.base.choices import Picture

SETTINGS: dict[Any, Any] = {
    "font.size": 8, "axes.titlesize": 9, "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False,
    "legend.frameon": False, "legend.fontsize": 8, "svg.hashsalt": "irci", "svg.fonttype": "none", "pdf.fonttype": 42,
    "figure.dpi": 150, "text.parse_math": False,
}  # fmt: skip
# What matplotlib reads of the environment: its backend (a window, or nonsense), its settings, the time (or nonsense).
READ = ("MPLBACKEND", "MATPLOTLIBRC", "SOURCE_DATE_EPOCH")


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


def settle(figure: Any, picture: Picture) -> None:
    """Place the panels, once and for all. matplotlib solves for places in an order of memory addresses, so that their last
    bits are not the same every time, and with them names in an svg and signs of zeros in a pdf: these bits are rounded off.
    """
    from matplotlib.backend_bases import get_registered_canvas_class

    if picture != "png":
        figure.set_dpi(72)  # as these have it, whatever is asked for
    get_registered_canvas_class(picture)(figure)
    figure.get_layout_engine().execute(figure)
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

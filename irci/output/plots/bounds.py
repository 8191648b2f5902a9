"""Bounds over the grades of unjudged documents: hatched boxes, since they are no confidence limits, which have whiskers."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from irci.base.types import gathered
from irci.output.plots.pairs import by_value, from_one, is_list, pair_labels
from irci.output.plots.panels import GREY, Content, Panel, Row, grouped, key, list_panel, name_rows, step_of, style
from irci.output.tables import NO_WORD
from irci.output.wording import mean_of

LEGEND = "bounds over all grades of unjudged documents"
SIGNS = {"sure": "sure: no grades would change its sign", "open": "open: some grades might"}


def bounds_panels(content: Content) -> Iterator[Panel]:
    """For each measure the runs by score."""
    for (measure,), some in grouped(content.rows("bounds"), "measure").items():
        what, ordered = mean_of(measure), by_value(some)
        yield _panel(f"{what} of each run, and its bounds", what, ordered)


def difference_bounds_panels(content: Content) -> Iterator[Panel]:
    """For each measure the pairs by difference, if they are not too many for a list."""
    for (measure,), some in grouped(content.rows("difference_bounds"), "measure").items():
        if is_list(some):
            what, ordered = f"difference in {mean_of(measure.removesuffix('_diff'))}", by_value(some)
            yield _panel(f"{what}, and its bounds{from_one(some)}", what, ordered)


def _panel(title: str, what: str, rows: Sequence[Row]) -> Panel:
    names = pair_labels(rows)  # which may be longer than a run's
    beside = 0.1 + (8 + max(map(len, names)) * step_of(len(names))[1]) * 0.0083
    return list_panel(title, names, partial(_draw, what, rows, names), around=1.2, beside=beside)


def _draw(what: str, rows: Sequence[Row], names: Sequence[str], axis: Any) -> None:
    name_rows(axis, names)
    axis.use_sticky_edges = False  # room beside the boxes
    bounds_bars(axis, range(len(rows)), rows)
    if "baseline" in rows[0]:
        axis.axvline(0, color="black", linewidth=0.8)
    axis.set_xlabel(what)


def bounds_bars(axis: Any, places: Sequence[int], rows: Sequence[Row], *, vertical: bool = False) -> None:
    """A mark for each value, hollow where its sign is open, in a hatched box from bound to bound."""
    boxed = [(place, row) for place, row in zip(places, rows, strict=True) if row["upper"] > row["lower"]]
    if boxed:
        at, lows, sizes = zip(
            *((place, row["lower"], row["upper"] - row["lower"]) for place, row in boxed), strict=True
        )
        look = {"facecolor": "none", "edgecolor": GREY, "hatch": "//////", "linewidth": 0.7}
        (axis.bar if vertical else axis.barh)(at, sizes, 0.55, lows, label=LEGEND, **look)
    points = ((row.get("sign", NO_WORD), (place, row["value"])) for place, row in zip(places, rows, strict=True))
    for sign, found in gathered(points).items():
        across, down = zip(*found, strict=True)
        mark = style(0) | ({"markerfacecolor": "white"} if sign == "open" else {})
        axis.plot(*((across, down) if vertical else (down, across)), linestyle="none", markersize=3.5, **mark)
        key(axis, SIGNS.get(sign, "as judged"), **mark)

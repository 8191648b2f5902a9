"""Forest plots: the difference of a pair in each collection, and below these the mean over all of them, as diamonds."""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from irci.output.plots.marks import bars, cross_key, has_limits, p_keys, told_apart
from irci.output.plots.panels import (
    Panel,
    Row,
    grouped,
    key,
    label,
    list_height,
    name_rows,
    names_width,
    step_of,
    style,
)
from irci.output.wording import mean_of

ALL = "all"  # in the column collection
MOST = 20  # forests; of more pairs the means alone are drawn
# The means, as they are called below the collections, and in which colour.
MEANS = {"topics": ("mean, these", 1), "collections": ("mean, like these", 2)}
KEYS = {"topics": "mean of these collections", "collections": "mean of collections like these"}
HALF = 0.32  # of a diamond's height, in rows


def of_all(rows: Iterable[Row]) -> list[Row]:
    """Rows over all collections, or of the one there is."""
    return [row for row in rows if row.get("collection", ALL) == ALL]


def forest_panels(rows: Sequence[Row]) -> list[Panel]:
    """A forest for each pair and measure, on one scale for each measure, if they are not too many."""
    by_collection = [row for row in rows if row.get("collection", ALL) != ALL]
    if not 0 < len(grouped(by_collection, "measure", "run", "baseline")) <= MOST:
        return []
    panels = []
    for of_measure in grouped([row for row in rows if "collection" in row], "measure").values():
        span = _span(of_measure)
        explained = of_measure
        for (run, baseline), some in grouped(of_measure, "run", "baseline").items():
            what = f"difference in {mean_of(of_measure[0]['of_measure'])}"
            draw = partial(_draw, some, span, what, explained)
            panels.append(
                Panel(
                    f"{label(run)} − {label(baseline)}",
                    list_height(len(some)),
                    draw,
                    around=1.2,
                    beside=names_width(_names(some)),
                )
            )
            explained = []
    return panels


def _names(rows: Sequence[Row]) -> list[str]:
    """Of the collections, each with its number of topics, and of the means."""
    return [
        f"{row['collection']} ({row['topics']})" if row["collection"] != ALL else MEANS[row["population"]][0]
        for row in rows
    ]


def _span(rows: Sequence[Row]) -> tuple[float, float]:
    """From the lowest limit to the highest; those over few collections may be so wide that they hide all others."""
    sure = [row for row in rows if row["population"] != "collections"] or rows
    ends = [row[name] for row in sure for name in ("value", "lower", "upper") if math.isfinite(row[name])]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    room = (high - low) or 1.0
    wide = [row[name] for row in rows for name in ("lower", "upper") if math.isfinite(row[name])]
    low, high = max(min([low, *wide]), low - room / 2), min(max([high, *wide]), high + room / 2)
    return low - room / 20, high + room / 20


def _draw(rows: Sequence[Row], span: tuple[float, float], what: str, explained: Sequence[Row], axis: Any) -> None:
    """A forest; `explained`: the rows whose marks its legend is for, none but in the first of a measure."""
    single = [place for place, row in enumerate(rows) if row["collection"] != ALL]
    bars(axis, single, [rows[place] for place in single], **style(0))
    for place, row in enumerate(rows):
        if row["collection"] == ALL and math.isfinite(row["value"]):
            _diamond(axis, place, row)
    names = _names(rows)
    name_rows(axis, names)
    axis.set_yticks(range(len(names)), [label(name) for name in names], fontsize=step_of(len(names))[1])
    if single:
        axis.axhline(len(single) - 0.5, color="black", linewidth=0.5)
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set(xlabel=f"{what} and limits", xlim=span)
    for population in dict.fromkeys(row["population"] for row in explained if row["collection"] == ALL):
        key(axis, KEYS[population], color=style(MEANS[population][1])["color"], marker="D")
    p_keys(axis, explained)
    cross_key(axis, explained)
    if any(has_limits(row) and not (span[0] <= row["lower"] and row["upper"] <= span[1]) for row in explained):
        key(axis, "limits beyond the picture", color=style(MEANS["collections"][1])["color"], marker="$↔$")


def _diamond(axis: Any, place: int, row: Row) -> None:
    """From limit to limit, widest at the value; filled where the two are told apart; without limits a cross."""
    colour = style(MEANS[row["population"]][1])["color"]
    if not has_limits(row):
        bars(axis, [place], [row], color=colour)
        return
    across = [row["lower"], row["value"], row["upper"], row["value"]]
    down = [place, place - HALF, place, place + HALF]
    axis.fill(across, down, facecolor=colour if told_apart(row) else "white", edgecolor=colour)

"""Forest plots: the difference of a pair in each collection, and below these the mean over all of them, as diamonds."""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from irci.base.choices import TOPICS
from irci.output.plots.marks import bars, cross_key, diamond, has_limits, p_keys
from irci.output.plots.pairs import difference_of
from irci.output.plots.panels import Panel, Row, grouped, key, label, list_height, name_rows, names_width, style

ALL = "all"  # in the column collection
MOST = 20  # forests; of more pairs the means alone are drawn
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
            draw = partial(_draw, some, span, difference_of(of_measure[0]), explained)
            title, beside = f"{label(run)} − {label(baseline)}", names_width(_names(some))
            panels.append(Panel(title, list_height(len(some)), draw, around=1.2, beside=beside))
            explained = []
    return panels


def _names(rows: Sequence[Row]) -> list[str]:
    """Names of the collections, each with its number of topics, and of the means."""
    return [
        f"{row['collection']} ({row['topics']})" if row["collection"] != ALL else row["varies"].mean for row in rows
    ]


def _span(rows: Sequence[Row]) -> tuple[float, float]:
    """From the lowest limit to the highest; those over few collections may be so wide that they hide all others."""
    sure = [row for row in rows if row["population"] == TOPICS] or rows
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
    name_rows(axis, list(map(label, names)))
    if single:
        axis.axhline(len(single) - 0.5, color="black", linewidth=0.5)
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set(xlabel=f"{what} and limits", xlim=span)
    for mean in {row["population"]: row for row in explained if row["collection"] == ALL}.values():
        key(axis, mean["varies"].means, color=_colour(mean), marker="D")
    p_keys(axis, explained)
    cross_key(axis, explained)
    if any(has_limits(row) and not (span[0] <= row["lower"] and row["upper"] <= span[1]) for row in explained):
        key(axis, "limits beyond the picture", color=style(2)["color"], marker="$↔$")


def _colour(row: Row) -> str:
    """The colour of a mean: of the collections there are, or of others like them."""
    return str(style(1 if row["population"] == TOPICS else 2)["color"])


def _diamond(axis: Any, place: int, row: Row) -> None:
    """The limits of a mean; without limits a cross."""
    if has_limits(row):
        diamond(axis, place, row, _colour(row), HALF)
    else:
        bars(axis, [place], [row], color=_colour(row))

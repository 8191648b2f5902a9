"""Values with their limits: whiskers, hollow marks where nothing is told apart, crosses where limits are not defined."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from irci.base.types import gathered
from irci.output.plots.panels import GREY, Row, key, name_rows, style

ALPHA = 0.05
LOOKS: dict[str, dict[str, Any]] = {
    "filled": {}, "hollow": {"markerfacecolor": "white"}, "cross": {"marker": "x", "markersize": 4.5},
}  # fmt: skip
THIN = 0.5
ERROR_BAR = {"linestyle": "none", "elinewidth": 1.0, "capsize": 1.5, "markersize": 3.5}


def p_of(row: Row) -> float:
    """The p-value that tells a pair apart: the adjusted one, if there is one; nan where there is none."""
    p = row.get("p_adjusted", row.get("p"))
    return math.nan if p is None else float(p)


def told_apart(row: Row) -> bool:
    """True unless p is larger than alpha; a row without a p-value says nothing of that."""
    return not p_of(row) > ALPHA


def keys(axis: Any, rows: Sequence[Row], *, adjusted: bool = False) -> None:
    """Entries of the legend for marks filled and hollow, for thin bars if asked for, and for a cross, if rows have such."""
    if any(not math.isnan(p_of(row)) for row in rows):
        name = "adjusted p" if "p_adjusted" in rows[0] else "p (not adjusted)"
        key(axis, f"{name} ≤ {ALPHA}", color=GREY, marker="o")
        key(axis, f"{name} > {ALPHA}", color=GREY, marker="o", markerfacecolor="white")
    if adjusted and any("lower_adjusted" in row for row in rows):
        key(axis, "limits adjusted for the number of pairs", color=GREY, linestyle="-", linewidth=THIN)
    if any(math.isfinite(row["value"]) and not has_limits(row) for row in rows):
        key(axis, "no limits", color=GREY, marker="x")


def has_limits(row: Row) -> bool:
    """True where both limits can be drawn."""
    return math.isfinite(row["lower"]) and math.isfinite(row["upper"])


def and_limits(what: str, rows: Iterable[Row]) -> str:
    """The name of an axis that shows a value, and limits if there are any."""
    return f"{what} and limits" if any(map(has_limits, rows)) else what


def bars(axis: Any, places: Iterable[float], rows: Sequence[Row], *, vertical: bool = False, **look: Any) -> None:
    """A mark for each value, and a bar from lower to upper: of each limit that there is."""
    there = ((place, row) for place, row in zip(places, rows, strict=True) if math.isfinite(row["value"]))
    by_mark = gathered((_mark_of(row), (place, row)) for place, row in there)
    for mark, found in by_mark.items():
        at, some = zip(*found, strict=True)
        along, across, spread = ("x", "y", "yerr") if vertical else ("y", "x", "xerr")
        where = {along: at, across: [row["value"] for row in some], spread: whiskers(some)}
        axis.errorbar(**where, **{**ERROR_BAR, **look, **LOOKS[mark]})


def _mark_of(row: Row) -> str:
    return "cross" if not has_limits(row) else "filled" if told_apart(row) else "hollow"


def whiskers(rows: Sequence[Row], of: str = "") -> list[list[float]]:
    """The distances of limits below and above values; nothing where there are none. `of`: behind the names of columns."""
    ends = [
        [(row["lower" + of], row["value" + of]) for row in rows],
        [(row["value" + of], row["upper" + of]) for row in rows],
    ]
    return [[max(to - from_, 0.0) if math.isfinite(to - from_) else 0.0 for from_, to in side] for side in ends]


def diamond(axis: Any, place: float, row: Row, colour: str, half: float) -> None:
    """From limit to limit, widest at the value, there so high up and down; filled where the two are told apart."""
    across = [row["lower"], row["value"], row["upper"], row["value"]]
    down = [place, place - half, place, place + half]
    axis.fill(across, down, facecolor=colour if told_apart(row) else "white", edgecolor=colour)


def adjusted_bars(axis: Any, places: Iterable[float], rows: Sequence[Row], colour: str) -> None:
    """Thinner and longer ones beneath, where rows have limits that are adjusted for the number of pairs."""
    found = [
        (place, row["lower_adjusted"], row["upper_adjusted"])
        for place, row in zip(places, rows, strict=True)
        if math.isfinite(row.get("lower_adjusted", math.nan)) and math.isfinite(row["upper_adjusted"])
    ]
    if found:
        axis.hlines(*zip(*found, strict=True), color=colour, linewidth=THIN)


def draw_series(
    names: Sequence[object], labels: Sequence[str], series: dict[str, list[tuple[object, Row]]], axis: Any
) -> None:
    """A list: names down the side under these labels, and beside each the rows of its name, of one series or several."""
    place_of = {name: place for place, name in enumerate(names)}
    for number, (name, rows) in enumerate(series.items()):
        shift = (number - (len(series) - 1) / 2) * (0.5 / len(series))
        places, of_series = [place_of[each] + shift for each, _ in rows], [row for _, row in rows]
        bars(axis, places, of_series, **style(number))
        adjusted_bars(axis, places, of_series, style(number)["color"])
        if len(series) > 1:
            key(axis, name, **style(number))
    keys(axis, [row for rows in series.values() for _, row in rows], adjusted=True)
    name_rows(axis, labels)


def by_series(rows: Iterable[Row], label_of: Callable[[Row], str], *names: str) -> dict[str, list[tuple[object, Row]]]:
    """The rows of each series by its label, each with its name: what some columns hold."""
    return gathered((label_of(row), (tuple(row[name] for name in names), row)) for row in rows)


def varied(row: Row) -> str:
    """The label of what varies."""
    return str(row["varies"].label)

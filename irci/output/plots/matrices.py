"""All pairs of systems at once: which differ, and in how many splits."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from irci.output.plots.intervals import MOST_PAIRS, difference_of, series_name
from irci.output.plots.panels import MANY, WIDTH, Panel, Row, grouped, label, rows_of
from irci.output.report import Table

ALPHA = 0.05
LESS, GREATER = "#D55E00", "#0072B2"


def matrix_panels(tables: Sequence[Table]) -> list[Panel]:
    """Agreement maps of splits, and significance matrices of more differences than fit a list."""
    panels = []
    for (measure, what), some in grouped(rows_of(tables, "vote"), "of_measure", "what").items():
        panels.append(
            _panel(f"{measure}: {what}", some, [(row["for"] - row["against"]) / row["splits"] for row in some])
        )
    for (_, population), some in grouped(rows_of(tables, "difference"), "measure", "population").items():
        if len(some) > MOST_PAIRS:
            signs = [(1 if row["value"] > 0 else -1) * (row["p_adjusted"] <= ALPHA) for row in some]
            what = f"{difference_of(some[0])}, {series_name(population)}"
            panels.append(_panel(f"{what}: pairs that differ (adjusted p ≤ {ALPHA})", some, signs))
    return panels


def _panel(title: str, rows: Sequence[Row], values: Sequence[float]) -> Panel:
    names = list(dict.fromkeys(name for row in rows for name in (row["run"], row["baseline"])))
    # The sum of a system's differences from all others is in order of its score.
    above = dict.fromkeys(names, 0.0)
    for row in rows:
        above[row["run"]] += row["value"]
        above[row["baseline"]] -= row["value"]
    ordered = sorted(names, key=lambda name: -above[name])
    side = max(1.5, len(names) * (0.12 if len(names) > MANY else 0.2))
    return Panel(title, side + 1.8, partial(_draw, ordered, rows, values), max(WIDTH, side + 4.2))


def _draw(names: Sequence[str], rows: Sequence[Row], values: Sequence[float], axis: Any) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    place_of = {name: place for place, name in enumerate(names)}
    cells = [[0.0] * len(names) for _ in names]
    for row, value in zip(rows, values, strict=True):
        first, second = place_of[row["run"]], place_of[row["baseline"]]
        cells[first][second], cells[second][first] = value, -value
    colours = LinearSegmentedColormap.from_list("signs", [LESS, "#ffffff", GREATER])
    image = axis.imshow(cells, cmap=colours, vmin=-1, vmax=1, interpolation="nearest")
    size = 5 if len(names) > MANY else 8
    axis.set_xticks(range(len(names)), [label(name) for name in names], rotation=90, fontsize=size)
    axis.set_yticks(range(len(names)), [label(name) for name in names], fontsize=size)
    axis.tick_params(length=0)
    axis.set_xlabel("systems by score")
    bar = axis.figure.colorbar(image, ax=axis, shrink=0.5, ticks=[-1, 0, 1])
    bar.ax.set_yticklabels(["row is worse", "not told apart", "row is better"])

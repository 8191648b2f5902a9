"""All pairs of runs at once: which differ, and in how many splits."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from irci.output.plots.marks import ALPHA, varied
from irci.output.plots.pairs import difference_of, is_list
from irci.output.plots.panels import NARROW, Content, Panel, Row, grouped, label, names_width, patch, step_of
from irci.output.wording import in_words

LESS, NEITHER, GREATER = "#D55E00", "#ffffff", "#0072B2"


def matrix_panels(content: Content) -> list[Panel]:
    """Agreement maps of splits, and significance matrices of more differences than fit a list."""
    panels = []
    for (measure, what), some in grouped(content.rows("vote"), "of_measure", "what").items():
        shares = [(row["for"] - row["against"]) / row["splits"] for row in some]
        panels.append(_panel(f"{in_words(measure)}: {what}", some, shares))
    for some in grouped(content.rows("difference"), "measure", "population").values():
        if not is_list(some):
            signs = [(1 if row["value"] > 0 else -1) * (row["p_adjusted"] <= ALPHA) for row in some]
            what = f"{difference_of(some[0])}: {varied(some[0])}; adjusted p ≤ {ALPHA}"
            panels.append(_panel(what, some, signs))
    return panels


def _panel(title: str, rows: Sequence[Row], values: Sequence[float]) -> Panel:
    names = list(dict.fromkeys(name for row in rows for name in (row["run"], row["baseline"])))
    # The sum of a run's differences from all others is in order of its score.
    above = dict.fromkeys(names, 0.0)
    for row in rows:
        above[row["run"]] += row["value"]
        above[row["baseline"]] -= row["value"]
    ordered = sorted(names, key=lambda name: -above[name])
    side = max(1.0, len(names) * step_of(len(names))[0])
    beside = names_width(ordered)
    width = max(NARROW, side + beside + 0.4)
    return Panel(title, side, partial(_draw, ordered, rows, values), width, 0.9 + beside, beside, width)


def _draw(names: Sequence[str], rows: Sequence[Row], values: Sequence[float], axis: Any) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    place_of = {name: place for place, name in enumerate(names)}
    cells = [[0.0] * len(names) for _ in names]
    for row, value in zip(rows, values, strict=True):
        first, second = place_of[row["run"]], place_of[row["baseline"]]
        cells[first][second], cells[second][first] = value, -value
    colours = LinearSegmentedColormap.from_list("signs", [LESS, NEITHER, GREATER], N=257)
    axis.imshow(cells, cmap=colours, vmin=-1, vmax=1, interpolation="nearest")
    axis.set_anchor("NW")
    size = step_of(len(names))[1]
    axis.set_xticks(range(len(names)), [label(name) for name in names], rotation=90, fontsize=size)
    axis.set_yticks(range(len(names)), [label(name) for name in names], fontsize=size)
    axis.tick_params(length=0)
    axis.set_xlabel("runs by score")
    for text, value in _classes(set(values)):
        patch(axis, text, colours((value + 1) / 2))


def _classes(values: set[float]) -> list[tuple[str, float]]:
    """The classes that colours stand for: signs, or shares of splits."""
    if values <= {-1, 0, 1}:
        return [("row is better", 1), ("no significant difference", 0), ("row is worse", -1)]
    return [
        ("row is better in all splits", 1), ("in half of them", 0.5), ("no significant difference", 0),
        ("row is worse in half of them", -0.5), ("in all splits", -1),
    ]  # fmt: skip

"""Lists: names down the side, with something beside each; how large rows, letters and marks are."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from irci.output.plots.names import label
from irci.output.plots.panels import LEAST_SIZE, LEAST_STEP, LETTER_OF_SIZE, PALE, Panel

# Rows of a list of no more than FEW: inches for each, and the size of its letters; of longer ones, the least.
FEW, STEP, SIZE = 25, 0.2, 8.0
MARK, EDGE = 3.5, 0.8  # points: a mark's size, and the line around it
SPREAD = 0.6  # of a row, which several series share


def step_of(rows: int) -> tuple[float, float]:
    """Inches for each row of a list of so many, and the size of its letters."""
    return (STEP, SIZE) if rows <= FEW else (LEAST_STEP, LEAST_SIZE)


def row_of(rows: int, series: int) -> float:
    """Inches for each row of a list of so many, beside which stand several series, so that no mark hides another."""
    wider = 1.0 if series == 1 else max(1.6 if rows <= FEW else 1.25, 0.6 * series)
    return step_of(rows)[0] * wider


def marks_of(rows: int, series: int) -> dict[str, Any]:
    """The size of marks of a list that fit the distance of its series."""
    apart = 72 * row_of(rows, series) * SPREAD / series
    return {"markersize": max(min(MARK, apart - EDGE), 1.5), "markeredgewidth": EDGE}


def shift_of(number: int, series: int) -> float:
    """How far below the middle of a row, in rows, one of its series stands."""
    return (number - (series - 1) / 2) * SPREAD / series


def names_width(names: Sequence[object]) -> float:
    """Inches for the names of a list."""
    return 0.1 + max(len(label(name)) for name in names) * step_of(len(names))[1] * LETTER_OF_SIZE


def some_named(names: Sequence[str], inches: float) -> tuple[Sequence[int], Sequence[str], str]:
    """The places and names of those along an axis of so many inches that can be read, equally far apart; a note on them."""
    every = max(math.ceil(len(names) * LEAST_STEP / inches), 1)
    shown = range(0, len(names), every)
    return shown, [names[place] for place in shown], f" (one in {every} is named)" if every > 1 else ""


def list_panel(
    title: str, names: Sequence[object], draw: Callable[[Any], None], around: float, beside: float = 0, series: int = 1
) -> Panel:
    """A list of names with something beside each, of several series. `beside`: inches of the names, if not of these."""
    height = row_of(len(names), series) * max(len(names), 2)
    return Panel(title, height, draw, around=around, beside=beside or names_width(names))


def name_rows(axis: Any, names: Sequence[str]) -> None:
    """Names, which are not too long, down the left side, the first on top."""
    axis.set_yticks(range(len(names)), names, fontsize=step_of(len(names))[1])
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", color=PALE, linewidth=0.6)
    axis.set_axisbelow(True)

"""Two judges side by side: each run's score by both, their labels, and the pairs of runs that they find to differ."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from irci.output.plots.lists import list_panel, name_rows
from irci.output.plots.names import label
from irci.output.plots.pairs import ERROR_BAR, whiskers
from irci.output.plots.panels import GREY, LEAST_SIZE, PALE, WIDTH, Content, Panel, Row, grouped, patch, style
from irci.output.wording import as_typed, mean_of

SIDE = 4.2  # inches of a panel of scores
NARROWEST, BESIDE = 3.0, 0.9  # of its axes, among other columns; of what is beside them
SIZE = LEAST_SIZE  # points, of names at their marks
MARK = 0.03  # inches: half of one
LETTER, LINE, APART = 0.64 * SIZE / 72, 1.25 * SIZE / 72, 0.05  # inches: a letter, a line, from a mark to its name
CLASSES = {
    "AA": ("both judges, same direction", "#0072B2"),
    "AD": ("both, opposite directions", "#D55E00"),
    "MA": ("one of them, same direction", "#56B4E9"),
    "MD": ("one of them, opposite directions", "#E69F00"),
    "PA": ("neither, same direction", "#dddddd"),
    "PD": ("neither, opposite directions", "#999999"),
}


def score_panels(content: Content) -> Iterator[Panel]:
    """The scores by both judges, for each measure and other judge."""
    for (measure, judge), some in grouped(content.rows("score"), "measure", "judge").items():
        title = f"{mean_of(measure)} of each run:\nQRELS and {label(judge)}"
        yield Panel(
            title,
            SIDE,
            partial(_draw_scores, measure, some, NARROWEST if content.width is None else content.width - BESIDE),
        )


def label_panels(content: Content) -> Iterator[Panel]:
    """The documents by both judges' grades, for each other judge."""
    for (judge,), some in grouped(content.rows("confusion"), "judge").items():
        side = max(1.2, 0.42 * len({row["grade_a"] for row in some}))
        yield Panel(f"documents by grade:\nQRELS and {label(judge)}", side, partial(_draw_labels, some))


def pair_panels(content: Content) -> Iterator[Panel]:
    """The pairs by which of two judges tells them apart, for each measure and level."""
    for (measure, alpha), some in grouped(content.rows("judged_pairs"), "of_measure", "alpha").items():
        title = f"{as_typed(measure)}: pairs of runs significant ({alpha:g}) under QRELS and another judge"
        judges = [row["judge"] for row in some]
        yield list_panel(title, judges, partial(_draw_pairs, some), around=0.9)._replace(least=WIDTH)


def _draw_scores(measure: str, rows: Sequence[Row], inches: float, axis: Any) -> None:
    """A mark a run with the limits of both means; above the line the other judge is more lenient."""
    names = ("value", "lower", "upper", "value_b", "lower_b", "upper_b")
    finite = [row[name] for row in rows for name in names if math.isfinite(row[name])]
    margin = 0.05 * (max(finite) - min(finite)) or 0.05
    low, high = min(finite) - margin, max(finite) + margin
    axis.axline((low, low), slope=1, color=GREY, linewidth=0.8)
    look = {**ERROR_BAR, "elinewidth": 0.5, "capsize": 0, "ecolor": PALE, "markerfacecolor": "none", **style(0)}
    means = {axis: [row[name] for row in rows] for axis, name in (("x", "value"), ("y", "value_b"))}
    axis.errorbar(**means, xerr=whiskers(rows), yerr=whiskers(rows, "_b"), **look)
    of_qrels, of_other = (f"{mean_of(measure)} by {judge} and limits" for judge in ("QRELS", "the other judge"))
    axis.set(xlim=(low, high), ylim=(low, high), xlabel=of_qrels, ylabel=of_other)
    named = list(_placed(rows, low, high, inches))
    if len(named) < len(rows):
        axis.set_xlabel(f"{axis.get_xlabel()}\n{len(named)} of {len(rows)} runs are named, where there is room")
    for name, mark, side in named:
        beside, ha = (APART * 72 * side, 0), "left" if side > 0 else "right"
        axis.annotate(name, mark, beside, textcoords="offset points", fontsize=SIZE, va="center", ha=ha)


def _placed(
    rows: Sequence[Row], low: float, high: float, inches: float
) -> Iterator[tuple[str, tuple[float, float], int]]:
    """Names, their marks, and whether they stand right (1) or left (-1) of these: as many as lie over nothing else."""
    across, up = (high - low) / inches, (high - low) / SIDE  # an inch
    marks = [(row["value"], row["value_b"]) for row in rows]
    # What lies there: left, bottom, right, top.
    taken = [(x - MARK * across, y - MARK * up, x + MARK * across, y + MARK * up) for x, y in marks]
    for row in sorted(rows, key=lambda row: (-row["value_b"], row["run"])):
        name, x, y = row["run"], row["value"], row["value_b"]
        width = LETTER * len(name) * across
        for side in (1, -1):
            near = x + side * APART * across
            left, right = sorted((near, near + side * width))
            bottom, top = y - LINE / 2 * up, y + LINE / 2 * up
            is_free = all(left >= x1 or x0 >= right or bottom >= y1 or y0 >= top for x0, y0, x1, y1 in taken)
            if low < left and right < high and is_free:
                taken.append((left, bottom, right, top))
                yield name, (x, y), side
                break


def _draw_labels(rows: Sequence[Row], axis: Any) -> None:
    down, across = (sorted({row[name] for row in rows}) for name in ("grade_a", "grade_b"))
    of_row = {grade: sum(row["documents"] for row in rows if row["grade_a"] == grade) for grade in down}
    cells = [[0.0] * len(across) for _ in down]
    for row in rows:
        y, x = down.index(row["grade_a"]), across.index(row["grade_b"])
        cells[y][x] = share = row["documents"] / of_row[row["grade_a"]]
        axis.text(x, y, f"{row['documents']:,}", ha="center", va="center", color="white" if share > 0.55 else "black")
    axis.imshow(cells, cmap="Blues", vmin=0, vmax=1, interpolation="nearest", aspect="auto")
    axis.set_xticks(range(len(across)), [str(grade) for grade in across])
    axis.set_yticks(range(len(down)), [str(grade) for grade in down])
    axis.tick_params(length=0)
    axis.set(xlabel="grade by the other judge", ylabel="grade by QRELS")


def _draw_pairs(rows: Sequence[Row], axis: Any) -> None:
    begins = [0.0] * len(rows)
    for name, (text, colour) in CLASSES.items():
        shares = [100 * row[name] / max(row["pairs"], 1) for row in rows]
        axis.barh(range(len(rows)), shares, left=begins, color=colour, edgecolor="white", linewidth=0.4, height=0.6)
        begins = [begin + share for begin, share in zip(begins, shares, strict=True)]
        patch(axis, text, colour)
    name_rows(axis, [label(row["judge"]) for row in rows])
    axis.set(xlabel="percent of all pairs", xlim=(0, 100))

"""Pictures of the other studies: curves of error rates, swaps, levels, widths; and two sets of judgments side by side."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from irci.output.plots import panels
from irci.output.plots.panels import MARK, Content, Panel, Row
from irci.output.tables import mean_of

SWAP_HEIGHT, SWAP_BINS = 4.2, 12  # inches; the narrowest differences, which swap at all
SIGNIFICANT = {"color": panels.GREY, "linewidth": 0.8, "linestyle": "--"}  # the line of 5%
STAR: dict[str, Any] = {"marker": "*", "markersize": 8, "linestyle": "none"}


def error_rate_panels(content: Content) -> Iterator[Panel]:
    """Draw rates against the number of topics, and against the fuzziness (Buckley & Voorhees 2000, Figures 2 to 4)."""
    rows = [{**row, "percent": 100 * row["rate"], "sd": 100 * row["sd"]} for row in content.rows("error_rate")]
    units = rows[0].get("units", "topics")
    axes = {"size": f"{units} in a set", "fuzziness": "fuzziness, percent"}
    forms = {"size": f"{{}} {units}", "fuzziness": "{}% fuzziness"}
    varied = [x for x in axes if len({row[x] for row in rows}) > 1]
    for x in varied or ["size"]:
        (other,) = forms.keys() - {x}
        values = sorted({row[other] for row in rows})
        few = values if len(values) <= 3 else (values[0], values[len(values) // 2], values[-1])
        title = f"error rate{panels.of_one(rows)} against {axes[x]}" if varied else "error rate"
        yield panels.curve_panel(
            title, (axes[x], "error rate ± sd, percent"), [row for row in rows if row[other] in few], x, "percent",
            {"of_measure": "{}", other: forms[other]}, spread="sd", is_marked=True,
            then=partial(panels.ticks_at, [row[x] for row in rows]),
        )  # fmt: skip


def swap_panels(content: Content) -> Iterator[Panel]:
    """Draw swap rates of each bin against the number of topics, with their fits (Voorhees & Buckley 2002)."""
    for (measure,), rows in panels.grouped(content.rows("swap"), "of_measure").items():
        title = f"{measure}: swap rate by difference on the first set (dashed: 5%)"
        yield Panel(title, SWAP_HEIGHT, partial(_draw_swaps, rows))


def _draw_swaps(rows: Sequence[Row], axis: Any) -> None:
    from matplotlib import colormaps

    bins = [*panels.grouped(rows, "difference").items()][:SWAP_BINS]
    for number, ((difference,), of_bin) in enumerate(bins):
        sizes, rates, fit = np.array([[row["size"], row["rate"], row["predicted"]] for row in of_bin]).T
        look = {
            **panels.style(number),
            "color": colormaps["viridis"](0.85 * number / len(bins)),
            "markerfacecolor": "none",
        }
        axis.plot(sizes, 100 * rates, **look, linestyle="none", markersize=MARK, clip_on=False)
        axis.plot(sizes, 100 * fit, linewidth=1, color=look["color"])
        panels.key(axis, f"from {difference:.2f}", **look, linestyle="-", markersize=MARK)
    axis.axhline(5, **SIGNIFICANT)
    units = rows[0].get("units", "topics")
    axis.set(xlabel=f"{units} in each of two sets", ylabel="swap rate, percent", ylim=(0, None))
    panels.ticks_at([row["size"] for row in rows], axis)


def level_panels(content: Content) -> Iterator[Panel]:
    """Draw the level of each pair, from the largest down."""
    by_measure = panels.grouped(content.rows("level"), "of_measure").values()
    rows = [{**row, "rank": rank} for of_measure in by_measure for rank, row in enumerate(of_measure, 1)]

    def draw(axis: Any) -> None:
        axis.axhline(0.05, **SIGNIFICANT)
        axis.xaxis.get_major_locator().set_params(integer=True)

    title = f"achieved significance levels{panels.of_one(rows)} (below the line: significant)"
    axes = "pairs of runs, from the largest level down", "achieved significance level"
    yield panels.curve_panel(title, axes, rows, "rank", "p", {"of_measure": "{}"}, then=draw)


def width_panels(content: Content) -> Iterator[Panel]:
    """Draw widths and differences found against topics, the topics needed for one marked."""
    worst = "" if all(row.get("tool") == "paired" for row in content.rows("width") if "width" in row) else "worst-case "
    yield from _planned(content, "width", f"{worst}widths", f"{worst}width of an interval")
    yield from _planned(content, "difference", "differences found", "true difference that is found")


def _planned(content: Content, column: str, title: str, ylabel: str) -> Iterator[Panel]:
    rows, needed = (
        [row for row in content.rows(kind) if {column, "tool"} <= row.keys()] for kind in ("width", "topics")
    )
    # The tools other than that of pairs have one purpose each.
    columns = ["of_measure", "tool", *(["kind"] if any(row["tool"] == "paired" for row in rows) else [])]

    def draw(axis: Any) -> None:
        order = list(panels.grouped(rows, *columns))
        axis.set_xlim(0, 1.05 * max(row["topics"] for row in (*rows, *needed)))
        for row in needed:
            of_curve = tuple(row[name] for name in columns)
            colour = panels.style(order.index(of_curve))["color"] if of_curve in order else "black"
            axis.plot([row["topics"]], [row[column]], color=colour, **STAR)
        if needed:
            panels.key(axis, "topics needed", **STAR, color="black")

    if rows:
        names, axes = dict.fromkeys(columns, "{}"), ("topics", ylabel)
        yield panels.curve_panel(title + panels.of_one(rows), axes, rows, "topics", column, names, then=draw)


def score_panels(content: Content) -> Iterator[Panel]:
    """Draw the scores by both sets of judgments, for each measure and second set, the highest by QRELS first."""
    for (measure, judge), rows in panels.grouped(content.rows("score"), "measure", "judge").items():
        name = panels.label(judge)
        by_judge = [{**row, "series": ("QRELS", 0) if row["of"] == "QRELS" else (name, 1)} for row in rows]
        by_judge.sort(key=lambda row: (row["series"][1], -row["value"]))
        title = f"{mean_of(measure)} of each run by QRELS and {name}"
        yield panels.interval_panel(title, f"{mean_of(measure)} and limits", by_judge)


def confusion_panels(content: Content) -> Iterator[Panel]:
    """Draw the documents by grades in both sets of judgments, for each second set."""
    for (judge,), rows in panels.grouped(content.rows("confusion"), "judge").items():
        side = max(1.2, 0.42 * len({row["grade"] for row in rows}))
        yield Panel(f"documents by grade:\nQRELS and {panels.label(judge)}", side, partial(_draw_grades, rows))


def _draw_grades(rows: Sequence[Row], axis: Any) -> None:
    down, across = (sorted({row[name] for row in rows}) for name in ("grade", "grade_judge"))
    cells = np.zeros((len(down), len(across)))
    for row in rows:
        cells[down.index(row["grade"]), across.index(row["grade_judge"])] = row["documents"]
    shares = cells / cells.sum(axis=1, keepdims=True)
    for (y, x), documents in np.ndenumerate(cells):
        axis.text(
            x, y, f"{documents:,.0f}", ha="center", va="center", color="white" if shares[y, x] > 0.55 else "black"
        )
    axis.imshow(shares, cmap="Blues", vmin=0, vmax=1, interpolation="nearest", aspect="auto")
    axis.set_xticks(range(len(across)), map(str, across))
    axis.set_yticks(range(len(down)), map(str, down))
    axis.tick_params(length=0)
    axis.set(xlabel="grade by the other judge", ylabel="grade by QRELS")

"""Pictures of the other studies: curves of error rates, swaps, levels, widths; and two sets of judgments side by side."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from irci.output.kinds import mean_of
from irci.output.plots import panels
from irci.output.plots.runs import list_of_runs

SWAP_HEIGHT, SWAP_BINS = 4.2, 12  # inches; the narrowest differences, which swap at all
SIGNIFICANT = {"color": panels.GREY, "linewidth": 0.8, "linestyle": "--"}  # the line of 5%
STAR: dict[str, Any] = {"marker": "*", "markersize": 8, "linestyle": "none"}
CLASSES = {
    "AA": ("both judges, same direction", "#0072B2"),
    "AD": ("both, opposite directions", "#D55E00"),
    "MA": ("one of them, same direction", "#56B4E9"),
    "MD": ("one of them, opposite directions", "#E69F00"),
    "PA": ("neither, same direction", "#dddddd"),
    "PD": ("neither, opposite directions", "#999999"),
}


def type_one_panels(content: panels.Content) -> Iterator[panels.Panel]:
    """Draw the share of samples whose interval misses, against alpha."""
    rows = content.rows("type_one")
    series = panels.series_of(rows, "alpha", "rate", of_measure="{}", topics="{} topics", sigma="σ {}")

    def draw(axis: Any) -> None:
        axis.axline((0, 0), slope=1, color=panels.GREY, linewidth=0.8)
        axis.set_xlim(0, None)

    title, ylabel = "type I errors (the line: as promised)", "share of intervals that miss"
    yield panels.curve_panel(title, "alpha", ylabel, series, is_marked=True, then=draw)


def error_rate_panels(content: panels.Content) -> Iterator[panels.Panel]:
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
        drawn = [row for row in rows if row[other] in few]
        columns = {"of_measure": "{}", other: forms[other]}
        spread = [
            [row["sd"] if math.isfinite(row["sd"]) else 0.0 for row in curve]
            for curve in panels.grouped(drawn, *columns).values()
        ]
        title = f"error rate{panels.of_one(rows)} against {axes[x]}" if varied else "error rate"
        series = panels.series_of(drawn, x, "percent", **columns)
        yield panels.curve_panel(
            title, axes[x], "error rate ± sd, percent", series, is_marked=True, spread=spread,
            then=partial(panels.ticks_at, [row[x] for row in rows]),
        )  # fmt: skip


def swap_panels(content: panels.Content) -> Iterator[panels.Panel]:
    """Draw swap rates of each bin against the number of topics, with their fits (Voorhees & Buckley 2002)."""
    for (measure,), rows in panels.grouped(content.rows("swap"), "of_measure").items():
        title = f"{measure}: swap rate by difference on the first set (dashed: 5%)"
        yield panels.Panel(
            title, SWAP_HEIGHT, partial(_draw_swaps, list(panels.grouped(rows, "difference").values())[:SWAP_BINS])
        )


def _draw_swaps(bins: Sequence[Sequence[panels.Row]], axis: Any) -> None:
    from matplotlib import colormaps

    for number, rows in enumerate(bins):
        look = {**panels.style(number), "color": colormaps["viridis"](0.85 * number / len(bins)), "markersize": 3.5}
        sizes = [row["size"] for row in rows]
        rates = [100 * row["rate"] for row in rows]
        axis.plot(sizes, rates, **look, linestyle="none", markerfacecolor="none", clip_on=False)
        axis.plot(sizes, [100 * row["predicted"] for row in rows], linewidth=1, color=look["color"])
        panels.key(axis, f"from {rows[0]['difference']:.2f}", **{**look, "linestyle": "-"}, markerfacecolor="none")
    axis.axhline(5, **SIGNIFICANT)
    units = bins[0][0].get("units", "topics")
    axis.set(xlabel=f"{units} in each of two sets", ylabel="swap rate, percent", ylim=(0, None))
    panels.ticks_at([row["size"] for rows in bins for row in rows], axis)


def level_panels(content: panels.Content) -> Iterator[panels.Panel]:
    """Draw the level of each pair, from the largest down."""
    rows = content.rows("level")
    ranked = [
        {**row, "rank": rank}
        for of_measure in panels.grouped(rows, "of_measure").values()
        for rank, row in enumerate(of_measure, 1)
    ]

    def draw(axis: Any) -> None:
        axis.axhline(0.05, **SIGNIFICANT)
        axis.xaxis.get_major_locator().set_params(integer=True)

    title = f"achieved significance levels{panels.of_one(rows)} (below the line: significant)"
    xlabel, ylabel = "pairs of runs, from the largest level down", "achieved significance level"
    yield panels.curve_panel(title, xlabel, ylabel, panels.series_of(ranked, "rank", "p", of_measure="{}"), then=draw)


def width_panels(content: panels.Content) -> Iterator[panels.Panel]:
    """Draw widths and differences found against topics, the topics needed for one marked."""
    worst = "" if all(row.get("tool") == "paired" for row in content.rows("width") if "width" in row) else "worst-case "
    yield from _planned(content, "width", f"{worst}widths", f"{worst}width of an interval")
    yield from _planned(content, "difference", "differences found", "true difference that is found")


def _planned(content: panels.Content, column: str, title: str, ylabel: str) -> Iterator[panels.Panel]:
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
        series = panels.series_of(rows, "topics", column, **dict.fromkeys(columns, "{}"))
        yield panels.curve_panel(f"{title}{panels.of_one(rows)}", "topics", ylabel, series, then=draw)


def noncentrality_panels(content: panels.Content) -> Iterator[panels.Panel]:
    """Draw the exact noncentrality and its approximation, against the number of runs."""
    rows = content.rows("noncentrality")
    series = [
        (name, [row["systems"] for row in rows], [row[column] for row in rows])
        for name, column in (("exact", "value"), ("Nagata's formula", "predicted"))
    ]
    yield panels.curve_panel("noncentrality against the number of runs", "runs", "noncentrality λ", series)


def score_panels(content: panels.Content) -> Iterator[panels.Panel]:
    """Draw the scores by both sets of judgments, for each measure and second set, the highest by QRELS first."""
    for (measure, judge), rows in panels.grouped(content.rows("score"), "measure", "judge").items():
        by_judge = sorted(rows, key=lambda row: (row["of"] != "QRELS", -row["value"]))
        title = f"{mean_of(measure)} of each run by QRELS and {panels.label(judge)}"
        yield list_of_runs(title, panels.and_limits(mean_of(measure), rows), by_judge, _by_judge, is_ordered=True)


def _by_judge(row: panels.Row) -> tuple[str, int]:
    return ("QRELS", 0) if row["of"] == "QRELS" else (panels.label(row["judge"]), 1)


def confusion_panels(content: panels.Content) -> Iterator[panels.Panel]:
    """Draw the documents by grades in both sets of judgments, for each second set."""
    for (judge,), rows in panels.grouped(content.rows("confusion"), "judge").items():
        side = max(1.2, 0.42 * len({row["grade"] for row in rows}))
        yield panels.Panel(f"documents by grade:\nQRELS and {panels.label(judge)}", side, partial(_draw_grades, rows))


def _draw_grades(rows: Sequence[panels.Row], axis: Any) -> None:
    down, across = (sorted({row[name] for row in rows}) for name in ("grade", "grade_judge"))
    of_row = {grade: sum(row["documents"] for row in rows if row["grade"] == grade) for grade in down}
    cells = [[0.0] * len(across) for _ in down]
    for row in rows:
        y, x = down.index(row["grade"]), across.index(row["grade_judge"])
        cells[y][x] = share = row["documents"] / of_row[row["grade"]]
        axis.text(x, y, f"{row['documents']:,}", ha="center", va="center", color="white" if share > 0.55 else "black")
    axis.imshow(cells, cmap="Blues", vmin=0, vmax=1, interpolation="nearest", aspect="auto")
    axis.set_xticks(range(len(across)), [str(grade) for grade in across])
    axis.set_yticks(range(len(down)), [str(grade) for grade in down])
    axis.tick_params(length=0)
    axis.set(xlabel="grade by the other judge", ylabel="grade by QRELS")


def judged_pairs_panels(content: panels.Content) -> Iterator[panels.Panel]:
    """Draw the pairs by which of two sets of judgments decides about them, for each measure and level."""
    for (measure, alpha), rows in panels.grouped(content.rows("judged_pairs"), "of_measure", "alpha").items():
        title = f"{measure}: pairs of runs significant ({alpha:g}) under QRELS and another judge"
        yield panels.list_panel(title, [row["judge"] for row in rows], partial(_draw_classes, rows))


def _draw_classes(rows: Sequence[panels.Row], axis: Any) -> None:
    begins = [0.0] * len(rows)
    for name, (text, colour) in CLASSES.items():
        shares = [100 * row[name] / max(row["pairs"], 1) for row in rows]
        look = {"color": colour, "edgecolor": "white", "linewidth": 0.4, "height": 0.6, "label": text}
        axis.barh(range(len(rows)), shares, left=begins, **look)
        begins = [begin + share for begin, share in zip(begins, shares, strict=True)]
    panels.name_rows(axis, [panels.label(row["judge"]) for row in rows])
    axis.set(xlabel="percent of all pairs", xlim=(0, 100))

"""Pictures of the other studies: curves of error rates, swaps, levels, widths; and two sets of judgments side by side."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from irci.output.columns import as_typed, mean_of
from irci.output.plots import panels

HEIGHT = 2.6  # inches
SWAP_HEIGHT, SWAP_BINS = 4.2, 12  # the narrowest differences, which swap at all
# A panel of scores by two sets of judgments, in inches.
SIDE, BESIDE = 4.2, 0.9  # its height, what is beside its axes
MARK, LETTER, LINE, APART = 0.03, 0.062, 0.12, 0.05  # half of a mark, a letter, a line, from a mark to its name
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

    def draw(axis: Any) -> None:
        panels.curves(axis, panels.series_of(rows, "alpha", "rate", of_measure="{}", topics="{} topics", sigma="σ {}"))
        axis.axline((0, 0), slope=1, color=panels.GREY, linewidth=0.8)
        axis.set(xlabel="alpha", ylabel="share of intervals that miss", xlim=(0, None), ylim=(0, None))

    yield panels.Panel("type I errors (the line: as promised)", HEIGHT, draw)


def error_rate_panels(content: panels.Content) -> Iterator[panels.Panel]:
    """Draw rates against the number of topics, and against the fuzziness (Buckley & Voorhees 2000, Figures 2 to 4)."""
    rows = content.rows("error_rate")
    units = rows[0].get("units", "topics")
    axes = {"size": f"{units} in a set", "fuzziness": "fuzziness, percent"}
    forms = {"size": f"{{}} {units}", "fuzziness": "{}% fuzziness"}
    varied = [x for x in axes if len({row[x] for row in rows}) > 1]
    for x in varied or ["size"]:
        (other,) = forms.keys() - {x}
        values = sorted({row[other] for row in rows})
        few = values if len(values) <= 3 else (values[0], values[len(values) // 2], values[-1])
        drawn = [row for row in rows if row[other] in few]
        title = f"error rate{panels.of_one(rows)} against {axes[x]}" if varied else "error rate"
        yield panels.Panel(title, HEIGHT, partial(_draw_rates, drawn, x, axes[x], {other: forms[other]}))


def _draw_rates(rows: Sequence[panels.Row], x: str, xlabel: str, other: dict[str, str], axis: Any) -> None:
    groups = panels.grouped(rows, "of_measure", *other).values()
    spread = [[100 * row["sd"] if math.isfinite(row["sd"]) else 0 for row in group] for group in groups]
    rates = [
        (
            panels.name_of(group[0], rows, of_measure="{}", **other),
            [row[x] for row in group],
            [100 * row["rate"] for row in group],
        )
        for group in groups
    ]
    panels.curves(axis, rates, spread=spread)
    axis.set(xlabel=xlabel, ylabel="error rate ± sd, percent", ylim=(0, None))
    panels.ticks_at(axis.xaxis, [row[x] for row in rows])


def swap_panels(content: panels.Content) -> Iterator[panels.Panel]:
    """Draw swap rates of each bin against the number of topics, with their fits (Voorhees & Buckley 2002)."""
    for (measure,), rows in panels.grouped(content.rows("swap"), "of_measure").items():
        title = f"{as_typed(measure)}: swap rate by difference on the first set (dashed: 5%)"
        yield panels.Panel(
            title, SWAP_HEIGHT, partial(_draw_swaps, list(panels.grouped(rows, "difference").values())[:SWAP_BINS])
        )


def _draw_swaps(bins: Sequence[Sequence[panels.Row]], axis: Any) -> None:
    from matplotlib import colormaps

    for number, rows in enumerate(bins):
        look = {**panels.style(number), "color": colormaps["viridis"](0.85 * number / len(bins)), "markersize": 3.5}
        sizes = [row["size"] for row in rows]
        axis.plot(
            sizes, [100 * row["rate"] for row in rows], **look, linestyle="none", markerfacecolor="none", clip_on=False
        )
        axis.plot(sizes, [100 * row["predicted"] for row in rows], linewidth=1, color=look["color"])
        panels.key(axis, f"from {rows[0]['difference']:.2f}", **{**look, "linestyle": "-"}, markerfacecolor="none")
    axis.axhline(5, color=panels.GREY, linewidth=0.8, linestyle="--")
    units = bins[0][0].get("units", "topics")
    axis.set(xlabel=f"{units} in each of two sets", ylabel="swap rate, percent", ylim=(0, None))
    panels.ticks_at(axis.xaxis, [row["size"] for rows in bins for row in rows])


def level_panels(content: panels.Content) -> Iterator[panels.Panel]:
    """Draw the level of each pair, from the largest down."""
    rows = content.rows("level")

    def draw(axis: Any) -> None:
        groups = panels.grouped(rows, "of_measure").values()
        levels = [[row["p"] for row in group] for group in groups]
        names = [panels.name_of(group[0], rows, of_measure="{}") for group in groups]
        panels.curves(
            axis, [(name, range(1, len(ps) + 1), ps) for name, ps in zip(names, levels, strict=True)], is_marked=False
        )
        axis.axhline(0.05, color=panels.GREY, linewidth=0.8, linestyle="--")
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.set(xlabel="pairs of runs, from the largest level down", ylim=(0, None))
        axis.set_ylabel("achieved significance level")

    yield panels.Panel(f"achieved significance levels{panels.of_one(rows)} (below the line: significant)", HEIGHT, draw)


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
        panels.curves(axis, panels.series_of(rows, "topics", column, **dict.fromkeys(columns, "{}")), is_marked=False)
        order = list(panels.grouped(rows, *columns))
        top = max((row["topics"] for row in (*rows, *needed)), default=1)
        axis.set(xlabel="topics", ylabel=ylabel, xlim=(0, 1.05 * top), ylim=(0, None))
        if needed:
            star = {"marker": "*", "markersize": 8, "linestyle": "none"}
            for row in needed:
                of_curve = tuple(row[name] for name in columns)
                colour = panels.style(order.index(of_curve))["color"] if of_curve in order else "black"
                axis.plot([row["topics"]], [row[column]], color=colour, **star)
            panels.key(axis, "topics needed", **star, color="black")

    if rows:
        yield panels.Panel(f"{title}{panels.of_one(rows)}", HEIGHT + 0.9, draw)


def noncentrality_panels(content: panels.Content) -> Iterator[panels.Panel]:
    """Draw the exact noncentrality and its approximation, against the number of runs."""
    rows = content.rows("noncentrality")

    def draw(axis: Any) -> None:
        runs = [row["systems"] for row in rows]
        names = {"value": "exact", "predicted": "Nagata's formula"}
        panels.curves(
            axis, [(text, runs, [row[name] for row in rows]) for name, text in names.items()], is_marked=False
        )
        axis.set(xlabel="runs", ylabel="noncentrality λ", ylim=(0, None))

    yield panels.Panel("noncentrality against the number of runs", HEIGHT, draw)


def score_panels(content: panels.Content) -> Iterator[panels.Panel]:
    """Draw the scores by both sets of judgments, for each measure and second set."""
    for (measure, judge), rows in panels.grouped(content.rows("score"), "measure", "judge").items():
        inches = (content.width or panels.WIDTH) - BESIDE
        title = f"{mean_of(measure)} of each run:\nQRELS and {panels.label(judge)}"
        by_run = panels.grouped(rows, "run").values()  # of each a row by QRELS, and one by the judge
        pairs = [tuple(sorted(of_run, key=lambda row: row["of"] != "QRELS")) for of_run in by_run]
        yield panels.Panel(title, SIDE, partial(_draw_scores, mean_of(measure), pairs, inches))


def _draw_scores(mean: str, pairs: Sequence[Sequence[panels.Row]], inches: float, axis: Any) -> None:
    """Draw a mark a run with the limits of both means; above the line the other judge is more lenient."""
    names = ("value", "lower", "upper")
    finite = [row[name] for pair in pairs for row in pair for name in names if math.isfinite(row[name])]
    margin = 0.05 * (max(finite) - min(finite)) or 0.05
    low, high = min(finite) - margin, max(finite) + margin
    axis.axline((low, low), slope=1, color=panels.GREY, linewidth=0.8)
    look = {
        **panels.ERROR_BAR,
        "elinewidth": 0.5,
        "capsize": 0,
        "ecolor": panels.PALE,
        "markerfacecolor": "none",
        **panels.style(0),
    }
    by_qrels, by_judge = ([pair[side] for pair in pairs] for side in (0, 1))
    xs, ys = ([row["value"] for row in rows] for rows in (by_qrels, by_judge))
    axis.errorbar(xs, ys, xerr=panels.whiskers(by_qrels), yerr=panels.whiskers(by_judge), **look)
    of_qrels, of_other = (f"{mean} by {judge} and limits" for judge in ("QRELS", "the other judge"))
    axis.set(xlim=(low, high), ylim=(low, high), xlabel=of_qrels, ylabel=of_other)
    # Names right or left of their marks, as many as lie over nothing else.
    across, up = (high - low) / inches, (high - low) / SIDE  # an inch
    taken = [(x - MARK * across, y - MARK * up, x + MARK * across, y + MARK * up) for x, y in zip(xs, ys, strict=True)]
    named = 0
    for row, other in sorted(pairs, key=lambda pair: (-pair[1]["value"], pair[1]["run"])):
        x, y, width = row["value"], other["value"], LETTER * len(row["run"]) * across
        for side in (1, -1):
            left, right = sorted((x + side * APART * across, x + side * (APART * across + width)))
            bottom, top = y - LINE / 2 * up, y + LINE / 2 * up
            is_free = all(left >= x1 or x0 >= right or bottom >= y1 or y0 >= top for x0, y0, x1, y1 in taken)
            if low < left and right < high and is_free:
                taken.append((left, bottom, right, top))
                axis.annotate(
                    row["run"], (x, y), (APART * 72 * side, 0), textcoords="offset points", fontsize=panels.LEAST_SIZE,
                    va="center", ha="left" if side > 0 else "right",
                )  # fmt: skip
                named += 1
                break
    if named < len(pairs):
        axis.set_xlabel(f"{axis.get_xlabel()}\n{named} of {len(pairs)} runs are named, where there is room")


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
        title = f"{as_typed(measure)}: pairs of runs significant ({alpha:g}) under QRELS and another judge"
        yield panels.list_panel(title, [row["judge"] for row in rows], partial(_draw_classes, rows))


def _draw_classes(rows: Sequence[panels.Row], axis: Any) -> None:
    begins = [0.0] * len(rows)
    for name, (text, colour) in CLASSES.items():
        shares = [100 * row[name] / max(row["pairs"], 1) for row in rows]
        axis.barh(range(len(rows)), shares, left=begins, color=colour, edgecolor="white", linewidth=0.4, height=0.6)
        begins = [begin + share for begin, share in zip(begins, shares, strict=True)]
        panels.patch(axis, text, colour)
    panels.name_rows(axis, [panels.label(row["judge"]) for row in rows])
    axis.set(xlabel="percent of all pairs", xlim=(0, 100))

"""Curves: type I errors, error rates, swap rates with their fits, achieved levels, widths and noncentrality."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from irci.output.plots.lists import EDGE, MARK
from irci.output.plots.names import label
from irci.output.plots.panels import GREY, LEAST_SIZE, PALE, Content, Panel, Row, grouped, key, style, ticks_at
from irci.output.wording import as_typed

HEIGHT = 2.6
# Marks that hide none of those that they lie upon.
HOLLOW: dict[str, Any] = {"markerfacecolor": "none", "markeredgewidth": EDGE}
SWAP_BINS = 12  # the narrowest differences, which swap at all
SWAP_LINE = 0.036  # of the height of their axes: a line of names

Series = tuple[str, Sequence[float], Sequence[float]]  # name, x, y


def _series(rows: Sequence[Row], x: str, y: str, *columns: tuple[str, str]) -> list[Series]:
    by_column = grouped(rows, *(column for column, _ in columns)).values()
    return [(_name(some[0], rows, *columns), [row[x] for row in some], [row[y] for row in some]) for some in by_column]


def _lines(axis: Any, series: Sequence[Series], *, marked: bool = True) -> None:
    """A line for each (name, x, y), points that are no numbers left out; one that is alone needs no name."""
    for number, (name, xs, ys) in enumerate(series):
        points = [(x, y) for x, y in zip(xs, ys, strict=True) if math.isfinite(y)]
        look = {"markersize": MARK, "linewidth": 1.3, **HOLLOW, **style(number, marked=marked, dashed=True)}
        named = {"label": name} if len(series) > 1 else {}
        axis.plot(*zip(*points, strict=True), **named, **look) if points else None
    axis.grid(color=PALE, linewidth=0.6)


def _name(row: Row, rows: Sequence[Row], *columns: tuple[str, str]) -> str:
    """The name that tells a series from the others: the values of those columns that differ."""
    parts = [
        form.format(label(as_typed(row[column])) if column == "of_measure" else row[column])
        for column, form in columns
        if column in row and len({str(each[column]) for each in rows}) > 1
    ]
    return ", ".join(parts) or label(as_typed(str(row.get("of_measure", ""))))


def _of_one(rows: Sequence[Row]) -> str:
    """The measure and the fuzziness, if there is but one, for which no legend speaks."""
    measures = {str(row["of_measure"]) for row in rows}
    fuzziness = {row["fuzziness"] for row in rows if "fuzziness" in row}
    of = f" of {as_typed(measures.pop())}" if len(measures) == 1 else ""
    return of + (f" at {fuzziness.pop():g}% fuzziness" if len(fuzziness) == 1 else "")


def type_one_panels(content: Content) -> list[Panel]:
    """The share of samples whose interval misses, against alpha."""
    rows = content.rows("type_one")

    def drawn(axis: Any) -> None:
        _lines(axis, _series(rows, "alpha", "mean", ("of_measure", "{}"), ("n", "{} topics"), ("sigma", "σ {}")))
        axis.axline((0, 0), slope=1, color=GREY, linewidth=0.8)
        axis.set(xlabel="alpha", ylabel="share of intervals that miss", xlim=(0, None), ylim=(0, None))

    return [Panel("type I errors (the line: as promised)", HEIGHT, drawn)] if rows else []


def error_rate_panels(content: Content) -> Iterator[Panel]:
    """Against the number of topics, and against the fuzziness (Buckley & Voorhees 2000, Figures 2 to 4)."""
    rows = content.rows("error_rate")
    units = rows[0].get("units", "topics") if rows else ""
    in_a_set, alone = f"{units} in a set", ("fuzziness", "{}% fuzziness")
    ways = [("size", alone, in_a_set), ("fuzziness", ("size", f"{{}} {units}"), "fuzziness, percent")]
    varied = [way for way in ways if len({row[way[0]] for row in rows}) > 1]
    for x, other, title in varied:
        draw = partial(_draw_rates, _spread(rows, other[0]), x, other, title)
        yield Panel(f"error rate{_of_one(rows)} against {title}", HEIGHT, draw)
    if rows and not varied:
        yield Panel("error rate", HEIGHT, partial(_draw_rates, rows, "size", alone, in_a_set))


def _spread(rows: Sequence[Row], column: str) -> list[Row]:
    values = sorted({row[column] for row in rows})
    few = values if len(values) <= 3 else (values[0], values[len(values) // 2], values[-1])
    return [row for row in rows if row[column] in few]


def _draw_rates(rows: Sequence[Row], x: str, other: tuple[str, str], title: str, axis: Any) -> None:
    series = grouped(rows, "of_measure", other[0]).values()
    for number, some in enumerate(series):
        sd = [100 * row["sd"] if math.isfinite(row["sd"]) else 0 for row in some]
        name = _name(some[0], rows, ("of_measure", "{}"), other) if len(series) > 1 else ""
        look = {"markersize": MARK, "linewidth": 1.2, "elinewidth": 0.6, "capsize": 1.5, **style(number, dashed=True)}
        axis.errorbar([row[x] for row in some], [100 * row["rate"] for row in some], sd, label=name, **look, **HOLLOW)
    axis.set(xlabel=title, ylabel="error rate ± sd, percent", ylim=(0, None))
    ticks_at(axis.xaxis, [row[x] for row in rows])
    axis.grid(color=PALE, linewidth=0.6)


def swap_panels(content: Content) -> Iterator[Panel]:
    """Swap rates of each bin against the number of topics, with their fits (Voorhees & Buckley 2002)."""
    for (measure,), rows in grouped(content.rows("swap"), "of_measure").items():
        bins = list(grouped(rows, "bin").values())[:SWAP_BINS]
        title = f"{as_typed(measure)}: swap rate by difference on the first set (dashed: 5%)"
        yield Panel(title, 4.2, partial(_draw_swaps, bins))


def _draw_swaps(bins: Sequence[Sequence[Row]], axis: Any) -> None:
    from matplotlib import colormaps

    ends = []
    for number, rows in enumerate(bins):
        colour = colormaps["viridis"](0.85 * number / len(bins))
        sizes = [row["size"] for row in rows]
        rates, fitted = ([100 * row[name] for row in rows] for name in ("rate", "fitted"))
        mark = {**style(number), "linestyle": "none", "markersize": MARK, "clip_on": False, "color": colour}
        axis.plot(sizes, rates, **mark, **HOLLOW)
        axis.plot(sizes, fitted, linewidth=1, color=colour)
        if seen := [y for y in (*rates, *fitted) if math.isfinite(y)]:
            ends.append((seen[-1], sizes[-1], rows[0]["bin"], colour))
    axis.axhline(5, color=GREY, linewidth=0.8, linestyle="--")
    units = bins[0][0].get("units", "topics")
    axis.set(xlabel=f"{units} in each of two sets", ylabel="swap rate, percent", ylim=(0, None))
    ticks_at(axis.xaxis, [row["size"] for rows in bins for row in rows])
    axis.set_xlim(right=max(x for _, x, *_ in ends) if ends else None)
    highest = axis.get_ylim()[1]
    ends.sort(key=lambda end: end[0])
    heights = apart([y for y, *_ in ends], SWAP_LINE * highest, highest)
    for at, (y, x, name, colour) in zip(heights, ends, strict=True):
        # From the end of a curve to the left end of its name, in the order of both, so that none crosses another or a name.
        line = {"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3, "relpos": (0, 0.5)}
        axis.annotate(name, (x, y), (1.06, at), xycoords="data", textcoords=axis.get_yaxis_transform(), color=colour,
                      fontsize=LEAST_SIZE, va="center", arrowprops=line, annotation_clip=False)  # fmt: skip


def apart(heights: Sequence[float], least: float, highest: float) -> list[float]:
    """Heights in ascending order, moved as little as leaves this distance between them, below the highest if they fit."""
    moved: list[float] = []
    for height in heights:
        moved.append(max(height, moved[-1] + least) if moved else height)
    top = highest
    for place in reversed(range(len(moved))):
        moved[place] = min(moved[place], top)
        top = moved[place] - least
    return moved


def level_panels(content: Content) -> list[Panel]:
    """The level of each pair, from the largest down."""
    rows = content.rows("level")

    def drawn(axis: Any) -> None:
        by_measure = grouped(rows, "of_measure").items()
        levels = [(name, [row["rank"] for row in some], [row["asl"] for row in some]) for (name,), some in by_measure]
        _lines(axis, levels, marked=False)
        axis.axhline(0.05, color=GREY, linewidth=0.8, linestyle="--")
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.set(xlabel="pairs of runs, from the largest level down", ylim=(0, None))
        axis.set_ylabel("achieved significance level")

    title = f"achieved significance levels{_of_one(rows)} (below the line: significant)"
    return [Panel(title, HEIGHT, drawn)] if rows else []


def width_panels(content: Content) -> list[Panel]:
    """Width against topics, the topics for a width marked; above it, the variance at its upper limit."""
    worst = "" if all(row["tool"] == "paired" for row in content.rows("width") if "width" in row) else "worst-case "
    return _planned(content, "width", f"{worst}widths", f"{worst}width of an interval")


def detectable_panels(content: Content) -> list[Panel]:
    """The same of differences that are found."""
    return _planned(content, "difference", "differences found", "true difference that is found")


def _planned(content: Content, of: str, title: str, label: str) -> list[Panel]:
    curves, needed = ([row for row in content.rows(kind) if of in row] for kind in ("width", "topics"))
    columns = _of_plans(curves)

    def drawn(axis: Any) -> None:
        _lines(axis, _series(curves, "topics", of, *((column, "{}") for column in columns)), marked=False)
        order = list(grouped(curves, *columns))
        top = max((row["topics"] for row in (*curves, *needed)), default=1)
        axis.set(xlabel="topics", ylabel=label, xlim=(0, 1.05 * top), ylim=(0, None))
        if needed:
            star = {"marker": "*", "markersize": 8, "linestyle": "none"}
            for row in needed:
                which = tuple(row[column] for column in columns)
                colour = style(order.index(which))["color"] if which in order else "black"
                axis.plot([row["topics"]], [row[of]], color=colour, **star)
            key(axis, "topics needed", **star, color="black")
            # Ticks at the amounts asked for, and at round numbers that are not too near.
            highest, asked = axis.get_ylim()[1], {row[of] for row in needed}
            others = [tick for tick in axis.get_yticks() if all(abs(tick - each) > 0.06 * highest for each in asked)]
            ticks_at(axis.yaxis, [tick for tick in (*asked, *others) if 0 <= tick <= highest])
            axis.set_ylim(0, highest)

    return [Panel(f"{title}{_of_one(curves)}", HEIGHT + 0.9, drawn)] if curves else []


def _of_plans(rows: Sequence[Row]) -> tuple[str, ...]:
    """The columns that tell plans apart; the tools other than that of pairs have one purpose each."""
    pairs = any(row["tool"] == "paired" for row in rows)
    return ("of_measure", "tool", "purpose") if pairs else ("of_measure", "tool")


def noncentrality_panels(content: Content) -> list[Panel]:
    """The exact noncentrality and its approximations, against the number of runs."""
    rows = content.rows("noncentrality")

    def drawn(axis: Any) -> None:
        runs = [row["systems"] for row in rows]
        names = {"exact": "exact", "linear": "Nagata's formula"}
        _lines(axis, [(text, runs, [row[name] for row in rows]) for name, text in names.items()], marked=False)
        axis.set(xlabel="runs", ylabel="noncentrality λ", ylim=(0, None))

    return [Panel("noncentrality against the number of runs", HEIGHT, drawn)] if rows else []

"""Curves: type I errors, error rates, swap rates with their fits, achieved levels, widths and noncentrality."""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from irci.output.plots.panels import GREY, Panel, Row, grouped, legend, rows_of, style
from irci.output.report import Table

HEIGHT = 3.4
SWAP_BINS = 12  # the narrowest differences, which swap at all


def curve_panels(tables: Sequence[Table]) -> list[Panel]:
    """The panels of all tables of which one number is drawn against another."""
    return [
        *_type_one(rows_of(tables, "type_one")),
        *_error_rates(rows_of(tables, "error_rate")),
        *_swaps(rows_of(tables, "swap")),
        *_levels(rows_of(tables, "level")),
        *_widths(rows_of(tables, "width"), rows_of(tables, "topics")),
        *_powers(rows_of(tables, "power")),
        *_noncentrality(rows_of(tables, "noncentrality")),
    ]


def _lines(axis: Any, series: Iterable[tuple[str, Sequence[float], Sequence[float]]], *, marked: bool = True) -> None:
    """A line for each (name, x, y), points that are no numbers left out."""
    for number, (name, xs, ys) in enumerate(series):
        points = [(x, y) for x, y in zip(xs, ys, strict=True) if math.isfinite(y)]
        look = style(number) if marked else {"color": style(number)["color"]}
        axis.plot(*zip(*points, strict=True), label=name, markersize=3.5, linewidth=1.2, **look) if points else None
    axis.grid(color="#dddddd", linewidth=0.6)
    legend(axis)


def _name(row: Row, rows: Sequence[Row], *columns: tuple[str, str]) -> str:
    """What tells a series from the others: the values of those columns that differ."""
    parts = [
        form.format(row[column])
        for column, form in columns
        if column in row and len({str(each[column]) for each in rows}) > 1
    ]
    return ", ".join(parts) or str(row.get("of_measure", ""))


def _of_one(rows: Sequence[Row]) -> str:
    """The measure and the fuzziness, if there is but one, for which no legend speaks."""
    measures = {str(row["of_measure"]) for row in rows}
    fuzziness = {row["fuzziness"] for row in rows if "fuzziness" in row}
    parts = [
        f" of {measures.pop()}" if len(measures) == 1 else "",
        f", {fuzziness.pop():g}% fuzziness" if len(fuzziness) == 1 else "",
    ]
    return "".join(parts)


def _type_one(rows: Sequence[Row]) -> list[Panel]:
    def drawn(axis: Any) -> None:
        series = []
        for _, some in grouped(rows, "of_measure", "n", "sigma").items():
            name = _name(some[0], rows, ("of_measure", "{}"), ("n", "{} topics"), ("sigma", "σ {}"))
            series.append((name, [row["alpha"] for row in some], [row["mean"] for row in some]))
        _lines(axis, series)
        axis.axline((0, 0), slope=1, color=GREY, linewidth=0.8)
        axis.set(xlabel="alpha", ylabel="share of intervals that miss", xlim=(0, None), ylim=(0, None))

    return [Panel("type I errors (the line: as promised)", HEIGHT, drawn)] if rows else []


def _error_rates(rows: Sequence[Row]) -> list[Panel]:
    """Against the number of topics, and against the fuzziness (Buckley & Voorhees 2000, Figures 2 to 4)."""
    panels = []
    for x, other, title in (
        ("size", ("fuzziness", "{}% fuzziness"), "topics in a set"),
        ("fuzziness", ("size", "{} topics"), "fuzziness, percent"),
    ):
        if len({row[x] for row in rows}) > 1:
            few = _spread(rows, other[0])
            panels.append(
                Panel(f"error rate{_of_one(rows)} against {title}", HEIGHT, partial(_draw_rates, few, x, other, title))
            )
    if rows and not panels:
        panels.append(
            Panel("error rate", HEIGHT, partial(_draw_rates, rows, "size", ("fuzziness", "{}%"), "topics in a set"))
        )
    return panels


def _spread(rows: Sequence[Row], column: str) -> list[Row]:
    """The rows of at most three values of a column: the smallest, the middle one and the largest."""
    values = sorted({row[column] for row in rows})
    chosen = {values[0], values[len(values) // 2], values[-1]} if len(values) > 3 else set(values)
    return [row for row in rows if row[column] in chosen]


def _draw_rates(rows: Sequence[Row], x: str, other: tuple[str, str], title: str, axis: Any) -> None:
    for number, some in enumerate(grouped(rows, "of_measure", other[0]).values()):
        sd = [row["sd"] if math.isfinite(row["sd"]) else 0 for row in some]
        axis.errorbar([row[x] for row in some], [100 * row["rate"] for row in some], [100 * each for each in sd],
                      markersize=3.5, linewidth=1.2, elinewidth=0.6, capsize=1.5,
                      label=_name(some[0], rows, ("of_measure", "{}"), other), **style(number))  # fmt: skip
    axis.set(xlabel=title, ylabel="error rate ± sd, percent", ylim=(0, None))
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.grid(color="#dddddd", linewidth=0.6)
    legend(axis)


def _swaps(rows: Sequence[Row]) -> list[Panel]:
    """Swap rates of each bin against the number of topics, with their fits (Voorhees & Buckley 2002)."""
    panels = []
    for (measure,), of_measure in grouped(rows, "of_measure").items():
        bins = list(grouped(of_measure, "bin").values())[:SWAP_BINS]
        panels.append(Panel(f"{measure}: swap rate by difference", 5.0, partial(_draw_swaps, bins)))
    return panels


def _draw_swaps(bins: Sequence[Sequence[Row]], axis: Any) -> None:
    from matplotlib import colormaps

    for number, rows in enumerate(bins):
        sizes = [row["size"] for row in rows]
        look = {"color": colormaps["viridis"](number / len(bins)), "marker": style(number)["marker"]}
        axis.plot(
            sizes, [100 * row["rate"] for row in rows], linestyle="none", markersize=3, label=rows[0]["bin"], **look
        )
        axis.plot(sizes, [100 * row["fitted"] for row in rows], linewidth=1, color=look["color"])
    axis.axhline(5, color=GREY, linewidth=0.8, linestyle="--", label="5%")
    axis.set(xlabel="topics in each of two sets", ylabel="swap rate, percent", ylim=(0, None))
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.legend(title="difference", loc="center left", bbox_to_anchor=(1, 0.5))


def _levels(rows: Sequence[Row]) -> list[Panel]:
    def drawn(axis: Any) -> None:
        _lines(axis, ((name, [row["rank"] for row in some], [row["asl"] for row in some])
                      for (name,), some in grouped(rows, "of_measure").items()), marked=False)  # fmt: skip
        axis.axhline(0.05, color=GREY, linewidth=0.8, linestyle="--")
        axis.set(
            xlabel="pairs of systems, from the largest level down", ylabel="achieved significance level", ylim=(0, None)
        )

    return (
        [Panel(f"achieved significance levels{_of_one(rows)} (below the line: told apart)", HEIGHT, drawn)]
        if rows
        else []
    )


def _widths(curves: Sequence[Row], needed: Sequence[Row]) -> list[Panel]:
    """Width against topics, the topics for a width marked."""

    def drawn(axis: Any) -> None:
        series = []
        for some in grouped(curves, "of_measure", "tool").values():
            name = _name(some[0], curves, ("of_measure", "{}"), ("tool", "{}"))
            series.append((name, [row["topics"] for row in some], [row["width"] for row in some]))
        _lines(axis, series)
        star = {"marker": "*", "markersize": 8, "color": "black", "linestyle": "none"}
        if needed:
            axis.plot([row["topics"] for row in needed], [row["width"] for row in needed], label="needed", **star)
            legend(axis)
        top = max((row["topics"] for row in (*curves, *needed)), default=1)
        axis.set(xlabel="topics", ylabel="worst-case width of an interval", xlim=(0, 1.05 * top), ylim=(0, None))

    return [Panel(f"worst-case widths{_of_one(curves)}", HEIGHT + 0.6, drawn)] if curves else []


def _powers(rows: Sequence[Row]) -> list[Panel]:
    """The power against the number of topics."""

    def drawn(axis: Any) -> None:
        series = []
        for some in grouped(rows, "of_measure", "difference", "tool").values():
            columns = (("of_measure", "{}"), ("difference", "difference {:g}"), ("tool", "{}"))
            name = _name(some[0], rows, *columns)
            series.append((name, [row["topics"] for row in some], [row["power"] for row in some]))
        _lines(axis, series)
        axis.set(xlabel="topics", ylabel="power", ylim=(0, 1.02))

    return [Panel("power", HEIGHT, drawn)] if rows else []


def _noncentrality(rows: Sequence[Row]) -> list[Panel]:
    def drawn(axis: Any) -> None:
        systems = [row["systems"] for row in rows]
        _lines(
            axis, [(name, systems, [row[name] for row in rows]) for name in ("exact", "linear", "4z^2")], marked=False
        )
        axis.set(xlabel="systems", ylabel="noncentrality λ", ylim=(0, None))

    return [Panel("noncentrality against the number of systems", HEIGHT, drawn)] if rows else []

"""Values with their limits: whiskers, hollow marks where nothing is told apart, crosses where limits are not defined; bounds
over the grades of unjudged documents are hatched boxes, since they are no confidence limits.

Pairs of runs: in a list, what they are called, and how wide that is; all at once, which differ, and in how many splits.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from irci.base.choices import JUDGMENTS
from irci.base.types import gathered, reaches
from irci.output.plots.lists import STEP, marks_of, name_rows, names_width, shift_of, some_named, step_of
from irci.output.plots.panels import GREY, LEAST_SIZE, NARROW, Content, Panel, Row, grouped, key, patch, style
from irci.output.tables import ALL, part_of
from irci.output.wording import as_typed, mean_of

ALPHA = 0.05
LOOKS: dict[str, dict[str, Any]] = {
    "filled": {}, "hollow": {"markerfacecolor": "white"}, "cross": {"marker": "x"},
}  # fmt: skip
BOUNDS = "bounds, worst cases"
OF_SIGN = {"sure": "sure: no grades would change its sign", "open": "open: some grades might"}
BOX = 0.3
ERROR_BAR = {"linestyle": "none", "elinewidth": 1.0, "capsize": 1.5, "markersize": 3.5}


def of_all(rows: Iterable[Row]) -> list[Row]:
    """Rows over all collections or slices, or of the one there is."""
    return [row for row in rows if part_of(row) in ("", ALL)]


def p_of(row: Row) -> float:
    """The p-value that tells a pair apart: the adjusted one, if there is one; nan where there is none."""
    p = row.get("p_adjusted", row.get("p"))
    return math.nan if p is None else float(p)


def told_apart(row: Row) -> bool:
    """True unless p is larger than alpha, or a sign is open; a row without a p-value says nothing else of that."""
    return row.get("sign") != "open" if math.isnan(p_of(row)) else bool(reaches(p_of(row), ALPHA))


def keys(axis: Any, rows: Sequence[Row]) -> None:
    """Entries of the legend for marks filled and hollow, and for a cross, if rows have such."""
    if any(not math.isnan(p_of(row)) for row in rows):
        name = "p (not adjusted)"
        if "p_adjusted" in rows[0]:
            name = "adjusted p" if any(row["p_adjusted"] != row.get("p") for row in rows) else "p"
        key(axis, f"{name} ≤ {ALPHA}", color=GREY, marker="o")
        key(axis, f"{name} > {ALPHA}", color=GREY, marker="o", markerfacecolor="white")
    signs = {row.get("sign") for row in rows}
    for sign in (sign for sign in OF_SIGN if sign in signs):
        key(axis, OF_SIGN[sign], color=GREY, marker="o", **LOOKS["hollow" if sign == "open" else "filled"])
    if any(math.isfinite(row["value"]) and not has_limits(row) for row in rows):
        key(axis, "no limits", color=GREY, marker="x")


def has_limits(row: Row) -> bool:
    """True where both limits can be drawn."""
    return math.isfinite(row["lower"]) and math.isfinite(row["upper"])


def and_limits(what: str, rows: Iterable[Row]) -> str:
    """The name of an axis that shows a value, and limits if there are any."""
    limited = any(map(has_limits, rows))
    return f"{what} and limits" if limited else what


def bars(axis: Any, places: Iterable[float], rows: Sequence[Row], *, vertical: bool = False, **look: Any) -> None:
    """A mark for each value, and a bar from lower to upper: of each limit that there is; bounds are boxes."""
    finite = ((place, row) for place, row in zip(places, rows, strict=True) if math.isfinite(row["value"]))
    by_mark = gathered(
        ((_mark_of(row), are_bounds(row)), (place, row)) for place, row in finite
    )  # fmt: skip
    for (mark, has_boxes), at_places in by_mark.items():
        at, marked = zip(*at_places, strict=True)
        along, across, spread = ("x", "y", "yerr") if vertical else ("y", "x", "xerr")
        where = {along: at, across: [row["value"] for row in marked]}
        if has_boxes:
            _boxes(axis, at, marked, vertical=vertical)
        else:
            where[spread] = whiskers(marked)
        axis.errorbar(**where, **{**ERROR_BAR, **look, **LOOKS[mark]})


def _mark_of(row: Row) -> str:
    return "cross" if not has_limits(row) else "filled" if told_apart(row) else "hollow"


def are_bounds(row: Row) -> bool:
    """True where limits are bounds over the grades of unjudged documents, and no confidence limits."""
    return row.get("population") == JUDGMENTS


def _boxes(axis: Any, places: Sequence[float], rows: Sequence[Row], *, vertical: bool) -> None:
    """Hatched boxes from bound to bound."""
    boxed = [(place, row) for place, row in zip(places, rows, strict=True) if row["upper"] > row["lower"]]
    if boxed:
        at, lows, sizes = zip(
            *((place, row["lower"], row["upper"] - row["lower"]) for place, row in boxed), strict=True
        )
        look = {"facecolor": "none", "edgecolor": GREY, "hatch": "//////", "linewidth": 0.7}
        if BOUNDS not in axis.get_legend_handles_labels()[1]:
            look["label"] = BOUNDS
        axis.use_sticky_edges = False  # room beside the boxes
        (axis.bar if vertical else axis.barh)(at, sizes, BOX, lows, **look)


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


def draw_series(
    names: Sequence[object],
    labels: Sequence[str],
    series: dict[str, list[tuple[object, Row]]],
    colours: Sequence[int],
    axis: Any,
) -> None:
    """A list: names down the side under these labels, and beside each the rows of its name, of one series or several, each in
    one of these colours."""
    place_of = {name: index for index, name in enumerate(names)}
    for number, (colour, (name, rows)) in enumerate(zip(colours, series.items(), strict=True)):
        shift, look = shift_of(number, len(series)), style(colour)
        places, of_series = [place_of[each] + shift for each, _ in rows], [row for _, row in rows]
        bars(axis, places, of_series, **look, **marks_of(len(names), len(series)))
        if len(series) > 1:
            key(axis, name, **look)
    keys(axis, [row for rows in series.values() for _, row in rows])
    name_rows(axis, labels)


def by_series(rows: Iterable[Row], label_of: Callable[[Row], str], *names: str) -> dict[str, list[tuple[object, Row]]]:
    """The rows of each series by its label, each with its name: what some columns hold."""
    return gathered((label_of(row), (tuple(row[name] for name in names), row)) for row in rows)


def colours_of(series: dict[str, list[tuple[object, Row]]], content: Content) -> list[int]:
    """The colour of what varies in each series, the same in all panels."""
    return [content.place_of(rows[0][1]) for rows in series.values()]


def varied(row: Row) -> str:
    """The label of what varies."""
    return str(row["varies"].label)


LESS, NEITHER, GREATER = "#D55E00", "#ffffff", "#0072B2"
# What colours stand for: signs, or shares of splits.
SIGNS = {"row is better": 1, "no significant difference": 0, "row is worse": -1}
SHARES = {
    "row is better in all splits": 1, "in half of them": 0.5, "no significant difference": 0,
    "row is worse in half of them": -0.5, "in all splits": -1,
}  # fmt: skip
MOST_PAIRS = 60  # in a list; more are a matrix's business


def is_list(rows: Sequence[Row]) -> bool:
    """True of the differences of a measure that are drawn as a list: few pairs, or those with one baseline."""
    return has_one_baseline(rows) or len(grouped(rows, "run", "baseline")) <= MOST_PAIRS


def has_one_baseline(rows: Sequence[Row]) -> bool:
    """True where all pairs share it."""
    return len({row.get("baseline") for row in rows}) == 1


def difference_of(row: Row) -> str:
    """The quantity of a row of differences."""
    return f"difference in {mean_of(row['of_measure'])}"


def from_one(rows: Sequence[Row]) -> str:
    """The baseline that all pairs share, for a title."""
    return f": run − {rows[0]['baseline']}" if has_one_baseline(rows) and "baseline" in rows[0] else ""


def pair_labels(rows: Sequence[Row]) -> list[str]:
    """The pairs; the runs alone where the title names their one baseline."""
    if has_one_baseline(rows):
        return [row["run"] for row in rows]
    return [f"{row['run']} − {row['baseline']}" for row in rows]


def pairs_width(rows: Sequence[Row]) -> float:
    """Inches for the names of pairs, which are those of two runs."""
    return names_width([row["run"] for row in rows]) * (1 if has_one_baseline(rows) else 2)


def by_value(rows: Sequence[Row]) -> list[Row]:
    """The rows of runs or pairs, the highest value first."""
    return sorted(rows, key=lambda row: -row["value"])


def vote_panels(content: Content) -> Iterator[Panel]:
    """Agreement maps of splits."""
    for (measure, what), some in grouped(content.rows("vote"), "of_measure", "test").items():
        yield _matrix(f"{as_typed(measure)}: {what}", some, [row["share"] for row in some], content.width)


def significance_panels(content: Content) -> Iterator[Panel]:
    """Significance matrices of more differences than fit a list."""
    for some in grouped(of_all(content.rows("difference")), "measure", "population").values():
        if not is_list(some):
            signs = [(1 if row["value"] > 0 else -1) * _is_told_apart(row) for row in some]
            what = f"{difference_of(some[0])}: {varied(some[0])}; adjusted p ≤ {ALPHA}"
            yield _matrix(what, some, signs, content.width)


def _is_told_apart(row: Row) -> bool:
    return row.get("sign") == "sure" or bool(reaches(p_of(row), ALPHA))


def _matrix(title: str, rows: Sequence[Row], values: Sequence[float], given: float | None) -> Panel:
    # The sum of a run's differences from all others is in order of its score.
    above = dict.fromkeys((name for row in rows for name in (row["run"], row["baseline"])), 0.0)
    for row in rows:
        above[row["run"]] += row["value"]
        above[row["baseline"]] -= row["value"]
    names = sorted(above, key=lambda name: -above[name])
    side, beside = max(1.0, len(names) * step_of(len(names))[0]), names_width(names)
    if given is not None:
        side = min(side, max(1.0, given - beside))
    width = max(NARROW, side + beside + 0.4)
    return Panel(title, side, partial(_draw_matrix, names, rows, values, side), width, 0.9 + beside, beside, width)


def _draw_matrix(names: Sequence[str], rows: Sequence[Row], values: Sequence[float], side: float, axis: Any) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    place_of = {name: index for index, name in enumerate(names)}
    cells = [[0.0] * len(names) for _ in names]
    for row, value in zip(rows, values, strict=True):
        first, second = place_of[row["run"]], place_of[row["baseline"]]
        cells[first][second], cells[second][first] = value, -value
    colours = LinearSegmentedColormap.from_list("signs", [LESS, NEITHER, GREATER], N=257)
    axis.imshow(cells, cmap=colours, vmin=-1, vmax=1, interpolation="nearest")
    axis.set_anchor("NW")
    *ticks, note = some_named(names, side)
    size = step_of(len(names))[1] if len(ticks[0]) == len(names) and side >= len(names) * STEP else LEAST_SIZE
    axis.set_xticks(*ticks, rotation=90, fontsize=size)
    axis.set_yticks(*ticks, fontsize=size)
    axis.tick_params(length=0)
    axis.set_xlabel(f"runs by score{note}")
    for text, value in (SIGNS if set(values) <= {-1, 0, 1} else SHARES).items():
        patch(axis, text, colours((value + 1) / 2))

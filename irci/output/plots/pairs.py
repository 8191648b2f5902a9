"""Pairs of runs: in a list, what they are called, and how wide that is; all at once, which differ, and in how many splits."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from irci.output.plots.marks import ALPHA, varied
from irci.output.plots.panels import NARROW, Content, Panel, Row, grouped, label, names_width, patch, step_of
from irci.output.wording import in_words, mean_of

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
    return f": run − {label(rows[0]['baseline'])}" if has_one_baseline(rows) and "baseline" in rows[0] else ""


def pair_labels(rows: Sequence[Row]) -> list[str]:
    """The pairs; the runs alone where the title names their one baseline."""
    if has_one_baseline(rows):
        return [label(row["run"]) for row in rows]
    return [f"{label(row['run'])} − {label(row['baseline'])}" for row in rows]


def pairs_width(rows: Sequence[Row]) -> float:
    """Inches for the names of pairs, which are those of two runs."""
    return names_width([row["run"] for row in rows]) * (1 if has_one_baseline(rows) else 2)


def by_value(rows: Sequence[Row]) -> list[Row]:
    """The rows of runs or pairs, the highest value first."""
    return sorted(rows, key=lambda row: -row["value"])


def vote_panels(content: Content) -> Iterator[Panel]:
    """Agreement maps of splits."""
    for (measure, what), some in grouped(content.rows("vote"), "of_measure", "what").items():
        shares = [(row["for"] - row["against"]) / row["splits"] for row in some]
        yield _matrix(f"{in_words(measure)}: {what}", some, shares)


def significance_panels(content: Content) -> Iterator[Panel]:
    """Significance matrices of more differences than fit a list."""
    for some in grouped(content.rows("difference"), "measure", "population").values():
        if not is_list(some):
            signs = [(1 if row["value"] > 0 else -1) * (row["p_adjusted"] <= ALPHA) for row in some]
            what = f"{difference_of(some[0])}: {varied(some[0])}; adjusted p ≤ {ALPHA}"
            yield _matrix(what, some, signs)


def _matrix(title: str, rows: Sequence[Row], values: Sequence[float]) -> Panel:
    # The sum of a run's differences from all others is in order of its score.
    above = dict.fromkeys((name for row in rows for name in (row["run"], row["baseline"])), 0.0)
    for row in rows:
        above[row["run"]] += row["value"]
        above[row["baseline"]] -= row["value"]
    names = sorted(above, key=lambda name: -above[name])
    side, beside = max(1.0, len(names) * step_of(len(names))[0]), names_width(names)
    width = max(NARROW, side + beside + 0.4)
    return Panel(title, side, partial(_draw_matrix, names, rows, values), width, 0.9 + beside, beside, width)


def _draw_matrix(names: Sequence[str], rows: Sequence[Row], values: Sequence[float], axis: Any) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    place_of = {name: place for place, name in enumerate(names)}
    cells = [[0.0] * len(names) for _ in names]
    for row, value in zip(rows, values, strict=True):
        first, second = place_of[row["run"]], place_of[row["baseline"]]
        cells[first][second], cells[second][first] = value, -value
    colours = LinearSegmentedColormap.from_list("signs", [LESS, NEITHER, GREATER], N=257)
    axis.imshow(cells, cmap=colours, vmin=-1, vmax=1, interpolation="nearest")
    axis.set_anchor("NW")
    ticks, size = (range(len(names)), list(map(label, names))), step_of(len(names))[1]
    axis.set_xticks(*ticks, rotation=90, fontsize=size)
    axis.set_yticks(*ticks, fontsize=size)
    axis.tick_params(length=0)
    axis.set_xlabel("runs by score")
    for text, value in (SIGNS if set(values) <= {-1, 0, 1} else SHARES).items():
        patch(axis, text, colours((value + 1) / 2))

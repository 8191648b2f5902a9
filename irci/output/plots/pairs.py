"""Pairs of runs in a list: when they are few enough for one, what they are called, and how wide that is."""

from collections.abc import Sequence

from irci.output.plots.panels import Row, grouped, label, names_width
from irci.output.wording import mean_of

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

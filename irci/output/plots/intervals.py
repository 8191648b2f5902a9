"""Intervals: of topics, runs, differences, ranks, effects; those of one half of a collection and scores on the other."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from irci.output.plots.bounds import bounds_panels
from irci.output.plots.forests import forest_panels, of_all
from irci.output.plots.marks import and_limits, by_series, draw_series, has_limits, p_keys, series_name, told_apart
from irci.output.plots.panels import (
    LONGEST_LETTERS,
    MOST_PAIRS,
    Panel,
    Row,
    grouped,
    key,
    label,
    list_height,
    name_rows,
    names_width,
    rows_of,
    step_of,
    style,
)
from irci.output.plots.topics import Span, difference_panels, span_of, topic_bounds_panels, topic_panels
from irci.output.report import Table
from irci.output.wording import in_words, mean_of


def interval_panels(tables: Sequence[Table]) -> list[Panel]:
    """The panels of all tables that have limits."""
    topics, differences = rows_of(tables, "topic"), rows_of(tables, "difference")
    of_topics, forests = topic_panels(topics), forest_panels(differences)
    is_of_one_pair = len(grouped(differences, "run", "baseline")) == 1
    spans = {measure: span_of(some) for (measure,), some in grouped(topics, "measure").items()} if of_topics else {}
    return [
        *of_topics,
        *_mean_panels(of_all(rows_of(tables, "estimate")), spans),
        *_effect_panels(rows_of(tables, "effect")),
        # The forest of a single pair shows its means too.
        *([] if forests and is_of_one_pair else _pair_panels(of_all(differences))),
        *forests,
        *difference_panels(rows_of(tables, "topic_difference")),
        *_diamonds([row for row in rows_of(tables, "meta") if has_limits(row)]),
        *_rank_panels(rows_of(tables, "rank")),
        *_half_panels(rows_of(tables, "half_interval")),
        *topic_bounds_panels(rows_of(tables, "topic_bounds"), rows_of(tables, "topic_difference_bounds")),
        *bounds_panels(rows_of(tables, "bounds"), rows_of(tables, "difference_bounds")),
    ]


def _mean_panels(rows: Sequence[Row], spans: dict[str, Span]) -> list[Panel]:
    """For each measure the runs by score, with the limits for what varies; on the scale of their topics, if drawn."""
    by_measure = grouped(rows, "measure")
    if len(rows) == 1 and not has_limits(rows[0]):
        return []  # one score without limits is no picture
    panels = []
    for (measure,), some in by_measure.items():
        what = mean_of(measure)
        # Limits of ap-ci's means are for the topics there are.
        varied = "documents" if "corrected" in some[0] else "topics"
        series = by_series([{"population": varied, **row} for row in some], "population", "run")
        title = f"{what} of each run" + (f": {next(iter(series))}" if len(series) == 1 else "")
        panels.append(_run_panel(title, and_limits(what, some), series, spans.get(measure)))
    return panels


def _effect_panels(rows: Sequence[Row]) -> list[Panel]:
    return [
        _run_panel(
            f"effect of each run on {in_words(measure)}, less the mean of all",
            and_limits("effect", some),
            by_series(some, "model", "run"),
        )
        for (measure,), some in grouped(rows, "of_measure").items()
    ]


def _run_panel(title: str, xlabel: str, series: dict[str, list[tuple[object, Row]]], span: Span | None = None) -> Panel:
    every = {name: row for of_series in reversed(series.values()) for name, row in of_series}  # a series may lack some
    first = sorted(every.items(), key=lambda named: -named[1]["value"])
    names = [name for name, _ in first]

    def draw(axis: Any) -> None:
        draw_series(names, [label(row["run"]) for _, row in first], series, axis)
        axis.set(xlabel=xlabel, xlim=span)

    beside = names_width([row["run"] for _, row in first])
    return Panel(title, list_height(len(names), len(series)), draw, around=1.0, beside=beside)


def _pair_panels(rows: Sequence[Row]) -> list[Panel]:
    """Differences of pairs, the largest first, if they are not too many for a list."""
    panels = []
    for of_measure in grouped(rows, "measure").values():
        series = by_series(of_measure, "population", "run", "baseline")
        pairs = {(row["run"], row["baseline"]): row for row in reversed(of_measure)}
        if is_list(of_measure):
            varied = f", {next(iter(series))}" if len(series) == 1 and "population" in of_measure[0] else ""
            title = f"{difference_of(of_measure[0])}{varied}{_from_one(of_measure)}"
            ordered = _by_value(pairs.values())
            draw, height = partial(_draw_pairs, ordered, series), list_height(len(pairs), len(series))
            panels.append(Panel(title, height, draw, around=1.2, beside=_pairs_width(ordered)))
    return panels


def is_list(rows: Sequence[Row]) -> bool:
    """Whether the differences of a measure are drawn as a list: few pairs, or those with one baseline."""
    return _one_baseline(rows) or len(grouped(rows, "run", "baseline")) <= MOST_PAIRS


def difference_of(row: Row) -> str:
    """What a row of differences is of."""
    return f"difference in {mean_of(row['of_measure'])}"


def _by_value(rows: Any) -> list[Row]:
    return sorted(rows, key=lambda row: (-row["value"], row["run"]))


def _one_baseline(rows: Sequence[Row]) -> bool:
    return len({row.get("baseline") for row in rows}) == 1


def _from_one(rows: Sequence[Row]) -> str:
    """The baseline that all pairs share, for a title."""
    return f": run − {label(rows[0]['baseline'])}" if _one_baseline(rows) and "baseline" in rows[0] else ""


def _pair_labels(rows: Sequence[Row]) -> list[str]:
    """The pairs; the runs alone where the title names their one baseline."""
    if _one_baseline(rows):
        return [label(row["run"]) for row in rows]
    return [f"{label(row['run'])} − {label(row['baseline'])}" for row in rows]


def _pairs_width(rows: Sequence[Row]) -> float:
    """Inches for the names of pairs, which are those of two runs."""
    return names_width([row["run"] for row in rows]) * (1 if _one_baseline(rows) else 2)


def _draw_pairs(ordered: Sequence[Row], series: dict[str, list[tuple[object, Row]]], axis: Any) -> None:
    labels = _pair_labels(ordered)
    draw_series([(row["run"], row["baseline"]) for row in ordered], labels, series, axis)
    axis.set_yticks(range(len(labels)), labels, fontsize=step_of(len(labels))[1])
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_xlabel(and_limits("difference", [row for some in series.values() for _, row in some]))


def _diamonds(rows: Sequence[Row]) -> list[Panel]:
    """What single topics give together: a diamond from limit to limit, widest at the value."""
    panels = []
    for (measure, run_given), some in grouped(rows, "measure", "of_measure").items():
        what = f"effects on single topics combined ({measure.rpartition('_')[2]})"
        title = f"{in_words(run_given)}: {what}{_from_one(some)}"
        if is_list(some):
            draw, beside = partial(_draw_diamonds, _by_value(some)), _pairs_width(some)
            panels.append(Panel(title, list_height(len(some)), draw, around=1.0, beside=beside))
    return panels


def _draw_diamonds(rows: Sequence[Row], axis: Any) -> None:
    colour = style(0)["color"]
    for place, row in enumerate(rows):
        across = [row["lower"], row["value"], row["upper"], row["value"]]
        down = [place, place - 0.3, place, place + 0.3]
        axis.fill(across, down, facecolor=colour if told_apart(row) else "white", edgecolor=colour)
    labels = _pair_labels(rows)
    name_rows(axis, labels)
    axis.set_yticks(range(len(labels)), labels)
    if "baseline" in rows[0]:
        p_keys(axis, rows)
        axis.axvline(0, color="black", linewidth=0.8)
    axis.set_xlabel("effect and limits, on the logit scale")


def _rank_panels(rows: Sequence[Row]) -> list[Panel]:
    return [
        Panel(
            f"ranks by {mean_of(measure)}: {series_name(str(population))}",
            list_height(len(some)),
            partial(_draw_ranks, sorted(some, key=lambda row: (row["value"], row["lower"]))),
            around=1.1,
            beside=names_width([row["run"] for row in some]),
        )
        for (measure, population), some in grouped(rows, "ranked_by", "population").items()
    ]


def _draw_ranks(ordered: Sequence[Row], axis: Any) -> None:
    draw_series([place for place, _ in enumerate(ordered)], [label(row["run"]) for row in ordered],
                {"": list(enumerate(ordered))}, axis)  # fmt: skip
    size = min(7.0, step_of(len(ordered))[1] - 1)
    letters = [_letters(row) for row in ordered]
    for place, row in enumerate(ordered):
        beside = row["upper"] if math.isfinite(row["upper"]) else row["value"]
        axis.annotate(f"   {letters[place]}", (beside, place), va="center", fontsize=size, annotation_clip=False)
    room = len(ordered) * max(map(len, letters)) * size * 0.0024
    axis.set_xlim(0.5, len(ordered) + 0.5 + room)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.set_xticks([tick for tick in axis.get_xticks() if 1 <= tick <= len(ordered)])
    axis.set_xlim(0.5, len(ordered) + 0.5 + room)
    together = "\nruns that share a letter are not significantly different" if any(letters) else ""
    axis.set_xlabel(f"rank and limits{together}")


def _letters(row: Row) -> str:
    """A rank's letters if they are few; - stands for those that are not made."""
    letters = str(row["letters"])
    return "" if letters == "-" or len(letters) > LONGEST_LETTERS else letters


def _half_panels(rows: Sequence[Row]) -> list[Panel]:
    """Means on one half with their limits, and the scores on the other (Cormack & Lynam 2006, Figures 3 and 4)."""
    panels = []
    for (kind, half), some in grouped(rows, "interval", "half").items():
        measure, _, made = kind.partition("/")
        where = "all documents" if half == "all" else f"half {half} of the documents and the other"
        title = f"{in_words(measure)}/{made}: {where}" if made else f"{kind}: {where}"
        panels.append(
            Panel(
                title,
                list_height(len(some)),
                partial(_draw_halves, some),
                around=1.0,
                beside=names_width([row["run"] for row in some]),
            )
        )
    return panels


def _draw_halves(rows: Sequence[Row], axis: Any) -> None:
    ordered = sorted(rows, key=lambda row: -row["value"])
    draw_series(range(len(ordered)), [label(row["run"]) for row in ordered], {"": list(enumerate(ordered))}, axis)
    other = [row["other_half"] for row in ordered]
    if any(map(math.isfinite, other)):
        axis.plot(other, range(len(ordered)), linestyle="none", markersize=4, **style(1))
        key(axis, "this half, with its limits", **style(0))
        key(axis, "the other half", **style(1))
    axis.set_xlabel("mean score and limits")

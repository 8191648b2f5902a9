"""Intervals: of topics, runs, differences, ranks, effects; those of one half of a collection and scores on the other."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from irci.output.plots.panels import (
    LONGEST_LETTERS,
    MANY,
    WIDTH,
    Panel,
    Row,
    grouped,
    label,
    legend,
    list_height,
    name_rows,
    rows_of,
    style,
)
from irci.output.report import Table

MOST_LISTS = 6  # runs (or pairs) of which every topic is drawn
MOST_PAIRS = 60  # differences in a list; more are a matrix's business
MOST_NAMED_TOPICS = 150
ERROR_BAR = {"linestyle": "none", "elinewidth": 1.0, "capsize": 1.5, "markersize": 3.5}


def interval_panels(tables: Sequence[Table]) -> list[Panel]:
    """The panels of all tables that have limits."""
    return [
        *_topic_panels(rows_of(tables, "topic")),
        *_run_panels(rows_of(tables, "estimate"), "population", lambda measure: f"mean {_what(measure)} of each run"),
        *_run_panels(
            rows_of(tables, "effect"), "model", lambda measure: f"effects of systems on {measure}, less the mean of all"
        ),
        *_forests(rows_of(tables, "difference"), rows_of(tables, "topic_difference")),
        *_diamonds([row for row in rows_of(tables, "meta") if math.isfinite(row["lower"])]),
        *_rank_panels(rows_of(tables, "rank")),
        *_half_panels(rows_of(tables, "half_interval")),
    ]


def _topic_panels(rows: Sequence[Row]) -> list[Panel]:
    """For a few runs the intervals of their topics."""
    lists = grouped(rows, "measure", "run")
    if len(lists) > MOST_LISTS:
        return []
    return [
        Panel(f"{measure} of each topic: {label(run)}", 2.8, partial(_draw_topics, of_run), _topics_width(len(of_run)))
        for (measure, run), of_run in lists.items()
    ]


def _topics_width(topics: int) -> float:
    return max(WIDTH, 0.13 * topics) if topics <= MOST_NAMED_TOPICS else 2 * WIDTH


def _draw_topics(rows: Sequence[Row], axis: Any) -> None:
    _draw_each_topic(rows, axis)
    if all(0 <= row["value"] <= 1 for row in rows):
        axis.set_ylim(-0.03, 1.03)  # the same for all runs


def _draw_each_topic(rows: Sequence[Row], axis: Any) -> None:
    ordered = sorted(rows, key=lambda row: -row["value"])
    _bars(axis, range(len(ordered)), ordered, vertical=True, **style(0))
    if len(ordered) <= MOST_NAMED_TOPICS:
        axis.set_xticks(range(len(ordered)), [label(row["topic"]) for row in ordered], rotation=90, fontsize=6)
    axis.set_xlim(-1, len(ordered))
    axis.set_xlabel("topic, by value")
    axis.set_ylabel(f"{rows[0]['measure']} and limits")
    axis.grid(axis="y", color="#dddddd", linewidth=0.6)


def _bars(axis: Any, places: Any, rows: Sequence[Row], *, vertical: bool = False, **look: Any) -> None:
    """A mark for each value, and a bar from lower to upper where there are limits."""
    values = [row["value"] for row in rows]
    low = [max(row["value"] - row["lower"], 0) if math.isfinite(row["lower"]) else 0 for row in rows]
    high = [max(row["upper"] - row["value"], 0) if math.isfinite(row["upper"]) else 0 for row in rows]
    if vertical:
        axis.errorbar(list(places), values, yerr=[low, high], **ERROR_BAR, **look)
    else:
        axis.errorbar(values, list(places), xerr=[low, high], **ERROR_BAR, **look)


def _run_panels(rows: Sequence[Row], varies: str, title: Callable[[str], str]) -> list[Panel]:
    """For each measure the runs by score, with the limits for whatever `varies`, a column."""
    panels = []
    by_measure = grouped(rows, "measure")
    for (measure,), of_measure in by_measure.items():
        series = grouped(of_measure, varies)
        first = sorted(next(iter(series.values())), key=lambda row: -row["value"])
        names = [row["run"] for row in first]
        if len(by_measure) == len(names) == len(series) == 1 and not math.isfinite(first[0]["lower"]):
            continue  # one score without limits is no picture
        panels.append(
            Panel(
                title(of_measure[0]["of_measure"] or measure),
                list_height(len(names) * min(len(series), 2)),
                partial(_draw_series, names, series),
            )
        )
    return panels


def _what(measure: str) -> str:
    return {"smap": "map, standardised (z scores)"}.get(measure, measure)


def _draw_series(names: Sequence[str], series: dict[tuple[Any, ...], list[Row]], axis: Any) -> None:
    place_of = {name: place for place, name in enumerate(names)}
    step = 0.5 / len(series)
    for number, ((name,), rows) in enumerate(series.items()):
        shift = (number - (len(series) - 1) / 2) * step
        look = {**style(number), "label": None if name is None else series_name(name)}
        _bars(axis, [place_of[row["run"]] + shift for row in rows], rows, **look)
    name_rows(axis, names)
    has_limits = any(math.isfinite(row["lower"]) for rows in series.values() for row in rows)
    axis.set_xlabel("value and limits" if has_limits else "value")
    legend(axis)


def series_name(name: str) -> str:
    """What varies, or what is fitted, in words."""
    return {
        "documents": "other documents, these topics",
        "topics": "other topics",
        "both": "both documents and topics",
        "additive": "without interaction",
        "interaction": "with interaction",
    }.get(name, name)


def _forests(means: Sequence[Row], of_topics: Sequence[Row]) -> list[Panel]:
    """Differences: a list of pairs if there are not too many, and the topics of a few pairs."""
    panels = []
    for of_measure in grouped(means, "measure").values():
        pairs = list(grouped(of_measure, "run", "baseline"))
        if len(pairs) <= MOST_PAIRS:
            what = difference_of(of_measure[0])
            panels.append(Panel(what, list_height(2 * len(pairs)), partial(_draw_pairs, pairs, of_measure)))
    lists = grouped(of_topics, "measure", "run", "baseline", "population")
    if len(lists) <= MOST_LISTS:
        for (_, run, baseline, _), some in lists.items():
            title = f"{difference_of(some[0])} of each topic: {label(run)} − {label(baseline)}"
            panels.append(Panel(title, 2.8, partial(_draw_topics_difference, some), _topics_width(len(some))))
    return panels


def difference_of(row: Row) -> str:
    """What a row of differences is of."""
    return f"difference in {row['of_measure']}"


def _draw_topics_difference(rows: Sequence[Row], axis: Any) -> None:
    _draw_each_topic(rows, axis)
    axis.axhline(0, color="black", linewidth=0.8)
    axis.set_ylabel("difference and limits")


def _draw_pairs(pairs: Sequence[tuple[Any, ...]], rows: Sequence[Row], axis: Any) -> None:
    names = [f"{label(run)} − {label(baseline)}" for run, baseline in pairs]
    series = grouped(rows, "population")
    name_of = dict(zip(pairs, names, strict=True))
    shown: dict[tuple[Any, ...], list[Row]] = {
        key: [{**row, "run": name_of[row["run"], row["baseline"]]} for row in some] for key, some in series.items()
    }
    _draw_series(names, shown, axis)
    axis.set_yticks(range(len(names)), names)
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_xlabel("difference and limits")


def _diamonds(rows: Sequence[Row]) -> list[Panel]:
    """What single topics give together: a diamond from limit to limit, widest at the value."""
    return [
        Panel(
            f"{measure}: effects on single topics combined", list_height(1.5 * len(some)), partial(_draw_diamonds, some)
        )
        for (measure,), some in grouped(rows, "measure").items()
        if len(some) <= MOST_PAIRS
    ]


def _draw_diamonds(rows: Sequence[Row], axis: Any) -> None:
    for place, row in enumerate(rows):
        corners = [
            (row["lower"], place),
            (row["value"], place - 0.3),
            (row["upper"], place),
            (row["value"], place + 0.3),
        ]
        axis.fill(*zip(*corners, strict=True), color=style(0)["color"])
    names = [
        f"{label(row['run'])} − {label(row['baseline'])}" if "baseline" in row else label(row["run"]) for row in rows
    ]
    name_rows(axis, names)
    axis.set_yticks(range(len(names)), names)
    if "baseline" in rows[0]:
        axis.axvline(0, color="black", linewidth=0.8)
    axis.set_xlabel("on the logit scale")


def _rank_panels(rows: Sequence[Row]) -> list[Panel]:
    return [
        Panel(
            f"ranks by {measure}: {series_name(str(population))}; runs that share a letter are not told apart",
            list_height(len(some)),
            partial(_draw_ranks, some),
        )
        for (measure, population), some in grouped(rows, "ranked_by", "population").items()
    ]


def _draw_ranks(rows: Sequence[Row], axis: Any) -> None:
    ordered = sorted(rows, key=lambda row: (row["value"], row["lower"]))
    _bars(axis, range(len(ordered)), ordered, **style(0))
    small = len(ordered) > MANY
    letters = [row["letters"] if len(row["letters"]) <= LONGEST_LETTERS else "" for row in ordered]
    for place, row in enumerate(ordered):
        axis.annotate(
            f"   {letters[place]}",
            (row["upper"], place),
            va="center",
            fontsize=4.5 if small else 7,
            annotation_clip=False,
        )
    name_rows(axis, [row["run"] for row in ordered])
    longest = max(map(len, letters))
    axis.set_xlim(0.5, len(ordered) + 0.5 + len(ordered) * longest * (0.008 if small else 0.012))
    axis.set_xlabel("rank and limits")


def _half_panels(rows: Sequence[Row]) -> list[Panel]:
    """Means on one half with their limits, and the scores on the other (Cormack & Lynam 2006, Figures 3 and 4)."""
    return [
        Panel(
            f"{kind}: half {half} of the documents, and the other", list_height(len(some)), partial(_draw_halves, some)
        )
        for (kind, half), some in grouped(rows, "interval", "half").items()
    ]


def _draw_halves(rows: Sequence[Row], axis: Any) -> None:
    ordered = sorted(rows, key=lambda row: -row["value"])
    _bars(axis, range(len(ordered)), ordered, label="this half, with limits", **style(0))
    other = [row["other_half"] for row in ordered]
    axis.plot(other, range(len(ordered)), linestyle="none", markersize=4, label="the other half", **style(1))
    name_rows(axis, [row["run"] for row in ordered])
    axis.set_xlabel("mean score")
    legend(axis)

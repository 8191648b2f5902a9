"""Intervals of single topics: scores of a few runs, or differences of a few pairs, all over the same topics in one order."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from irci.output.plots.bounds import bounds_bars
from irci.output.plots.marks import and_limits, bars, cross_key, p_keys
from irci.output.plots.panels import PALE, WIDTH, Panel, Row, grouped, label, style
from irci.output.wording import in_words

MOST_LISTS = 6  # runs (or pairs) of which every topic is drawn
MOST_NAMED = 150
HEIGHT = 1.7
Span = tuple[float, float]


def topic_panels(rows: Sequence[Row]) -> list[Panel]:
    """For a few runs the intervals of their topics."""
    if len(grouped(rows, "measure", "run")) > MOST_LISTS:
        return []
    panels = []
    for (measure,), of_measure in grouped(rows, "measure").items():
        what = in_words(measure)
        lists = {f"{what} of each topic: {label(run)}": some for (run,), some in grouped(of_measure, "run").items()}
        below = f"topic, by mean {what} of these runs" if len(lists) > 1 else f"topic, by {what}"
        panels += _stacked(lists, what, below, span_of(of_measure))
    return panels


def difference_panels(rows: Sequence[Row]) -> list[Panel]:
    """For a few pairs the differences on their topics."""
    if len(grouped(rows, "measure", "run", "baseline", "population")) > MOST_LISTS:
        return []
    panels = []
    for of_measure in grouped(rows, "measure").values():
        what = f"difference in {in_words(of_measure[0]['of_measure'])} of each topic"
        lists = {
            f"{what}: {label(run)} − {label(baseline)}": some
            for (run, baseline, _), some in grouped(of_measure, "run", "baseline", "population").items()
        }
        below = "topic, by mean difference" if len(lists) > 1 else "topic, by difference"
        panels += _stacked(lists, "difference", below, _finite_span(of_measure))
    return panels


def topic_bounds_panels(rows: Sequence[Row], differences: Sequence[Row]) -> list[Panel]:
    """The same of bounds over the grades of unjudged documents: scores, and differences."""
    panels = []
    for some, names in ((rows, ("run",)), (differences, ("run", "baseline"))):
        if len(grouped(some, "measure", *names)) > MOST_LISTS:
            continue
        for (measure,), of_measure in grouped(some, "measure").items():
            what = in_words(measure.removesuffix("_diff"))
            what = f"difference in {what}" if len(names) > 1 else what
            lists = {
                f"{what} of each topic: {' − '.join(map(label, found))}": of_list
                for found, of_list in grouped(of_measure, *names).items()
            }
            span = span_of(of_measure) if len(names) == 1 else _finite_span(of_measure)
            panels += _stacked(lists, what, f"topic, by {'mean ' * (len(lists) > 1)}{what}", span, _bounds)
    return panels


def span_of(rows: Sequence[Row]) -> Span:
    """Where scores lie, and their limits, with a little room; of scores that lie from 0 to 1, all of that."""
    return (-0.03, 1.03) if all(0 <= row["value"] <= 1 for row in rows) else _finite_span(rows)


def _finite_span(rows: Sequence[Row]) -> Span:
    finite = [row[name] for row in rows for name in ("value", "lower", "upper") if math.isfinite(row[name])]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    room = 0.03 * (high - low or 1.0)
    return low - room, high + room


Marks = Callable[[Any, Sequence[int], Sequence[Row]], None]


def _limits(axis: Any, places: Sequence[int], rows: Sequence[Row]) -> None:
    """Values with their confidence limits."""
    bars(axis, places, rows, vertical=True, **style(0))
    p_keys(axis, rows)
    cross_key(axis, rows)


def _bounds(axis: Any, places: Sequence[int], rows: Sequence[Row]) -> None:
    """Values with what they could be."""
    bounds_bars(axis, places, rows, vertical=True)


def _stacked(
    lists: Mapping[str, Sequence[Row]], what: str, below: str, span: Span, marks: Marks = _limits
) -> list[Panel]:
    """A panel for each list, by its title, all on one scale; the topics are named below the last."""
    topics = _in_order([row for rows in lists.values() for row in rows])
    width = max(WIDTH, 0.13 * len(topics)) if len(topics) <= MOST_NAMED else 2 * WIDTH
    last = list(lists)[-1]
    return [
        Panel(title, HEIGHT,
              partial(_draw, topics, rows, marks, span, below if title == last else "",
                      and_limits(what, rows) if marks is _limits else what),
              width, 0.9 if title == last else 0.55, stacked=True)
        for title, rows in lists.items()
    ]  # fmt: skip


def _in_order(rows: Sequence[Row]) -> list[Any]:
    """The topics by their mean value, the highest first."""
    means = {
        topic: math.fsum(row["value"] for row in some) / len(some) for (topic,), some in grouped(rows, "topic").items()
    }
    return sorted(means, key=lambda topic: -means[topic] if math.isfinite(means[topic]) else math.inf)


def _draw(
    topics: Sequence[Any], rows: Sequence[Row], marks: Marks, span: Span, xlabel: str, ylabel: str, axis: Any
) -> None:
    place_of = {topic: place for place, topic in enumerate(topics)}
    marks(axis, [place_of[row["topic"]] for row in rows], rows)
    if len(topics) <= MOST_NAMED:
        names = [label(topic) if xlabel else "" for topic in topics]
        axis.set_xticks(range(len(topics)), names, rotation=90, fontsize=6)
    axis.set(xlim=(-1, len(topics)), ylim=span, xlabel=xlabel, ylabel=ylabel)
    axis.grid(axis="y", color=PALE, linewidth=0.6)
    if "baseline" in rows[0]:
        axis.axhline(0, color="black", linewidth=0.8)

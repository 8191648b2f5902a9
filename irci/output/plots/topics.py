"""Intervals of single topics: scores of a few runs, or differences of a few pairs, all over the same topics in one order."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from irci.output.plots.marks import bars, cross_key, p_keys
from irci.output.plots.panels import PALE, WIDTH, Panel, Row, grouped, label, style
from irci.output.wording import in_words

MOST_LISTS = 6  # runs (or pairs) of which every topic is drawn
MOST_NAMED = 150
HEIGHT = 1.7
Span = tuple[float, float]


def topic_panels(rows: Sequence[Row]) -> list[Panel]:
    """For a few runs the intervals of their topics."""
    lists = grouped(rows, "measure", "run")
    spans = {measure: span_of(some) for (measure,), some in grouped(rows, "measure").items()}
    return _stacked(
        [
            (
                f"{in_words(measure)} of each topic: {label(run)}",
                f"{in_words(measure)} and limits",
                of_run,
                spans[measure],
            )
            for (measure, run), of_run in lists.items()
        ],
        "topic, by mean over these runs" if len(lists) > 1 else "topic, by value",
    )


def difference_panels(rows: Sequence[Row]) -> list[Panel]:
    """For a few pairs the differences on their topics."""
    return _stacked(
        [
            (
                f"difference in {in_words(some[0]['of_measure'])} of each topic: {label(run)} − {label(baseline)}",
                "difference and limits", some, None,
            )
            for (_, run, baseline, _), some in grouped(rows, "measure", "run", "baseline", "population").items()
        ],
        "topic, by mean difference",
    )  # fmt: skip


def span_of(rows: Sequence[Row]) -> Span:
    """Where all scores lie, and their limits, with a little room."""
    if all(0 <= row["value"] <= 1 for row in rows):
        return -0.03, 1.03
    finite = [row[name] for row in rows for name in ("value", "lower", "upper") if math.isfinite(row[name])]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    room = 0.03 * (high - low or 1.0)
    return low - room, high + room


def _stacked(lists: Sequence[tuple[str, str, Sequence[Row], Span | None]], xlabel: str) -> list[Panel]:
    """A panel for each list, if they are few; the topics are named below the last."""
    if not 0 < len(lists) <= MOST_LISTS:
        return []
    topics = _in_order([row for _, _, rows, _ in lists for row in rows])
    width = max(WIDTH, 0.13 * len(topics)) if len(topics) <= MOST_NAMED else 2 * WIDTH
    panels = []
    for place, (title, ylabel, rows, span) in enumerate(lists):
        below = xlabel if place == len(lists) - 1 else ""
        draw = partial(_draw, topics, rows, span, below, ylabel)
        panels.append(Panel(title, HEIGHT, draw, width, 0.9 if below else 0.55, stacked=True))
    return panels


def _in_order(rows: Sequence[Row]) -> list[Any]:
    """The topics by their mean value, the highest first."""
    means = {
        topic: math.fsum(row["value"] for row in some) / len(some) for (topic,), some in grouped(rows, "topic").items()
    }
    return sorted(means, key=lambda topic: -means[topic] if math.isfinite(means[topic]) else math.inf)


def _draw(topics: Sequence[Any], rows: Sequence[Row], span: Span | None, xlabel: str, ylabel: str, axis: Any) -> None:
    place_of = {topic: place for place, topic in enumerate(topics)}
    bars(axis, [place_of[row["topic"]] for row in rows], rows, vertical=True, **style(0))
    p_keys(axis, rows)
    cross_key(axis, rows)
    if len(topics) <= MOST_NAMED:
        names = [label(topic) if xlabel else "" for topic in topics]
        axis.set_xticks(range(len(topics)), names, rotation=90, fontsize=6)
    axis.set(xlim=(-1, len(topics)), xlabel=xlabel, ylabel=ylabel)
    axis.grid(axis="y", color=PALE, linewidth=0.6)
    if span is None:
        axis.axhline(0, color="black", linewidth=0.8)
    else:
        axis.set_ylim(span)

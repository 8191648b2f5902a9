"""Intervals of single topics: scores of a few runs, or differences of a few pairs, all over the same topics in one order."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from irci.output.kinds import Kind
from irci.output.plots.lists import some_named
from irci.output.plots.names import label
from irci.output.plots.pairs import and_limits, bars, keys
from irci.output.plots.panels import LEAST_SIZE, PALE, WIDTH, Content, Panel, Row, grouped, style
from irci.output.wording import as_typed

MOST_LISTS = 6  # runs (or pairs) of which every topic is drawn
BESIDE = 0.8  # inches beside the axes
HEIGHT = 1.7
Span = tuple[float, float]


def topic_spans(content: Content) -> dict[str, Span]:
    """The scale that the topics of each measure are drawn on, if they are drawn."""
    rows = content.rows("topic")
    is_drawn = len(grouped(rows, "measure", "run")) <= MOST_LISTS
    return {measure: _span_of(some) for (measure,), some in grouped(rows, "measure").items()} if is_drawn else {}


def _span_of(rows: Sequence[Row]) -> Span:
    """The scale of scores and their limits, with a little room; of scores that lie from 0 to 1, all of that."""
    if "baseline" not in rows[0] and all(0 <= row["value"] <= 1 for row in rows):
        return -0.03, 1.03
    finite = [row[name] for row in rows for name in ("value", "lower", "upper") if math.isfinite(row[name])]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    room = 0.03 * (high - low or 1.0)
    return low - room, high + room


def _panels(kind: Kind, names: Sequence[str], content: Content, what: str = "", below: str = "{}") -> Iterator[Panel]:
    """A panel for each list of topics that shares these names, if they are few. `what`: what the axes call the values, if not
    the measure; `below`: and where topics are in order of several lists' mean.
    """
    rows = content.rows(kind)
    if len(grouped(rows, "measure", *names)) > MOST_LISTS:
        return
    for (measure,), of_measure in grouped(rows, "measure").items():
        scores = "difference in " * ("baseline" in names) + as_typed(measure.removesuffix("_diff"))
        value = what or scores
        lists = {
            f"{scores} of each topic: {' − '.join(found[:2])}": some
            for found, some in grouped(of_measure, *names).items()
        }
        xlabel = "topic, by " + (f"mean {below.format(value)}" if len(lists) > 1 else value)
        yield from _stacked(lists, value, xlabel, _span_of(of_measure), content.width)


def _stacked(
    lists: Mapping[str, Sequence[Row]], what: str, below: str, span: Span, given: float | None
) -> Iterator[Panel]:
    means = {
        topic: math.fsum(row["value"] for row in some) / len(some)
        for (topic,), some in grouped(chain(*lists.values()), "topic").items()
    }
    # The highest first.
    topics = sorted(means, key=lambda topic: -means[topic] if math.isfinite(means[topic]) else math.inf)
    width = given or min(max(WIDTH, 0.13 * len(topics)), 2 * WIDTH)
    shown, names, note = some_named(list(map(label, topics)), width - BESIDE)
    last = list(lists)[-1]
    for title, rows in lists.items():
        ylabel = and_limits(what, rows)
        ticks = (shown, names if title == last else [""] * len(names))
        draw = partial(_draw, topics, rows, span, below + note if title == last else "", ylabel, ticks)
        yield Panel(title, HEIGHT, draw, width, 0.9 if title == last else 0.55, stacked=True)


def _draw(
    topics: Sequence[Any], rows: Sequence[Row], span: Span, xlabel: str, ylabel: str,
    ticks: tuple[Sequence[int], Sequence[str]], axis: Any,
) -> None:  # fmt: skip
    place_of = {topic: index for index, topic in enumerate(topics)}
    bars(axis, [place_of[row["topic"]] for row in rows], rows, vertical=True, **style(0))
    keys(axis, rows)
    axis.set_xticks(*ticks, rotation=90, fontsize=LEAST_SIZE)
    axis.set(xlim=(-1, len(topics)), ylim=span, xlabel=xlabel, ylabel=ylabel)
    axis.grid(axis="y", color=PALE, linewidth=0.6)
    if "baseline" in rows[0]:
        axis.axhline(0, color="black", linewidth=0.8)


RUN, PAIR = ("run",), ("run", "baseline")
topic_panels = partial(_panels, "topic", RUN, below="{} of these runs")
difference_panels = partial(_panels, "topic_difference", (*PAIR, "population"), what="difference")

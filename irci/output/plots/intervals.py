"""Intervals: of topics, runs, differences, ranks, effects; those of one half of a collection and scores on the other."""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from irci.output.plots.forests import forest_panels, of_all
from irci.output.plots.marks import and_limits, by_series, diamond, draw_series, has_limits, p_keys, varied
from irci.output.plots.pairs import by_value, difference_of, from_one, is_list, pair_labels, pairs_width
from irci.output.plots.panels import (
    LONGEST_LETTERS,
    Content,
    Panel,
    Row,
    grouped,
    key,
    label,
    list_height,
    name_rows,
    names_width,
    step_of,
    style,
)
from irci.output.plots.topics import Span, topic_spans
from irci.output.wording import in_words, mean_of

MODELS = {
    "additive": "without interaction", "interaction": "with interaction", "nested": "with interaction and versions",
}  # fmt: skip


def mean_panels(content: Content) -> list[Panel]:
    """For each measure the runs by score, with the limits for what varies; on the scale of their topics, if drawn."""
    rows = of_all(content.rows("estimate"))
    if len(rows) == 1 and not has_limits(rows[0]):
        return []  # one score without limits is no picture
    spans = topic_spans(content)
    panels = []
    for (measure,), some in grouped(rows, "measure").items():
        what, series = mean_of(measure), by_series(some, varied, "run")
        only = next(iter(series)) if len(series) == 1 else ""
        title = f"{what} of each run" + f": {only}" * bool(only)
        panels.append(_run_panel(title, and_limits(what, some), series, spans.get(measure)))
    return panels


def effect_panels(content: Content) -> list[Panel]:
    """For each measure the runs by their effect, under each model fitted."""
    return [
        _run_panel(
            f"effect of each run on {in_words(measure)}, less the mean of all",
            and_limits("effect", some),
            by_series(some, lambda row: MODELS.get(str(row.get("model")), str(row.get("model"))), "run"),
        )
        for (measure,), some in grouped(content.rows("effect"), "of_measure").items()
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


def pair_panels(content: Content) -> list[Panel]:
    """Differences of pairs, the largest first, if they are not too many for a list; below it forests."""
    rows = content.rows("difference")
    forests = forest_panels(rows)
    if forests and len(grouped(rows, "run", "baseline")) == 1:
        return forests  # that of a single pair shows its means too
    panels = []
    for of_measure in grouped(of_all(rows), "measure").values():
        series = by_series(of_measure, varied, "run", "baseline")
        pairs = {(row["run"], row["baseline"]): row for row in reversed(of_measure)}
        if is_list(of_measure):
            only = f", {next(iter(series))}" if len(series) == 1 and "population" in of_measure[0] else ""
            title = f"{difference_of(of_measure[0])}{only}{from_one(of_measure)}"
            ordered = _by_value(pairs.values())
            draw, height = partial(_draw_pairs, ordered, series), list_height(len(pairs), len(series))
            panels.append(Panel(title, height, draw, around=1.2, beside=pairs_width(ordered)))
    return [*panels, *forests]


def _by_value(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (-row["value"], row["run"]))


def _draw_pairs(ordered: Sequence[Row], series: dict[str, list[tuple[object, Row]]], axis: Any) -> None:
    draw_series([(row["run"], row["baseline"]) for row in ordered], pair_labels(ordered), series, axis)
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_xlabel(and_limits("difference", [row for some in series.values() for _, row in some]))


def combined_panels(content: Content) -> list[Panel]:
    """The effects of single topics combined: a diamond from limit to limit, widest at the value."""
    rows = [row for row in content.rows("meta") if has_limits(row)]
    panels = []
    for (measure, run_given), some in grouped(rows, "measure", "of_measure").items():
        what = f"effects on single topics combined ({measure.rpartition('_')[2]})"
        title = f"{in_words(run_given)}: {what}{from_one(some)}"
        if is_list(some):
            draw, beside = partial(_draw_combined, _by_value(some)), pairs_width(some)
            panels.append(Panel(title, list_height(len(some)), draw, around=1.0, beside=beside))
    return panels


def _draw_combined(rows: Sequence[Row], axis: Any) -> None:
    for place, row in enumerate(rows):
        diamond(axis, place, row, style(0)["color"], 0.3)
    name_rows(axis, pair_labels(rows))
    if "baseline" in rows[0]:
        p_keys(axis, rows)
        axis.axvline(0, color="black", linewidth=0.8)
    axis.set_xlabel("effect and limits, on the logit scale")


def rank_panels(content: Content) -> list[Panel]:
    """For each measure and what varies the runs by rank, with their letters."""
    return [
        Panel(
            f"ranks by {mean_of(measure)}: {varied(some[0])}",
            list_height(len(some)),
            partial(_draw_ranks, sorted(some, key=lambda row: (row["value"], row["lower"]))),
            around=1.1,
            beside=names_width([row["run"] for row in some]),
        )
        for (measure, _), some in grouped(content.rows("rank"), "ranked_by", "population").items()
    ]


def _draw_ranks(ordered: Sequence[Row], axis: Any) -> None:
    _draw_runs(ordered, axis)
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


def half_panels(content: Content) -> list[Panel]:
    """Means on one half with their limits, and the scores on the other (Cormack & Lynam 2006, Figures 3 and 4)."""
    panels = []
    for (kind, half), some in grouped(content.rows("half_interval"), "interval", "half").items():
        measure, _, made = kind.partition("/")
        where = "all documents" if half == "all" else f"half {half} of the documents and the other"
        title = f"{in_words(measure)}/{made}: {where}" if made else f"{kind}: {where}"
        draw, beside = partial(_draw_halves, some), names_width([row["run"] for row in some])
        panels.append(Panel(title, list_height(len(some)), draw, around=1.0, beside=beside))
    return panels


def _draw_halves(rows: Sequence[Row], axis: Any) -> None:
    ordered = by_value(rows)
    _draw_runs(ordered, axis)
    other = [row["other_half"] for row in ordered]
    if any(map(math.isfinite, other)):
        axis.plot(other, range(len(ordered)), linestyle="none", markersize=4, **style(1))
        key(axis, "this half, with its limits", **style(0))
        key(axis, "the other half", **style(1))
    axis.set_xlabel("mean score and limits")


def _draw_runs(ordered: Sequence[Row], axis: Any) -> None:
    """A row a run, in one series."""
    draw_series(range(len(ordered)), [label(row["run"]) for row in ordered], {"": list(enumerate(ordered))}, axis)

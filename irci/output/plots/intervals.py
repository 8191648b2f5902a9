"""Intervals: of runs, differences, ranks, effects; of one half of a collection, beside scores on the other; forest plots."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from irci.base.choices import TOPICS
from irci.output.plots.lists import list_panel, name_rows
from irci.output.plots.names import label
from irci.output.plots.pairs import (
    and_limits,
    bars,
    by_series,
    colours_of,
    diamond,
    difference_of,
    draw_series,
    from_one,
    has_limits,
    is_list,
    keys,
    of_all,
    pair_labels,
    pairs_width,
    varied,
)
from irci.output.plots.panels import GREY, LEAST_SIZE, Content, Panel, Row, grouped, key, style
from irci.output.plots.topics import Span, topic_spans
from irci.output.tables import ALL, part_of
from irci.output.wording import as_typed, mean_of

MOST_FORESTS = 20  # of more pairs the means alone are drawn
LONGEST_LETTERS = 16  # of a rank
SINGLE = 6  # the colour of each collection: black, which no mean over them has
MODELS = {
    "additive": "without interaction", "interaction": "with interaction", "nested": "with interaction and versions",
}  # fmt: skip


def mean_panels(content: Content) -> Iterator[Panel]:
    """For each measure the runs by score, with the limits for what varies; on the scale of their topics, if drawn."""
    rows = of_all(content.rows("estimate"))
    if len(rows) == 1 and not has_limits(rows[0]):
        return  # one score without limits is no picture
    spans = topic_spans(content)
    for (measure,), some in grouped(rows, "measure").items():
        what, series = mean_of(measure), by_series(some, varied, "run")
        only = next(iter(series)) if len(series) == 1 else ""
        title = f"{what} of each run" + f": {only}" * bool(only)
        yield _run_panel(title, and_limits(what, some), series, colours_of(series, content), spans.get(measure))


def effect_panels(content: Content) -> Iterator[Panel]:
    """For each measure the runs by their effect, under each model fitted."""
    for (measure,), some in grouped(content.rows("effect"), "of_measure").items():
        title = f"effect of each run on {as_typed(measure)}, minus the mean of all"
        series = by_series(some, lambda row: MODELS.get(str(row.get("model")), str(row.get("model"))), "run")
        yield _run_panel(title, and_limits("effect", some), series, range(len(series)))


def _run_panel(
    title: str,
    xlabel: str,
    series: dict[str, list[tuple[object, Row]]],
    colours: Sequence[int],
    span: Span | None = None,
) -> Panel:
    every = {name: row for of_series in reversed(series.values()) for name, row in of_series}  # a series may lack some
    names = sorted(every, key=lambda name: -every[name]["value"])
    runs = [every[name]["run"] for name in names]

    def draw(axis: Any) -> None:
        draw_series(names, runs, series, colours, axis)
        axis.set(xlabel=xlabel, xlim=span)

    return list_panel(title, runs, draw, around=1.0, series=len(series))


def pair_panels(content: Content) -> Iterator[Panel]:
    """Differences of pairs, the largest first, if they are not too many for a list; below it forests."""
    rows = content.rows("difference")
    forests = list(_forest_panels(rows, content))
    # The forest of a single pair shows its means too.
    lists = [] if forests and len(grouped(rows, "run", "baseline")) == 1 else grouped(of_all(rows), "measure").values()
    for of_measure in filter(is_list, lists):
        series = by_series(of_measure, varied, "run", "baseline")
        only = f", {next(iter(series))}" if len(series) == 1 and "population" in of_measure[0] else ""
        title = f"{difference_of(of_measure[0])}{only}{from_one(of_measure)}"
        ordered = _by_value({(row["run"], row["baseline"]): row for row in reversed(of_measure)}.values())
        draw = partial(_draw_pairs, ordered, series, colours_of(series, content))
        yield list_panel(title, ordered, draw, around=1.2, beside=pairs_width(ordered), series=len(series))
    yield from forests


def _by_value(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (-row["value"], row["run"]))


def _draw_pairs(
    ordered: Sequence[Row], series: dict[str, list[tuple[object, Row]]], colours: Sequence[int], axis: Any
) -> None:
    draw_series([(row["run"], row["baseline"]) for row in ordered], pair_labels(ordered), series, colours, axis)
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_xlabel(and_limits("difference", [row for some in series.values() for _, row in some]))


def combined_panels(content: Content) -> Iterator[Panel]:
    """The effects of single topics combined: a diamond from limit to limit, widest at the value."""
    rows = [row for row in content.rows("meta") if has_limits(row)]
    for (measure, given), some in grouped(rows, "measure", "of_measure").items():
        if is_list(some):
            what = f"effects on single topics combined ({measure.rpartition('_')[2]})"
            draw = partial(_draw_combined, _by_value(some), content.place_of(some[0]))
            yield list_panel(
                f"{as_typed(given)}: {what}{from_one(some)}", some, draw, around=1.0, beside=pairs_width(some)
            )


def _draw_combined(rows: Sequence[Row], colour: int, axis: Any) -> None:
    for index, row in enumerate(rows):
        diamond(axis, index, row, style(colour)["color"], 0.3)
    name_rows(axis, pair_labels(rows))
    if "baseline" in rows[0]:
        keys(axis, rows)
        axis.axvline(0, color="black", linewidth=0.8)
    axis.set_xlabel("effect and limits, on the logit scale")


def rank_panels(content: Content) -> Iterator[Panel]:
    """For each measure and what varies the runs by rank, with their letters."""
    for (measure, _), some in grouped(of_all(content.rows("rank")), "ranked_by", "population").items():
        draw = partial(_draw_ranks, sorted(some, key=lambda row: (row["value"], row["lower"])))
        draw = partial(
            _draw_ranks, sorted(some, key=lambda row: (row["value"], row["lower"])), content.place_of(some[0])
        )
        yield list_panel(f"ranks by {mean_of(measure)}: {varied(some[0])}", _runs(some), draw, around=1.1)


def _draw_ranks(ordered: Sequence[Row], colour: int, axis: Any) -> None:
    _draw_runs(ordered, colour, axis)
    # A rank's letters if they are few; - stands for those that are not made.
    made = ["" if row["letters"] == "-" else row["letters"] for row in ordered]
    letters = [some if len(some) <= LONGEST_LETTERS else "" for some in made]
    for index, row in enumerate(ordered):
        beside = row["upper"] if math.isfinite(row["upper"]) else row["value"]
        axis.annotate(f"   {letters[index]}", (beside, index), va="center", fontsize=LEAST_SIZE, annotation_clip=False)
    room = len(ordered) * max(map(len, letters)) * LEAST_SIZE * 0.0024
    axis.set_xlim(0.5, len(ordered) + 0.5 + room)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.set_xticks([tick for tick in axis.get_xticks() if 1 <= tick <= len(ordered)])
    axis.set_xlim(0.5, len(ordered) + 0.5 + room)
    together = "\nruns that share a letter are not significantly different" if any(letters) else ""
    left_out = f"\nmore than {LONGEST_LETTERS} letters of a run are left out" if letters != made else ""
    axis.set_xlabel(f"rank and limits{together}{left_out}")


def _draw_runs(ordered: Sequence[Row], colour: int, axis: Any) -> None:
    draw_series(range(len(ordered)), _runs(ordered), {"": list(enumerate(ordered))}, [colour], axis)


def _runs(rows: Sequence[Row]) -> list[str]:
    return [row["run"] for row in rows]


def _forest_panels(rows: Sequence[Row], content: Content) -> Iterator[Panel]:
    """Differences in each collection or slice, and over all: for each pair, if not too many, on a measure's scale."""
    of_parts = [row for row in rows if part_of(row) not in ("", ALL)]
    if not 0 < len(grouped(of_parts, "measure", "run", "baseline")) <= MOST_FORESTS:
        return
    by_measure = grouped(sorted(filter(part_of, rows), key=_is_whole), "measure")
    for of_measure in by_measure.values():
        explained = of_measure
        of = f": {difference_of(of_measure[0])}" if len(by_measure) > 1 else ""
        for (run, baseline), some in grouped(of_measure, "run", "baseline").items():
            # Of the parts, each with its number of topics, and of the means.
            names = [row["varies"].mean if _is_whole(row) else f"{part_of(row)} ({row['topics']})" for row in some]
            draw = partial(_draw_forest, some, names, _span_span(of_measure), explained, content.place_of)
            yield list_panel(f"{run} − {baseline}{of}", names, draw, around=1.2)
            explained = []


def _is_whole(row: Row) -> bool:
    return part_of(row) == ALL


def _span_span(rows: Sequence[Row]) -> Span:
    """From the lowest limit to the highest; those over few collections may be so wide that they hide all others."""
    sure = [row for row in rows if row["population"] == TOPICS] or rows
    ends = [row[name] for row in sure for name in ("value", "lower", "upper") if math.isfinite(row[name])]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    room = (high - low) or 1.0
    wide = [row[name] for row in rows for name in ("lower", "upper") if math.isfinite(row[name])]
    low, high = max(min([low, *wide]), low - room / 2), min(max([high, *wide]), high + room / 2)
    return low - room / 20, high + room / 20


def _draw_forest(
    rows: Sequence[Row],
    names: Sequence[str],
    span: Span,
    explained: Sequence[Row],
    place_of: Callable[[Row], int],
    axis: Any,
) -> None:
    """A forest; `explained`: the rows whose marks its legend is for, none but in the first of a measure; `place_of`: of the
    colour of a mean."""
    single = [place for place, row in enumerate(rows) if not _is_whole(row)]
    bars(axis, single, [rows[place] for place in single], **style(SINGLE) | {"marker": "o"})
    for place, row in enumerate(rows):
        if _is_whole(row) and has_limits(row) and math.isfinite(row["value"]):
            diamond(axis, place, row, style(place_of(row))["color"], 0.32)
        elif _is_whole(row):
            bars(axis, [place], [row], color=style(place_of(row))["color"])
    name_rows(axis, list(map(label, names)))
    if single:
        axis.axhline(len(single) - 0.5, color="black", linewidth=0.5)
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set(xlabel=f"{difference_of(rows[0])} and limits", xlim=span)
    for mean in {row["population"]: row for row in explained if _is_whole(row)}.values():
        key(axis, mean["varies"].means, color=style(place_of(mean))["color"], marker="D")
    keys(axis, explained)
    if any(has_limits(row) and not (span[0] <= row["lower"] and row["upper"] <= span[1]) for row in explained):
        key(axis, "limits beyond the picture", color=GREY, marker="$↔$")

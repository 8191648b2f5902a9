"""Pictures of runs and pairs of runs: means, effects, differences, forests, combined effects, ranks, claims, and topics."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from irci.base.choices import TOPICS
from irci.base.types import reaches
from irci.output.plots import panels
from irci.output.plots.panels import Content, Panel, Row
from irci.output.tables import ALL, Kind, mean_of, part_of

MOST_PAIRS = 60  # in a list; more make a matrix
MOST_FORESTS = 20  # of more pairs the means alone are drawn
MOST_CLAIMS = 30
MOST_LISTS = 6  # runs (or pairs) of which every topic is drawn
SINGLE = 22  # the style of each collection: black circles, which no mean over them has
MODELS = {
    "additive": "without interaction", "interaction": "with interaction", "nested": "with interaction and versions",
}  # fmt: skip
BESIDE_TOPICS, TOPICS_HEIGHT = 0.8, 1.7  # inches
MOST_ACROSS = 4  # names of sources beside each other on a page
# Sources of claims by their columns, of which several of a kind go on behind a colon with what tells them apart.
SOURCES = {
    "documents": "documents", "judgments": "unjudged\ndocuments", "judge": "other judge",
    "clusters": "clusters", "collections": "collections", "seeds": "seeds", "versions": "wordings", "passes": "passes",
}  # fmt: skip
# Told apart without colour too: filled are the significant ones.
VERDICTS: dict[str, dict[str, Any]] = {
    "confirmed": {"color": panels.GREATER, "marker": "o"},
    "not confirmed": {"color": panels.GREY, "marker": "o", "markerfacecolor": "white"},
    "reversed": {"color": panels.LESS, "marker": "v"},
    "not testable": {"color": panels.GREY, "marker": "x"},
}
ENDS = ("value", "lower", "upper")
ABOUT = ("run", "baseline", "population")  # columns that lists of topics are about
Span = tuple[float, float]


def mean_panels(content: Content) -> Iterator[Panel]:
    """Draw for each measure the runs by score, with the limits for what varies."""
    rows = panels.of_all(content.rows("estimate"))
    if len(rows) == 1 and not panels.has_limits(rows[0]):
        return  # one score without limits is no picture
    for (measure,), of_measure in panels.grouped(rows, "measure").items():
        mean = mean_of(measure)
        yield _list(f"{mean} of each run{_of_one_source(of_measure, ': ')}", f"{mean} and limits", of_measure)


def effect_panels(content: Content) -> Iterator[Panel]:
    """Draw for each measure the runs by their effect, under each model fitted."""
    rows = content.rows("effect")
    models = list(dict.fromkeys(row["model"] for row in rows))
    by_model = [{**row, "series": (MODELS.get(row["model"], row["model"]), models.index(row["model"]))} for row in rows]
    for (measure,), of_measure in panels.grouped(by_model, "of_measure").items():
        yield _list(f"effect of each run on {measure}, minus the mean of all", "effect and limits", of_measure)


def difference_panels(content: Content) -> Iterator[Panel]:
    """Draw differences, the largest first, as lists, forests below them; and as matrices those too many for a list."""
    rows = content.rows("difference")
    forests, whole = list(_forests(rows)), panels.of_all(rows)
    # The forest of a single pair shows its means too.
    has_lists = not forests or len(panels.grouped(rows, "run", "baseline")) > 1
    for of_measure in filter(_is_list, panels.grouped(whole, "measure").values() if has_lists else ()):
        source = _of_one_source(of_measure, ", ") if "population" in of_measure[0] else ""
        yield _list(_difference_of(of_measure[0]) + source, "difference and limits", of_measure)
    yield from forests
    for of_source in panels.grouped(whole, "measure", "population").values():
        if not _is_list(of_source):
            signs = [
                (1 if row["value"] > 0 else -1)
                * (row.get("sign") == "determined" or bool(reaches(panels.p_of(row), panels.ALPHA)))
                for row in of_source
            ]
            title = f"{_difference_of(of_source[0])}: {of_source[0]['varies']['label']}; adjusted p ≤ {panels.ALPHA}"
            yield panels.matrix_panel(title, of_source, signs, content.width)


def vote_panels(content: Content) -> Iterator[Panel]:
    """Draw how many splits agree on each pair."""
    for (measure, test), rows in panels.grouped(content.rows("vote"), "of_measure", "test").items():
        yield panels.matrix_panel(f"{measure}: {test}", rows, [row["share"] for row in rows], content.width)


def combined_panels(content: Content) -> Iterator[Panel]:
    """Draw the effects of single topics combined."""
    rows = [row for row in content.rows("meta") if panels.has_limits(row)]
    for (measure, table), of_measure in panels.grouped(rows, "measure", "of_measure").items():
        if _is_list(of_measure):
            title = f"{table}: effects on single topics combined ({measure.rpartition('_')[2]})"
            yield _list(title, "effect and limits, on the logit scale", of_measure)


def rank_panels(content: Content) -> Iterator[Panel]:
    """Draw for each measure and what varies the runs by rank, with their letters, if they are few, at the right."""
    for (measure, _), rows in panels.grouped(panels.of_all(content.rows("rank")), "ranked_by", "population").items():
        ordered = sorted(rows, key=lambda row: (row["value"], row["lower"]))
        letters = [row["letters"].strip("-") for row in ordered]  # - stands for those that are not made
        axis = "rank and limits"
        if any(letters):
            axis += "\nruns that share a letter are not significantly different"
        title = f"ranks by {mean_of(measure)}: {ordered[0]['varies']['label']}"
        yield panels.interval_panel(title, axis, ordered, then=partial(_write_letters, letters))


def _write_letters(letters: Sequence[str], axis: Any) -> None:
    places = axis.get_yticks()
    right = axis.secondary_yaxis("right")
    right.set_yticks(places, [letters[int(row)] for row in places], fontsize=panels.LEAST_SIZE)
    right.tick_params(length=0)
    right.spines["right"].set_visible(False)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.set_xlim(0.5, len(letters) + 0.5)


def _list(title: str, xlabel: str, rows: Sequence[Row]) -> Panel:
    """Draw a list of runs, or of pairs, by value; pairs are named by their runs where the title names their one baseline."""
    if not _has_one_baseline(rows):
        rows = [{**row, "name": f"{row['run']} − {row['baseline']}"} for row in rows]
    elif "baseline" in rows[0]:
        title += f": run − {rows[0]['baseline']}"
    return panels.interval_panel(title, xlabel, _by_value(rows))


def _by_value(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (-row["value"], row["run"]))


def _of_one_source(rows: Sequence[Row], separator: str) -> str:
    """Name what varies, for a title, if it is the same in all rows."""
    labels = {row["varies"]["label"] for row in rows}
    return separator + labels.pop() if len(labels) == 1 else ""


def _has_one_baseline(rows: Sequence[Row]) -> bool:
    return len({row.get("baseline") for row in rows}) == 1


def _is_list(rows: Sequence[Row]) -> bool:
    """True if the differences of a measure are drawn as a list: few pairs, or those with one baseline."""
    return _has_one_baseline(rows) or len(panels.grouped(rows, "run", "baseline")) <= MOST_PAIRS


def _difference_of(row: Row) -> str:
    return f"difference in {mean_of(row['of_measure'])}"


def _forests(rows: Sequence[Row]) -> Iterator[Panel]:
    """Draw differences in each collection or slice, with its number of topics, and below a line over all: for each pair, if
    not too many, on a measure's scale."""
    in_parts = [row for row in rows if part_of(row) not in ("", ALL)]
    if not 0 < len(panels.grouped(in_parts, "measure", "run", "baseline")) <= MOST_FORESTS:
        return
    lines = [
        {**row, "name": panels.label(f"{part_of(row)} ({row['topics']})"), "series": ("", SINGLE)} for row in in_parts
    ]
    for row in rows:
        if part_of(row) == ALL:
            words = row["varies"]
            lines.append({**row, "name": panels.label(words["mean"]), "series": (words["means"], row["series"][1])})

    def draw(of_pair: Sequence[Row], span: Span, axis: Any) -> None:
        axis.axhline(sum(part_of(row) != ALL for row in of_pair) - 0.5, color="black", linewidth=0.5)
        if any(panels.has_limits(row) and not (span[0] <= row["lower"] and row["upper"] <= span[1]) for row in of_pair):
            panels.key(axis, "limits beyond the picture", color=panels.GREY, marker="$↔$")

    by_measure = panels.grouped(lines, "measure")
    for of_measure in by_measure.values():
        difference, span = _difference_of(of_measure[0]), _forest_span(of_measure)
        for (run, baseline), of_pair in panels.grouped(of_measure, "run", "baseline").items():
            title = f"{run} − {baseline}" + (f": {difference}" if len(by_measure) > 1 else "")
            then = partial(draw, of_pair, span)
            yield panels.interval_panel(title, f"{difference} and limits", of_pair, span=span, then=then)


def _forest_span(rows: Sequence[Row]) -> Span:
    """Return the lowest and highest limit over topics, with room: those over few collections may be far wider."""
    low, high = _ends([row for row in rows if row["population"] == TOPICS] or rows, [0.0])
    least, most = _ends(rows, [0.0])
    room = ((high - low) or 1.0) / 2
    return max(least, low - room) - room / 10, min(most, high + room) + room / 10


def _ends(rows: Sequence[Row], numbers: Sequence[float] = ()) -> Span:
    """Return the least and the greatest of values, limits and other numbers."""
    ends = [*numbers, *(row[name] for row in rows for name in ENDS if math.isfinite(row[name]))]
    return min(ends, default=0.0), max(ends, default=1.0)


def claim_panels(content: Content) -> Iterator[Panel]:
    """Draw for each measure the claims, if they are not too many, by what other sources of variation show."""
    for (measure,), rows in panels.grouped(content.rows("claim"), "of_measure").items():
        if len(rows) <= MOST_CLAIMS:
            title = f"{measure}: significant differences under other sources"
            yield Panel(title, panels.height_of(len(rows)), partial(_draw_claims, rows, content.width))


def _draw_claims(rows: Sequence[Row], width: float, axis: Any) -> None:
    sources = {}
    for column in rows[0]:
        kind, _, name = column.partition(":")
        if kind in SOURCES:
            sources[column] = panels.label(name, panels.LEAST_LABEL) if name else SOURCES[kind]
    ordered = _by_value(rows)
    for verdict, look in VERDICTS.items():
        places = [
            (across, down)
            for down, row in enumerate(ordered)
            for across, column in enumerate(sources)
            if row[column] == verdict
        ]
        if places:
            axis.plot(*zip(*places, strict=True), linestyle="none", markersize=5, label=verdict, **look)
    panels.name_rows(axis, [f"{row['run']} > {row['baseline']}" for row in ordered])
    is_across = width >= panels.WIDTH and len(sources) <= MOST_ACROSS
    axis.set_xticks(range(len(sources)), sources.values(), rotation=0 if is_across else 90)
    axis.set_xlim(-0.5, len(sources) - 0.5)


def _topic_span(rows: Sequence[Row]) -> Span:
    """Return the scale of scores and their limits, with a little room; of scores that lie from 0 to 1, all of that."""
    if "baseline" not in rows[0] and all(0 <= row["value"] <= 1 for row in rows):
        return -0.03, 1.03
    low, high = _ends(rows)
    room = 0.03 * (high - low or 1.0)
    return low - room, high + room


def topic_panels(kind: Kind, content: Content) -> Iterator[Panel]:
    """Draw a panel for each run's list of topics, or each pair's, if they are few, all in one order, the highest first."""
    rows, has_pairs = content.rows(kind), kind == "topic_difference"
    if len(panels.grouped(rows, "measure", *ABOUT)) > MOST_LISTS:
        return
    for (measure,), of_measure in panels.grouped(rows, "measure").items():
        lists = list(panels.grouped(of_measure, *ABOUT).items())
        scores = "difference in " * has_pairs + measure.removesuffix("_diff")
        means = {
            topic: math.fsum(row["value"] for row in of_topic) / len(of_topic)
            for (topic,), of_topic in panels.grouped(of_measure, "topic").items()
        }
        topics = sorted(means, key=lambda topic: -means[topic] if math.isfinite(means[topic]) else math.inf)
        value = "difference" if has_pairs else scores
        order = value if len(lists) == 1 else f"mean {value}" if has_pairs else f"mean {value} of these runs"
        for number, (about, of_list) in enumerate(lists, 1):
            named_by = order if number == len(lists) else ""
            draw = partial(_draw_topics, of_list, topics, _topic_span(of_measure), value, named_by, content.width)
            yield Panel(f"{scores} of each topic: {' − '.join(filter(None, about[:2]))}", TOPICS_HEIGHT, draw)


def _draw_topics(
    rows: Sequence[Row], topics: Sequence[str], span: Span, value: str, order: str, width: float, axis: Any
) -> None:
    """Draw a list of topics; if `order` says by what they are in order, with their names."""
    places, names, note = panels.some_named(list(map(panels.label, topics)), width - BESIDE_TOPICS)
    panels.bars(axis, [topics.index(row["topic"]) for row in rows], rows, is_vertical=True, **panels.style(0))
    panels.keys(axis, rows)
    axis.set_xticks(places, names if order else [""] * len(names), rotation=90, fontsize=panels.LEAST_SIZE)
    axis.set(xlim=(-1, len(topics)), ylim=span, ylabel=panels.or_value_alone(f"{value} and limits", rows))
    axis.set_xlabel(f"topic, by {order}{note}" if order else "")
    axis.grid(axis="y", color=panels.PALE, linewidth=0.6)
    if "baseline" in rows[0]:
        axis.axhline(0, color="black", linewidth=0.8)

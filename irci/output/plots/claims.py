"""Claims by other sources of variation: a grid, what each says of a claim in a symbol."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from irci.output.kinds import stem
from irci.output.plots.lists import list_panel, name_rows
from irci.output.plots.names import drawable
from irci.output.plots.pairs import GREATER, LESS, by_value
from irci.output.plots.panels import GREY, Content, Panel, Row, grouped, key
from irci.output.wording import in_words

MOST_CLAIMS = 30
SOURCES = {
    "documents": "documents", "both": "topics and\ndocuments", "judgments": "unjudged\ndocuments", "clusters": "clusters",
    "collections": "collections", "seeds": "seeds", "versions": "wordings",
}  # fmt: skip
# Told apart without colour too: filled are the significant ones, circles agree with the claim.
LOOKS: dict[str, dict[str, Any]] = {
    "confirmed": {"color": GREATER, "marker": "o"},
    "weaker": {"color": GREATER, "marker": "o", "markerfacecolor": "white"},
    "contrary": {"color": LESS, "marker": "v", "markerfacecolor": "white"},
    "reversed": {"color": LESS, "marker": "v"},
    "untold": {"color": GREY, "marker": "x"},
}


def claim_panels(content: Content) -> Iterator[Panel]:
    """For each measure the claims, the largest first, by what other sources of variation say, if they are not too many."""
    for (measure,), some in grouped(content.rows("claim"), "of_measure").items():
        if len(some) <= MOST_CLAIMS:
            ordered = by_value(some)
            names = [f"{row['run']} > {row['baseline']}" for row in ordered]
            title = f"what else confirms claims about {in_words(measure)}"
            draw = partial(_draw, ordered, names)
            yield list_panel(title, names, draw, around=1.4)


def _draw(rows: Sequence[Row], names: Sequence[str], axis: Any) -> None:
    sources = {name: label for name in rows[0] if (label := _label(name))}
    for verdict, look in LOOKS.items():
        there = [
            (across, down)
            for down, row in enumerate(rows)
            for across, name in enumerate(sources)
            if row[name] == verdict
        ]
        if there:
            axis.plot(*zip(*there, strict=True), linestyle="none", markersize=5, **look)
            key(axis, verdict, **look)
    name_rows(axis, names)
    axis.set_xticks(range(len(sources)), sources.values())
    axis.set_xlim(-0.5, len(sources) - 0.5)


def _label(column: str) -> str:
    """What a source is called, "" of a column that is none."""
    return drawable(column.partition(":")[2]) if stem(column) == "judge" else SOURCES.get(column, "")

"""Claims by other sources of variation: a grid, what each says of a claim in a symbol."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from irci.output.plots.lists import list_panel, name_rows, names_width
from irci.output.plots.names import LEAST_LABEL, label
from irci.output.plots.pairs import GREATER, LESS, by_value
from irci.output.plots.panels import GREY, WIDTH, Content, Panel, Row, grouped, key
from irci.output.wording import as_typed

MOST_CLAIMS = 30
# Columns, of which several of a kind go on behind a colon with what tells them apart.
SOURCES = {
    "documents": "documents", "judgments": "unjudged\ndocuments", "judge": "other judge",
    "clusters": "clusters", "collections": "collections", "seeds": "seeds", "versions": "wordings",
}  # fmt: skip
OF_SOURCE = 0.75  # inches, for what it is called in letters of which so many take an inch, and else upright
UPRIGHT = 0.6  # inches more below
# Told apart without colour too: filled are the significant ones.
LOOKS: dict[str, dict[str, Any]] = {
    "confirmed": {"color": GREATER, "marker": "o"},
    "not confirmed": {"color": GREY, "marker": "o", "markerfacecolor": "white"},
    "reversed": {"color": LESS, "marker": "v"},
    "not testable": {"color": GREY, "marker": "x"},
}


def claim_panels(content: Content) -> Iterator[Panel]:
    """For each measure the claims, the largest first, by what other sources of variation say, if they are not too many."""
    for (measure,), some in grouped(content.rows("claim"), "of_measure").items():
        if len(some) <= MOST_CLAIMS:
            ordered = by_value(some)
            names, whom = _names(ordered)
            sources = {name: called for name in ordered[0] if (called := _called(name))}
            beside = names_width([row["run"] for row in ordered] + [row["baseline"] for row in ordered]) * (
                1 if whom else 2
            )
            room = (WIDTH if content.width is None else content.width) - beside
            needed = OF_SOURCE * len(sources)
            upright = content.width is not None and room < needed
            panel = list_panel(
                f"what else confirms claims about {as_typed(measure)}{whom}", names,
                partial(_draw, ordered, names, sources, upright), around=1.4 + UPRIGHT * upright, beside=beside,
            )  # fmt: skip
            yield panel if upright else panel._replace(width=max(WIDTH, beside + needed))


def _names(rows: Sequence[Row]) -> tuple[list[str], str]:
    """The claims' names; where all are about one run, those of the others, and what is said of it in the title."""
    of_all = set.intersection(*({row["run"], row["baseline"]} for row in rows))
    if len(rows) < 2 or not of_all:
        return [f"{row['run']} > {row['baseline']}" for row in rows], ""
    (one,) = of_all
    signs = ["<" if row["run"] == one else ">" for row in rows]
    names = [f"{row['baseline' if sign == '<' else 'run']}" for row, sign in zip(rows, signs, strict=True)]
    if len(set(signs)) == 1:
        return names, f": run {signs[0]} {one}"
    return [f"{name} {sign}" for name, sign in zip(names, signs, strict=True)], f": run > or < {one}"


def _called(column: str) -> str:
    kind, _, name = column.partition(":")
    return label(name, LEAST_LABEL) if name and kind in SOURCES else SOURCES.get(kind, "")


def _draw(rows: Sequence[Row], names: Sequence[str], sources: Mapping[str, str], upright: bool, axis: Any) -> None:
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
    called = [each.replace("\n", " ") if upright else each for each in sources.values()]
    axis.set_xticks(range(len(sources)), called, rotation=90 if upright else 0)
    axis.set_xlim(-0.5, len(sources) - 0.5)

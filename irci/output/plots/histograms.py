"""Histograms and Q-Q plots: normalised differences of halves (Cormack & Lynam 2006, Figures 1 and 2), standardised scores and
their sampled means (Park 2010).
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from irci.output.plots.panels import GREY, Panel, Row, grouped, rows_of, style
from irci.output.report import Table
from irci.output.wording import in_words


def histogram_panels(tables: Sequence[Table]) -> list[Panel]:
    """The panels of all tables that count something in bins, and of quantiles beside quantiles."""
    halves = rows_of(tables, "normalised")
    top = 1.05 * max(
        (row[name] for row in halves for name in ("percent", "predicted") if math.isfinite(row[name])), default=1
    )
    panels = [
        Panel(f"{kind}: normalised differences of halves", 1.5, partial(_draw_normalised, top, some))
        for (kind,), some in grouped(halves, "interval").items()
    ]
    for (measure, of, size), some in grouped(rows_of(tables, "histogram"), "of_measure", "of", "n").items():
        what = "scores" if of == "scores" else f"means of {size} topics"
        panels.append(Panel(f"{in_words(measure)}: {what}", 1.7, partial(_draw_counts, some)))
    for (measure,), some in grouped(rows_of(tables, "quantile"), "of_measure").items():
        panels.append(
            Panel(
                f"{in_words(measure)}: variances of samples, if scores were normal", 2.6, partial(_draw_quantiles, some)
            )
        )
    return panels


def _draw_bars(rows: Sequence[Row], axis: Any) -> None:
    left = [row["from"] for row in rows]
    width = [row["to"] - row["from"] for row in rows]
    axis.bar(
        left,
        [row["percent"] for row in rows],
        width,
        align="edge",
        color=style(0)["color"],
        edgecolor="white",
        linewidth=0.4,
    )
    axis.set_ylabel("percent")


def _draw_normalised(top: float, rows: Sequence[Row], axis: Any) -> None:
    finite = [row for row in rows if math.isfinite(row["from"]) and math.isfinite(row["to"])]
    _draw_bars(finite, axis)
    middle = [(row["from"] + row["to"]) / 2 for row in finite]
    if any(math.isfinite(row["predicted"]) for row in finite):
        axis.plot(middle, [row["predicted"] for row in finite], color=style(1)["color"], label="predicted")
    ends = [row["percent"] for row in rows if row not in finite]
    axis.set_ylim(0, top)  # the same for all kinds of intervals
    axis.set_xlabel(f"difference over its standard error ({sum(ends):.1f}% lie beyond)")


def _draw_counts(rows: Sequence[Row], axis: Any) -> None:
    _draw_bars(rows, axis)
    axis.set_xlabel("score")


def _draw_quantiles(rows: Sequence[Row], axis: Any) -> None:
    for number, ((size,), some) in enumerate(grouped(rows, "n").items()):
        # Over their degrees of freedom, so that several sizes fit one picture.
        theory = [row["chi2"] / (size - 1) for row in some]
        sample = [row["sample"] / (size - 1) for row in some]
        axis.plot(theory, sample, linestyle="none", markersize=3, label=f"samples of {size} topics", **style(number))
    ends = (0, max(row["chi2"] / (row["n"] - 1) for row in rows))
    axis.plot(ends, ends, color=GREY, linewidth=0.8)
    axis.set_xlabel("quantiles of chi-square over its degrees of freedom")
    axis.set_ylabel("of s² / σ²")

"""Histograms and Q-Q plots: normalised differences of halves (Cormack & Lynam 2006, Figures 1 and 2), standardised scores and
their sampled means (Park 2010).
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from irci.output.plots.panels import GREY, Content, Panel, Row, grouped, style
from irci.output.wording import in_words


def normalised_panels(content: Content) -> list[Panel]:
    """The distances of scores from intervals, for each kind of interval."""
    halves = content.rows("normalised")
    top = 1.05 * max(
        (row[name] for row in halves for name in ("percent", "predicted") if math.isfinite(row[name])), default=1
    )
    return [
        Panel(f"{kind}: normalised differences of halves", 1.5, partial(_draw_normalised, top, some))
        for (kind,), some in grouped(halves, "interval").items()
    ]


def histogram_panels(content: Content) -> list[Panel]:
    """Scores, and means of samples of each size, counted in bins."""
    panels = []
    for (measure, of, size), some in grouped(content.rows("histogram"), "of_measure", "of", "n").items():
        what = "scores" if of == "scores" else f"means of {size} topics"
        panels.append(Panel(f"{in_words(measure)}: {what}", 1.7, partial(_draw_counts, some)))
    return panels


def quantile_panels(content: Content) -> list[Panel]:
    """Quantiles of samples' variances beside those of chi-square."""
    title = "variances of samples, if scores were normal"
    return [
        Panel(f"{in_words(measure)}: {title}", 2.6, partial(_draw_quantiles, some))
        for (measure,), some in grouped(content.rows("quantile"), "of_measure").items()
    ]


def _draw_bars(rows: Sequence[Row], axis: Any) -> None:
    left, heights = [row["from"] for row in rows], [row["percent"] for row in rows]
    widths = [row["to"] - row["from"] for row in rows]
    axis.bar(left, heights, widths, align="edge", color=style(0)["color"], edgecolor="white", linewidth=0.4)
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

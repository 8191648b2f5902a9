"""Histograms and Q-Q plots: normalised differences of halves (Cormack & Lynam 2006, Figures 1 and 2), standardised scores and
their sampled means (Park 2010).
"""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from irci.output.plots.panels import GREY, Content, Panel, Row, grouped, style
from irci.output.wording import in_words


def normalised_panels(content: Content) -> Iterator[Panel]:
    """The distances of scores from intervals, for each kind of interval."""
    halves = content.rows("normalised")
    finite = [row[name] for row in halves for name in ("percent", "predicted") if math.isfinite(row[name])]
    top = 1.05 * max(finite, default=1)
    for (kind,), some in grouped(halves, "interval").items():
        yield Panel(f"{kind}: normalised differences of halves", 1.5, partial(_draw_normalised, top, some))


def histogram_panels(content: Content) -> Iterator[Panel]:
    """Scores, and means of samples of each size, counted in bins."""
    for (measure, of, size), some in grouped(content.rows("histogram"), "of_measure", "of", "n").items():
        what = "scores" if of == "scores" else f"means of {size} topics"
        yield Panel(f"{in_words(measure)}: {what}", 1.7, partial(_draw_bars, some, "score"))


def quantile_panels(content: Content) -> Iterator[Panel]:
    """Quantiles of samples' variances beside those of chi-square."""
    for (measure,), some in grouped(content.rows("quantile"), "of_measure").items():
        title = f"{in_words(measure)}: variances of samples, if scores were normal"
        yield Panel(title, 2.6, partial(_draw_quantiles, some))


def _draw_bars(rows: Sequence[Row], xlabel: str, axis: Any) -> None:
    left, heights = [row["from"] for row in rows], [row["percent"] for row in rows]
    widths = [row["to"] - row["from"] for row in rows]
    axis.bar(left, heights, widths, align="edge", color=style(0)["color"], edgecolor="white", linewidth=0.4)
    axis.set(xlabel=xlabel, ylabel="percent")


def _draw_normalised(top: float, rows: Sequence[Row], axis: Any) -> None:
    finite = [row for row in rows if math.isfinite(row["from"]) and math.isfinite(row["to"])]
    beyond = sum(row["percent"] for row in rows if row not in finite)
    _draw_bars(finite, f"difference over its standard error ({beyond:.1f}% lie beyond)", axis)
    if any(math.isfinite(row["predicted"]) for row in finite):
        middle = [(row["from"] + row["to"]) / 2 for row in finite]
        axis.plot(middle, [row["predicted"] for row in finite], color=style(1)["color"], label="predicted")
    axis.set_ylim(0, top)  # the same for all kinds of intervals


def _draw_quantiles(rows: Sequence[Row], axis: Any) -> None:
    for number, ((size,), some) in enumerate(grouped(rows, "n").items()):
        # Over their degrees of freedom, so that several sizes fit one picture.
        theory = [row["chi2"] / (size - 1) for row in some]
        sample = [row["sample"] / (size - 1) for row in some]
        axis.plot(theory, sample, linestyle="none", markersize=3, label=f"samples of {size} topics", **style(number))
    ends = (0, max(row["chi2"] / (row["n"] - 1) for row in rows))
    axis.plot(ends, ends, color=GREY, linewidth=0.8)
    axis.set(xlabel="quantiles of chi-square over its degrees of freedom", ylabel="of s² / σ²")
